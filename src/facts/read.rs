//! Reads the words that `bridge/analysis.cpp` wrote: LLVM's analyses of one function as owned [`FunctionFacts`].
//!
//! The numbers of tags and the order of words are those of `analysis.cpp`; an unknown tag reads as the least capable
//! variant. Each section begins with a magic word, so that two halves of different versions are found out.

use super::{
    Alias, Block, Costs, Counter, FunctionFacts, Heap, Hints, Loop, Operation, Pred, Scev, ScevKind, Type, Update,
    Value, ValueKind,
};
use crate::error::SourceLoc;
use crate::ids::{BlockId, LoopId, ScevId, ValueId};

/// The facts in `words`, with strings in `bytes`.
///
/// # Errors
/// What is wrong with the words: a sentence that names the section in which they end, or in front of which its magic
/// word is missing.
pub fn read(words: &[u64], bytes: &[u8]) -> Result<FunctionFacts, String> {
    let mut reader = Reader { words, at: 0, bytes, files: Vec::new(), section: "facts_01", misplaced: false };
    reader.facts().ok_or_else(|| {
        let why = if reader.misplaced { "does not begin where the reader expects it" } else { "ends too early" };
        format!("section '{}' of the facts {why}, at word {} of {}", reader.section, reader.at, words.len())
    })
}

struct Reader<'a> {
    words: &'a [u64],
    at: usize,
    bytes: &'a [u8],
    files: Vec<String>,
    /// Magic word of the section that is being read.
    section: &'static str,
    /// Whether another word stood in its place.
    misplaced: bool,
}

const NONE: u64 = u64::MAX;

impl Reader<'_> {
    fn word(&mut self) -> Option<u64> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    /// Begins the section with this magic word.
    fn section(&mut self, name: &'static str) -> Option<()> {
        self.section = name;
        let magic = name.bytes().fold(0, |word: u64, byte| word << 8 | u64::from(byte));
        self.misplaced = self.words.get(self.at).is_some_and(|word| *word != magic);
        if self.misplaced {
            return None;
        }
        self.word().map(|_| ())
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

    fn facts(&mut self) -> Option<FunctionFacts> {
        self.section("facts_01")?;
        let (values, scevs, blocks) = (self.index()?, self.index()?, self.index()?);
        let (loops, files) = (self.index()?, self.index()?);
        let name = self.string()?;
        self.files = (0..files).map(|_| self.string()).collect::<Option<_>>()?;
        let mut facts = FunctionFacts {
            name,
            values: self.all("values03", values, Self::value)?,
            scevs: self.all("scevs_01", scevs, Self::scev)?,
            blocks: self.all("blocks02", blocks, Self::block)?,
            loops: self.all("loops_04", loops, Self::lp)?,
            aliases: Vec::new(),
            uncompared: Vec::new(),
        };
        self.section("alias_02")?;
        let pairs = self.index()?;
        facts.aliases = (0..pairs).map(|_| self.alias()).collect::<Option<_>>()?;
        facts.aliases.sort_unstable();
        let uncompared = self.index()?;
        facts.uncompared = (0..uncompared).map(|_| self.index().map(ValueId::new)).collect::<Option<_>>()?;
        if self.at != self.words.len() {
            return None;
        }
        add_users(&mut facts);
        Some(facts)
    }

    /// A section of `count` items.
    fn all<T>(&mut self, section: &'static str, count: usize, item: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.section(section)?;
        (0..count).map(|_| item(self)).collect()
    }

    fn value(&mut self) -> Option<Value> {
        let head = self.word()?;
        let (tag, ty) = (head & 0xff, read_type(head >> 8));
        let block = self.id(BlockId::new)?;
        let name = self.string()?;
        let loc = self.location()?;
        let scev = self.id(ScevId::new)?;
        let object_bytes = Some(self.word()?).filter(|bytes| *bytes != u64::MAX);
        let mut value = Value {
            kind: ValueKind::Unsupported,
            ty,
            block,
            in_arm: false,
            operands: Vec::new(),
            users: Vec::new(),
            scev,
            object_bytes,
            ptr_scev: None,
            base: None,
            offset: None,
            cmp_scevs: None,
            costs: Costs::default(),
            update: None,
            lanewise: false,
            in_lanes: false,
            at_zero: None,
            heap: None,
            name,
            loc,
        };
        if block.is_some() {
            value.costs = self.costs()?;
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
                let word = self.word()?;
                value.lanewise = word & 1 == 1;
                value.in_lanes = word & 8 == 8;
                value.at_zero = (word & 2 == 2).then_some(word & 4 == 4);
                ValueKind::Pure
            }
            15 => ValueKind::Ignorable,
            16 => {
                value.heap = match self.word()? {
                    1 => Some(Heap::Allocates),
                    2 => Some(Heap::Frees),
                    _ => None,
                };
                ValueKind::Call
            }
            18 => ValueKind::Local,
            _ => ValueKind::Unsupported,
        })
    }

    fn costs(&mut self) -> Option<Costs> {
        let (scalar, vector) = (self.word()?, self.word()?);
        let known = |word: u64| Some(low32(word)).filter(|cost| *cost != u32::MAX);
        Some(Costs {
            throughput: known(scalar),
            latency: known(scalar >> 32),
            vector: known(vector),
            lanes: low32(vector >> 32),
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
        let never_returns = self.word()? != 0;
        let ends_on = match self.word()? {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        };
        let succs = self.index()?;
        let succs = self.ids(succs, BlockId::new)?;
        let preds = self.index()?;
        let preds = self.ids(preds, BlockId::new)?;
        Some(Block {
            insts,
            succs,
            preds,
            innermost,
            idom,
            ipdom,
            assumed_dead,
            never_returns,
            ends_on,
            boxed: None,
            holds: Vec::new(),
            skipped_from: Vec::new(),
        })
    }

    fn lp(&mut self) -> Option<Loop> {
        let parent = self.id(LoopId::new)?;
        let header = BlockId::new(self.index()?);
        let latch = self.id(BlockId::new)?;
        let preheader = self.id(BlockId::new)?;
        let backedge_taken = self.id(ScevId::new)?;
        let iv_start = self.id(ScevId::new)?;
        let ends = self.word()? != 0;
        let hints = self.word().and_then(hints_of)?;
        let loc = self.location()?;
        let counter = Counter { name: self.string()?, is_value: self.word()? != 0 };
        let exiting = self.index()?;
        let exiting = self.ids(exiting, BlockId::new)?;
        let boxed = false;
        Some(Loop {
            parent,
            header,
            latch,
            preheader,
            exiting,
            backedge_taken,
            iv_start,
            ends,
            hints,
            boxed,
            loc,
            counter,
        })
    }

    fn alias(&mut self) -> Option<(ValueId, ValueId, Alias)> {
        let (a, b) = (ValueId::new(self.index()?), ValueId::new(self.index()?));
        let answer = if self.word()? == 2 { Alias::Must } else { Alias::May };
        Some((a, b, answer))
    }
}

/// Hints of the source that pin a loop, as they are written; mirrors `Pins` in `hints.cpp`.
const PINS: [&str; 11] = [
    "llvm.loop.disable_nonforced",
    "distribute(enable)",
    "interleave_count",
    "pipeline_initiation_interval",
    "unroll_count",
    "unroll(enable)",
    "unroll(full)",
    "unroll_and_jam_count",
    "unroll_and_jam",
    "vectorize(enable)",
    "vectorize_width",
];

fn hints_of(word: u64) -> Option<Hints> {
    let pinned = match low32(word) >> 8 {
        0 => None,
        number => Some(*PINS.get(number as usize - 1)?),
    };
    let is = |bit: u64| word & bit != 0;
    Some(Hints { no_vectors: is(1), no_unrolling: is(2), no_interleaving: is(4), turns: is(8), sizes: is(16), pinned })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as the writer has them: magic words as text, numbers as they are.
    fn words(items: &[Result<u64, &str>]) -> Vec<u64> {
        let magic = |name: &str| name.bytes().fold(0, |word, byte| word << 8 | u64::from(byte));
        items.iter().map(|item| item.map_or_else(magic, |word| word)).collect()
    }

    /// A function `f` of one block with `ret` in it, which costs 1, and latency 2.
    fn smallest() -> Vec<u64> {
        let header = [Err("facts_01"), Ok(1), Ok(0), Ok(1), Ok(0), Ok(0), Ok(0), Ok(1)];
        let ret = [Err("values03"), Ok(9 | 3 << 8), Ok(0), Ok(0), Ok(0), Ok(NONE), Ok(NONE), Ok(NONE)];
        let ret = ret.into_iter().chain([Ok(1 | 2 << 32), Ok(u64::from(u32::MAX)), Ok(0)]);
        let block = [Err("blocks02"), Ok(1), Ok(0), Ok(NONE), Ok(NONE), Ok(NONE), Ok(0), Ok(0), Ok(0), Ok(0), Ok(0)];
        let rest = [Err("loops_04"), Err("alias_02"), Ok(0), Ok(0)];
        let all: Vec<_> = header.into_iter().chain(ret).chain([Err("scevs_01")]).chain(block).chain(rest).collect();
        words(&all)
    }

    #[test]
    fn the_smallest_function() {
        let facts = read(&smallest(), b"f").unwrap();
        assert_eq!((facts.name.as_str(), facts.blocks.len(), facts.values.len()), ("f", 1, 1));
        assert!(matches!(facts.values[0].kind, ValueKind::Ret));
        let costs = Costs { throughput: Some(1), latency: Some(2), vector: None, lanes: 0 };
        assert_eq!(facts.values[0].costs, costs);
    }

    #[test]
    fn a_word_too_many_is_found_at_the_next_section() {
        let mut words = smallest();
        let scevs = words.len() - 16;
        words.insert(scevs, 7);
        let message = read(&words, b"f").unwrap_err();
        assert!(message.contains("section 'scevs_01' of the facts does not begin where"), "{message}");
    }

    #[test]
    fn words_that_end_too_early_or_too_late_are_refused() {
        let words = smallest();
        for end in 0..words.len() {
            assert!(read(&words[..end], b"f").is_err(), "{end} words");
        }
        let longer: Vec<u64> = words.into_iter().chain([0]).collect();
        assert!(read(&longer, b"f").is_err());
    }

    #[test]
    fn another_version_is_refused() {
        let mut words = smallest();
        words[0] += 1;
        let message = read(&words, b"f").unwrap_err();
        assert!(message.contains("section 'facts_01' of the facts does not begin"), "{message}");
    }
}
