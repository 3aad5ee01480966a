//! Questions about the loops of a tree: which dependences one carries, and what its iterations share.
//!
//! In:  a SCoP, its dependences, a loop of a tree ([`Loop`]) or two instances of it. Out: yes or no, exact where
//! nothing else is said, with instances that show it ([`Violation`]). Who gives loops their roles asks here, and so
//! does the proof of the finished tree, anew; nothing is known here of who made the tree, or why.

pub(crate) mod carried;
mod copied;
mod element;
pub mod left;
pub(crate) mod order;
pub(crate) mod private;
mod privatized;
mod site;
mod step;
mod violation;

pub use carried::{is_coincident, withdraw};
pub use copied::writes_operands;
pub use site::Loop;
pub use violation::{Reason, Violation};
