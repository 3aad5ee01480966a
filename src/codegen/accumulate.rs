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
use crate::ids::StmtId;
use crate::model::{Access, AccessKind, ArrayKind, StmtBody};
use std::collections::BTreeMap;

/// Accesses in a loop body beyond which nothing is looked for.
const MAX_ACCESSES: usize = 128;

/// A memory access of one instance in a loop body.
struct Touch<'a> {
    /// Position of the instance in the body.
    at: u32,
    access: &'a Access,
    /// Subscripts; `None` where they are not affine.
    element: Option<Vec<Form>>,
}

/// An element that lives in a slot while the loop runs.
pub struct Accumulator<'a> {
    slot: Slot,
    /// The element's address, computed before the loop.
    address: Val,
    /// A write of it: a store of the original code, unless all that writes it are scalars mapped onto it.
    write: &'a Access,
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

impl<'a> Generator<'a> {
    /// Loads what the body of `f` accumulates, at the current position in front of the loop, which runs at least once. Until
    /// [`Self::store_accumulators`] the body's accesses go to the slots.
    ///
    /// # Errors
    /// As for the statements themselves.
    pub fn load_accumulators(&mut self, f: &For) -> Result<Vec<Accumulator<'a>>, Failure> {
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
            let Some(accumulator) = self.accumulator(&group, &stmts)? else { continue };
            for t in group {
                self.places.hold(first + t.at, t.access, accumulator.slot);
            }
            out.push(accumulator);
        }
        Ok(out)
    }

    /// Stores them again, at the current position behind the loop.
    pub fn store_accumulators(&mut self, accumulators: Vec<Accumulator<'a>>) {
        for Accumulator { slot, address, write } in accumulators {
            let last = slot.load(self.em.ir);
            if write.carries.is_some() {
                let store = self.em.ir.store(last, address);
                self.claim_element(store, write);
            } else {
                let store = self.em.ir.clone_inst(write.inst, &[(0, last), (1, address)]);
                self.disjoint.annotate(self.em.ir, store, Some(write.array), self.around.group());
                self.fit_to_copy(store, write.array);
            }
        }
        self.places.release();
    }

    /// The memory accesses of a body.
    fn touches(&mut self, stmts: &[(StmtId, &[Expr])]) -> Vec<Touch<'a>> {
        let scop = self.scop;
        let mut out = Vec::new();
        for (at, (id, args)) in stmts.iter().enumerate() {
            for access in &scop.stmt(*id).accesses {
                if !scop.array(access.array).is_memory() || self.places.is_taken(access.array) {
                    continue;
                }
                let element = self.element(access, args);
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                out.push(Touch { at, access, element });
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
    fn groups<'t>(&self, f: &For, touches: &'t [Touch<'a>]) -> Vec<Vec<&'t Touch<'a>>> {
        if touches.len() > MAX_ACCESSES {
            return Vec::new();
        }
        let mut apart = Apart { known: self.around.known(), answers: BTreeMap::new() };
        let mut out: Vec<Vec<&Touch<'a>>> = Vec::new();
        for t in touches.iter().filter(|t| t.access.kind == AccessKind::MustWrite) {
            let Some(element) = &t.element else { continue };
            let is_known = out.iter().any(|g| g[0].access.array == t.access.array && g[0].element == t.element);
            if is_known || element.iter().any(|s| self.around.known().moves(s, f.iter)) {
                continue;
            }
            let (own, others): (Vec<&Touch<'a>>, Vec<&Touch<'a>>) =
                touches.iter().filter(|o| o.access.array == t.access.array).partition(|o| o.element == t.element);
            let is_alone = others.iter().all(|o| o.element.as_ref().is_some_and(|o| apart.differ(element, o)));
            if is_alone && self.is_updated(&own) {
                out.push(own);
            }
        }
        out
    }

    /// Whether an element's accesses read and write it, all of one type.
    fn is_updated(&self, own: &[&Touch<'a>]) -> bool {
        let reads = own.iter().any(|t| t.access.kind == AccessKind::Read);
        let mut types = own.iter().map(|t| self.accessed_type(t.access));
        let first = types.next().flatten();
        reads
            && first.is_some()
            && types.all(|t| t == first)
            && own.iter().all(|t| t.access.kind != AccessKind::MayWrite)
    }

    /// Type of what a plain load or store moves, or a scalar that is mapped onto an element.
    fn accessed_type(&self, access: &Access) -> Option<Ty> {
        let ir = self.em.ir;
        if let Some(scalar) = access.carries {
            return match self.scop.array(scalar).kind {
                ArrayKind::Value { def } => Some(ir.type_of(ir.value(def))),
                ArrayKind::Phi { phi } => Some(ir.type_of(ir.value(phi))),
                ArrayKind::Memory { .. } | ArrayKind::Made { .. } => None,
            };
        }
        match self.origin.facts.value(access.inst).kind {
            ValueKind::Load { .. } => Some(ir.type_of(ir.value(access.inst))),
            ValueKind::Store { .. } => Some(ir.stored_type(access.inst)),
            _ => None,
        }
    }

    /// A slot with the element's value, which the group's statements read or write.
    fn accumulator(
        &mut self,
        group: &[&Touch<'a>],
        stmts: &[(StmtId, &[Expr])],
    ) -> Result<Option<Accumulator<'a>>, Failure> {
        let best = |reads: bool| {
            let of_kind = || group.iter().filter(|t| (t.access.kind == AccessKind::Read) == reads);
            of_kind().find(|t| t.access.carries.is_none()).or(of_kind().next()).copied()
        };
        let (Some(read), Some(write)) = (best(true), best(false)) else { return Ok(None) };
        let Some(ty) = self.accessed_type(read.access) else { return Ok(None) };
        let any = if read.access.carries.is_none() { read } else { write };
        let (stmt, args) = stmts[any.at as usize];
        let address = if any.access.carries.is_none() {
            self.address_of(any.access.inst, stmt, args)?
        } else {
            self.element_address(any.access, args)?
        };
        let ir = self.em.ir;
        let here = ir.current();
        let slot = self.places.extra(ir, ty);
        ir.seek(Pos::End(here));
        let value = if read.access.carries.is_some() {
            let value = ir.load(ty, address);
            self.claim_element(value, read.access);
            value
        } else {
            let value = ir.clone_inst(read.access.inst, &[(0, address)]);
            self.disjoint.annotate(ir, value, Some(read.access.array), None);
            self.fit_to_copy(value, read.access.array);
            value
        };
        slot.store(ir, value);
        Ok(Some(Accumulator { slot, address, write: write.access }))
    }
}
