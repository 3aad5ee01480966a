//! The loop AST: what code generation turns into IR, and what is printed as C.
//!
//! All expressions are i64 and are proved not to overflow inside the SCoP's assumed context.

use crate::ids::{ArrayId, IterId, StmtId, ValueId};
use crate::model::tree::{Axis, Blocks, ReductionCopy, ThreadCopies};
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
    /// How many operators and calls are written.
    #[must_use]
    pub fn operators(&self) -> usize {
        match self {
            Ast::Block(parts) => parts.iter().map(Ast::operators).sum(),
            Ast::For(f) => f.operators(),
            Ast::If(i) => {
                i.cond.operators() + i.then.operators() + i.otherwise.as_ref().map_or(0, |other| other.operators())
            }
            Ast::Stmt { args, .. } => args.iter().map(Expr::operators).sum(),
        }
    }

    /// Leaves each statement as many of its arguments as `shown` says.
    pub fn keep_arguments(&mut self, shown: &[usize]) {
        match self {
            Ast::Block(parts) => parts.iter_mut().for_each(|p| p.keep_arguments(shown)),
            Ast::For(f) => f.body.keep_arguments(shown),
            Ast::If(i) => {
                i.then.keep_arguments(shown);
                i.otherwise.iter_mut().for_each(|other| other.keep_arguments(shown));
            }
            Ast::Stmt { id, args } => args.truncate(shown.get(id.index()).copied().unwrap_or(args.len())),
        }
    }

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

    /// The same with their arguments.
    pub fn instances(&self) -> impl Iterator<Item = (StmtId, &[Expr])> {
        self.leaves().filter_map(|leaf| if let Ast::Stmt { id, args } = leaf { Some((*id, &args[..])) } else { None })
    }

    /// The same where there is nothing else in it.
    #[must_use]
    pub fn bare_instances(&self) -> Option<Vec<(StmtId, &[Expr])>> {
        match self {
            Ast::Block(parts) => {
                let parts = parts.iter().map(Ast::bare_instances).collect::<Option<Vec<_>>>()?;
                Some(parts.into_iter().flatten().collect())
            }
            Ast::Stmt { id, args } => Some(vec![(*id, args)]),
            Ast::For(_) | Ast::If(_) => None,
        }
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
    /// Threads of a block wait for each other behind it ([`super::waits`]).
    pub waits: bool,
    /// Elements, one of each array, that its threads then collect updates of.
    pub collects: Vec<ReductionCopy>,
    /// It does so little of the region's work that making it faster does not pay for the compile time.
    pub minor: bool,
    /// It is the outermost of three loops over rows, columns and depth of a contraction, which may run in these blocks:
    /// in any order in which what is done for one row and column runs with ascending depth, from copies of what is
    /// read.
    pub contraction: Option<Blocks>,
    /// Elements that it may keep in registers ([`super::registers`]).
    pub registers: Vec<Held>,
    /// Its body is made of jammed iterations of a loop around, which may run side by side in vectors
    /// ([`super::lanes`]).
    pub lanes: Option<Lanes>,
    /// What the threads of a block copy to shared memory at the begin of each iteration ([`super::shared`]).
    pub staged: Vec<Tile>,
    /// Body.
    pub body: Ast,
}

impl For {
    /// How many operators and calls are written.
    #[must_use]
    pub fn operators(&self) -> usize {
        // The assignment, the comparison and the step.
        let strict = usize::from(self.upper.ends_with(-1));
        self.lower.operators() + self.upper.operators() + 3 - strict + self.body.operators()
    }

    /// The loop that runs the iterations of a step, where this one counts its steps and nothing else.
    #[must_use]
    pub fn stepped(&self) -> Option<&For> {
        match &self.body {
            Ast::For(inner) if self.step > 1 && inner.step == 1 && inner.lower == Expr::Iter(self.iter) => Some(inner),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn stepped_mut(&mut self) -> Option<&mut For> {
        let (iter, step) = (self.iter, self.step);
        match &mut self.body {
            Ast::For(inner) if step > 1 && inner.step == 1 && inner.lower == Expr::Iter(iter) => Some(inner),
            _ => None,
        }
    }
}

/// How jammed iterations run side by side in vectors, as many iterations of the loop as there are lanes at a time: a
/// block of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// Lanes of a vector.
    pub width: i64,
    /// The statements of the body, each once for each vector of its copies; empty: not found out yet.
    pub stmts: Vec<Together>,
}

/// Jammed copies of one statement that are lanes of one vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// Which vector of its copies it is.
    pub vector: usize,
    /// Positions of the instances in the body, by lane.
    pub copies: Vec<usize>,
    /// Per access of the statement: the elements that it touches in a block.
    pub touched: Vec<BlockAccess>,
}

/// What an access touches in a block of iterations and lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAccess {
    /// Where its elements lie.
    pub shape: BlockShape,
    /// Whether it moves with the loop.
    pub moves: bool,
    /// Whether something in the block writes the array: all accesses to it then touch the same elements of each lane,
    /// so many iterations after the one that writes them.
    pub written: bool,
    /// See `written`.
    pub ahead: i64,
}

/// How the elements lie that an access touches in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockShape {
    /// The same for all lanes.
    Same,
    /// Those of neighbouring lanes side by side.
    Beside,
    /// Those of neighbouring iterations side by side.
    Along,
    /// The same, backwards.
    Back,
    /// Apart, the same in all iterations.
    Apart,
}

impl Lanes {
    /// So many lanes, of which nothing is known yet.
    #[must_use]
    pub fn of(width: i64) -> Self {
        Self { width, stmts: Vec::new() }
    }
}

/// Elements of an array that nothing writes while a kernel runs, copied to shared memory by all threads of a block:
/// those in a box that some instance in the loop's body reads in this iteration, and no others. Bounds and first
/// subscripts are the same for all threads of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The array.
    pub array: ArrayId,
    /// Bytes of an element.
    pub elem_bytes: i64,
    /// Subscripts of the element that the copy begins with, copied or not.
    pub first: Vec<Expr>,
    /// Elements along each subscript.
    pub extents: Vec<i64>,
    /// Elements from one row (of the last subscript) to the next.
    pub pitch: i64,
    /// First byte among the block's.
    pub at: i64,
    /// Bytes from there to the copy of the loop's next iteration, which takes turns with this one: it is made while
    /// some threads still read the other. 0: it has the same place.
    pub turn: i64,
    /// What is copied, each part as a whole.
    pub parts: Vec<Part>,
    /// What reads from the copy.
    pub reads: Vec<Read>,
}

/// A box of elements, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Per subscript what it is not below, and what it is not above.
    pub bounds: Vec<(Vec<Expr>, Vec<Expr>)>,
    /// None is negative, or nothing is copied.
    pub conds: Vec<Expr>,
}

/// The read of a statement instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The statement.
    pub stmt: StmtId,
    /// The load.
    pub inst: ValueId,
    /// Values of the statement's dims, outermost first.
    pub args: Vec<Expr>,
}

impl Tile {
    /// Bytes of the copy.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        let rows: i64 = self.extents.iter().rev().skip(1).product();
        rows * self.pitch * self.elem_bytes
    }

    /// What lies behind it, and behind the one that it takes turns with.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.at + self.turn + self.bytes()
    }

    /// Elements from one of each subscript to the next.
    #[must_use]
    pub fn strides(&self) -> Vec<i64> {
        let mut strides = vec![1; self.extents.len()];
        for k in (0..strides.len().saturating_sub(1)).rev() {
            strides[k] = strides[k + 1] * if k + 2 == strides.len() { self.pitch } else { self.extents[k + 1] };
        }
        strides
    }
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

impl Cond {
    /// Whether it only says how large one parameter is at least.
    #[must_use]
    pub fn asks_for_size(&self) -> bool {
        matches!(self, Cond::Ge(Expr::Param(_), Expr::Int(_)))
    }

    /// How many operators and calls are written.
    #[must_use]
    pub fn operators(&self) -> usize {
        match self {
            Cond::True | Cond::False => 0,
            Cond::And(of) | Cond::Or(of) => of.iter().map(|c| c.operators() + 1).sum::<usize>().saturating_sub(1),
            Cond::Not(c) => c.operators() + 1,
            // One more on a side is a strict comparison.
            Cond::Ge(a, b) if a.ends_with(-1) || b.ends_with(1) => a.operators() + b.operators(),
            Cond::Ge(a, b) | Cond::Eq(a, b) => a.operators() + b.operators() + 1,
        }
    }

    /// Whether the truth depends on an iterator.
    #[must_use]
    pub fn mentions(&self, iter: IterId) -> bool {
        match self {
            Cond::True | Cond::False => false,
            Cond::And(of) | Cond::Or(of) => of.iter().any(|c| c.mentions(iter)),
            Cond::Not(c) => c.mentions(iter),
            Cond::Ge(a, b) | Cond::Eq(a, b) => a.mentions(iter) || b.mentions(iter),
        }
    }
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
    /// How many operators and calls are written.
    #[must_use]
    pub fn operators(&self) -> usize {
        match self {
            Expr::Int(v) => usize::from(*v < 0),
            Expr::Param(_) | Expr::Iter(_) => 0,
            Expr::Add(of) => of.iter().enumerate().map(|(k, e)| e.operators_in_sum(k)).sum(),
            Expr::Min(of) | Expr::Max(of) => of.iter().map(|e| e.operators() + 1).sum::<usize>().saturating_sub(1),
            Expr::Mul(k, e) if *k < -1 => e.operators() + 2,
            Expr::Mul(_, e) | Expr::FloorDiv(e, _) | Expr::CeilDiv(e, _) | Expr::Mod(e, _) => e.operators() + 1,
        }
    }

    /// The same as a term of a sum, with the sign before it.
    fn operators_in_sum(&self, position: usize) -> usize {
        let minus = matches!(self, Expr::Int(v) | Expr::Mul(v, _) if *v < 0);
        self.operators() + usize::from(position > 0 && !minus)
    }

    /// Whether it is a sum of something and this number.
    fn ends_with(&self, number: i64) -> bool {
        matches!(self, Expr::Add(of) if of.last() == Some(&Expr::Int(number)))
    }

    /// The expression with another one in the place of an iterator.
    #[must_use]
    pub fn with(&self, iter: IterId, by: &Expr) -> Expr {
        let of = |e: &Expr| Box::new(e.with(iter, by));
        let all = |of: &[Expr]| of.iter().map(|e| e.with(iter, by)).collect();
        match self {
            Expr::Iter(own) if *own == iter => by.clone(),
            Expr::Int(_) | Expr::Param(_) | Expr::Iter(_) => self.clone(),
            Expr::Add(terms) => Expr::Add(all(terms)),
            Expr::Mul(k, e) => Expr::Mul(*k, of(e)),
            Expr::FloorDiv(e, d) => Expr::FloorDiv(of(e), *d),
            Expr::CeilDiv(e, d) => Expr::CeilDiv(of(e), *d),
            Expr::Mod(e, d) => Expr::Mod(of(e), *d),
            Expr::Min(terms) => Expr::Min(all(terms)),
            Expr::Max(terms) => Expr::Max(all(terms)),
        }
    }

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
