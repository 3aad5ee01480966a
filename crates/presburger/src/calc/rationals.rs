//! What the calculator does with rational sets and maps.

use super::Value;
use super::eval::{Outcome, problem};
use crate::budget::{Budget, Result};
use crate::sets::rational::RationalSet;

/// What kind of value it is.
pub(super) fn kind(r: &RationalSet) -> &'static str {
    if r.is_map() { "rational map" } else { "rational set" }
}

pub(super) fn unary(op: &str, r: &RationalSet, b: &Budget) -> Outcome {
    Ok(Value::Rational(match op {
        "dom" | "domain" if r.is_map() || r.is_empty() => r.domain(b)?,
        "ran" | "range" if r.is_map() || r.is_empty() => r.range(b)?,
        "params" => r.params(b)?,
        "coalesce" => r.coalesce(b)?,
        "sample" => r.sample(b)?,
        "coefficients" | "solutions" if r.is_empty() => {
            return problem(format!("'{op}' of no elements: they have no tuple"));
        }
        "coefficients" | "solutions" => {
            let found = if op == "solutions" { r.solutions(b)? } else { r.coefficients(b)? };
            match found {
                Some(dual) => dual,
                None if op == "solutions" => return problem("'solutions' applies to what 'coefficients' gives"),
                None => return problem("'coefficients' does not apply to a rational map"),
            }
        }
        "lexmin" | "lexmax" => match r.optimum(op == "lexmax", b)? {
            Some(optimum) => optimum,
            None => return problem(format!("'{op}' of rational elements is known for sets without parameters only")),
        },
        _ => return problem(format!("'{op}' does not apply to a {}", kind(r))),
    }))
}

pub(super) fn binary(op: &str, x: &RationalSet, y: &RationalSet, b: &Budget) -> Outcome {
    let is_mixed = !x.is_empty() && !y.is_empty() && x.is_map() != y.is_map();
    Ok(match op {
        "+" if is_mixed => return problem("a union is of sets or of maps"),
        "+" => Value::Rational(x.union(y)),
        "*" => Value::Rational(x.intersect(y, b)?),
        "=" | "==" => Value::Bool(x.is_equal(y, b)?),
        "<=" => Value::Bool(x.is_subset(y, b)?),
        ">=" => Value::Bool(y.is_subset(x, b)?),
        "<" => Value::Bool(x.is_subset(y, b)? && !y.is_subset(x, b)?),
        ">" => Value::Bool(y.is_subset(x, b)? && !x.is_subset(y, b)?),
        "-" => return problem("the difference of rational sets has open edges, which are not known here"),
        _ => return problem(format!("'{op}' does not apply to a {} and a {}", kind(x), kind(y))),
    })
}

pub(super) fn is_comparison(op: &str) -> bool {
    matches!(op, "=" | "==" | "<=" | ">=" | "<" | ">")
}

/// `x op y`, where `y` is a set or a map of integers.
pub(super) fn compare(op: &str, x: &RationalSet, y: &Value, b: &Budget) -> Outcome {
    let (inside, around) = (are_elements(x, y, b)?, holds(x, y, b)?);
    Ok(Value::Bool(match op {
        "<=" => inside,
        ">=" => around,
        "<" => inside && !around,
        ">" => around && !inside,
        _ => inside && around,
    }))
}

/// Whether all integer elements of `y` are points of `x`.
fn holds(x: &RationalSet, y: &Value, b: &Budget) -> Result<bool> {
    match y {
        Value::Set(y) => y.is_subset(&x.integer_set(), b),
        Value::Map(y) => y.is_subset(&x.integer_map(), b),
        _ => Ok(false),
    }
}

/// Whether all points of `x` are elements of `y`: each piece is one point, of integers.
fn are_elements(x: &RationalSet, y: &Value, b: &Budget) -> Result<bool> {
    for piece in &x.pieces {
        let piece = RationalSet { params: x.params.clone(), pieces: vec![piece.clone()] };
        let inside = match y {
            Value::Set(y) => {
                let own = piece.integer_set();
                !own.is_empty(b)? && own.is_subset(y, b)?
            }
            Value::Map(y) => {
                let own = piece.integer_map();
                !own.is_empty(b)? && own.is_subset(y, b)?
            }
            _ => false,
        };
        if !inside || !piece.is_subset(&piece.sample(b)?, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}
