//! What binds an order that stays, and what loosens it.
//!
//! In: a region that keeps its order, with its dependences. Out: sentences with the user's names.

use super::order::{self, Region};
use super::story::{array_name, costs, expressions, line_of, name_of, place_of, values_of};
use crate::bridge::facts::Facts;
use crate::deps::{Dep, DepKind, vectors};
use crate::error::{Reject, RejectKind, SourceLoc};
use crate::explain::{self, COMPUTED};
use crate::facts::{Boxed, FunctionFacts};
use crate::ids::{ArrayId, LoopId, StmtId, ValueId};
use crate::model::{AccessKind, ArrayKind, LoopDim, Scop, Stmt};
use crate::options::Options;
use crate::outcome::Costs;
use crate::remedies::{
    BOUND_CHANGES, BY_SIZE, CHAIN, COMPUTED_BY, COMPUTES, COUNTED_BEFORE, COUNTS_IN_FLOAT, ENDS_ON_CALL, ENDS_ON_DATA,
    ENDS_ON_LOADED, FOLLOWS, NOT_COMPUTABLE, PRODUCT, SCALED, SCALED_INSIDE, WORK_LIST, WRAPS,
};
use crate::schedule::{LEAST_SAVED_CYCLES, NO_OTHER, NOT_FASTER, TOO_LITTLE};
use crate::scop::causes::{self, Origin};
use presburger::{Budget, Map};
use std::collections::BTreeSet;

/// Steps of set operations for the distances that bind an order.
const REMARK_STEPS: u64 = 200_000;
/// Least gain, in hundredths, of an order that is not taken and users are told of: smaller ones are often none.
const LEAST_GAIN_PERCENT: u64 = 120;
/// Most local variables that one remark names.
const MAX_NAMED: usize = 8;
/// Functions that the compiler calls where a complex product is no number.
const COMPLEX_PRODUCTS: [&str; 6] =
    ["__mulsc3()", "__muldc3()", "__mulxc3()", "__divsc3()", "__divdc3()", "__divxc3()"];
/// What helps against these calls.
const COMPLEX: &str = "-fcx-limited-range: by the rules of C each complex product asks whether it is a number, \
                       and calls a function if not";

/// What helps where a condition on data says whether a loop inside runs.
const BY_VALUES: &str = "let the loop inside run in every iteration, with values that change nothing where the condition does not hold \
                         (`if (s == 0) s = 1;` in front of a division by `s`)";

/// Whether the number of iterations of some loop inside is not known to the model, and so no cost.
pub fn is_work_unknown(scop: &Scop, facts: &FunctionFacts) -> bool {
    inner_loops(scop, facts).next().is_some()
}

/// Loops inside that are no part of the model.
fn inner_loops<'a>(scop: &'a Scop, facts: &'a FunctionFacts) -> impl Iterator<Item = &'a Boxed> {
    let boxed = scop.region.blocks.iter().filter_map(|b| facts.block(*b).boxed.as_ref());
    boxed.filter(|boxed| boxed.has_loops)
}

/// Why the order around a loop stays of whose work nothing is known, and what helps.
fn unknown_work(scop: &Scop, known: &Facts) -> (String, Option<String>) {
    let found = inner_loops(scop, &known.facts).find_map(|behind| Some((behind, behind.why.as_deref()?)));
    let Some((behind, why)) = found else {
        return ("a loop inside stands behind a condition on data".to_owned(), Some(BY_VALUES.to_owned()));
    };
    let named = expressions(known, &why.about);
    let line = if why.loc.line == 0 { String::new() } else { format!(" in line {}", why.loc.line) };
    let on = named.first().map_or_else(String::new, |first| format!(": `{first}`"));
    let cause = match why.detail.as_str() {
        PRODUCT => "is a product of loop counters",
        BY_SIZE => "depends on a loop counter that is multiplied by a size",
        COUNTED_BEFORE => "is counted by an earlier loop of the function",
        COMPUTED_BY => "is made of more than sums and products",
        BOUND_CHANGES => "is loaded in each iteration around it",
        ENDS_ON_DATA | ENDS_ON_CALL | ENDS_ON_LOADED | FOLLOWS => "is found out by looking at data",
        COMPUTES | CHAIN | SCALED | SCALED_INSIDE | WORK_LIST | WRAPS | COUNTS_IN_FLOAT => {
            "is found out by what it computes"
        }
        _ if why.kind == RejectKind::LoopShape => "depends on data: it has several exits",
        _ => "is not affine",
    };
    let reason = format!("how often the loop{line} runs {cause}{on}; so what it costs is not known");
    // What has no name is no variable that could be copied.
    let usual = why.kind == RejectKind::NonAffineBound
        && named.is_empty()
        && (why.detail.is_empty() || why.detail.starts_with('%'));
    let why = if usual { &Reject { detail: NOT_COMPUTABLE.to_owned(), ..why.clone() } } else { why };
    // A search that stands by itself already is left as it is.
    let is_search = why.kind == RejectKind::LoopShape && causes::only_looks_behind(&known.facts, behind);
    (reason, (!is_search).then(|| why.remedy(&named)))
}

/// Why an order stays: the reason, and the local variables of which each iteration overwrites what another one needs;
/// and what helps, if anything does and `is_told`.
pub fn kept(
    reason: &str,
    region: &Region,
    known: &Facts,
    options: &Options,
    is_told: bool,
) -> (String, Option<String>) {
    let scop = &region.code.scop;
    let is_bound = reason == NOT_FASTER || reason == NO_OTHER;
    let by_costs = reason == NOT_FASTER || reason == TOO_LITTLE;
    if by_costs && is_work_unknown(scop, &known.facts) {
        return unknown_work(scop, known);
    }
    let bound = if is_bound { overwritten(region) } else { BTreeSet::new() };
    let is_complex = bound.iter().any(|a| is_complex_product(scop.array(*a).kind, known));
    let found = if is_bound && is_told { at_run_time(region, known) } else { None };
    let remedy = || match (is_complex, &found) {
        (true, _) => Some(COMPLEX.to_owned()),
        (false, Some(AtRunTime { what, has_others: true })) if is_nest(scop) => {
            Some(format!("move what is accessed at {what} into a loop of its own: the others may then be exchanged"))
        }
        _ => {
            let enough = order::min_gain_percent(options);
            let unbound = || if is_bound { unbound(region, known, &bound, enough) } else { None };
            from_gain(reason, region, enough).or_else(unbound)
        }
    };
    let remedy = if is_told { remedy() } else { None };
    let mut what = named_scalars(scop, known, &bound);
    let rest = what.len().saturating_sub(MAX_NAMED);
    what.truncate(MAX_NAMED);
    if rest > 0 {
        what.push(format!("{rest} more"));
    }
    let reason = placed(reason, region, known);
    let reason = if what.is_empty() { reason } else { format!("{reason}; bound by {}", what.join(", ")) };
    let found = found.map(|found| format!("; only {} says which elements are accessed", found.what));
    (reason + &found.unwrap_or_default(), remedy)
}

/// Whether a statement has several loops around.
fn is_nest(scop: &Scop) -> bool {
    scop.stmts.iter().any(|s| s.dims() > 1)
}

/// Which elements are accessed is known at run time alone.
struct AtRunTime {
    /// What says it, quoted: what is looked up, else what is computed.
    what: String,
    /// Whether other arrays are written as well, which a loop without these accesses would keep.
    has_others: bool,
}

/// What says which elements are accessed of arrays that bind the order, where the model does not.
fn at_run_time(region: &Region, known: &Facts) -> Option<AtRunTime> {
    let scop = &region.code.scop;
    let binds = |array: ArrayId| region.code.deps.validity.iter().any(|dep| dep.array == array);
    let accesses = || scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| scop.array(a.array).is_memory());
    let unknown: Vec<_> = accesses().filter(|a| a.subscripts().is_none() && binds(a.array)).collect();
    let about = |access: ValueId| match causes::of_subscript(&known.facts, access) {
        looked_up if looked_up.is_empty() && causes::origin(&known.facts, access) == Origin::Computed => {
            causes::values_of_subscript(&known.facts, access)
        }
        looked_up => looked_up,
    };
    let about: Vec<ValueId> = unknown.iter().flat_map(|access| about(access.inst)).collect();
    let names: Vec<String> = expressions(known, &about).iter().map(|name| format!("`{name}`")).collect();
    let is_unknown = |array: ArrayId| unknown.iter().any(|access| access.array == array);
    let has_others = accesses().any(|a| a.kind != AccessKind::Read && !is_unknown(a.array));
    (!names.is_empty()).then(|| AtRunTime { what: names.join(", "), has_others })
}

/// What loosens an order that these scalars, or arrays in memory, bind.
fn unbound(region: &Region, known: &Facts, bound: &BTreeSet<ArrayId>, enough: u64) -> Option<String> {
    let scop = &region.code.scop;
    if !is_nest(scop) {
        return None;
    }
    let mut names: BTreeSet<String> = bound.iter().filter_map(|a| name_of(scop, known, *a)).collect();
    if !names.is_empty() {
        // In arrays of the program's own all of them have to be, also those that have a place in one by now.
        let inner: BTreeSet<LoopId> =
            scop.stmts.iter().flat_map(|s| s.body.loops().iter().skip(1)).map(|dim| dim.id).collect();
        let others = causes::updated(&known.facts, inner.into_iter()).into_iter().map(|v| known.variable(v));
        names.extend(others.filter(|name| !name.is_empty() && !name.starts_with('%')));
        let [one, them] = if names.len() == 1 { ["an element", "it"] } else { ["elements", "them"] };
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return (region.gain_by_arrays >= enough).then(|| {
            format!("keep {names} in arrays, with {one} of {them} for each iteration of the loops around: another order would gain")
        });
    }
    // In place: new values are read, and old ones.
    let both = carried(region, DepKind::Raw)?.intersection(&carried(region, DepKind::War)?).next().copied()?;
    let name = name_of(scop, known, both)?;
    Some(format!(
        "`{name}` is read and written in the same loops: where values of the sweep before will do, \
         write to a second array (results differ)"
    ))
}

/// The arrays in memory of which iterations need this of other ones in place: where they write others of its elements
/// themselves, not what is copied back, nor one element again and again. `None` where that takes too long to find out.
fn carried(region: &Region, kind: DepKind) -> Option<BTreeSet<ArrayId>> {
    let (scop, budget) = (&region.code.scop, Budget::steps(REMARK_STEPS));
    let mut found = BTreeSet::new();
    for dep in region.code.deps.validity.iter().filter(|d| d.kind == kind && scop.array(d.array).is_memory()) {
        let distances = vectors::vectors(scop, dep, &budget).ok()?;
        // What a later sweep overwrites alone is a work array.
        let in_sweep = |parts: &[String]| kind != DepKind::War || parts[0] == "0";
        let is_carried = distances
            .iter()
            .map(|v| v.0.iter().map(ToString::to_string).collect::<Vec<_>>())
            .any(|parts| parts.iter().any(|part| part != "0") && in_sweep(&parts));
        if is_carried && !dep.relation.is_subset(&updates(scop, dep, &budget)?, &budget).ok()? {
            found.insert(dep.array);
        }
    }
    Some(found)
}

/// `{ src -> dst }`: instances that write one and the same element of the array; all of them where only one of the
/// statements writes to it.
fn updates(scop: &Scop, dep: &Dep, budget: &Budget) -> Option<Map> {
    let writes = |id: StmtId| {
        let own = scop.stmt(id).accesses.iter().filter(|a| a.array == dep.array && a.kind != AccessKind::Read);
        own.map(|a| a.relation.clone()).reduce(|a, b| a.union(&b))
    };
    match (writes(dep.src), writes(dep.dst)) {
        (Some(src), Some(dst)) => src.apply_range(&dst.reverse(), budget).ok(),
        _ => Some(dep.relation.clone()),
    }
}

/// A reason with the places of statements in the source in the place of the model's names, where these are known.
fn placed(reason: &str, region: &Region, known: &Facts) -> String {
    let stmts = &region.code.scop.stmts;
    let places: Vec<SourceLoc> = stmts.iter().map(|s| place_of(&known.facts, s)).collect();
    if !reason.contains(" is illegal: ") || places.iter().any(|loc| loc.line == 0) {
        return reason.to_owned();
    }
    let mut out = reason.to_owned();
    for (stmt, loc) in stmts.iter().zip(&places) {
        let is_alone = places.iter().filter(|other| other.line == loc.line).count() == 1;
        let line = if is_alone { loc.line.to_string() } else { format!("{}:{}", loc.line, loc.column) };
        let start = format!("{}[", stmt.id);
        while let Some(at) = out.find(&start) {
            let Some(end) = out[at..].find(']').map(|len| at + len) else { break };
            let instance = with_counters(&out[at + start.len()..end], stmt, &known.facts);
            out.replace_range(at..=end, &format!("line {line} at {instance}"));
        }
    }
    out
}

/// The values of an instance's loops, `i = 2, j = 0` where they are those of the source's variables, else `(2, 0)`.
fn with_counters(instance: &str, stmt: &Stmt, facts: &FunctionFacts) -> String {
    let values: Vec<&str> = instance.split(',').map(str::trim).collect();
    let loops = stmt.body.loops();
    let named = |(dim, value): (&LoopDim, &&str)| {
        let counter = &facts.lp(dim.id).counter;
        (counter.is_value && dim.is_natural()).then(|| format!("{} = {value}", counter.name))
    };
    let all: Option<Vec<String>> = loops.iter().zip(&values).map(named).collect();
    match all.filter(|all| all.len() == values.len()) {
        Some(named) => named.join(", "),
        None => format!("({instance})"),
    }
}

/// What these scalars are called: the user's variables, else values of the IR, else by the lines that compute them.
fn named_scalars(scop: &Scop, known: &Facts, scalars: &BTreeSet<ArrayId>) -> Vec<String> {
    let kinds = || scalars.iter().map(|a| scop.array(*a).kind);
    let by_ir = |kind| {
        let names = values_of(kind, known).into_iter().map(|v| known.variable(v));
        names.filter_map(|n| n.strip_prefix('%').map(|n| format!("value {n}"))).next()
    };
    let by_line = |kind| line_of(kind, known).map(|line| format!("the value {COMPUTED} {line}"));
    let of_user: BTreeSet<String> =
        scalars.iter().filter_map(|a| name_of(scop, known, *a)).map(|n| format!("local variable {n}")).collect();
    let other = || -> BTreeSet<String> { kinds().filter_map(by_ir).collect() };
    let lines = || -> BTreeSet<String> { kinds().filter_map(by_line).collect() };
    let found = [&|| of_user.clone(), &other as &dyn Fn() -> BTreeSet<String>, &lines];
    found.into_iter().map(|names| names()).find(|names| !names.is_empty()).unwrap_or_default().into_iter().collect()
}

/// What lets a new order be taken that gains something; new code is taken from `enough` on (hundredths).
fn from_gain(reason: &str, region: &Region, enough: u64) -> Option<String> {
    let Costs { original, new, usual, .. } = costs(&region.ordered.decision).filter(|c| c.new < c.original)?;
    let gain = (100.0 * original / new.max(1.0)) as u64;
    match reason {
        NOT_FASTER if gain >= LEAST_GAIN_PERCENT && usual[0] - usual[1] >= LEAST_SAVED_CYCLES => Some(format!(
            "new code is taken where it is estimated to be {}.{:02} times as fast: -polyrs-min-gain={gain} takes it here",
            enough / 100,
            enough % 100
        )),
        TOO_LITTLE => Some(format!(
            "new code is taken where it is estimated to save {LEAST_SAVED_CYCLES} cycles: \
             -polyrs-process-unprofitable takes it all the same"
        )),
        _ => None,
    }
}

/// The scalars that order iterations: written again where another one reads or writes them.
fn overwritten(region: &Region) -> BTreeSet<ArrayId> {
    let orders = |kind| matches!(kind, DepKind::War | DepKind::Waw);
    let of = region.code.deps.validity.iter().filter(|d| orders(d.kind)).map(|d| d.array);
    of.filter(|a| !region.code.scop.array(*a).is_memory()).collect()
}

/// Whether a scalar is what a complex product leaves: where that is no number, C wants a function to be called.
fn is_complex_product(kind: ArrayKind, known: &Facts) -> bool {
    let operands = |v: ValueId| known.facts.value(v).operands.clone();
    let of = values_of(kind, known).into_iter().flat_map(|v| [vec![v], operands(v)].concat()).flat_map(operands);
    of.map(|v| known.called_itself(v)).any(|name| COMPLEX_PRODUCTS.contains(&name.as_str()))
}

/// What binds the order of a region; empty where that takes too long to find out.
pub fn told(known: &Facts, region: &Region) -> Vec<String> {
    let code = &region.code;
    let name = |k: usize| array_name(&code.scop, known, ArrayId::new(k));
    explain::binding_of(&code.scop, &code.deps.validity, name, &Budget::steps(REMARK_STEPS)).unwrap_or_default()
}
