//! Full tiles: the values of the tile dims for which no row cuts into the tile's box.

use super::fail::{Res, overflow};
use super::generate::{Ctx, Cursor, Gen};
use super::loops::{next, rows_cond};
use super::piece::Piece;
use super::types::{Ast, If};
use crate::ids::StmtId;
use crate::model::tree::{AstOption, Axis, Member, Node};
use presburger::rows::{Constraint, Frac, Row, combine, complement, reduce, same, tighten};

/// Body of a tile loop: full tiles without inner tests, the others in general form. Where point loops are to be jammed,
/// a tile counts as full if it is full in those: the bounds of the loops around which nothing is jammed may stay
/// minima. Tiles are not told apart where nothing is jammed, blocks of a GPU do not run them, and no innermost loop
/// ends with its tile: a second copy would do the same.
pub(super) fn separate_tiles<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    pieces: Vec<Piece>,
    ctx: Ctx<'g>,
) -> Res<Ast> {
    let deeper = &cursor.band.members[cursor.member + 1..];
    if deeper.iter().any(|m| m.ast == AstOption::SeparateTiles) {
        return next(generator, cursor, pieces, ctx);
    }
    let jammed = jammed_members(cursor.below);
    // Where all threads of a block run full tiles, they may copy to shared memory together.
    let of_blocks = matches!(cursor.band.members[cursor.member].role.axis(), Some(Axis::Grid(..)));
    if jammed.is_empty() && !of_blocks && !any_tiled_inside(&pieces, cursor.below)? {
        return next(generator, cursor, pieces, ctx);
    }
    let mut full = Vec::new();
    for p in &pieces {
        full.extend(full_tile_rows(p, &jammed)?.into_iter().map(|row| Constraint { row, own: true }));
    }
    let time = generator.layout.time(ctx.level() - 1);
    let rows: Vec<Row> = match reduce(&ctx.known, full, time)? {
        None => return next(generator, cursor, pieces, ctx),
        Some(full) if full.is_empty() => return next(generator, cursor, pieces, ctx),
        Some(full) => full.into_iter().map(|k| k.row).collect(),
    };
    let cond = rows_cond(&ctx, &rows)?;
    let mut inside = ctx.clone();
    for r in &rows {
        inside.known.add(r)?;
    }
    let then = next(generator, cursor, pieces.clone(), inside)?;
    let mut outside = ctx;
    if let [only] = rows.as_slice() {
        outside.known.add(&complement(only)?)?;
    }
    let otherwise = next(generator, cursor, pieces, outside)?;
    Ok(Ast::If(Box::new(If { cond, then, otherwise: Some(otherwise) })))
}

/// Members of the next band that are to be unrolled and jammed.
fn jammed_members(node: &Node) -> Vec<&Member> {
    match node {
        Node::Band(b, _) => b.members.iter().filter(|m| m.ast.jammed().is_some()).collect(),
        Node::Mark(_, c) | Node::Context(_, c) => jammed_members(c),
        _ => Vec::new(),
    }
}

/// Whether the innermost loop below around some piece runs over values that tiles cut.
fn any_tiled_inside(pieces: &[Piece], below: &Node) -> Res<bool> {
    for p in pieces {
        let Some(aff) = innermost(below, p.stmt).and_then(|m| m.affs.get(&p.stmt)) else { continue };
        let mut p = p.clone();
        let value = p.value_of(aff)?;
        let shares = |row: &Row| row.iter().zip(&value.row).skip(p.layout.base()).any(|(a, b)| *a != 0 && *b != 0);
        if value.den != 1 || p.floors.iter().any(|f| shares(&f.num)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The innermost member below around a statement.
fn innermost(node: &Node, stmt: StmtId) -> Option<&Member> {
    let holds = |c: &&Node| !matches!(c, Node::Filter(of, _) if !of.contains_key(&stmt));
    let deeper = node.children().iter().filter(holds).find_map(|c| innermost(c, stmt));
    deeper.or_else(|| match node {
        Node::Band(band, _) => band.members.last(),
        _ => None,
    })
}

/// Rows over params and time dims that hold exactly where every row of the piece holds in the whole box of its tile, as
/// far as the rows depend on tiled values only (rows on inner dims stay with the inner loops). A tile dim is a floor
/// `q = floor(f / s)` whose value the time dims determine; inside the tile `f = s q + u` with `0 <= u < s`. If `jammed`
/// holds members, rows that depend on none of their functions are left out.
fn full_tile_rows(piece: &Piece, jammed: &[&Member]) -> Res<Vec<Row>> {
    let base = piece.layout.base();
    let mut p = piece.clone();
    let mut wanted: Vec<Frac> = Vec::new();
    for m in jammed {
        if let Some(aff) = m.affs.get(&p.stmt) {
            wanted.push(p.value_of(aff)?);
        }
    }
    let wanted: Vec<bool> =
        p.floors.iter().map(|f| wanted.iter().any(|w| w.den == 1 && same(&w.row, &f.num))).collect();
    let any_wanted = wanted.contains(&true);
    let mut boxes: Vec<(usize, i64)> = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
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
        if wanted[k] {
            chosen.push(offset);
        }
    }
    let mut out = Vec::new();
    for r in &p.ge {
        let uses = |c: usize| r.get(c).is_some_and(|&v| v != 0);
        let other_box = boxes.iter().any(|b| uses(b.0)) && !chosen.iter().any(|&c| uses(c));
        if p.has_free(r) || (any_wanted && other_box) {
            continue;
        }
        let mut worst: Row = r[..base].to_vec();
        for &(u, last) in &boxes {
            let c = r.get(u).copied().unwrap_or(0);
            if c < 0 {
                let drop = c.checked_mul(last).ok_or_else(overflow)?;
                worst[0] = worst[0].checked_add(drop).ok_or_else(overflow)?;
            }
        }
        tighten(&mut worst);
        out.push(worst);
    }
    Ok(out)
}
