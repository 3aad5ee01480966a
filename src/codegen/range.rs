//! Which part of an array a SCoP touches: bounds of the outermost subscript as expressions in the parameters. Never too small.

use std::collections::BTreeMap;

use crate::ast::types::Expr;
use crate::bridge::analysis::FunctionFacts;
use crate::error::{Failure, Limit};
use crate::ids::ArrayId;
use crate::model::{Scop, Stmt};
use presburger::{BasicMap, Budget, Kind};

const BUDGET_STEPS: u64 = 200_000;

/// First and last value of the outermost subscript over all accesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Smallest.
    pub first: Expr,
    /// Largest.
    pub last: Expr,
}

/// `row . [params | 1] / den`, `den > 0`.
type Quotient = (Vec<i64>, i64);

/// Widest parameters that bounds are computed from where they have choices and quotients: 64 bits hold every value on the way.
const NARROW_BITS: u32 = 32;

/// Whether all parameters are so narrow that no bound computed from them in 64 bits wraps.
pub fn has_narrow_params(scop: &Scop, facts: &FunctionFacts) -> bool {
    scop.params.iter().all(|p| facts.scev(p.value).bits <= NARROW_BITS)
}

/// One side of the bounds of all accesses: each access has a list of bounds that all hold.
#[derive(Default)]
struct Side {
    lists: Vec<Vec<Quotient>>,
}

impl Range {
    /// The range of an array that these statements touch; `None` if some access has no bound on one side, or nothing touches the array.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn of<'s>(stmts: impl IntoIterator<Item = &'s Stmt>, array: ArrayId) -> Result<Option<Self>, Failure> {
        let budget = Budget::steps(BUDGET_STEPS);
        let (mut lower, mut upper) = (Side::default(), Side::default());
        for stmt in stmts {
            for access in stmt.accesses.iter().filter(|a| a.array == array) {
                let touched = access.relation.intersect_domain(&stmt.domain).reverse();
                for piece in touched.basics() {
                    let (low, high) = bounds(piece, &budget).map_err(|_| limit())?;
                    if low.is_empty() || high.is_empty() {
                        return Ok(None);
                    }
                    lower.lists.push(low);
                    upper.lists.push(high);
                }
            }
        }
        if lower.lists.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { first: lower.smallest(), last: upper.largest() }))
    }
}

fn limit() -> Failure {
    Failure::Limit(Limit { stage: "run-time check" })
}

/// Lower and upper bounds of the first input dim of a piece `{ [s0, ..] -> [i0, ..] }`, over the parameters.
fn bounds(piece: &BasicMap, budget: &Budget) -> presburger::Result<(Vec<Quotient>, Vec<Quotient>)> {
    let n = piece.space().n_param();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (kind, row) in piece.wrap().loop_bounds(0, budget)? {
        let factor = row[n];
        let rest: Vec<i64> = row[..n].iter().chain(&row[n + 1..]).copied().collect();
        let negated = || rest.iter().map(|c| c.checked_neg()).collect::<Option<Vec<i64>>>().ok_or(presburger::Limit);
        if factor > 0 {
            low.push((negated()?, factor));
            if kind == Kind::Eq {
                high.push((negated()?, factor));
            }
        } else if factor < 0 {
            let den = factor.checked_neg().ok_or(presburger::Limit)?;
            high.push((rest.clone(), den));
            if kind == Kind::Eq {
                low.push((rest, den));
            }
        }
    }
    Ok((low, high))
}

impl Side {
    /// Lists of one bound that differ in the constant only are one; lists are sorted and listed once.
    fn merged(self, keep_larger: fn(i64, i64) -> bool) -> Vec<Vec<Quotient>> {
        let mut single: BTreeMap<(Vec<i64>, i64), i64> = BTreeMap::new();
        let mut several: Vec<Vec<Quotient>> = Vec::new();
        for mut list in self.lists {
            list.sort_unstable();
            list.dedup();
            if let [(row, den)] = list.as_slice() {
                let (constant, linear) = row.split_last().map_or((0, &[][..]), |(c, l)| (*c, l));
                let best = single.entry((linear.to_vec(), *den)).or_insert(constant);
                if keep_larger(constant, *best) {
                    *best = constant;
                }
            } else if !several.contains(&list) {
                several.push(list);
            }
        }
        for ((mut row, den), constant) in single {
            row.push(constant);
            several.push(vec![(row, den)]);
        }
        several
    }

    fn smallest(self) -> Expr {
        let lists = self.merged(|new, old| new < old);
        wrap(
            Expr::Min,
            lists.iter().map(|l| wrap(Expr::Max, l.iter().map(|q| quotient(q, Expr::CeilDiv)).collect())).collect(),
        )
    }

    fn largest(self) -> Expr {
        let lists = self.merged(|new, old| new > old);
        wrap(
            Expr::Max,
            lists.iter().map(|l| wrap(Expr::Min, l.iter().map(|q| quotient(q, Expr::FloorDiv)).collect())).collect(),
        )
    }
}

fn wrap(make: fn(Vec<Expr>) -> Expr, mut of: Vec<Expr>) -> Expr {
    if of.len() == 1 { of.remove(0) } else { make(of) }
}

fn quotient((row, den): &Quotient, divide: fn(Box<Expr>, i64) -> Expr) -> Expr {
    let mut terms = Vec::new();
    let last = row.len() - 1;
    for (k, c) in row.iter().enumerate() {
        match (k == last, *c) {
            (_, 0) => {}
            (true, c) => terms.push(Expr::Int(c)),
            (false, 1) => terms.push(Expr::Param(k)),
            (false, c) => terms.push(Expr::Mul(c, Box::new(Expr::Param(k)))),
        }
    }
    let sum = match terms.len() {
        0 => Expr::Int(0),
        1 => terms.remove(0),
        _ => Expr::Add(terms),
    };
    if *den == 1 { sum } else { divide(Box::new(sum), *den) }
}
