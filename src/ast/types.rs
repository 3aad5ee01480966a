//! The loop AST: what code generation turns into IR, and what is printed as C.
//!
//! All expressions are i64 and are proved not to overflow inside the SCoP's assumed context.

use crate::ids::{ArrayId, IterId, StmtId};
use crate::model::tree::{Axis, Blocks, ThreadCopies};
use std::collections::BTreeSet;

/// A statement of the AST.
#[derive(Clone, Debug, PartialEq)]
pub enum Ast {
    /// One after the other.
    Block(Vec<Ast>),
    /// `for (iter = lower; iter <= upper; iter += step)`.
    For(Box<For>),
    /// `if (cond) then else otherwise`.
    If(Box<If>),
    /// One statement instance; `args[k]` is the value of domain dim k.
    Stmt {
        /// Which statement.
        id: StmtId,
        /// Values of its domain dims, outermost first.
        args: Vec<Expr>,
    },
}

impl Ast {
    /// Whether there is a loop in it.
    #[must_use]
    pub fn contains_loop(&self) -> bool {
        self.any_loop(&|_| true)
    }

    /// Whether some loop in it may run in threads.
    #[must_use]
    pub fn contains_parallel(&self) -> bool {
        self.any_loop(&|f| f.parallel.is_some())
    }

    /// The arrays that threads of some loop in it have copies of.
    #[must_use]
    pub fn privatized(&self) -> BTreeSet<ArrayId> {
        let mut all = BTreeSet::new();
        match self {
            Ast::Block(parts) => parts.iter().for_each(|part| all.extend(part.privatized())),
            Ast::For(f) => {
                all.extend(f.parallel.iter().flat_map(|copies| copies.privatized.iter().copied()));
                all.extend(f.body.privatized());
            }
            Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).for_each(|part| all.extend(part.privatized())),
            Ast::Stmt { .. } => {}
        }
        all
    }

    /// Whether some loop in it is such a one.
    #[must_use]
    pub fn any_loop(&self, holds: &dyn Fn(&For) -> bool) -> bool {
        match self {
            Ast::Block(parts) => parts.iter().any(|part| part.any_loop(holds)),
            Ast::For(f) => holds(f) || f.body.any_loop(holds),
            Ast::If(i) => i.then.any_loop(holds) || i.otherwise.as_ref().is_some_and(|other| other.any_loop(holds)),
            Ast::Stmt { .. } => false,
        }
    }

    /// The statements in it, once per occurrence, in the order of the text. Cost: one step per node.
    pub fn stmts(&self) -> impl Iterator<Item = StmtId> + '_ {
        self.leaves().filter_map(|leaf| if let Ast::Stmt { id, .. } = leaf { Some(*id) } else { None })
    }

    /// The same as nodes.
    pub fn leaves(&self) -> impl Iterator<Item = &Ast> + '_ {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            loop {
                match open.pop()? {
                    Ast::Block(parts) => open.extend(parts.iter().rev()),
                    Ast::For(f) => open.push(&f.body),
                    Ast::If(i) => {
                        open.extend(&i.otherwise);
                        open.push(&i.then);
                    }
                    leaf @ Ast::Stmt { .. } => return Some(leaf),
                }
            }
        })
    }
}

/// A loop. Runs at least zero times; bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// Its iterator.
    pub iter: IterId,
    /// First value.
    pub lower: Expr,
    /// Last value, inclusive.
    pub upper: Expr,
    /// Increment, > 0.
    pub step: i64,
    /// No dependence is carried by the loop.
    pub coincident: bool,
    /// Requested: run its iterations in parallel threads, which then need these copies.
    pub parallel: Option<ThreadCopies>,
    /// A GPU runs its iterations at the same time, numbered along this axis.
    pub axis: Option<Axis>,
    /// It does so little of the region's work that making it faster does not pay for the compile time.
    pub minor: bool,
    /// It is the outermost of three loops over rows, columns and depth of a contraction, which may run in these blocks:
    /// in any order in which what is done for one row and column runs with ascending depth, from copies of what is
    /// read.
    pub contraction: Option<Blocks>,
    /// Elements that it may keep in registers ([`super::registers`]).
    pub registers: Vec<Held>,
    /// Body.
    pub body: Ast,
}

/// An element that an innermost loop may keep in a register: it does not move with the loop, is read and surely
/// written, and nothing else in the body touches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its array.
    pub array: ArrayId,
    /// Everything in the body that touches it.
    pub touches: Vec<Touch>,
}

/// A memory access of one instance in a loop body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Position of the instance in the body.
    pub at: usize,
    /// Position among the accesses of its statement.
    pub access: usize,
}

/// A condition with its branches.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// When to take `then`.
    pub cond: Cond,
    /// Taken if it holds.
    pub then: Ast,
    /// Taken otherwise.
    pub otherwise: Option<Ast>,
}

/// A truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// Constant.
    True,
    /// Constant.
    False,
    /// All hold.
    And(Vec<Cond>),
    /// At least one holds.
    Or(Vec<Cond>),
    /// Does not hold.
    Not(Box<Cond>),
    /// `lhs >= rhs`.
    Ge(Expr, Expr),
    /// `lhs == rhs`.
    Eq(Expr, Expr),
}

/// An integer expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Constant.
    Int(i64),
    /// Parameter by column.
    Param(usize),
    /// Loop iterator.
    Iter(IterId),
    /// Sum.
    Add(Vec<Expr>),
    /// Product with a constant.
    Mul(i64, Box<Expr>),
    /// `floor(e / d)`, d > 0.
    FloorDiv(Box<Expr>, i64),
    /// `ceil(e / d)`, d > 0.
    CeilDiv(Box<Expr>, i64),
    /// `e - d * floor(e / d)`, d > 0.
    Mod(Box<Expr>, i64),
    /// Smallest.
    Min(Vec<Expr>),
    /// Largest.
    Max(Vec<Expr>),
}

impl Expr {
    /// Whether the value depends on an iterator.
    #[must_use]
    pub fn mentions(&self, iter: IterId) -> bool {
        match self {
            Expr::Int(_) | Expr::Param(_) => false,
            Expr::Iter(own) => *own == iter,
            Expr::Add(of) | Expr::Min(of) | Expr::Max(of) => of.iter().any(|e| e.mentions(iter)),
            Expr::Mul(_, e) | Expr::FloorDiv(e, _) | Expr::CeilDiv(e, _) | Expr::Mod(e, _) => e.mentions(iter),
        }
    }
}
