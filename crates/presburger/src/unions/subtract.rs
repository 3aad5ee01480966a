//! Exact difference, inclusion and disjoint unions of unions of conjunctions.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::divs;
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Sys, complement, negated};
use crate::unions::align;
use crate::unions::hull::widen_row;

/// `a \ b` as a union of disjoint non-empty pieces (disjoint within each piece of `a`).
pub(crate) fn subtract<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut rest: Vec<Sys<T>> = a.iter().map(|s| (*s).clone()).collect();
    for s in b {
        if rest.is_empty() {
            break;
        }
        for s in divs::explicit(s, bud)? {
            let mut next = Vec::new();
            for r in rest {
                subtract_piece(r, &s, &mut next, bud)?;
            }
            rest = next;
        }
    }
    Ok(rest)
}

/// True iff every point of `a` is in `b`.
pub(crate) fn is_subset<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<bool> {
    'pieces: for s in a {
        if let [only] = b
            && only.e == 0
        {
            if !within(s, only, bud)? {
                return Ok(false);
            }
            continue;
        }
        for t in b {
            if s == t {
                continue 'pieces;
            }
        }
        for r in subtract(&[s], b, bud)? {
            if !solve::is_empty(&r, bud)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// True iff no point is in a piece of each. A piece that both have is tried first: it needs no join.
pub(crate) fn is_disjoint<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<bool> {
    for s in a.iter().filter(|s| b.contains(s)) {
        if !solve::is_empty(s, bud)? {
            return Ok(false);
        }
    }
    for s in a {
        for t in b.iter().filter(|t| !s.clashes_on_sight(t)) {
            let mut both = s.meet(t);
            if both.tidy() && !solve::is_empty(&both, bud)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// True iff every point of `a` is in `b`, which has no existentials: one emptiness test per row of `b` that `a` does
/// not show.
fn within<T: Int>(a: &Sys<T>, b: &Sys<T>, bud: &Budget) -> Res<bool> {
    let mut test: Option<Sys<T>> = None;
    let mut holds = |r: &[T]| -> Res<bool> {
        let row = widen_row(a, r);
        if a.implies_on_sight(&row) {
            return Ok(true);
        }
        let test = test.get_or_insert_with(|| a.clone());
        test.ge.push(&complement(&row)?);
        let holds = solve::is_empty(test, bud)?;
        test.ge.v.truncate(test.ge.v.len() - row.len());
        Ok(holds)
    };
    for r in b.ge.rows() {
        if !holds(r)? {
            return Ok(false);
        }
    }
    for r in b.eq.rows() {
        if !(holds(r)? && holds(&negated(r))?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Floors of both pieces from which on it pays to find the common ones.
const MANY_FLOORS: usize = 6;

/// Appends `a \ b` to `out`; every existential of `b` is an explicit floor.
fn subtract_piece<T: Int>(a: Sys<T>, b: &Sys<T>, out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    let covered = |r: &[T]| a.e == 0 && a.implies_on_sight(r);
    if b.e == 0 && b.ge.rows().all(covered) && b.eq.rows().all(|r| covered(r) && covered(&negated(r))) {
        return Ok(());
    }
    let mut both = a.meet(b);
    if !both.tidy() || solve::is_empty(&both, bud)? {
        if !solve::is_empty(&a, bud)? {
            out.push(a);
        }
        return Ok(());
    }
    if b.e == 0 && a.e == 0 {
        return cut_off(a, b, out, bud);
    }
    if a.e > 0
        && b.e > 0
        && a.e + b.e >= MANY_FLOORS
        && let (Some(x), Some(y)) = (align::canonical(&a)?, align::canonical(b)?)
    {
        let common = align::align(&x, &y, a.n, bud)?;
        let hidden = |s: Sys<T>| Sys { n: a.n, e: common.floors, ..s };
        let (mut rest, conditions) = (hidden(common.first), hidden(common.second));
        rest.ge.v.extend(common.floor_rows.v);
        return cut_off(rest, &conditions, out, bud);
    }
    let visible: Vec<_> = (0..a.n).map(Some).collect();
    let mine: Vec<_> = (a.n..a.cols()).map(Some).chain(std::iter::repeat_n(None, b.e)).collect();
    let theirs: Vec<_> = std::iter::repeat_n(None, a.e).chain((b.n..b.cols()).map(Some)).collect();
    let mut rest = a.remap(&visible, &mine);
    let mut conditions = b.clone();
    for (k, f) in divs::definitions(b).iter().enumerate() {
        let f = f.as_ref().expect("the subtrahend has explicit floors only");
        let rows = divs::floor_rows(b, k, f)?;
        conditions.ge.retain(|r| rows.iter().all(|d| d.as_slice() != r));
        let mut def = Sys::universe(b.n, b.e);
        for r in &rows {
            def.ge.push(r);
        }
        rest.ge.v.extend(def.remap(&visible, &theirs).ge.v);
    }
    cut_off(rest, &conditions.remap(&visible, &theirs), out, bud)
}

/// Appends the parts of `rest` that violate a row of `conditions` and none of the rows before it. Columns are the same.
fn cut_off<T: Int>(mut rest: Sys<T>, conditions: &Sys<T>, out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    for r in conditions.eq.rows() {
        for side in [r.to_vec(), negated(r)] {
            if !rest.implies_on_sight(&side) {
                push_if_any(&rest, &complement(&side)?, out, bud)?;
            }
        }
        rest.eq.push(r);
    }
    for r in conditions.ge.rows() {
        if !rest.implies_on_sight(r) {
            push_if_any(&rest, &complement(r)?, out, bud)?;
            rest.ge.push(r);
        }
    }
    Ok(())
}

fn push_if_any<T: Int>(base: &Sys<T>, row: &[T], out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    // Each piece may be kept: its memory counts too.
    bud.step(1 + (base.eq.v.len() + base.ge.v.len()) / 32)?;
    let mut piece = base.clone();
    piece.ge.push(row);
    if solve::is_empty(&piece, bud)? {
        return Ok(());
    }
    out.extend(elim::project_owned(piece, bud)?);
    Ok(())
}

/// Equivalent union of pairwise disjoint pieces.
pub(crate) fn disjoint<T: Int>(a: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut out: Vec<Sys<T>> = Vec::new();
    for s in a {
        let have: Vec<&Sys<T>> = out.iter().collect();
        let mut new = subtract(&[s], &have, bud)?;
        new.retain(|s| !s.is_contradiction());
        out.extend(new);
    }
    Ok(out)
}
