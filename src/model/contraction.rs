//! Contractions: statements that add to each element of one array what they make of elements of others, in three
//! loops of which each of the others misses one, as matrix products do.
//!
//! In: accesses as linear forms of the loops, whatever the arrays' numbers of dims, and the instructions. Out: which
//! loop is which, and the arithmetic in parts: what depends on rows, what depends on columns, and what is done to both.
//! Sources: the pattern is that of Gareev, Grosser, Kruse, ACM TACO 15(3), 2018, and of the tensor contractions of
//! Springer, Bientinesi, ACM TOMS 44(3), 2018; here an expression of any lane-wise operations takes the place of the
//! product.

use crate::facts::{FunctionFacts, Type, ValueKind};
use crate::ids::{StmtId, ValueId};
use crate::model::{Access, AccessKind, ArrayKind, Scop, Stmt};
use presburger::Kind;

/// Operations of one statement beyond which it is no contraction: the operands of all are in registers.
const MAX_OPERATIONS: usize = 8;

/// Loops of a contraction, as dims of its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// Moves what is updated, and not along neighbours.
    pub rows: usize,
    /// Moves what is updated, from one neighbour to the next if any loop does.
    pub columns: usize,
    /// Leaves what is updated where it is.
    pub depth: usize,
    /// Whether columns lie side by side.
    pub is_dense: bool,
    /// Position of a read of what is updated among the accesses.
    pub read: usize,
    /// Position of a write of it.
    pub write: usize,
}

/// Packed copies that a contraction makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Whose they are.
    pub stmt: StmtId,
    /// For each loop twice the number of its iterations, in the middle of the loops around it: `[params | 1]`.
    pub trips: Vec<Vec<i64>>,
    /// Dims of rows, columns and depth, and the most of each that is packed at a time.
    pub most: [(usize, i64); 3],
    /// Bytes of a row and of a column of depth 1.
    pub bytes: [i64; 2],
    /// What they take, where they are the whole statement.
    pub costs: Option<Costs>,
}

/// What a contraction in tiles takes, in [`Costs::UNITS`] per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Rows and columns of a tile; one at the edge takes as long as a whole one.
    pub tile: [i64; 2],
    /// A tile of depth 1.
    pub work: i64,
    /// A tile besides that.
    pub call: i64,
    /// An element that is packed for rows, and for columns.
    pub packed: [i64; 2],
    /// An element of a tile at the edge.
    pub at_edge: i64,
    /// The whole besides that.
    pub entry: i64,
    /// Most that the original takes per update, with its data in the first-level cache.
    pub original: i64,
}

impl Costs {
    /// Parts of a cycle that are told apart.
    pub const UNITS: i64 = 256;
    /// Largest number of rows, of columns and depth that is told from others: products of all fit 64 bits.
    pub const MOST: i64 = 1 << 10;
    /// Hundredths that the original must take for each of the new code's.
    pub const LEAST_PERCENT: i64 = 150;

    /// Whether so many rows and columns of this depth take less than the original, which takes so long per update.
    #[must_use]
    pub fn pay(&self, original: i64, sizes: [i64; 3]) -> bool {
        let [original, made] = self.weigh(&AtOnce, original, sizes.map(|n| n.max(0)));
        original >= made
    }

    /// Updates below which [`Costs::pay`] never holds.
    #[must_use]
    pub fn least_updates(&self, original: i64) -> i64 {
        let of_one = 100 * original.min(self.original).max(1);
        (self.entry + self.call) * Self::LEAST_PERCENT / of_one
    }

    /// What is compared for that, the original's side first, by whatever calculates; none of the sizes is below 0.
    pub fn weigh<C: Calculator>(&self, calc: &C, original: i64, sizes: [C::Number; 3]) -> [C::Number; 2] {
        let apply = |op: Op| move |a: C::Number, b: C::Number| calc.apply(op, a, b);
        let (add, sub, mul, div) = (apply(Op::Add), apply(Op::Sub), apply(Op::Mul), apply(Op::Div));
        let known = |n: i64| calc.known(n);
        let sizes = sizes.map(|n| calc.apply(Op::Min, n, known(Self::MOST)));
        let [rows, columns, depth] = sizes;
        let tiles = |k: usize| div(add(sizes[k], known(self.tile[k] - 1)), known(self.tile[k]));
        let whole = |k: usize| mul(div(sizes[k], known(self.tile[k])), known(self.tile[k]));
        let elements = mul(rows, columns);
        let in_tiles = mul(mul(tiles(0), tiles(1)), add(mul(depth, known(self.work)), known(self.call)));
        let packed = mul(add(mul(rows, known(self.packed[0])), mul(columns, known(self.packed[1]))), depth);
        let at_edge = mul(sub(elements, mul(whole(0), whole(1))), known(self.at_edge));
        let made = add(add(in_tiles, packed), add(at_edge, known(self.entry)));
        let original = mul(mul(elements, depth), known(100 * original.min(self.original)));
        [original, mul(made, known(Self::LEAST_PERCENT))]
    }
}

/// What is done with two whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Their sum.
    Add,
    /// Their difference.
    Sub,
    /// Their product.
    Mul,
    /// The quotient, rounded down, of a number that is not negative and a positive one.
    Div,
    /// The smaller one.
    Min,
}

/// Calculates with whole numbers of 64 bits: at once, or in code that runs later.
pub trait Calculator {
    /// A number.
    type Number: Copy;
    /// One that is known.
    fn known(&self, n: i64) -> Self::Number;
    /// What becomes of two.
    fn apply(&self, op: Op, a: Self::Number, b: Self::Number) -> Self::Number;
}

/// Calculates at once.
struct AtOnce;

impl Calculator for AtOnce {
    type Number = i64;

    fn known(&self, n: i64) -> i64 {
        n
    }

    fn apply(&self, op: Op, a: i64, b: i64) -> i64 {
        match op {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div => a / b,
            Op::Min => a.min(b),
        }
    }
}

/// Contractions that have copies in memory that the program may not have used before. The operating system makes such
/// memory when it is touched, which takes longer than small contractions gain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// What is copied.
    pub copies: Vec<Copies>,
    /// Updates that gain what one KiB of such memory costs.
    pub updates_per_kib: i64,
    /// What the original takes per update, in [`Costs::UNITS`] per cycle; `None` where copies pay for all sizes that
    /// new code runs with.
    pub original: Option<i64>,
}

/// An access with its subscripts as forms `[params | dims | 1]`.
struct Form<'a> {
    access: &'a Access,
    subscripts: Vec<Vec<i64>>,
    params: usize,
}

impl Form<'_> {
    fn moves(&self, dim: usize) -> bool {
        self.subscripts.iter().any(|s| s[self.params + dim] != 0)
    }

    /// Whether the next value of the dim leads to the next element.
    fn is_unit(&self, dim: usize) -> bool {
        let Some((last, outer)) = self.subscripts.split_last() else { return false };
        last[self.params + dim] == 1 && outer.iter().all(|s| s[self.params + dim] == 0)
    }
}

/// The loops of a contraction among `inner` dims of a statement, which may be run in any order; `None` where it is
/// none: where it writes more than one element of one array, reads that array elsewhere or a value that is in no array,
/// or reads an element that both rows and columns move, or where the depth is not the same for all rows and columns.
#[must_use]
pub fn contraction(scop: &Scop, stmt: &Stmt, inner: &[usize]) -> Option<Contraction> {
    let params = scop.params.len();
    let found = among(scop, stmt, inner)?;
    let holds = is_apart(stmt, &found) && has_depth(stmt, params, [found.rows, found.columns, found.depth]);
    holds.then_some(found)
}

/// Whether no element is read of the array that is written but the one that is updated.
fn is_apart(stmt: &Stmt, of: &Contraction) -> bool {
    let updated = &stmt.accesses[of.write];
    stmt.accesses.iter().all(|a| a.array != updated.array || is_updated(a, updated))
}

/// The loops of a contraction of those instances of a statement whose depth is the same for all rows and columns, none
/// of which writes an element that one of them reads besides the one it updates; what is read may be of the array that
/// is written. `None` as for [`contraction`].
#[must_use]
pub fn among(scop: &Scop, stmt: &Stmt, inner: &[usize]) -> Option<Contraction> {
    if stmt.body.branches() {
        return None;
    }
    let params = scop.params.len();
    let forms: Option<Vec<Form<'_>>> = stmt.accesses.iter().map(|access| form(access, params)).collect();
    let forms = forms?;
    let is_write = |f: &&Form<'_>| f.access.kind != AccessKind::Read;
    let write = forms.iter().position(|f| is_write(&f))?;
    let updated = &forms[write];
    let is_updated = |f: &Form<'_>| f.access.array == updated.access.array && f.subscripts == updated.subscripts;
    let is_whole = |f: &Form<'_>| f.access.kind == AccessKind::MustWrite && is_updated(f);
    let read = forms.iter().position(|f| !is_write(&f) && is_updated(f))?;
    let operands = forms.iter().filter(|f| !is_write(f) && !is_updated(f));
    let operands: Vec<&Form<'_>> = operands.collect();
    let is_mapped = |f: &&Form<'_>| f.access.carries.is_some();
    let in_memory = |f: &Form<'_>| scop.array(f.access.array).is_memory() && !scop.array(f.access.array).is_rows();
    let is_one = forms.iter().filter(is_write).all(is_whole);
    if !is_one || operands.iter().any(is_mapped) || !forms.iter().all(in_memory) {
        return None;
    }
    let depth = inner.iter().rev().copied().find(|d| !updated.moves(*d) && operands.iter().any(|f| f.moves(*d)))?;
    let mut free: Vec<usize> = inner.iter().copied().filter(|d| updated.moves(*d)).collect();
    free.sort_by_key(|d| !updated.is_unit(*d));
    let pairs = free.iter().flat_map(|c| free.iter().rev().filter(move |r| *r != c).map(move |r| (*r, *c)));
    let splits = |(rows, columns): &(usize, usize)| {
        let sides = |f: &&&Form<'_>| (f.moves(*rows), f.moves(*columns));
        let has = |side| operands.iter().any(|f| sides(&f) == side);
        has((true, false)) && has((false, true)) && !has((true, true))
    };
    let (rows, columns) = pairs.into_iter().find(splits)?;
    let is_dense = updated.is_unit(columns);
    // Where updates may change places, nothing else tells that no two pairs of row and column share an element.
    let alone =
        |dim: usize, other: usize| updated.subscripts.iter().any(|s| s[params + dim] != 0 && s[params + other] == 0);
    let is_own = stmt.reduction.is_none() || (alone(rows, columns) && alone(columns, rows));
    is_own.then_some(Contraction { rows, columns, depth, is_dense, read, write })
}

/// Whether an access touches what is updated, as `updated` does.
fn is_updated(access: &Access, updated: &Access) -> bool {
    access.array == updated.array && access.subscripts() == updated.subscripts()
}

fn form(access: &Access, params: usize) -> Option<Form<'_>> {
    Some(Form { access, subscripts: access.subscripts()?, params })
}

/// Whether each row has columns from one bound to another, both affine, and all updates have one depth: no constraint
/// on the instances ties the depth to rows or columns, and at most one below and one above ties columns to rows.
fn has_depth(stmt: &Stmt, params: usize, [rows, columns, depth]: [usize; 3]) -> bool {
    let [basic] = stmt.domain.basics() else { return false };
    let Ok(constraints) = basic.rows_i64() else { return false };
    let of = |row: &[i64], dim: usize| row[params + dim];
    let is_tied = |row: &&Vec<i64>| of(row, rows) != 0 && of(row, columns) != 0;
    let is_apart = constraints.iter().all(|(_, r)| of(r, depth) == 0 || (of(r, rows) == 0 && of(r, columns) == 0));
    let tied: Vec<(Kind, i64)> =
        constraints.iter().filter(|(_, row)| is_tied(&row)).map(|(kind, row)| (*kind, of(row, columns))).collect();
    let count = |by: i64| tied.iter().filter(|one| **one == (Kind::Ge, by)).count();
    basic.n_exists() == 0 && is_apart && count(1) <= 1 && count(-1) <= 1 && count(1) + count(-1) == tied.len()
}

/// The number of reads that rows move, and that columns move.
#[must_use]
pub fn operand_counts(stmt: &Stmt, of: &Contraction, params: usize) -> (u32, u32) {
    let reads = stmt.accesses.iter().enumerate().filter(|(k, a)| *k != of.read && a.kind == AccessKind::Read);
    let forms: Vec<Form<'_>> = reads.filter_map(|(_, a)| form(a, params)).collect();
    let count = |side: (bool, bool)| {
        let same = |f: &&Form<'_>| (f.moves(of.rows), f.moves(of.columns)) == side;
        u32::try_from(forms.iter().filter(same).count()).unwrap_or(u32::MAX)
    };
    (count((true, false)), count((false, true)))
}

/// A value in the arithmetic of a contraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// What is updated.
    Old,
    /// This one of the values that columns leave as they are.
    Row(usize),
    /// This one of the values that rows leave as they are.
    Column(usize),
    /// This one of the values that are the same all the time.
    Uniform(usize),
    /// A lane-wise operation like that of an instruction.
    Operation(ValueId, Vec<Term>),
}

/// The arithmetic of a contraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Values that columns leave as they are.
    pub rows: Vec<ValueId>,
    /// Values that rows leave as they are.
    pub columns: Vec<ValueId>,
    /// Values that are the same all the time.
    pub uniform: Vec<ValueId>,
    /// What is written.
    pub new: Term,
}

/// The arithmetic of a contraction in parts; `None` where it is no lane-wise arithmetic in the type of what is updated.
#[must_use]
pub fn formula(facts: &FunctionFacts, scop: &Scop, stmt: &Stmt, of: &Contraction) -> Option<Formula> {
    let written = |a: &&Access| a.kind != AccessKind::Read;
    let bits = match facts.value(stmt.accesses[of.read].inst).ty {
        Type::Float(bits) | Type::Int(bits) => bits,
        Type::Ptr | Type::Other => return None,
    };
    if bits != scop.array(stmt.accesses[of.write].array).elem_bytes * 8 {
        return None;
    }
    let mut reader = Reader { facts, scop, stmt, of, operations: 0, formula: None };
    let mut news = stmt.accesses.iter().filter(written).map(|a| reader.new_value(a));
    let new = news.next()??;
    if !news.all(|other| other == Some(new)) {
        return None;
    }
    reader.formula = Some(Formula { rows: Vec::new(), columns: Vec::new(), uniform: Vec::new(), new: Term::Old });
    let term = reader.term(new)?;
    let formula = reader.formula.take()?;
    let is_update = term != Term::Old && !formula.rows.is_empty() && !formula.columns.is_empty();
    is_update.then_some(Formula { new: term, ..formula })
}

/// What a value depends on.
#[derive(Clone, Copy, Default)]
struct Moves {
    old: bool,
    rows: bool,
    columns: bool,
    depth: bool,
}

struct Reader<'a> {
    facts: &'a FunctionFacts,
    scop: &'a Scop,
    stmt: &'a Stmt,
    of: &'a Contraction,
    operations: usize,
    formula: Option<Formula>,
}

impl Reader<'_> {
    fn is_inside(&self, value: ValueId) -> bool {
        self.facts.value(value).block.is_some_and(|b| self.scop.region.blocks.contains(&b))
    }

    fn copied(&self, value: ValueId) -> ValueId {
        self.facts.copied_from(value, |v| self.is_inside(v))
    }

    /// The value that an access writes.
    fn new_value(&self, write: &Access) -> Option<ValueId> {
        let value = match write.carries.map(|a| self.scop.array(a).kind) {
            Some(ArrayKind::Value { def }) => def,
            Some(ArrayKind::Phi { .. }) => write.inst,
            Some(_) => return None,
            None => match self.facts.value(write.inst).kind {
                ValueKind::Store { value, .. } => value,
                _ => return None,
            },
        };
        Some(self.copied(value))
    }

    fn ty(&self) -> Type {
        self.facts.value(self.stmt.accesses[self.of.read].inst).ty
    }

    /// What a value depends on, through no more than so many instructions in a row; `None` where that is not known.
    fn moves(&self, value: ValueId, steps: usize) -> Option<Moves> {
        let value = self.copied(value);
        let updated = &self.stmt.accesses[self.of.write];
        let read = self.stmt.accesses.iter().find(|a| a.kind == AccessKind::Read && a.inst == value);
        if let Some(read) = read {
            let form = form(read, self.scop.params.len())?;
            return Some(Moves {
                old: is_updated(read, updated),
                rows: form.moves(self.of.rows),
                columns: form.moves(self.of.columns),
                depth: form.moves(self.of.depth),
            });
        }
        if !self.is_inside(value) {
            return Some(Moves::default());
        }
        let of = self.facts.value(value);
        if !matches!(of.kind, ValueKind::Pure) || !self.stmt.body.insts().contains(&value) || steps == 0 {
            return None;
        }
        of.operands.iter().try_fold(Moves::default(), |all, operand| {
            let own = self.moves(*operand, steps - 1)?;
            Some(Moves {
                old: all.old || own.old,
                rows: all.rows || own.rows,
                columns: all.columns || own.columns,
                depth: all.depth || own.depth,
            })
        })
    }

    fn term(&mut self, value: ValueId) -> Option<Term> {
        let value = self.copied(value);
        let (ty, moves) = (self.ty(), self.moves(value, MAX_OPERATIONS)?);
        let of = self.facts.value(value);
        let updated = &self.stmt.accesses[self.of.write];
        let is_old = |a: &Access| a.kind == AccessKind::Read && is_updated(a, updated);
        if self.stmt.accesses.iter().any(|a| is_old(a) && a.inst == value) {
            return (of.ty == ty).then_some(Term::Old);
        }
        let formula = self.formula.as_mut()?;
        let place = |list: &mut Vec<ValueId>| {
            list.iter().position(|v| *v == value).unwrap_or_else(|| {
                list.push(value);
                list.len() - 1
            })
        };
        if !(moves.old || moves.rows && moves.columns) {
            return (of.ty == ty).then(|| match moves {
                Moves { columns: true, .. } => Term::Column(place(&mut formula.columns)),
                Moves { rows: false, depth: false, .. } => Term::Uniform(place(&mut formula.uniform)),
                _ => Term::Row(place(&mut formula.rows)),
            });
        }
        self.operations += 1;
        if !of.lanewise || of.ty != ty || self.operations > MAX_OPERATIONS {
            return None;
        }
        let operands = of.operands.iter().filter(|v| self.facts.value(**v).ty == ty);
        let operands: Vec<ValueId> = operands.copied().collect();
        let terms = operands.into_iter().map(|v| self.term(v)).collect::<Option<Vec<_>>>()?;
        Some(Term::Operation(value, terms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::{self, CUBE};

    /// Rows, columns, depth of a statement, if it is a contraction.
    fn loops(scop: &Scop, stmt: usize) -> Option<[usize; 3]> {
        let stmt = &scop.stmts[stmt];
        let dims: Vec<usize> = (0..stmt.dims()).collect();
        contraction(scop, stmt, &dims).map(|c| [c.rows, c.columns, c.depth])
    }

    /// The product `Arr0[c] += Arr1[a] * Arr2[b]`.
    fn product(c: &str, a: &str, b: &str, domain: &str) -> Scop {
        fixtures::product(&format!("Arr0[{c}]"), &format!("Arr1[{a}]"), &format!("Arr2[{b}]"), domain)
    }

    #[test]
    fn products_are_contractions_whatever_is_transposed() {
        for (a, b) in [("i, k", "k, j"), ("k, i", "k, j"), ("i, k", "j, k"), ("k, i", "j, k")] {
            assert_eq!(loops(&product("i, j", a, b, CUBE), 0), Some([0, 1, 2]), "{a} {b}");
            assert_eq!(loops(&product("j, i", a, b, CUBE), 0), Some([1, 0, 2]), "{a} {b}");
        }
        assert_eq!(loops(&fixtures::scop("gemm"), 1), Some([0, 2, 1]));
        assert_eq!(loops(&fixtures::scop("gemm"), 0), None);
    }

    #[test]
    fn elements_that_both_rows_and_columns_move_and_depths_that_differ_are_not() {
        assert_eq!(loops(&product("i, j", "i, j", "k, j", CUBE), 0), None);
        assert_eq!(loops(&product("i, j", "i, k", "i, k", CUBE), 0), None);
        assert_eq!(loops(&product("i, j", "i, k", "k, j", "0 <= i < N and 0 <= j < N and 0 <= k <= i"), 0), None);
    }

    #[test]
    fn triangles_are() {
        let below = "0 <= i < N and 0 <= j <= i and 0 <= k < N";
        assert_eq!(loops(&product("i, j", "i, k", "j, k", below), 0), Some([0, 1, 2]));
        let above = "0 <= i < N and i < j < N and 0 <= k < N";
        assert_eq!(loops(&product("i, j", "k, i", "k, j", above), 0), Some([0, 1, 2]));
        let every_second = "0 <= i < N and 0 <= 2 * j <= i and 0 <= k < N";
        assert_eq!(loops(&product("i, j", "i, k", "j, k", every_second), 0), None);
        assert_eq!(loops(&fixtures::scop("syrk"), 1), Some([0, 2, 1]));
    }
}
