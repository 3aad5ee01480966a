//! Functions: text, composition, comparison, conversion to and from maps, and unions of functions on several spaces.

mod common;
use common::*;
use presburger::{Aff, Budget, PwAff, PwMultiAff, Set, Space, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet};

fn pw(t: &str) -> PwAff {
    PwAff::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"))
}

fn multi(t: &str) -> PwMultiAff {
    PwMultiAff::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"))
}

#[test]
fn text_of_functions() {
    let f = pw("[N] -> { S[i] -> [(2*floor((i + N)/3) - 1)] : i >= N; S[i] -> [(N)] : i < N }");
    assert_eq!(f.to_string(), "[N] -> { S[i] -> [(2*floor((N + i)/3) - 1)] : i >= N; S[i] -> [(N)] : i < N }");
    assert!(pw(&f.to_string()).is_equal(&f, &b()).unwrap());
    for n in -3..4_i64 {
        for i in -5..6_i64 {
            let want = if i >= n { 2 * (i + n).div_euclid(3) - 1 } else { n };
            assert_eq!(f.eval(&[n], &[i]), Some(want));
        }
    }
    assert_eq!(pw("[N] -> { [(N)] : N >= 2 }").to_string(), "[N] -> { [(N)] : N >= 2 }");
    let g = multi("{ S[i, j] -> A[(j), (i + 1)] : i > j; S[i, j] -> A[i, 0] : i <= j }");
    assert_eq!(g.to_string(), "{ S[i, j] -> A[(j), (i + 1)] : j < i; S[i, j] -> A[(i), (0)] : j >= i }");
    let pair = multi("{ S[i] -> [A[(i)] -> B[(2i), (3)]] }");
    assert_eq!(pair.to_string(), "{ S[i] -> [A[(i)] -> B[(2i), (3)]] }");
    // One part for a domain of several pieces: a reader adds up the values of parts that overlap.
    let cut = pw("{ S[i] -> [(-1)] }").intersect_domain(&set("{ S[i] : i = 0; S[i] : i >= 0 }"));
    assert_eq!(cut.to_string(), "{ S[i] -> [(-1)] : (i = 0) or (i >= 0) }");
    let overlapping = pw("{ S[i] -> [(1)] : i >= 0; S[i] -> [(2)] : i <= 3 }");
    assert_eq!((overlapping.eval(&[], &[2]), overlapping.eval(&[], &[-2])), (Some(1), Some(2)));
}

#[test]
fn text_that_is_no_function() {
    let at = |t: &str| PwAff::parse(t).map(|f| f.to_string()).expect_err(t);
    assert_eq!(at("{ S[i] -> [j] : j = i }").column, 3);
    assert_eq!(at("{ S[i] -> [(i), (i)] }").message, "expected values in an unnamed tuple of one entry");
    assert_eq!(at("{ S[i] -> [(i)]; T[i] -> [(i)] }").message, "tuples differ: read this as a union of functions");
    assert!(PwAff::parse("{ S[i] -> [(i * i)] }").is_err() && PwAff::parse("{  }").is_err());
    let wide = PwAff::parse("{ S[i] -> [(100000000000000000000 i)] }").expect_err("too wide");
    assert_eq!(wide.message, "a coefficient of a function does not fit 64 bits");
}

#[test]
fn minimum_maximum_and_choice_in_text() {
    let same = |a: &str, c: &str| assert!(set(a).is_equal(&set(c), &b()).unwrap(), "{a}\n{c}");
    same("{ [i, j] : min(i, j) >= 2 }", "{ [i, j] : i >= 2 and j >= 2 }");
    same("{ [i, j] : max(i, j, 3) <= 2 + min(i, -j) }", "{ [i, j] : i, j, 3 <= 2 + i and i, j, 3 <= 2 - j }");
    same("{ [i] : not (min(i, 5) = i) }", "{ [i] : i > 5 }");
    same("{ [i, j] : j = (i >= 0 ? i : -i) }", "{ [i, j] : (i >= 0 and j = i) or (i < 0 and j = -i) }");
    same("{ [i, floor(max(i, 2)/2)] }", "{ [i, j] : (i >= 2 and 0 <= i - 2j <= 1) or (i < 2 and j = 1) }");
    same("{ [i] : exists m = min(i, 3): m mod 2 = 1 and i >= 0 }", "{ [i] : i = 1 or i >= 3 }");
    same("{ [i, j] : [min(i, j), 0] << [i, i] }", "{ [i, j] : j < i or (i <= j and i > 0) }");
    let f = pw("[N] -> { S[i] -> [min(i, N) - max(0, -i)] }");
    for n in -4..5_i64 {
        for i in -4..5_i64 {
            assert_eq!(f.eval(&[n], &[i]), Some(i.min(n) - 0.max(-i)));
        }
    }
}

#[test]
fn composition_of_functions() {
    for_seeds(|seed, rng| {
        let b = Budget::steps(200_000);
        let sp = Space::set(&["N"], "S", 2);
        let mut random = |n: usize| -> PwMultiAff {
            let mut list = Vec::new();
            for _ in 0..n {
                let row: Vec<i64> = (0..4).map(|_| rng.range(-3, 3)).collect();
                let a = Aff::from_row(&sp, &row);
                let a = if rng.chance(40) { a.floor_div(rng.range(2, 4)) } else { a };
                list.push(a);
            }
            PwMultiAff::from_affs(&sp, &list, "S")
        };
        let (f, g, h) = (random(2), random(2), random(2));
        let Ok(low) = f.component(0).min(&g.component(1), &b) else { return };
        let left = PwMultiAff::from_components(&sp, &[low.clone(), h.component(0)], "S", &b).unwrap();
        let Ok(both) = left.pullback(&h, &b) else { return };
        let Ok(scalar) = low.pullback(&h, &b) else { return };
        for n in -2..3 {
            for x in grid(2, -3, 3) {
                let inner = h.eval(&[n], &x).unwrap();
                assert_eq!(both.eval(&[n], &x), left.eval(&[n], &inner), "seed {seed}: {left} after {h} at {x:?}");
                assert_eq!(scalar.eval(&[n], &x), low.eval(&[n], &inner), "seed {seed}: {low} after {h} at {x:?}");
            }
        }
    });
}

#[test]
fn comparison_sets() {
    let f = pw("[N] -> { S[i] -> [(floor((i)/2))] : i >= -3; S[i] -> [(N - i)] : i < -3 }");
    let g = pw("[M] -> { S[i] -> [(i mod 3)] : i <= 4 }");
    let value = |n: i64, i: i64| if i >= -3 { i.div_euclid(2) } else { n - i };
    for i in -7..8_i64 {
        for n in -3..4_i64 {
            let (x, y) = (value(n, i), i.rem_euclid(3));
            let at = |s: Set| s.contains(&[n, 9], &[i]);
            let inside = i <= 4;
            assert_eq!(at(f.eq_set(&g)), inside && x == y);
            assert_eq!(at(f.ne_set(&g)), inside && x != y);
            assert_eq!(at(f.lt_set(&g)), inside && x < y);
            assert_eq!(at(f.le_set(&g)), inside && x <= y);
            assert_eq!(at(f.gt_set(&g)), inside && x > y);
            assert_eq!(at(f.ge_set(&g)), inside && x >= y);
            let sum = f.union_add(&g, &b()).unwrap();
            assert_eq!(sum.eval(&[n, 9], &[i]), Some(if inside { x + y } else { x }));
            let low = f.union_min(&g, &b()).unwrap();
            assert_eq!(low.eval(&[n, 9], &[i]), Some(if inside { x.min(y) } else { x }));
            let high = f.union_max(&g, &b()).unwrap();
            assert_eq!(high.eval(&[n, 9], &[i]), Some(if inside { x.max(y) } else { x }));
        }
    }
    let p = multi("{ S[i, j] -> A[(i), (j)] }");
    let q = multi("{ S[i, j] -> A[(j), (3)] : i >= 0 }");
    assert!(p.eq_set(&q).is_equal(&set("{ S[i, j] : i = j = 3 }"), &b()).unwrap());
    let less = set("{ S[i, j] : i >= 0 and [i, j] << [j, 3] }");
    assert!(p.lex_lt_set(&q).is_equal(&less, &b()).unwrap());
    assert!(p.lex_le_set(&q).is_equal(&less.union(&set("{ S[3, 3] }")), &b()).unwrap());
}

#[test]
fn functions_and_maps() {
    let m = map("[N] -> { S[i, j] -> A[i + j, floor(j/2)] : 0 <= i < N and j >= 0; S[i, j] -> A[N, 0] : i >= N }");
    let f = PwMultiAff::from_map(&m, &b()).unwrap();
    assert!(f.to_map().is_equal(&m, &b()).unwrap());
    assert!(f.domain().is_equal(&m.domain(&b()).unwrap(), &b()).unwrap());
    let s = set("{ A[x, y] : x = 3 and y >= 1 }");
    let want = m.intersect_range(&s).domain(&b()).unwrap();
    assert!(f.preimage(&s, &b()).unwrap().is_equal(&want, &b()).unwrap());
    let id = PwMultiAff::identity(&Space::set(&["N"], "S", 2));
    assert!(f.pullback(&id, &b()).unwrap().is_equal(&f, &b()).unwrap());
    assert!(id.to_map().is_equal(&map("{ S[i, j] -> S[i, j] }"), &b()).unwrap());
    let sum = f.add(&f.scale(-1), &b()).unwrap();
    assert!(
        sum.to_map()
            .is_equal(&multi("{ S[i, j] -> A[(0), (0)] }").intersect_domain(&f.domain()).to_map(), &b())
            .unwrap()
    );
    let both = f.range_product(&id, &b()).unwrap();
    assert!(both.to_map().is_equal(&m.range_product(&id.to_map()), &b()).unwrap());
    let halves = pw("{ S[i, j] -> [(i)] : i > 3; S[i, j] -> [(i)] : i <= 3 }");
    assert_eq!(halves.coalesce(&b()).unwrap().to_string(), "{ S[i, j] -> [(i)] }");
}

#[test]
fn optima_as_functions() {
    let s = set("[N] -> { S[i, j] : 0 <= i <= N and i <= 2j <= N + i }");
    let low = s.lexmin_function(&b()).unwrap();
    let (least, most) = (s.dim_min(1, &b()).unwrap(), s.dim_max(1, &b()).unwrap());
    for n in -1..9_i64 {
        let points = s.fix(presburger::Dim::Param, 0, n).points(1000).unwrap();
        assert_eq!(low.eval(&[n], &[]), points.first().map(|p| p[1..].to_vec()));
        assert_eq!(least.eval(&[n], &[]), points.iter().map(|p| p[2]).min());
        assert_eq!(most.eval(&[n], &[]), points.iter().map(|p| p[2]).max());
    }
    let m = map("[N] -> { S[i] -> [j] : i <= j <= N }");
    assert_eq!(m.lexmax_function(&b()).unwrap().to_string(), "[N] -> { S[i] -> [(N)] : i <= N }");
}

#[test]
fn functions_on_several_spaces() {
    let f =
        UnionPwAff::parse("[N] -> { S[i] -> [(i)] : i < N; S[i] -> [(N)] : i >= N; T[i, j] -> [(i - j)] }").unwrap();
    assert_eq!(f.members().count(), 2);
    assert!(UnionPwAff::parse(&f.to_string()).unwrap().is_equal(&f, &b()).unwrap(), "{f}");
    let g = UnionPwAff::parse("[M] -> { T[i, j] -> [(M)]; U[i] -> [(1)] }").unwrap();
    let sum = f.add(&g, &b()).unwrap();
    assert!(sum.is_equal(&UnionPwAff::parse("[M] -> { T[i, j] -> [(M + i - j)] }").unwrap(), &b()).unwrap());
    let all = f.union_add(&g, &b()).unwrap();
    assert_eq!(all.members().count(), 3);
    assert_eq!(all.get("T", 2).unwrap().eval(&[5, 7], &[3, 1]), Some(9));
    let less = UnionSet::parse("[M] -> { T[i, j] : i - j < M }").unwrap();
    assert!(f.lt_set(&g).is_equal(&less, &b()).unwrap());
    let dom = UnionSet::parse("[N] -> { S[i]; T[i, j]; U[i] }").unwrap();
    assert!(all.domain().is_equal(&dom, &b()).unwrap());
    let cut = all.intersect_domain(&UnionSet::parse("[K] -> { U[i] : i >= K }").unwrap());
    assert_eq!(cut.to_string(), "[N, M, K] -> { U[i] -> [(1)] : i >= K }");
}

#[test]
fn unions_of_functions_compose() {
    let f = UnionPwMultiAff::parse("{ A[x] -> [(2x)]; B[x, y] -> [(x + y)] }").unwrap();
    let g =
        UnionPwMultiAff::parse("[N] -> { S[i] -> A[(i + N)] : i >= 0; S[i] -> B[(i), (i)]; T[i] -> C[(i)] }").unwrap();
    let both = f.pullback(&g, &b()).unwrap();
    // Two members of S with unnamed values: the first of them counts where both are defined.
    let want = g.to_map().apply_range(&f.to_map(), &b()).unwrap();
    assert!(
        both.to_map().is_subset(&want, &b()).unwrap()
            && both.domain().is_equal(&want.domain(&b()).unwrap(), &b()).unwrap()
    );
    let m = UnionMap::parse("{ S[i] -> A[i + 1] : i >= 0; T[i, j] -> B[j] : i = 2j }").unwrap();
    let h = UnionPwMultiAff::from_map(&m, &b()).unwrap();
    assert!(h.to_map().is_equal(&m, &b()).unwrap());
    assert!(h.sub(&h, &b()).unwrap().is_equal(&h.scale(0), &b()).unwrap());
    let id = UnionPwMultiAff::identity(&UnionSet::parse("{ S[i] : i >= 5; T[i, j] }").unwrap());
    let cut = h.pullback(&id, &b()).unwrap();
    assert!(cut.to_map().is_equal(&m.intersect_domain(&id.domain()), &b()).unwrap());
    assert_eq!(h.get(("S", 1), ("A", 1)).unwrap().eval(&[], &[4]), Some(vec![5]));
}

#[test]
fn polynomials_in_text() {
    use presburger::PwQPoly;
    let p = |t: &str| PwQPoly::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"));
    let f = p("[N] -> { S[i] -> (1/2 * N^2 - 3 * i * N + floor((i + N)/3)) : i >= 0; S[i] -> 7 : i < 0 }");
    for n in -3..4_i64 {
        for i in -3..6_i64 {
            // Only even N give integers.
            let want = if i < 0 { 7 } else { 2 * n * n - 6 * i * n + (i + 2 * n).div_euclid(3) };
            assert_eq!(f.eval(&[2 * n], &[i]), want.into(), "at {n}, {i}");
        }
    }
    assert_eq!(p("[N] -> { N + 1 : N >= 0 }").to_string(), "[N] -> { N + 1 : N >= 0 }");
    let c = set("[N] -> { [i, j] : 0 <= i < N and 0 <= 3j <= i }").card(&b()).unwrap().unwrap();
    let again = p(&c.to_string());
    for n in -2..20 {
        assert_eq!(again.eval(&[n], &[]), c.eval(&[n], &[]));
    }
    assert!(PwQPoly::parse("[N] -> { S[i] -> j }").is_err() && PwQPoly::parse("{ S[i] -> i^i }").is_err());
    assert_eq!(p("{ S[i] -> floor(i/1000) }").eval(&[], &[-1]), (-1).into());
    // One floor, however it is written.
    assert_eq!(p("{ S[i] -> floor((2i + 5)/4) }").to_string(), "{ S[i] -> floor((i)/2) + 1 }");
    assert_eq!(p("{ S[i] -> floor(i/2) + floor((1 - i)/2) }").to_string(), "{ S[i] -> 0 }");
    assert_eq!(p("{ S[i] -> floor((i + floor(i/2))/3) }").to_string(), "{ S[i] -> floor((i)/2) }");
    assert!(PwQPoly::parse("{ S[i] -> floor((2 * floor(i/5000))/3) }").is_err());
}

#[test]
fn arithmetic_of_counts() {
    let card = |t: &str| set(t).card(&b()).unwrap().unwrap();
    let (x, y) = (card("[N] -> { [i] : 0 <= i < N }"), card("[M] -> { [i] : 3 <= i < 2M }"));
    let (sum, diff, product) = (x.add(&y, &b()).unwrap(), x.sub(&y, &b()).unwrap(), x.mul(&y, &b()).unwrap());
    let cut = sum.intersect_domain(&set("[M, N] -> { : M >= N }"));
    for n in -2..6_i64 {
        for m in -2..6_i64 {
            let (a, c) = (n.max(0), (2 * m - 3).max(0));
            assert_eq!(sum.eval(&[n, m], &[]), (a + c).into());
            assert_eq!(diff.eval(&[n, m], &[]), (a - c).into());
            assert_eq!(product.eval(&[n, m], &[]), (a * c).into());
            assert_eq!(x.scale(-3).eval(&[n], &[]), (-3 * a).into());
            assert_eq!(cut.eval(&[n, m], &[]), if m >= n { (a + c).into() } else { 0.into() });
        }
    }
    assert_eq!(x.sub(&x, &b()).unwrap().to_string(), "[N] -> { 0 }");
}

#[test]
fn a_function_with_one_floor_twice_has_the_graph_of_its_values() {
    let s = set("[N, M] -> { [i, j] : -2 <= i <= M and -4 <= j <= M and 3j = 2N - 4i - 12 and 2N + M - 4j - 2 >= i }");
    let largest = s.dim_max(0, &b()).unwrap();
    let graph = largest.to_map();
    for (n, m) in (-5..=9).flat_map(|n| (-4..=9).map(move |m| (n, m))) {
        let want = (-2..=m).rev().find(|i| (-4..=m).any(|j| s.contains(&[n, m], &[*i, j])));
        let here = graph.fix(presburger::Dim::Param, 0, n).fix(presburger::Dim::Param, 1, m);
        let got = here.range(&b()).unwrap().sample(&b()).unwrap().map(|x| x[2]);
        assert_eq!(got, want, "N = {n}, M = {m}");
    }
}
