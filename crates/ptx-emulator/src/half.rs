//! Numbers of 16 bits (IEEE 754 binary16), which the host may have no arithmetic for.

/// Bits of the significand that are stored.
const STORED: i32 = 10;
/// Exponent of the smallest normal number.
const LEAST: i32 = -14;

/// Two to the power of `e`, of a normal number.
fn power(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// The number.
#[must_use]
pub fn number(bits: u64) -> f64 {
    let (exponent, rest) = ((bits >> STORED & 31) as i32, (bits & 1023) as f64);
    let size = match exponent {
        0 => rest * power(LEAST - STORED),
        31 if rest > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (rest + 1024.0) * power(exponent - 15 - STORED),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// The nearest number of 16 bits, of two the even one. A sum, difference, product or quotient of two of them, rounded
/// to 64 bits before, becomes what it would without.
#[must_use]
pub fn nearest(x: f64) -> u64 {
    let (sign, size) = (u64::from(x.is_sign_negative()) << 15, x.abs());
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(LEAST);
    sign | match size {
        _ if size.is_nan() => 0x7e00,
        _ if size >= 65520.0 => 0x7c00,
        _ => {
            let rest = (size / power(exponent - STORED)).round_ties_even() as u64;
            (((exponent - LEAST) as u64) << STORED) + rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for bits in (0..0x8000_u64).flat_map(|low| [low, low | 0x8000]) {
            let x = number(bits);
            assert!(if x.is_nan() { bits & 0x7fff > 0x7c00 } else { nearest(x) == bits }, "{bits:x}");
        }
    }

    #[test]
    fn halfway_goes_to_the_even_one() {
        for low in 0..0x7bff_u64 {
            let (a, b) = (number(low), number(low + 1));
            let middle = (a + b) / 2.0;
            assert_eq!(nearest(middle), low + low % 2, "{low:x}");
            assert_eq!(nearest(f64::from_bits(middle.to_bits() - 1)), low);
            assert_eq!(nearest(f64::from_bits(middle.to_bits() + 1)), low + 1);
        }
        assert_eq!(nearest(65519.9), 0x7bff);
        assert_eq!(nearest(-65520.0), 0xfc00);
        assert_eq!(nearest(5e-324), 0);
    }
}
