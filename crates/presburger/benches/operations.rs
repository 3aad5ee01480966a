//! Time per operation on sets of the size a loop optimizer meets: dependence polyhedra of dense kernels and stencils.
//! Run with `cargo bench -p presburger`; prints the best of several rounds in microseconds.

use presburger::{Aff, Budget, Map, Set};
use std::hint::black_box;
use std::time::Instant;

fn time<R>(name: &str, mut f: impl FnMut() -> R) {
    let mut samples = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        let mut n = 0_u32;
        while start.elapsed().as_micros() < 1500 {
            black_box(f());
            n += 1;
        }
        samples.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(n));
    }
    samples.sort_by(f64::total_cmp);
    println!("{name:44} {:9.2} us", samples[0]);
}

const GEMM: &str = "[N, M, K] -> { S[i, j, k] -> S[a, b, c] : 0 <= i < N and 0 <= j < M and 0 <= k < K and 0 <= a < N and 0 <= b < M and 0 <= c < K and i = a and j = b";
const STENCIL: &str = "[T, N] -> { S[t, i, j] -> S[u, k, l] : 0 <= t < T and 1 <= i < N - 1 and 1 <= j < N - 1 and 0 <= u < T and 1 <= k < N - 1 and 1 <= l < N - 1";

fn main() {
    let b = Budget::unlimited();
    let read = |t: &str| Map::parse(t).expect("valid text");
    let gemm = read(&format!("{GEMM} and c > k }}"));
    let gemm_empty = read(&format!("{GEMM} and c > k and a < i }}"));
    let lu = read(
        "[N] -> { S[k, i, j] -> S[p, q, r] : 0 <= k < N and k < i < N and k < j < N and 0 <= p < N and p < q < N and p < r < N and i = q and j = p and k < p }",
    );
    let stencil = read(&format!("{STENCIL} and u = t + 1 and k = i + 1 and l = j }}"));
    let stencil_empty = read(&format!("{STENCIL} and u = t + 1 and k = i + 1 and l = j and l + u < j + t }}"));
    let tiled =
        read("[N] -> { S[i, j] -> T[a, b, i, j] : 0 <= i, j < N and 32a <= i < 32a + 32 and 32b <= j < 32b + 32 }");
    // Violations of a tiled, skewed stencil schedule at tile levels 0 and 1, and of a tiled matrix product: all empty.
    let tiles = "u0, u1, u2, v0, v1, v2: 32u0 <= t < 32u0 + 32 and 32u1 <= t + i < 32u1 + 32 and 32u2 <= t + j < 32u2 + 32 and 32v0 <= u < 32v0 + 32 and 32v1 <= u + k < 32v1 + 32 and 32v2 <= u + l < 32v2 + 32";
    let legal0 = read(&format!("{STENCIL} and u = t + 1 and k = i + 1 and l = j and exists {tiles} and v0 < u0 }}"));
    let legal1 =
        read(&format!("{STENCIL} and u = t + 1 and k = i - 1 and l = j and exists {tiles} and v0 = u0 and v1 < u1 }}"));
    let legal2 = read(&format!(
        "{STENCIL} and u = t + 1 and k = i - 1 and l = j - 1 and exists {tiles} and v0 = u0 and v1 = u1 and v2 = u2 and u + k = t + i and u + l < t + j }}"
    ));
    let legal3 = read(&format!(
        "{GEMM} and c > k and exists u0, u1, u2, v0, v1, v2: 32u0 <= i < 32u0 + 32 and 32u1 <= j < 32u1 + 32 and 32u2 <= k < 32u2 + 32 and 32v0 <= a < 32v0 + 32 and 32v1 <= b < 32v1 + 32 and 32v2 <= c < 32v2 + 32 and u0 = v0 and u1 = v1 and v2 < u2 }}"
    ));
    let dom =
        Set::parse("[N, M] -> { S[i, j, k] : 0 <= i < N and i <= j < M and 0 <= k <= i + j }").expect("valid text");
    let part =
        Set::parse("[N, M] -> { S[i, j, k] : 0 <= i < N and i <= j < M and 0 <= k <= i + j and k >= 2 and j != 7 }")
            .expect("valid text");
    for (name, m) in [
        ("gemm", &gemm),
        ("gemm, empty", &gemm_empty),
        ("lu", &lu),
        ("stencil", &stencil),
        ("stencil, empty", &stencil_empty),
    ] {
        time(&format!("is_empty {name}"), || m.is_empty(&b));
    }
    for (k, m) in [&legal0, &legal1, &legal2, &legal3].into_iter().enumerate() {
        assert_eq!(m.is_empty(&b), Ok(true));
        time(&format!("is_empty tiled legality {k}"), || m.is_empty(&b));
    }
    time("is_empty tiled", || tiled.is_empty(&b));
    time("intersect gemm", || gemm.intersect(&gemm_empty));
    time("domain gemm", || gemm.domain(&b));
    time("domain lu", || lu.domain(&b));
    time("range tiled", || tiled.range(&b));
    time("deltas stencil", || stencil.deltas(&b));
    time("deltas lu", || lu.deltas(&b));
    time("apply_range lu", || lu.apply_range(&lu, &b));
    time("simplify gemm", || gemm.basics()[0].simplify(&b));
    time("loop_bounds level 2", || dom.basics()[0].loop_bounds(2, &b));
    time("loop_bounds level 0", || dom.basics()[0].loop_bounds(0, &b));
    time("subtract", || dom.subtract(&part, &b));
    time("is_subset", || part.is_subset(&dom, &b));
    time("coalesce", || part.coalesce(&b));
    time("gist", || part.gist(&dom, &b));
    time("lexmin", || part.lexmin(&b));
    time("lexmin map lu", || lu.lexmin(&b));
    let f = Aff::from_row(part.space(), &[0, -1, 1, 2, 3, 0]);
    time("min_of", || part.min_of(&f, &b));
    time("parse gemm", || read(&format!("{GEMM} and c > k }}")));
    time("print gemm", || gemm.to_string());
}
