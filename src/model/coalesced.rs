//! A SCoP in which two loops over the elements of rows are one.
//!
//! `for (x = 0; x < n; x++) for (k = 0; k < c; k++)` around `a[y][x][k]`, where rows are `c` long, goes through memory
//! element by element, as colours of pixels do: the inner loop runs `n * c` times instead, and the outer one once. The
//! instances are those of the original code under other numbers, in their order, and each touches what it did: the
//! statements use the counters for nothing but addresses, in which `x` counts as much as `c` times `k`.
//! Where `c` is a parameter, `n * c` is a new one, behind all others.
//! Source: Polychronopoulos, ICPP 1987 (loop coalescing), here without quotients.

use super::tree::{Band, Node};
use super::{Access, AccessKind, Array, LoopDim, Param, ParamPoly, Scop, SingleLoop, Size, Stmt, StmtBody};
use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::{ArrayId, LoopId, StmtId, ValueId};
use crate::scop::affine::recurs;
use presburger::{Aff, BasicSet, Budget, Dim, Kind, Map, Set, Space};
use std::collections::{BTreeMap, BTreeSet};

/// Most elements of a row whose number is known: vectors run along longer ones.
const MOST_ELEMENTS: i64 = 16;

/// How many elements a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    Known(i64),
    Param(usize),
}

/// Two loops, one inside the other, that go through rows. Rows of numbers are `[params | dims outside | 1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pair {
    /// Dim of the outer loop.
    at: usize,
    /// Dim of the inner one; loops may be between them.
    inner: usize,
    /// Its first value.
    first: Vec<i64>,
    /// How many it has.
    count: Vec<i64>,
    /// First value of the inner loop's dim.
    inner_first: Vec<i64>,
    elements: Elements,
}

/// A parameter that is the length of a coalesced loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Length {
    /// Its column.
    pub column: usize,
    /// How many rows: `[params of the original program | 1]`.
    pub rows: Vec<i64>,
    /// The parameter that is the number of elements in each.
    pub elements: usize,
}

/// A program with loops along rows as one each.
#[derive(Clone, Debug)]
pub struct Coalesced {
    /// The program.
    pub scop: Scop,
    /// The original one with the same parameters: it says what is touched, since subscripts of the other one go on
    /// behind the ends of rows.
    pub original: Scop,
    /// Parameters that the original one does not have.
    pub lengths: Vec<Length>,
    /// Whether one of the loops has no other one around it.
    pub is_outermost: bool,
}

/// The program with such loops as one each; `None` where there are none. `is_free`: whether no dependence between these
/// statements leads from one iteration of a dim to another one, so that its loop may go inside of others.
#[must_use]
pub fn coalesced(
    scop: &Scop,
    facts: &FunctionFacts,
    is_free: &dyn Fn(&BTreeSet<StmtId>, usize) -> bool,
    budget: &Budget,
) -> Option<Coalesced> {
    let pairs = pairs(scop, facts, is_free);
    if pairs.is_empty() {
        return None;
    }
    let of_stmt = |stmt: &Stmt| pairs.get(&stmt.id);
    let merged = merged(scop, &of_stmt)?;
    let products = Products::of(scop, pairs.values(), &merged);
    let made = Rewriter { scop, products: &products, pairs: &pairs, merged: &merged, budget };
    let coalesced = made.rewritten()?;
    let original = Rewriter { pairs: &BTreeMap::new(), merged: &BTreeMap::new(), ..made }.rewritten()?;
    let is_outermost = pairs.values().any(|pair| pair.at == 0);
    Some(Coalesced { scop: coalesced, original, lengths: products.lengths, is_outermost })
}

/// The pair that each statement is in.
fn pairs(
    scop: &Scop,
    facts: &FunctionFacts,
    is_free: &dyn Fn(&BTreeSet<StmtId>, usize) -> bool,
) -> BTreeMap<StmtId, Pair> {
    let inside = |stmt: &Stmt| -> Vec<(LoopId, LoopId)> {
        let loops = stmt.body.loops();
        let around = |k: usize| (0..k).rev().map(move |j| (loops[j].id, loops[k].id));
        (1..loops.len()).rev().flat_map(around).collect()
    };
    let mut tried: BTreeSet<(LoopId, LoopId)> = BTreeSet::new();
    let mut found: BTreeMap<StmtId, Pair> = BTreeMap::new();
    for (outer, inner) in scop.stmts.iter().flat_map(inside) {
        if !tried.insert((outer, inner)) {
            continue;
        }
        let within = || scop.stmts.iter().filter(|s| s.body.loops().iter().any(|l| l.id == outer));
        if within().any(|s| found.contains_key(&s.id)) {
            continue;
        }
        let of: Option<Vec<Pair>> = within().map(|s| pair(scop, facts, s, (outer, inner))).collect();
        let Some(of) = of.filter(|of| of.windows(2).all(|two| two[0] == two[1])) else { continue };
        let in_order = |pair: &Pair| pair.inner == pair.at + 1 || is_free(&within().map(|s| s.id).collect(), pair.at);
        if within().zip(&of).any(|(s, pair)| goes_along_rows(scop, s, pair)) && of.first().is_some_and(in_order) {
            found.extend(within().zip(of).map(|(s, pair)| (s.id, pair)));
        }
    }
    found
}

/// The two loops as a pair, as far as a statement in the outer one goes.
fn pair(scop: &Scop, facts: &FunctionFacts, stmt: &Stmt, (outer, inner): (LoopId, LoopId)) -> Option<Pair> {
    let StmtBody::Original(code) = &stmt.body else { return None };
    let dim = |id: LoopId| code.loops.iter().position(|l| l.id == id);
    let is_plain = !code.branches && code.loops.len() == stmt.dims() && code.loops.iter().all(|l| l.strip.is_none());
    let pair = bounds(scop, stmt, (dim(outer)?, dim(inner)?)).filter(|_| is_plain)?;
    let are_in_rows = stmt.accesses.iter().all(|a| is_in_rows(scop, a, &pair));
    (are_in_rows && !uses_counters(scop, facts, stmt, [outer, inner])).then_some(pair)
}

/// Two dims as a pair, by the domain alone.
fn bounds(scop: &Scop, stmt: &Stmt, (at, inner): (usize, usize)) -> Option<Pair> {
    let np = scop.params.len();
    let [basic] = stmt.domain.basics() else { return None };
    if basic.n_exists() > 0 || inner <= at {
        return None;
    }
    let rows = basic.rows_i64().ok()?;
    // Lower and upper end of a dim that is bounded by dims outside of the pair alone, with the other constraints that
    // it is in: there must be none.
    let ends = |dim: usize| -> Option<[Vec<i64>; 2]> {
        let mut ends = [None, None];
        for (kind, row) in rows.iter().filter(|(_, row)| row[np + dim] != 0) {
            let c = row[np + dim];
            let is_alone = row[np + at..row.len() - 1].iter().enumerate().all(|(k, c)| k + at == dim || *c == 0);
            if *kind == Kind::Eq || c.abs() != 1 || !is_alone {
                return None;
            }
            let end: Vec<i64> = row[..np + at].iter().chain(row.last()).map(|v| -c * v).collect();
            if ends[usize::from(c < 0)].replace(end).is_some() {
                return None;
            }
        }
        let [low, high] = ends;
        Some([low?, high?])
    };
    let length = |[low, high]: &[Vec<i64>; 2]| -> Option<Vec<i64>> {
        let mut row = low.iter().zip(high).map(|(l, h)| h.checked_sub(*l)).collect::<Option<Vec<i64>>>()?;
        let constant = row.last_mut()?;
        *constant = constant.checked_add(1)?;
        Some(row)
    };
    let (of_outer, of_inner) = (ends(at)?, ends(inner)?);
    let (count, length) = (length(&of_outer)?, length(&of_inner)?);
    let (constant, linear) = length.split_last()?;
    let mut used = linear.iter().enumerate().filter(|(_, c)| **c != 0);
    let elements = match (used.next(), used.next()) {
        (None, _) if (2..=MOST_ELEMENTS).contains(constant) => Elements::Known(*constant),
        (Some((k, 1)), None) if k < np && *constant == 0 => Elements::Param(k),
        _ => return None,
    };
    let is_of_params = count[np..np + at].iter().all(|c| *c == 0);
    let ([first, _], [inner_first, _]) = (of_outer, of_inner);
    (is_of_params || matches!(elements, Elements::Known(_))).then_some(Pair {
        at,
        inner,
        first,
        count,
        inner_first,
        elements,
    })
}

/// Whether a statement touches what is side by side in the pair's iterations.
fn goes_along_rows(scop: &Scop, stmt: &Stmt, pair: &Pair) -> bool {
    let counts = |s: &Vec<i64>| s[scop.params.len() + pair.inner] != 0;
    let in_memory = stmt.accesses.iter().filter(|a| scop.array(a.array).is_memory());
    in_memory.filter_map(Access::subscripts).any(|s| s.last().is_some_and(counts))
}

/// Whether what an access touches depends on the pair's counters as `outer * elements + inner` alone.
fn is_in_rows(scop: &Scop, access: &Access, pair: &Pair) -> bool {
    let (array, np) = (scop.array(access.array), scop.params.len());
    if !array.is_memory() {
        return true;
    }
    let columns = [np + pair.at, np + pair.inner];
    let Some(subscripts) = access.subscripts() else {
        let of = |b: &presburger::BasicMap| b.rows_i64().is_ok_and(|rows| !rows.iter().any(|(_, r)| pair.is_in(r, np)));
        return access.relation.basics().iter().all(of);
    };
    if array.is_rows() {
        let [outer, inner] = columns;
        let Some((last, others)) = subscripts.split_last() else { return false };
        let is_scaled = match pair.elements {
            Elements::Known(of) => last[inner].checked_mul(of) == Some(last[outer]),
            Elements::Param(_) => last[inner] == 0 && last[outer] == 0,
        };
        return is_scaled && !others.iter().any(|s| pair.is_in(s, np));
    }
    let step = |column: usize, by: Elements| {
        scaled(array.strides.iter().zip(subscripts.iter().map(|s| i128::from(s[column]))), by)
    };
    step(columns[0], Elements::Known(1)) == step(columns[1], pair.elements)
}

/// Whether a statement uses the counters of these loops for anything but addresses.
fn uses_counters(scop: &Scop, facts: &FunctionFacts, stmt: &Stmt, loops: [LoopId; 2]) -> bool {
    let is_affine = |inst: ValueId| {
        let mut of = stmt.accesses.iter().filter(|a| a.inst == inst && a.carries.is_none()).peekable();
        of.peek().is_some() && of.all(|a| scop.array(a.array).is_memory() && a.subscripts().is_some())
    };
    let in_memory = |a: &&Access| scop.array(a.array).is_memory() && a.carries.is_none();
    let mut open: Vec<ValueId> = stmt.accesses.iter().filter(|a| !in_memory(a)).map(|a| a.inst).collect();
    for inst in stmt.body.insts() {
        let value = facts.value(*inst);
        let address = match value.kind {
            ValueKind::Load { ptr, .. } | ValueKind::Store { ptr, .. } if is_affine(*inst) => Some(ptr),
            _ => None,
        };
        open.extend(value.operands.iter().filter(|op| Some(**op) != address));
    }
    let mut seen: BTreeSet<ValueId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        let value = facts.value(id);
        let is_inside = value.block.is_some_and(|b| scop.region.blocks.contains(&b));
        if !is_inside || !seen.insert(id) {
            continue;
        }
        if value.scev.is_some_and(|scev| recurs(facts, scev, &|lp| loops.contains(&lp))) {
            return true;
        }
        // What the statement does not execute is computed of its operands.
        if !stmt.body.insts().contains(&id) {
            match &value.kind {
                ValueKind::Load { .. } | ValueKind::Call => {}
                _ => open.extend(&value.operands),
            }
        }
    }
    false
}

/// Arrays of which the last two subscripts become one, with how many elements of the last make one of the other;
/// `None` where subscripts no longer tell the elements of an array apart that is written.
fn merged<'p>(scop: &Scop, pair_of: &impl Fn(&Stmt) -> Option<&'p Pair>) -> Option<BTreeMap<ArrayId, Elements>> {
    let np = scop.params.len();
    let mut merged = BTreeMap::new();
    for (k, array) in scop.arrays.iter().enumerate().filter(|(_, a)| a.is_memory() && !a.is_rows()) {
        let id = ArrayId::new(k);
        let all = || scop.stmts.iter().flat_map(|s| s.accesses.iter().filter(|a| a.array == id).map(move |a| (s, a)));
        // Whether an access counts the outer loop's iterations in other subscripts than the last one.
        let counts = |(stmt, access): &(&Stmt, &Access)| {
            let (Some(pair), Some(subscripts)) = (pair_of(stmt), access.subscripts()) else { return false };
            subscripts.iter().rev().skip(1).any(|s| pair.is_in(s, np))
        };
        let Some((stmt, _)) = all().find(counts) else { continue };
        let elements = pair_of(stmt)?.elements;
        let is_written = all().any(|(_, a)| a.kind != AccessKind::Read);
        if merges(array, elements, np, all(), pair_of) {
            merged.insert(id, elements);
        } else if is_written && !stays_in_row(np, all(), pair_of) {
            return None;
        }
    }
    Some(merged)
}

/// Whether the last two subscripts of an array may become one for all accesses.
fn merges<'a, 'p>(
    array: &Array,
    elements: Elements,
    np: usize,
    all: impl Iterator<Item = (&'a Stmt, &'a Access)>,
    pair_of: &impl Fn(&Stmt) -> Option<&'p Pair>,
) -> bool {
    let Some(outer) = array.strides.len().checked_sub(2) else { return false };
    let of = |k: usize, by: Elements| scaled([(&array.strides[k], 1)], by);
    let is_of_rows = of(outer, Elements::Known(1)) == of(outer + 1, elements)
        && match (&array.sizes[outer + 1], elements) {
            (Size::Const(size), Elements::Known(elements)) => *size == elements,
            (Size::Affine(row), Elements::Param(k)) => row.iter().enumerate().all(|(c, v)| *v == i64::from(c == k)),
            _ => false,
        };
    let fits = |(stmt, access): (&Stmt, &Access)| {
        let (Some(subscripts), pair) = (access.subscripts(), pair_of(stmt)) else { return false };
        let is_last =
            pair.is_none_or(|p| p.elements == elements && !subscripts[..outer].iter().any(|s| p.is_in(s, np)));
        // A number of elements that is a parameter times a dim is no affine form.
        let is_known = || {
            let row = pair.map_or_else(|| Some(subscripts[outer].clone()), |p| p.at_first(&subscripts[outer], np));
            row.is_some_and(|row| row[..row.len() - 1].iter().all(|c| *c == 0))
        };
        is_last && (matches!(elements, Elements::Known(_)) || is_known())
    };
    is_of_rows && all.into_iter().all(fits)
}

/// A sum of polynomials with factors, times a number of elements, as factors of products.
fn scaled<'a>(sum: impl IntoIterator<Item = (&'a ParamPoly, i128)>, by: Elements) -> BTreeMap<Vec<usize>, i128> {
    let mut terms: BTreeMap<Vec<usize>, i128> = BTreeMap::new();
    for (poly, factor) in sum {
        for (c, product) in &poly.0 {
            let (mut product, mut c) = (product.clone(), factor * i128::from(*c));
            match by {
                Elements::Known(of) => c *= i128::from(of),
                Elements::Param(k) => product.push(k),
            }
            product.sort_unstable();
            *terms.entry(product).or_default() += c;
        }
    }
    terms.retain(|_, c| *c != 0);
    terms
}

/// Whether all accesses count the pairs' iterations in the last subscript once outer loops stay at their first value,
/// and are in one place along the one before it.
fn stays_in_row<'a, 'p>(
    np: usize,
    all: impl Iterator<Item = (&'a Stmt, &'a Access)>,
    pair_of: &impl Fn(&Stmt) -> Option<&'p Pair>,
) -> bool {
    let mut place = None;
    for (stmt, access) in all {
        let Some(subscripts) = access.subscripts().filter(|s| s.len() > 1) else { return false };
        let Some(pair) = pair_of(stmt) else { return false };
        let (row, others) = (&subscripts[subscripts.len() - 2], &subscripts[..subscripts.len() - 2]);
        if row[np + pair.inner] != 0 || others.iter().any(|s| pair.is_in(s, np)) {
            return false;
        }
        let Some(own) = pair.at_first(row, np) else { return false };
        let (params, dims) = own.split_at(np);
        let Some((constant, dims)) = dims.split_last() else { return false };
        let own: Vec<i64> = params.iter().chain([constant]).copied().collect();
        if dims.iter().any(|c| *c != 0) || place.as_ref().is_some_and(|place| *place != own) {
            return false;
        }
        place = Some(own);
    }
    true
}

/// The parameters with products behind them: lengths of coalesced loops, and of rows.
struct Products {
    params: Vec<Param>,
    lengths: Vec<Length>,
    rows: Vec<Length>,
}

impl Products {
    fn of<'p>(scop: &Scop, pairs: impl Iterator<Item = &'p Pair>, merged: &BTreeMap<ArrayId, Elements>) -> Self {
        let mut made = Self { params: scop.params.clone(), lengths: Vec::new(), rows: Vec::new() };
        let np = scop.params.len();
        for pair in pairs {
            if let Elements::Param(elements) = pair.elements {
                let length = made.product(pair.rows(np), elements);
                made.lengths.extend(Some(length).filter(|l| !made.lengths.contains(l)));
            }
        }
        for (id, elements) in merged {
            let sizes = &scop.array(*id).sizes;
            if let (Elements::Param(elements), Size::Affine(row)) = (*elements, &sizes[sizes.len() - 2]) {
                let row = made.product(row.clone(), elements);
                made.rows.push(row);
            }
        }
        made
    }

    /// The product of so many rows (`[params of the original program | 1]`) and a parameter, if there is one.
    fn find(&self, rows: &[i64], elements: usize) -> Option<&Length> {
        self.lengths.iter().chain(&self.rows).find(|l| l.elements == elements && l.rows == rows)
    }

    /// The same, which is made where there is none.
    fn product(&mut self, rows: Vec<i64>, elements: usize) -> Length {
        if let Some(known) = self.find(&rows, elements) {
            return known.clone();
        }
        let params = &mut self.params;
        let name = (params.len()..).map(|k| format!("p{k}")).find(|n| params.iter().all(|p| p.name != *n));
        let Param { value, times, .. } = params[elements].clone();
        let (constant, of) = rows.split_last().map_or((0, &[][..]), |(c, of)| (*c, of));
        let mut by = of.to_vec();
        by.resize(params.len(), 0);
        by.push(constant);
        let column = params.len();
        params.push(Param { name: name.unwrap_or_default(), value, times, by });
        Length { column, rows, elements }
    }
}

impl Pair {
    /// Whether a row `[params | dims | ..]` with so many parameters has a part of one of the two dims.
    fn is_in(&self, row: &[i64], params: usize) -> bool {
        row[params + self.at] != 0 || row[params + self.inner] != 0
    }

    /// How many values the outer dim has, as a row over so many parameters alone.
    fn rows(&self, params: usize) -> Vec<i64> {
        self.count[..params].iter().chain(self.count.last()).copied().collect()
    }

    /// A row `[params | dims | 1]` with so many parameters where the outer dim has its first value, without that dim.
    fn at_first(&self, row: &[i64], params: usize) -> Option<Vec<i64>> {
        let mut row = row.to_vec();
        let by = row.remove(params + self.at);
        let outside = (0..params + self.at).chain([row.len() - 1]);
        for (at, c) in outside.zip(&self.first) {
            row[at] = by.checked_mul(*c)?.checked_add(row[at])?;
        }
        Some(row)
    }
}

/// What makes the new program.
struct Rewriter<'a> {
    scop: &'a Scop,
    products: &'a Products,
    pairs: &'a BTreeMap<StmtId, Pair>,
    merged: &'a BTreeMap<ArrayId, Elements>,
    budget: &'a Budget,
}

impl Rewriter<'_> {
    fn rewritten(&self) -> Option<Scop> {
        let mut result = self.scop.clone();
        result.params.clone_from(&self.products.params);
        for set in [
            &mut result.contexts.assumed,
            &mut result.contexts.invalid,
            &mut result.contexts.defined,
            &mut result.contexts.worthwhile,
        ] {
            *set = self.set(set);
        }
        for (k, array) in result.arrays.iter_mut().enumerate() {
            self.array(ArrayId::new(k), array)?;
        }
        for stmt in &mut result.stmts {
            *stmt = self.stmt(stmt, self.pairs.get(&stmt.id))?;
        }
        for guard in &mut result.guards {
            guard.stmt = self.stmt(&guard.stmt, None)?;
        }
        result.schedule = self.tree(&self.scop.schedule, &result.stmts)?;
        Some(result)
    }

    fn names(&self) -> Vec<&str> {
        self.products.params.iter().map(|p| p.name.as_str()).collect()
    }

    /// With columns for the new parameters.
    fn row(&self, row: &[i64]) -> Vec<i64> {
        let (params, rest) = row.split_at(self.scop.params.len());
        let new = self.products.params.len() - params.len();
        params.iter().copied().chain(std::iter::repeat_n(0, new)).chain(rest.iter().copied()).collect()
    }

    fn set(&self, set: &Set) -> Set {
        let old = self.scop.params.len();
        set.insert_dims(Dim::Param, old, &self.names()[old..])
    }

    fn array(&self, id: ArrayId, array: &mut Array) -> Option<()> {
        for size in &mut array.sizes {
            if let Size::Affine(row) = size {
                *row = self.row(row);
            }
        }
        if let Some(elements) = self.merged.get(&id) {
            let outer = array.sizes.len().checked_sub(2)?;
            let size = match (&self.scop.array(id).sizes[outer], *elements) {
                (Size::Unknown, _) => Size::Unknown,
                (Size::Const(size), Elements::Known(elements)) => Size::Const(size.checked_mul(elements)?),
                (Size::Affine(row), Elements::Known(elements)) => {
                    let row = row.iter().map(|c| c.checked_mul(elements)).collect::<Option<Vec<i64>>>()?;
                    Size::Affine(self.row(&row))
                }
                (Size::Const(size), Elements::Param(k)) => self.column(k, *size),
                (Size::Affine(row), Elements::Param(k)) => self.column(self.products.find(row, k)?.column, 1),
            };
            array.sizes.splice(outer.., [size]);
            array.strides.remove(outer);
        } else if let Some(column) = self.length_along(id)
            && let Some(last @ Size::Affine(_)) = array.sizes.last_mut()
        {
            // Their last subscript goes on behind the end of a row.
            *last = self.column(column, 1);
        }
        Some(())
    }

    /// A size that is a parameter times a number.
    fn column(&self, column: usize, times: i64) -> Size {
        let mut row = vec![0; self.products.params.len() + 1];
        row[column] = times;
        Size::Affine(row)
    }

    /// The parameter that is the length of a coalesced loop along an array.
    fn length_along(&self, array: ArrayId) -> Option<usize> {
        let touches = |s: &&Stmt| s.accesses.iter().any(|a| a.array == array);
        let pair = self.scop.stmts.iter().filter(touches).find_map(|s| self.pairs.get(&s.id))?;
        let Elements::Param(elements) = pair.elements else { return None };
        self.products.find(&pair.rows(self.scop.params.len()), elements).map(|l| l.column)
    }

    fn stmt(&self, stmt: &Stmt, pair: Option<&Pair>) -> Option<Stmt> {
        let domain = match pair {
            Some(pair) => self.domain(stmt, pair)?,
            None => self.set(&stmt.domain),
        };
        let access =
            |access: &Access| Some(Access { relation: self.relation(domain.space(), access, pair)?, ..access.clone() });
        let accesses = stmt.accesses.iter().map(access).collect::<Option<Vec<Access>>>()?;
        let mut body = stmt.body.clone();
        if let (StmtBody::Original(code), Some(pair)) = (&mut body, pair) {
            let LoopDim { id, offset, .. } = code.loops.remove(pair.at);
            code.single.push(SingleLoop { id, offset, value: self.row(&pair.first) });
        }
        Some(Stmt { domain, accesses, body, ..stmt.clone() })
    }

    /// A row `[params | dims | 1]` of a statement over its new dims.
    fn over(&self, row: &[i64], pair: Option<&Pair>) -> Option<Vec<i64>> {
        Some(match pair {
            Some(pair) => self.row(&pair.at_first(row, self.scop.params.len())?),
            None => self.row(row),
        })
    }

    /// Without the outer dim; the inner one from its first value over all rows.
    fn domain(&self, stmt: &Stmt, pair: &Pair) -> Option<Set> {
        let (old, np) = (self.scop.params.len(), self.products.params.len());
        let dims = stmt.dims() - 1;
        let [basic] = stmt.domain.basics() else { return None };
        let mut domain = BasicSet::universe(Space::set(&self.names(), &stmt.id.to_string(), dims));
        for (kind, row) in basic.rows_i64().ok()? {
            if !pair.is_in(&row, old) {
                domain.add(kind, &self.over(&row, Some(pair))?);
            }
        }
        // A row `[params | dims outside | 1] >= 0` with so much of the dim added.
        let add = |domain: &mut BasicSet, row: &[i64], dim: i64| {
            let (constant, linear) = row.split_last()?;
            let mut full = linear.to_vec();
            full.resize(np + dims, 0);
            full[np + pair.inner - 1] = dim;
            full.push(*constant);
            domain.add(Kind::Ge, &full);
            Some(())
        };
        let sum = |a: &[i64], b: &[i64], by: i64| -> Option<Vec<i64>> {
            a.iter().zip(b).map(|(a, b)| b.checked_mul(by)?.checked_add(*a)).collect()
        };
        let zero = vec![0; np + pair.at + 1];
        let one = |value: i64| {
            let mut row = zero.clone();
            row[np + pair.at] = value;
            row
        };
        let (count, inner) = (self.row(&pair.count), self.row(&pair.inner_first));
        add(&mut domain, &sum(&count, &one(1), -1)?, 0)?;
        add(&mut domain, &sum(&zero, &inner, -1)?, 1)?;
        let length = match pair.elements {
            Elements::Known(elements) => sum(&zero, &count, elements)?,
            Elements::Param(elements) => {
                let mut least = one(-1);
                least[elements] = 1;
                add(&mut domain, &least, 0)?;
                let mut length = zero.clone();
                length[self.products.find(&pair.rows(old), elements)?.column] = 1;
                length
            }
        };
        let last = sum(&sum(&inner, &length, 1)?, &one(1), -1)?;
        add(&mut domain, &last, -1)?;
        Some(domain.into_set())
    }

    /// What an access touches, over the statement's new dims.
    fn relation(&self, space: &Space, access: &Access, pair: Option<&Pair>) -> Option<Map> {
        let Some(mut subscripts) = access.subscripts() else {
            let old = self.scop.params.len();
            let relation = access.relation.insert_dims(Dim::Param, old, &self.names()[old..]);
            // It is free of the dim that goes.
            return Some(match pair {
                Some(pair) => relation.project_out(Dim::In, pair.at, 1, self.budget).ok()?,
                None => relation,
            });
        };
        for row in &mut subscripts {
            *row = self.over(row, pair)?;
        }
        if let Some(elements) = self.merged.get(&access.array) {
            let (mut last, outer) = (subscripts.pop()?, subscripts.pop()?);
            match *elements {
                Elements::Known(elements) => {
                    for (l, o) in last.iter_mut().zip(&outer) {
                        *l = o.checked_mul(elements)?.checked_add(*l)?;
                    }
                }
                Elements::Param(k) => last[k] = outer.last()?.checked_add(last[k])?,
            }
            subscripts.push(last);
        }
        let affs: Vec<Aff> = subscripts.iter().map(|row| Aff::from_row(space, row)).collect();
        Some(Map::from_affs_over(space, &affs, &access.array.to_string()))
    }

    fn tree(&self, node: &Node, stmts: &[Stmt]) -> Option<Node> {
        let below = |child: &Node| self.tree(child, stmts).map(Box::new);
        let all = |children: &[Node]| children.iter().map(|c| self.tree(c, stmts)).collect::<Option<Vec<Node>>>();
        Some(match node {
            Node::Domain(_, child) => {
                Node::Domain(stmts.iter().map(|s| (s.id, s.domain.clone())).collect(), below(child)?)
            }
            Node::Band(band, child) => {
                let (band, child) = (self.band(band, stmts)?, below(child)?);
                if band.members.is_empty() { *child } else { Node::Band(band, child) }
            }
            Node::Filter(sets, child) => {
                let of = |(id, set): (&StmtId, &Set)| {
                    let new = match self.pairs.contains_key(id) {
                        true => Set::universe(stmts[id.index()].domain.space().clone()),
                        false => self.set(set),
                    };
                    (set.is_plain_universe() || !self.pairs.contains_key(id)).then_some((*id, new))
                };
                Node::Filter(sets.iter().map(of).collect::<Option<BTreeMap<StmtId, Set>>>()?, below(child)?)
            }
            Node::Sequence(children) => Node::Sequence(all(children)?),
            Node::Set(children) => Node::Set(all(children)?),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), below(child)?),
            Node::Context(set, child) => Node::Context(self.set(set), below(child)?),
            Node::Guard(set, child) => Node::Guard(self.set(set), below(child)?),
            Node::Leaf => Node::Leaf,
            Node::Extension(..) | Node::Expansion(..) => return None,
        })
    }

    /// Without members that count outer loops of pairs.
    fn band(&self, band: &Band, stmts: &[Stmt]) -> Option<Band> {
        let mut band = band.clone();
        let is_outer = |(id, aff): (&StmtId, &Aff)| {
            let space = aff.space();
            self.pairs.get(id).is_some_and(|pair| *aff == Aff::dim(space, pair.at))
        };
        band.members.retain(|m| m.affs.is_empty() || !m.affs.iter().all(is_outer));
        for (id, aff) in band.members.iter_mut().flat_map(|m| m.affs.iter_mut()) {
            let row = self.over(&aff.as_affine()?, self.pairs.get(id))?;
            *aff = Aff::from_row(stmts[id.index()].domain.space(), &row);
        }
        Some(band)
    }
}
