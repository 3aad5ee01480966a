//! Run-time conditions and ranges, compared with the sets they come from.

use super::grid;
use super::interp::{holds, value};
use crate::ast::{Cond, bounds_of, cond_of_set};
use presburger::{Aff, Budget, Set};

#[test]
fn conditions_hold_exactly_inside_the_set() {
    for text in [
        "[N, M] -> { : }",
        "[N, M] -> { : N >= 1 and M >= N + 2 }",
        "[N, M] -> { : N = 3 or M = 2N }",
        "[N, M] -> { : exists e : N = 2e }",
        "[N, M] -> { : exists e : N = 3e + 1 and M >= 0 }",
        "[N, M] -> { : N mod 4 <= 1 }",
        "[N, M] -> { : M <= floor(N / 3) }",
        "[N, M] -> { : exists e : 2N <= 3e <= M }",
        "[N, M] -> { : exists (a, b : N <= 4a - 3b <= N + 1 and M <= 3a + 5b <= M + 1 and 0 <= 7a - 2b <= 9) }",
        "[N, M] -> { : 1 = 0 }",
        "[N, M] -> { : 5N + 3M >= 7 or N < 0 }",
    ] {
        let set = Set::parse(text).expect(text);
        let cond = cond_of_set(&set, &Budget::unlimited());
        for params in grid(2, -7, 7) {
            assert_eq!(holds(&cond, &params), set.contains(&params, &[]), "{text} at {params:?}: {cond:?}");
        }
    }
}

#[test]
fn constant_sets_have_constant_conditions() {
    assert_eq!(cond_of_set(&Set::parse("[N] -> { : }").unwrap(), &Budget::unlimited()), Cond::True);
    assert_eq!(cond_of_set(&Set::parse("[N] -> { : 1 = 0 }").unwrap(), &Budget::unlimited()), Cond::False);
}

#[test]
fn bounds_enclose_every_value() {
    let budget = Budget::unlimited();
    for (text, exact) in [
        ("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < M }", true),
        ("[N, M] -> { S[i, j] : 0 <= i < N and i <= j < M }", true),
        ("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j <= i and M >= 2 }", true),
        ("[N, M] -> { S[i, j] : 0 <= i < N and 2j = i }", false),
        ("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < 3; S[i, j] : 2 <= i < M and j = 5 }", false),
    ] {
        let set = Set::parse(text).expect(text);
        let space = set.space();
        for row in [[0, 0, 1, 0, 0], [0, 0, 0, 1, 2], [0, 0, 2, -1, 0], [1, 0, -1, 3, -4]] {
            let form = Aff::from_row(space, &row);
            let (low, high) = bounds_of(&set, &form, &budget).expect(text).expect(text);
            for params in grid(2, 0, 6) {
                let points = grid(2, -1, 7);
                let inside = points.iter().filter(|p| set.contains(&params, p));
                let values: Vec<i64> = inside.filter_map(|p| form.eval(&params, p)).collect();
                let (Some(first), Some(last)) = (values.iter().min(), values.iter().max()) else { continue };
                let (l, h) = (value(&low, &params), value(&high, &params));
                assert!(l <= *first && *last <= h, "{text} {row:?} {params:?}: {l}..={h} misses {first}..={last}");
                assert!(
                    !exact || (l, h) == (*first, *last),
                    "{text} {row:?} {params:?}: {l}..={h} for {first}..={last}"
                );
            }
        }
    }
}

#[test]
fn unbounded_and_empty_sets_have_no_bounds() {
    let budget = Budget::unlimited();
    for text in ["[N] -> { S[i] : i >= 0 }", "[N] -> { S[i] : 0 <= i < N and 1 = 0 }"] {
        let set = Set::parse(text).expect(text);
        let form = Aff::dim(set.space(), 0);
        assert_eq!(bounds_of(&set, &form, &budget).expect(text), None, "{text}");
    }
}
