//! Terms and comparisons.

use super::Parsed;
use super::build::{NAN, Reader};
use super::formula::{Expr, FloorVar, Formula, Lin};
use super::lexer::Tok;
use crate::num::Int;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Largest exponent of a number.
const MOST_POWER: i64 = 4096;

/// Words that are no factors.
const WORDS: [&str; 9] = ["and", "or", "not", "mod", "exists", "forall", "true", "false", "implies"];
/// What is called like a function.
const CALLS: [&str; 6] = ["floor", "ceil", "floord", "ceild", "min", "max"];

const RELATIONS: [&str; 11] = ["<<=", ">>=", "<=", ">=", "<<", ">>", "!=", "==", "=", "<", ">"];

impl Reader {
    fn relation(&mut self) -> Option<&'static str> {
        RELATIONS.into_iter().find(|op| self.eat(op))
    }

    /// `list op list op list ...`, each list `a, b, c` or a tuple for the lexicographic operators.
    pub fn comparison(&mut self) -> Parsed<Formula> {
        let mut left = self.operand()?;
        let mut out = Vec::new();
        while let Some(op) = self.relation() {
            let right = self.operand()?;
            if matches!(op, "<<" | "<<=" | ">>" | ">>=") {
                if left.len() != right.len() {
                    return Err(self.error("tuples of different sizes compared"));
                }
                let (a, b) = if op.starts_with('<') { (&left, &right) } else { (&right, &left) };
                out.push(lexicographic(a, b, op.ends_with('=')));
            } else {
                for a in &left {
                    for b in &right {
                        out.push(compare(a, op, b));
                    }
                }
            }
            left = right;
        }
        if out.is_empty() {
            return Err(self.error("expected a comparison"));
        }
        Ok(if out.len() == 1 { out.remove(0) } else { Formula::And(out) })
    }

    fn operand(&mut self) -> Parsed<Vec<Expr>> {
        if self.peek_sym("[") && !self.division_bracket() {
            self.pos += 1;
            let list = self.expr_list()?;
            self.expect("]")?;
            return Ok(list);
        }
        self.expr_list()
    }

    /// Whether `[` starts `[e/d]`, an integer division, and not a tuple.
    fn division_bracket(&self) -> bool {
        let (mut depth, mut k) = (0_usize, 0);
        loop {
            match self.ahead(k) {
                Tok::Sym("[" | "(") => depth += 1,
                Tok::Sym("]" | ")") if depth == 1 => return false,
                Tok::Sym("]" | ")") => depth -= 1,
                Tok::Sym("/") if depth == 1 => return true,
                Tok::End => return false,
                _ => {}
            }
            k += 1;
        }
    }

    fn expr_list(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.eat(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    /// A term, or `a op b ? term : term`.
    pub fn choice(&mut self) -> Parsed<Expr> {
        let first = self.expr()?;
        let mark = self.pos;
        let Some(op) = self.relation() else { return Ok(first) };
        let condition = match self.expr() {
            Ok(e) if self.eat("?") => compare(&first, op, &e),
            _ => {
                self.pos = mark;
                return Ok(first);
            }
        };
        let yes = self.choice()?;
        self.expect(":")?;
        let no = self.choice()?;
        let otherwise = Formula::Not(Box::new(condition.clone()));
        let under = |c: &Formula, e: Expr| e.0.into_iter().map(|(d, l)| (c.clone().and(&d), l)).collect::<Vec<_>>();
        Ok(Expr([under(&condition, yes), under(&otherwise, no)].concat()))
    }

    /// Terms joined by `+` and `-`. As in isl, a minus in front of a number that does not follow a term belongs to the
    /// number: `-7 mod 4` is 1, `-a mod 4` is `-(a mod 4)`.
    pub fn expr(&mut self) -> Parsed<Expr> {
        let mut acc = self.term()?;
        loop {
            if self.eat("+") {
                acc = acc.plus(&self.term()?);
            } else if self.eat("-") {
                acc = acc.minus(&self.term()?);
            } else {
                return Ok(acc);
            }
        }
    }

    fn term(&mut self) -> Parsed<Expr> {
        let minus = BigInt::of(if self.minus_signs() { -1 } else { 1 });
        match self.number()? {
            Some(v) => self.product_of_number(v * minus),
            None => Ok(self.product()?.scaled(&minus)),
        }
    }

    /// Whether the minus signs that come next change the sign.
    fn minus_signs(&mut self) -> bool {
        let mut negative = false;
        while self.eat("-") {
            negative = !negative;
        }
        negative
    }

    /// The number that comes next, if one does, with its exponent.
    fn number(&mut self) -> Parsed<Option<BigInt>> {
        let Tok::Num(base) = self.peek().clone() else { return Ok(None) };
        self.pos += 1;
        if !self.eat("^") {
            return Ok(Some(base));
        }
        match self.peek() {
            Tok::Num(v) if *v <= BigInt::of(MOST_POWER) => {
                let power = v.to_u32().unwrap_or(0);
                self.pos += 1;
                Ok(Some(base.pow(power)))
            }
            _ => Err(self.error("expected a small exponent")),
        }
    }

    /// Factors joined by `*`, juxtaposition, `mod`, `%`, `//`, and `/` by a number, which leaves a fraction; from left
    /// to right, except that a number in front multiplies the next factor with its division: as in isl, `2a mod 4` is
    /// `2 * (a mod 4)`.
    fn product(&mut self) -> Parsed<Expr> {
        match self.number()? {
            Some(v) => self.product_of_number(v),
            None => {
                let first = self.factor()?;
                self.product_from(first)
            }
        }
    }

    fn product_of_number(&mut self, v: BigInt) -> Parsed<Expr> {
        let times = self.eat("*");
        let v = if times && self.minus_signs() { -v } else { v };
        if times && let Some(w) = self.number()? {
            let rest = self.product_of_number(w)?.scaled(&v);
            return self.product_from(rest);
        }
        if !times && !self.factor_ahead() {
            return self.product_from(Expr::from(Lin::constant(v)));
        }
        // As in isl, the number multiplies what follows with one division: `2a//3 mod 4` is `(2 (a//3)) mod 4`.
        let first = self.factor()?;
        let divided = self.divided(first.clone())?.unwrap_or(first);
        self.product_from(divided.scaled(&v))
    }

    /// The term behind the `mod`, `%`, `/` or `//` that comes next, if one does.
    fn divided(&mut self, e: Expr) -> Parsed<Option<Expr>> {
        Ok(Some(if self.eat_word("mod") || self.eat("%") {
            let d = self.divisor()?;
            e.map(|l| {
                let q = self.floor(l.clone(), d.clone());
                l.minus(&q.scaled(&d))
            })
        } else if self.eat("/") {
            let d = self.divisor()?;
            e.map(|l| l.divided(&d))
        } else if self.eat("//") {
            let d = self.divisor()?;
            e.map(|l| self.floor(l, d.clone()))
        } else {
            return Ok(None);
        }))
    }

    fn product_from(&mut self, first: Expr) -> Parsed<Expr> {
        let mut acc = first;
        loop {
            if let Some(e) = self.divided(acc.clone())? {
                acc = e;
            } else if self.eat("*") || (self.factor_ahead() && acc.as_constant().is_some()) {
                let f = self.factor()?;
                acc = self.times(acc, f)?;
            } else {
                return Ok(acc);
            }
        }
    }

    fn factor_ahead(&self) -> bool {
        match self.peek() {
            Tok::Name(n) => !WORDS.iter().any(|w| self.is_word(n, w)),
            Tok::Sym(s) => *s == "(" || (*s == "[" && self.division_bracket()),
            _ => false,
        }
    }

    fn times(&self, a: Expr, b: Expr) -> Parsed<Expr> {
        let number = |e: &Expr| e.plain().filter(|l| l.terms.is_empty()).cloned();
        let by =
            |e: Expr, k: &Lin| e.map(|l| k.den.iter().fold(l.scaled(&k.constant), |product, den| product.divided(den)));
        match (number(&a), number(&b)) {
            (Some(k), _) => Ok(by(b, &k)),
            (_, Some(k)) => Ok(by(a, &k)),
            _ => Err(self.error("product of two variables is not affine")),
        }
    }

    pub fn divisor(&mut self) -> Parsed<BigInt> {
        let at = self.pos;
        match self.number()? {
            Some(v) if Int::is_pos(&v) => Ok(v),
            _ => Err(self.error_at(at, "expected a positive integer divisor")),
        }
    }

    fn factor(&mut self) -> Parsed<Expr> {
        self.nested(Self::factor_inside)
    }

    fn factor_inside(&mut self) -> Parsed<Expr> {
        match self.peek().clone() {
            Tok::Num(v) => Ok(Expr::from(Lin::constant(self.number()?.unwrap_or(v)))),
            Tok::Sym("-") => {
                self.pos += 1;
                Ok(self.factor()?.scaled(&BigInt::of(-1)))
            }
            Tok::Sym("(") => {
                self.pos += 1;
                let e = self.choice()?;
                let e = if self.peek_sym(":") { self.pieces(e)? } else { e };
                self.expect(")")?;
                Ok(e)
            }
            Tok::Sym("[") if self.division_bracket() => {
                self.pos += 1;
                let e = self.expr()?;
                self.expect("]")?;
                Ok(e.map(|l| self.floor(l, BigInt::of(1))))
            }
            Tok::Name(n) if self.call(&n).is_some() => {
                let word = self.call(&n).unwrap_or_default();
                self.pos += 2;
                if word == "min" || word == "max" { self.extreme(word == "max") } else { self.division_call(word) }
            }
            Tok::Name(n) => match self.scope.iter().rev().find(|s| s.0 == n) {
                Some((_, v)) => {
                    let v = *v;
                    self.pos += 1;
                    Ok(Expr::from(Lin::var(v)))
                }
                None if n.eq_ignore_ascii_case(NAN) => {
                    self.pos += 1;
                    Ok(Expr(Vec::new()))
                }
                None => Err(self.error(format!("unknown name '{n}'"))),
            },
            _ => Err(self.error("expected a term")),
        }
    }

    /// `e : condition; e : condition; ...` after the first `e`: one value in each part, none elsewhere.
    pub fn pieces(&mut self, first: Expr) -> Parsed<Expr> {
        let (mut out, mut value) = (Vec::new(), first);
        loop {
            let condition = if self.eat(":") { self.formula()? } else { Formula::True };
            out.extend(value.0.into_iter().map(|(d, l)| (condition.clone().and(&d), l)));
            if !self.eat(";") {
                return Ok(Expr(out));
            }
            value = self.choice()?;
        }
    }

    /// The function that is called `name`, where a bracket follows.
    fn call(&self, name: &str) -> Option<&'static str> {
        CALLS.into_iter().find(|w| self.is_word(name, w)).filter(|_| matches!(self.ahead(1), Tok::Sym("(")))
    }

    /// `a, b, ...)` after `min(` or `max(`.
    fn extreme(&mut self, largest: bool) -> Parsed<Expr> {
        let minus = |e: Expr| if largest { e.scaled(&BigInt::of(-1)) } else { e };
        let mut best = minus(self.choice()?);
        while self.eat(",") {
            best = best.min(&minus(self.choice()?));
        }
        self.expect(")")?;
        Ok(minus(best))
    }

    /// `e)` or `e, d)` after `floor(`, `ceil(`, `floord(`, `ceild(`.
    fn division_call(&mut self, name: &str) -> Parsed<Expr> {
        let e = self.choice()?;
        let d = if name.ends_with('d') {
            self.expect(",")?;
            self.divisor()?
        } else {
            BigInt::of(1)
        };
        self.expect(")")?;
        if !name.starts_with("ceil") {
            return Ok(e.map(|l| self.floor(l, d.clone())));
        }
        Ok(e.map(|l| {
            let den = l.den.as_ref().map_or_else(|| d.clone(), |own| own * &d);
            let mut up = l.whole();
            up.constant += &den - 1;
            self.floor(up, den)
        }))
    }

    /// The integer part of `num / den`.
    pub fn floor(&mut self, mut num: Lin, mut den: BigInt) -> Lin {
        if let Some(own) = num.den.take() {
            den *= own;
        }
        if Int::is_one(&den) {
            return num;
        }
        if let Some(c) = num.as_constant() {
            return Lin::constant(c.fdiv(&den));
        }
        if let Some(f) = self.floors.iter().find(|f| f.num == num && f.den == den) {
            return Lin::var(f.var);
        }
        let var = self.n_vars;
        self.n_vars += 1;
        self.floors.push(FloorVar { var, num, den });
        Lin::var(var)
    }
}

fn compare_forms(a: &Lin, op: &str, b: &Lin) -> Formula {
    let gap = |from: &Lin, to: &Lin| to.minus(from).whole();
    match op {
        "<=" => Formula::Ge(gap(a, b)),
        "<" => Formula::Ge(gap(a, b).shifted(-1)),
        ">=" => Formula::Ge(gap(b, a)),
        ">" => Formula::Ge(gap(b, a).shifted(-1)),
        "!=" => Formula::Not(Box::new(Formula::Eq(gap(b, a)))),
        _ => Formula::Eq(gap(b, a)),
    }
}

/// `a op b` for some choice of their pieces.
pub(super) fn compare(a: &Expr, op: &str, b: &Expr) -> Formula {
    if let (Some(a), Some(b)) = (a.plain(), b.plain()) {
        return compare_forms(a, op, b);
    }
    let both = a.0.iter().flat_map(|x| b.0.iter().map(move |y| (x, y)));
    Formula::Or(both.map(|((c, x), (d, y))| c.clone().and(d).and(&compare_forms(x, op, y))).collect())
}

fn lexicographic(a: &[Expr], b: &[Expr], or_equal: bool) -> Formula {
    let mut out = Vec::new();
    for k in 0..a.len() + usize::from(or_equal) {
        let mut conj: Vec<Formula> = (0..k.min(a.len())).map(|j| compare(&a[j], "=", &b[j])).collect();
        if k < a.len() {
            conj.push(compare(&a[k], "<", &b[k]));
        }
        out.push(Formula::And(conj));
    }
    Formula::Or(out)
}
