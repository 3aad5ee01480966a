//! Recursive descent over the tokens; builds tuples, formulas and finally sets and maps.

use super::formula::{Conjunct, FloorVar, Formula, Lin, Normalizer, Var, system};
use super::lexer::{Tok, Token, tokens};
use super::{ParseError, Parsed};
use crate::body::{Body, IntoBody};
use crate::budget::Budget;
use crate::elim;
use crate::map::Map;
use crate::num::Int;
use crate::set::Set;
use crate::space::{Space, Tuple};
use crate::sys::Sys;
use crate::union::Parts;
use num_bigint::BigInt;
use std::sync::Arc;

/// One `tuple -> tuple : formula` part.
pub(super) struct Disjunct {
    input: Option<Tuple>,
    output: Tuple,
    at: usize,
    formula: Formula,
    floors: Vec<FloorVar>,
    /// Variables of the dims, input first.
    dims: Vec<Var>,
    n_vars: Var,
}

pub(super) struct Reader {
    toks: Vec<Token>,
    pos: usize,
    params: Vec<String>,
    /// Names in scope, innermost last.
    scope: Vec<(String, Var)>,
    floors: Vec<FloorVar>,
    n_vars: Var,
}

impl Reader {
    pub fn new(text: &str) -> Parsed<Reader> {
        let mut r = Reader {
            toks: tokens(text)?,
            pos: 0,
            params: Vec::new(),
            scope: Vec::new(),
            floors: Vec::new(),
            n_vars: 0,
        };
        if r.peek() == &Tok::Sym("[") {
            r.pos += 1;
            while !r.eat("]") {
                let name = r.name()?;
                r.params.push(name);
                if !r.eat(",") {
                    r.expect("]")?;
                    break;
                }
            }
            r.expect("->")?;
        }
        Ok(r)
    }

    fn peek(&self) -> &Tok {
        &self.toks[self.pos].tok
    }

    fn peek_sym(&self, s: &str) -> bool {
        matches!(self.peek(), Tok::Sym(t) if *t == s)
    }

    fn peek_word(&self, w: &str) -> bool {
        matches!(self.peek(), Tok::Name(n) if n == w)
    }

    fn eat(&mut self, s: &str) -> bool {
        let hit = self.peek_sym(s);
        self.pos += usize::from(hit);
        hit
    }

    fn eat_word(&mut self, w: &str) -> bool {
        let hit = self.peek_word(w);
        self.pos += usize::from(hit);
        hit
    }

    pub fn error(&self, message: impl Into<String>) -> ParseError {
        let t = &self.toks[self.pos];
        ParseError { line: t.line, column: t.column, message: message.into() }
    }

    fn expect(&mut self, s: &str) -> Parsed<()> {
        if self.eat(s) { Ok(()) } else { Err(self.error(format!("expected '{s}'"))) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Tok::Name(n) => {
                self.pos += 1;
                Ok(n)
            }
            _ => Err(self.error("expected a name")),
        }
    }

    pub fn param_names(&self) -> Vec<&str> {
        self.params.iter().map(String::as_str).collect()
    }

    pub fn params_space(&self) -> Space {
        Space::params_only(&self.param_names())
    }

    /// All parts between the braces.
    pub fn disjuncts(&mut self) -> Parsed<Vec<Disjunct>> {
        self.expect("{")?;
        let mut out = Vec::new();
        while !self.peek_sym("}") {
            out.push(self.disjunct()?);
            if !self.eat(";") {
                break;
            }
        }
        self.expect("}")?;
        if self.peek() != &Tok::End {
            return Err(self.error("text after the closing '}'"));
        }
        Ok(out)
    }

    /// Errors unless all parts have the same tuples.
    pub fn one_space(&mut self, parts: &[Disjunct]) -> Parsed<()> {
        for p in parts.iter().skip(1) {
            let same = p.output.matches(&parts[0].output)
                && match (&p.input, &parts[0].input) {
                    (None, None) => true,
                    (Some(a), Some(b)) => a.matches(b),
                    _ => false,
                };
            if !same {
                self.pos = p.at;
                return Err(self.error("tuples differ: read this as a union set or map"));
            }
        }
        Ok(())
    }

    fn disjunct(&mut self) -> Parsed<Disjunct> {
        let at = self.pos;
        self.scope = self.params.iter().cloned().enumerate().map(|(k, p)| (p, k)).collect();
        self.floors = Vec::new();
        self.n_vars = self.params.len();
        let (mut conditions, mut dims) = (Vec::new(), Vec::new());
        let (mut input, mut output) = (None, Tuple::new("", 0));
        if !self.peek_sym(":") {
            output = self.tuple(&mut dims, &mut conditions)?;
            if self.eat("->") {
                input = Some(output);
                output = self.tuple(&mut dims, &mut conditions)?;
            }
        }
        if self.eat(":") && !self.peek_sym("}") && !self.peek_sym(";") {
            conditions.push(self.formula()?);
        }
        let floors = std::mem::take(&mut self.floors);
        Ok(Disjunct { input, output, at, formula: Formula::And(conditions), floors, dims, n_vars: self.n_vars })
    }

    /// `Name[entry, ...]` or a wrapped pair `Name[A[..] -> B[..]]`. The dims' variables are appended to `vars`.
    fn tuple(&mut self, vars: &mut Vec<Var>, conditions: &mut Vec<Formula>) -> Parsed<Tuple> {
        let name = match self.peek().clone() {
            Tok::Name(n) => {
                self.pos += 1;
                Some(Arc::from(n.as_str()))
            }
            _ => None,
        };
        self.expect("[")?;
        let mut dims = Vec::new();
        if self.nested_ahead() {
            let a = self.tuple(vars, conditions)?;
            self.expect("->")?;
            let b = self.tuple(vars, conditions)?;
            self.expect("]")?;
            return Ok(Tuple { name, ..Tuple::pair(&a, &b) });
        }
        while !self.eat("]") {
            let var = self.n_vars;
            self.n_vars += 1;
            vars.push(var);
            dims.push(self.tuple_entry(var, conditions)?);
            if !self.eat(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(Tuple { name, dims, nested: None })
    }

    /// Whether the tuple that starts here holds a map.
    fn nested_ahead(&self) -> bool {
        let (mut depth, mut k) = (0_usize, self.pos);
        loop {
            match &self.toks[k].tok {
                Tok::Sym("[" | "(") => depth += 1,
                Tok::Sym("]" | ")") if depth == 0 => return false,
                Tok::Sym("]" | ")") => depth -= 1,
                Tok::Sym("->") if depth == 0 => return true,
                Tok::End => return false,
                _ => {}
            }
            k += 1;
        }
    }

    fn tuple_entry(&mut self, var: Var, conditions: &mut Vec<Formula>) -> Parsed<Option<Arc<str>>> {
        if self.eat("*") {
            return Ok(None);
        }
        if let Tok::Name(n) = self.peek().clone() {
            let known = self.scope.iter().any(|s| s.0 == n);
            let after = &self.toks[self.pos + 1].tok;
            if !known && matches!(after, Tok::Sym("," | "]" | "=")) {
                self.pos += 1;
                if self.eat("=") {
                    let e = self.expr()?;
                    conditions.push(Formula::Eq(Lin::var(var).minus(&e)));
                }
                self.scope.push((n.clone(), var));
                return Ok((n != "_").then(|| Arc::from(n.as_str())));
            }
        }
        let e = self.expr()?;
        conditions.push(Formula::Eq(Lin::var(var).minus(&e)));
        Ok(None)
    }

    fn formula(&mut self) -> Parsed<Formula> {
        let mut list = vec![self.conjunction()?];
        while self.eat_word("or") || self.eat("||") || self.eat("\u{2228}") {
            list.push(self.conjunction()?);
        }
        let left = if list.len() == 1 { list.remove(0) } else { Formula::Or(list) };
        if self.eat("=>") || self.eat_word("implies") {
            let right = self.formula()?;
            return Ok(Formula::Or(vec![Formula::Not(Box::new(left)), right]));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let mut list = vec![self.atom()?];
        while self.eat_word("and") || self.eat("&&") || self.eat("\u{2227}") {
            list.push(self.atom()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Formula::And(list) })
    }

    fn atom(&mut self) -> Parsed<Formula> {
        if self.eat_word("not") || self.eat("!") || self.eat("\u{00AC}") {
            return Ok(Formula::Not(Box::new(self.atom()?)));
        }
        if self.eat_word("exists") {
            return self.exists();
        }
        if self.eat_word("true") {
            return Ok(Formula::True);
        }
        if self.eat_word("false") {
            return Ok(Formula::False);
        }
        if self.peek_sym("(") {
            // Either a bracketed formula or a comparison that starts with a bracketed term.
            let (mark, scope, vars, floors) = (self.pos, self.scope.len(), self.n_vars, self.floors.len());
            match self.comparison() {
                Ok(f) => return Ok(f),
                Err(first) => {
                    let furthest = self.pos;
                    self.pos = mark + 1;
                    self.scope.truncate(scope);
                    self.n_vars = vars;
                    self.floors.truncate(floors);
                    return match self.formula().and_then(|f| self.expect(")").map(|()| f)) {
                        Ok(f) => Ok(f),
                        Err(second) => Err(if furthest > self.pos { first } else { second }),
                    };
                }
            }
        }
        self.comparison()
    }

    /// After `exists`: `e, f = expr: formula`, bracketed or not.
    fn exists(&mut self) -> Parsed<Formula> {
        let bracket = self.eat("(");
        let depth = self.scope.len();
        let (mut vars, mut list) = (Vec::new(), Vec::new());
        loop {
            let n = self.name()?;
            let v = self.n_vars;
            self.n_vars += 1;
            vars.push(v);
            if self.eat("=") {
                let e = self.expr()?;
                list.push(Formula::Eq(Lin::var(v).minus(&e)));
            }
            self.scope.push((n, v));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(":")?;
        list.push(self.formula()?);
        if bracket {
            self.expect(")")?;
        }
        self.scope.truncate(depth);
        Ok(Formula::Exists(vars, Box::new(Formula::And(list))))
    }

    fn relation(&mut self) -> Option<&'static str> {
        ["<<=", ">>=", "<=", ">=", "<<", ">>", "!=", "==", "=", "<", ">"].into_iter().find(|op| self.eat(op))
    }

    /// `list op list op list ...`, each list `a, b, c` or a tuple for the lexicographic operators.
    fn comparison(&mut self) -> Parsed<Formula> {
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

    fn operand(&mut self) -> Parsed<Vec<Lin>> {
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
        let (mut depth, mut k) = (0_usize, self.pos);
        loop {
            match &self.toks[k].tok {
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

    fn expr_list(&mut self) -> Parsed<Vec<Lin>> {
        let mut list = vec![self.expr()?];
        while self.eat(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn expr(&mut self) -> Parsed<Lin> {
        let mut acc = if self.eat("-") { self.product()?.scaled(&BigInt::of(-1)) } else { self.product()? };
        loop {
            if self.eat("+") {
                acc = acc.plus(&self.product()?);
            } else if self.eat("-") {
                acc = acc.minus(&self.product()?);
            } else {
                return Ok(acc);
            }
        }
    }

    /// Factors joined by `*`, juxtaposition, `mod`, `%` and `//`.
    fn product(&mut self) -> Parsed<Lin> {
        let mut acc = self.factor()?;
        loop {
            if self.eat("*") {
                let f = self.factor()?;
                acc = self.times(&acc, &f)?;
            } else if self.eat_word("mod") || self.eat("%") {
                let d = self.divisor()?;
                let q = self.floor(acc.clone(), d.clone())?;
                acc = acc.minus(&q.scaled(&d));
            } else if self.eat("//") {
                let d = self.divisor()?;
                acc = self.floor(acc, d)?;
            } else if self.factor_ahead() && acc.as_constant().is_some() {
                let f = self.factor()?;
                acc = self.times(&acc, &f)?;
            } else {
                return Ok(acc);
            }
        }
    }

    fn factor_ahead(&self) -> bool {
        match self.peek() {
            Tok::Name(n) => !["and", "or", "not", "mod", "exists", "true", "false", "implies"].contains(&n.as_str()),
            Tok::Sym(s) => *s == "(" || (*s == "[" && self.division_bracket()),
            _ => false,
        }
    }

    fn times(&self, a: &Lin, b: &Lin) -> Parsed<Lin> {
        match (a.as_constant(), b.as_constant()) {
            (Some(k), _) => Ok(b.scaled(k)),
            (_, Some(k)) => Ok(a.scaled(k)),
            _ => Err(self.error("product of two variables is not affine")),
        }
    }

    fn divisor(&mut self) -> Parsed<BigInt> {
        let negative = self.eat("-");
        match self.peek().clone() {
            Tok::Num(v) if !negative && Int::is_pos(&v) => {
                self.pos += 1;
                Ok(v)
            }
            _ => Err(self.error("expected a positive integer divisor")),
        }
    }

    fn factor(&mut self) -> Parsed<Lin> {
        match self.peek().clone() {
            Tok::Num(v) => {
                self.pos += 1;
                Ok(Lin::constant(v))
            }
            Tok::Sym("-") => {
                self.pos += 1;
                Ok(self.factor()?.scaled(&BigInt::of(-1)))
            }
            Tok::Sym("(") => {
                self.pos += 1;
                let e = self.expr()?;
                self.expect(")")?;
                Ok(e)
            }
            Tok::Sym("[") if self.division_bracket() => {
                self.pos += 1;
                let e = self.expr()?;
                self.expect("/")?;
                let d = self.divisor()?;
                self.expect("]")?;
                self.floor(e, d)
            }
            Tok::Name(n) if ["floor", "ceil", "floord", "ceild"].contains(&n.as_str()) => {
                self.pos += 1;
                self.division_call(&n)
            }
            Tok::Name(n) => match self.scope.iter().rev().find(|s| s.0 == n) {
                Some((_, v)) => {
                    let v = *v;
                    self.pos += 1;
                    Ok(Lin::var(v))
                }
                None => Err(self.error(format!("unknown name '{n}'"))),
            },
            _ => Err(self.error("expected a term")),
        }
    }

    /// `floor(e/d)`, `ceil(e/d)`, `floord(e, d)`, `ceild(e, d)` after the name.
    fn division_call(&mut self, name: &str) -> Parsed<Lin> {
        self.expect("(")?;
        let e = self.expr()?;
        let d = if name.ends_with('d') {
            self.expect(",")?;
            self.divisor()?
        } else if self.eat("/") {
            self.divisor()?
        } else {
            BigInt::of(1)
        };
        self.expect(")")?;
        if name.starts_with("ceil") {
            let e = e.plus(&Lin::constant(&d - 1));
            return self.floor(e, d);
        }
        self.floor(e, d)
    }

    fn floor(&mut self, num: Lin, den: BigInt) -> Parsed<Lin> {
        if Int::is_one(&den) {
            return Ok(num);
        }
        if let Some(c) = num.as_constant() {
            return Ok(Lin::constant(c.fdiv(&den)));
        }
        if let Some(f) = self.floors.iter().find(|f| f.num == num && f.den == den) {
            return Ok(Lin::var(f.var));
        }
        let var = self.n_vars;
        self.n_vars += 1;
        self.floors.push(FloorVar { var, num, den });
        Ok(Lin::var(var))
    }

    pub fn read_set(&mut self, d: Disjunct) -> Parsed<Set> {
        if d.input.is_some() {
            self.pos = d.at;
            return Err(self.error("expected a set, found a map"));
        }
        let space = Space { input: None, output: d.output.clone(), ..self.params_space() };
        let bodies = self.bodies(&d, space.n_cols())?;
        Ok(Set::from_bodies(&Arc::new(space), bodies))
    }

    pub fn read_map(&mut self, d: Disjunct) -> Parsed<Map> {
        if d.input.is_none() {
            self.pos = d.at;
            return Err(self.error("expected a map, found a set"));
        }
        let space = Space { input: d.input.clone(), output: d.output.clone(), ..self.params_space() };
        let bodies = self.bodies(&d, space.n_cols())?;
        Ok(Map::from_bodies(&Arc::new(space), bodies))
    }

    fn bodies(&mut self, d: &Disjunct, visible: usize) -> Parsed<Vec<Body>> {
        let mut norm = Normalizer { floors: &d.floors, fresh: d.n_vars };
        let list: Vec<Conjunct> = norm.dnf(&d.formula, true).map_err(|message| {
            let t = &self.toks[d.at];
            ParseError { line: t.line, column: t.column, message }
        })?;
        let mut order: Vec<Var> = (0..self.params.len()).chain(d.dims.iter().copied()).collect();
        let rest: Vec<Var> = (0..norm.fresh).filter(|v| !order.contains(v)).collect();
        order.extend(rest);
        let mut out = Vec::with_capacity(list.len());
        for c in &list {
            let mut s: Sys<BigInt> = system(c, &d.floors, &order, visible);
            if s.tidy() {
                s.drop_unused_exists();
                // Shorter rows where that is cheap; the text's own rows are right too.
                let short = if s.e > 0 { elim::project(&s, &Budget::steps(PROJECT_STEPS)) } else { Ok(None) };
                out.push(if let Ok(Some(short)) = short { short } else { s }.into_body());
            }
        }
        Ok(out)
    }
}

/// Budget for removing existentials from each conjunction read.
const PROJECT_STEPS: u64 = 10_000;

fn compare(a: &Lin, op: &str, b: &Lin) -> Formula {
    match op {
        "<=" => Formula::Ge(b.minus(a)),
        "<" => Formula::Ge(b.minus(a).shifted(-1)),
        ">=" => Formula::Ge(a.minus(b)),
        ">" => Formula::Ge(a.minus(b).shifted(-1)),
        "!=" => Formula::Not(Box::new(Formula::Eq(a.minus(b)))),
        _ => Formula::Eq(a.minus(b)),
    }
}

fn lexicographic(a: &[Lin], b: &[Lin], or_equal: bool) -> Formula {
    let mut out = Vec::new();
    for k in 0..a.len() + usize::from(or_equal) {
        let mut conj: Vec<Formula> = (0..k.min(a.len())).map(|j| Formula::Eq(b[j].minus(&a[j]))).collect();
        if k < a.len() {
            conj.push(Formula::Ge(b[k].minus(&a[k]).shifted(-1)));
        }
        out.push(Formula::And(conj));
    }
    Formula::Or(out)
}
