//! Integer feasibility of inequalities along thin directions, for conjunctions on which eliminating variables does not
//! end soon. Rows that some ray of the polyhedron raises for ever hold far enough along that ray, so they go; what is
//! left is bounded but for columns that no row uses. Its columns are reduced as a lattice basis in which every row
//! counts in units of its width; then the columns are enumerated, the last and thinnest first.
//! Sources: Lenstra, Integer Programming with a Fixed Number of Variables, Mathematics of Operations Research 8(4),
//! 1983; Lenstra, Lenstra, Lovasz, Mathematische Annalen 261, 1982 (the reduction); Krishnamoorthy, Pataki, Column
//! basis reduction and decomposable knapsack problems, Discrete Optimization 6(3), 2009 (reducing the rows' columns).
//! The reduction is steered by floating point and carried out in integers: what it gets wrong costs time only.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::solve::{Log, Step, shear, solve_equalities};
use crate::system::sys::{Mat, Sys, negated};
use num_traits::ToPrimitive;

/// Decides feasibility of `s`, consuming it.
pub(super) fn search<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    let mut first = true;
    loop {
        if !solve_equalities(s, log, bud)? {
            return Ok(false);
        }
        let mut tab = Tab::new(s, bud)?;
        if tab.is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut first) && drop_rising_rows(s, log, bud)? {
            tab = Tab::new(s, bud)?;
        }
        let widths = widths(s, &mut tab, bud)?;
        let tight = |w: &Option<T>| w.as_ref().is_some_and(Int::is_zero);
        if !widths.iter().any(tight) {
            return enumerate(s, &widths, log, bud);
        }
        // What stays below one over the rationals is zero.
        let mut k = 0;
        let eq = &mut s.eq;
        s.ge.retain(|r| {
            k += 1;
            let stays = !tight(&widths[k - 1]);
            if !stays {
                eq.push(r);
            }
            stays
        });
    }
}

/// The largest integer below the maximum of each row. `None`: it has none.
fn widths<T: Int>(s: &Sys<T>, tab: &mut Tab<T>, bud: &Budget) -> Res<Vec<Option<T>>> {
    let width = |r: &[T]| {
        Ok(match tab.max(r, bud)? {
            Opt::Unbounded => None,
            Opt::At(num, den) => Some(num.fdiv(&den)),
        })
    };
    s.ge.rows().map(width).collect()
}

/// Drops the rows that a direction of the recession cone raises. Such directions have an integer sum, along which all
/// of them hold from some point on while the others stay as they are. Returns whether there was one.
fn drop_rising_rows<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    let last = s.cols();
    let mut cone = Sys { n: s.n, e: s.e, eq: Mat::new(last + 1), ge: s.ge.clone() };
    let mut cap = vec![T::zero(); last + 1];
    for i in 0..cone.ge.len() {
        let row = cone.ge.row_mut(i);
        row[last] = T::zero();
        for (sum, x) in cap.iter_mut().zip(&*row) {
            *sum = sum.sub(x)?;
        }
    }
    // Of each ray a piece: all rows together rise by at most one.
    cap[last] = T::one();
    cone.ge.push(&cap);
    let mut tab = Tab::new(&cone, bud)?;
    let mut ray = vec![T::zero(); last];
    let mut rising = vec![false; s.ge.len()];
    for (row, rising) in cone.ge.rows().zip(&mut rising) {
        *rising = T::dot(&row[..last], &ray)?.is_pos();
        if !*rising && matches!(tab.max(row, bud)?, Opt::At(most, _) if most.is_pos()) {
            let at: Vec<(T, T)> = tab.coordinates().collect();
            let scale = at.iter().try_fold(T::one(), |l, (_, d)| l.mul(d).map(|m| m.fdiv(&l.gcd(d))))?;
            for (x, (num, den)) in ray.iter_mut().zip(&at) {
                *x = x.add(&num.mul(&scale.fdiv(den))?)?;
            }
            *rising = true;
        }
    }
    // A row that an earlier part of the ray does not raise may be raised by a later one, never lowered.
    if !rising.contains(&true) {
        return Ok(false);
    }
    let mut rows = Mat::new(last + 1);
    let mut k = 0;
    s.ge.retain(|r| {
        k += 1;
        if rising[k - 1] {
            rows.push(r);
        }
        !rising[k - 1]
    });
    if let Some(log) = log {
        log.push(Step::Far { ray, rows });
    }
    Ok(true)
}

/// Tries the integer values of the columns, those of the thinnest direction first. Rows bound all columns that they use
/// but for combinations that none of them changes.
fn enumerate<T: Int>(s: &mut Sys<T>, widths: &[Option<T>], log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    let mut order = independent_columns(s, log, bud)?;
    reduce(s, &mut order, widths, log, bud)?;
    let tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(false);
    }
    let point = descend(&tab, &order, s.cols(), bud)?;
    if let (Some(log), Some(point)) = (log, &point) {
        log.push(Step::Point(point.clone()));
    }
    Ok(point.is_some())
}

/// Columns without linear relations among them, the only ones that rows use afterwards.
fn independent_columns<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<Vec<usize>> {
    let used: Vec<usize> = (0..s.cols()).filter(|c| s.ge.uses(*c)).collect();
    if rank(s, &used, bud)? == used.len() {
        return Ok(used);
    }
    let mut pivots: Vec<usize> = Vec::new();
    for i in 0..s.ge.len() {
        loop {
            let row = s.ge.row(i);
            let open: Vec<usize> = used.iter().copied().filter(|c| !pivots.contains(c) && !row[*c].is_zero()).collect();
            let Some(&p) = open.iter().min_by(|a, b| row[**a].abs().cmp(&row[**b].abs())) else { break };
            if open.len() == 1 {
                pivots.push(p);
                break;
            }
            for j in open.into_iter().filter(|j| *j != p) {
                let (a, b) = (&s.ge.row(i)[j], &s.ge.row(i)[p]);
                let q = if b.is_neg() { a.neg().fdiv(&b.neg()) } else { a.fdiv(b) };
                change(s, p, j, q, log, bud)?;
            }
        }
    }
    Ok(pivots)
}

/// The number of columns in `used` without linear relations among them, by elimination in the rows.
fn rank<T: Int>(s: &Sys<T>, used: &[usize], bud: &Budget) -> Res<usize> {
    let mut flat = Sys::universe(s.cols(), 0);
    for r in s.ge.rows() {
        let mut row = r.to_vec();
        row[s.cols()] = T::zero();
        flat.eq.push(&row);
    }
    let mut tab = Tab::new(&flat, bud)?;
    let mut fixed = 0;
    for c in used {
        // A column that the rows leave free is fixed before the next one is looked at.
        let mut value = vec![T::zero(); s.cols() + 1];
        value[*c] = T::one();
        if tab.max(&value, bud)? == Opt::Unbounded {
            tab.add_ge(&value, bud)?;
            tab.add_ge(&negated(&value), bud)?;
            fixed += 1;
        }
    }
    Ok(used.len() - fixed)
}

/// Column `j` loses `q` times column `p`.
fn change<T: Int>(s: &mut Sys<T>, p: usize, j: usize, q: T, log: &mut Log<'_, T>, bud: &Budget) -> Res<()> {
    bud.step(1 + s.ge.len() / 8)?;
    shear(s, p, j, &q)?;
    if let Some(log) = log {
        log.push(Step::Shear { col: p, other: j, q });
    }
    Ok(())
}

/// Reduces the columns in `order` as a basis, each row in units of its width, and puts them in order of size.
fn reduce<T: Int>(
    s: &mut Sys<T>,
    order: &mut [usize],
    widths: &[Option<T>],
    log: &mut Log<'_, T>,
    bud: &Budget,
) -> Res<()> {
    let number = |x: &T| x.to_i64().map_or_else(|| x.to_string().parse().ok(), |v| v.to_f64());
    let Some(units) = widths.iter().map(|w| w.as_ref().and_then(number)).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let vector = |s: &Sys<T>, c: usize| -> Option<Vec<f64>> {
        s.ge.rows().zip(&units).map(|(r, u)| number(&r[c]).map(|x| x / u)).collect()
    };
    let Some(mut basis) = order.iter().map(|c| vector(s, *c)).collect::<Option<Vec<_>>>() else { return Ok(()) };
    let mut flat: Vec<(Vec<f64>, f64)> = Vec::with_capacity(basis.len());
    let mut k = 0;
    for _ in 0..MOST_ROUNDS * order.len() {
        if k == order.len() {
            break;
        }
        flat.truncate(k);
        let mut rough = false;
        for j in (0..k).rev() {
            let q = (dot(&basis[k], &flat[j].0) / flat[j].1).round().clamp(-LARGEST, LARGEST);
            if q == 0.0 {
                continue;
            }
            let Some(exact) = q.to_i64() else { return Ok(()) };
            change(s, order[j], order[k], T::of(exact), log, bud)?;
            // What is left of large numbers is read from the rows: rounding errors would grow with every round.
            let Some(now) = vector(s, order[k]) else { return Ok(()) };
            basis[k] = now;
            rough |= q.abs() >= PRECISE;
        }
        if rough {
            continue;
        }
        let mut rest = basis[k].clone();
        let mut factor = 0.0;
        for (v, size) in &flat {
            factor = dot(&basis[k], v) / size;
            subtract(&mut rest, factor, v);
        }
        let size = dot(&rest, &rest);
        if k > 0 && size < (REDUCED - factor * factor) * flat[k - 1].1 {
            basis.swap(k, k - 1);
            order.swap(k, k - 1);
            k -= 1;
        } else {
            flat.push((rest, size));
            k += 1;
        }
    }
    Ok(())
}

/// The largest multiple of a column that is taken from another at once.
const LARGEST: f64 = (1_i64 << 61) as f64;

/// Multiples from which on a quotient in floating point is too rough for one round.
const PRECISE: f64 = (1_i64 << 20) as f64;

/// Rounds of the reduction per column, after which the basis is good enough.
const MOST_ROUNDS: usize = 160;

/// What Lovasz's condition asks for: below 1, so that the reduction ends.
const REDUCED: f64 = 0.9;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn subtract(a: &mut [f64], q: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x -= q * y;
    }
}

/// An integer point of the tableau whose columns in `order` are bounded, the last one fixed first, at the middle of its
/// range first.
fn descend<T: Int>(tab: &Tab<T>, order: &[usize], columns: usize, bud: &Budget) -> Res<Option<Vec<T>>> {
    if let Some(point) = tab.integer_vertex() {
        return Ok(Some(point));
    }
    let Some((&c, rest)) = order.split_last() else { return Ok(None) };
    bud.step(1 + tab.entries() / 32)?;
    let mut value = vec![T::zero(); columns + 1];
    value[c] = T::one();
    let mut ends = tab.clone();
    let (Opt::At(a, b), Opt::At(p, q)) = (ends.min(&value, bud)?, ends.max(&value, bud)?) else {
        unreachable!("rows that are left bound the columns that they use");
    };
    let (low, high) = (a.cdiv(&b), p.fdiv(&q));
    let middle = low.add(&high)?.fdiv(&T::of(2));
    let (mut down, mut up) = (middle.clone(), middle.add(&T::one())?);
    while down >= low || up <= high {
        for at in [&down, &up] {
            if *at < low || *at > high {
                continue;
            }
            bud.step(1 + tab.entries() / 32)?;
            let mut side = ends.clone();
            value[columns] = at.neg();
            side.add_ge(&value, bud)?;
            if !side.is_empty() {
                side.add_ge(&negated(&value), bud)?;
            }
            if !side.is_empty()
                && let Some(point) = descend(&side, rest, columns, bud)?
            {
                return Ok(Some(point));
            }
        }
        down = down.sub(&T::one())?;
        up = up.add(&T::one())?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::solve;

    /// Numbers from a fixed seed.
    struct Numbers(u64);

    impl Numbers {
        fn within(&mut self, low: i64, high: i64) -> i64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + ((self.0 >> 33).cast_signed()) % (high - low + 1)
        }
    }

    fn system(numbers: &mut Numbers) -> Sys<i64> {
        let columns = usize::try_from(numbers.within(1, 4)).unwrap();
        let mut s = Sys::universe(columns, 0);
        for _ in 0..numbers.within(1, 7) {
            let mut row: Vec<i64> = (0..columns).map(|_| numbers.within(-6, 6)).collect();
            row.push(numbers.within(-20, 20));
            s.ge.push(&row);
            // A thin slab every other time.
            if numbers.within(0, 1) == 1 {
                let mut other = negated(&row);
                other[columns] += numbers.within(0, 4);
                s.ge.push(&other);
            }
        }
        if numbers.within(0, 3) == 0 {
            let mut row: Vec<i64> = (0..columns).map(|_| numbers.within(-3, 3)).collect();
            row.push(numbers.within(-9, 9));
            s.eq.push(&row);
        }
        s
    }

    #[test]
    fn agrees_with_elimination() {
        let mut numbers = Numbers(15);
        let (mut full, mut empty) = (0, 0);
        for _ in 0..6000 {
            let s = system(&mut numbers);
            let bud = Budget::unlimited();
            let mut log = Vec::new();
            let found = search(&mut s.clone(), &mut Some(&mut log), &bud).unwrap();
            assert_eq!(found, !solve::is_empty(&s, &bud).unwrap(), "{s:?}");
            if found {
                let x = solve::replay(&log, s.cols()).unwrap();
                let value = |r: &[i64]| i64::dot(r, &[&x[..], &[1]].concat()).unwrap();
                assert!(s.eq.rows().all(|r| value(r) == 0) && s.ge.rows().all(|r| value(r) >= 0), "{s:?} {x:?}");
                full += 1;
            } else {
                empty += 1;
            }
        }
        assert!(full > 1000 && empty > 1000, "{full} {empty}");
    }
}
