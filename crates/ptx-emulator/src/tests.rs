//! Kernels as LLVM writes them, right and wrong.

use crate::findings::Finding;
use crate::memory::Global;
use crate::order::Order;
use crate::parse::parse;
use crate::run::{Launch, Outcome, run};

/// `b[i] += a[i]` for the threads below a number, one block after the other.
pub const ADD: &str = r"
.version 5.0
.target sm_60
.address_size 64
.visible .entry add(
	.param .u64 .ptr .global .align 1 add_param_0,
	.param .u64 .ptr .global .align 1 add_param_1,
	.param .u32 add_param_2
)                                       // @add
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
// %bb.0:
	ld.param.b32 	%r1, [add_param_2];
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	setp.ge.s32 	%p1, %r5, %r1;
	@%p1 bra 	$L__BB0_2;
	ld.param.b64 	%rd1, [add_param_0];
	ld.param.b64 	%rd2, [add_param_1];
	mul.wide.s32 	%rd3, %r5, 8;
	add.s64 	%rd4, %rd1, %rd3;
	ld.global.nc.b64 	%rd5, [%rd4];
	add.s64 	%rd6, %rd2, %rd3;
	ld.global.b64 	%rd7, [%rd6];
	add.rn.f64 	%rd7, %rd5, %rd7;
	st.global.b64 	[%rd6], %rd7;
$L__BB0_2:
	ret;
}
";

/// A kernel with one pointer, one variable of 1024 bytes in shared memory, and this body.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(\n.param .u64 .ptr .global .align 1 k_param_0\n)\n{{\n.shared .align 4 .b8 s[1024];\n\
         .reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.b64 %rd1, [k_param_0];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nmov.b64 %rd3, s;\n\
         add.s64 %rd4, %rd3, %rd2;\nadd.s64 %rd5, %rd1, %rd2;\n{body}\nret;\n}}\n"
    )
}

/// Runs a text on 64 numbers of 4 bytes: 1, 2, ..; they come back with what was found.
fn on_numbers(text: &str, grid: u32, block: u32, order: Order) -> (Vec<u32>, Outcome) {
    let module = parse(text).expect("readable");
    let mut global = Global::default();
    let at = global.allocate(256);
    let numbers: Vec<u8> = (1..=64u32).flatten_bytes();
    global.at(at).expect("allocated").0.fill(0, &numbers);
    let kernel = module.kernels.values().next().expect("a kernel");
    let launch = Launch { kernel, grid: [grid, 1, 1], block: [block, 1, 1], number: 1, order, counts: true };
    let outcome = run(&launch, &at.to_le_bytes(), &mut global);
    let bytes = global.at(at).expect("allocated").0.read(0, 256).expect("256 bytes").to_vec();
    (bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect(), outcome)
}

trait FlattenBytes {
    fn flatten_bytes(self) -> Vec<u8>;
}

impl<I: Iterator<Item = u32>> FlattenBytes for I {
    fn flatten_bytes(self) -> Vec<u8> {
        self.flat_map(u32::to_le_bytes).collect()
    }
}

fn found(outcome: &Outcome) -> Vec<Finding> {
    outcome.findings.all.iter().map(|(finding, _)| *finding).collect()
}

fn findings(body: &str, grid: u32, block: u32) -> Vec<Finding> {
    found(&on_numbers(&kernel(body), grid, block, Order::Forward).1)
}

#[test]
fn values_are_packed_and_taken_apart() {
    // Halves of 1, 2, .. change places, and the lower half is counted up.
    let body = ".reg .b16 %rs<5>;\nld.global.b32 %r3, [%rd5];\nmov.b32 {%rs1, %rs2}, %r3;\n\
                add.s16 %rs3, %rs1, 1;\nmov.b32 %r4, {%rs2, %rs3};\n{ .reg .b16 tmp; mov.b32 {tmp, %rs4}, %r4; }\n\
                { .reg .b16 tmp; mov.b32 {tmp, %rs4}, %r4; }\nmov.b32 {_, %rs4}, %r4;\n\
                mov.b32 %r5, {%rs4, %rs1};\nst.global.b32 [%rd5], %r5;";
    let (numbers, outcome) = on_numbers(&kernel(body), 1, 64, Order::Forward);
    assert_eq!(found(&outcome), []);
    let expected: Vec<u32> = (1..=64).map(|n| n << 16 | (n + 1)).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn arrays_are_added_without_findings() {
    let module = parse(ADD).expect("readable");
    let mut global = Global::default();
    let [a, b] = [0, 1].map(|_| global.allocate(100 * 8));
    let numbers: Vec<u8> = (0..100).flat_map(|k| f64::from(k).to_le_bytes()).collect();
    for at in [a, b] {
        global.at(at).expect("allocated").0.fill(0, &numbers);
    }
    let mut params = [a.to_le_bytes(), b.to_le_bytes()].concat();
    params.extend(100u32.to_le_bytes());
    let kernel = &module.kernels["add"];
    let launch =
        Launch { kernel, grid: [4, 1, 1], block: [32, 1, 1], number: 1, order: Order::Random(3), counts: true };
    let outcome = run(&launch, &params, &mut global);
    assert_eq!(found(&outcome), []);
    let sums = global.at(b).expect("allocated").0.read(0, 800).expect("800 bytes").to_vec();
    let expected: Vec<u8> = (0..100).flat_map(|k| f64::from(2 * k).to_le_bytes()).collect();
    assert_eq!(sums, expected);
    // Three warps of 32 threads and one of 4: 8 sectors or 1 for each of two loads and a store.
    assert_eq!((outcome.counts.global_requests, outcome.counts.global_sectors), (12, 75));
}

#[test]
fn shared_memory_goes_around_a_block_behind_a_barrier() {
    let body = "ld.global.b32 %r3, [%rd5];\nst.shared.b32 [%rd4], %r3;\nbar.sync 0;\nxor.b32 %r4, %r1, 1;\n\
                mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd6, %rd3, %rd6;\nld.shared.b32 %r5, [%rd6];\n\
                st.global.b32 [%rd5], %r5;";
    for order in [Order::Forward, Order::Backward, Order::Random(9)] {
        let (numbers, outcome) = on_numbers(&kernel(body), 1, 64, order);
        assert_eq!(found(&outcome), []);
        assert_eq!(numbers[..4], [2, 1, 4, 3]);
        assert_eq!(outcome.counts.bank_conflicts, 0);
    }
    let without = body.replace("bar.sync 0;\n", "");
    assert!(findings(&without, 1, 64).contains(&Finding::RaceWithinBlock));
}

#[test]
fn blocks_that_write_one_element_race() {
    let body = "st.global.b32 [%rd5], %r2;";
    assert_eq!(findings(body, 1, 64), []);
    assert_eq!(findings(body, 2, 64), [Finding::RaceAcrossBlocks]);
    let atomic = "atom.global.add.u32 %r3, [%rd1], 1;";
    let (numbers, outcome) = on_numbers(&kernel(atomic), 2, 64, Order::Backward);
    assert_eq!((numbers[0], found(&outcome)), (129, vec![]));
    let without = on_numbers(&kernel(""), 2, 64, Order::Backward).1.counts;
    let more = (
        outcome.counts.global_requests - without.global_requests,
        outcome.counts.global_sectors - without.global_sectors,
    );
    assert_eq!(more, (4, 4), "one for each warp: all of its threads update one element");
}

#[test]
fn an_address_behind_the_end_ends_the_kernel() {
    assert_eq!(findings("st.global.b32 [%rd5+4], %r1;", 1, 64), [Finding::OutOfBounds]);
    assert_eq!(findings("st.shared.b32 [%rd4+1000], %r1;", 1, 64), [Finding::OutOfBounds]);
    assert_eq!(findings("ld.param.b64 %rd6, [k_param_0+8];", 1, 1), [Finding::OutOfBounds]);
}

#[test]
fn an_address_is_a_multiple_of_what_is_accessed() {
    for access in [
        "ld.global.b64 %rd6, [%rd1+4];",
        "ld.global.v2.b32 {%r3, %r4}, [%rd1+4];",
        "st.global.b32 [%rd1+2], %r1;",
        "st.global.v2.b32 [%rd1+4], {%r1, %r1};",
        "atom.global.add.u32 %r3, [%rd1+2], 1;",
        "st.shared.b64 [%rd3+4], %rd1;",
    ] {
        assert_eq!(findings(access, 1, 1), [Finding::Misaligned], "{access}");
        assert_eq!(findings(&access.replace("+4]", "+8]").replace("+2]", "+4]"), 1, 1), [], "{access}");
    }
}

#[test]
fn memory_that_nobody_has_written_is_not_read() {
    assert_eq!(findings("ld.shared.b32 %r3, [%rd4];", 1, 2), [Finding::Uninitialised]);
    assert_eq!(findings("st.shared.b32 [%rd4], %r1;\nld.shared.b32 %r3, [%rd4];", 1, 2), []);
}

#[test]
fn global_memory_that_nobody_has_written_is_not_read() {
    let text = kernel("ld.global.b32 %r3, [%rd5];\nst.global.b32 [%rd5], %r3;");
    let module = parse(&text).expect("readable");
    for written in [0, 8, 16] {
        let mut global = Global::default();
        let at = global.allocate(16);
        assert!(global.at(at).expect("allocated").0.fill(0, &vec![1; written]));
        let kernel = &module.kernels["k"];
        let launch = Launch { kernel, grid: [1; 3], block: [4, 1, 1], number: 1, order: Order::Forward, counts: false };
        let expected: &[Finding] = if written < 16 { &[Finding::Uninitialised] } else { &[] };
        assert_eq!(found(&run(&launch, &at.to_le_bytes(), &mut global)), expected, "{written} bytes written");
    }
}

#[test]
fn what_is_loaded_without_coherence_does_not_change() {
    let body = "ld.global.nc.b32 %r3, [%rd5];\nst.global.b32 [%rd5], %r3;";
    assert_eq!(findings(body, 1, 8), [Finding::Changing]);
    assert_eq!(findings(&body.replace(".nc", ""), 1, 8), []);
}

#[test]
fn threads_of_a_block_race_in_global_memory() {
    let body = "st.global.b32 [%rd1], %r1;";
    assert_eq!(findings(body, 1, 2), [Finding::RaceWithinBlock]);
    assert_eq!(findings(body, 1, 1), []);
    let behind = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.b32 [%rd1], %r1;\nbar.sync 0;\nld.global.b32 %r3, [%rd1];";
    assert_eq!(findings(behind, 1, 8), []);
    assert_eq!(findings(&behind.replace("bar.sync 0;\n", ""), 1, 8), [Finding::RaceWithinBlock]);
}

#[test]
fn a_kernel_that_does_not_end_is_ended() {
    assert_eq!(findings("$again:\nbra $again;", 1, 1), [Finding::Trap]);
    assert_eq!(findings("trap;", 1, 1), [Finding::Trap]);
}

#[test]
fn accesses_are_counted_as_warps_make_them() {
    // Each eighth word of shared memory: eight threads for a bank. Each second one of global memory: four for a sector.
    let far = "shl.b32 %r3, %r1, 5;\ncvt.u64.u32 %rd6, %r3;\nadd.s64 %rd6, %rd3, %rd6;\nst.shared.b32 [%rd6], %r1;\n\
               shl.b32 %r4, %r1, 3;\ncvt.u64.u32 %rd7, %r4;\nadd.s64 %rd7, %rd1, %rd7;\nld.global.b32 %r5, [%rd7];";
    let counts = |text: &str| on_numbers(&kernel(text), 1, 32, Order::Forward).1.counts;
    let found = counts(far);
    assert_eq!((found.shared_requests, found.bank_conflicts), (1, 7));
    assert_eq!((found.global_requests, found.global_sectors), (1, 8));
    let near = counts("st.shared.b32 [%rd4], %r1;\nld.global.b32 %r5, [%rd5];");
    assert_eq!((near.shared_requests, near.bank_conflicts), (1, 0));
    assert_eq!((near.global_requests, near.global_sectors), (1, 4));
    // Seven in front, two accesses, `ret`, for each thread.
    assert_eq!(near.instructions, 32 * 10);
}

#[test]
fn all_threads_meet_at_a_barrier() {
    let some = "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra $there;\nbar.sync 0;\n$there:";
    assert_eq!(findings(some, 1, 8), [Finding::DivergentBarrier]);
    let elsewhere = "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra $there;\nbar.sync 0;\nret;\n$there:\nbar.sync 0;";
    assert_eq!(findings(elsewhere, 1, 8), [Finding::DivergentBarrier]);
    assert_eq!(findings("bar.sync 0;\nbar.sync 0;", 2, 8), []);
}

/// What LLVM 22 makes of some loops in C, for sm_60.
const FROM_LLVM: &str = include_str!("llvm.ptx");

#[test]
fn a_matrix_product_from_llvm_has_the_bits_of_the_host() {
    let module = parse(FROM_LLVM).expect("readable");
    assert_eq!(module.kernels.keys().collect::<Vec<_>>(), ["gemm", "misc", "share", "sw"]);
    let n = 7;
    let number = |array: usize, k: usize| ((k * 37 + array * 11) % 101) as f64 / 7.0 - 3.0;
    let mut host: Vec<Vec<f64>> = (0..3).map(|array| (0..n * n).map(|k| number(array, k)).collect()).collect();
    let mut global = Global::default();
    let mut params = Vec::new();
    for array in &host {
        let at = global.allocate(n * n * 8);
        let bytes: Vec<u8> = array.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(global.at(at).expect("allocated").0.fill(0, &bytes));
        params.push(at);
    }
    let result = params[2];
    params.extend([n as u64, 1.5f64.to_bits(), 0.3f64.to_bits()]);
    let params: Vec<u8> = params.into_iter().flat_map(u64::to_le_bytes).collect();
    let kernel = &module.kernels["gemm"];
    // Fewer blocks and threads than rows and columns: each goes on with the rest.
    let launch = Launch { kernel, grid: [3, 1, 1], block: [4, 1, 1], number: 1, order: Order::Backward, counts: false };
    assert_eq!(found(&run(&launch, &params, &mut global)), []);
    for i in 0..n {
        for j in 0..n {
            let mut sum = host[2][i * n + j] * 0.3;
            for k in 0..n {
                sum += 1.5 * host[0][i * n + k] * host[1][k * n + j];
            }
            host[2][i * n + j] = sum;
        }
    }
    let bytes = global.at(result).expect("allocated").0.read(0, n * n * 8).expect("all of it").to_vec();
    let expected: Vec<u8> = host[2].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(bytes, expected);
}
