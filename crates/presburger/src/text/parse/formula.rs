//! Formulas as trees over numbered variables, and their disjunctive normal form.

use crate::budget::Budget;
use crate::num::Int;
use crate::program::simplex::Tab;
use crate::system::sys::Sys;
use crate::unions::subtract::subtract;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Var = usize;

/// `(sum coefficient * variable + constant) / den`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lin {
    pub terms: BTreeMap<Var, BigInt>,
    pub constant: BigInt,
    /// Above 1 and without a factor that all of the rest has; `None` is 1.
    pub den: Option<BigInt>,
}

impl Lin {
    pub fn var(v: Var) -> Lin {
        Lin { terms: BTreeMap::from([(v, BigInt::of(1))]), ..Lin::default() }
    }
    pub fn constant(c: BigInt) -> Lin {
        Lin { constant: c, ..Lin::default() }
    }
    pub fn scaled(&self, k: &BigInt) -> Lin {
        let terms = self.terms.iter().map(|(v, c)| (*v, c * k)).filter(|(_, c)| !Int::is_zero(c)).collect();
        Lin { terms, constant: &self.constant * k, den: self.den.clone() }.reduced()
    }
    /// Divided by `d > 0`.
    pub fn divided(&self, d: &BigInt) -> Lin {
        let den = self.den.as_ref().map_or_else(|| d.clone(), |own| own * d);
        Lin { den: Some(den), ..self.clone() }.reduced()
    }
    /// The numerator.
    pub fn whole(self) -> Lin {
        Lin { den: None, ..self }
    }
    fn reduced(mut self) -> Lin {
        if let Some(den) = self.den.take() {
            let g = self.terms.values().fold(Int::gcd(&den, &self.constant), |g, c| Int::gcd(&g, c));
            self.terms.values_mut().for_each(|c| *c /= &g);
            self.constant /= &g;
            self.den = Some(den / g).filter(|d| !Int::is_one(d));
        }
        self
    }
    pub fn plus(&self, o: &Lin) -> Lin {
        if self.den.is_none() && o.den.is_none() {
            return self.numerators(o);
        }
        let one = BigInt::of(1);
        let (a, b) = (self.den.as_ref().unwrap_or(&one), o.den.as_ref().unwrap_or(&one));
        let sum = self.clone().whole().scaled(b).numerators(&o.clone().whole().scaled(a));
        Lin { den: Some(a * b), ..sum }.reduced()
    }
    fn numerators(&self, o: &Lin) -> Lin {
        let mut l = self.clone();
        for (v, c) in &o.terms {
            *l.terms.entry(*v).or_default() += c;
        }
        l.terms.retain(|_, c| !Int::is_zero(c));
        l.constant += &o.constant;
        l
    }
    pub fn minus(&self, o: &Lin) -> Lin {
        self.plus(&o.scaled(&BigInt::of(-1)))
    }
    /// With `k` more in the numerator.
    pub fn shifted(&self, k: i64) -> Lin {
        let mut l = self.clone();
        l.constant += k;
        l
    }
    pub fn as_constant(&self) -> Option<&BigInt> {
        (self.terms.is_empty() && self.den.is_none()).then_some(&self.constant)
    }
}

/// A piecewise term: under each condition a form. The conditions exclude each other; where none of them holds there
/// is no value. A term without `min`, `max`, `? :` or `(e : condition)` has one piece; `NaN` has none.
#[derive(Clone, Debug)]
pub(super) struct Expr(pub Vec<(Formula, Lin)>);

impl From<Lin> for Expr {
    fn from(l: Lin) -> Expr {
        Expr(vec![(Formula::True, l)])
    }
}

impl Expr {
    /// The form of a term with one piece that holds everywhere.
    pub fn plain(&self) -> Option<&Lin> {
        match &self.0[..] {
            [(Formula::True, form)] => Some(form),
            _ => None,
        }
    }

    pub fn as_constant(&self) -> Option<&BigInt> {
        self.plain().and_then(Lin::as_constant)
    }

    pub fn map(self, mut f: impl FnMut(Lin) -> Lin) -> Expr {
        Expr(self.0.into_iter().map(|(c, l)| (c, f(l))).collect())
    }

    /// All combinations of pieces, each turned into the pieces `f` gives.
    pub fn with(&self, o: &Expr, f: impl Fn(&Lin, &Lin) -> Vec<(Formula, Lin)>) -> Expr {
        let mut out = Vec::new();
        for (c, x) in &self.0 {
            for (d, y) in &o.0 {
                out.extend(f(x, y).into_iter().map(|(e, l)| (c.clone().and(d).and(&e), l)));
            }
        }
        Expr(out)
    }

    pub fn plus(&self, o: &Expr) -> Expr {
        self.with(o, |x, y| vec![(Formula::True, x.plus(y))])
    }

    pub fn minus(&self, o: &Expr) -> Expr {
        self.with(o, |x, y| vec![(Formula::True, x.minus(y))])
    }

    pub fn scaled(self, k: &BigInt) -> Expr {
        self.map(|l| l.scaled(k))
    }

    /// The smaller of two terms.
    pub fn min(&self, o: &Expr) -> Expr {
        self.with(o, |x, y| {
            vec![(Formula::Ge(y.minus(x).whole()), x.clone()), (Formula::Ge(x.minus(y).whole().shifted(-1)), y.clone())]
        })
    }
}

#[derive(Clone, Debug)]
pub(super) enum Formula {
    True,
    False,
    Eq(Lin),
    Ge(Lin),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Exists(Vec<Var>, Box<Formula>),
}

impl Formula {
    /// Conjunction; with `True` the other.
    pub fn and(self, o: &Formula) -> Formula {
        match (self, o) {
            (Formula::True, o) => o.clone(),
            (f, Formula::True) => f,
            (f, o) => Formula::And(vec![f, o.clone()]),
        }
    }
}

impl Formula {
    /// Whether it says of some variables that no values of theirs do.
    pub fn denies_exists(&self, positive: bool) -> bool {
        match self {
            Formula::Exists(_, f) => !positive || f.denies_exists(true),
            Formula::Not(f) => f.denies_exists(!positive),
            Formula::And(list) | Formula::Or(list) => list.iter().any(|f| f.denies_exists(positive)),
            Formula::True | Formula::False | Formula::Eq(_) | Formula::Ge(_) => false,
        }
    }

    /// Appends the variables that it quantifies, at any depth.
    fn quantified(&self, vars: &mut Vec<Var>) {
        match self {
            Formula::Exists(own, f) => {
                vars.extend(own);
                f.quantified(vars);
            }
            Formula::Not(f) => f.quantified(vars),
            Formula::And(list) | Formula::Or(list) => list.iter().for_each(|f| f.quantified(vars)),
            Formula::True | Formula::False | Formula::Eq(_) | Formula::Ge(_) => {}
        }
    }
}

/// A floor introduced by an expression: `var = floor(num / den)`.
#[derive(Clone, Debug)]
pub(super) struct FloorVar {
    pub var: Var,
    pub num: Lin,
    pub den: BigInt,
}

/// One conjunction over all variables; `existential` lists the quantified ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjunct {
    pub eq: Vec<Lin>,
    pub ge: Vec<Lin>,
}

/// Turns a formula into conjunctions. `fresh` is the next unused variable number; variables that negation introduces
/// start there.
pub(super) struct Normalizer<'a> {
    pub floors: &'a [FloorVar],
    pub fresh: Var,
    /// Whether disjunctions are disjoint, and conjunctions without integer points left out.
    apart: bool,
    /// Most conjunctions of a product.
    most: usize,
}

impl<'a> Normalizer<'a> {
    pub fn new(floors: &'a [FloorVar], fresh: Var) -> Self {
        Self { floors, fresh, apart: false, most: MAX_CONJUNCTS }
    }

    /// The conjunctions of a formula of integers, as they stand where these are few.
    pub fn conjunctions(&mut self, f: &Formula) -> Result<Vec<Conjunct>, String> {
        let fresh = self.fresh;
        self.most = FEW_CONJUNCTS;
        self.dnf(f, true).or_else(|_| {
            (self.fresh, self.apart, self.most) = (fresh, true, MAX_CONJUNCTS);
            self.dnf(f, true)
        })
    }

    /// The conjunctions of a formula as it stands.
    pub fn dnf(&mut self, f: &Formula, positive: bool) -> Result<Vec<Conjunct>, String> {
        Ok(match (f, positive) {
            (Formula::True, true) | (Formula::False, false) => vec![Conjunct::default()],
            (Formula::False, true) | (Formula::True, false) => Vec::new(),
            (Formula::Eq(l), true) => vec![Conjunct { eq: vec![l.clone()], ge: Vec::new() }],
            (Formula::Ge(l), true) => vec![one_ge(l.clone())],
            (Formula::Eq(l), false) => vec![one_ge(l.shifted(-1)), one_ge(l.scaled(&BigInt::of(-1)).shifted(-1))],
            (Formula::Ge(l), false) => vec![one_ge(l.scaled(&BigInt::of(-1)).shifted(-1))],
            (Formula::Not(g), p) => self.dnf(g, !p)?,
            (Formula::And(list), true) | (Formula::Or(list), false) => {
                let mut out = vec![Conjunct::default()];
                for g in list {
                    let own = self.dnf(g, positive)?;
                    out = self.product(&out, &own)?;
                }
                out
            }
            (Formula::And(list), false) | (Formula::Or(list), true) if self.apart => self.one_by_one(list, positive)?,
            (Formula::Or(list), true) | (Formula::And(list), false) => {
                let mut out = Vec::new();
                for g in list {
                    out.extend(self.dnf(g, positive)?);
                }
                out
            }
            (Formula::Exists(_, g), true) => self.dnf(g, true)?,
            (Formula::Exists(vars, g), false) => self.negated_exists(vars, g)?,
        })
    }

    /// The disjunction of the parts, each without the ones before it.
    fn one_by_one(&mut self, list: &[Formula], positive: bool) -> Result<Vec<Conjunct>, String> {
        let (mut out, mut none) = (Vec::new(), vec![Conjunct::default()]);
        for g in list {
            let own = self.dnf(g, positive)?;
            out.extend(self.product(&none, &own)?);
            let other = self.dnf(g, !positive)?;
            none = self.product(&none, &other)?;
        }
        Ok(out)
    }

    /// The conjunctions of each of the ones with each of the others.
    fn product(&self, a: &[Conjunct], b: &[Conjunct]) -> Result<Vec<Conjunct>, String> {
        if a.len() > 1 && b.len() > 1 && a.len().saturating_mul(b.len()) > self.most {
            return Err("formula expands to too many conjunctions".to_string());
        }
        let mut out = Vec::with_capacity(a.len() * b.len());
        for x in a {
            for y in b {
                let mut z = x.clone();
                z.eq.extend(y.eq.iter().cloned());
                z.ge.extend(y.ge.iter().cloned());
                if !(self.apart && z.is_empty()) {
                    out.push(z);
                }
            }
        }
        Ok(out)
    }

    /// The complement of `exists vars: g`, by exact subtraction over all variables known so far.
    fn negated_exists(&mut self, vars: &[Var], g: &Formula) -> Result<Vec<Conjunct>, String> {
        let before = self.fresh;
        let list = self.dnf(g, true)?;
        let n = self.fresh;
        // Variables quantified and introduced further inside, and floors that depend on one, are quantified too.
        let mut inner: Vec<Var> = vars.iter().copied().chain(before..n).collect();
        g.quantified(&mut inner);
        for f in self.floors {
            if f.num.terms.keys().any(|v| inner.contains(v)) {
                inner.push(f.var);
            }
        }
        let outer: Vec<Var> = (0..n).filter(|v| !inner.contains(v)).collect();
        let order: Vec<Var> = outer.iter().chain(&inner).copied().collect();
        let pieces: Vec<Sys<BigInt>> = list.iter().map(|c| system(c, self.floors, &order, outer.len())).collect();
        let refs: Vec<&Sys<BigInt>> = pieces.iter().collect();
        let all = Sys::universe(outer.len(), 0);
        let rest = subtract(&[&all], &refs, &Budget::steps(NEGATION_STEPS))
            .map_err(|_| "negated formula is too large".to_string())?;
        let mut out = Vec::new();
        for s in rest {
            let names: Vec<Var> = outer.iter().copied().chain(self.fresh..self.fresh + s.e).collect();
            self.fresh += s.e;
            let lin = |r: &[BigInt]| Lin {
                terms: names.iter().zip(r).filter(|(_, c)| !Int::is_zero(*c)).map(|(v, c)| (*v, c.clone())).collect(),
                constant: r[names.len()].clone(),
                den: None,
            };
            out.push(Conjunct { eq: s.eq.rows().map(lin).collect(), ge: s.ge.rows().map(lin).collect() });
        }
        Ok(out)
    }
}

/// Budget for complements of quantified formulas while reading.
const NEGATION_STEPS: u64 = 10_000_000;
/// Budget for finding out that a conjunction is empty.
const EMPTINESS_STEPS: u64 = 10_000;
/// Conjunctions that a formula may expand to as it stands. More of them are made disjoint.
const FEW_CONJUNCTS: usize = 64;
/// Most conjunctions one formula may expand to.
const MAX_CONJUNCTS: usize = 100_000;

fn one_ge(l: Lin) -> Conjunct {
    Conjunct { eq: Vec::new(), ge: vec![l] }
}

impl Conjunct {
    /// Whether it has no rational points, whatever floors stand for.
    fn is_empty(&self) -> bool {
        let rows = || self.eq.iter().chain(&self.ge);
        let order: Vec<Var> =
            rows().flat_map(|l| l.terms.keys().copied()).collect::<BTreeSet<Var>>().into_iter().collect();
        let mut s = system(self, &[], &order, order.len());
        if !s.tidy() {
            return true;
        }
        let budget = Budget::steps(EMPTINESS_STEPS);
        match s.narrow() {
            Some(narrow) => Tab::new(&narrow, &budget).is_ok_and(|tab| tab.is_empty()),
            None => Tab::new(&s, &budget).is_ok_and(|tab| tab.is_empty()),
        }
    }
}

/// The conjunction as a system: the first `visible` variables of `order` are visible, the others existential. Floors
/// that its rows use (directly or through other floors) are defined.
pub(super) fn system(c: &Conjunct, floors: &[FloorVar], order: &[Var], visible: usize) -> Sys<BigInt> {
    let place: BTreeMap<Var, usize> = order.iter().enumerate().map(|(k, v)| (*v, k)).collect();
    let mut s = Sys::universe(visible, order.len() - visible);
    let row = |l: &Lin| -> Vec<BigInt> {
        let mut r = vec![BigInt::default(); order.len() + 1];
        for (v, c) in &l.terms {
            r[place[v]] = c.clone();
        }
        r[order.len()] = l.constant.clone();
        r
    };
    let mut used: Vec<Var> = c.eq.iter().chain(&c.ge).flat_map(|l| l.terms.keys().copied()).collect();
    let mut needed = Vec::new();
    for f in floors.iter().rev() {
        if used.contains(&f.var) {
            used.extend(f.num.terms.keys());
            needed.push(f);
        }
    }
    for f in needed.into_iter().rev() {
        let up = f.num.minus(&Lin::var(f.var).scaled(&f.den));
        let mut low = up.scaled(&BigInt::of(-1));
        low.constant += &f.den - 1;
        s.ge.push(&row(&up));
        s.ge.push(&row(&low));
    }
    for l in &c.eq {
        s.eq.push(&row(l));
    }
    for l in &c.ge {
        s.ge.push(&row(l));
    }
    s
}
