//! Closed forms of what has one value: the first or last element that an access touches.

use super::expr::{Scope, scaled, sum};
use super::types::{Cond, Expr};
use super::{bounds_of, cond_of_set};
use crate::error::{Failure, Limit};
use presburger::{Aff, BasicSet, Budget, Kind, Map, Set, Space};

/// The one element of a set, by pieces of the parameters; `None`: some subscript has no closed form.
///
/// # Errors
/// `Limit` when the budget is spent.
pub(super) fn elements(set: &Set, budget: &Budget) -> Result<Option<Vec<(Cond, Vec<Expr>)>>, Failure> {
    let limit = Limit::of("run-time check");
    let mut pieces = Vec::new();
    // Without bounds of which only together it follows what a subscript is.
    let set = set.simplify(budget).map_err(&limit)?;
    for basic in set.basics() {
        let piece = basic.to_set();
        let params = piece.params(budget).map_err(&limit)?;
        let conds: Vec<Cond> = params.basics().iter().map(|b| cond_of_set(&b.to_set(), budget)).collect();
        // No test: the piece would be taken for empty.
        if conds.contains(&Cond::False) {
            return Ok(None);
        }
        let cond = if conds.contains(&Cond::True) { Cond::True } else { Cond::Or(conds) };
        let mut subscripts = Vec::new();
        for k in 0..set.space().n_out() {
            let plain = one_value(&piece, k, budget)?;
            let value = if plain.is_some() { plain } else { one_of_steps(basic, k, budget)? };
            let Some(value) = value else { return Ok(None) };
            subscripts.push(value);
        }
        pieces.push((cond, subscripts));
    }
    Ok(Some(pieces))
}

/// The value of a subscript whose smallest value is its largest one, wherever there is an element.
fn one_value(piece: &Set, k: usize, budget: &Budget) -> Result<Option<Expr>, Failure> {
    let ends = bounds_of(piece, &Aff::dim(piece.space(), k), budget)?;
    Ok(ends.filter(|(low, high)| is_one_value(low, high)).map(|(low, _)| low))
}

/// The same for `step q + rest`, with `rest` of the parameters and a `q` whose smallest value is its largest one.
fn one_of_steps(basic: &BasicSet, k: usize, budget: &Budget) -> Result<Option<Expr>, Failure> {
    let limit = Limit::of("run-time check");
    let space = basic.space();
    let (params, rank) = (space.n_param(), space.n_out());
    for (kind, row) in basic.rows_i64().map_err(&limit)? {
        let Some((step, rest)) = (kind == Kind::Eq).then(|| steps_of(&row, (params, rank), k)).flatten() else {
            continue;
        };
        let quotients = quotients(space, k, (step, &rest));
        let found = basic.to_set().apply(&quotients, budget).map_err(&limit)?;
        if let Some(quotient) = one_value(&found, k, budget)? {
            let scope = Scope { params, levels: Vec::new() };
            return Ok(Some(sum(vec![scaled(step, quotient), scope.affine(&rest)])));
        }
    }
    Ok(None)
}

/// `step > 1` and `rest`, `[1 | params]`, where a row that is zero says that subscript `k` is `step e + rest` for some
/// whole number `e`. Row: `[params | subscripts | existentials | 1]`.
fn steps_of(row: &[i64], (params, rank): (usize, usize), k: usize) -> Option<(i64, Vec<i64>)> {
    let (linear, tail) = row.split_at(params + rank);
    let (constant, hidden) = tail.split_last()?;
    let own = linear[params + k];
    let alone = linear[params..].iter().enumerate().all(|(other, c)| other == k || *c == 0);
    let mut steps = hidden.iter().filter(|c| **c != 0);
    let (Some(step), None) = (steps.next(), steps.next()) else { return None };
    let step = step.checked_abs().filter(|step| *step > 1 && alone && own.abs() == 1)?;
    let solved = |c: &i64| if own == 1 { c.checked_neg() } else { Some(*c) };
    let rest = [constant].into_iter().chain(&linear[..params]).map(solved).collect::<Option<_>>()?;
    Some((step, rest))
}

/// `[params] -> { [s0, .., sk, ..] -> [s0, .., q, ..] : sk = step q + rest }`.
fn quotients(of: &Space, k: usize, (step, rest): (i64, &[i64])) -> Map {
    let space = of.map_to_self();
    let (params, rank) = (space.n_param(), space.n_in());
    let mut all = Map::universe(space.clone());
    for dim in 0..rank {
        let mut row = vec![0; space.n_cols() + 1];
        row[params + dim] = 1;
        row[params + rank + dim] = if dim == k { -step } else { -1 };
        if dim == k {
            row[space.n_cols()] = -rest[0];
            row.iter_mut().zip(&rest[1..]).for_each(|(c, r)| *c = -r);
        }
        all = all.add(Kind::Eq, &row);
    }
    all
}

/// Whether what lies between these ends is the first one: one of the forms that it is not below is one of those that it
/// is not above, both rounded down.
fn is_one_value(low: &Expr, high: &Expr) -> bool {
    let lower = if let Expr::Max(of) = low { of.as_slice() } else { std::slice::from_ref(low) };
    let upper = if let Expr::Min(of) = high { of.as_slice() } else { std::slice::from_ref(high) };
    lower.iter().any(|l| upper.iter().any(|u| rounded_down(l) == rounded_down(u)))
}

/// `ceil(e / d)` as `floor((e + d - 1) / d)`; other expressions as they are.
fn rounded_down(e: &Expr) -> Expr {
    match e {
        Expr::CeilDiv(e, d) => Expr::FloorDiv(Box::new(sum(vec![(**e).clone(), Expr::Int(d - 1)])), *d),
        other => other.clone(),
    }
}
