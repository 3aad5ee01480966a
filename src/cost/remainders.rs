//! Conditions on remainders: `if ((i + j) % 3 == 0)`.
//!
//! In: the domain of a statement. Out: the quantities of whose remainders it asks. A loop that moves such a quantity
//! asks in each iteration whether the statement runs; where the divisor is no power of two, of 64-bit counters, that
//! takes longer than most statements, and no vector has it.

use super::refs::to_f64;
use crate::error::{Failure, Limit};
use presburger::Set;

/// Cycles of a remainder of a counter, and of the condition on it.
pub const REMAINDER: f64 = 6.0;

/// A quantity of whose remainder by `divisor` a domain asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Remainder {
    /// Coefficients of the dims.
    dims: Vec<f64>,
    /// No power of two.
    divisor: f64,
}

impl Remainder {
    /// Whether it is another one in the next iteration of a loop in this direction.
    #[must_use]
    pub fn moves(&self, direction: &[f64]) -> bool {
        self.dims.iter().zip(direction).map(|(c, x)| c * x).sum::<f64>() % self.divisor != 0.0
    }
}

/// The remainders by what is no power of two that a domain asks of.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn of(domain: &Set) -> Result<Vec<Remainder>, Failure> {
    let (np, d) = (domain.space().n_param(), domain.space().n_out());
    let mut out: Vec<Remainder> = Vec::new();
    for basic in domain.basics() {
        for (_, row) in basic.rows_i64().map_err(Limit::of("cost"))? {
            let dims: Vec<f64> = row[np..np + d].iter().map(|c| to_f64(*c)).collect();
            let asks_by = |c: &&i64| **c != 0 && !c.unsigned_abs().is_power_of_two();
            let Some(by) = row[np + d..row.len() - 1].iter().find(asks_by) else { continue };
            let found = Remainder { dims, divisor: to_f64(*by).abs() };
            if found.dims.iter().any(|c| *c != 0.0) && !out.contains(&found) {
                out.push(found);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::of;
    use presburger::Set;

    fn moved(domain: &str, direction: [f64; 2]) -> bool {
        let set = Set::parse(domain).expect("a set");
        of(&set).expect("small").iter().any(|r| r.moves(&direction))
    }

    #[test]
    fn each_iteration_asks_for_another_remainder() {
        let thirds = "[n] -> { [i, j] : (i + j) mod 3 = 0 and 0 <= i < n and 0 <= j < n }";
        assert!(moved(thirds, [0.0, 1.0]), "of `j`");
        assert!(!moved(thirds, [0.0, 3.0]), "not every third");
        assert!(!moved(thirds, [1.0, -1.0]), "nor along a diagonal");
    }

    #[test]
    fn bits_are_no_remainders() {
        assert!(!moved("[n] -> { [i, j] : (i + j) mod 4 = 1 and 0 <= i < n and 0 <= j < n }", [0.0, 1.0]));
    }

    #[test]
    fn parts_of_parameters_are_known_before() {
        assert!(!moved("[n] -> { [i, j] : 0 <= i < n and 0 <= 3j < n }", [0.0, 1.0]));
    }
}
