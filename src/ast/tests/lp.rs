//! The simplex against enumeration.

use crate::ast::lp::Lp;
use presburger::Budget;

#[test]
fn answers_agree_with_enumeration() {
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
            super::grid(vars, -4, 4).into_iter().filter(|p| rows.iter().all(|r| value(r, p) >= 0)).collect();
        let mut lp = Lp::new(vars, &budget);
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
        let same = super::grid(vars, -8, 8)
            .into_iter()
            .all(|p| kept.iter().all(|r| value(r, &p) >= 0) == rows.iter().all(|r| value(r, &p) >= 0));
        assert!(same, "case {case}: {rows:?} is not {kept:?}");
    }
}
