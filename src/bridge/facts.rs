//! Reads what `analysis.cpp` wrote: LLVM's analyses of one function as owned [`FunctionFacts`].
//!
//! The numbers of tags and the order of words are those of `analysis.cpp`; an unknown tag reads as the least capable variant.

use crate::error::SourceLoc;
use crate::facts::{
    Alias, Block, FunctionFacts, Loop, Operation, Pred, Scev, ScevKind, Type, Update, Value, ValueKind,
};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use std::ffi::c_void;

/// Facts about a function with the LLVM handles that their ids stand for.
pub struct Facts {
    /// Owned facts.
    pub facts: FunctionFacts,
    /// Handle by [`ValueId`].
    pub values: Vec<LLVMValueRef>,
    /// Handle by [`BlockId`].
    pub blocks: Vec<LLVMBasicBlockRef>,
}

#[repr(C)]
struct RawFacts {
    words: *const u64,
    words_len: usize,
    bytes: *const u8,
    bytes_len: usize,
    values: *const LLVMValueRef,
    values_len: usize,
    blocks: *const LLVMBasicBlockRef,
    blocks_len: usize,
    owner: *mut c_void,
}

unsafe extern "C" {
    fn polyrs_facts_new(function: LLVMValueRef, fam: *mut c_void, with_names: u8, result: *mut RawFacts);
    fn polyrs_facts_free(facts: *mut RawFacts);
}

/// Whether value names are copied; they serve debug output only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Names stay empty.
    Drop,
    /// Names as in the IR.
    Keep,
}

/// Facts about `function` as LLVM's analyses have them now; they hold until its IR changes. `None`: the buffer could not be read.
///
/// # Safety
/// `function` is a function definition, `fam` the `FunctionAnalysisManager` of a running pass, both alive during the call.
#[must_use]
pub unsafe fn extract(function: LLVMValueRef, fam: *mut c_void, names: Names) -> Option<Facts> {
    let mut raw = RawFacts {
        words: std::ptr::null(),
        words_len: 0,
        bytes: std::ptr::null(),
        bytes_len: 0,
        values: std::ptr::null(),
        values_len: 0,
        blocks: std::ptr::null(),
        blocks_len: 0,
        owner: std::ptr::null_mut(),
    };
    // SAFETY: the caller keeps both handles valid; `raw` is a valid place for the result.
    unsafe { polyrs_facts_new(function, fam, u8::from(names == Names::Keep), &raw mut raw) };
    // SAFETY: the four ranges were filled above and live until the call of `polyrs_facts_free`.
    let read = unsafe {
        let reader = Reader {
            words: slice(raw.words, raw.words_len),
            at: 0,
            bytes: slice(raw.bytes, raw.bytes_len),
            files: Vec::new(),
        };
        reader.facts().map(|facts| Facts {
            facts,
            values: slice(raw.values, raw.values_len).to_vec(),
            blocks: slice(raw.blocks, raw.blocks_len).to_vec(),
        })
    };
    // SAFETY: `raw` came from `polyrs_facts_new` and nothing read from it is borrowed any more.
    unsafe { polyrs_facts_free(&raw mut raw) };
    read
}

/// The range as a slice; an empty range may have a null start.
///
/// # Safety
/// `start` points to `len` initialized items that outlive `'a`, unless `len` is 0.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(start, len) }
}

struct Reader<'a> {
    words: &'a [u64],
    at: usize,
    bytes: &'a [u8],
    files: Vec<String>,
}

const NONE: u64 = u64::MAX;

impl Reader<'_> {
    fn word(&mut self) -> Option<u64> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn index(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    fn id<T>(&mut self, make: fn(usize) -> T) -> Option<Option<T>> {
        let word = self.word()?;
        if word == NONE { Some(None) } else { Some(Some(make(usize::try_from(word).ok()?))) }
    }

    fn ids<T>(&mut self, count: usize, make: fn(usize) -> T) -> Option<Vec<T>> {
        (0..count).map(|_| self.index().map(make)).collect()
    }

    fn string(&mut self) -> Option<String> {
        let (start, len) = (self.index()?, self.index()?);
        let bytes = self.bytes.get(start..start.checked_add(len)?)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn location(&mut self) -> Option<SourceLoc> {
        let word = self.word()?;
        if word == NONE {
            return Some(SourceLoc::default());
        }
        let file = self.files.get((word >> 48) as usize).cloned().unwrap_or_default();
        Some(SourceLoc { file, line: low32(word >> 16), column: low32(word & 0xffff) })
    }

    fn facts(mut self) -> Option<FunctionFacts> {
        let (values, scevs, blocks) = (self.index()?, self.index()?, self.index()?);
        let (loops, files) = (self.index()?, self.index()?);
        let name = self.string()?;
        self.files = (0..files).map(|_| self.string()).collect::<Option<_>>()?;
        let mut facts = FunctionFacts {
            name,
            values: (0..values).map(|_| self.value()).collect::<Option<_>>()?,
            scevs: (0..scevs).map(|_| self.scev()).collect::<Option<_>>()?,
            blocks: (0..blocks).map(|_| self.block()).collect::<Option<_>>()?,
            loops: (0..loops).map(|_| self.lp()).collect::<Option<_>>()?,
            aliases: Vec::new(),
        };
        let pairs = self.index()?;
        facts.aliases = (0..pairs).map(|_| self.alias()).collect::<Option<_>>()?;
        facts.aliases.sort_unstable();
        add_users(&mut facts);
        Some(facts)
    }

    fn value(&mut self) -> Option<Value> {
        let head = self.word()?;
        let (tag, ty) = (head & 0xff, read_type(head >> 8));
        let block = self.id(BlockId::new)?;
        let name = self.string()?;
        let loc = self.location()?;
        let scev = self.id(ScevId::new)?;
        let mut value = Value {
            kind: ValueKind::Unsupported,
            ty,
            block,
            operands: Vec::new(),
            users: Vec::new(),
            scev,
            ptr_scev: None,
            base: None,
            offset: None,
            cmp_scevs: None,
            update: None,
            name,
            loc,
        };
        if block.is_some() {
            let count = self.index()?;
            value.operands = self.ids(count, ValueId::new)?;
        }
        value.kind = self.value_kind(tag, &mut value)?;
        Some(value)
    }

    fn value_kind(&mut self, tag: u64, value: &mut Value) -> Option<ValueKind> {
        let op = |k: usize| value.operands.get(k).copied();
        Some(match tag {
            0 => ValueKind::Argument,
            1 => ValueKind::Global,
            2 => ValueKind::Constant,
            3 => {
                let (ptr, bytes) = (op(0)?, low32(self.word()?));
                self.memory(value)?;
                ValueKind::Load { ptr, bytes }
            }
            4 => {
                let (ptr, stored, bytes) = (op(0)?, op(1)?, low32(self.word()?));
                self.memory(value)?;
                ValueKind::Store { ptr, value: stored, bytes }
            }
            5 => {
                let incoming = self.ids(value.operands.len(), BlockId::new)?;
                ValueKind::Phi(value.operands.iter().copied().zip(incoming).collect())
            }
            6 => {
                let pred = read_pred(self.word()?);
                let (lhs, rhs) = (self.id(ScevId::new)?, self.id(ScevId::new)?);
                value.cmp_scevs = lhs.zip(rhs);
                ValueKind::ICmp { pred, lhs: op(0)?, rhs: op(1)? }
            }
            7 => ValueKind::CondBr(op(0)?),
            8 => ValueKind::Br,
            9 => ValueKind::Ret,
            10 => ValueKind::Unreachable,
            11 => ValueKind::And(op(0)?, op(1)?),
            12 => ValueKind::Or(op(0)?, op(1)?),
            13 => ValueKind::Not(op(0)?),
            14 => {
                value.update = read_update(self.word()?);
                ValueKind::Pure
            }
            15 => ValueKind::Ignorable,
            16 => ValueKind::Call,
            18 => ValueKind::Local,
            _ => ValueKind::Unsupported,
        })
    }

    fn memory(&mut self, value: &mut Value) -> Option<()> {
        value.ptr_scev = self.id(ScevId::new)?;
        value.base = self.id(ValueId::new)?;
        value.offset = self.id(ScevId::new)?;
        Some(())
    }

    fn scev(&mut self) -> Option<Scev> {
        let head = self.word()?;
        let flag = |bit: u32| head >> bit & 1 == 1;
        let count = (head >> 44) as usize;
        let kind = match head & 0xff {
            0 => ScevKind::Const(self.word()?.cast_signed()),
            1 => ScevKind::Unknown(ValueId::new(self.index()?)),
            5 => {
                let lp = LoopId::new(self.index()?);
                ScevKind::AddRec { lp, ops: self.ids(count.checked_sub(1)?, ScevId::new)? }
            }
            tag => nary(tag, self.ids(count, ScevId::new)?),
        };
        Some(Scev {
            kind,
            bits: low32(head >> 8 & 0xffff_ffff),
            is_ptr: flag(40),
            nsw: flag(41),
            nuw: flag(42),
            nonneg: flag(43),
        })
    }

    fn block(&mut self) -> Option<Block> {
        let (count, first) = (self.index()?, self.index()?);
        let insts = (first..first.checked_add(count)?).map(ValueId::new).collect();
        let innermost = self.id(LoopId::new)?;
        let idom = self.id(BlockId::new)?;
        let ipdom = self.id(BlockId::new)?;
        let assumed_dead = self.word()? != 0;
        let succs = self.index()?;
        let succs = self.ids(succs, BlockId::new)?;
        let preds = self.index()?;
        let preds = self.ids(preds, BlockId::new)?;
        Some(Block { insts, succs, preds, innermost, idom, ipdom, assumed_dead })
    }

    fn lp(&mut self) -> Option<Loop> {
        let parent = self.id(LoopId::new)?;
        let header = BlockId::new(self.index()?);
        let latch = self.id(BlockId::new)?;
        let preheader = self.id(BlockId::new)?;
        let backedge_taken = self.id(ScevId::new)?;
        let iv_start = self.id(ScevId::new)?;
        let loc = self.location()?;
        let exiting = self.index()?;
        let exiting = self.ids(exiting, BlockId::new)?;
        Some(Loop { parent, header, latch, preheader, exiting, backedge_taken, iv_start, loc })
    }

    fn alias(&mut self) -> Option<(ValueId, ValueId, Alias)> {
        let (a, b) = (ValueId::new(self.index()?), ValueId::new(self.index()?));
        let answer = if self.word()? == 2 { Alias::Must } else { Alias::May };
        Some((a, b, answer))
    }
}

/// The low half; the writer keeps the high half empty or meaningless.
fn low32(word: u64) -> u32 {
    (word & 0xffff_ffff) as u32
}

fn nary(tag: u64, ops: Vec<ScevId>) -> ScevKind {
    match (tag, ops.as_slice()) {
        (2, _) => ScevKind::Add(ops),
        (3, _) => ScevKind::Mul(ops),
        (4, &[a, b]) => ScevKind::UDiv(a, b),
        (6, &[a]) => ScevKind::ZExt(a),
        (7, &[a]) => ScevKind::SExt(a),
        (8, &[a]) => ScevKind::Trunc(a),
        (9, &[a]) => ScevKind::PtrToInt(a),
        (10, _) => ScevKind::SMax(ops),
        (11, _) => ScevKind::SMin(ops),
        (12, _) => ScevKind::UMax(ops),
        (13, _) => ScevKind::UMin(ops),
        (14, _) => ScevKind::SeqUMin(ops),
        _ => ScevKind::CouldNotCompute,
    }
}

fn read_type(word: u64) -> Type {
    let bits = low32(word >> 8);
    match word & 0xff {
        0 => Type::Int(bits),
        1 => Type::Float(bits),
        2 => Type::Ptr,
        _ => Type::Other,
    }
}

fn read_pred(word: u64) -> Pred {
    match word {
        0 => Pred::Eq,
        1 => Pred::Ne,
        2 => Pred::Sgt,
        3 => Pred::Sge,
        4 => Pred::Slt,
        5 => Pred::Sle,
        6 => Pred::Ugt,
        7 => Pred::Uge,
        8 => Pred::Ult,
        _ => Pred::Ule,
    }
}

fn read_update(word: u64) -> Option<Update> {
    let has_infinities = word >> 16 & 1 == 0;
    let op = match word & 0xff {
        1 => Operation::Add,
        2 => Operation::Mul,
        3 => Operation::And,
        4 => Operation::Or,
        5 => Operation::Xor,
        6 => Operation::SMin,
        7 => Operation::SMax,
        8 => Operation::UMin,
        9 => Operation::UMax,
        10 => Operation::FAdd,
        11 => Operation::FMul,
        12 => Operation::FMin,
        13 => Operation::FMax,
        _ => return None,
    };
    let through = (0..8).filter(|k| word >> (8 + k) & 1 == 1).collect();
    Some(Update { op, through, has_infinities })
}

fn add_users(facts: &mut FunctionFacts) {
    for index in 0..facts.values.len() {
        let user = ValueId::new(index);
        for k in 0..facts.values[index].operands.len() {
            let used = facts.values[index].operands[k];
            let users = &mut facts.values[used.index()].users;
            if users.last() != Some(&user) {
                users.push(user);
            }
        }
    }
}
