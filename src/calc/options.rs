//! Options of the times' dims in isl's notation, for all times or for a part of them: the instances at times of their
//! own options become statements of their own.
//!
//! `{ [i, j] -> unroll[1] : i < 4 }` asks for that of the loops over `j` inside of `i < 4`, and
//! `{ [i, j] -> separation_class[[0] -> [2]] : i >= 8 }` for loops over `i` that are apart from those of other classes.
//! Conditions on later dims than an option's own hold where some values of these make them hold.

use crate::model::tree::build::Timed;
use crate::model::tree::{AstOption, Node};
use presburger::{Aff, Bound, Budget, Dim, PwMultiAff, Set, UnionMap};
use std::collections::BTreeMap;

/// Parts of one statement that options may make.
const MOST_PARTS: usize = 64;

/// The classes that are known, from 0 on.
const CLASSES: i64 = 32;

/// What is asked for of the loops over one dim of the times.
pub(super) struct Asked {
    dim: usize,
    wish: Wish,
    /// Where, over the dims up to that one.
    times: Set,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    /// Loops that no other class shares.
    Class,
    Unroll,
    Separate,
    Atomic,
}

impl Wish {
    fn option(self) -> Option<AstOption> {
        match self {
            Wish::Class => None,
            Wish::Unroll => Some(AstOption::Unroll),
            Wish::Separate => Some(AstOption::Separate),
            Wish::Atomic => Some(AstOption::Atomic),
        }
    }
}

/// What options ask for of times of this length, classes first. Those for other times say nothing here.
pub(super) fn asked(options: &UnionMap, length: usize, budget: &Budget) -> Result<Vec<Asked>, String> {
    let text = |e: presburger::Error| e.to_string();
    let mut all = Vec::new();
    for map in options.maps() {
        let space = map.space();
        let wish = match (space.output.name_str(), space.n_out()) {
            ("atomic", 1) => Wish::Atomic,
            ("separate", 1) => Wish::Separate,
            ("unroll", 1) => Wish::Unroll,
            ("separation_class", 2) => Wish::Class,
            _ => {
                let known = "atomic[x], separate[x], unroll[x] and separation_class[[x] -> [class]]";
                return Err(format!("options are {known}"));
            }
        };
        if space.n_in() != length {
            continue;
        }
        for (dim, k) in (0..length).zip(0_i64..) {
            let own = map.fix(Dim::Out, 0, k);
            let mut parts = vec![own.clone()];
            if wish == Wish::Class {
                parts = (0..CLASSES).map(|class| own.fix(Dim::Out, 1, class)).collect();
                let known = parts.iter().fold(own.fix(Dim::Out, 1, -1), |sum, part| sum.union(part));
                if !own.is_subset(&known, budget).map_err(text)? {
                    return Err(format!("classes are numbers from 0 to {}", CLASSES - 1));
                }
            }
            for part in parts {
                if !part.is_empty(budget).map_err(text)? {
                    let times = part.domain(budget).map_err(text)?;
                    let times = times.project_out(dim + 1, length - dim - 1, budget).map_err(text)?;
                    all.push(Asked { dim, wish, times });
                }
            }
        }
    }
    all.sort_by_key(|a| (a.dim, a.wish));
    Ok(all)
}

/// A part of a statement with the option of each dim of its times.
pub(super) type Part = (Set, Vec<AstOption>);

/// The parts of a domain at times with other options.
pub(super) fn parts(domain: Set, time: &[Aff], asked: &[Asked], budget: &Budget) -> Result<Vec<Part>, String> {
    let text = |e: presburger::Error| e.to_string();
    let mut loops = Vec::with_capacity(asked.len());
    for a in asked.iter().filter(|a| a.dim < time.len()) {
        if !has_one_value(&domain, &time[a.dim], budget)? {
            loops.push(a);
        }
    }
    let mut parts = vec![(domain, vec![None; time.len()])];
    for a in loops {
        let function = PwMultiAff::from_affs(time[0].space(), &time[..=a.dim], "");
        let there = function.preimage(&a.times, budget).map_err(text)?;
        let mut next = Vec::new();
        for (set, options) in parts {
            if options[a.dim].is_some() {
                next.push((set, options));
                continue;
            }
            let inside = set.intersect(&there).coalesce(budget).map_err(text)?.into_owned();
            if inside.is_empty(budget).map_err(text)? {
                next.push((set, options));
                continue;
            }
            let outside = set.subtract(&there, budget).map_err(text)?;
            let mut own = options.clone();
            own[a.dim] = a.wish.option();
            next.push((inside, own));
            if !outside.is_empty(budget).map_err(text)? {
                next.push((outside.coalesce(budget).map_err(text)?.into_owned(), options));
            }
        }
        parts = next;
        if parts.len() > MOST_PARTS {
            return Err("options tell too many parts of the times apart".to_owned());
        }
    }
    let named = |(set, options): (Set, Vec<Option<AstOption>>)| {
        (set, options.into_iter().map(Option::unwrap_or_default).collect())
    };
    Ok(parts.into_iter().map(named).collect())
}

/// Whether there is one value for all instances, whatever the parameters: no loop.
fn has_one_value(domain: &Set, value: &Aff, budget: &Budget) -> Result<bool, String> {
    let ends = domain.min_of(value, budget).and_then(|least| Ok((least, domain.max_of(value, budget)?)));
    let (least, most) = ends.map_err(|e| e.to_string())?;
    Ok(least == most && matches!(least, Bound::Value(_)))
}

/// Gives the members of bands the options of the times' dims that they stand for, which are the first ones from `at` on
/// with their values; `options`: of each statement, by dim.
pub(super) fn set(node: &mut Node, timed: &[Timed], at: usize, options: &[Vec<AstOption>]) {
    let length = options.iter().map(Vec::len).max().unwrap_or(0);
    let mut at = at;
    let below: Vec<&mut Node> = match node {
        Node::Band(band, c) => {
            for member in &mut band.members {
                let is_own =
                    |k: &usize| member.affs.iter().all(|(id, aff)| timed[id.index()].time.get(*k) == Some(aff));
                at = (at..length).find(is_own).unwrap_or(length);
                let of = |id: &crate::ids::StmtId| options[id.index()].get(at).copied().unwrap_or_default();
                let own: BTreeMap<_, _> = member.affs.keys().map(|id| (*id, of(id))).collect();
                member.ast = own.values().next().copied().unwrap_or_default();
                if own.values().any(|o| *o != member.ast) {
                    (member.ast, member.by_stmt) = (AstOption::Default, own);
                }
                at += 1;
            }
            vec![c]
        }
        Node::Domain(_, c) | Node::Filter(_, c) => vec![c],
        Node::Sequence(cs) => cs.iter_mut().collect(),
        _ => Vec::new(),
    };
    for c in below {
        set(c, timed, at, options);
    }
}
