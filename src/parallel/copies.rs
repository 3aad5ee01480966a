//! What threads need for themselves to run a loop.

use crate::deps::loops::Loop;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::model::Scop;
use crate::model::tree::{Node, ReductionCopy, ThreadCopies};
use presburger::Budget;
use std::collections::BTreeSet;

/// What threads need for themselves so that the loop of member `member` of the band at `path` may run its blocks of
/// iterations at the same time; `None`: not even then, or there is no such member. `flow`: value-based flow dependences
/// of the scalars ([`crate::deps::flow::last_writers`]). `whole`: what it may cost to find out about copies of whole
/// arrays; `None`: there are to be none. Exact but for scalars that leave the loop in some iterations only.
///
/// Every scalar written in the loop is privatized or collected. An array is collected when all that the loop does to it
/// is to update elements of it by one operation whose updates may change places: in a copy of one element if all those
/// of one execution of the loop are the same, else of the whole. Dependences with the code around the loop bind the
/// loop as a whole. An array in memory is privatized when each element that an iteration reads was surely written
/// earlier in it.
/// Sources: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 5 (privatized reductions); Tu, Padua, LCPC 1993
/// (array privatization).
///
/// # Errors
/// `Limit` when a budget is spent or a coefficient leaves i64; the caller must then assume `None`.
pub fn threads_of(
    scop: &Scop,
    (deps, flow): (&Dependences, &[Dep]),
    tree: &Node,
    (path, member): (&[usize], usize),
    whole: Option<&Budget>,
    budget: &Budget,
) -> Result<Option<ThreadCopies>, Failure> {
    let Some(at) = Loop::at(tree, path, member) else { return Ok(None) };
    threads_of_loop(scop, (deps, flow), (tree, &at), whole, budget)
}

/// The same of a loop of the tree, or of one that an order of the same instances would have in its place.
///
/// # Errors
/// As [`threads_of`].
pub fn threads_of_loop(
    scop: &Scop,
    (deps, flow): (&Dependences, &[Dep]),
    (tree, at): (&Node, &Loop),
    whole: Option<&Budget>,
    budget: &Budget,
) -> Result<Option<ThreadCopies>, Failure> {
    let whole = whole.filter(|_| !at.is_jammed());
    let own = at.scalars_written(scop);
    let (mut copies, mut carrying) = (ThreadCopies::default(), Vec::new());
    for array in deps.binding().map(|(_, d)| d.array).collect::<BTreeSet<_>>() {
        let of = deps.binding().filter(|(_, d)| d.array == array);
        let (updates, other): (Vec<_>, Vec<_>) = of.partition(|(k, _)| *k >= deps.validity.len());
        let updates = at.carries(scop, updates, budget)?;
        // Only its pointer tells where a row is, and that is not to be read before the loop turns out to run.
        let may_collect = updates && !scop.array(array).is_rows();
        let collected = at.op_of_updates(scop, array).filter(|_| may_collect).map(|op| ReductionCopy { array, op });
        if let Some(collected) = collected
            && at.touches_one_element(scop, array, budget)?
        {
            copies.elements.push(collected);
        } else if !own.contains(&array) && (updates || at.carries(scop, other, budget)?) {
            if whole.is_none() || !scop.array(array).is_memory() {
                return Ok(None);
            }
            match collected {
                Some(collected) => copies.arrays.push(collected),
                None => carrying.push(array),
            }
        }
    }
    for array in own {
        if copies.elements.iter().any(|c| c.array == array) {
            continue;
        }
        if !at.has_private(scop, (tree, flow), array, budget)? {
            return Ok(None);
        }
        copies.private.push(array);
    }
    for array in carrying {
        if !at.reads_its_own(scop, tree, array, whole.unwrap_or(budget))? {
            return Ok(None);
        }
        copies.privatized.push(array);
    }
    Ok(Some(copies))
}
