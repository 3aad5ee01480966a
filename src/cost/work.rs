//! What one execution of loops takes, as a function of the parameters: what decides at run time whether threads pay.
//!
//! In:  statements, and which of their dims the loops walk through. Out: [`Work`], from the same facts as everything
//! else in this room: [`refs::cycles`] of an instance, [`lengths`] of its loops.

use super::ASSUMED_PARAMETER;
use super::lengths::{Row, lengths};
use super::refs;
use crate::error::{Failure, Limit};
use crate::ids::StmtId;
use crate::model::{Scop, Stmt};

/// The stage that a failure here is told of.
const STAGE: &str = "run-time check";

/// Estimated cycles on one core from which on threads pay for their start.
pub const WORTHWHILE_CYCLES: f64 = 40_000.0;
/// The same where other loops are around, in each of whose iterations threads start: estimates are of instances one by
/// one, and vectors take a tenth of that.
pub const WORTHWHILE_EACH_TIME_CYCLES: f64 = 400_000.0;

/// Cycles of the loop that each element of each reduction copy must come with: what filling and putting together takes
/// is little then.
pub const COPY_CYCLES: f64 = 100.0;

/// Cycles: the sum over all terms of `cycles` times the product of the factors, each at least 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// One per statement.
    pub terms: Vec<WorkTerm>,
    /// Whether iterations of a loop inside depend on another loop inside, or some iterations leave a part out: they may
    /// do different amounts.
    pub uneven: bool,
}

/// Work of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkTerm {
    /// Cycles per instance.
    pub cycles: f64,
    /// Lengths of the loops around it.
    pub factors: Vec<Row>,
}

impl Work {
    /// Of loops that walk through these dims of these statements; without further ones, `uneven` is whether two of them
    /// are tied to each other.
    ///
    /// # Errors
    /// `Limit` where a coefficient does not fit.
    pub fn of(scop: &Scop, walked: &[(StmtId, Vec<usize>)]) -> Result<Work, Failure> {
        let params = refs::parameters(scop, ASSUMED_PARAMETER)?;
        let mut work = Work::default();
        for (id, dims) in walked {
            let stmt = scop.stmt(*id);
            let lengths = lengths(&stmt.domain, &params, STAGE)?;
            let factors = dims.iter().map(|d| lengths[*d].clone()).collect();
            work.uneven |= are_tied(stmt, dims)?;
            work.terms.push(WorkTerm { cycles: refs::cycles(scop, stmt), factors });
        }
        Ok(work)
    }

    /// Whether threads do not pay whatever the parameters.
    #[must_use]
    pub fn is_surely_small(&self) -> bool {
        let constant =
            |row: &Row| row.split_last().filter(|(_, l)| l.iter().all(|c| *c == 0.0)).map(|(c, _)| c.max(0.0));
        let term = |t: &WorkTerm| t.factors.iter().try_fold(t.cycles, |product, f| Some(product * constant(f)?));
        let total = self.terms.iter().try_fold(0.0, |sum, t| Some(sum + term(t)?));
        total.is_some_and(|cycles| cycles < WORTHWHILE_CYCLES)
    }
}

/// Whether a constraint ties two of these dims together.
fn are_tied(stmt: &Stmt, dims: &[usize]) -> Result<bool, Failure> {
    let Some(basic) = stmt.domain.basics().first() else { return Ok(false) };
    let params = stmt.domain.space().n_param();
    let rows = basic.rows_i64().map_err(Limit::of(STAGE))?;
    Ok(rows.iter().any(|(_, r)| dims.iter().filter(|d| r[params + **d] != 0).count() > 1))
}
