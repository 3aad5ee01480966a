//! Constraints on polynomials -> sets and maps; proofs that a bound holds on a domain.

use crate::error::{Failure, Limit};
use crate::ids::LoopId;
use crate::scop::affine::{Check, Conj, Cons};
use crate::scop::polynomial::{Floor, Poly, Sym};
use presburger::rows::tighten;
use presburger::{BasicMap, BasicSet, Budget, Kind, Map, Set, Space};
use std::collections::BTreeMap;

/// Columns and spaces shared by all sets of one SCoP.
pub struct Sets<'b> {
    /// Parameter names, by column.
    pub names: Vec<String>,
    /// Steps left.
    pub budget: &'b Budget,
    /// The floors, by number.
    pub floors: Vec<Floor>,
    facts: Conj,
    /// Parameter values for which some check fails, `{ : }`.
    pub invalid: Set,
    proved: BTreeMap<(Vec<Conj>, Poly), bool>,
}

impl<'b> Sets<'b> {
    /// For parameters of these names and these floors, with these steps to spend; `facts` are constraints on single
    /// parameters that always hold.
    #[must_use]
    pub fn new(names: Vec<String>, floors: Vec<Floor>, facts: Conj, budget: &'b Budget) -> Self {
        let invalid = Set::empty(params_space(&names));
        Self { names, budget, floors, facts, invalid, proved: BTreeMap::new() }
    }

    /// `{ : }` over the parameters.
    #[must_use]
    pub fn params_space(&self) -> Space {
        params_space(&self.names)
    }

    /// `{ tuple[dims] }`.
    #[must_use]
    pub fn space(&self, tuple: &str, dims: usize) -> Space {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        Space::set(&names, tuple, dims)
    }

    /// Row `[params | dims | floors used | 1]` of a polynomial of degree at most 1.
    fn row(&self, poly: &Poly, dims: &[LoopId], used: &[u32]) -> Option<Vec<i64>> {
        let (np, nd) = (self.names.len(), dims.len());
        let mut row = vec![0; np + nd + used.len() + 1];
        for (mono, c) in poly.terms() {
            let mut syms = mono.syms();
            let column = match syms.next() {
                None => np + nd + used.len(),
                Some(Sym::Param(k)) if (k as usize) < np => k as usize,
                Some(Sym::Param(_)) => return None,
                Some(Sym::Dim(lp)) => np + dims.iter().position(|d| *d == lp)?,
                Some(Sym::Floor(k)) => np + nd + used.iter().position(|u| *u == k)?,
            };
            if syms.next().is_some() {
                return None;
            }
            row[column] = *c;
        }
        Some(row)
    }

    /// Floors used by the polynomials, directly or by other floors; ascending.
    fn used<'p>(&self, polys: impl Iterator<Item = &'p Poly>) -> Vec<u32> {
        let mut used = Vec::new();
        let mut work: Vec<u32> = polys.flat_map(floors_of).collect();
        while let Some(k) = work.pop() {
            if !used.contains(&k) {
                used.push(k);
                work.extend(floors_of(&self.floors[k as usize].num));
            }
        }
        used.sort_unstable();
        used
    }

    /// Rows that tie the floors to what they are floors of.
    fn floor_rows(&self, dims: &[LoopId], used: &[u32]) -> Option<Vec<Vec<i64>>> {
        let mut rows = Vec::new();
        for (at, k) in used.iter().enumerate() {
            let floor = &self.floors[*k as usize];
            let mut low = self.row(&floor.num, dims, used)?;
            low[self.names.len() + dims.len() + at] -= floor.den;
            let mut high: Vec<i64> = low.iter().map(|c| -c).collect();
            *high.last_mut()? += floor.den - 1;
            rows.extend([low, high]);
        }
        Some(rows)
    }

    fn basic(&self, space: Space, conj: &[Cons], dims: &[LoopId]) -> Result<BasicSet, Failure> {
        let used = self.used(conj.iter().map(|c| &c.poly));
        let mut set = BasicSet::universe(space);
        for _ in &used {
            set.add_exists();
        }
        for row in self.floor_rows(dims, &used).ok_or_else(unrepresentable)? {
            set.add_full(Kind::Ge, &row);
        }
        for cons in conj {
            let mut row = self.row(&cons.poly, dims, &used).ok_or_else(unrepresentable)?;
            let kind = if cons.eq { Kind::Eq } else { Kind::Ge };
            if kind == Kind::Ge {
                // In lowest terms tableaus of it do not overflow. The constant stands last here, and first there.
                row.rotate_right(1);
                tighten(&mut row);
                row.rotate_left(1);
            }
            set.add_full(kind, &row);
        }
        Ok(set)
    }

    /// `{ : conj }` over the parameters alone.
    ///
    /// # Errors
    /// As [`Self::simple_set`].
    pub fn param_set(&self, conj: &[Cons]) -> Result<Set, Failure> {
        Ok(self.basic(self.params_space(), conj, &[])?.to_set())
    }

    /// `{ tuple[dims] : some conjunction holds }` without redundant constraints.
    ///
    /// # Errors
    /// `Limit`, also for variables that have no column.
    pub fn simple_set(&self, tuple: &str, any: &[Conj], dims: &[LoopId]) -> Result<Set, Failure> {
        let space = self.space(tuple, dims.len());
        let mut set = Set::empty(space.clone());
        for conj in any {
            let basic = self.basic(space.clone(), conj, dims)?.simplify(self.budget).map_err(Limit::of("model"))?;
            set = set.union(&basic.to_set());
        }
        if any.len() > 1 {
            set = set.simplify(self.budget).map_err(Limit::of("model"))?;
        }
        Ok(set)
    }

    /// `{ from[dims] -> to[subscripts] : conds }`; the last subscript runs over `width` consecutive values.
    ///
    /// # Errors
    /// As [`Self::simple_set`].
    pub fn map(
        &self,
        from: &str,
        dims: &[LoopId],
        to: &str,
        (conds, subscripts): &(Conj, Vec<Poly>),
        width: i64,
    ) -> Result<Map, Failure> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let used = self.used(subscripts.iter().chain(conds.iter().map(|c| &c.poly)));
        let (first_out, outs) = (names.len() + dims.len(), subscripts.len());
        let mut map = BasicMap::universe(Space::map(&names, from, dims.len(), to, outs));
        for _ in &used {
            map.add_exists();
        }
        let widen = |row: Vec<i64>| -> Vec<i64> {
            let mut wide = row[..first_out].to_vec();
            wide.extend(std::iter::repeat_n(0, outs));
            wide.extend_from_slice(&row[first_out..]);
            wide
        };
        for row in self.floor_rows(dims, &used).ok_or_else(unrepresentable)? {
            map.add_full(Kind::Ge, &widen(row));
        }
        for cons in conds {
            let row = widen(self.row(&cons.poly, dims, &used).ok_or_else(unrepresentable)?);
            map.add_full(if cons.eq { Kind::Eq } else { Kind::Ge }, &row);
        }
        for (k, subscript) in subscripts.iter().enumerate() {
            let mut low = widen(self.row(subscript, dims, &used).ok_or_else(unrepresentable)?);
            low.iter_mut().for_each(|c| *c = -*c);
            low[first_out + k] += 1;
            if width == 1 || k + 1 < outs {
                map.add_full(Kind::Eq, &low);
                continue;
            }
            let mut high: Vec<i64> = low.iter().map(|c| -c).collect();
            if let Some(constant) = high.last_mut() {
                *constant += width - 1;
            }
            map.add_full(Kind::Ge, &low);
            map.add_full(Kind::Ge, &high);
        }
        Ok(map.to_map())
    }

    /// `{ from[dims] -> to[subscripts] }` for all subscripts of an array with these inner sizes; the outermost one lies
    /// in `range`, if there is one.
    ///
    /// # Errors
    /// As [`Self::simple_set`].
    pub fn any_element(
        &self,
        (from, dims): (&str, &[LoopId]),
        to: &str,
        inner_sizes: &[Poly],
        range: Option<(i64, i64)>,
    ) -> Result<Map, Failure> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let (first_out, outs) = (names.len() + dims.len(), inner_sizes.len() + 1);
        let mut map = BasicMap::universe(Space::map(&names, from, dims.len(), to, outs));
        let mut bound = |k: usize, low: i64, high: &Poly| -> Option<()> {
            let constant = Poly::constant(low.checked_neg()?);
            for (poly, sign) in [(&constant, 1), (high, -1)] {
                let row = self.row(poly, dims, &[])?;
                let mut wide = row[..first_out].to_vec();
                wide.extend(std::iter::repeat_n(0, outs));
                wide.extend_from_slice(&row[first_out..]);
                wide[first_out + k] += sign;
                map.add_full(Kind::Ge, &wide);
            }
            Some(())
        };
        if let Some((low, high)) = range {
            bound(0, low, &Poly::constant(high)).ok_or_else(unrepresentable)?;
        }
        for (k, size) in inner_sizes.iter().enumerate() {
            let last = size.plus(-1).ok_or_else(unrepresentable)?;
            bound(k + 1, 0, &last).ok_or_else(unrepresentable)?;
        }
        Ok(map.to_map())
    }

    /// True if `poly >= 0` for all dims and parameters of the domain. Exact.
    ///
    /// # Errors
    /// `Limit`.
    pub fn holds(&mut self, any: &[Conj], dims: &[LoopId], poly: &Poly) -> Result<bool, Failure> {
        if any.iter().all(|conj| follows_plainly(conj, poly)) {
            return Ok(true);
        }
        let key = (any.to_vec(), poly.clone());
        if let Some(known) = self.proved.get(&key) {
            return Ok(*known);
        }
        let mut holds = true;
        for set in self.violations(any, dims, poly)? {
            holds &= set.is_empty(self.budget).map_err(Limit::of("model"))?;
        }
        self.proved.insert(key, holds);
        Ok(holds)
    }

    /// Where `poly >= 0` does not hold.
    fn violations(&self, any: &[Conj], dims: &[LoopId], poly: &Poly) -> Result<Vec<BasicSet>, Failure> {
        let negative = Cons::ge(poly.scale(-1).and_then(|p| p.plus(-1)).ok_or_else(unrepresentable)?);
        any.iter()
            .map(|conj| {
                let mut conj = conj.clone();
                conj.push(negative.clone());
                let mentioned: Vec<Sym> = conj.iter().flat_map(|c| c.poly.syms()).collect();
                conj.extend(self.facts.iter().filter(|f| f.poly.syms().all(|s| mentioned.contains(&s))).cloned());
                self.basic(self.space("", dims.len()), &conj, dims)
            })
            .collect()
    }

    /// Requires `poly >= 0` on the whole domain: parameter values for which it does not hold become invalid.
    ///
    /// # Errors
    /// `Limit`.
    pub fn require(&mut self, any: &[Conj], dims: &[LoopId], poly: &Poly) -> Result<(), Failure> {
        if self.holds(any, dims, poly)? {
            return Ok(());
        }
        let bad = self.failing(any, dims, poly)?;
        self.invalid = self.invalid.union(&bad);
        Ok(())
    }

    /// Parameter values for which the domain has an element, `{ : }`.
    ///
    /// # Errors
    /// `Limit`.
    pub fn inhabited(&self, any: &[Conj], dims: &[LoopId]) -> Result<Set, Failure> {
        self.failing(any, dims, &Poly::constant(-1))
    }

    /// Requires the domain to have no element.
    ///
    /// # Errors
    /// `Limit`.
    pub fn require_empty(&mut self, any: &[Conj], dims: &[LoopId]) -> Result<(), Failure> {
        self.require(any, dims, &Poly::constant(-1))
    }

    /// Parameter values for which `poly >= 0` fails somewhere in the domain, `{ : }`.
    ///
    /// # Errors
    /// `Limit`.
    pub fn failing(&self, any: &[Conj], dims: &[LoopId], poly: &Poly) -> Result<Set, Failure> {
        let mut bad = Set::empty(self.params_space());
        for set in self.violations(any, dims, poly)? {
            let params = set.to_set().params(self.budget).map_err(Limit::of("model"))?;
            bad = bad.union(&params);
        }
        Ok(bad)
    }

    /// Requires a check on the whole domain.
    ///
    /// # Errors
    /// `Limit`.
    pub fn require_check(&mut self, any: &[Conj], dims: &[LoopId], check: &Check) -> Result<(), Failure> {
        let any: Vec<Conj> = any.iter().map(|conj| [conj.as_slice(), &check.conds].concat()).collect();
        if let Some(low) = check.low {
            let above = low.checked_neg().and_then(|l| check.value.plus(l)).ok_or_else(unrepresentable)?;
            self.require(&any, dims, &above)?;
        }
        if let Some(high) = check.high {
            let below = check.value.scale(-1).and_then(|v| v.plus(high)).ok_or_else(unrepresentable)?;
            self.require(&any, dims, &below)?;
        }
        Ok(())
    }
}

fn params_space(names: &[String]) -> Space {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Space::params_only(&names)
}

fn floors_of(poly: &Poly) -> Vec<u32> {
    poly.syms().filter_map(|s| if let Sym::Floor(k) = s { Some(k) } else { None }).collect()
}

/// The failure for coefficients that overflow or variables without a column.
fn unrepresentable() -> Failure {
    Limit::overflow("model")
}

/// True if `poly >= 0` is a sum of at most two of the constraints and a constant that is not negative. Cheap, never
/// wrong.
fn follows_plainly(conj: &[Cons], poly: &Poly) -> bool {
    let enough = |rest: Option<Poly>| rest.and_then(|r| r.as_constant()).is_some_and(|c| c >= 0);
    if enough(Some(poly.clone())) {
        return true;
    }
    for (k, first) in conj.iter().enumerate() {
        let rest = poly.sub(&first.poly);
        if enough(rest.clone()) {
            return true;
        }
        let Some(rest) = rest else { continue };
        if rest.terms().len() <= poly.terms().len() + 1
            && conj[k + 1..].iter().any(|second| enough(rest.sub(&second.poly)))
        {
            return true;
        }
    }
    false
}
