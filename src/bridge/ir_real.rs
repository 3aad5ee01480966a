//! 64-bit floating point, for estimates made at run time.

use inkwell::FloatPredicate;
use inkwell::values::AsValueRef;

use crate::bridge::ir::{Ir, Val, built};

impl<'f> Ir<'f> {
    /// A constant.
    #[must_use]
    pub fn real(&self, value: f64) -> Val<'f> {
        Val::of(self.types.f64_type().const_float(value).as_value_ref())
    }

    /// A signed integer, rounded.
    pub fn real_of_int(&self, v: Val<'f>) -> Val<'f> {
        built(self.builder.build_signed_int_to_float(v.int(), self.types.f64_type(), ""))
    }

    /// Sum.
    pub fn real_add(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_float_add(a.real(), b.real(), ""))
    }

    /// Product.
    pub fn real_mul(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_float_mul(a.real(), b.real(), ""))
    }

    /// Whether `a >= b`, as an i1.
    pub fn real_at_least(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_float_compare(FloatPredicate::OGE, a.real(), b.real(), ""))
    }

    /// Whether `a < b`, of any floating-point type, as an i1.
    pub fn real_less(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_float_compare(FloatPredicate::OLT, a.real(), b.real(), ""))
    }

    /// Quotient.
    pub fn real_div(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_float_div(a.real(), b.real(), ""))
    }

    /// The integer, of 64 bits, that `a` is between 0 and `most`, rounded down; the next end of that range outside of
    /// it or for a NaN.
    pub fn real_to_int(&self, a: Val<'f>, most: f64) -> Val<'f> {
        let below = self.select(self.real_less(a, self.real(most)), a, self.real(most));
        let a = self.real_max(below, self.real(0.0));
        built(self.builder.build_float_to_signed_int(a.real(), self.types.i64_type(), ""))
    }

    /// The larger of two.
    pub fn real_max(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.select(self.real_at_least(a, b), a, b)
    }
}
