//! Pieces: one conjunction of one statement's instances on its way to one leaf of the schedule tree.
//!
//! Columns are `[1 | params | T_0 .. T_{D-1} | extra]`. Statement dims and existentials start as extra columns; each
//! equality (of the domain, or `T = value` of a band member) solves one of them exactly: unimodular column operations
//! bring the equality to one extra column `g e + rest = 0`, then `e = -rest / g` is substituted everywhere and
//! `rest = 0 mod g` is kept as a stride. Extra columns that no equality determines yet are the "free" ones; loop bounds
//! eliminate them by Fourier-Motzkin.

use super::fail::{Res, overflow};
use super::residue::{coprime_parts, known_remainder};
use crate::ids::StmtId;
use presburger::rows::{Congruence, Constraint, Frac, Row, combine, eliminate, gcd, negate, same, substitute, tighten};
use presburger::{Aff, BasicSet, Budget, Kind};

/// The fixed part of every row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub params: usize,
    /// Time dimensions, those that name floors included.
    pub levels: usize,
    /// How many of them name floors at most.
    pub spare: usize,
}

impl Layout {
    /// Columns without extra ones.
    pub fn base(self) -> usize {
        1 + self.params + self.levels
    }

    /// Column of a time dimension.
    pub fn time(self, level: usize) -> usize {
        1 + self.params + level
    }
}

/// `value = floor(num / den)`.
#[derive(Clone, Debug)]
pub(super) struct FloorDef {
    pub num: Row,
    pub den: i64,
    pub value: Frac,
}

/// See the module header.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub stmt: StmtId,
    /// Leaf of the schedule tree, numbered depth first.
    pub leaf: usize,
    /// Number of the piece before copies were made of it.
    pub id: usize,
    /// Offsets of unrolled and jammed iterators, outermost first: the order of copies inside a jammed body.
    pub key: Vec<i64>,
    pub layout: Layout,
    /// Rows `>= 0`.
    pub ge: Vec<Row>,
    /// Rows `>= 0` that follow over the integers: they make bounds tighter and need no test.
    pub implied: Vec<Row>,
    /// Rows `= 0` without extra columns.
    pub eq: Vec<Row>,
    /// Strides without extra columns.
    pub strides: Vec<Congruence>,
    /// Value of each domain dim.
    pub args: Vec<Frac>,
    /// Floors met so far.
    pub floors: Vec<FloorDef>,
    /// Width of all rows.
    pub width: usize,
    /// Extra columns that must not be solved for (offsets inside a tile).
    pub pinned: Vec<usize>,
    /// How far behind the value of the loop being made it runs, among pieces of one stride ([`super::shift`]).
    pub turn: i64,
    /// A contradiction was found.
    pub empty: bool,
}

/// Whether an equality with these coefficients of existentials gives none of several as an integer combination of the
/// rest: solving it would mix floors, of which guards are made.
fn relates_floors(exists: &[i64]) -> bool {
    exists.iter().filter(|c| **c != 0).count() > 1 && exists.iter().all(|c| c.abs() != 1)
}

impl Piece {
    /// All instances of one basic set of a statement's domain.
    pub fn new(stmt: StmtId, leaf: usize, set: &BasicSet, layout: Layout) -> Res<Piece> {
        let dims = set.space().n_out();
        let base = layout.base();
        let width = base + dims + set.n_exists();
        let mut piece = Piece {
            stmt,
            leaf,
            id: 0,
            key: Vec::new(),
            layout,
            ge: Vec::new(),
            implied: Vec::new(),
            eq: Vec::new(),
            strides: Vec::new(),
            args: (0..dims).map(|k| Frac::column(width, base + k)).collect(),
            floors: Vec::new(),
            width,
            pinned: Vec::new(),
            turn: 0,
            empty: false,
        };
        for (kind, row) in set.rows_i64()? {
            let (head, rest) = row.split_at(layout.params);
            let (tail, constant) = rest.split_at(rest.len() - 1);
            let mut own = vec![0; width];
            own[0] = constant[0];
            own[1..=layout.params].copy_from_slice(head);
            own[base..].copy_from_slice(tail);
            match kind {
                Kind::Ge => piece.ge.push(own),
                Kind::Eq if relates_floors(&own[base + dims..]) => {
                    piece.ge.push(negate(&own)?);
                    piece.ge.push(own);
                }
                Kind::Eq => piece.eq.push(own),
            }
        }
        while let Some(i) = piece.eq.iter().position(|r| piece.has_free(r)) {
            let row = piece.eq.swap_remove(i);
            piece.solve(row)?;
        }
        piece.clean();
        Ok(piece)
    }

    /// True iff a free extra column occurs.
    pub fn has_free(&self, row: &[i64]) -> bool {
        self.free_columns(row).next().is_some()
    }

    pub fn free_columns<'r>(&'r self, row: &'r [i64]) -> impl Iterator<Item = usize> + 'r {
        (self.layout.base()..row.len()).filter(|c| row[*c] != 0 && !self.pinned.contains(c))
    }

    /// Appends an extra column.
    pub fn add_column(&mut self) -> usize {
        let col = self.width;
        self.width += 1;
        let w = self.width;
        for r in self.ge.iter_mut().chain(&mut self.implied).chain(&mut self.eq) {
            r.resize(w, 0);
        }
        col
    }

    /// Adds `row = 0` and solves it for a free extra column if it has one.
    pub fn solve(&mut self, mut row: Row) -> Res<()> {
        row.resize(self.width, 0);
        loop {
            let free: Vec<usize> = self.free_columns(&row).collect();
            let Some(&pick) = free.iter().min_by_key(|&&c| row[c].unsigned_abs()) else {
                self.eq.push(row);
                return Ok(());
            };
            let m = row[pick];
            if m.abs() == 1 || free.len() == 1 {
                return self.solve_for(pick, row);
            }
            // e_pick = e_pick' - sum q_i e_i makes every other coefficient smaller than |m|.
            for &c in free.iter().filter(|&&c| c != pick) {
                let q = row[c].div_euclid(m);
                self.add_column_multiple(pick, c, -q)?;
                row[c] = row[c].rem_euclid(m);
            }
        }
    }

    /// Replaces column `from` by `from + k * other` in everything that mentions it (a unimodular change of extra
    /// columns).
    fn add_column_multiple(&mut self, from: usize, other: usize, k: i64) -> Res<()> {
        let apply = |r: &mut Row| -> Res<()> {
            let a = r.get(from).copied().unwrap_or(0);
            if a != 0 {
                let top = other.max(from) + 1;
                if r.len() < top {
                    r.resize(top, 0);
                }
                let add = a.checked_mul(k).ok_or_else(overflow)?;
                r[other] = r[other].checked_add(add).ok_or_else(overflow)?;
            }
            Ok(())
        };
        for r in self.ge.iter_mut().chain(&mut self.implied).chain(&mut self.eq) {
            apply(r)?;
        }
        for a in &mut self.args {
            apply(&mut a.row)?;
        }
        for f in &mut self.floors {
            apply(&mut f.num)?;
            apply(&mut f.value.row)?;
        }
        Ok(())
    }

    /// `row = 0` where `col` is the column to solve for: `col = -(row without col) / row[col]`.
    fn solve_for(&mut self, col: usize, mut row: Row) -> Res<()> {
        let m = row[col];
        row[col] = 0;
        if m > 0 {
            for c in &mut row {
                *c = c.checked_neg().ok_or_else(overflow)?;
            }
        }
        let den = m.checked_abs().ok_or_else(overflow)?;
        if den > 1 {
            self.strides.push(Congruence { row: row.clone(), modulus: den });
        }
        let mut value = Frac { row, den };
        value.reduce();
        self.substitute(col, &value)
    }

    /// Replaces a column by a value known to be an integer (or made one by a stride).
    pub fn substitute(&mut self, col: usize, value: &Frac) -> Res<()> {
        for r in self.ge.iter_mut().chain(&mut self.implied).chain(&mut self.eq) {
            substitute(r, col, value)?;
        }
        for s in &mut self.strides {
            s.substitute(col, value)?;
        }
        for a in &mut self.args {
            a.substitute(col, value)?;
        }
        for f in &mut self.floors {
            let mut num = Frac { row: std::mem::take(&mut f.num), den: f.den };
            num.substitute(col, value)?;
            (f.num, f.den) = (num.row, num.den);
            f.value.substitute(col, value)?;
        }
        self.clean();
        Ok(())
    }

    /// Drops what always holds, detects contradictions.
    fn clean(&mut self) {
        let mut empty = self.empty;
        self.ge.retain_mut(|r| {
            tighten(r);
            let constant = r[1..].iter().all(|&c| c == 0);
            empty |= constant && r[0] < 0;
            !constant
        });
        self.eq.retain_mut(|r| {
            let g = r[1..].iter().fold(0, |g, &c| gcd(g, c));
            if g == 0 {
                empty |= r[0] != 0;
                return false;
            }
            if r[0] % g != 0 {
                empty = true;
                return false;
            }
            r.iter_mut().for_each(|c| *c /= g);
            true
        });
        let mut strides = std::mem::take(&mut self.strides);
        strides.reverse();
        while let Some(s) = strides.pop() {
            let Some(mut s) = s.canonical() else { continue };
            if let Some([outer, own]) = coprime_parts(&s) {
                strides.extend([own, outer]);
                continue;
            }
            let last = s.row.iter().rposition(|&c| c != 0).map_or(0, |l| l + 1);
            s.row.truncate(last.max(1));
            let g = s.row[1..].iter().fold(s.modulus, |g, &c| gcd(g, c));
            empty |= s.row[0] % g != 0;
            if !self.strides.contains(&s) {
                self.strides.push(s);
            }
        }
        self.empty = empty;
    }

    /// Value of `[params | dims | floors | 1]` over current columns; `floors[k]` is the value of floor k.
    fn value_of_row(&self, row: &[i64], floors: &[Frac]) -> Res<Frac> {
        let p = self.layout.params;
        let mut start = vec![0; self.layout.base()];
        start[0] = row.last().copied().unwrap_or(0);
        start[1..=p].copy_from_slice(&row[..p]);
        let mut value = Frac { row: start, den: 1 };
        let terms = self.args.iter().chain(floors);
        for (term, &k) in terms.zip(&row[p..row.len() - 1]) {
            if k != 0 {
                value.add_scaled(k, term)?;
            }
        }
        Ok(value)
    }

    /// Value of a quasi-affine function of the statement's dims over current columns; new floors become extra columns.
    pub fn value_of(&mut self, aff: &Aff) -> Res<Frac> {
        let mut floors: Vec<Frac> = Vec::new();
        for div in aff.divs() {
            // The row of floor k has no columns for floors k.. .
            let num = self.value_of_row(&div.num, &floors)?;
            floors.push(self.floor_of(num, div.den)?);
        }
        self.value_of_row(aff.row(), &floors)
    }

    /// `floor(num / den)` as a value over current columns.
    fn floor_of(&mut self, num: Frac, den: i64) -> Res<Frac> {
        let den = num.den.checked_mul(den).ok_or_else(overflow)?;
        let mut whole = Frac { row: num.row, den };
        whole.reduce();
        if whole.row[1..].iter().all(|&c| c % whole.den == 0) {
            let mut row: Row = whole.row.iter().map(|&c| c / whole.den).collect();
            row[0] = whole.row[0].div_euclid(whole.den);
            return Ok(Frac { row, den: 1 });
        }
        if let Some(rest) = known_remainder(&whole.row, whole.den, &self.strides) {
            whole.row[0] = whole.row[0].checked_sub(rest).ok_or_else(overflow)?;
            whole.reduce();
            return Ok(whole);
        }
        if let Some(known) = self.floors.iter().find(|f| f.den == whole.den && same(&f.num, &whole.row)) {
            return Ok(known.value.clone());
        }
        let (num, den) = (whole.row, whole.den);
        let col = self.add_column();
        let column = Frac::column(self.width, col);
        let low = combine(1, &num, -den, &column.row)?;
        let mut high = combine(-1, &num, den, &column.row)?;
        high[0] = high[0].checked_add(den - 1).ok_or_else(overflow)?;
        for mut r in [low, high] {
            r.resize(self.width, 0);
            self.ge.push(r);
        }
        self.floors.push(FloorDef { num, den, value: column.clone() });
        Ok(column)
    }

    /// Adds the equation `T_level = value`.
    pub fn add_member(&mut self, level: usize, value: &Frac) -> Res<()> {
        let time = Frac::column(self.width, self.layout.time(level));
        let row = combine(value.den, &time.row, -1, &value.row)?;
        self.solve(row)?;
        self.clean();
        Ok(())
    }

    /// First domain dim whose value is not determined by the time dims.
    pub fn undetermined_arg(&self) -> Option<usize> {
        self.args.iter().position(|a| self.has_free(&a.row))
    }
}

/// Rows of a piece over params and time dims, the free columns eliminated. Over-approximation over the integers, which
/// is enough: a row that a projection misses is enforced further in, at the latest by a guard around the statement.
pub(super) fn project(piece: &Piece, budget: &Budget) -> Res<Vec<Constraint>> {
    let base = piece.layout.base();
    let mut cons: Vec<Constraint> = Vec::with_capacity(piece.ge.len() + 2 * piece.eq.len());
    for r in &piece.ge {
        cons.push(Constraint { row: r.clone(), own: r[base..].iter().all(|&c| c == 0) });
    }
    cons.extend(piece.implied.iter().map(|r| Constraint { row: r.clone(), own: false }));
    for r in &piece.eq {
        cons.push(Constraint { row: r.clone(), own: true });
        cons.push(Constraint { row: negate(r)?, own: true });
    }
    eliminate(&mut cons, base, piece.width, budget)?;
    for c in &mut cons {
        c.row.truncate(base);
    }
    Ok(cons)
}
