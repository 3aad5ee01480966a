//! How much one execution of a loop does, as a function of the parameters: what decides at run time whether threads pay.
//!
//! Approximate: each loop counts with its length in the middle of the loops around it, and only the first piece of a domain counts.

use std::collections::BTreeSet;

use crate::ast::types::{Ast, Cond, Expr, For};
use crate::error::{Failure, Limit};
use crate::ids::{IterId, StmtId};
use crate::model::{Scop, Stmt};
use presburger::Kind;

/// What an unknown parameter is taken for where one of several bounds has to be chosen.
const TYPICAL_PARAMETER: f64 = 1000.0;

/// Estimated instructions from which on threads pay for their start.
pub const WORTHWHILE_INSTRUCTIONS: f64 = 100_000.0;

/// Affine function of the parameters, `[params | 1]`.
pub type Row = Vec<f64>;

/// Instructions: the sum over all terms of `weight` times the product of the factors, each at least 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// One per statement.
    pub terms: Vec<Term>,
    /// Whether iterations of a loop inside depend on another loop inside, or some iterations leave a part out: they may do different
    /// amounts.
    pub uneven: bool,
}

/// Work of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Instructions per instance.
    pub weight: f64,
    /// Lengths of the loops around it.
    pub factors: Vec<Row>,
}

impl Work {
    /// Whether threads do not pay whatever the parameters.
    #[must_use]
    pub fn is_surely_small(&self) -> bool {
        let constant =
            |row: &Row| row.split_last().filter(|(_, l)| l.iter().all(|c| *c == 0.0)).map(|(c, _)| c.max(0.0));
        let term = |t: &Term| t.factors.iter().try_fold(t.weight, |product, f| Some(product * constant(f)?));
        let total = self.terms.iter().try_fold(0.0, |sum, t| Some(sum + term(t)?));
        total.is_some_and(|instructions| instructions < WORTHWHILE_INSTRUCTIONS)
    }
}

/// Work of a whole execution of `f`, loops around it at some iteration.
///
/// # Errors
/// `Limit` where a coefficient does not fit.
pub fn of_loop(scop: &Scop, f: &For) -> Result<Work, Failure> {
    let mut inside = Inside::default();
    inside.iters.insert(f.iter);
    let mut work = Work { uneven: inside.leaves_out(&f.body), ..Work::default() };
    inside.walk(&f.body);
    let ids: BTreeSet<StmtId> = inside.varying.iter().map(|(id, _)| *id).chain(inside.stmts.iter().copied()).collect();
    for id in ids {
        let stmt = scop.stmt(id);
        let dims: Vec<usize> = (0..stmt.dims()).filter(|d| inside.varying.contains(&(id, *d))).collect();
        let (lengths, coupled) = lengths(stmt, &dims)?;
        work.uneven |= coupled;
        let weight = to_f64(stmt.body.insts.len().max(1));
        work.terms.push(Term { weight, factors: dims.iter().map(|d| lengths[*d].clone()).collect() });
    }
    Ok(work)
}

/// Iterators of the loops inside, and which dims of which statements depend on them.
#[derive(Default)]
struct Inside {
    iters: BTreeSet<IterId>,
    stmts: BTreeSet<StmtId>,
    varying: BTreeSet<(StmtId, usize)>,
}

impl Inside {
    fn walk(&mut self, ast: &Ast) {
        match ast {
            Ast::Block(all) => all.iter().for_each(|a| self.walk(a)),
            Ast::For(f) => {
                self.iters.insert(f.iter);
                self.walk(&f.body);
            }
            Ast::If(i) => {
                self.walk(&i.then);
                i.otherwise.iter().for_each(|a| self.walk(a));
            }
            Ast::Stmt { id, args } => {
                self.stmts.insert(*id);
                let varying = args.iter().enumerate().filter(|(_, a)| self.mentions(a)).map(|(d, _)| (*id, d));
                self.varying.extend(varying.collect::<Vec<_>>());
            }
        }
    }

    /// Whether a part of `body` runs in some of these iterations alone, without another in its place.
    fn leaves_out(&self, body: &Ast) -> bool {
        match body {
            Ast::Block(parts) => parts.iter().any(|part| self.leaves_out(part)),
            Ast::If(i) => i.otherwise.is_none() && self.tests(&i.cond),
            Ast::For(_) | Ast::Stmt { .. } => false,
        }
    }

    fn tests(&self, cond: &Cond) -> bool {
        match cond {
            Cond::True | Cond::False => false,
            Cond::And(of) | Cond::Or(of) => of.iter().any(|c| self.tests(c)),
            Cond::Not(c) => self.tests(c),
            Cond::Ge(a, b) | Cond::Eq(a, b) => self.mentions(a) || self.mentions(b),
        }
    }

    fn mentions(&self, e: &Expr) -> bool {
        match e {
            Expr::Int(_) | Expr::Param(_) => false,
            Expr::Iter(i) => self.iters.contains(i),
            Expr::Mul(_, e) | Expr::FloorDiv(e, _) | Expr::CeilDiv(e, _) | Expr::Mod(e, _) => self.mentions(e),
            Expr::Add(of) | Expr::Min(of) | Expr::Max(of) => of.iter().any(|e| self.mentions(e)),
        }
    }
}

/// Length of each dim of the statement, and whether a constraint ties two of `varying` together.
fn lengths(stmt: &Stmt, varying: &[usize]) -> Result<(Vec<Row>, bool), Failure> {
    let space = stmt.domain.space();
    let (params, dims) = (space.n_param(), space.n_out());
    let Some(basic) = stmt.domain.basics().first() else { return Ok((vec![vec![0.0; params + 1]; dims], false)) };
    let rows = basic.rows_i64().map_err(Limit::of("run-time check"))?;
    let ties = |r: &[i64]| varying.iter().filter(|d| r[params + **d] != 0).count() > 1;
    let coupled = rows.iter().any(|(_, r)| ties(r));
    let mut middles: Vec<Row> = Vec::with_capacity(dims);
    let mut all = Vec::with_capacity(dims);
    for k in 0..dims {
        let (mut low, mut high): (Option<Row>, Option<Row>) = (None, None);
        for (kind, r) in &rows {
            let own = params + k;
            let inner = r[own + 1..r.len() - 1].iter().any(|c| *c != 0);
            if r[own] == 0 || inner {
                continue;
            }
            let bound = bound(r, own, params, &middles);
            if r[own] > 0 || *kind == Kind::Eq {
                low = Some(tighter(low, bound.clone(), |new, old| new > old));
            }
            if r[own] < 0 || *kind == Kind::Eq {
                high = Some(tighter(high, bound, |new, old| new < old));
            }
        }
        let zero = || vec![0.0; params + 1];
        let low = low.unwrap_or_else(zero);
        let high = high.unwrap_or_else(|| combine(&low, 1.0, &typical(params), 1.0));
        let mut length = combine(&high, 1.0, &low, -1.0);
        length[params] += 1.0;
        all.push(length);
        middles.push(combine(&low, 0.5, &high, 0.5));
    }
    Ok((all, coupled))
}

/// The value of dim `own` at which row `r` is 0, outer dims in their middles.
fn bound(r: &[i64], own: usize, params: usize, middles: &[Row]) -> Row {
    let mut sum: Row = r[..params].iter().map(|c| int(*c)).collect();
    sum.push(int(r[r.len() - 1]));
    for (middle, c) in middles.iter().zip(&r[params..own]) {
        sum = combine(&sum, 1.0, middle, int(*c));
    }
    sum.iter().map(|v| -v / int(r[own])).collect()
}

fn tighter(old: Option<Row>, new: Row, wins: fn(f64, f64) -> bool) -> Row {
    match old {
        Some(old) if !wins(at_typical(&new), at_typical(&old)) => old,
        _ => new,
    }
}

fn typical(params: usize) -> Row {
    let mut row = vec![0.0; params];
    row.push(TYPICAL_PARAMETER);
    row
}

fn at_typical(row: &Row) -> f64 {
    let (constant, linear) = row.split_last().map_or((0.0, &[][..]), |(c, l)| (*c, l));
    constant + linear.iter().sum::<f64>() * TYPICAL_PARAMETER
}

fn combine(a: &Row, x: f64, b: &Row, y: f64) -> Row {
    a.iter().zip(b).map(|(p, q)| p * x + q * y).collect()
}

#[allow(clippy::cast_precision_loss)]
fn int(v: i64) -> f64 {
    v as f64
}

#[allow(clippy::cast_precision_loss)]
fn to_f64(v: usize) -> f64 {
    v as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast;
    use crate::ast::types::If;

    /// The first outermost loop of a SCoP in its order.
    fn outermost(text: &str) -> (Scop, For) {
        let scop = Scop::parse(text).expect("text");
        let ast = ast::build(&scop, &scop.schedule, &ast::Config::default()).expect("in budget");
        match ast {
            Ast::For(f) => (scop, *f),
            other => panic!("not a loop: {other:?}"),
        }
    }

    fn scop(domain: &str) -> String {
        let schedule = "schedule: [0, i, 0, j, 0]\n must_write: { Stmt0[i, j] -> Arr0[i, j] }";
        format!(
            "scop s\nparams: N\nassumed: {{ : N >= 1 }}\narray Arr0 memory f64 [*, 100]\nstmt Stmt0\n {domain}\n {schedule}\n"
        )
    }

    fn at(work: &Work, n: f64) -> f64 {
        let value = |row: &Row| (row[0] * n + row[1]).max(0.0);
        work.terms.iter().map(|t| t.factors.iter().fold(t.weight, |p, f| p * value(f))).sum()
    }

    #[test]
    fn a_rectangle_counts_its_points() {
        let (scop, f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and 5 <= j < 100 }"));
        let work = of_loop(&scop, &f).expect("fits");
        assert!(!work.uneven);
        assert!((at(&work, 40.0) - 40.0 * 95.0).abs() < 1e-9, "{work:?}");
        assert!(!work.is_surely_small());
    }

    #[test]
    fn a_triangle_counts_the_row_in_the_middle_and_is_uneven() {
        let (scop, f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and i <= j < N }"));
        let work = of_loop(&scop, &f).expect("fits");
        assert!(work.uneven);
        assert!((at(&work, 100.0) - 100.0 * 50.5).abs() < 1e-9, "{work:?}");
    }

    #[test]
    fn a_loop_whose_iterations_leave_parts_out_is_uneven() {
        let (scop, mut f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }"));
        let first_half = Cond::Ge(Expr::Int(50), Expr::Iter(f.iter));
        let then = std::mem::replace(&mut f.body, Ast::Block(Vec::new()));
        let branch = |otherwise| Ast::If(Box::new(If { cond: first_half.clone(), then: then.clone(), otherwise }));
        f.body = branch(None);
        assert!(of_loop(&scop, &f).expect("fits").uneven);
        f.body = branch(Some(then.clone()));
        assert!(!of_loop(&scop, &f).expect("fits").uneven);
    }

    #[test]
    fn an_inner_loop_counts_once_per_iteration_around() {
        let (scop, f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }"));
        let Ast::For(inner) = &f.body else { panic!("no inner loop") };
        let work = of_loop(&scop, inner).expect("fits");
        assert!((at(&work, 40.0) - 100.0).abs() < 1e-9, "{work:?}");
        assert!(work.is_surely_small());
    }
}
