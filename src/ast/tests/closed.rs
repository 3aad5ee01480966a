//! Closed forms of single elements, compared with the sets they come from.

use super::grid;
use super::interp::{holds, value};
use crate::ast::closed::elements;
use presburger::{Budget, Set};

#[test]
fn first_and_last_elements_have_closed_forms() {
    let budget = Budget::unlimited();
    for text in [
        "[N, M] -> { [i] : 0 <= i < N }",
        "[N, M] -> { [i, j] : 0 <= i < N and i <= j < M }",
        "[N, M] -> { [i] : exists e : M <= e < N and 3i <= e < 3i + 3 }",
        "[N, M] -> { [i] : exists e : i = 2e and 0 <= i < N }",
        "[N, M] -> { [i] : exists e : i = 2e + 1 and M <= i < N }",
        "[N, M] -> { [i] : exists e : i = N - 1 - 3e and i >= 0 and e >= 0 }",
        "[N, M] -> { [i, j] : exists e : 0 <= i < N and j = 4e + M and 0 <= j <= 2N }",
    ] {
        let set = Set::parse(text).expect(text);
        for one in [set.lexmin(&budget).expect(text), set.lexmax(&budget).expect(text)] {
            let forms = elements(&one, &budget).expect(text).unwrap_or_else(|| panic!("{text}: {one}"));
            for params in grid(2, -7, 9) {
                let points: Vec<_> =
                    grid(set.space().n_out(), -12, 20).into_iter().filter(|p| one.contains(&params, p)).collect();
                let found: Vec<Vec<i64>> = forms
                    .iter()
                    .filter(|(cond, _)| holds(cond, &params))
                    .map(|(_, of)| of.iter().map(|e| value(e, &params)).collect())
                    .collect();
                assert_eq!(found, points, "{text} at {params:?}");
            }
        }
    }
}

#[test]
fn several_elements_have_no_closed_form() {
    let budget = Budget::unlimited();
    for text in ["[N] -> { [i] : 0 <= i <= 1 }", "[N] -> { [i] : exists e : i = 2e and N <= i <= N + 2 }"] {
        assert!(elements(&Set::parse(text).expect(text), &budget).expect(text).is_none(), "{text}");
    }
}

/// FIXME: the last element is `floor(2 floor((N - 1) / 2) / 3)`.
#[test]
fn quotients_of_steps_have_no_closed_form() {
    let budget = Budget::unlimited();
    let text = "[N] -> { [i] : exists e, f : e = 2f and 0 <= e < N and 3i <= e < 3i + 3 }";
    let last = Set::parse(text).expect(text).lexmax(&budget).expect(text);
    assert!(elements(&last, &budget).expect(text).is_none());
}
