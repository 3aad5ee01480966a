//! Branch conditions as disjunctions of affine constraints.

use super::affine::{Check, Conj, Cons, NonAffine, Piece, Pw, Reader};
use super::polynomial::Poly;
use crate::facts::{Pred, ScevKind, ValueKind};
use crate::ids::{ScevId, ValueId};

/// Most disjuncts of one condition.
const MAX_DISJUNCTS: usize = 16;
/// Deepest nesting of and, or, not.
const MAX_DEPTH: usize = 16;

/// A condition: at least one conjunction holds. No conjunction = false, an empty conjunction = true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dnf {
    /// Alternatives.
    pub any: Vec<Conj>,
    /// What must hold for it to be right.
    pub checks: Vec<Check>,
}

/// Which branch of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// The condition holds.
    Taken,
    /// It does not.
    Else,
}

impl Branch {
    /// The branch that is taken where the condition has this value.
    #[must_use]
    pub fn of(value: bool) -> Branch {
        if value { Branch::Taken } else { Branch::Else }
    }

    /// The other one.
    #[must_use]
    pub fn flipped(self) -> Branch {
        if self == Branch::Taken { Branch::Else } else { Branch::Taken }
    }
}

impl Dnf {
    /// Always true.
    #[must_use]
    pub fn always() -> Dnf {
        Dnf { any: vec![Vec::new()], checks: Vec::new() }
    }

    /// Both hold; `None` if there would be too many alternatives.
    #[must_use]
    pub fn and(&self, o: &Dnf) -> Option<Dnf> {
        let mut any = Vec::with_capacity(self.any.len() * o.any.len());
        for a in &self.any {
            for b in &o.any {
                let both = conjunction(a, b);
                if !is_plainly_false(&both) && !any.contains(&both) {
                    any.push(both);
                }
            }
        }
        if any.len() > MAX_DISJUNCTS {
            any.retain(|conj| !is_false_around_dims(conj));
        }
        (any.len() <= MAX_DISJUNCTS).then(|| Dnf { any, checks: joined(&self.checks, &o.checks) })
    }

    /// At least one holds; `None` if there would be too many alternatives.
    #[must_use]
    pub fn or(&self, o: &Dnf) -> Option<Dnf> {
        let mut any = self.any.clone();
        for conj in &o.any {
            if !any.contains(conj) {
                any.push(conj.clone());
            }
        }
        (any.len() <= MAX_DISJUNCTS).then(|| Dnf { any, checks: joined(&self.checks, &o.checks) })
    }
}

/// Both conjunctions, without repetitions and without constants that hold.
#[must_use]
pub fn conjunction(a: &[Cons], b: &[Cons]) -> Conj {
    let mut all = a.to_vec();
    for cons in b {
        let holds = cons.poly.as_constant().is_some_and(|c| if cons.eq { c == 0 } else { c >= 0 });
        if !holds && !all.contains(cons) {
            all.push(cons.clone());
        }
    }
    all
}

/// Values of pieces whose minimum the pieces are wherever one of `within` holds; `None` where that is not plain, or
/// there is just one piece anyway. What is at most the minimum is at most each of them: no alternatives come of these.
/// What counts is plain if it is a constraint of the pieces or of `within`, up to a constant.
#[must_use]
pub fn minimum_of(pieces: &[Piece], within: &[Conj]) -> Option<Vec<Poly>> {
    let with = |p: &Piece| within.iter().map(|c| conjunction(c, &p.conds)).collect::<Vec<Conj>>();
    let applies = |p: &Piece| with(p).into_iter().filter(|c| !is_plainly_false(c)).collect::<Vec<Conj>>();
    let there: Vec<(Vec<Conj>, &Poly)> =
        pieces.iter().map(|p| (applies(p), &p.value)).filter(|(conds, _)| !conds.is_empty()).collect();
    if pieces.len() < 2 || there.is_empty() {
        return None;
    }
    let is_below = |low: &Poly, high: &Poly, conds: &[Conj]| {
        let follows = |from: &Poly, above: &Poly| above.sub(from)?.as_constant().filter(|c| *c >= 0);
        let Some(above) = high.sub(low) else { return false };
        let in_conj = |conj: &Conj| conj.iter().any(|cons| follows(&cons.poly, &above).is_some());
        follows(&Poly::default(), &above).is_some() || conds.iter().all(in_conj)
    };
    let is_among = |of: &[&Poly], (conds, value): &(Vec<Conj>, &Poly)| {
        of.iter().any(|v| is_below(v, value, conds) && is_below(value, v, conds))
    };
    let mut least: Vec<&Poly> = there.iter().map(|(_, value)| *value).collect();
    for piece in &there {
        let others: Vec<&Poly> = least.iter().copied().filter(|v| *v != piece.1).collect();
        if is_among(&others, piece) {
            least = others;
        }
    }
    let is_least =
        |piece: &(Vec<Conj>, &Poly)| is_among(&least, piece) && least.iter().all(|v| is_below(piece.1, v, &piece.0));
    there.iter().all(is_least).then(|| least.into_iter().cloned().collect())
}

/// Whether one constraint never holds, or two of them together (`x >= 2` and `x <= 1`, of pieces of one minimum).
fn is_plainly_false(conj: &[Cons]) -> bool {
    let is_negative = |sum: Option<Poly>| sum.and_then(|p| p.as_constant()).is_some_and(|c| c < 0);
    let contradict = |a: &Cons, b: &Cons| {
        let difference = || a.poly.sub(&b.poly);
        let opposite = || difference().and_then(|p| p.scale(-1));
        is_negative(a.poly.add(&b.poly)) || b.eq && is_negative(difference()) || a.eq && is_negative(opposite())
    };
    let alone = |cons: &Cons| cons.poly.as_constant().is_some_and(|c| if cons.eq { c != 0 } else { c < 0 });
    conj.iter().enumerate().any(|(k, a)| alone(a) || conj[..k].iter().any(|b| contradict(a, b)))
}

/// Whether no value lies between two bounds of a dim for what a third constraint says of parameters: `0 <= i < n` of an
/// unsigned `n` that is at most -1 as a signed number.
fn is_false_around_dims(conj: &[Cons]) -> bool {
    let is_of_params = |poly: &Poly| poly.terms().iter().all(|(mono, _)| mono.is_param_only());
    let (of_params, of_dims): (Vec<&Cons>, Vec<&Cons>) = conj.iter().partition(|cons| is_of_params(&cons.poly));
    let is_negative = |sum: Poly| sum.as_constant().is_some_and(|c| c < 0);
    let leaves_nothing = |a: &Cons, b: &Cons| {
        let Some(between) = a.poly.add(&b.poly).filter(is_of_params) else { return false };
        of_params.iter().filter_map(|c| between.add(&c.poly)).any(is_negative)
    };
    of_dims.iter().enumerate().any(|(k, a)| of_dims[..k].iter().any(|b| leaves_nothing(a, b)))
}

fn joined(a: &[Check], b: &[Check]) -> Vec<Check> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|c| !a.contains(c)).cloned());
    all
}

/// The i1 value as constraints on parameters and the dims of the loops around it.
///
/// # Errors
/// The value that is not affine.
pub fn condition(r: &mut Reader, value: ValueId, branch: Branch) -> Result<Dnf, ValueId> {
    nested(r, value, branch, 0)
}

fn nested(r: &mut Reader, value: ValueId, branch: Branch, depth: usize) -> Result<Dnf, ValueId> {
    if depth > MAX_DEPTH {
        return Err(value);
    }
    let facts = r.facts;
    let v = facts.value(value);
    match (&v.kind, branch) {
        (ValueKind::Not(a), _) => return nested(r, *a, branch.flipped(), depth + 1),
        (ValueKind::And(a, b), Branch::Taken) | (ValueKind::Or(a, b), Branch::Else) => {
            let (a, b) = (nested(r, *a, branch, depth + 1)?, nested(r, *b, branch, depth + 1)?);
            return a.and(&b).ok_or(value);
        }
        (ValueKind::And(a, b), Branch::Else) | (ValueKind::Or(a, b), Branch::Taken) => {
            let (a, b) = (nested(r, *a, branch, depth + 1)?, nested(r, *b, branch, depth + 1)?);
            return a.or(&b).ok_or(value);
        }
        (ValueKind::ICmp { pred, .. }, _) => {
            if let Some((lhs, rhs)) = v.cmp_scevs {
                let pred = if branch == Branch::Taken { *pred } else { pred.negated() };
                if let Ok(dnf) = compare(r, pred, lhs, rhs) {
                    return Ok(dnf);
                }
            }
        }
        _ => {}
    }
    truth(r, v.scev.ok_or(value)?, branch).map_err(|_| value)
}

/// A bit computed as a number: true is all ones, -1.
fn truth(r: &mut Reader, scev: ScevId, branch: Branch) -> Result<Dnf, NonAffine> {
    if let ScevKind::Const(c) = r.facts.scev(scev).kind {
        let holds = (c != 0) == (branch == Branch::Taken);
        return Ok(if holds { Dnf::always() } else { Dnf::default() });
    }
    let pw = r.read_signed(scev)?;
    let any = pw.pieces.iter().map(|piece| {
        let row = match branch {
            Branch::Taken => piece.value.scale(-1)?.plus(-1)?,
            Branch::Else => piece.value.clone(),
        };
        Some(conjunction(&piece.conds, &[Cons::ge(row)]))
    });
    Ok(Dnf { any: any.collect::<Option<_>>().ok_or(NonAffine(scev))?, checks: pw.checks })
}

fn compare(r: &mut Reader, pred: Pred, lhs: ScevId, rhs: ScevId) -> Result<Dnf, NonAffine> {
    match pred {
        Pred::Eq | Pred::Ne => {
            let (a, b) = same_reading(r, lhs, rhs)?;
            each_pair(lhs, &a, &b, |x, y| {
                let diff = x.sub(y)?;
                Some(if pred == Pred::Eq {
                    vec![vec![Cons::eq(diff)]]
                } else {
                    vec![vec![Cons::ge(diff.plus(-1)?)], vec![Cons::ge(diff.scale(-1)?.plus(-1)?)]]
                })
            })
        }
        Pred::Sgt => ordered(r, rhs, lhs, -1, true),
        Pred::Sge => ordered(r, rhs, lhs, 0, true),
        Pred::Slt => ordered(r, lhs, rhs, -1, true),
        Pred::Sle => ordered(r, lhs, rhs, 0, true),
        Pred::Ugt => ordered(r, rhs, lhs, -1, false),
        Pred::Uge => ordered(r, rhs, lhs, 0, false),
        Pred::Ult => ordered(r, lhs, rhs, -1, false),
        Pred::Ule => ordered(r, lhs, rhs, 0, false),
    }
}

/// Both sides read the same way, signed unless both are known unsigned.
fn same_reading(r: &mut Reader, lhs: ScevId, rhs: ScevId) -> Result<(Pw, Pw), NonAffine> {
    let (a, b) = (r.linear(lhs)?, r.linear(rhs)?);
    if a.unsigned && b.unsigned {
        return Ok((a, b));
    }
    Ok((r.read_signed(lhs)?, r.read_signed(rhs)?))
}

/// `small <= large + slack`. Each of the numbers that the smaller one is the maximum of is below, and the larger one is
/// above if all are that it is the minimum of: no alternatives come of these.
fn ordered(r: &mut Reader, small: ScevId, large: ScevId, slack: i64, signed: bool) -> Result<Dnf, NonAffine> {
    let pairs: Option<Vec<(ScevId, ScevId)>> = match (&r.facts.scev(small).kind, &r.facts.scev(large).kind, signed) {
        (ScevKind::SMax(all), _, true) | (ScevKind::UMax(all), _, false) => {
            Some(all.iter().map(|s| (*s, large)).collect())
        }
        (_, ScevKind::SMin(all), true) | (_, ScevKind::UMin(all), false) => {
            Some(all.iter().map(|l| (small, *l)).collect())
        }
        _ => None,
    };
    if let Some(pairs) = pairs {
        return pairs.into_iter().try_fold(Dnf::always(), |all, (small, large)| {
            all.and(&ordered(r, small, large, slack, signed)?).ok_or(NonAffine(small))
        });
    }
    if signed {
        let (a, b) = (r.read_signed(small)?, r.read_signed(large)?);
        return each_pair(small, &a, &b, |x, y| Some(vec![vec![Cons::ge(y.sub(x)?.plus(slack)?)]]));
    }
    let (a, b) = same_reading(r, small, large)?;
    each_pair(small, &a, &b, |x, y| {
        let le = Cons::ge(y.sub(x)?.plus(slack)?);
        let (nonneg_x, nonneg_y) = (Cons::ge(x.clone()), Cons::ge(y.clone()));
        let (neg_x, neg_y) = (Cons::ge(x.scale(-1)?.plus(-1)?), Cons::ge(y.scale(-1)?.plus(-1)?));
        // A negative number read as unsigned is larger than every number that is not negative.
        Some(match (a.unsigned, b.unsigned) {
            (true, true) => vec![vec![le]],
            (false, true) => vec![vec![nonneg_x, le]],
            (true, false) => vec![vec![nonneg_y, le], vec![neg_y]],
            (false, false) => vec![
                vec![nonneg_x.clone(), nonneg_y, le.clone()],
                vec![nonneg_x, neg_y.clone()],
                vec![neg_x, neg_y, le],
            ],
        })
    })
}

fn each_pair(id: ScevId, a: &Pw, b: &Pw, rows: impl Fn(&Poly, &Poly) -> Option<Vec<Conj>>) -> Result<Dnf, NonAffine> {
    let mut any = Vec::new();
    for x in &a.pieces {
        for y in &b.pieces {
            let conds = conjunction(&x.conds, &y.conds);
            for conj in rows(&x.value, &y.value).ok_or(NonAffine(id))? {
                let all = conjunction(&conds, &conj);
                if !is_plainly_false(&all) {
                    any.push(all);
                }
            }
        }
    }
    if any.len() > MAX_DISJUNCTS {
        return Err(NonAffine(id));
    }
    Ok(Dnf { any, checks: joined(&a.checks, &b.checks) })
}

#[cfg(test)]
mod tests {
    use super::super::polynomial::Sym;
    use super::*;
    use crate::ids::LoopId;

    /// Pieces of `max(lo, min(lo + 31, end))` as LLVM counts the iterations of a tile that begins below the end.
    #[test]
    fn what_ends_at_a_minimum_has_no_alternatives() {
        let (lo, end) = (Poly::sym(Sym::Param(0)), Poly::sym(Sym::Param(1)));
        let less = |a: &Poly, b: &Poly, by: i64| Cons::ge(b.sub(a).and_then(|d| d.plus(-by)).expect("small"));
        let last = lo.plus(31).expect("small");
        let pieces = [
            Piece { conds: vec![less(&last, &end, 0)], value: last.clone() },
            Piece { conds: vec![less(&end, &last, 1), less(&end, &lo, 0)], value: lo.clone() },
            Piece { conds: vec![less(&end, &last, 1), less(&lo, &end, 1)], value: end.clone() },
        ];
        let entered = vec![less(&lo, &end, 0)];
        assert_eq!(minimum_of(&pieces, std::slice::from_ref(&entered)), Some(vec![last.clone(), end.clone()]));
        assert_eq!(minimum_of(&pieces, &[Vec::new()]), None, "a tile behind the end");
        assert_eq!(minimum_of(&pieces, &[]), None, "never");
        let maximum = [
            Piece { conds: vec![less(&last, &end, 0)], value: end.clone() },
            Piece { conds: vec![less(&end, &last, 1)], value: last },
        ];
        assert_eq!(minimum_of(&maximum, &[entered]), None, "a maximum");
    }

    /// `n != 0` in front of loops over `0 <= i < n`: as signed numbers, `n` is at least 1 or at most -1.
    #[test]
    fn loops_of_unsigned_sizes_have_no_alternatives() {
        let entered = |k: u32| {
            let (n, dim) = (Poly::sym(Sym::Param(k)), Poly::sym(Sym::Dim(LoopId::new(k as usize))));
            let positive = vec![Cons::ge(n.plus(-1).expect("small"))];
            let negative = vec![Cons::ge(n.scale(-1).and_then(|n| n.plus(-1)).expect("small"))];
            let last = n.sub(&dim).and_then(|left| left.plus(-1)).expect("small");
            let loops = Dnf { any: vec![vec![Cons::ge(dim), Cons::ge(last)]], checks: Vec::new() };
            (Dnf { any: vec![positive, negative], checks: Vec::new() }, loops)
        };
        let mut all = Dnf::always();
        for (sizes, loops) in (0..7).map(entered) {
            all = all.and(&sizes).and_then(|all| all.and(&loops)).expect("few alternatives");
        }
        assert!(all.any.len() <= 8, "{} alternatives", all.any.len());
        assert!(is_false_around_dims(&conjunction(&entered(0).0.any[1], &entered(0).1.any[0])));
        assert!(!is_false_around_dims(&conjunction(&entered(0).0.any[0], &entered(0).1.any[0])));
        assert!(!is_false_around_dims(&conjunction(&entered(1).0.any[1], &entered(0).1.any[0])), "of another loop");
    }
}
