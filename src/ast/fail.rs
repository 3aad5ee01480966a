//! Why this stage gives up: the set library does, or a test or bound cannot be written.

use crate::error::{Failure, Limit, Reject, RejectKind, SourceLoc};

/// Result of this stage.
pub(super) type Res<T> = Result<T, Stop>;

/// What stops this stage.
#[derive(Debug)]
pub(super) enum Stop {
    Sets(presburger::Error),
    Other(Failure),
}

impl From<presburger::Error> for Stop {
    fn from(why: presburger::Error) -> Stop {
        Stop::Sets(why)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Other(failure)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Sets(why) => Limit::of("ast")(why),
            Stop::Other(failure) => failure,
        }
    }
}

/// Where a coefficient does not fit.
pub(super) fn overflow() -> Stop {
    Stop::Sets(presburger::Error::Overflow)
}

/// Where a test or bound cannot be written.
pub(super) fn no_closed_form() -> Stop {
    Stop::Other(Failure::Reject(Reject::new(RejectKind::NoClosedForm, "", SourceLoc::default())))
}

/// Whether it stopped where a test or bound cannot be written.
pub(super) fn is_no_closed_form(stop: &Stop) -> bool {
    matches!(stop, Stop::Other(Failure::Reject(r)) if r.kind == RejectKind::NoClosedForm)
}
