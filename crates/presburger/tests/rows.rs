//! The fast layer of rows against enumeration.

mod common;

use common::{Rng, b, grid};
use presburger::rows::{Conjunction, Constraint, Tableau, eliminate, reduce, subtract};
use presburger::{Budget, Kind};

#[test]
fn tableaus_agree_with_enumeration() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        i64::try_from(state % n).unwrap()
    };
    for case in 0..3000 {
        let budget = Budget::unlimited();
        let vars = usize::try_from(1 + next(3)).unwrap();
        let row = |next: &mut dyn FnMut(u64) -> i64| -> Vec<i64> {
            (0..=vars).map(|k| if k == 0 { next(9) - 4 } else { next(5) - 2 }).collect()
        };
        let mut rows: Vec<Vec<i64>> = Vec::new();
        for v in 1..=vars {
            for sign in [1, -1] {
                let mut r = vec![0; vars + 1];
                r[0] = 4;
                r[v] = sign;
                rows.push(r);
            }
        }
        for _ in 0..next(5) {
            rows.push(row(&mut next));
        }
        let probe = row(&mut next);
        let value = |r: &[i64], p: &[i64]| r[0] + r[1..].iter().zip(p).map(|(a, b)| a * b).sum::<i64>();
        let points: Vec<Vec<i64>> =
            grid(vars, -4, 4).into_iter().filter(|p| rows.iter().all(|r| value(r, p) >= 0)).collect();
        let mut lp = Tableau::new(vars, &budget);
        let ids: Vec<usize> = rows.iter().map(|r| lp.add(r).unwrap()).collect();
        if lp.is_empty() {
            assert!(points.is_empty(), "case {case}: {rows:?}");
            continue;
        }
        if lp.implies(&probe).unwrap() {
            assert!(points.iter().all(|p| value(&probe, p) >= 0), "case {case}: {rows:?} {probe:?}");
        }
        let mut kept = Vec::new();
        for (r, id) in rows.iter().zip(ids) {
            if !lp.is_redundant(id).unwrap() {
                kept.push(r);
            }
        }
        let same = grid(vars, -8, 8)
            .into_iter()
            .all(|p: Vec<i64>| kept.iter().all(|r| value(r, &p) >= 0) == rows.iter().all(|r| value(r, &p) >= 0));
        assert!(same, "case {case}: {rows:?} is not {kept:?}");
    }
}

/// `row . (1, x)`.
fn value(row: &[i64], x: &[i64]) -> i64 {
    row[0] + row[1..].iter().zip(x).map(|(a, v)| a * v).sum::<i64>()
}

/// A box `-4..=4` and a few random rows.
fn boxed(rng: &mut Rng, n: usize, count: i64) -> Vec<Constraint> {
    let unit = |v: usize, sign: i64| (0..=n).map(|c| if c == 0 { 4 } else { sign * i64::from(c == v) }).collect();
    let mut rows: Vec<Vec<i64>> = (1..=n).flat_map(|v| [unit(v, 1), unit(v, -1)]).collect();
    rows.extend((0..count).map(|_| (0..=n).map(|_| rng.range(-3, 3)).collect()));
    rows.into_iter().map(|row| Constraint { row, own: true }).collect()
}

fn holds(all: &[Constraint], x: &[i64]) -> bool {
    all.iter().all(|k| value(&k.row, x) >= 0)
}

#[test]
fn conjunctions_keep_their_points() {
    let mut rng = Rng::new(5);
    for case in 0..600 {
        let n = 3;
        let mut conjunction = Conjunction::universe(1 + n);
        let rows = boxed(&mut rng, n, 3);
        let equal: Vec<i64> = (0..=n).map(|_| rng.range(-2, 2)).collect();
        for k in &rows {
            conjunction.add(Kind::Ge, &k.row).unwrap();
        }
        conjunction.add(Kind::Eq, &equal).unwrap();
        let want: Vec<Vec<i64>> =
            grid(n, -4, 4).into_iter().filter(|x| holds(&rows, x) && value(&equal, x) == 0).collect();
        let (set, _) = conjunction.to_set_with(&[0]);
        assert_eq!(set.points(1000).unwrap(), want, "case {case}");
        assert!(want.is_empty() || !conjunction.is_surely_empty(), "case {case}");
        assert_eq!(conjunction.is_empty(&b()).unwrap(), want.is_empty(), "case {case}");
        let row: Vec<i64> = (0..=n).map(|_| rng.range(-3, 3)).collect();
        if conjunction.surely_nonneg(&row).unwrap() {
            assert!(want.iter().all(|x| value(&row, x) >= 0), "case {case}");
        }
    }
}

#[test]
fn a_map_read_into_a_conjunction_and_back_is_the_same() {
    let text = "[N] -> { S[i, j] -> T[k] : 0 <= i < N and j = 2i + 1 and exists e: k = 3e + i and 0 <= e <= j }";
    let map = common::map(text);
    let back = Conjunction::from_basic_map(&map.basics()[0]).unwrap().to_basic_map(map.space().clone());
    assert!(back.to_map().is_equal(&map, &b()).unwrap());
}

#[test]
fn an_eliminated_column_leaves_no_point_out() {
    let mut rng = Rng::new(6);
    for case in 0..300 {
        let rows = boxed(&mut rng, 3, 3);
        let mut shadow = rows.clone();
        eliminate(&mut shadow, 3, 4, &b()).unwrap();
        assert!(shadow.iter().all(|k| k.row.get(3).is_none_or(|c| *c == 0)), "case {case}");
        assert!(grid(3, -4, 4).iter().filter(|x| holds(&rows, x)).all(|x| holds(&shadow, x)), "case {case}");
    }
}

#[test]
fn a_difference_has_each_point_once() {
    let mut rng = Rng::new(7);
    for case in 0..300 {
        let (one, two) = (boxed(&mut rng, 2, 2), boxed(&mut rng, 2, 2));
        let budget = b();
        let pieces = subtract(&Tableau::new(2, &budget), &one, &two[4..]).unwrap();
        for x in grid(2, -4, 4) {
            let times = pieces.iter().filter(|p| holds(p, &x)).count();
            assert_eq!(times, usize::from(holds(&one, &x) && !holds(&two[4..], &x)), "case {case} {x:?}");
        }
    }
}

#[test]
fn reduced_constraints_say_what_all_of_them_say() {
    let mut rng = Rng::new(8);
    for case in 0..300 {
        let rows = boxed(&mut rng, 2, 3);
        let budget = b();
        let kept = reduce(&Tableau::new(2, &budget), rows.clone(), 2).unwrap();
        for x in grid(2, -6, 6) {
            assert_eq!(kept.as_ref().is_some_and(|k| holds(k, &x)), holds(&rows, &x), "case {case} {x:?}");
        }
    }
}
