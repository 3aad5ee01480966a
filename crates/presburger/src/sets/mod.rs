//! Sets and maps: spaces (`space`), one conjunction (`basic`), finite unions in one space (`set`, `map`, and what both
//! share in `union`), unions of spaces (`union_sets`, `union_algebra`), operations that move columns (`products`,
//! `dims`), operators (`operators`), elements one by one (`iterate`), numbers of any size (`large`), equalities and
//! strides (`strides`), transitive closure (`closure`), dependences of accesses (`flow`), coefficients of forms and
//! existentials as dims (`dual`), rational points (`rational`), equality and hashes (`equality`).

pub(crate) mod basic;
pub(crate) mod closure;
pub(crate) mod dims;
pub(crate) mod dual;
mod equality;
pub(crate) mod flow;
pub(crate) mod iterate;
mod large;
pub(crate) mod map;
pub(crate) mod operators;
pub(crate) mod products;
pub(crate) mod rational;
pub(crate) mod set;
pub(crate) mod space;
pub(crate) mod strides;
pub(crate) mod union;
pub(crate) mod union_algebra;
pub(crate) mod union_sets;
