//! What is asked of every hyperplane of a cluster, whatever rows were found before: worked out once, when first needed,
//! for all members of its bands.

use super::super::problem::{Piece, Problem, by_demand};
use presburger::rows::{Vector, nullspace, span};
use std::cell::OnceCell;

/// Coefficients and shifts of a cluster beyond which it is not worked out whether a hyperplane at distance zero may
/// exist.
const MAX_COLUMNS: usize = 128;

/// The distance of a dependence at one generator, as a linear form of the coefficients of its two statements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Distance {
    /// Position of the source statement.
    pub src: usize,
    /// Position of the destination statement.
    pub dst: usize,
    /// `[c_src dims, shift | c_dst dims, shift]`, or `[c dims, shift]` where source and destination are the same
    /// statement.
    pub row: Vector,
}

impl Distance {
    /// Of a dependence at one of its generators, `[src dims | dst dims | params | 1]`.
    pub fn of(p: &Piece, g: &[i64], dims: &[usize]) -> Self {
        let (ds, dd) = (dims[p.src], dims[p.dst]);
        let h = g[g.len() - 1];
        let mut row = Vec::with_capacity(ds + dd + 2);
        if p.src == p.dst {
            row.extend((0..dd).map(|k| g[ds + k] - g[k]).chain([0]));
        } else {
            row.extend(g[..ds].iter().map(|x| -x).chain([-h]));
            row.extend(g[ds..ds + dd].iter().copied().chain([h]));
        }
        Self { src: p.src, dst: p.dst, row }
    }

    /// The form over the columns of all statements; `ds` is the number of dims of the source.
    pub fn spread(&self, at: &[usize], width: usize, ds: usize) -> Vector {
        let mut wide = vec![0; width];
        let (near, far) = self.row.split_at(if self.src == self.dst { 0 } else { ds + 1 });
        wide[at[self.src]..at[self.src] + near.len()].copy_from_slice(near);
        wide[at[self.dst]..at[self.dst] + far.len()].copy_from_slice(far);
        wide
    }
}

/// The relations between the statements of a cluster.
pub struct Relations<'a> {
    /// All statements and parameters.
    pub problem: &'a Problem,
    /// Statements of the cluster, ascending.
    pub stmts: &'a [usize],
    /// Dependences to be respected.
    pub pieces: &'a [Piece],
    /// Relations whose distances are to be small; where there are none, those of `pieces` are.
    pub near: &'a [Piece],
    /// Per statement of the problem: the pieces that touch it.
    pub touching: Vec<Vec<usize>>,
    distances: OnceCell<Vec<Distance>>,
    zero_space: OnceCell<Option<Vec<Vector>>>,
}

impl<'a> Relations<'a> {
    /// `stmts` ascend; `pieces` connect only them.
    #[must_use]
    pub fn new(problem: &'a Problem, stmts: &'a [usize], pieces: &'a [Piece]) -> Self {
        let (pieces, near) = by_demand(pieces);
        let mut touching = vec![Vec::new(); problem.dims.len()];
        for (k, p) in pieces.iter().enumerate() {
            touching[p.src].push(k);
            if p.dst != p.src {
                touching[p.dst].push(k);
            }
        }
        let (distances, zero_space) = (OnceCell::new(), OnceCell::new());
        Self { problem, stmts, pieces, near, touching, distances, zero_space }
    }

    /// First column of each statement of the cluster in rows `[c_s dims, shift 1, per statement]`, and their width.
    pub fn columns(&self) -> (Vec<usize>, usize) {
        let mut at = vec![0; self.problem.dims.len()];
        let mut width = 0;
        for &s in self.stmts {
            at[s] = width;
            width += self.problem.dims[s] + 1;
        }
        (at, width)
    }

    /// The distances of the dependences at each generator, each once, in a fixed order.
    pub fn distances(&self) -> &[Distance] {
        self.distances.get_or_init(|| self.distances_of(self.pieces))
    }

    fn distances_of(&self, pieces: &[Piece]) -> Vec<Distance> {
        let mut out = Vec::with_capacity(pieces.iter().map(|p| p.gens.len()).sum());
        for p in pieces {
            out.extend(p.gens.iter().map(|g| Distance::of(p, g, &self.problem.dims)));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What is to be brought close together.
    pub fn bounded(&self) -> &'a [Piece] {
        if self.near.is_empty() { self.pieces } else { self.near }
    }

    /// Basis of the rows over all columns for which every bounded distance is 0; `None` if that is not worked out.
    pub fn zero_space(&self) -> Option<&[Vector]> {
        let find = || {
            let (at, width) = self.columns();
            if width > MAX_COLUMNS { None } else { nullspace(&self.zero_distances(&at, width)?, width) }
        };
        self.zero_space.get_or_init(find).as_deref()
    }

    /// Equations in all columns that say the same as "every bounded distance is 0".
    fn zero_distances(&self, at: &[usize], width: usize) -> Option<Vec<Vector>> {
        let own;
        let distances = if self.near.is_empty() {
            self.distances()
        } else {
            own = self.distances_of(self.near);
            &own
        };
        let mut equations = Vec::new();
        for same in distances.chunk_by(|a, b| (a.src, a.dst) == (b.src, b.dst)) {
            let rows: Vec<&Vector> = same.iter().map(|d| &d.row).collect();
            for row in span(&rows, rows[0].len())? {
                let d = Distance { src: same[0].src, dst: same[0].dst, row };
                equations.push(d.spread(at, width, self.problem.dims[d.src]));
            }
        }
        Some(equations)
    }
}
