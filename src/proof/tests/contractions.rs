//! Bands marked as contractions that are some, and such that are not.

use crate::deps::tests::seeds::{budget, deps_of, tree_of};
use crate::model::Scop;
use crate::model::fixtures::{self, CUBE};
use crate::proof::{self, Reason, Verdict};
use std::collections::BTreeSet;

/// `for i, j, k: Arr0[i, j] += Arr1[a] * Arr2[k, j]`.
fn product(a: &str) -> Scop {
    fixtures::product("Arr0[i, j]", a, "Arr2[k, j]", CUBE)
}

/// Why the band of these members, marked as a contraction, is refused.
fn wrong(scop: &Scop, members: &str, flags: &str) -> Option<Reason> {
    let members: Vec<String> = members.split(' ').map(|m| format!("{{ Stmt0[i, j, k] -> [{m}] }}")).collect();
    let below = format!(
        "mark: \"contraction(6, 2, 4, 256, 96, 2048)\"\nchild:\n  schedule: \"[N] -> [{}]\"\n  permutable: 1\n  \
         coincident: [ {flags} ]\n",
        members.join(", ")
    );
    let tree = tree_of(scop, &below);
    match proof::prove(scop, &deps_of(scop), &tree, &BTreeSet::new(), &budget()).expect("within budget") {
        Verdict::Legal => None,
        Verdict::Illegal(violation) => Some(violation.reason),
    }
}

#[test]
fn a_product_is_one_with_rows_and_columns_outside() {
    let scop = product("Arr1[i, k]");
    assert_eq!(wrong(&scop, "i j k", "1, 1, 0"), None);
    assert_eq!(wrong(&scop, "j i k", "1, 1, 0"), None);
}

#[test]
fn members_that_carry_the_sum_are_no_rows_or_columns() {
    let scop = product("Arr1[i, k]");
    assert!(matches!(wrong(&scop, "k j i", "1, 1, 0"), Some(Reason::Carried(..))));
    assert_eq!(wrong(&scop, "k j i", "0, 1, 1"), Some(Reason::NoContraction));
    assert_eq!(wrong(&scop, "i j k", "1, 0, 0"), Some(Reason::NoContraction));
}

#[test]
fn what_is_updated_is_not_read_elsewhere() {
    assert_eq!(wrong(&product("Arr0[i, k]"), "i j k", "1, 1, 0"), Some(Reason::NoContraction));
}
