//! Full tiles: the values of the tile dims for which no row cuts into the tile's box.

use super::piece::Piece;
use super::rows::{Frac, Res, Row, combine, limit, tighten};

/// Rows over params and time dims that hold exactly where every row of the piece holds in the whole box of its tile, as far as the
/// rows depend on tiled values only (rows on inner dims stay with the inner loops). A tile dim is a floor
/// `q = floor(f / s)` whose value the time dims determine; inside the tile `f = s q + u` with `0 <= u < s`.
pub(super) fn full_tile_rows(piece: &Piece) -> Res<Vec<Row>> {
    let base = piece.layout.base();
    let mut p = piece.clone();
    let mut boxes: Vec<(usize, i64)> = Vec::new();
    for k in (0..p.floors.len()).rev() {
        let (num, den) = (p.floors[k].num.clone(), p.floors[k].den);
        let value = p.floors[k].value.clone();
        let determined = value.den == 1 && value.row.iter().skip(base).all(|&c| c == 0);
        if !determined || !p.has_free(&num) {
            continue;
        }
        let offset = p.add_column();
        p.pinned.push(offset);
        // num - den q - u = 0
        let row = combine(1, &num, -den, &value.row)?;
        let row = combine(1, &row, -1, &Frac::column(p.width, offset).row)?;
        p.solve(row)?;
        boxes.push((offset, den - 1));
    }
    let mut out = Vec::new();
    for r in &p.ge {
        if p.has_free(r) {
            continue;
        }
        let mut worst: Row = r[..base].to_vec();
        for &(u, last) in &boxes {
            let c = r.get(u).copied().unwrap_or(0);
            if c < 0 {
                let drop = c.checked_mul(last).ok_or_else(limit)?;
                worst[0] = worst[0].checked_add(drop).ok_or_else(limit)?;
            }
        }
        tighten(&mut worst);
        out.push(worst);
    }
    Ok(out)
}
