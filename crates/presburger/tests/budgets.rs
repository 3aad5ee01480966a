//! Every operation that takes a budget stops soon when it is spent, whatever is left of it, and is never wrong or
//! panics for it.

#[allow(dead_code)]
#[path = "../examples/lines/main.rs"]
mod lines;

use std::collections::BTreeMap;

/// One hard case of each kind, as crates/presburger/examples/lines reads it.
const CASES: [&str; 4] = [
    "set\t[N, M] -> { S[i, j, k] : 3i + 5j <= 7k + N and 2i - 7j >= 3k - M and 4 <= i, j, k <= N + M and (i + j) mod 3 = 1; \
     S[i, j, k] : exists e: 5e <= i + 2j <= 7e + 3 and 3k - 2N <= 4e and -9 <= i, j, k <= M }\t\
     [N, M] -> { S[i, j, k] : exists e: 5e <= i + 2j <= 7e + 3 and 3k - 2N <= 4e and 2e <= 3j }\t\
     [N, M] -> { S[i, j, k] -> [floor((3i - 2j + N)/4)] }\t1\t5 7",
    "map\t[N] -> { S[i, j] -> S[k, l] : 2i + 3k <= 5j + N and exists e: 3e <= k + 2l <= 5e + 1 and 0 <= i, j, k, l <= N }\t\
     [N] -> { S[i, j] -> S[k, l] : exists e: 4e <= i + 3l <= 7e + 2 and k >= j }\t[N] -> { S[i, j] -> U[x] : 3x <= i + 2j <= 5x }\t\
     [N] -> { S[i, j] : 3i >= 2j }\t[N] -> { S[i, j] : (i + j) mod 3 = 1 }\t6\t2 3",
    "function\t[N] -> { S[i, j] -> [floor((i + 2j)/3) - N] : exists e: 3e <= i + j <= 4e }\t[N] -> { S[i, j] -> [min(i, j mod 5)] }\t\
     [N] -> { S[i, j] -> S[max(i, N), floor(j/2)] : 2i >= 3j }\t[N] -> { S[i, j] -> S[j, i + N] : exists e: 5e <= i + 3j <= 6e }\t\
     [N] -> { S[i, j] : 0 <= i <= 2j <= N and (i + j) mod 4 = 1 }\t3\t4",
    "union\t[N] -> { S[i] : 0 <= 3i <= N; T[i, j] : exists e: 4e <= i + 3j <= 5e + N }\t[N] -> { T[i, j] : exists e: 3e <= i - j <= 4e }\t\
     [N] -> { S[i] -> T[j, k] : exists e: 3e <= i + j <= 5e + k; T[i, j] -> S[k] : 2k <= i + N }\t\
     [N] -> { T[i, j] -> T[k, l] : exists e: 3e <= i + k <= 4e + l; S[i] -> T[j, k] : 2j >= i }\t\
     [N] -> { S[i] -> [floor((2i + N)/3)] : exists e: 3e <= i <= 4e; T[i, j] -> [i mod 5] }\t\
     [N] -> { S[i] -> [i - N]; T[i, j] -> [max(i, 2j)] : 3i >= 2j }\t\
     [N] -> { S[i] -> T[i, floor((i + N)/3)] : 2i <= N; T[i, j] -> S[i mod 4] }\t\
     [N] -> { S[i] -> T[N, i] : i >= 3; T[i, j] -> T[j, i + N] : exists e: 5e <= i + 3j <= 6e }\t3\t4",
];

/// Answers by operation. One that goes on without paying does not come back.
fn answers(case: &str, steps: u64) -> BTreeMap<String, String> {
    let text = lines::answer(&format!("*\t{case}"), steps);
    let list = text.split('\t').map(|part| part.split_once('=').expect("operation=result"));
    list.map(|(op, a)| (op.to_string(), a.to_string())).collect()
}

#[test]
fn operations_stop_at_any_budget() {
    for case in CASES {
        for steps in [0, 1, 10, 100, 1000, 10_000] {
            let list = answers(case, steps);
            assert!(list.values().all(|a| a != "panic"), "{steps} steps: {list:?}");
        }
    }
}

#[test]
fn a_spent_budget_is_a_limit() {
    let must = [
        "coalesce complement lexmin lexmax project params compute_divs make_disjoint empty bounded sample min max card affine_hull \
         simple_hull convex_hull lattice_hull stride subtract gist subset disjoint apply",
        "domain range lexmin lexmax compute_divs empty single_valued card deltas square subtract gist subset \
         disjoint apply_range apply_domain apply",
        "add sub smaller larger or_else union_add pullback dim_min least_point multi_pullback multi_preimage multi_add",
        "set_subtract set_subset set_empty set_lexmin set_coalesce set_gist set_apply map_domain map_range map_apply_range map_lexmin \
         map_coalesce",
    ];
    let mut went_on = Vec::new();
    for (case, ops) in CASES.iter().zip(must) {
        let list = answers(case, 0);
        went_on.extend(ops.split_whitespace().filter(|op| list.get(*op).is_none_or(|a| a != "limit")));
    }
    assert!(went_on.is_empty(), "{went_on:?}");
}

/// A small set with every dim moved by `shift`: what is found must move with it, although sums of two coordinates leave
/// 64 bits.
#[test]
fn results_move_with_the_set_to_the_ends_of_the_range() {
    use presburger::{Aff, Bound, Budget, Set};
    let b = Budget::steps(3_000_000);
    for shift in [i64::MAX - 12, i64::MIN + 13, 1 << 62, -(1 << 62)] {
        let at = |t: &str| Set::parse(&t.replace("@", &format!("({shift})"))).unwrap_or_else(|e| panic!("{t}: {e}"));
        let s = at("{ [i, j] : 0 <= i - @ <= 9 and i <= 2j - @ and j - @ <= 7 and (i + j) mod 3 = 1 }");
        let points = s.points(200).unwrap();
        assert!(points.len() > 5, "{} points at {shift}", points.len());
        assert_eq!(s.card(&b).unwrap().unwrap().eval(&[], &[]), points.len().into());
        let first = Set::parse(&format!("{{ [{}, {}] }}", points[0][0], points[0][1])).unwrap();
        assert!(s.lexmin(&b).unwrap().is_equal(&first, &b).unwrap());
        let most = points.iter().map(|p| p[1]).max().unwrap();
        assert_eq!(s.max_of(&Aff::dim(s.space(), 1), &b).unwrap(), Bound::Value(most));
        let half = at("{ [i, j] : 3i >= 2j + @ }");
        let (x, y) = (s.intersect(&half), s.subtract(&half, &b).unwrap());
        assert_eq!(x.points(200).unwrap().len() + y.points(200).unwrap().len(), points.len());
        assert!(x.is_disjoint(&y, &b).unwrap() && x.union(&y).is_equal(&s, &b).unwrap());
        assert!(s.is_subset(&s.convex_hull_rational(&b).unwrap().to_set(), &b).unwrap());
        assert_eq!(s.project_out(0, 1, &b).unwrap().points(200).unwrap().last().map(|p| p[0]), Some(most));
    }
}
