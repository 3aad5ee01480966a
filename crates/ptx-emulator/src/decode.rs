//! One instruction: its name with suffixes, and its operands.

use crate::types::{Binary, Cmp, Index, Kind, Op, Round, Space, Ternary, Type, Unary, Value};
use std::collections::HashMap;

/// What names stand for in a kernel.
pub struct Names {
    /// Registers.
    pub registers: HashMap<String, usize>,
    /// Bytes of each register; 0: of a predicate.
    pub bytes: Vec<u64>,
    /// First bytes of parameters.
    pub params: HashMap<String, usize>,
    /// Addresses of variables.
    pub symbols: HashMap<String, u64>,
    /// Positions of labels.
    pub labels: HashMap<String, usize>,
}

/// An instruction in parts.
struct Text<'t> {
    names: &'t Names,
    /// The name, and what follows behind dots.
    parts: Vec<&'t str>,
    operands: Vec<&'t str>,
}

/// Suffixes that change nothing here: the emulator has no caches, and rounds to nearest.
const SILENT: [&str; 19] = [
    "rn", "uni", "nc", "volatile", "relaxed", "weak", "gpu", "cta", "sys", "sync", "aligned", "to", "lo", "wide", "hi",
    "wrap", "mmio", "L1", "L2",
];

/// Reads an instruction.
///
/// # Errors
/// What is not understood.
pub fn decode(text: &str, names: &Names) -> Result<Op, String> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let text = Text { names, parts: name.split('.').collect(), operands: operands(rest) };
    text.is_known()?;
    match text.parts[0] {
        "ld" | "ldu" => text.load(),
        "st" => text.store(),
        "atom" | "red" => text.atomic(),
        "mov" if text.operand(0)?.starts_with('{') => text.unpack(),
        "mov" if text.operand(1)?.starts_with('{') => text.pack(),
        "mov" | "cvta" => Ok(Op::Move { ty: text.ty()?, to: text.to()?, from: text.value(1)? }),
        "cvt" => text.convert(),
        "setp" => text.compare(),
        "selp" => {
            let (a, b, cond) = (text.value(1)?, text.value(2)?, text.value(3)?);
            Ok(Op::Select { ty: text.ty()?, to: text.to()?, a, b, cond })
        }
        "bra" => Ok(Op::Branch { to: text.label(0)? }),
        "bar" | "barrier" => text.barrier(),
        "ret" | "exit" => Ok(Op::Return),
        "trap" => Ok(Op::Trap),
        "membar" | "fence" => Ok(Op::Nothing),
        _ => text.arithmetic(),
    }
}

/// Operands, separated by commas outside of brackets.
fn operands(text: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (k, c) in text.char_indices() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[start..k].trim());
                start = k + 1;
            }
            _ => {}
        }
    }
    all.push(text[start..].trim());
    all.retain(|operand| !operand.is_empty());
    all
}

impl Text<'_> {
    fn has(&self, part: &str) -> bool {
        self.parts[1..].contains(&part)
    }

    /// Whether every suffix has a meaning here.
    fn is_known(&self) -> Result<(), String> {
        const MEANT: [&str; 48] = [
            "v2", "v4", "global", "shared", "local", "param", "rzi", "rni", "rmi", "rpi", "eq", "ne", "lt", "le", "gt",
            "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "ls", "hs", "and", "or", "xor", "add", "min",
            "max", "exch", "inc", "dec", "cas", "l", "r", "u32", "idx", "rz", "acquire", "release", "acq_rel",
            "seq_cst", "proxy", "async", "clamp",
        ];
        let unknown = |part: &&&str| !SILENT.contains(*part) && !MEANT.contains(*part) && Type::of(part).is_none();
        match self.parts[1..].iter().find(unknown) {
            Some(part) => Err(format!("{part} is not understood")),
            None => Ok(()),
        }
    }

    /// The last type named.
    fn ty(&self) -> Result<Type, String> {
        self.parts.iter().rev().find_map(|part| Type::of(part)).ok_or_else(|| "no type".to_owned())
    }

    fn operand(&self, k: usize) -> Result<&str, String> {
        self.operands.get(k).copied().ok_or_else(|| format!("no operand {k}"))
    }

    fn register(&self, name: &str) -> Result<usize, String> {
        self.names.registers.get(name).copied().ok_or_else(|| format!("no register {name}"))
    }

    fn to(&self) -> Result<usize, String> {
        self.register(self.operand(0)?)
    }

    fn label(&self, k: usize) -> Result<usize, String> {
        let name = self.operand(k)?;
        self.names.labels.get(name).copied().ok_or_else(|| format!("no label {name}"))
    }

    fn value(&self, k: usize) -> Result<Value, String> {
        self.value_of(self.operand(k)?)
    }

    fn value_of(&self, text: &str) -> Result<Value, String> {
        if let Some(register) = self.names.registers.get(text) {
            return Ok(Value::Reg(*register));
        }
        if let Some(special) = text.strip_prefix('%') {
            return special_value(special).ok_or_else(|| format!("no register {text}"));
        }
        if let Some(address) = self.names.symbols.get(text) {
            return Ok(Value::Const(*address));
        }
        constant(text).map(Value::Const).ok_or_else(|| format!("{text} is not understood"))
    }

    /// `[%rd1+8]`, `[name+8]` or `[%rd1]`: what stands there, and the bytes behind it.
    fn address<'t>(&self, text: &'t str) -> Result<(&'t str, i64), String> {
        let inside =
            text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or_else(|| format!("{text}: no address"))?;
        match inside.split_once('+') {
            Some((base, offset)) => {
                let offset = offset.trim().parse().map_err(|_| format!("{text}: no address"))?;
                Ok((base.trim(), offset))
            }
            None => Ok((inside.trim(), 0)),
        }
    }

    /// `%r1` or `{%r1, %r2}`.
    fn several<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            Some(inside) => inside.split(',').map(str::trim).collect(),
            None => vec![text],
        }
    }

    fn pack(&self) -> Result<Op, String> {
        let from = self.several(self.operand(1)?).into_iter().map(|part| self.value_of(part));
        Ok(Op::Pack { ty: self.ty()?, to: self.to()?, from: from.collect::<Result<_, _>>()? })
    }

    fn unpack(&self) -> Result<Op, String> {
        let parts = self.several(self.operand(0)?).into_iter();
        let to = parts.map(|part| if part == "_" { Ok(None) } else { self.register(part).map(Some) });
        Ok(Op::Unpack { ty: self.ty()?, to: to.collect::<Result<_, _>>()?, from: self.value(1)? })
    }

    fn space(&self) -> Space {
        let named = [("global", Space::Global), ("shared", Space::Shared), ("local", Space::Local)];
        named.iter().find(|(name, _)| self.has(name)).map_or(Space::Generic, |(_, space)| *space)
    }

    fn targets(&self, text: &str) -> Result<Vec<Option<usize>>, String> {
        let target = |name: &str| if name == "_" { Ok(None) } else { self.register(name).map(Some) };
        self.several(text).into_iter().map(target).collect()
    }

    fn load(&self) -> Result<Op, String> {
        let to = self.targets(self.operand(0)?)?;
        let (base, offset) = self.address(self.operand(1)?)?;
        let ty = self.ty()?;
        if self.has("param") {
            let first = self.names.params.get(base).ok_or_else(|| format!("no parameter {base}"))?;
            let at = usize::try_from(*first as i64 + offset).map_err(|_| "no such parameter".to_owned())?;
            return Ok(Op::LoadParam { ty, to, at });
        }
        let constant = self.has("nc");
        Ok(Op::Load { space: self.space(), ty, constant, to, at: self.value_of(base)?, offset })
    }

    /// Whether a store takes the low bytes of a wider register (there is none of one byte). The language has that, but
    /// NVIDIA's assembler up to 13.0 converts to an integer what came out of floating-point arithmetic.
    fn is_cut(&self, name: &str) -> bool {
        let bytes = self.names.registers.get(name).map_or(0, |register| self.names.bytes[*register]);
        self.ty().is_ok_and(|ty| bytes > ty.bytes().max(2))
    }

    fn store(&self) -> Result<Op, String> {
        if self.has("param") {
            return Err("a call".to_owned());
        }
        let (base, offset) = self.address(self.operand(0)?)?;
        let values = self.several(self.operand(1)?);
        if let Some(wide) = values.iter().find(|name| self.is_cut(name)) {
            return Err(format!("a store of a part of {wide}, of which assemblers convert the number"));
        }
        let from = values.into_iter().map(|v| self.value_of(v)).collect::<Result<_, _>>()?;
        Ok(Op::Store { space: self.space(), ty: self.ty()?, from, at: self.value_of(base)?, offset })
    }

    fn atomic(&self) -> Result<Op, String> {
        let returns = self.parts[0] == "atom";
        let first = usize::from(returns);
        let to = if returns { self.targets(self.operand(0)?)?.into_iter().next().flatten() } else { None };
        let (base, offset) = self.address(self.operand(first)?)?;
        let named = [
            ("add", Binary::Add),
            ("min", Binary::Min),
            ("max", Binary::Max),
            ("and", Binary::And),
            ("or", Binary::Or),
            ("xor", Binary::Xor),
            ("exch", Binary::Exchange),
        ];
        let op = named.iter().find(|(name, _)| self.has(name)).ok_or("an operation that is not understood")?.1;
        let (at, value) = (self.value_of(base)?, self.value(first + 1)?);
        Ok(Op::Atomic { space: self.space(), ty: self.ty()?, op, to, at, offset, value })
    }

    /// A barrier for all threads of the block.
    fn barrier(&self) -> Result<Op, String> {
        match (self.operands.len(), self.value(0)?) {
            (1, Value::Const(0)) => Ok(Op::Barrier),
            _ => Err("a barrier that is not for the whole block".to_owned()),
        }
    }

    fn convert(&self) -> Result<Op, String> {
        let types: Vec<Type> = self.parts.iter().filter_map(|part| Type::of(part)).collect();
        let [to_ty, from_ty] = types[..] else { return Err("two types are needed".to_owned()) };
        let named = [("rzi", Round::Zero), ("rni", Round::Nearest), ("rmi", Round::Down), ("rpi", Round::Up)];
        let integral = named.iter().find(|(name, _)| self.has(name)).map(|(_, how)| *how);
        if self.has("rz") {
            return Err("rz is not understood".to_owned());
        }
        Ok(Op::Convert { to_ty, from_ty, integral, to: self.to()?, from: self.value(1)? })
    }

    fn compare(&self) -> Result<Op, String> {
        let (ty, to, a, b) = (self.ty()?, self.to()?, self.value(1)?, self.value(2)?);
        let name = self.parts.get(1).copied().unwrap_or_default();
        if name == "num" || name == "nan" {
            return Ok(Op::Numbers { nan: name == "nan", ty, to, a, b });
        }
        let (name, unordered) = match name.strip_suffix('u') {
            Some(ordered) => (ordered, true),
            None => (name, false),
        };
        let cmp = match name {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" | "lo" => Cmp::Lt,
            "le" | "ls" => Cmp::Le,
            "gt" | "hi" => Cmp::Gt,
            "ge" | "hs" => Cmp::Ge,
            other => return Err(format!("{other} is not understood")),
        };
        // Not equal is what holds of what is no number; `ne` asks for numbers besides.
        let with = match self.parts.get(2).copied() {
            Some("and") => Some((Binary::And, self.value(3)?)),
            Some("or") => Some((Binary::Or, self.value(3)?)),
            Some("xor") => Some((Binary::Xor, self.value(3)?)),
            _ => None,
        };
        Ok(Op::Compare { cmp, unordered, ty, to, a, b, with })
    }

    fn arithmetic(&self) -> Result<Op, String> {
        let name = self.parts[0];
        let (ty, to) = (self.ty()?, self.to()?);
        let has_mode = self.has("rz") || self.has("rmi") || self.has("rpi");
        if has_mode {
            return Err("another rounding".to_owned());
        }
        let one = |op| Ok(Op::Unary { op, ty, to, a: self.value(1)? });
        let two = |op| Ok(Op::Binary { op, ty, to, a: self.value(1)?, b: self.value(2)? });
        let three = |op| {
            let of = [self.value(1)?, self.value(2)?, self.value(3)?];
            Ok(Op::Ternary { op, ty, to, of })
        };
        let is_float = ty.kind == Kind::Float;
        if is_float && ty.bits == 16 && !["neg", "abs", "add", "sub", "mul"].contains(&name) {
            return Err(format!("{name} of half precision is not understood"));
        }
        match (name, is_float) {
            ("not", false) => one(Unary::Not),
            ("neg", _) => one(Unary::Neg),
            ("abs", _) => one(Unary::Abs),
            ("sqrt", true) => one(Unary::Sqrt),
            ("rcp", true) => one(Unary::Reciprocal),
            ("popc", false) => one(Unary::Popc),
            ("clz", false) => one(Unary::Clz),
            ("brev", false) => one(Unary::Brev),
            ("add", _) => two(Binary::Add),
            ("sub", _) => two(Binary::Sub),
            ("mul", false) if self.has("hi") => two(Binary::MulHigh),
            ("mul", false) if self.has("wide") => two(Binary::MulWide),
            ("mul", _) => two(Binary::Mul),
            ("div", _) => two(Binary::Div),
            ("rem", false) => two(Binary::Rem),
            ("min", _) => two(Binary::Min),
            ("max", _) => two(Binary::Max),
            ("and", false) => two(Binary::And),
            ("or", false) => two(Binary::Or),
            ("xor", false) => two(Binary::Xor),
            ("shl", false) => two(Binary::Shl),
            ("shr", false) => two(Binary::Shr),
            ("copysign", true) => two(Binary::CopySign),
            ("mad", false) if self.has("wide") => three(Ternary::MadWide),
            ("mad", false) if self.has("lo") => three(Ternary::Mad),
            ("fma", true) => three(Ternary::Fma),
            ("bfe", false) => three(Ternary::Bfe),
            ("prmt", false) => three(Ternary::Prmt),
            ("shf", false) if self.has("wrap") && self.has("l") => three(Ternary::FunnelLeft),
            ("shf", false) if self.has("wrap") && self.has("r") => three(Ternary::FunnelRight),
            _ => Err(format!("{name} is not understood")),
        }
    }
}

fn special_value(name: &str) -> Option<Value> {
    let (name, dim) = name.split_once('.').unwrap_or((name, "x"));
    let index = match name {
        "tid" => Index::Thread,
        "ntid" => Index::Threads,
        "ctaid" => Index::Block,
        "nctaid" => Index::Blocks,
        "laneid" => Index::Lane,
        _ => return None,
    };
    Some(Value::Index(index, ["x", "y", "z"].iter().position(|d| *d == dim)?))
}

/// `12`, `-3`, `0x1f`, `0x3340U`, `0f3f800000`, `0d3ff0000000000000`.
fn constant(text: &str) -> Option<u64> {
    if let Some(bits) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0d")) {
        return u64::from_str_radix(bits, 16).ok();
    }
    let whole = text.strip_suffix('U').unwrap_or(text);
    if let Some(bits) = whole.strip_prefix("0x") {
        return u64::from_str_radix(bits, 16).ok();
    }
    whole.parse::<i64>().map(i64::cast_unsigned).or_else(|_| whole.parse::<u64>()).ok()
}

#[cfg(test)]
mod tests {
    use super::constant;

    #[test]
    fn constants() {
        let read = ["12", "-3", "0x1f", "0x3340U", "7U", "0f3f800000", "0d3ff0000000000000", "x", "U"].map(constant);
        let double = 1.0_f64.to_bits();
        let whole = [12, (-3_i64).cast_unsigned(), 0x1f, 0x3340, 7, 0x3f80_0000, double].map(Some);
        assert_eq!(read, [&whole[..], &[None, None]].concat()[..]);
    }
}
