//! Statements that are not of the original code: copies of elements, first values of reduction copies, and putting
//! these together.
//!
//! Their loads and stores find their elements by the accesses' relations, since no instruction computes an address for
//! them; so do scalars that are mapped onto elements.

use super::atoms::{Atom, Poly};
use super::emit::bug;
use super::generator::{Generator, Replaced};
use crate::ast::types::Expr;
use crate::bridge::ir::{Blk, Ir, Pos, Ty, Val};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::ValueKind;
use crate::ids::ArrayId;
use crate::model::{Access, Array, ArrayKind, Field, Lifetime, Operation, ParamPoly, Size, Stmt, StmtBody};
use crate::storage::buffer::{ALIGNMENT, MAX_COPY_BYTES};

/// Puts an update `part` together with the value `old`: `old op part`. `identity`: the operation's identity element.
/// Nothing is claimed of the values: there may be no update at all behind `part`.
pub fn combined<'f>(ir: &Ir<'f>, op: Operation, identity: Val<'f>, (old, part): (Val<'f>, Val<'f>)) -> Val<'f> {
    match op {
        Operation::FMin => ir.replaced_below(old, part, identity),
        Operation::FMax => ir.replaced_above(old, part, identity),
        _ => ir.apply(op, old, part, &[]),
    }
}

impl<'f> Generator<'f> {
    /// Emits an instance of a statement that is not of the original code.
    ///
    /// # Errors
    /// `Bug` where its accesses do not fit its body; `Reject` for subscripts that are not affine, and for kernels,
    /// which there are none of.
    pub fn made(&mut self, stmt: &Stmt, args: &[Expr]) -> Result<(), Failure> {
        match (&stmt.body, stmt.accesses.as_slice()) {
            (StmtBody::Copy, [from, to]) => {
                let ty = self.moved_type(to);
                let value = self.load_element(from, args, ty)?;
                self.store_element(to, args, value)
            }
            (StmtBody::Init(op), [to]) => {
                let value = self.em.ir.identity(*op, self.moved_type(to), true);
                self.store_element(to, args, value)
            }
            (StmtBody::Combine(op), [part, old, new]) => {
                let ty = self.moved_type(new);
                let part = self.load_element(part, args, ty)?;
                let old = self.load_element(old, args, ty)?;
                let ir = self.em.ir;
                let value = combined(ir, *op, ir.identity(*op, ty, true), (old, part));
                self.store_element(new, args, value)
            }
            (StmtBody::Kernel(name), _) => Err(refused(format!("there is no kernel {name}"))),
            (body, _) => Err(bug(format!("the accesses of {} do not fit its body {body:?}", stmt.id))),
        }
    }

    /// Makes room for the arrays that the original code does not have, in the function's frame. The current position
    /// stays.
    ///
    /// # Errors
    /// `Reject` where they have more than [`MAX_COPY_BYTES`] together, or sizes that only the running program knows.
    pub fn make_arrays(&mut self) -> Result<(), Failure> {
        let mut total = 0_u64;
        for (id, elements) in self.made_arrays(&|_| true)? {
            let bytes = self.scop.array(id).elem_bytes;
            total = total.saturating_add(elements.saturating_mul(bytes.into()));
            if total > MAX_COPY_BYTES {
                return Err(refused(format!("{id} has no room in the function's frame")));
            }
            let ir = self.em.ir;
            let here = ir.current();
            let room = ir.alloca_row(ir.int_ty(bytes * 8), elements, "polyrs.made");
            ir.seek(Pos::End(here));
            let base = self.em.base_in_body(room);
            self.places.found(id, base);
        }
        Ok(())
    }

    /// Gives each thread arrays of its own of those that it is to have, at the end of `entry`, where its code begins,
    /// until the places are restored. The insertion point is lost.
    ///
    /// # Errors
    /// As [`Self::make_arrays`].
    pub fn make_arrays_of_thread(&mut self, entry: Blk<'f>) -> Result<(), Failure> {
        for (id, elements) in self.made_arrays(&|lifetime| lifetime == Lifetime::Thread)? {
            let ir = self.em.ir;
            ir.seek(Pos::End(entry));
            let bytes = i64::try_from(elements.saturating_mul(self.scop.array(id).elem_bytes.into()));
            let bytes = ir.int(ir.int_ty(64), bytes.unwrap_or(i64::MAX));
            let base = ir.alloca_bytes(bytes, ALIGNMENT.cast_unsigned(), "polyrs.made");
            let base = self.em.base_in_body(base);
            self.places.found(id, base);
        }
        Ok(())
    }

    /// Arrays that the original code does not have, with their numbers of elements.
    fn made_arrays(&self, has: &dyn Fn(Lifetime) -> bool) -> Result<Vec<(ArrayId, u64)>, Failure> {
        let mut made = Vec::new();
        for (k, array) in self.scop.arrays.iter().enumerate() {
            if !matches!(array.kind, ArrayKind::Made { lifetime } if has(lifetime)) {
                continue;
            }
            let size = |s: &Size| if let Size::Const(n) = s { u64::try_from(*n).ok() } else { None };
            let elements = array.sizes.iter().try_fold(1_u64, |all, s| all.checked_mul(size(s)?));
            let id = ArrayId::new(k);
            made.push((id, elements.ok_or_else(|| refused(format!("{id} is not of one size")))?));
        }
        Ok(made)
    }

    /// Type of what an access of such a statement moves.
    fn moved_type(&self, access: &Access) -> Ty<'f> {
        let ir = self.em.ir;
        match self.origin.facts.value(access.inst).kind {
            ValueKind::Store { .. } => ir.stored_type(access.inst),
            _ => ir.type_of(ir.value(access.inst)),
        }
    }

    /// The value of the element that an access touches in an instance with these arguments.
    ///
    /// # Errors
    /// As [`Self::element_address`].
    pub fn load_element(&mut self, access: &Access, args: &[Expr], ty: Ty<'f>) -> Replaced<'f> {
        let address = self.element_address(access, args)?;
        let value = self.em.ir.load(ty, address);
        self.claim_element(value, access);
        Ok(value)
    }

    /// Sets that element.
    ///
    /// # Errors
    /// As [`Self::element_address`].
    pub fn store_element(&mut self, access: &Access, args: &[Expr], value: Val<'f>) -> Result<(), Failure> {
        let address = self.element_address(access, args)?;
        let store = self.em.ir.store(value, address);
        self.claim_element(store, access);
        Ok(())
    }

    /// What is known of an access that finds its element by subscripts.
    pub fn claim_element(&self, access: Val<'f>, of: &Access) {
        self.disjoint.annotate(self.em.ir, access, Some(of.array), self.around.group());
        self.em.ir.limit_alignment(access, self.alignment_of(of.array));
        self.fit_to_copy(access, of.array);
    }

    /// Bytes that the addresses of all elements of an array are multiples of, by what the original code says of those
    /// it touches.
    pub fn alignment_of(&self, array: ArrayId) -> u32 {
        let (scop, ir) = (self.scop, self.em.ir);
        let of = scop.array(array);
        let stmts = scop.stmts.iter().filter(|s| matches!(s.body, StmtBody::Original(_)));
        let accesses = stmts.flat_map(|s| &s.accesses).filter(|a| a.array == array && a.carries.is_none());
        let gone = scop.gone.iter().filter(|(id, _)| *id == array).map(|(_, inst)| *inst);
        let claimed = accesses.map(|a| a.inst).chain(gone).filter_map(|inst| ir.alignment(inst)).min();
        // Where the accesses of the original code are gone, so is what they say.
        let is_made = matches!(of.kind, ArrayKind::Made { .. });
        let unknown = if of.is_memory() && !is_made { 1 } else { u32::MAX };
        claimed.unwrap_or(unknown).min(1_u32 << of.elem_bytes.max(1).trailing_zeros())
    }

    /// The address of the element that an access touches in an instance with these arguments: base + sum of subscript
    /// times stride.
    ///
    /// # Errors
    /// `Reject` for subscripts that are not affine, `Bug` for a scalar without an element.
    pub fn element_address(&mut self, access: &Access, args: &[Expr]) -> Replaced<'f> {
        let array = self.scop.array(access.array);
        let rows = access.subscripts().ok_or_else(|| refused(format!("{}: not affine", access.relation)))?;
        let mut values = Vec::with_capacity(self.scop.params.len() + args.len());
        for k in 0..self.scop.params.len() {
            values.push(self.em.expr(&Expr::Param(k))?);
        }
        for arg in args {
            values.push(self.em.expr(arg)?);
        }
        let subscripts = rows.iter().map(|row| {
            let (constant, linear) = row.split_last().ok_or_else(|| bug("a subscript without columns".into()))?;
            let terms = linear.iter().zip(&values).filter(|(c, _)| **c != 0);
            Ok(terms.fold(Poly::constant(*constant), |sum, (c, v)| sum.add(&v.scale(*c))))
        });
        let subscripts = subscripts.collect::<Result<Vec<Poly>, Failure>>()?;
        if let (ArrayKind::Rows(field), [row, column]) = (array.kind, subscripts.as_slice()) {
            return self.element_of_row(field, row, &column.scale(i64::from(array.elem_bytes)));
        }
        let mut offset = Poly::default();
        for (subscript, stride) in subscripts.iter().zip(&array.strides) {
            offset = offset.add(&subscript.mul(&polynomial(stride, &values)));
        }
        let base = match (self.places.base(access.array), array.kind) {
            (Some(base), _) => base,
            (None, ArrayKind::Memory { base }) => self.em.atoms.intern(Atom::Value(base)),
            (None, ArrayKind::View { base }) => {
                offset = offset.add(&polynomial(&array.offset, &values));
                self.em.atoms.intern(Atom::Value(base))
            }
            (None, kind) => return Err(bug(format!("{} has no address: {kind:?}", access.array))),
        };
        self.em.pointer(&Poly::atom(base).add(&offset))
    }
}

impl<'f> Generator<'f> {
    /// The address this many bytes behind where pointer `row` of a table leads to.
    fn element_of_row(&mut self, field: Field, row: &Poly, offset: &Poly) -> Replaced<'f> {
        let place = row.scale(field.stride).add(&Poly::constant(field.first));
        let table = self.em.atoms.intern(Atom::Value(field.table));
        let place = self.em.pointer(&Poly::atom(table).add(&place))?;
        let offset = self.em.value(offset);
        let ir = self.em.ir;
        let row = ir.load(ir.ptr_ty(), place);
        let is_table = |a: &Array| matches!(a.kind, ArrayKind::Memory { base } if base == field.table);
        let known = self.scop.arrays.iter().position(is_table).map(ArrayId::new);
        self.disjoint.annotate(ir, row, known, self.around.group());
        ir.limit_alignment(row, known.map_or(1, |table| self.alignment_of(table)));
        Ok(ir.gep(row, 1, offset))
    }
}

/// Bytes as values; `values` begins with the parameters.
pub(super) fn polynomial(bytes: &ParamPoly, values: &[Poly]) -> Poly {
    bytes.0.iter().fold(Poly::default(), |sum, (c, product)| {
        let term = product.iter().fold(Poly::constant(*c), |term, k| term.mul(&values[*k]));
        sum.add(&term)
    })
}

fn refused(detail: String) -> Failure {
    Failure::Reject(Reject::new(RejectKind::NonAffineAccess, detail, SourceLoc::default()))
}
