//! The calculator: programs in the folder `calc` beside this file and what they print, and where errors are found.
//! With `PRESBURGER_BLESS=1` in the environment what the programs print is written down as right.

use presburger::PwQPoly;
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
    assert_eq!(e.expect_err("ten steps").message, "step budget spent");
}

/// What an expression prints, or the message of its error.
fn said(text: &str) -> String {
    let session = Session::new(2_000_000);
    session.evaluate(text).map_or_else(|e| e.message, |v| v.to_string())
}

#[test]
fn parameter_sets_restrict_parameters() {
    let s = "[N] -> { S[i] : 0 <= i < N }";
    let c = "[N] -> { : N >= 3 }";
    assert_eq!(said(&format!("{s} * {c}")), "[N] -> { S[i] : N >= 3 and 0 <= i < N }");
    assert_eq!(said(&format!("{c} * {s}")), said(&format!("{s} * {c}")));
    assert_eq!(said(&format!("[N] -> {{ S[i] : 0 <= i < N and N >= 3 }} % {c}")), s);
    assert_eq!(said(&format!("{c} % {s}")), "[N] -> {  }");
    assert_eq!(said(&format!("{c} * [N] -> {{ : N <= 4 }}")), "[N] -> { : 3 <= N <= 4 }");
    assert_eq!(
        said(&format!("[N] -> {{ S[i] -> T[i] : i = N }} * {c}")),
        "[N] -> { S[i] -> T[o0 = i] : i = N and N >= 3 }"
    );
    assert_eq!(said(&format!("[N] -> {{ S[i] -> T[N] : N >= 2 }} % {c}")), "[N] -> { S[i] -> T[o0 = N] }");
    assert_eq!(said(&format!("card({s}) * {c}")), "[N] -> { N : N >= 3 }");
}

#[test]
fn rational_elements_are_apart_from_integers() {
    for (text, message) in [
        ("lexmax { rat: [i] : i >= 0 }", "unbounded optimum"),
        ("lexmax [N] -> { rat: [i] : i <= N }", "known for sets without parameters only"),
        ("{ rat: [i] } - { rat: [i] : i = 1 }", "open edges"),
        ("{ rat: [i] : i mod 2 = 0 }", "of integers"),
        ("{ rat: [i] : not exists j : i = 2j }", "`not exists` are not known"),
        ("{ rat: [i]; rat: [i] -> [j] }", "of sets or of maps"),
        ("{ rat: [i] } + { rat: [i] -> [j] }", "of sets or of maps"),
        ("dom { rat: [i] }", "'dom' does not apply to a rational set"),
        ("{ rat: [i]; [j] }", "`rat:` in front of all parts or of none"),
        ("{ [i]; rat: [j] }", "`rat:` in front of all parts or of none"),
        ("card { rat: [i] : i = 1 }", "'card' does not apply to a rational set"),
        ("{ rat: [i] } + { [i] }", "'+' does not apply to a rational set and a set"),
    ] {
        assert!(said(text).contains(message), "{text}: {}", said(text));
    }
}

#[test]
fn numbers_and_names_side_by_side_are_products() {
    assert_eq!(said("{ A[x] -> x^2 + 1/2 x : x >= 0 }"), said("{ A[x] -> x^2 + 1/2 * x : x >= 0 }"));
    assert_eq!(
        said("[N] -> { [x, y] -> 2x^2 - 3 x y + N floor(x/2) }"),
        said("[N] -> { [x, y] -> 2*x*x - 3*x*y + N*floor(x/2) }")
    );
    assert_eq!(said("[N] -> { [x] -> (2) x - 2^2 N }"), said("[N] -> { [x] -> 2 * x - 4 * N }"));
}

#[test]
fn empty_tuples_keep_their_space() {
    for text in ["{ [A[] -> B[]] }", "{ [[] -> []] }", "{ [] }", "{ : }", "{ A[] -> B[] }", "{ A[] }"] {
        assert_eq!(said(text), text);
    }
    assert_eq!(said("wrap { A[] -> B[] }"), "{ [A[] -> B[]] }");
    assert_eq!(said("unwrap { [A[] -> B[]] }"), "{ A[] -> B[] }");
    assert_eq!(said("domain { [A[] -> B[]] -> C[i] : i = 0 }"), "{ [A[] -> B[]] }");
    assert_eq!(said("range { C[i] -> [[] -> []] : i = 0 }"), "{ [[] -> []] }");
    assert_eq!(said("params [N] -> { S[i] : 0 <= i < N }"), "[N] -> { : N >= 1 }");
    assert_eq!(said("{ [] } = { : }"), "False");
    assert_eq!(said("{ [] } * { : }"), "{ [] }");
    assert_eq!(said("{ [] } + { : }"), "{ []; : }");
}

#[test]
fn no_element_has_an_entry_without_a_value() {
    for text in ["{ [NaN] }", "{ [i, NaN] : i = 0 }", "{ [i = NaN] }", "{ A[i] -> [NaN] }", "{ A[i] : i >= NaN }"] {
        assert_eq!(said(&format!("{text} - {text}")), said(text));
    }
    assert_eq!(said("{ [i] : i = 1 } + { [NaN] }"), "{ [i = 1] }");
}

#[test]
fn optima_that_do_not_exist_are_errors() {
    for set in [
        "{ [i] : i >= 0; [i] : i <= -5 }",
        "[N] -> { [i] : -2 <= i <= 29 and N <= 576; [i] : i <= N and N <= -43 }",
        "{ [i] }",
        "{ [i, j] : i = 0 }",
        "{ [i] : exists e: i = 3e }",
        "{ [i] : exists e: 0 <= i + 2e <= 1 and e >= 0 }",
        "{ S[i] -> T[j] : j >= i; S[i] -> T[j] : j <= 0 }",
    ] {
        assert_eq!(said(&format!("lexmin {set}")), "unbounded optimum", "{set}");
    }
    assert_eq!(said("lexmax [N] -> { [i] : i <= 4; [i] : i <= N }").matches('i').count(), 2);
    assert_eq!(said("lexmax { [i] : i >= 0 }"), "unbounded optimum");
    assert_eq!(said("lexmin { [i] : i >= 0; [i] : i <= -5 and i >= 3 }"), "{ [i = 0] }");
    assert_eq!(said("lexmin { [i] : 2i = 1 }"), "{  }");
}

#[test]
fn counts_are_evaluated_at_elements() {
    let c = "(card [N] -> { [i, j] : 0 <= i and 0 <= j and 30i + 31j <= N })";
    assert_eq!(said(&format!("{c}([N] -> {{ : N = 61 }})")), "5");
    let part = "[N] -> { : N >= 61 }";
    assert_eq!(said(&format!("{c}({part})")), said(&format!("{c} * ({part})")));
    assert_eq!(said("{ S[i] -> i^2 }({ S[-7] })"), "49");
    // At several elements: the sum, as iscc says.
    assert_eq!(said("{ [i] -> i : 0 <= i < 5 }({ [i] : i >= 2 })"), "{ 9 }");
    assert_eq!(said("{ S[i] -> i^2; T[] -> 3 }({ S[i] : 1 <= i <= 3; T[] })"), "{ 17 }");
    assert_eq!(said("{ S[i] -> i }([N] -> { S[i] : 0 <= i <= N })"), "[N] -> { 1/2 * N^2 + 1/2 * N : N >= 0 }");
    assert_eq!(said("{ S[i] -> i }({ S[i] : i >= 0 })"), "infinitely many elements");
    assert_eq!(said("{ S[i] -> i^2 }({ T[-7] })"), "the count is a function on another space");
}

#[test]
fn vertices_stand_with_their_parameters() {
    let text = "vertices [N, M] -> { S[i, j] : 0 <= i <= N and 0 <= 2j <= i and i <= M };
                vertices { [i, j, k] : 0 <= i, j, k and 3i + 2j + k <= 4; [i, j, k] : i = j = k = 1 };
                vertices { [i] : i >= 0 and i <= -1 };";
    let right =
        "[N, M] -> { S[(0), (0)] : N >= 0 and M >= 0; S[(N), (0)] : N >= 0 and M >= N; S[(M), (0)] : 0 <= M <= N; \
                 S[(N), (1/2 * N)] : N >= 0 and M >= N; S[(M), (1/2 * M)] : 0 <= M <= N }
                 { [(0), (0), (0)]; [(0), (0), (4)]; [(0), (2), (0)]; [(4/3), (0), (0)] }
                 { [(1), (1), (1)] }
                 {  }";
    // The order is that of the rows.
    let sorted = |list: &str| {
        let mut parts: Vec<String> = list
            .lines()
            .flat_map(|l| {
                l.trim().trim_end_matches('}').split(['{', ';']).map(|p| p.trim().to_owned()).collect::<Vec<_>>()
            })
            .collect();
        parts.sort();
        parts
    };
    assert_eq!(sorted(&run(text)), sorted(right), "{}", run(text));
}

#[test]
fn bounds_of_functions() {
    assert_eq!(
        run("ub { [i] -> i^2 - 7*i : 0 <= i <= 6 }; lb { [i] -> i^2 - 7*i : 0 <= i <= 6 };"),
        "{ 0 }\n{ -12 }\n"
    );
    assert_eq!(run("lb { [i] -> 1/2 * i : 3 <= i <= 5 };"), "{ 3/2 }\n");
    for (text, right) in [
        ("ub { [i] -> i : i >= 0 }", "{ max(infty) }"),
        ("lb { [i] -> i : i >= 0 }", "{ 0 }"),
        ("ub { [m, n] -> -m * n }", "{ max(infty) }"),
        ("lb { [i] -> -i^3 : i >= 0 }", "{ min(-infty) }"),
        ("ub { [i] -> 3i : 0 <= i <= 1000000000000 }", "{ 3000000000000 }"),
        ("ub { [i] -> i^3 : 0 <= i <= 1000000000000 }", "{ 1000000000000000000000000000000000000 }"),
        (
            "ub { [i] -> i^3 : 0 <= i <= 99999999999999999999 }",
            "{ 999999999999999999970000000000000000000299999999999999999999 }",
        ),
        ("lb { [i] -> i^2 - 7 * i : 0 <= i <= 1000000 }", "{ min(-3500000) }"),
        ("ub { [x,y] -> floor((x + 1)/4)^3 - floor((2x)/3)^2 : 2 <= x <= 9 }", "{ -1 }"),
        // Over the second tuples of pairs.
        ("ub { [[m] -> [n]] -> m^2 : 0 <= n <= m }", "{ [m] -> max(m^2) : m >= 0 }"),
        ("ub { [[m] -> [n]] -> m*n : 0 <= n <= m }", "{ [m] -> max(m^2) : m >= 0 }"),
        ("lb [N] -> { [A[m] -> [n]] -> n : N <= n <= m }", "[N] -> { A[m] -> N : m >= N }"),
        ("sum { [[m] -> [n]] -> n : 0 <= n <= m }", "{ [m] -> 1/2 * m^2 + 1/2 * m : m >= 0 }"),
        // With floors.
        ("lb [N] -> { [i] -> (2 + floor((i)/2)) : 2 <= i <= 10 }", "[N] -> { 3 }"),
        (
            "ub [N] -> { [i] -> (-3 + floor((i)/3)) : -3 <= i <= N }",
            "[N] -> { -4 : -3 <= N <= -1; floor((N)/3) - 3 : N >= 0 }",
        ),
    ] {
        assert_eq!(run(&format!("{text};")), format!("{right}\n"), "{text}");
    }
    // With parameters: where functions are affine.
    for (text, right) in [
        ("ub [N] -> { [i] -> i : 0 <= i <= N }", "[N] -> { N : N >= 0 }"),
        ("lb [N] -> { [i] -> 3 - i : 0 <= i <= N }", "[N] -> { -N + 3 : N >= 0 }"),
        (
            "ub [N] -> { [i] -> i : 10 <= i <= N; [i] -> 2 * i : 0 <= i <= 9 }",
            "[N] -> { N : N >= 18; 18 : N <= 16; N + 1 : N = 17 }",
        ),
        ("lb [N, M] -> { [i] -> i : i >= N and i >= M }", "[N, M] -> { N : M <= N; M : M > N }"),
    ] {
        let difference = run(&format!("({text}) - {right};"));
        assert!(difference.ends_with("{ 0 }\n"), "{text} is {}and differs by {difference}", run(&format!("{text};")));
    }
    assert_eq!(run("ub [N] -> { [i] -> i : i >= N and N >= 2 };"), "[N] -> { max(infty) : N >= 2 }\n");
    assert_eq!(run("lb [N] -> { [i] -> i^2 : i >= N };"), "[N] -> { min(-infty) }\n");
    assert_eq!(run("ub [N] -> { [i] -> i^2 : 0 <= i <= N };"), "[N] -> { max(N^2) : N >= 0 }\n");
}

#[test]
fn sets_are_drawn_as_dots_and_maps_as_arrows() {
    let svg = run("draw { S[i, j] : 0 <= j <= i < 3 };");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert_eq!((svg.matches("<circle").count(), svg.matches("<line").count()), (6, 0));
    // The second dim goes upwards: [2, 2] stands in the corner at the top right.
    assert!(svg.contains("<circle cx=\"84\" cy=\"36\" r=\"4\"/>"), "{svg}");
    let svg = run("draw 0 2 { [i, j, k] -> [i + 1, j, k] : i = 0 and 0 <= j < 5 and k = 7 };");
    assert_eq!((svg.matches("<circle").count(), svg.matches("<line").count()), (2, 1));
    assert!(error("draw { [i] : i >= 0 };").2.starts_with("too many elements to draw: bound it"));
    assert_eq!(error("drow { [i] : i = 0 };").2, "expected ';' or an operator; did you mean `draw`?");
    assert_eq!(error("lexmn { [i] : i = 0 };").2, "expected ';' or an operator; did you mean `lexmin`?");
    assert_eq!(error("nothing { [i] : i = 0 };").2, "expected ';' or an operator");
    for word in ["lattice_width", "upoly", "lpoly"] {
        let (line, column, said) = error(&format!("{word} {{ [i] : 0 <= i <= 3 }};"));
        assert_eq!((line, column), (1, word.len() + 2));
        assert!(said.contains(&format!("`{word}` is not known here: ")), "{said}");
    }
    assert_eq!(error("draw 1 { [i] };").2, "expected the second dim");
    assert_eq!(run("poly { [i] : i = 1 or i = 4 };"), "{ [i] : 1 <= i <= 4 }\n");
}

#[test]
fn what_is_drawn_and_listed_has_its_dims_and_limits() {
    let draw = |text: &str| said(&format!("draw {text}"));
    assert_eq!(draw("0 7 { [i, j] : 0 <= i, j < 3 }"), "there is no dim 7 to draw: the last one is 1");
    assert_eq!(draw("3 0 { [i] -> [j, k, l] : i = j = k = l = 0 }"), "there is no dim 3 to draw: the last one is 2");
    assert!(draw("{ [i] : 0 <= i < 3 }").starts_with("<svg"));
    assert!(draw("{ [i] : i = 0 or i = 100000 }").contains("2,000 places each way"));
    assert_eq!(said("scan { [i] : 0 <= i < 10001 }"), "too many elements to list: more than 10,000");
}

#[test]
fn a_backslash_at_the_end_of_a_line_does_nothing() {
    assert_eq!(run("{ [i] : i >= 0 } \\\n + \\  \n { [i] : i < -3 };"), run("{ [i] : i >= 0 } + { [i] : i < -3 };"));
}

#[test]
fn polynomials_are_read_as_isl_reads_them() {
    let same = |text: &str, plain: &str| {
        let difference = said(&format!("({text}) - ({plain})"));
        assert!(difference.ends_with("-> 0 }"), "{text} is {}, {difference}", said(text));
    };
    same("{ [x=5:10] -> (x + 2)^2 }", "{ [x] -> x^2 + 4 x + 4 : 5 <= x <= 10 }");
    same("{ [0:10] -> 1 }", "{ [x] -> 1 : 0 <= x <= 10 }");
    same("{ [floor(3/2), x = 0:10] -> x }", "{ [y, x] -> x : y = 1 and 0 <= x <= 10 }");
    same("{ [x] -> floor(floor(x/2)/3) }", "{ [x] -> floor(x/6) }");
    same("{ [x] -> ([(x)/2] * [(x)/3]) }", "{ [x] -> floor(x/2) * floor(x/3) }");
    same("{ [i] -> i + [ (i + [i/3])/2 ] }", "{ [i] -> i + floor(2i/3) }");
    same("{ [i] -> ([(i)/2]) }", "{ [i] -> floor(i/2) }");
    same("[N=2:] -> { [i] -> i * N }", "[N] -> { [i] -> i * N : N >= 2 }");
    assert_eq!(said("({ [[x] -> [x]] -> x })({ [[3] -> [3]] })"), "3");
    for i in -7..12_i64 {
        let value = said(&format!("({{ [i] -> 2 floor((3 * floor(i/2))/5) + [[i/3]*2/7]^2 }})({{ [{i}] }})"));
        let inner = (i.div_euclid(3) * 2).div_euclid(7);
        assert_eq!(value, (2 * (3 * i.div_euclid(2)).div_euclid(5) + inner * inner).to_string(), "{i}");
    }
    assert_eq!(said("{ A[x,y] -> x^2*y + 3 : x > 0; B[y] -> 4 }"), "{ A[x, y] -> x^2 * y + 3 : x >= 1; B[y] -> 4 }");
    assert_eq!(said("{ [i] -> i^100 }"), "{ [i] -> i^100 }");
    assert!(
        PwQPoly::parse("{ A[x] -> 1; B[x] -> 2 }").is_err_and(|e| e.to_string().starts_with("1:14: tuples differ"))
    );
}

#[test]
fn affine_hulls_keep_strides() {
    assert_eq!(said("aff { [i] : i mod 8 = 0 }"), said("{ [i] : i mod 8 = 0 }"));
    assert_eq!(
        said("aff { [i] -> [j] : exists k : j = i + 4k and k >= 0 }"),
        said("{ [i] -> [j] : (j - i) mod 4 = 0 }")
    );
    let text = "(aff { [a] : exists e0, e1, e2: 32e1 = 31 + 31a + 31e0 and 32e2 = 31 + 31e0 }) <= { [a] : exists e : a = 32 e }";
    assert_eq!(said(text), "True");
}

#[test]
fn floors_that_a_context_settles_are_simplified() {
    assert_eq!(said("({ [i] -> floor(i/2) }) % ({ [k] : exists a : k = 2a+1 })"), said("{ [i] -> 1/2 * i - 1/2 }"));
    assert_eq!(
        said("({ [i, j] -> i * floor((i + j)/6) }) % ({ [i, j] : (i + j) mod 6 = 2 })"),
        said("{ [i, j] -> 1/6 i^2 + 1/6 i j - 1/3 i }")
    );
    assert_eq!(said("({ [i] -> floor(i/2) }) % ({ [k] : k mod 3 = 0 })"), said("{ [i] -> floor(i/2) }"));
}

#[test]
fn rational_points_are_compared_with_integers() {
    for (text, right) in [
        ("{ [i] : 0 <= i <= 10 } <= { rat: [i] : 0 <= i <= 10 }", "True"),
        ("{ [i] : 0 <= i <= 10 } < { rat: [i] : 0 <= i <= 10 }", "True"),
        ("{ [i] : 0 <= i <= 11 } <= { rat: [i] : 0 <= i <= 10 }", "False"),
        ("{ rat: [i] : 0 <= i <= 10 } <= { [i] : 0 <= i <= 10 }", "False"),
        ("{ rat: [0] } <= { [i] : 0 <= i <= 10 }", "True"),
        ("{ rat: [(1)/2] } <= { [i] : 0 <= i <= 10 }", "False"),
        ("{ rat: [0]; rat: [3] } = { [0]; [3] }", "True"),
        ("{ A[0] -> B[1] } = { rat: A[0] -> B[1] }", "True"),
        ("{ A[0] -> B[1] } >= { rat: A[0] -> B[i] : 0 <= i <= 1 }", "False"),
    ] {
        assert_eq!(said(text), right, "{text}");
    }
}

#[test]
fn elements_have_coordinates_of_any_size() {
    let far = "99999999999999999999999";
    assert_eq!(run(&format!("sample {{ [i] : i = {far} }};")), format!("{{ [i = {far}] }}\n"));
    assert_eq!(run(&format!("scan {{ A[i] : {far} <= i <= {far} }};")), format!("{{ A[i = {far}] }}\n"));
}

#[test]
fn rational_sets_have_coefficients_and_solutions() {
    // From isl's tests of these.
    for (set, dual) in [
        ("{ rat: [i] : 0 <= i <= 10 }", "{ rat: coefficients[[cst] -> [a]] : cst >= 0 and 10a + cst >= 0 }"),
        ("{ rat: [i] }", "{ rat: coefficients[[cst] -> [0]] : cst >= 0 }"),
        (
            "{ rat: [x, y] : 1 <= 2x <= 9 and 2 <= 3y <= 16 }",
            "{ rat: coefficients[[c_cst] -> [c_x, c_y]] : 4c_y >= -6c_cst - 3c_x and 4c_y >= -6c_cst - 27c_x and \
             32c_y >= -6c_cst - 3c_x and 32c_y >= -6c_cst - 27c_x }",
        ),
    ] {
        assert_eq!(run(&format!("(coefficients {set}) = {dual};")), "True\n", "{set}");
        assert_eq!(run(&format!("(solutions {dual}) = {set};")), "True\n", "{set}");
    }
    let set = "[M, N] -> { rat: A[x, y] : x >= M and 2x + 3y = N }";
    assert_eq!(run(&format!("(solutions (coefficients {set})) = {set};")), "True\n");
    assert_eq!(error("solutions { rat: [i] };").2, "'solutions' applies to what 'coefficients' gives");
    assert!(error("coefficients { rat: [i] : 1 = 0 };").2.contains("no tuple"));
}

#[test]
fn deep_expressions_are_an_error_and_not_the_end() {
    let deep = [format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)), "dom ".repeat(100_000) + "{ [i] -> [j] }"];
    for text in deep {
        assert!(said(&text).contains("operands in one another"));
    }
    assert_eq!(said(&format!("1{}", " + 1".repeat(500))), "501");
    assert!(said(&format!("1{}", " + 1".repeat(20_000))).contains("operators in a row"));
}
