//! Which components share loops: fusion strategies and cuts.
//!
//! In: strongly connected components in topological order. Out: clusters of neighbouring components; each cluster
//! becomes one band. Any grouping of neighbours in a topological order is legal as a sequence; whether the members of a
//! cluster can share loops is found out by the hyperplane search, so no strategy can make an order illegal.
//!
//! Max: everything shares loops as long as there is a hyperplane that is legal for all of it; otherwise the list is cut
//! where the number of loops left changes (cut by dimension), and where that does not help, at the last component that
//! still fits (cut by component). Smart (typed fusion): neighbours that have equally many loops left and touch a common
//! array, if the fused band is as deep as each part's and has as many coincident members: neither permutability nor
//! parallelism is given up for locality.
//! Sources: Bondhugula et al., PLDI 2008, section 4.3 (cuts); Kennedy, McKinley, LCPC 1993 (typed fusion).

use super::bands::{Builder, between};
use super::pluto::{Basis, Bound, Effort, Relations};
use super::problem::{Hyperplane, Piece, by_demand};
use crate::error::Failure;

/// Which components may share loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// As many as have a common legal loop.
    Max,
    /// Those that share data, where no parallelism, permutability or depth is lost.
    #[default]
    Smart,
    /// None.
    None,
}

/// Components that are to share a band, in topological order.
pub type Cluster = Vec<Vec<usize>>;

/// Depth of the band of original loops, and how many of its members are coincident.
type Quality = (usize, usize);

/// The statements of a cluster, ascending.
#[must_use]
pub fn stmts_of(cluster: &[Vec<usize>]) -> Vec<usize> {
    let mut all: Vec<usize> = cluster.iter().flatten().copied().collect();
    all.sort_unstable();
    all
}

impl Builder<'_> {
    /// Groups `components` (topological order) by the strategy. Errors: `Limit`.
    pub fn fuse(
        &mut self,
        components: Vec<Vec<usize>>,
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<Vec<Cluster>, Failure> {
        match self.fusion {
            Fusion::None => Ok(components.into_iter().map(|c| vec![c]).collect()),
            Fusion::Max => self.fuse_most(&components, pieces, basis),
            Fusion::Smart => self.fuse_alike(components, pieces, basis),
        }
    }

    /// Loops of a statement that no outer band covers.
    fn depth(&self, s: usize, basis: &Basis) -> usize {
        self.problem.dims[s].saturating_sub(basis[s].len())
    }

    /// Max: one cluster, or what is left of it after as few cuts as possible.
    fn fuse_most(
        &mut self,
        components: &[Vec<usize>],
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<Vec<Cluster>, Failure> {
        if components.len() < 2 || self.has_common_loop(components, pieces, basis)? {
            return Ok(vec![components.to_vec()]);
        }
        let depth_of = |c: &Vec<usize>| c.iter().map(|&s| self.depth(s, basis)).max();
        let runs: Vec<&[Vec<usize>]> = components.chunk_by(|a, b| depth_of(a) == depth_of(b)).collect();
        if runs.len() > 1 {
            let mut clusters = Vec::new();
            for run in runs {
                clusters.extend(self.fuse_most(run, pieces, basis)?);
            }
            return Ok(clusters);
        }
        let mut clusters: Vec<Cluster> = Vec::new();
        for component in components {
            let longer = clusters.last().map(|last| [last.as_slice(), std::slice::from_ref(component)].concat());
            match (longer, clusters.last_mut()) {
                (Some(longer), Some(last)) if self.has_common_loop(&longer, pieces, basis)? => *last = longer,
                _ => clusters.push(vec![component.clone()]),
            }
        }
        Ok(clusters)
    }

    /// Whether some hyperplane is legal for all of these components.
    fn has_common_loop(&mut self, components: &[Vec<usize>], pieces: &[Piece], basis: &Basis) -> Result<bool, Failure> {
        let stmts = stmts_of(components);
        let inner = between(&stmts, pieces);
        let found = self.hyperplane(&stmts, &inner, basis, self.effort)?;
        Ok(found.is_some())
    }

    /// Smart: merges neighbours that share data and lose nothing by sharing loops.
    fn fuse_alike(
        &mut self,
        components: Vec<Vec<usize>>,
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<Vec<Cluster>, Failure> {
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut rest = components.as_slice();
        while !rest.is_empty() {
            let alike = (1..rest.len()).take_while(|&k| self.is_alike(&rest[..k], &rest[k], basis)).count();
            let taken = self.longest_lossless(&rest[..=alike], pieces, basis)?;
            clusters.push(rest[..taken].to_vec());
            rest = &rest[taken..];
        }
        Ok(clusters)
    }

    /// How many of these components, from the first one on, lose nothing by sharing loops. A part of a cluster that
    /// loses nothing loses nothing either: as many are added at once as were added before, twice as many each time, and
    /// half as many after the first time that it does not work. One by one the whole cluster would be solved as often
    /// as it has components.
    fn longest_lossless(
        &mut self,
        components: &[Vec<usize>],
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<usize, Failure> {
        let (mut taken, mut more, mut grows) = (1, 1, true);
        let mut own: Vec<Option<Quality>> = Vec::new();
        while more > 0 && taken < components.len() {
            let end = components.len().min(taken + more);
            let added = end - taken;
            for component in components[..end].iter().skip(own.len()) {
                own.push(self.quality(component, pieces, basis)?);
            }
            let fused = self.quality(&stmts_of(&components[..end]), pieces, basis)?;
            let keeps = |own: &Option<Quality>| matches!((own, fused), (Some(q), Some(f)) if q.0 <= f.0 && q.1 <= f.1);
            if own[..end].iter().all(keeps) {
                taken = end;
            } else {
                grows = false;
            }
            more = if grows { 2 * added } else { added / 2 };
        }
        Ok(taken)
    }

    /// Whether all statements have equally many loops left and some of each side touch a common array.
    fn is_alike(&self, cluster: &[Vec<usize>], component: &[usize], basis: &Basis) -> bool {
        let left = self.depth(component[0], basis);
        let inside = || cluster.iter().flatten();
        let same_depth = left > 0 && inside().chain(component).all(|&s| self.depth(s, basis) == left);
        same_depth && inside().any(|&x| component.iter().any(|&y| !self.arrays[x].is_disjoint(&self.arrays[y])))
    }

    /// What the original loops of a cluster allow.
    fn quality(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<Quality>, Failure> {
        let inner = between(stmts, pieces);
        let mut grown = basis.clone();
        let Some(members) = self.band(&Relations::new(self.problem, stmts, &inner), &mut grown, Effort::Loops)? else {
            return Ok(None);
        };
        let (to_respect, near) = by_demand(&inner);
        let is_coincident = |(rows, bound): &&(Hyperplane, Bound)| match near {
            [] => *bound == Bound::Zero,
            _ => to_respect.iter().all(|p| p.is_at_zero(rows)),
        };
        let coincident = members.iter().filter(is_coincident).count();
        Ok(Some((members.len(), coincident)))
    }
}
