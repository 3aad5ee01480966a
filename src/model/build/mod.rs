//! Facts about a region -> [`Scop`].
//!
//! Polynomials first (domains, addresses, statements), sets once all parameters are known. What cannot be derived is
//! assumed: every assumption is a constraint on parameters in [`Contexts`]. Floating point and memory order are those
//! of the program.

mod arms;
mod arrays;
mod domain;
mod guard;
mod nest;
mod ops;
mod order;
mod reductions;
mod running;
mod sets;
mod stmts;
#[cfg(test)]
mod tests;
mod values;

use super::{
    Access, AccessKind, Array, ArrayKind, Contexts, Instructions, LiveOut, LoopDim, Param, ParamPoly, Region, Scop,
    Size, Stmt, StmtBody,
};
use crate::error::{Failure, Limit, Reject, RejectKind, SourceLoc};
use crate::facts::{Alias, FunctionFacts, ScevKind, Type, ValueKind};
use crate::ids::{ArrayId, BlockId, LoopId, ScevId, StmtId, ValueId};
use crate::remedies::STATEMENTS;
use crate::scop::Candidate;
use crate::scop::affine::{Cons, ParamDef, Reader};
use crate::scop::cond::{Branch, condition};
use crate::scop::polynomial::{Mono, Poly, Sym};
use crate::scop::success::at_ends;
use crate::scop::table_range;
use arrays::{Memory, Use};
use domain::{Domains, Ending};
use log::debug;
use nest::Nest;
use presburger::{Budget, Map, Set};
pub use running::Families;
use running::Running;
use sets::Sets;
use std::collections::{BTreeMap, BTreeSet};
use stmts::{Cut, Piece};
use values::{Root, Scalar, Values};

/// Parameters wider than this are assumed to lie between -2^this and 2^this.
pub const WIDE_PARAM_BITS: u32 = 40;

/// The most that strides and beginnings of arrays may be, in elements, where they are products of sizes.
pub const MOST_PRODUCT: i64 = 1 << 60;

/// Bounds on the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most statements.
    pub max_stmts: usize,
    /// Whether updates that may change places are recognised.
    pub reductions: bool,
    /// Which local variables that run through loops are one scalar each.
    pub families: Families,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_stmts: 200, reductions: true, families: Families::None }
    }
}

/// The model of a region that detection found; `number` counts the function's regions.
///
/// # Errors
/// `Reject` for what detection could not see (conditions with too many alternatives, shapes that never fit, assumptions
/// that never hold), `Limit` when the budget for set operations is spent.
pub fn build(
    facts: &FunctionFacts,
    region: &Candidate,
    number: usize,
    cfg: &Config,
    budget: &Budget,
) -> Result<Scop, Failure> {
    let mut inside = vec![false; facts.blocks.len()];
    for block in &region.blocks {
        inside[block.index()] = true;
    }
    let mut reader = Reader::new(facts, &inside, region.entry);
    reader.prepare_accesses(&region.blocks);
    let nest = Nest::new(facts, region)?;
    let mut domains = Domains::new(&mut reader, &nest, region.entry)?;
    let values = Values::new(&mut reader, &nest, region.entry);
    let running = Running::find(&values, &nest, cfg.families);
    let cut = stmts::cut(&values, &running, &nest, region.exit);
    let uses = uses(facts, &cut);
    if running.is_empty() && !uses.iter().any(|u| matches!(facts.value(u.inst).kind, ValueKind::Store { .. })) {
        return Err(reject(RejectKind::NoEffect, ""));
    }
    if cut.pieces.len() > cfg.max_stmts {
        return Err(reject(RejectKind::TooLarge, &format!("more than {} {STATEMENTS}", cfg.max_stmts)));
    }
    if cut.guards.iter().any(|guard| !guard.reads.is_empty()) {
        return Err(reject(RejectKind::NonAffineCondition, ""));
    }
    let edges = edge_domains(&mut reader, &mut domains, &cut)?;
    for used in &uses {
        if let Some(pw) = facts.value(used.inst).offset.and_then(|o| reader.read(o).ok()) {
            domains.add_checks(used.block, &pw.checks);
        }
    }
    domains.checks.sort_unstable();
    domains.checks.dedup();
    let accessed = arrays::candidates(&mut reader, &values, &uses)?;
    let related = std::mem::take(&mut reader.related);
    let known = [known_at_entry(&mut reader, region.entry), related].concat();
    let (params, floors) = (std::mem::take(&mut reader.params), std::mem::take(&mut reader.floors));
    let (assumed, certain) = ranges(&params, &reader.units);
    let facts_of_params: Vec<Cons> = assumed.iter().chain(&certain).chain(&known).cloned().collect();
    let mut sets = Sets::new(param_names(facts, &params), floors, facts_of_params, budget);
    let (assumed, defined) = (sets.param_set(&assumed)?, sets.param_set(&[certain, known].concat())?);
    require_checks(&mut sets, &nest, &domains)?;
    for block in nest.order.iter().filter(|b| facts.block(**b).assumed_dead) {
        sets.require_empty(domains.of(*block), nest.loops(*block))?;
    }
    let possible = assumed.intersect(&defined);
    let mut tested = require_endings(&mut sets, &nest, &domains, &params)?;
    let computed = computed(facts, &params);
    let memories = arrays::choose(&mut sets, &values, &nest, &domains, accessed, (&possible, &computed))?;
    tested.extend(exact_products(&memories, &params)?);
    let builder = Builder {
        facts,
        nest: &nest,
        domains: &domains,
        edges,
        sets,
        memories,
        arrays: Vec::new(),
        scalars: BTreeMap::new(),
        reductions: cfg.reductions,
        running: &running,
    };
    let mut scop = builder.finish(region, number, &cut, params, assumed, defined, &mut reader)?;
    scop.contexts.tested = tested;
    debug!(
        "{}: {} statements, {} arrays, {} parameters; run-time checks for {} pairs of arrays, assumed {}, invalid {}",
        scop.name,
        scop.stmts.len(),
        scop.arrays.len(),
        scop.params.len(),
        scop.alias_groups.len(),
        scop.contexts.assumed,
        scop.contexts.invalid
    );
    Ok(scop)
}

/// `p0`, `p1`, …, or the names of the values where the facts have them and they can be read as identifiers.
fn param_names(facts: &FunctionFacts, params: &[ParamDef]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (k, param) in params.iter().enumerate() {
        let name = value_name(facts, param.value).filter(|_| param.times.is_empty());
        let name = name.filter(|n| is_identifier(n) && !names.iter().any(|other| other == n));
        names.push(name.map_or_else(|| format!("p{k}"), str::to_owned));
    }
    names
}

fn value_name(facts: &FunctionFacts, scev: ScevId) -> Option<&str> {
    match facts.scev(scev).kind {
        ScevKind::Unknown(value) => Some(&facts.value(value).name),
        ScevKind::SExt(inner) | ScevKind::ZExt(inner) | ScevKind::Trunc(inner) => value_name(facts, inner),
        _ => None,
    }
}

/// Whether the set library reads this as a name and no parameter without a name is called so.
fn is_identifier(name: &str) -> bool {
    const RESERVED: [&str; 11] = ["and", "or", "not", "exists", "mod", "floor", "ceil", "min", "max", "true", "false"];
    let first_fits = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_numbered = name.strip_prefix('p').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    first_fits
        && !is_numbered
        && !RESERVED.contains(&name)
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn reject(kind: RejectKind, detail: &str) -> Failure {
    Failure::Reject(Reject::new(kind, detail, SourceLoc::default()))
}

type Edges = BTreeMap<(BlockId, BlockId), Vec<Vec<Cons>>>;

fn edge_domains(r: &mut Reader, domains: &mut Domains, cut: &Cut) -> Result<Edges, Failure> {
    let mut edges = BTreeMap::new();
    for piece in &cut.pieces {
        if let Some(to) = piece.edge {
            let any = domains.edge(r, piece.block, to)?;
            edges.insert((piece.block, to), any);
        }
    }
    Ok(edges)
}

fn is_access(facts: &FunctionFacts, inst: ValueId) -> bool {
    matches!(facts.value(inst).kind, ValueKind::Load { .. } | ValueKind::Store { .. })
}

fn uses(facts: &FunctionFacts, cut: &Cut) -> Vec<Use> {
    let accesses = |p: &Piece| {
        let block = p.block;
        p.insts.iter().filter(|i| is_access(facts, **i)).map(move |i| Use { inst: *i, block }).collect::<Vec<_>>()
    };
    cut.pieces.iter().chain(&cut.guards).flat_map(accesses).collect()
}

/// Conditions of branches that lead to the entry, over parameters already known.
fn known_at_entry(r: &mut Reader, entry: BlockId) -> Vec<Cons> {
    let facts = r.facts;
    let params = r.params.len();
    let mut known = Vec::new();
    let mut at = entry;
    while let Some(above) = facts.block(at).idom {
        let alone = facts.block(at).preds.as_slice() == [above];
        let branch = match (facts.block(above).succs.as_slice(), facts.block(above).ends_on) {
            ([a, b], _) if a != b => Some(Branch::of(*a == at)),
            ([_], Some(on)) => Some(Branch::of(on).flipped()),
            _ => None,
        };
        let end = facts.block(above).insts.last().map(|v| &facts.value(*v).kind);
        if let (true, Some(branch), Some(ValueKind::CondBr(cond))) = (alone, branch, end) {
            let dnf = condition(r, *cond, branch).ok().filter(|d| d.checks.is_empty());
            if let Some([conj]) = dnf.as_ref().map(|d| d.any.as_slice()) {
                known.extend(conj.iter().filter(|c| c.poly.syms().all(|s| is_known_param(s, params))).cloned());
            }
        }
        at = above;
    }
    known.sort_unstable();
    known.dedup();
    r.params.truncate(params);
    known
}

fn is_known_param(sym: Sym, params: usize) -> bool {
    matches!(sym, Sym::Param(k) if (k as usize) < params)
}

/// The parameters that stand for products and quotients.
fn computed(facts: &FunctionFacts, params: &[ParamDef]) -> Vec<u32> {
    let is_computed = |p: &ParamDef| match &facts.scev(p.value).kind {
        _ if !p.times.is_empty() => true,
        ScevKind::Mul(_) | ScevKind::UDiv(..) => true,
        ScevKind::Unknown(value) => p.bits > 1 && matches!(facts.value(*value).kind, ValueKind::Pure),
        _ => false,
    };
    (0..).zip(params).filter(|(_, p)| is_computed(p)).map(|(k, _)| k).collect()
}

/// Constraints on single parameters: what is assumed of wide ones and of strides, and what holds of all in any case.
fn ranges(params: &[ParamDef], units: &BTreeSet<u32>) -> (Vec<Cons>, Vec<Cons>) {
    let unit = |k: &u32| Poly::sym(Sym::Param(*k)).plus(-1).map(Cons::eq);
    let (mut assumed, mut certain) = (units.iter().filter_map(unit).collect::<Vec<_>>(), Vec::new());
    for (k, param) in (0u32..).zip(params) {
        let wide = param.bits > WIDE_PARAM_BITS;
        let half = 1i64 << if wide { WIDE_PARAM_BITS } else { param.bits - 1 };
        let row = |c: i64, constant: i64| {
            let terms = [(Mono::of([Sym::Param(k)]).unwrap_or_default(), c), (Mono::default(), constant)];
            Cons::ge(Poly::from_terms(terms).unwrap_or_default())
        };
        let context = if wide { &mut assumed } else { &mut certain };
        context.push(row(-1, if wide { half } else { half - 1 }));
        if param.nonneg {
            certain.push(row(1, 0));
        } else {
            context.push(row(1, half));
        }
    }
    (assumed, certain)
}

fn require_checks(sets: &mut Sets, nest: &Nest, domains: &Domains) -> Result<(), Failure> {
    for located in &domains.checks {
        let (any, dims) = (domains.of(located.block), nest.loops(located.block));
        sets.require_check(any, dims, &located.check)?;
    }
    Ok(())
}

/// Requires that nothing ends the program. The polynomials that must be >= 0 for that, beside what becomes invalid.
fn require_endings(
    sets: &mut Sets,
    nest: &Nest,
    domains: &Domains,
    params: &[ParamDef],
) -> Result<Vec<ParamPoly>, Failure> {
    let mut tested = BTreeSet::new();
    for ending in &domains.endings {
        match ending {
            Ending::Domain(block, any) => sets.require_empty(any, nest.loops(*block))?,
            Ending::Unless(block, poly) if poly.degree() <= 1 => {
                sets.require(domains.of(*block), nest.loops(*block), poly)?;
            }
            Ending::Unless(block, poly) => {
                let nonneg = |k: u32| params.get(k as usize).is_some_and(|p| p.nonneg);
                for conj in domains.of(*block) {
                    let ends = at_ends(poly, conj, nest.loops(*block), &sets.floors, nonneg);
                    tested.extend(ends.ok_or_else(|| reject(RejectKind::NonAffineCondition, "of an error"))?);
                }
            }
        }
    }
    let (linear, higher): (Vec<Poly>, Vec<Poly>) = tested.into_iter().partition(|p| p.degree() <= 1);
    for poly in &linear {
        sets.require(&[Vec::new()], &[], poly)?;
    }
    higher.iter().map(|p| param_poly(p).ok_or_else(too_wide)).collect()
}

/// Polynomials that must be >= 0 so that the strides of arrays, and what lies before them, are what their factors are
/// multiplied exactly: programs compute them modulo 2^64, and rows are as far apart as that is.
fn exact_products(memories: &[Memory], params: &[ParamDef]) -> Result<Vec<ParamPoly>, Failure> {
    let most = || Poly::constant(MOST_PRODUCT);
    let bits = |sym: Sym| match sym {
        Sym::Param(k) => params.get(k as usize).map_or(64, |p| p.bits.min(WIDE_PARAM_BITS + 1) - 1),
        _ => 64,
    };
    let mut all: Vec<Poly> = Vec::new();
    for memory in memories {
        let offset = memory.offset.exact_div(i64::from(memory.shape.elem_bytes)).unwrap_or_default();
        for product in memory.shape.strides.iter().chain([&offset]).filter(|p| p.degree() > 1) {
            // What fits 64 bits anyway, as products of two integers of 32 bits do, is exact.
            let bits_of = |(mono, c): &(Mono, i64)| {
                mono.syms().map(bits).sum::<u32>() + 64 - (c.unsigned_abs().max(1) - 1).leading_zeros()
            };
            let largest = product.terms().iter().map(bits_of).max().unwrap_or(0) + u32::from(product.terms().len() > 1);
            if largest > 63 {
                all.extend([most().sub(product), most().add(product)].into_iter().flatten());
            }
        }
    }
    all.sort();
    all.dedup();
    all.iter().map(|p| param_poly(p).ok_or_else(too_wide)).collect()
}

struct Builder<'a> {
    facts: &'a FunctionFacts,
    nest: &'a Nest<'a>,
    domains: &'a Domains,
    edges: Edges,
    sets: Sets<'a>,
    memories: Vec<Memory>,
    arrays: Vec<Array>,
    scalars: BTreeMap<Scalar, ArrayId>,
    reductions: bool,
    running: &'a Running,
}

impl Builder<'_> {
    #[allow(clippy::too_many_arguments)]
    fn finish(
        mut self,
        region: &Candidate,
        number: usize,
        cut: &Cut,
        params: Vec<ParamDef>,
        assumed: Set,
        defined: Set,
        reader: &mut Reader,
    ) -> Result<Scop, Failure> {
        self.memory_arrays()?;
        self.scalar_arrays(cut);
        let mut stmts = Vec::with_capacity(cut.pieces.len());
        for piece in &cut.pieces {
            let stmt = self.stmt(StmtId::new(stmts.len()), piece, reader)?;
            if !stmt.domain.is_empty(self.sets.budget).map_err(Limit::of("model"))? {
                stmts.push(stmt);
            }
        }
        let limit = || Limit::of("model");
        let invalid = self.sets.invalid.simplify(self.sets.budget).map_err(limit())?;
        let allowed = assumed.intersect(&defined).subtract(&invalid, self.sets.budget).map_err(limit())?;
        if allowed.is_empty(self.sets.budget).map_err(limit())? {
            return Err(self.never_holds(&assumed.intersect(&defined))?);
        }
        if self.assumes_paths() && self.nothing_runs(&stmts, &allowed)? {
            return Err(self.path_taken(&Set::empty(assumed.space().clone()))?);
        }
        let alias_groups = self.alias_groups()?;
        let live_out =
            |(value, scalar): &(ValueId, Scalar)| Ok(LiveOut { value: *value, array: self.scalar_array(*scalar)? });
        let live_out = cut.live_out.iter().map(live_out).collect::<Result<_, Failure>>()?;
        let schedule = order::tree(&self.nest.items, &stmts);
        let guards = cut.guards.iter().map(|piece| self.guard(piece, reader)).collect::<Result<_, _>>()?;
        let params = params.into_iter().zip(&self.sets.names).map(|(p, name)| Param {
            name: name.clone(),
            value: p.value,
            times: p.times,
            by: Vec::new(),
        });
        Ok(Scop {
            name: format!("{}:{number}", self.facts.name),
            params: params.collect(),
            contexts: Contexts {
                worthwhile: Set::universe(assumed.space().clone()),
                assumed,
                invalid,
                defined,
                tested: Vec::new(),
            },
            arrays: self.arrays,
            stmts,
            schedule,
            alias_groups,
            live_out,
            guards,
            gone: Vec::new(),
            region: Region { entry: Some(region.entry), exit: Some(region.exit), blocks: region.blocks.clone() },
        })
    }

    /// Whether some path in the region is assumed not to be taken.
    fn assumes_paths(&self) -> bool {
        let is_left_out = |b: &BlockId| self.facts.block(*b).assumed_dead || self.facts.block(*b).ends_on.is_some();
        self.nest.order.iter().any(is_left_out)
    }

    /// Why no parameters are left of these: a path that is assumed not to be taken, or else all taken together.
    fn never_holds(&self, possible: &Set) -> Result<Failure, Failure> {
        if possible.is_empty(self.sets.budget).map_err(Limit::of("model"))? {
            return Ok(reject(RejectKind::NeverHolds, ""));
        }
        self.path_taken(possible)
    }

    /// The first call left out that runs for all of these parameters, and for some.
    fn path_taken(&self, params: &Set) -> Result<Failure, Failure> {
        let limit = || Limit::of("model");
        for (block, taken) in self.paths()? {
            let Some(call) = self.call_behind(block) else { continue };
            let is_taken = !taken.is_empty(self.sets.budget).map_err(limit())?;
            let spared = params.subtract(&taken, self.sets.budget).map_err(limit())?;
            if is_taken && spared.is_empty(self.sets.budget).map_err(limit())? {
                let loc = self.facts.value(call).loc.clone();
                return Ok(Failure::Reject(Reject::new(RejectKind::PathTaken, "", loc).about(vec![call])));
            }
        }
        Ok(reject(RejectKind::NeverHolds, ""))
    }

    /// Blocks that are left out, or whose end leads to one, with the parameters for which the path is taken.
    fn paths(&self) -> Result<Vec<(BlockId, Set)>, Failure> {
        let (domains, nest, never) = (self.domains, self.nest, Poly::constant(-1));
        let mut paths = Vec::new();
        for block in nest.order.iter().filter(|b| self.facts.block(**b).assumed_dead) {
            paths.push((*block, self.sets.failing(domains.of(*block), nest.loops(*block), &never)?));
        }
        for ending in &domains.endings {
            paths.push(match ending {
                Ending::Domain(block, any) => (*block, self.sets.failing(any, nest.loops(*block), &never)?),
                Ending::Unless(block, poly) if poly.degree() <= 1 => {
                    (*block, self.sets.failing(domains.of(*block), nest.loops(*block), poly)?)
                }
                Ending::Unless(..) => continue,
            });
        }
        Ok(paths)
    }

    /// The call that is left out: the last one in the block, or in one that never returns behind it.
    fn call_behind(&self, block: BlockId) -> Option<ValueId> {
        let is_call = |v: &&ValueId| matches!(self.facts.value(**v).kind, ValueKind::Call);
        if self.facts.block(block).assumed_dead {
            return self.facts.block(block).insts.iter().rfind(is_call).copied();
        }
        let ends = self.facts.blocks.iter().filter(|b| b.never_returns && b.preds.contains(&block));
        ends.flat_map(|b| &b.insts).rfind(is_call).copied()
    }

    /// Whether no statement has an instance for these parameters.
    fn nothing_runs(&self, stmts: &[Stmt], params: &Set) -> Result<bool, Failure> {
        for stmt in stmts {
            let runs = stmt.domain.intersect_params(params);
            if !runs.is_empty(self.sets.budget).map_err(Limit::of("model"))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn memory_arrays(&mut self) -> Result<(), Failure> {
        for memory in &self.memories {
            let mut sizes = vec![Size::Unknown];
            for size in &memory.inner_sizes {
                sizes.push(self.size(size)?);
            }
            let bytes = i64::from(memory.shape.elem_bytes);
            let stride = |s: &Poly| s.scale(bytes).and_then(|s| param_poly(&s)).ok_or_else(too_wide);
            let strides = memory.shape.strides.iter().map(stride).collect::<Result<_, _>>()?;
            let is_float = memory.accesses().all(|i| matches!(accessed_type(self.facts, *i), Type::Float(_)));
            let offset = param_poly(&memory.offset).ok_or_else(too_wide)?;
            let kind = match memory.root {
                Root::Base(base) if !memory.offset.is_zero() => ArrayKind::View { base },
                Root::Base(base) => ArrayKind::Memory { base },
                Root::Rows(field) => ArrayKind::Rows(field),
            };
            let (sizes, strides) = match memory.root {
                Root::Base(_) => (sizes, strides),
                Root::Rows(_) => (vec![Size::Unknown; 2], Vec::new()),
            };
            self.arrays.push(Array { kind, sizes, elem_bytes: memory.shape.elem_bytes, is_float, strides, offset });
        }
        Ok(())
    }

    fn size(&self, size: &Poly) -> Result<Size, Failure> {
        if let Some(c) = size.as_constant() {
            return Ok(Size::Const(c));
        }
        let mut row = vec![0; self.sets.names.len() + 1];
        for (mono, c) in size.terms() {
            let column = match mono.syms().next() {
                None => self.sets.names.len(),
                Some(Sym::Param(k)) => k as usize,
                Some(_) => return Err(too_wide()),
            };
            row[column] = *c;
        }
        Ok(Size::Affine(row))
    }

    fn scalar_arrays(&mut self, cut: &Cut) {
        let mentioned = cut.pieces.iter().flat_map(|p| p.reads.iter().chain(&p.writes));
        for scalar in mentioned.map(|(s, _)| *s).collect::<std::collections::BTreeSet<_>>() {
            let (kind, value) = match scalar {
                Scalar::Value(def) => (ArrayKind::Value { def }, def),
                Scalar::Phi(phi) => (ArrayKind::Phi { phi }, phi),
            };
            let ty = self.facts.value(value).ty;
            let (elem_bytes, is_float) = (stmts::scalar_bytes(ty), matches!(ty, Type::Float(_)));
            let offset = ParamPoly::default();
            self.scalars.insert(scalar, ArrayId::new(self.arrays.len()));
            self.arrays.push(Array { kind, sizes: Vec::new(), elem_bytes, is_float, strides: Vec::new(), offset });
        }
    }

    fn stmt(&self, id: StmtId, piece: &Piece, reader: &mut Reader) -> Result<Stmt, Failure> {
        let dims = self.nest.loops(piece.block);
        let name = id.to_string();
        let any = match piece.edge {
            Some(to) => self.edges.get(&(piece.block, to)).map_or(&[][..], Vec::as_slice),
            None => self.domains.of(piece.block),
        };
        let domain = self.sets.simple_set(&name, any, dims)?;
        self.stmt_in(id, piece, (domain, dims), reader)
    }

    /// The piece as a statement of these instances, in these loops.
    fn stmt_in(
        &self,
        id: StmtId,
        piece: &Piece,
        (domain, dims): (Set, &[LoopId]),
        reader: &mut Reader,
    ) -> Result<Stmt, Failure> {
        let name = id.to_string();
        let mut accesses = Vec::new();
        for (scalar, value) in &piece.reads {
            accesses.push(self.scalar_access(AccessKind::Read, *scalar, *value, &name, dims)?);
        }
        for wanted in [false, true] {
            for inst in &piece.insts {
                let value = self.facts.value(*inst);
                let is_store = matches!(value.kind, ValueKind::Store { .. });
                if is_access(self.facts, *inst) && is_store == wanted {
                    let may = value.in_arm && !arms::is_surely_written(self.facts, &self.memories, *inst);
                    let may = may || self.memories.iter().any(|m| m.indirect.contains(inst));
                    let kind = match (is_store, may) {
                        (false, _) => AccessKind::Read,
                        (true, false) => AccessKind::MustWrite,
                        (true, true) => AccessKind::MayWrite,
                    };
                    accesses.push(self.memory_access(kind, *inst, &name, dims)?);
                }
            }
        }
        for (scalar, from) in &piece.writes {
            accesses.push(self.scalar_access(AccessKind::MustWrite, *scalar, *from, &name, dims)?);
        }
        let loops = dims.iter().map(|lp| loop_dim(self.facts, reader, *lp)).collect();
        let (ops, paths) = ops::of(self.facts, piece);
        let links = ops::links(self.facts, piece);
        let boxes = || piece.insts.iter().filter_map(|i| self.facts.boxed(*i));
        let branches = boxes().next().is_some();
        let guesses = branches && !boxes().any(|boxed| boxed.has_loops);
        let (insts, block) = (piece.insts.clone(), Some(piece.block));
        let is_load = |i: &ValueId| matches!(self.facts.value(*i).kind, ValueKind::Load { .. });
        let in_arms = insts.iter().copied().filter(|i| is_load(i) && self.facts.value(*i).in_arm).collect();
        let (single, accumulates) = (Vec::new(), false);
        let code =
            Instructions { insts, loops, single, block, branches, guesses, ops, paths, links, in_arms, accumulates };
        let mut stmt = Stmt { id, domain, accesses, reduction: None, body: StmtBody::Original(code) };
        let accumulates = self.accumulates(&stmt);
        if let StmtBody::Original(code) = &mut stmt.body {
            code.accumulates = accumulates;
        }
        let reduction = if self.reductions { self.reduction_of(&stmt) } else { None };
        Ok(Stmt { reduction, ..stmt })
    }

    fn scalar_array(&self, scalar: Scalar) -> Result<ArrayId, Failure> {
        self.scalars.get(&scalar).copied().ok_or_else(|| Failure::Bug("scalar without array".to_owned()))
    }

    fn scalar_access(
        &self,
        kind: AccessKind,
        scalar: Scalar,
        inst: ValueId,
        stmt: &str,
        dims: &[LoopId],
    ) -> Result<Access, Failure> {
        let array = self.scalar_array(scalar)?;
        let relation = self.sets.map(stmt, dims, &array.to_string(), &Default::default(), 1)?;
        Ok(Access { kind, array, relation, inst, carries: None })
    }

    fn memory_access(&self, kind: AccessKind, inst: ValueId, stmt: &str, dims: &[LoopId]) -> Result<Access, Failure> {
        let value = self.facts.value(inst);
        let at = self.memories.iter().position(|m| m.accesses().any(|i| *i == inst));
        let at = at.ok_or_else(|| Failure::Bug("access without array".to_owned()))?;
        let memory = &self.memories[at];
        let array = ArrayId::new(at);
        if memory.indirect.contains(&inst) {
            let relation = self.any_element((stmt, dims), at, inst)?;
            return Ok(Access { kind, array, relation, inst, carries: None });
        }
        let width = i64::from(values::bytes(value)) / i64::from(memory.shape.elem_bytes);
        let pieces =
            memory.subscripts.get(&inst).ok_or_else(|| Failure::Bug("access without subscripts".to_owned()))?;
        let mut relation: Option<Map> = None;
        for piece in pieces {
            let part = self.sets.map(stmt, dims, &array.to_string(), piece, width)?;
            relation = Some(relation.map_or(part.clone(), |r| r.union(&part)));
        }
        let relation = relation.ok_or_else(|| Failure::Bug("access without pieces".to_owned()))?;
        Ok(Access { kind, array, relation, inst, carries: None })
    }

    /// All elements that an access to array `at` by data can touch.
    fn any_element(&self, (stmt, dims): (&str, &[LoopId]), at: usize, inst: ValueId) -> Result<Map, Failure> {
        let (memory, value) = (&self.memories[at], self.facts.value(inst));
        let bytes = i64::from(memory.shape.elem_bytes);
        let range = value.offset.and_then(|o| table_range(self.facts, o)).filter(|_| memory.inner_sizes.is_empty());
        let last = |high: i64| high.saturating_add(i64::from(values::bytes(value)) - 1).div_euclid(bytes);
        let range = range.map(|(low, high)| (low.div_euclid(bytes), last(high)));
        self.sets.any_element((stmt, dims), &ArrayId::new(at).to_string(), &memory.inner_sizes, range)
    }

    /// Pairs of arrays that may overlap and of which one is written.
    fn alias_groups(&self) -> Result<Vec<Vec<ArrayId>>, Failure> {
        let written = |m: &Memory| m.accesses().any(|i| matches!(self.facts.value(*i).kind, ValueKind::Store { .. }));
        let mut groups = Vec::new();
        for (k, a) in self.memories.iter().enumerate() {
            for (n, b) in self.memories.iter().enumerate().skip(k + 1) {
                let alias = match (a.root, b.root) {
                    // Views of one piece of memory.
                    (Root::Base(a), Root::Base(b)) if a == b => Alias::May,
                    (Root::Base(a), Root::Base(b)) => self.facts.alias(a, b),
                    _ => Alias::May,
                };
                if alias == Alias::Must {
                    let bases = [a.root, b.root].into_iter().filter_map(|root| match root {
                        Root::Base(base) => Some(base),
                        Root::Rows(_) => None,
                    });
                    let reject =
                        Reject::new(RejectKind::Aliasing, "two pointers to the same array", SourceLoc::default());
                    return Err(Failure::Reject(reject.about(bases.collect())));
                }
                if alias == Alias::May && (written(a) || written(b)) {
                    groups.push(vec![ArrayId::new(k), ArrayId::new(n)]);
                }
            }
        }
        Ok(groups)
    }
}

fn too_wide() -> Failure {
    Limit::overflow("model")
}

fn accessed_type(facts: &FunctionFacts, inst: ValueId) -> Type {
    match facts.value(inst).kind {
        ValueKind::Store { value, .. } => facts.value(value).ty,
        _ => facts.value(inst).ty,
    }
}

fn loop_dim(facts: &FunctionFacts, reader: &mut Reader, lp: LoopId) -> LoopDim {
    let offset = reader.affine_offset(lp).and(facts.lp(lp).iv_start);
    LoopDim { id: lp, offset, strip: None }
}

/// A polynomial in the parameters as the rest of the pipeline sees it.
fn param_poly(poly: &Poly) -> Option<ParamPoly> {
    let term = |(mono, c): &(Mono, i64)| {
        let columns = mono.syms().map(|s| if let Sym::Param(k) = s { Some(k as usize) } else { None });
        Some((*c, columns.collect::<Option<Vec<usize>>>()?))
    };
    poly.terms().iter().map(term).collect::<Option<_>>().map(ParamPoly)
}
