//! The walk over the schedule tree: which pieces reach a node, and what is made of them there.

use super::expr::{Scope, block};
use super::fail::{Res, Stop};
use super::leaf;
use super::piece::{Layout, Piece, project};
use super::residue::{known_remainder, tighten};
use super::separate::{Level, View, separate, together};
use super::shift::shifted;
use super::types::Ast;
use super::{Config, floors, loops};
use crate::error::Failure;
use crate::ids::{IterId, StmtId};
use crate::model::Scop;
use crate::model::tree::{AstOption, Axis, Band, Blocks, Mark, Node, ReductionCopy, ThreadCopies};
use presburger::rows::{Congruence, Frac, Row, Tableau, negate, reduce};
use presburger::{BasicSet, Budget, Kind, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Most levels kept for floors; floors beyond that are eliminated from bounds, which may make these too wide.
const MAX_FLOOR_LEVELS: usize = 12;

/// What is shared by the whole generation.
pub(super) struct Gen<'g> {
    pub layout: Layout,
    pub budget: &'g Budget,
    pub cfg: &'g Config,
    next_iter: u32,
    stmts_left: usize,
    /// How many jammed bodies are being made around the current place.
    pub jams: usize,
    /// Copies in the innermost of them turned out to need loops or tests of their own: what is made of it is thrown
    /// away.
    pub jam_failed: bool,
}

/// What holds and has been decided at one place of the AST.
#[derive(Clone)]
pub(super) struct Ctx<'g> {
    /// What context, outer loops and guards enforce.
    pub known: Tableau<'g>,
    /// Strides they enforce.
    pub strides: Vec<Congruence>,
    /// What each level so far is called.
    pub scope: Scope,
    pub minor: bool,
    /// What the next loop is the outermost of, if it is a contraction.
    pub contraction: Option<Blocks>,
    /// Whether the next loop may run in threads, and the copies that they need then.
    pub parallel: Option<ThreadCopies>,
    /// What a GPU numbers the iterations of the next loop by, if one runs it.
    pub axis: Option<Axis>,
    /// Elements that its threads collect updates of.
    pub collects: Vec<ReductionCopy>,
    /// Iterations of a loop around are jammed here, and may run side by side in vectors of so many lanes.
    pub lanes: Option<i64>,
    /// Whether loops may have no last value.
    pub endless: bool,
}

impl Ctx<'_> {
    /// The next time dimension.
    pub fn level(&self) -> usize {
        self.scope.levels.len()
    }

    /// Whether the next loop is one that threads share without copies of their own.
    pub fn is_plainly_parallel(&self) -> bool {
        self.axis.is_some() || self.parallel.as_ref().is_some_and(ThreadCopies::is_empty)
    }

    /// The next loop is none that threads share.
    pub fn forget_threads(&mut self) {
        self.parallel = None;
        self.axis = None;
        self.collects.clear();
    }

    /// True iff a stride is enforced already.
    pub fn has_stride(&self, s: &Congruence) -> bool {
        self.strides.contains(s)
            || s.follows_from(&self.strides)
            || known_remainder(&s.row, s.modulus, &self.strides) == Some(0)
    }
}

/// The bands that remain to be done at a place of the tree.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub band: &'t Band,
    pub member: usize,
    pub below: &'t Node,
    pub first_leaf: usize,
    /// Whether everything here belongs to the part that the band keeps apart.
    pub isolated: bool,
    /// What the statements here ask for of the current member, where statements do.
    pub own: Option<AstOption>,
}

impl Cursor<'_> {
    /// Whether loops stand inside the current member's.
    fn has_loops_inside(&self) -> bool {
        self.member + 1 < self.band.members.len() || depth(self.below) > 0
    }

    /// The child of the sequence right below the current member that each piece runs in; none if there is no such
    /// sequence.
    fn positions(&self, pieces: &[Piece]) -> Vec<usize> {
        let mut below = self.below;
        while let Node::Mark(_, c) | Node::Context(_, c) = below {
            below = c;
        }
        let Node::Sequence(children) = below else { return Vec::new() };
        if self.member + 1 < self.band.members.len() {
            return Vec::new();
        }
        let ends: Vec<usize> = children
            .iter()
            .scan(self.first_leaf, |end, c| {
                *end += leaves(c);
                Some(*end)
            })
            .collect();
        pieces.iter().map(|p| ends.partition_point(|end| *end <= p.leaf)).collect()
    }

    /// What the current member asks for.
    pub fn option(&self) -> AstOption {
        let member = self.band.members.get(self.member);
        self.own.unwrap_or_else(|| {
            member.map_or(AstOption::Default, |m| m.isolated.filter(|_| self.isolated).unwrap_or(m.ast))
        })
    }

    /// The same place for these pieces alone.
    fn of(self, pieces: &[Piece]) -> Self {
        let member = self.band.members.get(self.member);
        let own = member.and_then(|m| m.common_option(pieces.iter().map(|p| p.stmt)));
        Self { own, ..self.in_part(pieces) }
    }

    /// The same place, which may be in the part that is kept apart.
    fn in_part(self, pieces: &[Piece]) -> Self {
        let apart = match self.below {
            Node::Set(parts) if self.band.members.iter().any(|m| m.isolated.is_some()) => parts.first(),
            _ => None,
        };
        let Some(apart) = apart.filter(|_| !self.isolated && !pieces.is_empty()) else { return self };
        let end = self.first_leaf + leaves(apart);
        Self { isolated: pieces.iter().all(|p| (self.first_leaf..end).contains(&p.leaf)), ..self }
    }
}

/// Generates the AST of a tree whose root is a domain node (see the module header of `ast`).
pub(super) fn generate(scop: &Scop, tree: &Node, cfg: &Config, budget: &Budget) -> Res<Ast> {
    let dims = scop.stmts.iter().map(|s| s.dims()).max().unwrap_or(0);
    let mut domains = Vec::new();
    let mut collector = Collector { budget, leaf: 0, out: &mut domains };
    collector.visit(tree, &BTreeMap::new())?;
    let existentials = domains.iter().map(|(_, _, basic)| basic.n_exists()).sum::<usize>();
    let mut fixed = 0;
    for (_, _, basic) in domains.iter().filter(|_| cfg.floors_of_dims) {
        fixed += floors::count(basic)?;
    }
    let spare = (existentials + fixed).min(MAX_FLOOR_LEVELS);
    let layout = Layout { params: scop.params.len(), levels: depth(tree) + dims + spare, spare };
    let mut pieces = Vec::new();
    for (stmt, leaf, basic) in &domains {
        let mut piece = Piece::new(*stmt, *leaf, basic, layout)?;
        floors::note(&mut piece)?;
        floors::bound(&mut piece, budget)?;
        if !piece.empty {
            piece.id = pieces.len();
            pieces.push(piece);
        }
    }
    let mut known = Tableau::new(layout.base(), budget);
    for set in [&scop.contexts.assumed, &scop.contexts.defined] {
        add_context(&mut known, set)?;
    }
    let ctx = Ctx {
        known,
        strides: Vec::new(),
        scope: Scope { params: layout.params, levels: Vec::new() },
        minor: false,
        contraction: None,
        parallel: None,
        axis: None,
        collects: Vec::new(),
        lanes: None,
        endless: cfg.endless,
    };
    let mut generator =
        Gen { layout, budget, cfg, next_iter: 0, stmts_left: cfg.max_stmts, jams: 0, jam_failed: false };
    generator.node(tree, 0, pieces, ctx)
}

/// Longest chain of band members.
fn depth(node: &Node) -> usize {
    let own = if let Node::Band(b, _) = node { b.members.len() } else { 0 };
    own + node.children().iter().map(depth).max().unwrap_or(0)
}

/// Number of leaves below a node.
fn leaves(node: &Node) -> usize {
    match node {
        Node::Leaf => 1,
        inner => inner.children().iter().map(leaves).sum(),
    }
}

/// True iff a band stands below a node with several children: copies of it cannot be interleaved.
pub(super) fn has_band_in_sequence(node: &Node) -> bool {
    match node {
        Node::Sequence(cs) | Node::Set(cs) => cs.iter().any(|c| depth(c) > 0),
        one_child => one_child.children().iter().any(has_band_in_sequence),
    }
}

fn not_lowered() -> Stop {
    Stop::Other(Failure::Bug("a tree with an extension or expansion node was not lowered".to_owned()))
}

/// Adds a parameter set to what is known, if it is one conjunction; rows with existentials are left out (less is known
/// then).
fn add_context(known: &mut Tableau, set: &Set) -> Res<()> {
    let [only] = set.basics() else { return Ok(()) };
    let n = only.space().n_param();
    for (kind, row) in only.rows_i64()? {
        if row[n..row.len() - 1].iter().any(|&c| c != 0) {
            continue;
        }
        let mut own: Row = vec![row[row.len() - 1]];
        own.extend_from_slice(&row[..n]);
        known.add(&own)?;
        if kind == Kind::Eq {
            known.add(&negate(&own)?)?;
        }
    }
    Ok(())
}

/// Splits the domain into pieces, one per statement, leaf of the tree and disjoint conjunction.
struct Collector<'c> {
    budget: &'c Budget,
    leaf: usize,
    out: &'c mut Vec<(StmtId, usize, BasicSet)>,
}

impl Collector<'_> {
    fn visit(&mut self, node: &Node, sets: &BTreeMap<StmtId, Set>) -> Res<()> {
        match node {
            Node::Domain(domain, c) => self.visit(c, domain),
            Node::Context(_, c) | Node::Band(_, c) | Node::Mark(_, c) => self.visit(c, sets),
            Node::Guard(guard, c) => {
                let inner = sets.iter().map(|(&stmt, set)| (stmt, set.intersect_params(guard))).collect();
                self.visit(c, &inner)
            }
            Node::Extension(..) | Node::Expansion(..) => Err(not_lowered()),
            Node::Sequence(cs) | Node::Set(cs) => cs.iter().try_for_each(|c| self.visit(c, sets)),
            Node::Filter(filter, c) => {
                let mut inner = BTreeMap::new();
                for (&stmt, set) in filter {
                    if let Some(old) = sets.get(&stmt) {
                        let both = if set.is_plain_universe() { old.clone() } else { old.intersect(set) };
                        inner.insert(stmt, both);
                    }
                }
                self.visit(c, &inner)
            }
            Node::Leaf => {
                for (&stmt, set) in sets {
                    self.add(stmt, set)?;
                }
                self.leaf += 1;
                Ok(())
            }
        }
    }

    fn add(&mut self, stmt: StmtId, set: &Set) -> Res<()> {
        let mut set = set.clone();
        let implicit =
            |s: &Set| s.basics().iter().any(|b| b.n_exists() > 0 && b.div_defs().iter().any(Option::is_none));
        if set.basics().len() > 1 {
            set = set.simplify(self.budget)?;
            set = set.make_disjoint(self.budget)?;
        }
        if implicit(&set) {
            set = set.compute_divs(self.budget)?.into_owned();
        }
        self.out.extend(set.basics().iter().map(|basic| (stmt, self.leaf, basic.clone())));
        Ok(())
    }
}

impl<'g> Gen<'g> {
    /// A fresh iterator.
    pub fn iterator(&mut self) -> IterId {
        let id = IterId(self.next_iter);
        self.next_iter += 1;
        id
    }

    /// State to come back to when a part is generated a second time.
    pub fn checkpoint(&self) -> (u32, usize) {
        (self.next_iter, self.stmts_left)
    }

    /// Goes back to a [`Gen::checkpoint`].
    pub fn rewind(&mut self, (next_iter, stmts_left): (u32, usize)) {
        self.next_iter = next_iter;
        self.stmts_left = stmts_left;
    }

    /// Gives up the jammed body around the current place, if there is one.
    pub fn fail_jam(&mut self) {
        self.jam_failed |= self.jams > 0;
    }

    /// Counts a statement of the result.
    pub fn count_stmt(&mut self) -> Res<()> {
        self.stmts_left = self.stmts_left.checked_sub(1).ok_or(presburger::Error::Spent)?;
        Ok(())
    }

    /// Everything below a node; `first_leaf` is the number of the node's first leaf.
    pub fn node(&mut self, node: &Node, first_leaf: usize, pieces: Vec<Piece>, mut ctx: Ctx<'g>) -> Res<Ast> {
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        match node {
            Node::Domain(_, c) | Node::Filter(_, c) | Node::Guard(_, c) => self.node(c, first_leaf, pieces, ctx),
            Node::Context(set, c) => {
                add_context(&mut ctx.known, set)?;
                self.node(c, first_leaf, pieces, ctx)
            }
            Node::Mark(mark, c) => {
                ctx.minor |= *mark == Mark::Minor;
                ctx.contraction = if let Mark::Contraction(blocks) = mark { Some(*blocks) } else { None };
                self.node(c, first_leaf, pieces, ctx)
            }
            Node::Band(band, below) => {
                let cursor = Cursor { band, member: 0, below, first_leaf, isolated: false, own: None };
                self.member(cursor, pieces, ctx)
            }
            Node::Extension(..) | Node::Expansion(..) => Err(not_lowered()),
            Node::Sequence(cs) | Node::Set(cs) => self.children(cs, first_leaf, pieces, ctx),
            Node::Leaf => leaf::emit(self, pieces, ctx),
        }
    }

    /// Children in order; inside a jammed body, once per copy.
    fn children(&mut self, children: &[Node], first_leaf: usize, pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
        let mut copies: BTreeMap<Vec<i64>, Vec<Piece>> = BTreeMap::new();
        for p in pieces {
            copies.entry(p.key.clone()).or_default().push(p);
        }
        let mut parts = Vec::new();
        for (_, copy) in copies {
            let mut first = first_leaf;
            for c in children {
                let next = first + leaves(c);
                let mine = copy.iter().filter(|p| (first..next).contains(&p.leaf));
                parts.push(self.node(c, first, mine.cloned().collect(), ctx.clone())?);
                first = next;
            }
        }
        Ok(block(parts))
    }

    /// The loops of one band member and everything below.
    pub fn member(&mut self, cursor: Cursor, mut pieces: Vec<Piece>, mut ctx: Ctx<'g>) -> Res<Ast> {
        let Some(member) = cursor.band.members.get(cursor.member) else {
            return self.node(cursor.below, cursor.first_leaf, pieces, ctx);
        };
        floors::name(self.layout, &mut pieces, &mut ctx)?;
        ctx.parallel = member.role.threads().cloned();
        ctx.axis = member.role.axis();
        ctx.collects = member.role.collected_on_device().to_vec();
        let mut timed = Vec::with_capacity(pieces.len());
        for mut p in pieces {
            let aff = member
                .affs
                .get(&p.stmt)
                .ok_or_else(|| Failure::Bug(format!("a band member has no value for {}", p.stmt)))?;
            let value = p.value_of(aff)?;
            timed.push((p, value));
        }
        self.loops_for(cursor, timed, &ctx)
    }

    /// The pieces that run at some value of the next level, and what each looks like there.
    fn views(&self, placed: Vec<Piece>, ctx: &Ctx<'g>) -> Res<(Vec<Piece>, Vec<View>)> {
        let time = self.layout.time(ctx.level());
        let (mut pieces, mut views) = (Vec::new(), Vec::new());
        for p in placed {
            let mut raw = project(&p, self.budget)?;
            raw.iter_mut().for_each(|k| tighten(&mut k.row, &p.strides, &ctx.strides));
            // Copies of a jammed body mostly look alike here.
            let reduced = match views.iter().find(|v: &&View| v.raw == raw) {
                Some(alike) => Some(alike.reduced.clone()),
                None => reduce(&ctx.known, raw.clone(), time)?,
            };
            if let Some(reduced) = reduced {
                pieces.push(p);
                views.push(View { raw, reduced });
            }
        }
        Ok((pieces, views))
    }

    /// The loops over `T_level = value` of each piece, in execution order.
    pub fn loops_for(&mut self, cursor: Cursor, timed: Vec<(Piece, Frac)>, ctx: &Ctx<'g>) -> Res<Ast> {
        let level = ctx.level();
        if level >= self.layout.levels {
            return Err(Failure::Bug("a schedule deeper than its layout".into()).into());
        }
        let time = self.layout.time(level);
        let mut placed = Vec::with_capacity(timed.len());
        for (mut p, value) in timed {
            p.add_member(level, &value)?;
            placed.push(p);
        }
        placed.retain(|p| !p.empty);
        let cursor = cursor.of(&placed);
        let plain = matches!(cursor.option(), AstOption::Default | AstOption::Separate | AstOption::Atomic);
        if self.cfg.shift_strides && plain && self.jams == 0 {
            shifted(ctx, &mut placed, time)?;
        }
        let (pieces, views) = self.views(placed, ctx)?;
        let cursor = cursor.of(&pieces);
        let apart = cursor.option() == AstOption::Separate && self.cfg.max_loops_asked_for > 1;
        let max_groups = match cursor.option() {
            AstOption::Atomic => 1,
            _ if apart => self.cfg.max_loops_asked_for,
            _ => self.cfg.max_loops_per_level,
        };
        let in_turns = pieces.iter().any(|p| p.turn != 0);
        let apart_in_sequence = self.cfg.sequence_apart && self.jams == 0 && !in_turns;
        let positions = if apart_in_sequence { cursor.positions(&pieces) } else { Vec::new() };
        let atomic = cursor.option() == AstOption::Atomic;
        let units = if atomic { pieces.iter().map(|p| p.stmt.index()).collect() } else { Vec::new() };
        let at = Level {
            known: &ctx.known,
            time,
            spare: self.layout.base(),
            max_groups,
            units: &units,
            loosen: !apart,
            inner_bounds: self.cfg.inner_bounds,
            positions: &positions,
        };
        if views.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        let groups = separate(&at, &views)?;
        let starts_often = level > 0 && ctx.is_plainly_parallel() && cursor.has_loops_inside();
        if groups.len() > 1 && starts_often && self.jams == 0 {
            let all = together(&at, &groups)?;
            if let Some(one) = loops::shared(self, cursor, (&groups, &all), &pieces, ctx)? {
                return Ok(one);
            }
        }
        let mut parts = Vec::new();
        for group in groups {
            if !keeps_copies_together(&pieces, &group.active) {
                self.fail_jam();
            }
            if self.jam_failed {
                return Ok(Ast::Block(Vec::new()));
            }
            let active: Vec<Piece> = group.active.iter().map(|&k| pieces[k].clone()).collect();
            parts.push(loops::group(self, cursor.of(&active), &group, active, ctx)?);
        }
        Ok(block(parts))
    }
}

/// True iff the active pieces are all copies of some pieces.
fn keeps_copies_together(pieces: &[Piece], active: &[usize]) -> bool {
    let keys: BTreeSet<&[i64]> = pieces.iter().map(|p| p.key.as_slice()).collect();
    let ids: BTreeSet<usize> = active.iter().map(|&k| pieces[k].id).collect();
    active.len() == keys.len() * ids.len()
}
