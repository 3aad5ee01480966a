//! The calculator: programs in the folder `calc` beside this file and what they print, and where errors are found.
//! With `PRESBURGER_BLESS=1` in the environment what the programs print is written down as right.

use presburger::calc::Session;

fn run(text: &str) -> String {
    let mut out = String::new();
    let mut s = Session::new(2_000_000);
    let result = s.run(text, |line| {
        out.push_str(line);
        out.push('\n');
    });
    if let Err(e) = result {
        out.push_str(&e.in_source(text));
        out.push('\n');
    }
    out
}

fn error(text: &str) -> (usize, usize, String) {
    let e = Session::new(100_000).run(text, |_| {}).expect_err(text);
    (e.line, e.column, e.message)
}

#[test]
fn programs_print_what_is_written_down() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("calc");
    let mut programs: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    programs.retain(|p| p.extension().is_some_and(|e| e == "calc"));
    programs.sort();
    assert!(!programs.is_empty());
    for p in programs {
        let printed = run(&std::fs::read_to_string(&p).unwrap());
        let right = p.with_extension("out");
        if std::env::var_os("PRESBURGER_BLESS").is_some() {
            std::fs::write(&right, &printed).unwrap();
        }
        assert_eq!(printed, std::fs::read_to_string(&right).unwrap(), "{}", p.display());
    }
}

#[test]
fn errors_carry_their_position() {
    assert_eq!(error("A := { [i] : i >= 0 };\nB := A + C;"), (2, 10, "unknown name 'C'".to_string()));
    assert_eq!(error("{ [i] : i >= k };").1, 14);
    assert_eq!(error("dom { [i] };"), (1, 1, "'dom' does not apply to a set".to_string()));
    assert_eq!(error("{ [i] } { [j] };"), (1, 9, "expected ';' or an operator".to_string()));
    assert_eq!(error("card { [i] : i >= 0 };").2, "infinitely many elements");
    assert_eq!(error("({ [i] }").2, "expected ')'");
    assert_eq!(error("{ [i] "), (1, 1, "'}' is missing".to_string()));
    assert_eq!(error("print \"no end;"), (1, 7, "'\"' is missing".to_string()));
    assert_eq!(error("{ [i] -> [i] }^x;"), (1, 16, "expected an integer power".to_string()));
    assert_eq!(error("{ [i] } . { [i] };").2, "'.' does not apply to a set and a set");
}

#[test]
fn errors_are_shown_below_their_line() {
    let printed = run("A := { [i] : i >= 0 };\n\tA + { [j] : j >= k };\n");
    assert_eq!(printed, "2:19: unknown name 'k'\n  \tA + { [j] : j >= k };\n  \t                 ^\n");
}

#[test]
fn a_statement_stops_at_its_budget() {
    let e = Session::new(10).run("{ [i, j] : exists e: 3i + 5j = 7e } - { [i, j] : 2i > 3j };", |_| {});
    assert_eq!(e.expect_err("ten steps").message, "stopped: step budget spent");
}
