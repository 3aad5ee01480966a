//! Cases on which the library was once wrong, panicked or did not stop; `scripts/fuzz-presburger` appends what it
//! finds. A line of the file: isl's answer (`any` where only stopping without a panic counts), then what the program in
//! crates/presburger/examples/lines reads.

#[allow(dead_code)]
#[path = "../examples/lines/main.rs"]
mod lines;

use presburger::{Budget, UnionMap, UnionSet};

/// Whether both texts are the same truth value, number, set or map.
fn same(got: &str, want: &str) -> bool {
    let b = Budget::steps(10_000_000);
    if let (Ok(x), Ok(y)) = (UnionSet::parse(got), UnionSet::parse(want)) {
        return x.is_equal(&y, &b).unwrap();
    }
    if let (Ok(x), Ok(y)) = (UnionMap::parse(got), UnionMap::parse(want)) {
        return x.is_equal(&y, &b).unwrap();
    }
    got == want
}

#[test]
fn cases_that_once_failed() {
    for line in include_str!("regressions.txt").lines().filter(|l| !l.starts_with('#')) {
        let (want, case) = line.split_once('\t').expect("an answer and a case");
        let answer = lines::answer(case, lines::STEPS);
        let (op, got) = answer.split_once('=').expect("operation=result");
        assert!(got != "panic", "{op} of {case}");
        assert!(want == "any" || got == "limit" || same(got, want), "{case}\n{op}: {got}\nnot {want}");
    }
}
