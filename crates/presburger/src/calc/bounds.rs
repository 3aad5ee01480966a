//! The largest and smallest values of functions, and sums of them: over all arguments, of pairs over the second tuple.

use super::Value;
use super::eval::{Outcome, Problem, infinite, problem};
use crate::budget::{Budget, Error, Result};
use crate::functions::bernstein::PolyBound;
use crate::functions::qpoly::{PwQPoly, over_joint_params};
use crate::sets::space::{Space, Tuple};
use num_rational::BigRational;

/// Functions on pairs with the same first tuple, whose dims are their last parameters; or on no pairs.
type Group = (Option<Tuple>, Vec<PwQPoly>);

fn groups(list: &[PwQPoly]) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for (c, wide) in list.iter().zip(over_joint_params(list)) {
        let (first, c) = match wide.first_as_params() {
            Some((first, c)) => (Some(first), c),
            None => (None, c.clone()),
        };
        match all.iter_mut().find(|(own, _)| *own == first) {
            Some((_, of)) => of.push(c),
            None => all.push((first, vec![c])),
        }
    }
    all
}

/// The largest or the smallest value: exact where the functions are affine or there are few elements, else a bound.
pub(super) fn bound(list: &[PwQPoly], largest: bool, b: &Budget) -> Outcome {
    let mut found = Vec::new();
    for (first, list) in groups(list) {
        found.push(bound_of(first.as_ref(), &list, largest, b)?);
    }
    match found.len() {
        0 => problem("a function without elements has no bound"),
        1 => Ok(found.remove(0)),
        _ if found.iter().all(|v| matches!(v, Value::Count(_))) => {
            let counts = found.into_iter().flat_map(|v| if let Value::Count(list) = v { list } else { Vec::new() });
            Ok(Value::Count(counts.collect()))
        }
        _ => Ok(Value::Text(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))),
    }
}

fn bound_of(first: Option<&Tuple>, list: &[PwQPoly], largest: bool, b: &Budget) -> Outcome {
    let list = list.iter().map(|c| c.without_idle_dims(b)).collect::<Result<Vec<_>>>()?;
    let placed = |c: PwQPoly| first.map_or_else(|| c.clone(), |tuple| c.over_tuple(tuple));
    if list.iter().all(|c| c.pieces().next().is_none()) {
        let params = Space { input: None, output: Tuple::absent(), ..list[0].space().clone() };
        return Ok(Value::Count(vec![placed(PwQPoly::zero(&params))]));
    }
    let has_params = list.iter().any(|c| c.space().n_param() > 0);
    if !has_params {
        match extreme(&list, largest) {
            Err(Problem::Error(Error::TooMany | Error::Overflow)) => {}
            found => return found,
        }
    }
    match PwQPoly::bound(&list, largest, b) {
        Ok(Some(bound)) => return Ok(Value::Count(vec![placed(bound)])),
        Ok(None) | Err(Error::Unbounded | Error::Overflow) => {}
        Err(e) => return Err(e.into()),
    }
    let bound = match PolyBound::new(&list, largest, b) {
        Err(Error::Unbounded) => PolyBound::none(&list, largest, b)?,
        bound => bound?,
    };
    if !has_params && let Some(value) = bound.attained(&list, b)? {
        return Ok(Value::Text(format!("{{ {value} }}")));
    }
    Ok(Value::Text(first.map_or_else(|| bound.to_string(), |tuple| bound.clone().over_tuple(tuple).to_string())))
}

/// Of functions without parameters, by trying all elements.
fn extreme(list: &[PwQPoly], largest: bool) -> Outcome {
    let values: Vec<BigRational> =
        list.iter().map(|c| c.extreme(largest)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    match if largest { values.into_iter().max() } else { values.into_iter().min() } {
        Some(v) => Ok(Value::Text(format!("{{ {v} }}"))),
        None => problem("a function without elements has no bound"),
    }
}

/// The sums of the functions over their arguments, added up; those of pairs over the second tuple.
pub(super) fn sum(list: &[PwQPoly], b: &Budget) -> Outcome {
    let mut found = Vec::new();
    for (first, list) in groups(list) {
        found.extend(total(&list, b)?.map(|t| first.as_ref().map_or_else(|| t.clone(), |tuple| t.over_tuple(tuple))));
    }
    Ok(Value::Count(found))
}

/// The sums of the functions over all their arguments, added up; `None`: there is no function.
pub(super) fn total(list: &[PwQPoly], b: &Budget) -> std::result::Result<Option<PwQPoly>, Problem> {
    let mut total: Option<PwQPoly> = None;
    for c in list {
        let Some(s) = c.sum(b)? else { return infinite() };
        total = Some(match total {
            Some(t) => t.add(&s, b)?,
            None => s,
        });
    }
    Ok(total)
}
