//! Which loops a GPU runs.
//!
//! In: a legal tree. Out: the same instances with [`Role::Device`] for loops of which all iterations may run at the
//! same time: the outermost such loops of each branch, up to three right inside of each other, are cut into strips;
//! blocks of a grid run the strips, threads of a block the iterations of one. Loops around them stay with the host,
//! which launches a kernel in each iteration; loops inside run in each thread. Of a permutable band, members that
//! carry nothing move out. The loop along which most accesses walk through memory element by element becomes
//! dimension x. No flag of the tree is believed: each loop is asked about anew, and [`crate::proof`] asks again.
//! Source: Verdoolaege, Carlos Juega, Cohen, Ignacio Gómez, Tenllado, Catthoor, ACM TACO 9(4), 2013, section 4.

use crate::deps::Dependences;
use crate::deps::loops::Loop;
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
    let mapped = Mapped { tree: plain(tree.clone()), kernels: 0, around: 0 };
    let mut walk = Walk { scop, deps, threads, budget, mapped };
    walk.visit(&mut Vec::new(), 0)?;
    Ok(Some(walk.mapped).filter(|m| m.kernels > 0))
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

struct Walk<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    threads: &'a [u32],
    budget: &'a Budget,
    mapped: Mapped,
}

/// Consecutive loops of one branch, and what is below.
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

impl Walk<'_> {
    fn visit(&mut self, path: &mut Vec<usize>, around: usize) -> Result<(), Failure> {
        let Some((node, pieces)) = self.node(path) else { return Ok(()) };
        let mut around = around;
        if let Node::Band(band, child) = &node {
            let mut nest = Nest { members: Vec::new(), group: Vec::new(), below: (**child).clone() };
            nest.add(band);
            if let Some((first, count)) = self.parallel(&mut nest, &pieces)? {
                let made = self.kernel(nest, (first, count), &pieces)?;
                let tree = std::mem::replace(&mut self.mapped.tree, Node::Leaf);
                self.mapped.tree = ops::at(tree, path, &|_| Ok(made.clone())).map_err(bug)?;
                self.mapped.kernels += 1;
                self.mapped.around = self.mapped.around.max(around + first);
                return Ok(());
            }
            around += band.members.len();
        }
        for k in 0..node.children().len() {
            path.push(k);
            self.visit(path, around)?;
            path.pop();
        }
        Ok(())
    }

    /// The node at a path, with the instances that reach it.
    fn node(&self, path: &[usize]) -> Option<(Node, Pieces)> {
        let mut found = None;
        visit_nodes(&self.mapped.tree, &mut |at, node, pieces| {
            if at == path {
                found = Some((node.clone(), pieces.clone()));
            }
        });
        found
    }

    /// Brings loops that carry nothing side by side; the first of them and their number, if there are any.
    fn parallel(&self, nest: &mut Nest, pieces: &Pieces) -> Result<Option<(usize, usize)>, Failure> {
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
                if !Loop::at_band(&band, at, pieces).carries(self.scop, self.deps.binding(), self.budget)? {
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

    /// The nest with `count` loops from `first` on given to blocks and threads.
    fn kernel(&self, nest: Nest, (first, count): (usize, usize), pieces: &Pieces) -> Result<Node, Failure> {
        let Nest { mut members, below, .. } = nest;
        let inside = members.split_off(first + count);
        let points = members.split_off(first);
        let stmts: Vec<StmtId> = pieces.iter().map(|(id, _)| *id).collect();
        let dims = dims_of(&points.iter().map(|m| self.unit_strides(m, &stmts)).collect::<Vec<_>>());
        let threads = self.threads_of(count);
        let of = |k: usize| threads[usize::from(dims[k])];
        let points = Band { members: points, permutable: false };
        let tile =
            |member: usize| TileLoop { member, size: i64::from(of(member)), coincident: true, alone: Vec::new() };
        let tiles: Vec<TileLoop> = (0..count).map(tile).collect();
        let tiles = ops::tile_loops(&points, &tiles).map_err(bug)?;
        let with = |role: Role| move |m: Member| Member { coincident: true, role, ast: AstOption::Default, ..m };
        for (k, tile) in tiles.members.into_iter().enumerate() {
            members.push(with(Role::Device(Axis::Grid(dims[k])))(tile));
        }
        for (k, point) in points.members.into_iter().enumerate() {
            members.push(with(Role::Device(Axis::Block(dims[k], of(k))))(point));
        }
        members.extend(inside);
        Ok(Node::Band(Band { members, permutable: false }, Box::new(below)))
    }

    /// Threads of a block in x, y and z for so many loops.
    fn threads_of(&self, count: usize) -> [u32; DIMS] {
        let mut threads = THREADS[count - 1];
        let asked = self.threads.iter().copied().filter(|n| *n > 0);
        threads[..count].iter_mut().zip(asked).for_each(|(own, asked)| *own = asked);
        let mut left = MAX_THREADS;
        for (own, most) in threads.iter_mut().zip([MAX_THREADS, MAX_THREADS, MAX_DEPTH]) {
            *own = (*own).min(left).min(most);
            left /= *own;
        }
        threads
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
