//! Existentials that no row determines, two or more of them in one row: tests of instances are made of floors.

use super::{ast_of, check_run, grid};
use crate::model::Scop;

#[test]
fn instances_behind_existentials_that_bound_each_other() {
    let domains = [
        "{ Stmt0[i, j] : 0 <= i <= 6 and j = 0 and exists (a, b : 3i - 3 <= 4a - 3b <= 3i and -2i - 2 <= 3a + 5b <= -2i - 1 and -20 <= a, b <= 20) }",
        "{ Stmt0[i, j] : 0 <= i <= 6 and 0 <= j <= 6 and exists (a, b : i + j <= 4a - 3b <= i + j + 1 and i <= 3a + 5b <= i + 1 and -20 <= a, b <= 20) }",
        "{ Stmt0[i, j] : 0 <= i <= N and 0 <= j <= 6 and exists (a, b, c : i + j <= 4a - 3b + 7c <= i + j + 1 and i <= 3a + 5b - 2c <= i + 1 and 0 <= 5a - 4c <= 2 and -20 <= a, b, c <= 20) }",
    ];
    for domain in domains {
        for schedule in ["[0, i, 0, j, 0]", "[0, i + j, 0, i, 0]"] {
            let text = format!("params: N\nstmt Stmt0\n  domain: {domain}\n  schedule: {schedule}\n");
            let scop = Scop::parse(&text).expect("a program");
            let ast = ast_of(&scop, &scop.schedule);
            for params in grid(1, 0, 6) {
                check_run(&scop.schedule, &ast, &params).unwrap_or_else(|e| panic!("{domain} {schedule}: {e}"));
            }
        }
    }
}
