//! Numbers of points: large coefficients, many residue classes, thin sets; against enumeration.

use presburger::{BigInt, Budget, Dim, PwQPoly, Set};

fn steps_of(text: &str) -> u64 {
    let b = Budget::unlimited();
    Set::parse(text).unwrap().card(&b).unwrap().unwrap();
    u64::MAX - b.left()
}

/// Compares the count with enumeration for parameters from `from` to `to`.
fn check(text: &str, from: i64, to: i64) {
    let b = Budget::unlimited();
    let s = Set::parse(text).unwrap();
    let card = s.card(&b).unwrap().expect("finite");
    let np = s.space().n_param();
    let mut at = vec![from; np];
    loop {
        let mut fixed = s.clone();
        for (k, v) in at.iter().enumerate() {
            fixed = fixed.fix(presburger::Dim::Param, k, *v);
        }
        let points = fixed.points(100_000).unwrap().len();
        assert_eq!(card.eval(&at, &[]), points.into(), "{text} at {at:?}: {card}");
        let Some(k) = (0..np).find(|k| at[*k] < to) else { return };
        at[..k].fill(from);
        at[k] += 1;
    }
}

#[test]
fn coins() {
    check("[N] -> { [i, j] : 0 <= i and 0 <= j and 10i + 11j <= N }", -3, 150);
    check("[N] -> { [i, j, k] : i, j, k >= 0 and 3i + 4j + 5k <= N }", -2, 40);
    check("[N] -> { [i, j] : i, j >= 0 and 30i + 31j = N }", 0, 200);
}

#[test]
fn small_sets_with_many_floors_are_counted_point_by_point() {
    let b = Budget::unlimited();
    let sets = [
        "(3*floor((3i + j)/3) + floor(i/6)) mod 5 = 1 and (3*floor((3i + j)/4) + i) mod 5 <= 0",
        "floor(i/5) - floor(i/3) >= 1 and (2*floor((2i + j)/4) + i + 2j) mod 6 <= 1",
        "(2*floor((i - j)/6) + 3i + j) mod 6 <= 1 and floor((i - j)/4) - 2*floor((i + 2j)/3) >= -1",
        "(2*floor(j/5) + 2i + j) mod 5 <= 0 and (floor((3i + j)/4) + 2i + j) mod 6 <= 2",
        "(floor((2i + j)/3) + 3*floor(j/4)) mod 4 = i and (3*floor(j/3) + 2*floor((i + 2j)/2)) mod 7 = j",
    ];
    let read = |text: &str, end: i64| {
        Set::parse(&format!("{{ [i, j] : 0 <= i < {end} and 0 <= j < {end} and {text} }}")).unwrap()
    };
    for first in sets {
        for second in sets.iter().filter(|s| **s != first) {
            let rest = read(first, 12).subtract(&read(second, 12), &b).unwrap();
            let steps = Budget::steps(200_000);
            let card = rest.card(&steps).unwrap().expect("finite");
            assert_eq!(card.eval(&[], &[]), rest.points(1000).unwrap().len().into(), "{rest}");
        }
        // A larger box takes longer, but no formula either.
        let large = read(first, 120);
        let card = large.card(&Budget::steps(1_000_000)).unwrap().expect("finite");
        assert_eq!(card.eval(&[], &[]), large.points(40_000).unwrap().len().into(), "{large}");
    }
}

#[test]
fn one_large_divisor_gives_one_floor() {
    let b = Budget::unlimited();
    let card = Set::parse("[N] -> { [i] : 0 <= 1000i <= N }").unwrap().card(&b).unwrap().unwrap();
    assert_eq!(card.to_string(), "[N] -> { floor((N)/1000) + 1 : N >= 0 }");
    assert_eq!(presburger::PwQPoly::parse(&card.to_string()).unwrap().to_string(), card.to_string());
    assert_eq!(card.eval(&[999_999], &[]), 1000.into());
}

#[test]
fn several_parameters_have_chambers() {
    check("[N, M] -> { [i, j] : 0 <= i <= N and 0 <= 17j <= M and 19j <= 3i + 5 }", -2, 24);
    check("[N, M] -> { [i, j] : 0 <= 20i <= N and 0 <= j <= M and 21j <= N + M }", -1, 45);
    check("[a, b] -> { [i, j] : 18i >= a and 18i <= b and 0 <= j <= 3 and j >= i }", -20, 40);
}

#[test]
fn vertices_with_more_rows_than_dims() {
    check("[N] -> { [x, y, z] : -z <= x <= z and -z <= y <= z and 0 <= 23z <= N }", 0, 70);
    check("[N] -> { [x, y, z] : 0 <= x, y and 19x <= z and 21y <= z and z <= N and x + y <= z }", -1, 60);
}

#[test]
fn equalities_leave_congruences_of_the_parameters() {
    check("[N, M] -> { [i, j] : 18i = N and 0 <= 25j <= M }", -5, 60);
    check("[N] -> { [i, j] : 6i + 35j = N and 0 <= i <= 50 and j >= 0 }", 0, 250);
}

#[test]
fn existentials_are_counted_once() {
    check("[N] -> { [i] : exists e, f : i = 20e + 21f and 0 <= e <= 2 and 0 <= f <= 2 and i <= N }", -1, 90);
    check("[N] -> { [i, j] : 0 <= i <= N and 19*floor(j/17) = i and j >= 0 }", 0, 60);
}

#[test]
fn large_numbers_take_few_steps() {
    let thin = "{ [x, y] : 1000000007x <= 1000000009y and x >= 0 and y <= 1000000 and y >= 0 \
                and 1000000008x >= 1000000009y - 5 }";
    assert!(steps_of(thin) < 200_000, "{}", steps_of(thin));
    let (small, large) = (
        steps_of("[N] -> { [i, j] : i, j >= 0 and 101i + 103j <= N }"),
        steps_of("[N] -> { [i, j] : i, j >= 0 and 1000003i + 1000033j <= N }"),
    );
    assert!(large < 4 * small + 10_000, "{small} and {large} steps");
    assert!(steps_of("[N] -> { [i, j, k, l] : i, j, k, l >= 0 and 2i + 3j + 5k + 7l <= N }") < 3_000_000);
}

/// Pieces of one polynomial whose domains have floors that are equal in other forms.
#[test]
fn domains_with_equal_floors_are_joined() {
    check("[N, M] -> { [j, k] : -1 <= j <= M and -3 <= k <= N and -3k <= j }", -4, 13);
    check(
        "[N] -> { [i, j, k] : -4 <= i <= 0 and 2 <= j <= 4 and 3 <= k <= 8 and \
         (exists e: -1 <= e <= 5 and 2 - 3i - 4e <= N and -4i - 4j - 2k - 3e - 7 <= e) and \
         (exists e: 0 <= e <= 0 and 1 - 4i != k) }",
        -25,
        20,
    );
}

/// Bounds of affine functions against all values, for each value of the parameter.
#[test]
fn bounds_are_the_largest_and_smallest_values() {
    let b = Budget::unlimited();
    for text in [
        "[N] -> { [i, j] -> 6 * i + 2 * j - N : 0 <= i and 0 <= j and 2i + j <= N }",
        "[N] -> { [i, j] -> 3 * i - 2 * j : 0 <= i <= N and i <= j and 2j <= N + 1 }",
        "[N] -> { [i, j] -> j - 5 * i : 0 <= i and 0 <= j and i + 5j <= N and i + j >= 1; [i, j] -> 4 : 2 <= i <= N and j = 0 }",
        "[N] -> { [i, j] -> i + j : N >= 3 and 0 <= i < N and i mod 2 = 1 and 0 <= 4j <= N - i }",
    ] {
        let f = [PwQPoly::parse(text).unwrap()];
        let most = PwQPoly::bound(&f, true, &b).unwrap().unwrap_or_else(|| panic!("{text}"));
        let least = PwQPoly::bound(&f, false, &b).unwrap().unwrap_or_else(|| panic!("{text}"));
        let [f] = f;
        for n in 0..20_i64 {
            let at = f.domains().flat_map(|d| d.fix(Dim::Param, 0, n).points(10_000).unwrap());
            let values: Vec<_> = at.map(|p| f.eval(&[n], &p[1..])).collect();
            let none = || f.eval(&[n], &[-99, -99]);
            let (up, low) = (values.iter().max().cloned(), values.iter().min().cloned());
            assert_eq!(most.eval(&[n], &[]), up.unwrap_or_else(none), "{text} at {n}: {most}");
            assert_eq!(least.eval(&[n], &[]), low.unwrap_or_else(none), "{text} at {n}: {least}");
        }
    }
    let square = PwQPoly::parse("[N] -> { [i] -> i^2 : 0 <= i <= N }").unwrap();
    assert!(PwQPoly::bound(&[square], true, &b).unwrap().is_none());
}

#[test]
fn sums_of_powers_are_those_of_all_values() {
    let b = Budget::unlimited();
    for k in (0..=9).chain([40, 100, 200]) {
        let f = PwQPoly::parse(&format!("[M, N] -> {{ [i] -> i^{k} : M <= i <= N }}")).unwrap();
        let sum = f.sum(&b).unwrap().expect("finite");
        for (from, to) in [(0_i64, 6_i64), (1, 1), (-3, 2), (-2, -1), (3, 2)] {
            let all: BigInt = (from..=to).map(|v| BigInt::from(v).pow(k)).sum();
            assert_eq!(sum.eval(&[from, to], &[]), all, "{k} from {from} to {to}");
        }
    }
}

/// A sum over few columns may have many products of the parameters.
#[test]
fn polynomials_are_paid_for() {
    let text = "[N, M, K, L] -> { [i, j] -> (i + 2j + N + M + K + L)^12 : 0 <= i <= N + M and 0 <= j <= K + L }";
    let f = PwQPoly::parse(text).unwrap();
    assert_eq!(f.sum(&Budget::steps(5_000)).map(|_| ()), Err(presburger::Error::Spent));
    let b = Budget::unlimited();
    f.sum(&b).unwrap().unwrap();
    let spent = u64::MAX - b.left();
    assert!(spent > 20_000, "{spent}");
}

#[test]
fn a_number_per_parameter_where_a_formula_takes_long() {
    let s = Set::parse(
        "[x, y] -> { [a, b] : 0 <= a,b,x,y <= 4 and (exists q: -2a + x - 2q + 2*floor((-3a + 5x + 3y + q - 1)/2) != 5 \
         and -10 <= q <= 10) and ((3a + 2b + floor((x + 5y + 8)/7) + 2) mod 6 >= 2 or 3a + 1 != 0) }",
    );
    let s = s.unwrap();
    let card = s.card(&Budget::steps(2_000_000)).unwrap().expect("finite");
    for (x, y) in (-1..=5).flat_map(|x| (-1..=5).map(move |y| (x, y))) {
        let points = s.fix(Dim::Param, 0, x).fix(Dim::Param, 1, y).points(1000).unwrap().len();
        assert_eq!(card.eval(&[x, y], &[]), points.into(), "{x} {y}: {card}");
    }
}

/// Sums over many residue classes are differences of numbers of points, of values of both signs and of powers too.
#[test]
fn sums_over_many_residue_classes() {
    let strip = "-3 <= i <= 3 and 1 <= j <= N and exists a: 2j - 5 <= 3a <= 3i + 2j - N + 4";
    let wedge = "-N <= i <= 2 and -4 <= j <= N and exists a: i + j + 6 <= 4a <= 3j + 2i";
    let classes = "-2 <= i <= N and -3 <= j <= 3 and 5i + 7j <= 3N and (i + j) mod 5 != 3";
    for (value, domain) in
        [("j", strip), ("i^2 - 2i * j + 3N - 7", strip), ("j", wedge), ("i * j + 1", wedge), ("j", classes)]
    {
        let set = Set::parse(&format!("[N] -> {{ [i, j] : {domain} }}")).unwrap();
        let all = format!("[N] -> {{ [i, j] -> {value} }}");
        let f = PwQPoly::parse(&all).unwrap().intersect_domain(&set);
        let sum = f.sum(&Budget::steps(2_000_000)).unwrap().expect("finite");
        for n in -2..16 {
            let points = set.fix(Dim::Param, 0, n).points(10_000).unwrap();
            let right: BigInt = points.iter().map(|at| f.eval(&[n], &at[1..])).sum();
            assert_eq!(sum.eval(&[n], &[]), right, "{value} over {domain} at {n}");
        }
    }
}
