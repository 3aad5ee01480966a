//! The number of integer points of a parametric polytope, as quasi-polynomials on chambers of the parameters, in time
//! polynomial in the size of the coefficients for a fixed number of columns.
//! Each vertex is a rational affine function of the parameters. Its cone is turned into its dual, that is cut into
//! simplicial cones and these, with signs, into unimodular ones, which back in the primal have generating functions
//! with one numerator; their sum over all vertices at 1 is the number of points. Cones of lower dimension may be left
//! out in the dual. Which vertices count for a parameter value on the border of chambers is decided by moving it
//! towards an inner point, so that no value counts twice.
//! Sources: Barvinok, Mathematics of Operations Research 19(4), 1994 (signed decomposition); Verdoolaege, Seghir,
//! Beyls, Loechner, Bruynooghe, Algorithmica 48(1), 2007 (parameters); Koeppe, Verdoolaege, Electronic Journal of
//! Combinatorics 15, 2008 (half-open chambers); Brion, Annales scientifiques de l'ENS 21(4), 1988.

use crate::budget::Budget;
use crate::count::card::{self, Failed};
use crate::count::cones::{self, Cone};
use crate::functions::qpoly::Poly;
use crate::num::Res;
use crate::program::simplex::Tab;
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Sys, cancel, complement};
use crate::unions::hull;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The points to be counted: over `[parameters | columns | 1]`, no equality uses a column.
struct Polytope {
    sys: Sys<BigInt>,
    keep: usize,
    /// Rows over `[parameters | 1]` that must be multiples of the number.
    congruences: Vec<(Vec<BigInt>, BigInt)>,
}

/// A vertex on the part of the parameters where it is one, with one simplicial cone of its dual cone.
struct Corner {
    /// Per column, over `[parameters | 1]`.
    at: Vec<Vec<BigRational>>,
    /// Rows over `[parameters | 1]` that are positive where the vertex is one.
    activity: Vec<Vec<BigInt>>,
    rays: Vec<Vec<BigInt>>,
}

/// Domains over the first `keep` columns with quasi-polynomials in them, which exclude each other; zero outside.
/// `s` has explicit floors only as existentials.
pub(crate) fn count(s: &Sys<BigInt>, keep: usize, bud: &Budget) -> Result<Vec<(Sys<BigInt>, Poly)>, Failed> {
    let open = Sys { n: s.cols(), e: 0, eq: s.eq.clone(), ge: s.ge.clone() };
    if !hull::is_bounded(&open, keep, bud)? {
        return Err(Failed::Infinite);
    }
    let Some(p) = without_equalities(open, keep, bud)? else { return Ok(Vec::new()) };
    let columns = p.sys.n - keep;
    let rows = |unused: bool| {
        let rest = p.sys.ge.rows().filter(move |r| r[keep..keep + columns].iter().all(Zero::is_zero) == unused);
        rest.map(<[BigInt]>::to_vec).collect::<Vec<_>>()
    };
    let base = Base::of(&p, &rows(true))?;
    if columns == 0 {
        return Ok(vec![(with_congruences(&base.sys, &p.congruences), Poly::constant(BigRational::one()))]);
    }
    let corners = corners(&p, &rows(false), &base, bud)?;
    let side = Side::of(&p, &corners, &base, bud)?;
    let mut terms = Vec::with_capacity(corners.len());
    let cones: Vec<Vec<Cone>> = corners.iter().map(|c| cones::unimodular(&c.rays, bud)).collect::<Res<_>>()?;
    let direction = cones::direction(cones.iter().flatten(), columns);
    for (corner, cones) in corners.iter().zip(&cones) {
        let mut value = Poly::default();
        for cone in cones {
            bud.step(columns * columns)?;
            value = value.add(&cones::value_at_one(cone, &corner.at, &direction));
            card::pay(&value, bud)?;
        }
        let rows = corner.activity.iter().map(|r| side.half_open(r)).collect::<Vec<_>>();
        match terms.iter_mut().find(|t: &&mut (Vec<Vec<BigInt>>, Poly)| t.0 == rows) {
            Some(t) => t.1 = t.1.add(&value),
            None => terms.push((rows, value)),
        }
    }
    let cells = cells(base.sys, terms, bud)?;
    Ok(cells.into_iter().map(|(dom, poly)| (with_congruences(&dom, &p.congruences), poly)).collect())
}

/// What the polytope says about its parameters alone.
struct Base {
    sys: Sys<BigInt>,
    /// Per equality the column that no other one uses.
    pivots: Vec<usize>,
}

impl Base {
    fn of(p: &Polytope, alone: &[Vec<BigInt>]) -> Res<Base> {
        let mut eq: Vec<Vec<BigInt>> = p.sys.eq.rows().map(|r| over_parameters(r, p.keep)).collect();
        let mut pivots = Vec::with_capacity(eq.len());
        for i in 0..eq.len() {
            let at = (0..p.keep).rev().find(|c| !eq[i][*c].is_zero()).expect("an equality uses a parameter");
            let row = eq[i].clone();
            for (k, r) in eq.iter_mut().enumerate() {
                if k != i {
                    cancel(r, &row, at)?;
                }
            }
            pivots.push(at);
        }
        let mut sys = Sys::universe(p.keep, 0);
        eq.iter().for_each(|r| sys.eq.push(r));
        alone.iter().for_each(|r| sys.ge.push(&over_parameters(r, p.keep)));
        Ok(Base { sys, pivots })
    }

    /// The row without the columns that the equalities give; divided by what its entries have in common.
    fn reduced(&self, mut row: Vec<BigInt>) -> Res<Vec<BigInt>> {
        for (eq, p) in self.sys.eq.rows().zip(&self.pivots) {
            cancel(&mut row, eq, *p)?;
        }
        Ok(cones::primitive(row))
    }

    /// Whether the rows can all be positive at once.
    fn leaves_room(&self, rows: &[Vec<BigInt>], bud: &Budget) -> Res<bool> {
        let mut dom = self.sys.clone();
        rows.iter().for_each(|r| dom.ge.push(r));
        let mut tab = Tab::new(&dom, bud)?;
        if tab.is_empty() {
            return Ok(false);
        }
        for k in 0..dom.ge.len() {
            if tab.is_tight(k, bud)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Changes the direction (scaled) so that the equalities hold along it.
    fn follow(&self, direction: &mut [BigInt]) {
        let all = self.sys.eq.rows().zip(&self.pivots).fold(BigInt::one(), |l, (r, p)| l.lcm(&r[*p]));
        for (c, x) in direction.iter_mut().enumerate() {
            *x = if self.pivots.contains(&c) { BigInt::zero() } else { &*x * &all };
        }
        for (r, p) in self.sys.eq.rows().zip(&self.pivots) {
            let rest = r.iter().zip(direction.iter()).fold(BigInt::zero(), |s, (a, b)| s + a * b);
            direction[*p] = -rest / &r[*p];
        }
    }
}

fn over_parameters(row: &[BigInt], keep: usize) -> Vec<BigInt> {
    row[..keep].iter().chain(row.last()).cloned().collect()
}

/// The domain where the rows are multiples of their numbers too.
fn with_congruences(dom: &Sys<BigInt>, congruences: &[(Vec<BigInt>, BigInt)]) -> Sys<BigInt> {
    let mut out = dom.clone();
    let first = out.add_exists(congruences.len());
    for (k, (row, g)) in congruences.iter().enumerate() {
        let mut wide = hull::widen_row(&out, row);
        wide[first + k] = -g;
        out.eq.push(&wide);
    }
    out
}

/// Solves the equalities for columns; where one is left with a coefficient, the parameters must make it a multiple.
/// `None`: no point.
fn without_equalities(mut sys: Sys<BigInt>, keep: usize, bud: &Budget) -> Res<Option<Polytope>> {
    let mut congruences = Vec::new();
    loop {
        bud.step(1 + sys.ge.len())?;
        match elim::simplify(&sys, bud)? {
            Some(s) => sys = s,
            None => return Ok(None),
        }
        let n = sys.n;
        let used = |r: &[BigInt]| (keep..n).filter(|c| !r[*c].is_zero()).collect::<Vec<_>>();
        let Some(i) = (0..sys.eq.len()).find(|i| !used(sys.eq.row(*i)).is_empty()) else {
            return Ok(Some(Polytope { sys, keep, congruences }));
        };
        let row = sys.eq.row(i).to_vec();
        let list = used(&row);
        let p = *list.iter().min_by_key(|c| row[**c].abs()).expect("the equality uses a column");
        let unit = row[p].abs().is_one();
        if let Some(j) = list.iter().find(|c| **c != p && !unit) {
            let q = row[*j].div_floor(&row[p]);
            for m in [&mut sys.eq, &mut sys.ge] {
                for k in 0..m.len() {
                    let r = m.row_mut(k);
                    let d = &q * &r[p];
                    r[*j] -= d;
                }
            }
            continue;
        }
        sys.eq.take(i);
        for m in [&mut sys.eq, &mut sys.ge] {
            for k in 0..m.len() {
                cancel(m.row_mut(k), &row, p)?;
            }
        }
        if !unit {
            congruences.push((over_parameters(&row, keep), row[p].abs()));
        }
        let left: Vec<Option<usize>> = (0..n).filter(|c| *c != p).map(Some).collect();
        sys = sys.remap(&left, &[]);
    }
}

/// The vertices on parts of the parameters that have full dimension, each with the simplicial cones of its dual cone.
/// Of the rows that meet in a vertex those make a cone that still meet in one after small generic moves of all rows.
fn corners(p: &Polytope, rows: &[Vec<BigInt>], base: &Base, bud: &Budget) -> Res<Vec<Corner>> {
    let d = p.sys.n - p.keep;
    for seed in 0.. {
        let moves = cones::pseudo_random(seed, rows.len());
        let (mut out, mut tie) = (Vec::new(), false);
        let mut chosen: Vec<usize> = Vec::new();
        subsets(rows, p.keep, d, &mut chosen, &mut |set| {
            bud.step(d * d + rows.len())?;
            match corner(p, rows, set, &moves, base, bud)? {
                Found::Corner(c) => out.push(c),
                Found::Tie => tie = true,
                Found::Nothing => {}
            }
            Ok(())
        })?;
        if !tie {
            return Ok(out);
        }
    }
    unreachable!("some moves are generic")
}

/// Calls `visit` for each `d` rows, in order.
fn subsets(
    rows: &[Vec<BigInt>],
    keep: usize,
    d: usize,
    chosen: &mut Vec<usize>,
    visit: &mut impl FnMut(&[usize]) -> Res<()>,
) -> Res<()> {
    if chosen.len() == d {
        return visit(chosen);
    }
    let first = chosen.last().map_or(0, |k| k + 1);
    for k in first..rows.len() {
        // Opposite rows never meet.
        let parallel = |j: &usize| (keep..keep + d).all(|c| rows[*j][c] == -&rows[k][c]);
        if chosen.iter().any(parallel) {
            continue;
        }
        chosen.push(k);
        subsets(rows, keep, d, chosen, visit)?;
        chosen.pop();
    }
    Ok(())
}

enum Found {
    Corner(Corner),
    Nothing,
    /// The moves are not generic.
    Tie,
}

/// The vertex where the rows of `set` meet.
fn corner(
    p: &Polytope,
    rows: &[Vec<BigInt>],
    set: &[usize],
    moves: &[BigInt],
    base: &Base,
    bud: &Budget,
) -> Res<Found> {
    let (keep, d) = (p.keep, set.len());
    let normal = |k: usize| &rows[k][keep..keep + d];
    let normals: Vec<Vec<BigInt>> = set.iter().map(|k| normal(*k).to_vec()).collect();
    let Some(inverse) = cones::inverse(&normals) else { return Ok(Found::Nothing) };
    // x = -inverse * (rest of the rows)
    let solve = |rest: &dyn Fn(usize) -> BigInt| -> Vec<BigRational> {
        let row = |r: &Vec<BigRational>| r.iter().zip(set).fold(BigRational::zero(), |s, (a, k)| s - a * rest(*k));
        inverse.iter().map(row).collect()
    };
    let by_column: Vec<Vec<BigRational>> =
        (0..=keep).map(|c| solve(&|k| if c < keep { rows[k][c].clone() } else { rows[k][keep + d].clone() })).collect();
    let at: Vec<Vec<BigRational>> = (0..d).map(|i| by_column.iter().map(|v| v[i].clone()).collect()).collect();
    let moved = solve(&|k| moves[k].clone());
    let mut activity: Vec<Vec<BigInt>> = Vec::new();
    for k in (0..rows.len()).filter(|k| !set.contains(k)) {
        let along = |v: &dyn Fn(usize) -> BigRational| {
            normal(k).iter().enumerate().fold(BigRational::zero(), |s, (i, a)| s + v(i) * a)
        };
        let value: Vec<BigRational> = (0..=keep)
            .map(|c| along(&|i| at[i][c].clone()) + if c < keep { &rows[k][c] } else { &rows[k][keep + d] })
            .collect();
        let row = base.reduced(cones::cleared(&value))?;
        if row.iter().all(Zero::is_zero) {
            let order = along(&|i| moved[i].clone()) + &moves[k];
            if order.is_zero() {
                return Ok(Found::Tie);
            }
            if order.is_negative() {
                return Ok(Found::Nothing);
            }
        } else if row[..keep].iter().all(Zero::is_zero) {
            if row[keep].is_negative() {
                return Ok(Found::Nothing);
            }
        } else if !activity.contains(&row) {
            activity.push(row);
        }
    }
    activity.sort();
    if !base.leaves_room(&activity, bud)? {
        return Ok(Found::Nothing);
    }
    let rays = normals.into_iter().map(cones::primitive).collect();
    Ok(Found::Corner(Corner { at, activity, rays }))
}

/// An inner point of the parameters for which there are points, and a generic direction: on which side of a row it is.
struct Side {
    /// Scaled by its last entry.
    inner: Vec<BigInt>,
    direction: Vec<BigInt>,
}

impl Side {
    fn of(p: &Polytope, corners: &[Corner], base: &Base, bud: &Budget) -> Res<Side> {
        // A point of the cone over the polytope that is well inside.
        let n = p.sys.n;
        let mut cone = Sys::universe(n + 1, 0);
        let wide = |r: &[BigInt], one: i64| r.iter().cloned().chain([BigInt::from(one)]).collect::<Vec<_>>();
        for r in p.sys.eq.rows() {
            cone.eq.push(&wide(r, 0));
        }
        for r in p.sys.ge.rows() {
            cone.ge.push(&wide(r, -1));
        }
        let mut scale = vec![BigInt::zero(); n + 2];
        scale[n] = BigInt::one();
        scale[n + 1] = BigInt::from(-1);
        cone.ge.push(&scale);
        let x = solve::sample(&cone, bud)?.expect("no inequality of a simplified system is tight");
        let inner: Vec<BigInt> = x[..p.keep].iter().chain([&x[n]]).cloned().collect();
        for seed in 0.. {
            bud.step(1 + corners.len())?;
            let mut direction = cones::pseudo_random(seed, p.keep);
            base.follow(&mut direction);
            let side = Side { inner: inner.clone(), direction };
            if corners.iter().flat_map(|c| &c.activity).all(|r| side.sign(r) != 0) {
                return Ok(side);
            }
        }
        unreachable!("some direction is generic")
    }

    /// The sign of a row at the inner point moved a little.
    fn sign(&self, row: &[BigInt]) -> i32 {
        let dot = |v: &[BigInt]| row.iter().zip(v).fold(BigInt::zero(), |s, (a, b)| s + a * b);
        let (there, towards) = (dot(&self.inner), dot(&self.direction));
        let value = if there.is_zero() { towards } else { there };
        if value.is_zero() {
            0
        } else if value.is_negative() {
            -1
        } else {
            1
        }
    }

    /// The row, without its border unless the inner point lies on its side.
    fn half_open(&self, row: &[BigInt]) -> Vec<BigInt> {
        let mut row = row.to_vec();
        if self.sign(&row) < 0 {
            let last = row.len() - 1;
            row[last] -= 1;
        }
        row
    }
}

/// Cuts `base` along the borders of the terms' domains; each part with the sum of the terms that hold there.
fn cells(base: Sys<BigInt>, terms: Vec<(Vec<Vec<BigInt>>, Poly)>, bud: &Budget) -> Res<Vec<(Sys<BigInt>, Poly)>> {
    let mut cells = vec![(base, Poly::default())];
    for (rows, value) in terms {
        let mut next = Vec::with_capacity(cells.len() + 1);
        for (mut inside, sum) in cells {
            let mut gone = false;
            for row in &rows {
                if inside.implies_on_sight(row) {
                    continue;
                }
                let mut outside = inside.clone();
                outside.ge.push(&complement(row)?);
                if let Some(outside) = nonempty(outside, bud)? {
                    next.push((outside, sum.clone()));
                    inside.ge.push(row);
                    match nonempty(inside, bud)? {
                        Some(left) => inside = left,
                        None => {
                            gone = true;
                            inside = Sys::universe(0, 0);
                        }
                    }
                }
                if gone {
                    break;
                }
            }
            if !gone {
                let sum = sum.add(&value);
                card::pay(&sum, bud)?;
                next.push((inside, sum));
            }
        }
        cells = next;
    }
    cells.retain(|c| !c.1.is_zero());
    Ok(cells)
}

/// The system without redundant rows, if it has a point.
fn nonempty(s: Sys<BigInt>, bud: &Budget) -> Res<Option<Sys<BigInt>>> {
    bud.keep(s.entries())?;
    match elim::simplify(&s, bud)? {
        Some(s) if !solve::is_empty(&s, bud)? => Ok(Some(s)),
        _ => Ok(None),
    }
}
