//! Step budgets: operations that may blow up spend steps and stop with [`Limit`] when none are left.

use crate::num::{Res, Stop};
use std::cell::Cell;

/// Budget spent (or, for `*_i64` accessors, a coefficient that does not fit). The inputs are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit;

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("step budget spent")
    }
}
impl std::error::Error for Limit {}

/// Result of an operation that spends a [`Budget`].
pub type Result<T> = std::result::Result<T, Limit>;

/// Steps left for operations that may blow up. Interior mutability: passed as `&Budget` everywhere.
/// One step is about one row operation (tens of nanoseconds) and pays for at most about 64 bytes that an operation keeps, so a budget
/// bounds memory too.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A budget of `n` steps.
    pub fn steps(n: u64) -> Self {
        Self { left: Cell::new(n) }
    }

    /// A budget that is never spent in practice (`u64::MAX` steps).
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// Takes `n` steps. Errors: [`Limit`] when fewer are left; the budget is then empty.
    pub fn spend(&self, n: u64) -> Result<()> {
        let left = self.left.get();
        if left < n {
            self.left.set(0);
            return Err(Limit);
        }
        self.left.set(left - n);
        Ok(())
    }

    /// Steps left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Pays for keeping `entries` more coefficients.
    pub(crate) fn keep(&self, entries: usize) -> Res<()> {
        self.step(1 + entries / 8)
    }

    pub(crate) fn step(&self, n: usize) -> Res<()> {
        self.spend(n as u64).map_err(|_| Stop::Limit)
    }
}
