//! Elements that an innermost loop keeps updating stay in registers: loaded before the loop, stored behind it.
//!
//! LLVM does this itself only where its alias analysis tells the element from everything else the loop touches; here the loops'
//! bounds do (`A[i][j] -= A[i][k] * A[j][k]` with `k < j`). The same operations run on the same values in the same order.
//! Source of the transformation: Callahan, Carr, Kennedy, PLDI 1990 (scalar replacement).

use super::forms::{Form, Known};
use super::generator::Generator;
use super::places::Slot;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::ValueKind;
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{Access, AccessKind, StmtBody};
use std::collections::BTreeMap;

/// Accesses in a loop body beyond which nothing is looked for.
const MAX_ACCESSES: usize = 128;

/// A memory access of one instance in a loop body.
struct Touch {
    /// Position of the instance in the body.
    at: u32,
    inst: ValueId,
    array: ArrayId,
    kind: AccessKind,
    /// Subscripts; `None` where they are not affine.
    element: Option<Vec<Form>>,
}

/// An element that lives in a slot while the loop runs.
pub struct Accumulator {
    slot: Slot,
    /// The element's address, computed before the loop.
    address: Val,
    array: ArrayId,
    /// A store to it.
    store: ValueId,
}

/// Which subscripts differ at one place, each question asked once.
struct Apart<'k> {
    known: &'k Known,
    answers: BTreeMap<Form, bool>,
}

impl Apart<'_> {
    /// Whether two elements differ in every iteration of the loops around.
    fn differ(&mut self, a: &[Form], b: &[Form]) -> bool {
        let differences: Vec<Form> = a.iter().zip(b).filter_map(|(a, b)| a.plus(-1, b)).collect();
        differences.into_iter().any(|d| {
            let known = self.known;
            *self.answers.entry(d).or_insert_with_key(|d| known.is_never_zero(d))
        })
    }
}

/// The statements of a body, if it holds nothing else.
fn statements<'a>(body: &'a Ast, out: &mut Vec<(StmtId, &'a [Expr])>) -> bool {
    match body {
        Ast::Block(all) => all.iter().all(|a| statements(a, out)),
        Ast::Stmt { id, args } => {
            out.push((*id, args));
            true
        }
        Ast::For(_) | Ast::If(_) => false,
    }
}

impl Generator<'_> {
    /// Loads what the body of `f` accumulates, at the current position in front of the loop, which runs at least once. Until
    /// [`Self::store_accumulators`] the body's accesses go to the slots.
    ///
    /// # Errors
    /// As for the statements themselves.
    pub fn load_accumulators(&mut self, f: &For) -> Result<Vec<Accumulator>, Failure> {
        let mut stmts = Vec::new();
        let scop = self.scop;
        let is_original = |(id, _): &(StmtId, &[Expr])| matches!(scop.stmt(*id).body, StmtBody::Original(_));
        if f.coincident || !statements(&f.body, &mut stmts) || !stmts.iter().all(is_original) {
            return Ok(Vec::new());
        }
        let touches = self.touches(&stmts);
        let groups = self.groups(f, &touches);
        let first = self.numbers.upcoming();
        let mut out = Vec::new();
        for group in groups {
            let (stmt, args) = stmts[group[0].at as usize];
            let accumulator = self.accumulator(&group, stmt, args)?;
            for t in group {
                self.places.hold(first + t.at, t.inst, accumulator.slot);
            }
            out.push(accumulator);
        }
        Ok(out)
    }

    /// Stores them again, at the current position behind the loop.
    pub fn store_accumulators(&mut self, accumulators: Vec<Accumulator>) {
        for a in accumulators {
            let last = a.slot.load(self.em.ir);
            let store = self.em.ir.clone_inst(a.store, &[(0, last), (1, a.address)]);
            self.disjoint.annotate(self.em.ir, store, Some(a.array), self.around.group());
            self.fit_to_copy(store, a.array);
        }
        self.places.release();
    }

    /// The memory accesses of a body.
    fn touches(&mut self, stmts: &[(StmtId, &[Expr])]) -> Vec<Touch> {
        let scop = self.scop;
        let mut out = Vec::new();
        for (at, (id, args)) in stmts.iter().enumerate() {
            for access in &scop.stmt(*id).accesses {
                if !scop.array(access.array).is_memory() || self.places.is_taken(access.array) {
                    continue;
                }
                let element = self.element(access, args);
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                out.push(Touch { at, inst: access.inst, array: access.array, kind: access.kind, element });
            }
        }
        out
    }

    /// The subscripts of an access at `args`, where they are affine.
    pub fn element(&mut self, access: &Access, args: &[Expr]) -> Option<Vec<Form>> {
        let params = self.scop.params.len();
        let args = args.iter().map(|a| self.around.form(a)).collect::<Option<Vec<Form>>>()?;
        let form = |row: Vec<i64>| {
            let mut sum = Form::constant(row[row.len() - 1]);
            for (k, c) in row[..params].iter().enumerate() {
                sum = sum.plus(*c, &Form::param(k))?;
            }
            for (arg, c) in args.iter().zip(&row[params..]) {
                sum = sum.plus(*c, arg)?;
            }
            Some(sum)
        };
        access.subscripts()?.into_iter().map(form).collect()
    }

    /// The accesses to each element that can live in a slot: it does not move with `f`, is read and written with one type, and
    /// nothing else in the body can touch it.
    fn groups<'t>(&self, f: &For, touches: &'t [Touch]) -> Vec<Vec<&'t Touch>> {
        if touches.len() > MAX_ACCESSES {
            return Vec::new();
        }
        let mut apart = Apart { known: self.around.known(), answers: BTreeMap::new() };
        let mut out: Vec<Vec<&Touch>> = Vec::new();
        for t in touches.iter().filter(|t| t.kind == AccessKind::MustWrite) {
            let Some(element) = &t.element else { continue };
            let is_known = out.iter().any(|g| g[0].array == t.array && g[0].element == t.element);
            if is_known || element.iter().any(|s| self.around.known().moves(s, f.iter)) {
                continue;
            }
            let (own, others): (Vec<&Touch>, Vec<&Touch>) =
                touches.iter().filter(|o| o.array == t.array).partition(|o| o.element == t.element);
            let is_alone = others.iter().all(|o| o.element.as_ref().is_some_and(|o| apart.differ(element, o)));
            if is_alone && self.is_updated(&own) {
                out.push(own);
            }
        }
        out
    }

    /// Whether an element's accesses read and write it, all of one type.
    fn is_updated(&self, own: &[&Touch]) -> bool {
        let reads = own.iter().any(|t| t.kind == AccessKind::Read);
        let mut types = own.iter().map(|t| self.accessed_type(t.inst));
        let first = types.next().flatten();
        reads && first.is_some() && types.all(|t| t == first) && own.iter().all(|t| t.kind != AccessKind::MayWrite)
    }

    /// Type of what a plain load or store moves.
    fn accessed_type(&self, inst: ValueId) -> Option<Ty> {
        match self.origin.facts.value(inst).kind {
            ValueKind::Load { .. } => Some(self.em.ir.type_of(self.em.ir.value(inst))),
            ValueKind::Store { .. } => Some(self.em.ir.stored_type(inst)),
            _ => None,
        }
    }

    /// A slot with the element's value, which `stmt` reads or writes with `args`.
    fn accumulator(&mut self, group: &[&Touch], stmt: StmtId, args: &[Expr]) -> Result<Accumulator, Failure> {
        let any = group[0].inst;
        let find = |kind| group.iter().find(|t| t.kind == kind).map_or(any, |t| t.inst);
        let (load, store) = (find(AccessKind::Read), find(AccessKind::MustWrite));
        let address = self.address_of(any, stmt, args)?;
        let ir = self.em.ir;
        let ty = ir.type_of(ir.value(load));
        let here = ir.current();
        let slot = self.places.extra(ir, ty);
        ir.seek(Pos::End(here));
        let value = ir.clone_inst(load, &[(0, address)]);
        self.disjoint.annotate(ir, value, Some(group[0].array), None);
        self.fit_to_copy(value, group[0].array);
        slot.store(ir, value);
        Ok(Accumulator { slot, address, array: group[0].array, store })
    }
}
