//! Tiles in wavefronts, where no tile loop is coincident.
//!
//! Source: Bondhugula et al., PLDI 2008, section 5.2 (wavefronts of tiles).

use crate::model::tree::Band;
use log::debug;

/// The tile loops `(T0, T1, ..)` of a band whose every dependence has distances `>= 0` in all of them as the wavefront
/// `(T0 + T1, T1, ..)`: tiles with equal sums differ in `T0` and `T1` in opposite directions, so none depends on
/// another, and the second loop is coincident. Bands with fewer than two members stay.
#[must_use]
pub fn wavefront(mut tiles: Band) -> Band {
    if let [first, second, ..] = tiles.members.as_mut_slice() {
        debug!("tiles of {} statements in a wavefront", first.affs.len());
        for (id, aff) in &mut first.affs {
            *aff = aff.add(&second.affs[id]);
        }
        first.coincident = false;
        first.alone.clear();
        second.coincident = true;
    }
    tiles
}
