//! Equalities, strides and loop bounds against enumeration.

mod common;
use common::*;
use presburger::{BasicSet, Budget, Kind, Map, Set, Space};

#[test]
fn equalities_and_strides_of_examples() {
    let hull = |t: &str| set(t).lattice_hull(&b()).unwrap().to_set();
    let same = |t: &str, want: &str| {
        let h = hull(t);
        assert!(h.is_equal(&set(want), &b()).unwrap(), "{t}: {h} is not {want}");
    };
    same("{ [i] : i = 2 or i = 8 or i = 14 }", "{ [i] : i mod 6 = 2 }");
    same("{ [i] : 0 <= i < 10 and i mod 3 = 1; [i] : i = 100 }", "{ [i] : i mod 3 = 1 }");
    same("{ [i, j] : i = 2j and 0 <= j < 9 }", "{ [i, j] : i = 2j }");
    same("{ [i, j] : (i + j) mod 4 = 1 }", "{ [i, j] : (i + j) mod 4 = 1 }");
    same("[N] -> { [i] : i = N or i = N + 6 }", "[N] -> { [i] : (i - N) mod 6 = 0 }");
    same("{ [i, j] : 4 <= 3i <= 7 and j >= 0 }", "{ [i, j] : i = 2 }");
    same("{ [i] : 1 = 0 }", "{ [i] : false }");
    let wide = set("{ [i] : i = 1 or i = 9223372036854775807 }").lattice_hull(&b()).unwrap().to_set();
    assert!(wide.is_equal(&set("{ [i] : i mod 9223372036854775806 = 1 }"), &b()).unwrap(), "{wide}");
    let m = Map::parse("{ S[i] -> A[j] : j = 2i + 4 and 0 <= i < 3 }").unwrap();
    let line = Map::parse("{ S[i] -> A[2i + 4] }").unwrap();
    assert!(m.lattice_hull(&b()).unwrap().to_map().is_equal(&line, &b()).unwrap());
    assert!(m.affine_hull(&b()).unwrap().to_map().is_equal(&line, &b()).unwrap());
}

#[test]
fn strides_of_examples() {
    let stride = |t: &str, pos| set(t).stride(pos, &b()).unwrap().map(|s| (s.step, s.offset.to_string()));
    assert_eq!(stride("{ [i] : i mod 4 = 3 }", 0), Some((4, "{ [i] -> [(3)] }".to_string())));
    assert_eq!(stride("{ [i, j] : j = 2i + 1 }", 1), Some((0, "{ [i, j] -> [(2i + 1)] }".to_string())));
    assert_eq!(stride("{ [i, j] : j = 2i + 1 }", 0), Some((1, "{ [i, j] -> [(0)] }".to_string())));
    assert_eq!(stride("{ [i] : 1 = 0 }", 0), None);
    let s = set("[N] -> { [t, i] : (i - N) mod 32 = 0 and N <= i < N + 100 }").stride(1, &b()).unwrap().unwrap();
    assert_eq!(s.step, 32);
    assert_eq!(s.offset.eval(&[37], &[9, 0]), Some(5));
}

/// The points of the lattice around `points` in a box, by steps of the differences to the first one.
fn closed(points: &[Vec<i64>], reach: i64) -> Vec<Vec<i64>> {
    let mut all = std::collections::BTreeSet::from([points[0].clone()]);
    let mut todo = vec![points[0].clone()];
    while let Some(p) = todo.pop() {
        for q in points {
            for sign in [1, -1] {
                let x: Vec<i64> = (0..p.len()).map(|c| p[c] + sign * (q[c] - points[0][c])).collect();
                if x.iter().all(|v| v.abs() <= reach) && all.insert(x.clone()) {
                    todo.push(x);
                }
            }
        }
    }
    all.into_iter().collect()
}

#[test]
fn lattices_by_enumeration() {
    for_seeds(|seed, rng| {
        // A few points, so that the lattice is rarely everything.
        let pick: Vec<Vec<i64>> = (0..rng.range(1, 4)).map(|_| (0..2).map(|_| rng.range(-4, 4)).collect()).collect();
        let sp = Space::set(&[], "S", 2);
        let s = pick.iter().fold(Set::empty(sp.clone()), |s, p| {
            let point = Set::universe(sp.clone()).fix(presburger::Dim::Out, 0, p[0]).fix(presburger::Dim::Out, 1, p[1]);
            s.union(&point)
        });
        let hull = s.lattice_hull(&b()).unwrap().to_set();
        let want = closed(&pick, 40);
        for x in grid(2, -4, 4) {
            assert_eq!(hull.contains(&[], &x), want.contains(&x), "seed {seed}: {x:?} and {hull} around {pick:?}");
        }
        for pos in 0..2 {
            let stride = s.stride(pos, &b()).unwrap().expect("there are points");
            for x in &want {
                let off = stride.offset.eval(&[], x).unwrap();
                let fits = if stride.step == 0 { x[pos] == off } else { (x[pos] - off) % stride.step == 0 };
                assert!(fits, "seed {seed}: {x:?} off {stride:?} around {pick:?}");
            }
        }
        // The largest step: two points that agree before the dim differ by the step somewhere.
        let first = s.stride(0, &b()).unwrap().unwrap().step;
        let gcd = pick.iter().fold(0_i64, |g, p| {
            let (mut a, mut c) = (g, (p[0] - pick[0][0]).abs());
            while c != 0 {
                (a, c) = (c, a % c);
            }
            a
        });
        assert_eq!(first, gcd, "seed {seed}: step of the first dim of {pick:?}");
    });
}

#[test]
fn loop_bounds_from_the_outside_in() {
    let s = set("[N] -> { S[i, j] : 3 <= i < 10 and i <= j < N }");
    let nest = s.basics()[0].loop_nest(&b()).unwrap();
    assert_eq!(nest.guard, vec![(Kind::Ge, vec![1, -4])]);
    let sorted = |rows: &[(Kind, Vec<i64>)]| {
        let mut list: Vec<Vec<i64>> = rows.iter().map(|r| r.1.clone()).collect();
        list.sort();
        list
    };
    // 3 <= i <= min(9, N - 1), then i <= j <= N - 1.
    assert_eq!(sorted(&nest.levels[0]), vec![vec![0, -1, 9], vec![0, 1, -3], vec![1, -1, -1]]);
    assert_eq!(sorted(&nest.levels[1]), vec![vec![0, -1, 1, 0], vec![1, 0, -1, -1]]);
    let none = set("{ S[i, j] : i >= j and i < j }");
    let empty = BasicSet::universe(Space::set(&["N"], "", 0));
    assert!(none.basics().is_empty() && empty.loop_nest(&b()).unwrap().levels.is_empty());
}

#[test]
fn loop_nests_visit_every_point() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(500_000);
        let p = random_piece(rng, 3, 1);
        let s = to_basic_set(&p, &Space::set(&["N"], "S", 2));
        let Ok(nest) = s.loop_nest(&b) else { return };
        let holds = |rows: &[(Kind, Vec<i64>)], x: &[i64]| {
            rows.iter().all(|(k, r)| {
                let v = r[..x.len()].iter().zip(x).map(|(a, b)| a * b).sum::<i64>() + r[x.len()];
                assert_eq!(r.len(), x.len() + 1);
                if *k == Kind::Eq { v == 0 } else { v >= 0 }
            })
        };
        for x in grid(3, -BOX, BOX) {
            let visited = holds(&nest.guard, &x[..1])
                && (0..2)
                    .all(|d| holds(&nest.levels[d], &x[..d + 2]) && nest.levels[d].iter().all(|r| r.1[d + 1] != 0));
            let inside = p.contains(&x);
            assert!(visited || !inside, "seed {seed}: {x:?} of {s} is not visited by {nest:?}");
            assert!(inside || !visited || p.e > 0, "seed {seed}: {x:?} is visited but not in {s}: {nest:?}");
        }
    });
}
