//! Dependences of accesses, and optima with the part of a domain that has none, against enumeration.

mod common;
use common::{b, map, set};
use presburger::{Map, Set, UnionMap};

fn union(text: &str) -> UnionMap {
    UnionMap::parse(text).unwrap()
}

#[test]
fn the_last_source_is_the_one_that_runs_last() {
    let writes = union("{ S[i, j] -> A[i + j] : 0 <= i < 4 and 0 <= j < 4 }");
    let reads = union("{ T[k] -> A[2k] : 0 <= k < 5 }");
    let time = union("{ S[i, j] -> [i, j]; T[k] -> [k, 2] }");
    let flow = writes.last_before(&reads, &time, &b()).unwrap();
    let (mut found, mut lost) = (UnionMap::empty(&[]), UnionMap::empty(&[]));
    for k in 0..5_i64 {
        let all = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
        match all.filter(|(i, j)| i + j == 2 * k && (*i, *j) < (k, 2)).max() {
            Some((i, j)) => found.add(Map::parse(&format!("{{ S[{i}, {j}] -> T[{k}] }}")).unwrap()),
            None => lost.add(Map::parse(&format!("{{ T[{k}] -> A[{}] }}", 2 * k)).unwrap()),
        }
    }
    assert!(flow.dependences.is_equal(&found, &b()).unwrap(), "{}", flow.dependences);
    assert!(flow.without_source.is_equal(&lost, &b()).unwrap(), "{}", flow.without_source);
    let any = writes.any_before(&reads, &time, &b()).unwrap();
    let pairs =
        union("{ S[i, j] -> T[k] : i + j = 2k and 0 <= i, j < 4 and 0 <= k < 5 and (i < k or (i = k and j < 2)) }");
    assert!(any.is_equal(&pairs, &b()).unwrap(), "{any}");
}

#[test]
fn partial_optima_say_where_there_is_none() {
    let s = set("[N] -> { [i] : 3 <= 2i <= N }");
    let (least, none) = s.partial_lexmin(&set("[N] -> { : 0 <= N <= 10 }"), &b()).unwrap();
    assert!(least.is_equal(&set("[N] -> { [2] : 4 <= N <= 10 }"), &b()).unwrap(), "{least}");
    assert!(none.is_equal(&set("[N] -> { : 0 <= N <= 3 }"), &b()).unwrap(), "{none}");
    let m = map("{ [x] -> [y] : 3y <= x and y >= 2 }");
    let (most, none) = m.partial_lexmax(&set("{ [x] : 4 <= x <= 8 }"), &b()).unwrap();
    assert!(most.is_equal(&map("{ [x] -> [2] : 6 <= x <= 8 }"), &b()).unwrap(), "{most}");
    assert!(none.is_equal(&set("{ [x] : 4 <= x <= 5 }"), &b()).unwrap(), "{none}");
}

#[test]
fn dims_become_parameters_and_come_back() {
    let s = set("[N] -> { S[i, j] : 0 <= i < N and j = 2i }");
    let p = s.dims_to_params(&["k"]);
    assert!(p.is_equal(&Set::parse("[N, k] -> { S[j] : 0 <= k < N and j = 2k }").unwrap(), &b()).unwrap(), "{p}");
    let back = p.move_dims((presburger::Dim::Out, 0), (presburger::Dim::Param, 1), 1);
    assert!(back.is_equal(&s, &b()).unwrap(), "{back}");
}
