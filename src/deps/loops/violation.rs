//! What is wrong with an order, or with a role in it, and instances that show it.

use crate::deps::DepKind;
use crate::ids::{ArrayId, StmtId};
use crate::model::{Operation, Scop};
use std::fmt;

/// Why a schedule is illegal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule is broken.
    pub reason: Reason,
    /// Names and values of the parameters of the witness.
    pub params: Vec<(String, i64)>,
    /// The instance that must run first (or the instance concerned).
    pub src: (StmtId, Vec<i64>),
    /// The instance that must run after `src`, when the rule is about two instances.
    pub dst: Option<(StmtId, Vec<i64>)>,
}

/// The rules a schedule can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `dst` depends on `src` (kind, and position in [`Dependences::validity`], what is bound of
    /// [`Dependences::reductions`] counted on) but does not run after it.
    Dependence(DepKind, usize),
    /// The loop of a member said to be coincident carries a dependence from `src` to `dst` (position in the list, that
    /// of [`Dependences::reductions`] counted on).
    Carried(DepKind, usize),
    /// The instance is not scheduled.
    Missing,
    /// The instance is scheduled more than once.
    Twice,
    /// Two instances of one statement share their whole time vector.
    SameTime,
    /// An instance is scheduled that the original code does not run.
    Extra,
    /// A band has no value for a statement that reaches it.
    NoValue,
    /// The instance, of a statement that the original order does not have, writes an array that others touch.
    Overwrites,
    /// The instance is in a band marked as a contraction that is none.
    NoContraction,
    /// The instance writes a scalar that threads neither have for themselves nor collect.
    Shared(ArrayId),
    /// The instance writes a privatized scalar that is read behind the region, or memory.
    LiveOut(ArrayId),
    /// `dst` reads what `src` wrote to a privatized scalar, but not in the same iteration.
    Flows(ArrayId),
    /// The instance reads an element of a privatized array that its iteration may not have written before.
    ExposedRead(ArrayId),
    /// The instance may write an element of a privatized array that the last iteration of the loop may not write.
    NotLastprivate(ArrayId),
    /// The instance does something else to a collected array than to update it by this operation.
    Collected(ArrayId, Operation),
    /// `src` and `dst` touch different elements of an array of which one is collected.
    Several(ArrayId),
}

impl Reason {
    /// Whether it is about a loop said to be parallel, not about the order.
    #[must_use]
    pub fn is_about_roles(self) -> bool {
        match self {
            Self::Dependence(..)
            | Self::Missing
            | Self::Twice
            | Self::SameTime
            | Self::Extra
            | Self::NoValue
            | Self::NoContraction
            | Self::Overwrites => false,
            Self::Carried(..)
            | Self::Shared(_)
            | Self::LiveOut(_)
            | Self::Flows(_)
            | Self::ExposedRead(_)
            | Self::NotLastprivate(_)
            | Self::Collected(..)
            | Self::Several(_) => true,
        }
    }
}

impl Violation {
    /// A violation at one instance, given as values of the parameters and the statement's dims.
    pub(crate) fn at(scop: &Scop, reason: Reason, id: StmtId, point: &[i64]) -> Self {
        let (params, dims) = point.split_at(scop.params.len().min(point.len()));
        let params = scop.params.iter().zip(params).map(|(p, v)| (p.name.clone(), *v)).collect();
        Self { reason, params, src: (id, dims.to_vec()), dst: None }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instance = |(id, point): &(StmtId, Vec<i64>)| {
            let dims: Vec<String> = point.iter().map(ToString::to_string).collect();
            format!("{id}[{}]", dims.join(", "))
        };
        let src = instance(&self.src);
        let dst = self.dst.as_ref().map_or_else(String::new, instance);
        match self.reason {
            Reason::Dependence(kind, _) => write!(f, "{dst} must run after {src} ({kind} dependence) but does not")?,
            Reason::Carried(kind, _) => {
                write!(f, "a loop marked parallel carries the {kind} dependence from {src} to {dst}")?
            }
            Reason::Missing => write!(f, "{src} is not scheduled")?,
            Reason::Twice => write!(f, "{src} is scheduled more than once")?,
            Reason::SameTime => write!(f, "{src} and {dst} share one time")?,
            Reason::Extra => write!(f, "{src} is scheduled but not part of the code")?,
            Reason::Overwrites => write!(f, "{src} was added and writes what the code uses")?,
            Reason::NoContraction => write!(f, "{src} is marked as part of a contraction but is not")?,
            Reason::NoValue => write!(f, "a band has no value for {src}")?,
            Reason::Shared(a) => write!(f, "threads share {a}, which {src} writes in a register")?,
            Reason::LiveOut(a) => write!(f, "{a} cannot be privatized: what {src} writes is read behind the loop")?,
            Reason::Flows(a) => {
                write!(f, "{a} cannot be privatized: {dst} reads what {src} wrote in another iteration")?
            }
            Reason::ExposedRead(a) => write!(
                f,
                "{src} reads an element of the privatized array {a} that its iteration has not written before"
            )?,
            Reason::NotLastprivate(a) => {
                write!(f, "{src} writes an element of the privatized array {a} that the last iteration does not write")?
            }
            Reason::Collected(a, op) => write!(f, "{src} uses {a} for something else than updates by {}", op.name())?,
            Reason::Several(a) => write!(f, "{src} and {dst} update different elements of {a}")?,
        }
        let params: Vec<String> = self.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        if params.is_empty() { Ok(()) } else { write!(f, ", for {}", params.join(", ")) }
    }
}
