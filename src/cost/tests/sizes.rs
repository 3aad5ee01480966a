//! What orders are judged by where sizes and caches are not known.

use super::SMALL;
use crate::cost::{Machine, Scenario, refs, scenarios, sizes};
use crate::model::{Scop, fixtures};
use presburger::Budget;

fn of(scop: &Scop) -> Vec<Scenario> {
    scenarios(scop, &SMALL, &Budget::unlimited()).expect("small")
}

/// Iterations of the longest loop of the last statement in the first scenario.
fn longest(name: &str) -> f64 {
    of(&fixtures::scop(name))[0].facts.iter().flat_map(|f| f.trips.clone()).fold(0.0, f64::max)
}

#[test]
fn arrays_of_more_dims_are_shorter() {
    let (vector, matrix, cube) = (longest("durbin"), longest("bicg"), longest("heat_3d"));
    assert!((1300.0..1500.0).contains(&matrix), "{matrix} rows of 16 MB");
    assert!((100.0..140.0).contains(&cube), "{cube} planes of 16 MB");
    assert!(vector > 1e6, "{vector} elements of 16 MB");
}

#[test]
fn known_sizes_are_kept() {
    let text = "
        scop fixed
        array Arr0 memory f64 [*, 300]
        stmt Stmt0
          domain: { Stmt0[i, j] : 0 <= i < 200 and 0 <= j < 300 }
          schedule: [0, i, 0, j, 0]
          must_write: { Stmt0[i, j] -> Arr0[i, j] }";
    let all = of(&Scop::parse(text).expect("a SCoP"));
    assert_eq!(all.len(), 2, "the target's caches and larger ones");
    assert!(all.iter().all(|s| s.facts[0].trips == [200.0, 300.0]));
    assert!(all[1].machine.l2_bytes > all[0].machine.l2_bytes);
    let known = Machine { is_known: true, ..SMALL };
    let all = scenarios(&Scop::parse(text).expect("a SCoP"), &known, &Budget::unlimited()).expect("small");
    assert_eq!(all[1].machine, Machine { is_quick: true, ..known }, "caches that are known have no other size");
}

/// Sizes 100 and 1000 by scenario, usual caches and quick ones.
#[test]
fn new_code_is_asked_for_above_the_largest_size_that_loses() {
    let scop = fixtures::scop("gemm");
    let with = |size: f64| Scenario { size: Some(size), ..of(&scop).remove(0) };
    let all: Vec<Scenario> = [1000.0, 1000.0, 100.0, 100.0, 4000.0, 4000.0].map(with).into();
    let least = |gains: [f64; 6]| sizes::least_size(&all, &gains, 135.0);
    assert_eq!(least([200.0, 200.0, 200.0, 100.0, 200.0, 200.0]), Some(1000.0));
    assert_eq!(least([200.0, 100.0, 200.0, 200.0, 200.0, 200.0]), Some(4000.0));
    assert_eq!(least([200.0, 200.0, 200.0, 200.0, 200.0, 100.0]), None, "the largest loses");
    assert_eq!(least([200.0; 6]), None, "none does");
}

#[test]
fn small_data_is_looked_at_too() {
    let all = of(&fixtures::scop("gemm"));
    let instances = |s: &Scenario| s.facts.iter().map(refs::Facts::accesses).fold(0.0, f64::max);
    assert!(instances(&all[2]) < 0.01 * instances(&all[0]), "{}, {}", instances(&all[2]), instances(&all[0]));
}

#[test]
fn tiny_data_comes_last_and_grows() {
    let all = of(&fixtures::scop("gemm"));
    let first = all.iter().position(|s| s.is_tiny).expect("sizes are parameters");
    let (tiny, thin) = all[first..].split_at(all[first..].partition_point(|s| s.is_tiny));
    assert!(tiny.iter().all(|s| s.warm && s.machine.is_quick));
    assert!(thin.iter().all(|s| s.thin.is_some() && !s.is_tiny));
    let sizes: Vec<f64> = tiny.iter().filter_map(|s| s.size).collect();
    assert_eq!(sizes, [24.0, 40.0, 64.0, 100.0]);
    assert_eq!(all[first].facts[1].trips, [24.0; 3]);
}

/// Sums of the columns of a matrix, column by column.
#[test]
fn data_is_thin_along_each_parameter() {
    let text = "
        scop sums
        params: N, M
        array Arr0 memory f64 [*, M]
        array Arr1 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[j, i] : 0 <= j < M and 0 <= i < N }
          schedule: [0, j, 0, i, 0]
          read: { Stmt0[j, i] -> Arr0[i, j] }
          read: { Stmt0[j, i] -> Arr1[j] }
          must_write: { Stmt0[j, i] -> Arr1[j] }
        ";
    let all = of(&Scop::parse(text).expect("a SCoP"));
    let thin: Vec<Scenario> = all.into_iter().filter(|s| s.thin.is_some()).collect();
    let large = thin[4].facts[0].trips[0];
    assert!(large > 1000.0);
    let trips: Vec<&[f64]> = thin.iter().map(|s| s.facts[0].trips.as_slice()).collect();
    let along = |beside: f64, is_first: bool| {
        [3.0, 4.0, 8.0, 16.0].map(|thin| if is_first { [beside, thin] } else { [thin, beside] })
    };
    assert_eq!(trips, [along(64.0, true), along(large, true), along(64.0, false), along(large, false)].concat());
    // New code is asked for from the least size on from which all gain.
    let mut gains = vec![200.0; 16];
    let least = |gains: &[f64]| sizes::least_thin(&thin, gains, 150.0);
    assert_eq!(least(&gains), [(0, 3.0), (1, 3.0)].into());
    (gains[5], gains[10]) = (100.0, 100.0);
    assert_eq!(least(&gains), [(0, 8.0), (1, 16.0)].into());
    gains[3] = 149.0;
    assert_eq!(least(&gains), [(1, 16.0)].into());
}

/// A band of `w` elements in a matrix of `n` x `n`.
#[test]
fn what_no_large_array_grows_with_is_small_as_well() {
    let text = "
        scop band
        params: n, w
        array Arr0 memory f64 [*, n]
        stmt Stmt0
          domain: [n, w] -> { Stmt0[i, j] : 0 <= i < n and i - w <= j <= i + w and 0 <= j < n }
          schedule: [0, i, 0, j, 0]
          must_write: [n, w] -> { Stmt0[i, j] -> Arr0[i, j] }";
    let all = of(&Scop::parse(text).expect("a SCoP"));
    let (narrow, usual): (Vec<_>, Vec<_>) = all.iter().partition(|s| s.is_narrow);
    assert_eq!(narrow.len(), 2);
    let instances = |s: &Scenario| s.facts.iter().map(refs::Facts::accesses).fold(0.0, f64::max);
    assert!(instances(narrow[0]) < 0.1 * instances(usual[0]), "{} {}", instances(narrow[0]), instances(usual[0]));
    assert!(of(&fixtures::scop("gemm")).iter().all(|s| !s.is_narrow), "arrays grow with all sizes");
}

/// A product of `n` x `d` by `d` x `n`: the result has all of the largest array whatever `d` is.
#[test]
fn depths_that_no_large_array_grows_with_are_small_as_well() {
    let text = "
        scop product
        params: n, d, t
        array Arr0 memory f64 [*, n]
        array Arr1 memory f64 [*, d]
        stmt Stmt0
          domain: [n, d, t] -> { Stmt0[s, i, j, k] : 0 <= s < t and 0 <= i < n and 0 <= j < n and 0 <= k < d }
          schedule: [0, s, 0, i, 0, j, 0, k, 0]
          read: [n, d, t] -> { Stmt0[s, i, j, k] -> Arr1[i, k] }
          must_write: [n, d, t] -> { Stmt0[s, i, j, k] -> Arr0[i, j] }";
    let scop = Scop::parse(text).expect("a SCoP");
    let growing = [Some(1000.0), None, None];
    assert_eq!(sizes::depths(&scop, &growing), [false, true, false], "no element is found by `s`");
    let all = of(&scop);
    let short: Vec<&Scenario> = all.iter().filter(|s| s.is_short).collect();
    assert_eq!(short.len(), 2);
    assert!(short.iter().all(|s| s.facts[0].trips[3] == 16.0 && s.facts[0].trips[0] > 16.0 && !s.is_narrow));
}

/// `j` from `i` to 239: the bound of `i` follows from that of `j`.
#[test]
fn triangles_are_half_of_their_square() {
    let text = "
        scop triangle
        array Arr0 memory f64 [*, 240]
        stmt Stmt0
          domain: { Stmt0[i, j] : 0 <= i <= j and j < 240 }
          schedule: [0, i, 0, j, 0]
          must_write: { Stmt0[i, j] -> Arr0[i, j] }";
    let facts = refs::facts(&Scop::parse(text).expect("a SCoP"), &Budget::unlimited()).expect("small");
    let instances: f64 = facts[0].trips.iter().product();
    assert!((instances - 28920.0).abs() < 300.0, "{:?}", facts[0].trips);
}

/// Rows of 80 elements bound one parameter, and let the other be thought to be not much larger.
#[test]
fn parameters_are_as_small_as_rows_of_arrays() {
    let text = "
        scop product
        params: p0, p1
        assumed: [p0, p1] -> { : }
        invalid: [p0, p1] -> { : 1 <= p0 <= 2147483647 and 81 <= p1 <= 2147483647 }
        defined: [p0, p1] -> { : }
        array Arr0 memory f64 [*, 80]
        stmt Stmt0
          domain: [p0, p1] -> { Stmt0[i, j] : 0 <= i < p0 and 0 <= j < p1 }
          schedule: [0, i, 0, j, 0]
          must_write: [p0, p1] -> { Stmt0[i, j] -> Arr0[i, j] }";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [160.0, 80.0]);
    assert_eq!(refs::parameters(&scop, 50.0).expect("small"), [50.0, 50.0]);
}

/// Rows of 8 parts of 12 elements bound the number of parts and their lengths together.
#[test]
fn parameters_that_share_a_row_are_small_together() {
    let text = "
        scop parts
        params: p0, p1, p2
        assumed: [p0, p1, p2] -> { : }
        invalid: [p0, p1, p2] -> { : 1 <= p0 <= 2147483647 and 1 <= p1 and 1 <= p2 and p2 >= -12p1 + 109 }
        defined: [p0, p1, p2] -> { : }
        array Arr0 memory f64 [*, 96]
        stmt Stmt0
          domain: [p0, p1, p2] -> { Stmt0[i, j, k] : 0 <= i < p0 and 0 <= j < p1 and 0 <= k < p2 }
          schedule: [0, i, 0, j, 0, k, 0]
          must_write: [p0, p1, p2] -> { Stmt0[i, j, k] -> Arr0[i, 12j + k] }";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [16.0, 8.0, 8.0]);
}

#[test]
fn loops_between_two_parameters_run() {
    let between = |bounds: &str| {
        let text = format!(
            "
            scop between
            params: N, M
            assumed: {{ : 0 <= N <= 1099511627776 and 0 <= M <= 1099511627776 }}
            array Arr0 memory f64 [*]
            stmt Stmt0
              domain: {{ Stmt0[i] : {bounds} }}
              schedule: [0, i, 0]
              must_write: {{ Stmt0[i] -> Arr0[i] }}
            "
        );
        refs::parameters(&Scop::parse(&text).expect("a SCoP"), 1000.0).expect("small")
    };
    // The ends of a range of pointers, and the rest of a triangle.
    assert_eq!(between("i >= 0 and N + 8 * i + 8 <= M"), [16.0, 1000.0]);
    assert_eq!(between("N < i < M"), [16.0, 1000.0]);
    assert_eq!(between("0 <= i <= N - M"), [1000.0, 16.0]);
    assert_eq!(between("0 <= i < N and i < M"), [1000.0, 1000.0]);
}

#[test]
fn first_indices_of_arrays_say_nothing_of_sizes() {
    let text = "
        scop first
        params: N, L
        assumed: { : 1 <= N <= 1099511627776 and -1099511627776 <= L <= 1099511627776 }
        invalid: { : N >= 1 and L >= 2 }
        array Arr0 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[i] : 1 <= i <= N }
          schedule: [0, i, 0]
          must_write: { Stmt0[i] -> Arr0[i - L] }
        ";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [1000.0, 1.0]);
}

/// A condition on the size that asks for as much as the one on the first index: the size stays.
#[test]
fn first_indices_are_lowered_before_sizes() {
    let text = "
        scop first
        params: N, L
        assumed: { : -2147483648 <= N <= 2147483647 and -1099511627776 <= L <= 1099511627776 }
        invalid: { : N >= 3 and L >= 3 }
        array Arr0 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[i] : 2 <= i < N }
          schedule: [0, i, 0]
          must_write: { Stmt0[i] -> Arr0[i - L] }
        ";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [1000.0, 2.0]);
    // Nor does new code ask for a large one.
    let least = sizes::bounds(&scop, (100.0, 16.0), &Budget::steps(100_000)).expect("small");
    assert_eq!(least, [100.0, f64::NEG_INFINITY]);
}

/// Halves of a size, as pooling has them, are taken for half as large, not the size for nothing.
#[test]
fn halves_are_lowered_before_what_is_halved() {
    let text = "
        scop halves
        params: N, H
        defined: { : -2147483648 <= N <= 2147483647 and -2147483648 <= H <= 2147483647 }
        invalid: { : 2 <= N <= 2147483647 and N < 2H and H <= 2147483647 }
        array Arr0 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[i, j] : N >= 2 and 0 <= i < H and 0 <= j <= 1 }
          schedule: [0, i, 0, j, 0]
          must_write: { Stmt0[i, j] -> Arr0[2i + j] }
        ";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [1000.0, 500.0]);
}

/// What is tested in front of loops, as a number of one bit with a sign, holds.
#[test]
fn conditions_in_front_of_loops_hold() {
    let text = "
        scop walk
        params: C, N
        defined: { : -1 <= C <= 0 }
        array Arr0 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[i] : C <= -1 and 0 <= i < N }
          schedule: [0, i, 0]
          must_write: { Stmt0[i] -> Arr0[i] }
        ";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(refs::parameters(&scop, 1000.0).expect("small"), [-1.0, 1000.0]);
}

#[test]
fn rows_of_a_constant_length_are_counted_whole() {
    let text = "
        scop chunks
        params: p0
        assumed: [p0] -> { : }
        invalid: [p0] -> { : false }
        defined: [p0] -> { : p0 >= 0 }
        array Arr0 memory f64 [*, 430]
        stmt Stmt0
          domain: [p0] -> { Stmt0[i, j] : i >= 0 and p0 >= 430i + 430 and 0 <= j <= 429 }
          schedule: [0, i, 0, j, 0]
          must_write: [p0] -> { Stmt0[i, j] -> Arr0[i, j] }";
    let scop = Scop::parse(text).expect("a SCoP");
    let all = of(&scop);
    let rows = all[0].facts[0].trips[0];
    assert!((4500.0..4800.0).contains(&rows), "{rows} rows of 16 MB");
    assert!(all.iter().all(|s| s.facts[0].trips[0] >= 16.0), "no scenario without rows");
    assert!((sizes::row_elems(&scop).expect("small") - 430.0).abs() < 0.5);
    for strips in ["p0 >= 430i + j + 1", "p0 >= 430i + 1"] {
        let scop = Scop::parse(&text.replace("p0 >= 430i + 430", strips)).expect("a SCoP");
        assert!((sizes::row_elems(&scop).expect("small") - 1.0).abs() < 0.5, "{strips}: strips are no rows");
    }
}

/// The gradient of the weights: what a window is shows in what it takes from the image.
#[test]
fn windows_shorten_images() {
    let text = "
        scop gradient
        params: N, H, W, R
        array Arr0 memory f32 [*, H, W]
        array Arr1 memory f32 [*, H - R + 1, W - R + 1]
        array Arr2 memory f32 [*, R]
        stmt Stmt0
          domain: { Stmt0[n, p, q, y, x] : 0 <= n < N and 0 <= p < R and 0 <= q < R and 0 <= y <= H - R and 0 <= x <= W - R }
          schedule: [0, n, 0, p, 0, q, 0, y, 0, x, 0]
          read: { Stmt0[n, p, q, y, x] -> Arr0[n, p + y, q + x] }
          read: { Stmt0[n, p, q, y, x] -> Arr1[n, y, x] }
          read: { Stmt0[n, p, q, y, x] -> Arr2[p, q] }
          must_write: { Stmt0[n, p, q, y, x] -> Arr2[p, q] }
        ";
    let scop = Scop::parse(text).expect("a SCoP");
    assert_eq!(sizes::of_windows(&scop), [false, false, false, true]);
    assert_eq!(refs::parameters(&scop, 1000.0).expect("they fit"), [1000.0, 1000.0, 1000.0, 3.0]);
    // One image is enough; an image has a row at least.
    let budget = Budget::unlimited();
    let growing = sizes::growing(&scop, &budget).expect("they fit");
    let asked = [24, 24, 24, i64::MIN];
    let many = sizes::many(&scop, &asked, (500.0, &growing), &budget).expect("it fits").expect("many");
    assert_eq!(many.lowest, [1.0, 3.0, 3.0, 3.0]);
    assert_eq!(many.beside[0], [24.0, 24.0, 24.0, 3.0]);
    assert_eq!(many.outermost, [0, 3, 4, 1]);
}

/// Sums along diagonals go through no window, which has two dims.
#[test]
fn one_counter_is_no_window() {
    let text = "
        scop rows
        params: N, P
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*, 2000]
        stmt Stmt0
          domain: { Stmt0[i, k] : 0 <= i < N and 0 <= k < P }
          schedule: [0, i, 0, k, 0]
          read: { Stmt0[i, k] -> Arr1[i, k + i] }
          read: { Stmt0[i, k] -> Arr0[i] }
          must_write: { Stmt0[i, k] -> Arr0[i] }
        ";
    assert_eq!(sizes::of_windows(&Scop::parse(text).expect("a SCoP")), [false; 2]);
}

/// With channels last, a window's rows and the channels are one loop, whose length is a parameter of its own.
#[test]
fn rows_of_windows_are_joined_with_channels() {
    let text = "
        scop channels_last
        params: H, W, R, C, L
        array Arr0 memory f32 [*, W, C]
        array Arr1 memory f32 [*, H - R + 1, W - R + 1]
        array Arr2 memory f32 [*, L]
        stmt Stmt0
          domain: { Stmt0[y, x, p, j] : 0 <= y <= H - R and 0 <= x <= W - R and 0 <= p < R and 0 <= j < L }
          schedule: [0, y, 0, x, 0, p, 0, j, 0]
          read: { Stmt0[y, x, p, j] -> Arr0[y + p, x, j] }
          read: { Stmt0[y, x, p, j] -> Arr2[p, j] }
          must_write: { Stmt0[y, x, p, j] -> Arr1[0, y, x] }
        ";
    let mut scop = Scop::parse(text).expect("a SCoP");
    assert!(sizes::products_of_windows(&scop).is_empty(), "one dim is no window");
    // L is C times R.
    (scop.params[4].value, scop.params[4].by) = (scop.params[3].value, vec![0, 0, 1, 0, 0]);
    assert_eq!(sizes::of_windows(&scop), [false, false, true, false, false]);
    assert_eq!(sizes::products_of_windows(&scop), [(4, 3)]);
    assert_eq!(sizes::with_products(&scop, &[100.0, 100.0, 5.0, 64.0, 9.0]), [100.0, 100.0, 5.0, 64.0, 320.0]);
    // Of the rows of an image it is a size like others, also without those that a window takes.
    for by in [vec![0, 1, 0, 0, 0], vec![0, 1, -1, 0, 1]] {
        scop.params[4].by = by;
        assert!(sizes::products_of_windows(&scop).is_empty());
    }
}
