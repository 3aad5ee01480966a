//! Exact number of points of a conjunction as a polynomial in its kept columns, piece by piece.
//! Existentials are explicit floors first, so each point is counted once with its floors. Columns are then summed one
//! at a time: equalities are substituted; where a bound on the column is not a multiple of its coefficient, a column is
//! split into its residue classes, unless there are many; with unit bounds, each choice of largest lower and smallest
//! upper bound gives a polynomial sum.
//! Sources: Faulhaber's formula; Pugh, Counting Solutions to Presburger Formulas, PLDI 1994.

use crate::budget::{Budget, Error};
use crate::count::{barvinok, enumerate};
use crate::functions::qpoly::Poly;
use crate::num::{Int, Res, Stop};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Sys, cancel, negated};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

/// A summation in progress. Column `c < keep` stands for `(c - rest) / scale` of the original column.
struct Job {
    sys: Sys<BigInt>,
    poly: Poly,
    lattice: Vec<(BigInt, BigInt)>,
}

/// What a summation is about: the columns that stay, and the residue classes that may be summed one by one.
struct Frame {
    keep: usize,
    most: usize,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    Infinite,
    /// More residue classes than [`MOST_CLASSES`].
    ManyClasses,
    Stop(Stop),
}

/// Residue classes that are summed one by one.
const MOST_CLASSES: usize = 16;

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Failed {
        Failed::Stop(stop)
    }
}

/// Domains over the first `keep` columns with quasi-polynomials in them; values of overlapping domains add up.
/// `s` has explicit floors only as existentials.
pub(crate) fn count(s: &Sys<BigInt>, keep: usize, bud: &Budget) -> Result<Pieces, Failed> {
    let one = Poly::constant(BigRational::one());
    if s.e > 0
        && let Some(list) = one_by_one(s, keep, FEW_POINTS, bud)?
    {
        return Ok(list);
    }
    match by_residues(s, keep, one, MOST_CLASSES, bud) {
        Err(Failed::ManyClasses) => {}
        other => return other,
    }
    if s.cols() - keep > FEW_COLUMNS
        && let Some(list) = one_by_one(s, keep, MANY_POINTS, bud)?
    {
        return Ok(list);
    }
    barvinok::count(s, keep, bud)
}

/// Points of a box that are tried at once where there are floors.
pub(crate) const FEW_POINTS: i64 = 1 << 14;

/// Points of a box that are tried where there are too many residue classes.
const MANY_POINTS: i64 = 1 << 22;

/// Columns up to which the cones at the vertices are few.
const FEW_COLUMNS: usize = 3;

/// Domains with quasi-polynomials in them.
pub(crate) type Pieces = Vec<(Sys<BigInt>, Poly)>;

/// The number as [`count`] gives it, without parameters and for a box of at most so many points.
fn one_by_one(s: &Sys<BigInt>, keep: usize, most: i64, bud: &Budget) -> Result<Option<Pieces>, Failed> {
    if keep > 0 {
        return Ok(None);
    }
    let number = enumerate::count(s, most, bud)?.map(BigRational::from_integer);
    Ok(number.map(|v| vec![(Sys::universe(0, 0), Poly::constant(v))]))
}

/// Sums of a polynomial over the columns of `s` (existentials too), as [`count`]; it has no floors.
pub(crate) fn sum(s: &Sys<BigInt>, keep: usize, poly: &Poly, bud: &Budget) -> Result<Pieces, Failed> {
    let share = bud.share(SUM_STEPS);
    match by_residues(s, keep, poly.clone(), MOST_CLASSES, &share) {
        Err(Failed::ManyClasses) => {}
        Err(Failed::Stop(Stop::Error(Error::Spent))) if share.size() == SUM_STEPS => {}
        other => return other,
    }
    drop(share);
    by_numbers(s, keep, poly, bud)
}

/// Steps for a sum column by column, after which points are counted.
const SUM_STEPS: u64 = 100_000;

/// As [`sum`], by numbers of points: a positive value of a column is the number of values from 1 up to it that a column
/// beside it may take; a power takes as many columns.
fn by_numbers(s: &Sys<BigInt>, keep: usize, poly: &Poly, bud: &Budget) -> Result<Pieces, Failed> {
    let mut all = Vec::new();
    for (powers, factor) in poly.by_powers(keep..s.cols()) {
        let used: Vec<usize> = (0..powers.len()).filter(|k| powers[*k] > 0).collect();
        for signs in 0..1_usize << used.len() {
            let (mut part, mut sign) = (Sys { n: s.cols(), e: 0, eq: s.eq.clone(), ge: s.ge.clone() }, 1_i64);
            for (k, column) in used.iter().enumerate() {
                let side: i64 = if signs >> k & 1 == 1 { -1 } else { 1 };
                sign *= side.pow(powers[*column]);
                add_up_to(&mut part, keep + column, side, powers[*column] as usize);
            }
            for (at, number) in count(&part, keep, bud)? {
                let value = number.mul(&factor).scaled(&BigRational::from_integer(BigInt::from(sign)));
                pay(&value, bud)?;
                all.push((at, value));
            }
        }
    }
    Ok(all)
}

/// Restricts `s` to where `side` times the column is positive, and adds columns from 1 up to that.
fn add_up_to(s: &mut Sys<BigInt>, column: usize, side: i64, count: usize) {
    let first = s.n;
    s.add_exists(count);
    (s.n, s.e) = (s.cols(), 0);
    let mut row = vec![BigInt::of(0); s.n + 1];
    row[column] = BigInt::of(side);
    for more in first..s.n {
        let (mut low, mut high) = (vec![BigInt::of(0); s.n + 1], row.clone());
        (low[more], low[s.n]) = (BigInt::of(1), BigInt::of(-1));
        high[more] = BigInt::of(-1);
        s.ge.push(&low);
        s.ge.push(&high);
    }
}

/// As [`sum`], over at most so many residue classes one by one.
fn by_residues(s: &Sys<BigInt>, keep: usize, poly: Poly, most: usize, bud: &Budget) -> Result<Pieces, Failed> {
    let open = Sys { n: s.cols(), e: 0, eq: s.eq.clone(), ge: s.ge.clone() };
    let mut todo = vec![Job { sys: open, poly, lattice: vec![(BigInt::of(1), BigInt::of(0)); keep] }];
    let frame = Frame { keep, most };
    let (mut done, mut classes) = (Vec::new(), 0);
    while let Some(mut job) = todo.pop() {
        bud.step(1)?;
        let Some(sys) = elim::simplify(&job.sys, bud)? else { continue };
        job.sys = sys;
        if solve::is_empty(&job.sys, bud)? {
            continue;
        }
        let before = todo.len();
        let split = step(job, &frame, &mut todo, &mut done, bud)?;
        classes += if split { todo.len() - before } else { 0 };
        if classes > most {
            return Err(Failed::ManyClasses);
        }
    }
    Ok(done)
}

/// One transformation of a simplified, non-empty job; whether that was a split into residue classes.
fn step(job: Job, frame: &Frame, todo: &mut Vec<Job>, done: &mut Pieces, bud: &Budget) -> Result<bool, Failed> {
    let keep = frame.keep;
    let n = job.sys.n;
    let live = |c: usize| job.sys.eq.uses(c) || job.sys.ge.uses(c);
    if let Some(i) = (0..job.sys.eq.len()).find(|i| job.sys.eq.row(*i)[keep..n].iter().any(|v| !Int::is_zero(v))) {
        return use_equality(job, i, frame, todo, bud);
    }
    if (keep..n).any(|c| !live(c)) {
        return Err(Failed::Infinite);
    }
    let Some(c) = cheapest(&job.sys, keep) else {
        done.push(finish(job, keep, bud)?);
        return Ok(false);
    };
    if let Some((x, modulus)) = column_to_split(&job.sys, c) {
        split_residues(&job, x, &modulus, frame, todo, bud)?;
        return Ok(true);
    }
    sum_column(&job, c, todo, bud)?;
    Ok(false)
}

/// Steps for a polynomial that was made: each product of columns takes about as long, and as much memory, as eight.
pub(super) fn pay(poly: &Poly, bud: &Budget) -> Res<()> {
    bud.step(8 * poly.terms())
}

/// Removes column `c`, which no row and no polynomial uses any more, by moving the last column into its place.
fn drop_column(sys: &Sys<BigInt>, poly: &Poly, c: usize) -> (Sys<BigInt>, Poly) {
    let last = sys.n - 1;
    let mut cols: Vec<Option<usize>> = (0..last).map(Some).collect();
    if c < last {
        cols[c] = Some(last);
    }
    let poly = if c < last { poly.substitute(last, &Poly::column(c)) } else { poly.clone() };
    (sys.remap(&cols, &[]), poly)
}

/// Substitutes a summed column by an equality, after shearing columns or splitting residues until its coefficient is a
/// unit.
fn use_equality(job: Job, i: usize, frame: &Frame, todo: &mut Vec<Job>, bud: &Budget) -> Result<bool, Failed> {
    let keep = frame.keep;
    let n = job.sys.n;
    let row = job.sys.eq.row(i).to_vec();
    let used: Vec<usize> = (keep..n).filter(|c| !Int::is_zero(&row[*c])).collect();
    let p = *used.iter().min_by_key(|c| Int::abs(&row[**c])).expect("the equality uses a summed column");
    if row[p].is_unit() {
        let mut sys = job.sys;
        sys.eq.take(i);
        for m in [&mut sys.eq, &mut sys.ge] {
            for k in 0..m.len() {
                cancel(m.row_mut(k), &row, p)?;
            }
        }
        let mut value = if Int::is_pos(&row[p]) { negated(&row) } else { row.clone() };
        value[p] = BigInt::of(0);
        let poly = job.poly.substitute(p, &Poly::affine(&value, &BigInt::of(1)));
        let (sys, poly) = drop_column(&sys, &poly, p);
        todo.push(Job { sys, poly, lattice: job.lattice });
        return Ok(false);
    }
    if let Some(&j) = used.iter().find(|c| **c != p) {
        // p_old = p - q j
        let (a, b) = if Int::is_neg(&row[p]) { (row[j].neg(), row[p].neg()) } else { (row[j].clone(), row[p].clone()) };
        let q = a.fdiv(&b);
        let mut sys = job.sys;
        for m in [&mut sys.eq, &mut sys.ge] {
            for k in 0..m.len() {
                let r = m.row_mut(k);
                let d = &q * &r[p];
                r[j] -= d;
            }
        }
        let shear = Poly::column(p).sub(&Poly::column(j).scaled(&BigRational::from_integer(q)));
        todo.push(Job { sys, poly: job.poly.substitute(p, &shear), lattice: job.lattice });
        return Ok(false);
    }
    let g = Int::abs(&row[p]);
    let x = (0..keep)
        .find(|c| !Int::is_zero(&row[*c].modulo(&g)))
        .expect("a tidy equality is not a multiple of its coefficient");
    let modulus = g.fdiv(&Int::gcd(&g, &row[x]));
    split_residues(&job, x, &modulus, frame, todo, bud)?;
    Ok(true)
}

/// Replaces column `x` by `modulus * x + r` for every residue `r`.
fn split_residues(
    job: &Job,
    x: usize,
    modulus: &BigInt,
    frame: &Frame,
    todo: &mut Vec<Job>,
    bud: &Budget,
) -> Result<(), Failed> {
    if *modulus > BigInt::from(frame.most) {
        return Err(Failed::ManyClasses);
    }
    let mut r = BigInt::of(0);
    while r < *modulus {
        bud.step(10)?;
        let mut sys = job.sys.clone();
        let last = sys.n;
        for m in [&mut sys.eq, &mut sys.ge] {
            for k in 0..m.len() {
                let row = m.row_mut(k);
                let shift = &row[x] * &r;
                row[last] += shift;
                row[x] *= modulus;
            }
        }
        let value = Poly::column(x)
            .scaled(&BigRational::from_integer(modulus.clone()))
            .add(&Poly::constant(BigRational::from_integer(r.clone())));
        let mut lattice = job.lattice.clone();
        if x < frame.keep {
            let (scale, rest) = &lattice[x];
            lattice[x] = (scale * modulus, rest + scale * &r);
        }
        let poly = job.poly.substitute(x, &value);
        pay(&poly, bud)?;
        todo.push(Job { sys, poly, lattice });
        r += 1;
    }
    Ok(())
}

/// The summed column with the fewest chambers; columns with unit bounds first.
fn cheapest(sys: &Sys<BigInt>, keep: usize) -> Option<usize> {
    (keep..sys.n).min_by_key(|c| {
        let count = |sign: i32| sys.ge.rows().filter(|r| r[*c].sgn() == sign).count();
        let wide = sys.ge.rows().filter(|r| !Int::is_zero(&r[*c]) && !r[*c].is_unit()).count();
        (wide, count(1) * count(-1), *c)
    })
}

/// A column that keeps a row from being divisible by its coefficient at `c`, and the modulus to split it by.
fn column_to_split(sys: &Sys<BigInt>, c: usize) -> Option<(usize, BigInt)> {
    for r in sys.ge.rows() {
        let a = Int::abs(&r[c]);
        if Int::is_zero(&a) || Int::is_one(&a) {
            continue;
        }
        if let Some(x) = (0..sys.n).find(|x| *x != c && !Int::is_zero(&r[*x].modulo(&a))) {
            return Some((x, a.fdiv(&Int::gcd(&a, &r[x]))));
        }
    }
    None
}

/// Sums the polynomial over column `c`, whose bounds all have unit coefficients, in each chamber of its bounds.
fn sum_column(job: &Job, c: usize, todo: &mut Vec<Job>, bud: &Budget) -> Result<(), Failed> {
    let side = |sign: i32| -> Vec<Vec<BigInt>> {
        let rows = job.sys.ge.rows().filter(|r| r[c].sgn() == sign);
        // The bound itself: lower `-(row without c)`, upper `row without c`.
        rows.map(|r| {
            let mut v = if sign > 0 { negated(r) } else { r.to_vec() };
            v[c] = BigInt::of(0);
            v
        })
        .collect()
    };
    let (lows, highs) = (side(1), side(-1));
    if lows.is_empty() || highs.is_empty() {
        return Err(Failed::Infinite);
    }
    let mut base = job.sys.clone();
    base.ge.retain(|r| Int::is_zero(&r[c]));
    for (i, low) in lows.iter().enumerate() {
        for (j, high) in highs.iter().enumerate() {
            bud.step(10)?;
            let mut sys = base.clone();
            for (k, l) in lows.iter().enumerate().filter(|(k, _)| *k != i) {
                sys.ge.push(&difference(low, l, k < i));
            }
            for (k, h) in highs.iter().enumerate().filter(|(k, _)| *k != j) {
                sys.ge.push(&difference(h, high, k < j));
            }
            sys.ge.push(&difference(high, low, false));
            let one = BigInt::of(1);
            let poly = job.poly.sum_over(c, &Poly::affine(low, &one), &Poly::affine(high, &one));
            pay(&poly, bud)?;
            let (sys, poly) = drop_column(&sys, &poly, c);
            todo.push(Job { sys, poly, lattice: job.lattice.clone() });
        }
    }
    Ok(())
}

/// The row of `a >= b`, or of `a > b`.
fn difference(a: &[BigInt], b: &[BigInt], strict: bool) -> Vec<BigInt> {
    let mut r: Vec<BigInt> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    if strict {
        let last = r.len() - 1;
        r[last] -= 1;
    }
    r
}

/// Back from the lattice to the original columns: the domain with its congruences, and the polynomial.
fn finish(job: Job, keep: usize, bud: &Budget) -> Res<(Sys<BigInt>, Poly)> {
    let scaled: Vec<usize> = (0..keep).filter(|c| !Int::is_one(&job.lattice[*c].0)).collect();
    let mut dom = Sys::universe(keep, scaled.len());
    let mut poly = job.poly;
    let all = job.lattice.iter().fold(BigInt::of(1), |l, (s, _)| &l * s / Int::gcd(&l, s));
    for (c, (s, r)) in job.lattice.iter().enumerate() {
        let mut row = vec![BigInt::of(0); keep + 1];
        row[c] = BigInt::of(1);
        row[keep] = -r;
        poly = poly.substitute(c, &Poly::affine(&row, s));
        pay(&poly, bud)?;
    }
    for (k, &c) in scaled.iter().enumerate() {
        let (s, r) = &job.lattice[c];
        let mut row = vec![BigInt::of(0); dom.cols() + 1];
        row[c] = BigInt::of(1);
        row[keep + k] = -s;
        row[dom.cols()] = -r;
        dom.eq.push(&row);
    }
    let back = |row: &[BigInt], width: usize| -> Vec<BigInt> {
        let mut out = vec![BigInt::of(0); width];
        out[width - 1] = &row[keep] * &all;
        for (c, (s, r)) in job.lattice.iter().enumerate() {
            let k = &row[c] * &all / s;
            out[width - 1] -= &k * r;
            out[c] = k;
        }
        out
    };
    let width = dom.cols() + 1;
    for r in job.sys.eq.rows() {
        dom.eq.push(&back(r, width));
    }
    for r in job.sys.ge.rows() {
        dom.ge.push(&back(r, width));
    }
    Ok((elim::project(&dom, bud)?.unwrap_or_else(|| Sys::contradiction(keep)), poly))
}
