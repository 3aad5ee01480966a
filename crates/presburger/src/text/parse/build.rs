//! Recursive descent over the tokens; builds tuples, formulas and finally sets and maps.

use super::expr::compare;
use super::formula::{Conjunct, Expr, FloorVar, Formula, Lin, Normalizer, Var, system};
use super::lexer::{Tok, Token, tokens};
use super::{ParseError, Parsed};
use crate::budget::Budget;
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use crate::system::body::{Body, IntoBody};
use crate::system::elim;
use crate::system::sys::Sys;
use num_bigint::BigInt;
use std::sync::Arc;

/// One `tuple -> tuple : formula` part.
pub(super) struct Disjunct {
    pub input: Option<Tuple>,
    pub output: Tuple,
    pub at: usize,
    /// What the tuples say about their entries, then the formula after the colon.
    pub conditions: Vec<Formula>,
    pub floors: Vec<FloorVar>,
    /// Variables of the dims, input first.
    pub dims: Vec<Var>,
    /// What each dim is equal to according to its tuple.
    pub entries: Vec<Option<Expr>>,
    pub n_vars: Var,
}

pub(super) struct Reader {
    toks: Vec<Token>,
    pub pos: usize,
    params: Vec<String>,
    /// Names in scope, innermost last.
    pub scope: Vec<(String, Var)>,
    pub floors: Vec<FloorVar>,
    entries: Vec<Option<Expr>>,
    pub n_vars: Var,
    /// What the list of parameters says of their values.
    pub given: Vec<Formula>,
    /// Whether the parts are of rational points, as the word in front of each says.
    pub rational: bool,
    /// Conditions and terms that are being read, one in another.
    depth: usize,
}

/// Conditions and terms that may stand in one another: reading them takes space on the stack.
const DEEPEST: usize = 400;

impl Reader {
    pub fn new(text: &str) -> Parsed<Reader> {
        let mut r = Reader {
            toks: tokens(text)?,
            pos: 0,
            params: Vec::new(),
            scope: Vec::new(),
            floors: Vec::new(),
            entries: Vec::new(),
            n_vars: 0,
            given: Vec::new(),
            rational: false,
            depth: 0,
        };
        if r.eat("[") {
            r.parameters()?;
            r.expect("->")?;
        }
        Ok(r)
    }

    /// Behind `[`: names of parameters, each with the value or the range of values it has, `[N, M = 4, K = 0:N]`.
    fn parameters(&mut self) -> Parsed<()> {
        while !self.eat("]") {
            let (at, var) = (self.pos, self.params.len());
            let name = self.name()?;
            if self.params.contains(&name) {
                return Err(self.error_at(at, format!("there is a parameter `{name}` already")));
            }
            self.n_vars = var + 1;
            let (mut said, own) = (Vec::new(), (name.clone(), var));
            if self.eat("=") {
                self.entry_value(var, Some(own), &mut said)?;
                let is_affine = said.iter().all(|f| matches!(f, Formula::Eq(_) | Formula::Ge(_)));
                if !is_affine || !self.floors.is_empty() {
                    return Err(self.error("the value of a parameter is no affine expression"));
                }
                self.given.append(&mut said);
            } else {
                self.scope.push(own);
            }
            self.params.push(name);
            if !self.eat(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(())
    }

    pub fn peek(&self) -> &Tok {
        &self.toks[self.pos].tok
    }

    /// The token `k` places ahead; the last one beyond the end.
    pub fn ahead(&self, k: usize) -> &Tok {
        &self.toks[(self.pos + k).min(self.toks.len() - 1)].tok
    }

    pub fn peek_sym(&self, s: &str) -> bool {
        matches!(self.peek(), Tok::Sym(t) if *t == s)
    }

    /// Whether a keyword comes next, in any case. What has been given such a name in other letters is that.
    pub fn peek_word(&self, w: &str) -> bool {
        matches!(self.peek(), Tok::Name(n) if self.is_word(n, w))
    }

    /// Whether a name is the keyword `w`.
    pub fn is_word(&self, name: &str, w: &str) -> bool {
        name == w || (name.eq_ignore_ascii_case(w) && !self.is_known(name))
    }

    fn is_known(&self, name: &str) -> bool {
        self.scope.iter().any(|s| s.0 == name)
    }

    pub fn eat(&mut self, s: &str) -> bool {
        let hit = self.peek_sym(s);
        self.pos += usize::from(hit);
        hit
    }

    pub fn eat_word(&mut self, w: &str) -> bool {
        let hit = self.peek_word(w);
        self.pos += usize::from(hit);
        hit
    }

    pub fn error(&self, message: impl Into<String>) -> ParseError {
        let t = &self.toks[self.pos];
        ParseError { line: t.line, column: t.column, message: message.into() }
    }

    /// An error at a token that has been read.
    pub fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        ParseError { line: self.toks[at].line, column: self.toks[at].column, message: message.into() }
    }

    pub fn expect(&mut self, s: &str) -> Parsed<()> {
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
        self.parts(Reader::disjunct)
    }

    /// All parts between the braces, read by `part`, each with a fresh scope.
    pub fn parts<T>(&mut self, part: impl Fn(&mut Reader) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("{")?;
        if self.peek_word("sym") && matches!((self.ahead(1), self.ahead(2)), (Tok::Sym("="), Tok::Sym("["))) {
            self.pos += 3;
            self.parameters()?;
        }
        let mut out = Vec::new();
        while !self.peek_sym("}") {
            self.scope = self.params.iter().cloned().enumerate().map(|(k, p)| (p, k)).collect();
            self.floors = Vec::new();
            self.entries = Vec::new();
            self.n_vars = self.params.len();
            out.push(part(self)?);
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
            if p.output != parts[0].output || p.input != parts[0].input {
                self.pos = p.at;
                return Err(self.error("tuples differ: read this as a union set or map"));
            }
        }
        Ok(())
    }

    fn disjunct(&mut self) -> Parsed<Disjunct> {
        let at = self.pos;
        let (mut conditions, mut dims) = (self.given.clone(), Vec::new());
        let (mut input, mut output) = (None, Tuple::absent());
        if self.is_rational_ahead() != self.rational {
            return Err(
                self.error("a union is of integers or of rational numbers: `rat:` in front of all parts or of none")
            );
        }
        self.pos += if self.rational { 2 } else { 0 };
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
        let entries = std::mem::take(&mut self.entries);
        Ok(Disjunct { input, output, at, conditions, floors, dims, entries, n_vars: self.n_vars })
    }

    /// Whether `rat:` comes next.
    fn is_rational_ahead(&self) -> bool {
        self.peek_word("rat") && matches!(self.ahead(1), Tok::Sym(":"))
    }

    /// `Name[entry, ...]` or a wrapped pair `Name[A[..] -> B[..]]`. The dims' variables are appended to `vars`.
    pub fn tuple(&mut self, vars: &mut Vec<Var>, conditions: &mut Vec<Formula>) -> Parsed<Tuple> {
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
        Ok(Tuple { name, dims: dims.into(), ..Tuple::new("", 0) })
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
            self.define(var, None, conditions);
            return Ok(None);
        }
        if let Tok::Name(n) = self.peek().clone() {
            let after = &self.toks[self.pos + 1].tok;
            if INFINITE.iter().any(|word| self.is_word(&n, word)) {
                return Err(self.error(format!("`{n}` is no integer")));
            }
            if !self.is_known(&n) && !n.eq_ignore_ascii_case(NAN) && matches!(after, Tok::Sym("," | "]" | "=")) {
                self.pos += 1;
                let has_value = self.eat("=");
                let own = (n.clone(), var);
                if has_value {
                    self.entry_value(var, Some(own), conditions)?;
                } else {
                    self.scope.push(own);
                    self.define(var, None, conditions);
                }
                return Ok((n != "_").then(|| Arc::from(n.as_str())));
            }
        }
        self.entry_value(var, None, conditions)?;
        Ok(None)
    }

    /// What a tuple entry is equal to, `e` or `e : condition; e : condition`, or between which values it is, both
    /// included: `first : last`, each of which may be missing. `own` is the entry's name, known behind the first value.
    fn entry_value(&mut self, var: Var, own: Option<(String, Var)>, conditions: &mut Vec<Formula>) -> Parsed<()> {
        let first = if self.peek_sym(":") { None } else { Some(self.choice()?) };
        self.scope.extend(own);
        if self.peek_sym(":") {
            let (mark, floors, n_vars) = (self.pos, self.floors.len(), self.n_vars);
            self.pos += 1;
            let last = if self.ends_entry() { Ok(None) } else { self.choice().map(Some) };
            if first.is_none() || (last.is_ok() && self.ends_entry()) {
                let entry = Expr::from(Lin::var(var));
                conditions.extend(first.iter().map(|e| compare(&entry, ">=", e)));
                conditions.extend(last?.iter().map(|e| compare(&entry, "<=", e)));
                self.entries.push(None);
                return Ok(());
            }
            (self.pos, self.n_vars) = (mark, n_vars);
            self.floors.truncate(floors);
        }
        let value = match first {
            Some(e) if self.peek_sym(":") || self.peek_sym(";") => Some(self.pieces(e)?),
            value => value,
        };
        self.define(var, value, conditions);
        Ok(())
    }

    /// Whether a tuple entry ends here.
    fn ends_entry(&self) -> bool {
        self.peek_sym(",") || self.peek_sym("]")
    }

    /// Notes what a tuple entry is equal to, if the text says so.
    fn define(&mut self, var: Var, value: Option<Expr>, conditions: &mut Vec<Formula>) {
        conditions.extend(value.iter().map(|e| compare(&Expr::from(Lin::var(var)), "=", e)));
        self.entries.push(value);
    }

    pub fn formula(&mut self) -> Parsed<Formula> {
        let mut list = vec![self.conjunction()?];
        while self.eat_word("or") || self.eat("||") || self.eat("|") || self.eat("\\/") || self.eat("\u{2228}") {
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
        while self.eat_word("and") || self.eat("&&") || self.eat("/\\") || self.eat("&") || self.eat("\u{2227}") {
            list.push(self.atom()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Formula::And(list) })
    }

    fn atom(&mut self) -> Parsed<Formula> {
        self.nested(Self::atom_inside)
    }

    /// Reads what stands in something else.
    pub fn nested<V>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<V>) -> Parsed<V> {
        if self.depth == DEEPEST {
            return Err(self.error(format!("more than {DEEPEST} conditions and terms in one another")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn atom_inside(&mut self) -> Parsed<Formula> {
        if self.eat_word("not") || self.eat("!") || self.eat("\u{00AC}") {
            return Ok(Formula::Not(Box::new(self.atom()?)));
        }
        if self.eat_word("exists") {
            return self.quantified(Formula::And);
        }
        if self.eat_word("forall") {
            // Not one for which the definitions hold and the formula does not.
            let fails = |mut list: Vec<Formula>| {
                let claim = list.pop().map_or(Formula::False, |f| Formula::Not(Box::new(f)));
                list.push(claim);
                Formula::And(list)
            };
            return Ok(Formula::Not(Box::new(self.quantified(fails)?)));
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

    /// After `exists` or `forall`: `e, f = expr: formula`, bracketed or not. `join` makes one formula of the
    /// definitions and what is said, the last.
    fn quantified(&mut self, join: impl FnOnce(Vec<Formula>) -> Formula) -> Parsed<Formula> {
        let bracket = self.eat("(");
        let depth = self.scope.len();
        let (mut vars, mut list) = (Vec::new(), Vec::new());
        loop {
            let n = self.name()?;
            let v = self.n_vars;
            self.n_vars += 1;
            vars.push(v);
            if self.eat("=") {
                let e = self.choice()?;
                list.push(compare(&Expr::from(Lin::var(v)), "=", &e));
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
        Ok(Formula::Exists(vars, Box::new(join(list))))
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
        self.conjunctions(d, &Formula::And(d.conditions.clone()), &d.dims, visible)
    }

    /// The space of a part and its rows over the rationals: columns, then existentials.
    pub fn rational_part(&self, d: &Disjunct) -> Parsed<(Space, Vec<Sys<BigInt>>)> {
        let space = Space { input: d.input.clone(), output: d.output.clone(), ..self.params_space() };
        let formula = Formula::And(d.conditions.clone());
        if !d.floors.is_empty() {
            return Err(self.error_at(d.at, "floors and remainders are of integers: not in a part with `rat:`"));
        }
        if formula.denies_exists(true) {
            return Err(self.error_at(d.at, "`forall` and `not exists` are not known in a part with `rat:`"));
        }
        let mut norm = Normalizer::new(&[], d.n_vars);
        let list = norm.dnf(&formula, true).map_err(|message| self.error_at(d.at, message))?;
        let mut order: Vec<Var> = (0..self.params.len()).chain(d.dims.iter().copied()).collect();
        let rest: Vec<Var> = (0..norm.fresh).filter(|v| !order.contains(v)).collect();
        order.extend(rest);
        let rows = list.iter().map(|c| system(c, &[], &order, space.n_cols())).collect();
        Ok((space, rows))
    }

    /// The pieces of a formula over the parameters and `dims`, which make `visible` columns; all other variables are
    /// existential.
    pub fn conjunctions(&mut self, d: &Disjunct, formula: &Formula, dims: &[Var], visible: usize) -> Parsed<Vec<Body>> {
        let mut norm = Normalizer::new(&d.floors, d.n_vars);
        let list: Vec<Conjunct> = norm.conjunctions(formula).map_err(|message| self.error_at(d.at, message))?;
        let mut order: Vec<Var> = (0..self.params.len()).chain(dims.iter().copied()).collect();
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

/// The entry of a tuple that has no value: no such element exists.
pub(super) const NAN: &str = "NaN";
/// Words for values that no dim has.
const INFINITE: [&str; 2] = ["infty", "infinity"];
/// Budget for removing existentials from each conjunction read.
const PROJECT_STEPS: u64 = 10_000;
