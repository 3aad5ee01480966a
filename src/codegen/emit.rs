//! Polynomials and AST expressions -> instructions. Every quantity is computed once, in the outermost loop body where
//! it does not change; what is shared (the address without its constant part, a row's start) is one value.

use std::collections::HashMap;

use super::atoms::{Atom, AtomId, Atoms, Choice, LOCAL, Poly};
use crate::ast::types::{Cond, Expr};
use crate::bridge::ir::{Bin, Blk, Cast, Ir, MinMax, Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{IterId, ValueId};

/// Emits 64-bit expressions; one per generated region.
///
/// `hoist[d]` is where what depends on the loops up to depth d goes: 0 before all loops, d at the start of the body of
/// the d-th loop around the current position. Invariant: it dominates the current position.
pub struct Emitter<'f> {
    /// Where instructions go.
    pub ir: &'f Ir<'f>,
    /// Quantities known.
    pub atoms: Atoms,
    hoist: Vec<Pos<'f>>,
    /// Nothing goes further out than this depth.
    floor: usize,
    sums: HashMap<Poly, Val<'f>>,
    addresses: HashMap<Poly, Val<'f>>,
    atom_values: HashMap<AtomId, Val<'f>>,
    iters: HashMap<IterId, Poly>,
    /// Loops entered so far: numbers their atoms, also where an AST uses an iterator again.
    loops: u32,
    /// Base pointers made so far.
    bases: u32,
    params: Vec<Poly>,
    word: Ty<'f>,
}

/// What an emitter knew before [`Emitter::enter_task`].
pub struct AroundTask<'f> {
    hoist: Pos<'f>,
    floor: usize,
    sums: HashMap<Poly, Val<'f>>,
    addresses: HashMap<Poly, Val<'f>>,
    atom_values: HashMap<AtomId, Val<'f>>,
}

impl<'f> Emitter<'f> {
    /// An emitter whose loop-independent code goes to `outside`.
    pub fn new(ir: &'f Ir<'f>, outside: Pos<'f>) -> Self {
        Self {
            ir,
            atoms: Atoms::default(),
            hoist: vec![outside],
            floor: 0,
            sums: HashMap::new(),
            addresses: HashMap::new(),
            atom_values: HashMap::new(),
            iters: HashMap::new(),
            loops: 0,
            bases: 0,
            params: Vec::new(),
            word: ir.int_ty(64),
        }
    }

    /// Tells the parameters, in column order.
    pub fn set_params(&mut self, params: Vec<Poly>) {
        self.params = params;
    }

    /// Number of loops around the current position.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.hoist.len() - 1
    }

    /// The same as the depth of atoms that change with the innermost loop around.
    fn level(&self) -> u32 {
        u32::try_from(self.depth()).expect("fewer loops than u32::MAX")
    }

    /// Enters the body of a loop whose iterator is the phi `value`, the last phi of its block.
    pub fn enter_loop(&mut self, iter: IterId, value: Val<'f>) {
        self.enter_block(value);
        let depth = self.level();
        let own = IterId(self.loops);
        self.loops += 1;
        self.atoms.set_depth(own, depth);
        let id = self.atoms.intern(Atom::Iter(own));
        self.atom_values.insert(id, value);
        self.iters.insert(iter, Poly::atom(id));
    }

    /// Enters the body of a loop that no iterator of the AST stands for; `value` is the last phi of its block.
    pub fn enter_block(&mut self, value: Val<'f>) {
        self.hoist.push(Pos::After(value));
    }

    /// Leaves the innermost loop.
    pub fn leave_loop(&mut self) {
        self.hoist.pop();
    }

    /// Where code goes that depends on no loop.
    #[must_use]
    pub fn outside(&self) -> Pos<'f> {
        self.hoist[0]
    }

    /// Where the task around starts, in the frame of each thread that runs a part of it.
    #[must_use]
    pub fn task_start(&self) -> Pos<'f> {
        self.hoist[self.floor]
    }

    /// From here on code that depends on no loop goes to `place`; the place before it leads there only.
    pub fn go_on_at(&mut self, place: Pos<'f>) {
        self.hoist[0] = place;
        self.ir.seek(place);
    }

    /// Enters code that is to become a function: what it computes is computed in it, from values and iterators outside.
    /// What depends on the loops around goes to the end of `entry`, which ends when the task does.
    pub fn enter_task(&mut self, entry: Blk<'f>) -> AroundTask<'f> {
        let depth = self.depth();
        let given = |(id, _): &(&AtomId, &Val<'f>)| {
            matches!(self.atoms.atom(**id), Atom::Iter(_) | Atom::Local(..) | Atom::Base(..))
        };
        let kept = self.atom_values.iter().filter(given).map(|(id, v)| (*id, *v)).collect();
        AroundTask {
            hoist: std::mem::replace(&mut self.hoist[depth], Pos::End(entry)),
            floor: std::mem::replace(&mut self.floor, depth),
            sums: std::mem::take(&mut self.sums),
            addresses: std::mem::take(&mut self.addresses),
            atom_values: std::mem::replace(&mut self.atom_values, kept),
        }
    }

    /// Leaves it again, with as many loops around as at its start.
    pub fn leave_task(&mut self, around: AroundTask<'f>) {
        let depth = self.depth();
        self.hoist[depth] = around.hoist;
        self.floor = around.floor;
        self.sums = around.sums;
        self.addresses = around.addresses;
        self.atom_values = around.atom_values;
    }

    /// Says what an iterator without loop (one iteration) is equal to.
    pub fn bind(&mut self, iter: IterId, value: Poly) {
        self.iters.insert(iter, value);
    }

    /// An AST expression as a polynomial.
    ///
    /// # Errors
    /// `Bug` for iterators and parameters that do not exist here.
    pub fn expr(&mut self, e: &Expr) -> Result<Poly, Failure> {
        Ok(match e {
            Expr::Int(v) => Poly::constant(*v),
            Expr::Param(k) => self.params.get(*k).cloned().ok_or_else(|| bug(format!("no parameter {k}")))?,
            Expr::Iter(i) => self.iters.get(i).cloned().ok_or_else(|| bug(format!("iterator {i} out of scope")))?,
            Expr::Add(of) => {
                let mut sum = Poly::default();
                for e in of {
                    sum = sum.add(&self.expr(e)?);
                }
                sum
            }
            Expr::Mul(by, e) => self.expr(e)?.scale(*by),
            Expr::FloorDiv(e, d) => {
                let p = self.expr(e)?;
                self.floor_div(p, *d)?
            }
            Expr::CeilDiv(e, d) => {
                let p = self.expr(e)?.scale(-1);
                self.floor_div(p, *d)?.scale(-1)
            }
            Expr::Mod(e, d) => {
                let p = self.expr(e)?;
                let floor = self.floor_div(p.clone(), *d)?;
                p.sub(&floor.scale(*d))
            }
            Expr::Min(of) => self.choice(Choice::SMin, of)?,
            Expr::Max(of) => self.choice(Choice::SMax, of)?,
        })
    }

    fn floor_div(&mut self, p: Poly, d: i64) -> Result<Poly, Failure> {
        match (p.as_constant(), d) {
            (_, ..=0) => Err(bug("division by a number that is not positive".into())),
            (_, 1) => Ok(p),
            (Some(c), _) => Ok(Poly::constant(c.div_euclid(d))),
            _ => Ok(self.atoms.poly(Atom::FloorDiv(p, d))),
        }
    }

    fn choice(&mut self, which: Choice, of: &[Expr]) -> Result<Poly, Failure> {
        let mut polys: Vec<Poly> = Vec::with_capacity(of.len());
        for e in of {
            let p = self.expr(e)?;
            if !polys.contains(&p) {
                polys.push(p);
            }
        }
        match polys.len() {
            0 => Err(bug("minimum or maximum of nothing".into())),
            1 => Ok(polys.remove(0)),
            _ => Ok(self.atoms.poly(Atom::Choice(which, polys))),
        }
    }

    /// A value whose bits are those of `p`, 64 bits.
    pub fn value(&mut self, p: &Poly) -> Val<'f> {
        let here = self.ir.current();
        let v = self.sum(p);
        self.ir.seek(Pos::End(here));
        v
    }

    /// A pointer: `p` has exactly one pointer atom, alone in its term with coefficient 1.
    ///
    /// # Errors
    /// `Bug` if there is no such atom.
    pub fn pointer(&mut self, p: &Poly) -> Result<Val<'f>, Failure> {
        let base = p
            .plain_atoms()
            .find(|a| self.is_pointer(*a))
            .ok_or_else(|| bug("an address without a base pointer".into()))?;
        let here = self.ir.current();
        let (_, offset) = p.divide(base);
        let v = self.address(base, &offset);
        self.ir.seek(Pos::End(here));
        Ok(v)
    }

    /// Builds one instruction where what depends on the innermost loop around goes, as [`Self::put`].
    pub fn in_body(&mut self, build: impl FnOnce(&Ir<'f>) -> Val<'f>) -> Val<'f> {
        let depth = self.level();
        let here = self.ir.current();
        let v = self.put(depth, build);
        self.ir.seek(Pos::End(here));
        v
    }

    /// An atom for a base pointer that changes with the innermost loop around.
    pub fn base_in_body(&mut self, value: Val<'f>) -> AtomId {
        let depth = self.level();
        let atom = self.atoms.intern(Atom::Base(self.bases, depth));
        self.bases += 1;
        self.atom_values.insert(atom, value);
        atom
    }

    /// Sets the value of an atom that only exists inside the current statement instance.
    pub fn set_local(&mut self, instance: u32, id: ValueId, value: Val<'f>) -> AtomId {
        let atom = self.atoms.intern(Atom::Local(instance, id));
        self.atom_values.insert(atom, value);
        atom
    }

    /// Forgets what was computed inside the current statement instance, but for the values that it told: what is needed
    /// of it is computed again. For where the code so far does not dominate the code to come.
    pub fn forget_inner(&mut self) {
        let atoms = &self.atoms;
        self.sums.retain(|p, _| atoms.depth(p) != LOCAL);
        self.addresses.retain(|p, _| atoms.depth(p) != LOCAL);
        let told = |id: &AtomId| matches!(atoms.atom(*id), Atom::Local(..));
        self.atom_values.retain(|id, _| atoms.atom_depth(*id) != LOCAL || told(id));
    }

    /// The atom of a value computed by a statement instance, if it was told.
    #[must_use]
    pub fn local(&mut self, instance: u32, id: ValueId) -> Option<AtomId> {
        let atom = self.atoms.find(&Atom::Local(instance, id))?;
        self.atom_values.contains_key(&atom).then_some(atom)
    }

    fn is_pointer(&self, atom: AtomId) -> bool {
        let v = match self.atoms.atom(atom) {
            Atom::Value(id) => self.ir.value(*id),
            Atom::Local(..) | Atom::Base(..) => match self.atom_values.get(&atom) {
                Some(v) => *v,
                None => return false,
            },
            _ => return false,
        };
        self.ir.is_ptr(self.ir.type_of(v))
    }

    /// Builds one instruction at the hoisting point of `depth`; `build` must make a new one or return a constant.
    fn put(&mut self, depth: u32, build: impl FnOnce(&Ir<'f>) -> Val<'f>) -> Val<'f> {
        let index = (depth as usize).max(self.floor).min(self.hoist.len() - 1);
        if depth == LOCAL {
            return build(self.ir);
        }
        let here = self.ir.current();
        self.ir.seek(self.hoist[index]);
        let v = build(self.ir);
        if self.ir.is_instruction(v) && matches!(self.hoist[index], Pos::After(_)) {
            self.hoist[index] = Pos::After(v);
        }
        self.ir.seek(Pos::End(here));
        v
    }

    fn constant(&self, v: i64) -> Val<'f> {
        self.ir.int(self.word, v)
    }

    fn sum(&mut self, p: &Poly) -> Val<'f> {
        if let Some(c) = p.as_constant() {
            return self.constant(c);
        }
        if let Some(v) = self.sums.get(p) {
            return *v;
        }
        let depth = self.atoms.depth(p);
        let (rest, c) = p.split_constant();
        let v = if c == 0 {
            self.sum_of_terms(p, depth)
        } else {
            let (left, right) = (self.sum(&rest), self.constant(c));
            self.put(depth, |ir| ir.bin(Bin::Add, left, right))
        };
        self.sums.insert(p.clone(), v);
        v
    }

    fn sum_of_terms(&mut self, p: &Poly, depth: u32) -> Val<'f> {
        let Some(inner) = self.atoms.innermost(p) else {
            return self.constant(0);
        };
        let (factor, rest) = p.divide(inner);
        let product = self.product(&factor, inner, depth);
        if rest == Poly::default() {
            return product;
        }
        let rest = self.sum(&rest);
        self.put(depth, |ir| ir.bin(Bin::Add, rest, product))
    }

    fn product(&mut self, factor: &Poly, atom: AtomId, depth: u32) -> Val<'f> {
        let value = self.atom_value(atom);
        match factor.as_constant() {
            Some(1) => value,
            Some(-1) => {
                let zero = self.constant(0);
                self.put(depth, |ir| ir.bin(Bin::Sub, zero, value))
            }
            _ => {
                let factor = self.sum(factor);
                self.put(depth, |ir| ir.bin(Bin::Mul, value, factor))
            }
        }
    }

    fn address(&mut self, base: AtomId, offset: &Poly) -> Val<'f> {
        let key = offset.add(&Poly::atom(base));
        if let Some(v) = self.addresses.get(&key) {
            return *v;
        }
        let depth = self.atoms.depth(&key);
        let (rest, c) = offset.split_constant();
        let v = if c != 0 {
            let (left, right) = (self.address(base, &rest), self.constant(c));
            self.put(depth, |ir| ir.gep(left, 1, right))
        } else if let Some(inner) = self.atoms.innermost(offset) {
            let (factor, rest) = offset.divide(inner);
            let left = self.address(base, &rest);
            match factor.as_constant().and_then(|c| u64::try_from(c).ok()) {
                Some(scale) if !rest.mentions(inner) => {
                    let index = self.atom_value(inner);
                    self.put(depth, |ir| ir.gep(left, scale, index))
                }
                _ => {
                    let bytes = self.sum(&factor.mul(&Poly::atom(inner)));
                    self.put(depth, |ir| ir.gep(left, 1, bytes))
                }
            }
        } else {
            self.raw(base)
        };
        self.addresses.insert(key, v);
        v
    }

    /// The value of an atom as it is: pointers stay pointers, integers keep their width.
    fn raw(&self, atom: AtomId) -> Val<'f> {
        match (self.atom_values.get(&atom), self.atoms.atom(atom)) {
            (Some(v), _) => *v,
            (None, Atom::Value(id)) => self.ir.value(*id),
            _ => self.constant(0),
        }
    }

    /// The value of an atom, 64 bits.
    fn atom_value(&mut self, atom: AtomId) -> Val<'f> {
        let depth = self.atoms.atom_depth(atom);
        match self.atoms.atom(atom).clone() {
            Atom::Iter(_) => self.raw(atom),
            Atom::Value(_) | Atom::Local(..) | Atom::Base(..) => self.widened(atom, depth),
            other => {
                if let Some(v) = self.atom_values.get(&atom) {
                    return *v;
                }
                let v = self.compute(&other, depth);
                self.atom_values.insert(atom, v);
                v
            }
        }
    }

    fn widened(&mut self, atom: AtomId, depth: u32) -> Val<'f> {
        let raw = self.raw(atom);
        let (ty, word) = (self.ir.type_of(raw), self.word);
        if ty == word {
            return raw;
        }
        let key = Poly::atom(atom);
        if let Some(v) = self.sums.get(&key) {
            return *v;
        }
        let op = if self.ir.is_ptr(ty) { Cast::PtrToInt } else { Cast::SExt };
        let v = self.put(depth, |ir| ir.cast(op, raw, word));
        self.sums.insert(key, v);
        v
    }

    fn compute(&mut self, atom: &Atom, depth: u32) -> Val<'f> {
        match atom {
            Atom::Choice(which, of) => self.choose(*which, of),
            Atom::FloorDiv(p, d) => {
                let v = self.sum(p);
                self.floor(v, *d, depth)
            }
            Atom::UDiv(p, d) => {
                let (v, d) = (self.sum(p), self.constant(*d));
                self.put(depth, |ir| ir.bin(Bin::UDiv, v, d))
            }
            Atom::Quotient(p, d) => {
                let (v, d, zero) = (self.sum(p), self.sum(d), self.constant(0));
                self.put(depth, |ir| {
                    // Where the program does not divide, the divisor may be nothing at all.
                    let d = ir.freeze(d);
                    let one = ir.cast(Cast::ZExt, ir.icmp(Pred::Eq, d, zero), ir.type_of(d));
                    ir.bin(Bin::UDiv, v, ir.bin(Bin::Or, d, one))
                })
            }
            Atom::SExt(bits, p) => self.low_bits(Cast::SExt, *bits, p, depth),
            Atom::ZExt(bits, p) => self.low_bits(Cast::ZExt, *bits, p, depth),
            Atom::Iter(_) | Atom::Value(_) | Atom::Local(..) | Atom::Base(..) => self.constant(0),
        }
    }

    fn low_bits(&mut self, op: Cast, bits: u32, p: &Poly, depth: u32) -> Val<'f> {
        let value = p.as_atom().filter(|a| matches!(self.atoms.atom(*a), Atom::Value(_))).map(|a| self.raw(a));
        if let Some(narrow) = value.filter(|v| self.ir.int_bits(self.ir.type_of(*v)) == Some(bits)) {
            let word = self.word;
            return self.put(depth, |ir| ir.cast(op, narrow, word));
        }
        let (v, narrow, word) = (self.sum(p), self.ir.int_ty(bits), self.word);
        let low = self.put(depth, |ir| ir.cast(Cast::Trunc, v, narrow));
        self.put(depth, |ir| ir.cast(op, low, word))
    }

    /// Outer quantities are compared first, so that only what changes is compared again.
    fn choose(&mut self, which: Choice, of: &[Poly]) -> Val<'f> {
        let op = match which {
            Choice::SMin => MinMax::SMin,
            Choice::SMax => MinMax::SMax,
            Choice::UMin => MinMax::UMin,
            Choice::UMax => MinMax::UMax,
        };
        let mut by_depth: Vec<(u32, &Poly)> = of.iter().map(|p| (self.atoms.depth(p), p)).collect();
        by_depth.sort_by_key(|(d, p)| (*d, p.as_constant().is_some()));
        let mut best: Option<Val<'f>> = None;
        for (depth, p) in by_depth {
            let v = self.sum(p);
            best = Some(match best {
                None => v,
                Some(b) => match (self.ir.as_const(b), self.ir.as_const(v)) {
                    (Some(_), Some(_)) => self.ir.min_max(op, b, v),
                    _ => self.put(depth, |ir| ir.min_max(op, b, v)),
                },
            });
        }
        best.unwrap_or_else(|| self.constant(0))
    }

    fn floor(&mut self, v: Val<'f>, d: i64, depth: u32) -> Val<'f> {
        if d.count_ones() == 1 {
            let shift = self.constant(i64::from(d.trailing_zeros()));
            return self.put(depth, |ir| ir.bin(Bin::AShr, v, shift));
        }
        let (divisor, last_bit) = (self.constant(d), self.constant(63));
        let quotient = self.put(depth, |ir| ir.bin(Bin::SDiv, v, divisor));
        let back = self.put(depth, |ir| ir.bin(Bin::Mul, quotient, divisor));
        let rest = self.put(depth, |ir| ir.bin(Bin::Sub, v, back));
        let borrow = self.put(depth, |ir| ir.bin(Bin::AShr, rest, last_bit));
        self.put(depth, |ir| ir.bin(Bin::Add, quotient, borrow))
    }

    /// A condition as an i1.
    ///
    /// # Errors
    /// As [`Self::expr`].
    pub fn cond(&mut self, c: &Cond) -> Result<Val<'f>, Failure> {
        let truth = self.ir.int_ty(1);
        Ok(match c {
            Cond::True => self.ir.int(truth, -1),
            Cond::False => self.ir.int(truth, 0),
            Cond::And(of) => self.fold(Bin::And, -1, of)?,
            Cond::Or(of) => self.fold(Bin::Or, 0, of)?,
            Cond::Not(c) => {
                let v = self.cond(c)?;
                self.ir.bin(Bin::Xor, v, self.ir.int(truth, -1))
            }
            Cond::Ge(a, b) => self.compare(Pred::Sge, a, b)?,
            Cond::Eq(a, b) => self.compare(Pred::Eq, a, b)?,
        })
    }

    fn fold(&mut self, op: Bin, identity: i64, of: &[Cond]) -> Result<Val<'f>, Failure> {
        let mut all = self.ir.int(self.ir.int_ty(1), identity);
        for (k, c) in of.iter().enumerate() {
            let v = self.cond(c)?;
            all = if k == 0 { v } else { self.ir.bin(op, all, v) };
        }
        Ok(all)
    }

    fn compare(&mut self, pred: Pred, a: &Expr, b: &Expr) -> Result<Val<'f>, Failure> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let (a, b) = (self.value(&a), self.value(&b));
        Ok(self.ir.icmp(pred, a, b))
    }
}

/// An invariant broke.
pub fn bug(text: String) -> Failure {
    Failure::Bug(format!("code generation: {text}"))
}
