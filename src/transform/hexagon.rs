//! Hexagonal tiles: diamonds with a flat base, all tiles of one half-phase of which may run at the same time.
//!
//! The sides of a diamond, hyperplanes `h1` and `h2`, sum up to time: `h1 + h2 = k * f`. Time is cut into bands,
//! `q = floor((h1 + h2) / H)`. In each band tiles that grow and tiles that shrink take turns along space, with period
//! `P = H + 2 w`: one that grows in band q begins `w` wide and shrinks in band q + 1. With `x = h1 - q (H + w)` and
//! `y = h2 + q w + w`, left sides of growing tiles lie where `x` is a multiple of P, their right sides where `y` is: a
//! tile that grows has `floor(x / P) + floor(y / P) = 0`, one that shrinks -1. So
//!
//! - `q + floor(x / P) + floor(y / P)` is the band in which a tile began: the half-phase, in which it runs;
//! - `floor(y / P)` numbers the tiles of one half-phase: it is the same in both bands of a tile.
//!
//! Both are monotone along every dependence with distances >= 0 in `h1` and `h2`, and two tiles of a half-phase do not
//! depend on each other. With `w = 0` this is the wavefront of diamonds `floor(h1 / H) + floor(h2 / H)`.
//! Source: Grosser, Cohen, Holewinski, Sadayappan, Verdoolaege, CGO 2014 (hybrid hexagonal and classical tiling), as
//! sums of floors instead of two cases.

use crate::model::tree::ops::Inapplicable;
use crate::model::tree::{Band, Mark, Member, Node};

/// Sizes of hexagonal tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// `H`: values of `h1 + h2` in a band, half of a tile's height.
    pub band: i64,
    /// `w`: values of `h1` along the base.
    pub base: i64,
    /// Sizes of the tiles of the other hyperplanes, which run one after the other in each hexagon; `None`: not tiled.
    pub beside: Vec<Option<i64>>,
}

impl Sizes {
    /// Values of `h1` from a tile to the next one of the same half-phase.
    #[must_use]
    pub fn period(&self) -> i64 {
        self.band + 2 * self.base
    }
}

/// What is `inside` in hexagons of the first two hyperplanes: loops over half-phases, hexagons, tiles of the other
/// hyperplanes, and bands of time, marked [`Mark::TimeTiles`]. Legal where every distance is >= 0 in each hyperplane
/// and the order inside is legal.
///
/// # Errors
/// Fewer than two hyperplanes, or sizes that are none.
pub fn in_hexagons(inside: Node, hyperplanes: &Band, sizes: &Sizes) -> Result<Node, Inapplicable> {
    let no = |what: &str| Err(Inapplicable(what.to_owned()));
    let [first, second, others @ ..] = hyperplanes.members.as_slice() else {
        return no("hexagons have two sides");
    };
    if sizes.band < 1 || sizes.base < 0 || sizes.beside.iter().flatten().any(|size| *size < 1) {
        return no("hexagons need positive sizes");
    }
    let period = sizes.period();
    let (mut phase, mut tile, mut band) = (first.affs.clone(), first.affs.clone(), first.affs.clone());
    for (id, h1) in &first.affs {
        let Some(h2) = second.affs.get(id) else { return no("a statement has one side only") };
        let q = h1.add(h2).floor_div(sizes.band);
        let x = h1.sub(&q.scale(sizes.band + sizes.base)).floor_div(period);
        let y = h2.add(&q.scale(sizes.base)).add_constant(sizes.base).floor_div(period);
        phase.insert(*id, q.add(&x).add(&y));
        tile.insert(*id, y);
        band.insert(*id, q);
    }
    let mut members = vec![Member::new(phase), Member { coincident: true, ..Member::new(tile) }];
    for (other, size) in others.iter().zip(&sizes.beside) {
        let Some(size) = size else { continue };
        let cut = other.affs.iter().map(|(id, aff)| (*id, aff.floor_div(*size))).collect();
        members.push(Member::new(cut));
    }
    members.push(Member::new(band));
    let loops = Node::Band(Band { members, permutable: false }, Box::new(inside));
    Ok(Node::Mark(Mark::TimeTiles, Box::new(loops)))
}
