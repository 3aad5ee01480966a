//! Pieces that run at values of one stride with different remainders as pieces at the same values, one behind the
//! other.
//!
//! In:  pieces that run at `T = r_k` modulo `m`. Out: the same pieces, run at `T - (r_k - r_0)`, each with how far
//! behind that its value lies, from 0 to `m - 1`: [`in_turns`] runs those of one value of the loop in that order, which
//! is that of their own values.

use super::bounds::{Step, distance, steps};
use super::expr::block;
use super::fail::Res;
use super::generate::Ctx;
use super::piece::Piece;
use super::types::Ast;
use presburger::rows::Frac;

/// See the module header; pieces without such a stride stay as they are. `time` is the column of the level's dim, which
/// all pieces have a value of.
pub(super) fn shifted(ctx: &Ctx, pieces: &mut [Piece], time: usize) -> Res<()> {
    let Some((first, rest)) = pieces.split_first() else { return Ok(()) };
    let of_all = |step: &Step| -> Option<Vec<i64>> {
        let own = |p: &Piece| steps(ctx, p, time).iter().find_map(|other| distance(step, other));
        std::iter::once(Some(0)).chain(rest.iter().map(own)).collect()
    };
    let found = steps(ctx, first, time).iter().find_map(of_all);
    let Some(turns) = found.filter(|turns| turns.iter().any(|t| *t != 0)) else { return Ok(()) };
    for (piece, turn) in pieces.iter_mut().zip(turns) {
        let mut value = Frac::column(piece.layout.base(), time);
        value.row[0] = turn;
        piece.substitute(time, &value)?;
        piece.turn = turn;
    }
    Ok(())
}

/// What `make` makes of the pieces of each turn, one after the other.
pub(super) fn in_turns(mut pieces: Vec<Piece>, mut make: impl FnMut(Vec<Piece>) -> Res<Ast>) -> Res<Ast> {
    pieces.sort_by_key(|p| p.turn);
    let mut parts = Vec::new();
    for one in pieces.chunk_by_mut(|a, b| a.turn == b.turn) {
        one.iter_mut().for_each(|p| p.turn = 0);
        parts.push(make(one.to_vec())?);
    }
    Ok(block(parts))
}
