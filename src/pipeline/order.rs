//! The order of one region: from the scheduler or from the user, with roles, proved.

use super::budgets::{Shares, Stage};
use super::{threads, users};
use crate::ast::{self, Ast};
use crate::cost::Machine;
use crate::deps::{self, Dependences};
use crate::error::{Failure, GaveUp};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::contraction::{among, formula};
use crate::model::tree::Node;
use crate::model::{Array, Contexts, Scop, Stmt, jscop};
use crate::options::{FusionStrategy, Optimizer, Options, Target};
use crate::parallel::device::{Mapped, time_tiles};
use crate::parallel::{self, NotCopied, Ordered};
use crate::proof::{self, Verdict};
use crate::schedule::index_sets::{Reversals, Split};
use crate::schedule::rows::Rows;
use crate::schedule::{self, Decision, Demands, Fusion, LEAST_SAVED_CYCLES, Readers, Summary, VECTORIZABLE};
use crate::storage::scalars;
use crate::transform::script;
use crate::transform::script::parse::{Section, Verb};
use log::debug;
use presburger::{Budget, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What is told where finding out whether small arrays for scalars pay takes too long.
const NO_STRIPS: &str = "local variables get no arrays for strips of the loops";

/// What is said of loops that keep their order in new code.
pub const ORIGINAL_ORDER: &str = "original order";

/// What is told where finding out what one thread does best takes too long.
pub const NOT_ALONE: &str = "there are no loops of their own for one thread";
/// Why an order stays although another one is estimated to gain for large sizes.
pub const PAYS_NOWHERE: &str =
    "new loops would pay only for sizes that the rows of the arrays, or the types of subscripts, have no room for";
/// Part of the schedule's budget that the order for one core may cost, where there is one for threads.
const FOR_ONE_PART: u64 = 2;

/// Part of the schedule's budget that scalars in small arrays may cost, with an order of them.
const STRIPS_PART: u64 = 10;
/// Gain by them over that without, in hundredths.
const STRIPS_PERCENT: u64 = 125;
/// Estimated gain by them over the original order, in hundredths.
const STRIPS_LEAST_PERCENT: u64 = 200;
/// The same where chains become lanes of vectors.
const LANES_LEAST_PERCENT: u64 = 110;

/// Arrays of which threads must not have copies, and why ([`parallel::Config::shared`]).
type Shared = BTreeMap<ArrayId, NotCopied>;

/// A region in its order.
pub struct Region {
    /// The code; domains may be split.
    pub code: Split,
    /// Its order with roles, proved.
    pub ordered: Ordered,
    /// The code before its scalars, or some of its rows, got arrays for strips of loops: a GPU runs loops of that.
    as_written: Option<AsWritten>,
    /// What says what the code touches, where that is not itself: the code before its loops were coalesced.
    pub touching: Option<Box<Scop>>,
    /// Arrays of which nobody outside of the region reads what it leaves.
    pub not_live_out: BTreeSet<ArrayId>,
    /// The order before it had roles.
    proposal: Proposal,
    /// Arrays of which threads must not have copies, and why.
    shared: Shared,
    /// What was not found out on the way to its order.
    pub gave_up: Vec<GaveUp>,
    /// Estimated gain (hundredths) of an order with local variables in arrays, where that is not taken.
    pub gain_by_arrays: u64,
    /// Why it is not the order that the user asks for; threads may run the loops in their own.
    pub refused: Option<String>,
}

/// A region's code without arrays for strips of loops.
struct AsWritten {
    code: Split,
    /// As [`Region::not_live_out`].
    not_live_out: BTreeSet<ArrayId>,
}

impl Region {
    /// Whether the original order stays.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        matches!(self.ordered.decision, Decision::Keep { .. })
    }

    /// The region where this program, which has its parameters and arrays, says what it touches.
    #[must_use]
    pub fn touching(self, program: Scop) -> Self {
        Self { touching: Some(Box::new(program)), ..self }
    }

    /// The code that a GPU runs loops of, if that is not the host's.
    #[must_use]
    pub fn other_for_device(&self) -> Option<&Split> {
        self.as_written.as_ref().map(|other| &other.code)
    }

    /// The code that a GPU runs loops of.
    #[must_use]
    pub fn code_for_device(&self) -> &Split {
        self.other_for_device().unwrap_or(&self.code)
    }

    /// Arrays of that code of which nobody outside of the region reads what it leaves.
    #[must_use]
    pub fn not_live_out_for_device(&self) -> &BTreeSet<ArrayId> {
        self.as_written.as_ref().map_or(&self.not_live_out, |other| &other.not_live_out)
    }

    /// Whether the order is the user's.
    #[must_use]
    pub fn is_users(&self) -> bool {
        self.proposal.by_user.is_some()
    }

    /// Whether the order is what one core prefers, although threads are wanted.
    #[must_use]
    pub fn is_for_one(&self) -> bool {
        matches!(self.proposal.of_one, OfOne::Itself)
    }
}

/// An order before it has roles, and who answers for it.
#[derive(Clone)]
struct Proposal {
    decision: Decision,
    /// What the user calls it, if it is the user's: then it may be illegal.
    by_user: Option<String>,
    /// Whether it says which loops threads run.
    has_roles: bool,
    of_one: OfOne,
}

impl Proposal {
    /// The user's, called so.
    fn of_user(decision: Decision, name: String, has_roles: bool) -> Self {
        Self { decision, by_user: Some(name), has_roles, of_one: OfOne::Unknown }
    }
}

/// What one core prefers, where threads are wanted.
#[derive(Clone)]
enum OfOne {
    Unknown,
    /// The order that is proposed.
    Itself,
    /// Another one of the same code.
    Known(Box<Decision>),
}

/// The best order of a region, or the user's, with roles for threads if these are wanted. The last step is the proof of
/// the very tree that is built.
///
/// # Errors
/// `Limit` when a budget is spent; `Bug` for an illegal order that is not the user's.
pub fn of_region(
    scop: Scop,
    deps: Dependences,
    facts: &FunctionFacts,
    machine: &Machine,
    (options, readers, rows, shares): (&Options, Readers, Option<Rc<Rows>>, &Shares<'_>),
) -> Result<Region, Failure> {
    let config = schedule::Config { readers, rows, ..full_config(&scop, facts, options) };
    let (mut gave_up, mut gain_by_arrays) = (Vec::new(), 0);
    let found_out = (&mut gave_up, &mut gain_by_arrays);
    let propose = |budget: &Budget| propose(scop, deps, (facts, machine), (options, &config), found_out, budget);
    let (code, proposal, as_written) = shares.run(Stage::Schedule, propose)?;
    // Whichever module met it, the budget was the schedule's.
    for found in &mut gave_up {
        if let Failure::Limit(limit) = &mut found.why {
            limit.stage = Stage::Schedule.name();
        }
    }
    let not_live_out = parallel::not_live_out(&code.scop, facts);
    let as_written = as_written.map(|code| {
        let not_live_out = parallel::not_live_out(&code.scop, facts);
        AsWritten { code, not_live_out }
    });
    let region = in_order((code, not_live_out), proposal, Shared::new(), facts, (options, shares))?;
    Ok(Region { as_written, gave_up, gain_by_arrays, ..region })
}

/// The region without copies of these arrays, for this reason, besides those that threads had none of before: with
/// roles given and proved anew.
///
/// # Errors
/// As [`of_region`].
pub fn without_copies(
    region: Region,
    (shared, why): (&BTreeSet<ArrayId>, NotCopied),
    facts: &FunctionFacts,
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Region, Failure> {
    if shared.iter().all(|a| region.shared.contains_key(a)) {
        return Err(Failure::Bug("threads have copies of arrays that they must not have any of".to_owned()));
    }
    let Region { code, as_written, touching, not_live_out, proposal, shared: mut all, gave_up, gain_by_arrays, .. } =
        region;
    all.extend(shared.iter().map(|a| (*a, why)));
    let region = in_order((code, not_live_out), proposal, all, facts, (options, shares))?;
    Ok(Region { as_written, touching, gave_up, gain_by_arrays, ..region })
}

/// The code in the proposed order, with roles that copy none of the `shared` arrays, proved.
fn in_order(
    (code, not_live_out): (Split, BTreeSet<ArrayId>),
    proposal: Proposal,
    shared: Shared,
    facts: &FunctionFacts,
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Region, Failure> {
    let known = Known { code: &code, facts, not_live_out: &not_live_out, shared: &shared };
    let (ordered, refused) = proved(&known, proposal.clone(), options, shares)?;
    let (as_written, touching, gave_up, gain_by_arrays) = (None, None, Vec::new(), 0);
    Ok(Region { code, ordered, as_written, touching, not_live_out, proposal, shared, gave_up, gain_by_arrays, refused })
}

/// What is known of a region before it has an order.
struct Known<'a> {
    code: &'a Split,
    facts: &'a FunctionFacts,
    not_live_out: &'a BTreeSet<ArrayId>,
    shared: &'a Shared,
}

/// The order that is best in one thread.
///
/// # Errors
/// As [`of_region`].
pub fn for_one_thread(
    region: &Region,
    (facts, machine): (&FunctionFacts, &Machine),
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Decision, Failure> {
    let code = &region.code;
    let options = of_one(options);
    let decision = match &region.proposal.of_one {
        OfOne::Known(decision) => (**decision).clone(),
        OfOne::Unknown | OfOne::Itself => {
            let config = full_config(&code.scop, facts, &options);
            shares.run(Stage::Schedule, |budget| scheduled(code, machine, (&options, &config), budget))?
        }
    };
    if let Some(tree) = decision.tree() {
        let prove = |budget: &Budget| proof::prove(&code.scop, &code.deps, tree, &region.not_live_out, budget);
        refuse(shares.run(Stage::Proof, prove)?)?;
    }
    Ok(decision)
}

/// Where an order for a GPU comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForDevice {
    /// The program.
    Original,
    /// The scheduler.
    Scheduled,
    /// The scheduler, told to fuse nothing.
    Distributed,
    /// The scheduler, told to tile stencils in time.
    TimeTiled,
}

/// An order of a region's code for a GPU, not proved yet; `None`: it has no loop for one.
///
/// # Errors
/// As [`of_region`].
pub fn for_device(
    region: &Region,
    from: ForDevice,
    machine: &Machine,
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Option<Mapped>, Failure> {
    let Split { scop, deps, .. } = region.code_for_device();
    let sizes = parallel::device::Sizes {
        asked: &options.gpu_sizes,
        tile: options.gpu_register_tile.sizes(),
        shared_bytes: if options.gpu_shared_memory { options.gpu_max_shared_bytes.count() } else { 0 },
    };
    let map = |tree: &Node| {
        let map = |budget: &Budget| parallel::device::map(scop, deps, tree, sizes, budget);
        shares.run(Stage::Parallel, map)
    };
    if from == ForDevice::Original {
        return map(&scop.schedule);
    }
    if options.optimizer != Optimizer::Pluto {
        return Ok(None);
    }
    let usual = schedule_config(options);
    let config = schedule::Config {
        tiling: false,
        second_level_tiling: false,
        second_level_tile_sizes: Vec::new(),
        tile_sizes: Vec::new(),
        diamond_tiling: false,
        unroll_jam: false,
        parallel: false,
        process_unprofitable: true,
        min_gain_percent: 0,
        hexagons: (from == ForDevice::TimeTiled)
            .then(|| options.gpu_time_tile_sizes.iter().copied().map(i64::from).collect()),
        fusion: if from == ForDevice::Distributed { Fusion::None } else { usual.fusion },
        ..usual
    };
    let decide = |budget: &Budget| scheduled(region.code_for_device(), machine, (options, &config), budget);
    let found = shares.run(Stage::Schedule, decide)?;
    let has_what_is_asked = |tree: &&Node| from != ForDevice::TimeTiled || time_tiles::are_in(tree);
    found.tree().filter(has_what_is_asked).map_or(Ok(None), map)
}

/// Proves such an order with so large a part of the proof's budget.
///
/// # Errors
/// As [`of_region`].
pub fn prove_for_device(region: &Region, mapped: &Mapped, part: u64, shares: &Shares<'_>) -> Result<(), Failure> {
    let Split { scop, deps, .. } = region.code_for_device();
    let not_live_out = region.not_live_out_for_device();
    let prove = |budget: &Budget| proof::prove(scop, deps, &mapped.tree, not_live_out, &budget.part(part));
    refuse(shares.run(Stage::Proof, prove)?)
}

/// The loops of an order, where all that they compute fits 64 bits.
///
/// # Errors
/// As [`ast::build`]; `Limit` for numbers that are too large.
pub fn built(scop: &Scop, tree: &Node, budget: &Budget) -> Result<Ast, Failure> {
    ast::range::in_range(scop, ast::build(scop, tree, &ast::Config::default(), budget)?)
}

/// An illegal order that is not the user's is our fault.
fn refuse(verdict: Verdict) -> Result<(), Failure> {
    match verdict {
        Verdict::Legal => Ok(()),
        Verdict::Illegal(violation) => Err(Failure::Bug(format!("the schedule is illegal: {violation}"))),
    }
}

/// The code, with split domains where the user wants that and it is expected to pay, and an order of it; and the code
/// for a GPU, where that is another one.
fn propose(
    scop: Scop,
    deps: Dependences,
    (facts, machine): (&FunctionFacts, &Machine),
    (options, config): (&Options, &schedule::Config),
    (gave_up, gain_by_arrays): (&mut Vec<GaveUp>, &mut u64),
    budget: &Budget,
) -> Result<(Split, Proposal, Option<Split>), Failure> {
    let by_scheduler = |decision| Proposal { decision, by_user: None, has_roles: false, of_one: OfOne::Unknown };
    if let Some(proposal) = scripted(&scop, facts, options) {
        return Ok((Split { scop, deps, reversals: Reversals::new() }, proposal, None));
    }
    if options.index_set_splitting && options.optimizer == Optimizer::Pluto && !options.import_jscop {
        let config = config_for(&scop, options);
        let (code, decision) = parallel::split::choose(scop, deps, &config, machine, gave_up, budget)?;
        return Ok((code, by_scheduler(decision), None));
    }
    let code = Split { scop, deps, reversals: Reversals::new() };
    if options.import_jscop {
        let proposal = imported(&code.scop, options, budget);
        return Ok((code, proposal, None));
    }
    let for_gpu = |code: Split| Some(code).filter(|_| options.target == Target::Gpu);
    let found_out = (&mut *gave_up, gain_by_arrays);
    if !is_for_several(options) {
        let (plain, strips) = best(&code, (facts, machine), (options, config), found_out, budget)?;
        return Ok(match strips {
            Some(strips) => (strips.code, by_scheduler(strips.decision), for_gpu(code)),
            None => (code, by_scheduler(plain), None),
        });
    }
    let for_threads = scheduled(&code, machine, (options, config), budget)?;
    let one = of_one(options);
    let config = schedule::Config { parallel: false, min_gain_percent: min_gain_percent(&one), ..config.clone() };
    let found = best(&code, (facts, machine), (&one, &config), found_out, &budget.part(FOR_ONE_PART));
    let found = found.and_then(|(plain, strips)| {
        let own = strips.as_ref().map_or((&code, &plain), |strips| (&strips.code, &strips.decision));
        let is_for_one = parallel::choose::is_for_one(own, (&code, &for_threads), machine.cores, budget)?;
        Ok((plain, strips, is_for_one))
    });
    let proposal = |decision, of_one| Proposal { of_one, ..by_scheduler(decision) };
    Ok(match GaveUp::unless(found, NOT_ALONE, gave_up)? {
        Some((_, Some(strips), true)) => (strips.code, proposal(strips.decision, OfOne::Itself), for_gpu(code)),
        Some((plain, None, true)) => (code, proposal(plain, OfOne::Itself), None),
        Some((plain, _, false)) => (code, proposal(for_threads, OfOne::Known(Box::new(plain))), None),
        None => (code, proposal(for_threads, OfOne::Unknown), None),
    })
}

/// Whether an order for threads is wanted where that is faster, and not in any case.
fn is_for_several(options: &Options) -> bool {
    threads::is_wanted(options)
        && options.optimizer == Optimizer::Pluto
        && !options.parallel_force
        && !options.process_unprofitable
        && !options.export_jscop
}

/// The best order of the code, and the code with local variables in arrays for strips of its loops, where that is
/// better.
fn best(
    code: &Split,
    (facts, machine): (&FunctionFacts, &Machine),
    (options, config): (&Options, &schedule::Config),
    (gave_up, gain_by_arrays): (&mut Vec<GaveUp>, &mut u64),
    budget: &Budget,
) -> Result<(Decision, Option<Strips>), Failure> {
    let plain = scheduled(code, machine, (options, config), budget)?;
    let may_expand = options.optimizer == Optimizer::Pluto
        && !options.export_jscop
        && !threads::is_wanted(options)
        && !does_little(&plain);
    if !may_expand {
        return Ok((plain, None));
    }
    let found = in_strips(code, &plain, (facts, machine), (options, config.readers), &budget.part(STRIPS_PART));
    let found = GaveUp::unless(found, NO_STRIPS, gave_up)?.flatten();
    if let Some(strips) = found.as_ref().filter(|strips| !strips.pays) {
        *gain_by_arrays = gain_with_arrays(&strips.decision, &plain);
    }
    Ok((plain, found.filter(|strips| strips.pays)))
}

/// Whether the original order stays and takes less than new code has to save, with arrays or without.
fn does_little(decision: &Decision) -> bool {
    matches!(decision, Decision::Keep { costs: Some(costs), .. } if costs.usual[0] < LEAST_SAVED_CYCLES)
}

/// The code with scalars in small arrays.
struct Strips {
    code: Split,
    /// Its best order.
    decision: Decision,
    /// Whether that is estimated to be faster than the best one of the code as it is.
    pays: bool,
}

/// Estimated gain of an order over the original one, in hundredths; 0: there is none.
fn gain(decision: &Decision) -> u64 {
    match decision {
        Decision::Transformed { summary, .. } => summary.gain_percent,
        Decision::Keep { .. } | Decision::Close(_) => 0,
    }
}

/// The same of an order with arrays, also over the original one of the code as it is; 0: less than is asked of arrays.
fn gain_with_arrays(made: &Decision, plain: &Decision) -> u64 {
    let Decision::Transformed { summary, .. } = made else { return 0 };
    let least = summary.gain_percent.min(over_original(summary, plain));
    if least >= STRIPS_LEAST_PERCENT { least } else { 0 }
}

/// Whether an order of code with more room is estimated to take less time than the best one of the code as it is, by
/// as much as is asked of it: it takes copies and packing that gains over an original order do not show.
fn takes_less(made: &Summary, plain: &Decision) -> bool {
    let of_plain = match plain {
        Decision::Transformed { summary, .. } => summary.cycles(),
        Decision::Keep { .. } => return true,
        Decision::Close(close) => close.summary.cycles(),
    };
    made.cycles().saturating_mul(STRIPS_PERCENT) / 100 <= of_plain
}

/// The code with scalars in small arrays and its best order, where the code as it is has the best order `plain`. Nests
/// of chains along rows are cut as well where their chains become lanes of vectors. Else chains side by side are no
/// reason for it: the values of neighbouring chains are neighbours in such an array, and LLVM then gathers what they
/// are made of into vectors, which is slower than one chain.
fn in_strips(
    code: &Split,
    plain: &Decision,
    (facts, machine): (&FunctionFacts, &Machine),
    (options, readers): (&Options, Readers),
    budget: &Budget,
) -> Result<Option<Strips>, Failure> {
    let room = |scop: Scop| with_room(scop, (facts, machine), (options, readers), budget);
    let of_scalars = |scop: Scop, along_rows: bool| -> Result<Strips, Failure> {
        let (code, decision) = room(scop)?;
        let pays = may_pay(&decision, plain, (along_rows, options.process_unprofitable));
        Ok(Strips { code, decision, pays })
    };
    let cut = if code.scop.has_scalars() { scalars::in_strips(&code.scop, facts, budget)? } else { None };
    if let Some(cut) = cut {
        let found = of_scalars(cut.scop, cut.along_rows)?;
        if found.pays || !cut.along_rows {
            return Ok(Some(found));
        }
        return match scalars::across_rows_in_strips(&code.scop, facts, budget)? {
            Some(scop) => of_scalars(scop, false).map(Some),
            None => Ok(Some(found)),
        };
    }
    let Some(scop) = scalars::rows_in_strips(&code.scop, facts, budget)? else { return Ok(None) };
    let (code, decision) = room(scop)?;
    let pays = matches!(&decision, Decision::Transformed { summary, .. }
        if gains_enough(summary, plain, STRIPS_LEAST_PERCENT) && !summary.has_jammed_chains && takes_less(summary, plain));
    Ok(Some(Strips { code, decision, pays }))
}

/// The code with more room, and its best order.
fn with_room(
    scop: Scop,
    (facts, machine): (&FunctionFacts, &Machine),
    (options, readers): (&Options, Readers),
    budget: &Budget,
) -> Result<(Split, Decision), Failure> {
    let deps = deps::compute(&scop, budget)?;
    debug!("{}: more room for strips\n{scop}", scop.name);
    let code = Split { scop, deps, reversals: Reversals::new() };
    let config = schedule::Config { readers, ..full_config(&code.scop, facts, options) };
    let decision = scheduled(&code, machine, (options, &config), budget)?;
    Ok((code, decision))
}

/// Whether an order of code with arrays gains enough, where the code as it is has the best order `plain`. Gains over
/// the original order are those over what it takes without the arrays' accesses, which are not in it; of these `least`
/// (hundredths) are asked for.
fn gains_enough(made: &Summary, plain: &Decision, least: u64) -> bool {
    gains_over(made, plain) && over_original(made, plain) >= least
}

/// Estimated gain of an order of code with arrays over the original one of the code as it is, in hundredths.
fn over_original(made: &Summary, plain: &Decision) -> u64 {
    let original = super::story::costs(plain).map(|costs| costs.usual[0] as u64);
    original.map_or(made.gain_percent, |cycles| 100 * cycles / made.cycles().max(1))
}

/// Whether it gains more than the best order of the code as it is.
fn gains_over(made: &Summary, plain: &Decision) -> bool {
    made.gain_percent >= gain(plain).saturating_mul(STRIPS_PERCENT) / 100
}

/// Whether an order of code with scalars in arrays pays, or is the better new one where one is `wanted` in any case;
/// `along_rows`: some of them are of chains along rows.
fn may_pay(decision: &Decision, plain: &Decision, (along_rows, wanted): (bool, bool)) -> bool {
    let Decision::Transformed { summary, .. } = decision else { return false };
    let of_lanes = if wanted { 0 } else { LANES_LEAST_PERCENT };
    let least = if summary.has_lanes { of_lanes } else { STRIPS_LEAST_PERCENT };
    gains_enough(summary, plain, least) && !summary.has_jammed_chains && (summary.has_lanes || !along_rows)
}

/// The statements that may run as contractions, as far as their arithmetic goes.
fn contractions(scop: &Scop, facts: &FunctionFacts, options: &Options) -> BTreeSet<StmtId> {
    let may = |stmt: &&Stmt| {
        let dims: Vec<usize> = (0..stmt.dims()).collect();
        among(scop, stmt, &dims).is_some_and(|c| formula(facts, scop, stmt, &c).is_some())
    };
    if !options.pattern_matching_based_opts {
        return BTreeSet::new();
    }
    let in_vectors = |stmt: &&Stmt| stmt.body.loops().iter().all(|dim| !facts.lp(dim.id).hints.no_vectors);
    scop.stmts.iter().filter(in_vectors).filter(may).map(|s| s.id).collect()
}

fn scheduled(
    code: &Split,
    machine: &Machine,
    (options, config): (&Options, &schedule::Config),
    budget: &Budget,
) -> Result<Decision, Failure> {
    match options.optimizer {
        Optimizer::Pluto => parallel::split::scheduled(code, config, machine, budget),
        Optimizer::None => Ok(Decision::Transformed {
            tree: code.scop.schedule.clone(),
            summary: Summary { steps: vec![ORIGINAL_ORDER.to_owned()], ..Summary::default() },
        }),
    }
}

/// The order with roles, proved. The region keeps its own order, perhaps in threads, where the user's cannot be taken:
/// then with the reason.
fn proved(
    known: &Known<'_>,
    Proposal { decision, by_user, has_roles, .. }: Proposal,
    options: &Options,
    shares: &Shares<'_>,
) -> Result<(Ordered, Option<String>), Failure> {
    let code = known.code;
    let refused = match &decision {
        Decision::Keep { reason, .. } if by_user.is_some() => Some(reason.clone()),
        _ => None,
    };
    let ordered = match decision {
        Decision::Transformed { tree, summary } if has_roles => {
            let state = |budget: &Budget| parallel::roles::stated(&code.scop, &code.deps, &tree, budget);
            let tree = shares.run(Stage::Parallel, state)?;
            Ordered::alone(Decision::Transformed { tree, summary })
        }
        decision => with_roles(known, decision, options, shares)?,
    };
    let Some(tree) = ordered.decision.tree() else { return Ok((ordered, refused)) };
    let prove = |budget: &Budget| proof::prove(&code.scop, &code.deps, tree, known.not_live_out, budget);
    match (shares.run(Stage::Proof, prove)?, by_user) {
        (Verdict::Legal, _) => Ok((ordered, refused)),
        (Verdict::Illegal(violation), Some(name))
            if refused.is_none() && (has_roles || !violation.reason.is_about_roles()) =>
        {
            let kept = Decision::Keep { reason: format!("{name} is illegal: {violation}"), costs: None };
            proved(known, Proposal::of_user(kept, name, false), options, shares)
        }
        (illegal, _) => refuse(illegal).map(|()| (ordered, refused)),
    }
}

fn with_roles(
    known: &Known<'_>,
    decision: Decision,
    options: &Options,
    shares: &Shares<'_>,
) -> Result<Ordered, Failure> {
    if !threads::is_wanted(options) {
        return Ok(Ordered::alone(decision));
    }
    let &Known { code, facts, not_live_out, shared } = known;
    let by_user = options.import_jscop || !options.transform.is_empty();
    let always = options.process_unprofitable || by_user || options.optimizer == Optimizer::None;
    let min_gain_percent = min_gain_percent(&of_one(options));
    shares.run(Stage::Parallel, |budget| {
        let config = parallel::Config { facts, not_live_out, shared, always, min_gain_percent, budget };
        parallel::assign(&code.scop, &code.deps, decision, &config)
    })
}

/// What was done to a region, in words: without vectors where the source asks for none.
pub fn steps(region: &Region, mut steps: Vec<String>, facts: &FunctionFacts) -> Vec<String> {
    let no_vectors = |stmt: &Stmt| stmt.body.loops().iter().any(|dim| facts.lp(dim.id).hints.no_vectors);
    if region.code.scop.stmts.iter().any(no_vectors) {
        steps.retain(|step| step != VECTORIZABLE);
    }
    steps
}

/// Path of the file that holds or gets a region's schedule.
fn schedule_file(scop: &Scop, options: &Options) -> PathBuf {
    Path::new(&options.import_jscop_dir).join(jscop::file_name(scop, &options.import_jscop_postfix))
}

/// Writes the region in its new order, or in its own if that stays.
///
/// # Errors
/// Why the file cannot be written.
pub fn export(region: &Region, options: &Options) -> Result<(), String> {
    let scop = &region.code.scop;
    let path = schedule_file(scop, options);
    let text = jscop::export(scop, region.ordered.decision.tree().unwrap_or(&scop.schedule));
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// What went wrong with a file, without the system's number of it.
pub fn in_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// The file and the sections of the user's script; `None`: there is none.
///
/// # Errors
/// It cannot be read, or is none.
pub fn script_of(options: &Options) -> Result<Option<(String, Vec<Section>)>, String> {
    let file = &options.transform;
    if file.is_empty() {
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("script {file} cannot be read: {}", in_words(&error)))?;
    let sections = script::parse::parse(&text).map_err(|error| format!("script {file}:{error}"))?;
    Ok(Some((file.clone(), sections)))
}

/// What the user's script makes of the region, if it has a section for it, or cannot be read.
fn scripted(scop: &Scop, facts: &FunctionFacts, options: &Options) -> Option<Proposal> {
    let file = &options.transform;
    let proposal =
        |decision, has_roles| Some(Proposal::of_user(decision, format!("the order of script {file}"), has_roles));
    let refused = |why: String| proposal(Decision::Keep { reason: why, costs: None }, false);
    let sections = match script_of(options) {
        Ok(script) => script?.1,
        Err(why) => return refused(why),
    };
    let section = script::section(&sections, &scop.name)?;
    let source = scop.stmts.iter().map(|stmt| (stmt.id, users::in_source(facts, stmt))).collect();
    match script::apply(scop, section, &source) {
        Ok(tree) => {
            let mut steps: Vec<String> = section.statements.iter().map(ToString::to_string).collect();
            match steps.first_mut() {
                Some(first) => *first = format!("by script: {first}"),
                None => steps.push("by script, as it was".to_owned()),
            }
            let summary = Summary { steps, ..Summary::default() };
            let has_roles = section.statements.iter().any(|s| s.verb == Verb::Parallel);
            proposal(Decision::Transformed { tree, summary }, has_roles)
        }
        Err(error) => refused(format!("script {file}:{error}")),
    }
}

/// The order in the region's file, if it can be read.
fn imported(scop: &Scop, options: &Options, budget: &Budget) -> Proposal {
    let path = schedule_file(scop, options);
    let name = format!("the schedule in {}", path.display());
    let tree = std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot be read: {}", in_words(&error)))
        .and_then(|text| jscop::import(scop, &text, budget).map_err(|error| format!("does not fit: {error}")));
    let decision = match tree {
        Ok(tree) => {
            let summary = Summary { steps: vec!["as imported".to_owned()], ..Summary::default() };
            Decision::Transformed { tree, summary }
        }
        Err(why) => Decision::Keep { reason: format!("{name} {why}"), costs: None },
    };
    Proposal::of_user(decision, name, false)
}

/// Estimated gain on one core from which on new code is taken, in hundredths.
pub fn min_gain_percent(options: &Options) -> u64 {
    let enough = if threads::is_wanted(options) {
        schedule::WORTHWHILE_IN_THREADS_PERCENT
    } else {
        schedule::WORTHWHILE_PERCENT
    };
    options.min_gain.unwrap_or(enough)
}

/// The same with the statements that may run as contractions.
fn full_config(scop: &Scop, facts: &FunctionFacts, options: &Options) -> schedule::Config {
    schedule::Config { contractions: contractions(scop, facts, options), ..config_for(scop, options) }
}

/// The same options for one thread.
fn of_one(options: &Options) -> Options {
    Options { parallel: false, ..options.clone() }
}

/// The options for a region. How rows behind pointers lie in caches is not known, nor thus from which sizes on tiles in
/// time pay.
fn config_for(scop: &Scop, options: &Options) -> schedule::Config {
    let of_all = schedule_config(options);
    let diamond_tiling = options.process_unprofitable || !scop.arrays.iter().any(Array::is_rows);
    schedule::Config { diamond_tiling: of_all.diamond_tiling && diamond_tiling, ..of_all }
}

fn schedule_config(options: &Options) -> schedule::Config {
    let sizes = options.tile_sizes.iter().copied().chain(options.default_tile_size);
    let second: Vec<i64> = options
        .second_level_tile_sizes
        .iter()
        .copied()
        .chain(options.second_level_default_tile_size)
        .map(i64::from)
        .collect();
    schedule::Config {
        tiling: options.tiling,
        second_level_tiling: options.second_level_tiling || !second.is_empty(),
        second_level_tile_sizes: second,
        diamond_tiling: options.diamond_tiling,
        fusion: match options.fusion {
            FusionStrategy::Max => Fusion::Max,
            FusionStrategy::Smart => Fusion::Smart,
            FusionStrategy::None => Fusion::None,
        },
        tile_sizes: sizes.map(i64::from).collect(),
        solving: schedule::Solving { negative: options.negative_coefficients, relaxed: options.pluto_lp },
        parallel: threads::is_wanted(options),
        process_unprofitable: options.process_unprofitable,
        min_gain_percent: min_gain_percent(options),
        ..schedule::Config::default()
    }
}

/// Whether new code would pay only where what the model assumes of sizes does not hold: where rows are too short, say.
/// That this is not found out within the budget is no reason.
pub fn pays_nowhere(contexts: &Contexts, demands: &Demands, budget: &Budget) -> bool {
    let mut paying = contexts.clone();
    pay_from(&mut paying, demands);
    let is_empty = |contexts| ast::check::is_empty(contexts, budget);
    demands.least.iter().any(|size| *size > i64::MIN) && is_empty(&paying) && !is_empty(contexts)
}

/// New code is expected to pay where each parameter is at least so large, or as large as is asked of thin data; the
/// least number says nothing.
pub fn pay_from(contexts: &mut Contexts, demands: &Demands) {
    let all = contexts.worthwhile.clone();
    let from = |least: &Vec<i64>| {
        let asked = least.iter().enumerate().filter(|(_, size)| **size > i64::MIN);
        asked.fold(all.clone(), |set, (k, size)| {
            let mut row = vec![0; least.len() + 1];
            (row[k], row[least.len()]) = (1, -size);
            set.add(Kind::Ge, &row)
        })
    };
    let thin = demands.thin.values().map(from);
    contexts.worthwhile = thin.fold(from(&demands.least), |all, thin| all.union(&thin));
}
