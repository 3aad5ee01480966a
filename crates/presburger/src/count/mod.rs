//! Counting points, with parameters.

pub(crate) mod card;
