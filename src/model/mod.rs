//! The polyhedral model of one SCoP.
//!
//! Spaces: statement instances `{ Stmt<n>[i0, .., id-1] }`, i0 outermost; array elements `{ Arr<n>[s0, .., sr-1] }`,
//! subscripts in elements; all sets and maps of a SCoP share one parameter list `[p0, p1, ..]` ([`Scop::params`]). Tree
//! vocabulary: Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015.

pub mod build;
pub mod coalesced;
pub mod contraction;
#[cfg(test)]
pub mod fixtures;
pub mod jscop;
pub mod split;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;
pub mod without;

pub use crate::facts::Operation;
use crate::ids::{ArrayId, BlockId, LoopId, ScevId, StmtId, ValueId};
pub use crate::scop::rows::Field;
use presburger::{Budget, Error, Kind, Map, Set};
use std::collections::BTreeSet;

/// One SCoP: what is computed (statements), on what (arrays), under which conditions (contexts), in which order
/// (schedule).
#[derive(Clone, Debug)]
pub struct Scop {
    /// Function name and running number, `kernel_gemm:0`.
    pub name: String,
    /// Parameters in column order.
    pub params: Vec<Param>,
    /// What holds of the parameters.
    pub contexts: Contexts,
    /// Arrays by `ArrayId`.
    pub arrays: Vec<Array>,
    /// Statements by `StmtId`, in program order.
    pub stmts: Vec<Stmt>,
    /// Original execution order; root is a [`tree::Node::Domain`].
    pub schedule: tree::Node,
    /// Groups of arrays that may overlap and must be tested at run time: each pair inside a group. Empty = nothing to
    /// test.
    pub alias_groups: Vec<Vec<ArrayId>>,
    /// Values defined inside and used after the region (directly or by a phi of the exit block), in function order. Not
    /// listed: what only a phi of the exit block uses that gets several values from inside; that phi is the `phi` of an
    /// [`ArrayKind::Phi`] array.
    pub live_out: Vec<LiveOut>,
    /// Conditions on data that hold for the model to be right, outer ones first; tested at run time, before anything of
    /// the new code runs.
    pub guards: Vec<Guard>,
    /// Accesses of statements that are no longer there, as they copied elements onto themselves: what the original code
    /// says of these elements' addresses.
    pub gone: Vec<(ArrayId, ValueId)>,
    /// The code this SCoP was made from.
    pub region: Region,
}

/// Conditions on data that are the same in all instances that there are.
#[derive(Clone, Debug)]
pub struct Guard {
    /// What computes them: reads of memory that the region does not write. It is none of the program's statements; its
    /// number counts nothing.
    pub stmt: Stmt,
    /// Values that it computes, each with what it is.
    pub holds: Vec<(ValueId, bool)>,
    /// The loop of which the last iterations stand for the others: the condition holds in these if it does there.
    pub last_of: Option<LoopId>,
}

/// A value used behind the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveOut {
    /// The value.
    pub value: ValueId,
    /// The scalar array that holds it there.
    pub array: ArrayId,
}

/// Facts about parameters kept apart, all `{ : }` sets over the parameters.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// Must hold for the model to be right; tested at run time.
    pub assumed: Set,
    /// Must not hold; tested at run time.
    pub invalid: Set,
    /// Holds in every run without undefined behaviour; never tested, may be used to simplify.
    pub defined: Set,
    /// Where new code is expected to pay; tested at run time. Nothing that is proved hangs on it.
    pub worthwhile: Set,
    /// Must all be >= 0 for the model to be right; tested at run time, and known to nothing else.
    pub tested: Vec<ParamPoly>,
}

/// A value that does not change inside the SCoP.
#[derive(Clone, Debug)]
pub struct Param {
    /// Column name: `p0`, `p1`, … (an IR name only under a debug option).
    pub name: String,
    /// Its value at the region's entry, as an integer expression of at most 64 bits, sign-extended to i64.
    pub value: ScevId,
    /// What that is multiplied by in 64 bits: such expressions as well.
    pub times: Vec<ScevId>,
    /// And this affine function of the parameters before it, `[params before | 1]`; empty: nothing else.
    pub by: Vec<i64>,
}

impl Param {
    /// Whether it is a product.
    #[must_use]
    pub fn is_product(&self) -> bool {
        !self.times.is_empty() || !self.by.is_empty()
    }

    /// The parameters before it that it is multiplied by.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let of = self.by.split_last().map_or(&[][..], |(_, of)| of);
        of.iter().enumerate().filter(|(_, c)| **c != 0).map(|(k, _)| k)
    }
}

/// What an [`Array`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    /// Memory reached through a base pointer.
    Memory {
        /// Base pointer, invariant in the region.
        base: ValueId,
    },
    /// Memory reached through a base pointer, from [`Array::offset`] on; other arrays may have the same base.
    View {
        /// Base pointer, invariant in the region.
        base: ValueId,
    },
    /// Rows behind pointers that lie in a table; the first subscript is the pointer's number, the second one counts
    /// elements from where it leads to. No strides.
    Rows(Field),
    /// An SSA value that crosses statements; zero-dimensional.
    Value {
        /// The defining instruction.
        def: ValueId,
    },
    /// Memory that the original code does not have; all its sizes are known. Nothing is in it at first, and nothing
    /// behind reads it.
    Made {
        /// Who has it, and how long.
        lifetime: Lifetime,
    },
    /// A phi node that crosses statements: written at the end of each incoming statement, read where the phi stands. Or
    /// what a loop collects in a local variable, by the phi of the outermost loop: written by each update, read by each
    /// and behind the loop.
    Phi {
        /// The phi instruction.
        phi: ValueId,
    },
}

/// How long an array lives that the original code does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lifetime {
    /// While the region runs; threads share it.
    Region,
    /// While a thread runs its part of a parallel loop: each has one of its own. Outside of such loops as
    /// [`Lifetime::Region`].
    Thread,
}

impl ArrayKind {
    /// The one pointer through which all of it is reached, if there is one in the program.
    #[must_use]
    pub fn base(self) -> Option<ValueId> {
        match self {
            Self::Memory { base } | Self::View { base } => Some(base),
            _ => None,
        }
    }

    /// Whether it lies in memory; else it is a value that crosses statements.
    #[must_use]
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Memory { .. } | Self::View { .. } | Self::Made { .. } | Self::Rows(_))
    }
}

/// Size of one array dimension, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// The outermost dimension: not known and not needed.
    Unknown,
    /// Compile-time constant, > 0.
    Const(i64),
    /// Affine in the parameters, row `[params | 1]`; positive inside the assumed context.
    Affine(Vec<i64>),
}

/// An array; subscripts are row-major, `sizes[0]` is outermost.
#[derive(Clone, Debug)]
pub struct Array {
    /// What it stands for.
    pub kind: ArrayKind,
    /// One per subscript; empty for scalars.
    pub sizes: Vec<Size>,
    /// Bytes of one element.
    pub elem_bytes: u32,
    /// Whether elements are floating point (decides which reorderings are exact).
    pub is_float: bool,
    /// Byte stride of each subscript (same length as `sizes`; the innermost is `elem_bytes`):
    /// address = base + offset + sum of subscript times stride. Empty for rows behind pointers.
    pub strides: Vec<ParamPoly>,
    /// Bytes from a view's base to where it begins; none for all others.
    pub offset: ParamPoly,
}

impl Array {
    /// Whether it lies in memory; else it is a value that crosses statements.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        self.kind.is_memory()
    }

    /// Whether it is rows behind pointers: its elements have no common base.
    #[must_use]
    pub fn is_rows(&self) -> bool {
        matches!(self.kind, ArrayKind::Rows(_))
    }

    /// Whether it begins somewhere in memory that other arrays may lie in, too.
    #[must_use]
    pub fn is_view(&self) -> bool {
        matches!(self.kind, ArrayKind::View { .. })
    }
}

/// Polynomial in the parameters: the sum over all entries of coefficient times product of parameters (columns,
/// ascending; empty product = 1). Evaluated in i64; wraps only where the address it is used for would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamPoly(pub Vec<(i64, Vec<usize>)>);

impl ParamPoly {
    /// The constant polynomial.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self(vec![(value, Vec::new())])
    }

    /// Its value if it is constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.0.as_slice() {
            [] => Some(0),
            [(value, product)] if product.is_empty() => Some(*value),
            _ => None,
        }
    }
}

/// How an access touches its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// May read any of the elements.
    Read,
    /// Writes every element listed.
    MustWrite,
    /// May write any of the elements listed.
    MayWrite,
}

/// One read or write. `relation: { Stmt[d] -> Arr[r] }`, subscripts in elements; defined on the whole statement domain.
#[derive(Clone, Debug)]
pub struct Access {
    /// Read, must-write or may-write.
    pub kind: AccessKind,
    /// The array touched.
    pub array: ArrayId,
    /// `[params] -> { Stmt<n>[..] -> Arr<m>[..] }`.
    pub relation: Map,
    /// The load or store; for scalars the value read or written. In a statement that is not of the original code: a
    /// load or store there of the type that is moved.
    pub inst: ValueId,
    /// The scalar whose value is moved, where an element of an array in memory takes the scalar's place; `None`:
    /// nothing is mapped.
    /// Source: Kruse, Grosser, CGO 2018 (mapping scalars to array elements).
    pub carries: Option<ArrayId>,
}

impl Access {
    /// The element touched, as one affine form per subscript: rows `[params | dims | 1]`. `None` where a subscript is
    /// no such form.
    #[must_use]
    pub fn subscripts(&self) -> Option<Vec<Vec<i64>>> {
        let [basic] = self.relation.basics() else { return None };
        let space = basic.space();
        subscripts_of(&basic.rows_i64().ok()?, space.n_param() + space.n_in(), space.n_out())
    }
}

/// Each output of a relation with `inputs` parameters and dims and `rank` outputs as a form of the inputs,
/// `[inputs | 1]`, from rows `[inputs | outputs | existentials | 1]`.
#[must_use]
pub fn subscripts_of(rows: &[(Kind, Vec<i64>)], inputs: usize, rank: usize) -> Option<Vec<Vec<i64>>> {
    let output = |k: usize| {
        let row = defining_row(rows, inputs, k)?;
        let sign = match row[inputs + k] {
            1 => -1,
            -1 => 1,
            _ => return None,
        };
        row[..inputs].iter().chain(row.last()).map(|c| c.checked_mul(sign)).collect()
    };
    (0..rank).map(output).collect()
}

/// The equality that gives output `k` (times a number) from the inputs alone.
#[must_use]
pub fn defining_row(rows: &[(Kind, Vec<i64>)], inputs: usize, k: usize) -> Option<&[i64]> {
    let own = inputs + k;
    let defines = |r: &[i64]| r[own] != 0 && (inputs..r.len() - 1).all(|c| c == own || r[c] == 0);
    rows.iter().find(|(kind, r)| *kind == Kind::Eq && defines(r)).map(|(_, r)| r.as_slice())
}

/// A statement: a store, or a value that lives past its instance, with its operand tree.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Number in program order.
    pub id: StmtId,
    /// `[params] -> { Stmt<n>[i0, ..] : .. }`, i0 outermost.
    pub domain: Set,
    /// Reads before writes, in program order.
    pub accesses: Vec<Access>,
    /// What it does to one element that it updates, if that is all it does to it.
    pub reduction: Option<Reduction>,
    /// What one instance executes.
    pub body: StmtBody,
}

/// `element = element op value`, where the value does not depend on the element by this read and nothing else in the
/// statement sees the element's old or new value. The type or the instructions' flags allow such updates to change
/// places: only those updates are listed that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The operation.
    pub op: Operation,
    /// Array of the element.
    pub array: ArrayId,
    /// Position of the read of the old value in the statement's accesses.
    pub read: usize,
    /// Position of the must-write of the new value; both accesses touch the same single element.
    pub write: usize,
    /// Instructions that make the new value out of the old one, last first.
    pub chain: Vec<ValueId>,
    /// Floating point: whether infinities may occur.
    pub has_infinities: bool,
}

/// What one statement instance executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtBody {
    /// Instructions of the original code.
    Original(Instructions),
    /// The element that the second access writes becomes what is in the element that the first one reads.
    Copy,
    /// The element that the only access writes becomes the operation's identity element.
    Init(Operation),
    /// The value that the first access reads is applied to the element that the second one reads and the third one
    /// writes.
    Combine(Operation),
    /// A loop nest written by hand for what the accesses touch, by name.
    Kernel(String),
}

impl Default for StmtBody {
    fn default() -> Self {
        Self::Original(Instructions::default())
    }
}

impl StmtBody {
    /// The instructions of the original code; none for what is not of it.
    #[must_use]
    pub fn insts(&self) -> &[ValueId] {
        if let Self::Original(code) = self { &code.insts } else { &[] }
    }

    /// The loops of the original code around it; none for what is not of it.
    #[must_use]
    pub fn loops(&self) -> &[LoopDim] {
        if let Self::Original(code) = self { &code.loops } else { &[] }
    }

    /// What one execution computes; nothing is known of what is not of the original code.
    #[must_use]
    pub fn ops(&self) -> Ops {
        if let Self::Original(code) = self { code.ops } else { Ops::default() }
    }

    /// Of each load of an array that one execution stores to: cycles of the longest path from it to the end.
    #[must_use]
    pub fn paths(&self) -> &[(ValueId, u32)] {
        if let Self::Original(code) = self { &code.paths } else { &[] }
    }

    /// How what one execution writes follows from what it reads, by the values or instructions of the accesses; `None`
    /// where that is not known.
    #[must_use]
    pub fn links(&self) -> Option<&[Link]> {
        if let Self::Original(code) = self { code.links.as_deref() } else { None }
    }

    /// The loads that run only where a condition on data holds.
    #[must_use]
    pub fn in_arms(&self) -> &[ValueId] {
        if let Self::Original(code) = self { &code.in_arms } else { &[] }
    }

    /// Whether all that it writes are running values, each updated by an operation that does not care about the order
    /// of updates, and results of these updates: compilers compute such values in vectors where only the last ones are
    /// used behind the loop.
    #[must_use]
    pub fn accumulates(&self) -> bool {
        matches!(self, Self::Original(code) if code.accumulates)
    }

    /// Whether a core guesses which of its instructions run: conditions on data decide that, and no loop behind them
    /// takes most of the time.
    #[must_use]
    pub fn guesses(&self) -> bool {
        matches!(self, Self::Original(code) if code.guesses)
    }

    /// Whether conditions on data decide which of its instructions run.
    #[must_use]
    pub fn branches(&self) -> bool {
        matches!(self, Self::Original(code) if code.branches)
    }

    /// The block of the original code that it came from.
    #[must_use]
    pub fn block(&self) -> Option<BlockId> {
        if let Self::Original(code) = self { code.block } else { None }
    }
}

/// A value that is written, made of one that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The load; for scalars the value.
    pub from: ValueId,
    /// The store; for scalars the value.
    pub to: ValueId,
    /// Cycles from one to the other.
    pub cycles: u32,
}

/// The original code of one statement instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Instructions to execute, in program order; operands that are affine in the loops are recomputed, not copied.
    pub insts: Vec<ValueId>,
    /// Surrounding loops, outermost first: one for each of the last domain dims. Dims before them number strips.
    pub loops: Vec<LoopDim>,
    /// Surrounding loops that are not among them, as instances are all of one iteration ([`coalesced`]).
    pub single: Vec<SingleLoop>,
    /// Block the statement came from.
    pub block: Option<BlockId>,
    /// Whether conditions on data decide which of the instructions run: the block's branches are part of the statement.
    pub branches: bool,
    /// The same without loops behind the branches.
    pub guesses: bool,
    /// What one execution computes, apart from loads, stores and addresses.
    pub ops: Ops,
    /// See [`StmtBody::paths`].
    pub paths: Vec<(ValueId, u32)>,
    /// See [`StmtBody::links`].
    pub links: Option<Vec<Link>>,
    /// See [`StmtBody::in_arms`].
    pub in_arms: Vec<ValueId>,
    /// See [`StmtBody::accumulates`].
    pub accumulates: bool,
}

/// Arithmetic of one execution of a statement by the target's tables; zero where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    /// Number of instructions.
    pub instructions: u32,
    /// Cycles that they take up one by one, among independent ones, in sixty-fourths.
    pub scalar_64ths: u32,
    /// The same in vectors of the target's width, per element.
    pub vector_64ths: u32,
    /// Cycles of the longest path from a value that the statement reads where it writes, or from any where there is
    /// none, to what it writes.
    pub latency: u32,
    /// Whether all of them do the same to each element of vectors as to scalars.
    pub in_lanes: bool,
    /// Bits of the target's vectors, as far as the results fill them.
    pub vector_bits: u32,
}

/// How a domain dim relates to its loop: `dim value = offset + iteration number` (iteration numbers start at 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopDim {
    /// The loop.
    pub id: LoopId,
    /// Value of the dim in the first iteration, an i64 expression of outer loops and parameters; `None` = 0.
    pub offset: Option<ScevId>,
    /// Where the loop is cut into strips: `first + size * number of the strip + dim value` takes the place of the dim's
    /// value.
    pub strip: Option<Strip>,
}

impl LoopDim {
    /// Whether the dim has the values of the loop's own counter.
    #[must_use]
    pub fn is_natural(&self) -> bool {
        self.offset.is_some() && self.strip.is_none()
    }
}

/// A loop that runs once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleLoop {
    /// The loop.
    pub id: LoopId,
    /// As [`LoopDim::offset`].
    pub offset: Option<ScevId>,
    /// What the value of its dim would be: `[params | values of the loops around | 1]`.
    pub value: Vec<i64>,
}

/// Iterations of a loop in pieces of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Domain dim that numbers the strips; such dims come before those of the loops.
    pub dim: usize,
    /// Where strip 0 begins.
    pub first: i64,
    /// Iterations of a strip, > 0.
    pub size: i64,
}

/// Single-entry single-exit piece of the CFG. The entry is no loop header; its phis count as outside.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// First block inside.
    pub entry: Option<BlockId>,
    /// First block after (not inside).
    pub exit: Option<BlockId>,
    /// All blocks inside, in function order.
    pub blocks: Vec<BlockId>,
}

impl Scop {
    /// Parameter names in column order.
    #[must_use]
    pub fn param_names(&self) -> Vec<&str> {
        self.params.iter().map(|p| p.name.as_str()).collect()
    }

    /// Whether some values cross statements outside of memory.
    #[must_use]
    pub fn has_scalars(&self) -> bool {
        self.arrays.iter().any(|a| !a.is_memory())
    }

    /// Whether a scalar of one definition has an element that this definition writes.
    #[must_use]
    pub fn has_element(&self, scalar: ArrayId) -> bool {
        let is_set = |a: &Access| a.kind != AccessKind::Read && a.carries == Some(scalar);
        matches!(self.array(scalar).kind, ArrayKind::Value { .. })
            && self.stmts.iter().flat_map(|s| &s.accesses).any(is_set)
    }

    /// Whether an access reads a scalar of one definition from an element that is known to hold its value: the original
    /// has it in a register.
    #[must_use]
    pub fn is_read_back(&self, access: &Access) -> bool {
        let is_value = |scalar| matches!(self.array(scalar).kind, ArrayKind::Value { .. });
        access.kind == AccessKind::Read && access.carries.is_some_and(|s| is_value(s) && !self.has_element(s))
    }

    /// The values crossing statements that some of these statements write.
    #[must_use]
    pub fn scalars_written_by(&self, stmts: impl IntoIterator<Item = StmtId>) -> BTreeSet<ArrayId> {
        let accesses = stmts.into_iter().flat_map(|id| &self.stmt(id).accesses).filter(|a| a.kind != AccessKind::Read);
        accesses.map(|a| a.array).filter(|a| !self.array(*a).is_memory()).collect()
    }

    /// Whether this code, made of `other`, has its parameters, what is tested of them, and its arrays, under their
    /// numbers: what is tested of values in front of this code then says enough of the other one.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn is_in_place_of(&self, other: &Self, budget: &Budget) -> Result<bool, Error> {
        let params = |scop: &Self| {
            let each = scop.params.iter().map(|p| (p.name.clone(), p.value, p.times.clone(), p.by.clone()));
            each.collect::<Vec<_>>()
        };
        let same_arrays = other.arrays.iter().zip(&self.arrays).all(|(a, b)| !a.is_memory() || a.kind == b.kind);
        let is_alike = params(self) == params(other)
            && self.contexts.tested == other.contexts.tested
            && self.alias_groups == other.alias_groups
            && self.guards.is_empty()
            && other.guards.is_empty()
            && self.arrays.len() >= other.arrays.len()
            && same_arrays;
        let (own, theirs) = (&self.contexts, &other.contexts);
        Ok(is_alike
            && own.assumed.is_equal(&theirs.assumed, budget)?
            && own.invalid.is_equal(&theirs.invalid, budget)?)
    }

    /// The statement with this id.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// The array with this id.
    #[must_use]
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.index()]
    }
}

impl Operation {
    /// Its name in texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Mul => "mul",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::SMin => "smin",
            Self::SMax => "smax",
            Self::UMin => "umin",
            Self::UMax => "umax",
            Self::FAdd => "fadd",
            Self::FMul => "fmul",
            Self::FMin => "fmin",
            Self::FMax => "fmax",
        }
    }

    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Mul,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::SMin,
        Self::SMax,
        Self::UMin,
        Self::UMax,
        Self::FAdd,
        Self::FMul,
        Self::FMin,
        Self::FMax,
    ];

    /// Whether another order may give other bits.
    #[must_use]
    pub fn is_rounded(self) -> bool {
        matches!(self, Self::FAdd | Self::FMul)
    }
}

impl Stmt {
    /// The operation that the access at this position is part of, reading or writing the updated element.
    #[must_use]
    pub fn updates_by(&self, access: usize) -> Option<Operation> {
        self.reduction.as_ref().filter(|r| access == r.read || access == r.write).map(|r| r.op)
    }

    /// Dims whose loops are around all others in any order: those that number strips, and those of loops between them.
    #[must_use]
    pub fn outside(&self) -> Vec<usize> {
        let loops = self.body.loops();
        let strips = loops.iter().filter(|l| l.strip.is_some()).count();
        let last = loops.iter().rposition(|l| l.strip.is_some()).map_or(0, |k| k + 1);
        loops[..last].iter().enumerate().map(|(k, l)| l.strip.map_or(strips + k, |s| s.dim)).collect()
    }

    /// Number of dims: the surrounding loops inside the SCoP, and those that number strips.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.domain.space().n_out()
    }
}
