//! What the cost model knows of a statement: how often it runs and which elements it touches, as linear forms.
//!
//! Approximate: trip counts are averages at the middle of the outer loops, parameters without a known value count as
//! [`ASSUMED_PARAMETER`]. Nothing here decides legality.

use super::ASSUMED_PARAMETER;
use super::lengths::{at, lengths, lengths_at};
use super::remainders::{self, Remainder};
use super::sizes::{OF_WINDOW, SHORTEST, of_shortening, of_windows, with_products};
use crate::error::{Failure, Limit};
use crate::ids::ValueId;
use crate::model::{Access, AccessKind, Ops, Scop, Size, Stmt, defining_row};
use crate::storage::footprint::subscript_ends;
use presburger::{Bound, Budget, Kind, Set};
use std::cmp::Ordering;

/// The stage that a failure here is told of: it asks first.
pub(super) const STAGE: &str = "schedule";
/// How many times as large as the rows of arrays let some parameters be the others are taken for, at most: matrices and
/// grids are about as long as they are wide.
const ELONGATED: f64 = 2.0;
/// Loops between two parameters are taken to run so often, at least.
const RUNS: f64 = 2.0;
/// A subscript with fewer values than this counts as one that all of them are accessed by.
const MAX_VALUES: i64 = 16;
/// Part of the budget that finding out whether it has may cost.
const RANGE_PART: u64 = 256;
/// Elements from a row behind a pointer to the next one where no parameter says how long rows are; no power of two,
/// which would have all rows in the same places of a cache.
const ROW_ELEMS: f64 = 1002.0;
/// Elements between such rows: what an allocator puts there.
const ROW_GAP: f64 = 2.0;
/// Issue slots of a load, in cycles.
pub(super) const LOAD: f64 = 0.5;
/// The same of a store.
pub(super) const STORE: f64 = 1.0;
/// The same of what counts and ends a loop, per iteration.
pub(super) const ITERATION: f64 = 0.5;
/// Arithmetic of an instance, in cycles one by one, from which on vectors pay whose elements are loaded one by one.
const LIGHT: f64 = 1.0;
/// The same where a processor's own gathering is used, which takes more cycles on many than so many loads.
const LIGHT_GATHERED: f64 = 3.0;
/// Bytes of elements from which on processors gather.
const GATHERED_BYTES: f64 = 4.0;
/// Bits of vectors from which on they do.
const GATHERED_BITS: u32 = 256;
/// How many elements apart the elements of a vector may be that is loaded whole, with those between, and taken apart.
pub const INTERLEAVED: f64 = 8.0;
/// Part of the smaller of work and traffic, and of accesses and arithmetic, that the larger does not hide.
pub(super) const OVERLAP: f64 = 0.25;

/// Accesses of one statement to one array that differ by constants only.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The array.
    pub array: usize,
    /// Whether one of them reads.
    pub reads: bool,
    /// Whether one of them writes.
    pub writes: bool,
    /// Number of accesses.
    pub count: usize,
    /// Per subscript: coefficients over the statement's dims. Empty for scalars.
    pub subscripts: Vec<Vec<f64>>,
    /// Per subscript: largest minus smallest constant among the accesses.
    pub spread: Vec<f64>,
    /// Per subscript: smallest constant.
    pub(super) low: Vec<f64>,
    /// Constants of the accesses that write.
    pub(super) written: Vec<Vec<f64>>,
    /// Constants of the accesses that read what the statement computes with to write here, and cycles from there to
    /// what it writes.
    read: Vec<(Vec<f64>, f64)>,
    /// Size of each array dimension in elements, infinite where unknown.
    pub sizes: Vec<f64>,
    /// Whether all sizes but the first are constants, so that it is known how far rows are apart.
    pub has_known_rows: bool,
    /// Bytes of one element.
    pub elem_bytes: f64,
    /// Per subscript: whether it is a quotient that begins between two multiples of its divisor.
    pub askew: Vec<bool>,
    /// Whether the subscripts could not be read as linear forms.
    pub irregular: bool,
    /// Whether a condition on data decides whether one of them runs, as far as that is known.
    pub in_arm: bool,
    /// Whether all of them read what the original has in registers.
    pub is_read_back: bool,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Average number of iterations of each dim.
    pub trips: Vec<f64>,
    /// Number of iterations of each dim that runs from 0 to a known constant, whatever the outer dims.
    pub exact: Vec<Option<i64>>,
    /// Whether some iterations are left out in between, as by `if (i != k)`.
    pub in_pieces: bool,
    /// What bounds the dims.
    pub bounds: Vec<Bounding>,
    /// Whether arrays of the region may share memory, as far as the compiler knows.
    pub may_overlap: bool,
    /// Of what remainders it asks whether it runs.
    pub remainders: Vec<Remainder>,
    /// What it touches.
    pub refs: Vec<Reference>,
    /// Number of different arrays in memory and scalars: `(memory reads, memory writes)`.
    pub loads: usize,
    /// Memory writes.
    pub stores: usize,
    /// How many of these move a scalar, for which the original has a register.
    pub carried: usize,
    /// What it computes.
    pub ops: Ops,
    /// See [`StmtBody::guesses`](crate::model::StmtBody::guesses).
    pub branches: bool,
    /// The array that it updates by an operation whose updates may change places.
    pub reduced: Option<usize>,
    /// See [`StmtBody::accumulates`](crate::model::StmtBody::accumulates).
    pub accumulates: bool,
    /// The first store that it executes: parts of one statement have that in common.
    store: Option<ValueId>,
}

/// An inequality that the dims fulfil.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounding {
    /// Coefficients of the dims.
    pub dims: Vec<f64>,
    /// Whether it only says that one dim is not negative, which cuts into no tile.
    pub from_zero: bool,
    /// The number of values of the one dim that it bounds, if that runs from 0 to a known constant.
    pub exact: Option<i64>,
}

/// Constraints over `[params | dims | subscripts | existentials | 1]`.
type Rows = Vec<(Kind, Vec<i64>)>;

/// Reads the facts of every statement, with sizes that nothing is known of as large as [`ASSUMED_PARAMETER`].
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn facts(scop: &Scop, budget: &Budget) -> Result<Vec<Facts>, Failure> {
    facts_with(scop, ASSUMED_PARAMETER, budget)
}

/// The same with parameters of `assumed`, as far as the contexts let them be.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn facts_with(scop: &Scop, assumed: f64, budget: &Budget) -> Result<Vec<Facts>, Failure> {
    facts_at(scop, &parameters(scop, assumed)?, budget)
}

/// The same with these parameters.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn facts_at(scop: &Scop, params: &[f64], budget: &Budget) -> Result<Vec<Facts>, Failure> {
    let params = with_products(scop, params);
    scop.stmts.iter().map(|s| statement(scop, s, &params, budget)).collect()
}

/// The constraints of a statement's domain over `[params | dims | existentials | 1]`, as far as they fit 64 bits.
pub fn domain_rows(stmt: &Stmt) -> impl Iterator<Item = (Kind, Vec<i64>)> {
    stmt.domain.basics().iter().filter_map(|b| b.rows_i64().ok()).flatten()
}

/// Part of the largest parameter from which on another one is as long.
const AS_LONG: f64 = 0.75;

/// Assumed value of each parameter, within the bounds the contexts give; lengths of windows are short.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn parameters(scop: &Scop, assumed: f64) -> Result<Vec<f64>, Failure> {
    let mut values = vec![assumed; scop.params.len()];
    let lowest = bounded(scop, &mut values)?;
    if let Some(longest) = narrow(scop, &mut values)? {
        values.iter_mut().for_each(|value| *value = value.min(ELONGATED * longest));
    }
    turn_on(scop, &mut values, &lowest)?;
    run(scop, &mut values, &lowest)?;
    // Where both are as long, nothing is left of the dim that it takes from.
    let longest = values.iter().copied().fold(0.0, f64::max);
    for (k, _) in of_shortening(scop).into_iter().enumerate().filter(|(_, is)| *is) {
        if values[k] > AS_LONG * longest {
            values[k] = (values[k] / 2.0).round().max(lowest[k]);
        }
    }
    let windows = of_windows(scop).into_iter().enumerate().filter(|(_, is)| *is);
    windows.for_each(|(k, _)| values[k] = values[k].min(OF_WINDOW.max(lowest[k])));
    Ok(values)
}

/// Takes conditions in front of loops, parameters that are -1 where they hold and else 0, for such that hold.
fn turn_on(scop: &Scop, values: &mut [f64], lowest: &[f64]) -> Result<(), Failure> {
    for basic in scop.stmts.iter().flat_map(|stmt| stmt.domain.basics()) {
        for (kind, row) in basic.rows_i64().map_err(Limit::of(STAGE))? {
            let used: Vec<usize> = (0..row.len() - 1).filter(|&k| row[k] != 0).collect();
            if let (Kind::Ge, [k]) = (kind, &used[..])
                && *k < values.len()
                && (lowest[*k], values[*k]) == (-1.0, 0.0)
                && row[row.len() - 1] < 0
            {
                values[*k] = -1.0;
            }
        }
    }
    Ok(())
}

/// Takes values into the bounds that contexts give. The least that each may be.
fn bounded(scop: &Scop, values: &mut [f64]) -> Result<Vec<f64>, Failure> {
    let mut lowest = vec![f64::NEG_INFINITY; values.len()];
    for context in [&scop.contexts.assumed, &scop.contexts.defined] {
        let [basic] = context.basics() else {
            continue;
        };
        for (kind, row) in basic.rows_i64().map_err(Limit::of(STAGE))? {
            let used: Vec<usize> = (0..row.len() - 1).filter(|&k| row[k] != 0).collect();
            if let [k] = used[..]
                && k < values.len()
            {
                let limit = -to_f64(row[row.len() - 1]) / to_f64(row[k]);
                let is_least = kind == Kind::Eq || row[k] > 0;
                lowest[k] = if is_least { lowest[k].max(limit) } else { lowest[k] };
                values[k] = match (kind, row[k] > 0) {
                    (Kind::Eq, _) => limit,
                    (Kind::Ge, true) => values[k].max(limit),
                    (Kind::Ge, false) => values[k].min(limit),
                };
            }
        }
    }
    Ok(lowest)
}

/// Lets loops run between two parameters of which one is the first value and the other one the end, and that would not
/// with both of one size: lowers what their lengths shrink with. Statements in fewer loops than others do not count:
/// those for loops that do not run.
fn run(scop: &Scop, values: &mut [f64], lowest: &[f64]) -> Result<(), Failure> {
    let deepest = scop.stmts.iter().map(Stmt::dims).max();
    for stmt in scop.stmts.iter().filter(|s| Some(s.dims()) == deepest) {
        for row in lengths(&stmt.domain, values, STAGE)? {
            let shrinks = |k: &usize| row[*k] < 0.0 && lowest[*k] < values[*k];
            let grows = (0..values.len()).any(|k| row[k] > 0.0);
            if !grows || at(&row, values) >= RUNS {
                continue;
            }
            for k in (0..values.len()).filter(shrinks).collect::<Vec<_>>() {
                values[k] = values[k].min(SHORTEST.max(lowest[k]));
            }
        }
    }
    Ok(())
}

/// Takes values out of what the model rules out, subscripts behind the end of a row for one, by lowering the parameters
/// of that condition of a piece which asks most, or of one that compares parameters if no loop would run then.
/// The largest value that was lowered.
fn narrow(scop: &Scop, values: &mut [f64]) -> Result<Option<f64>, Failure> {
    let mut longest = None;
    let in_domains: Vec<Vec<i64>> = scop.stmts.iter().flat_map(domain_rows).map(|(_, row)| row).collect();
    let bounds_loop = |k: usize| in_domains.iter().any(|row| row[k] != 0);
    for piece in scop.contexts.invalid.basics() {
        let rows = piece.rows_i64().map_err(Limit::of(STAGE))?;
        if !rows.iter().all(|(kind, row)| *kind == Kind::Ge && rules_out(row, values)) {
            continue;
        }
        // That a first index is small takes no iteration away.
        let rank = |(limit, used): &(f64, Vec<usize>)| (*limit > 1.0 && !used.iter().any(|k| bounds_loop(*k)), *limit);
        let limits = rows.iter().rev().filter_map(|(_, row)| upper_limit(row));
        let most = limits.max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
        let ends_loops = |(limit, used): &(f64, Vec<usize>)| *limit < SHORTEST && used.iter().any(|k| bounds_loop(*k));
        if most.as_ref().is_none_or(ends_loops)
            && let Some(by) = rows.iter().find_map(|(_, row)| excess(row, values))
        {
            by.into_iter().for_each(|(k, value)| values[k] = value);
        } else if let Some((limit, used)) = most.filter(|(limit, _)| *limit > 1.0) {
            for k in used {
                values[k] = values[k].min(limit.ceil() - 1.0);
                // First indices of arrays say nothing of their sizes.
                if bounds_loop(k) {
                    longest = Some(longest.unwrap_or(0.0f64).max(values[k]));
                }
            }
        }
    }
    Ok(longest)
}

/// Whether values of parameters fulfil a condition `row >= 0` on nothing else.
fn rules_out(row: &[i64], values: &[f64]) -> bool {
    let (constant, used) = (row[row.len() - 1], (0..row.len() - 1).filter(|&k| row[k] != 0).collect::<Vec<_>>());
    let at = |k: &usize| to_f64(row[*k]) * values[*k];
    !used.is_empty()
        && used.iter().all(|k| *k < values.len())
        && used.iter().map(at).sum::<f64>() + to_f64(constant) >= 0.0
}

/// The limit from which on parameters of one size fulfil a condition `row >= 0`, and these parameters, if none of them
/// makes it less.
fn upper_limit(row: &[i64]) -> Option<(f64, Vec<usize>)> {
    let used: Vec<usize> = (0..row.len() - 1).filter(|&k| row[k] != 0).collect();
    let limit = -to_f64(row[row.len() - 1]) / used.iter().map(|k| to_f64(row[*k])).sum::<f64>();
    used.iter().all(|k| row[*k] > 0).then_some((limit, used))
}

/// Values of the parameters that make `row` larger with which it is less than 0, where it compares parameters:
/// `2k > n` of halves `k` that are taken for as large as `n`.
fn excess(row: &[i64], values: &[f64]) -> Option<Vec<(usize, f64)>> {
    let part = |is: fn(i64) -> bool| (0..row.len() - 1).filter(move |k| is(row[*k])).collect::<Vec<usize>>();
    let sum = |of: &[usize]| of.iter().map(|k| to_f64(row[*k]) * values[*k]).sum::<f64>();
    let (more, less) = (part(|c| c > 0), part(|c| c < 0));
    let room = -sum(&less) - to_f64(row[row.len() - 1]) - 1.0;
    let share = room / sum(&more);
    let lowered = |k: usize| (k, (values[k] * share).floor());
    let holds = !less.is_empty() && !more.is_empty() && share < 1.0;
    let made: Vec<(usize, f64)> = more.into_iter().map(lowered).collect();
    (holds && made.iter().all(|(_, value)| *value >= SHORTEST)).then_some(made)
}

/// The nearest number.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn to_f64(x: i64) -> f64 {
    x as f64
}

fn statement(scop: &Scop, stmt: &Stmt, params: &[f64], budget: &Budget) -> Result<Facts, Failure> {
    let mut refs: Vec<Reference> = Vec::new();
    let (mut loads, mut stores, mut carried) = (0, 0, 0);
    for access in &stmt.accesses {
        carried += usize::from(access.carries.is_some());
        if scop.array(access.array).is_memory() {
            if access.kind == AccessKind::Read {
                loads += 1;
            } else {
                stores += 1;
            }
        }
        let fresh = reference(scop, (stmt, access), params, budget)?;
        let same = |r: &&mut Reference| r.array == fresh.array && r.has_beside(&fresh) && !r.irregular;
        match refs.iter_mut().find(same) {
            Some(r) => r.absorb(&fresh),
            None => refs.push(fresh),
        }
    }
    let is_store = |a: &&Access| scop.array(a.array).is_memory() && a.kind != AccessKind::Read;
    let store = stmt.accesses.iter().find(is_store).map(|a| a.inst).filter(|i| stmt.body.insts().contains(i));
    let exact = exact_trips(&stmt.domain)?;
    Ok(Facts {
        trips: trips(&stmt.domain, params)?,
        in_pieces: stmt.domain.basics().len() > 1,
        bounds: bounds(&stmt.domain, &exact)?,
        may_overlap: !scop.alias_groups.is_empty(),
        remainders: remainders::of(&stmt.domain)?,
        exact,
        refs,
        loads,
        stores,
        carried,
        ops: stmt.body.ops(),
        branches: stmt.body.guesses(),
        reduced: stmt.reduction.as_ref().map(|r| r.array.index()),
        accumulates: stmt.body.accumulates(),
        store,
    })
}

impl Facts {
    /// Whether both are parts of one statement, each with instances of its own.
    #[must_use]
    pub fn is_other_part(&self, other: &Facts) -> bool {
        self.store.is_some() && self.store == other.store
    }

    /// Cycles of arithmetic of one instance among independent ones, one by one.
    #[must_use]
    pub fn scalar_cycles(&self) -> f64 {
        scalar_cycles(&self.ops)
    }

    /// The same in vectors of the target's width.
    #[must_use]
    pub fn vector_cycles(&self) -> f64 {
        f64::from(self.ops.vector_64ths) / 64.0
    }

    /// Instructions of one instance.
    #[must_use]
    pub fn instructions(&self) -> f64 {
        f64::from(self.ops.instructions) + u32::try_from((self.loads + self.stores).max(1)).map_or(1.0, f64::from)
    }

    /// Instructions of one instance of the original.
    #[must_use]
    pub fn original_instructions(&self) -> f64 {
        self.instructions() - u32::try_from(self.carried).map_or(0.0, f64::from)
    }

    /// Accesses to memory of all instances.
    #[must_use]
    pub fn accesses(&self) -> f64 {
        let each = u32::try_from((self.loads + self.stores).max(1)).map_or(f64::MAX, f64::from);
        self.trips.iter().product::<f64>() * each
    }
}

/// Whether an instance computes so little that vectors do not pay for gathering what they compute with, elements of so
/// many bytes; `is_uneven`: it is not the same number of them that lies between each two.
#[must_use]
pub fn is_light(ops: &Ops, elem_bytes: f64, is_uneven: bool) -> bool {
    let takes_long = are_gathered(ops, elem_bytes) || is_uneven;
    scalar_cycles(ops) < if takes_long { LIGHT_GATHERED } else { LIGHT }
}

/// Whether the processor gathers elements of so many bytes for a statement that computes this, if they lie apart.
#[must_use]
pub fn are_gathered(ops: &Ops, elem_bytes: f64) -> bool {
    elem_bytes >= GATHERED_BYTES && ops.vector_bits >= GATHERED_BITS
}

/// Cycles of arithmetic of one instance among independent ones, one by one.
fn scalar_cycles(ops: &Ops) -> f64 {
    f64::from(ops.scalar_64ths) / 64.0
}

/// Cycles of one instance among independent ones, one by one: accesses that hit the nearest cache, arithmetic, and its
/// share of the loop.
#[must_use]
pub fn cycles(scop: &Scop, stmt: &Stmt) -> f64 {
    let in_memory = stmt.accesses.iter().filter(|a| scop.array(a.array).is_memory());
    let issue = |a: &Access| if a.kind == AccessKind::Read { LOAD } else { STORE };
    overlapped(ITERATION + in_memory.map(issue).sum::<f64>(), scalar_cycles(&stmt.body.ops()))
}

/// Time of two things of which the longer hides most of the shorter.
pub(super) fn overlapped(a: f64, b: f64) -> f64 {
    a.max(b) + OVERLAP * a.min(b)
}

/// Rows, or elements of a row, between two accesses from which on they count as two and not as all between them.
const FAR_ROWS: f64 = 64.0;
/// See `FAR_ROWS`.
const FAR_ELEMENTS: f64 = 1024.0;

impl Reference {
    /// Whether another reference moves as this one does, and not far from it by the outermost subscript.
    fn has_beside(&self, other: &Reference) -> bool {
        let is_near = |(low, spread): (&f64, &f64)| {
            let apart = (other.low[0] - (low + spread)).max(low - other.low[0]);
            apart <= if self.low.len() == 1 { FAR_ELEMENTS } else { FAR_ROWS }
        };
        self.subscripts == other.subscripts && self.low.first().zip(self.spread.first()).is_none_or(is_near)
    }

    /// Adds an access with the same coefficients.
    fn absorb(&mut self, other: &Reference) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.count += other.count;
        self.in_arm |= other.in_arm;
        self.is_read_back &= other.is_read_back;
        self.written.extend_from_slice(&other.written);
        self.read.extend_from_slice(&other.read);
        for k in 0..self.low.len() {
            let high = (self.low[k] + self.spread[k]).max(other.low[k] + other.spread[k]);
            self.low[k] = self.low[k].min(other.low[k]);
            self.spread[k] = high - self.low[k];
        }
    }

    /// What an iteration of a loop in this direction waits for on average where it reads what one before wrote here:
    /// `price` of the number of iterations between them and of the cycles from there to what it writes. `None` where
    /// it reads nothing of that.
    #[must_use]
    pub(super) fn carried(&self, direction: &[f64], price: impl Fn(f64, f64) -> f64) -> Option<f64> {
        let pairs = self.written.iter().flat_map(|w| self.read.iter().map(move |(r, cycles)| (w, r, *cycles)));
        pairs.filter_map(|(w, r, cycles)| Some(price(self.between(direction, w, r)?, cycles))).reduce(f64::max)
    }

    /// Cycles from the element that a statement updates to its new value, longest way; `None` where it is not known
    /// which loads read that.
    #[must_use]
    pub(super) fn updating(&self) -> Option<f64> {
        self.read.iter().filter(|(at, _)| self.written.contains(at)).map(|(_, cycles)| *cycles).reduce(f64::max)
    }

    /// Iterations of a loop in this direction from the one that writes an element at these constants to the one that
    /// reads it at these; `None` where that is no later one.
    fn between(&self, direction: &[f64], written: &[f64], read: &[f64]) -> Option<f64> {
        let step = |k: usize| self.step(k, direction);
        let apart = |k: usize| written[k] - read[k];
        let rank = self.subscripts.len();
        let first = (0..rank).find(|k| step(*k) != 0.0)?;
        let times = apart(first) / step(first);
        (times > 0.0 && (0..rank).all(|k| apart(k) == times * step(k))).then_some(times)
    }

    /// Whether the statement reads here what no iteration of a loop in this direction before wrote here.
    #[must_use]
    pub(super) fn reads_ahead(&self, direction: &[f64]) -> bool {
        let is_behind = |read: &[f64]| self.written.iter().any(|w| self.between(direction, w, read).is_some());
        self.count > self.read.len() + self.written.len() || !self.read.iter().all(|(read, _)| is_behind(read))
    }

    /// Whether a loop in this direction leads to the same element in some iterations: a subscript is a quotient.
    #[must_use]
    pub fn is_divided(&self, direction: &[f64]) -> bool {
        (0..self.subscripts.len()).any(|k| self.step(k, direction).fract() != 0.0)
    }

    /// Whether a loop in this direction leads to the same element in some iterations, which are no whole vectors.
    #[must_use]
    pub fn is_uneven(&self, direction: &[f64]) -> bool {
        (0..self.subscripts.len()).any(|k| is_uneven(self.step(k, direction), self.askew[k]))
    }

    /// Change of subscript `k` for one step along `direction` (a vector over the statement's dims).
    #[must_use]
    pub fn step(&self, k: usize, direction: &[f64]) -> f64 {
        self.subscripts[k].iter().zip(direction).map(|(a, b)| a * b).sum()
    }

    /// Whether it goes along an array whose elements lie some size apart that is not known, and touches nothing in
    /// between: a vector with an increment, as the BLAS have them.
    #[must_use]
    pub fn is_spread(&self) -> bool {
        !self.has_known_rows && matches!(self.subscripts.as_slice(), [_, last] if last.iter().all(|c| *c == 0.0))
    }

    /// The same with its elements side by side.
    #[must_use]
    pub fn side_by_side(&self) -> Self {
        let first = |of: &[f64]| of[..1].to_vec();
        Self {
            subscripts: self.subscripts[..1].to_vec(),
            spread: first(&self.spread),
            low: first(&self.low),
            written: self.written.iter().map(|of| first(of)).collect(),
            read: self.read.iter().map(|(of, cycles)| (first(of), *cycles)).collect(),
            sizes: first(&self.sizes),
            has_known_rows: true,
            ..self.clone()
        }
    }

    /// Distance in bytes of one step along `direction`.
    #[must_use]
    pub fn stride_bytes(&self, direction: &[f64]) -> f64 {
        let mut unit = self.elem_bytes;
        let mut total = 0.0;
        for k in (0..self.subscripts.len()).rev() {
            total += self.step(k, direction) * unit;
            unit *= if self.sizes[k].is_finite() { self.sizes[k] } else { 1.0 };
        }
        total
    }

    /// Whether both touch the same elements up to constants.
    #[must_use]
    pub fn same_pattern(&self, other: &Reference) -> bool {
        self.array == other.array && self.subscripts == other.subscripts
    }
}

/// One access as a linear form over the statement's dims.
fn reference(
    scop: &Scop,
    (stmt, access): (&Stmt, &Access),
    params: &[f64],
    budget: &Budget,
) -> Result<Reference, Failure> {
    let array = scop.array(access.array);
    let (np, d, rank) = (params.len(), stmt.dims(), array.sizes.len());
    let longest = params.iter().copied().fold(0.0, f64::max);
    let size = |k: usize, s: &Size| match s {
        Size::Unknown if k > 0 => {
            if longest > 0.0 {
                longest + ROW_GAP
            } else {
                ROW_ELEMS
            }
        }
        Size::Unknown => f64::INFINITY,
        Size::Const(c) => to_f64(*c),
        Size::Affine(row) => {
            let scaled: f64 = row.iter().zip(params).map(|(c, p)| to_f64(*c) * p).sum();
            (scaled + row.last().map_or(0.0, |c| to_f64(*c))).max(1.0)
        }
    };
    let mut out = Reference {
        array: access.array.index(),
        reads: access.kind == AccessKind::Read,
        writes: access.kind != AccessKind::Read,
        count: 1,
        subscripts: vec![vec![0.0; d]; rank],
        spread: vec![0.0; rank],
        low: vec![0.0; rank],
        written: Vec::new(),
        read: Vec::new(),
        sizes: array.sizes.iter().enumerate().map(|(k, s)| size(k, s)).collect(),
        has_known_rows: array.sizes.iter().skip(1).all(|s| matches!(s, Size::Const(_))),
        elem_bytes: f64::from(array.elem_bytes),
        askew: vec![false; rank],
        irregular: true,
        in_arm: access.kind == AccessKind::MayWrite || stmt.body.in_arms().contains(&access.inst),
        is_read_back: scop.is_read_back(access),
    };
    let Some(rows) = usual_piece(access, (np + d, rank))? else {
        return Ok(out);
    };
    out.irregular = false;
    let fixed =
        |r: &[i64]| -> f64 { r.iter().zip(params).map(|(c, p)| to_f64(*c) * p).sum::<f64>() + to_f64(r[r.len() - 1]) };
    for k in 0..rank {
        match defining_row(&rows, np + d, k) {
            Some(r) => {
                out.subscripts[k] = coefficients(stmt, r, -r[np + d + k]);
                out.low[k] = fixed(r) / -to_f64(r[np + d + k]);
            }
            None => match (few_values(access, k, &budget.part(RANGE_PART)), quotient(&rows, (np + d, rank), k)) {
                (Some((low, high)), _) => (out.low[k], out.spread[k]) = (to_f64(low), to_f64(high - low)),
                (None, Some((row, by, offset))) => {
                    out.subscripts[k] = coefficients(stmt, row, by);
                    out.low[k] = (fixed(row) / to_f64(by)).floor() + to_f64(offset);
                    out.askew[k] = is_askew(stmt, row, by);
                }
                (None, None) => out.irregular = true,
            },
        }
    }
    if out.writes {
        out.written.push(out.low.clone());
    } else if let Some((_, cycles)) = stmt.body.paths().iter().find(|(load, _)| *load == access.inst) {
        out.read.push((out.low.clone(), f64::from(*cycles)));
    }
    Ok(out)
}

/// Per subscript of an access: coefficients over the statement's dims, those of the usual piece. `None` where one has
/// none, or a number does not fit.
#[must_use]
pub fn usual_subscripts(stmt: &Stmt, access: &Access) -> Option<Vec<Vec<f64>>> {
    let space = access.relation.space();
    let (inputs, rank) = (space.n_param() + stmt.dims(), space.n_out());
    let rows = usual_piece(access, (inputs, rank)).ok()??;
    let row = |k: usize| defining_row(&rows, inputs, k).map(|row| coefficients(stmt, row, -row[inputs + k]));
    (0..rank).map(row).collect()
}

/// The same where quotients count as evenly increasing numbers; per subscript also whether it is one that begins
/// between two multiples of its divisor.
#[must_use]
pub fn walked_subscripts(stmt: &Stmt, access: &Access) -> Option<(Vec<Vec<f64>>, Vec<bool>)> {
    let space = access.relation.space();
    let (inputs, rank) = (space.n_param() + stmt.dims(), space.n_out());
    let rows = usual_piece(access, (inputs, rank)).ok()??;
    let of = |k: usize| {
        if let Some(row) = defining_row(&rows, inputs, k) {
            return Some((coefficients(stmt, row, -row[inputs + k]), false));
        }
        let (row, by, _) = quotient(&rows, (inputs, rank), k)?;
        Some((coefficients(stmt, row, by), is_askew(stmt, row, by)))
    };
    (0..rank).map(of).collect::<Option<Vec<_>>>().map(|all| all.into_iter().unzip())
}

fn coefficients(stmt: &Stmt, row: &[i64], by: i64) -> Vec<f64> {
    let np = stmt.domain.space().n_param();
    row[np..np + stmt.dims()].iter().map(|c| to_f64(*c) / to_f64(by)).collect()
}

/// Whether what a statement divides is no multiple of the divisor where its loops begin, as far as that is known:
/// iterations that make a vector then read two elements.
fn is_askew(stmt: &Stmt, row: &[i64], by: i64) -> bool {
    let (np, d) = (stmt.domain.space().n_param(), stmt.dims());
    let mut first = [&row[..np], &row[row.len() - 1..]].concat();
    let Some(Ok(bounds)) = stmt.domain.basics().first().map(presburger::BasicSet::rows_i64) else { return true };
    for k in (0..d).filter(|k| row[np + k] != 0) {
        let is_lower = |r: &[i64]| r[np + k] == 1 && (np..r.len() - 1).all(|c| c == np + k || r[c] == 0);
        let Some((_, bound)) = bounds.iter().find(|(_, r)| is_lower(r)) else { return true };
        let begin = bound[..np].iter().chain(bound.last()).map(|c| -c * row[np + k]);
        first.iter_mut().zip(begin).for_each(|(sum, c)| *sum += c);
    }
    first.iter().any(|c| c % by != 0)
}

/// Iterations that a compiler takes together at least: it loads what all of them read alike, as `a[j / 4]`, once.
const SHORTEST_VECTOR: f64 = 4.0;

/// Whether an access moves on by one element in a number of iterations of which some make a vector.
#[must_use]
pub fn is_shared(step: f64) -> bool {
    step != 0.0 && step.abs() < 1.0 && step.recip() % SHORTEST_VECTOR == 0.0
}

/// Whether it moves on in some iterations only, so that vectors of what it reads are put together one by one.
#[must_use]
pub fn is_uneven(step: f64, is_askew: bool) -> bool {
    step.fract() != 0.0 && (is_askew || !is_shared(step))
}

/// The rows of an access; of one in pieces, those of the piece whose subscripts depend on most dims: neighbours clamped
/// to a border are mostly not at the border. `None` where no piece has a form for each subscript.
fn usual_piece(access: &Access, (inputs, rank): (usize, usize)) -> Result<Option<Rows>, Failure> {
    let mut pieces = Vec::new();
    for basic in access.relation.basics() {
        pieces.push(basic.rows_i64().map_err(Limit::of(STAGE))?);
    }
    if pieces.len() < 2 {
        return Ok(pieces.pop());
    }
    let np = access.relation.space().n_param();
    let dims = |rows: &Rows| -> Option<usize> {
        let used = |k: usize| defining_row(rows, inputs, k).map(|r| r[np..inputs].iter().filter(|c| **c != 0).count());
        (0..rank).map(used).sum()
    };
    let known = pieces.into_iter().filter_map(|rows| Some((dims(&rows)?, rows)));
    Ok(known.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, rows)| rows))
}

/// Output `k` as a quotient of the inputs and a number more: the row that is divided, by what, and that number.
fn quotient(rows: &Rows, (inputs, rank): (usize, usize), k: usize) -> Option<(&[i64], i64, i64)> {
    let own = inputs + k;
    let others = |r: &[i64], but: &[usize]| (inputs..r.len() - 1).any(|c| r[c] != 0 && !but.contains(&c));
    // The quotient may be a number of its own from which the output lies some elements away.
    let behind = rows.iter().filter(|(kind, r)| *kind == Kind::Eq && r[own] != 0).find_map(|(_, r)| {
        let at = (inputs + rank..r.len() - 1).find(|c| r[*c] == -r[own])?;
        let is_alone = r[own].abs() == 1 && r[..inputs].iter().all(|c| *c == 0) && !others(r, &[own, at]);
        is_alone.then(|| (at, -r[r.len() - 1] * r[own]))
    });
    let (at, offset) = behind.unwrap_or((own, 0));
    let below = rows.iter().map(|(_, r)| r).find(|r| r[at] < -1 && !others(r, &[at]))?;
    let by = -below[at];
    let (last, ends) =
        (below.len() - 1, |above: &[i64]| above[..above.len() - 1].iter().zip(below).all(|(a, b)| *a == -b));
    let is_whole = rows.iter().any(|(_, r)| ends(r) && r[last] + below[last] == by - 1);
    is_whole.then_some((&below[..=last], by, offset))
}

/// The smallest and the largest value of a subscript that takes only a few, whatever the dims: `t % 2` of two planes.
fn few_values(access: &Access, k: usize, budget: &Budget) -> Option<(i64, i64)> {
    match subscript_ends(&access.relation.range(budget).ok()?, k, budget) {
        Ok((Bound::Value(low), Bound::Value(high))) if high - low < MAX_VALUES => Some((low, high)),
        _ => None,
    }
}

/// Iterations of each dim with the bounds 0 and a constant only.
fn exact_trips(domain: &Set) -> Result<Vec<Option<i64>>, Failure> {
    let space = domain.space();
    let [basic] = domain.basics() else {
        return Ok(vec![None; space.n_out()]);
    };
    let rows = basic.rows_i64().map_err(Limit::of(STAGE))?;
    let count = |k: usize| {
        let own = space.n_param() + k;
        let mut end = None;
        for (kind, r) in rows.iter().filter(|(_, r)| r[own] != 0) {
            let last = r.len() - 1;
            let alone = (0..last).all(|c| c == own || r[c] == 0);
            match (kind, alone, r[own], r[last]) {
                (Kind::Ge, true, 1, 0) => {}
                (Kind::Ge, true, -1, high) => end = Some(high + 1),
                _ => return None,
            }
        }
        end
    };
    Ok((0..space.n_out()).map(count).collect())
}

/// What bounds the dims; only the first piece of the domain counts, and nothing with existentials.
fn bounds(domain: &Set, exact: &[Option<i64>]) -> Result<Vec<Bounding>, Failure> {
    let (np, d) = (domain.space().n_param(), domain.space().n_out());
    let Some(basic) = domain.basics().first() else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for (kind, r) in basic.rows_i64().map_err(Limit::of(STAGE))? {
        let (known, last) = (np + d, r.len() - 1);
        let dims: Vec<f64> = r[np..known].iter().map(|c| to_f64(*c)).collect();
        if kind == Kind::Ge && dims.iter().any(|c| *c != 0.0) && r[known..last].iter().all(|c| *c == 0) {
            let is_plain = r[..np].iter().all(|c| *c == 0) && r[last] == 0;
            let used: Vec<usize> = (0..d).filter(|k| dims[*k] != 0.0).collect();
            let alone = if let [dim] = used[..] { Some(dim) } else { None };
            let from_zero = is_plain && alone.is_some_and(|dim| dims[dim] > 0.0);
            out.push(Bounding { dims, from_zero, exact: alone.and_then(|dim| exact[dim]) });
        }
    }
    Ok(out)
}

/// Average iterations per dim, each at the middle of the outer ones.
fn trips(domain: &Set, params: &[f64]) -> Result<Vec<f64>, Failure> {
    let least = if domain.basics().is_empty() { 0.0 } else { 1.0 };
    Ok(lengths_at(domain, params, STAGE)?.into_iter().map(|length| length.max(least)).collect())
}
