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
