//! Sets as dots and maps as arrows in two of their dims, as SVG: the first dim to the right, the second one upwards.

use crate::budget::{Error, Result};
use crate::sets::space::Dim;
use crate::sets::union_sets::{UnionMap, UnionSet};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Elements drawn at most.
const MOST_ELEMENTS: usize = 10_000;

/// Places drawn at most in each direction.
const MOST_PLACES: i64 = 2_000;

/// Pixels between neighbours.
const CELL: i64 = 24;

/// Pixels around the drawing.
const MARGIN: i64 = 36;

/// Pixels between the end of an arrow and the middle of its dot.
const GAP: f64 = 6.0;

/// Pixels of a dot's radius.
const RADIUS: i64 = 4;

type Place = (i64, i64);

/// What is drawn: dots, each once, and arrows between dots.
#[derive(Default)]
struct Drawing {
    dots: BTreeSet<Place>,
    arrows: BTreeSet<(Place, Place)>,
}

/// The entries of `x` in the two dims; 0 where there is none.
fn place(x: &[i64], dims: (usize, usize)) -> Place {
    let at = |d: usize| x.get(d).copied().unwrap_or(0);
    (at(dims.0), at(dims.1))
}

impl UnionSet {
    /// The elements as dots in an SVG; `dims` are those that are drawn, elements that differ in others only share a
    /// dot. Errors: [`Error::TooMany`](crate::Error::TooMany) for more than 10,000 elements, also over all parameters,
    /// and for a drawing of more than 2,000 places in one direction.
    pub fn to_svg(&self, dims: (usize, usize)) -> Result<String> {
        let mut all = Drawing::default();
        for s in self.sets() {
            let first = s.space().first(Dim::Out);
            all.dots.extend(s.points(MOST_ELEMENTS)?.iter().map(|x| place(&x[first..], dims)));
        }
        all.svg()
    }
}

impl UnionMap {
    /// The pairs as arrows in an SVG, from the place of the input to that of the output, as [`UnionSet::to_svg`].
    pub fn to_svg(&self, dims: (usize, usize)) -> Result<String> {
        let mut all = Drawing::default();
        for m in self.maps() {
            let (first, second) = (m.space().first(Dim::In), m.space().first(Dim::Out));
            for x in m.wrap().points(MOST_ELEMENTS)? {
                let (from, to) = (place(&x[first..second], dims), place(&x[second..], dims));
                all.dots.extend([from, to]);
                if from != to {
                    all.arrows.insert((from, to));
                }
            }
        }
        all.svg()
    }
}

impl Drawing {
    /// Least and largest entry in one of the dims.
    fn range(&self, entry: impl Fn(&Place) -> i64) -> (i64, i64) {
        let ends = self.dots.iter().map(&entry).min().zip(self.dots.iter().map(&entry).max());
        ends.unwrap_or((0, 0))
    }

    fn svg(&self) -> Result<String> {
        let ((left, right), (low, high)) = (self.range(|p| p.0), self.range(|p| p.1));
        if [(left, right), (low, high)].iter().any(|(a, b)| b.checked_sub(*a).is_none_or(|n| n >= MOST_PLACES)) {
            return Err(Error::TooMany);
        }
        let at = |p: &Place| (MARGIN + (p.0 - left) * CELL, MARGIN + (high - p.1) * CELL);
        let (width, height) = (2 * MARGIN + (right - left) * CELL, 2 * MARGIN + (high - low) * CELL);
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments| writeln!(out, "{text}").expect("a string takes all text");
        line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-size=\"10\">"
        ));
        line(format_args!(
            "<marker id=\"tip\" orient=\"auto\" markerWidth=\"6\" markerHeight=\"6\" refX=\"6\" refY=\"3\">\
             <path d=\"M0,0 L6,3 L0,6 z\"/></marker>"
        ));
        for x in left..=right {
            let (px, py) = (at(&(x, low)).0, height - MARGIN / 3);
            line(format_args!("<text x=\"{px}\" y=\"{py}\" text-anchor=\"middle\">{x}</text>"));
        }
        for y in low..=high {
            let (px, py) = (MARGIN / 2, at(&(left, y)).1 + RADIUS);
            line(format_args!("<text x=\"{px}\" y=\"{py}\" text-anchor=\"end\">{y}</text>"));
        }
        for p in &self.dots {
            let (x, y) = at(p);
            line(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>"));
        }
        for (from, to) in &self.arrows {
            let [x, y, u, v] = arrow(at(from), at(to));
            line(format_args!(
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{u:.1}\" y2=\"{v:.1}\" stroke=\"black\" marker-end=\"url(#tip)\"/>"
            ));
        }
        out.push_str("</svg>");
        Ok(out)
    }
}

/// The ends of an arrow between two different places, short of their dots.
#[allow(clippy::cast_precision_loss)]
fn arrow(from: Place, to: Place) -> [f64; 4] {
    let (x, y, dx, dy) = (from.0 as f64, from.1 as f64, (to.0 - from.0) as f64, (to.1 - from.1) as f64);
    let gap = GAP / dx.hypot(dy);
    [x + dx * gap, y + dy * gap, x + dx * (1.0 - gap), y + dy * (1.0 - gap)]
}
