//! Columns inserted, renamed and moved; operators.

use presburger::{Budget, Dim, Map, Set, UnionSet};

fn same(s: &Set, text: &str) {
    assert!(s.is_equal(&Set::parse(text).unwrap(), &Budget::unlimited()).unwrap(), "{s} is not {text}");
}

#[test]
fn inserted_dims_are_free() {
    let s = Set::parse("[N] -> { S[i, j] : 0 <= i < N and j = 2i }").unwrap();
    same(&s.insert_dims(Dim::Out, 1, &["k"]), "[N] -> { S[i, k, j] : 0 <= i < N and j = 2i }");
    assert_eq!(s.insert_dims(Dim::Param, 0, &["M"]).space().params.join(" "), "M N");
    let m = Map::parse("{ S[i] -> T[i] }").unwrap().insert_dims(Dim::In, 0, &["", "x"]);
    assert!(m.is_equal(&Map::parse("{ S[a, x, i] -> T[i] }").unwrap(), &Budget::unlimited()).unwrap(), "{m}");
}

#[test]
fn dims_become_parameters_and_back() {
    let s = Set::parse("[N] -> { S[i, j] : 0 <= i < N and exists e : j = 3e + i }").unwrap();
    let inner = s.move_dims((Dim::Param, 1), (Dim::Out, 0), 1);
    same(&inner, "[N, i] -> { S[j] : 0 <= i < N and exists e : j = 3e + i }");
    same(&inner.move_dims((Dim::Out, 0), (Dim::Param, 1), 1), &s.to_string());
    same(&s.move_dims((Dim::Out, 1), (Dim::Out, 0), 1), "[N] -> { S[j, i] : 0 <= i < N and exists e : j = 3e + i }");
    let named = s.rename_dim(Dim::Param, 0, "M").rename_dim(Dim::Out, 1, "y");
    assert_eq!(named.to_string(), "[M] -> { S[i, y] : (-i + y) mod 3 = 0 and 0 <= i < M }");
}

#[test]
fn outputs_become_inputs() {
    let m = Map::parse("{ S[i] -> T[j, k] : j = i + 1 and k = i + 2 }").unwrap();
    let moved = m.move_dims((Dim::In, 1), (Dim::Out, 0), 1);
    let right = Map::parse("{ S[i, j] -> T[k] : j = i + 1 and k = i + 2 }").unwrap();
    assert!(moved.is_equal(&right, &Budget::unlimited()).unwrap(), "{moved}");
}

#[test]
#[should_panic(expected = "parameters have different names")]
fn two_parameters_of_one_name_are_refused() {
    let _ = Set::parse("[N] -> { [i] : i = N }").unwrap().insert_dims(Dim::Param, 0, &["N"]);
}

#[test]
fn operators_are_the_operations() {
    let (a, b) = (Set::parse("{ [i] : 0 <= i <= 9 }").unwrap(), Set::parse("{ [i] : 5 <= i <= 14 }").unwrap());
    same(&(&a & &b), "{ [i] : 5 <= i <= 9 }");
    same(&(&a | &b), "{ [i] : 0 <= i <= 14 }");
    same(&(&a - &b), "{ [i] : 0 <= i <= 4 }");
    let (x, y) = (UnionSet::parse("{ A[]; B[i] : i >= 0 }").unwrap(), UnionSet::parse("{ A[]; B[3] }").unwrap());
    assert!((&(&x - &y) | &y).is_equal(&x, &Budget::unlimited()).unwrap());
}
