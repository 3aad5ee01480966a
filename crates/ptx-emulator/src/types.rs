//! Instructions of PTX as the emulator runs them.
//!
//! Registers hold 64 bits each; an instruction's type says how many of them it looks at. Names are those of NVIDIA's
//! "Parallel Thread Execution ISA".

use std::collections::BTreeMap;

/// What bits mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Bits or an unsigned integer.
    Bits,
    /// A signed integer.
    Signed,
    /// A floating-point number.
    Float,
    /// A truth value.
    Pred,
}

/// Type of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    /// What the bits mean.
    pub kind: Kind,
    /// How many there are.
    pub bits: u32,
}

impl Type {
    /// The type of this name: `s32`, `b64`, `pred`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        if name == "pred" {
            return Some(Self { kind: Kind::Pred, bits: 1 });
        }
        let kind = match name.chars().next()? {
            'b' | 'u' => Kind::Bits,
            's' => Kind::Signed,
            'f' => Kind::Float,
            _ => return None,
        };
        let bits = name[1..].parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
        (kind != Kind::Float || bits >= 16).then_some(Self { kind, bits })
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.bits.max(8)) / 8
    }

    /// Bits of each of several parts of equal width.
    #[must_use]
    pub fn part_bits(self, parts: usize) -> u32 {
        self.bits / u32::try_from(parts).unwrap_or(1).max(1)
    }

    /// The low bits of `v`, the rest zero.
    #[must_use]
    pub fn cut(self, v: u64) -> u64 {
        if self.bits >= 64 { v } else { v & ((1 << self.bits) - 1) }
    }

    /// The low bits of `v` as a signed number.
    #[must_use]
    pub fn signed(self, v: u64) -> i64 {
        let unused = 64 - self.bits.min(64);
        (v << unused).cast_signed() >> unused
    }

    /// The low bits of `v`, extended to 64 as the kind says.
    #[must_use]
    pub fn extend(self, v: u64) -> u64 {
        if self.kind == Kind::Signed { self.signed(v).cast_unsigned() } else { self.cut(v) }
    }
}

/// Which memory an address is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Told by the address.
    Generic,
    /// Of the device.
    Global,
    /// Of a block.
    Shared,
    /// Of a thread.
    Local,
}

/// What is read before an instruction runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A register.
    Reg(usize),
    /// A constant.
    Const(u64),
    /// `%tid`, `%ntid`, `%ctaid`, `%nctaid` by number, with the dimension.
    Index(Index, usize),
}

/// Numbers of threads and blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Index {
    Thread,
    Threads,
    Block,
    Blocks,
    Lane,
}

/// Comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// One operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Neg,
    Abs,
    Sqrt,
    /// One over the operand.
    Reciprocal,
    Popc,
    Clz,
    Brev,
}

/// Two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    /// The low half; of floating-point numbers the product.
    Mul,
    MulHigh,
    /// Twice as many bits as the type says.
    MulWide,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// The second operand with the sign of the first.
    CopySign,
    /// Stores the second.
    Exchange,
}

/// Three operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Ternary {
    Mad,
    MadWide,
    Fma,
    /// Bits from a position on.
    Bfe,
    /// Four bytes out of eight.
    Prmt,
    /// 64 bits shifted, the high 32 of them; the number of bits modulo 32.
    FunnelLeft,
    /// The low 32.
    FunnelRight,
}

/// How a number becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Nothing,
    Load {
        space: Space,
        ty: Type,
        /// Need not see what this launch writes.
        constant: bool,
        to: Vec<Option<usize>>,
        at: Value,
        offset: i64,
    },
    Store {
        space: Space,
        ty: Type,
        from: Vec<Value>,
        at: Value,
        offset: i64,
    },
    /// From the parameters, at a byte.
    LoadParam {
        ty: Type,
        to: Vec<Option<usize>>,
        at: usize,
    },
    Atomic {
        space: Space,
        ty: Type,
        op: Binary,
        to: Option<usize>,
        at: Value,
        offset: i64,
        value: Value,
    },
    Move {
        ty: Type,
        to: usize,
        from: Value,
    },
    /// Parts of equal width, the lowest first, become one value.
    Pack {
        ty: Type,
        to: usize,
        from: Vec<Value>,
    },
    /// The other way round; nobody wants some of the parts.
    Unpack {
        ty: Type,
        to: Vec<Option<usize>>,
        from: Value,
    },
    Convert {
        to_ty: Type,
        from_ty: Type,
        integral: Option<Round>,
        to: usize,
        from: Value,
    },
    Unary {
        op: Unary,
        ty: Type,
        to: usize,
        a: Value,
    },
    Binary {
        op: Binary,
        ty: Type,
        to: usize,
        a: Value,
        b: Value,
    },
    Ternary {
        op: Ternary,
        ty: Type,
        to: usize,
        of: [Value; 3],
    },
    /// `unordered`: what it answers where an operand is not a number.
    Compare {
        cmp: Cmp,
        unordered: bool,
        ty: Type,
        to: usize,
        a: Value,
        b: Value,
        with: Option<(Binary, Value)>,
    },
    /// Whether both are numbers, or (`nan`) one is not.
    Numbers {
        nan: bool,
        ty: Type,
        to: usize,
        a: Value,
        b: Value,
    },
    Select {
        ty: Type,
        to: usize,
        a: Value,
        b: Value,
        cond: Value,
    },
    Branch {
        to: usize,
    },
    Barrier,
    Return,
    Trap,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    /// It runs where this register is true, or, with `true`, false.
    pub when: Option<(usize, bool)>,
    /// What it does.
    pub op: Op,
    /// Line of the text.
    pub line: usize,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// Bytes.
    pub bytes: usize,
    /// Its first byte among all parameters.
    pub at: usize,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// In order.
    pub params: Vec<Param>,
    /// Bytes of all parameters.
    pub param_bytes: usize,
    /// Number of registers.
    pub registers: usize,
    /// Bytes of a thread's own memory.
    pub local_bytes: usize,
    /// Bytes of a block's own memory.
    pub shared_bytes: usize,
    /// Instructions; jumps name their positions.
    pub code: Vec<Inst>,
}

/// A text of PTX.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// By name.
    pub kernels: BTreeMap<String, Kernel>,
    /// Lines of the text, for messages.
    pub lines: Vec<String>,
    /// Compute capability that it needs, in tenths.
    pub target: i32,
}
