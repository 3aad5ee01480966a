//! Products, wrapped pairs and what moves between the tuples of a map.

mod common;
use common::*;
use presburger::{Map, Set, Space, UnionMap, UnionSet};

#[track_caller]
fn same_set(a: &Set, text: &str) {
    let want = set(text);
    assert!(a.space().same_tuples(want.space()), "{a} is not in the space of {want}");
    assert!(a.is_equal(&want, &b()).unwrap(), "{a} is not {want}");
    assert!(set(&a.to_string()).space().same_tuples(a.space()), "{a} is read into another space");
}

#[track_caller]
fn same_map(a: &Map, text: &str) {
    let want = map(text);
    assert!(a.space().same_tuples(want.space()), "{a} is not in the space of {want}");
    assert!(a.is_equal(&want, &b()).unwrap(), "{a} is not {want}");
    assert!(map(&a.to_string()).space().same_tuples(a.space()), "{a} is read into another space");
}

#[test]
fn products_of_sets() {
    let (s, t) = (set("[N] -> { S[i] : 0 <= i < N }"), set("[M] -> { T[i, j] : i = 2j and 0 <= j < M }"));
    same_set(&s.product(&t), "[N, M] -> { [S[i] -> T[j, k]] : 0 <= i < N and j = 2k and 0 <= k < M }");
    same_set(&s.flat_product(&t), "[N, M] -> { [i, j, k] : 0 <= i < N and j = 2k and 0 <= k < M }");
    same_set(&s.product(&t).flatten(), "[N, M] -> { [i, j, k] : 0 <= i < N and j = 2k and 0 <= k < M }");
    assert!(s.unwrap().is_none() && s.product(&t).flatten().unwrap().is_none());
    same_map(&s.product(&t).unwrap().unwrap(), "[N, M] -> { S[i] -> T[j, k] : 0 <= i < N and j = 2k and 0 <= k < M }");
    let flat = s.flat_product(&t).split(2, "A", "B");
    same_map(&flat, "[N, M] -> { A[i, j] -> B[k] : 0 <= i < N and j = 2k and 0 <= k < M }");
}

#[test]
fn products_of_maps() {
    let f = map("{ A[i] -> B[i + 1] : i >= 0 }");
    let g = map("{ C[i] -> D[2i, 7] }");
    same_map(&f.product(&g), "{ [A[i] -> C[j]] -> [B[i + 1] -> D[2j, 7]] : i >= 0 }");
    same_map(&f.flat_product(&g), "{ [i, j] -> [i + 1, 2j, 7] : i >= 0 }");
    let h = map("{ A[i] -> D[j, k] : j < k < i }");
    same_map(&f.range_product(&h), "{ A[i] -> [B[i + 1] -> D[j, k]] : i >= 0 and j < k < i }");
    same_map(&f.flat_range_product(&h), "{ A[i] -> [i + 1, j, k] : i >= 0 and j < k < i }");
    same_map(&g.domain_product(&h), "{ [C[i] -> A[l]] -> D[2i, 7] : 2i < 7 < l }");
}

#[test]
fn wrapped_pairs_move_between_tuples() {
    let m = map("{ [A[i] -> B[j, k]] -> [C[l] -> D[]] : i < j < k < l }");
    same_map(&m.zip().unwrap(), "{ [A[i] -> C[l]] -> [B[j, k] -> D[]] : i < j < k < l }");
    same_map(&m.zip().unwrap().zip().unwrap(), &m.to_string());
    same_map(&m.curry().unwrap(), "{ A[i] -> [B[j, k] -> [C[l] -> D[]]] : i < j < k < l }");
    same_map(&m.curry().unwrap().uncurry().unwrap(), &m.to_string());
    same_set(&m.wrap(), "{ [[A[i] -> B[j, k]] -> [C[l] -> D[]]] : i < j < k < l }");
    same_map(&m.wrap().unwrap().unwrap(), &m.to_string());
    same_map(&m.flatten(), "{ [i, j, k] -> [l] : i < j < k < l }");
    same_map(&m.flatten_domain(), "{ [i, j, k] -> [C[l] -> D[]] : i < j < k < l }");
    same_map(&m.flatten_range(), "{ [A[i] -> B[j, k]] -> [l] : i < j < k < l }");
    let plain = map("{ A[i] -> B[j] }");
    assert!(plain.zip().is_none() && plain.curry().is_none() && plain.uncurry().is_none());
}

#[test]
fn projections_of_pairs() {
    let m = map("{ A[i, j] -> B[k, l] : 0 <= i < k and l = 3j }");
    same_map(&m.domain_map(), "{ [A[i, j] -> B[k, l]] -> A[i, j] : 0 <= i < k and l = 3j }");
    same_map(&m.range_map(), "{ [A[i, j] -> B[k, l]] -> B[k, l] : 0 <= i < k and l = 3j }");
    same_map(&m.deltas_map(), "{ [A[i, j] -> B[k, l]] -> B[k - i, l - j] : 0 <= i < k and l = 3j }");
    same_set(&m.deltas_map().range(&b()).unwrap(), &m.deltas(&b()).unwrap().to_string());
}

#[test]
fn the_two_halves_are_part_of_the_space() {
    let u =
        UnionSet::parse("{ [A[i] -> B[j]] : i < j; [B[i] -> A[j]] : i > j; [i, j] : i = j; T[[i] -> [j]] }").unwrap();
    assert_eq!(u.sets().count(), 4);
    let back = UnionSet::parse(&u.to_string()).unwrap();
    assert!(back.is_equal(&u, &b()).unwrap(), "{u}");
    assert!(u.intersect(&UnionSet::parse("{ [A[i] -> C[j]] }").unwrap()).is_empty(&b()).unwrap());
    let m = UnionMap::parse("{ [A[i] -> B[j]] -> C[] : i < j; [A[i] -> A[j]] -> C[] }").unwrap();
    assert_eq!(m.maps().count(), 2);
}

#[test]
fn products_by_enumeration() {
    for_seeds(|seed, rng| {
        let (x, y) = (random_union(rng, 2, 1), random_union(rng, 2, 1));
        let f = to_map(&x, &Space::map(&[], "A", 1, "B", 1));
        let g = to_map(&y, &Space::map(&[], "A", 1, "B", 1));
        let (p, q) = (brute_points(&x, 2), brute_points(&y, 2));
        let list = |m: &Map| m.wrap().points(1_000_000).unwrap();
        let pairs = |keep: fn(&[i64], &[i64]) -> Option<Vec<i64>>| -> Vec<Vec<i64>> {
            let mut all: Vec<_> = p.iter().flat_map(|a| q.iter().filter_map(move |c| keep(a, c))).collect();
            all.sort();
            all.dedup();
            all
        };
        let want = pairs(|a, c| Some(vec![a[0], c[0], a[1], c[1]]));
        assert_eq!(list(&f.product(&g)), want, "seed {seed}: product of {f} and {g}");
        let zipped = pairs(|a, c| Some(vec![a[0], a[1], c[0], c[1]]));
        assert_eq!(list(&f.product(&g).zip().unwrap()), zipped, "seed {seed}: zip");
        let shared = pairs(|a, c| (a[0] == c[0]).then(|| vec![a[0], a[1], c[1]]));
        assert_eq!(list(&f.range_product(&g)), shared, "seed {seed}: range product of {f} and {g}");
        let shared = pairs(|a, c| (a[1] == c[1]).then(|| vec![a[0], c[0], a[1]]));
        assert_eq!(list(&f.domain_product(&g)), shared, "seed {seed}: domain product of {f} and {g}");
    });
}

#[test]
fn unions_of_several_spaces() {
    let u = |t: &str| UnionMap::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"));
    let same = |a: &UnionMap, t: &str| assert!(a.is_equal(&u(t), &b()).unwrap(), "{a} is not {t}");
    let m = u("{ A[i] -> B[i + 1] : i >= 0; C[i] -> B[i] : i < 0; C[i] -> D[] : i >= 0 }");
    assert!(m.is_single_valued(&b()).unwrap() && !m.is_injective(&b()).unwrap() && !m.is_bijective(&b()).unwrap());
    // One input with outputs in two spaces.
    assert!(!m.union(&u("{ A[i] -> D[] }")).is_single_valued(&b()).unwrap());
    let n = u("{ C[i] -> E[2i]; A[i] -> E[i] : i > 5 }");
    same(
        &m.range_product(&n),
        "{ C[i] -> [B[i] -> E[2i]] : i < 0; C[i] -> [D[] -> E[2i]] : i >= 0; A[i] -> [B[i + 1] -> E[i]] : i > 5 }",
    );
    assert!(m.wrap().unwrap().is_equal(&m, &b()).unwrap());
    same(&u("{ A[i] -> A[i + 2]; B[i] -> A[0] }").fixed_power(2, &b()).unwrap(), "{ A[i] -> A[i + 4]; B[i] -> A[2] }");
    let one = m.sample(&b()).unwrap().expect("a pair");
    assert!(UnionMap::from(one).is_strict_subset(&m, &b()).unwrap());
    let s = UnionSet::parse("[N] -> { A[i] : 0 <= i < N; B[i, j] : 0 <= i, j < N }").unwrap();
    let c = s.card(&b()).unwrap().unwrap();
    assert_eq!((c.eval(&[4], &[]), c.eval(&[-1], &[])), (20.into(), 0.into()));
    let counts = u("{ A[i] -> B[j] : 0 <= j < i; A[i] -> C[] : i > 2 }").card(&b()).unwrap().unwrap();
    assert_eq!((counts.len(), counts[0].eval(&[], &[5])), (1, 6.into()));
}
