//! Functions: quasi-affine forms (`aff`), piecewise (`pw`), with several values (`pw_multi`, and `multi` where each
//! has its own domain), on several spaces (`union_functions`), and piecewise quasi-polynomials (`qpoly`) with their
//! bounds (`bound`, `bernstein`) and behind maps (`pull`).

pub(crate) mod aff;
pub(crate) mod bernoulli;
pub(crate) mod bernstein;
pub(crate) mod bound;
pub(crate) mod multi;
pub(crate) mod pairs;
pub(crate) mod pull;
pub(crate) mod pw;
pub(crate) mod pw_multi;
pub(crate) mod qpoly;
pub(crate) mod union_functions;
