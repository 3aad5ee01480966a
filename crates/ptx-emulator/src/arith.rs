//! What instructions compute. Rounding is to nearest, ties to even, subnormal numbers are kept, as the host's own
//! arithmetic does both.

use crate::half;
use crate::types::{Binary, Cmp, Kind, Round, Ternary, Type, Unary};

fn f32_of(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

fn f64_of(v: u64) -> f64 {
    f64::from_bits(v)
}

/// The number that bits of this type stand for.
fn number(ty: Type, v: u64) -> f64 {
    match ty.bits {
        16 => half::number(v),
        32 => f64::from(f32_of(v)),
        _ => f64_of(v),
    }
}

/// A number of this type, computed by `in_32` or `in_64`.
fn float(ty: Type, v: [u64; 2], in_32: impl Fn(f32, f32) -> f32, in_64: impl Fn(f64, f64) -> f64) -> u64 {
    if ty.bits == 16 {
        half::nearest(in_64(half::number(v[0]), half::number(v[1])))
    } else if ty.bits == 32 {
        u64::from(in_32(f32_of(v[0]), f32_of(v[1])).to_bits())
    } else {
        in_64(f64_of(v[0]), f64_of(v[1])).to_bits()
    }
}

/// The smaller or larger number; one that is none counts for nothing, and zero has a sign.
fn extreme(ty: Type, a: u64, b: u64, larger: bool) -> u64 {
    let (x, y) = (number(ty, a), number(ty, b));
    let a_wins = if x.is_nan() || y.is_nan() {
        y.is_nan()
    } else if x == y {
        x.is_sign_negative() != larger
    } else {
        (x > y) == larger
    };
    if a_wins { a } else { b }
}

/// One operand.
#[must_use]
pub fn unary(op: Unary, ty: Type, a: u64) -> u64 {
    let is_float = ty.kind == Kind::Float;
    let v = match op {
        Unary::Not if ty.kind == Kind::Pred => a ^ 1,
        Unary::Not => !a,
        Unary::Neg if is_float => float(ty, [a, 0], |x, _| -x, |x, _| -x),
        Unary::Neg => a.wrapping_neg(),
        Unary::Abs if is_float => float(ty, [a, 0], |x, _| x.abs(), |x, _| x.abs()),
        Unary::Abs => ty.signed(a).wrapping_abs().cast_unsigned(),
        Unary::Sqrt => float(ty, [a, 0], |x, _| x.sqrt(), |x, _| x.sqrt()),
        Unary::Reciprocal => float(ty, [a, 0], |x, _| x.recip(), |x, _| x.recip()),
        Unary::Popc => u64::from(ty.cut(a).count_ones()),
        Unary::Clz => u64::from(ty.cut(a).leading_zeros() - (64 - ty.bits)),
        Unary::Brev => a.reverse_bits() >> (64 - ty.bits),
    };
    ty.cut(v)
}

/// Two operands.
#[must_use]
pub fn binary(op: Binary, ty: Type, a: u64, b: u64) -> u64 {
    if ty.kind == Kind::Float {
        return float_binary(op, ty, a, b);
    }
    let (x, y) = (ty.extend(a), ty.extend(b));
    let (sx, sy) = (ty.signed(a), ty.signed(b));
    let signed = ty.kind == Kind::Signed;
    let wide = if signed { i128::from(sx) * i128::from(sy) } else { i128::from(x) * i128::from(y) };
    let wide_bits = if signed { wide.cast_unsigned() } else { u128::from(x) * u128::from(y) };
    let v = match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        Binary::MulHigh => (wide_bits >> ty.bits) as u64,
        Binary::MulWide => return wide_bits as u64,
        Binary::Div if y == 0 => u64::MAX,
        Binary::Rem if y == 0 => x,
        Binary::Div if signed => sx.wrapping_div(sy).cast_unsigned(),
        Binary::Div => x / y,
        Binary::Rem if signed => sx.wrapping_rem(sy).cast_unsigned(),
        Binary::Rem => x % y,
        Binary::Min if signed => sx.min(sy).cast_unsigned(),
        Binary::Min => x.min(y),
        Binary::Max if signed => sx.max(sy).cast_unsigned(),
        Binary::Max => x.max(y),
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Shl => shifted(b, ty).map_or(0, |by| x << by),
        Binary::Shr if signed => (sx >> shifted(b, ty).unwrap_or(63)).cast_unsigned(),
        Binary::Shr => shifted(b, ty).map_or(0, |by| ty.cut(a) >> by),
        Binary::CopySign => unreachable!("refused when decoded"),
        Binary::Exchange => y,
    };
    ty.cut(v)
}

/// How far to shift, an unsigned number of 32 bits; `None`: everything out.
fn shifted(by: u64, ty: Type) -> Option<u32> {
    let by = by as u32;
    (by < ty.bits).then_some(by)
}

fn float_binary(op: Binary, ty: Type, a: u64, b: u64) -> u64 {
    match op {
        Binary::Add => float(ty, [a, b], |x, y| x + y, |x, y| x + y),
        Binary::Sub => float(ty, [a, b], |x, y| x - y, |x, y| x - y),
        Binary::Mul => float(ty, [a, b], |x, y| x * y, |x, y| x * y),
        Binary::Div => float(ty, [a, b], |x, y| x / y, |x, y| x / y),
        Binary::Min => extreme(ty, ty.cut(a), ty.cut(b), false),
        Binary::Max => extreme(ty, ty.cut(a), ty.cut(b), true),
        Binary::CopySign => float(ty, [a, b], |x, y| y.copysign(x), |x, y| y.copysign(x)),
        Binary::Exchange => ty.cut(b),
        _ => unreachable!("refused when decoded"),
    }
}

/// Three operands.
#[must_use]
pub fn ternary(op: Ternary, ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    match op {
        Ternary::Mad => ty.cut(binary(Binary::Mul, ty, a, b).wrapping_add(c)),
        Ternary::MadWide => {
            let wide = Type { bits: ty.bits * 2, ..ty };
            wide.cut(binary(Binary::MulWide, ty, a, b).wrapping_add(c))
        }
        Ternary::Fma if ty.bits == 32 => u64::from(f32_of(a).mul_add(f32_of(b), f32_of(c)).to_bits()),
        Ternary::Fma => f64_of(a).mul_add(f64_of(b), f64_of(c)).to_bits(),
        Ternary::Bfe => {
            let (start, length) = ((b as u32 & 255).min(63), c as u32 & 255);
            let field = Type { kind: ty.kind, bits: length.clamp(1, ty.bits) };
            let value =
                if ty.kind == Kind::Signed { (ty.signed(a) >> start).cast_unsigned() } else { ty.cut(a) >> start };
            if length == 0 { 0 } else { ty.cut(field.extend(value)) }
        }
        Ternary::Prmt => {
            let bytes = (a & 0xffff_ffff) | b << 32;
            let pick = |k: u64| {
                let which = c >> (4 * k);
                let byte = bytes >> (8 * (which & 7)) & 255;
                let byte = if which & 8 == 0 { byte } else { (byte >> 7) * 255 };
                byte << (8 * k)
            };
            (0..4).map(pick).fold(0, |sum, byte| sum | byte)
        }
        Ternary::FunnelLeft => (((a & 0xffff_ffff) | b << 32) << (c & 31) >> 32) & 0xffff_ffff,
        Ternary::FunnelRight => (((a & 0xffff_ffff) | b << 32) >> (c & 31)) & 0xffff_ffff,
    }
}

/// Whether a comparison holds.
#[must_use]
pub fn compare(cmp: Cmp, unordered: bool, ty: Type, a: u64, b: u64) -> bool {
    use std::cmp::Ordering;
    let order = match ty.kind {
        Kind::Float => number(ty, a).partial_cmp(&number(ty, b)),
        Kind::Signed => Some(ty.signed(a).cmp(&ty.signed(b))),
        _ => Some(ty.cut(a).cmp(&ty.cut(b))),
    };
    let Some(order) = order else { return unordered };
    match cmp {
        Cmp::Eq => order == Ordering::Equal,
        Cmp::Ne => order != Ordering::Equal,
        Cmp::Lt => order == Ordering::Less,
        Cmp::Le => order != Ordering::Greater,
        Cmp::Gt => order == Ordering::Greater,
        Cmp::Ge => order != Ordering::Less,
    }
}

/// Whether a floating-point value is a number.
#[must_use]
pub fn is_number(ty: Type, v: u64) -> bool {
    !number(ty, v).is_nan()
}

/// A value in another type.
#[must_use]
pub fn convert(to: Type, from: Type, integral: Option<Round>, v: u64) -> u64 {
    let v = match (from.kind == Kind::Float, to.kind == Kind::Float) {
        (false, false) => from.extend(v),
        (false, true) => return of_integer(to, from, v),
        (true, false) => {
            let x = rounded(number(from, v), integral.unwrap_or(Round::Zero));
            if to.kind == Kind::Signed {
                let (least, most) = (i64::MIN >> (64 - to.bits), i64::MAX >> (64 - to.bits));
                (x as i64).clamp(least, most).cast_unsigned()
            } else {
                (x as u64).min(u64::MAX >> (64 - to.bits))
            }
        }
        (true, true) => {
            let x = integral.map_or_else(|| number(from, v), |how| rounded(number(from, v), how));
            // The same value again would lose the payload of what is no number.
            if to.bits == from.bits && integral.is_none() {
                v
            } else if to.bits == 16 {
                half::nearest(x)
            } else if to.bits == 32 {
                u64::from((x as f32).to_bits())
            } else {
                x.to_bits()
            }
        }
    };
    to.cut(v)
}

fn of_integer(to: Type, from: Type, v: u64) -> u64 {
    let signed = from.kind == Kind::Signed;
    match (to.bits, signed) {
        (16, true) => half::nearest(from.signed(v) as f64),
        (16, false) => half::nearest(from.cut(v) as f64),
        (32, true) => u64::from((from.signed(v) as f32).to_bits()),
        (32, false) => u64::from((from.cut(v) as f32).to_bits()),
        (_, true) => (from.signed(v) as f64).to_bits(),
        (_, false) => (from.cut(v) as f64).to_bits(),
    }
}

fn rounded(x: f64, how: Round) -> f64 {
    match how {
        Round::Nearest => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(name: &str) -> Type {
        Type::of(name).expect("a type")
    }

    #[test]
    fn integers_wrap_and_extend() {
        assert_eq!(binary(Binary::Add, ty("s32"), 0xffff_ffff, 2), 1);
        assert_eq!(binary(Binary::MulWide, ty("s32"), 0xffff_ffff, 2), u64::MAX - 1);
        assert_eq!(binary(Binary::MulWide, ty("u32"), 0xffff_ffff, 2), 0x1_ffff_fffe);
        assert_eq!(binary(Binary::MulHigh, ty("u64"), u64::MAX, 2), 1);
        assert_eq!(binary(Binary::MulHigh, ty("s32"), 0xffff_ffff, 2), 0xffff_ffff);
        assert_eq!(binary(Binary::Shr, ty("s32"), 0x8000_0000, 40), 0xffff_ffff);
        assert_eq!(binary(Binary::Shl, ty("b32"), 1, 32), 0);
        assert_eq!(binary(Binary::Div, ty("s64"), 7u64.wrapping_neg(), 2), 3u64.wrapping_neg());
        assert_eq!(convert(ty("s64"), ty("s32"), None, 0xffff_fffe), 2u64.wrapping_neg());
        assert_eq!(ternary(Ternary::Bfe, ty("u32"), [0xabcd, 4, 8]), 0xbc);
        assert_eq!(ternary(Ternary::Prmt, ty("b32"), [0x4433_2211, 0x8877_6655, 0x7410]), 0x8855_2211);
        assert_eq!(ternary(Ternary::FunnelLeft, ty("b32"), [0x8000_0000, 1, 1]), 3);
    }

    #[test]
    fn numbers_round_as_the_host_does() {
        let bits = f64::to_bits;
        let third = binary(Binary::Div, ty("f64"), bits(1.0), bits(3.0));
        assert_eq!(third, bits(1.0 / 3.0));
        assert_eq!(unary(Unary::Sqrt, ty("f64"), bits(2.0)), bits(2f64.sqrt()));
        assert_eq!(unary(Unary::Reciprocal, ty("f64"), bits(3.0)), bits(1.0 / 3.0));
        assert_eq!(
            ternary(Ternary::Fma, ty("f64"), [third, bits(3.0), bits(-1.0)]),
            bits((1f64 / 3.0).mul_add(3.0, -1.0))
        );
        assert_eq!(convert(ty("s32"), ty("f64"), Some(Round::Zero), bits(-2.7)), 0xffff_fffe);
        assert_eq!(convert(ty("f64"), ty("f64"), Some(Round::Down), bits(-2.5)), bits(-3.0));
        assert_eq!(convert(ty("f32"), ty("f64"), None, bits(0.1)), u64::from(0.1f32.to_bits()));
    }

    #[test]
    fn what_is_no_number_loses() {
        let nan = f64::NAN.to_bits();
        assert_eq!(binary(Binary::Max, ty("f64"), nan, 1f64.to_bits()), 1f64.to_bits());
        assert_eq!(binary(Binary::Min, ty("f64"), 0f64.to_bits(), (-0f64).to_bits()), (-0f64).to_bits());
        assert!(!compare(Cmp::Lt, false, ty("f64"), nan, nan));
        assert!(compare(Cmp::Lt, true, ty("f64"), nan, nan));
    }
}
