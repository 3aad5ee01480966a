//! Sizes and caches that an order of loops is judged by, where the compiler knows neither.
//!
//! In: a `Scop`, the target. Out: [`Scenario`]s, the usual one first. New code has to gain in each of them: what is
//! fast for large matrices and slow for small ones is not chosen on the chance that they are large.

use super::lengths::lengths;
use super::refs::{STAGE, domain_rows, facts_at, facts_with, parameters, to_f64, usual_subscripts};
use super::{ASSUMED_PARAMETER, Facts, Machine, Reference};
use crate::error::{Failure, Limit};
use crate::model::{AccessKind, LoopDim, Param, Scop, Stmt};
use presburger::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the largest array in the usual scenario: more than the second-level cache of any core, as the field's data
/// sets of matrices and grids are.
const LARGE_BYTES: f64 = 16e6;
/// The same where no cache holds the data.
const HUGE_BYTES: f64 = 64e6;
/// The same where data stays in the second-level cache.
const SMALL_BYTES: f64 = 256e3;
/// Bytes of the largest array up to which it counts as being in a cache from the beginning: it was made not long ago.
const WARM_BYTES: f64 = 4e6;
/// Sizes, in whole rows, that are tried out to see how bytes grow with them.
const TRIED: (f64, f64) = (100.0, ASSUMED_PARAMETER);
/// Steps from small to large data.
const STEPS: f64 = 6.0;
/// Least size taken for a parameter.
pub const SHORTEST: f64 = 16.0;
/// Sizes of tiny data.
const TINY: [f64; 4] = [24.0, 40.0, 64.0, 100.0];
/// Sizes of data that is thin along one parameter: few columns, a handful of points.
const THIN: [f64; 4] = [3.0, 4.0, 8.0, 16.0];
/// Size of the other parameters then, in whole rows, beside the usual one: the least that is asked of them.
pub const BESIDE_THIN: f64 = 64.0;
/// Size of parameters that no large array grows with where they are shorter still: of windows.
pub const OF_WINDOW: f64 = 3.0;
/// The least that is tried of a parameter that everything grows with.
const LEAST_ALONE: f64 = 8.0;
/// Parameters of a region up to which thin data is looked at; where there are more, those that large arrays grow with
/// count.
const MOST_THIN: usize = 3;
/// Largest size taken for a parameter.
const LONGEST: f64 = 1e7;
/// Caches of a large core, level by level: the original may find its data there even if the target says that they are
/// smaller.
const ROOMY: [u64; 3] = [48 << 10, 2 << 20, 64 << 20];

/// What data is thin along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thin {
    /// A parameter that loops run the longer for, and what it is taken for.
    Along(usize, f64),
    /// All that no large array grows with: they are as short as windows.
    Depths,
    /// Some of many parameters at once.
    Several,
}

/// One guess at what the program works on and where it runs.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Statements.
    pub facts: Vec<Facts>,
    /// What parameters are taken for.
    pub params: Vec<f64>,
    /// Target.
    pub machine: Machine,
    /// Whether data that fits a cache is there before the region begins: it is called again and again.
    pub warm: bool,
    /// What parameters are taken for, if arrays grow with them.
    pub size: Option<f64>,
    /// Whether widths of bands and windows are small: parameters that bound how far counters are apart, and that no
    /// large array grows with. New code may gain less there, but has to gain.
    pub is_narrow: bool,
    /// Whether data is short along counters that no large array grows with: depths of products, coordinates of points.
    /// New code that does not gain there has to ask for longer ones.
    pub is_short: bool,
    /// Whether data is so small that entering loops and what is left of vectors and tiles take much of the time. New
    /// code that does not gain there has to ask for larger sizes.
    pub is_tiny: bool,
    /// What data is thin along, while other parameters are not small. New code is run on thin data only if it gains
    /// there.
    pub thin: Option<Thin>,
}

/// Facts, and what parameters are taken for in them.
type Taken = (Vec<Facts>, Vec<f64>);

/// The scenarios of a region, the usual one first. With each come caches that are larger, where the target's are not
/// known, and quicker; where arrays grow with parameters there are several sizes: the usual one, then from small ones
/// on. The narrow, the short, the tiny and the thin ones come last, the latter two on quick cores only.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn scenarios(scop: &Scop, machine: &Machine, budget: &Budget) -> Result<Vec<Scenario>, Failure> {
    let params = parameters(scop, ASSUMED_PARAMETER)?;
    let usual = facts_at(scop, &params, budget)?;
    let mut out = Vec::new();
    let taken = |params: Vec<f64>| Ok::<Taken, Failure>((facts_at(scop, &params, budget)?, params));
    let mut judge = |(facts, params): Taken, warm: bool, size: Option<f64>, [is_narrow, is_short]: [bool; 2]| {
        let warm = warm || largest(&facts) <= WARM_BYTES;
        let usual =
            Scenario { facts, params, machine: *machine, warm, size, is_narrow, is_short, is_tiny: false, thin: None };
        out.push(usual.clone());
        out.push(Scenario { machine: roomy(machine), ..usual });
    };
    let plain = [false; 2];
    match growth(scop, &usual, budget)? {
        None => judge((usual, params), false, None, plain),
        Some((bytes, degree)) => {
            let row = strip_elems(scop)?;
            let (tried, least) = (TRIED.1 * row, SHORTEST * row);
            let size =
                |wanted: f64, most: f64| (tried * (wanted / bytes).powf(1.0 / degree)).clamp(least, most.max(least));
            let (large, small) = (size(LARGE_BYTES, LONGEST), size(SMALL_BYTES, tried));
            let step = (large / small).powf(1.0 / STEPS);
            let sizes = (0..).map(|k| small * step.powi(k)).take_while(|s| *s < 0.99 * large).map(|s| (s, true));
            let huge = size(HUGE_BYTES, LONGEST);
            let last = (huge > 1.01 * large).then_some((huge, false));
            for (size, warm) in std::iter::once((large, false)).chain(sizes).chain(last) {
                let size = size.round();
                judge(taken(parameters(scop, size)?)?, warm, Some(size), plain);
            }
            let growing = growing(scop, budget)?;
            for (of, is) in [(widths(scop)?, [true, false]), (depths(scop, &growing), [false, true])] {
                if let Some(params) = shortened(scop, large.round(), (&growing, &of), SHORTEST)? {
                    judge(taken(params)?, false, Some(large.round()), is);
                }
            }
            for size in TINY.into_iter().map(|size| size * row).filter(|size| *size < small) {
                let taken = taken(parameters(scop, size)?)?;
                out.push(Scenario { is_tiny: true, ..on_quick_core(taken, machine, size) });
            }
            if row == 1.0 {
                out.extend(windows(scop, machine, (large.round(), &growing), budget)?);
                out.extend(thin(scop, machine, (large.round(), &growing), budget)?);
            }
        }
    }
    Ok(out)
}

/// Data of this size that is in a cache of a quick core.
fn on_quick_core((facts, params): Taken, machine: &Machine, size: f64) -> Scenario {
    let (machine, size) = (roomy(machine), Some(size));
    Scenario { facts, params, machine, warm: true, size, is_narrow: false, is_short: false, is_tiny: false, thin: None }
}

/// Data that no large array grows with as short as windows are; the rest is tiny, then `large`.
fn windows(
    scop: &Scop,
    machine: &Machine,
    (large, growing): (f64, &[Option<f64>]),
    budget: &Budget,
) -> Result<Vec<Scenario>, Failure> {
    let of = depths(scop, growing);
    let mut out = Vec::new();
    for size in [BESIDE_THIN, large] {
        if let Some(params) = shortened(scop, size, (growing, &of), OF_WINDOW)? {
            let facts = facts_at(scop, &params, budget)?;
            out.push(Scenario { thin: Some(Thin::Depths), ..on_quick_core((facts, params), machine, size) });
        }
    }
    Ok(out)
}

/// What is taken for thin, and what beside it.
pub struct Thinned {
    /// Parameters that data is thin along, one at a time.
    pub along: Vec<usize>,
    /// Of each parameter, whether it is asked to be [`BESIDE_THIN`] where another one is thin.
    pub beside: Vec<bool>,
    /// Of each parameter, whether it is as short as windows are then.
    in_windows: Vec<bool>,
    /// How many parameters loops run the longer for.
    count: usize,
}

impl Thinned {
    /// What parameters are taken for beside those that data is thin along, where arrays grow with this size.
    fn values(&self, scop: &Scop, size: f64, growing: &[Option<f64>]) -> Result<Vec<f64>, Failure> {
        let short = shortened(scop, size, (growing, &self.in_windows), OF_WINDOW)?;
        short.map_or_else(|| parameters(scop, size), Ok)
    }
}

/// What parameters are taken for where many of them are asked for, each for a size of its own.
pub struct Many {
    /// Parameters that loops run the longer for, each as small as is asked (the least number says nothing: short), then
    /// as where arrays are large.
    pub beside: [Vec<f64>; 2],
    /// The least that a parameter may be asked for.
    pub lowest: Vec<f64>,
    /// The outermost dim of a statement that each bounds alone; more than any if there is none.
    pub outermost: Vec<usize>,
}

/// What is tried to ask for less of parameters; `None` where there are none.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn many(
    scop: &Scop,
    asked: &[i64],
    (large, growing): (f64, &[Option<f64>]),
    budget: &Budget,
) -> Result<Option<Many>, Failure> {
    let thinned = thinned(scop, growing, budget)?;
    if thinned.count == 0 {
        return Ok(None);
    }
    let (mut small, mut large) = (thinned.values(scop, SHORTEST, growing)?, thinned.values(scop, large, growing)?);
    for (k, asked) in asked.iter().map(|asked| *asked as f64).enumerate().filter(|(_, asked)| *asked > 0.0) {
        (small[k], large[k]) = (asked, asked.max(large[k]));
    }
    for values in [&mut small, &mut large] {
        leave_rows(scop, values, asked)?;
    }
    let mut lowest = lowest(scop, &small)?;
    if thinned.count == 1 {
        lowest.iter_mut().for_each(|least| *least = least.max(LEAST_ALONE));
    }
    let mut outermost = vec![usize::MAX; lowest.len()];
    for (dim, param) in scop.stmts.iter().flat_map(|stmt| bounded_alone(scop, stmt)) {
        outermost[param] = dim.min(outermost[param]);
    }
    Ok(Some(Many { beside: [small, large], lowest, outermost }))
}

/// Makes parameters larger that loops end at a window before, so that what is asked of them is left without it; not
/// where most of it is.
fn leave_rows(scop: &Scop, values: &mut [f64], asked: &[i64]) -> Result<(), Failure> {
    for stmt in &scop.stmts {
        for row in lengths(&stmt.domain, values, STAGE)? {
            let (params, constant) = row.split_at(values.len());
            let length = params.iter().zip(&*values).map(|(c, v)| c * v).sum::<f64>() + constant[0];
            let mut longer = (0..values.len()).filter(|k| params[*k] > 0.0);
            if let (Some(k), None) = (longer.next(), longer.next())
                && params.iter().any(|c| *c < 0.0)
            {
                let wanted = asked[k] as f64;
                values[k] += if 2.0 * length < wanted { (wanted - length) / params[k] } else { 0.0 };
            }
        }
    }
    Ok(())
}

/// The least that each parameter may be asked for: that the loops run which it alone is the length of; as much as
/// windows, which leave no more than a row, where it bounds counters together with other parameters.
fn lowest(scop: &Scop, values: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut least = vec![1.0f64; values.len()];
    for stmt in &scop.stmts {
        for (_, row) in domain_rows(stmt) {
            let (params, dims) = row.split_at(least.len());
            let used = (0..least.len()).filter(|k| params[*k] != 0).collect::<Vec<usize>>();
            if used.len() > 1 && dims[..stmt.dims()].iter().any(|c| *c != 0) {
                used.into_iter().for_each(|k| least[k] = OF_WINDOW.max(least[k]));
            }
        }
        for row in lengths(&stmt.domain, values, STAGE)? {
            let mut used = (0..least.len()).filter(|k| row[*k] != 0.0);
            if let (Some(k), None) = (used.next(), used.next())
                && row[k] > 0.0
            {
                least[k] = ((1.0 - row[least.len()]) / row[k]).ceil().max(least[k]);
            }
        }
    }
    Ok(least)
}

/// Data of these sizes, some of them thin, in a cache of a quick core.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn at(scop: &Scop, machine: &Machine, params: &[f64], budget: &Budget) -> Result<Scenario, Failure> {
    let facts = facts_at(scop, params, budget)?;
    let warm = largest(&facts) <= WARM_BYTES;
    let taken = (facts, params.to_vec());
    Ok(Scenario { thin: Some(Thin::Several), warm, ..on_quick_core(taken, machine, BESIDE_THIN) })
}

/// What is taken for thin: all parameters that loops run the longer for, or, where these are many, those that large
/// arrays grow with, if not even these are too many.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn thinned(scop: &Scop, growing: &[Option<f64>], budget: &Budget) -> Result<Thinned, Failure> {
    let used = used(scop, budget)?;
    let count = used.iter().filter(|is| **is).count();
    let in_windows = if count > MOST_THIN { depths(scop, growing) } else { vec![false; used.len()] };
    let beside: Vec<bool> = used.iter().zip(&in_windows).map(|(used, is_short)| *used && !is_short).collect();
    let along = (0..used.len()).filter(|k| beside[*k]).collect::<Vec<usize>>();
    let is_judged = count > 1 && along.len() <= MOST_THIN;
    Ok(Thinned { along: if is_judged { along } else { Vec::new() }, beside, in_windows, count })
}

/// Data that is thin along one parameter; the others are tiny, then `large`.
fn thin(
    scop: &Scop,
    machine: &Machine,
    (large, growing): (f64, &[Option<f64>]),
    budget: &Budget,
) -> Result<Vec<Scenario>, Failure> {
    let thinned = thinned(scop, growing, budget)?;
    let mut out = Vec::new();
    for (k, size) in thinned.along.iter().flat_map(|k| [BESIDE_THIN, large].map(|size| (*k, size))) {
        let usual = thinned.values(scop, size, growing)?;
        for thin in THIN.into_iter().filter(|thin| *thin < usual[k]) {
            let mut params = usual.clone();
            params[k] = thin;
            let facts = facts_at(scop, &params, budget)?;
            out.push(Scenario { thin: Some(Thin::Along(k, thin)), ..on_quick_core((facts, params), machine, size) });
        }
    }
    Ok(out)
}

/// The least size of thin data along each parameter from which on all that is looked at gains enough (hundredths).
#[must_use]
pub fn least_thin(thin: &[Scenario], gains: &[f64], enough: f64) -> BTreeMap<usize, f64> {
    let mut least = BTreeMap::new();
    for of in thin.iter().filter_map(|s| s.thin) {
        let Thin::Along(k, size) = of else { continue };
        let from = |s: &Scenario| matches!(s.thin, Some(Thin::Along(of, other)) if of == k && other >= size);
        if thin.iter().zip(gains).filter(|(s, _)| from(s)).all(|(_, gain)| *gain >= enough) {
            least.entry(k).and_modify(|least: &mut f64| *least = size.min(*least)).or_insert(size);
        }
    }
    least
}

/// Parameters where these among them are no more than `most` that no large array grows with; `None` if there are none
/// of these.
fn shortened(
    scop: &Scop,
    size: f64,
    (growing, of): (&[Option<f64>], &[bool]),
    most: f64,
) -> Result<Option<Vec<f64>>, Failure> {
    let mut values = parameters(scop, size)?;
    let mut is_any = false;
    for k in (0..values.len()).filter(|k| growing[*k].is_none() && of[*k]) {
        is_any |= values[k] > most;
        values[k] = values[k].min(most);
    }
    Ok(is_any.then_some(values))
}

/// Of each parameter that no large array grows with, whether it bounds a counter that elements are found by, or is of
/// windows.
#[must_use]
pub fn depths(scop: &Scop, growing: &[Option<f64>]) -> Vec<bool> {
    let mut found = of_windows(scop);
    for stmt in &scop.stmts {
        let accesses = stmt.accesses.iter().filter(|a| scop.array(a.array).is_memory());
        let walked: Vec<Vec<f64>> = accesses.filter_map(|a| usual_subscripts(stmt, a)).flatten().collect();
        for (dim, param) in bounded_alone(scop, stmt) {
            found[param] |= walked.iter().any(|subscript| subscript[dim] != 0.0);
        }
    }
    found.iter().zip(growing).map(|(found, grows)| *found && grows.is_none()).collect()
}

/// The dims of a statement that are bounded alone, each with parameters that bound it.
fn bounded_alone(scop: &Scop, stmt: &Stmt) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (_, row) in domain_rows(stmt) {
        let (params, dims) = row.split_at(scop.params.len());
        let mut used = (0..stmt.dims()).filter(|d| dims[*d] != 0);
        let (Some(dim), None) = (used.next(), used.next()) else { continue };
        found.extend(params.iter().enumerate().filter(|(_, c)| **c != 0).map(|(param, _)| (dim, param)));
    }
    found
}

/// Of each parameter, whether it bounds how far counters of one statement are apart; the number of a strip and that of
/// an iteration in it are one counter.
fn widths(scop: &Scop) -> Result<Vec<bool>, Failure> {
    let mut found = vec![false; scop.params.len()];
    for (stmt, basic) in scop.stmts.iter().flat_map(|s| s.domain.basics().iter().map(move |b| (s, b))) {
        for (_, row) in basic.rows_i64().map_err(Limit::of("cost"))? {
            let (params, dims) = row.split_at(found.len());
            let (loops, used) = (stmt.body.loops(), |d: usize| dims[d] != 0);
            let inside = stmt.dims().saturating_sub(loops.len());
            let in_strips = |(k, of): (usize, &LoopDim)| of.strip.is_some_and(|s| used(s.dim) && used(inside + k));
            let parts = loops.iter().enumerate().filter(|l| in_strips(*l)).count();
            if (0..stmt.dims()).filter(|d| used(*d)).count() > 1 + parts {
                found.iter_mut().zip(params).for_each(|(found, c)| *found |= *c != 0);
            }
        }
    }
    Ok(found)
}

/// The quickest core that the code may run on.
fn roomy(machine: &Machine) -> Machine {
    let [l1, l2, l3] = if machine.is_known { [0; 3] } else { ROOMY };
    Machine {
        l1_bytes: machine.l1_bytes.max(l1),
        l2_bytes: machine.l2_bytes.max(l2),
        l3_bytes: machine.l3_bytes.max(l3),
        is_quick: true,
        ..*machine
    }
}

/// Bytes of the largest array where parameters are the largest tried, and with which power of the parameters they
/// grow; `None` where they do not.
fn growth(scop: &Scop, usual: &[Facts], budget: &Budget) -> Result<Option<(f64, f64)>, Failure> {
    if scop.params.is_empty() {
        return Ok(None);
    }
    let row = strip_elems(scop)?;
    let bytes_at = |size: f64| Ok::<f64, Failure>(largest(&facts_with(scop, size * row, budget)?));
    let (few, many) = (bytes_at(TRIED.0)?, if row > 1.0 { bytes_at(TRIED.1)? } else { largest(usual) });
    let degree = (many / few).log2() / (TRIED.1 / TRIED.0).log2();
    Ok((degree >= 0.5).then_some((many, degree)))
}

/// Elements of the rows that parameters count, where whole ones of a constant length bound a loop: `430i + 430 <= n`,
/// as chunks of a slice do. 1 where none does.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn row_elems(scop: &Scop) -> Result<f64, Failure> {
    steps(scop, |step, constant| constant <= -step)
}

/// The same where strips count as rows, of which the last need not be whole: `430i < n`.
fn strip_elems(scop: &Scop) -> Result<f64, Failure> {
    steps(scop, |_, _| true)
}

/// The longest step that a parameter bounds a dim in, among those that count by the step and the constant of the bound.
fn steps(scop: &Scop, counts: impl Fn(i64, i64) -> bool) -> Result<f64, Failure> {
    let np = scop.params.len();
    let mut longest: i64 = 1;
    for (stmt, basic) in scop.stmts.iter().flat_map(|s| s.domain.basics().iter().map(move |b| (s, b))) {
        for (_, row) in basic.rows_i64().map_err(Limit::of("cost"))? {
            let constant = row[row.len() - 1];
            let (params, dims) = row[..row.len() - 1].split_at(np);
            let mut used = dims.iter().enumerate().filter(|(_, c)| **c != 0);
            if let (Some((dim, step)), None, true) = (used.next(), used.next(), params.iter().any(|c| c.abs() == 1))
                && dim < stmt.dims()
                && counts(step.saturating_abs(), constant)
            {
                longest = longest.max(step.saturating_abs());
            }
        }
    }
    Ok(to_f64(longest))
}

/// Bytes of the largest array: the box around what the statements touch of it.
fn largest(facts: &[Facts]) -> f64 {
    largest_of(facts, |_| true, true)
}

/// The same of the references that count; also where they would not fit rows of the length that is taken for these if
/// `fit` is not given: lengths of loops that are sizes of their own, as that of `i < (n - r) / 2 + 1`, are taken for as
/// long as `n`.
fn largest_of(facts: &[Facts], counts: impl Fn(&Reference) -> bool, fit: bool) -> f64 {
    let bytes = |f: &Facts| {
        let of = |r: &Reference| {
            let extent = |k: usize| {
                let walked: f64 = r.subscripts[k].iter().zip(&f.trips).map(|(c, t)| c.abs() * (t - 1.0)).sum();
                let all = 1.0 + r.spread[k] + walked;
                if fit { all.min(r.sizes[k]) } else { all }
            };
            (0..r.subscripts.len()).map(extent).product::<f64>() * r.elem_bytes
        };
        f.refs.iter().filter(|r| counts(r)).map(of).fold(1.0, f64::max)
    };
    facts.iter().map(bytes).fold(1.0, f64::max)
}

/// The least size from which on the gains (hundredths, by scenario) are at least `enough`; `None` if not even those of
/// the largest one are, or all are.
#[must_use]
pub fn least_size(scenarios: &[Scenario], gains: &[f64], enough: f64) -> Option<f64> {
    let falls_short = |(scenario, gain): (&Scenario, &f64)| scenario.size.filter(|_| *gain < enough);
    let too_small = scenarios.iter().zip(gains).filter_map(falls_short).reduce(f64::max)?;
    let larger = scenarios.iter().filter_map(|s| s.size).filter(|size| *size > too_small);
    larger.reduce(f64::min)
}

/// The least gain (hundredths) where what no large array grows with is as short as windows are; `None` if there is
/// nothing of the kind.
#[must_use]
pub fn least_in_windows(thin: &[Scenario], gains: &[f64]) -> Option<f64> {
    thin.iter().zip(gains).filter(|(s, _)| s.thin == Some(Thin::Depths)).map(|(_, gain)| *gain).reduce(f64::min)
}

/// Parameters that the largest arrays grow with, each with `least`, and all others with `shortest`; of those that the
/// model wants smaller or that no loop runs the longer for, as first indices of arrays, nothing is asked.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn bounds(scop: &Scop, (least, shortest): (f64, f64), budget: &Budget) -> Result<Vec<f64>, Failure> {
    let used = used(scop, budget)?;
    let of = |(grows, is_used): (Option<f64>, bool)| match grows {
        Some(_) => least,
        None if is_used => shortest,
        None => f64::NEG_INFINITY,
    };
    Ok(growing(scop, budget)?.into_iter().zip(used).map(of).collect())
}

/// Of each parameter, whether a loop runs the longer for it, and it is not taken for a small one.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn used(scop: &Scop, budget: &Budget) -> Result<Vec<bool>, Failure> {
    let values = parameters(scop, ASSUMED_PARAMETER)?;
    let usual = facts_at(scop, &values, budget)?;
    let is_used = |k: usize| {
        let fewer = facts_at(scop, &halved(&values, k), budget)?;
        Ok(is_shorter(&fewer, &usual) && values[k] >= SHORTEST)
    };
    (0..values.len()).map(is_used).collect()
}

/// Whether some loop is of another length where a parameter is less.
fn is_shorter(fewer: &[Facts], usual: &[Facts]) -> bool {
    fewer.iter().zip(usual).any(|(fewer, usual)| fewer.trips != usual.trips)
}

fn halved(values: &[f64], k: usize) -> Vec<f64> {
    let mut fewer = values.to_vec();
    fewer[k] /= 2.0;
    fewer
}

/// Of each parameter, whether it is the length of windows over more than one dim, as those of convolutions of images,
/// or how far they reach over the border: it bounds counters that are not in what is written, and are added to ones
/// that are.
pub(super) fn of_windows(scop: &Scop) -> Vec<bool> {
    let mut found = vec![false; scop.params.len()];
    for stmt in &scop.stmts {
        let of = |is: fn(AccessKind) -> bool| -> Vec<Vec<f64>> {
            let accesses = stmt.accesses.iter().filter(|a| is(a.kind) && scop.array(a.array).is_memory());
            accesses.filter_map(|a| usual_subscripts(stmt, a)).flatten().collect()
        };
        let (read, written) = (of(|kind| kind == AccessKind::Read), of(|kind| kind != AccessKind::Read));
        let counters = counters(stmt);
        let is_written = |dim: usize| {
            let mut of_counter = (0..stmt.dims()).filter(|other| counters[*other] == counters[dim]);
            of_counter.any(|of| written.iter().any(|subscript| subscript[of] != 0.0))
        };
        let is_beside = |subscript: &Vec<f64>, dim: usize| {
            let others = (0..stmt.dims()).filter(|other| counters[*other] != counters[dim] && subscript[*other] != 0.0);
            subscript[dim] != 0.0 && others.into_iter().any(is_written)
        };
        let in_window = |dim: usize| !is_written(dim) && read.iter().any(|subscript| is_beside(subscript, dim));
        let [shortens, shortened] = shortening(scop, stmt, &read);
        let dims: Vec<bool> =
            (0..stmt.dims()).map(|dim| shortens[dim] || (in_window(dim) && !shortened[dim])).collect();
        let alone = bounded_alone(scop, stmt);
        // Its rows may be one loop with what is side by side in them.
        let has_length = |dim: usize, param: usize| alone.contains(&(dim, param));
        let is_length = |k: usize| (0..dims.len()).any(|dim| dims[dim] && has_length(dim, k));
        let is_joined = |dim: usize| {
            let of = |k: usize| !scop.params[k].by.is_empty() && scop.params[k].rows().all(is_length);
            (0..scop.params.len()).any(|k| has_length(dim, k) && of(k))
        };
        let of = (0..dims.len()).filter(|dim| dims[*dim] || is_joined(*dim)).map(|dim| counters[dim]);
        if of.collect::<BTreeSet<usize>>().len() < 2 {
            continue;
        }
        for (dim, param) in alone.iter().copied() {
            found[param] |= dims[dim];
        }
    }
    if found.contains(&true) {
        let paddings = paddings(scop);
        found.iter_mut().zip(paddings).for_each(|(found, is)| *found |= is);
    }
    found
}

/// Of each parameter, whether it is how far windows reach over the border.
#[must_use]
pub fn borders(scop: &Scop) -> Vec<bool> {
    of_windows(scop).into_iter().zip(paddings(scop)).map(|(is, reaches)| is && reaches).collect()
}

/// What is asked of each parameter where short data gains too little: `least` of those that no large array grows with.
/// Windows are judged where they are short, and nothing is asked of borders.
#[must_use]
pub fn asked_of_depths(scop: &Scop, growing: &[Option<f64>], least: f64) -> Vec<f64> {
    let (windows, borders, depths) = (of_windows(scop), borders(scop), depths(scop, growing));
    let of = |k: usize| match () {
        () if borders[k] => f64::NEG_INFINITY,
        () if windows[k] => OF_WINDOW,
        () if depths[k] => least,
        () => f64::NEG_INFINITY,
    };
    (0..growing.len()).map(of).collect()
}

/// What parameters are taken for, with those that are products of the rows of windows and what is side by side in them
/// as long as these are.
pub(super) fn with_products(scop: &Scop, params: &[f64]) -> Vec<f64> {
    let mut params = params.to_vec();
    for (k, elements) in products_of_windows(scop) {
        let by = &scop.params[k].by;
        let (of, constant) = by.split_at(by.len() - 1);
        let rows = of.iter().zip(&params).map(|(c, value)| to_f64(*c) * value).sum::<f64>() + to_f64(constant[0]);
        params[k] = rows * params[elements];
    }
    params
}

/// Parameters that are products of the rows of windows and of another parameter, with that one.
#[must_use]
pub fn products_of_windows(scop: &Scop) -> Vec<(usize, usize)> {
    let products = || scop.params.iter().enumerate().filter(|(_, p)| !p.by.is_empty());
    if products().next().is_none() {
        return Vec::new();
    }
    let windows = of_windows(scop);
    let of_rows = products().filter(|(_, p)| p.rows().all(|k| windows[k]));
    let elements = |p: &Param| {
        let is_factor = |of: &Param| of.by.is_empty() && (of.value, &of.times) == (p.value, &p.times);
        scop.params.iter().position(is_factor)
    };
    of_rows.filter_map(|(k, p)| Some((k, elements(p)?))).collect()
}

/// Of each parameter, whether it is the length of a window over one dim that takes from the length of the dim that it
/// goes along: `r < l` and `x < n - l + 1` of `in[x + r]`.
pub(super) fn of_shortening(scop: &Scop) -> Vec<bool> {
    let mut found = vec![false; scop.params.len()];
    for stmt in &scop.stmts {
        let reads = stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read && scop.array(a.array).is_memory());
        let read: Vec<Vec<f64>> = reads.filter_map(|a| usual_subscripts(stmt, a)).flatten().collect();
        let [shortens, _] = shortening(scop, stmt, &read);
        for (dim, param) in bounded_alone(scop, stmt) {
            found[param] |= shortens[dim];
        }
    }
    found
}

/// Of each dim of a statement the one that stands for its counter: the number of a strip and that of an iteration in it
/// are one.
fn counters(stmt: &Stmt) -> Vec<usize> {
    let mut found: Vec<usize> = (0..stmt.dims()).collect();
    let inside = stmt.dims().saturating_sub(stmt.body.loops().len());
    for (k, strip) in stmt.body.loops().iter().enumerate().filter_map(|(k, of)| Some((k, of.strip?))) {
        found[inside + k] = strip.dim;
    }
    found
}

/// Of each dim, whether what bounds it takes from the length of another one that is added to it in what is read, so
/// that both end in the array: `r < l` and `x < n - l + 1` of `in[x + r]`; then, whether it is such another one.
fn shortening(scop: &Scop, stmt: &Stmt, read: &[Vec<f64>]) -> [Vec<bool>; 2] {
    let (np, dims) = (scop.params.len(), stmt.dims());
    let (mut shortens, mut shortened) = (vec![false; dims], vec![false; dims]);
    let rows: Vec<Vec<i64>> = domain_rows(stmt).map(|(_, row)| row).collect();
    // The dims that a parameter lengthens or shortens from above.
    let of = |k: usize, counts: fn(i64) -> bool| -> Vec<usize> {
        let bounding = rows.iter().filter(|row| counts(row[k])).filter_map(|row| {
            let mut used = (0..dims).filter(|d| row[np + d] != 0);
            used.next().filter(|d| used.next().is_none() && row[np + d] < 0)
        });
        bounding.collect()
    };
    let are_added = |a: usize, b: usize| a != b && read.iter().any(|s| s[a] != 0.0 && s[b] != 0.0);
    for k in 0..np {
        let longer = of(k, |by| by > 0);
        for (dim, other) in longer.iter().flat_map(|dim| of(k, |by| by < 0).into_iter().map(move |other| (*dim, other)))
        {
            if are_added(dim, other) {
                (shortens[dim], shortened[other]) = (true, true);
            }
        }
    }
    [shortens, shortened]
}

/// Of each parameter, whether it bounds no counter alone, but counters together: what a window reaches over the border.
fn paddings(scop: &Scop) -> Vec<bool> {
    let (mut found, mut alone) = (vec![false; scop.params.len()], vec![false; scop.params.len()]);
    for (stmt, basic) in scop.stmts.iter().flat_map(|s| s.domain.basics().iter().map(move |b| (s, b))) {
        let counters = counters(stmt);
        for (_, row) in basic.rows_i64().into_iter().flatten() {
            let (params, dims) = row.split_at(found.len());
            let used = (0..stmt.dims()).filter(|d| dims[*d] != 0).map(|d| counters[d]).collect::<BTreeSet<usize>>();
            let of = if used.len() == 1 { &mut alone } else { &mut found };
            of.iter_mut().zip(params).for_each(|(of, c)| *of |= *c != 0 && !used.is_empty());
        }
    }
    found.iter().zip(alone).map(|(found, alone)| *found && !alone).collect()
}

/// What the parameters that the largest arrays grow with are taken for; `None` for others. Where several arrays are the
/// largest and each grows with another parameter, as many points and as many coefficients, the written ones
/// count, and of their parameters those that a loop runs the longer for.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn growing(scop: &Scop, budget: &Budget) -> Result<Vec<Option<f64>>, Failure> {
    let values = parameters(scop, ASSUMED_PARAMETER)?;
    let of_windows = of_windows(scop);
    let usual = facts_at(scop, &values, budget)?;
    let fewer =
        (0..values.len()).map(|k| facts_at(scop, &halved(&values, k), budget)).collect::<Result<Vec<_>, _>>()?;
    let grows = |facts: &[Facts], counts: fn(&Reference) -> bool| {
        [true, false].iter().any(|fit| largest_of(facts, counts, *fit) < 0.99 * largest_of(&usual, counts, *fit))
    };
    let known = |is: &dyn Fn(&[Facts]) -> bool| -> Vec<Option<f64>> {
        let is_one = |k: usize| is(&fewer[k]) && !of_windows[k];
        values.iter().enumerate().map(|(k, value)| is_one(k).then_some(*value)).collect()
    };
    let of_all = known(&|facts| grows(facts, |_| true));
    if of_all.iter().any(Option::is_some) {
        return Ok(of_all);
    }
    Ok(known(&|facts| is_shorter(facts, &usual) && grows(facts, |r| r.writes)))
}
