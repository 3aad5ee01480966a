//! Coefficients at the ends of `i64`, budgets, and errors in text.

mod common;
use common::*;
use presburger::{Aff, BasicSet, Bound, Budget, Dim, Error, Kind, Map, Set, Space};

const BIG: i64 = i64::MAX;

#[test]
fn products_beyond_i64_stay_exact() {
    let b = Budget::steps(1_000_000);
    // (2^62 + 1) x = (2^62 - 1) y has only multiples of both as solutions.
    let p = (1_i64 << 62) + 1;
    let q = (1_i64 << 62) - 1;
    let mut s = BasicSet::universe(Space::set(&[], "", 2));
    s.add(Kind::Eq, &[p, -q, 0]);
    s.add(Kind::Ge, &[1, 0, -1]);
    s.add(Kind::Ge, &[-1, 0, q - 1]);
    assert!(s.is_empty(&b).unwrap());
    let mut t = BasicSet::universe(Space::set(&[], "", 2));
    t.add(Kind::Eq, &[p, -q, 0]);
    t.add(Kind::Ge, &[1, 0, -1]);
    t.add(Kind::Ge, &[-1, 0, q]);
    assert_eq!(t.to_set().sample(&b).unwrap(), Some(vec![q, p]));
}

#[test]
fn ends_of_the_range() {
    let b = Budget::steps(1_000_000);
    let sp = Space::set(&[], "", 1);
    let mut s = BasicSet::universe(sp.clone());
    s.add(Kind::Ge, &[1, -BIG]);
    assert_eq!(s.to_set().min_of(&Aff::dim(&sp, 0), &b).unwrap(), Bound::Value(BIG));
    assert_eq!(s.to_set().max_of(&Aff::dim(&sp, 0), &b).unwrap(), Bound::Unbounded);
    let mut t = BasicSet::universe(sp.clone());
    t.add(Kind::Ge, &[1, i64::MIN]);
    t.add(Kind::Ge, &[i64::MIN, 0]);
    assert!(t.is_empty(&b).unwrap());
    let fixed = Set::universe(sp).fix(presburger::Dim::Out, 0, i64::MIN);
    assert!(fixed.contains(&[], &[i64::MIN]) && !fixed.contains(&[], &[i64::MIN + 1]));
    assert!(set("{ [i] : i >= 100000000000000000000000 }").sample(&b).is_err());
    assert!(!set("{ [i] : i >= 100000000000000000000000 }").is_empty(&b).unwrap());
}

#[test]
fn wide_rows_do_not_fit_i64() {
    let s = set("{ [i, j] : 100000000000000000000 i >= 3 j + 1 }");
    assert_eq!(s.basics()[0].rows_i64(), Err(Error::Overflow));
    let t = set(&s.to_string());
    assert!(t.is_equal(&s, &Budget::steps(100_000)).unwrap());
}

#[test]
fn subtraction_with_huge_coefficients() {
    let b = Budget::steps(3_000_000);
    let s = set("{ [i, j] : 0 <= i <= 9223372036854775806 and 0 <= j <= 9223372036854775806 }");
    let t = set("{ [i, j] : 9223372036854775807 i >= 9223372036854775805 j }");
    let d = s.subtract(&t, &b).unwrap();
    assert!(d.is_disjoint(&t, &b).unwrap());
    assert!(d.union(&s.intersect(&t)).is_equal(&s, &b).unwrap());
}

#[test]
fn functions_with_large_coefficients_are_exact() {
    let b = Budget::steps(1_000_000);
    let sp = Space::set(&[], "", 1);
    let x = Aff::dim(&sp, 0);
    let huge = x.scale(1 << 40).scale(1 << 40).add(&x.scale(BIG)).add(&x.scale(BIG));
    assert_eq!(huge.eval(&[], &[0]), Some(0));
    assert_eq!(huge.eval(&[], &[1]), None);
    let back = huge.sub(&x.scale(BIG)).sub(&x.scale(BIG)).floor_div(1 << 40).floor_div(1 << 40);
    assert!(back.eq_set(&x).complement(&b).unwrap().is_empty(&b).unwrap(), "{back}");
    assert_eq!(x.floor_div(i64::MIN).eval(&[], &[1]), Some(-1));
    assert_eq!(x.floor_div(-3).eval(&[], &[7]), Some(-3));
    assert_eq!(x.modulo(3).eval(&[], &[-7]), Some(2));
    let m = Map::from_affs(&[huge], "");
    assert!(m.wrap().contains(&[], &[0, 0]));
}

#[test]
fn the_smallest_coefficient_prints_with_one_sign() {
    let sp = Space::set(&[], "", 1);
    let f = Aff::from_row(&sp, &[i64::MIN, i64::MIN]);
    assert_eq!(f.to_string(), "{ [i0] -> [(-9223372036854775808i0 - 9223372036854775808)] }");
    let sum = Aff::constant(&sp, 3).add(&Aff::dim(&sp, 0)).add(&f.add_constant(i64::MAX));
    assert_eq!((sum.eval(&[], &[0]), sum.eval(&[], &[-1])), (Some(2), None));
    assert_eq!(f.eval(&[], &[-1]), Some(0));
    assert_eq!(f.neg().eval(&[], &[-1]), Some(0));
}

#[test]
fn spent_budgets_answer_limit() {
    let hard = set(
        "[N, M] -> { [i, j, k] : 3i + 5j <= 7k + N and 2i - 7j >= 3k - M and 4 <= i, j, k <= N + M and (i + j) mod 3 = 1 }",
    );
    let other = set("[N, M] -> { [i, j, k] : exists e: 5e <= i + 2j <= 7e + 3 and 3k - 2N <= 4e }");
    let f = Aff::dim(hard.space(), 0);
    let none = || Budget::steps(0);
    assert_eq!(hard.is_empty(&none()), Err(Error::Spent));
    assert!(hard.subtract(&other, &none()).is_err());
    assert!(hard.is_subset(&other, &none()).is_err());
    assert!(hard.simplify(&none()).is_err());
    assert!(hard.gist(&other, &none()).is_err());
    assert!(hard.lexmin(&none()).is_err());
    assert!(hard.lexmax(&none()).is_err());
    assert!(hard.project_out(0, 1, &none()).is_err());
    assert!(hard.params(&none()).is_err());
    assert!(other.compute_divs(&none()).is_err());
    assert!(hard.union(&other).make_disjoint(&none()).is_err());
    assert!(hard.union(&other).simple_hull(&none()).is_err());
    assert!(hard.affine_hull(&none()).is_err());
    assert!(hard.sample(&none()).is_err());
    assert!(hard.min_of(&f, &none()).is_err());
    assert!(hard.basics()[0].simplify(&none()).is_err());
    assert!(hard.basics()[0].loop_bounds(1, &none()).is_err());
    // Any budget: an answer or `Spent`, never a wrong one, and soon.
    let truth = hard.is_subset(&other, &Budget::steps(3_000_000));
    for steps in [1, 3, 10, 30, 100, 300, 1000, 3000] {
        let got = hard.is_subset(&other, &Budget::steps(steps));
        assert!(got.is_err() || got == truth);
    }
}

#[test]
fn large_strides_are_counted_without_their_residue_classes() {
    // One residue class of 2^33 values after the other would take all memory.
    let s = set("[N] -> { [i, j] : 0 <= i <= 9 and i = 8589934592 j + N }");
    let card = s.card(&Budget::steps(100_000)).unwrap().unwrap();
    for (n, count) in [(5, 1), (10, 0), (-1, 0), (8_589_934_595, 1), (8_589_934_604, 0), (-8_589_934_590, 1)] {
        assert_eq!(card.eval(&[n], &[]), count.into(), "at {n}: {card}");
    }
    let m = Map::parse("[N] -> { S[i] -> S[k] : -1 <= k <= N and i = 8589934592 k - N }").unwrap();
    let card = m.card(&Budget::steps(100_000)).unwrap().unwrap();
    assert_eq!(card.eval(&[7], &[8_589_934_585]), 1.into());
    assert_eq!(card.eval(&[7], &[8_589_934_586]), 0.into());
    assert_eq!(s.card(&Budget::steps(50)).map(|_| ()), Err(Error::Spent));
}

#[test]
fn infinite_sets_cannot_be_listed() {
    assert_eq!(set("{ [i] : i >= 0 }").points(10), Err(Error::TooMany));
    assert_eq!(set("{ [i] : 0 <= i < 11 }").points(10), Err(Error::TooMany));
    assert_eq!(set("{ [i, j] : 2i = 2j + 1 }").points(10), Ok(Vec::new()));
}

#[test]
fn errors_point_at_their_column() {
    let at = |t: &str| {
        let e = Set::parse(t).expect_err(t);
        (e.line, e.column)
    };
    assert_eq!(at("{ S[i] : 0 <= k }"), (1, 15));
    assert_eq!(at("{ S[i] : i*i = 4 }"), (1, 14));
    assert_eq!(at("[N] -> { S[i] :\n i >= }"), (2, 7));
    assert_eq!(at("{ S[i] : i mod 0 = 1 }"), (1, 16));
    assert_eq!(at("{ S[i] } x"), (1, 10));
    assert_eq!(at("{ S[i]; T[i] }"), (1, 9));
    assert_eq!(at("{ S[i] -> T[i] }"), (1, 3));
    assert!(Map::parse("{ S[i] }").is_err());
    assert!(Set::parse("").is_err() && Set::parse("{").is_err() && Set::parse("{ [i : }").is_err());
}

#[test]
fn existentials_fixed_by_late_equalities_are_removed() {
    // Fixing N and i pins the floor to one value; it must not hide the lower bound on j, nor stay as an unused
    // existential.
    let s = set(
        "[N] -> { [i, j, k, l = N - i] : exists (e1 = floor((N + i - 1)/2): (N + i + k) mod 2 = 0 and (i + j) mod 2 = 0 and N = 4 \
         and i >= 1 and -i + 2e1 - 1 <= j < N and i + 1 <= k < N) }",
    );
    assert_eq!(s.points(100), Ok(vec![vec![4, 1, 3, 3, 3]]));
    let p = s.params(&Budget::steps(100_000)).unwrap();
    assert_eq!(p.to_string(), "[N] -> { : N = 4 }");
}

#[test]
fn a_point_of_wide_ranges_takes_no_search_where_a_test_takes_none() {
    let s = set(
        "[p, q] -> { [i, j, k, l] : exists (e = floor((i + j)/128), f = floor((i - j)/128), g = floor((k + l)/128), \
         h = floor((k - l)/128): 3k + 38l = 3i + 38j and 3i + 1 <= p <= 2147483647 and p > 3k and p >= -2147483648 and \
         2j + 1 <= q <= 2147483647 and q > 2l and q >= -2147483648 and i >= 0 and j >= 0 and k > i and k >= 0 and l >= 0 and \
         h > e + f - g) }",
    );
    assert!(!s.is_empty(&Budget::steps(20_000)).unwrap());
    let point = s.sample(&Budget::steps(20_000)).unwrap().unwrap();
    assert!(s.contains(&point[..2], &point[2..]), "{point:?}");
}

#[test]
fn each_reason_for_no_answer_has_its_name() {
    let b = || Budget::steps(1_000_000);
    let wide = set("{ [i] : i >= 100000000000000000000000 and i <= 100000000000000000000005 }");
    let f = Aff::dim(wide.space(), 0);
    assert_eq!(wide.sample(&b()), Err(Error::Overflow));
    assert_eq!(wide.min_of(&f, &b()), Err(Error::Overflow));
    assert_eq!(wide.points(10), Err(Error::Overflow));
    assert_eq!(wide.basics()[0].loop_bounds(0, &b()), Err(Error::Overflow));
    assert_eq!(wide.lexmin_function(&b()).map(|_| ()), Err(Error::Overflow));
    assert_eq!(set("{ [i] : 0 <= i < 11 }").points(10), Err(Error::TooMany));
    assert_eq!(set("{ [i] : 2i <= 11 }").lexmin(&b()).map(|_| ()), Err(Error::Unbounded));
    assert_eq!(set("[N] -> { [i, j] : i >= 0 and 2j <= N }").lexmin(&b()).map(|_| ()), Err(Error::Unbounded));
    assert_eq!(set("{ [i, j] : i >= 0 and 2j <= i }").dim_min(1, &b()).map(|_| ()), Err(Error::Unbounded));
    for text in ["{ [i] -> [j] : 0 <= j <= 1 }", "{ [i] -> [i]; [i] -> [i + 1] : i = 7 }", "{ [i] -> [j] : 2j <= i }"] {
        assert_eq!(presburger::PwMultiAff::from_map(&map(text), &b()).map(|_| ()), Err(Error::SeveralValues));
        assert_eq!(presburger::PwAff::from_map(&map(text), &b()).map(|_| ()), Err(Error::SeveralValues));
    }
    let messages = [Error::Spent, Error::Overflow, Error::TooMany, Error::Unbounded, Error::SeveralValues];
    let messages: std::collections::BTreeSet<String> = messages.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 5);
}

/// Only the numbers of a function have to fit, not those of where it holds.
#[test]
fn functions_may_hold_where_wide_rows_do() {
    let wide = "36893488147419103232N + 3M >= 1";
    let s = set(&format!("[N, M] -> {{ [i] : 0 <= 2i <= M + 9 and {wide} }}"));
    let most = s.dim_max(0, &b()).unwrap();
    let want = Map::parse(&format!("[N, M] -> {{ [] -> [floor((M + 9)/2)] : M >= -9 and {wide} }}")).unwrap();
    assert!(most.to_map().is_equal(&want, &b()).unwrap(), "{most}");
    let s = set("[N] -> { [i] : 0 <= i <= 36893488147419103232N }");
    assert_eq!(s.dim_max(0, &b()).map(|_| ()), Err(Error::Overflow));
}

#[test]
fn floors_of_floors_stay_floors() {
    let nested = set("{ [x, y] : (2*floor(x/3) + 3*floor(y/4)) mod 5 = x }");
    assert!(nested.basics().iter().all(|b| b.div_defs().iter().all(Option::is_some)), "{nested}");
    let b = Budget::steps(200_000);
    let all = Set::universe(nested.space().clone());
    let rest = all.subtract(&nested, &b).unwrap();
    assert!(rest.is_disjoint(&nested, &b).unwrap());
    assert!(nested.is_equal(&nested.union(&nested), &b).unwrap());
    assert!(nested.complement(&b).unwrap().is_subset(&rest, &b).unwrap());
    assert!(rest.union(&nested).is_equal(&all, &b).unwrap());
    for (x, y) in (-9..=9).flat_map(|x| (-9..=9).map(move |y| (x, y))) {
        let truth = (2 * i64::div_euclid(x, 3) + 3 * i64::div_euclid(y, 4)).rem_euclid(5) == x;
        assert_eq!((nested.contains(&[], &[x, y]), rest.contains(&[], &[x, y])), (truth, !truth), "{x}, {y}");
    }
}

/// A set of `count` random rows on a box of five dims.
fn many_rows(seed: u64, count: usize) -> Set {
    let mut rng = Rng::new(seed);
    let mut s = BasicSet::universe(Space::set(&[], "", 5));
    for d in 0..5 {
        let mut row = [0; 6];
        (row[d], row[5]) = (1, 50);
        s.add(Kind::Ge, &row);
        row[d] = -1;
        s.add(Kind::Ge, &row);
    }
    for _ in 0..count {
        let mut row: Vec<i64> = (0..5).map(|_| rng.range(-9, 9)).collect();
        row.push(rng.range(20, 200));
        s.add(Kind::Ge, &row);
    }
    s.to_set()
}

#[test]
fn many_rows_take_few_steps() {
    let steps = |n: u64, f: &dyn Fn(&Budget)| {
        let b = Budget::steps(n);
        f(&b);
    };
    for seed in 1..=3 {
        let (s, t) = (many_rows(seed, 10), many_rows(seed + 100, 10));
        steps(200_000, &|b| assert!(s.subtract(&t, b).unwrap().is_disjoint(&t, b).unwrap()));
        steps(200_000, &|b| assert!(!s.is_subset(&t, b).unwrap()));
        let (s, t) = (many_rows(seed, 100), many_rows(seed + 100, 50));
        let b = Budget::steps(400_000);
        let g = s.gist(&t, &b).unwrap();
        assert!(g.intersect(&t).is_equal(&s.intersect(&t), &Budget::unlimited()).unwrap());
    }
}

#[test]
fn dozens_of_rows_take_few_steps() {
    for seed in 1..=2 {
        let (s, t) = (many_rows(seed, 60), many_rows(seed + 100, 60));
        for (found, opposite) in [(s.lexmin(&Budget::steps(10_000)), -1), (s.lexmax(&Budget::steps(10_000)), 1)] {
            let found = found.unwrap();
            let [x] = &found.points(1).unwrap()[..] else { panic!("{found}") };
            assert!(s.contains(&[], x));
            let further = s.add(Kind::Ge, &[opposite, 0, 0, 0, 0, -opposite * x[0] - 1]);
            assert!(further.is_empty(&Budget::unlimited()).unwrap(), "{found}");
        }
        let rest = s.subtract(&t, &Budget::steps(1_000_000)).unwrap();
        assert!(rest.is_disjoint(&t, &Budget::unlimited()).unwrap());
        assert!(rest.union(&s.intersect(&t)).is_equal(&s, &Budget::unlimited()).unwrap());
        let g = s.gist(&t, &Budget::steps(1_000_000)).unwrap();
        assert!(g.intersect(&t).is_equal(&s.intersect(&t), &Budget::unlimited()).unwrap());
        let shadow = s.project_out(0, 1, &Budget::steps(300_000)).unwrap();
        assert!(s.points(100_000).unwrap().iter().all(|x| shadow.contains(&[], &x[1..])));
    }
}

#[test]
fn strips_are_told_apart_by_their_boxes() {
    let strips = |height: i64| {
        let one = |k: i64| format!("[i, j] : {} <= i < {} and 0 <= j <= {height}", 10 * k, 10 * k + 10);
        set(&format!("{{ {} }}", (0..200).map(one).collect::<Vec<_>>().join("; ")))
    };
    let (low, high) = (strips(40), strips(50));
    assert!(low.is_subset(&high, &Budget::steps(100_000)).unwrap());
    assert!(!high.is_subset(&low, &Budget::steps(50_000)).unwrap());
    assert!(!high.is_disjoint(&low, &Budget::steps(100)).unwrap());
    let rest = high.subtract(&low, &Budget::steps(100_000)).unwrap();
    assert_eq!(
        rest.coalesce(&Budget::steps(20_000)).unwrap().to_string(),
        "{ [i, j] : 0 <= i <= 1999 and 41 <= j <= 50 }"
    );
    let short = high.gist(&low, &Budget::steps(20_000)).unwrap();
    assert!(short.intersect(&low).is_equal(&low, &Budget::unlimited()).unwrap());
}

#[test]
fn floors_of_cuts_need_no_cases() {
    let text = |params: &str, n: &str, m: &str| {
        set(&format!(
            "{params}{{ [i, j, k] : 0 <= i < {n} and 0 <= j < {m} and 0 <= k < {n} + {m} and i mod 6 <= 3 and i mod 4 <= 0 and \
             (j + 3k) mod 5 <= 0 and j mod 5 <= 3 and (2i - j) mod 8 <= 1 and k mod 5 <= 0 and (i + j) mod 4 <= 2 }}"
        ))
    };
    let s = text("[N, M] -> ", "N", "M");
    let last = s.lexmax(&Budget::steps(150_000)).unwrap();
    assert!(last.basics().len() <= 20, "{}", last.basics().len());
    for (n, m) in [(1, 1), (2, 30), (5, 9), (13, 6), (14, 17), (24, 25), (25, 3)] {
        let points = text("", &n.to_string(), &m.to_string()).points(100_000).unwrap();
        for (k, x) in points.iter().enumerate() {
            assert_eq!(last.contains(&[n, m], x), k + 1 == points.len(), "{n}, {m}: {x:?}");
        }
    }
}

#[test]
fn optima_of_tiled_schedules_are_one_piece() {
    let lu = set(
        "[N] -> { [i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, 1 + i10, i12, i10, i14] : i10 >= 32i0 and i10 >= -1 + 32i1 \
                  and i10 >= 32i3 and i10 >= 8i5 and i10 >= -1 + 8i6 and i10 >= 8i8 and 0 <= i10 <= 7 + 8i8 and i10 <= 6 + 8i6 and \
                  i10 <= 7 + 8i5 and i10 <= 31 + 32i3 and i10 <= 30 + 32i1 and i10 <= 31 + 32i0 and i12 >= 32i2 and i12 >= 8i7 and \
                  2i10 <= i12 <= 7 + 8i7 and i12 <= 31 + 32i2 and i12 < N + i10 and i14 >= 32i4 and i14 >= 8i9 and \
                  i10 <= i14 < 2i10 and i14 <= 7 + 8i9 and i14 <= 31 + 32i4 }",
    );
    let heat = set(
        "[T, N] -> { [t0, a0, b0, t1, a1, b1, t, a, b] : 32t0 <= t <= 31 + 32t0 and 8t1 <= t <= 7 + 8t1 and 0 <= t < T and \
                    32a0 <= a <= 31 + 32a0 and 8a1 <= a <= 7 + 8a1 and t < a <= -2 + N + t and 32b0 <= b <= 31 + 32b0 and \
                    8b1 <= b <= 7 + 8b1 and t < b <= -2 + N + t }",
    );
    for (tiled, most) in [(lu, 25_000), (heat, 25_000)] {
        let b = Budget::steps(most);
        let last = tiled.lexmax(&b).unwrap();
        assert_eq!(last.basics().len(), 1, "{last}");
        assert!(last.is_subset(&tiled, &Budget::unlimited()).unwrap());
    }
}

/// `count` random boxes of two dims.
fn boxes(seed: u64, count: usize) -> Set {
    let mut rng = Rng::new(seed);
    let mut all = Set::empty(Space::set(&[], "", 2));
    for _ in 0..count {
        let mut s = BasicSet::universe(Space::set(&[], "", 2));
        for d in 0..2 {
            let (low, length) = (rng.range(0, 400), rng.range(1, 9));
            let mut row = [0; 3];
            (row[d], row[2]) = (1, -low);
            s.add(Kind::Ge, &row);
            (row[d], row[2]) = (-1, low + length);
            s.add(Kind::Ge, &row);
        }
        all = all.union(&s.to_set());
    }
    all
}

#[test]
fn coalescing_boxes_takes_steps_square_in_their_number() {
    let steps = |count: usize| {
        let b = Budget::unlimited();
        let all = boxes(11, count);
        let fewer = all.coalesce(&b).unwrap();
        assert!(fewer.is_equal(&all, &Budget::unlimited()).unwrap());
        u64::MAX - b.left()
    };
    let (few, many) = (steps(40), steps(160));
    assert!(many < 20 * few && many < 100_000, "{few} steps for 40 boxes, {many} for 160");
}

/// Most pairs of pieces stay apart, most of them for a point between that no turned row cuts off.
#[test]
fn pieces_with_different_floors_are_told_apart_in_few_steps() {
    let a = "[N, M] -> { S[i, j] : 0 <= i <= M and -4 <= j <= M and 6 - 2j = M and 2N - 2M - j - 9 <= M; \
             S[i, j] : -6 <= i <= 8 and 0 <= j <= 2 and i + 7 = N and (-M - 8) mod 5 = 0; \
             S[i, j] : -3 <= i <= N and (2i - N) mod 5 = 3 and N + 2M = 5 and N + M + 2j - 1 = i; \
             S[i, j] : -3 <= i <= N and 3 <= j <= N and 2i - 4 >= M and 2N + 2M + i + j + 7 <= 0 and 2M + 2j + 12 >= 0 }";
    let b = "[N, M] -> { S[i, j] : -2 <= i <= 5 and 3 <= j <= 8 and 2 >= M; \
             S[i, j] : -4 <= i <= 7 and -2 <= j <= 7 and -2N + M - 2i + 11 != 0 }";
    let (a, b, whole) = (set(a), set(b), Budget::unlimited());
    let before = Set::lex_lt(a.space()).intersect_domain(&a).intersect_range(&b);
    let less = before.coalesce(&Budget::steps(120_000)).unwrap();
    assert!(less.basics().len() <= 7 && less.is_equal(&before, &whole).unwrap(), "{less}");
    let s = "[N, M] -> { S[i] : -4 <= i <= 1 and (floor((2N - i - 4)/5) - floor((2N - i + 1)/3) + 2) mod 6 = M; \
             S[i] : -1 <= i <= 1 and -2i - 4 <= N; S[i] : 2 <= i <= M and -2N + 2M - 4i + 8 = M; \
             S[i] : -6 <= i <= 4 and floor((5 - 3i)/4) = 2i - N + 6 }";
    let rest = set(s).complement(&whole).unwrap();
    let less = rest.coalesce(&Budget::steps(500_000)).unwrap();
    assert!(less.basics().len() <= 18 && less.is_equal(&rest, &whole).unwrap(), "{less}");
}

#[test]
fn a_high_power_takes_a_composition_per_binary_digit() {
    let step = map("[N] -> { [i] -> [i + 3] : 0 <= i < N }");
    let b = Budget::steps(4_000);
    let far = step.fixed_power(1000, &b).unwrap();
    let want = map("[N] -> { [i] -> [i + 3000] : 0 <= i < N - 2997 }");
    assert!(far.is_equal(&want, &Budget::unlimited()).unwrap(), "{far}");
}

#[test]
fn optima_under_a_dozen_moduli_take_few_steps() {
    let s = "[N, M] -> { [i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < N + M and k mod 8 <= 1 and k mod 3 <= 0 and \
             (j + 3k) mod 3 <= 2 and (j + 3k) mod 4 <= 1 and j mod 8 <= 0 and i mod 6 <= 2 and (i + j) mod 2 <= 0 and \
             (j + 3k) mod 6 <= 1 and (N + i) mod 4 <= 1 and (j + 3k) mod 5 <= 0 and i mod 8 <= 0 and (N + i) mod 5 <= 1 }";
    let s = Set::parse(s).unwrap();
    let least = s.lexmin(&Budget::steps(4_000_000)).unwrap();
    // The smallest i, j and k follow from each other: i says all.
    let first = |n: i64| {
        let fits = |i: &i64| i % 8 == 0 && i % 6 <= 2 && (n + i) % 4 <= 1 && (n + i) % 5 <= 1;
        (0..n).find(fits)
    };
    for n in 1..50 {
        for m in [1, 7, 30] {
            let found: Vec<i64> = (0..n).filter(|i| least.contains(&[n, m], &[*i, 0, 0])).collect();
            assert_eq!(found, first(n).into_iter().collect::<Vec<_>>(), "{n} {m}");
        }
    }
}

/// Thin directions of rows with large coefficients are found by multiples that leave the precision of floating point.
#[test]
fn optima_under_rows_of_large_coefficients_take_few_steps() {
    let s = "[N, M] -> { [i, j] : -9 <= i <= N and -1 <= j <= 20 and \
             9006887256981689N - 9008139429176394i + 9006752570919936j >= 2655027584479269; \
             [i, j] : -2 <= i <= N and -8 <= j <= M and \
             9006584800377831N - 9006742495013632i + 9007207043414112j >= 21035525476886231 and \
             -9007764528452962M + 9007258820716413i + 25257589214188069 >= 0; \
             [i, j] : -1 <= i <= M and -8 <= j <= M and \
             9006877959499964N + 9008185645446494M - 9007233812330073i - 9007013027024690j + 29376668819376441 >= 0 and \
             9007081189568481N + 9007762387627135M + 9006554884648664i + 9007056336019987j >= 23477341731024481 }";
    let s = set(s);
    let least = s.lexmin(&Budget::steps(60_000)).unwrap();
    for (n, m) in [(3, 2), (0, 0), (7, -1), (-4, 6), (12, 12)] {
        let at = |s: &Set| s.fix(Dim::Param, 0, n).fix(Dim::Param, 1, m).points(10_000).unwrap();
        assert_eq!(at(&least), at(&s).into_iter().take(1).collect::<Vec<_>>(), "{n} {m}");
    }
}

/// The basis is reduced by the rows themselves: in floating point, what a row says of a short vector is lost.
#[test]
fn a_strip_between_large_coefficients_has_no_point() {
    let s = "{ [a, b, c] : -1099511627776 <= b <= -1099511627766 and -1099511627776 <= c <= 1099511627776 and \
             3493758668722008421a - b + 9223372036854775807c + 6 = 0 }";
    assert_eq!(set(s).is_empty(&Budget::steps(10_000)), Ok(true));
}

#[test]
fn hulls_of_tiled_schedules_take_few_steps() {
    let tiled = |sizes: &[i64]| {
        let tiles: Vec<String> = (0..sizes.len()).map(|k| format!("t{k}")).collect();
        let rows = sizes.iter().zip(&tiles).map(|(s, t)| format!("{s}{t} <= i <= {s}{t} + {}", s - 1));
        let rows: Vec<String> = rows.collect();
        format!("[N] -> {{ [{}, i, i + 2] : 0 <= i < N and {} }}", tiles.join(", "), rows.join(" and "))
    };
    for (sizes, most) in [(&[32, 32, 8, 8][..], 1_500), (&[32, 32, 32, 32, 8, 8, 8, 8], 4_000)] {
        let s = Set::parse(&tiled(sizes)).unwrap();
        let hull = s.affine_hull(&Budget::steps(most)).unwrap().into_set();
        let half = sizes.len() / 2;
        let tiles: Vec<String> = (0..sizes.len()).map(|k| format!("t{}", k / half)).collect();
        let right = Set::parse(&format!("[N] -> {{ [{}, i, i + 2] }}", tiles.join(", "))).unwrap();
        assert!(hull.is_equal(&right, &Budget::unlimited()).unwrap(), "{hull}");
    }
}

/// Directions that lead on for ever tell it, where parametric programming with such numbers takes long.
#[test]
fn minima_that_large_numbers_do_not_bound_are_none() {
    let sets = [
        "[N] -> { S[i, j] : floor((140737488355331i - 268435459j + 2N + 274877906941)/4) >= \
         ((3N + 2j - 2147483647) mod 4) }",
        "[N] -> { S[i, j, k] : -140737488355331i + 268435459j - 2199023255553k >= N and k >= j }",
    ];
    for text in sets {
        let least = set(text).lexmin(&Budget::steps(2_000_000));
        assert!(matches!(least, Err(Error::Unbounded)), "{text}: {least:?}");
    }
}

/// A dim that no row uses has no optimum, whatever those before it are.
#[test]
fn optima_of_free_dims_are_none() {
    let s = "[n, b, t] -> { [x, free, y, z] : (exists e, f: 1048576e = -32b + y and 32f = z and n <= 2147483647 and \
             0 <= b <= 32767 and 32b <= n - 2 and 0 <= t <= 31 and x >= 8 + n and \
             -95 - n + 3t + x <= 3y <= -96 + 3t + x and -157 + x - 4y <= z <= -33 + x - 4y and z >= 0 and \
             3z <= -91 + 4n - x) }";
    let s = set(s);
    assert_eq!(s.lexmax(&Budget::steps(20_000)), Err(Error::Unbounded));
    let none = s.subtract(&s, &Budget::unlimited()).unwrap();
    assert!(none.lexmax(&Budget::unlimited()).unwrap().is_empty(&Budget::unlimited()).unwrap());
    let contradiction = set("{ [i, free] : 2i = 1 }");
    assert!(contradiction.lexmin(&Budget::unlimited()).unwrap().is_empty(&Budget::unlimited()).unwrap());
}

#[test]
fn deep_conditions_are_an_error_and_not_the_end() {
    for (open, close) in [("(", ")"), ("exists a: (", ")"), ("not ", ""), ("- 2 (", ")")] {
        let (inside, end) = if open.starts_with('-') { ("i", " >= 0") } else { ("i > 0", "") };
        let of = |n: usize| Set::parse(&format!("{{ [i] : {}{inside}{}{end} }}", open.repeat(n), close.repeat(n)));
        assert!(of(40).is_ok(), "{open}");
        let error = of(20_000).unwrap_err().to_string();
        assert!(error.contains("in one another"), "{open}: {error}");
    }
}
