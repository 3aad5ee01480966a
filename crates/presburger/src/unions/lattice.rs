//! The smallest lattice around a set of integer points, and the bounds of a loop nest that scans them.
//! A lattice is `x0 + Z b1 + ... + Z bk`. It starts as one point of the set; while some point lies outside, the
//! difference joins the basis. Points outside are found by exact emptiness tests of the lattice's congruences, which a
//! diagonal form of the basis gives.
//! Sources: Schrijver, Theory of Linear and Integer Programming, 1986 (Hermite and Smith forms, Fourier-Motzkin
//! elimination).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::Tab;
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, negated};

/// A point and a basis in echelon form: each row's first non-zero entry is positive and right of that of the row above.
pub(crate) struct Lattice<T> {
    pub origin: Vec<T>,
    pub basis: Vec<Vec<T>>,
}

/// `form . (x - x0)` is a multiple of `modulus` on the lattice, zero if that is zero. Forms with modulus 1 say nothing.
struct Congruence<T> {
    form: Vec<T>,
    modulus: T,
}

/// `a - q b`
fn reduced<T: Int>(a: &[T], q: &T, b: &[T]) -> Res<Vec<T>> {
    let nq = q.neg();
    a.iter().zip(b).map(|(x, y)| T::lin(&T::one(), x, &nq, y)).collect()
}

fn lead<T: Int>(row: &[T]) -> Option<usize> {
    row.iter().position(|x| !x.is_zero())
}

/// Rows that span the same lattice in echelon form (Euclid's algorithm column by column).
pub(crate) fn echelon<T: Int>(mut rows: Vec<Vec<T>>, bud: &Budget) -> Res<Vec<Vec<T>>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut out: Vec<Vec<T>> = Vec::new();
    for c in 0..width {
        loop {
            bud.step(1 + rows.len())?;
            let mut here: Vec<usize> = (0..rows.len()).filter(|k| lead(&rows[*k]) == Some(c)).collect();
            here.sort_by(|a, b| rows[*a][c].abs().cmp(&rows[*b][c].abs()));
            let Some(&p) = here.first() else { break };
            if here.len() == 1 {
                let row = rows.swap_remove(p);
                out.push(if row[c].is_neg() { negated(&row) } else { row });
                break;
            }
            let pivot = if rows[p][c].is_neg() { negated(&rows[p]) } else { rows[p].clone() };
            for &k in &here[1..] {
                let q = rows[k][c].fdiv(&pivot[c]);
                rows[k] = reduced(&rows[k], &q, &pivot)?;
            }
            rows.retain(|r| lead(r).is_some());
        }
    }
    Ok(out)
}

/// The congruences of the lattice spanned by `basis` in `n` dimensions: a diagonal form of the basis by row and column
/// operations, of which the column operations give the forms.
fn congruences<T: Int>(basis: &[Vec<T>], n: usize, bud: &Budget) -> Res<Vec<Congruence<T>>> {
    let mut b: Vec<Vec<T>> = basis.to_vec();
    let mut forms: Vec<Vec<T>> = (0..n).map(|c| (0..n).map(|r| T::of(i64::from(r == c))).collect()).collect();
    for t in 0..b.len() {
        loop {
            bud.step(1 + n)?;
            let entries = (t..b.len()).flat_map(|r| (t..n).map(move |c| (r, c))).filter(|(r, c)| !b[*r][*c].is_zero());
            let (r, c) =
                entries.min_by(|x, y| b[x.0][x.1].abs().cmp(&b[y.0][y.1].abs())).expect("basis rows are independent");
            b.swap(t, r);
            b.iter_mut().for_each(|row| row.swap(t, c));
            forms.swap(t, c);
            if b[t][t].is_neg() {
                b[t] = negated(&b[t]);
            }
            let pivot = b[t].clone();
            for row in &mut b[t + 1..] {
                let q = row[t].fdiv(&pivot[t]);
                *row = reduced(row, &q, &pivot)?;
            }
            for c in t + 1..n {
                let q = pivot[c].fdiv(&pivot[t]);
                let nq = q.neg();
                for row in b.iter_mut() {
                    row[c] = T::lin(&T::one(), &row[c], &nq, &row[t])?;
                }
                forms[c] = reduced(&forms[c], &q, &forms[t].clone())?;
            }
            let clear = (t + 1..b.len()).all(|r| b[r][t].is_zero()) && (t + 1..n).all(|c| b[t][c].is_zero());
            if clear {
                break;
            }
        }
    }
    let modulus = |c: usize| if c < b.len() { b[c][c].abs() } else { T::zero() };
    Ok(forms.into_iter().enumerate().map(|(c, form)| Congruence { modulus: modulus(c), form }).collect())
}

/// The row `form . (x - origin)` over the columns of a system with `width` columns.
fn centred<T: Int>(form: &[T], origin: &[T], width: usize) -> Res<Vec<T>> {
    let mut row = form.to_vec();
    row.resize(width + 1, T::zero());
    row[width] = T::dot(form, origin)?.neg();
    Ok(row)
}

/// A visible point of `s` that breaks the congruence.
fn breaking<T: Int>(s: &Sys<T>, c: &Congruence<T>, origin: &[T], bud: &Budget) -> Res<Option<Vec<T>>> {
    let mut tests = Vec::new();
    if c.modulus.is_zero() {
        for sign in [1, -1] {
            let mut t = s.clone();
            let row = centred(&c.form, origin, t.cols())?;
            let mut row = if sign > 0 { row } else { negated(&row) };
            let last = row.len() - 1;
            row[last] = row[last].sub(&T::one())?;
            t.ge.push(&row);
            tests.push(t);
        }
    } else {
        // 1 <= form . (x - x0) - modulus e <= modulus - 1
        let mut t = s.clone();
        let e = t.add_exists(1);
        let mut low = centred(&c.form, origin, t.cols())?;
        low[e] = c.modulus.neg();
        let mut high = negated(&low);
        let last = low.len() - 1;
        low[last] = low[last].sub(&T::one())?;
        high[last] = high[last].add(&c.modulus)?.sub(&T::one())?;
        t.ge.push(&low);
        t.ge.push(&high);
        tests.push(t);
    }
    for t in tests {
        if let Some(x) = solve::sample(&t, bud)? {
            return Ok(Some(x[..s.n].to_vec()));
        }
    }
    Ok(None)
}

/// The smallest lattice that holds the visible points of all pieces; `None` if there is no point.
pub(crate) fn around<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Option<Lattice<T>>> {
    let mut list = Vec::with_capacity(pieces.len());
    for s in pieces {
        list.extend(elim::simplify(s, bud)?);
    }
    let mut first = None;
    for s in &list {
        if first.is_none() {
            first = solve::sample(s, bud)?.map(|x| x[..s.n].to_vec());
        }
    }
    let Some(origin) = first else { return Ok(None) };
    let n = origin.len();
    let mut lattice = Lattice { origin, basis: Vec::new() };
    // Congruences that hold for all pieces stay so while the lattice grows around other points, but their forms change:
    // test again.
    'grow: loop {
        for c in congruences(&lattice.basis, n, bud)?.iter().filter(|c| !c.modulus.is_one()) {
            for s in &list {
                if let Some(x) = breaking(s, c, &lattice.origin, bud)? {
                    lattice.basis.push(reduced(&x, &T::one(), &lattice.origin)?);
                    lattice.basis = echelon(lattice.basis, bud)?;
                    continue 'grow;
                }
            }
        }
        return Ok(Some(lattice));
    }
}

/// The lattice as a conjunction: equalities and strides. `None`: no points.
pub(crate) fn hull<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Option<Sys<T>>> {
    let Some(lattice) = around(pieces, bud)? else { return Ok(None) };
    let n = lattice.origin.len();
    let mut out = Sys::universe(n, 0);
    for c in congruences(&lattice.basis, n, bud)?.iter().filter(|c| !c.modulus.is_one()) {
        let e = if c.modulus.is_zero() { None } else { Some(out.add_exists(1)) };
        let mut row = centred(&c.form, &lattice.origin, out.cols())?;
        if let Some(e) = e {
            row[e] = c.modulus.clone();
        }
        out.eq.push(&row);
    }
    elim::project(&out, bud)
}

/// Bounds of a loop nest over the visible columns from `first` on, outermost first: entry `k` has the rows over the
/// columns up to `first + k` that use that column; the guard before them those over the columns before `first`.
/// Fourier-Motzkin elimination from the innermost column outwards, then rows that outer levels imply are dropped.
/// `None`: no rational point.
pub(crate) fn nest<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Option<Vec<Sys<T>>>> {
    let mut levels: Vec<Sys<T>> = Vec::new();
    // From the innermost level outwards: each projection starts from the previous one's rows.
    let mut inner = s.clone();
    for keep in (first..=s.n).rev() {
        let Some(all) = elim::rational_bounds(&inner, keep, bud)? else { return Ok(None) };
        levels.push(all.clone());
        inner = all;
    }
    levels.reverse();
    let mut outer: Sys<T> = Sys::universe(first, 0);
    let mut out = Vec::with_capacity(levels.len());
    for (k, all) in levels.into_iter().enumerate() {
        let level = if k == 0 { all } else { own_rows(all, &outer, bud)? };
        let cols: Vec<Option<usize>> = (0..level.n).map(|c| (c < outer.n).then_some(c)).collect();
        outer = outer.remap(&cols, &[]).meet(&level);
        out.push(level);
    }
    Ok(Some(out))
}

/// The rows of `all` that use its last column and do not follow from the outer levels and each other.
fn own_rows<T: Int>(all: Sys<T>, outer: &Sys<T>, bud: &Budget) -> Res<Sys<T>> {
    let c = all.n - 1;
    let mut own = all;
    own.eq.retain(|r| !r[c].is_zero());
    own.ge.retain(|r| !r[c].is_zero());
    let cols: Vec<Option<usize>> = (0..=c).map(|k| (k < outer.n).then_some(k)).collect();
    let context = outer.remap(&cols, &[]);
    let mut both = own.clone();
    both.eq.v.extend_from_slice(&context.eq.v);
    both.ge.v.extend_from_slice(&context.ge.v);
    let mut tab = Tab::new(&both, bud)?;
    if tab.is_empty() {
        return Ok(own);
    }
    let mut kept = Mat::new(own.ge.w);
    for k in 0..own.ge.len() {
        if !tab.drop_if_redundant(k, bud)? {
            kept.push(own.ge.row(k));
        }
    }
    own.ge = kept;
    Ok(own)
}
