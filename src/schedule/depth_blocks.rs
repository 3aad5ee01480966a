//! Bands whose work is mostly a contraction of depth that differs from element to element, as in factorizations and
//! triangular products: blocks of the depth outside, and in each of them the part of full depth as a contraction.
//!
//! A statement `A[i][j] -= A[i][k] * A[j][k]` with `k < j` is cut, for each block of `k`, at the columns that the whole
//! block updates: those run from packed copies, the others (a panel along the diagonal) as the band's layout says. The
//! part of full depth comes behind the panel, which in a factorization makes what it reads, or, where that is legal
//! alone, in front of it.
//! Sources: the right-looking blocked factorizations of Anderson, Dongarra, LAPACK Working Note 19, 1990; here they
//! follow from dependences, which are checked exactly.

use super::bands::BandPlan;
use super::contraction::{extents, unit_dim};
use super::laid::{Laid, PIECE_SIZES, PIECES_FOR_THREADS, estimated, in_loop, is_coincident};
use super::layout::{Layout, carries, is_free, loops_of, skew_penalty};
use super::problem::Hyperplane;
use crate::cost::contraction::{Extents, blocks, estimate};
use crate::cost::refs::to_f64;
use crate::cost::{Carry, Estimate, Scenario};
use crate::deps::Dep;
use crate::deps::loops::carried::{carried, claim};
use crate::deps::loops::order::{check_between, may_change_places};
use crate::deps::loops::writes_operands;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Stmt;
use crate::model::contraction::{Contraction, among, operand_counts};
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule, visit_nodes};
use crate::model::tree::{Band, Blocks, Mark, Member, Node};
use crate::transform::distribute;
use presburger::{Aff, Kind, Set};
use std::collections::BTreeMap;

/// Length of loops below which panels take longer than the original loops: Zen 5, float, Cholesky of 24 0.48 of clang's
/// speed, of 48 0.75, of 64 1.0.
const LEAST_LENGTH: i64 = 64;
/// The same of the depth that elements have on average.
const LEAST_DEPTH: f64 = 20.0;
/// Depths of blocks to choose from, outermost first: panels may be in blocks as well.
const DEPTHS: [&[i64]; 3] = [&[32], &[96, 16], &[128, 32]];

/// A statement of the band that has a part of full depth.
pub(super) struct Part {
    pub(super) stmt: usize,
    pub(super) of: Contraction,
    /// The constraint that ties the depth to a row or a column, `[params | dims | 1]`.
    tie: Vec<i64>,
}

/// The depths of blocks, outermost first, with how the parts run in each, and what all that is estimated to take.
pub(super) struct Choice {
    levels: Vec<(i64, Vec<Blocks>)>,
    estimates: Vec<Estimate>,
}

impl Laid<'_> {
    /// The tree of an innermost band with parts as contractions, if it has such parts, that is legal, and it is
    /// estimated to be faster than the layout charged since `before`; then it is charged instead.
    ///
    /// # Errors
    /// `Limit` when the budget is spent, `Bug` where an operation on the tree does not apply.
    pub(super) fn in_depth_blocks(
        &mut self,
        band: &BandPlan,
        layout: &Layout,
        before: &[Estimate],
    ) -> Result<Option<Node>, Failure> {
        let config = self.context.config;
        if !config.tiling || !config.tile_sizes.is_empty() {
            return Ok(None);
        }
        let parts: Vec<(Part, [usize; 3])> = band.stmts.iter().filter_map(|s| self.part_of_band(band, *s)).collect();
        let Some((_, members)) = parts.first() else { return Ok(None) };
        let members = *members;
        let parts: Vec<Part> = parts.into_iter().filter(|(_, m)| m[2] == members[2]).map(|(part, _)| part).collect();
        let loops = loops_of(band, layout);
        let (carry, is_free) = (carries(band, layout), is_free(band));
        let panel = |at: usize, scenario: usize| {
            let scenario = &self.context.scenarios[scenario];
            let carry: [Carry; 1] = [carry[at]];
            let stmts = [band.stmts[at]];
            let panel = estimated(&stmts, &loops, (&carry, &is_free), scenario, |_, scenario| scenario.machine);
            (panel, skew_penalty(band, layout, &scenario.facts))
        };
        let Some(best) = self.best_blocks((&band.stmts, &parts), &panel, before) else { return Ok(None) };
        let pieces = self.pieces(band, members, &parts[0]);
        let mut layout = layout.clone();
        if let Some((member, size)) = pieces {
            layout.sizes = sizes_within(&layout, member, size);
        }
        for (depth, _) in &best.levels {
            layout.sizes = sizes_within(&layout, members[2], *depth);
        }
        let mut panel = |laid: &mut Self| {
            laid.note_band(band, &layout);
            let leaves = laid.leaves(band)?;
            let points = laid.points(band, &layout, leaves)?;
            laid.in_tiles(points, band, &layout)
        };
        let tree = self.in_blocks((&band.stmts, &band.members[members[2]]), (&parts, best), &mut panel)?;
        Ok(tree.map(|tree| match pieces {
            Some((member, size)) => in_loop(self.blocks_of(&band.stmts, &band.members[member], size), true, tree),
            None => tree,
        }))
    }

    /// The tree of these blocks, charged, with the parts of full depth behind panels or in front of them, whichever is
    /// legal; `None`, with nothing changed, if neither is.
    pub(super) fn in_blocks(
        &mut self,
        (stmts, along): (&[usize], &Hyperplane),
        (parts, choice): (&[Part], Choice),
        panel: &mut dyn FnMut(&mut Self) -> Result<Node, Failure>,
    ) -> Result<Option<Node>, Failure> {
        let plain = self.clone();
        let depths: Vec<String> = choice.levels.iter().map(|(depth, _)| depth.to_string()).collect();
        for behind in [true, false] {
            self.say(format!("in blocks of {}", depths.join(" and ")));
            let tree = self.blocked((stmts, along), (parts, &choice.levels), behind, panel)?;
            if self.holds(stmts, &tree, choice.levels.len())? {
                self.charge_blocks(parts, choice);
                return Ok(Some(tree));
            }
            *self = plain.clone();
        }
        Ok(None)
    }

    /// The best blocks of the depth of these parts, if they are estimated to be faster than what is charged. `panel`:
    /// what all instances of one of the statements take where they are in no part, in a scenario, both by position, and
    /// how many times that counts.
    pub(super) fn best_blocks(
        &self,
        (stmts, parts): (&[usize], &[Part]),
        panel: &dyn Fn(usize, usize) -> (Estimate, f64),
        before: &[Estimate],
    ) -> Option<Choice> {
        let deep = |p: &Part| self.context.facts[p.stmt].trips[p.of.depth];
        if parts.iter().all(|p| deep(p) < LEAST_DEPTH) {
            return None;
        }
        let choices = DEPTHS.iter().filter_map(|depths| self.choice(stmts, panel, (parts, depths), before));
        let best = choices.min_by(|a, b| a.estimates[0].cycles.total_cmp(&b.estimates[0].cycles));
        best.filter(|c| c.estimates[0].cycles < self.estimates[0].cycles)
    }

    /// The member of a loop that carries nothing and the size of its pieces for threads, if they are wanted and there
    /// are enough: each thread has all blocks of some right-hand sides of a triangular system to itself, and threads
    /// start once.
    fn pieces(&self, band: &BandPlan, members: [usize; 3], part: &Part) -> Option<(usize, i64)> {
        let of = [(members[0], part.of.rows), (members[1], part.of.columns)];
        let free = of.into_iter().find(|(m, _)| self.context.config.parallel && is_coincident(band, *m));
        let (member, dim) = free?;
        let trips = self.context.facts[part.stmt].trips[dim];
        let size = PIECE_SIZES.into_iter().find(|size| trips >= PIECES_FOR_THREADS * to_f64(*size))?;
        Some((member, size))
    }

    /// What of a statement may be a contraction, and the members of the band that run along its rows, columns, depth.
    fn part_of_band(&self, band: &BandPlan, s: usize) -> Option<(Part, [usize; 3])> {
        let part = self.part(s)?;
        let dims: Vec<Option<usize>> = band.members.iter().map(|m| unit_dim(m, s)).collect();
        let member = |dim: usize| dims.iter().position(|d| *d == Some(dim));
        let members = [member(part.of.rows)?, member(part.of.columns)?, member(part.of.depth)?];
        let is_whole = dims.len() == 3 && self.counts_alike(&band.members[members[2]], s, part.of.depth);
        is_whole.then_some((part, members))
    }

    /// What of a statement may be a contraction.
    pub(super) fn part(&self, s: usize) -> Option<Part> {
        let stmt = &self.scop.stmts[s];
        if stmt.dims() != 3 || !self.context.config.contractions.contains(&StmtId::new(s)) {
            return None;
        }
        let of = among(self.scop, stmt, &[0, 1, 2])?;
        let tie = tie(stmt, self.scop.params.len(), &of)?;
        Some(Part { stmt: s, of, tie })
    }

    /// Whether a hyperplane is this dim of the statement as it is.
    pub(super) fn counts_alike(&self, hyperplane: &Hyperplane, s: usize, dim: usize) -> bool {
        unit_dim(hyperplane, s) == Some(dim)
            && hyperplane[s].last() == Some(&0)
            && !self.context.config.reversals.contains_key(&(StmtId::new(s), dim))
    }

    /// What blocks of these depths are estimated to take.
    fn choice(
        &self,
        stmts: &[usize],
        panel: &dyn Fn(usize, usize) -> (Estimate, f64),
        (parts, depths): (&[Part], &[i64]),
        before: &[Estimate],
    ) -> Option<Choice> {
        let scenarios = self.context.scenarios;
        let level = |(at, depth): (usize, &i64)| {
            let around = at.checked_sub(1).map(|outer| depths[outer]);
            let blocks = parts
                .iter()
                .map(|p| blocks(self.context.machine, &self.sizes(p, scenarios.first()?, (*depth, around))));
            Some((*depth, blocks.collect::<Option<Vec<Blocks>>>()?))
        };
        let levels = depths.iter().enumerate().map(level).collect::<Option<Vec<_>>>()?;
        let smallest = *depths.last()?;
        let mut estimates = before.to_vec();
        for (k, (total, scenario)) in estimates.iter_mut().zip(scenarios).enumerate() {
            for (at, s) in stmts.iter().enumerate() {
                let part = parts.iter().position(|p| p.stmt == *s);
                let deep = part.map(|at| scenario.facts[*s].trips[parts[at].of.depth]);
                let share = deep.map_or(1.0, |deep| panel_share(smallest, deep));
                let (panel, times) = panel(at, k);
                *total = total.and(panel, share * times);
                let Some(at) = part else { continue };
                for (n, (depth, blocks)) in levels.iter().enumerate() {
                    let around = n.checked_sub(1).map(|outer| depths[outer]);
                    let of = self.sizes(&parts[at], scenario, (*depth, around));
                    *total = total.and(estimate(&blocks[at], &of, &scenario.machine), 1.0);
                }
            }
        }
        Some(Choice { levels, estimates })
    }

    /// What a part computes in blocks of this depth: all of full depth, or what of a panel of `around`.
    fn sizes(&self, part: &Part, scenario: &Scenario, (depth, around): (i64, Option<i64>)) -> Extents {
        let stmt = &self.scop.stmts[part.stmt];
        let bytes = self.scop.array(stmt.accesses[part.of.write].array).elem_bytes;
        let packed = operand_counts(stmt, &part.of, self.scop.params.len());
        let all = extents(scenario, part.stmt, &part.of, (bytes, packed));
        let [rows, columns, deep] = all.sizes;
        let within = around.map_or(1.0, |around| panel_share(around, deep));
        let full = (within - panel_share(depth, deep)).max(0.0);
        let times = all.times * full * deep / depth as f64;
        let [rows, columns] = match around {
            None => [rows, columns],
            // A panel is as wide as its block in one of the two.
            Some(around) if columns >= rows => [rows.min(around as f64 / 2.0), columns],
            Some(around) => [rows, columns.min(around as f64 / 2.0)],
        };
        let times = times * all.sizes[0] * all.sizes[1] / (rows * columns).max(1.0);
        Extents { sizes: [rows, columns, depth as f64], times, ..all }
    }

    /// The loops in their layout (`panel`); around them, and beside what is a contraction, blocks of the depth,
    /// outermost first.
    fn blocked(
        &mut self,
        (stmts, along): (&[usize], &Hyperplane),
        (parts, levels): (&[Part], &[(i64, Vec<Blocks>)]),
        behind: bool,
        panel: &mut dyn FnMut(&mut Self) -> Result<Node, Failure>,
    ) -> Result<Node, Failure> {
        let Some(((depth, blocks), inner)) = levels.split_first() else { return panel(self) };
        let mut short = self.everything(stmts);
        let mut children = Vec::with_capacity(parts.len() + 1);
        for (part, blocks) in parts.iter().zip(blocks) {
            let [full, rest] = self.cut(part, *depth);
            let id = StmtId::new(part.stmt);
            short.insert(id, rest);
            self.say(format!("packed for {}x{} in registers", blocks.rows, blocks.columns()));
            children.push((BTreeMap::from([(id, full)]), self.part_tree(part, *blocks)));
        }
        let inside = self.blocked((stmts, along), (parts, inner), behind, panel)?;
        children.insert(if behind { 0 } else { children.len() }, (short, inside));
        Ok(in_loop(self.blocks_of(stmts, along, *depth), false, distribute::in_sequence(children)))
    }

    /// The instances of full depth in their block, and the others.
    fn cut(&self, part: &Part, size: i64) -> [Set; 2] {
        let (space, params) = (self.scop.stmts[part.stmt].domain.space(), self.scop.params.len());
        let mut row = part.tie.clone();
        let factor = std::mem::take(&mut row[params + part.of.depth]);
        let last = row.len() - 1;
        row[last] += if factor < 0 { factor * (size - 1) } else { 0 };
        let first = Aff::dim(space, part.of.depth).floor_div(size).scale(size);
        let least = Aff::from_row(space, &row).add(&first.scale(factor));
        let zero = Aff::zero(space);
        [least.ge_set(&zero), least.lt_set(&zero)]
    }

    /// Rows and columns are in any order: elements that are counted down would be moved one by one.
    fn part_tree(&self, part: &Part, blocks: Blocks) -> Node {
        let id = StmtId::new(part.stmt);
        let space = self.scop.stmts[part.stmt].domain.space();
        let member = |(at, dim): (usize, usize)| Member {
            coincident: at < 2,
            alone: if at < 2 { vec![id] } else { Vec::new() },
            ..Member::new(BTreeMap::from([(id, Aff::dim(space, dim))]))
        };
        let members = [part.of.rows, part.of.columns, part.of.depth].into_iter().enumerate().map(member).collect();
        let node = Node::Band(Band { members, permutable: true }, Box::new(Node::Leaf));
        Node::Mark(Mark::Contraction(blocks), Box::new(node))
    }

    /// Whether the tree, of so many levels of blocks, respects the dependences among these statements, and its
    /// contractions are some. Inside of a panel, and from one depth to the next, all is in an order that the band has.
    fn holds(&self, stmts: &[usize], tree: &Node, levels: usize) -> Result<bool, Failure> {
        let (scop, deps, budget) = (self.scop, self.context.deps, self.context.budget);
        let domain = stmts.iter().map(|s| (StmtId::new(*s), scop.stmts[*s].domain.clone())).collect();
        let whole = Node::Domain(domain, Box::new(tree.clone()));
        let flat = flat_schedule(&whole);
        let pieces = |id: StmtId| flat.get(&id).into_iter().flatten();
        let inside = |id: StmtId| stmts.contains(&id.index());
        let own: Vec<(usize, &Dep)> = deps.binding().filter(|(_, d)| inside(d.src) && inside(d.dst)).collect();
        for (k, dep) in &own {
            if *k >= deps.validity.len() && may_change_places(scop, dep) {
                continue;
            }
            for (src, dst) in pieces(dep.src).flat_map(|src| pieces(dep.dst).map(move |dst| (src, dst))) {
                for basic in dep.relation.basics().iter().filter(|_| part_of(src, levels) != part_of(dst, levels)) {
                    if check_between(scop, dep, (basic, src, dst), budget)?.is_some() {
                        return Ok(false);
                    }
                }
            }
        }
        let mut contractions = Vec::new();
        visit_nodes(&whole, &mut |_, node, pieces| {
            if let Node::Mark(Mark::Contraction(_), below) = node
                && let Node::Band(band, _) = &**below
            {
                contractions.push((band.clone(), pieces.clone()));
            }
        });
        for (band, pieces) in &contractions {
            let carries = |at: usize| carried(scop, own.iter().copied(), &claim(band, at, pieces), budget);
            if carries(0)?.is_some() || carries(1)?.is_some() {
                return Ok(false);
            }
            for (id, piece) in pieces {
                if writes_operands(scop, *id, piece, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn charge_blocks(&mut self, parts: &[Part], choice: Choice) {
        for part in parts {
            self.ask_for_length(part.stmt, &[part.of.rows, part.of.columns, part.of.depth], [LEAST_LENGTH; 2]);
        }
        for (depth, blocks) in choice.levels {
            for (part, blocks) in parts.iter().zip(blocks) {
                let stmt = &self.scop.stmts[part.stmt];
                let bytes = self.scop.array(stmt.accesses[part.of.write].array).elem_bytes;
                let packed = operand_counts(stmt, &part.of, self.scop.params.len());
                let blocks = Blocks { depth: blocks.depth.min(u32::try_from(depth).unwrap_or(u32::MAX)), ..blocks };
                let copies = self.copies(part.stmt, &part.of, &blocks, (bytes, packed), None);
                self.summary.copies.extend(copies);
            }
        }
        self.estimates = choice.estimates;
    }
}

/// Which children of the sequences in blocks of so many levels a piece is in: as many as are panels, and one more.
fn part_of(piece: &FlatPiece, levels: usize) -> Vec<i64> {
    let child = |time: &TimeDim| if let TimeDim::Seq(at) = time { Some(*at) } else { None };
    piece.time.iter().skip(1).step_by(2).take(levels).map_while(child).collect()
}

/// Share of the instances that are no part of full depth, where the depth is `deep` on average: of each element half a
/// block.
fn panel_share(size: i64, deep: f64) -> f64 {
    (size as f64 / 2.0 / deep.max(1.0)).min(1.0)
}

/// Tile sizes inside of blocks of a member: none along it that is not smaller.
fn sizes_within(layout: &Layout, member: usize, size: i64) -> Vec<Option<i64>> {
    let mut sizes = layout.sizes.clone();
    sizes[member] = sizes[member].filter(|own| *own < size);
    sizes
}

/// The constraints on the instances of a statement whose domain is one polyhedron, `[params | dims | 1]`.
pub(super) fn constraints(stmt: &Stmt) -> Option<Vec<(Kind, Vec<i64>)>> {
    let [basic] = stmt.domain.basics() else { return None };
    basic.rows_i64().ok().filter(|_| basic.n_exists() == 0)
}

/// The only constraint on the instances that ties the depth to rows or columns, if there is just one.
fn tie(stmt: &Stmt, params: usize, of: &Contraction) -> Option<Vec<i64>> {
    let rows = constraints(stmt)?;
    let at = |row: &[i64], dim: usize| row[params + dim];
    let is_tied = |(_, r): &&(Kind, Vec<i64>)| at(r, of.depth) != 0 && (at(r, of.rows) != 0 || at(r, of.columns) != 0);
    let mut tied = rows.iter().filter(is_tied);
    let (kind, row) = tied.next()?;
    (*kind == Kind::Ge && tied.next().is_none() && at(row, of.depth).abs() == 1).then(|| row.clone())
}
