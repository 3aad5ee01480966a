//! The vertices of a rational polyhedron as affine functions of the parameters, each on the part of the parameters
//! where it is one.
//! Source: Loechner, Wilde, Parameterized Polyhedra and Their Vertices, Int. J. Parallel Programming 25(6), 1997.

use crate::budget::Budget;
use crate::count::cones;
use crate::num::Res;
use crate::system::elim;
use crate::system::sys::Sys;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// A vertex.
#[derive(Clone)]
pub(crate) struct Corner {
    /// Per column, over `[parameters | 1]`.
    pub at: Vec<Vec<BigRational>>,
    /// Where it is one.
    pub domain: Sys<BigInt>,
}

/// The vertices of `s`, which has no existentials, over its first `keep` columns; those on parts of the parameters
/// with fewer dims than others are left out, since there they meet others.
pub(crate) fn vertices(s: &Sys<BigInt>, keep: usize, bud: &Budget) -> Res<Vec<Corner>> {
    let Some(s) = elim::simplify(s, bud)? else { return Ok(Vec::new()) };
    let about_columns = |r: &&[BigInt]| r[keep..s.n].iter().any(|x| !x.is_zero());
    let own = |r: &[BigInt]| r[..keep].iter().chain([&r[s.n]]).cloned().collect::<Vec<_>>();
    let mut base = Sys::universe(keep, 0);
    s.eq.rows().filter(|r| !about_columns(r)).for_each(|r| base.eq.push(&own(r)));
    s.ge.rows().filter(|r| !about_columns(r)).for_each(|r| base.ge.push(&own(r)));
    let fixed: Vec<&[BigInt]> = s.eq.rows().filter(about_columns).collect();
    let rows: Vec<&[BigInt]> = s.ge.rows().filter(about_columns).collect();
    let mut search = Search { keep, rows, base, found: Vec::new() };
    let need = s.n - keep - fixed.len();
    search.choose(0, need, &mut fixed.clone(), bud)?;
    Ok(search.found)
}

struct Search<'s> {
    keep: usize,
    rows: Vec<&'s [BigInt]>,
    base: Sys<BigInt>,
    found: Vec<Corner>,
}

impl<'s> Search<'s> {
    /// Adds `need` of the rows from `first` on to the chosen ones in each way.
    fn choose(&mut self, first: usize, need: usize, chosen: &mut Vec<&'s [BigInt]>, bud: &Budget) -> Res<()> {
        if need == 0 {
            return self.meet(chosen, bud);
        }
        for k in first..self.rows.len() {
            chosen.push(self.rows[k]);
            self.choose(k + 1, need - 1, chosen, bud)?;
            chosen.pop();
        }
        Ok(())
    }

    /// Notes the point where the chosen rows meet, if the others hold there for some parameters.
    fn meet(&mut self, chosen: &[&[BigInt]], bud: &Budget) -> Res<()> {
        let (keep, d) = (self.keep, chosen.len());
        bud.step(d * d + self.rows.len())?;
        let normals: Vec<Vec<BigInt>> = chosen.iter().map(|r| r[keep..keep + d].to_vec()).collect();
        let Some(inverse) = cones::inverse(&normals) else { return Ok(()) };
        let constant = |c: usize| if c < keep { c } else { keep + d };
        let entry = |row: &[BigRational], c: usize| {
            row.iter().zip(chosen).fold(BigRational::zero(), |sum, (a, r)| sum - a * &r[constant(c)])
        };
        let at: Vec<Vec<BigRational>> = inverse.iter().map(|r| (0..=keep).map(|c| entry(r, c)).collect()).collect();
        if self.found.iter().any(|v| v.at == at) {
            return Ok(());
        }
        let mut domain = self.base.clone();
        for r in &self.rows {
            let value = |c: usize| {
                let own = BigRational::from_integer(r[constant(c)].clone());
                at.iter().zip(&r[keep..keep + d]).fold(own, |sum, (v, a)| sum + &v[c] * a)
            };
            let row = cones::cleared(&(0..=keep).map(value).collect::<Vec<_>>());
            if row[..keep].iter().any(|x| !x.is_zero()) {
                domain.ge.push(&row);
            } else if row[keep].is_negative() {
                return Ok(());
            }
        }
        let (equalities, part) = (self.base.eq.len(), elim::simplify(&domain, bud)?);
        if let Some(domain) = part.filter(|s| s.eq.len() == equalities) {
            self.found.push(Corner { at, domain });
        }
        Ok(())
    }
}
