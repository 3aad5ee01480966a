//! Lexicographic minima of conjunctions whose columns fall into groups that no row relates: the minimum of each group
//! is found on its own, and every choice of one piece per group is a piece of the whole.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::Sys;

/// Columns that rows relate, in order, and the rows on them and on the columns before `first`.
struct Group<T> {
    /// The visible columns, those before `first` among them, which all groups share.
    visible: Vec<usize>,
    sys: Sys<T>,
}

/// The points of `s` that are lexicographically smallest in columns `first..n` for their values of columns `0..first`,
/// given how to find those of a group. `None`: the columns are one group, or a group has no minimum for some
/// parameters, for which the others may have no point.
pub(super) fn lexmin<T: Int>(
    s: &Sys<T>,
    first: usize,
    minimum: impl Fn(Sys<T>) -> Res<Vec<Sys<T>>>,
    bud: &Budget,
) -> Res<Option<Vec<Sys<T>>>> {
    let groups = groups(s, first);
    if groups.iter().filter(|g| g.visible.len() > first).count() < 2 {
        return Ok(None);
    }
    let mut all = vec![Sys::universe(s.n, 0)];
    for g in groups {
        let least = if g.visible.len() == first {
            vec![g.sys]
        } else {
            match minimum(g.sys) {
                Err(Stop::Error(Error::Unbounded)) => return Ok(None),
                other => other?,
            }
        };
        let mut next = Vec::with_capacity(all.len() * least.len());
        for whole in &all {
            for own in &least {
                let to: Vec<usize> = (0..s.n).collect();
                let both = Sys::join(s.n, 0, &[(whole, &to), (own, &g.visible)]);
                bud.keep(both.entries())?;
                let Some(both) = elim::project_owned(both, bud)? else { continue };
                if !solve::is_empty(&both, bud)? {
                    next.push(both);
                }
            }
        }
        all = next;
    }
    Ok(Some(all))
}

/// The groups of the columns from `first` on. The rows without these are in each group with visible ones.
fn groups<T: Int>(s: &Sys<T>, first: usize) -> Vec<Group<T>> {
    let last = s.cols();
    // Per column from `first` on the smallest one of its group.
    let mut of: Vec<usize> = (first..last).collect();
    let used = |r: &[T]| (first..last).filter(|c| !r[*c].is_zero()).collect::<Vec<_>>();
    for r in s.eq.rows().chain(s.ge.rows()) {
        let cols = used(r);
        let Some(least) = cols.iter().map(|c| of[c - first]).min() else { continue };
        let joined: Vec<usize> = cols.iter().map(|c| of[c - first]).collect();
        of.iter_mut().filter(|g| joined.contains(g)).for_each(|g| *g = least);
    }
    let mut names = of.clone();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|g| group(s, first, &|c| of[c - first] == *g)).collect()
}

/// The group of the columns from `first` on that are `own`.
fn group<T: Int>(s: &Sys<T>, first: usize, own: &impl Fn(usize) -> bool) -> Group<T> {
    let last = s.cols();
    let visible: Vec<usize> = (0..first).chain((first..s.n).filter(|c| own(*c))).collect();
    let exists: Vec<Option<usize>> = (s.n..last).filter(|c| own(*c)).map(Some).collect();
    let mut part = s.clone();
    let belongs = |r: &[T]| (first..last).find(|c| !r[*c].is_zero()).map_or(visible.len() > first, own);
    part.eq.retain(belongs);
    part.ge.retain(belongs);
    let columns: Vec<Option<usize>> = visible.iter().copied().map(Some).collect();
    Group { sys: part.remap(&columns, &exists), visible }
}
