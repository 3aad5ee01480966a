//! Schedule trees from maps in any form that is a function: equalities, strides and floors written as conditions.

use super::Node;
use super::build::{Timed, from_union_map};
use crate::ids::StmtId;
use presburger::{Aff, BasicMap, Budget, Kind, Map, PwMultiAff, Set, Space};

/// A map as quasi-affine functions on disjoint domains; pieces with the same functions are one. Exact.
///
/// # Errors
/// A message when the map is no function, or the budget is spent.
pub fn pieces_of(map: &Map, budget: &Budget) -> Result<Vec<(Set, Vec<Aff>)>, String> {
    let spent = |_| "too large to be read".to_owned();
    if !map.is_single_valued(budget).map_err(spent)? {
        return Err("an instance has several times".to_owned());
    }
    let mut pieces: Vec<(Set, Vec<Aff>)> = Vec::new();
    let mut add = |domain: Set, affs: Vec<Aff>| match pieces.iter_mut().find(|(_, known)| same(known, &affs)) {
        Some((all, _)) => *all = all.union(&domain),
        None => pieces.push((domain, affs)),
    };
    for basic in map.make_disjoint(budget).map_err(spent)?.basics() {
        let part = basic.to_map();
        if part.is_empty(budget).map_err(spent)? {
            continue;
        }
        let domain = part.domain(budget).map_err(spent)?;
        if let Some(affs) = solved(basic, domain.space()) {
            add(domain, affs);
            continue;
        }
        for (domain, affs) in PwMultiAff::from_map(&part, budget).map_err(spent)?.pieces() {
            if !domain.is_empty(budget).map_err(spent)? {
                add(domain.clone(), affs.to_vec());
            }
        }
    }
    Ok(pieces)
}

/// The output dims as functions over the space `domain`, where equalities and pairs of bounds less than a step apart
/// give them one after the other.
fn solved(basic: &BasicMap, domain: &Space) -> Option<Vec<Aff>> {
    let (np, ni, no) = (basic.space().n_param(), basic.space().n_in(), basic.space().n_out());
    let mut rows = basic.rows_i64().ok()?;
    let mut known: Vec<Option<Aff>> = (0..np).map(|k| Some(Aff::param(domain, k))).collect();
    known.extend((0..ni).map(|k| Some(Aff::dim(domain, k))));
    known.resize(np + ni + no + basic.n_exists(), None);
    let mut pivots = Vec::new();
    loop {
        let open: Vec<usize> = (0..known.len()).filter(|&c| known[c].is_none()).collect();
        let found = open.iter().find_map(|&c| Some((c, column(&rows, &known, c, domain)?)));
        match found {
            Some((c, value)) => known[c] = Some(value),
            None if substitute(&mut rows, &open, &mut pivots) => {}
            None => break,
        }
    }
    known.drain(np + ni..np + ni + no).collect()
}

/// Takes one of the columns `open` out of all rows but the equality that gives it in terms of others, each equality
/// once. False if none can be taken out, or on overflow.
fn substitute(rows: &mut [(Kind, Vec<i64>)], open: &[usize], pivots: &mut Vec<usize>) -> bool {
    for at in 0..rows.len() {
        if pivots.contains(&at) {
            continue;
        }
        let (kind, row) = rows[at].clone();
        for &c in open.iter().filter(|&&c| kind == Kind::Eq && row[c].abs() == 1) {
            let uses: Vec<usize> = (0..rows.len()).filter(|&o| o != at && rows[o].1[c] != 0).collect();
            if uses.is_empty() {
                continue;
            }
            pivots.push(at);
            for o in uses {
                let factor = -rows[o].1[c] * row[c];
                let terms = rows[o].1.iter().zip(&row);
                match terms.map(|(a, b)| a.checked_add(factor.checked_mul(*b)?)).collect::<Option<Vec<i64>>>() {
                    Some(fresh) => rows[o].1 = fresh,
                    None => return false,
                }
            }
            return true;
        }
    }
    false
}

/// Column `c` as a function of the known columns.
fn column(rows: &[(Kind, Vec<i64>)], known: &[Option<Aff>], c: usize, domain: &Space) -> Option<Aff> {
    let usable =
        |r: &&(Kind, Vec<i64>)| r.1[c] != 0 && (0..known.len()).all(|k| k == c || r.1[k] == 0 || known[k].is_some());
    let rest = |r: &[i64]| {
        let terms = known.iter().enumerate().filter(|(k, _)| *k != c && r[*k] != 0);
        let start = Aff::constant(domain, r[known.len()]);
        terms.fold(start, |sum, (k, aff)| aff.as_ref().map_or(sum.clone(), |a| sum.add(&a.scale(r[k]))))
    };
    let candidates: Vec<&(Kind, Vec<i64>)> = rows.iter().filter(usable).collect();
    if let Some((_, r)) = candidates.iter().find(|(kind, _)| *kind == Kind::Eq) {
        let value = rest(r).scale(-r[c].signum());
        return Some(if r[c].abs() == 1 { value } else { value.floor_div(r[c].abs()) });
    }
    // num - d c >= 0 and d c - num + gap >= 0, gap < d
    let bounds = |sign: i64| candidates.iter().filter(move |(_, r)| r[c].signum() == sign);
    bounds(-1).find_map(|(_, up)| {
        let last = known.len();
        let meets = |low: &[i64]| {
            (0..last).all(|k| low[k].checked_neg() == Some(up[k]))
                && low[last].checked_add(up[last]).is_some_and(|gap| gap < low[c])
        };
        bounds(1).find(|(_, low)| meets(low)).map(|_| rest(up).floor_div(-up[c]))
    })
}

fn same(a: &[Aff], b: &[Aff]) -> bool {
    let equal = |(x, y): (&Aff, &Aff)| x.sub(y).as_constant() == Some(0);
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

/// The tree of statements given as `(statement, domain, { Stmt[..] -> [t0, ..] })`; times compare lexicographically,
/// shorter ones are padded with zeros.
///
/// # Errors
/// A message that names the statement whose map is not defined on its whole domain, not a function, or a different
/// function on different parts; or what [`from_union_map`] refuses.
pub fn from_maps(maps: &[(StmtId, Set, Map)], budget: &Budget) -> Result<Node, String> {
    let mut timed = Vec::with_capacity(maps.len());
    for (id, domain, map) in maps {
        let spent = |_| format!("the schedule of {id} is too large to be read");
        let covered = map.domain(budget).and_then(|d| domain.is_subset(&d, budget)).map_err(spent)?;
        if !covered {
            return Err(format!("the schedule of {id} leaves instances out"));
        }
        let pieces = pieces_of(&map.intersect_domain(domain), budget).map_err(|e| format!("schedule of {id}: {e}"))?;
        let time = match pieces.as_slice() {
            [(_, affs)] => affs.clone(),
            [] => vec![Aff::zero(domain.space()); map.space().n_out()],
            _ => return Err(format!("the schedule of {id} differs between parts of its domain")),
        };
        timed.push(Timed { id: *id, domain: domain.clone(), time });
    }
    let length = timed.iter().map(|t| t.time.len()).max().unwrap_or(0);
    for t in &mut timed {
        let zero = Aff::zero(t.domain.space());
        t.time.resize(length, zero);
    }
    from_union_map(&timed)
}
