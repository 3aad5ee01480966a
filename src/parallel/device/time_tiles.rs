//! Kernels of tiles in time: a block has a whole tile, its threads share the loops of each time step.

use super::{Asked, Nest, Sizes, THREADS, dims_of, side_by_side, threads_of};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::flat::Pieces;
use crate::model::tree::ops;
use crate::model::tree::{Axis, Band, Mark, Member, Node, Role};
use crate::options::KernelPart;
use presburger::Aff;

/// Position of the loop over tiles of a half-phase in its band ([`Mark::TimeTiles`]).
const BEHIND_PHASES: usize = 1;

/// Whether a tree has tiles in time.
#[must_use]
pub fn are_in(tree: &Node) -> bool {
    matches!(tree, Node::Mark(Mark::TimeTiles, _)) || tree.children().iter().any(are_in)
}

/// Whether the node at a path is the loops over such tiles.
pub(super) fn are_at(tree: &Node, path: &[usize]) -> bool {
    let Some((_, above)) = path.split_last() else { return false };
    let node = above.iter().try_fold(tree, |node, k| node.children().get(*k));
    matches!(node, Some(Node::Mark(Mark::TimeTiles, _)))
}

impl Asked<'_> {
    /// The subtree at `path`, loops over tiles in time, with tiles of a half-phase given to blocks and the outermost
    /// loops inside that carry nothing to threads. `None`: there are no such loops.
    /// `bands`: all bands of the tree with the instances that reach them, parents first.
    pub(super) fn in_time_tiles(
        &self,
        (path, pieces): (&[usize], &Pieces),
        bands: &[(Vec<usize>, Pieces)],
        (sizes, kernel): (Sizes<'_>, usize),
    ) -> Result<Option<Node>, Failure> {
        let grid = sizes.asked.of(kernel, KernelPart::Grid).first().copied();
        let block = sizes.asked.of(kernel, KernelPart::Block);
        let node = path.iter().try_fold(self.tree, |node, k| node.children().get(*k));
        let Some(Node::Band(band, child)) = node else { return Ok(None) };
        let tiles = BEHIND_PHASES;
        if band.members.len() <= tiles || !self.may_run(&super::Loop::at_band(band, tiles, pieces), &[])? {
            return Ok(None);
        }
        let mut loops = band.clone();
        loops.members[tiles] = Member {
            role: Role::Device(Axis::Grid(0, grid), Vec::new()),
            ..Member::new(band.members[tiles].affs.clone())
        };
        let mut made = Node::Band(loops, child.clone());
        let mut shared: Vec<(&[usize], Nest, (usize, usize), Vec<StmtId>)> = Vec::new();
        for (at, pieces) in bands.iter().filter(|(at, _)| at.len() > path.len() && at.starts_with(path)) {
            if shared.iter().any(|(above, ..)| at.starts_with(above)) {
                continue;
            }
            let node = at.iter().try_fold(self.tree, |node, k| node.children().get(*k));
            let Some(Node::Band(band, child)) = node else { continue };
            let mut nest = Nest { members: Vec::new(), group: Vec::new(), below: (**child).clone() };
            nest.add(band);
            let found = side_by_side(&mut nest, pieces, &mut |lp| self.may_run(lp, &[]))?;
            let Some(found) = found else { continue };
            shared.push((at.as_slice(), nest, found, pieces.iter().map(|(id, _)| *id).collect()));
        }
        let Some(dims) = shared.iter().map(|(_, _, (_, count), _)| *count).max() else { return Ok(None) };
        for (at, nest, found, stmts) in shared {
            let given = self.given_to_threads(nest, found, (dims, &stmts), block);
            made = ops::at(made, &at[path.len()..], &|_| Ok(given.clone())).map_err(super::bug)?;
        }
        Ok(Some(made))
    }

    /// The nest with `count` loops from `first` on given to threads of a block of so many dimensions; along those that
    /// have no loop here, the first threads run it.
    fn given_to_threads(
        &self,
        Nest { mut members, below, .. }: Nest,
        (first, count): (usize, usize),
        (of_block, stmts): (usize, &[StmtId]),
        block: &[u32],
    ) -> Node {
        let own = &mut members[first..first + count];
        let dims = dims_of(&own.iter().map(|m| self.unit_strides(m, stmts)).collect::<Vec<_>>());
        let threads = threads_of(THREADS[of_block - 1], of_block, block);
        for (member, dim) in own.iter_mut().zip(dims) {
            let axis = Axis::Block(dim, threads[usize::from(dim)]);
            *member = Member { role: Role::Device(axis, Vec::new()), ..Member::new(member.affs.clone()) };
        }
        let zero = |aff: &Aff| Aff::constant(aff.space(), 0);
        for (dim, count) in (0_u8..).zip(threads).take(of_block).skip(count) {
            let affs = members[first].affs.iter().map(|(id, aff)| (*id, zero(aff))).collect();
            let role = Role::Device(Axis::Block(dim, count), Vec::new());
            members.insert(first, Member { role, ..Member::new(affs) });
        }
        Node::Band(Band { members, permutable: false }, Box::new(below))
    }
}
