//! Joins of conjunctions along columns with the columns in between projected out, exactly: domains and ranges,
//! composition, differences. The join is built with those columns as existentials at once, so that no row is copied
//! twice.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Sys, linear_hash};

/// Sizes of the tuples of two relations that meet: `[params | first]`, `[params | mid]`, `[params | last]`.
pub(crate) struct Chain {
    pub params: usize,
    pub first: usize,
    pub mid: usize,
    pub last: usize,
}

/// Pieces without those that contradict themselves, a universe alone if there is one, none twice.
struct Union<T> {
    list: Vec<Sys<T>>,
    /// A number per piece that equal ones share: comparing these first spares most of the rows.
    marks: Vec<u64>,
}

impl<T: Int> Union<T> {
    fn new() -> Self {
        Self { list: Vec::new(), marks: Vec::new() }
    }

    /// Whether nothing can be added.
    fn is_universe(&self) -> bool {
        self.list.first().is_some_and(Sys::is_universe)
    }

    /// Adds a piece without its visible columns `first..first + count`.
    fn add_shadow(&mut self, s: &Sys<T>, first: usize, count: usize, bud: &Budget) -> Res<()> {
        let piece = match without_column(s, first, count, bud)? {
            Shadow::Exact(piece) => piece,
            Shadow::Unknown => elim::project_owned(s.hide(first, count), bud)?,
        };
        self.add(piece);
        Ok(())
    }

    fn add(&mut self, piece: Option<Sys<T>>) {
        let Some(s) = piece else { return };
        if self.is_universe() {
            return;
        }
        if s.is_universe() {
            self.list = vec![s];
            return;
        }
        let mark = linear_hash(&s.eq.v) ^ linear_hash(&s.ge.v);
        if self.marks.iter().zip(&self.list).all(|(m, t)| *m != mark || *t != s) {
            self.marks.push(mark);
            self.list.push(s);
        }
    }
}

/// Every piece without the visible columns `first..first + count`.
pub(crate) fn hide<T: Int>(pieces: &[&Sys<T>], first: usize, count: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut out = Union::new();
    for s in pieces {
        if s.n == count {
            // Nothing is left to be said but whether there is a point.
            out.add((!solve::is_empty(s, bud)?).then(|| Sys::universe(0, 0)));
        } else {
            out.add_shadow(s, first, count, bud)?;
        }
        if out.is_universe() {
            break;
        }
    }
    Ok(out.list)
}

/// What is found at once of a piece without one of its columns.
enum Shadow<T> {
    /// `None`: no point.
    Exact(Option<Sys<T>>),
    Unknown,
}

/// Pairs of bounds up to which a Fourier-Motzkin step needs no thought.
const FEW_PAIRS: usize = 4;

/// A Fourier-Motzkin step straight from the rows of the piece: one column, inequalities only, and in each pair of its
/// bounds a unit coefficient.
fn without_column<T: Int>(s: &Sys<T>, c: usize, count: usize, bud: &Budget) -> Res<Shadow<T>> {
    if count != 1 || s.n == 1 || s.e > 0 || !s.eq.is_empty() {
        return Ok(Shadow::Unknown);
    }
    let side = |sign: i32| s.ge.rows().filter(move |r| r[c].sgn() == sign);
    let (lower, upper) = (side(1).count(), side(-1).count());
    if lower * upper > FEW_PAIRS || !(side(1).all(|r| r[c].is_one()) || side(-1).all(|r| r[c].is_unit())) {
        return Ok(Shadow::Unknown);
    }
    bud.step(1 + s.ge.len())?;
    let mut out = Sys::universe(s.n - 1, 0);
    out.ge.v.reserve((s.ge.len() - lower - upper + lower * upper) * s.n);
    let others = || (0..=s.n).filter(|k| *k != c);
    for r in side(0) {
        out.ge.v.extend(others().map(|k| r[k].clone()));
    }
    for l in side(1) {
        for u in side(-1) {
            let (a, b) = (u[c].neg(), &l[c]);
            for k in others() {
                out.ge.v.push(T::lin(&a, &l[k], b, &u[k])?);
            }
        }
    }
    if !out.tidy() {
        return Ok(Shadow::Exact(None));
    }
    // Opposite rows have become equalities, which may give columns.
    Ok(Shadow::Exact(if out.eq.is_empty() { Some(out) } else { elim::project_owned(out, bud)? }))
}

/// `{ a -> c : a -> b in f, b -> c in g }`, columns as `sizes` says.
pub(crate) fn chain<T: Int>(f: &[&Sys<T>], g: &[&Sys<T>], sizes: &Chain, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let (np, ni, nm, no) = (sizes.params, sizes.first, sizes.mid, sizes.last);
    let n = np + ni + no;
    let left: Vec<usize> = (0..np + ni).chain(n..n + nm).collect();
    let right: Vec<usize> = (0..np).chain(n..n + nm).chain(np + ni..n).collect();
    let mut out = Union::new();
    for x in f {
        for y in g {
            out.add(elim::project_owned(Sys::join(n, nm, &[(x, &left), (y, &right)]), bud)?);
        }
    }
    Ok(out.list)
}

/// `{ b - a : a -> b in pieces }`, both of `n` dims after `params` parameters.
pub(crate) fn deltas<T: Int>(pieces: &[&Sys<T>], params: usize, n: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let to: Vec<usize> = (0..params).chain(params + n..params + 2 * n).chain(params..params + n).collect();
    let mut out = Union::new();
    for s in pieces {
        let mut s = Sys::join(params + n, n, &[(s, &to)]);
        // Columns [params | b | a]: b is a + difference.
        for m in [&mut s.eq, &mut s.ge] {
            for i in 0..m.len() {
                let row = m.row_mut(i);
                for d in params..params + n {
                    row[d + n] = row[d + n].add(&row[d])?;
                }
            }
        }
        out.add(elim::project_owned(s, bud)?);
    }
    Ok(out.list)
}
