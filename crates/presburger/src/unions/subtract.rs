//! Exact difference, inclusion and disjoint unions of unions of conjunctions.

use crate::budget::Budget;
use crate::num::{FastSet, Int, Res};
use crate::system::bounds::Bounds;
use crate::system::divs;
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Sys, complement, negated};
use crate::unions::align;
use crate::unions::hull::widen_row;
use crate::unions::points;

/// `a \ b` as a union of disjoint non-empty pieces (disjoint within each piece of `a`).
pub(crate) fn subtract<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    Subtrahend::of(b, a.len()).take_from(a, Wanted::All, bud)
}

/// Pairs of pieces from which on it pays to compare their boxes first.
const MANY_PAIRS: usize = 16;

/// What is wanted of a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// Any piece with a point, if there is one.
    One,
}

/// Pieces to be taken away, made ready one by one as they are needed.
struct Subtrahend<'b, T> {
    pieces: &'b [&'b Sys<T>],
    /// Whether boxes are compared.
    boxes: bool,
    /// Per piece its parts with explicit floors only.
    ready: Vec<Vec<(Bounds<T>, Sys<T>)>>,
}

impl<'b, T: Int> Subtrahend<'b, T> {
    /// To be taken from so many pieces.
    fn of(pieces: &'b [&'b Sys<T>], count: usize) -> Self {
        Self { pieces, boxes: pieces.len() * count >= MANY_PAIRS, ready: Vec::new() }
    }

    fn parts(&mut self, k: usize, bud: &Budget) -> Res<&[(Bounds<T>, Sys<T>)]> {
        while self.ready.len() <= k {
            let s = elim::thinned(self.pieces[self.ready.len()], bud)?;
            let parts = divs::explicit(s.as_ref(), bud)?;
            let boxes = self.boxes;
            self.ready.push(parts.into_iter().map(|s| with_bounds(s, boxes)).collect());
        }
        Ok(&self.ready[k])
    }

    /// As [`subtract`], or one piece of it.
    fn take_from(&mut self, a: &[&Sys<T>], wanted: Wanted, bud: &Budget) -> Res<Vec<Sys<T>>> {
        let boxes = self.boxes;
        let mut rest = Vec::with_capacity(a.len());
        for s in a {
            // Pieces that boxes tell apart from all others are not looked at again.
            if !boxes || !solve::is_empty(s, bud)? {
                rest.push(with_bounds(elim::thinned(s, bud)?.into_owned(), boxes));
            }
        }
        let mut left = Vec::new();
        for k in 0..self.pieces.len() {
            if rest.is_empty() {
                break;
            }
            let last = k + 1 == self.pieces.len();
            let parts = self.parts(k, bud)?;
            for (i, (own, s)) in parts.iter().enumerate() {
                let wanted = if last && i + 1 == parts.len() { wanted } else { Wanted::All };
                let mut next = Vec::with_capacity(rest.len());
                for (bounds, r) in rest {
                    bud.step(1)?;
                    if bounds.apart(own, 0) {
                        next.push((bounds, r));
                    } else {
                        subtract_piece(r, s, wanted, &mut left, bud)?;
                        if wanted == Wanted::One && !left.is_empty() {
                            return Ok(left);
                        }
                        next.extend(left.drain(..).map(|s| with_bounds(s, boxes)));
                    }
                }
                rest = next;
            }
        }
        Ok(rest.into_iter().map(|r| r.1).collect())
    }
}

/// The piece with its box, if boxes are compared.
fn with_bounds<T: Int>(s: Sys<T>, boxes: bool) -> (Bounds<T>, Sys<T>) {
    (if boxes { Bounds::of(&s) } else { Bounds::unknown() }, s)
}

/// True iff every point of `a` is in `b`.
pub(crate) fn is_subset<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<bool> {
    if let [only] = b
        && only.e == 0
    {
        for s in a {
            if !within(s, only, bud)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let known = Pieces::of(b);
    // One point of a piece outside of all others is found before any difference.
    let mut open = Vec::new();
    for s in a.iter().filter(|s| !known.contains(s)) {
        let Some(x) = solve::sample(s, bud)? else { continue };
        if !any_holds_at(b, &x[..s.n], bud)? {
            return Ok(false);
        }
        open.push(*s);
    }
    let mut others = Subtrahend::of(b, open.len());
    for s in open {
        for r in others.take_from(&[s], Wanted::One, bud)? {
            if !solve::is_empty(&r, bud)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Pieces to be found again; hashed where they are many.
struct Pieces<'a, T> {
    list: &'a [&'a Sys<T>],
    hashed: Option<FastSet<&'a Sys<T>>>,
}

impl<'a, T: Int> Pieces<'a, T> {
    /// Below so many pieces comparing them costs less than hashing them.
    const FEW: usize = 8;

    fn of(list: &'a [&'a Sys<T>]) -> Self {
        Self { list, hashed: (list.len() >= Self::FEW).then(|| list.iter().copied().collect()) }
    }

    fn contains(&self, s: &Sys<T>) -> bool {
        self.hashed.as_ref().map_or_else(|| self.list.contains(&s), |set| set.contains(s))
    }
}

/// Whether a visible point is in some piece.
fn any_holds_at<T: Int>(list: &[&Sys<T>], x: &[T], bud: &Budget) -> Res<bool> {
    let at: Vec<T> = x.iter().cloned().chain([T::one()]).collect();
    for s in list {
        bud.step(1)?;
        if points::holds_at(s, &at, bud)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True iff no point is in a piece of each.
pub(crate) fn is_disjoint<T: Int>(a: &[&Sys<T>], b: &[&Sys<T>], bud: &Budget) -> Res<bool> {
    for s in a {
        for t in b.iter().filter(|t| !s.clashes_on_sight(t)) {
            let meets = if s == t {
                !solve::is_empty(s, bud)?
            } else {
                let mut both = s.meet(t);
                both.tidy() && !solve::is_empty(&both, bud)?
            };
            if meets {
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
fn subtract_piece<T: Int>(a: Sys<T>, b: &Sys<T>, wanted: Wanted, out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
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
        return cut_off(a, b, wanted, out, bud);
    }
    if a.e > 0
        && b.e > 0
        && a.e + b.e >= MANY_FLOORS
        && let (Some(x), Some(y)) = (align::canonical(&a)?, align::canonical(b)?)
    {
        let common = align::align(&x, &y, a.n, bud)?;
        let hidden = |s: Sys<T>| Sys { n: a.n, e: common.floors.len(), ..s };
        let (mut rest, conditions) = (hidden(common.first), hidden(common.second));
        rest.ge.v.extend(common.floor_rows.v);
        return cut_off(rest, &conditions, wanted, out, bud);
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
    cut_off(rest, &conditions.remap(&visible, &theirs), wanted, out, bud)
}

/// Appends the parts of `rest` that violate a row of `conditions` and none of the rows before it. Columns are the same.
fn cut_off<T: Int>(
    mut rest: Sys<T>,
    conditions: &Sys<T>,
    wanted: Wanted,
    out: &mut Vec<Sys<T>>,
    bud: &Budget,
) -> Res<()> {
    let enough = |out: &Vec<Sys<T>>| wanted == Wanted::One && !out.is_empty();
    for r in conditions.eq.rows() {
        for side in [r.to_vec(), negated(r)] {
            if !rest.implies_on_sight(&side) {
                push_if_any(&rest, &complement(&side)?, wanted, out, bud)?;
            }
            if enough(out) {
                return Ok(());
            }
        }
        rest.eq.push(r);
    }
    for r in conditions.ge.rows() {
        if !rest.implies_on_sight(r) {
            push_if_any(&rest, &complement(r)?, wanted, out, bud)?;
            if enough(out) {
                return Ok(());
            }
            rest.ge.push(r);
        }
    }
    Ok(())
}

fn push_if_any<T: Int>(base: &Sys<T>, row: &[T], wanted: Wanted, out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    // Each piece may be kept: its memory counts too.
    bud.step(1 + (base.eq.v.len() + base.ge.v.len()) / 32)?;
    let mut piece = base.clone();
    piece.ge.push(row);
    if solve::is_empty(&piece, bud)? {
        return Ok(());
    }
    match wanted {
        Wanted::All => out.extend(elim::project_owned(piece, bud)?),
        Wanted::One => out.push(piece),
    }
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
