//! Which loops a GPU runs.
//!
//! In: a legal tree. Out: the same instances with [`Role::Device`] for loops of which all iterations may run at the
//! same time: the outermost such loops of each branch, up to three right inside of each other, are cut into strips;
//! blocks of a grid run the strips, threads of a block the iterations of one. Loops around them stay with the host,
//! which launches a kernel in each iteration; loops inside run in each thread. Of a permutable band, members that carry
//! nothing move out; where none does, loops behind their sum carry nothing (wavefronts). Threads have scalars for
//! themselves. Where no loop of a band is of that kind, the outermost one is taken that carries updates of single
//! elements only, which may change places: threads collect these (reductions). The loop along which most accesses walk
//! through memory element by element becomes dimension x. No flag of the tree is believed: each loop is asked about
//! anew, and [`crate::proof`] asks again.
//! Source: Verdoolaege, Carlos Juega, Cohen, Ignacio Gómez, Tenllado, Catthoor, ACM TACO 9(4), 2013, section 4.

mod sizes;
pub mod time_tiles;

pub use crate::cost::gpu::{DEVICE, OTHER_REGISTERS};

use super::copies::threads_of_loop;
use crate::deps::loops::Loop;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{Pieces, visit_nodes};
use crate::model::tree::ops::{self, TileLoop};
use crate::model::tree::{AstOption, Axis, Band, Mark, Member, Node, ReductionCopy, Role};
use crate::model::{Access, AccessKind, ArrayKind, Scop};
use crate::options::{KernelPart, KernelSizes};
use presburger::{Aff, Budget};
use sizes::{OfBlock, threads_of};

/// Dimensions that grids and blocks have.
const DIMS: usize = 3;
/// Threads of a block in x, y and z, for one, two and three parallel loops. Blocks of 256 threads in warps along x.
const THREADS: [[u32; DIMS]; DIMS] = [[256, 1, 1], [32, 8, 1], [32, 4, 2]];
/// Bytes of shared memory that a thread of a block takes for each element that it collects updates of: its value, and
/// whether there were any.
pub const COLLECTED_BYTES: u32 = 12;
/// Bytes of such a value, at most.
const COLLECTED_VALUE_BYTES: u32 = 8;
/// Threads of the block that puts together what all others have collected.
pub const LAST_THREADS: u32 = 256;
/// A tree with kernels.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The tree.
    pub tree: Node,
    /// How many kernels it has.
    pub kernels: usize,
    /// The most loops of the host around one of them.
    pub around: usize,
    /// The most loops in a thread of one of them.
    pub serial: usize,
    /// Kernels whose threads could have tiles in registers if their loops stood alone.
    pub untiled: usize,
}

impl Mapped {
    /// What makes one tree better than another: the less, the better.
    #[must_use]
    pub fn rank(&self) -> (usize, usize, usize) {
        (self.around, self.serial.max(1), self.untiled)
    }
}

/// What the user says of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// Sizes of grids, blocks and tiles, as far as given; a block that has more than 1024 threads with what is
    /// usual is made narrower.
    pub asked: &'a KernelSizes,
    /// Rows and columns of elements that a thread has in registers, as far as given; 1: none.
    pub tile: &'a [u32],
    /// Bytes of shared memory that a block may use.
    pub shared_bytes: u64,
}

/// The tree with roles for a GPU; `None`: there is no loop for it. Cost: one proof per loop asked about.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64. `Bug` when an invariant breaks.
pub fn map(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    sizes: Sizes<'_>,
    budget: &Budget,
) -> Result<Option<Mapped>, Failure> {
    let tree = plain(tree.clone());
    let mut bands: Vec<(Vec<usize>, Pieces)> = Vec::new();
    visit_nodes(&tree, &mut |path, node, pieces| {
        if matches!(node, Node::Band(..)) {
            bands.push((path.to_vec(), pieces.clone()));
        }
    });
    let in_time: Vec<bool> = bands.iter().map(|(path, _)| time_tiles::are_at(&tree, path)).collect();
    let asked = Asked { scop, deps, flow: deps.scalar_flow(scop, budget)?, tree: &tree, budget };
    let mut mapped = Mapped { tree: tree.clone(), kernels: 0, around: 0, serial: 0, untiled: 0 };
    let mut last: Option<Vec<usize>> = None;
    for ((path, pieces), in_time) in bands.iter().zip(in_time) {
        let Some((Node::Band(band, child), around)) = descend(&tree, path) else { continue };
        if last.as_ref().is_some_and(|kernel| path.starts_with(kernel)) {
            continue;
        }
        if in_time {
            let Some(made) = asked.in_time_tiles((path, pieces), &bands, (sizes, mapped.kernels))? else {
                return Ok(None);
            };
            mapped.tree = ops::at(mapped.tree, path, &|_| Ok(made.clone())).map_err(bug)?;
            mapped.kernels += 1;
            mapped.around = mapped.around.max(around + 1);
            last = Some(path.clone());
            continue;
        }
        let (nest, (first, count), elements) = match asked.parallel(band, child, pieces)? {
            Some((nest, found)) => (nest, found, Vec::new()),
            None => match asked.collecting(band, child, pieces, (sizes, mapped.kernels))? {
                Some(found) => found,
                None => continue,
            },
        };
        let depth = pieces.iter().map(|(id, _)| scop.stmt(*id).dims()).max().unwrap_or(0);
        mapped.serial = mapped.serial.max(depth.saturating_sub(around + first + count));
        let (made, untiled) = asked.kernel(nest, (first, count), (pieces, &elements), (sizes, mapped.kernels))?;
        mapped.untiled += usize::from(untiled);
        mapped.tree = ops::at(mapped.tree, path, &|_| Ok(made.clone())).map_err(bug)?;
        mapped.kernels += 1;
        mapped.around = mapped.around.max(around + first);
        last = Some(path.clone());
    }
    Ok(Some(mapped).filter(|m| m.kernels > 0))
}

/// The node at a path, and how many loops lie around it.
fn descend<'t>(tree: &'t Node, path: &[usize]) -> Option<(&'t Node, usize)> {
    path.iter().try_fold((tree, 0), |(node, around), k| {
        let own = if let Node::Band(band, _) = node { band.members.len() } else { 0 };
        Some((node.children().get(*k)?, around + own))
    })
}

/// The tree without what other targets want of it.
fn plain(node: Node) -> Node {
    let node = match node {
        Node::Mark(Mark::TileLoops(_) | Mark::PointLoops | Mark::Contraction(_) | Mark::Minor, child) => {
            return plain(*child);
        }
        Node::Band(band, child) => {
            let members = band.members.into_iter().map(|m| Member::new(m.affs)).collect();
            Node::Band(Band { members, permutable: band.permutable }, child)
        }
        other => other,
    };
    node.map_children(&mut plain)
}

/// Loops for blocks and threads: consecutive ones with what is around and below, the first of them and their number,
/// and elements whose updates they collect.
type Found = (Nest, (usize, usize), Vec<ReductionCopy>);

/// What loops are asked about.
struct Asked<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    /// Value-based flow of the scalars.
    flow: &'a [Dep],
    tree: &'a Node,
    budget: &'a Budget,
}

/// Consecutive loops of one branch, and what is below.
#[derive(Clone)]
struct Nest {
    members: Vec<Member>,
    /// Members of one number may change places.
    group: Vec<usize>,
    below: Node,
}

impl Nest {
    fn add(&mut self, band: &Band) {
        let next = self.group.last().map_or(0, |g| g + 1);
        let number = |k: usize| if band.permutable { next } else { next + k };
        self.group.extend((0..band.members.len()).map(number));
        self.members.extend(band.members.iter().cloned());
    }

    /// The same with the sum of the first members in front of the others, where the loops are permutable: no
    /// dependence has a negative distance in any of them, so that none is left between iterations with equal sums.
    fn in_wavefronts(&self) -> Option<Self> {
        let many = self.group.iter().take_while(|g| **g == self.group[0]).count().min(DIMS + 1);
        let (first, others) = self.members[..many].split_first().filter(|(_, others)| !others.is_empty())?;
        let mut sum = first.clone();
        for (id, aff) in &mut sum.affs {
            *aff = others.iter().try_fold(aff.clone(), |sum, m| Some(sum.add(m.affs.get(id)?)))?;
        }
        let mut nest = self.clone();
        nest.members[0] = sum;
        nest.group.iter_mut().skip(1).for_each(|g| *g += 1);
        Some(nest)
    }

    /// Adds the loops right below, if there are any.
    fn extend(&mut self) -> bool {
        match std::mem::replace(&mut self.below, Node::Leaf) {
            Node::Band(band, child) => {
                self.add(&band);
                self.below = *child;
                true
            }
            other => {
                self.below = other;
                false
            }
        }
    }
}

impl Asked<'_> {
    /// The loops from a band on, those that carry nothing side by side: the first of them and their number.
    fn parallel(&self, band: &Band, child: &Node, pieces: &Pieces) -> Result<Option<(Nest, (usize, usize))>, Failure> {
        let mut nest = Nest { members: Vec::new(), group: Vec::new(), below: child.clone() };
        nest.add(band);
        let mut wave = nest.in_wavefronts();
        if let Some(found) = side_by_side(&mut nest, pieces, &mut |at| self.may_run(at, &[]))? {
            return Ok(Some((nest, found)));
        }
        let Some(wave) = &mut wave else { return Ok(None) };
        let found = side_by_side(wave, pieces, &mut |at| self.may_run(at, &[]))?;
        Ok(found.map(|found| (wave.clone(), found)))
    }

    /// The same of loops that carry nothing but updates of single elements, which threads may collect, and these
    /// elements: the same ones in all of the loops.
    fn collecting(
        &self,
        band: &Band,
        child: &Node,
        pieces: &Pieces,
        (sizes, kernel): (Sizes<'_>, usize),
    ) -> Result<Option<Found>, Failure> {
        if self.deps.reductions.is_empty() {
            return Ok(None);
        }
        let mut nest = Nest { members: Vec::new(), group: Vec::new(), below: child.clone() };
        nest.add(band);
        let mut elements: Option<Vec<ReductionCopy>> = None;
        let found = side_by_side(&mut nest, pieces, &mut |at| match &elements {
            Some(elements) => self.may_run(at, elements),
            None => {
                elements = self.elements(at)?;
                Ok(elements.is_some())
            }
        })?;
        let (Some((first, count)), Some(elements)) = (found, elements) else { return Ok(None) };
        let threads: u32 =
            threads_of(THREADS[count - 1], count, sizes.asked.of(kernel, KernelPart::Block)).iter().product();
        let bytes = u64::from(threads.max(LAST_THREADS) * COLLECTED_BYTES) * elements.len() as u64;
        Ok((bytes <= sizes.shared_bytes).then_some((nest, (first, count), elements)))
    }

    /// The elements that a loop updates, if it carries nothing else and there are some.
    fn elements(&self, at: &Loop) -> Result<Option<Vec<ReductionCopy>>, Failure> {
        let known = (self.deps, self.flow);
        let copies = threads_of_loop(self.scop, known, (self.tree, at), None, self.budget)?;
        let elements = copies.map(|copies| copies.elements).filter(|elements| !elements.is_empty());
        let fits = |c: &ReductionCopy| self.scop.array(c.array).elem_bytes <= COLLECTED_VALUE_BYTES;
        Ok(elements.filter(|elements| elements.iter().all(fits)))
    }

    /// Whether all iterations of a loop may run at the same time, with scalars of their own and where updates of these
    /// elements are collected.
    fn may_run(&self, at: &Loop, elements: &[ReductionCopy]) -> Result<bool, Failure> {
        let collects = |array: ArrayId| elements.iter().any(|c| c.array == array);
        let mut own = at.scalars_written(self.scop);
        own.retain(|array| !collects(*array));
        let is_apart = |k: usize, dep: &Dep| k >= self.deps.validity.len() && collects(dep.array);
        let shared = self.deps.binding().filter(|(k, dep)| !own.contains(&dep.array) && !is_apart(*k, dep));
        if at.carries(self.scop, shared, self.budget)? {
            return Ok(false);
        }
        for array in own {
            if !at.has_private(self.scop, (self.tree, self.flow), array, self.budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The nest with `count` loops from `first` on given to blocks and threads; and whether its threads would have
    /// tiles in registers, if loops did not stand one after the other in it.
    ///
    /// With tiles, a block's strip of a loop is as many strips of threads as the tile is long. The loop over these is
    /// jammed into all loops inside: a thread works on elements that are as far apart as the block is wide, so that
    /// neighbours in a warp still access neighbours in memory.
    fn kernel(
        &self,
        nest: Nest,
        (first, count): (usize, usize),
        (pieces, elements): (&Pieces, &[ReductionCopy]),
        (sizes, kernel): (Sizes<'_>, usize),
    ) -> Result<(Node, bool), Failure> {
        let Nest { mut members, below, .. } = nest;
        let inside = members.split_off(first + count);
        let points = members.split_off(first);
        let stmts: Vec<StmtId> = pieces.iter().map(|(id, _)| *id).collect();
        let dims = dims_of(&points.iter().map(|m| self.unit_strides(m, &stmts)).collect::<Vec<_>>());
        let stands_alone = elements.is_empty()
            && !has_loops_in_sequence(&below)
            && self.scop.scalars_written_by(stmts.iter().copied()).is_empty();
        let wanted = (&*dims, !elements.is_empty(), stands_alone);
        let OfBlock { threads, tile, untiled } = self.block_sizes(&points, &stmts, wanted, (sizes, kernel))?;
        let most = |dim: u8| sizes.asked.of(kernel, KernelPart::Grid).get(usize::from(dim)).copied();
        let of = |k: usize| i64::from(threads[usize::from(dims[k])]);
        let long = |k: usize| tile.as_ref().map_or(1, |tile| i64::from(tile[k]));
        let points = Band { members: points, permutable: false };
        let strips = |sizes: &[i64]| {
            let strip =
                |(member, size): (usize, &i64)| TileLoop { member, size: *size, coincident: true, alone: Vec::new() };
            let all: Vec<TileLoop> = sizes.iter().enumerate().map(strip).collect();
            ops::tile_loops(&points, &all).map_err(bug)
        };
        let blocks = strips(&(0..count).map(|k| of(k) * long(k)).collect::<Vec<_>>())?;
        let own = strips(&(0..count).map(of).collect::<Vec<_>>())?;
        // Scalars of their own are what roles are about: for the flag all iterations have the same ones.
        let coincident = elements.is_empty() && self.scop.scalars_written_by(stmts.iter().copied()).is_empty();
        let on = |axis: Axis| Role::Device(axis, elements.to_vec());
        let with = |role: Role, ast: AstOption| move |m: Member| Member { coincident, role, ast, ..m };
        let gathers = sizes.shared_bytes > 0 && elements.is_empty() && self.gathers(&points.members, &dims, &stmts);
        let whole = if tile.is_some() || gathers { AstOption::SeparateTiles } else { AstOption::Default };
        for (k, block) in blocks.members.into_iter().enumerate() {
            members.push(with(on(Axis::Grid(dims[k], most(dims[k]))), whole)(block));
        }
        let mut each = Vec::new();
        for (k, strip) in own.members.into_iter().enumerate().filter(|(k, _)| long(*k) > 1) {
            each.push(with(Role::Serial, AstOption::UnrollJam(u32::try_from(long(k)).unwrap_or(1)))(strip));
        }
        for (k, mut point) in points.members.into_iter().enumerate() {
            if long(k) > 1 {
                point.affs.values_mut().for_each(|aff| *aff = aff.modulo(of(k)));
            }
            let threads = u32::try_from(of(k)).unwrap_or(1);
            each.push(with(on(Axis::Block(dims[k], threads)), AstOption::Default)(point));
        }
        each.extend(inside);
        let below = Box::new(below);
        if tile.is_none() {
            members.extend(each);
            return Ok((Node::Band(Band { members, permutable: false }, below), untiled));
        }
        let inner = Node::Band(Band { members: each, permutable: false }, below);
        Ok((Node::Band(Band { members, permutable: false }, Box::new(inner)), untiled))
    }

    /// Whether neighbours in a warp read elements far apart, of rows that each thread walks through: blocks may copy
    /// these in the order of memory, where all of their threads take part.
    fn gathers(&self, points: &[Member], dims: &[u8], stmts: &[StmtId]) -> bool {
        let of = |id: &StmtId| {
            let stmt = self.scop.stmt(*id);
            let own = |m: &Member| m.affs.get(id).and_then(|aff| only_dim(aff, stmt.dims()));
            let Some(all) = points.iter().map(own).collect::<Option<Vec<usize>>>() else { return false };
            let Some(x) = dims.iter().position(|d| *d == 0).map(|k| all[k]) else { return false };
            let column = |dim: usize| self.scop.params.len() + dim;
            let is_apart = |rows: Vec<Vec<i64>>| match rows.split_last() {
                Some((last, outer)) => {
                    let walks = (0..stmt.dims()).any(|d| !all.contains(&d) && last[column(d)].abs() == 1);
                    walks && last[column(x)] == 0 && outer.iter().any(|row| row[column(x)] != 0)
                }
                None => false,
            };
            let reads = stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read && a.carries.is_none());
            let reads = reads.filter(|a| matches!(self.scop.array(a.array).kind, ArrayKind::Memory { .. }));
            reads.filter_map(Access::subscripts).any(is_apart)
        };
        stmts.iter().any(of)
    }

    /// How many accesses of these statements move by one element where the loop's value moves by one.
    fn unit_strides(&self, member: &Member, stmts: &[StmtId]) -> usize {
        let of = |id: &StmtId| {
            let stmt = self.scop.stmt(*id);
            let Some(dim) = member.affs.get(id).and_then(|aff| only_dim(aff, stmt.dims())) else { return 0 };
            let memory = stmt
                .accesses
                .iter()
                .filter(|a| matches!(self.scop.array(a.array).kind, ArrayKind::Memory { .. }) && a.carries.is_none());
            let column = self.scop.params.len() + dim;
            let is_unit = |rows: Vec<Vec<i64>>| match rows.split_last() {
                Some((last, outer)) => last[column].abs() == 1 && outer.iter().all(|row| row[column] == 0),
                None => false,
            };
            memory.filter(|a| a.subscripts().is_some_and(is_unit)).count()
        };
        stmts.iter().map(of).sum()
    }
}

/// Brings loops that may run at the same time side by side; the first of them and their number, if there are any.
fn side_by_side(
    nest: &mut Nest,
    pieces: &Pieces,
    may_run: &mut dyn FnMut(&Loop) -> Result<bool, Failure>,
) -> Result<Option<(usize, usize)>, Failure> {
    let (mut at, mut count) = (0, 0);
    while count < DIMS {
        if at == nest.members.len() && (count == 0 || !nest.extend()) {
            break;
        }
        let mut found = None;
        for from in (at..nest.members.len()).filter(|k| nest.group[*k] == nest.group[at]) {
            let mut members = nest.members.clone();
            members[at..=from].rotate_right(1);
            let band = Band { members, permutable: false };
            if may_run(&Loop::at_band(&band, at, pieces))? {
                found = Some(band.members);
                break;
            }
        }
        match found {
            Some(members) => (nest.members, count) = (members, count + 1),
            None if count > 0 => break,
            None => {}
        }
        at += 1;
    }
    Ok((count > 0).then(|| (at - count, count)))
}

/// Whether loops stand one after the other.
fn has_loops_in_sequence(node: &Node) -> bool {
    fn has_loop(node: &Node) -> bool {
        matches!(node, Node::Band(..)) || node.children().iter().any(has_loop)
    }
    match node {
        Node::Sequence(parts) | Node::Set(parts) => parts.iter().any(has_loop),
        other => other.children().iter().any(has_loops_in_sequence),
    }
}

/// Dimensions of loops, outermost first, by their numbers of accesses that walk element by element: x is the innermost
/// one of those with most; the others follow from the inside out.
fn dims_of(unit_strides: &[usize]) -> Vec<u8> {
    let most = unit_strides.iter().max().copied().unwrap_or(0);
    let x = unit_strides.iter().rposition(|n| *n == most).unwrap_or(0);
    let mut dims = vec![0; unit_strides.len()];
    for (d, k) in (1_u8..).zip((0..unit_strides.len()).rev().filter(|k| *k != x)) {
        dims[k] = d;
    }
    dims
}

/// The dim that a value moves with, one for one, if it moves with no other.
fn only_dim(aff: &Aff, dims: usize) -> Option<usize> {
    let row = aff.as_affine()?;
    let dims = &row[row.len() - 1 - dims..row.len() - 1];
    let mut moved = (0..dims.len()).filter(|k| dims[*k] != 0);
    moved.next().filter(|k| dims[*k].abs() == 1 && moved.next().is_none())
}

fn bug(why: ops::Inapplicable) -> Failure {
    Failure::Bug(why.to_string())
}
