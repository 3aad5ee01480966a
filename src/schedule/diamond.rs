//! Diamond tiles: tile hyperplanes that let all tiles along the first time step start at once.
//!
//! In:  a time-skewed permutable band none of whose members is coincident. Out: two tile hyperplanes `h1`, `h2` with
//! `h1 + h2 = k * f` in every statement, where `f` is the time loop: the normal of the face of concurrent start is then
//! a strictly positive combination of the two, tiles of one wavefront (equal `T1 + T2`) lie along that face, and their
//! number does not depend on how far the wavefront has come. `h2 = k * f - h1` has negative coefficients for the
//! smallest `k` that makes it legal; its shifts are the smallest that respect every dependence. `h1` is the member that
//! skews the outermost loop that allows it, so that the inner loops can stay whole. The other members stay tile
//! hyperplanes of their own; the loops inside a tile are the original ones: legal for all dependences, and not skewed.
//! Source: Bandishti, Pananilath, Bondhugula, SC 2012, sections 3 and 4 (concurrent start along one dimension of the
//! face).

use super::pluto::{self, Bound};
use super::problem::{Hyperplane, Piece};
use crate::cost::diamonds::own_dim;

/// Largest multiple of the time loop tried.
const MAX_MULTIPLE: i64 = 8;

/// Tile hyperplanes of a diamond.
#[derive(Clone, Debug)]
pub struct Diamond {
    /// The time loop, as it was found.
    pub time: Hyperplane,
    /// `h1`, `h2`, and those of the other members; all legal for every dependence of the band.
    pub tiles: Vec<Hyperplane>,
    /// The sum of the first two over the time loop.
    pub multiple: i64,
}

/// The diamond of a band (`members` with their bounds) over `stmts`, each legal for all of `pieces`; `None` where a
/// member is coincident already, or no opposite hyperplane is legal.
#[must_use]
pub fn diamond(stmts: &[usize], pieces: &[Piece], members: &[(Hyperplane, Bound)]) -> Option<Diamond> {
    let ((time, _), others) = members.split_first()?;
    if members.iter().any(|(_, bound)| *bound == Bound::Zero) {
        return None;
    }
    let mut spaces: Vec<&Hyperplane> = others.iter().map(|(m, _)| m).collect();
    spaces.sort_by_key(|m| stmts.iter().filter_map(|&s| own_dim(&m[s], &time[s])).max());
    for (at, &first) in
        spaces.iter().enumerate().filter(|(_, m)| stmts.iter().any(|&s| own_dim(&m[s], &time[s]).is_some()))
    {
        for multiple in 2..=MAX_MULTIPLE {
            let opposite = opposite(stmts, time, first, multiple)?;
            if let Some(second) = pluto::shifted(stmts, pieces, opposite) {
                let rest = spaces.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, m)| (*m).clone());
                let tiles = [first.clone(), second].into_iter().chain(rest).collect();
                return Some(Diamond { time: time.clone(), tiles, multiple });
            }
        }
    }
    None
}

/// `multiple * time - first` in every statement, without shifts. `None` on overflow.
fn opposite(stmts: &[usize], time: &Hyperplane, first: &Hyperplane, multiple: i64) -> Option<Hyperplane> {
    let mut rows = vec![Vec::new(); time.len()];
    for &s in stmts {
        let pairs = time[s].iter().zip(&first[s]);
        rows[s] = pairs.map(|(t, h)| t.checked_mul(multiple)?.checked_sub(*h)).collect::<Option<Vec<i64>>>()?;
        if let Some(shift) = rows[s].last_mut() {
            *shift = 0;
        }
    }
    Some(rows)
}
