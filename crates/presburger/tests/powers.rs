//! Fixed powers of unions, within few steps.

use presburger::{Budget, UnionMap, UnionSet};
use std::collections::BTreeSet;

/// The outputs for one number.
fn images(map: &UnionMap, i: i64) -> BTreeSet<i64> {
    let one = UnionSet::parse(&format!("{{ [{i}] }}")).unwrap();
    let all = one.apply(map, &Budget::unlimited()).unwrap();
    let points = all.sets().flat_map(|s| s.points(1000).unwrap());
    points.map(|p| p[0]).collect()
}

#[test]
fn powers_of_unions_stay_small() {
    for (text, powers, steps) in [
        ("{ [i] -> [i+1] : i mod 4 = 0; [i] -> [i-1]; [i] -> [i+5] : i > 10 }", [2, 3, 8, 16], 100_000),
        ("{ [i] -> [2i] : i mod 3 = 1; [i] -> [floor(i/2)] : i >= 0 }", [2, 3, 5, 8], 4_000_000),
        ("{ [i] -> [2i]; [i] -> [floor(i/2)] }", [2, 3, 8, 16], 4_000_000),
    ] {
        let map = UnionMap::parse(text).unwrap();
        for k in powers {
            let power = map.fixed_power(k, &Budget::steps(steps)).unwrap_or_else(|e| panic!("({text})^{k}: {e}"));
            for i in -9..25 {
                let right =
                    (0..k).fold(BTreeSet::from([i]), |at, _| at.iter().flat_map(|i| images(&map, *i)).collect());
                assert_eq!(images(&power, i), right, "({text})^{k} of {i}");
            }
        }
    }
}

/// Whether one piece holds another may be a hard question; a power is not worth the answer.
#[test]
fn powers_do_not_wait_for_pieces_to_merge() {
    for (text, k, steps) in [
        (
            "{ S[i, j] -> S[9, 7 - j] : -5 <= j <= 9 and -2i - 7 <= 2*floor((-2i + j - 8)/12); \
             S[i, j] -> S[x, y] : 0 <= i <= 11 and 1 <= j <= 6 and -7 <= x <= 9 and 3i >= 6 and \
             (-2i - 3x + 9) mod 16 <= 2 }",
            4,
            2_000_000,
        ),
        (
            "[N, M] -> { S[i] -> S[x] : -10 <= i <= 8 and -8 <= x <= N and -4N + 3M + 14 = 0 and x <= 4 and \
             x - 4 <= -3*floor((3x - 2i - 3M + 9)/7); \
             S[i] -> S[x] : -10 <= i <= 4 and 0 <= x <= 2 and (i + 3x + M - 12) mod 5 <= 3 and N >= 4 }",
            3,
            4_000_000,
        ),
    ] {
        let map = UnionMap::parse(text).unwrap();
        let power = map.fixed_power(k, &Budget::steps(steps)).unwrap_or_else(|e| panic!("({text})^{k}: {e}"));
        let b = Budget::unlimited();
        let pair = power.sample(&b).unwrap().expect("the power has pairs");
        let start = UnionSet::from(pair.domain(&b).unwrap());
        let all = (0..k).fold(start.clone(), |at, _| at.apply(&map, &b).unwrap());
        assert!(UnionSet::from(pair.range(&b).unwrap()).is_subset(&all, &b).unwrap(), "({text})^{k}");
    }
}
