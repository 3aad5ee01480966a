//! From hyperplanes to nested bands: components, fusion, maximal permutable bands, cuts.
//!
//! In:  the rows of a scheduling problem.
//! Out: a [`Plan`], every dependence satisfied by a band member or by the order of a sequence.
//!
//! Statements are distributed into the strongly connected components of the dependences that are still unsatisfied, in topological
//! order; neighbours are fused again where that costs nothing. Within a cluster, hyperplanes that are legal for all dependences
//! active at its start form one permutable band; then the part of each dependence at distance zero of the whole band stays active.
//! Source: Bondhugula et al., CC 2008, section 4 and PLDI 2008, sections 3 and 4.

use super::farkas::STAGE;
use super::graph;
use super::pluto::{Basis, Bound, Effort, Search};
use super::problem::{Hyperplane, Piece, Problem};
use crate::error::{Failure, Limit};
use presburger::Budget;
use std::collections::BTreeSet;

/// An order of statement instances.
#[derive(Clone, Debug)]
pub enum Plan {
    /// One after the other.
    Seq(Vec<Plan>),
    /// Loops around an order.
    Band(Box<BandPlan>),
    /// One statement without loops left.
    Leaf(usize),
}

/// A permutable band.
#[derive(Clone, Debug)]
pub struct BandPlan {
    /// Statements inside, ascending.
    pub stmts: Vec<usize>,
    /// Loops, outermost first.
    pub members: Vec<Hyperplane>,
    /// Dependences active at the band's start: every member is legal for each of them.
    pub pieces: Vec<Piece>,
    /// Order of the instances with equal members.
    pub child: Plan,
}

impl Plan {
    /// Statements inside.
    #[must_use]
    pub fn stmts(&self) -> Vec<usize> {
        match self {
            Plan::Seq(children) => {
                let mut all: Vec<usize> = children.iter().flat_map(Plan::stmts).collect();
                all.sort_unstable();
                all
            }
            Plan::Band(b) => b.stmts.clone(),
            Plan::Leaf(s) => vec![*s],
        }
    }
}

/// What the construction needs besides the cluster at hand.
pub struct Builder<'a> {
    /// The rows.
    pub problem: &'a Problem,
    /// Arrays each statement touches.
    pub arrays: &'a [BTreeSet<u32>],
    /// Whether components may be fused.
    pub fusion: bool,
    /// Steps left.
    pub budget: &'a Budget,
    /// Solver calls so far.
    pub solves: usize,
}

impl Builder<'_> {
    /// Orders `stmts` (ascending) under the dependences `pieces` between them; `basis` holds the rows of the outer bands.
    /// `None` when no legal order is found. Errors: `Limit`.
    pub fn group(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<Plan>, Failure> {
        self.budget.spend(1 + pieces.len() as u64).map_err(Limit::of(STAGE))?;
        let position = |s: usize| stmts.iter().position(|x| *x == s);
        let edges: Vec<(usize, usize)> =
            pieces.iter().filter_map(|p| Some((position(p.src)?, position(p.dst)?))).collect();
        let components: Vec<Vec<usize>> = graph::components(stmts.len(), &edges)
            .into_iter()
            .map(|c| c.into_iter().map(|k| stmts[k]).collect())
            .collect();
        let clusters = self.fuse(components, pieces, basis)?;
        let mut plans = Vec::with_capacity(clusters.len());
        for cluster in &clusters {
            let inner = between(cluster, pieces);
            match self.cluster(cluster, inner, basis)? {
                Some(plan) => plans.push(plan),
                None => return Ok(None),
            }
        }
        Ok(Some(if plans.len() == 1 { plans.remove(0) } else { Plan::Seq(plans) }))
    }

    /// Merges neighbours in `components` (topological order) that share data and lose nothing by sharing loops.
    fn fuse(
        &mut self,
        components: Vec<Vec<usize>>,
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<Vec<Vec<usize>>, Failure> {
        let mut clusters: Vec<Vec<usize>> = Vec::new();
        for component in components {
            let merged = match clusters.last() {
                Some(last) if self.fusion => self.merge(last, &component, pieces, basis)?,
                _ => None,
            };
            match (merged, clusters.last_mut()) {
                (Some(all), Some(last)) => *last = all,
                _ => clusters.push(component),
            }
        }
        Ok(clusters)
    }

    /// The union of two clusters if it has as deep a band as each of them, with as many coincident members.
    fn merge(
        &mut self,
        a: &[usize],
        b: &[usize],
        pieces: &[Piece],
        basis: &Basis,
    ) -> Result<Option<Vec<usize>>, Failure> {
        let depth = |s: usize| self.problem.dims[s] - basis[s].len().min(self.problem.dims[s]);
        let left = depth(a[0]);
        let same_depth = left > 0 && a.iter().chain(b).all(|&s| depth(s) == left);
        let share = a.iter().any(|&x| b.iter().any(|&y| !self.arrays[x].is_disjoint(&self.arrays[y])));
        if !same_depth || !share {
            return Ok(None);
        }
        let mut all: Vec<usize> = a.iter().chain(b).copied().collect();
        all.sort_unstable();
        let Some(fused) = self.quality(&all, pieces, basis)? else {
            return Ok(None);
        };
        for part in [a, b] {
            match self.quality(part, pieces, basis)? {
                Some(own) if own.0 <= fused.0 && own.1 <= fused.1 => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Depth of the band of original loops of a cluster, and how many of its members are coincident.
    fn quality(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<(usize, usize)>, Failure> {
        let inner = between(stmts, pieces);
        let mut grown = basis.clone();
        let Some(members) = self.band(stmts, &inner, &mut grown, Effort::Loops)? else {
            return Ok(None);
        };
        let coincident = members.iter().filter(|(_, b)| *b == Bound::Zero).count();
        Ok(Some((members.len(), coincident)))
    }

    /// Hyperplanes until none is left, with their bounds; their rows are added to `basis`. `None` on overflow.
    fn band(
        &mut self,
        stmts: &[usize],
        pieces: &[Piece],
        basis: &mut Basis,
        effort: Effort,
    ) -> Result<Option<Vec<(Hyperplane, Bound)>>, Failure> {
        let mut members = Vec::new();
        loop {
            self.budget.spend(1 + pieces.len() as u64).map_err(Limit::of(STAGE))?;
            let Some(search) = Search::new(self.problem, stmts, pieces, basis, effort) else {
                return Ok(None);
            };
            let Some(found) = search.next(&mut self.solves) else {
                return Ok(Some(members));
            };
            for &s in stmts {
                let d = self.problem.dims[s];
                if search.independent_dims(s, &found.rows[s]) {
                    basis[s].push(found.rows[s][..d].to_vec());
                }
            }
            members.push((found.rows, found.bound));
        }
    }

    /// One cluster: its band, then the order inside.
    fn cluster(&mut self, stmts: &[usize], pieces: Vec<Piece>, basis: &Basis) -> Result<Option<Plan>, Failure> {
        let done = stmts.iter().all(|&s| basis[s].len() >= self.problem.dims[s]);
        if done {
            return Ok(match stmts {
                [only] => Some(Plan::Leaf(*only)),
                _ => None,
            });
        }
        let mut grown = basis.clone();
        let Some(found) = self.band(stmts, &pieces, &mut grown, Effort::Full)? else {
            return Ok(None);
        };
        if found.is_empty() {
            return Ok(None);
        }
        let members: Vec<Hyperplane> = found.into_iter().map(|(m, _)| m).collect();
        let active: Vec<Piece> =
            pieces.iter().filter_map(|p| members.iter().try_fold(p.clone(), |q, m| q.at_zero(m))).collect();
        let Some(child) = self.group(stmts, &active, &grown)? else {
            return Ok(None);
        };
        Ok(Some(Plan::Band(Box::new(BandPlan { stmts: stmts.to_vec(), members, pieces, child }))))
    }
}

/// The dependences with both ends in `stmts`.
fn between(stmts: &[usize], pieces: &[Piece]) -> Vec<Piece> {
    pieces.iter().filter(|p| stmts.contains(&p.src) && stmts.contains(&p.dst)).cloned().collect()
}
