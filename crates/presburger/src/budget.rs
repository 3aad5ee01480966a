//! Step budgets (operations that may blow up spend steps and stop when none are left), and why an operation has no
//! answer.

use crate::num::{Res, Stop};
use std::cell::Cell;

/// Why an operation has no answer. The operands are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Error {
    /// The step budget is spent; a larger one may help.
    Spent,
    /// A number of the result does not fit the `i64` in which it is to be given; no budget helps.
    Overflow,
    /// There are more elements than the caller allows, or infinitely many.
    TooMany,
    /// A lexicographic optimum does not exist: for some parameters (and input) a piece has no smallest or largest
    /// element.
    Unbounded,
    /// The map is no function: some input has several outputs.
    SeveralValues,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Error::Spent => "step budget spent",
            Error::Overflow => "a number does not fit 64 bits",
            Error::TooMany => "too many elements",
            Error::Unbounded => "unbounded optimum",
            Error::SeveralValues => "map is not single-valued",
        })
    }
}
impl std::error::Error for Error {}

/// Result of an operation that spends a [`Budget`].
pub type Result<T> = std::result::Result<T, Error>;

/// Steps left for operations that may blow up. Interior mutability: passed as `&Budget` everywhere.
/// One step is about one row operation (tens of nanoseconds) and pays for at most about 64 bytes that an operation
/// keeps, so a budget bounds memory too.
#[derive(Debug)]
pub struct Budget {
    size: u64,
    left: Cell<u64>,
}

/// Steps of a budget set apart for one question; what it does not take of them comes back when it is dropped.
#[derive(Debug)]
pub struct Share<'b> {
    own: Budget,
    whole: &'b Budget,
}

impl std::ops::Deref for Share<'_> {
    type Target = Budget;

    fn deref(&self) -> &Budget {
        &self.own
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.whole.left.set(self.whole.left.get() + self.own.left.get());
    }
}

impl Budget {
    /// A budget of `n` steps.
    pub fn steps(n: u64) -> Self {
        Self { size: n, left: Cell::new(n) }
    }

    /// A budget that is never spent in practice (`u64::MAX` steps).
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// Takes `n` steps. Errors: [`Error::Spent`] when fewer are left; the budget is then empty.
    pub fn spend(&self, n: u64) -> Result<()> {
        let left = self.left.get();
        if left < n {
            self.left.set(0);
            return Err(Error::Spent);
        }
        self.left.set(left - n);
        Ok(())
    }

    /// Steps left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Steps that there were at first.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// `n` of the steps left, or all where fewer are. While it lives, nobody else has them.
    pub fn share(&self, n: u64) -> Share<'_> {
        let n = n.min(self.left.get());
        self.left.set(self.left.get() - n);
        Share { own: Self::steps(n), whole: self }
    }

    /// A share of one `of`-th of the steps that there were at first.
    pub fn part(&self, of: u64) -> Share<'_> {
        self.share(self.size / of)
    }

    /// Pays for keeping `entries` more coefficients.
    pub(crate) fn keep(&self, entries: usize) -> Res<()> {
        self.step(1 + entries / 8)
    }

    pub(crate) fn step(&self, n: usize) -> Res<()> {
        self.spend(n as u64).map_err(Stop::Error)
    }
}
