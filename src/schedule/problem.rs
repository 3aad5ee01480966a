//! What the scheduler works on: integer rows, independent of sets and maps.
//!
//! In:  the statements of a SCoP and its validity dependences.
//! Out: one [`Piece`] per different basic map of a dependence (those to be respected first, then those of the reuse
//! relation), as generators over `[src ds | dst dd | params p | h 1]`: a vertex has
//!      `h > 0` (its coordinates are the entries over `h`), a ray has `h = 0`. Existentials are projected out.

use super::STAGE;
use super::index_sets::Reversals;
use crate::deps::{DepKind, Dependences};
use crate::error::{Failure, Limit};
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use presburger::rows::{Vector, dot, generators};
use presburger::{Budget, Kind};
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};
use std::sync::Arc;

/// What a relation between instances asks of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// The source runs first.
    Order,
    /// Source and destination should run close together, whichever is first.
    Near,
}

/// One dependence polyhedron between two statements.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What is asked of its pairs.
    pub demand: Demand,
    /// Position of the source statement.
    pub src: usize,
    /// Position of the destination statement (runs later).
    pub dst: usize,
    /// The dependences between the two that have these pairs, by kind and array.
    pub of: Arc<Vec<(DepKind, ArrayId)>>,
    /// Generators `[src ds | dst dd | params p | h 1]`; at least one is a vertex.
    pub gens: Arc<[Vector]>,
}

/// Coefficients of one statement in a hyperplane: `[dims d | 1]`.
pub type Row = Vec<i64>;

/// One schedule dimension: a row for each statement, by position; statements outside of the band have an empty row.
pub type Hyperplane = Vec<Row>;

/// How the integer programs of a problem are stated and solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Solving {
    /// Coefficients of dims may be negative.
    pub negative: bool,
    /// The linear relaxation is solved first, and its solution scaled to integers.
    pub relaxed: bool,
}

/// Rows of one scheduling problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Number of dims of each statement.
    pub dims: Vec<usize>,
    /// Number of parameters.
    pub params: usize,
    /// All dependences to be respected, then (if any) the relations whose distances are to be small instead of theirs.
    pub pieces: Vec<Piece>,
    /// How hyperplanes are looked for where candidates are not enough.
    pub solving: Solving,
}

impl Piece {
    /// Distance `row_dst . y - row_src . x` at generator `g`, times its `h`. `None` on overflow.
    #[must_use]
    pub fn distance(&self, g: &[i64], hyperplane: &Hyperplane) -> Option<i128> {
        let (src, dst) = (&hyperplane[self.src], &hyperplane[self.dst]);
        let (ds, dd) = (src.len() - 1, dst.len() - 1);
        let h = i128::from(g[g.len() - 1]);
        let shift = i128::from(dst[dd]) - i128::from(src[ds]);
        let far = dot(&dst[..dd], &g[ds..ds + dd])?;
        let near = dot(&src[..ds], &g[..ds])?;
        far.checked_sub(near)?.checked_add(h.checked_mul(shift)?)
    }

    /// The part of the dependence at distance 0 of `hyperplane`, which must be valid for it: the face spanned by the
    /// generators at distance 0. `None` when that part is empty, so that the dependence is satisfied. [`Demand::Near`]
    /// with distances of both signs: all of it.
    #[must_use]
    pub fn at_zero(&self, hyperplane: &Hyperplane) -> Option<Piece> {
        if self.is_at_zero(hyperplane) || (self.demand == Demand::Near && self.has_both_signs(hyperplane)) {
            return Some(self.clone());
        }
        let gens: Vec<Vector> = self.gens.iter().filter(|g| self.distance(g, hyperplane) == Some(0)).cloned().collect();
        let has_vertex = gens.iter().any(|g| g[g.len() - 1] > 0);
        has_vertex.then(|| Piece { gens: gens.into(), ..self.clone() })
    }

    fn has_both_signs(&self, hyperplane: &Hyperplane) -> bool {
        let signs = || self.gens.iter().map(|g| self.distance(g, hyperplane).map_or(0, i128::signum));
        signs().any(|s| s > 0) && signs().any(|s| s < 0)
    }

    /// Whether a statement writes what an iteration of its own before has read. Iterations of a vector read before they
    /// write, so that a loop that carries nothing else runs in vectors.
    #[must_use]
    pub fn is_read_before(&self) -> bool {
        self.src == self.dst && self.of.iter().all(|(kind, _)| *kind == DepKind::War)
    }

    /// Whether `hyperplane` separates no pair of this dependence.
    #[must_use]
    pub fn is_at_zero(&self, hyperplane: &Hyperplane) -> bool {
        self.gens.iter().all(|g| self.distance(g, hyperplane) == Some(0))
    }
}

/// The pieces to be respected, and those to be brought close together.
#[must_use]
pub fn by_demand(pieces: &[Piece]) -> (&[Piece], &[Piece]) {
    pieces.split_at(pieces.partition_point(|p| p.demand == Demand::Order))
}

/// Reads the dependences as generators, mirrored dims in their new values. Equal polyhedra (RAW, WAR and WAW of one
/// access pair are often equal) are kept once.
/// Errors: `Limit` when the budget ends.
pub fn extract(scop: &Scop, deps: &Dependences, reversals: &Reversals, budget: &Budget) -> Result<Problem, Failure> {
    let dims: Vec<usize> = scop.stmts.iter().map(crate::model::Stmt::dims).collect();
    let params = scop.params.len();
    let mut seen: BTreeMap<_, Option<usize>> = BTreeMap::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let order = deps.validity.iter().map(|dep| (Demand::Order, dep));
    for (demand, dep) in order.chain(deps.reuse.iter().map(|dep| (Demand::Near, dep))) {
        let (src, dst) = (dep.src.index(), dep.dst.index());
        for basic in dep.relation.basics() {
            let rows = basic.rows_i64().map_err(Limit::of(STAGE))?;
            let exists = basic.n_exists();
            let rows = reorder(&rows, params, dims[src] + dims[dst], exists);
            let key: Vec<(bool, Vector)> = rows.iter().map(|(k, r)| (*k == Kind::Eq, r.clone())).collect();
            match seen.entry((demand, src, dst, exists, key)) {
                Entry::Occupied(twin) => {
                    let twin = twin.get().map(|at| Arc::make_mut(&mut pieces[at].of));
                    twin.into_iter().for_each(|of| of.push((dep.kind, dep.array)));
                }
                Entry::Vacant(place) => {
                    let width = exists + dims[src] + dims[dst] + params + 1;
                    let gens = project(&rows, width, exists, budget)?;
                    place.insert(gens.is_some().then_some(pieces.len()));
                    let Some(mut gens) = gens else { continue };
                    for (first, stmt) in [(0, dep.src), (dims[src], dep.dst)] {
                        reversal(&mut gens, first..first + dims[stmt.index()], stmt, reversals, params)?;
                    }
                    let of = Arc::new(vec![(dep.kind, dep.array)]);
                    pieces.push(Piece { demand, src, dst, of, gens: gens.into() });
                }
            }
        }
    }
    Ok(Problem { dims, params, pieces, solving: Solving::default() })
}

/// Replaces the values of the mirrored dims of a statement, which are in these columns.
fn reversal(
    gens: &mut [Vector],
    columns: std::ops::Range<usize>,
    stmt: StmtId,
    reversals: &Reversals,
    params: usize,
) -> Result<(), Failure> {
    for (dim, column) in columns.enumerate() {
        let Some(row) = reversals.get(&(stmt, dim)) else { continue };
        for g in gens.iter_mut() {
            let ends = &g[g.len() - 1 - params..];
            let total = dot(row, ends).and_then(|t| i64::try_from(t - i128::from(g[column])).ok());
            g[column] = total.ok_or_else(|| Limit::overflow(STAGE))?;
        }
    }
    Ok(())
}

/// Inequalities with a constant this large come from the width of the machine's integers. They would bound every
/// distance by a constant and hide which distances grow with a parameter, so they are left out; a larger relation is a
/// stricter problem.
const WIDTH_OF_INTEGERS: u64 = 1 << 28;

/// `[params | dims | exists | 1]` -> `[exists | dims | params | 1]`, sorted, with the row `h >= 0` added.
fn reorder(rows: &[(Kind, Vec<i64>)], params: usize, dims: usize, exists: usize) -> Vec<(Kind, Vector)> {
    let mut out: Vec<(Kind, Vector)> = rows
        .iter()
        .filter(|(kind, r)| *kind == Kind::Eq || r[r.len() - 1].unsigned_abs() < WIDTH_OF_INTEGERS)
        .map(|(kind, r)| {
            let mut v = Vec::with_capacity(r.len());
            v.extend_from_slice(&r[params + dims..params + dims + exists]);
            v.extend_from_slice(&r[params..params + dims]);
            v.extend_from_slice(&r[..params]);
            v.push(r[r.len() - 1]);
            (*kind, v)
        })
        .collect();
    out.sort_by(|a, b| (a.0 != Kind::Eq, &a.1).cmp(&(b.0 != Kind::Eq, &b.1)));
    out.dedup();
    let mut h = vec![0; exists + dims + params + 1];
    h[exists + dims + params] = 1;
    out.push((Kind::Ge, h));
    out
}

/// Generators without the existential columns, lines as two rays. `None` when the polyhedron is empty.
fn project(
    rows: &[(Kind, Vector)],
    width: usize,
    exists: usize,
    budget: &Budget,
) -> Result<Option<Vec<Vector>>, Failure> {
    let cone = generators(width, rows, budget).map_err(Limit::of(STAGE))?;
    let mut gens: BTreeSet<Vector> = cone.rays.iter().map(|r| r[exists..].to_vec()).collect();
    for line in &cone.lines {
        gens.insert(line[exists..].to_vec());
        gens.insert(line[exists..].iter().map(|x| -x).collect());
    }
    gens.retain(|g| g.iter().any(|x| *x != 0));
    let has_vertex = gens.iter().any(|g| g[g.len() - 1] > 0);
    Ok(has_vertex.then(|| gens.into_iter().collect()))
}
