//! Bounds of a subscript as functions of the parameters: choices among quotients.

use crate::error::{Failure, Limit};
use crate::facts::FunctionFacts;
use crate::model::{Access, Scop, Stmt};
use presburger::{Aff, BasicMap, Budget, Kind, PwAff, Space};
use std::collections::BTreeMap;

/// Widest parameters that bounds are computed from where they have choices and quotients: 64 bits hold every value on
/// the way.
const NARROW_BITS: u32 = 32;

/// First and last value of a subscript over some accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Smallest.
    pub first: End,
    /// Largest.
    pub last: End,
}

/// One end of a range: each access has a list of bounds that all hold, its tightest one counts; over all accesses the
/// loosest of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Which end.
    pub side: Side,
    /// Per access; neither they nor the lists are empty.
    pub accesses: Vec<Vec<Quotient>>,
}

/// Which end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The smallest, over all accesses, of the largest lower bound; quotients are rounded up.
    First,
    /// The largest, over all accesses, of the smallest upper bound; quotients are rounded down.
    Last,
}

/// An affine form of the parameters over a positive number, rounded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quotient {
    /// `[params | 1]`.
    pub row: Vec<i64>,
    /// > 0.
    pub den: i64,
}

/// Whether all parameters are so narrow that no bound computed from them in 64 bits wraps.
#[must_use]
pub fn has_narrow_params(scop: &Scop, facts: &FunctionFacts) -> bool {
    scop.params.iter().all(|p| !p.is_product() && facts.scev(p.value).bits <= NARROW_BITS)
}

/// The range of the outermost subscript of these accesses to one array; `None` if some access has no bound on one side,
/// or there is none.
///
/// # Errors
/// `Limit` when the budget is spent.
pub(super) fn range_of(accesses: &[(&Stmt, &Access)], budget: &Budget) -> Result<Option<Range>, Failure> {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (stmt, access) in accesses {
        let touched = access.relation.intersect_domain(&stmt.domain).reverse();
        for piece in touched.basics() {
            let (low, high) = bounds(piece, budget).map_err(Limit::of("run-time check"))?;
            if low.is_empty() || high.is_empty() {
                return Ok(None);
            }
            lower.push(low);
            upper.push(high);
        }
    }
    if lower.is_empty() {
        return Ok(None);
    }
    Ok(Some(Range { first: End::new(Side::First, lower), last: End::new(Side::Last, upper) }))
}

/// Lower and upper bounds of the first input dim of a piece `{ [s0, ..] -> [i0, ..] }`, over the parameters.
fn bounds(piece: &BasicMap, budget: &Budget) -> presburger::Result<(Vec<Quotient>, Vec<Quotient>)> {
    let n = piece.space().n_param();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (kind, row) in piece.wrap().loop_bounds(0, budget)? {
        let factor = row[n];
        let rest: Vec<i64> = row[..n].iter().chain(&row[n + 1..]).copied().collect();
        let negated =
            || rest.iter().map(|c| c.checked_neg()).collect::<Option<Vec<i64>>>().ok_or(presburger::Error::Overflow);
        if factor > 0 {
            low.push(Quotient { row: negated()?, den: factor });
            if kind == Kind::Eq {
                high.push(Quotient { row: negated()?, den: factor });
            }
        } else if factor < 0 {
            let den = factor.checked_neg().ok_or(presburger::Error::Overflow)?;
            high.push(Quotient { row: rest.clone(), den });
            if kind == Kind::Eq {
                low.push(Quotient { row: rest, den });
            }
        }
    }
    Ok((low, high))
}

impl End {
    /// Lists of one bound that differ in the constant only become one; lists are sorted and listed once.
    fn new(side: Side, lists: Vec<Vec<Quotient>>) -> Self {
        let mut single: BTreeMap<(Vec<i64>, i64), i64> = BTreeMap::new();
        let mut accesses: Vec<Vec<Quotient>> = Vec::new();
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            if let [Quotient { row, den }] = list.as_slice() {
                let (constant, linear) = row.split_last().map_or((0, &[][..]), |(c, l)| (*c, l));
                let loosest = single.entry((linear.to_vec(), *den)).or_insert(constant);
                *loosest = match side {
                    Side::First => constant.min(*loosest),
                    Side::Last => constant.max(*loosest),
                };
            } else if !accesses.contains(&list) {
                accesses.push(list);
            }
        }
        for ((mut row, den), constant) in single {
            row.push(constant);
            accesses.push(vec![Quotient { row, den }]);
        }
        Self { side, accesses }
    }

    /// Its value if that is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        let Quotient { row, .. } = self.as_form()?;
        row.split_last().filter(|(_, linear)| linear.iter().all(|c| *c == 0)).map(|(c, _)| *c)
    }

    /// Whether it is an affine form: nothing to choose and nothing to divide.
    #[must_use]
    pub fn is_affine(&self) -> bool {
        self.as_form().is_some()
    }

    fn as_form(&self) -> Option<&Quotient> {
        match self.accesses.as_slice() {
            [one] => match one.as_slice() {
                [form] if form.den == 1 => Some(form),
                _ => None,
            },
            _ => None,
        }
    }

    /// As a function over `space`, whose parameters are those of the region.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn value(&self, space: &Space, budget: &Budget) -> presburger::Result<PwAff> {
        type Join = fn(&PwAff, &PwAff, &Budget) -> presburger::Result<PwAff>;
        let (tighter, looser): (Join, Join) = match self.side {
            Side::First => (PwAff::max, PwAff::min),
            Side::Last => (PwAff::min, PwAff::max),
        };
        let fold = |all: Vec<PwAff>, join: Join| {
            let mut all = all.into_iter();
            let first = all.next().ok_or(presburger::Error::Spent)?;
            all.try_fold(first, |a, b| join(&a, &b, budget))
        };
        let of =
            |list: &Vec<Quotient>| fold(list.iter().map(|q| PwAff::from(q.value(self.side, space))).collect(), tighter);
        fold(self.accesses.iter().map(of).collect::<presburger::Result<_>>()?, looser)
    }
}

impl Quotient {
    fn value(&self, side: Side, space: &Space) -> Aff {
        let (constant, linear) = self.row.split_last().map_or((0, &[][..]), |(c, l)| (*c, l));
        let terms = linear.iter().enumerate().filter(|(_, c)| **c != 0);
        let sum = terms.fold(Aff::constant(space, constant), |sum, (k, c)| sum.add(&Aff::param(space, k).scale(*c)));
        match side {
            _ if self.den == 1 => sum,
            Side::First => sum.ceil_div(self.den),
            Side::Last => sum.floor_div(self.den),
        }
    }
}
