//! The AST as C-like text.

use super::forms::{Form, Known};
use super::types::{Ast, Cond, Expr, For, If};
use crate::ids::IterId;
use crate::model::tree::ThreadCopies;
use std::fmt::Write;

/// C-like text of an AST, two spaces per depth; `params[k]` is the name of parameter column k.
/// `floord`, `ceild` and `mod` round towards minus infinity, plus infinity and are never negative.
#[must_use]
pub fn print_c(ast: &Ast, params: &[&str]) -> String {
    let mut printer = Printer::new(params, false, "c");
    printer.ast(ast, 0);
    printer.out
}

/// The same in pieces: what stands in front of the first of these parts of it, between each and the next one, and
/// behind the last one. A part has a line of its own.
#[must_use]
pub fn print_around(ast: &Ast, parts: &[&Ast], params: &[&str]) -> Vec<String> {
    let mut printer = Printer { parts, ..Printer::new(params, false, "c") };
    printer.ast(ast, 0);
    let (out, cuts) = (printer.out, printer.cuts);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([out.len()]);
    starts.zip(ends).map(|(start, end)| out[start..end].to_owned()).collect()
}

/// Definitions of what [`print_source`] calls, of each those that it needs. Macros, which may stand in a function's
/// body and, being the same text each time, more than once in a file; each writes an argument down once, however deep
/// calls stand inside each other. Divisors are above 0.
const FUNCTIONS: [(&str, &str, &str); 5] = [
    ("floord(", "floord(n, d)", "long n_ = (n), d_ = (d); n_ / d_ - (n_ % d_ < 0);"),
    ("ceild(", "ceild(n, d)", "long n_ = (n), d_ = (d); n_ / d_ + (n_ % d_ > 0);"),
    ("mod(", "mod(n, d)", "long n_ = (n), d_ = (d), r_ = n_ % d_; r_ < 0 ? r_ + d_ : r_;"),
    ("min(", "min(a, b)", "long a_ = (a), b_ = (b); a_ < b_ ? a_ : b_;"),
    ("max(", "max(a, b)", "long a_ = (a), b_ = (b); a_ > b_ ? a_ : b_;"),
];

/// C of an AST that compilers read: as [`print_c`], with iterators declared and what it calls defined. The text is what
/// stands in a function's body.
#[must_use]
pub fn print_source(ast: &Ast, params: &[&str]) -> String {
    let prefix = prefix_beside(params);
    let mut printer = Printer::new(params, true, &prefix);
    printer.ast(ast, 0);
    let used = FUNCTIONS.iter().filter(|(call, ..)| {
        let alone = |at: usize| !printer.out[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        printer.out.match_indices(call).any(|(at, _)| alone(at))
    });
    let head: String = used.map(|(_, name, body)| format!("#define {name} __extension__ ({{ {body} }})\n")).collect();
    head + &printer.out
}

/// C-like text of an expression, in the same words.
#[must_use]
pub fn print_expr(e: &Expr, params: &[&str]) -> String {
    Printer::new(params, false, "c").expr(e, Level::Any)
}

/// Whether exactly one of two tests without other branches holds.
fn excludes(a: &If, b: &If) -> bool {
    let mut known = Known::default();
    let mut gap = |c: &Cond| match c {
        Cond::Ge(l, r) => known.form(l)?.plus(-1, &known.form(r)?),
        _ => None,
    };
    let sum = |a: Form, b: Form| a.plus(1, &b)?.as_constant();
    let both = gap(&a.cond).zip(gap(&b.cond)).and_then(|(a, b)| sum(a, b));
    a.otherwise.is_none() && b.otherwise.is_none() && both == Some(-1)
}

/// The expression `x` for `x + c`, where that is shorter.
fn without(e: &Expr, c: i64) -> Option<Expr> {
    let each = |of: &[Expr]| {
        let number = |e: &Expr| if let Expr::Int(v) = e { v.checked_sub(c).map(Expr::Int) } else { None };
        let any = of.iter().any(|e| !matches!(e, Expr::Int(_)));
        of.iter().map(|e| without(e, c).or_else(|| number(e))).collect::<Option<Vec<Expr>>>().filter(|_| any)
    };
    match e {
        Expr::Add(of) => match of.as_slice() {
            [one, Expr::Int(v)] if *v == c => Some(one.clone()),
            [rest @ .., Expr::Int(v)] if *v == c => Some(Expr::Add(rest.to_vec())),
            _ => None,
        },
        Expr::Min(of) => each(of).map(Expr::Min),
        Expr::Max(of) => each(of).map(Expr::Max),
        _ => None,
    }
}

struct Printer<'p> {
    params: &'p [&'p str],
    out: String,
    /// For compilers.
    compiles: bool,
    /// What stands before an iterator's number.
    prefix: &'p str,
    /// Parts that are left out.
    parts: &'p [&'p Ast],
    /// Where in the text they would stand.
    cuts: Vec<usize>,
}

/// A prefix of numbers with which no parameter is called: `c`, or with underscores behind it.
fn prefix_beside(params: &[&str]) -> String {
    let mut prefix = "c".to_owned();
    let taken = |prefix: &str, name: &str| {
        name.strip_prefix(prefix).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    while params.iter().any(|name| taken(&prefix, name)) {
        prefix.push('_');
    }
    prefix
}

/// Binding strength of the surrounding operator.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Any,
    Sum,
    Factor,
}

impl<'p> Printer<'p> {
    fn new(params: &'p [&'p str], compiles: bool, prefix: &'p str) -> Self {
        Self { params, out: String::new(), compiles, prefix, parts: &[], cuts: Vec::new() }
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn ast(&mut self, ast: &Ast, depth: usize) {
        if self.parts.iter().any(|part| std::ptr::eq(*part, ast)) {
            self.out.push_str(&"  ".repeat(depth));
            self.cuts.push(self.out.len());
            self.out.push('\n');
            return;
        }
        match ast {
            Ast::Block(parts) => {
                let mut rest = parts.as_slice();
                while let [first, behind @ ..] = rest {
                    rest = behind;
                    if let (Ast::If(a), [Ast::If(b), behind @ ..]) = (first, behind)
                        && self.compiles
                        && excludes(a, b)
                    {
                        let head = format!("if ({})", self.cond(&a.cond, false));
                        self.braced(&head, &a.then, depth, true);
                        self.braced("} else", &b.then, depth, false);
                        rest = behind;
                    } else {
                        self.ast(first, depth);
                    }
                }
            }
            Ast::For(f) => self.loop_(f, depth),
            Ast::If(i) => {
                let head = format!("if ({})", self.cond(&i.cond, false));
                self.braced(&head, &i.then, depth, i.otherwise.is_some());
                if let Some(otherwise) = &i.otherwise {
                    self.braced("} else", otherwise, depth, false);
                }
            }
            Ast::Stmt { id, args } => {
                let args: Vec<String> = args.iter().map(|a| self.expr(a, Level::Any)).collect();
                self.line(depth, &format!("{id}({});", args.join(", ")));
            }
        }
    }

    fn loop_(&mut self, f: &For, depth: usize) {
        if let Some(copies) = &f.parallel {
            self.line(depth, &format!("#pragma parallel{}", copies.clauses()));
        }
        if let Some(axis) = f.axis {
            let copies = ThreadCopies { elements: f.collects.clone(), ..ThreadCopies::default() };
            let waits = if f.waits { " wait" } else { "" };
            self.line(depth, &format!("#pragma {axis}{}{waits}", copies.clauses()));
        }
        if let Some(blocks) = &f.contraction {
            self.line(depth, &format!("#pragma {blocks}"));
        }
        if f.minor {
            self.line(depth, "#pragma minor");
        }
        let iter = self.iterator(f.iter);
        let step = match f.step {
            1 => format!("{iter}++"),
            s => format!("{iter} += {s}"),
        };
        let behind = if self.compiles { without(&f.upper, -1) } else { None };
        let upper = match &behind {
            Some(end) => format!("< {}", self.expr(end, Level::Any)),
            None => format!("<= {}", self.expr(&f.upper, Level::Any)),
        };
        let kind = if self.compiles { "long " } else { "" };
        let lower = self.expr(&f.lower, Level::Any);
        let head = match &f.upper {
            Expr::Min(of) if of.is_empty() => format!("for ({kind}{iter} = {lower}; ; {step})"),
            _ => format!("for ({kind}{iter} = {lower}; {iter} {upper}; {step})"),
        };
        let tiles = f.staged.iter().map(|tile| {
            let first = tile.first.iter().map(|e| format!("[{}]", self.expr(e, Level::Any))).collect::<String>();
            let extents = tile.extents.iter().map(|n| format!("[{n}]")).collect::<String>();
            let turns = if tile.turn == 0 { "" } else { ", two that take turns" };
            format!("#pragma shared {}{extents} from {first}{turns}", tile.array)
        });
        for tile in tiles.collect::<Vec<_>>() {
            self.line(depth, &tile);
        }
        match &f.upper {
            // One more step would leave the type.
            Expr::Int(end) if self.compiles && end.checked_add(f.step).is_none() => {
                self.line(depth, &format!("{head} {{"));
                self.ast(&f.body, depth + 1);
                self.line(depth + 1, &format!("if ({iter} > {})", end - f.step));
                self.line(depth + 2, "break;");
                self.line(depth, "}");
            }
            _ => self.braced(&head, &f.body, depth, false),
        }
    }

    /// `head` and its body; braces unless the body is one statement instance. `open`: the closing brace is left to the
    /// caller.
    fn braced(&mut self, head: &str, body: &Ast, depth: usize, open: bool) {
        let short = matches!(body, Ast::Stmt { .. }) && !open && !head.starts_with('}');
        if short {
            self.line(depth, head);
            self.ast(body, depth + 1);
            return;
        }
        self.line(depth, &format!("{head} {{"));
        self.ast(body, depth + 1);
        if !open {
            self.line(depth, "}");
        }
    }

    fn cond(&self, cond: &Cond, nested: bool) -> String {
        let joined = |list: &[Cond], op: &str| {
            let parts: Vec<String> = list.iter().map(|c| self.cond(c, true)).collect();
            let text = parts.join(op);
            if nested { format!("({text})") } else { text }
        };
        match cond {
            Cond::True => "1".into(),
            Cond::False => "0".into(),
            Cond::And(list) => joined(list, " && "),
            Cond::Or(list) => joined(list, " || "),
            Cond::Not(inner) => format!("!({})", self.cond(inner, false)),
            Cond::Ge(l, r) if self.compiles => self.at_least(l, r),
            Cond::Ge(l, r) => {
                format!("{} >= {}", self.expr(l, Level::Any), self.expr(r, Level::Any))
            }
            Cond::Eq(l, r) => {
                format!("{} == {}", self.expr(l, Level::Any), self.expr(r, Level::Any))
            }
        }
    }

    fn iterator(&self, i: IterId) -> String {
        format!("{}{}", self.prefix, i.0)
    }

    /// `l >= r`, a constant on the right, and strict where that saves adding 1.
    fn at_least(&self, l: &Expr, r: &Expr) -> String {
        let text = |e: &Expr| self.expr(e, Level::Any);
        match (without(r, 1), without(l, -1)) {
            (Some(r), _) if matches!(l, Expr::Int(_)) => format!("{} < {}", text(&r), text(l)),
            (Some(r), _) => format!("{} > {}", text(l), text(&r)),
            (_, Some(l)) => format!("{} > {}", text(&l), text(r)),
            _ if matches!(l, Expr::Int(_)) => format!("{} <= {}", text(r), text(l)),
            _ => format!("{} >= {}", text(l), text(r)),
        }
    }

    fn list(&self, name: &str, list: &[Expr]) -> String {
        // Nested calls keep the two-argument form that the functions have in C.
        let mut parts = list.iter().rev().map(|e| self.expr(e, Level::Any));
        let last = parts.next().unwrap_or_default();
        parts.fold(last, |acc, e| format!("{name}({e}, {acc})"))
    }

    fn expr(&self, e: &Expr, level: Level) -> String {
        match e {
            Expr::Int(v) => v.to_string(),
            Expr::Param(k) => self.params.get(*k).map_or_else(|| format!("p{k}"), ToString::to_string),
            Expr::Iter(i) => self.iterator(*i),
            Expr::Add(terms) => {
                let text = self.sum(terms);
                if level >= Level::Factor { format!("({text})") } else { text }
            }
            Expr::Mul(-1, inner) => format!("-{}", self.expr(inner, Level::Factor)),
            Expr::Mul(k, inner) => format!("{k} * {}", self.expr(inner, Level::Factor)),
            Expr::FloorDiv(inner, d) => format!("floord({}, {d})", self.expr(inner, Level::Any)),
            Expr::CeilDiv(inner, d) => format!("ceild({}, {d})", self.expr(inner, Level::Any)),
            Expr::Mod(inner, d) if self.compiles => format!("mod({}, {d})", self.expr(inner, Level::Any)),
            Expr::Mod(inner, d) => {
                let text = format!("{} mod {d}", self.expr(inner, Level::Factor));
                if level > Level::Any { format!("({text})") } else { text }
            }
            Expr::Min(list) => self.list("min", list),
            Expr::Max(list) => self.list("max", list),
        }
    }

    fn sum(&self, terms: &[Expr]) -> String {
        let mut out = String::new();
        for (k, t) in terms.iter().enumerate() {
            let (minus, text) = match t {
                Expr::Int(v) if *v < 0 => (true, v.unsigned_abs().to_string()),
                Expr::Mul(-1, inner) => (true, self.expr(inner, Level::Factor)),
                Expr::Mul(c, inner) if *c < 0 => {
                    (true, format!("{} * {}", c.unsigned_abs(), self.expr(inner, Level::Factor)))
                }
                t => (false, self.expr(t, Level::Sum)),
            };
            let sign = match (k, minus) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            let _ = write!(out, "{sign}{text}");
        }
        out
    }
}
