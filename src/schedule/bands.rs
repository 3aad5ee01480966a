//! From hyperplanes to nested bands: components, maximal permutable bands, cuts.
//!
//! In:  the rows of a scheduling problem.
//! Out: a [`Plan`], every dependence satisfied by a band member or by the order of a sequence.
//!
//! Statements are distributed into the strongly connected components of the dependences that are still unsatisfied, in
//! topological order; neighbours are fused again as the strategy says (`fusion`). Within a cluster, hyperplanes that
//! are legal for all dependences active at its start form one permutable band; then the part of each dependence at
//! distance zero of the whole band stays active.
//! Source: Bondhugula et al., CC 2008, section 4 and PLDI 2008, sections 3 and 4.

use super::STAGE;
use super::diamond::{Diamond, diamond};
use super::fusion::{self, Fusion};
use super::graph;
use super::ilp;
use super::pluto::{Basis, Bound, Effort, Found, Relations, Search, bound_of};
use super::problem::{Hyperplane, Piece, Problem, by_demand};
use crate::error::{Failure, Limit};
use crate::ids::StmtId;
use presburger::Budget;
use std::collections::BTreeSet;

/// An order of statement instances.
#[derive(Clone, Debug)]
pub enum Plan {
    /// One after the other.
    Seq(Vec<Plan>),
    /// Loops around an order.
    Band(Box<BandPlan>),
    /// Diamond tiles around an order.
    Diamond(Box<DiamondPlan>),
    /// Loops that stay outside of an order, one in another.
    Outside(Box<OutsidePlan>),
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
    /// One more hyperplane that is legal for each of them, along which what is inside may be cut into strips: the order
    /// of a strip is that of the whole.
    pub strips: Option<Hyperplane>,
    /// Order of the instances with equal members.
    pub child: Plan,
    /// Other orders of the cluster: its original loops, where members are skewed although others carry nothing, which
    /// can be further in then, in vectors; its first loop alone, where what is inside falls apart.
    pub others: Vec<Plan>,
}

/// What the search for a cluster's band finds.
struct Widest {
    members: Vec<(Hyperplane, Bound)>,
    /// With the rows of the members.
    basis: Basis,
    /// See [`BandPlan::strips`].
    strips: Option<Hyperplane>,
}

/// Tiles whose wavefronts are parallel to the first time step.
#[derive(Clone, Debug)]
pub struct DiamondPlan {
    /// Statements inside, ascending.
    pub stmts: Vec<usize>,
    /// Tile hyperplanes, each legal for all dependences inside.
    pub diamond: Diamond,
    /// Order of the instances of one tile, legal by itself.
    pub child: Plan,
}

/// Loops around an order that change places with none.
#[derive(Clone, Debug)]
pub struct OutsidePlan {
    /// Statements inside, ascending.
    pub stmts: Vec<usize>,
    /// Loops, outermost first.
    pub members: Vec<Hyperplane>,
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
            Plan::Diamond(d) => d.stmts.clone(),
            Plan::Outside(o) => o.stmts.clone(),
            Plan::Leaf(s) => vec![*s],
        }
    }

    /// Whether one of these statements shares the loops of a band with another one.
    #[must_use]
    pub fn shares_loops_of(&self, of: &BTreeSet<StmtId>) -> bool {
        match self {
            Plan::Seq(children) => children.iter().any(|plan| plan.shares_loops_of(of)),
            Plan::Band(b) => b.stmts.len() > 1 && b.stmts.iter().any(|s| of.contains(&StmtId::new(*s))),
            Plan::Outside(o) => o.child.shares_loops_of(of),
            Plan::Diamond(_) | Plan::Leaf(_) => false,
        }
    }
}

/// What the construction needs besides the cluster at hand.
pub struct Builder<'a> {
    /// The rows.
    pub problem: &'a Problem,
    /// Arrays each statement touches.
    pub arrays: &'a [BTreeSet<u32>],
    /// Which components share loops.
    pub fusion: Fusion,
    /// Whether diamond tiles are wanted.
    pub diamonds: bool,
    /// Whether first loops are tried alone.
    pub alone: bool,
    /// Which hyperplanes are looked for.
    pub effort: Effort,
    /// Steps left.
    pub budget: &'a Budget,
    /// What the solver did so far.
    pub solves: ilp::Solves,
    /// Whether components share loops that need not.
    pub shares: bool,
}

impl Builder<'_> {
    /// Orders `stmts` (ascending) under the dependences `pieces` between them; `basis` holds the rows of the outer
    /// bands. `None` when no legal order is found. Errors: `Limit`.
    pub fn group(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<Plan>, Failure> {
        self.budget.spend(1 + pieces.len() as u64).map_err(Limit::of(STAGE))?;
        let position = |s: usize| stmts.binary_search(&s).ok();
        let edges: Vec<(usize, usize)> =
            by_demand(pieces).0.iter().filter_map(|p| Some((position(p.src)?, position(p.dst)?))).collect();
        let components: Vec<Vec<usize>> = graph::components(stmts.len(), &edges)
            .into_iter()
            .map(|c| c.into_iter().map(|k| stmts[k]).collect())
            .collect();
        let clusters = self.fuse(components, pieces, basis)?;
        self.shares |= clusters.iter().any(|c| c.len() > 1);
        let mut plans = Vec::with_capacity(clusters.len());
        for cluster in &clusters {
            match self.fused(cluster, pieces, basis)? {
                Some(parts) => plans.extend(parts),
                None => return Ok(None),
            }
        }
        Ok(Some(if plans.len() == 1 { plans.remove(0) } else { Plan::Seq(plans) }))
    }

    /// The order of a cluster of components; one after the other where they turn out to have no order with shared
    /// loops.
    fn fused(&mut self, cluster: &[Vec<usize>], pieces: &[Piece], basis: &Basis) -> Result<Option<Vec<Plan>>, Failure> {
        let all = fusion::stmts_of(cluster);
        if let Some(plan) = self.cluster(&all, between(&all, pieces), basis)? {
            return Ok(Some(vec![plan]));
        }
        if cluster.len() < 2 {
            return Ok(None);
        }
        cluster.iter().map(|c| self.cluster(c, between(c, pieces), basis)).collect()
    }

    /// One hyperplane that is legal for all of `pieces`, or `None` when none is found.
    pub fn hyperplane(
        &mut self,
        stmts: &[usize],
        pieces: &[Piece],
        basis: &Basis,
        effort: Effort,
    ) -> Result<Option<Found>, Failure> {
        self.budget.spend(1 + pieces.len() as u64).map_err(Limit::of(STAGE))?;
        let relations = Relations::new(self.problem, stmts, pieces);
        Search::new(&relations, basis, effort).map_or(Ok(None), |search| self.next(&search))
    }

    /// The search's best hyperplane. Errors: `Limit` where the budget ends the search before it has one.
    fn next(&mut self, search: &Search<'_>) -> Result<Option<Found>, Failure> {
        let before = self.solves.nodes;
        self.solves.ended = false;
        self.solves.limit = before + self.budget.left() / ilp::NODE_STEPS;
        let found = search.next(&mut self.solves);
        self.budget.spend((self.solves.nodes - before) * ilp::NODE_STEPS).map_err(Limit::of(STAGE))?;
        if found.is_none() && self.solves.ended {
            return Err(Limit::of(STAGE)(presburger::Error::Spent));
        }
        Ok(found)
    }

    /// Hyperplanes until none is left, with their bounds; their rows are added to `basis`. `None` on overflow.
    pub fn band(
        &mut self,
        relations: &Relations<'_>,
        basis: &mut Basis,
        effort: Effort,
    ) -> Result<Option<Vec<(Hyperplane, Bound)>>, Failure> {
        let mut members = Vec::new();
        loop {
            let pieces = relations.pieces.len() + relations.near.len();
            self.budget.spend(1 + pieces as u64).map_err(Limit::of(STAGE))?;
            let Some(search) = Search::new(relations, basis, effort) else {
                return Ok(None);
            };
            let Some(found) = self.next(&search)? else {
                return Ok(Some(members));
            };
            for &s in relations.stmts {
                let d = self.problem.dims[s];
                if search.independent_dims(s, &found.rows[s]) {
                    basis[s].push(found.rows[s][..d].to_vec());
                }
            }
            members.push((found.rows, found.bound));
        }
    }

    /// The band of a cluster with the rows found then. Every statement makes progress in each member, unless only a
    /// band in which some wait holds all loops, or there is no other: a band around loops that wait keeps these from
    /// being distributed.
    fn widest(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Widest, Failure> {
        let relations = Relations::new(self.problem, stmts, pieces);
        let mut steady = basis.clone();
        let mut found = self.band(&relations, &mut steady, self.effort)?.unwrap_or_default();
        let dims = &self.problem.dims;
        let holds_all = |basis: &Basis| stmts.iter().all(|&s| basis[s].len() >= dims[s]);
        if holds_all(&steady) || self.effort == Effort::Loops {
            return Ok(Widest { members: found, basis: steady, strips: None });
        }
        let mut patient = steady.clone();
        let more = self.band(&relations, &mut patient, Effort::Patient)?.unwrap_or_default();
        if !found.is_empty() && !holds_all(&patient) {
            let strips = more.into_iter().next().map(|(rows, _)| rows);
            return Ok(Widest { members: found, basis: steady, strips });
        }
        found.extend(more);
        Ok(Widest { members: found, basis: patient, strips: None })
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
        let Widest { members: found, basis: grown, strips } = self.widest(stmts, &pieces, basis)?;
        if found.is_empty() {
            return Ok(None);
        }
        let to_respect = by_demand(&pieces).0;
        if self.diamonds
            && let Some(diamond) = diamond(stmts, to_respect, &found)
            && let Some(child) = self.unskewed(stmts, &pieces, basis)?
        {
            return Ok(Some(Plan::Diamond(Box::new(DiamondPlan { stmts: stmts.to_vec(), diamond, child }))));
        }
        let others = self.others(stmts, (&pieces, &found), basis)?;
        let members: Vec<Hyperplane> = found.into_iter().map(|(m, _)| m).collect();
        let active: Vec<Piece> =
            pieces.iter().filter_map(|p| members.iter().try_fold(p.clone(), |q, m| q.at_zero(m))).collect();
        let Some(child) = self.group(stmts, &active, &grown)? else {
            return Ok(None);
        };
        let pieces = to_respect.to_vec();
        Ok(Some(Plan::Band(Box::new(BandPlan { stmts: stmts.to_vec(), members, pieces, strips, child, others }))))
    }
}

impl Builder<'_> {
    /// Orders of a cluster that may be better than that with this band.
    fn others(
        &mut self,
        stmts: &[usize],
        (pieces, found): (&[Piece], &[(Hyperplane, Bound)]),
        basis: &Basis,
    ) -> Result<Vec<Plan>, Failure> {
        if self.effort == Effort::Loops {
            return Ok(Vec::new());
        }
        let dims = |s: usize, row: &[i64]| row[..self.problem.dims[s]].iter().filter(|x| **x != 0).count();
        let is_skewed = |rows: &Hyperplane| stmts.iter().any(|&s| dims(s, &rows[s]) > 1);
        let is_free = |(rows, bound): &(Hyperplane, Bound)| *bound == Bound::Zero && !is_skewed(rows);
        let mut others = Vec::new();
        if found.iter().any(is_free) && found.iter().any(|(rows, _)| is_skewed(rows)) {
            others.extend(self.unskewed(stmts, pieces, basis)?);
        }
        if self.alone && found.len() > 1 {
            others.extend(self.first_alone(stmts, pieces, basis)?);
        }
        Ok(others)
    }

    /// The cluster's first loop around original loops, where statements need not share these: the steps of a time loop,
    /// each with its own order of loops. `None` where they have to, or where it is not the first one of all.
    fn first_alone(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<Plan>, Failure> {
        if stmts.len() < 2 || stmts.iter().any(|&s| !basis[s].is_empty() || self.problem.dims[s] < 2) {
            return Ok(None);
        }
        let (mut first, mut grown) = (vec![Vec::new(); self.problem.dims.len()], basis.clone());
        for &s in stmts {
            first[s] = vec![0; self.problem.dims[s] + 1];
            first[s][0] = 1;
            grown[s].push(first[s][..self.problem.dims[s]].to_vec());
        }
        let to_respect = by_demand(pieces).0;
        if !to_respect.iter().all(|p| bound_of(p, &first).is_some()) {
            return Ok(None);
        }
        let active: Vec<Piece> = pieces.iter().filter_map(|p| p.at_zero(&first)).collect();
        let effort = std::mem::replace(&mut self.effort, Effort::Loops);
        let child = self.group(stmts, &active, &grown);
        self.effort = effort;
        let Some(child @ Plan::Seq(_)) = child? else { return Ok(None) };
        let (members, pieces) = (vec![first], to_respect.to_vec());
        let (strips, others) = (None, Vec::new());
        Ok(Some(Plan::Band(Box::new(BandPlan { stmts: stmts.to_vec(), members, pieces, strips, child, others }))))
    }

    /// The order of a cluster in its original loops.
    fn unskewed(&mut self, stmts: &[usize], pieces: &[Piece], basis: &Basis) -> Result<Option<Plan>, Failure> {
        let wishes = (self.diamonds, self.effort);
        (self.diamonds, self.effort) = (false, Effort::Loops);
        let plan = self.cluster(stmts, pieces.to_vec(), basis);
        (self.diamonds, self.effort) = wishes;
        plan
    }
}

/// The dependences with both ends in `stmts`, which ascend.
#[must_use]
pub fn between(stmts: &[usize], pieces: &[Piece]) -> Vec<Piece> {
    let inside = |s: usize| stmts.binary_search(&s).is_ok();
    pieces.iter().filter(|p| inside(p.src) && inside(p.dst)).cloned().collect()
}
