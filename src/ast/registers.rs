//! Which elements an innermost loop keeps in registers: loaded before the loop, stored behind it.
//!
//! In: a loop AST. Out: the same with [`For::registers`]. LLVM finds such elements itself only where its alias analysis
//! tells the element from everything else the loop touches; here the loops' bounds do (`A[i][j] -= A[i][k] * A[j][k]`
//! with `k < j`). The same operations run on the same values in the same order. Whether the element's accesses are all
//! of one type is code generation's question.
//! Source of the transformation: Callahan, Carr, Kennedy, PLDI 1990 (scalar replacement).

use super::forms::{Form, Known, element};
use super::types::{Ast, Expr, For, Held, Touch};
use crate::ids::{ArrayId, IterId, StmtId};
use crate::model::{AccessKind, Scop, StmtBody};
use presburger::{Budget, Error};
use std::collections::BTreeMap;

/// Accesses in a loop body beyond which nothing is looked for, on the host and on a GPU.
const MAX_ACCESSES: usize = 128;
const MAX_ACCESSES_ON_GPU: usize = 1024;
/// Part of the budget that one question may cost.
const QUESTION_PART: u64 = 1_000;

/// Says of each innermost loop which elements it may keep in registers. What the budget leaves undecided stays in
/// memory; why it does comes back, if there is any.
#[must_use]
pub fn hold(scop: &Scop, ast: &mut Ast, budget: &Budget) -> Option<Error> {
    with_at_most(MAX_ACCESSES, scop, ast, budget)
}

/// The same for loops of a GPU, whose threads have many registers.
#[must_use]
pub fn hold_many(scop: &Scop, ast: &mut Ast, budget: &Budget) -> Option<Error> {
    with_at_most(MAX_ACCESSES_ON_GPU, scop, ast, budget)
}

fn with_at_most(accesses: usize, scop: &Scop, ast: &mut Ast, budget: &Budget) -> Option<Error> {
    let mut walk = Walk { scop, budget, most: accesses, known: Known::default(), gave_up: None };
    walk.visit(ast);
    walk.gave_up
}

/// An access of one instance in a loop body.
struct Access {
    touch: Touch,
    kind: AccessKind,
    array: ArrayId,
    /// Subscripts; `None` where they are not affine.
    element: Option<Vec<Form>>,
}

struct Walk<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    /// Accesses in a loop body beyond which nothing is looked for.
    most: usize,
    known: Known,
    /// Why a question has no answer.
    gave_up: Option<Error>,
}

impl Walk<'_> {
    fn visit(&mut self, ast: &mut Ast) {
        match ast {
            Ast::Block(all) => all.iter_mut().for_each(|a| self.visit(a)),
            Ast::For(f) => {
                let mark = self.known.mark();
                self.known.learn(f.iter, &f.lower, &f.upper);
                f.registers = self.of_loop(f);
                self.visit(&mut f.body);
                self.known.forget(mark);
                // Steps of one loop: what does not move with it does not move with its steps.
                if let Some(inner) = f.stepped_mut() {
                    let held = std::mem::take(&mut inner.registers);
                    f.registers = held;
                }
            }
            Ast::If(i) => {
                self.visit(&mut i.then);
                i.otherwise.iter_mut().for_each(|a| self.visit(a));
            }
            Ast::Stmt { .. } => {}
        }
    }

    fn of_loop(&mut self, f: &For) -> Vec<Held> {
        let scop = self.scop;
        let is_original = |(id, _): &(StmtId, &[Expr])| matches!(scop.stmt(*id).body, StmtBody::Original(_));
        let bare = if f.coincident { None } else { f.body.bare_instances() };
        let Some(stmts) = bare.filter(|stmts| stmts.iter().all(is_original)) else { return Vec::new() };
        let accesses = self.accesses(&stmts);
        if accesses.len() > self.most { Vec::new() } else { self.held(f.iter, &accesses) }
    }

    /// The memory accesses of a body.
    fn accesses(&mut self, stmts: &[(StmtId, &[Expr])]) -> Vec<Access> {
        let mut out = Vec::new();
        for (at, (id, args)) in stmts.iter().enumerate() {
            for (k, access) in self.scop.stmt(*id).accesses.iter().enumerate() {
                if self.scop.array(access.array).is_memory() {
                    let element = element(&mut self.known, self.scop, access, args);
                    let touch = Touch { at, access: k };
                    out.push(Access { touch, kind: access.kind, array: access.array, element });
                }
            }
        }
        out
    }

    /// The elements that do not move with the loop, are read and surely written, and that nothing else in the body can
    /// touch.
    fn held(&mut self, iter: IterId, accesses: &[Access]) -> Vec<Held> {
        let mut apart = Apart { known: &self.known, budget: self.budget, answers: BTreeMap::new(), gave_up: None };
        let mut out: Vec<(&Access, Held)> = Vec::new();
        for a in accesses.iter().filter(|a| a.kind == AccessKind::MustWrite) {
            let Some(element) = &a.element else { continue };
            let is_found = out.iter().any(|(b, _)| b.array == a.array && b.element == a.element);
            if is_found || element.iter().any(|s| self.known.moves(s, iter)) {
                continue;
            }
            let (own, others): (Vec<&Access>, Vec<&Access>) =
                accesses.iter().filter(|o| o.array == a.array).partition(|o| o.element == a.element);
            let is_read = own.iter().any(|o| o.kind == AccessKind::Read);
            if !is_read || own.iter().any(|o| o.kind == AccessKind::MayWrite) {
                continue;
            }
            if others.iter().all(|o| o.element.as_ref().is_some_and(|o| apart.differ(element, o))) {
                out.push((a, Held { array: a.array, touches: own.iter().map(|o| o.touch).collect() }));
            }
        }
        self.gave_up = self.gave_up.or(apart.gave_up);
        out.into_iter().map(|(_, held)| held).collect()
    }
}

/// Which subscripts differ at one place, each question asked once.
struct Apart<'k> {
    known: &'k Known,
    budget: &'k Budget,
    answers: BTreeMap<Form, bool>,
    gave_up: Option<Error>,
}

impl Apart<'_> {
    /// Whether two elements differ in every iteration of the loops around.
    fn differ(&mut self, a: &[Form], b: &[Form]) -> bool {
        let differences: Vec<Form> = a.iter().zip(b).filter_map(|(a, b)| a.plus(-1, b)).collect();
        differences.into_iter().any(|d| {
            let (known, budget, gave_up) = (self.known, self.budget, &mut self.gave_up);
            *self.answers.entry(d).or_insert_with_key(|d| {
                let answer = known.is_never_zero(d, &budget.part(QUESTION_PART));
                answer.unwrap_or_else(|why| {
                    gave_up.get_or_insert(why);
                    false
                })
            })
        })
    }
}
