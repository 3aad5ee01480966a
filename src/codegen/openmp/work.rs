//! How much one execution of a loop does ([`crate::cost::work`]): which statements and dims vary inside of it is read
//! off the AST.

use std::collections::BTreeSet;

use crate::ast::types::{Ast, Cond, Expr, For};
pub use crate::cost::lengths::Row;
pub use crate::cost::work::{WORTHWHILE_CYCLES, WORTHWHILE_EACH_TIME_CYCLES, Work};
use crate::error::Failure;
use crate::ids::{IterId, StmtId};
use crate::model::Scop;

/// Work of a whole execution of `f`, loops around it at some iteration.
///
/// # Errors
/// `Limit` where a coefficient does not fit.
pub fn of_loop(scop: &Scop, f: &For) -> Result<Work, Failure> {
    let mut inside = Inside::default();
    inside.iters.insert(f.iter);
    let uneven = inside.leaves_out(&f.body);
    inside.walk(&f.body);
    let ids: BTreeSet<StmtId> = inside.varying.iter().map(|(id, _)| *id).chain(inside.stmts.iter().copied()).collect();
    let dims = |id: StmtId| (0..scop.stmt(id).dims()).filter(|d| inside.varying.contains(&(id, *d))).collect();
    let walked: Vec<(StmtId, Vec<usize>)> = ids.into_iter().map(|id| (id, dims(id))).collect();
    let mut work = Work::of(scop, &walked)?;
    work.uneven |= uneven;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast;
    use crate::ast::types::If;
    use presburger::Budget;

    /// Cycles of an instance: a store, and its share of the loop.
    const INSTANCE: f64 = 1.5;

    /// The first outermost loop of a SCoP in its order.
    fn outermost(text: &str) -> (Scop, For) {
        let scop = Scop::parse(text).expect("text");
        let ast =
            ast::build(&scop, &scop.schedule, &ast::Config::default(), &Budget::steps(2_000_000)).expect("in budget");
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
        work.terms.iter().map(|t| t.factors.iter().fold(t.cycles, |p, f| p * value(f))).sum()
    }

    #[test]
    fn a_rectangle_counts_its_points() {
        let (scop, f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and 5 <= j < 100 }"));
        let work = of_loop(&scop, &f).expect("fits");
        assert!(!work.uneven);
        assert!((at(&work, 40.0) - INSTANCE * 40.0 * 95.0).abs() < 1e-9, "{work:?}");
        assert!(!work.is_surely_small());
    }

    #[test]
    fn a_triangle_counts_the_row_in_the_middle_and_is_uneven() {
        let (scop, f) = outermost(&scop("domain: { Stmt0[i, j] : 0 <= i < N and i <= j < N }"));
        let work = of_loop(&scop, &f).expect("fits");
        assert!(work.uneven);
        assert!((at(&work, 100.0) - INSTANCE * 100.0 * 50.5).abs() < 1e-9, "{work:?}");
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
        assert!((at(&work, 40.0) - INSTANCE * 100.0).abs() < 1e-9, "{work:?}");
        assert!(work.is_surely_small());
    }
}
