//! Transitive closure and power: exact ones by their pairs, others by what they hold.

use presburger::{Budget, Map, UnionMap};
use std::collections::BTreeSet;

fn closed(text: &str) -> (Map, bool) {
    Map::parse(text).unwrap().transitive_closure(&Budget::unlimited()).unwrap()
}

fn is(text: &str, right: &str) {
    let (m, exact) = closed(text);
    assert!(exact, "{text}: {m}");
    assert!(m.is_equal(&Map::parse(right).unwrap(), &Budget::unlimited()).unwrap(), "{text}: {m}");
}

#[test]
fn translations() {
    is("{ [i] -> [i + 1] }", "{ [i] -> [j] : j > i }");
    is("{ [i] -> [i + 3] : 0 <= i <= 20 }", "{ [i] -> [j] : 0 <= i <= 20 and i < j <= 23 and (j - i) mod 3 = 0 }");
    is(
        "[N] -> { [i, j] -> [i + 1, j - 2] : 0 <= i < N }",
        "[N] -> { [i, j] -> [k, l] : 0 <= i < N and i < k <= N and l = j - 2(k - i) }",
    );
    is("{ [i] -> [i + 1] : i >= 0; [i] -> [i + 2] : i >= 0 }", "{ [i] -> [j] : 0 <= i < j }");
    is("{ [i, j] -> [i + 1, j]; [i, j] -> [i, j + 1] }", "{ [i, j] -> [k, l] : k >= i and l >= j and k + l > i + j }");
    is("{ [i] -> [j] : i < j }", "{ [i] -> [j] : i < j }");
    is("{ [i] -> [j] : i + 2 <= j <= i + 5 and i >= 0 }", "{ [i] -> [j] : i + 2 <= j and i >= 0 }");
}

#[test]
fn finitely_many_steps() {
    is(
        "{ [0] -> [5]; [5] -> [7]; [7] -> [1] }",
        "{ [0] -> [5]; [0] -> [7]; [0] -> [1]; [5] -> [7]; [5] -> [1]; [7] -> [1] }",
    );
    is("{ [i] -> [-i] : i > 0 }", "{ [i] -> [-i] : i > 0 }");
    is("{ [0] -> [1]; [1] -> [0] }", "{ [i] -> [j] : 0 <= i, j <= 1 }");
}

#[test]
fn pieces_taken_one_after_the_other() {
    is("{ [i] -> [i] : i >= 0; [i] -> [i + 1] : i <= 7 }", "{ [i] -> [i] : i >= 0; [i] -> [j] : i < j <= 8 }");
    is(
        "{ [i] -> [i + 2] : i >= 0; [i] -> [i + 1] : i mod 2 = 0 }",
        "{ [i] -> [j] : 0 <= i < j and ((j - i) mod 2 = 0 or i mod 2 = 0); [i] -> [j] : i mod 2 = 0 and j = i + 1;
           [i] -> [j] : i mod 2 = 0 and i + 1 >= 0 and j > i and (j - i) mod 2 = 1 }",
    );
    // Kelly, Pugh, Rosser, Shpeisman, figure 12.
    is(
        "[n] -> { [i, j] -> [i, j + 1] : 1 <= i <= n and 1 <= j < n; [i, j] -> [i + 1, 1] : 1 <= i < n and j = n }",
        "[n] -> { [i, j] -> [i, l] : 1 <= i <= n and 1 <= j < l <= n;
                  [i, j] -> [k, l] : 1 <= i < k <= n and 1 <= j, l <= n }",
    );
}

#[test]
fn rows_of_parameters_and_differences_bound_longer_paths() {
    let (m, _) = closed("[n] -> { [x] -> [y] : 1 <= n <= y - x <= 10 }");
    let right = Map::parse("[n] -> { [x] -> [y] : 1 <= n <= 10 and y >= n + x }").unwrap();
    assert!(m.is_equal(&right, &Budget::unlimited()).unwrap(), "{m}");
}

/// The pairs reached on `0..size` of a map that stays there.
fn reached(m: &Map, size: i64) -> BTreeSet<(i64, i64)> {
    let mut all: BTreeSet<(i64, i64)> = m.wrap().points(10_000).unwrap().into_iter().map(|p| (p[0], p[1])).collect();
    for mid in 0..size {
        let (from, to): (Vec<i64>, Vec<i64>) = (
            all.iter().filter(|p| p.1 == mid).map(|p| p.0).collect(),
            all.iter().filter(|p| p.0 == mid).map(|p| p.1).collect(),
        );
        all.extend(from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b))));
    }
    all
}

#[test]
fn closures_hold_all_paths_and_exact_ones_nothing_else() {
    let maps = [
        "{ [i] -> [2i] : 0 < i <= 9 }",
        "{ [i] -> [i + 4] : 0 <= i <= 14; [i] -> [i - 3] : 5 <= i <= 19 }",
        "{ [i] -> [j] : 0 <= i <= 9 and j = 19 - i or 12 <= i <= 15 and j = i - 9 }",
        "{ [i] -> [j] : 0 <= i, j < 20 and 2i + 1 <= j <= 2i + 3 }",
        "{ [i] -> [i + 1] : 0 <= i <= 8 and i mod 2 = 0; [i] -> [i + 5] : 0 <= i <= 13 and i mod 3 = 1 }",
        "{ [i] -> [i + 2] : 0 <= i < 5; [i] -> [i + 3] : 9 <= i < 12; [i] -> [i - 1] : 3 <= i < 9 }",
    ];
    for text in maps {
        let m = Map::parse(text).unwrap();
        let right = reached(&m, 20);
        let (c, exact) = closed(text);
        let got: BTreeSet<(i64, i64)> = c.wrap().points(10_000).unwrap().into_iter().map(|p| (p[0], p[1])).collect();
        assert!(got.is_superset(&right), "{text}: {c}");
        assert!(!exact || got == right, "{text}: {c}");
    }
}

#[test]
fn powers_have_their_exponent_in_front() {
    let b = Budget::unlimited();
    let m = Map::parse("[N] -> { S[i] -> S[i + 2] : 0 <= i < N }").unwrap();
    let (p, exact) = m.power(&b).unwrap();
    let right =
        Map::parse("[N] -> { [k] -> [S[i] -> S[j]] : k >= 1 and j = i + 2k and 0 <= i and j <= N + 1 }").unwrap();
    assert!(exact && p.is_equal(&right, &b).unwrap(), "{p}");
}

#[test]
fn paths_through_several_tuples() {
    let b = Budget::unlimited();
    let m = UnionMap::parse("{ A[i] -> B[i]; B[i] -> A[i + 1]; B[i] -> C[] : i >= 10 }").unwrap();
    let (c, exact) = m.transitive_closure(&b).unwrap();
    let right = UnionMap::parse(
        "{ A[i] -> A[j] : j > i; A[i] -> B[j] : j >= i; B[i] -> A[j] : j > i; B[i] -> B[j] : j > i;
           A[i] -> C[]; B[i] -> C[] }",
    );
    assert!(exact && c.is_equal(&right.unwrap(), &b).unwrap(), "{c}");
}

/// What is too much work to be exact, or to be proved so, is an answer that holds more.
#[test]
fn closures_beyond_their_steps_hold_more() {
    let text = "{ S[a, b] -> S[x, y] : 0 <= a, b, x, y <= 5 and -4b - 3x >= -100 and -4b - 3x <= 9 and \
                5a - b - 4x + 3y > 1 and ((-3x + 3y + 2) mod 3 = 1 or (-3a - b + 5x + 9) mod 4 <= 2) }";
    let step = Map::parse(text).unwrap();
    let b = Budget::steps(4_000_000);
    let (paths, _) = step.transitive_closure(&b).unwrap();
    assert!(step.is_subset(&paths, &b).unwrap());
    assert!(step.apply_range(&step, &b).unwrap().is_subset(&paths, &b).unwrap());
}
