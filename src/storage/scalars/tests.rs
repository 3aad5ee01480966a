//! Mapped programs leave the same in memory: every program of a family is run before and after, on symbolic values.

use super::strips::{Longest, are_chains_of_rows, in_strips_of};
use super::work::rows_in_strips_of;
use super::{Target, closure, copying, element, flow, in_memory, in_strips, mapped, target};
use crate::error::SourceLoc;
use crate::facts::{Costs, Counter, FunctionFacts, Hints, Loop, Type, Value, ValueKind};
use crate::ids::{BlockId, LoopId, StmtId, ValueId};
use crate::model::tree::flat::{TimeDim, flat_schedule};
use crate::model::{Access, AccessKind, Array, ArrayKind, Instructions, LoopDim, Scop, Size, Stmt, StmtBody};
use presburger::{Aff, Budget, Dim, Map};
use std::collections::BTreeMap;

/// What memory holds: array, subscripts, value.
pub(crate) type Memory = BTreeMap<(usize, Vec<i64>), String>;

/// `s = ..; for (k) s = s op ..; A[target] = s`, with one more statement somewhere.
fn text(target: &str, other: Option<&(&str, &str, &str)>) -> String {
    let other = other.map_or(String::new(), |(domain, schedule, accesses)| {
        format!("stmt Stmt3\n  domain: [N] -> {{ Stmt3{domain} }}\n  schedule: {schedule}\n{accesses}")
    });
    format!(
        "scop sums\nparams: N\n\
         array Arr0 memory f64 [*, 8]\narray Arr1 memory f64 [*, 8]\narray Arr2 value f64 []\narray Arr3 phi f64 []\n\
         stmt Stmt0\n  domain: [N] -> {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < N }}\n  schedule: [0, i, 0, j, 0]\n  \
         must_write: [N] -> {{ Stmt0[i, j] -> Arr3[] }}\n\
         stmt Stmt1\n  domain: [N] -> {{ Stmt1[i, j, k] : 0 <= i < N and 0 <= j < N and 0 <= k < N }}\n  \
         schedule: [0, i, 0, j, 2, k, 0]\n  read: [N] -> {{ Stmt1[i, j, k] -> Arr3[] }}\n  \
         read: [N] -> {{ Stmt1[i, j, k] -> Arr1[k, j] }}\n  must_write: [N] -> {{ Stmt1[i, j, k] -> Arr2[] }}\n  \
         must_write: [N] -> {{ Stmt1[i, j, k] -> Arr3[] }}\n\
         stmt Stmt2\n  domain: [N] -> {{ Stmt2[i, j] : 0 <= i < N and 0 <= j < N }}\n  schedule: [0, i, 0, j, 4]\n  \
         read: [N] -> {{ Stmt2[i, j] -> Arr2[] }}\n  must_write: [N] -> {{ Stmt2[i, j] -> Arr0[{target}] }}\n{other}"
    )
}

/// The program with its instructions: what the accesses of each scalar have to do with each other.
pub(crate) fn program(text: &str) -> (Scop, FunctionFacts) {
    let mut scop = Scop::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let inside = BlockId(0);
    scop.region.blocks = vec![inside];
    let plain = Value {
        kind: ValueKind::Pure,
        ty: Type::Float(64),
        block: Some(inside),
        in_arm: false,
        operands: Vec::new(),
        users: Vec::new(),
        scev: None,
        ptr_scev: None,
        base: None,
        offset: None,
        cmp_scevs: None,
        object_bytes: None,
        costs: Costs::default(),
        update: None,
        lanewise: false,
        in_lanes: false,
        at_zero: None,
        heap: None,
        name: String::new(),
        loc: SourceLoc::default(),
    };
    let mut facts = FunctionFacts { values: vec![plain; 200], ..FunctionFacts::default() };
    let arrays = scop.arrays.clone();
    for stmt in &mut scop.stmts {
        stmt.body = StmtBody::Original(Instructions {
            block: Some(BlockId(stmt.id.0)),
            loops: stmt.body.loops().to_vec(),
            ..Instructions::default()
        });
        for access in &mut stmt.accesses {
            match (arrays[access.array.index()].kind, access.kind) {
                (ArrayKind::Value { def }, _) => access.inst = def,
                (ArrayKind::Phi { phi }, AccessKind::Read) => access.inst = phi,
                _ => {}
            }
        }
        let scalar = stmt.accesses.iter().find(|a| matches!(arrays[a.array.index()].kind, ArrayKind::Value { .. }));
        let made = scalar.map(|a| a.inst);
        for access in stmt.accesses.iter_mut().filter(|a| a.kind != AccessKind::Read) {
            match arrays[access.array.index()].kind {
                ArrayKind::Phi { .. } => access.inst = made.unwrap_or(access.inst),
                ArrayKind::Memory { .. } | ArrayKind::View { .. } => {
                    let (ptr, value) = (ValueId(199), made.unwrap_or(ValueId(198)));
                    facts.values[access.inst.index()].kind = ValueKind::Store { ptr, value, bytes: 8 };
                }
                ArrayKind::Value { .. } | ArrayKind::Rows(_) | ArrayKind::Made { .. } => {}
            }
        }
        for access in stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
            if let ArrayKind::Memory { .. } = arrays[access.array.index()].kind {
                facts.values[access.inst.index()].kind = ValueKind::Load { ptr: ValueId(199), bytes: 8 };
            }
        }
    }
    (scop, facts)
}

/// All instances in execution order.
pub(crate) fn instances(scop: &Scop, n: i64) -> Vec<(Vec<i64>, StmtId, Vec<i64>)> {
    let mut all = Vec::new();
    for (id, pieces) in flat_schedule(&scop.schedule) {
        for piece in pieces {
            for point in piece.domain.fix(Dim::Param, 0, n).points(10_000).expect("small") {
                let dims = point[1..].to_vec();
                let at = |t: &TimeDim| match t {
                    TimeDim::Seq(v) | TimeDim::Any(v) => *v,
                    TimeDim::Aff(a) => a.eval(&[n], &dims).expect("no overflow"),
                };
                all.push((piece.time.iter().map(at).collect(), id, dims));
            }
        }
    }
    all.sort();
    all
}

/// What the program leaves in the arrays that are memory.
pub(crate) fn left_by(scop: &Scop, facts: &FunctionFacts, n: i64) -> Memory {
    let mut memory = Memory::new();
    for (_, id, dims) in instances(scop, n) {
        let stmt = scop.stmt(id);
        let place = |a: &Access| {
            let value = |row: &Vec<i64>| {
                let inputs = std::iter::once(&n).chain(&dims).chain(&[1]);
                row.iter().zip(inputs).map(|(c, v)| c * v).sum()
            };
            (a.array.index(), a.subscripts().expect("affine").iter().map(value).collect::<Vec<i64>>())
        };
        let mut read: BTreeMap<ValueId, String> = BTreeMap::new();
        for access in stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
            let (array, element) = place(access);
            let initial = || format!("Arr{array}{element:?}");
            read.insert(access.inst, memory.get(&(array, element.clone())).cloned().unwrap_or_else(initial));
        }
        let loops = values_of_loops(stmt, &dims);
        let made = format!("{:?}{loops:?}({:?})", stmt.body.block(), read.values().collect::<Vec<_>>());
        let copied = stmt.accesses.first().filter(|_| stmt.body == StmtBody::Copy).and_then(|a| read.get(&a.inst));
        for access in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read) {
            let value = match (access.carries, &facts.value(access.inst).kind) {
                (None, ValueKind::Store { value, .. }) => *value,
                _ => super::value(scop, access),
            };
            memory.insert(place(access), copied.or_else(|| read.get(&value)).unwrap_or(&made).clone());
        }
    }
    memory.retain(|(array, _), _| matches!(scop.arrays[*array].kind, ArrayKind::Memory { .. }));
    memory
}

/// What the dims of the loops were before any was cut into strips.
fn values_of_loops(stmt: &Stmt, dims: &[i64]) -> Vec<i64> {
    let loops = stmt.body.loops();
    let inside = &dims[dims.len() - loops.len()..];
    let strip = |l: &LoopDim| l.strip.map_or(0, |s| s.first + s.size * dims[s.dim]);
    loops.iter().zip(inside).map(|(l, value)| strip(l) + value).collect()
}

fn scalars_left(scop: &Scop) -> usize {
    scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| !scop.array(a.array).is_memory()).count()
}

/// Where the other statement stands, and what it does.
const OTHERS: [(&str, &str, &str); 9] = [
    ("[i, j] : 0 <= i < N and 0 <= j < N", "[0, i, 0, j, 1]", "  must_write: [N] -> { Stmt3[i, j] -> Arr0[i, j] }\n"),
    (
        "[i, j] : 0 <= i < N and 0 <= j < N",
        "[0, i, 0, j, 3]",
        "  read: [N] -> { Stmt3[i, j] -> Arr0[i, j] }\n  must_write: [N] -> { Stmt3[i, j] -> Arr1[i, j] }\n",
    ),
    (
        "[i, j] : 0 <= i < N and 0 <= j < N",
        "[0, i, 0, j, 3]",
        "  read: [N] -> { Stmt3[i, j] -> Arr0[i, j + 1] }\n  must_write: [N] -> { Stmt3[i, j] -> Arr1[i, j] }\n",
    ),
    (
        "[i, j] : 0 <= i < N and 0 <= j < N",
        "[0, i, 0, j, 1]",
        "  read: [N] -> { Stmt3[i, j] -> Arr0[i, j - 1] }\n  must_write: [N] -> { Stmt3[i, j] -> Arr1[i, j] }\n",
    ),
    (
        "[i, j] : 0 <= i < N and 0 <= j < N",
        "[0, i, 0, j, 5]",
        "  read: [N] -> { Stmt3[i, j] -> Arr0[j, i] }\n  must_write: [N] -> { Stmt3[i, j] -> Arr1[i, j] }\n",
    ),
    (
        "[i, j, k] : 0 <= i < N and 0 <= j < N and 0 <= k < N",
        "[0, i, 0, j, 2, k, 1]",
        "  must_write: [N] -> { Stmt3[i, j, k] -> Arr0[i, k] }\n",
    ),
    (
        "[i, j, k] : 0 <= i < N and 0 <= j < N and 0 <= k < N",
        "[0, i, 0, j, 2, k, 1]",
        "  read: [N] -> { Stmt3[i, j, k] -> Arr0[k, j] }\n  must_write: [N] -> { Stmt3[i, j, k] -> Arr1[i, 7] }\n",
    ),
    (
        "[i] : 0 <= i < N",
        "[1, i, 0]",
        "  read: [N] -> { Stmt3[i] -> Arr0[i, i] }\n  must_write: [N] -> { Stmt3[i] -> Arr1[i, 0] }\n",
    ),
    (
        "[i, j] : 0 <= i < N and 0 <= j < N",
        "[0, i, 0, j, 3]",
        "  read: [N] -> { Stmt3[i, j] -> Arr3[] }\n  must_write: [N] -> { Stmt3[i, j] -> Arr1[j, i] }\n",
    ),
];

#[test]
fn a_mapped_program_leaves_the_same_in_memory() {
    let (mut mapped, mut refused) = (0, 0);
    for target in ["i, j", "j, i", "i, 0", "0, 0", "i + j, j", "N - 1 - i, j"] {
        for other in std::iter::once(None).chain(OTHERS.iter().map(Some)) {
            let text = text(target, other);
            let (scop, facts) = program(&text);
            let Some(new) = in_memory(&scop, &facts, &Budget::unlimited()).expect("no bug").scop else {
                refused += 1;
                continue;
            };
            mapped += 1;
            for n in [0, 1, 3] {
                assert_eq!(left_by(&scop, &facts, n), left_by(&new, &facts, n), "N = {n}\n{text}\n{new}");
            }
        }
    }
    assert!(mapped >= 12 && refused >= 12, "{mapped} mapped, {refused} refused");
}

/// Sums along rows or down columns, with a loop around them.
#[test]
fn chains_of_rows_are_told_from_chains_of_columns() {
    let text = |element: &str| {
        format!(
            "scop t\nparams: N\narray Arr0 memory f64 [*, 64]\narray Arr1 memory f64 [*]\n\
             array Arr2 phi f64 []\narray Arr3 value f64 []\n\
             stmt Stmt0\n  domain: [N] -> {{ Stmt0[i] : 0 <= i < N }}\n  schedule: [0, i, 0]\n  \
             must_write: [N] -> {{ Stmt0[i] -> Arr2[] }}\n\
             stmt Stmt1\n  domain: [N] -> {{ Stmt1[i, j] : 0 <= i < N and 0 <= j < N }}\n  schedule: [0, i, 1, j, 0]\n  \
             read: [N] -> {{ Stmt1[i, j] -> Arr2[] }}\n  read: [N] -> {{ Stmt1[i, j] -> Arr0[{element}] }}\n  \
             must_write: [N] -> {{ Stmt1[i, j] -> Arr3[] }}\n  must_write: [N] -> {{ Stmt1[i, j] -> Arr2[] }}\n"
        )
    };
    for (element, is_of_rows) in [("i, j", true), ("j, i", false), ("j, i + j", false), ("0, j", false)] {
        let (scop, mut facts) = program(&text(element));
        let with_header = |header: u32| Loop {
            parent: None,
            header: BlockId(header),
            latch: None,
            preheader: None,
            exiting: Vec::new(),
            backedge_taken: None,
            iv_start: None,
            ends: true,
            hints: Hints::default(),
            boxed: false,
            loc: SourceLoc::default(),
            counter: Counter::default(),
        };
        facts.loops = vec![with_header(7), with_header(0)];
        let is_found = scop.schedule.nests().iter().any(|nest| are_chains_of_rows(&scop, &facts, nest));
        assert_eq!(is_found, is_of_rows, "{element}");
    }
}

/// Each access of a mapped scalar in turn one element further, along either subscript, or gone: the check refuses it,
/// or the program leaves the same in memory.
#[test]
fn a_mapping_that_is_changed_is_refused_or_leaves_the_same() {
    let (mut changes, mut refused) = (0, 0);
    for other in std::iter::once(None).chain(OTHERS.iter().map(Some)) {
        let (scop, facts) = program(&text("i, j", other));
        let Some(at) = target(&scop, &facts, StmtId(2)) else { continue };
        let scalars = closure(&scop, &facts, &at);
        let Some(right) = mapped(&scop, &at, &scalars) else { continue };
        let copying = copying((&scop, &facts), &at, &scalars);
        let is_same = |changed: &Scop| {
            let budget = Budget::unlimited();
            let mut known = flow::Known::of(&scop, &budget).expect("unlimited");
            flow::is_same((&scop, changed), (at.array, Some(at.stmt)), &scalars, &copying, &mut known, &budget)
                .expect("unlimited")
        };
        if !is_same(&right) {
            continue;
        }
        for (s, stmt) in right.stmts.iter().enumerate() {
            for k in (0..stmt.accesses.len()).filter(|k| stmt.accesses[*k].carries.is_some()) {
                for further in [Some(0), Some(1), None] {
                    let mut changed = right.clone();
                    match further {
                        Some(row) => {
                            let mut subscripts = at.subscripts.clone();
                            *subscripts[row].last_mut().expect("a constant") += 1;
                            let beside = Target { subscripts, ..at };
                            changed.stmts[s].accesses[k].relation = element(stmt, &beside);
                        }
                        None => {
                            changed.stmts[s].accesses.remove(k);
                        }
                    }
                    changes += 1;
                    if !is_same(&changed) {
                        refused += 1;
                        continue;
                    }
                    for n in [1, 3] {
                        assert_eq!(left_by(&scop, &facts, n), left_by(&changed, &facts, n), "N = {n}\n{changed}");
                    }
                }
            }
        }
    }
    assert!(changes >= 20 && 4 * refused >= 3 * changes, "{refused} of {changes} refused");
}

#[test]
fn a_program_in_strips_leaves_the_same_in_memory() {
    let (mut cut, mut refused) = (0, 0);
    let longest = Longest { inner: 2, outer: 1, alone: 2, along_rows: true };
    for target in ["i, j", "0, 0", "N - 1 - i, j"] {
        for other in std::iter::once(None).chain(OTHERS.iter().map(Some)) {
            let text = text(target, other);
            let (scop, facts) = program(&text);
            let found = in_strips_of(&scop, &facts, longest, &Budget::unlimited());
            let Some(new) = found.expect("within the budget").map(|found| found.scop) else {
                refused += 1;
                continue;
            };
            cut += 1;
            assert_eq!(scalars_left(&new), 0, "{text}\n{new}");
            for n in [0, 1, 3] {
                assert_eq!(left_by(&scop, &facts, n), left_by(&new, &facts, n), "N = {n}\n{text}\n{new}");
            }
        }
    }
    assert!(cut >= 10, "{cut} cut, {refused} refused");
}

/// `for (i) { for (p) { W[p] = ..; for (k) W[p] = W[p] op A[i][k] op B[k][p]; } for (p) A[i][p] = W[p]; }`
fn work_array() -> String {
    "scop works\nparams: N\n\
     array Arr0 memory f64 [*, 8]\narray Arr1 memory f64 [*, 8]\narray Arr2 memory f64 [*]\n\
     stmt Stmt0\n  domain: [N] -> { Stmt0[i, p] : 0 <= i < N and 1 <= p < 4 }\n  schedule: [0, i, 0, p, 0]\n  \
     must_write: [N] -> { Stmt0[i, p] -> Arr2[p + 1] }\n\
     stmt Stmt1\n  domain: [N] -> { Stmt1[i, p, k] : 0 <= i < N and 1 <= p < 4 and 1 <= k < 4 }\n  \
     schedule: [0, i, 0, p, 1, k, 0]\n  read: [N] -> { Stmt1[i, p, k] -> Arr0[i, k] }\n  \
     read: [N] -> { Stmt1[i, p, k] -> Arr1[k, p] }\n  read: [N] -> { Stmt1[i, p, k] -> Arr2[p + 1] }\n  \
     must_write: [N] -> { Stmt1[i, p, k] -> Arr2[p + 1] }\n\
     stmt Stmt2\n  domain: [N] -> { Stmt2[i, p] : 0 <= i < N and 1 <= p < 4 }\n  schedule: [0, i, 1, p, 0]\n  \
     read: [N] -> { Stmt2[i, p] -> Arr2[p + 1] }\n  must_write: [N] -> { Stmt2[i, p] -> Arr0[i, p] }\n"
        .to_owned()
}

/// What of the program is something else, and whether the array has rows then.
const WORKS: [(&str, &str, bool); 8] = [
    ("", "", true),
    ("0 <= i < N", "2 <= i < N", true),
    // What the iteration before left is read.
    ("Stmt0[i, p] : 0 <= i < N", "Stmt0[i, p] : i = 0 and 0 < N", false),
    ("Stmt0[i, p] : 0 <= i < N and 1 <= p < 4", "Stmt0[i, p] : 0 <= i < N and 1 <= p < 3", false),
    // The last iteration leaves less than others.
    ("1 <= p < 4", "1 <= p < 4 - i", false),
    ("1 <= p < 4", "1 <= p < 4 and p <= i + 1", true),
    // Rows already.
    ("Arr2[p + 1]", "Arr2[p + 4 * i]", false),
    // Some other nest reads it: here the statement itself is one.
    ("schedule: [0, i, 1, p, 0]", "schedule: [1, i, 0, p, 0]", false),
];

#[test]
fn a_program_with_rows_of_a_work_array_leaves_the_same_in_memory() {
    for (old, new, has_rows) in WORKS {
        let text = if old.is_empty() { work_array() } else { work_array().replace(old, new) };
        let (mut scop, facts) = program(&text);
        // Text numbers loops by their depth; the last statement has a loop of its own inside of the common one.
        if let StmtBody::Original(code) = &mut scop.stmts[2].body {
            code.loops[1].id = LoopId::new(9);
        }
        for most in [1, 2, 3, 100] {
            let found = rows_in_strips_of(&scop, &facts, most, &Budget::unlimited()).expect("within the budget");
            assert_eq!(found.is_some(), has_rows, "{most}: {text}");
            let Some(new) = found else { continue };
            for n in [0, 1, 3, 5] {
                assert_eq!(left_by(&scop, &facts, n), left_by(&new, &facts, n), "N = {n}, {most}\n{text}\n{new}");
            }
        }
    }
}

#[test]
fn scalars_with_one_value_at_a_time_share_an_array_of_bounded_size() {
    let (scop, facts) = program(&text("i, j", None));
    let new = in_strips(&scop, &facts, &Budget::unlimited()).expect("within the budget").expect("cut").scop;
    let is_made = |a: &&Array| matches!(a.kind, ArrayKind::Made { .. });
    let made: Vec<&Array> = new.arrays.iter().filter(is_made).collect();
    assert_eq!(made.len(), 1, "{new}");
    assert_eq!(made[0].sizes, vec![Size::Const(32), Size::Const(128)]);
}

#[test]
fn a_scalar_that_outer_iterations_hand_on_or_that_is_used_behind_the_region_is_no_array() {
    let (scop, facts) = program(&text("i, j", None));
    let mut leaving = scop.clone();
    leaving.live_out.push(crate::model::LiveOut { value: ValueId(198), array: crate::ids::ArrayId::new(2) });
    assert!(in_strips(&leaving, &facts, &Budget::unlimited()).expect("within the budget").is_none());
    let carried = text("i, j", None)
        .replace("Stmt0[i, j] : 0 <= i < N and 0 <= j < N", "Stmt0[i, j] : i = 0 and j = 0 and N >= 1");
    let (scop, facts) = program(&carried);
    assert!(in_strips(&scop, &facts, &Budget::unlimited()).expect("within the budget").is_none());
}

#[test]
fn a_sum_in_a_scalar_becomes_a_sum_in_an_element() {
    let (scop, facts) = program(&text("i, j", None));
    let new = in_memory(&scop, &facts, &Budget::unlimited()).expect("no bug").scop.expect("mapped");
    assert_eq!((new.stmts.len(), scalars_left(&new)), (2, 0), "{new}");
}

#[test]
fn a_scalar_of_another_type_or_used_behind_the_region_stays() {
    let (scop, mut facts) = program(&text("i, j", None));
    let mut leaving = scop.clone();
    for k in [2, 3] {
        let array = crate::ids::ArrayId::new(k);
        leaving.live_out.push(crate::model::LiveOut { value: ValueId(198), array });
    }
    assert!(in_memory(&leaving, &facts, &Budget::unlimited()).expect("no bug").scop.is_none());
    for array in &scop.arrays {
        if let ArrayKind::Value { def } = array.kind {
            facts.values[def.index()].ty = Type::Float(32);
        }
    }
    let mapped = in_memory(&scop, &facts, &Budget::unlimited()).expect("no bug");
    assert!(mapped.scop.is_none() && mapped.gave_up.is_none());
}

#[test]
fn a_spent_budget_leaves_the_program_alone() {
    let (scop, facts) = program(&text("i, j", None));
    let mapped = in_memory(&scop, &facts, &Budget::steps(1)).expect("no bug");
    assert!(mapped.scop.is_none());
    assert_eq!(mapped.gave_up.map(|limit| limit.why), Some(presburger::Error::Spent));
}

/// `for (k) for (i) { f = A[i][k]; for (j) A[i][j] = A[i][j] op f op A[k][j]; }`; or `f` is made of it, and stored.
fn factors(element: &str, columns: &str, is_stored: bool) -> (Scop, FunctionFacts) {
    let store =
        if is_stored { format!("  must_write: [N] -> {{ Stmt0[k, i] -> Arr0[{element}] }}\n") } else { String::new() };
    let (mut scop, mut facts) = program(&format!(
        "scop factors\nparams: N\narray Arr0 memory f64 [*, 8]\narray Arr1 value f64 []\n\
         stmt Stmt0\n  domain: [N] -> {{ Stmt0[k, i] : 0 <= k < i and i < N }}\n  schedule: [0, k, 0, i, 0]\n  \
         read: [N] -> {{ Stmt0[k, i] -> Arr0[{element}] }}\n{store}  must_write: [N] -> {{ Stmt0[k, i] -> Arr1[] }}\n\
         stmt Stmt1\n  domain: [N] -> {{ Stmt1[k, i, j] : 0 <= k < i and i < N and {columns} and j < N }}\n  \
         schedule: [0, k, 0, i, 1, j, 0]\n  read: [N] -> {{ Stmt1[k, i, j] -> Arr1[] }}\n  \
         read: [N] -> {{ Stmt1[k, i, j] -> Arr0[k, j] }}\n  read: [N] -> {{ Stmt1[k, i, j] -> Arr0[i, j] }}\n  \
         must_write: [N] -> {{ Stmt1[k, i, j] -> Arr0[i, j] }}\n"
    ));
    let ArrayKind::Value { def } = scop.arrays[1].kind else { panic!("a value") };
    if let (false, read) = (is_stored, scop.stmts[0].accesses[0].inst) {
        facts.values[def.index()].kind = facts.values[read.index()].kind.clone();
        scop.stmts[0].accesses[0].inst = def;
    }
    // What the second statement stores is no scalar.
    let store = scop.stmts[1].accesses[3].inst;
    facts.values[store.index()].kind = ValueKind::Store { ptr: ValueId(199), value: ValueId(197), bytes: 8 };
    (scop, facts)
}

/// The element that holds the scalar is the same one that the statement writes next where `i = N - 1`.
#[test]
fn a_scalar_is_not_read_from_an_element_that_its_statement_writes_over() {
    let (mut scop, mut facts) = factors("i, k", "k < j", true);
    let mut over = scop.stmts[0].accesses[1].clone();
    over.inst = ValueId(150);
    facts.values[150].kind = ValueKind::Store { ptr: ValueId(199), value: scop.stmts[0].accesses[0].inst, bytes: 8 };
    let space = scop.stmts[0].domain.space();
    let subscripts = [Aff::from_row(space, &[1, 0, 0, -1]), Aff::from_row(space, &[0, 1, 0, 0])];
    over.relation = Map::from_affs_over(space, &subscripts, "Arr0");
    scop.stmts[0].accesses.insert(2, over);
    assert!(in_memory(&scop, &facts, &Budget::unlimited()).expect("no bug").scop.is_none(), "{scop}");
}

#[test]
fn a_scalar_is_read_from_the_element_that_is_known_to_hold_it() {
    let elements = [
        ("i, k", "k < j", true),
        // The first iteration overwrites what the others would read.
        ("i, k", "k <= j", false),
        ("i, k", "0 <= j", false),
        ("i, k", "k + 1 < j", true),
        ("k, i", "k < j", true),
        ("i, i", "k < j", false),
        ("i, i", "i < j", true),
    ];
    for is_stored in [true, false] {
        for (element, columns, is_read) in elements {
            let (scop, facts) = factors(element, columns, is_stored);
            let found = in_memory(&scop, &facts, &Budget::unlimited()).expect("no bug").scop;
            assert_eq!(found.is_some(), is_read, "{element}, {columns}: {scop}");
            let Some(new) = found else { continue };
            assert_eq!(scalars_left(&new), 0, "{new}");
            assert_eq!(new.stmts.len(), if is_stored { 2 } else { 1 }, "what only reads is gone: {new}");
            for n in [0, 1, 2, 4] {
                assert_eq!(left_by(&scop, &facts, n), left_by(&new, &facts, n), "N = {n}\n{scop}\n{new}");
            }
        }
    }
}
