//! Which jammed iterations can be lanes of vectors, and what they touch.

use super::ast_of;
use crate::ast::lanes;
use crate::ast::types::{Ast, BlockShape, Lanes};
use crate::model::Scop;

/// Eight rows of N columns with these accesses, the rows jammed as two vectors of four lanes.
fn scop(accesses: &[&str]) -> Scop {
    let line = |access: &&str| {
        let (kind, element) = access.split_once(' ').expect("a kind and an element");
        format!("  {kind}: [N] -> {{ Stmt0[i, j] -> {element} }}\n")
    };
    let lines: String = accesses.iter().map(line).collect();
    let text = format!(
        "
scop rows
params: N
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*, N]
array Arr2 memory f64 [*]
stmt Stmt0
  domain: [N] -> {{ Stmt0[i, j] : 0 <= i < 8 and 0 <= j < N }}
{lines}tree:
domain: \"[N] -> {{ Stmt0[i, j] : 0 <= i < 8 and 0 <= j < N }}\"
child:
  schedule: \"[{{ Stmt0[i, j] -> [(i)] }}, {{ Stmt0[i, j] -> [(j)] }}]\"
  options: \"{{ lanes[0, 4, 2] }}\"
  permutable: 1
"
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is found of the innermost loop.
fn found(accesses: &[&str]) -> Option<Lanes> {
    let scop = scop(accesses);
    let mut ast = ast_of(&scop, &scop.schedule);
    lanes::find(&scop, &mut ast);
    fn innermost(ast: &Ast) -> Option<Lanes> {
        match ast {
            Ast::Block(all) => all.iter().find_map(innermost),
            Ast::For(f) => innermost(&f.body).or_else(|| f.lanes.clone()),
            Ast::If(i) => innermost(&i.then),
            Ast::Stmt { .. } => None,
        }
    }
    innermost(&ast)
}

/// Shape, and by how many iterations each access is ahead of the write.
fn touched(accesses: &[&str]) -> Option<Vec<(BlockShape, i64)>> {
    let lanes = found(accesses)?;
    assert_eq!((lanes.width, lanes.stmts.len()), (4, 2), "two vectors of four lanes");
    for (vector, of) in lanes.stmts.iter().enumerate() {
        assert_eq!((of.vector, of.copies.len()), (vector, 4));
        assert_eq!(of.touched, lanes.stmts[0].touched);
    }
    Some(lanes.stmts[0].touched.iter().map(|t| (t.shape, t.ahead)).collect())
}

#[test]
fn rows_columns_and_single_elements_are_told_apart() {
    use BlockShape::{Along, Apart, Back, Beside, Same};
    let cases: [(&[&str], &[(BlockShape, i64)]); 6] = [
        (&["read Arr0[i, j]", "must_write Arr1[j, i]"], &[(Along, 0), (Beside, 0)]),
        (&["read Arr0[i, j - 2]", "must_write Arr0[i, j]"], &[(Along, -2), (Along, 0)]),
        (&["read Arr0[i, 1 - j]", "must_write Arr0[i, -j]"], &[(Back, -1), (Back, 0)]),
        (&["read Arr2[i]", "read Arr1[3, j]", "must_write Arr2[i]"], &[(Beside, 0), (Same, 0), (Beside, 0)]),
        (&["read Arr1[i, 0]", "must_write Arr1[i, 0]"], &[(Apart, 0), (Apart, 0)]),
        (&["read Arr0[j - 1, i]", "must_write Arr0[j, i]"], &[(Beside, -1), (Beside, 0)]),
    ];
    for (accesses, wanted) in cases {
        assert_eq!(touched(accesses).as_deref(), Some(wanted), "{accesses:?}");
    }
}

#[test]
fn what_another_lane_may_touch_is_refused() {
    let cases: [&[&str]; 7] = [
        // The row before.
        &["read Arr0[i - 1, j]", "must_write Arr0[i, j]"],
        // Rows that overlap.
        &["read Arr2[3i + j]", "must_write Arr2[3i + j]"],
        // By rows and by columns.
        &["read Arr0[j, i]", "must_write Arr0[i, j]"],
        // Two elements of one row.
        &["must_write Arr0[i, j]", "must_write Arr0[i, j + 1]"],
        // All lanes one element.
        &["read Arr2[j]", "must_write Arr2[j]"],
        // Every other element.
        &["read Arr0[i, 2j]", "must_write Arr1[i, j]"],
        // Perhaps.
        &["read Arr0[i, j]", "may_write Arr1[i, j]"],
    ];
    for accesses in cases {
        assert_eq!(found(accesses), None, "{accesses:?}");
    }
}
