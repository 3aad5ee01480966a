//! The terms of the field, each as a test: Presburger formulas and their abbreviations, named spaces, unary and binary
//! operations on unions of different spaces, quasi-affine functions, Fourier-Motzkin elimination.

mod common;
use common::*;
use presburger::{Aff, BasicSet, Dim, Kind, Map, Set, Space, UnionMap, UnionSet};

fn same(a: &str, c: &str) {
    assert!(set(a).is_equal(&set(c), &b()).unwrap(), "{a}\n{c}");
}

#[test]
fn terms_are_sums_differences_constants_and_floors() {
    same("{ [i, j] : i + j <= 3 }", "{ [i, j] : i - (0 - j) <= 1 + 2 }");
    same("{ [i] : floor(i/3) = 2 }", "{ [i] : 6 <= i <= 8 }");
    same("{ [i] : floor((i - 7)/3) = -2 }", "{ [i] : 1 <= i < 4 }");
    same("{ [i] : ceil(i/3) = 2 }", "{ [i] : 4 <= i <= 6 }");
    same("{ [i] : floord(i, 2) = 1 }", "{ [i] : i // 2 = 1 }");
}

#[test]
fn abbreviations() {
    same("{ [i] : false }", "{ [i] : not true }");
    same("{ [i] : i >= 3 => i >= 5 }", "{ [i] : not (i >= 3) or i >= 5 }");
    same("{ [i, j] : i < j }", "{ [i, j] : i <= j - 1 }");
    same("{ [i, j] : i > j }", "{ [i, j] : i >= j + 1 }");
    same("{ [i, j] : i, j >= 2 }", "{ [i, j] : i >= 2 and j >= 2 }");
    same("{ [i, j] : 0 <= i, j < 4 }", "{ [i, j] : 0 <= i < 4 and 0 <= j and j < 4 }");
    same("{ [i] : -i >= -4 and 3*i >= i + i + 1 }", "{ [i] : 0 - i >= -4 and i + i + i >= 2i + 1 }");
    same("{ [a] : a % 5 = 2 and 0 <= a <= 20 }", "{ [a] : a - 5*floor(a/5) = 2 and 0 <= a <= 20 }");
    same("{ [i] : i != 3 }", "{ [i] : i < 3 or i > 3 }");
}

#[test]
fn lexicographic_abbreviations() {
    same("{ [a, b, c, d] : [a, b] << [c, d] }", "{ [a, b, c, d] : a < c or (a = c and b < d) }");
    same("{ [a, b, c, d] : [a, b] <<= [c, d] }", "{ [a, b, c, d] : a < c or (a = c and b <= d) }");
    same("{ [a, b, c, d] : [a, b] >> [c, d] }", "{ [a, b, c, d] : [c, d] << [a, b] }");
    same("{ [a, b, c, d] : [a, b] >>= [c, d] }", "{ [a, b, c, d] : [c, d] <<= [a, b] }");
    let s = Space::set(&[], "S", 2);
    assert!(Set::lex_lt(&s).is_equal(&map("{ S[a, b] -> S[c, d] : [a, b] << [c, d] }"), &b()).unwrap());
    assert!(Set::lex_le(&s).is_equal(&map("{ S[a, b] -> S[c, d] : [a, b] <<= [c, d] }"), &b()).unwrap());
}

#[test]
fn quantifiers_and_negation() {
    same("{ [i] : not (exists e: i = 2e) }", "{ [i] : i mod 2 = 1 }");
    same(
        "{ [i] : not (exists e, f: i = 3e + 5f and e, f >= 0) and i >= 0 }",
        "{ [i] : i = 1 or i = 2 or i = 4 or i = 7 }",
    );
    // A universal quantifier is a negated existential: all j in 0..i are at most 4.
    same("{ [i] : not (exists j: 0 <= j <= i and j > 4) }", "{ [i] : i <= 4 }");
}

#[test]
fn strided_statement_domain_as_rows() {
    let s = set("[N] -> { S1[i, j] : 3 <= i < 10 and i <= j < N and (i + 1) % 2 = 0 }");
    let mut rows = BasicSet::universe(Space::set(&["N"], "S1", 2));
    let e = rows.add_exists();
    assert_eq!(e, 0);
    for r in
        [[0, 1, 0, 0, -3], [0, -1, 0, 0, 9], [0, -1, 1, 0, 0], [1, 0, -1, 0, -1], [0, 1, 0, -2, 1], [0, -1, 0, 2, -1]]
    {
        rows.add_full(Kind::Ge, &r);
    }
    assert!(s.is_equal(&rows.to_set(), &b()).unwrap());
    let at_six: Vec<Vec<i64>> = s.fix(Dim::Param, 0, 6).points(100).unwrap();
    assert_eq!(at_six, vec![vec![6, 3, 3], vec![6, 3, 4], vec![6, 3, 5], vec![6, 5, 5]]);
}

#[test]
fn access_order_after_interchange() {
    // { S1(i, j) -> A(j, i) }: the elements touched, and the loop bounds after interchange.
    let dom = set("[N] -> { S1[i, j] : 3 <= i < 10 and i <= j < N and (i + 1) mod 2 = 0 }");
    let touched = dom.apply(&map("{ S1[i, j] -> A[j, i] }"), &b()).unwrap();
    assert!(touched.is_equal(&set("[N] -> { A[j, i] : 3 <= i <= 9 and i <= j < N and i mod 2 = 1 }"), &b()).unwrap());
    let rows = touched.basics()[0].loop_bounds(1, &b()).unwrap();
    // i <= min(j, 9) and i >= 3, with nothing superfluous.
    let on_i: Vec<&Vec<i64>> = rows.iter().map(|(_, r)| r).filter(|r| r[2] != 0).collect();
    assert_eq!(on_i.len(), 3, "{rows:?}");
    for want in [vec![0, 0, 1, -3], vec![0, 0, -1, 9], vec![0, 1, -1, 0]] {
        assert!(on_i.contains(&&want), "{want:?} in {rows:?}");
    }
}

#[test]
fn universe_and_scalars() {
    assert!(set("{ S[i, j] : true }").is_plain_universe());
    let scalar = map("{ S[i] -> A[] : 0 <= i < 4 }");
    assert_eq!(scalar.range(&b()).unwrap().points(5).unwrap(), vec![Vec::<i64>::new()]);
    assert_eq!(scalar.space().n_out(), 0);
}

#[test]
fn affine_functions_are_maps() {
    let s = Space::set(&["N"], "S", 2);
    // M i + c with M = [[1, 2], [0, -1]], c = [3, N].
    let f = [Aff::from_row(&s, &[0, 1, 2, 3]), Aff::from_row(&s, &[1, 0, -1, 0])];
    let m = Map::from_affs(&f, "T");
    assert!(m.is_equal(&map("[N] -> { S[i, j] -> T[i + 2j + 3, N - j] }"), &b()).unwrap());
}

#[test]
fn tiling_is_quasi_affine() {
    let s = Space::set(&[], "S1", 2);
    let (j, i) = (Aff::dim(&s, 0), Aff::dim(&s, 1));
    let tile = Map::from_affs(&[j.floor_div(32), i.floor_div(32), j.clone(), i.clone()], "");
    let text = map("{ S1[j, i] -> [floor(j/32), floor(i/32), j, i] }");
    assert!(tile.is_equal(&text, &b()).unwrap());
    let rows = map("{ S1[j, i] -> [a, b, j, i] : 0 <= j - 32a <= 31 and 0 <= i - 32b <= 31 }");
    assert!(tile.is_equal(&rows, &b()).unwrap());
    assert_eq!(
        tile.wrap().fix(Dim::Out, 0, 70).fix(Dim::Out, 1, -1).points(3).unwrap(),
        vec![vec![70, -1, 2, -1, 70, -1]]
    );
}

#[test]
fn a_tiling_in_pieces() {
    // { S1(j, i) -> (j/32, i/32) } and { S1(j, i) -> (j, i) }: the parts of the tiling side by side are the tiling.
    let part = |t: &str| presburger::PwMultiAff::parse(t).unwrap();
    let outer = part("{ S1[j, i] -> [floor(j/32), floor(i/32)] }");
    let inner = part("{ S1[j, i] -> [j, i] }");
    let whole = part("{ S1[j, i] -> [floor(j/32), floor(i/32), j, i] }");
    assert!(outer.flat_range_product(&inner, &b()).unwrap().is_equal(&whole, &b()).unwrap());
}

#[test]
fn inclusion_both_ways() {
    // A contains B properly iff B is properly contained in A; so for maps.
    let (a, c) = (set("{ S[i] : 0 <= i < 9 }"), set("{ S[i] : 2 <= i < 9 }"));
    assert!(c.is_strict_subset(&a, &b()).unwrap() && !a.is_strict_subset(&c, &b()).unwrap());
    assert!(!a.is_strict_subset(&a, &b()).unwrap());
    let (f, g) = (map("{ S[i] -> T[j] : j <= i }"), map("{ S[i] -> T[j] : j < i }"));
    assert!(
        g.is_strict_subset(&f, &b()).unwrap()
            && f.subtract(&g, &b()).unwrap().is_equal(&map("{ S[i] -> T[i] }"), &b()).unwrap()
    );
}

#[test]
fn cardinality_tells_functions_from_relations() {
    // Every input has one output; an output has two inputs.
    let f = map("{ S[i] -> A[j] : -5 <= i <= 5 and ((i >= 0 and j = i) or (i < 0 and j = -i)) }");
    let (out, inn) = (f.card(&b()).unwrap().unwrap(), f.reverse().card(&b()).unwrap().unwrap());
    for i in -7..8_i64 {
        assert_eq!(out.eval(&[], &[i]), i64::from(i.abs() <= 5).into());
        assert_eq!(
            inn.eval(&[], &[i]),
            if i == 0 {
                1.into()
            } else if (1..=5).contains(&i) {
                2.into()
            } else {
                0.into()
            }
        );
    }
    assert!(f.is_single_valued(&b()).unwrap() && !f.is_injective(&b()).unwrap());
}

#[test]
fn interleaved_schedules_compare_lexicographically() {
    // The form with 2d + 1 dims: S1 before S2 and S3, and for equal i S2 before S3.
    let m =
        UnionMap::parse("{ S1[i] -> [0, i, 0, 0, 0]; S2[i, j] -> [1, i, 0, j, 0]; S3[i] -> [1, i, 1, 0, 0] }").unwrap();
    let before = m.lex_lt(&m, &b()).unwrap();
    let holds = |t: &str| UnionMap::parse(t).unwrap().is_subset(&before, &b()).unwrap();
    assert!(holds("{ S1[i] -> S2[j, k]; S1[i] -> S3[j]; S2[i, j] -> S3[i]; S3[i] -> S2[i + 1, j] }"));
    assert!(!holds("{ S3[i] -> S2[i, j] }") && !holds("{ S2[i, j] -> S2[i, j] }"));
}

#[test]
fn isomorphic_spaces() {
    let (s2, s3, t2) = (Space::set(&["M"], "S1", 2), Space::set(&[], "S1", 3), Space::set(&["M"], "S2", 2));
    assert!(s2.same_tuples(&Space::set(&["N", "K"], "S1", 2)));
    assert!(!s2.same_tuples(&s3) && !s2.same_tuples(&t2));
}

#[test]
fn unions_of_different_spaces() {
    let a = UnionSet::parse("[M, N] -> { S1[i, j] : 0 <= i <= M and 0 <= j <= N }").unwrap();
    let c = UnionSet::parse("[M, N, K] -> { S2[i, j, k] : 0 <= i <= M and 0 <= j <= N and 0 <= k <= K }").unwrap();
    let both = a.union(&c);
    assert_eq!(both.sets().count(), 2);
    assert!(a.intersect(&c).is_empty(&b()).unwrap());
    assert!(both.subtract(&c, &b()).unwrap().is_equal(&a, &b()).unwrap());
    assert!(a.is_strict_subset(&both, &b()).unwrap() && !both.is_subset(&a, &b()).unwrap());
    // Same statement: one member, and no merge of two boxes that touch in a corner only.
    let d = UnionSet::parse("[M, N] -> { S1[i, j] : M <= i <= 2M and N <= j <= 2N }").unwrap();
    let joined = a.union(&d).coalesce(&b()).unwrap();
    assert_eq!(joined.sets().count(), 1);
    let big = UnionSet::parse("[M, N] -> { S1[i, j] : 0 <= i <= 2M and 0 <= j <= 2N }").unwrap();
    assert!(joined.is_strict_subset(&big, &b()).unwrap());
    // Boxes that share a side do merge.
    let e = UnionSet::parse("[M, N] -> { S1[i, j] : M < i <= 2M and 0 <= j <= N and M >= 0 }").unwrap();
    let merged = a.union(&e).coalesce(&b()).unwrap();
    assert_eq!(merged.get("S1", 2).unwrap().basics().len(), 1, "{merged}");
}

#[test]
fn unary_and_binary_operations_work_member_by_member() {
    let r = UnionMap::parse("{ S[i] -> A[i + 1] : 0 <= i < 5; T[i, j] -> B[j] : 0 <= i, j < 3 }").unwrap();
    let inverse = UnionMap::parse("{ A[k] -> S[k - 1] : 0 < k < 6; B[j] -> T[i, j] : 0 <= i, j < 3 }").unwrap();
    assert!(r.reverse().is_equal(&inverse, &b()).unwrap());
    let next = UnionMap::parse("{ A[k] -> [2k]; B[k] -> [3k] }").unwrap();
    let both = UnionMap::parse("{ S[i] -> [2i + 2] : 0 <= i < 5; T[i, j] -> [3j] : 0 <= i, j < 3 }").unwrap();
    assert!(r.apply_range(&next, &b()).unwrap().is_equal(&both, &b()).unwrap());
    let dom = UnionSet::parse("{ S[i] : 0 <= i < 5; T[i, j] : 0 <= i, j < 3 }").unwrap();
    assert!(r.domain(&b()).unwrap().is_equal(&dom, &b()).unwrap());
    assert!(dom.apply(&r, &b()).unwrap().is_equal(&r.range(&b()).unwrap(), &b()).unwrap());
    assert!(dom.sample(&b()).unwrap().is_some());
}

#[test]
fn inclusion_from_difference() {
    let (a, c) = (set("[N] -> { S[i] : 2 <= i < N }"), set("[N] -> { S[i] : 0 <= i < N }"));
    assert!(a.subtract(&c, &b()).unwrap().is_empty(&b()).unwrap());
    assert!(a.is_subset(&c, &b()).unwrap() && a.is_strict_subset(&c, &b()).unwrap());
    assert!(!c.is_subset(&a, &b()).unwrap() && !c.is_strict_subset(&c, &b()).unwrap());
    assert!(a.union(&c).is_equal(&c, &b()).unwrap());
}

#[test]
fn fourier_motzkin_example() {
    // 2x - 5y + 4z <= 10, 3x - 6y + 3z <= 9, -x + 5y - 2z <= -7, -3x + 2y + 6z <= 12: x eliminated over the rationals.
    let mut s = BasicSet::universe(Space::set(&[], "", 3));
    // Columns [y, z, x].
    for r in [[5, -4, -2, 10], [6, -3, -3, 9], [-5, 2, 1, -7], [-2, -6, 3, 12]] {
        s.add(Kind::Ge, &r);
    }
    let rows = s.loop_bounds(1, &b()).unwrap();
    let want = [
        // 7 + 5y - 2z <= (10 + 5y - 4z) / 2, that is 5y <= -4
        vec![-1, 0, -1],
        // 7 + 5y - 2z <= (9 + 6y - 3z) / 3: -3y + z >= 4
        vec![-3, 1, -4],
        // (-12 + 2y + 6z) / 3 <= (10 + 5y - 4z) / 2: 11y - 24z + 54 >= 0
        vec![11, -24, 54],
        // (-12 + 2y + 6z) / 3 <= (9 + 6y - 3z) / 3: 4y - 9z + 21 >= 0
        vec![4, -9, 21],
    ];
    for (k, r) in &rows {
        assert_eq!(*k, Kind::Ge);
        assert!(want.contains(r), "unexpected {r:?}");
    }
    // Whatever is missing must follow from the rest.
    let build = |rows: &[Vec<i64>]| {
        let mut s = BasicSet::universe(Space::set(&[], "", 2));
        rows.iter().for_each(|r| s.add(Kind::Ge, r));
        s.to_set()
    };
    let kept: Vec<Vec<i64>> = rows.into_iter().map(|r| r.1).collect();
    assert!(build(&kept).is_equal(&build(&want), &b()).unwrap());
}

#[test]
fn kelly_schedules_as_one_union() {
    let m = UnionMap::parse("{ S1[i] -> [0, i, 0, 0]; S2[i, j] -> [1, i, 0, j]; S3[i] -> [1, i, 1, 0] }").unwrap();
    let d =
        UnionSet::parse("[M, N] -> { S1[i] : 0 <= i < M; S2[i, j] : 0 <= i < M and 0 <= j <= N; S3[i] : 0 <= i < M }")
            .unwrap();
    let times = d.apply(&m, &b()).unwrap();
    let first = times.lexmin(&b()).unwrap();
    let want = UnionSet::parse("[M, N] -> { [0, 0, 0, 0] : M > 0 }").unwrap();
    assert!(first.is_equal(&want, &b()).unwrap(), "{first}");
    let last = times.lexmax(&b()).unwrap();
    assert!(
        last.is_equal(&UnionSet::parse("[M, N] -> { [1, M - 1, 1, 0] : M > 0 }").unwrap(), &b()).unwrap(),
        "{last}"
    );
}

#[test]
fn cardinality_of_a_parametric_set() {
    // Points of { S1[i, j] } with bounds in two symbolic constants, for every pair of values.
    let s = set("[M, N] -> { S1[i, j] : 0 <= i < N - M + 4 and i >= N - M and 0 <= j <= N - 2i }");
    let c = s.card(&b()).unwrap().expect("finite for each M, N");
    for m in -3..9 {
        for n in -3..14 {
            let count = (0..n - m + 4).filter(|i| *i >= n - m).map(|i| (n - 2 * i + 1).max(0)).sum::<i64>();
            assert_eq!(c.eval(&[m, n], &[]), count.into(), "M = {m}, N = {n}: {c}");
        }
    }
    // A map's cardinality counts the outputs of each input.
    let m = map("[N] -> { S[i] -> A[j] : 0 <= i < N and 0 <= j <= i and j mod 2 = 0 }");
    let c = m.card(&b()).unwrap().expect("finite");
    for i in -1..12 {
        assert_eq!(c.eval(&[10], &[i]), if (0..10).contains(&i) { (i / 2 + 1).into() } else { 0.into() }, "{c}");
    }
    assert!(set("{ [i] : i >= 0 }").card(&b()).unwrap().is_none());
    let closed = set("[N] -> { [i, j, k] : 0 <= i < j < k < N }").card(&b()).unwrap().unwrap();
    assert_eq!(closed.to_string(), "[N] -> { 1/6 * N^3 - 1/2 * N^2 + 1/3 * N : N >= 3 }");
}

#[test]
fn notation_says_the_same_in_other_words() {
    for (text, plain) in [
        ("{ [i] : i >= 0 & i <= 3 }", "{ [i] : 0 <= i <= 3 }"),
        ("{ [0:3] }", "{ [i] : 0 <= i <= 3 }"),
        ("[N] -> { A[i = 1 : N - 1, 2i : 3i] }", "[N] -> { A[i, j] : 1 <= i < N and 2i <= j <= 3i }"),
        ("[N, M = N + 4] -> { [M] }", "[N, M] -> { [i] : i = M and M = N + 4 }"),
        ("{ [i] : Exists e : i = 2e }", "{ [i] : exists e : i = 2e }"),
        ("{ [i] : 0 <= i \\\n and i <= 3 }", "{ [i] : 0 <= i <= 3 }"),
        ("{ [i] : forall j : j >= i or j <= 3 }", "{ [i] : i <= 4 }"),
        ("{ [i] : forall (j = i + 1, k = j : k >= 5) }", "{ [i] : i >= 4 }"),
        ("[x] -> { [(x : x >= 5)] }", "[x] -> { [x] : x >= 5 }"),
        ("{ [i, (i - 1 : i > 2; 2i : i < 0)] }", "{ [i, j] : (i > 2 and j = i - 1) or (i < 0 and j = 2i) }"),
        ("{ [i] : 0 <= i <= 9 and forall e : i != 3e }", "{ [i] : 0 <= i <= 9 and i mod 3 != 0 }"),
        ("{ [i] : not (exists e : e >= 3 and (exists f : f >= e and i >= e + f)) }", "{ [i] : i <= 5 }"),
        ("{ [i] : not (exists e : e >= 0 and (exists f : 0 <= f <= 6 - e)) }", "{ [i] : false }"),
        ("{ [i] : forall e : e < 0 or e > 3 or (exists f : i <= f <= i + 1 and 3f = e + 3) }", "{ [i] : false }"),
        ("{ [i] : forall e : exists f : f <= i and 2f >= e - e + 7 }", "{ [i] : i >= 4 }"),
        ("{ [i, j] : i = j/32 }", "{ [i, j] : 32i = j }"),
        ("{ [i] : i/2 >= 2 and (i)/2 < 9/2 }", "{ [i] : 4 <= i <= 8 }"),
        ("{ [i] : -i/2 >= -3 and max(i/3, 1) <= 5 }", "{ [i] : i <= 6 }"),
        ("{ [i, 3i/2 + 1] }", "{ [i, j] : 2j = 3i + 2 }"),
        ("{ [i, j] : 3 * (i/2) = j }", "{ [i, j] : 3i = 2j }"),
        ("{ [i, j] : i mod 2 = j/2 }", "{ [i, j] : (2i + j) mod 4 = 0 and 0 <= j <= 2 }"),
        ("{ [i, j, k] : k = floor(i + j/2) }", "{ [i, j, k] : -1 + 2i + j <= 2k <= 2i + j }"),
        ("{ [i, j, k] : k = ceil(i + j/2) }", "{ [i, j, k] : 2i + j <= 2k <= 1 + 2i + j }"),
        ("{ [i, j, k] : k = floord(i + j/2, 3) }", "{ [i, j, k] : -5 + 2i + j <= 6k <= 2i + j }"),
        ("{ [x, y] : [([x/2] + y)/3] >= 1 }", "{ [x, y] : 2y >= 6 - x }"),
        ("{ [a] : a = 7/2 }", "{ [a] : false }"),
    ] {
        assert!(set(text).is_equal(&set(plain), &b()).unwrap(), "{text}");
    }
    let counted = presburger::PwQPoly::parse("[N = 3] -> { [i] -> N * i : 0 <= i <= N }").unwrap();
    assert_eq!(counted.eval(&[3], &[2]).to_string(), "6");
    assert_eq!(counted.eval(&[4], &[2]).to_string(), "0");
    for wrong in
        ["[N = floor(M/2)] -> { [] }", "[N, M = floor(N/2)] -> { [] }", "{ [i] : i >= 0 & }", "{ [i] : i >= 3/0 }"]
    {
        assert!(Set::parse(wrong).is_err(), "{wrong}");
    }
}
