//! Code generation options of a band, as `print` writes them (`separate[0]; unroll_jam[1, 4]`, by the number of the
//! member) and as isl does (`[N] -> { unroll[x] : x >= 1; isolate[[outer] -> [members]] : 8 <= members < N }`).

use super::{AstOption, Member};
use crate::ids::StmtId;
use presburger::{Aff, Budget, Dim, PwMultiAff, Set, UnionSet};
use std::collections::BTreeMap;

/// Gives the members their options; the values of the `outer` members around the band and its own that are to be kept
/// apart from the others, `[params] -> { [outer, members] }`, if there are any.
///
/// # Errors
/// An option that is not known, or whose set does not fit the band.
pub(super) fn parse(text: &str, members: &mut [Member], outer: usize, params: &[&str]) -> Result<Option<Set>, String> {
    let list: Vec<&str> = text.trim_matches(['{', '}', ' ']).split(';').map(str::trim).collect();
    let own = |text: &str| {
        let isolated = text.strip_prefix("isolated_");
        numbered_option(isolated.unwrap_or(text)).map(|(k, option)| (k, option, isolated.is_some()))
    };
    let numbered: Option<Vec<_>> = list.into_iter().filter(|o| !o.is_empty()).map(own).collect();
    let Some(numbered) = numbered else { return parse_sets(text, members, outer, params) };
    for (k, option, isolated) in numbered {
        let member = members.get_mut(k).ok_or_else(|| format!("the band has no member {k}"))?;
        match isolated {
            true => member.isolated = Some(option),
            false => member.ast = option,
        }
    }
    Ok(None)
}

/// Member and option of `name[member]`, `unroll_jam[member, factor]` or `lanes[member, lanes, vectors]`; those of an
/// isolated part have `isolated_` before them.
fn numbered_option(text: &str) -> Option<(usize, AstOption)> {
    let (name, args) = text.strip_suffix(']')?.split_once('[')?;
    let args = args.split(',').map(|a| a.trim().parse::<u32>().ok()).collect::<Option<Vec<_>>>()?;
    let option = match (name, &args[..]) {
        ("atomic", [_]) => AstOption::Atomic,
        ("split", [_]) => AstOption::Separate,
        ("separate", [_]) => AstOption::SeparateTiles,
        ("unroll", [_]) => AstOption::Unroll,
        ("unroll_jam", [_, factor]) => AstOption::UnrollJam(*factor),
        ("lanes", [_, lanes, vectors]) => AstOption::Lanes(*lanes, *vectors),
        _ => return None,
    };
    Some((usize::try_from(args[0]).ok()?, option))
}

fn parse_sets(text: &str, members: &mut [Member], outer: usize, params: &[&str]) -> Result<Option<Set>, String> {
    let unknown = |e: &dyn std::fmt::Display| format!("unknown code generation option `{text}`: {e}");
    let parsed = UnionSet::parse(text).map_err(|e| unknown(&e))?;
    let aligned = UnionSet::empty(params).union(&parsed);
    if aligned.params().len() != params.len() {
        return Err(format!("the parameters of `{text}` are not those of the domain"));
    }
    let mut isolated = None;
    for set in aligned.sets() {
        let tuple = &set.space().output;
        let pair = tuple.nested.as_deref();
        let mut isolated_part = false;
        let (name, dims) = match (tuple.name_str(), pair) {
            ("isolate", Some((around, own))) => {
                if (around.dims.len(), own.dims.len()) != (outer, members.len()) {
                    let shape = format!("isolate[[{outer} outer values] -> [{} values]]", members.len());
                    return Err(unknown(&format!("here it would be {shape}")));
                }
                isolated = Some(set.flatten().with_tuple(""));
                continue;
            }
            // For the part that is kept apart.
            ("", Some((part, own))) if part.name_str() == "isolate" && part.dims.is_empty() => {
                isolated_part = true;
                (own.name_str(), own.dims.len())
            }
            (name, None) => (name, tuple.dims.len()),
            _ => ("", 0),
        };
        let option = match (name, dims) {
            ("atomic", 1) => AstOption::Atomic,
            ("separate", 1) => AstOption::Separate,
            ("unroll", 1) => AstOption::Unroll,
            _ => return Err(unknown(&"neither of atomic[x], separate[x], unroll[x], isolate[[..] -> [..]]")),
        };
        for (member, k) in members.iter_mut().zip(0_i64..) {
            let asked = set.fix(Dim::Out, 0, k);
            if !asked.is_empty(&Budget::unlimited()).map_err(|e| e.to_string())? {
                match isolated_part {
                    true => member.isolated = Some(option),
                    false => member.ast = option,
                }
            }
        }
    }
    if isolated.is_some() && members.iter().any(|m| m.isolated.is_some()) {
        // What is asked for without saying where is asked for outside of the part.
        members.iter_mut().for_each(|m| m.isolated = Some(m.isolated.unwrap_or(AstOption::Default)));
    }
    Ok(isolated)
}

/// The instances whose values are in the set, and the others, by statement. The statements are those of the innermost
/// member.
///
/// # Errors
/// Numbers that do not fit.
pub(super) fn parts(isolated: &Set, members: &[&Member]) -> presburger::Result<[BTreeMap<StmtId, Set>; 2]> {
    let budget = Budget::unlimited();
    let mut parts = [BTreeMap::new(), BTreeMap::new()];
    for id in members.last().into_iter().flat_map(|m| m.affs.keys()) {
        let Some(affs) = members.iter().map(|m| m.affs.get(id).cloned()).collect::<Option<Vec<Aff>>>() else {
            continue;
        };
        let space = affs[0].space().clone();
        let inside = PwMultiAff::from_affs(&space, &affs, "").preimage(isolated, &budget)?;
        let others = Set::universe(space).subtract(&inside, &budget)?;
        parts[0].insert(*id, inside);
        parts[1].insert(*id, others);
    }
    Ok(parts)
}
