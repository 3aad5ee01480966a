//! Which loops a GPU runs.
//!
//! In: a legal tree. Out: the same instances with [`Role::Device`] for loops of which all iterations may run at the
//! same time: the outermost such loops of each branch, up to three right inside of each other, are cut into strips;
//! blocks of a grid run the strips, threads of a block the iterations of one. Loops around them stay with the host,
//! which launches a kernel in each iteration; loops inside run in each thread. Of a permutable band, members that
//! carry nothing move out; where none does, loops behind their sum carry nothing (wavefronts). Threads have scalars
//! for themselves. The loop along which most accesses walk through memory element by element becomes dimension x. No
//! flag of the tree is believed: each loop is asked about anew, and [`crate::proof`] asks again.
//! Source: Verdoolaege, Carlos Juega, Cohen, Ignacio Gómez, Tenllado, Catthoor, ACM TACO 9(4), 2013, section 4.

use crate::deps::loops::Loop;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::flat::{Pieces, visit_nodes};
use crate::model::tree::ops::{self, TileLoop};
use crate::model::tree::{AstOption, Axis, Band, Mark, Member, Node, Role};
use crate::model::{ArrayKind, Scop};
use presburger::{Aff, Budget};

/// Dimensions that grids and blocks have.
const DIMS: usize = 3;
/// Threads of a block in x, y and z, for one, two and three parallel loops. Blocks of 256 threads in warps along x.
const THREADS: [[u32; DIMS]; DIMS] = [[256, 1, 1], [32, 8, 1], [32, 4, 2]];
/// Threads that a block may have.
pub const MAX_THREADS: u32 = 1024;

/// The same in z.
const MAX_DEPTH: u32 = 64;

/// A tree with kernels.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The tree.
    pub tree: Node,
    /// How many kernels it has.
    pub kernels: usize,
    /// The most loops of the host around one of them.
    pub around: usize,
}

/// The tree with roles for a GPU; `None`: there is no loop for it. `threads`: of a block in x, y and z, as far as the
/// user says; a block that would have more than [`MAX_THREADS`] is made narrower. Cost: one proof per loop asked
/// about.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64. `Bug` when an invariant breaks.
pub fn map(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    threads: &[u32],
    budget: &Budget,
) -> Result<Option<Mapped>, Failure> {
    let tree = plain(tree.clone());
    let mut bands: Vec<(Vec<usize>, Pieces)> = Vec::new();
    visit_nodes(&tree, &mut |path, node, pieces| {
        if matches!(node, Node::Band(..)) {
            bands.push((path.to_vec(), pieces.clone()));
        }
    });
    let asked = Asked { scop, deps, flow: deps.scalar_flow(scop, budget)?, tree: &tree, budget };
    let mut mapped = Mapped { tree: tree.clone(), kernels: 0, around: 0 };
    let mut last: Option<Vec<usize>> = None;
    for (path, pieces) in bands {
        let Some((Node::Band(band, child), around)) = descend(&tree, &path) else { continue };
        if last.as_ref().is_some_and(|kernel| path.starts_with(kernel)) {
            continue;
        }
        let Some((nest, (first, count))) = asked.parallel(band, child, &pieces)? else { continue };
        let made = asked.kernel(nest, (first, count), &pieces, threads)?;
        mapped.tree = ops::at(mapped.tree, &path, &|_| Ok(made.clone())).map_err(bug)?;
        mapped.kernels += 1;
        mapped.around = mapped.around.max(around + first);
        last = Some(path);
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
        if let Some(found) = self.side_by_side(&mut nest, pieces)? {
            return Ok(Some((nest, found)));
        }
        let Some(wave) = &mut wave else { return Ok(None) };
        Ok(self.side_by_side(wave, pieces)?.map(|found| (wave.clone(), found)))
    }

    /// Brings loops that carry nothing side by side; the first of them and their number, if there are any.
    fn side_by_side(&self, nest: &mut Nest, pieces: &Pieces) -> Result<Option<(usize, usize)>, Failure> {
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
                if self.may_run(&Loop::at_band(&band, at, pieces))? {
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

    /// Whether all iterations of a loop may run at the same time, with scalars of their own.
    fn may_run(&self, at: &Loop) -> Result<bool, Failure> {
        let own = at.scalars_written(self.scop);
        let shared = self.deps.binding().filter(|(_, dep)| !own.contains(&dep.array));
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

    /// The nest with `count` loops from `first` on given to blocks and threads.
    fn kernel(
        &self,
        nest: Nest,
        (first, count): (usize, usize),
        pieces: &Pieces,
        threads: &[u32],
    ) -> Result<Node, Failure> {
        let Nest { mut members, below, .. } = nest;
        let inside = members.split_off(first + count);
        let points = members.split_off(first);
        let stmts: Vec<StmtId> = pieces.iter().map(|(id, _)| *id).collect();
        let dims = dims_of(&points.iter().map(|m| self.unit_strides(m, &stmts)).collect::<Vec<_>>());
        let threads = threads_of(count, threads);
        let of = |k: usize| threads[usize::from(dims[k])];
        let points = Band { members: points, permutable: false };
        let tile =
            |member: usize| TileLoop { member, size: i64::from(of(member)), coincident: true, alone: Vec::new() };
        let tiles: Vec<TileLoop> = (0..count).map(tile).collect();
        let tiles = ops::tile_loops(&points, &tiles).map_err(bug)?;
        // Scalars of their own are what roles are about: for the flag all iterations have the same ones.
        let coincident = self.scop.scalars_written_by(stmts.iter().copied()).is_empty();
        let with = |role: Role| move |m: Member| Member { coincident, role, ast: AstOption::Default, ..m };
        for (k, tile) in tiles.members.into_iter().enumerate() {
            members.push(with(Role::Device(Axis::Grid(dims[k])))(tile));
        }
        for (k, point) in points.members.into_iter().enumerate() {
            members.push(with(Role::Device(Axis::Block(dims[k], of(k))))(point));
        }
        members.extend(inside);
        Ok(Node::Band(Band { members, permutable: false }, Box::new(below)))
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

/// Threads of a block in x, y and z for so many loops.
fn threads_of(count: usize, asked: &[u32]) -> [u32; DIMS] {
    let mut threads = THREADS[count - 1];
    let asked = asked.iter().copied().filter(|n| *n > 0);
    threads[..count].iter_mut().zip(asked).for_each(|(own, asked)| *own = asked);
    let mut left = MAX_THREADS;
    for (own, most) in threads.iter_mut().zip([MAX_THREADS, MAX_THREADS, MAX_DEPTH]) {
        *own = (*own).min(left).min(most);
        left /= *own;
    }
    threads
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
