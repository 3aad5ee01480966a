//! The calculator: programs and what they print.

use presburger::calc::Session;

fn run(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut s = Session::new(2_000_000);
    s.run(text, |line| out.push(line.to_string())).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    out
}

fn error(text: &str) -> (usize, usize, String) {
    let e = Session::new(100_000).run(text, |_| {}).expect_err(text);
    (e.line, e.column, e.message)
}

#[test]
fn names_operators_and_comparisons() {
    let out = run("
        # a domain, an access, the elements touched
        D := [N] -> { S[i, j] : 0 <= i, j < N };
        A := { S[i, j] -> A[i + j] };
        E := A(D);
        E = [N] -> { A[k] : 0 <= k <= 2N - 2 };
        E <= { A[k] }; { A[k] } <= E; E < { A[k] };
        ran (A * D) = E;
        dom A^-1 = { A[k] };
        (A . A^-1) >= { S[i, j] -> S[i, j] };
        deltas { S[i] -> S[i + 3] : 0 <= i < 4 };
        print D - D;
    ");
    assert_eq!(out, ["True", "True", "False", "True", "True", "True", "True", "{ S[i0 = 3] }", "[N] -> {  }"]);
}

#[test]
fn optima_counts_and_orders() {
    let out = run("
        S := [N] -> { S[i, j] : 0 <= i < N and i <= j < N };
        lexmin S; lexmax S;
        card S;
        card { T[i] : 0 <= i < 10 and i mod 3 = 0 };
        { S[1]; S[2] } << { S[2]; S[3] };
        coalesce { [i] : 0 <= i < 5; [i] : 5 <= i < 9 };
        sample { [i] : 3 <= i <= 3 };
        hull { [i] : i = 0; [i] : i = 8 };
        ({ [i] -> [i + 2] })^3;
        { [i] : i >= 0 and i < 10 } % { [i] : i >= 0 };
    ");
    assert_eq!(out[0], "[N] -> { S[i = 0, j = 0] : N >= 1 }");
    assert_eq!(out[1], "[N] -> { S[i = N - 1, j = N - 1] : N >= 1 }");
    assert_eq!(out[2], "[N] -> { 1/2 * N^2 + 1/2 * N : N >= 1 }");
    assert_eq!(out[3], "{ 4 }");
    assert_eq!(out[5], "{ [i] : 0 <= i <= 8 }");
    assert_eq!(out[6], "{ [i = 3] }");
    assert_eq!(out[7], "{ [i] : 0 <= i <= 8 }");
    assert_eq!(out[8], "{ [i] -> [o0 = i + 6] }");
    assert_eq!(out[9], "{ [i] : i <= 9 }");
}

#[test]
fn errors_carry_their_position() {
    assert_eq!(error("A := { [i] : i >= 0 };\nB := A + C;"), (2, 10, "unknown name 'C'".to_string()));
    assert_eq!(error("{ [i] : i >= k };").1, 14);
    assert_eq!(error("dom { [i] };").1, 1);
    assert_eq!(error("{ [i] } { [j] };"), (1, 9, "expected ';' or an operator".to_string()));
    assert_eq!(error("card { [i] : i >= 0 };").2, "infinitely many elements");
    assert_eq!(error("({ [i] }").2, "expected ')'");
    assert_eq!(error("{ [i] "), (1, 1, "'}' is missing".to_string()));
}
