//! Small cases with their printed results, which were checked by hand; each is also executed.
//!
//! A file holds cases `== name`, a SCoP as text, a line `--` and the expected loops. With `POLYRS_UPDATE_TESTS` set the
//! expectations are rewritten instead of compared.

use super::{ast_of, check_run, grid};
use crate::ast::print_c;
use crate::model::Scop;
use std::fmt::Write;
use std::path::Path;

struct Case {
    name: String,
    scop: String,
    loops: String,
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut in_loops = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            cases.push(Case { name: name.to_owned(), scop: String::new(), loops: String::new() });
            in_loops = false;
        } else if line == "--" {
            in_loops = true;
        } else if let Some(case) = cases.last_mut() {
            let part = if in_loops { &mut case.loops } else { &mut case.scop };
            part.push_str(line);
            part.push('\n');
        }
    }
    for c in &mut cases {
        c.loops = c.loops.trim_end().to_owned();
        c.scop = c.scop.trim_end().to_owned();
    }
    cases
}

fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ast/tests/cases").join(file);
    let text = std::fs::read_to_string(&path).expect("the file of cases");
    let mut rewritten = String::new();
    let mut wrong = String::new();
    for case in read(&text) {
        let scop = Scop::parse(&format!("scop case\n{}\n", case.scop)).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let ast = ast_of(&scop, &scop.schedule);
        let loops = print_c(&ast, &scop.param_names());
        let loops = loops.trim_end();
        let depth = scop.stmts.iter().map(|s| s.dims()).max().unwrap_or(0);
        let last = match (scop.params.len(), depth) {
            (0 | 1, 0..=2) => 70,
            (0 | 1, _) => 26,
            _ => 9,
        };
        for params in grid(scop.params.len(), -1, last) {
            if scop.contexts.assumed.contains(&params, &[]) && (scop.params.len() != 1 || params[0] % 3 == 0) {
                check_run(&scop.schedule, &ast, &params).unwrap_or_else(|e| panic!("{}: {e}\n{loops}", case.name));
            }
        }
        if loops != case.loops {
            let _ = writeln!(wrong, "{}:\n{loops}\ninstead of\n{}\n", case.name, case.loops);
        }
        let _ = write!(rewritten, "== {}\n{}\n--\n{loops}\n\n", case.name, case.scop);
    }
    if std::env::var_os("POLYRS_UPDATE_TESTS").is_some() {
        std::fs::write(&path, format!("{}\n", rewritten.trim_end())).expect("the file of cases");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(concat!(stringify!($name), ".txt"));
        })*
    };
}

cases!(strides, unions, statements, guards, existentials, order, tiles, unrolling);
