//! Dependences between statement instances, and the legality of schedules.
//!
//! Input: a [`crate::model::Scop`]. Output: relations `{ Stmt<s>[..] -> Stmt<d>[..] }`, source first in the original order.

use crate::ids::{ArrayId, StmtId};
use presburger::Map;

/// Kind of a dependence; all but [`DepKind::Rar`] must be respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DepKind {
    /// Write, then read (flow).
    Raw,
    /// Read, then write (anti).
    War,
    /// Write, then write (output).
    Waw,
    /// Read, then read (input): reuse only.
    Rar,
}

/// One dependence: every pair in `relation` executes source first.
#[derive(Clone, Debug)]
pub struct Dep {
    /// Flow, anti, output or input.
    pub kind: DepKind,
    /// Statement of the source instances.
    pub src: StmtId,
    /// Statement of the destination instances (runs later).
    pub dst: StmtId,
    /// Array whose elements both touch.
    pub array: ArrayId,
    /// `[params] -> { Stmt<src>[..] -> Stmt<dst>[..] }`, never empty, restricted to both domains and the context.
    pub relation: Map,
}

/// All dependences of a SCoP, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    /// RAW, WAR and WAW: what a schedule must respect.
    pub validity: Vec<Dep>,
    /// RAR: what a schedule may want to bring close together.
    pub reuse: Vec<Dep>,
}
