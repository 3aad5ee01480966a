//! Lexicographic minima of conjunctions with equalities: the integer solutions of these are a lattice, whose basis in
//! echelon form gives new columns in the order of the old ones, without equalities and with fewer existentials.
//! Source: Schrijver, Theory of Linear and Integer Programming, 1986 (Hermite form).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::elim;
use crate::system::sys::Sys;
use crate::unions::lattice::echelon;

/// The integer solutions of equalities: `origin` plus integer multiples of `basis`. The basis is in echelon form with
/// positive leading entries; an entry above another row's leading one is not negative and less than that.
struct Solutions<T> {
    origin: Vec<T>,
    basis: Vec<Vec<T>>,
}

/// The first column that the row uses.
fn lead<T: Int>(row: &[T]) -> Option<usize> {
    row.iter().position(|x| !x.is_zero())
}

/// The solutions of the equalities of `s` over all its columns; `None` if there is none.
fn solutions<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Option<Solutions<T>>> {
    let (count, columns) = (s.eq.len(), s.cols());
    // Columns of the rows: what each equality becomes, a factor of the constants, then the columns of `s`.
    let mut rows: Vec<Vec<T>> = Vec::with_capacity(columns + 1);
    for k in (0..=columns).map(|k| if k == 0 { columns } else { k - 1 }) {
        let mut row: Vec<T> = s.eq.rows().map(|r| r[k].clone()).collect();
        row.resize(count + columns + 1, T::zero());
        row[count + (k + 1) % (columns + 1)] = T::one();
        rows.push(row);
    }
    let rows = echelon(rows, bud)?;
    let mut kernel: Vec<Vec<T>> =
        rows.into_iter().filter(|r| lead(r) >= Some(count)).map(|r| r[count..].to_vec()).collect();
    if kernel.first().is_none_or(|r| !r[0].is_one()) {
        return Ok(None);
    }
    for i in 0..kernel.len() {
        let (above, below) = kernel.split_at_mut(i + 1);
        for row in below {
            bud.step(1)?;
            let c = lead(row).expect("rows of a basis are not zero");
            let times = above[i][c].fdiv(&row[c]).neg();
            T::lin_rows(&T::one(), &mut above[i], &times, row)?;
        }
    }
    let mut kernel = kernel.into_iter().map(|r| r[1..].to_vec());
    let origin = kernel.next().expect("the factor of the constants leads a row");
    Ok(Some(Solutions { origin, basis: kernel.collect() }))
}

/// Whether solving equalities takes columns from `first` on away.
pub(super) fn applies<T: Int>(s: &Sys<T>, first: usize) -> bool {
    (first..s.cols()).any(|c| s.eq.uses(c))
}

/// The points of `s` that are lexicographically smallest in columns `first..n` for their values of columns `0..first`,
/// given how to find those of a conjunction without equalities from a column on.
pub(super) fn lexmin<T: Int>(
    s: &Sys<T>,
    first: usize,
    minimum: impl Fn(&Sys<T>, usize) -> Res<Vec<Sys<T>>>,
    bud: &Budget,
) -> Res<Vec<Sys<T>>> {
    let Some(all) = solutions(s, bud)? else { return Ok(Vec::new()) };
    let leads: Vec<usize> = all.basis.iter().filter_map(|r| lead(r)).collect();
    let before = |end: usize| leads.iter().filter(|c| **c < end).count();
    let (params, visible) = (before(first), before(s.n));
    let mut free = Sys::universe(visible, all.basis.len() - visible);
    for r in s.ge.rows() {
        let (linear, constant) = r.split_at(s.cols());
        for b in &all.basis {
            free.ge.v.push(T::dot(linear, b)?);
        }
        free.ge.v.push(T::dot(linear, &all.origin)?.add(&constant[0])?);
    }
    bud.step(1 + s.ge.len())?;
    if !free.tidy() {
        return Ok(Vec::new());
    }
    let to: Vec<usize> = (s.n..s.n + visible).collect();
    let mut out = Vec::new();
    for least in minimum(&free, params)? {
        let mut whole = Sys::join(s.n, visible, &[(&least, &to)]);
        for (c, value) in all.origin[..s.n].iter().enumerate() {
            let mut row = vec![T::zero(); whole.cols() + 1];
            row[c] = T::of(-1);
            for (k, b) in all.basis[..visible].iter().enumerate() {
                row[s.n + k] = b[c].clone();
            }
            row[whole.cols()] = value.clone();
            whole.eq.push(&row);
        }
        out.extend(elim::project_owned(whole, bud)?);
    }
    Ok(out)
}
