//! Every fixture, in its original order and tiled.

use super::{Order, ast_of, check_run, grid};
use crate::ast::print_c;
use crate::model::fixtures;

#[test]
fn original_order() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let ast = ast_of(&scop, &scop.schedule);
        println!("{name}\n{}", print_c(&ast, &scop.param_names()));
        let last = if scop.params.len() > 3 { 2 } else { 4 };
        for params in grid(scop.params.len(), 1, last) {
            let inside = scop.contexts.assumed.contains(&params, &[]);
            if inside {
                check_run(&scop.schedule, &ast, &params, Order::Exact)
                    .unwrap_or_else(|e| panic!("{name}: {e}\n{}", print_c(&ast, &scop.param_names())));
            }
        }
    }
}
