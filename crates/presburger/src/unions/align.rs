//! Two conjunctions over one list of floors, so that their rows can be compared column by column.
//! A floor has a value for every point, so a piece may be given floors that its own rows do not use. Equal floors of
//! one or both pieces share a column: they are brought to constant 0 first where the rows allow it, `x = 4e + 1` to
//! `x = 4 floor(x / 4) + 1`. Congruences of one form with different remainders take a floor by what their moduli and
//! remainders have in common: `x = 1 mod 4` and `x = 3 mod 4` are both `x = 1 mod 2`.
//! Within a piece a floor may be a number, or another floor: rows that say so make the pieces comparable (`settled`).
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (aligned integer divisions).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::divs::{self, Floor};
use crate::system::sys::{Mat, Sys};

/// A conjunction whose existentials are floors in canonical form, all as visible columns.
#[derive(Clone)]
pub(crate) struct Canonical<T> {
    sys: Sys<T>,
    floors: Vec<Floor<T>>,
}

/// Both pieces over `[visible | common floors | 1]`, without existentials.
pub(crate) struct Aligned<T> {
    /// Without the rows that define floors.
    pub first: Sys<T>,
    /// Without the rows that define floors.
    pub second: Sys<T>,
    /// The rows `0 <= num - den * floor < den` of each common floor.
    pub floor_rows: Mat<T>,
    /// What each common floor is, over the columns before it.
    pub floors: Vec<Floor<T>>,
    /// Whether rows of either are common congruences, which depend on the other.
    pub congruent: bool,
}

/// `None` unless every existential is an explicit floor of the columns before it.
pub(crate) fn canonical<T: Int>(s: &Sys<T>) -> Res<Option<Canonical<T>>> {
    let mut s = s.clone();
    let mut floors = Vec::with_capacity(s.e);
    for k in 0..s.e {
        let (c, last) = (s.n + k, s.cols());
        let Some((mut row, pair)) = divs::find(&s, c, |j| j < c) else { return Ok(None) };
        let den = row[c].neg();
        // num - den e, without the constant, lies from `low` to `high`.
        let width = match pair {
            Some((u, l)) => s.ge.row(u)[last].add(&s.ge.row(l)[last])?,
            None => T::zero(),
        };
        let (mut low, mut high) = (row[last].neg(), width.sub(&row[last])?);
        if row[..c].iter().rev().find(|x| !x.is_zero()).is_some_and(Int::is_neg) {
            row[..c].iter_mut().for_each(|x| *x = x.neg());
            (low, high) = (high.neg(), low.neg());
            for m in [&mut s.eq, &mut s.ge] {
                (0..m.len()).for_each(|i| m.row_mut(i)[c] = m.row(i)[c].neg());
            }
        }
        // Within one period e is floor(num / den) and a constant, otherwise the floor needs a constant too.
        let period = low.fdiv(&den);
        let one_period = period == high.fdiv(&den);
        let shift = if one_period { period.neg() } else { low.neg().fdiv(&den) };
        row[last] = if one_period { T::zero() } else { low.neg().modulo(&den) };
        for m in [&mut s.eq, &mut s.ge] {
            for i in 0..m.len() {
                let r = m.row_mut(i);
                r[last] = T::lin(&T::one(), &r[last], &shift, &r[c])?;
            }
        }
        let mut num = row[..c].to_vec();
        num.push(row[last].clone());
        floors.push(Floor { num, den });
    }
    Ok(Some(Canonical { sys: Sys { n: s.cols(), e: 0, eq: s.eq, ge: s.ge }, floors }))
}

/// Both over the floors of `a` and those of `b` that `a` has not; `n` columns are visible.
pub(crate) fn align<T: Int>(a: &Canonical<T>, b: &Canonical<T>, n: usize, bud: &Budget) -> Res<Aligned<T>> {
    joined(a, b, n, &[], bud)
}

/// As [`align`], with floors by what congruences of the two have in common, and these common congruences as rows of
/// both.
pub(crate) fn align_congruent<T: Int>(a: &Canonical<T>, b: &Canonical<T>, n: usize, bud: &Budget) -> Res<Aligned<T>> {
    let mut common = Vec::new();
    let theirs = congruences(&b.sys, &b.floors, n);
    for (form, den, rest) in congruences(&a.sys, &a.floors, n) {
        for (_, other, rest_too) in theirs.iter().filter(|t| t.0 == form) {
            let g = den.gcd(other).gcd(&rest.sub(rest_too)?);
            if !g.is_one() && (g != den || g != *other) {
                common.push((form.clone(), g.clone(), rest.modulo(&g)));
            }
        }
    }
    joined(a, b, n, &common, bud)
}

/// `form - den * floor(form / den) = rest` over the visible columns: `form` without a constant, `den`, `rest`.
type Congruence<T> = (Vec<T>, T, T);

fn joined<T: Int>(
    a: &Canonical<T>,
    b: &Canonical<T>,
    n: usize,
    common: &[Congruence<T>],
    bud: &Budget,
) -> Res<Aligned<T>> {
    bud.step(1 + a.sys.ge.len() + b.sys.ge.len())?;
    let mut floors = Vec::with_capacity(a.floors.len() + b.floors.len() + common.len());
    let place_a = placed(&a.floors, &mut floors, n)?;
    let place_b = placed(&b.floors, &mut floors, n)?;
    let mut at = Vec::with_capacity(common.len());
    for (form, den, _) in common {
        let mut num = form.clone();
        num.resize(n + floors.len() + 1, T::zero());
        at.push(n + position(&mut floors, Floor { num, den: den.clone() }, n));
    }
    let cols = n + floors.len();
    let mut first = Sys::universe(cols, 0);
    let mut second = first.clone();
    scatter(&a.sys, &place_a, &mut first)?;
    scatter(&b.sys, &place_b, &mut second)?;
    for ((form, den, rest), c) in common.iter().zip(at) {
        let mut row = form.clone();
        row.resize(cols + 1, T::zero());
        row[c] = den.neg();
        row[cols] = rest.neg();
        first.eq.push(&row);
        second.eq.push(&row);
    }
    let mut floor_rows = Mat::new(cols + 1);
    let whole: Sys<T> = Sys::universe(n, floors.len());
    for (k, f) in floors.iter().enumerate() {
        for row in divs::floor_rows(&whole, k, f)? {
            floor_rows.push(&row);
        }
    }
    let defines = |r: &[T]| floor_rows.rows().any(|d| d == r);
    first.ge.retain(|r| !defines(r));
    second.ge.retain(|r| !defines(r));
    Ok(Aligned { first, second, floor_rows, floors, congruent: !common.is_empty() })
}

/// The columns of the visible columns and of the floors `own` in the list `floors`, to which new ones are added.
fn placed<T: Int>(own: &[Floor<T>], floors: &mut Vec<Floor<T>>, n: usize) -> Res<Vec<usize>> {
    let mut place: Vec<usize> = (0..n).collect();
    for f in own {
        let num = moved(&f.num, &place, n + floors.len() + 1)?;
        place.push(n + position(floors, Floor { num, den: f.den.clone() }, n));
    }
    Ok(place)
}

/// The row with its columns moved to `place`, over `width` columns. Equal floors have one place: their coefficients
/// add up.
fn moved<T: Int>(row: &[T], place: &[usize], width: usize) -> Res<Vec<T>> {
    let mut out = vec![T::zero(); width];
    for (x, to) in row.iter().zip(place) {
        out[*to] = out[*to].add(x)?;
    }
    out[width - 1].clone_from(&row[row.len() - 1]);
    Ok(out)
}

/// The index of a floor over all columns so far in the list, where it is added if it is new.
fn position<T: Int>(floors: &mut Vec<Floor<T>>, new: Floor<T>, n: usize) -> usize {
    let last = new.num.len() - 1;
    let same = |k: usize, f: &Floor<T>| {
        f.den == new.den
            && f.num[n + k] == new.num[last]
            && f.num[..n + k] == new.num[..n + k]
            && new.num[n + k..last].iter().all(Int::is_zero)
    };
    if let Some(k) = (0..floors.len()).find(|k| same(*k, &floors[*k])) {
        return k;
    }
    floors.push(new);
    floors.len() - 1
}

fn scatter<T: Int>(s: &Sys<T>, place: &[usize], out: &mut Sys<T>) -> Res<()> {
    for (from, to) in [(&s.eq, &mut out.eq), (&s.ge, &mut out.ge)] {
        for r in from.rows() {
            let row = moved(r, place, to.w)?;
            to.push(&row);
        }
    }
    Ok(())
}

/// The equalities that are congruences of the first `n` columns.
fn congruences<T: Int>(s: &Sys<T>, floors: &[Floor<T>], n: usize) -> Vec<Congruence<T>> {
    let last = s.cols();
    let mut out = Vec::new();
    for r in s.eq.rows() {
        let mut used = (n..last).filter(|c| !r[*c].is_zero());
        let (Some(c), None) = (used.next(), used.next()) else { continue };
        let f = &floors[c - n];
        let form: Vec<T> = if r[c].is_neg() { r[..n].to_vec() } else { r[..n].iter().map(Int::neg).collect() };
        let alone = f.num[n..].iter().all(Int::is_zero);
        if alone && f.den == r[c].abs() && f.num[..n] == form[..] {
            let rest = if r[c].is_neg() { r[last].neg() } else { r[last].clone() };
            out.push((form, f.den.clone(), rest));
        }
    }
    out
}
