//! Value-based flow dependences: which write a read gets its value from.
//!
//! A pair (write, read) of one element is dropped when a must-write of the element runs between the two. Elements take
//! part as extra destination dims, so that accesses that touch several elements are treated one element at a time.
//! Source: Feautrier, Int. J. Parallel Programming 20(1), 1991 (array dataflow); here by subtraction instead of
//! maximisation.

use super::compute::{Timed, Touch, carried_at, context_of, limit, may_precede, pair_space, timed_pieces, touches_of};
use super::pair::{self, Columns};
use super::{Dep, DepKind};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::flat_schedule;
use crate::model::{Access, Scop};
use presburger::rows::{Conjunction, Pieces, Slot, pieces_of, refine};
use presburger::{Budget, Dim, Map, Set, Space};
use std::collections::BTreeMap;

/// The value-based flow dependences of `scop`, one per statement pair and array: `{ Stmt<s>[..] -> Stmt<d>[..] }` where
/// the destination may read a value that the source wrote and no must-write has replaced in between. Exact.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn last_writers(scop: &Scop, budget: &Budget) -> Result<Vec<Dep>, Failure> {
    last_writers_of(scop, &|_| true, budget)
}

/// The same for the arrays that `wanted` names.
///
/// # Errors
/// As [`last_writers`].
pub fn last_writers_of(scop: &Scop, wanted: &dyn Fn(ArrayId) -> bool, budget: &Budget) -> Result<Vec<Dep>, Failure> {
    let mut found: BTreeMap<(StmtId, StmtId, ArrayId), Map> = BTreeMap::new();
    for Source { dep, .. } in sources_of(scop, wanted, budget)? {
        let key = (dep.src, dep.dst, dep.array);
        let union = found.remove(&key).map_or_else(|| dep.relation.clone(), |m| m.union(&dep.relation));
        found.insert(key, union);
    }
    let dep = |((src, dst, array), relation)| Dep { kind: DepKind::Raw, src, dst, array, relation };
    Ok(found.into_iter().map(dep).collect())
}

/// What one read gets its values from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Position of the read among the accesses of the destination.
    pub read: usize,
    /// From the writing to the reading instances.
    pub dep: Dep,
}

/// As [`last_writers_of`], one per writing statement and read.
///
/// # Errors
/// As [`last_writers`].
pub fn sources_of(scop: &Scop, wanted: &dyn Fn(ArrayId) -> bool, budget: &Budget) -> Result<Vec<Source>, Failure> {
    let mut arrays = (0..scop.arrays.len()).map(ArrayId::new).filter(|a| wanted(*a)).peekable();
    if arrays.peek().is_none() {
        return Ok(Vec::new());
    }
    let instances = Instances::of(scop, budget)?;
    let mut all = Vec::new();
    for array in arrays {
        all.extend(instances.sources(scop, array, &|_| true, budget)?);
    }
    Ok(all)
}

/// What the other reads of an array get of writes that were moved to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Nothing: the reads have their values from where they had them before.
    Unseen,
    /// Some read gets what was moved there.
    Seen,
    /// Not found out.
    Unknown,
}

/// The instances of a program in their order: what the flow of each array is worked out from, whatever the accesses.
pub struct Instances {
    context: Pieces,
    timed: Vec<Timed>,
}

impl Instances {
    /// Those of a program.
    ///
    /// # Errors
    /// As [`last_writers`].
    pub fn of(scop: &Scop, budget: &Budget) -> Result<Self, Failure> {
        Self::within(&context_of(scop, budget)?, scop)
    }

    /// Those of a program with the parameters in this set.
    ///
    /// # Errors
    /// As [`last_writers`].
    pub fn within(context: &Set, scop: &Scop) -> Result<Self, Failure> {
        let context = pieces_of(context).map_err(limit)?;
        Ok(Self { context, timed: timed_pieces(&flat_schedule(&scop.schedule))? })
    }

    /// As [`sources_of`] for one array, of a program with these instances; of the reads that are `wanted` only.
    ///
    /// # Errors
    /// As [`last_writers`].
    pub fn sources(
        &self,
        scop: &Scop,
        array: ArrayId,
        wanted: &dyn Fn(&Access) -> bool,
        budget: &Budget,
    ) -> Result<Vec<Source>, Failure> {
        let touches = touches_of(scop, &|a| a == array)?.swap_remove(array.index());
        let at = |stmt: StmtId| self.timed.iter().filter(move |t| t.stmt == stmt);
        let all: Vec<(&Timed, &Touch)> = touches.iter().flat_map(|t| at(t.stmt).map(move |p| (p, t))).collect();
        let flow = Flow { scop, context: &self.context, rank: scop.array(array).sizes.len(), budget };
        let mut found: BTreeMap<(StmtId, StmtId, usize), Map> = BTreeMap::new();
        let is_wanted = |t: &Touch| !t.writes && wanted(&scop.stmt(t.stmt).accesses[t.at]);
        for &(dst, read) in all.iter().filter(|(_, t)| is_wanted(t)) {
            for (src, relation) in flow.of_read((dst, read), &all)? {
                let key = (src, dst.stmt, read.at);
                let union = found.remove(&key).map_or_else(|| relation.clone(), |m| m.union(&relation));
                found.insert(key, union);
            }
        }
        let source = |((src, dst, read), relation)| {
            let dep = Dep { kind: DepKind::Raw, src, dst, array, relation };
            Source { read, dep }
        };
        Ok(found.into_iter().map(source).collect())
    }

    /// Whether the writes that are `moved` to the array stay unseen by all reads that are not: the instance of `last`
    /// in the same iteration of its loops writes the same element over, and no such read gets it before. Its loops are
    /// the outer loops of all those writes, and it runs after them. Where nothing but these writes the array, what a
    /// read gets between the two is what was moved there.
    ///
    /// # Errors
    /// As [`last_writers`].
    pub fn sight(
        &self,
        scop: &Scop,
        (array, moved): (ArrayId, &dyn Fn(&Access) -> bool),
        last: StmtId,
        budget: &Budget,
    ) -> Result<Sight, Failure> {
        let touches = touches_of(scop, &|a| a == array)?.swap_remove(array.index());
        let at = |stmt: StmtId| self.timed.iter().filter(move |t| t.stmt == stmt);
        let (moved, old): (Vec<&Touch>, Vec<&Touch>) =
            touches.iter().partition(|t| moved(&scop.stmt(t.stmt).accesses[t.at]));
        let Some(over) = old.iter().find(|t| t.stmt == last && t.must) else { return Ok(Sight::Unknown) };
        let is_alone = old.iter().all(|t| !t.writes || t.stmt == last)
            && moved.iter().all(|t| !t.writes || (t.must && t.stmt != last));
        for write in moved.into_iter().filter(|t| t.writes) {
            for (src, end) in at(write.stmt).flat_map(|src| at(last).map(move |end| (src, end))) {
                if !self.is_same_element((scop, array), (src, write), (end, over), budget)? {
                    return Ok(Sight::Unknown);
                }
                for read in old.iter().filter(|t| !t.writes) {
                    for dst in at(read.stmt) {
                        if self.is_read_in((scop, array), (src, write), (dst, read), end, budget)? {
                            return Ok(if is_alone { Sight::Seen } else { Sight::Unknown });
                        }
                    }
                }
            }
        }
        Ok(Sight::Unseen)
    }

    /// Whether the write touches only the element that `end`, whose dims are the first of the write's, touches.
    fn is_same_element(
        &self,
        (scop, array): (&Scop, ArrayId),
        (src, write): (&Timed, &Touch),
        (end, over): (&Timed, &Touch),
        budget: &Budget,
    ) -> Result<bool, Failure> {
        let flow = Flow { scop, context: &self.context, rank: scop.array(array).sizes.len(), budget };
        let columns = Columns { params: scop.params.len(), src: src.dims, dst: 2 * flow.rank };
        let elements: Vec<usize> = (columns.dst_start()..columns.end()).collect();
        let (own, others) = elements.split_at(flow.rank);
        let mut polys = vec![Conjunction::universe(columns.end())];
        refine(&mut polys, &self.context, columns.param_slot()).map_err(limit)?;
        refine(&mut polys, &src.domain, columns.src_slot()).map_err(limit)?;
        pair::touch(&mut polys, &write.pieces, columns.src_slot(), own).map_err(limit)?;
        pair::touch(&mut polys, &over.pieces, Slot { dims: end.dims, ..columns.src_slot() }, others).map_err(limit)?;
        let mut apart = Vec::new();
        for poly in &polys {
            for (sign, k) in [1, -1].into_iter().flat_map(|sign| (0..flow.rank).map(move |k| (sign, k))) {
                let mut row = vec![0; columns.end()];
                (row[0], row[own[k]], row[others[k]]) = (-1, sign, -sign);
                let mut differs = poly.clone();
                differs.add_ge(&row).map_err(limit)?;
                apart.push(differs);
            }
        }
        let space = Space::map(&scop.param_names(), "", columns.src, "", columns.dst);
        Ok(flow.joined(&apart, &space)?.basics().is_empty())
    }

    /// Whether the read gets an element after the write and not after `end`, whose dims are the first of the write's.
    fn is_read_in(
        &self,
        (scop, array): (&Scop, ArrayId),
        (src, write): (&Timed, &Touch),
        (dst, read): (&Timed, &Touch),
        end: &Timed,
        budget: &Budget,
    ) -> Result<bool, Failure> {
        let is_end = dst.stmt == end.stmt;
        if !may_precede(&src.time, &dst.time) || !(is_end || may_precede(&dst.time, &end.time)) {
            return Ok(false);
        }
        let flow = Flow { scop, context: &self.context, rank: scop.array(array).sizes.len(), budget };
        let columns = flow.columns(src, dst);
        let (from, to) = ((src.time.as_slice(), columns.src_slot()), (dst.time.as_slice(), flow.dst_slot(columns)));
        let until = (end.time.as_slice(), Slot { dims: end.dims, ..columns.src_slot() });
        let mut between = Vec::new();
        for base in flow.same_element((src, write), (dst, read), columns)? {
            for (_, after) in carried_at(base, from, to, 0..=usize::MAX).map_err(limit)? {
                if is_end {
                    let mut same = after.clone();
                    for k in 0..end.dims {
                        let mut row = vec![0; columns.dst_start() + k + 1];
                        (row[columns.src_start() + k], row[columns.dst_start() + k]) = (1, -1);
                        same.add_eq(&row).map_err(limit)?;
                    }
                    between.push(same);
                }
                let before = carried_at(after, to, until, 0..=usize::MAX).map_err(limit)?;
                between.extend(before.into_iter().map(|(_, poly)| poly));
            }
        }
        let space = Space::map(&scop.param_names(), "", columns.src, "", columns.dst);
        Ok(!flow.joined(&between, &space)?.basics().is_empty())
    }
}

struct Flow<'a> {
    scop: &'a Scop,
    context: &'a Pieces,
    rank: usize,
    budget: &'a Budget,
}

/// Pairs of a write and the read that one level carries.
struct Candidate<'a> {
    level: usize,
    src: &'a Timed,
    must: bool,
    pairs: Conjunction,
}

impl Flow<'_> {
    /// `{ src -> dst }` for each write that the read may have its value from. Writes in the same iteration of more
    /// loops come later, so that the levels are gone through from the innermost one; what must-writes of one level
    /// give all reads has no source at the levels around it.
    fn of_read(&self, (dst, read): (&Timed, &Touch), all: &[(&Timed, &Touch)]) -> Result<Vec<(StmtId, Map)>, Failure> {
        let mut candidates = self.candidates((dst, read), all)?;
        candidates.sort_by_key(|c| std::cmp::Reverse(c.level));
        let mut found = Vec::new();
        let mut open: Option<Set> = None;
        let mut rest = candidates.as_slice();
        while let Some(first) = rest.first() {
            let (now, outer) = rest.split_at(rest.partition_point(|c| c.level == first.level));
            let pieces = open.as_ref().map(pieces_of).transpose().map_err(limit)?;
            let mut covered: Option<Set> = None;
            for candidate in now {
                let columns = self.columns(candidate.src, dst);
                let Some(live) = self.live(candidate, (dst, pieces.as_ref()), all, columns)? else { continue };
                if candidate.must && !outer.is_empty() {
                    let given = live.range(self.budget).map_err(limit)?;
                    covered = Some(covered.map_or_else(|| given.clone(), |c| c.union(&given)));
                }
                let relation = live.project_out(Dim::Out, dst.dims, self.rank, self.budget).map_err(limit)?;
                let named = relation.with_tuples(&candidate.src.stmt.to_string(), &dst.stmt.to_string());
                let pairs = Map::universe(pair_space(self.scop, candidate.src.stmt, dst.stmt));
                found.push((candidate.src.stmt, pairs.intersect(&named).simplify(self.budget).map_err(limit)?));
            }
            if let Some(covered) = covered {
                let before = open.map_or_else(|| self.demand((dst, read)), Ok)?;
                let left = before.subtract(&covered, self.budget).map_err(limit)?;
                if left.is_empty(self.budget).map_err(limit)? {
                    break;
                }
                open = Some(left);
            }
            rest = outer;
        }
        Ok(found)
    }

    fn candidates<'t>(
        &self,
        (dst, read): (&Timed, &Touch),
        all: &[(&'t Timed, &Touch)],
    ) -> Result<Vec<Candidate<'t>>, Failure> {
        let mut candidates = Vec::new();
        for &(src, write) in all.iter().filter(|(src, t)| t.writes && may_precede(&src.time, &dst.time)) {
            let columns = self.columns(src, dst);
            for base in self.same_element((src, write), (dst, read), columns)? {
                let (from, to) =
                    ((src.time.as_slice(), columns.src_slot()), (dst.time.as_slice(), self.dst_slot(columns)));
                let levels = carried_at(base, from, to, 0..=usize::MAX).map_err(limit)?;
                candidates.extend(levels.into_iter().map(|(level, pairs)| Candidate {
                    level,
                    src,
                    must: write.must,
                    pairs,
                }));
            }
        }
        Ok(candidates)
    }

    /// What a read reads: `{ [dst dims, element] }`.
    fn demand(&self, (dst, read): (&Timed, &Touch)) -> Result<Set, Failure> {
        let columns = Columns { params: self.scop.params.len(), src: 0, dst: dst.dims + self.rank };
        let mut polys = vec![Conjunction::universe(columns.end())];
        refine(&mut polys, self.context, columns.param_slot()).map_err(limit)?;
        refine(&mut polys, &dst.domain, self.dst_slot(columns)).map_err(limit)?;
        pair::touch(&mut polys, &read.pieces, self.dst_slot(columns), &self.elements(columns)).map_err(limit)?;
        let read = self.joined(&polys, &Space::map(&self.scop.param_names(), "", 0, "", columns.dst))?;
        read.range(self.budget).map_err(limit)
    }

    fn columns(&self, src: &Timed, dst: &Timed) -> Columns {
        Columns { params: self.scop.params.len(), src: src.dims, dst: dst.dims + self.rank }
    }

    /// The pairs of a candidate whose value is read: of the reads that are `open` (all, if none are given), those
    /// between which no must-write of the element runs; `None` if there are none.
    fn live(
        &self,
        candidate: &Candidate,
        (dst, open): (&Timed, Option<&Pieces>),
        all: &[(&Timed, &Touch)],
        columns: Columns,
    ) -> Result<Option<Map>, Failure> {
        let space = Space::map(&self.scop.param_names(), "", columns.src, "", columns.dst);
        let mut polys = vec![candidate.pairs.clone()];
        if let Some(open) = open {
            refine(&mut polys, open, columns.dst_slot()).map_err(limit)?;
        }
        let mut live = Map::empty(space.clone());
        for written in &polys {
            let pairs = (candidate.level, written);
            live = live.union(&self.unkilled(pairs, (candidate.src, dst), all, columns, &space)?);
        }
        Ok((!live.is_empty(self.budget).map_err(limit)?).then_some(live))
    }

    /// The pairs of one level between which no must-write of the element runs.
    fn unkilled(
        &self,
        (level, written): (usize, &Conjunction),
        (src, dst): (&Timed, &Timed),
        all: &[(&Timed, &Touch)],
        columns: Columns,
        space: &Space,
    ) -> Result<Map, Failure> {
        let mut live = self.joined(std::slice::from_ref(written), space)?;
        let may_run = |k: &Timed| may_precede(&src.time, &k.time) && may_precede(&k.time, &dst.time);
        for (killer, touch) in all.iter().filter(|(k, t)| t.must && may_run(k)) {
            if live.is_empty(self.budget).map_err(limit)? {
                break;
            }
            let killed = self.joined(&self.killed((level, written), (src, dst), (killer, touch), columns)?, space)?;
            if !killed.basics().is_empty() {
                live = live.subtract(&killed, self.budget).map_err(limit)?;
            }
        }
        Ok(live)
    }

    fn dst_slot(&self, columns: Columns) -> Slot {
        Slot { dims: columns.dst - self.rank, ..columns.dst_slot() }
    }

    fn elements(&self, columns: Columns) -> Vec<usize> {
        (columns.end() - self.rank..columns.end()).collect()
    }

    /// The pairs that touch one element, in any order, with the element as last dims.
    fn same_element(
        &self,
        (src, write): (&Timed, &Touch),
        (dst, read): (&Timed, &Touch),
        columns: Columns,
    ) -> Result<Vec<Conjunction>, Failure> {
        let element = self.elements(columns);
        let mut polys = vec![Conjunction::universe(columns.end())];
        refine(&mut polys, self.context, columns.param_slot()).map_err(limit)?;
        refine(&mut polys, &src.domain, columns.src_slot()).map_err(limit)?;
        refine(&mut polys, &dst.domain, self.dst_slot(columns)).map_err(limit)?;
        pair::touch(&mut polys, &write.pieces, columns.src_slot(), &element).map_err(limit)?;
        pair::touch(&mut polys, &read.pieces, self.dst_slot(columns), &element).map_err(limit)?;
        Ok(polys)
    }

    /// The pairs of one level between which `killer` writes the element: at this level before the read (what is written
    /// at an inner one is not asked for here), and after the write at this level or an inner one.
    fn killed(
        &self,
        (level, written): (usize, &Conjunction),
        (src, dst): (&Timed, &Timed),
        (killer, write): (&Timed, &Touch),
        columns: Columns,
    ) -> Result<Vec<Conjunction>, Failure> {
        let mut base = written.clone();
        let first = base.add_columns(killer.dims);
        let slot = Slot { params: columns.params, start: first, dims: killer.dims };
        let mut polys = vec![base];
        refine(&mut polys, &killer.domain, slot).map_err(limit)?;
        pair::touch(&mut polys, &write.pieces, slot, &self.elements(columns)).map_err(limit)?;
        let (from, to) = ((src.time.as_slice(), columns.src_slot()), (dst.time.as_slice(), self.dst_slot(columns)));
        let between = (killer.time.as_slice(), slot);
        let mut killed = Vec::new();
        for poly in polys {
            for (_, poly) in carried_at(poly, between, to, level..=level).map_err(limit)? {
                let after = carried_at(poly, from, between, level..=usize::MAX).map_err(limit)?;
                killed.extend(after.into_iter().map(|(_, poly)| poly));
            }
        }
        Ok(killed)
    }

    /// The union of the conjunctions that are not empty.
    fn joined(&self, polys: &[Conjunction], space: &Space) -> Result<Map, Failure> {
        let mut union = Map::empty(space.clone());
        for poly in polys {
            if !poly.is_empty(self.budget).map_err(limit)? {
                union = union.union(&poly.to_basic_map(space.clone()).to_map());
            }
        }
        Ok(union)
    }
}
