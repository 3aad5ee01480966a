//! Splits what several pieces do at one loop level into loops that run one after the other.
//!
//! Source: Quilleré, Rajopadhye, Wilde, Int. J. Parallel Programming 28(5), 2000. Two differences: bounds that only
//! follow from inner loops are loosened first if that lets pieces share a loop, and where separation would cost too
//! many loops (or the parts have no fixed order) one loop over the hull is made, with the pieces' own conditions left
//! to guards inside.

use super::fail::Res;
use presburger::rows::{Constraint, Row, Tableau, reduce, subtract, with_rows};

/// Parts that are cut off at one time for each loop that may be made: what is left of many pieces of many sides doubles
/// with each of them before it is known how many loops it takes.
const PARTS_OF_LOOP: usize = 16;

/// One loop to be made.
#[derive(Debug)]
pub(super) struct Group {
    /// Holds in the whole loop: bounds of the level and conditions on outer levels.
    pub rows: Vec<Constraint>,
    /// If not empty: the loop runs from the smallest lower to the largest upper bound of these; `rows` then is only
    /// known to hold.
    pub hull: Vec<Vec<Constraint>>,
    /// Which pieces run in it.
    pub active: Vec<usize>,
}

/// What a piece looks like at the level.
pub(super) struct View {
    /// As projected.
    pub raw: Vec<Constraint>,
    /// Without redundant rows.
    pub reduced: Vec<Constraint>,
}

/// The level at hand.
pub(super) struct Level<'l, 'b> {
    /// What outer loops and the context enforce.
    pub known: &'l Tableau<'b>,
    /// Column of the level's time dim.
    pub time: usize,
    /// A column no row uses, for comparing two values of the level.
    pub spare: usize,
    /// Largest number of loops to split into.
    pub max_groups: usize,
    /// A number for each piece, if pieces of one number run in one loop.
    pub units: &'l [usize],
    /// Whether bounds may be loosened for pieces to share a loop.
    pub loosen: bool,
    /// Whether bounds that only follow from inner loops count where there are no others.
    pub inner_bounds: bool,
    /// When each piece runs among those with the same value of the level, if that is known: smaller ones first.
    pub positions: &'l [usize],
}

struct Class {
    cons: Vec<Constraint>,
    members: Vec<usize>,
}

/// The loops for `views`, in execution order. Together they cover every instance of every piece exactly once.
pub(super) fn separate(level: &Level, views: &[View]) -> Res<Vec<Group>> {
    let exact = classes(views.iter().map(|v| v.reduced.clone()));
    if let [only] = exact.as_slice() {
        return Ok(vec![whole(only)]);
    }
    let relaxed = if level.loosen { relax(level, views, &exact)? } else { explicit(level, views, &exact)? };
    let groups = parts(level, classes(relaxed.into_iter()))?;
    if level.loosen { Ok(groups) } else { groups.into_iter().map(|g| narrowed(level, views, g)).collect() }
}

/// The loops for classes, by their constraints.
fn parts(level: &Level, classes: Vec<Class>) -> Res<Vec<Group>> {
    if let [only] = classes.as_slice() {
        return Ok(vec![whole(only)]);
    }
    let mut groups = Vec::new();
    for component in components(level, classes)? {
        if let [only] = component.as_slice() {
            groups.push(whole(only));
            continue;
        }
        match split(level, &component)? {
            Some(parts) => groups.extend(parts),
            None => groups.push(hull(level, component)?),
        }
    }
    Ok(groups)
}

/// One loop for all classes, with their conditions left to guards inside.
fn hull(level: &Level, classes: Vec<Class>) -> Res<Group> {
    let mut active: Vec<usize> = classes.iter().flat_map(|c| c.members.clone()).collect();
    active.sort_unstable();
    let cons: Vec<&[Constraint]> = classes.iter().map(|c| c.cons.as_slice()).collect();
    let rows = common_rows(level, &cons)?;
    Ok(Group { rows, hull: classes.into_iter().map(|c| c.cons).collect(), active })
}

/// One loop over the values of all `groups`, with everything that holds in each of them.
pub(super) fn together(level: &Level, groups: &[Group]) -> Res<Group> {
    let mut hull: Vec<Vec<Constraint>> = Vec::new();
    for group in groups {
        let with_own = |part: &Vec<Constraint>| part.iter().chain(&group.rows).cloned().collect();
        hull.extend(group.hull.iter().map(with_own));
        if group.hull.is_empty() {
            hull.push(group.rows.clone());
        }
    }
    let cons: Vec<&[Constraint]> = hull.iter().map(Vec::as_slice).collect();
    let rows = common_rows(level, &cons)?;
    Ok(Group { rows, hull, active: groups.iter().flat_map(|g| g.active.clone()).collect() })
}

/// Sets of classes that can run one after the other, in that order: classes that share values of the level, or that
/// have no fixed order, stay together.
fn components(level: &Level, classes: Vec<Class>) -> Res<Vec<Vec<Class>>> {
    let n = classes.len();
    // Whether all of a runs behind all of b where both have the same value.
    let follows = |a: &Class, b: &Class| {
        let position = |k: &usize| level.positions.get(*k);
        let first = a.members.iter().map(position).min().flatten();
        first.is_some() && first > b.members.iter().map(position).max().flatten()
    };
    // before[a][b]: some value of a may have to run before some value of b, or at the same time.
    let mut before = vec![vec![false; n]; n];
    for a in 0..n {
        for b in 0..n {
            let gap = i64::from(follows(&classes[a], &classes[b]));
            before[a][b] = a != b && has_smaller(level, &classes[a].cons, &classes[b].cons, gap)?;
        }
    }
    let unit = |c: &Class, k: usize| c.members.iter().any(|m| level.units[*m] == k);
    for a in 0..n {
        for b in 0..n {
            let together =
                !level.units.is_empty() && classes[b].members.iter().any(|m| unit(&classes[a], level.units[*m]));
            before[a][b] |= a != b && together;
        }
    }
    for via in 0..n {
        for a in 0..n {
            for b in 0..n {
                before[a][b] |= before[a][via] && before[via][b];
            }
        }
    }
    let mut left: Vec<Option<Class>> = classes.into_iter().map(Some).collect();
    let mut out = Vec::new();
    while let Some(first) =
        (0..n).find(|&c| left[c].is_some() && (0..n).all(|o| left[o].is_none() || !before[o][c] || before[c][o]))
    {
        let together = |c: &usize| *c == first || (before[first][*c] && before[*c][first]);
        out.push((0..n).filter(together).filter_map(|c| left[c].take()).collect());
    }
    Ok(out)
}

fn whole(class: &Class) -> Group {
    Group { rows: class.cons.clone(), hull: Vec::new(), active: class.members.clone() }
}

/// Groups equal conjunctions, in order of first appearance.
fn classes(views: impl Iterator<Item = Vec<Constraint>>) -> Vec<Class> {
    let mut out: Vec<Class> = Vec::new();
    for (k, cons) in views.enumerate() {
        let same = |c: &&mut Class| c.cons.len() == cons.len() && c.cons.iter().zip(&cons).all(|(a, b)| a.row == b.row);
        match out.iter_mut().find(same) {
            Some(class) => class.members.push(k),
            None => out.push(Class { cons, members: vec![k] }),
        }
    }
    out
}

/// Rows of any of the conjunctions that hold in all of them.
fn common_rows(level: &Level, all: &[&[Constraint]]) -> Res<Vec<Constraint>> {
    let tableaus = all.iter().map(|cons| with_rows(level.known, cons.iter().map(|k| &k.row)));
    let mut tableaus = tableaus.collect::<presburger::Result<Vec<_>>>()?;
    let mut out: Vec<Constraint> = Vec::new();
    for k in all.iter().flat_map(|cons| cons.iter()) {
        if out.iter().any(|o| o.row == k.row) {
            continue;
        }
        let mut everywhere = true;
        for lp in &mut tableaus {
            everywhere = everywhere && lp.implies(&k.row)?;
        }
        if everywhere {
            out.push(k.clone());
        }
    }
    Ok(out)
}

/// Drops rows of a piece that only follow from its inner loops where the common rows are almost as tight (two
/// iterations), so that pieces with nearly the same range get the same range. Every piece stays bounded on both sides.
fn relax(level: &Level, views: &[View], exact: &[Class]) -> Res<Vec<Vec<Constraint>>> {
    let cons: Vec<&[Constraint]> = exact.iter().map(|c| c.cons.as_slice()).collect();
    let hull = common_rows(level, &cons)?;
    let mut out = Vec::with_capacity(views.len());
    for view in views {
        let mut kept: Vec<Constraint> = view.raw.iter().filter(|k| k.own).cloned().collect();
        kept.extend(hull.iter().cloned());
        let mut lp = with_rows(level.known, kept.iter().map(|k| &k.row))?;
        for k in view.reduced.iter().filter(|k| !k.own) {
            let slack = k.row[level.time].unsigned_abs().saturating_mul(2);
            let mut loose = k.row.clone();
            loose[0] = loose[0].saturating_add_unsigned(slack);
            if !lp.implies(&loose)? {
                kept.push(k.clone());
            }
        }
        out.push(match reduce(level.known, kept, level.time)? {
            Some(cons) => cons,
            None => view.reduced.clone(),
        });
    }
    Ok(out)
}

/// The rows of each piece that do not only follow from its inner loops, and what holds in all pieces: what inner loops
/// need is no reason for a loop of its own. A piece may have no bound on a side then.
fn explicit(level: &Level, views: &[View], exact: &[Class]) -> Res<Vec<Vec<Constraint>>> {
    let cons: Vec<&[Constraint]> = exact.iter().map(|c| c.cons.as_slice()).collect();
    let common = common_rows(level, &cons)?;
    let mut out = Vec::with_capacity(views.len());
    for view in views {
        let mut kept: Vec<Constraint> = view.raw.iter().filter(|k| k.own).cloned().collect();
        for sign in [1, -1] {
            let bounds = |k: &&Constraint| k.row[level.time].signum() == sign;
            if level.inner_bounds && !kept.iter().any(|k| bounds(&k)) {
                kept.extend(view.reduced.iter().filter(bounds).cloned());
            }
        }
        kept.extend(common.iter().cloned());
        out.push(reduce(level.known, kept, level.time)?.unwrap_or_else(|| view.reduced.clone()));
    }
    Ok(out)
}

/// A group with everything that holds in all of its pieces; where that does not bound it, over their hull.
fn narrowed(level: &Level, views: &[View], group: Group) -> Res<Group> {
    let exact: Vec<&[Constraint]> = group.active.iter().map(|k| views[*k].reduced.as_slice()).collect();
    let mut rows = common_rows(level, &exact)?;
    rows.extend(group.rows.iter().cloned());
    let rows = reduce(level.known, rows, level.time)?.unwrap_or(group.rows);
    let bounded = [1, -1].iter().all(|sign| rows.iter().any(|k| k.row[level.time].signum() == *sign));
    let hull = if bounded { group.hull } else { exact.into_iter().map(<[Constraint]>::to_vec).collect() };
    Ok(Group { rows, hull, active: group.active })
}

/// Disjoint regions with the classes active in each, in execution order; `None` if there are too many or no fixed
/// order.
fn split(level: &Level, classes: &[Class]) -> Res<Option<Vec<Group>>> {
    let mut regions: Vec<(Vec<Constraint>, Vec<usize>)> = Vec::new();
    for (k, class) in classes.iter().enumerate() {
        let mut rest = vec![class.cons.clone()];
        let mut next = Vec::new();
        for (cons, members) in regions {
            let both: Vec<Constraint> = cons.iter().chain(&class.cons).cloned().collect();
            let Some(both) = reduce(level.known, both, level.time)? else {
                next.push((cons, members));
                continue;
            };
            for part in subtract(level.known, &cons, &class.cons)? {
                if let Some(part) = reduce(level.known, part, level.time)? {
                    next.push((part, members.clone()));
                }
            }
            let mut left = Vec::new();
            for r in rest {
                left.extend(subtract(level.known, &r, &cons)?);
                if left.len() > level.max_groups.saturating_mul(PARTS_OF_LOOP) {
                    return Ok(None);
                }
            }
            rest = left;
            let mut with = members;
            with.push(k);
            next.push((both, with));
        }
        for r in rest {
            if let Some(r) = reduce(level.known, r, level.time)? {
                next.push((r, vec![k]));
            }
        }
        regions = next;
        if regions.len() > level.max_groups {
            return Ok(None);
        }
    }
    let Some(order) = order(level, &regions)? else {
        return Ok(None);
    };
    let groups = order.into_iter().map(|r| {
        let (rows, members) = &regions[r];
        let mut active: Vec<usize> = members.iter().flat_map(|&c| classes[c].members.clone()).collect();
        active.sort_unstable();
        Group { rows: rows.clone(), hull: Vec::new(), active }
    });
    Ok(Some(groups.collect()))
}

/// A permutation in which every region runs before all those that have larger values for the same outer values.
fn order(level: &Level, regions: &[(Vec<Constraint>, Vec<usize>)]) -> Res<Option<Vec<usize>>> {
    let n = regions.len();
    let mut before = vec![vec![false; n]; n];
    for a in 0..n {
        for b in 0..n {
            before[a][b] = a != b && has_smaller(level, &regions[a].0, &regions[b].0, 1)?;
        }
    }
    let mut placed = vec![false; n];
    let mut out = Vec::with_capacity(n);
    while out.len() < n {
        let next = (0..n).find(|&r| !placed[r] && (0..n).all(|o| placed[o] || !before[o][r]));
        let Some(r) = next else { return Ok(None) };
        placed[r] = true;
        out.push(r);
    }
    Ok(Some(out))
}

/// May `a` hold a value of the level that is smaller by at least `gap` than one that `b` holds, for the same outer
/// values?
fn has_smaller(level: &Level, a: &[Constraint], b: &[Constraint], gap: i64) -> Res<bool> {
    let mut lp = with_rows(level.known, a.iter().map(|k| &k.row))?;
    let width = level.spare + 1;
    for k in b {
        let mut row = k.row.clone();
        row.resize(width, 0);
        row.swap(level.time, level.spare);
        lp.add(&row)?;
    }
    let mut less: Row = vec![0; width];
    less[0] = -gap;
    less[level.spare] = 1;
    less[level.time] = -1;
    lp.add(&less)?;
    Ok(!lp.is_empty())
}
