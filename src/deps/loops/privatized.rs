//! Arrays in memory of which each thread may work on a copy of its own while it runs iterations of a loop.
//!
//! A copy changes nothing inside of the loop when each element that an iteration reads was surely written earlier in
//! the same iteration: then no value enters the iteration from before it. What lies behind the loop is another
//! question: it is asked of the loops that are generated, too ([`super::left`], [`crate::ast::last`]), since their last
//! iteration works on the array itself.
//! Sources: Feautrier, Int. J. Parallel Programming 20(1), 1991 (last writers); Tu, Padua, LCPC 1993 (array
//! privatization).

use crate::deps::compute::{Timed, Touch, carried_levels, context_of, limit, timed_pieces, touches_of};
use crate::deps::pair::{self, Columns};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::Node;
use crate::model::tree::flat::{Pieces, TimeDim, flat_schedule};
use presburger::rows::{Conjunction, Piece, Slot, difference, pieces_of, place_aff, refine};
use presburger::{Budget, Dim, Map, Set, Space};

/// What an iteration reads of an array.
pub(crate) struct Reads {
    /// The statement.
    pub stmt: StmtId,
    /// `{ [dims, element] }`: what it reads.
    all: Set,
    /// The part of that which was surely written earlier in the same iteration.
    written: Set,
}

impl Reads {
    /// Values of the parameters and of the dims of an instance that reads something else, if there is one.
    pub fn unwritten(&self, dims: usize, budget: &Budget) -> Result<Option<(Vec<i64>, Vec<i64>)>, Failure> {
        let rest = self.all.subtract(&self.written, budget).map_err(limit)?;
        let point = rest.sample(budget).map_err(limit)?;
        let params = self.all.space().params.len();
        Ok(point.map(|p| (p[..params].to_vec(), p[params..params + dims].to_vec())))
    }
}

/// What an iteration of the loop at the end of `pieces`' times reads of `array` that it has not surely written before:
/// some of it is; `None` if there is no such thing. Exact.
pub(crate) fn read_before_written(
    scop: &Scop,
    (tree, pieces): (&Node, &Pieces),
    array: ArrayId,
    budget: &Budget,
) -> Result<Option<Reads>, Failure> {
    let Some((_, claimed)) = pieces.first() else { return Ok(None) };
    let inside = timed_pieces(&flat_schedule(tree))?;
    let inside: Vec<&Timed> = inside.iter().filter(|t| is_below(&t.time, &claimed.time)).collect();
    let touches = &touches_of(scop, &|a| a == array)?[array.index()];
    let at = |t: &Touch| inside.iter().copied().filter(|p| p.stmt == t.stmt).collect::<Vec<_>>();
    let context = pieces_of(&context_of(scop, budget)?).map_err(limit)?;
    let iteration =
        Iteration { scop, context: &context, depth: claimed.time.len(), rank: scop.array(array).sizes.len() };
    for read in touches.iter().filter(|t| !t.writes) {
        for dst in at(read) {
            let mut written = Vec::new();
            for write in touches.iter().filter(|t| t.must) {
                for src in at(write) {
                    written.extend(iteration.earlier((src, write), (dst, read), budget)?);
                }
            }
            let all = iteration.elements((dst, read), budget)?;
            let is_first_written = first_is_written(&all, &written, budget).map_err(limit)?;
            let written = written.iter().fold(Set::empty(all.space().clone()), |all, part| all.union(part));
            if !is_first_written || !all.is_subset(&written, budget).map_err(limit)? {
                return Ok(Some(Reads { stmt: read.stmt, all, written }));
            }
        }
    }
    Ok(None)
}

/// Whether the first of the reads, in the order of the statement's dims, is among what was written; `true` if there is
/// none. Says at a point what a subset test says of all, for much less where it fails: most loops that need no look at
/// all of a set read something there that nobody wrote before.
fn first_is_written(read: &Set, written: &[Set], budget: &Budget) -> presburger::Result<bool> {
    let Some(any) = read.sample(budget)? else { return Ok(true) };
    let params = &any[..read.space().params.len()];
    let here = params.iter().enumerate().fold(read.clone(), |set, (k, v)| set.fix(Dim::Param, k, *v));
    let first = match here.lexmin(budget) {
        Err(presburger::Error::Unbounded) => return Ok(true),
        least => least?.sample(budget)?,
    };
    let Some(first) = first else { return Ok(true) };
    let (params, first) = first.split_at(params.len());
    for part in written {
        if part.contains_within(params, first, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether instances with these times run in the loop at the end of `outer`.
fn is_below(time: &[TimeDim], outer: &[TimeDim]) -> bool {
    let agree = |pair: (&TimeDim, &TimeDim)| match pair {
        (TimeDim::Seq(a), TimeDim::Seq(b)) | (TimeDim::Any(a), TimeDim::Any(b)) => a == b,
        (TimeDim::Aff(_), TimeDim::Aff(_)) => true,
        _ => false,
    };
    time.len() >= outer.len() && time.iter().zip(outer).all(agree)
}

/// What happens in one iteration of a loop.
struct Iteration<'a> {
    scop: &'a Scop,
    context: &'a [Piece],
    /// Components of a time that name the iteration.
    depth: usize,
    /// Subscripts of the array.
    rank: usize,
}

impl Iteration<'_> {
    /// `{ [dst dims, element] }`: what `read` reads.
    fn elements(&self, (dst, read): (&Timed, &Touch), budget: &Budget) -> Result<Set, Failure> {
        let columns = Columns { params: self.scop.params.len(), src: 0, dst: dst.dims + self.rank };
        let polys = self.read((dst, read), columns)?;
        self.union(columns, &polys).range(budget).map_err(limit)
    }

    /// The part of that which `write` surely writes earlier in the same iteration.
    fn earlier(
        &self,
        (src, write): (&Timed, &Touch),
        (dst, read): (&Timed, &Touch),
        budget: &Budget,
    ) -> Result<Option<Set>, Failure> {
        let columns = Columns { params: self.scop.params.len(), src: src.dims, dst: dst.dims + self.rank };
        let (from, to) = (columns.src_slot(), self.dst_slot(columns));
        let mut polys = self.read((dst, read), columns)?;
        refine(&mut polys, &src.domain, from)
            .and_then(|()| pair::touch(&mut polys, &write.pieces, from, &self.element(columns)))
            .map_err(limit)?;
        let mut earlier = Vec::new();
        for mut poly in polys {
            for pair in src.time[..self.depth].iter().zip(&dst.time) {
                if let (TimeDim::Aff(a), TimeDim::Aff(b)) = pair {
                    let a = place_aff(&mut poly, a, from).map_err(limit)?;
                    let b = place_aff(&mut poly, b, to).map_err(limit)?;
                    poly.add_eq(&difference(&b, &a).map_err(limit)?).map_err(limit)?;
                }
            }
            let (before, after) = (&src.time[self.depth..], &dst.time[self.depth..]);
            earlier.extend(carried_levels(poly, (before, from), (after, to)).map_err(limit)?);
        }
        if earlier.is_empty() {
            return Ok(None);
        }
        self.union(columns, &earlier).range(budget).map(Some).map_err(limit)
    }

    fn dst_slot(&self, columns: Columns) -> Slot {
        Slot { dims: columns.dst - self.rank, ..columns.dst_slot() }
    }

    fn element(&self, columns: Columns) -> Vec<usize> {
        (columns.end() - self.rank..columns.end()).collect()
    }

    /// The reads with their elements in the last columns of the destination.
    fn read(&self, (dst, read): (&Timed, &Touch), columns: Columns) -> Result<Vec<Conjunction>, Failure> {
        let (slot, element) = (self.dst_slot(columns), self.element(columns));
        let mut polys = vec![Conjunction::universe(columns.end())];
        refine(&mut polys, self.context, columns.param_slot())
            .and_then(|()| refine(&mut polys, &dst.domain, slot))
            .and_then(|()| pair::touch(&mut polys, &read.pieces, slot, &element))
            .map_err(limit)?;
        Ok(polys)
    }

    fn union(&self, columns: Columns, polys: &[Conjunction]) -> Map {
        let space = Space::map(&self.scop.param_names(), "", columns.src, "", columns.dst);
        let basics = polys.iter().map(|p| p.to_basic_map(space.clone()).to_map());
        basics.fold(Map::empty(space.clone()), |all, part| all.union(&part))
    }
}
