//! Generators of polyhedral cones, by the double description method.
//!
//! An affine form `f = a.x + b` is >= 0 on a polyhedron `P = { x : rows }` iff its homogenised vector `(a, b)` has a
//! product >= 0 with every generator (ray or vertex) of the cone over `P`; those generators *are* the irredundant rows
//! that Gaussian and Fourier-Motzkin elimination of Farkas' multipliers would leave. Computed once per polyhedron, they
//! serve as rows on the form's coefficients, as an exact test of a candidate form, and to find the face on which a form
//! is zero.
//! Exact over the rationals, which are a superset of the integer points: rows may be too strict, never too weak.
//! Sources: Feautrier, IJPP 21(5), 1992 (Farkas' lemma in scheduling); Fukuda, Prodon, "Double description method
//! revisited", 1996 (adjacency test).

use crate::{Budget, Error, Kind, Result};

/// More inequalities than this in one polyhedron spend the budget at once (one bit each in a saturation set).
const MAX_INEQUALITIES: usize = 128;

/// Integer vector with entries that share no factor.
pub type Vector = Vec<i64>;

/// Generators of the cone `{ y : rows . y >= 0 (or = 0) }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cone {
    /// Extreme rays: `y` in the cone implies `k.y` in the cone for `k >= 0`.
    pub rays: Vec<Vector>,
    /// Basis of the lineality space: `y` and `-y` are both in the cone.
    pub lines: Vec<Vector>,
}

/// Exact product of two integer vectors; `None` on overflow of `i128`.
#[must_use]
pub fn dot(a: &[i64], b: &[i64]) -> Option<i128> {
    a.iter()
        .zip(b)
        .filter(|(x, y)| **x != 0 && **y != 0)
        .try_fold(0i128, |acc, (x, y)| acc.checked_add(i128::from(*x).checked_mul(i128::from(*y))?))
}

/// Greatest common divisor of the entries; 0 for the zero vector.
#[must_use]
pub fn gcd_of(v: &[i128]) -> i128 {
    let mut g = 0u128;
    for x in v.iter().filter(|x| **x != 0) {
        g = gcd(g, x.unsigned_abs());
        if g == 1 {
            break;
        }
    }
    g.cast_signed()
}

/// Greatest common divisor; narrow as soon as both numbers are.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd_narrow(x, y).into();
        }
        (a, b) = (b, a % b);
    }
    a
}

fn gcd_narrow(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `p * a + q * b`, divided by its content; `None` when an entry does not fit.
fn combine(p: i128, a: &[i64], q: i128, b: &[i64]) -> Option<Vector> {
    if let (Ok(p), Ok(q)) = (i64::try_from(p), i64::try_from(q))
        && let Some(v) = combine_narrow(p, a, q, b)
    {
        return Some(v);
    }
    let mut wide = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let left = p.checked_mul(i128::from(x))?;
        let right = q.checked_mul(i128::from(y))?;
        wide.push(left.checked_add(right)?);
    }
    let g = gcd_of(&wide).max(1);
    wide.into_iter().map(|x| i64::try_from(x / g).ok()).collect()
}

/// The same where nothing leaves `i64` on the way.
fn combine_narrow(p: i64, a: &[i64], q: i64, b: &[i64]) -> Option<Vector> {
    let mut sums: Vector = Vec::with_capacity(a.len());
    let mut content = 0;
    for (&x, &y) in a.iter().zip(b) {
        let sum = p.checked_mul(x)?.checked_add(q.checked_mul(y)?)?;
        if sum != 0 && content != 1 {
            content = gcd_narrow(content, sum.unsigned_abs());
        }
        sums.push(sum);
    }
    let content = i64::try_from(content).ok()?;
    if content > 1 {
        sums.iter_mut().for_each(|x| *x /= content);
    }
    Some(sums)
}

/// A ray together with the inequalities it meets with equality.
struct Ray {
    v: Vector,
    tight: u128,
}

/// State of the double description method.
struct Builder {
    lines: Vec<Vector>,
    rays: Vec<Ray>,
    /// Dimension of the space that the equalities leave.
    space: usize,
}

impl Builder {
    fn new(n: usize) -> Self {
        let unit = |k: usize| (0..n).map(|c| i64::from(c == k)).collect();
        Self { lines: (0..n).map(unit).collect(), rays: Vec::new(), space: n }
    }

    /// Makes all lines but one, and all rays, lie on `row = 0`; gives that one line oriented to `row > 0`, or `None` if
    /// all lines lie on it already. `Some(None)` on overflow.
    fn split_line(&mut self, row: &[i64]) -> Option<Option<Vector>> {
        let products: Option<Vec<i128>> = self.lines.iter().map(|l| dot(row, l)).collect();
        let Some(products) = products else {
            return Some(None);
        };
        let pick = (0..products.len()).filter(|&k| products[k] != 0).min_by_key(|&k| (products[k].abs(), k))?;
        let mut pivot = self.lines.remove(pick);
        let mut value = products[pick];
        if value < 0 {
            pivot.iter_mut().for_each(|x| *x = -*x);
            value = -value;
        }
        for line in &mut self.lines {
            let Some(d) = dot(row, line) else {
                return Some(None);
            };
            if d != 0 {
                match combine(value, line, -d, &pivot) {
                    Some(v) => *line = v,
                    None => return Some(None),
                }
            }
        }
        for ray in &mut self.rays {
            let Some(d) = dot(row, &ray.v) else {
                return Some(None);
            };
            if d != 0 {
                match combine(value, &ray.v, -d, &pivot) {
                    Some(v) => ray.v = v,
                    None => return Some(None),
                }
            }
        }
        Some(Some(pivot))
    }

    /// Intersects with `row = 0`.
    fn equality(&mut self, row: &[i64], budget: &Budget) -> Result<()> {
        match self.split_line(row) {
            Some(Some(_)) => Ok(()),
            Some(None) => Err(Error::Overflow),
            None => self.cut(row, None, budget),
        }
    }

    /// Intersects with `row >= 0`, the inequality number `bit`.
    fn inequality(&mut self, row: &[i64], bit: usize, budget: &Budget) -> Result<()> {
        match self.split_line(row) {
            Some(Some(pivot)) => {
                for ray in &mut self.rays {
                    ray.tight |= 1 << bit;
                }
                self.rays.push(Ray { v: pivot, tight: (1u128 << bit) - 1 });
                Ok(())
            }
            Some(None) => Err(Error::Overflow),
            None => self.cut(row, Some(bit), budget),
        }
    }

    /// Keeps the rays on the right side of `row` (on it, for an equality) and adds one ray per adjacent pair across it.
    fn cut(&mut self, row: &[i64], bit: Option<usize>, budget: &Budget) -> Result<()> {
        let values: Option<Vec<i128>> = self.rays.iter().map(|r| dot(row, &r.v)).collect();
        let values = values.ok_or(Error::Overflow)?;
        let mask = bit.map_or(0, |b| 1u128 << b);
        // Adjacent rays of a pointed cone of dimension d share at least d - 2 tight inequalities.
        let shared = (self.space - self.lines.len()).saturating_sub(2);
        let mut fresh = Vec::new();
        for (p, vp) in values.iter().enumerate().filter(|(_, v)| **v > 0) {
            budget.spend(1 + self.rays.len() as u64 / 64)?;
            for (n, vn) in values.iter().enumerate().filter(|(_, v)| **v < 0) {
                let common = self.rays[p].tight & self.rays[n].tight;
                if (common.count_ones() as usize) < shared {
                    continue;
                }
                budget.spend(1 + self.rays.len() as u64 / 8)?;
                let adjacent =
                    !self.rays.iter().enumerate().any(|(k, r)| k != p && k != n && r.tight & common == common);
                if adjacent {
                    let v = combine(-vn, &self.rays[p].v, *vp, &self.rays[n].v).ok_or(Error::Overflow)?;
                    fresh.push(Ray { v, tight: common | mask });
                }
            }
        }
        let mut kept = Vec::with_capacity(self.rays.len() + fresh.len());
        for (mut ray, v) in std::mem::take(&mut self.rays).into_iter().zip(values) {
            if v == 0 {
                ray.tight |= mask;
                kept.push(ray);
            } else if v > 0 && bit.is_some() {
                kept.push(ray);
            }
        }
        kept.extend(fresh);
        self.rays = kept;
        Ok(())
    }
}

/// Generators of `{ y in Q^n : row . y = 0 for Eq, >= 0 for Ge }`, rows of width `n`, homogeneous. Exact and
/// irredundant.
///
/// # Errors
/// [`Error::Spent`] when the budget ends or there are more than 128 inequalities, [`Error::Overflow`] when an entry
/// leaves `i64`.
pub fn generators(n: usize, rows: &[(Kind, Vector)], budget: &Budget) -> Result<Cone> {
    let mut builder = Builder::new(n);
    for (_, row) in rows.iter().filter(|(kind, _)| *kind == Kind::Eq) {
        builder.equality(row, budget)?;
    }
    builder.space = builder.lines.len();
    let inequalities = rows.iter().filter(|(kind, _)| *kind == Kind::Ge);
    for (bit, (_, row)) in inequalities.enumerate() {
        if bit >= MAX_INEQUALITIES {
            return Err(Error::Spent);
        }
        builder.inequality(row, bit, budget)?;
    }
    Ok(Cone { rays: builder.rays.into_iter().map(|r| r.v).collect(), lines: builder.lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(n: usize, eqs: &[&[i64]], ges: &[&[i64]]) -> Cone {
        let rows: Vec<(Kind, Vector)> =
            eqs.iter().map(|r| (Kind::Eq, r.to_vec())).chain(ges.iter().map(|r| (Kind::Ge, r.to_vec()))).collect();
        let mut c = generators(n, &rows, &Budget::unlimited()).expect("unlimited");
        c.rays.sort();
        c.lines.sort();
        c
    }

    #[test]
    fn interval_has_its_two_ends() {
        // 0 <= i <= 9 over [i | 1], with 1 >= 0
        let c = cone(2, &[], &[&[1, 0], &[-1, 9], &[0, 1]]);
        assert_eq!(c.rays, vec![vec![0, 1], vec![9, 1]]);
        assert!(c.lines.is_empty());
    }

    #[test]
    fn triangle_with_parameter_is_generated_by_vertex_and_rays() {
        // 0 <= i <= j < N over [i j N | 1]
        let c = cone(4, &[], &[&[1, 0, 0, 0], &[-1, 1, 0, 0], &[0, -1, 1, -1], &[0, 0, 0, 1]]);
        assert_eq!(c.rays, vec![vec![0, 0, 1, 0], vec![0, 0, 1, 1], vec![0, 1, 1, 0], vec![1, 1, 1, 0]]);
    }

    #[test]
    fn equality_leaves_a_line_where_nothing_bounds_it() {
        let c = cone(3, &[&[1, -1, 0]], &[&[0, 0, 1]]);
        assert_eq!(c.rays, vec![vec![0, 0, 1]]);
        assert_eq!(c.lines, vec![vec![1, 1, 0]]);
    }

    #[test]
    fn empty_polyhedron_has_no_vertex() {
        // i >= 5, i <= 3
        let c = cone(2, &[], &[&[1, -5], &[-1, 3], &[0, 1]]);
        assert!(c.rays.iter().all(|r| r[1] == 0));
    }

    #[test]
    fn cube_has_eight_vertices_and_a_cut_corner_three_more() {
        let mut rows: Vec<Vec<i64>> = Vec::new();
        for k in 0..3 {
            let mut low = vec![0; 4];
            low[k] = 1;
            let mut high = vec![0; 4];
            high[k] = -1;
            high[3] = 4;
            rows.push(low);
            rows.push(high);
        }
        rows.push(vec![0, 0, 0, 1]);
        let refs: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        assert_eq!(cone(4, &[], &refs).rays.len(), 8);
        rows.push(vec![-1, -1, -1, 11]);
        let refs: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        assert_eq!(cone(4, &[], &refs).rays.len(), 10);
    }

    #[test]
    fn forms_are_nonnegative_on_the_points_iff_on_the_generators() {
        // 0 <= i <= 6, i <= 2j <= 12 (vertices are integral): all small forms, against enumeration.
        let c = cone(3, &[], &[&[1, 0, 0], &[-1, 0, 6], &[-1, 2, 0], &[0, -2, 12], &[0, 0, 1]]);
        let points: Vec<[i64; 3]> =
            (0..=6).flat_map(|i| (0..=6).map(move |j| [i, j, 1])).filter(|p| p[0] <= 2 * p[1]).collect();
        for a in -3..=3 {
            for b in -3..=3 {
                for k in -20..=20 {
                    let f = [a, b, k];
                    let on_points = points.iter().all(|p| dot(p, &f) >= Some(0));
                    let on_rays = c.rays.iter().all(|p| dot(p, &f) >= Some(0));
                    assert_eq!(on_points, on_rays, "{f:?}");
                }
            }
        }
    }

    #[test]
    fn budget_is_a_limit() {
        let rows: Vec<(Kind, Vector)> = vec![
            (Kind::Ge, vec![1, 0, 0]),
            (Kind::Ge, vec![0, 1, 0]),
            (Kind::Ge, vec![0, 0, 1]),
            (Kind::Ge, vec![1, -1, 0]),
            (Kind::Ge, vec![-1, 0, 3]),
        ];
        assert!(matches!(generators(3, &rows, &Budget::steps(0)), Err(Error::Spent)));
    }
}
