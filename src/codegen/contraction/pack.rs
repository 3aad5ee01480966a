//! Packed copies: for each tile's rows or columns, the values of one depth side by side, one depth after the other.
//! Beside those of a tile that is not whole the last ones are repeated: what comes of these is not kept.
//!
//! A function for each way in which a value comes of elements,
//! `void (ptr record, i64 first, i64 count, i64 depth, i64 deep, ptr to)`. A record of 64-bit words says what it reads:
//! for each element its address for index and depth 0, the bytes to the next index, and to the next depth; then the
//! values that are the same all the time.

use super::code::Code;
use super::shape::Shape;
use crate::bridge::ir::{Ir, Ty, Val};
use crate::codegen::generator::Generator;
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::ValueId;
use crate::model::contraction::Contraction;
use crate::model::{AccessKind, Stmt};

/// Most instructions that make a packed value.
const MAX_NODES: usize = 16;
/// Least bytes of vectors of which processors load and store parts in one go.
const MASKED_BYTES: u64 = 32;
/// The same of their elements.
const MASKED_ELEMENT: u64 = 4;
/// Words of the record for each element read.
const WORDS: usize = 3;

/// How a packed value is computed.
pub enum Source {
    /// This one of the elements read.
    Element(usize),
    /// This one of the values that are the same all the time.
    Same(usize),
    /// An instruction like this one, with these operands in the places of its own; those left are constants.
    Like(ValueId, Vec<(u32, Source)>),
}

/// What is packed for the rows, or for the columns.
#[derive(Default)]
pub struct Packed {
    /// Values side by side.
    pub values: Vec<Source>,
    /// Positions among the statement's accesses of elements read.
    pub elements: Vec<usize>,
    /// Values that are the same all the time.
    pub same: Vec<ValueId>,
}

impl Packed {
    /// Words of its record.
    pub fn words(&self) -> usize {
        self.elements.len() * WORDS + self.same.len()
    }
}

/// Reads how values are computed.
pub struct Reader<'r, 'f> {
    /// Code generation.
    pub generator: &'r Generator<'f>,
    /// The statement.
    pub stmt: &'r Stmt,
    /// What it is.
    pub of: &'r Contraction,
}

impl Reader<'_, '_> {
    /// How these values are computed; `None` where that cannot be done in another function.
    pub fn packed(&self, values: &[ValueId]) -> Option<Packed> {
        let (mut packed, mut nodes) = (Packed::default(), 0);
        for value in values {
            let source = self.source(*value, &mut packed, &mut nodes)?;
            packed.values.push(source);
        }
        Some(packed)
    }

    /// Whether some element that the value is computed of moves.
    fn moves(&self, value: ValueId, nodes: &mut usize) -> Option<bool> {
        let value = self.generator.origin.resolve(value);
        *nodes += 1;
        if *nodes > MAX_NODES * MAX_NODES {
            return None;
        }
        if self.access(value).is_some() {
            return Some(true);
        }
        if !self.stmt.body.insts().contains(&value) {
            return Some(false);
        }
        let operands = &self.generator.origin.facts.value(value).operands;
        operands.iter().try_fold(false, |any, operand| Some(any | self.moves(*operand, nodes)?))
    }

    /// The access that reads the value, if it moves.
    fn access(&self, value: ValueId) -> Option<usize> {
        let dims = [self.of.rows, self.of.columns, self.of.depth];
        let params = self.generator.scop.params.len();
        self.stmt.accesses.iter().position(|a| {
            let moves = || a.subscripts().is_none_or(|s| s.iter().any(|row| dims.iter().any(|d| row[params + d] != 0)));
            a.kind == AccessKind::Read && a.inst == value && moves()
        })
    }

    fn source(&self, value: ValueId, packed: &mut Packed, nodes: &mut usize) -> Option<Source> {
        let value = self.generator.origin.resolve(value);
        if let Some(access) = self.access(value) {
            return Some(Source::Element(place(&mut packed.elements, access)));
        }
        if !self.moves(value, nodes)? {
            return Some(Source::Same(place(&mut packed.same, value)));
        }
        let facts = self.generator.origin.facts;
        let ir = self.generator.em.ir;
        if !ir.knows_operands(value) || facts.value(value).operands.is_empty() {
            return None;
        }
        let operands = ir.operands(value).into_iter().map(|(index, of)| Some((index, self.source(of, packed, nodes)?)));
        Some(Source::Like(value, operands.collect::<Option<Vec<_>>>()?))
    }
}

/// Where an entry is in a list, which it is added to if it is not there.
fn place<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter().position(|e| *e == entry).unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

/// Packs values for tiles.
pub struct Packing<'p, 'f> {
    /// Has the instructions that values are computed by.
    pub like: &'p Ir<'f>,
    /// The statement.
    pub stmt: &'p Stmt,
    /// What is packed.
    pub packed: &'p Packed,
    /// What for.
    pub shape: &'p Shape<'f>,
    /// Values of one depth side by side: rows or columns of a tile.
    pub width: u32,
    /// Bytes that addresses of the elements are multiples of.
    pub alignment: u32,
    /// Operations that may be done in vectors.
    pub lanewise: &'p dyn Fn(ValueId) -> bool,
}

impl<'f> Packing<'_, 'f> {
    fn element_ty(&self, element: usize) -> Ty<'f> {
        self.like.type_of(self.like.value(self.stmt.accesses[self.packed.elements[element]].inst))
    }

    /// Text that is the same for values that are computed alike.
    fn text(&self, source: &Source) -> String {
        match source {
            Source::Element(n) => format!("element {n} {:?}", self.element_ty(*n)),
            Source::Same(n) => format!("same {n}"),
            Source::Like(id, operands) => {
                let like = self.like.value(*id);
                // Constants, and what integers promise, are told apart by the instruction alone.
                let is_told = self.like.is_real_arithmetic(like) && self.is_whole(*id, operands);
                let own = if is_told { String::new() } else { format!("{id:?}") };
                let operands: Vec<String> = operands.iter().map(|(k, of)| format!("{k} {}", self.text(of))).collect();
                format!("{own}{}({})", self.like.operation_text(like), operands.join(","))
            }
        }
    }

    /// Whether vectors of elements side by side can be packed as vectors.
    fn has_vectors(&self) -> bool {
        let element = |n: &usize| self.element_ty(*n) == self.shape.ty;
        let elements: Vec<usize> = (0..self.packed.elements.len()).collect();
        let same = |id: &ValueId| self.like.type_of(self.like.value(*id)) == self.shape.ty;
        self.width.is_multiple_of(self.shape.lanes)
            && elements.iter().all(element)
            && self.packed.same.iter().all(same)
            && self.packed.values.iter().all(|s| self.is_lanewise(s))
    }

    fn is_lanewise(&self, source: &Source) -> bool {
        let Source::Like(id, operands) = source else { return true };
        self.is_whole(*id, operands) && (self.lanewise)(*id) && operands.iter().all(|(_, s)| self.is_lanewise(s))
    }

    /// Whether none of the instruction's operands is a constant.
    fn is_whole(&self, id: ValueId, operands: &[(u32, Source)]) -> bool {
        operands.len() == self.like.operand_count(self.like.value(id))
    }

    /// The function.
    ///
    /// # Errors
    /// `Bug` where what was made is not well-formed.
    pub fn function(&self) -> Result<Val<'f>, Failure> {
        let (ir, s) = (self.like, self.shape);
        let values: Vec<String> = self.packed.values.iter().map(|v| self.text(v)).collect();
        let key = format!("pack {} {} {} {} {}", self.width, s.lanes, s.bytes, self.alignment, values.join(";"));
        if let Some(function) = ir.kernel(&key) {
            return Ok(function);
        }
        let (word, ptr) = (ir.int_ty(64), ir.ptr_ty());
        let params = [ptr, word, word, word, word, ptr];
        let (own, args) = ir.new_kernel((key, "polyrs.pack"), &params, s.vector_bits());
        let writer = Writer { code: Code { ir: &own }, packing: self };
        writer.write(&args);
        own.verify().map_err(|why| super::bug(format!("packing is not well-formed: {why}")))?;
        Ok(own.function())
    }
}

/// An element that is read.
struct Element<'f> {
    /// Address of the first one.
    at: Val<'f>,
    /// Bytes to the next index.
    next: Val<'f>,
    /// Bytes to the next depth.
    deeper: Val<'f>,
}

struct Writer<'w, 'f> {
    code: Code<'w, 'f>,
    packing: &'w Packing<'w, 'f>,
}

impl<'f> Writer<'_, 'f> {
    fn write(&self, args: &[Val<'f>]) {
        let (code, p, s) = (self.code, self.packing, self.packing.shape);
        let ir = code.ir;
        let &[record, first, count, depth, deep, to] = args else { return };
        let word_at = |n: usize, ty: Ty<'f>| ir.load(ty, ir.gep(record, 8, code.word(n as u64)));
        let element = |n: usize| {
            let word = |k: usize, ty: Ty<'f>| word_at(n * WORDS + k, ty);
            let (next, deeper) = (word(1, ir.int_ty(64)), word(2, ir.int_ty(64)));
            let at = ir.gep(word(0, ir.ptr_ty()), 1, code.mul(first, next));
            Element { at: ir.gep(at, 1, code.mul(depth, deeper)), next, deeper }
        };
        let elements: Vec<Element<'f>> = (0..p.packed.elements.len()).map(element).collect();
        let base = p.packed.elements.len() * WORDS;
        let same_ty = |id: &ValueId| p.like.type_of(p.like.value(*id));
        let same: Vec<Val<'f>> =
            p.packed.same.iter().enumerate().map(|(n, id)| word_at(base + n, same_ty(id))).collect();
        let area = (count, deep, to);
        if p.has_vectors() {
            let whole = ir.icmp(Pred::Eq, count, code.word(p.width.into()));
            let unit = |e: &Element<'f>| ir.icmp(Pred::Eq, e.next, code.word(s.bytes));
            let side_by_side = elements.iter().map(unit).fold(code.all([]), |all, e| code.all([all, e]));
            let mut vectors = || self.in_vectors(&elements, &same, area, false);
            let single = || self.one_by_one(&elements, &same, area);
            let mut part = || {
                if self.has_masks() { self.in_vectors(&elements, &same, area, true) } else { single() }
            };
            let mut in_row = || code.choose(whole, &mut vectors, &mut part);
            code.choose(side_by_side, &mut in_row, &mut || single());
        } else {
            self.one_by_one(&elements, &same, area);
        }
        ir.ret();
    }

    /// Whether parts of vectors are loaded and stored as fast as vectors.
    fn has_masks(&self) -> bool {
        self.packing.shape.vector_bytes() >= MASKED_BYTES && self.packing.shape.bytes >= MASKED_ELEMENT
    }

    /// Address of the packed value `n` of a depth.
    fn place(&self, to: Val<'f>, k: Val<'f>, n: usize) -> Val<'f> {
        let (p, code) = (self.packing, self.code);
        let row = u64::from(p.width) * p.shape.bytes;
        let of_depth = code.ir.gep(to, row * p.packed.values.len() as u64, k);
        code.ir.gep(of_depth, row, code.word(n as u64))
    }

    /// Vector by vector; of a part of a tile `in_part`, the last value stands for those that are not there.
    fn in_vectors(
        &self,
        elements: &[Element<'f>],
        same: &[Val<'f>],
        (count, deep, to): (Val<'f>, Val<'f>, Val<'f>),
        in_part: bool,
    ) {
        let (code, p, s) = (self.code, self.packing, self.packing.shape);
        let ir = code.ir;
        let same: Vec<Val<'f>> = same.iter().map(|v| ir.splat(*v, s.lanes)).collect();
        let aligned = u32::try_from(s.vector_bytes()).unwrap_or(1);
        code.each(code.word(0), deep, code.word(1), &mut |k| {
            let at: Vec<Val<'f>> = elements.iter().map(|e| ir.gep(e.at, 1, code.mul(k, e.deeper))).collect();
            let last = |at: &Val<'f>| {
                let from = ir.gep(*at, s.bytes, code.sub(count, code.word(1)));
                ir.splat(ir.align(ir.load(s.ty, from), p.alignment), s.lanes)
            };
            let others: Vec<Val<'f>> = if in_part { at.iter().map(last).collect() } else { Vec::new() };
            for v in 0..p.width / s.lanes {
                let load = |(n, at): (usize, &Val<'f>)| {
                    let from = ir.gep(*at, s.vector_bytes(), code.word(v.into()));
                    let Some(others) = others.get(n) else { return ir.align(ir.load(s.vector, from), p.alignment) };
                    let mask = ir.lanes_between((code.word(0), count), v * s.lanes, (s.lanes, s.bytes));
                    // Not behind the array, as at the edges of tiles.
                    let has_some = code.less(code.word(u64::from(v * s.lanes)), count);
                    ir.masked_load_or(*others, ir.select(has_some, from, to), mask, p.alignment)
                };
                let loaded: Vec<Val<'f>> = at.iter().enumerate().map(load).collect();
                for (n, value) in p.packed.values.iter().enumerate() {
                    let value = self.value(value, (&loaded, &same), true);
                    let place = ir.gep(self.place(to, k, n), s.vector_bytes(), code.word(v.into()));
                    ir.align(ir.store(value, place), aligned);
                }
            }
        });
    }

    fn one_by_one(&self, elements: &[Element<'f>], same: &[Val<'f>], (count, deep, to): (Val<'f>, Val<'f>, Val<'f>)) {
        let (code, p, s) = (self.code, self.packing, self.packing.shape);
        let (ir, zero, one) = (code.ir, code.word(0), code.word(1));
        let last = code.sub(count, one);
        let repeats = p.has_vectors() && self.has_masks();
        let end = if repeats { count } else { code.word(p.width.into()) };
        code.each(zero, end, one, &mut |i| {
            let index = code.min(i, last);
            let row: Vec<Val<'f>> = elements.iter().map(|e| ir.gep(e.at, 1, code.mul(index, e.next))).collect();
            code.each(zero, deep, one, &mut |k| {
                let load = |(n, e): (usize, &Element<'f>)| {
                    let from = ir.gep(row[n], 1, code.mul(k, e.deeper));
                    ir.align(ir.load(p.element_ty(n), from), p.alignment)
                };
                let loaded: Vec<Val<'f>> = elements.iter().enumerate().map(load).collect();
                for (n, value) in p.packed.values.iter().enumerate() {
                    let value = self.value(value, (&loaded, same), false);
                    ir.store(value, ir.gep(self.place(to, k, n), s.bytes, i));
                }
            });
        });
        if repeats {
            self.repeat_last((count, deep, to));
        }
    }

    /// Lets the last of `count` values of each depth stand for those behind it.
    fn repeat_last(&self, (count, deep, to): (Val<'f>, Val<'f>, Val<'f>)) {
        let (code, p, s) = (self.code, self.packing, self.packing.shape);
        let (ir, width) = (code.ir, code.word(p.width.into()));
        let aligned = u32::try_from(s.vector_bytes()).unwrap_or(1);
        let end = ir.select(code.less(count, width), deep, code.word(0));
        code.each(code.word(0), end, code.word(1), &mut |k| {
            for n in 0..p.packed.values.len() {
                let row = self.place(to, k, n);
                let last = ir.gep(row, s.bytes, code.sub(count, code.word(1)));
                let last = ir.splat(ir.load(s.ty, last), s.lanes);
                for v in 0..p.width / s.lanes {
                    let behind = ir.lanes_between((count, width), v * s.lanes, (s.lanes, s.bytes));
                    ir.masked_store(last, ir.gep(row, s.vector_bytes(), code.word(v.into())), behind, aligned);
                }
            }
        });
    }

    fn value(&self, source: &Source, (elements, same): (&[Val<'f>], &[Val<'f>]), in_vectors: bool) -> Val<'f> {
        match source {
            Source::Element(n) => elements[*n],
            Source::Same(n) => same[*n],
            Source::Like(id, operands) => {
                let of = |s: &Source| self.value(s, (elements, same), in_vectors);
                let like = self.packing.like.value(*id);
                if in_vectors {
                    let operands: Vec<Val<'f>> = operands.iter().map(|(_, s)| of(s)).collect();
                    return self.code.ir.lanewise(like, &operands);
                }
                let operands: Vec<(u32, Val<'f>)> = operands.iter().map(|(k, s)| (*k, of(s))).collect();
                self.code.ir.clone_like(like, &operands)
            }
        }
    }
}
