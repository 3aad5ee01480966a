//! Reading of the plugin's lines, and pictures of a nest.

use super::*;
use source::with_words;

const SOURCE: &str = "void f(int n, double a[n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; ++j)
      a[i][j] = a[i - 1][j - 1] + 1;
}
";

const SCOP: &str = "scop f:0
params: n
assumed: [n] -> { : }
invalid: [n] -> { : false }
defined: [n] -> { : 0 <= n <= 1000 }
array Arr0 memory f64 [*, n]
stmt Stmt0
  domain: [n] -> { Stmt0[i0, i1] : 1 <= i0 < n and 1 <= i1 < n }
  schedule: [0, i0, 0, i1, 0]
  read: [n] -> { Stmt0[i0, i1] -> Arr0[o0 = i0 - 1, o1 = i1 - 1] }
  must_write: [n] -> { Stmt0[i0, i1] -> Arr0[o0 = i0, o1 = i1] }
";

const TREE: &str = "domain: \"[n] -> { Stmt0[i0, i1] : 1 <= i0 < n and 1 <= i1 < n }\"
child:
  mark: \"tile(32, 64)\"
  child:
    schedule: \"[n] -> [{ Stmt0[i0, i1] -> [(floor((i0)/32))] }, { Stmt0[i0, i1] -> [(floor((i1)/64))] }]\"
    permutable: 1
    coincident: [ 0, 0 ]
    child:
      mark: \"point\"
      child:
        schedule: \"[n] -> [{ Stmt0[i0, i1] -> [(i0)] }, { Stmt0[i0, i1] -> [(i1)] }]\"
        permutable: 1
        coincident: [ 0, 0 ]
";

fn at(line: usize, column: usize) -> Value {
    serde_json::json!({ "file": "f.c", "line": line, "column": column })
}

fn lines() -> String {
    let model = serde_json::json!({
        "scop": SCOP, "tree": TREE, "steps": ["tiled 32x64"], "arrays": ["a"],
        "statements": [{ "id": "Stmt0", "at": at(4, 15), "loops": [at(2, 3), at(3, 5)] }],
    });
    let nest = serde_json::json!({
        "function": "f", "shown": "f", "verdict": "rewritten", "name": "Reordered", "message": "loops reordered: tiled 32x64",
        "at": at(2, 3), "start": at(2, 3), "costs": { "original": 200, "new": 100, "size": 179, "is_roomy": true, "usual": [400, 300] }, "tests": [], "model": model,
    });
    format!("a warning\n{START}{nest}\nmore\n")
}

#[test]
fn lines_of_nests_are_told_from_others() {
    let text = lines();
    let (nests, rest) = read(&text, "f.c").unwrap();
    assert_eq!(rest, ["a warning", "more"]);
    let costs = Costs { original: 200.0, new: 100.0, size: Some(179), is_roomy: true, usual: [400.0, 300.0] };
    assert_eq!((nests.len(), nests[0].function.as_str(), nests[0].costs), (1, "f", Some(costs)));
    assert_eq!(nests[0].start.as_ref().unwrap().line, 2);
    assert!(read(&format!("{START}nonsense"), "f.c").is_err());
}

#[test]
fn a_file_keeps_the_name_that_it_was_given() {
    let text = lines();
    let of = |file: &str| read(&text, file).unwrap().0[0].start.as_ref().unwrap().file.clone();
    assert_eq!(of("/nowhere/f.c"), "/nowhere/f.c");
    assert_eq!(of("/nowhere/g.c"), "f.c");
}

#[test]
fn the_steps_have_the_source_in_their_code() {
    let text = lines();
    let picture = picture::of(&read(&text, "f.c").unwrap().0[0], &Source::new("f.c", SOURCE)).unwrap();
    let titles: Vec<&str> = picture["steps"].as_array().unwrap().iter().map(|s| s["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["original", "tiled"]);
    let code = picture["steps"][1]["code"].to_string();
    assert!(code.contains("a[c2][c3] = a[c2 - 1][c3 - 1] + 1;"), "{code}");
    assert!(code.contains("4 * c0"), "{code}");
    assert!(picture["steps"][1]["what"].as_str().unwrap().contains("32x64"));
    assert_eq!(picture["dependences"][0]["distances"][0], "1, 1");
    assert_eq!(picture["statements"][0]["dims"], serde_json::json!(["i", "j"]));
}

#[test]
fn an_illegal_order_is_not_shown() {
    let text = lines().replace("-> [(i0)] }, {", "-> [(-i0)] }, {");
    let picture = picture::of(&read(&text, "f.c").unwrap().0[0], &Source::new("f.c", SOURCE)).unwrap();
    assert_eq!(picture["steps"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_skewed_is_straight_one_step_before() {
    let skewed = lines().replace("-> [(floor((i1)/64))]", "-> [(floor((i0 + i1)/64))]");
    let skewed = skewed.replace("-> [(i1)] }]\\\"\\n        perm", "-> [(2i0 + i1)] }]\\\"\\n        perm");
    let skewed = skewed.replace("[\"tiled 32x64\"]", "[\"interchanged\",\"skewed\",\"tiled 32x64\"]");
    let picture = picture::of(&read(&skewed, "f.c").unwrap().0[0], &Source::new("f.c", SOURCE)).unwrap();
    let steps = picture["steps"].as_array().unwrap();
    let titles: Vec<&str> = steps.iter().map(|s| s["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["original", "skewed", "tiled"]);
    assert!(steps[1]["code"].to_string().contains("2 * c0"), "{}", steps[1]["code"]);
}

#[test]
fn words_are_replaced_as_wholes() {
    let new = |word: &str| (word == "i").then(|| "c0 + 1".to_owned());
    assert_eq!(with_words("a[i] = ii + i * s.i;", &new), "a[c0 + 1] = ii + (c0 + 1) * s.i;");
}

#[test]
fn loops_that_do_not_count_up_have_their_instances_behind() {
    let source = SOURCE.replace("int j = 1; j < n; ++j", "int j = n - 1; j > 0; j--");
    let text = lines();
    let picture = picture::of(&read(&text, "f.c").unwrap().0[0], &Source::new("f.c", &source)).unwrap();
    let code = picture["steps"][0]["code"].to_string();
    assert!(code.contains("a[i][j] = a[i - 1][j - 1] + 1;  // at (c0, c1)"), "{code}");
    assert_eq!(picture["statements"][0]["text"], "a[i][j] = a[i - 1][j - 1] + 1;");
}

/// Lines of another file say nothing of this one.
#[test]
fn statements_of_other_files_have_no_text_of_this_one() {
    let text = lines();
    let picture = picture::of(&read(&text, "f.c").unwrap().0[0], &Source::new("g.c", SOURCE)).unwrap();
    let code = picture["steps"][0]["code"].to_string();
    assert!(code.contains("a = f(a);  // at (c0, c1)"), "{code}");
}

/// A local variable's first value has no place in debug information; a statement of the same text has a number.
#[test]
fn statements_are_called_by_lines_and_texts() {
    let source = "void f(int n, double a[n][n]) {
  for (int i = 1; i < n; i++) {
    double s = 0;
    for (int j = 1; j < n; ++j)
      s += a[i][j];
    a[i][0] = s; }
}
";
    let place = |line: usize, column: usize| Place { file: "f.c".to_owned(), line, column };
    let source = Source::new("f.c", source);
    assert_eq!(source.first_value("s", &place(2, 3), 4).unwrap().line, 3);
    assert!(source.first_value("a", &place(2, 3), 4).is_none() && source.first_value("s", &place(2, 3), 3).is_none());
    assert_eq!(source.statement(&place(3, 1), true).unwrap(), "double s = 0;");
    let text = lines();
    let of = |from: &str, to: &str| {
        let text = text.replace(from, to);
        let nest = &read(&text, "f.c").unwrap().0[0];
        picture::of(nest, &Source::new("f.c", SOURCE)).unwrap()["statements"][0]["name"].clone()
    };
    assert_eq!(of("nothing", ""), "line 4");
    assert_eq!(of("\"at\":{\"column\":15,\"file\":\"f.c\",\"line\":4},\"id\"", "\"id\""), "a = f(a)");
}
