//! Piecewise functions, properties of maps, dual rows and hulls.

mod common;
use common::*;
use presburger::{Aff, BasicSet, Budget, Kind, PwAff, PwMultiAff, Space};

#[test]
fn one_to_one_functions() {
    let f = map("[N] -> { S[i, j] -> A[i + j, i - j] : 0 <= i, j < N }");
    assert!(f.is_single_valued(&b()).unwrap() && f.is_injective(&b()).unwrap() && f.is_bijective(&b()).unwrap());
    let g = map("[N] -> { S[i, j] -> A[i + j] : 0 <= i, j < N }");
    assert!(g.is_single_valued(&b()).unwrap() && !g.is_injective(&b()).unwrap());
    let h = map("{ S[i] -> A[j] : 0 <= j <= i }");
    assert!(!h.is_single_valued(&b()).unwrap());
    let tile = map("{ S[i] -> [floor(i/32)] }");
    assert!(tile.is_single_valued(&b()).unwrap() && !tile.is_bijective(&b()).unwrap());
}

#[test]
fn powers_of_a_map() {
    let f = map("[N] -> { S[i] -> S[i + 2] : 0 <= i < N }");
    let cube = map("[N] -> { S[i] -> S[i + 6] : 0 <= i < N - 4 }");
    assert!(f.fixed_power(3, &b()).unwrap().is_equal(&cube, &b()).unwrap());
    assert!(f.fixed_power(-3, &b()).unwrap().is_equal(&cube.reverse(), &b()).unwrap());
    assert!(f.fixed_power(0, &b()).unwrap().is_equal(&map("[N] -> { S[i] -> S[i] : 0 <= i < N }"), &b()).unwrap());
}

#[test]
fn boundedness() {
    assert!(set("[N] -> { [i, j] : 0 <= i <= j < N }").is_bounded(&b()).unwrap());
    assert!(!set("[N] -> { [i, j] : 0 <= i <= j and i < N }").is_bounded(&b()).unwrap());
    assert!(set("{ [i] : exists e: i = 4e and 0 <= e < 9 }").is_bounded(&b()).unwrap());
    assert!(set("{ [i, j] : 2i = 2j + 1 }").is_bounded(&b()).unwrap());
}

#[test]
fn piecewise_minimum_and_maximum() {
    let sp = Space::set(&["N"], "S", 1);
    let (i, n) = (PwAff::from(Aff::dim(&sp, 0)), PwAff::from(Aff::param(&sp, 0)));
    let low = i.min(&n, &b()).unwrap();
    let high = i.floor_div(2).max(&n.sub(&i, &b()).unwrap(), &b()).unwrap();
    let inside = low.intersect_domain(&set("[N] -> { S[i] : 0 <= i < 3 }"));
    let patched = inside.or_else(&i.scale(-1), &b()).unwrap();
    for p in -4..5_i64 {
        for x in -6..7_i64 {
            assert_eq!(low.eval(&[p], &[x]), Some(x.min(p)));
            assert_eq!(high.eval(&[p], &[x]), Some(x.div_euclid(2).max(p - x)));
            assert_eq!(patched.eval(&[p], &[x]), Some(if (0..3).contains(&x) { x.min(p) } else { -x }));
            assert_eq!(low.lt_set(&high).contains(&[p], &[x]), x.min(p) < x.div_euclid(2).max(p - x));
            assert_eq!(low.eq_set(&i).contains(&[p], &[x]), x <= p);
            assert_eq!(
                inside.add(&i.modulo(3), &b()).unwrap().eval(&[p], &[x]),
                (0..3).contains(&x).then(|| x.min(p) + x)
            );
        }
    }
}

#[test]
fn lexicographic_minimum_as_a_function() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(100_000);
        let u = random_union(rng, 3, 1);
        let m = to_map(&u, &Space::map(&["N"], "S", 1, "T", 1));
        let Ok(least) = m.lexmin(&b) else { return };
        let Ok(f) = PwMultiAff::from_map(&least, &b) else { return };
        let want = brute_points(&u, 3);
        for x in grid(2, -BOX - 1, BOX + 1) {
            let first = want.iter().find(|p| p[..2] == x[..]).map(|p| vec![p[2]]);
            assert_eq!(f.eval(&x[..1], &x[1..]), first, "seed {seed}: at {x:?} of {m}\n= {f}");
        }
        assert_eq!(
            f.to_map().wrap().points(100_000).unwrap(),
            least.wrap().points(100_000).unwrap(),
            "seed {seed}: graph of {f}"
        );
    });
}

#[test]
fn non_negative_forms_on_a_polyhedron() {
    // a i + c >= 0 on 0 <= i <= 5 iff c >= 0 and 5 a + c >= 0.
    let s = set("{ [i] : 0 <= i <= 5 }");
    let mut rows = s.basics()[0].dual_rows(&b()).unwrap();
    rows.sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(rows, vec![(Kind::Ge, vec![0, 1]), (Kind::Ge, vec![5, 1])]);
    // On a line x = y the form must vanish along it.
    let line = set("{ [x, y] : x = y }");
    let rows = line.basics()[0].dual_rows(&b()).unwrap();
    assert!(rows.contains(&(Kind::Eq, vec![1, 1, 0])) && rows.contains(&(Kind::Ge, vec![0, 0, 1])), "{rows:?}");
}

#[test]
fn dual_rows_agree_with_optima() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let p = random_piece(rng, 2, 0);
        let sp = Space::set(&[], "", 2);
        let s: BasicSet = to_basic_set(&p, &sp);
        if s.is_empty_rational(&b).unwrap() {
            return;
        }
        let Ok(rows) = s.dual_rows(&b) else { return };
        for _ in 0..20 {
            let c: Vec<i64> = (0..3).map(|_| rng.range(-6, 6)).collect();
            let dual = rows.iter().all(|(k, r)| {
                let v: i64 = r.iter().zip(&c).map(|(x, y)| x * y).sum();
                if *k == Kind::Eq { v == 0 } else { v >= 0 }
            });
            // Non-negative on the rational polyhedron implies dual, dual implies non-negative on the integer points.
            let mut low = s.clone();
            low.add(Kind::Ge, &[-1000 * c[0], -1000 * c[1], -1000 * c[2] - 1]);
            assert!(dual || !low.is_empty_rational(&b).unwrap(), "seed {seed}: {c:?} missing on {s}");
            assert!(!dual || low.is_empty(&b).unwrap(), "seed {seed}: {c:?} wrong on {s}");
        }
    });
}

#[test]
fn convex_hulls() {
    let two = set("{ [i, j] : i = 0 and j = 0; [i, j] : i = 4 and j = 2 }");
    let hull = two.convex_hull_rational(&b()).unwrap().to_set();
    assert!(hull.is_equal(&set("{ [i, j] : i = 2j and 0 <= j <= 2 }"), &b()).unwrap(), "{hull}");
    let wedge = set("[N] -> { [i] : 0 <= i < 5; [i] : 10 <= i < N }").convex_hull_rational(&b()).unwrap().to_set();
    assert!(set("[N] -> { [i] : 0 <= i < 5; [i] : 10 <= i < N }").is_subset(&wedge, &b()).unwrap());
    for_seeds(|seed, rng| {
        let b = Budget::steps(200_000);
        let u = random_union(rng, 2, 0);
        let s = to_set(&u, &Space::set(&[], "", 2));
        let Ok(h) = s.convex_hull_rational(&b) else { return };
        assert!(s.is_subset(&h.to_set(), &b).unwrap(), "seed {seed}: {s}\n{h}");
        // Every row of the hull is met with less than one to spare by some rational point of the union.
        for (k, r) in h.rows_i64().unwrap() {
            if k == Kind::Ge && !s.is_empty(&b).unwrap() {
                let mut shifted = r.clone();
                shifted[2] -= 1;
                let tight = s.basics().iter().any(|p| {
                    let mut low = p.clone();
                    low.add(Kind::Ge, &shifted.iter().map(|v| -v).collect::<Vec<_>>());
                    !low.is_empty_rational(&b).unwrap()
                });
                assert!(tight, "seed {seed}: {r:?} is loose on {s}");
            }
        }
    });
}
