//! Schedules through files: what is exported is read back, what is illegal is refused with a pair of instances.

use super::{dependences, forced};
use crate::cost::Machine;
use crate::model::tree::forms;
use crate::model::{Scop, fixtures, jscop};
use crate::proof::{self, Reason, Verdict};
use crate::schedule::{Config, Decision, schedule};
use presburger::Budget;
use serde_json::Value;

fn imported(scop: &Scop, text: &str) -> Result<Verdict, String> {
    let budget = Budget::unlimited();
    let tree = jscop::import(scop, text, &budget)?;
    Ok(proof::check(scop, &dependences(scop), &tree, &budget).expect("unlimited"))
}

/// The exported original with other schedules, one per statement.
fn edited(scop: &Scop, schedules: &[&str]) -> String {
    let mut file: Value = serde_json::from_str(&jscop::export(scop, &scop.schedule)).expect("JSON");
    for (k, text) in schedules.iter().enumerate() {
        file["statements"][k]["schedule"] = Value::from(*text);
    }
    file.to_string()
}

#[test]
fn exported_schedules_are_read_back() {
    let budget = Budget::unlimited();
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        let mut trees = vec![scop.schedule.clone()];
        let config = Config { tile_sizes: vec![8, 4], unroll_jam: false, parallel: true, ..forced() };
        if let Decision::Transformed { tree, .. } =
            schedule(&scop, &deps, &config, &Machine::WIDE, &Budget::steps(2_000_000)).expect("in budget")
        {
            trees.push(tree);
        }
        for tree in trees {
            let text = jscop::export(&scop, &tree);
            let again = jscop::import(&scop, &text, &budget).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
            let verdict = proof::check(&scop, &deps, &again, &budget).expect("unlimited");
            assert!(verdict.is_legal(), "{name}: {verdict:?}\n{text}");
            let (before, after) = (forms::to_union_map(&tree), forms::to_union_map(&again));
            for (x, y) in before.values().zip(after.values()) {
                assert!(x.is_equal(y, &budget).expect("unlimited"), "{name}: {x} and {y}");
            }
        }
    }
}

#[test]
fn the_file_has_the_keys_of_the_field() {
    let scop = fixtures::scop("gemm");
    let file: Value = serde_json::from_str(&jscop::export(&scop, &scop.schedule)).expect("JSON");
    assert_eq!(file["name"], "gemm");
    assert_eq!(file["arrays"][0]["type"], "double");
    assert_eq!(file["arrays"][0]["sizes"][0], "*");
    let update = &file["statements"][1];
    assert_eq!(update["name"], "Stmt1");
    assert_eq!(update["accesses"][0]["kind"], "read");
    let schedule = update["schedule"].as_str().expect("text");
    assert!(schedule.starts_with("[N, M, K] -> { Stmt1[i, k, j] -> [i, 1, "), "{schedule}");
    assert_eq!(jscop::file_name(&Scop { name: "f/g:2".to_owned(), ..scop }, "new"), "f_g___2.jscop.new");
}

#[test]
fn hand_written_schedules_are_checked() {
    let scop = fixtures::scop("antidiagonal");
    for (schedule, legal) in [
        ("{ Stmt0[i, j] -> [i, j] }", true),
        ("[N, M] -> { Stmt0[i, j] -> [i + j, i] }", true),
        ("[N, M] -> { Stmt0[i, j] -> [t, i, j] : 4t <= i + j < 4t + 4 }", true),
        ("[N, M] -> { Stmt0[i, j] -> [t, i + j, i] : t mod 8 = 0 and t <= i + j < t + 8 }", true),
        ("[N, M] -> { Stmt0[i, j] -> [-i, j] }", false),
        ("[N, M] -> { Stmt0[i, j] -> [j, i] }", false),
        ("[N, M] -> { Stmt0[i, j] -> [floor((i)/4), floor((j)/4), i, j] }", false),
    ] {
        let verdict = imported(&scop, &edited(&scop, &[schedule])).unwrap_or_else(|e| panic!("{schedule}: {e}"));
        assert_eq!(verdict.is_legal(), legal, "{schedule}: {verdict:?}");
    }
}

#[test]
fn the_witness_is_a_pair_of_the_dependence_that_runs_the_wrong_way() {
    let scop = fixtures::scop("produce_consume");
    let deps = dependences(&scop);
    let schedules = ["[N] -> { Stmt0[i] -> [i, 1] }", "[N] -> { Stmt1[i] -> [i, 0] }"];
    let Ok(Verdict::Illegal(violation)) = imported(&scop, &edited(&scop, &schedules)) else { panic!("refused") };
    let Reason::Dependence(_, position) = violation.reason else { panic!("{violation}") };
    let (src, dst) = (&violation.src, violation.dst.as_ref().expect("a pair"));
    let params: Vec<i64> = violation.params.iter().map(|(_, v)| *v).collect();
    let pair: Vec<i64> = src.1.iter().chain(&dst.1).copied().collect();
    assert!(deps.validity[position].relation.wrap().contains(&params, &pair), "{violation}");
    let time = |(id, point): &(crate::ids::StmtId, Vec<i64>)| (point[0], i64::from(id.0 == 0));
    assert!(time(dst) < time(src), "{violation}");
    assert!(violation.to_string().contains("must run after Stmt0["), "{violation}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let scop = fixtures::scop("diagonal");
    let error = |text: &str| imported(&scop, text).expect_err(text);
    let with = |schedule: &str| error(&edited(&scop, &[schedule]));
    assert!(error("{").contains("EOF"));
    assert!(error("{}").contains("no list"));
    assert!(error("{\"statements\": []}").contains("0 statements instead of 1"));
    assert!(error("{\"statements\": [{\"name\": \"S\"}]}").contains("no statement Stmt0"));
    assert!(error("{\"statements\": [{\"name\": \"Stmt0\"}]}").contains("no schedule"));
    assert!(with("{ Stmt1[i, j] -> [i] }").contains("must map Stmt0"));
    assert!(with("{ Stmt0[i] -> [i] }").contains("must map Stmt0"));
    assert!(with("[K] -> { Stmt0[i, j] -> [i, j, K] }").contains("parameters"));
    assert!(with("{ Stmt0[i, j] -> [i, t] : 0 <= t <= 1 }").contains("several times"));
    assert!(with("{ Stmt0[i, j] -> [i, j] : i >= 1 }").contains("leaves instances out"));
    assert!(with("{ Stmt0[i, j] -> [i, j] : i < 3; Stmt0[i, j] -> [i, -j] : i >= 3 }").contains("differs"));
    let mut file: Value = serde_json::from_str(&jscop::export(&scop, &scop.schedule)).expect("JSON");
    file["statements"][0]["accesses"][0]["relation"] = Value::from("{ Stmt0[i, j] -> Arr0[i, j + 9] }");
    assert!(error(&file.to_string()).contains("only schedules can be imported"));
    file["statements"][0]["domain"] = Value::from("{ Stmt0[i, j] : 0 <= i, j < 3 }");
    assert!(error(&file.to_string()).contains("the domain of Stmt0 is"));
}
