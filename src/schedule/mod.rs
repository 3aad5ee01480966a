//! Dependences -> schedule tree.
//!
//! In: a `Scop` and its `Dependences`; all validity dependences are respected; where there are reuse dependences,
//! hyperplanes are chosen to make distances in these small, otherwise those of the validity dependences. Updates that
//! may change places do not bind the order.
//! Out: [`Decision::Keep`] with a reason for the user, or a new tree that orders the same instances. Every tree is
//! legal by construction (each band row is checked exactly against every dependence), and `proof` proves it
//! again.
//! Invariants: deterministic; relaxes no dependence by itself, so each element's order of floating-point operations
//! stays but where the program's flags let updates change places.
//!
//! Flow: `problem` (rows) -> `farkas` (generators of each dependence) -> `graph` (components) -> `bands` with `pluto`
//! (hyperplanes, by candidates or by `ilp`) -> `layout` with `cost` (order, tile sizes, profitability) -> `laid` (the
//! tree, by the operations of `transform`).
//! Sources: Bondhugula et al., CC 2008 and PLDI 2008 (Pluto); Feautrier, IJPP 21(5-6), 1992 (Farkas lemma in
//! scheduling); Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015 (schedule trees).

mod asked;
mod bands;
mod baseline;
mod blocks_around;
mod contraction;
mod depth_blocks;
mod diamond;
mod diamond_tiles;
mod fusion;
mod graph;
mod guards;
mod idle;
mod ilp;
pub mod index_sets;
mod laid;
mod layout;
mod mirrors;
mod origins;
mod pluto;
mod problem;
mod recurrences;
pub mod rows;
mod search;
mod staggered;
mod straight;
mod strips;
mod strips_around;
mod sunk;

pub use crate::cost::Machine;
use crate::cost::{Estimate, Scenario, refs, scenarios, sizes};
use crate::deps::{Dependences, loops};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::contraction::{Copies, Fresh};
use crate::model::tree::Node;
use crate::model::{Access, AccessKind, Scop, Stmt, StmtBody};
use crate::outcome::Costs;
use bands::Plan;
use baseline::Memory;
pub use fusion::Fusion;
use log::{debug, info, trace};
use presburger::Budget;
pub use problem::Solving;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The stage name of this stage's budget.
const STAGE: &str = "schedule";

/// Choices of the user.
#[derive(Clone, Debug)]
pub struct Config {
    /// Tile permutable bands.
    pub tiling: bool,
    /// Tile size per band member, in values of the member; the last one repeats. Empty: chosen from the caches.
    pub tile_sizes: Vec<i64>,
    /// Tile twice, tiles inside of tiles: with `second_level_tile_sizes`, or where the cost model expects a gain.
    pub second_level_tiling: bool,
    /// Size per band member of the tiles inside of tiles, in values of the member; the last one repeats. Empty: chosen
    /// by the cost model.
    pub second_level_tile_sizes: Vec<i64>,
    /// Which statements share loops.
    pub fusion: Fusion,
    /// Move the best dimension of a permutable band innermost and mark it for vectorization.
    pub vectorize: bool,
    /// Unroll-and-jam point loops.
    pub unroll_jam: bool,
    /// Tile stencils in diamonds where that lets all tiles along the first time step start at once.
    pub diamond_tiling: bool,
    /// For a GPU: hexagons instead of diamonds where they pay, else no tiles.
    pub hexagons: Option<AskedHexagons>,
    /// Dims that hyperplanes count from their other end.
    pub reversals: index_sets::Reversals,
    /// How integer programs are stated and solved.
    pub solving: Solving,
    /// Prefer loops that threads can share: tile loops are ordered so that one is far out, where no tile loop is
    /// coincident tiles run in wavefronts, and where one core gains too little the answer is [`Decision::Close`].
    pub parallel: bool,
    /// Transform even where the cost model expects no gain.
    pub process_unprofitable: bool,
    /// Estimated gain on one core below which the original stays, in hundredths; 0: whatever is estimated.
    pub min_gain_percent: u64,
    /// Statements that may run as contractions: their arithmetic can be done in vectors.
    pub contractions: BTreeSet<StmtId>,
    /// Who reads why an order stays.
    pub readers: Readers,
    /// The program to compare with, where this one has its loops along short rows coalesced.
    pub rows: Option<Rc<rows::Rows>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tiling: true,
            tile_sizes: Vec::new(),
            second_level_tiling: false,
            second_level_tile_sizes: Vec::new(),
            fusion: Fusion::Smart,
            vectorize: true,
            unroll_jam: true,
            diamond_tiling: true,
            hexagons: None,
            reversals: index_sets::Reversals::new(),
            solving: Solving::default(),
            parallel: false,
            process_unprofitable: false,
            min_gain_percent: WORTHWHILE_PERCENT,
            contractions: BTreeSet::new(),
            readers: Readers::Some,
            rows: None,
        }
    }
}

/// Who reads why the original order stays, and what the best new one would have gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Nobody: no order is looked for where none can pay.
    None,
    /// Somebody.
    Some,
}

impl Config {
    /// Whether an order has to be estimated to pay.
    const fn is_choosy(&self) -> bool {
        !self.process_unprofitable && self.min_gain_percent > 0
    }
}

/// Sizes of hexagons that the user gave: time steps of half a tile, iterations along its base, iterations of the other
/// loops in a tile; the last one repeats. Empty: chosen by the cost model.
pub type AskedHexagons = Vec<i64>;

/// What the scheduler decided.
#[derive(Clone, Debug)]
// There is one for each region.
#[allow(clippy::large_enum_variant)]
pub enum Decision {
    /// The original order stays.
    Keep {
        /// Why, in the user's words.
        reason: String,
        /// What the best new order was estimated to gain, if there was one.
        costs: Option<Costs>,
    },
    /// A new order.
    Transformed {
        /// Root is a [`Node::Domain`].
        tree: Node,
        /// What was done.
        summary: Summary,
    },
    /// An order that one core gains too little by; only where [`Config::parallel`] holds.
    Close(Box<Close>),
}

impl Decision {
    /// The new order, if there is one.
    #[must_use]
    pub fn tree(&self) -> Option<&Node> {
        match self {
            Self::Keep { .. } => None,
            Self::Transformed { tree, .. } => Some(tree),
            Self::Close(close) => Some(&close.tree),
        }
    }
}

/// An order that may be better than the original one in threads alone.
#[derive(Clone, Debug)]
pub struct Close {
    /// Root is a [`Node::Domain`].
    pub tree: Node,
    /// What was done.
    pub summary: Summary,
    /// Estimated time of the new order.
    pub made: Estimate,
    /// Estimated time of the original order.
    pub original: Estimate,
    /// What both estimates were made from, by statement.
    pub facts: Vec<refs::Facts>,
}

/// What was done to the loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Steps in the user's words, each once: "distributed", "interchanged", "skewed", "tiled 32x32x32", "vectorizable".
    pub steps: Vec<String>,
    /// Estimated time of the original over the estimated time of the new order, in hundredths: the least of all that
    /// may be.
    pub gain_percent: u64,
    /// Estimated time of both orders where nothing is known of the parameters; `None`: not estimated.
    pub costs: Option<Costs>,
    /// Estimated time of the new order in the usual scenario; 0: not estimated.
    pub usual: Estimate,
    /// What each parameter has to be at least for that, the least number where nothing is asked of it; empty where
    /// nothing is asked of any.
    pub least: Vec<i64>,
    /// As [`Demands::thin`].
    pub thin: BTreeMap<usize, Vec<i64>>,
    /// Whether chains of results run side by side in jammed copies of a loop that cannot be vectorized.
    pub has_jammed_chains: bool,
    /// Whether copies of a loop are lanes of vectors.
    pub has_lanes: bool,
    /// Parameters that bound loops which only pay for copies of their data from some length on.
    pub lengths: BTreeMap<usize, i64>,
    /// The least that those may be asked for where an estimate says that this is enough; as much, where none does.
    pub floors: BTreeMap<usize, i64>,
    /// Copies of data that the region makes.
    pub copies: Vec<Copies>,
    /// The same with what they cost where their memory is fresh.
    pub fresh: Option<Fresh>,
    /// Number of bands, tiled bands, and integer programs solved.
    pub bands: usize,
    /// Bands that were tiled.
    pub tiled: usize,
    /// Integer programs solved.
    pub solves: ilp::Solves,
}

#[cfg(test)]
pub(crate) mod tests;

/// Estimated gain on one core below which the original stays, in hundredths.
pub const WORTHWHILE_PERCENT: u64 = 135;
/// The same where loops may run in threads, which a new order may have less of.
pub const WORTHWHILE_IN_THREADS_PERCENT: u64 = 225;
/// Estimated gain on the usual core, in hundredths, from which on the mean counts of it and a larger one on the quick
/// core.
const ON_BOTH_PERCENT: f64 = 110.0;
/// Part of its estimated time from which on memory decides what an order takes.
const OF_MEMORY: f64 = 0.5;
/// Estimated gain, in hundredths, that is none to lose.
const NO_LOSS_PERCENT: f64 = 105.0;
/// Part by which the lines that two orders move may differ that are the same.
const SAME_LINES: f64 = 0.02;
/// Estimated gain, in hundredths, that an order has to have wherever memory does not decide to need none where it does.
const CLEARLY_PERCENT: f64 = 175.0;
/// What is said of an order whose innermost loops can run in vectors.
pub const VECTORIZABLE: &str = "vectorizable";
/// What is said of loops that are one in the program that is ordered.
const COALESCED: &str = "coalesced";
/// Why the original order stays where one core gains too little.
pub const NOT_FASTER: &str = "the best new order is not estimated to be enough faster than the original one";
/// Why it stays where no other one is found.
pub const NO_OTHER: &str = "no other order that respects all dependences was found";
/// Why it stays where little is done.
pub const TOO_LITTLE: &str = "the loops do too little work for new code to pay";
/// Estimated cycles that new code has to save to pay: its first run brings in its pages, and learns its branches.
pub const LEAST_SAVED_CYCLES: f64 = 30_000.0;
/// Sizes that are parameters below which no new code is run.
const LEAST_SIZE: i64 = 24;
/// The same where not even the largest of the tiny sizes that are estimated gains.
const LEAST_BEHIND_TINY: i64 = 150;
/// Gain (hundredths) that is asked for where data is thin.
const THIN_PERCENT: f64 = 150.0;
/// The same where rows run in lanes, of which more is left behind the last block.
const THIN_IN_LANES_PERCENT: f64 = 200.0;
/// Gain (hundredths) that is asked for where bands and windows are narrow.
const NARROW_PERCENT: u64 = 120;
/// How much more (hundredths) is asked for where statements branch on data.
const BRANCHES_PERCENT: f64 = 150.0;

/// What new code asks of the data that it is run on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demands {
    /// As [`Summary::least`].
    pub least: Vec<i64>,
    /// What is asked instead where the data is thin along a parameter, by that parameter.
    pub thin: BTreeMap<usize, Vec<i64>>,
    /// As [`Summary::fresh`].
    pub fresh: Option<Fresh>,
}

impl Demands {
    /// What both ask of it.
    #[must_use]
    pub fn and(self, other: Demands) -> Demands {
        let more = |own: &[i64], other: &[i64]| -> Vec<i64> {
            let of = |all: &[i64], k: usize| all.get(k).copied().unwrap_or(i64::MIN);
            (0..own.len().max(other.len())).map(|k| of(own, k).max(of(other, k))).collect()
        };
        let both = |(k, own): (&usize, &Vec<i64>)| Some((*k, more(own, other.thin.get(k)?)));
        let thin = self.thin.iter().filter_map(both).collect();
        Demands { least: more(&self.least, &other.least), thin, fresh: self.fresh.or(other.fresh) }
    }
}

impl Summary {
    /// Estimated cycles of the new order in the usual scenario.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.usual.cycles as u64
    }

    /// What the order asks of the data.
    #[must_use]
    pub fn demands(&self) -> Demands {
        Demands { least: self.least.clone(), thin: self.thin.clone(), fresh: self.fresh.clone() }
    }
}

/// The new order of a SCoP, or why the original stays.
///
/// Exact in legality, heuristic in choice. Cost: grows with statements times dependences, not with sizes.
///
/// # Errors
/// `Failure::Limit` when the budget is spent or an integer program is too large; the original order is then to be kept.
pub fn schedule(
    scop: &Scop,
    deps: &Dependences,
    cfg: &Config,
    machine: &Machine,
    budget: &Budget,
) -> Result<Decision, Failure> {
    if !cfg.process_unprofitable && scop.stmts.iter().all(|s| s.dims() == 0) {
        return Ok(keep("there is no loop to reorder"));
    }
    let Some(bound) = strips::bound(scop, deps, budget)? else {
        return Ok(keep("strips of the loops would break a dependence"));
    };
    let mut problem = problem::extract(scop, &bound, &cfg.reversals, budget)?;
    problem.solving = cfg.solving;
    let scenarios = scenarios(scop, machine, budget)?;
    let facts = &scenarios[0].facts;
    let context = layout::Context { facts, machine, scenarios: &scenarios, config: cfg, deps, budget };
    let in_memory = baseline::in_memory(scop);
    let nests = baseline::nests(&scop.schedule, &problem, &Memory { scop, deps: &bound, shared: &in_memory, facts });
    let as_it_is = baseline::estimate(&nests, &scenarios[0], &in_memory, facts);
    let does_little = cfg.is_choosy() && as_it_is.cycles < LEAST_SAVED_CYCLES;
    let little = || too_slow(TOO_LITTLE, costs_of(&scenarios[0], machine, [as_it_is; 2], [as_it_is; 2]));
    if does_little && cfg.readers == Readers::None {
        return Ok(little());
    }
    let may_mirror = cfg.reversals.is_empty() && !cfg.parallel;
    let mirrored = may_mirror.then(|| mirrors::of(scop)).flatten();
    let mirrored = mirrored.map(|reversals| Config { reversals, ..cfg.clone() });
    let (context, found) = search::better(scop, context, (&problem, &bound), mirrored.as_ref())?;
    let Some(search::Order { plan, tree, made, mut summary, .. }) = found else {
        return Ok(if does_little { little() } else { keep(NO_OTHER) });
    };
    trace!(target: "polyrs::cost", "{}: the original order", scop.name);
    let before = cfg.rows.as_ref().map(|rows| rows::Before::of(rows, &scenarios[0], budget)).transpose()?;
    let judged = asked::Judged { scop, context, plan: &plan, nests: &nests, in_memory: &in_memory, before };
    let (original, made, alone) = judged.compared(&scenarios, made)?;
    if is_distributed(&scop.schedule, &plan) {
        summary.steps.insert(0, "distributed".to_owned());
    }
    let all = &scenarios;
    let (not_thin, thin) = all.split_at(all.partition_point(|s| s.thin.is_none()));
    let (scenarios, tiny) = not_thin.split_at(not_thin.partition_point(|s| !s.is_tiny));
    let (alone, of_thin) = alone.split_at(not_thin.len());
    let (alone, of_tiny) = alone.split_at(scenarios.len());
    let gains = in_pairs(alone, machine.is_meshed);
    let gains = where_memory_decides(gains, scenarios, (&original, &made));
    debug!(target: "polyrs::cost", "{}: gains {gains:.0?}, tiny {of_tiny:.0?}, thin {of_thin:.0?}", scop.name);
    let shortest = shortest(scop, (thin, of_thin));
    judge(scop, cfg, (scenarios, &gains, shortest), &mut summary, budget)?;
    let told = decisive((scenarios, &gains), alone, &summary);
    let costs = costs_of(&scenarios[told], machine, [original[told], made[told]], [original[0], made[0]]);
    summary.costs = Some(costs);
    if !cfg.process_unprofitable {
        let data = [(scenarios, &gains[..]), (tiny, of_tiny), (thin, of_thin)];
        let smallest = if tiny.is_empty() { 0 } else { scenarios.len() };
        let is_slow = waits(&original[smallest])
            || contraction::takes_one_by_one(&summary, &not_thin[smallest], &original[smallest]);
        ask(&judged, data, is_slow, &mut summary)?;
        idle::ask(scop, &tree, &mut summary.least)?;
        contraction::price(&mut summary, not_thin, (&original, &made));
        summary.thin = thin_data((scop, cfg), (thin, of_thin), &summary, budget)?;
    }
    tell(scop, &summary, [original[0], made[0]]);
    if cfg.is_choosy() && !cfg.parallel && summary.steps.is_empty() && decides_by_data(scop) {
        return Ok(too_slow(NOT_FASTER, costs));
    }
    if is_coalesced(scop) {
        summary.steps.insert(0, COALESCED.to_owned());
    }
    let tree = loops::withdraw(scop, deps, tree, budget)?;
    Ok(weighed(cfg, (tree, summary, costs), [original[0], made[0]], facts))
}

/// Tells developers of an order, and of estimates in the usual scenario.
fn tell(scop: &Scop, summary: &Summary, [original, made]: [Estimate; 2]) {
    debug!(
        "{}: {} integer programs solved in {} nodes: {}",
        scop.name,
        summary.solves.calls,
        summary.solves.nodes,
        if summary.steps.is_empty() { "the original order".to_owned() } else { summary.steps.join(", ") }
    );
    info!(
        target: "polyrs::cost",
        "{}: original {} new {} gain {} steps {}",
        scop.name,
        original,
        made,
        summary.gain_percent,
        summary.steps.join("; ")
    );
}

/// Whether some of its loops are two of the original code.
fn is_coalesced(scop: &Scop) -> bool {
    scop.stmts.iter().any(|s| matches!(&s.body, StmtBody::Original(code) if !code.single.is_empty()))
}

/// Whether data decide what statements write: written anew, the same order has their conditions in another form than
/// what later passes made of the user's.
fn decides_by_data(scop: &Scop) -> bool {
    scop.stmts.iter().flat_map(|s| &s.accesses).any(|a| a.kind == AccessKind::MayWrite)
}

/// The order, if it is estimated to gain enough over the original one in the usual scenario, which `facts` are of.
fn weighed(
    cfg: &Config,
    (tree, summary, costs): (Node, Summary, Costs),
    [original, made]: [Estimate; 2],
    facts: &[refs::Facts],
) -> Decision {
    if cfg.is_choosy() {
        if original.cycles < LEAST_SAVED_CYCLES {
            return too_slow(TOO_LITTLE, costs);
        }
        if summary.gain_percent < cfg.min_gain_percent {
            if !cfg.parallel {
                return too_slow(NOT_FASTER, costs);
            }
            return Decision::Close(Box::new(Close { tree, summary, made, original, facts: facts.to_vec() }));
        }
        // An order that asks for large sizes saves there.
        let saved = (original.cycles - made.cycles).max(costs.original - costs.new);
        if !cfg.parallel && saved < LEAST_SAVED_CYCLES {
            return too_slow(TOO_LITTLE, costs);
        }
    }
    Decision::Transformed { tree, summary }
}

/// Gains on the usual core and on the quick one, which stand side by side: the less one, but their mean where new code
/// gains more on the quick one, which the usual one holds back by its memory alone, and where the core is known to be
/// none of the quick ones.
fn in_pairs(gains: &[f64], is_meshed: bool) -> Vec<f64> {
    let of = |pair: &[f64]| match pair {
        [usual, quick] if is_meshed && usual > quick => vec![(usual * quick).sqrt(); 2],
        [usual, quick] if (ON_BOTH_PERCENT..*quick).contains(usual) => vec![(usual * quick).sqrt(); 2],
        _ => vec![pair.iter().copied().fold(f64::INFINITY, f64::min); pair.len()],
    };
    gains.chunks(2).flat_map(of).collect()
}

/// Gains (hundredths) where sizes at which both orders take as long as the same lines take from memory ask for no more
/// than not to lose, if the order gains clearly at all others: it is little that the model can be wrong by there.
fn where_memory_decides(
    mut gains: Vec<f64>,
    scenarios: &[Scenario],
    (original, made): (&[Estimate], &[Estimate]),
) -> Vec<f64> {
    let lines = |estimate: &Estimate| estimate.parts.lines[2];
    let are_same = |k: usize| (lines(&original[k]) - lines(&made[k])).abs() <= SAME_LINES * lines(&made[k]);
    let usual = |k: usize| k / 2 * 2;
    let decides = |k: &usize| lines(&made[usual(*k)]) >= OF_MEMORY * made[usual(*k)].cycles && are_same(usual(*k));
    let is_usual = |k: &usize| !scenarios[*k].is_narrow && !scenarios[*k].is_short;
    let (held, others): (Vec<usize>, Vec<usize>) = (0..gains.len()).filter(is_usual).partition(decides);
    let gains_clearly = !others.is_empty() && others.iter().all(|k| gains[*k] >= CLEARLY_PERCENT);
    for k in held.into_iter().filter(|_| gains_clearly) {
        if gains[k] >= NO_LOSS_PERCENT {
            gains[k] = gains[k].max(WORTHWHILE_PERCENT as f64);
        }
    }
    gains
}

/// The gain that can be counted on: the least of all scenarios (hundredths), or of those of a size on, if only these
/// gain enough. Too little where bands and windows are narrow counts, more there does not.
fn judge(
    scop: &Scop,
    cfg: &Config,
    (scenarios, gains, shortest): (&[Scenario], &[f64], f64),
    summary: &mut Summary,
    budget: &Budget,
) -> Result<(), Failure> {
    let enough = cfg.min_gain_percent;
    let asked = asked_for(scop);
    let gains: &[f64] = &gains.iter().map(|gain| gain / asked).collect::<Vec<f64>>();
    let usual = scenarios.iter().take_while(|s| !s.is_narrow && !s.is_short).count();
    let narrow = scenarios.iter().zip(gains).filter(|(s, _)| s.is_narrow).map(|(_, gain)| *gain).collect::<Vec<f64>>();
    let gains = &gains[..usual];
    let least = |gains: &[f64]| gains.iter().copied().fold(1e9, f64::min) as u64;
    summary.gain_percent = least(gains);
    if !cfg.process_unprofitable && !cfg.parallel && least(&narrow) < NARROW_PERCENT {
        summary.gain_percent = summary.gain_percent.min(least(&narrow));
        return Ok(());
    }
    if cfg.process_unprofitable || cfg.parallel || summary.gain_percent >= enough {
        return Ok(());
    }
    if let Some(least) = sizes::least_size(&scenarios[..usual], gains, enough as f64) {
        summary.gain_percent = enough;
        summary.least = sizes::bounds(scop, (least, shortest), budget)?.into_iter().map(|size| size as i64).collect();
        summary.steps.push(format!("if sizes are at least {least}"));
    }
    Ok(())
}

/// How many times the gain is asked for that is without branches.
fn asked_for(scop: &Scop) -> f64 {
    if branches(scop) { BRANCHES_PERCENT / 100.0 } else { 1.0 }
}

/// Whether a statement in loops decides by data what it stores: LLVM makes straight code of such branches in some
/// orders and not in others, and those that are left are guessed wrong as often as the data likes.
fn branches(scop: &Scop) -> bool {
    let writes = |s: &Stmt| s.accesses.iter().filter(|a| a.kind != AccessKind::Read).cloned().collect::<Vec<Access>>();
    let is_one_of_two = |all: &[Access], k: usize| {
        let twin =
            |a: &Access| a.array == all[k].array && a.inst != all[k].inst && a.subscripts() == all[k].subscripts();
        scop.array(all[k].array).is_memory() && all[k].carries.is_none() && all.iter().any(twin)
    };
    let inside = scop.stmts.iter().filter(|s| s.dims() > 0);
    inside.map(writes).any(|all| (0..all.len()).any(|k| is_one_of_two(&all, k)))
}

/// Whether the original waits for results most of the time: it is as slow with short rows as with long ones, while one
/// in vectors is fast where the model says that it is slow, in rows of one or two vectors.
fn waits(original: &Estimate) -> bool {
    2.0 * original.parts.latency > original.cycles
}

/// Asks for sizes and lengths from which on an order pays, and then for less of each where that is enough. `data`:
/// usual, tiny and thin, with gains; `is_slow`: whether the original takes elements one by one, or waits.
fn ask(
    judged: &asked::Judged<'_>,
    data: [(&[Scenario], &[f64]); 3],
    is_slow: bool,
    summary: &mut Summary,
) -> Result<(), Failure> {
    let (scop, layout::Context { config, budget, .. }) = (judged.scop, judged.context);
    if config.parallel {
        contraction::ask_for_lengths(summary, scop.params.len());
        return Ok(());
    }
    let growing = sizes::growing(scop, budget)?;
    ask_for_sizes(scop, data, &growing, summary)?;
    contraction::ask_for_lengths(summary, scop.params.len());
    if summary.gain_percent < config.min_gain_percent {
        return Ok(());
    }
    let floors = if is_slow { &summary.floors } else { &summary.lengths };
    let is_priced = is_slow && !summary.copies.is_empty() && summary.copies.iter().all(|c| c.costs.is_some());
    match judged.less_asked((&summary.least, floors, is_priced), &growing, THIN_PERCENT * asked_for(scop)) {
        Ok(less) => summary.least = less,
        Err(Failure::Limit(_)) => {}
        Err(failure) => return Err(failure),
    }
    Ok(())
}

/// Asks for sizes from which on new code pays where it gains at all that are estimated: tiny data is not among them,
/// of which entering loops, tests and strips takes most of the time; nor is data that is short where new code does not
/// gain by that.
fn ask_for_sizes(
    scop: &Scop,
    [(scenarios, gains), (tiny, of_tiny), (thin, of_thin)]: [(&[Scenario], &[f64]); 3],
    growing: &[Option<f64>],
    summary: &mut Summary,
) -> Result<(), Failure> {
    if summary.least.is_empty() {
        let size = least_of_tiny((tiny, of_tiny), sizes::row_elems(scop)? as i64);
        let least = |taken_for: &Option<f64>| taken_for.map_or(i64::MIN, |of| size.min((of / 2.0) as i64));
        summary.least = growing.iter().map(least).collect();
    }
    let falls_short = |gain: f64| gain < NARROW_PERCENT as f64;
    if scenarios.iter().zip(gains).any(|(s, gain)| s.is_short && falls_short(*gain))
        || sizes::least_in_windows(thin, of_thin).is_some_and(falls_short)
    {
        let of = sizes::asked_of_depths(scop, growing, LEAST_SIZE as f64);
        summary.least.iter_mut().zip(of).for_each(|(least, of)| *least = (of as i64).max(*least));
    }
    Ok(())
}

/// The least that is asked of parameters that no large array grows with.
fn shortest(scop: &Scop, (thin, gains): (&[Scenario], &[f64])) -> f64 {
    let pays = |gain: f64| gain >= THIN_PERCENT * asked_for(scop);
    if sizes::least_in_windows(thin, gains).is_some_and(pays) { sizes::OF_WINDOW } else { sizes::SHORTEST }
}

/// What is asked of thin data, by the parameter that it is thin along: less of this one than of other data.
fn thin_data(
    (scop, cfg): (&Scop, &Config),
    (thin, gains): (&[Scenario], &[f64]),
    summary: &Summary,
    budget: &Budget,
) -> Result<BTreeMap<usize, Vec<i64>>, Failure> {
    let enough = if summary.has_lanes { THIN_IN_LANES_PERCENT } else { THIN_PERCENT };
    let found = sizes::least_thin(thin, gains, enough * asked_for(scop));
    if found.is_empty() || cfg.parallel {
        return Ok(BTreeMap::new());
    }
    let thinned = sizes::thinned(scop, &sizes::growing(scop, budget)?, budget)?;
    let of = |(k, size): (usize, f64)| {
        let own = summary.lengths.get(&k).copied().unwrap_or(i64::MIN).max(size as i64);
        let beside = |j: usize| if thinned.beside[j] { sizes::BESIDE_THIN as i64 } else { i64::MIN };
        let least =
            |j: usize| if j == k { own } else { beside(j).max(summary.least.get(j).copied().unwrap_or(i64::MIN)) };
        let is_less = summary.least.get(k).is_some_and(|least| own < *least);
        is_less.then(|| (k, (0..thinned.beside.len()).map(least).collect()))
    };
    Ok(found.into_iter().filter_map(of).collect())
}

/// The size from which on all tiny data gains, where rows of so many elements count.
fn least_of_tiny((tiny, gains): (&[Scenario], &[f64]), row: i64) -> i64 {
    let Some(last) = gains.iter().rposition(|gain| *gain < WORTHWHILE_PERCENT as f64) else { return LEAST_SIZE * row };
    tiny.get(last + 1).and_then(|s| s.size).map_or(LEAST_BEHIND_TINY * row, |size| size as i64)
}

/// The scenario whose estimate is told: that of the least gain, which decides, among the sizes from which on the new
/// order runs. Of the usual core and the quick one it is that whose own gain (`alone`) is less.
fn decisive((scenarios, gains): (&[Scenario], &[f64]), alone: &[f64], summary: &Summary) -> usize {
    let from = summary.least.iter().copied().max().unwrap_or(0) as f64;
    let counts = |k: &usize| {
        let s = &scenarios[*k];
        let runs = s.size.is_none_or(|size| size >= from);
        runs && !s.is_short && (!s.is_narrow || gains[*k] < NARROW_PERCENT as f64)
    };
    let order = |a: usize, b: usize| gains[a].total_cmp(&gains[b]).then(alone[a].total_cmp(&alone[b]));
    (0..gains.len()).filter(counts).min_by(|&a, &b| order(a, b)).unwrap_or(0)
}

/// What is told of the original and the new order in the scenario that decides, and in the usual one.
fn costs_of(told: &Scenario, target: &Machine, decisive: [Estimate; 2], usual: [Estimate; 2]) -> Costs {
    let [original, new] = decisive.map(|estimate| estimate.cycles);
    let (size, is_roomy) = (told.size.map(|size| size as u64), told.machine.is_roomier(target));
    Costs { original, new, size, is_roomy, usual: usual.map(|estimate| estimate.cycles) }
}

fn keep(reason: &str) -> Decision {
    Decision::Keep { reason: reason.to_owned(), costs: None }
}

fn too_slow(reason: &str, costs: Costs) -> Decision {
    Decision::Keep { reason: reason.to_owned(), costs: Some(costs) }
}

/// Whether the plan has more outermost parts than the original.
fn is_distributed(original: &Node, plan: &Plan) -> bool {
    fn parts(plan: &Plan) -> usize {
        match plan {
            Plan::Seq(children) => children.iter().map(parts).sum(),
            Plan::Outside(outside) => parts(&outside.child),
            Plan::Band(_) | Plan::Diamond(_) | Plan::Leaf(_) => 1,
        }
    }
    parts(plan) > outermost_parts(original)
}

/// Number of outermost loop nests of a tree.
fn outermost_parts(node: &Node) -> usize {
    match node {
        Node::Band(..) | Node::Leaf => 1,
        outside => outside.children().iter().map(outermost_parts).sum(),
    }
}
