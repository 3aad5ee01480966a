//! Bands that run as contractions: from packed copies, block by block in registers.

use super::Summary;
use super::bands::BandPlan;
use super::laid::{Laid, is_coincident};
use super::problem::Hyperplane;
use crate::cost::contraction::{Extents, blocks, costs, estimate, updates_per_kib};
use crate::cost::lengths::lengths;
use crate::cost::refs::{domain_rows, parameters, to_f64, usual_subscripts};
use crate::cost::{ASSUMED_PARAMETER, Estimate, Scenario, sizes};
use crate::ids::StmtId;
use crate::model::contraction::{Contraction, Copies, Costs, Fresh, contraction, operand_counts};
use crate::model::tree::{Band, Blocks, Mark, Member, Node};
use crate::model::{AccessKind, Stmt};
use presburger::Kind;
use std::collections::BTreeMap;

/// Length of loops below which packing takes longer than it saves.
const LEAST_LENGTH: i64 = 24;
/// The same where several are as short at once.
const SHORT_LENGTH: i64 = 16;
/// The same of rows or columns that are few where others are many.
const FEW_LENGTH: i64 = 4;
/// The same of a depth that is short beside many rows or columns: what is packed is used but once.
const FEW_DEPTH: i64 = 3;
/// The same of rows and columns that are a triangle, where the original may add up in vectors: half of each tile at the
/// diagonal is for nothing.
const LEAST_TRIANGLE: i64 = 64;
/// Lengths that are tried where they are not known: few, and such as leave more or less of a tile empty.
const TRIED: [i64; 16] = [4, 5, 6, 8, 10, 13, 16, 20, 24, 25, 28, 33, 41, 49, 57, 65];
/// Depths that are tried.
const TRIED_DEPTHS: [i64; 6] = [FEW_DEPTH, 8, SHORT_LENGTH, LEAST_LENGTH, 100, 500];

/// Asks for lengths of loops, as a condition on each of the parameters, from which on packing pays.
pub fn ask_for_lengths(summary: &mut Summary, params: usize) {
    if summary.lengths.is_empty() {
        return;
    }
    summary.least.resize(params, i64::MIN);
    for (k, least) in &summary.lengths {
        summary.least[*k] = summary.least[*k].max(*least);
    }
}

/// Whether these copies pay for all sizes that the new code runs with, from `shortest` on, where the original takes so
/// long per update.
fn always_pay(copies: &Copies, original: i64, shortest: i64) -> bool {
    let Some(costs) = copies.costs else { return true };
    let tried = |k: usize, unknown: &[i64]| {
        let (last, params) = copies.trips[copies.most[k].0].split_last().unwrap_or((&0, &[]));
        let is_known = params.iter().all(|c| *c == 0);
        if is_known { vec![last / 2] } else { unknown.iter().copied().filter(|n| *n >= shortest).collect() }
    };
    let (rows, columns, depths) = (tried(0, &TRIED), tried(1, &TRIED), tried(2, &TRIED_DEPTHS));
    let mut sizes = rows.iter().flat_map(|r| columns.iter().flat_map(|c| depths.iter().map(|d| [*r, *c, *d])));
    sizes.all(|sizes| costs.pay(original, sizes))
}

/// How many times as long as in vectors loads and stores take that are done for each element.
const ONE_BY_ONE: i64 = 2;

/// How often the statements of these copies run.
fn updates(copies: &[Copies], scenario: &Scenario) -> f64 {
    let of = |copies: &Copies| scenario.facts[copies.stmt.index()].trips.iter().product::<f64>();
    copies.iter().map(of).sum::<f64>().max(1.0)
}

/// Whether the original loads and stores what contractions update element by element.
pub fn takes_one_by_one(summary: &Summary, scenario: &Scenario, original: &Estimate) -> bool {
    let loads = original.parts.accesses / updates(&summary.copies, scenario) * to_f64(Costs::UNITS);
    let costs = |c: &Copies| c.costs.is_some_and(|costs| loads > to_f64(ONE_BY_ONE * costs.original));
    !summary.copies.is_empty() && summary.copies.iter().all(costs)
}

/// Says what the copies cost in fresh memory, by what an update gains at least, and what the original takes where it
/// may be the faster one for small sizes.
pub fn price(summary: &mut Summary, scenarios: &[Scenario], (original, made): (&[Estimate], &[Estimate])) {
    if summary.copies.is_empty() {
        return;
    }
    let least_of = |cycles: fn(&Estimate) -> f64| {
        let per_update =
            scenarios.iter().zip(original).map(|(s, original)| cycles(original) / updates(&summary.copies, s));
        (per_update.fold(f64::MAX, f64::min) * to_f64(Costs::UNITS)).clamp(1.0, 1e6) as i64
    };
    let least = least_of(|original| original.cycles);
    // What adds up one by one, or takes elements so, takes longer than the vectors that the original is taken for where
    // data is near.
    let adds_up = original.iter().all(|original| original.parts.latency > 0.0);
    let loads = least_of(|original| original.parts.accesses);
    for costs in summary.copies.iter_mut().filter_map(|c| c.costs.as_mut()) {
        let is_slow = adds_up || loads > ONE_BY_ONE * costs.original;
        costs.original = costs.original.max(if is_slow { loads } else { 0 });
    }
    let asked = summary.lengths.keys().filter_map(|k| summary.least.get(*k));
    let shortest = asked.copied().min().unwrap_or(LEAST_LENGTH);
    let pay = summary.copies.iter().all(|c| always_pay(c, least, shortest));
    let may_lose = scenarios.iter().any(|s| s.size.is_some()) && !pay;
    let gains = scenarios.iter().zip(original.iter().zip(made)).filter(|(s, _)| !s.is_tiny);
    let gains = gains.map(|(s, (original, made))| (original.cycles - made.cycles) / updates(&summary.copies, s));
    let gain = gains.filter(|gain| *gain > 0.0).fold(f64::MAX, f64::min);
    summary.fresh = Some(Fresh {
        copies: summary.copies.clone(),
        updates_per_kib: updates_per_kib(gain),
        original: may_lose.then_some(least),
    });
}

impl Laid<'_> {
    /// Copies of a contraction in these blocks.
    pub(super) fn copies(
        &self,
        s: usize,
        of: &Contraction,
        blocks: &Blocks,
        (bytes, packed): (u32, (u32, u32)),
        costs: Option<Costs>,
    ) -> Option<Copies> {
        let stmt = &self.scop.stmts[s];
        let params = parameters(self.scop, ASSUMED_PARAMETER).ok()?;
        let trips = lengths(&stmt.domain, &params, super::STAGE).ok()?;
        let in_halves = |row: Vec<f64>| row.into_iter().map(twice).collect();
        let most = [(of.rows, blocks.block_rows), (of.columns, blocks.block_columns), (of.depth, blocks.depth)];
        Some(Copies {
            stmt: stmt.id,
            trips: trips.into_iter().map(in_halves).collect(),
            most: most.map(|(dim, most)| (dim, i64::from(most))),
            bytes: [packed.0, packed.1].map(|values| i64::from(values * bytes)),
            costs,
        })
    }

    /// Asks for this length of the loops over these dims of a statement, as far as parameters bound them: so many times
    /// a row's elements where these count whole rows; not of those that say how far windows reach. Not less than
    /// `floor` is asked where less is estimated to be enough.
    pub(super) fn ask_for_length(&mut self, s: usize, dims: &[usize], [least, floor]: [i64; 2]) {
        let borders = sizes::borders(self.scop);
        let of = params_of(&self.scop.stmts[s], self.scop.params.len(), dims);
        for (param, each) in of.into_iter().filter(|(param, _)| !borders[*param]) {
            for (all, least) in [(&mut self.summary.lengths, least), (&mut self.summary.floors, floor)] {
                let asked = all.entry(param).or_insert(least);
                *asked = least.saturating_mul(each).max(*asked);
            }
        }
    }

    /// Whether rows, columns or depth go through strips, or whole rows of the user's make one of them, so that what is
    /// copied at a time is not known before.
    fn is_in_strips(&self, s: usize, of: &Contraction) -> bool {
        let stmt = &self.scop.stmts[s];
        let Ok(params) = parameters(self.scop, ASSUMED_PARAMETER) else { return true };
        let Ok(trips) = lengths(&stmt.domain, &params, super::STAGE) else { return true };
        let grows = |d: usize| trips[d][..params.len()].iter().any(|c| twice(*c) != 0);
        let is_bounded = |d: usize| !params_of(stmt, params.len(), &[d]).is_empty();
        [of.rows, of.columns, of.depth].into_iter().any(|d| is_bounded(d) && !grows(d))
    }

    /// The same for rows, columns and depth of a contraction, where less than `LEAST_LENGTH` may be enough: of each
    /// alone, and of all that one parameter bounds.
    fn ask_for_extents(&mut self, s: usize, of: &Contraction, in_strips: bool) {
        let dims = [of.rows, of.columns, of.depth];
        let bounds = dims.map(|d| params_of(&self.scop.stmts[s], self.scop.params.len(), &[d]));
        for (k, few) in [FEW_LENGTH, FEW_LENGTH, FEW_DEPTH].into_iter().enumerate() {
            let is_shared = |param: &usize| bounds.iter().filter(|b| b.contains_key(param)).count() > 1;
            let floor = if in_strips || bounds[k].keys().any(is_shared) { SHORT_LENGTH } else { few };
            self.ask_for_length(s, &dims[k..=k], [LEAST_LENGTH, floor]);
        }
    }

    /// The tree of a band as a contraction, if it is one and that is estimated to be faster than the layout charged
    /// since `before`; then it is charged instead.
    pub(super) fn contraction(&mut self, band: &BandPlan, before: &[Estimate]) -> Option<Node> {
        let config = self.context.config;
        let &[s] = band.stmts.as_slice() else { return None };
        let may = config.contractions.contains(&StmtId::new(s)) && config.tiling && config.tile_sizes.is_empty();
        if !may {
            return None;
        }
        let dims = band.members.iter().map(|m| unit_dim(m, s)).collect::<Option<Vec<usize>>>()?;
        let stmt = &self.scop.stmts[s];
        let found = contraction(self.scop, stmt, &dims)?;
        let member = |dim: usize| dims.iter().position(|d| *d == dim);
        let inner = [member(found.rows)?, member(found.columns)?, member(found.depth)?];
        if !inner[..2].iter().all(|m| is_coincident(band, *m)) || self.is_in_window(s, found.depth) {
            return None;
        }
        let bytes = self.scop.array(stmt.accesses[found.write].array).elem_bytes;
        let packed = operand_counts(stmt, &found, self.scop.params.len());
        let first = extents(self.context.scenarios.first()?, s, &found, (bytes, packed));
        let blocks = blocks(self.context.machine, &first)?;
        let estimates: Vec<Estimate> = before
            .iter()
            .zip(self.context.scenarios)
            .map(|(before, scenario)| {
                let extents = extents(scenario, s, &found, (bytes, packed));
                before.and(estimate(&blocks, &extents, &scenario.machine), 1.0)
            })
            .collect();
        if estimates[0].cycles >= self.estimates[0].cycles {
            return None;
        }
        self.estimates = estimates;
        let costs = costs(&blocks, &first, self.context.machine);
        let in_strips = self.is_in_strips(s, &found);
        let costs = if in_strips { None } else { Some(costs) };
        let copies = self.copies(s, &found, &blocks, (bytes, packed), costs);
        self.summary.copies.extend(copies);
        self.ask_for_extents(s, &found, in_strips);
        if bound_each_other(stmt, self.scop.params.len(), &found) {
            let least = if stmt.reduction.is_some() { LEAST_TRIANGLE } else { LEAST_LENGTH };
            self.ask_for_length(s, &[found.rows, found.columns], [least; 2]);
        }
        Some(self.contracted(band, s, inner, blocks))
    }

    /// Whether a loop of unknown length goes through a window of more than one dimension, as the inner one of a
    /// convolution's: `in[y + p][x + q]`, where what is written moves with `y` and `x` alone. Such windows are a few
    /// elements long.
    fn is_in_window(&self, s: usize, dim: usize) -> bool {
        let stmt = &self.scop.stmts[s];
        let in_memory = stmt.accesses.iter().filter(|a| self.scop.array(a.array).is_memory());
        let rows: Vec<_> = in_memory.filter_map(|a| Some((a, usual_subscripts(stmt, a)?))).collect();
        let of = |kind: fn(AccessKind) -> bool| {
            rows.iter().filter(move |(a, _)| kind(a.kind)).flat_map(|(_, subscripts)| subscripts)
        };
        let is_written = |d: usize| of(|kind| kind != AccessKind::Read).any(|row| row[d] != 0.0);
        let moves =
            |row: &[f64], d: usize| row[d] != 0.0 && row.iter().enumerate().any(|(o, c)| *c != 0.0 && is_written(o));
        let is_window = |d: usize| !is_written(d) && of(|kind| kind == AccessKind::Read).any(|row| moves(row, d));
        let dims = (0..stmt.dims()).filter(|d| is_window(*d)).collect::<Vec<usize>>();
        dims.len() > 1 && dims.contains(&dim) && !params_of(stmt, self.scop.params.len(), &[dim]).is_empty()
    }

    /// The loops of the band that are not among the three, around these.
    fn contracted(&mut self, band: &BandPlan, s: usize, inner: [usize; 3], blocks: Blocks) -> Node {
        self.summary.bands += 1;
        self.say(format!("packed for {}x{} in registers", blocks.rows, blocks.columns()));
        let member = |m: usize, coincident: bool| Member {
            coincident,
            alone: if coincident { vec![StmtId::new(s)] } else { Vec::new() },
            ..Member::new(self.affs(&band.stmts, &band.members[m]))
        };
        let [rows, columns, depth] = inner;
        let members = vec![member(rows, true), member(columns, true), member(depth, false)];
        let node = Node::Band(Band { members, permutable: true }, Box::new(Node::Leaf));
        let node = Node::Mark(Mark::Contraction(blocks), Box::new(node));
        let around = (0..band.members.len()).filter(|m| !inner.contains(m));
        let members: Vec<Member> = around.map(|m| member(m, false)).collect();
        if members.is_empty() { node } else { Node::Band(Band { members, permutable: true }, Box::new(node)) }
    }
}

/// Halves, as numbers of iterations are kept.
fn twice(number: f64) -> i64 {
    (2.0 * number).round() as i64
}

/// The dim that a hyperplane runs along, value by value, for one statement.
pub(super) fn unit_dim(hyperplane: &Hyperplane, s: usize) -> Option<usize> {
    let (_, dims) = hyperplane[s].split_last()?;
    let at = dims.iter().position(|c| *c != 0)?;
    (dims[at] == 1 && dims.iter().filter(|c| **c != 0).count() == 1).then_some(at)
}

/// Parameters that these dims run the longer for, each with by how much it grows with one of them where nothing else
/// does: of `x + r < w` where `r` is a window's, `w` alone.
fn params_of(stmt: &Stmt, params: usize, dims: &[usize]) -> BTreeMap<usize, i64> {
    let mut found = BTreeMap::new();
    for (kind, row) in domain_rows(stmt) {
        let (of_params, rest) = row[..row.len() - 1].split_at(params);
        let lengthens = |by: i64| if kind == Kind::Eq { by != 0 } else { by > 0 };
        let alone = rest.iter().filter(|c| **c != 0).count() == 1;
        for dim in dims.iter().filter(|d| rest[**d] != 0) {
            for (param, by) in of_params.iter().enumerate().filter(|(_, by)| lengthens(**by)) {
                let each = if alone { (rest[*dim] / by).saturating_abs().max(1) } else { 1 };
                found.entry(param).and_modify(|known: &mut i64| *known = each.max(*known)).or_insert(each);
            }
        }
    }
    found
}

/// Whether the rows bound the columns, or the other way round.
fn bound_each_other(stmt: &Stmt, params: usize, of: &Contraction) -> bool {
    let mut rows = domain_rows(stmt);
    rows.any(|(_, row)| row[params + of.rows] != 0 && row[params + of.columns] != 0)
}

/// What a statement computes as a contraction.
pub(super) fn extents(scenario: &Scenario, s: usize, of: &Contraction, (bytes, packed): (u32, (u32, u32))) -> Extents {
    let facts = &scenario.facts[s];
    let sizes = [of.rows, of.columns, of.depth].map(|d| facts.trips[d]);
    let all: f64 = facts.trips.iter().product();
    let times = all / sizes.iter().product::<f64>();
    let known = [of.rows, of.columns].map(|d| facts.exact[d].is_some());
    Extents { sizes, times, arithmetic: facts.vector_cycles(), bytes, packed, known }
}
