//! `==` and hashes of sets, maps and functions: those of their pieces.

use presburger::{
    Budget, Flow, Map, PolyBound, PwAff, PwMultiAff, PwQPoly, RationalSet, Set, UnionMap, UnionPwAff, UnionPwMultiAff,
    UnionSet,
};
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

/// `a` and `b` are equal, `c` is another.
fn told_apart<T: Eq + Hash + Debug + Clone>(read: impl Fn(&str) -> T, [a, b, c]: [&str; 3]) {
    let [a, b, c] = [a, b, c].map(read);
    assert_eq!(a, b);
    assert_ne!(a, c);
    assert_eq!([a.clone(), b, c, a].into_iter().collect::<HashSet<T>>().len(), 2);
}

#[test]
fn the_same_pieces_are_equal_in_any_order() {
    let sets = ["{ A[i] : i = 0 or i > 5 }", "{ A[i] : 6 <= i; A[i] : i = 0 }", "{ A[i] : i = 0 or i > 6 }"];
    told_apart(|t| Set::parse(t).unwrap(), sets);
    told_apart(|t| UnionSet::parse(t).unwrap(), sets);
    told_apart(|t| UnionSet::parse(t).unwrap(), ["{ A[0]; B[] }", "{ B[]; A[0] }", "{ A[0]; B[0] }"]);
    let maps =
        ["{ [i] -> [j] : 0 <= 2j <= 1 or j = 3 }", "{ [i] -> [j] : j = 3; [i] -> [j] : j = 0 }", "{ [i] -> [0] }"];
    told_apart(|t| Map::parse(t).unwrap(), maps);
    told_apart(|t| UnionMap::parse(t).unwrap(), maps);
    let functions =
        ["{ [i] -> [(i)] : i > 0; [i] -> [(0)] : i < 0 }", "{ [i] -> [(0)] : i < 0; [i] -> [(i)] : i > 0 }"];
    let functions = [functions[0], functions[1], "{ [i] -> [(i)] : i > 0 }"];
    told_apart(|t| PwAff::parse(t).unwrap(), functions);
    told_apart(|t| PwMultiAff::parse(t).unwrap(), functions);
    told_apart(|t| UnionPwAff::parse(t).unwrap(), functions);
    told_apart(|t| UnionPwMultiAff::parse(t).unwrap(), functions);
    told_apart(|t| PwQPoly::parse(t).unwrap(), ["{ [i] -> i^2 + i }", "{ [i] -> i * (i + 1) }", "{ [i] -> i^2 }"]);
    let rational = ["{ rat: [i] : 2i = 1 or i = 1 }", "{ rat: [i] : i = 1; rat: [i] : 4i = 2 }", "{ rat: [1] }"];
    told_apart(|t| RationalSet::parse(t).unwrap(), rational);
}

#[test]
fn results_are_told_apart() {
    fn can<T: Eq + Hash>() {}
    can::<Flow>();
    can::<PolyBound>();
}

#[test]
fn rows_are_equal_in_any_order() {
    let sets = ["{ A[i] : i < 10 and 0 <= i }", "{ A[i] : 0 <= i <= 9 }", "{ A[i] : 0 <= i <= 10 }"];
    told_apart(|t| Set::parse(t).unwrap(), sets);
    told_apart(|t| UnionSet::parse(t).unwrap(), sets);
    told_apart(|t| Set::parse(t).unwrap().basics()[0].clone(), sets);
    let wide = sets.map(|t| t.replace("0 <= i", "100000000000000000000 <= 3i"));
    told_apart(|t| Set::parse(t).unwrap(), [&*wide[0], &wide[1], sets[2]]);
}

#[test]
fn names_of_dims_do_not_tell_values_apart() {
    let named = |t: &str| Set::parse(t).unwrap();
    assert_eq!(named("{ A[i, j] : i < j }"), named("{ A[x, y] : x < y }"));
    assert_ne!(named("[n] -> { A[i] : i < n }"), named("[m] -> { A[i] : i < m }"));
    // Dims without a name are given one where they are printed.
    let range = Map::parse("{ [i] -> B[i, i + 1] : i > 0 }").unwrap().range(&Budget::unlimited()).unwrap();
    let again = named(&range.to_string());
    assert_eq!(range, again);
    assert_eq!([range, again].into_iter().collect::<HashSet<_>>().len(), 1);
    let pairs = ["{ [A[i] -> B[j]] : i = j }", "{ [A[k] -> B[l]] : k = l }", "{ [A[i] -> B[j]] : i = j + 1 }"];
    told_apart(|t| UnionSet::parse(t).unwrap(), pairs);
}
