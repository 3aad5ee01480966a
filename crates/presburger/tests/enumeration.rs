//! Every operation against brute-force enumeration on random unions in small boxes.

mod common;
use common::*;
use presburger::{Aff, Bound, Budget, Dim, Error, Map, Set, Space};
use std::collections::BTreeSet;

fn points(s: &Set) -> Vec<Vec<i64>> {
    s.points(1_000_000).expect("bounded")
}

/// Space with `np` parameters and the rest dims.
fn space(n: usize, np: usize) -> Space {
    Space::set(&["N", "M"][..np], "S", n - np)
}

fn shape(rng: &mut Rng) -> (usize, usize) {
    let n = usize::try_from(rng.range(1, 3)).unwrap();
    let np = usize::try_from(rng.range(0, 1)).unwrap().min(n - 1);
    (n, np)
}

#[test]
fn points_sample_and_emptiness() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (n, np) = shape(rng);
        let u = random_union(rng, n, 2);
        let s = to_set(&u, &space(n, np));
        let want = brute_points(&u, n);
        assert_eq!(points(&s), want, "seed {seed}: {s}");
        assert_eq!(s.is_empty(&b).unwrap(), want.is_empty(), "seed {seed}: {s}");
        match s.sample(&b).unwrap() {
            Some(x) => assert!(want.contains(&x), "seed {seed}: sample {x:?} of {s}"),
            None => assert!(want.is_empty(), "seed {seed}: no sample of {s}"),
        }
        for x in grid(n, -BOX, BOX).iter().step_by(7) {
            assert_eq!(s.contains(&x[..np], &x[np..]), want.contains(x), "seed {seed}: {x:?} in {s}");
        }
        for p in s.basics() {
            let t = p.simplify(&b).unwrap().to_set();
            assert_eq!(points(&t), points(&p.to_set()), "seed {seed}: simplify {p}");
        }
    });
}

#[test]
fn algebra() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (n, np) = shape(rng);
        let (u, v) = (random_union(rng, n, 1), random_union(rng, n, 1));
        let sp = space(n, np);
        let (s, t) = (to_set(&u, &sp), to_set(&v, &sp));
        let (x, y): (BTreeSet<_>, BTreeSet<_>) =
            (brute_points(&u, n).into_iter().collect(), brute_points(&v, n).into_iter().collect());
        let list = |i: BTreeSet<Vec<i64>>| i.into_iter().collect::<Vec<_>>();
        let note = || format!("seed {seed}:\n{s}\n{t}");
        assert_eq!(points(&s.intersect(&t)), list(&x & &y), "intersect {}", note());
        assert_eq!(points(&s.union(&t)), list(&x | &y), "union {}", note());
        let d = s.subtract(&t, &b).unwrap();
        assert_eq!(points(&d), list(&x - &y), "subtract {}\n= {d}", note());
        assert_eq!(s.is_subset(&t, &b).unwrap(), x.is_subset(&y), "subset {}", note());
        assert_eq!(s.is_equal(&t, &b).unwrap(), x == y, "equal {}", note());
        assert_eq!(s.is_disjoint(&t, &b).unwrap(), x.is_disjoint(&y), "disjoint {}", note());
        assert!(s.is_subset(&s.union(&t), &b).unwrap(), "subset of union {}", note());
        let c = s.union(&t).coalesce(&b).unwrap().into_owned();
        assert_eq!(points(&c), list(&x | &y), "coalesce {}\n= {c}", note());
        let g = s.gist(&t, &b).unwrap();
        assert!(g.intersect(&t).is_equal(&s.intersect(&t), &b).unwrap(), "gist {}\n= {g}", note());
        let h = s.union(&t).simple_hull(&b).unwrap().to_set();
        assert!(s.is_subset(&h, &b).unwrap() && t.is_subset(&h, &b).unwrap(), "hull {}\n= {h}", note());
        let dj = s.union(&t).make_disjoint(&b).unwrap();
        assert_eq!(points(&dj), list(&x | &y), "make_disjoint {}\n= {dj}", note());
        apart(&dj, &b, &note());
    });
}

/// No two pieces have a common point.
fn apart(s: &Set, b: &Budget, note: &str) {
    for (i, p) in s.basics().iter().enumerate() {
        for q in &s.basics()[..i] {
            assert!(p.intersect(q).is_empty(b).unwrap(), "overlap of {p} and {q} {note}");
        }
    }
}

#[test]
fn projection_and_divs() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let n = usize::try_from(rng.range(2, 3)).unwrap();
        let u = random_union(rng, n, 2);
        let s = to_set(&u, &space(n, 0));
        let want = brute_points(&u, n);
        let first = usize::try_from(rng.range(0, 1)).unwrap();
        let p = s.project_out(first, 1, &b).unwrap();
        let cut: BTreeSet<Vec<i64>> = want.iter().map(|x| [&x[..first], &x[first + 1..]].concat()).collect();
        assert_eq!(points(&p), cut.into_iter().collect::<Vec<_>>(), "seed {seed}: project {first} of {s}\n= {p}");
        let d = s.compute_divs(&b).unwrap();
        assert_eq!(points(&d), want, "seed {seed}: divs of {s}\n= {d}");
        assert!(
            d.basics().iter().all(|x| x.div_defs().iter().all(Option::is_some)),
            "seed {seed}: implicit div in {d}"
        );
        for x in s.basics().iter().chain(p.basics()) {
            apart(&x.to_set().compute_divs(&b).unwrap(), &b, &format!("seed {seed}: divs of {x}"));
        }
        let c = p.complement(&b).unwrap();
        assert!(c.is_disjoint(&p, &b).unwrap(), "seed {seed}: complement of {p}");
        for x in grid(n - 1, -BOX - 1, BOX + 1) {
            assert!(c.contains(&[], &x) != p.contains(&[], &x), "seed {seed}: {x:?} in {p}\nor its complement {c}");
        }
        for level in 0..n {
            for x in s.basics() {
                let rows = x.loop_bounds(level, &b).unwrap();
                for pt in points(&x.to_set()) {
                    for (k, r) in &rows {
                        let v: i64 = r[..=level].iter().zip(&pt).map(|(a, b)| a * b).sum::<i64>() + r[level + 1];
                        assert!(
                            if *k == presburger::Kind::Eq { v == 0 } else { v >= 0 },
                            "seed {seed}: bound {r:?} at {pt:?} of {x}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn lexicographic_optima() {
    let (mut runs, mut limits) = (0, 0);
    for_seeds(|seed, rng| {
        let b = Budget::steps(50_000);
        let (n, np) = shape(rng);
        let u = random_union(rng, n, 1);
        let s = to_set(&u, &space(n, np));
        let want = brute_points(&u, n);
        let firsts: Vec<Vec<i64>> = want
            .iter()
            .enumerate()
            .filter(|(i, x)| *i == 0 || want[i - 1][..np] != x[..np])
            .map(|(_, x)| x.clone())
            .collect();
        let lasts: Vec<Vec<i64>> = want
            .iter()
            .enumerate()
            .filter(|(i, x)| want.get(i + 1).is_none_or(|y| y[..np] != x[..np]))
            .map(|(_, x)| x.clone())
            .collect();
        runs += 1;
        let (Ok(lo), Ok(hi)) = (s.lexmin(&b), s.lexmax(&b)) else {
            limits += 1;
            return;
        };
        assert_eq!(points(&lo), firsts, "seed {seed}: lexmin {s}\n= {lo}");
        assert_eq!(points(&hi), lasts, "seed {seed}: lexmax {s}\n= {hi}");
    });
    assert!(limits * 8 <= runs, "{limits} of {runs} stopped at their budget");
}

#[test]
fn optima_of_affine_forms() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (n, np) = shape(rng);
        let u = random_union(rng, n, 2);
        let sp = space(n, np);
        let s = to_set(&u, &sp);
        let mut f = Aff::from_row(&sp, &(0..=n).map(|_| rng.range(-3, 3)).collect::<Vec<_>>());
        if rng.chance(50) {
            f = f.floor_div(rng.range(2, 5)).add(&Aff::dim(&sp, 0).modulo(3).scale(rng.range(-2, 2)));
        }
        let values: Vec<i64> = brute_points(&u, n).iter().map(|x| f.eval(&x[..np], &x[np..]).unwrap()).collect();
        let want = |v: Option<&i64>| v.map_or(Bound::Empty, |v| Bound::Value(*v));
        assert_eq!(s.min_of(&f, &b).unwrap(), want(values.iter().min()), "seed {seed}: min of {f} on {s}");
        assert_eq!(s.max_of(&f, &b).unwrap(), want(values.iter().max()), "seed {seed}: max of {f} on {s}");
    });
}

#[test]
fn affine_hull_is_exact() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let n = usize::try_from(rng.range(1, 3)).unwrap();
        let u = random_union(rng, n, 1);
        let s = to_set(&u, &space(n, 0));
        let h = s.affine_hull(&b).unwrap();
        let pts = brute_points(&u, n);
        let rows = h.rows_i64().unwrap();
        if pts.is_empty() {
            assert!(h.is_empty(&b).unwrap(), "seed {seed}: {h}");
            return;
        }
        for x in &pts {
            assert!(h.to_set().contains(&[], x), "seed {seed}: {x:?} outside {h}");
        }
        let rank = n - rows.len();
        assert_eq!(rank, dimension(&pts), "seed {seed}: hull {h} of {s}");
    });
}

/// Dimension of the affine hull of points, by fraction-free elimination.
fn dimension(pts: &[Vec<i64>]) -> usize {
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for p in &pts[1..] {
        let mut v: Vec<i64> = p.iter().zip(&pts[0]).map(|(a, b)| a - b).collect();
        for r in &rows {
            let c = r.iter().position(|x| *x != 0).unwrap();
            let (a, b) = (r[c], v[c]);
            v = v.iter().zip(r).map(|(x, y)| x * a - y * b).collect();
        }
        if v.iter().any(|x| *x != 0) {
            rows.push(v);
        }
    }
    rows.len()
}

#[test]
fn maps() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (u, v) = (random_union(rng, 3, 1), random_union(rng, 2, 1));
        let f = to_map(&u, &Space::map(&[], "A", 1, "B", 2));
        let g = to_map(&v, &Space::map(&[], "B", 1, "B", 1));
        let (x, y) = (brute_points(&u, 3), brute_points(&v, 2));
        let list = |s: BTreeSet<Vec<i64>>| s.into_iter().collect::<Vec<_>>();
        let note = || format!("seed {seed}:\n{f}\n{g}");
        assert_eq!(
            points(&f.domain(&b).unwrap()),
            list(x.iter().map(|p| p[..1].to_vec()).collect()),
            "domain {}",
            note()
        );
        assert_eq!(
            points(&f.range(&b).unwrap()),
            list(x.iter().map(|p| p[1..].to_vec()).collect()),
            "range {}",
            note()
        );
        assert_eq!(
            points(&f.reverse().wrap()),
            list(x.iter().map(|p| vec![p[1], p[2], p[0]]).collect()),
            "reverse {}",
            note()
        );
        assert_eq!(
            points(&g.deltas(&b).unwrap()),
            list(y.iter().map(|p| vec![p[1] - p[0]]).collect()),
            "deltas {}",
            note()
        );
        let gf = g.apply_range(&f, &b).unwrap();
        let join: BTreeSet<Vec<i64>> = y
            .iter()
            .flat_map(|p| x.iter().filter(|q| q[0] == p[1]).map(|q| vec![p[0], q[1], q[2]]).collect::<Vec<_>>())
            .collect();
        assert_eq!(points(&gf.wrap()), list(join), "apply_range {}", note());
        let rp = g.range_product(&g);
        let pairs: BTreeSet<Vec<i64>> = y
            .iter()
            .flat_map(|p| y.iter().filter(|q| q[0] == p[0]).map(|q| vec![p[0], p[1], q[1]]).collect::<Vec<_>>())
            .collect();
        assert_eq!(points(&rp.wrap()), list(pairs), "range_product {}", note());
        let q = f.project_out(Dim::Out, 0, 1, &b).unwrap();
        assert_eq!(points(&q.wrap()), list(x.iter().map(|p| vec![p[0], p[2]]).collect()), "project_out {}", note());
        let dom = Set::parse("{ [i] : 0 <= i <= 2 }").unwrap();
        assert_eq!(
            points(&g.intersect_domain(&dom).wrap()),
            list(y.iter().filter(|p| (0..=2).contains(&p[0])).cloned().collect())
        );
        assert_eq!(
            points(&g.intersect_range(&dom).wrap()),
            list(y.iter().filter(|p| (0..=2).contains(&p[1])).cloned().collect())
        );
        let pr = g.product(&g);
        for (k, p) in y.iter().enumerate().step_by(5) {
            let q = &y[y.len() - 1 - k];
            assert!(pr.wrap().contains(&[], &[p[0], q[0], p[1], q[1]]), "product {}", note());
        }
        let Ok(m) = f.lexmin(&b) else { return };
        let firsts: Vec<_> =
            x.iter().enumerate().filter(|(i, p)| *i == 0 || x[i - 1][0] != p[0]).map(|(_, p)| p.clone()).collect();
        assert_eq!(points(&m.wrap()), firsts, "map lexmin {}\n= {m}", note());
    });
}

#[test]
fn text_round_trip() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (n, np) = shape(rng);
        let u = random_union(rng, n, 2);
        let s = to_set(&u, &space(n, np));
        let t = Set::parse(&s.to_string()).unwrap_or_else(|e| panic!("seed {seed}: {e} in {s}"));
        assert_eq!(points(&s), points(&t), "seed {seed}: {s} read as {t}");
        let c = s.coalesce(&b).unwrap();
        let t = Set::parse(&c.to_string()).unwrap_or_else(|e| panic!("seed {seed}: {e} in {c}"));
        assert_eq!(points(&c), points(&t), "seed {seed}: {c} read as {t}");
        let m = to_map(&random_union(rng, 3, 1), &Space::map(&["N"], "S", 1, "T", 1));
        let w = Map::parse(&m.to_string()).unwrap_or_else(|e| panic!("seed {seed}: {e} in {m}"));
        assert_eq!(points(&m.wrap()), points(&w.wrap()), "seed {seed}: {m} read as {w}");
    });
}

#[test]
fn cardinality() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(300_000);
        let (n, np) = shape(rng);
        let u = random_union(rng, n, 1);
        let s = to_set(&u, &space(n, np));
        let Ok(c) = s.card(&b) else { return };
        let c = c.expect("boxed");
        let want = brute_points(&u, n);
        for p in grid(np, -BOX - 1, BOX + 1) {
            let count = want.iter().filter(|x| x[..np] == p[..]).count();
            assert_eq!(c.eval(&p, &[]), count.into(), "seed {seed}: at {p:?} of {s}\n= {c}");
        }
    });
}

#[test]
fn elements_one_after_the_other() {
    for text in [
        "{ [i, j] : 0 <= i <= 4 and 0 <= 2j <= i; [i, j] : 2 <= i + j <= 3 and 0 <= i <= 3 }",
        "[N] -> { [i] : 0 <= i < N <= 4 }",
        "{ [i, j] : 0 <= i, j < 6 and (2*floor(i/3) + j) mod 4 = i mod 3 }",
        "{ [i] : i = 9223372036854775807 or i = -9223372036854775807 }",
        "{ [] }",
        "{ [i] : i >= 0 and i <= -1 }",
    ] {
        let s = Set::parse(text).unwrap();
        let one_by_one: Vec<_> = s.iter_points().collect::<Result<_, _>>().unwrap();
        assert_eq!(one_by_one, s.points(1000).unwrap(), "{text}");
    }
    let grid = Set::parse("{ [i, j] : i >= 0 and 0 <= j <= 1 }").unwrap();
    let first: Vec<_> = grid.iter_points().take(3).collect::<Result<_, _>>().unwrap();
    assert_eq!(first, [[0, 0], [0, 1], [1, 0]]);
    let down = Set::parse("{ [i] : i <= 0 }").unwrap();
    assert_eq!(down.iter_points().collect::<Vec<_>>(), [Err(presburger::Error::Unbounded)]);
}

#[test]
fn few_elements_far_apart_are_listed() {
    let s =
        Set::parse("{ [i, j] : 0 <= i, j <= 1000000000 and j mod 500000000 = 0 and i mod 1000000000 = 3 }").unwrap();
    let all = [[3, 0], [3, 500_000_000], [3, 1_000_000_000]];
    assert_eq!(s.points(10).unwrap(), all);
    assert_eq!(s.points_big(3).unwrap().len(), 3);
    assert_eq!(s.points(2), Err(Error::TooMany));
}
