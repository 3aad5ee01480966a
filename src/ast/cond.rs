//! What code generation asks about sets: run-time conditions and the range of an affine form.

use super::expr::{Scope, all, any, max, min};
use super::fail::Res;
use super::hidden::Hidden;
use super::piece::{Layout, Piece, project};
use super::types::{Cond, Expr};
use crate::error::Failure;
use crate::ids::StmtId;
use presburger::rows::{Row, Tableau, negate, reduce, with_rows};
use presburger::{Aff, BasicSet, Budget, Kind, Set, Space};
use std::borrow::Cow;

/// The test that parameter values lie in `set`, `[params] -> { : }`.
/// Never true outside of the set; exact unless an existential cannot be expressed, or the budget is spent, then that
/// piece counts as false.
#[must_use]
pub fn cond_of_set(set: &Set, budget: &Budget) -> Cond {
    let explicit = set.compute_divs(budget).unwrap_or(Cow::Borrowed(set));
    let scope = Scope { params: set.space().n_param(), levels: Vec::new() };
    any(explicit.basics().iter().map(|b| cond_of_basic(b, &scope).unwrap_or(Cond::False)).collect())
}

/// "There are values of the columns from `base` on for which none of `rows` is negative", where `given` and
/// what is known hold. Exact: the columns become floors of the others, with one alternative for each part which that
/// takes.
pub(super) fn cond_of_hidden(
    rows: &[Row],
    base: usize,
    (given, known): (&[Row], &Tableau),
    (scope, budget): (&Scope, &Budget),
) -> Res<Cond> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(base).max(base);
    let names: Vec<String> = (1..base).map(|c| format!("c{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut basic = BasicSet::universe(Space::params_only(&names));
    for _ in base..width {
        basic.add_exists();
    }
    for row in rows.iter().chain(given) {
        let mut own = row.clone();
        own.resize(width, 0);
        own.rotate_left(1);
        basic.add_full(Kind::Ge, &own);
    }
    let set = basic.into_set();
    let explicit = set.compute_divs(budget)?;
    let explicit = explicit.coalesce(budget)?;
    let mut alternatives = Vec::new();
    for part in explicit.basics() {
        if let Some(part) = without_known(part, given, known)? {
            alternatives.push(cond_of_basic(&part, scope)?);
        }
    }
    Ok(any(alternatives))
}

/// The conjunction without rows that follow from what is known; `None`: it excludes what is known.
fn without_known(part: &BasicSet, given: &[Row], known: &Tableau) -> Res<Option<BasicSet>> {
    let (n, width) = (part.space().n_param(), part.space().n_param() + part.n_exists());
    let mut kept = BasicSet::universe(part.space().clone());
    for _ in n..width {
        kept.add_exists();
    }
    let mut tab = with_rows(known, given)?;
    let mut own = Vec::new();
    for (kind, row) in part.rows_i64()? {
        if row[n..width].iter().any(|c| *c != 0) {
            kept.add_full(kind, &row);
            continue;
        }
        let mut plain = row[..n].to_vec();
        plain.insert(0, row[width]);
        if kind == Kind::Eq {
            own.push((tab.add(&negate(&plain)?)?, negate(&plain)?));
        }
        own.push((tab.add(&plain)?, plain));
    }
    if tab.is_empty() {
        return Ok(None);
    }
    for (id, mut row) in own {
        if !tab.is_redundant(id)? {
            row.resize(width + 1, 0);
            row.rotate_left(1);
            kept.add_full(Kind::Ge, &row);
        }
    }
    Ok(Some(kept))
}

fn cond_of_basic(basic: &BasicSet, scope: &Scope) -> Res<Cond> {
    let n = basic.space().n_param();
    let mut conds = Vec::new();
    let mut hidden: Vec<Row> = Vec::new();
    for (kind, row) in basic.rows_i64()? {
        let (vars, constant) = row.split_at(row.len() - 1);
        let mut own: Row = constant.to_vec();
        own.extend_from_slice(vars);
        let plain = vars[n..].iter().all(|&c| c == 0);
        match (plain, kind) {
            (true, _) if vars.iter().all(|&c| c == 0) => {
                let holds = own[0] == 0 || (kind == Kind::Ge && own[0] > 0);
                conds.push(if holds { Cond::True } else { Cond::False });
            }
            (true, Kind::Ge) => conds.push(scope.at_least_zero(&own[..=n])),
            (true, Kind::Eq) => conds.push(scope.equal_zero(&own[..=n])),
            (false, Kind::Ge) => hidden.push(own),
            // m e + r = 0: r is a multiple of m, if e occurs nowhere else (checked below through the rows left).
            (false, Kind::Eq) => {
                let opposite = own.iter().map(|c| c.saturating_neg()).collect();
                hidden.push(own);
                hidden.push(opposite);
            }
        }
    }
    let width = basic.space().n_param() + 1 + basic.n_exists();
    conds.push(Hidden::new(hidden, n + 1, width).cond(scope)?);
    Ok(all(conds))
}

/// Smallest and largest value of `form` over `set` as expressions of the parameters, `[params] -> { S[..] }`.
/// Exact over the rationals, so never too narrow over the integers; for parameters for which the set is empty the first
/// may be larger than the second. `Ok(None)`: unbounded on a side, or the set is empty for all parameters.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient does not fit.
pub fn bounds_of(set: &Set, form: &Aff, budget: &Budget) -> Result<Option<(Expr, Expr)>, Failure> {
    Ok(bounds_of_pieces(set, form, budget)?)
}

fn bounds_of_pieces(set: &Set, form: &Aff, budget: &Budget) -> Res<Option<(Expr, Expr)>> {
    let layout = Layout { params: set.space().n_param(), levels: 1, spare: 0 };
    let scope = Scope { params: layout.params, levels: Vec::new() };
    let known = Tableau::new(layout.base(), budget);
    let time = layout.time(0);
    let (mut lowest, mut highest) = (Vec::new(), Vec::new());
    for basic in set.basics() {
        let mut piece = Piece::new(StmtId(0), 0, basic, layout)?;
        let value = piece.value_of(form)?;
        piece.add_member(0, &value)?;
        if piece.empty {
            continue;
        }
        let Some(cons) = reduce(&known, project(&piece, budget)?, time)? else {
            continue;
        };
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for k in &cons {
            let a = k.row[time];
            let mut rest = k.row.clone();
            rest[time] = 0;
            if a > 0 {
                let opposite: Row = rest.iter().map(|c| c.saturating_neg()).collect();
                lower.push(scope.ceil(&opposite, a));
            } else if a < 0 {
                upper.push(scope.floor(&rest, -a));
            }
        }
        if lower.is_empty() || upper.is_empty() {
            return Ok(None);
        }
        lowest.push(max(lower));
        highest.push(min(upper));
    }
    if lowest.is_empty() {
        return Ok(None);
    }
    Ok(Some((min(lowest), max(highest))))
}
