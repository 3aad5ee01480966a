//! Bounds of subscripts -> expressions.

use super::types::Expr;
use crate::storage::bounds::{End, Quotient, Side};
use crate::storage::buffer::Elements;

/// One end of a range as an expression of the parameters: choices outermost, the constant last.
#[must_use]
pub fn end_of(end: &End) -> Expr {
    type Make = fn(Vec<Expr>) -> Expr;
    let (tightest, loosest): (Make, Make) = match end.side {
        Side::First => (Expr::Max, Expr::Min),
        Side::Last => (Expr::Min, Expr::Max),
    };
    let of = |list: &Vec<Quotient>| one_of(tightest, list.iter().map(|q| quotient(q, end.side)).collect());
    one_of(loosest, end.accesses.iter().map(of).collect())
}

/// First and last of a row of elements.
#[must_use]
pub fn ends_of(elements: &Elements) -> (Expr, Expr) {
    match elements {
        Elements::Fixed(first, last) => (Expr::Int(*first), Expr::Int(*last)),
        Elements::Bounded(range) => (end_of(&range.first), end_of(&range.last)),
    }
}

/// The first value behind an inclusive bound; minima and maxima stay outermost, constants are added up.
#[must_use]
pub fn next_after(bound: &Expr) -> Expr {
    match bound {
        Expr::Min(of) => Expr::Min(of.iter().map(next_after).collect()),
        Expr::Max(of) => Expr::Max(of.iter().map(next_after).collect()),
        Expr::Int(c) if *c < i64::MAX => Expr::Int(c + 1),
        Expr::Add(of) => match of.as_slice() {
            [one, Expr::Int(-1)] | [Expr::Int(-1), one] => one.clone(),
            [rest @ .., Expr::Int(c)] if *c < i64::MAX => Expr::Add([rest, &[Expr::Int(c + 1)]].concat()),
            _ => Expr::Add([of.as_slice(), &[Expr::Int(1)]].concat()),
        },
        other => Expr::Add(vec![other.clone(), Expr::Int(1)]),
    }
}

fn one_of(make: fn(Vec<Expr>) -> Expr, mut of: Vec<Expr>) -> Expr {
    if of.len() == 1 { of.remove(0) } else { make(of) }
}

fn quotient(Quotient { row, den }: &Quotient, side: Side) -> Expr {
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
    match side {
        _ if *den == 1 => sum,
        Side::First => Expr::CeilDiv(Box::new(sum), *den),
        Side::Last => Expr::FloorDiv(Box::new(sum), *den),
    }
}
