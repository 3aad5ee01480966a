//! Existentials that say no more than that a form lies in a window of residues: `low <= form + d e <= high`. Adding
//! multiples of other columns to `e` brings the coefficients of the form below `d`, which takes columns out of it;
//! windows on the same form are one where the residues that they have in common are.
//! Source: isl, `reduce_div_coefficients`.

use crate::num::{Int, Res};
use crate::system::sys::Sys;

/// The two inequalities `form + d c >= low` and `form + d c <= high` on column `c`, `d > 0`.
struct Window {
    at_least: usize,
    at_most: usize,
}

/// Makes the coefficients of the earlier columns in each window as small as its `d` allows, then merges windows. Says
/// whether a row has changed.
pub(crate) fn reduce<T: Int>(s: &mut Sys<T>) -> Res<bool> {
    let mut changed = false;
    for c in s.n..s.cols() {
        if let Some(window) = window_of(s, c, false) {
            changed |= shear(s, c, window.at_least)?;
        }
    }
    Ok(merge(s)? || changed)
}

/// The closest opposite inequalities on column `c`, which no equality uses; when `alone`, all that use it.
fn window_of<T: Int>(s: &Sys<T>, c: usize, alone: bool) -> Option<Window> {
    if s.eq.uses(c) {
        return None;
    }
    let last = s.cols();
    let using: Vec<usize> = (0..s.ge.len()).filter(|i| !s.ge.row(*i)[c].is_zero()).collect();
    if alone && using.len() != 2 {
        return None;
    }
    let mut best: Option<(T, Window)> = None;
    for &at_least in using.iter().filter(|i| s.ge.row(**i)[c].is_pos()) {
        for &at_most in using.iter().filter(|i| s.ge.row(**i)[c].is_neg()) {
            let (low, up) = (s.ge.row(at_least), s.ge.row(at_most));
            if !low[..last].iter().zip(&up[..last]).all(|(a, b)| *a == b.neg()) {
                continue;
            }
            let width = low[last].add(&up[last]).ok()?;
            if width < low[c] && best.as_ref().is_none_or(|b| width < b.0) {
                best = Some((width, Window { at_least, at_most }));
            }
        }
    }
    best.map(|b| b.1)
}

/// Adds multiples of earlier columns to column `c`, after which their coefficients in the row are at most half of its
/// coefficient.
fn shear<T: Int>(s: &mut Sys<T>, c: usize, row: usize) -> Res<bool> {
    let d = s.ge.row(row)[c].clone();
    let half = d.fdiv(&T::of(2));
    let mut changed = false;
    for j in 0..c {
        let a = &s.ge.row(row)[j];
        if a.abs() <= half {
            continue;
        }
        let mut rest = a.modulo(&d);
        if rest > half {
            rest = rest.sub(&d)?;
        }
        let times = rest.sub(a)?.fdiv(&d);
        if times.is_zero() {
            continue;
        }
        changed = true;
        for i in 0..s.ge.len() {
            let r = s.ge.row_mut(i);
            if !r[c].is_zero() {
                r[j] = T::lin(&T::one(), &r[j], &times, &r[c])?;
            }
        }
    }
    Ok(changed)
}

/// Largest period for which residues are enumerated: the bits of [`Residues`].
const MOST_RESIDUES: usize = 128;

/// A set of residues, one bit each.
type Residues = u128;

/// What a column that nothing else uses says of a form: its residues modulo a number are some of these.
struct Condition<T> {
    column: usize,
    /// Without a common factor, the first coefficient positive.
    form: Vec<T>,
    modulus: usize,
    residues: Residues,
    /// Whether a window of the form itself, without a factor, says it.
    plain: bool,
}

/// Puts one window in the place of two conditions on a form where the residues that meet both are one, and drops
/// conditions that all others on the form imply. Returns whether a row has changed.
fn merge<T: Int>(s: &mut Sys<T>) -> Res<bool> {
    let all: Vec<Condition<T>> = (s.n..s.cols()).filter_map(|c| condition_of(s, c)).collect();
    let mut changed = false;
    if let Some(c) = all.iter().find(|c| !c.plain) {
        changed = put_window(s, &[c])?;
    }
    for (k, a) in all.iter().enumerate() {
        for b in &all[k + 1..] {
            changed = changed || (a.form == b.form && put_window(s, &[a, b])?);
        }
    }
    changed = changed || drop_implied(s, &all);
    if changed {
        s.drop_unused_exists();
    }
    Ok(changed)
}

/// The smallest number that the moduli divide; `None` if it is large.
fn common_modulus<'c, T: 'c>(conditions: impl Iterator<Item = &'c Condition<T>>) -> Option<usize> {
    conditions.map(|c| c.modulus).try_fold(1, |all, m| Some(all / gcd(all, m) * m).filter(|m| *m <= MOST_RESIDUES))
}

/// The residues modulo `modulus` that meet the condition, whose modulus divides it.
fn residues<T>(c: &Condition<T>, modulus: usize) -> Residues {
    (0..modulus / c.modulus).fold(0, |all, k| all | c.residues << (k * c.modulus))
}

/// All residues.
fn full(modulus: usize) -> Residues {
    Residues::MAX >> (MOST_RESIDUES - modulus)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Puts one window in the place of conditions on the same form, if the residues that meet all are one.
fn put_window<T: Int>(s: &mut Sys<T>, group: &[&Condition<T>]) -> Res<bool> {
    let Some(modulus) = common_modulus(group.iter().copied()) else { return Ok(false) };
    let full = full(modulus);
    let meet = group.iter().fold(full, |all, c| all & residues(c, modulus));
    let turned = |by: usize| if by == modulus { meet } else { (meet << by | meet >> (modulus - by)) & full };
    let period = (1..=modulus).find(|p| modulus % p == 0 && turned(*p) == meet).expect("the modulus is a period");
    let starts = meet & !turned(1) & self::full(period);
    if meet != full && meet != 0 && starts.count_ones() != 1 {
        return Ok(false);
    }
    drop_rows(s, &group.iter().map(|c| c.column).collect::<Vec<_>>());
    if meet != full {
        let start = starts.trailing_zeros() as usize % MOST_RESIDUES;
        push_window(s, group[0], period, start, (meet & self::full(period)).count_ones() as usize)?;
    }
    Ok(true)
}

/// Drops the conditions that follow from the others on the same form.
fn drop_implied<T: Int>(s: &mut Sys<T>, all: &[Condition<T>]) -> bool {
    let mut gone: Vec<usize> = Vec::new();
    for (k, c) in all.iter().enumerate() {
        let on_form = || all.iter().filter(|o| o.form == c.form && !gone.contains(&o.column));
        let Some(modulus) = common_modulus(on_form()) else { continue };
        let others = on_form().filter(|o| o.column != all[k].column);
        let meet = others.fold(full(modulus), |meet, o| meet & residues(o, modulus));
        if meet & residues(c, modulus) == meet {
            gone.push(c.column);
        }
    }
    drop_rows(s, &gone);
    !gone.is_empty()
}

fn drop_rows<T: Int>(s: &mut Sys<T>, columns: &[usize]) {
    for m in [&mut s.eq, &mut s.ge] {
        m.retain(|r| columns.iter().all(|c| r[*c].is_zero()));
    }
}

/// `start <= form + modulus * column < start + count`, where the column is that of the condition.
fn push_window<T: Int>(s: &mut Sys<T>, c: &Condition<T>, modulus: usize, start: usize, count: usize) -> Res<()> {
    let small = |x: usize| T::of(i64::try_from(x).expect("a residue is small"));
    let start = if 2 * start > modulus { small(start).sub(&small(modulus))? } else { small(start) };
    let mut row = c.form.clone();
    row[c.column] = small(modulus);
    row.push(start.neg());
    if count == 1 {
        s.eq.push(&row);
        return Ok(());
    }
    s.ge.push(&row);
    let last = row.len() - 1;
    row[last] = start.add(&small(count))?;
    let (end, coefficients) = row.split_last_mut().expect("a row has a constant");
    coefficients.iter_mut().for_each(|x| *x = x.neg());
    *end = end.sub(&T::one())?;
    s.ge.push(&row);
    Ok(())
}

/// What existential column `c` says, if it is in one window or one equality and nowhere else, of a small modulus.
fn condition_of<T: Int>(s: &Sys<T>, c: usize) -> Option<Condition<T>> {
    let last = s.cols();
    let mut equal = s.eq.rows().filter(|r| !r[c].is_zero());
    let (row, width) = match (equal.next(), equal.next()) {
        (Some(r), None) if !s.ge.uses(c) => (r, 0),
        (None, None) => {
            let w = window_of(s, c, true)?;
            let (low, up) = (s.ge.row(w.at_least), s.ge.row(w.at_most));
            (low, low[last].add(&up[last]).ok()?.to_i64()?)
        }
        _ => return None,
    };
    let modulus = row[c].abs().to_i64().filter(|d| *d > 1 && usize::try_from(*d).is_ok_and(|d| d <= MOST_RESIDUES))?;
    let mut form = row[..last].to_vec();
    form[c] = T::zero();
    let mut content = form.iter().fold(T::zero(), |g, x| g.gcd(x));
    if form.iter().find(|x| !x.is_zero())?.is_neg() {
        content = content.neg();
    }
    form.iter_mut().for_each(|x| *x = x.fdiv(&content));
    let factor = content.to_i64()?.rem_euclid(modulus);
    let constant = row[last].to_i64()?.rem_euclid(modulus);
    // `row` is at least zero and at most the width, up to a multiple of the modulus.
    let holds = |r: &i64| (factor * r + constant).rem_euclid(modulus) <= width;
    let residues = (0..modulus).filter(holds).fold(0, |all, r| all | 1 << r);
    let plain = width == 0 || content.is_unit();
    Some(Condition { column: c, form, modulus: usize::try_from(modulus).ok()?, residues, plain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::system::solve;

    /// `low <= factor * x + modulus * e <= high` for each (factor, modulus, low, high), on one visible column.
    fn windows(list: &[(i64, i64, i64, i64)]) -> Sys<i64> {
        let mut s = Sys::universe(1, list.len());
        for (k, (factor, modulus, low, high)) in list.iter().enumerate() {
            let mut row = vec![0; list.len() + 2];
            (row[0], row[1 + k], row[list.len() + 1]) = (*factor, *modulus, -low);
            s.ge.push(&row);
            row.iter_mut().for_each(|x| *x = -*x);
            row[list.len() + 1] = *high;
            s.ge.push(&row);
        }
        s
    }

    fn reduced(list: &[(i64, i64, i64, i64)]) -> Sys<i64> {
        let (before, mut s) = (windows(list), windows(list));
        while reduce(&mut s).unwrap() {}
        let bud = Budget::unlimited();
        for x in -70..70 {
            assert_eq!(solve::holds_at(&s, &[x], &bud), solve::holds_at(&before, &[x], &bud), "{list:?} {x} {s:?}");
        }
        s
    }

    #[test]
    fn windows_on_one_form_are_one() {
        assert_eq!(reduced(&[(1, 8, 0, 4), (1, 8, 0, 2)]).e, 1);
        assert_eq!(reduced(&[(3, 8, 0, 6), (3, 8, -1, 0)]).eq.len(), 1);
        assert_eq!(reduced(&[(1, 4, 0, 2), (1, 8, 0, 1)]).e, 1);
        assert_eq!(reduced(&[(11, 4, 0, 1)]).ge.row(0)[0].abs(), 1);
        assert_eq!(reduced(&[(1, 3, 0, 1), (1, 5, 0, 3)]).e, 2);
        assert_eq!(reduced(&[(1, 4, 0, 1), (1, 4, 2, 3)]).ge.len(), 2);
        assert_eq!(reduced(&[(1, 4, 0, 2), (1, 8, 0, 1), (1, 5, 0, 2)]).e, 2);
    }

    #[test]
    fn keeps_the_points() {
        for factor in 1..6 {
            for modulus in 2..7 {
                for high in 0..modulus {
                    reduced(&[(factor, modulus, 0, high), (1, 4, -1, 1), (2, 6, 1, 3)]);
                }
            }
        }
    }
}
