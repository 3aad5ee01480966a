//! AST expressions as functions of parameters and iterators.

use super::types::Expr;
use crate::error::{Failure, Limit};
use crate::ids::IterId;
use presburger::{Aff, Budget, PwAff, Space};

/// The value of an expression over the dims of `space`; `position` says which dim an iterator is.
///
/// # Errors
/// `Limit` when the budget is spent; whatever `position` says of an iterator.
pub fn value_of(
    e: &Expr,
    space: &Space,
    position: &dyn Fn(IterId) -> Result<usize, Failure>,
    budget: &Budget,
) -> Result<PwAff, Failure> {
    let of = |e: &Expr| value_of(e, space, position, budget);
    let fold = |all: &[Expr], join: fn(&PwAff, &PwAff, &Budget) -> presburger::Result<PwAff>| {
        let mut all = all.iter().map(of).collect::<Result<Vec<_>, Failure>>()?.into_iter();
        let first = all.next().ok_or_else(|| Failure::Bug("a choice among nothing".to_owned()))?;
        all.try_fold(first, |a, b| join(&a, &b, budget)).map_err(Limit::of("ast"))
    };
    Ok(match e {
        Expr::Int(v) => Aff::constant(space, *v).into(),
        Expr::Param(k) => Aff::param(space, *k).into(),
        Expr::Iter(i) => Aff::dim(space, position(*i)?).into(),
        Expr::Add(all) if all.is_empty() => Aff::zero(space).into(),
        Expr::Add(all) => fold(all, PwAff::add)?,
        Expr::Mul(k, e) => of(e)?.scale(*k),
        Expr::FloorDiv(e, d) => of(e)?.floor_div(*d),
        Expr::CeilDiv(e, d) => of(e)?.ceil_div(*d),
        Expr::Mod(e, d) => of(e)?.modulo(*d),
        Expr::Min(all) => fold(all, PwAff::min)?,
        Expr::Max(all) => fold(all, PwAff::max)?,
    })
}
