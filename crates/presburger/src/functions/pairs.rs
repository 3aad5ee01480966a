//! Functions of pairs `[A[x] -> B[y]]` as functions of `B[y]` with `x` for parameters, and back.

use crate::budget::{Budget, Result};
use crate::functions::qpoly::PwQPoly;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use std::sync::Arc;

/// The space with the last parameters as the dims of `tuple`.
pub(crate) fn last_as_dims(space: &Space, tuple: &Tuple) -> Space {
    let params = &space.params[..space.n_param() - tuple.dims.len()];
    Space { params: params.into(), input: None, output: tuple.clone() }
}

impl PwQPoly {
    /// A function of pairs as one of their second tuples, with the first one, which is given, as further parameters.
    pub(crate) fn first_as_params(&self) -> Option<(Tuple, PwQPoly)> {
        let (first, second) = self.space.output.halves()?;
        // No parameter that is written down is called so.
        let more = (0..first.dims.len()).map(|k| Arc::from(format!("'{k}")));
        let params = self.space.params.iter().cloned().chain(more).collect();
        let space = Space { params, input: None, output: second };
        Some((first, self.in_space(space)))
    }

    /// A function of parameters alone as one of `tuple`, whose dims are the last of them.
    pub(crate) fn over_tuple(&self, tuple: &Tuple) -> PwQPoly {
        self.in_space(last_as_dims(&self.space, tuple))
    }

    /// The same columns in another space.
    fn in_space(&self, space: Space) -> PwQPoly {
        let shared = Arc::new(space.clone());
        let moved = |d: &Set| Set::from_bodies(&shared, d.bodies().cloned().collect());
        let pieces = self.pieces.iter().map(|(d, p)| (moved(d), p.clone())).collect();
        PwQPoly::from_pieces(space, pieces)
    }

    /// The function on the dims that make a difference to it, which has the same values. Where several elements become
    /// one its value is on several pieces.
    pub(crate) fn without_idle_dims(&self, b: &Budget) -> Result<PwQPoly> {
        let (np, n) = (self.space.n_param(), self.space.n_cols());
        let kept: Vec<usize> = (np..n).filter(|c| self.pieces.iter().any(|(_, p)| p.uses(*c))).collect();
        if kept.len() == n - np {
            return Ok(self.clone());
        }
        let mut columns = vec![0; n];
        (0..np).chain(kept.iter().copied()).enumerate().for_each(|(k, c)| columns[c] = k);
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for (domain, value) in &self.pieces {
            let mut domain = domain.clone();
            for c in (np..n).rev().filter(|c| !kept.contains(c)) {
                domain = domain.project_out(c - np, 1, b)?;
            }
            pieces.push((domain, value.renumbered(&columns)));
        }
        let space = Space { output: Tuple::new("", kept.len()), ..self.space.clone() };
        let shared = Arc::new(space.clone());
        let moved = |(d, p): (Set, _)| (Set::from_bodies(&shared, d.bodies().cloned().collect()), p);
        Ok(PwQPoly::from_pieces(space, pieces.into_iter().map(moved).collect()))
    }
}
