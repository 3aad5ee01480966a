//! Quotients in domains: existential columns that are floors, kept as columns so that bounds do not lose them.
//!
//! Fourier-Motzkin is rational: it turns `j < N - 65536 e` with `e = floor(N / 65536)` into `j < 65536`. A floor of
//! what is known where a loop stands (parameters, outer loops) therefore becomes a level of its own in front of it,
//! without a loop: rows then mention it like any outer iterator, and expressions write it out. Floors of what inner
//! loops determine first get the bounds that integers have.

use super::expr::Name;
use super::fail::{Res, overflow};
use super::generate::Ctx;
use super::piece::{FloorDef, Layout, Piece};
use presburger::rows::{Constraint, Frac, Row, combine, eliminate, same};
use presburger::{BasicSet, Budget, Kind};

/// Rows of a piece beyond which its floors get no bounds of their own.
const MAX_ROWS: usize = 40;

/// A free extra column that two rows let be nothing but a floor.
struct FloorColumn {
    col: usize,
    /// `col = floor(num / den)`; `num` does not use `col`.
    num: Row,
    den: i64,
    /// The two rows.
    rows: [usize; 2],
}

/// How many dims of a conjunction are floors of parameters and earlier dims, and of nothing else.
pub(super) fn count(basic: &BasicSet) -> Res<usize> {
    let space = basic.space();
    let (params, dims) = (space.n_param(), space.n_out());
    let rows = basic.rows_i64()?;
    let only = |row: &[i64], d: usize| row[d].abs() > 1 && row[d + 1..row.len() - 1].iter().all(|c| *c == 0);
    let is_floor = |d: &usize| {
        rows.iter().filter(|(kind, r)| *kind == Kind::Ge && only(r, *d) && r[*d] < 0).any(|(_, upper)| {
            let opposite = |lower: &[i64]| lower.iter().zip(upper).rev().skip(1).all(|(l, u)| *l == u.saturating_neg());
            let gap =
                |lower: &[i64]| lower.last().copied().unwrap_or(0).checked_add(upper.last().copied().unwrap_or(0));
            let pair = |lower: &[i64]| opposite(lower) && gap(lower).is_some_and(|g| (0..-upper[*d]).contains(&g));
            rows.iter().any(|(kind, lower)| *kind == Kind::Ge && pair(lower))
        })
    };
    Ok((params..params + dims).filter(is_floor).count())
}

/// The first floor among the free columns of a piece with a row that passes `fits`: `0 <= num - den e <= den - 1` or
/// less.
fn floor_column(p: &Piece, fits: impl Fn(&[i64], usize) -> bool) -> Res<Option<FloorColumn>> {
    for (k, upper) in p.ge.iter().enumerate() {
        for col in p.free_columns(upper).filter(|&c| upper[c] < -1 && fits(upper, c)) {
            let den = -upper[col];
            for (o, lower) in p.ge.iter().enumerate().filter(|(_, r)| r.get(col) == Some(&den)) {
                let gap = combine(1, upper, 1, lower)?;
                if (0..den).contains(&gap[0]) && gap[1..].iter().all(|&c| c == 0) {
                    let mut num = upper.clone();
                    num[col] = 0;
                    return Ok(Some(FloorColumn { col, num, den, rows: [k, o] }));
                }
            }
        }
    }
    Ok(None)
}

/// Gives floors that the pieces share columns of their own where parameters and the levels of `ctx` determine them, as
/// long as levels are kept for that. The pieces' instances stay the same.
pub(super) fn name(layout: Layout, pieces: &mut [Piece], ctx: &mut Ctx) -> Res<()> {
    let used = ctx.scope.levels.iter().filter(|l| matches!(l, Name::Floor(..))).count();
    for _ in used..layout.spare {
        let mut found = None;
        for p in pieces.iter() {
            let known = |row: &[i64], col: usize| p.free_columns(row).all(|c| c == col);
            found = found.or(floor_column(p, known)?);
        }
        let Some(FloorColumn { mut num, den, .. }) = found else { break };
        num.truncate(layout.base());
        let value = Frac::column(layout.base(), layout.time(ctx.level()));
        let below = combine(1, &num, -den, &value.row)?;
        let mut above = combine(-1, &num, den, &value.row)?;
        above[0] = above[0].checked_add(den - 1).ok_or_else(overflow)?;
        ctx.known.add(&below)?;
        ctx.known.add(&above)?;
        for p in pieces.iter_mut() {
            while let Some(floor) = floor_column(p, |row, col| is_floor(row, col, &num, den))? {
                p.substitute(floor.col, &value)?;
            }
        }
        ctx.scope.levels.push(Name::Floor(num, den));
    }
    Ok(())
}

/// Whether a row is `num - den e >= 0` with `e` in column `col`.
fn is_floor(row: &[i64], col: usize, num: &[i64], den: i64) -> bool {
    let mut own = row.to_vec();
    own[col] = 0;
    row[col] == -den && same(&own, num)
}

/// Tells the piece which of its columns are floors, so that a loop over the values of one, as the loop over blocks is,
/// gives it the value.
pub(super) fn note(p: &mut Piece) -> Res<()> {
    let mut seen = Vec::new();
    while let Some(FloorColumn { col, num, den, .. }) = floor_column(p, |_, col| !seen.contains(&col))? {
        seen.push(col);
        p.floors.push(FloorDef { num, den, value: Frac::column(p.width, col) });
    }
    Ok(())
}

/// Adds bounds of the piece's floors that follow over the integers only: `65536 e >= i - 65535` and `i >= 0` make
/// `e >= 0`.
pub(super) fn bound(p: &mut Piece, budget: &Budget) -> Res<()> {
    let base = p.layout.base();
    let (mut seen, mut bounds) = (Vec::new(), Vec::new());
    loop {
        let fresh = |row: &[i64], col: usize| {
            !seen.contains(&col) && p.free_columns(row).any(|c| c != col && !is_quotient(p, c))
        };
        let Some(FloorColumn { col, rows, .. }) = floor_column(p, fresh)? else { break };
        seen.push(col);
        if p.ge.len() > MAX_ROWS {
            break;
        }
        // What bounds the numerator bounds the floor: its free columns are eliminated from the rows without floors of
        // their own.
        let mut cons: Vec<Constraint> = rows.iter().map(|&r| Constraint { row: p.ge[r].clone(), own: true }).collect();
        let plain = |row: &Row| p.free_columns(row).all(|c| c != col && !is_quotient(p, c));
        cons.extend(p.ge.iter().filter(|r| plain(r)).map(|r| Constraint { row: r.clone(), own: true }));
        for c in (base..p.width).filter(|c| *c != col) {
            eliminate(&mut cons, c, c + 1, budget)?;
        }
        bounds.extend(cons.into_iter().map(|k| k.row).filter(|r| r.get(col).is_some_and(|&c| c != 0)));
    }
    p.implied = bounds.into_iter().filter(|r| !p.ge.contains(r)).collect();
    Ok(())
}

/// Whether a column is one that rows divide.
fn is_quotient(p: &Piece, col: usize) -> bool {
    p.ge.iter().filter(|r| r.get(col).is_some_and(|&c| c < -1)).any(|upper| {
        p.ge.iter().any(|lower| {
            lower.get(col).is_some_and(|&c| c == -upper[col])
                && combine(1, upper, 1, lower).is_ok_and(|gap| gap[1..].iter().all(|&c| c == 0))
        })
    })
}
