//! Redundant rows of a conjunction with many: most follow from few others, so each is tested against the rows that are
//! known to be needed and not against all. Rays from an inner point tell such rows: what a ray meets first is one.
//! Rays are shot in floating point; they only choose rows, whether a row goes is decided exactly.
//! Source: Clarkson, More Output-Sensitive Geometric Algorithms, FOCS 1994.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::sys::Sys;

/// Rows from which on redundant ones are looked for with rays instead of in one tableau of all rows.
pub(super) const MANY_ROWS: usize = 40;

/// Drops inequalities that follow from the others over the rationals, all but a few, none with `keep`. `false`, and
/// nothing is dropped: the inequalities have no inner point.
pub(super) fn thin<T: Int>(s: &mut Sys<T>, keep: &[bool], bud: &Budget) -> Res<bool> {
    let Some(inner) = inner_point(s, bud)? else { return Ok(false) };
    let Some(rays) = Rays::of(s, inner) else { return Ok(true) };
    let mut needed = keep.to_vec();
    for k in 0..s.ge.len() {
        bud.step(1 + s.ge.len() / 8)?;
        if let Some(first) = rays.first_along(&rays.rows[k][..s.cols()].iter().map(|x| -x).collect::<Vec<_>>()) {
            needed[first] = true;
        }
    }
    let mut few = Sys { ge: crate::system::sys::Mat::new(s.ge.w), ..s.clone() };
    (0..s.ge.len()).filter(|k| needed[*k]).for_each(|k| few.ge.push(s.ge.row(k)));
    let mut tab = Tab::new(&few, bud)?;
    for k in 0..s.ge.len() {
        while !needed[k] && !tab.is_nonneg(s.ge.row(k), bud)? {
            let first = tab.vertex().and_then(|at| rays.first_towards(&at)).filter(|f| !needed[*f]).unwrap_or(k);
            needed[first] = true;
            tab.add_ge(s.ge.row(first), bud)?;
        }
    }
    let mut i = 0;
    s.ge.retain(|_| {
        i += 1;
        needed[i - 1]
    });
    Ok(true)
}

/// A rational point at which every inequality is positive, rounded; exactly known to exist.
fn inner_point<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Option<Vec<f64>>> {
    let n = s.cols();
    let mut slack = Sys::universe(n + 1, 0);
    let wide = |r: &[T], by: i64| r[..n].iter().cloned().chain([T::of(by), r[n].clone()]).collect::<Vec<_>>();
    s.eq.rows().for_each(|r| slack.eq.push(&wide(r, 0)));
    s.ge.rows().for_each(|r| slack.ge.push(&wide(r, -1)));
    let mut unit = vec![T::zero(); n + 2];
    unit[n] = T::of(-1);
    unit[n + 1] = T::one();
    slack.ge.push(&unit);
    let mut tab = Tab::new(&slack, bud)?;
    (unit[n], unit[n + 1]) = (T::one(), T::zero());
    let Opt::At(most, _) = tab.max(&unit, bud)? else { return Ok(None) };
    let inner = tab.vertex().filter(|_| most.is_pos());
    Ok(inner.map(|mut at| {
        at.truncate(n);
        at
    }))
}

/// Rays from an inner point.
struct Rays {
    rows: Vec<Vec<f64>>,
    /// Per row its value at the inner point.
    values: Vec<f64>,
    inner: Vec<f64>,
}

impl Rays {
    /// `None`: numbers too large for rows to be told apart.
    fn of<T: Int>(s: &Sys<T>, inner: Vec<f64>) -> Option<Self> {
        let row = |r: &[T]| r.iter().map(float).collect::<Option<Vec<_>>>();
        let rows = s.ge.rows().map(row).collect::<Option<Vec<_>>>()?;
        let values = rows.iter().map(|r| along(r, &inner) + r[inner.len()]).collect();
        Some(Self { rows, values, inner })
    }

    /// The row that the ray in this direction meets first.
    fn first_along(&self, direction: &[f64]) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (k, r) in self.rows.iter().enumerate() {
            let speed = -along(r, direction);
            if speed > 0.0 {
                let time = self.values[k] / speed;
                if best.is_none_or(|b| time < b.0) {
                    best = Some((time, k));
                }
            }
        }
        best.map(|b| b.1)
    }

    /// The row that the ray through this point meets first.
    fn first_towards(&self, at: &[f64]) -> Option<usize> {
        self.first_along(&at.iter().zip(&self.inner).map(|(x, y)| x - y).collect::<Vec<_>>())
    }
}

fn along(row: &[f64], v: &[f64]) -> f64 {
    row.iter().zip(v).map(|(x, y)| x * y).sum()
}

/// The nearest floating-point number.
#[allow(clippy::cast_precision_loss)]
fn float<T: Int>(x: &T) -> Option<f64> {
    x.to_i64().map(|v| v as f64)
}

impl<T: Int> Tab<T> {
    /// The current vertex over the structural columns, rounded.
    fn vertex(&self) -> Option<Vec<f64>> {
        self.coordinates().map(|(num, den)| Some(float(&num)? / float(&den)?)).collect()
    }
}
