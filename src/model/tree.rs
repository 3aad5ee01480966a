//! Schedule trees.
//!
//! A tree orders the statement instances of its root domain. Node kinds and their meaning follow Grosser, Verdoolaege,
//! Cohen (TOPLAS 37(4), 2015). A band maps each statement that reaches it to one quasi-affine value per member.

pub mod build;
pub mod expr;
pub mod flat;
pub mod flow;
pub mod forms;
pub mod lower;
pub mod maps;
pub mod ops;
mod options;
pub mod print;
pub mod read;
mod variants;

use crate::ids::{ArrayId, StmtId};
use crate::model::Operation;
use presburger::{Aff, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// A node with its subtree.
#[derive(Clone, Debug)]
pub enum Node {
    /// Root: the instances to execute, `{ Stmt<n>[..] }` per statement.
    Domain(BTreeMap<StmtId, Set>, Box<Node>),
    /// Constraints on the parameters known to hold below, `{ : }`.
    Context(Set, Box<Node>),
    /// Loops.
    Band(Band, Box<Node>),
    /// Children run one after the other; each is a [`Node::Filter`].
    Sequence(Vec<Node>),
    /// Children may run in any order; each is a [`Node::Filter`].
    Set(Vec<Node>),
    /// Restricts the subtree to these instances; statements not listed do not reach it.
    Filter(BTreeMap<StmtId, Set>, Box<Node>),
    /// The subtree runs only for these parameter values, `{ : }`.
    Guard(Set, Box<Node>),
    /// A note for later stages.
    Mark(Mark, Box<Node>),
    /// Adds instances of statements that do not reach the node, `{ [t0, .., tk-1] -> Stmt<n>[..] }` by statement: each
    /// runs below, once, where the k outer band members (flattened, outermost first) have these values; the outer loops
    /// reach them all.
    Extension(BTreeMap<StmtId, Map>, Box<Node>),
    /// Replaces every instance that reaches the node by the instances its statement stands for, by statement of the
    /// latter.
    Expansion(BTreeMap<StmtId, Expanded>, Box<Node>),
    /// End of a branch: at most one instance per statement and outer band values.
    Leaf,
}

/// Where the instances of a statement below a [`Node::Expansion`] come from.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The statement that reaches the node.
    pub from: StmtId,
    /// `{ Stmt<from>[..] -> Stmt<n>[..] }`; the reverse (the contraction) is a function.
    pub map: Map,
}

/// Consecutive loops.
#[derive(Clone, Debug)]
pub struct Band {
    /// Outermost first.
    pub members: Vec<Member>,
    /// Whether all members may be interchanged, and so tiled.
    pub permutable: bool,
}

/// One loop of a band.
#[derive(Clone, Debug)]
pub struct Member {
    /// Value for each statement that reaches the band: `{ Stmt<n>[..] -> [v] }`.
    pub affs: BTreeMap<StmtId, Aff>,
    /// No dependence is carried by this member: its iterations may run in parallel, given equal outer values.
    pub coincident: bool,
    /// Statements none of whose own dependences (both ends in that statement) is carried by this member, given equal
    /// outer values: a loop over this statement alone may run its iterations in parallel. All statements where
    /// `coincident` holds; may be fewer than possible.
    pub alone: Vec<StmtId>,
    /// How loops are to be generated for it.
    pub ast: AstOption,
    /// The same for the first child of the band's set, where that is a part kept apart with wishes of its own.
    pub isolated: Option<AstOption>,
    /// How loops are to be generated for statements that ask for something else.
    pub by_stmt: BTreeMap<StmtId, AstOption>,
    /// Who runs its iterations.
    pub role: Role,
}

impl Member {
    /// A loop with these values of which nothing more is known or wanted.
    #[must_use]
    pub fn new(affs: BTreeMap<StmtId, Aff>) -> Self {
        let ast = AstOption::Default;
        Self {
            affs,
            coincident: false,
            alone: Vec::new(),
            ast,
            isolated: None,
            by_stmt: BTreeMap::new(),
            role: Role::Serial,
        }
    }

    /// What statements ask for together: apart loops where one asks for that, nothing where they differ otherwise.
    /// `None` where no statement of the member has an option of its own.
    #[must_use]
    pub fn common_option(&self, stmts: impl Iterator<Item = StmtId>) -> Option<AstOption> {
        if self.by_stmt.is_empty() {
            return None;
        }
        let all: BTreeSet<StmtId> = stmts.collect();
        let mut asked = all.iter().map(|id| self.by_stmt.get(id).copied().unwrap_or(self.ast));
        let first = asked.next()?;
        Some(asked.fold(first, |one, other| match one {
            _ if one == other => one,
            AstOption::Separate => one,
            _ if other == AstOption::Separate => other,
            _ => AstOption::Default,
        }))
    }
}

/// Who runs the iterations of a loop, and what each of those has for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// One thread, in order.
    #[default]
    Serial,
    /// Threads: blocks of consecutive iterations at the same time.
    Threads(ThreadCopies),
    /// A GPU: all iterations at the same time, by value. Those with one value of all members along an axis belong to
    /// one thread; the loops inside run there, in order. Each thread collects its updates of these elements, one of
    /// each array; they are put together behind the outermost loop with the role, in an order that does not depend on
    /// how many blocks there are.
    Device(Axis, Vec<ReductionCopy>),
}

/// What a GPU numbers the iterations of a loop by: the remainder of its value by the number of blocks or threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Blocks along dimension 0 (x), 1 (y) or 2 (z), as many as the launch has, and the most that it asks for.
    Grid(u8, Option<u32>),
    /// Threads of a block along it, and how many there are.
    Block(u8, u32),
}

impl Axis {
    /// Position among a launch's sizes: blocks in x, y, z, then threads in x, y, z.
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::Grid(d, _) => usize::from(d.min(2)),
            Self::Block(d, _) => 3 + usize::from(d.min(2)),
        }
    }
}

impl Role {
    /// What threads have for themselves, if threads run the loop.
    #[must_use]
    pub fn threads(&self) -> Option<&ThreadCopies> {
        match self {
            Self::Serial | Self::Device(..) => None,
            Self::Threads(copies) => Some(copies),
        }
    }

    /// What a GPU numbers the iterations by, if one runs the loop.
    #[must_use]
    pub fn axis(&self) -> Option<Axis> {
        if let Self::Device(axis, _) = self { Some(*axis) } else { None }
    }

    /// Elements that each thread of a GPU updates apart.
    #[must_use]
    pub fn collected_on_device(&self) -> &[ReductionCopy] {
        if let Self::Device(_, elements) = self { elements } else { &[] }
    }
}

/// Code generation option of a band member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AstOption {
    /// One loop with exact bounds.
    #[default]
    Default,
    /// One loop for all statements, with tests inside.
    Atomic,
    /// Loops without tests inside, each over values that the same statements run at, where there are not too many.
    Separate,
    /// Separate full from partial tiles below this (tile) member.
    SeparateTiles,
    /// Unroll completely (bounds must be constant).
    Unroll,
    /// Unroll by this factor and jam into the inner loops; the member must be permutable with them.
    UnrollJam(u32),
    /// The same by the product of both, with the jammed iterations side by side in so many lanes of so many vectors
    /// where the innermost loop allows it.
    Lanes(u32, u32),
}

impl AstOption {
    /// How many iterations are interleaved in the loops inside.
    #[must_use]
    pub fn jammed(self) -> Option<u32> {
        match self {
            Self::UnrollJam(factor) => Some(factor),
            Self::Lanes(lanes, vectors) => Some(lanes.saturating_mul(vectors)),
            Self::Default | Self::Atomic | Self::Separate | Self::SeparateTiles | Self::Unroll => None,
        }
    }
}

/// What a [`Node::Mark`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The band below holds tile loops whose point loops have these sizes (values per member).
    TileLoops(Vec<i64>),
    /// The band below holds the point loops of a tile.
    PointLoops,
    /// The loops below do so little of the region's work that making them faster does not pay for the compile time.
    Minor,
    /// The band below, of one statement alone, has three members: rows, columns, depth. Its instances may run in any
    /// order in which those of one row and column run with ascending depth, from copies of what they read.
    Contraction(Blocks),
    /// The band below holds loops over tiles in time: over half-phases, over tiles of which all of one half-phase may
    /// run at the same time, and over what lies in one of them, in order.
    TimeTiles,
    /// Any other note.
    Note(String),
}

/// Blocks in which a contraction runs. Says how fast it is; nothing that is proved hangs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Rows whose elements are in registers at a time.
    pub rows: u32,
    /// Vectors of columns beside each other in registers.
    pub vectors: u32,
    /// Elements of a vector.
    pub lanes: u32,
    /// Depth of a packed block.
    pub depth: u32,
    /// Rows of a packed block.
    pub block_rows: u32,
    /// Columns of a packed block.
    pub block_columns: u32,
}

impl Blocks {
    /// Columns whose elements are in registers at a time.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.vectors * self.lanes
    }
}

/// What threads have for themselves while they share a loop; each list ascends, no array is in two of them. All other
/// memory is shared; every scalar that the loop writes is in one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadCopies {
    /// Each block of iterations updates one element: it has a reduction copy of that one. The copies are combined after
    /// the loop.
    pub elements: Vec<ReductionCopy>,
    /// Each block of iterations updates some elements, others than other blocks perhaps: it has a reduction copy of the
    /// whole. The copies are combined after the loop.
    pub arrays: Vec<ReductionCopy>,
    /// Each iteration reads only what it wrote: each thread has a copy of the whole, but for whoever runs the last
    /// iteration, who works in it on the array itself.
    pub privatized: Vec<ArrayId>,
    /// Privatized scalars: each iteration has its own, and no value of one is used outside of the iteration that wrote
    /// it.
    pub private: Vec<ArrayId>,
}

/// An array whose updates are collected in reduction copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReductionCopy {
    /// The array.
    pub array: ArrayId,
    /// The operation of all its updates in the loop.
    pub op: Operation,
}

impl ThreadCopies {
    /// Whether no memory is copied: privatized scalars take none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collects_nothing() && self.privatized.is_empty()
    }

    /// Whether there is nothing to be combined after the loop.
    #[must_use]
    pub fn collects_nothing(&self) -> bool {
        self.elements.is_empty() && self.arrays.is_empty()
    }

    /// What is collected: of single elements, then of whole arrays.
    pub fn collected(&self) -> impl Iterator<Item = &ReductionCopy> {
        self.elements.iter().chain(&self.arrays)
    }
}

impl Node {
    /// The statements of each outermost nest, in the order of the nests.
    #[must_use]
    pub fn nests(&self) -> Vec<BTreeSet<StmtId>> {
        match self {
            Node::Domain(sets, child) => match child.nests() {
                none if none.is_empty() => vec![sets.keys().copied().collect()],
                some => some,
            },
            Node::Context(_, child) | Node::Mark(_, child) => child.nests(),
            Node::Sequence(children) => {
                let stmts = |c: &Node| match c {
                    Node::Filter(sets, _) => sets.keys().copied().collect(),
                    _ => BTreeSet::new(),
                };
                children.iter().map(stmts).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The children, first to last; none for a leaf.
    #[must_use]
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Domain(_, child)
            | Node::Context(_, child)
            | Node::Band(_, child)
            | Node::Filter(_, child)
            | Node::Guard(_, child)
            | Node::Extension(_, child)
            | Node::Expansion(_, child)
            | Node::Mark(_, child) => std::slice::from_ref(child),
            Node::Sequence(children) | Node::Set(children) => children,
            Node::Leaf => &[],
        }
    }

    /// The same node with each child replaced by what `change` makes of it.
    #[must_use]
    pub fn map_children(self, change: &mut dyn FnMut(Node) -> Node) -> Node {
        let mut below = |child: Box<Node>| Box::new(change(*child));
        match self {
            Node::Domain(sets, child) => Node::Domain(sets, below(child)),
            Node::Context(set, child) => Node::Context(set, below(child)),
            Node::Band(band, child) => Node::Band(band, below(child)),
            Node::Filter(sets, child) => Node::Filter(sets, below(child)),
            Node::Guard(set, child) => Node::Guard(set, below(child)),
            Node::Mark(mark, child) => Node::Mark(mark, below(child)),
            Node::Extension(maps, child) => Node::Extension(maps, below(child)),
            Node::Expansion(maps, child) => Node::Expansion(maps, below(child)),
            Node::Sequence(children) => Node::Sequence(children.into_iter().map(change).collect()),
            Node::Set(children) => Node::Set(children.into_iter().map(change).collect()),
            Node::Leaf => Node::Leaf,
        }
    }
}
