//! What is proved, and what is refused with which witness. Random orders are compared with enumeration in the tests of
//! `deps`, changed ones in those of `ast`.

mod contractions;
mod ops;
mod orders;
mod roles;
