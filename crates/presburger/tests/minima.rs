//! Lexicographic minima whose parametric program alone takes many cuts, within few steps.

use presburger::{Budget, Dim, Map, Set};

#[test]
fn one_column_of_few_values() {
    // A case of the regression tests of the field's set library.
    let m = Map::parse(
        "{ [i, k, j] -> [a, b, c, d] : 8*floor((b)/8) = b and k <= 255 and a <= 255 and c <= 255 and d <= 255 - j and \
         255 - j <= 7d <= 7 - i and 240d <= 239 + a and 247d <= 247 + k - j and 247d <= 247 + k - b and \
         247d <= 247 + i and 248 - b <= 248d <= c and 254d >= i - a + b and 254d >= -a + b and 255d >= -i + a - b and \
         1792d >= -63736 + 257b }",
    )
    .unwrap();
    let least = m.lexmin(&Budget::steps(1_000_000)).unwrap();
    let right = Map::parse(
        "{ [i, k, j] -> [i + 248, 248, 0, 0] : j = 255 and 0 <= i <= 7 and 8 <= k <= 255; \
         [0, k, j] -> [1, 0, 248, 1] : k <= 255 and 248 <= j <= 254 and j <= k }",
    );
    assert!(least.is_equal(&right.unwrap(), &Budget::steps(1_000_000)).unwrap(), "{least}");
}

#[test]
fn nested_floors() {
    let s = Set::parse(
        "[M] -> { [x] : -20 <= x <= 20 and (x - 4) mod 5 <= 1 and \
         (3*floor((2*floor((4x - 4M + 4)/3) - 5x + 3)/8) + 2x + 1) mod 9 <= 1 }",
    )
    .unwrap();
    let least = s.lexmin(&Budget::steps(1_000_000)).unwrap();
    for m in -40..40 {
        let first = (-20..=20).find(|x| s.contains(&[m], &[*x]));
        let got: Vec<i64> = (-20..=20).filter(|x| least.contains(&[m], &[*x])).collect();
        assert_eq!(got, first.into_iter().collect::<Vec<_>>(), "M = {m}");
    }
}

/// Of all columns at once the program takes as many cuts as the modulus has residues.
#[test]
fn a_window_of_many_residues_over_two_columns() {
    let s = Set::parse("[M] -> { S[i, j] : 0 <= i <= M and -5 <= j <= 15 and (i + 4095M + 3j - 3) mod 1000 >= 153 }")
        .unwrap();
    let last = s.lexmax(&Budget::steps(100_000)).unwrap();
    let holds = |m: i64, i: i64, j: i64| (i + 4095 * m + 3 * j - 3).rem_euclid(1000) >= 153;
    for m in (-1..=1100).step_by(7).chain(990..=1010) {
        let mut points = (0..=m).rev().flat_map(|i| (-5..=15).rev().map(move |j| (i, j)));
        let right = points.find(|(i, j)| holds(m, *i, *j));
        let got: Vec<Vec<i64>> = last.fix(Dim::Param, 0, m).points(10).unwrap();
        assert_eq!(got, right.map(|(i, j)| vec![m, i, j]).into_iter().collect::<Vec<_>>(), "M = {m}");
    }
}

/// The second piece is a function; the program makes floors of floors of its outputs.
#[test]
fn a_function_is_its_own_minimum() {
    let m = Map::parse(
        "[N] -> { S[i, j] -> S[x, y] : -445625496 <= i <= N and -1854591963 <= j <= 1777744157 + N and \
         1687531321 <= x <= 2081108217 and -2009915208 <= y <= 44889391 and N <= 4 and \
         floor((-2N)/3) = -2y - 2i - 10 and floor((N - 5)/8) + 123169j - 7 >= 0; \
         S[i, j] -> S[-2i + N - 258, -floor((255 + j - ((2N - 4194305) mod 4096))/1000) - j - 2N - 6] : \
         0 <= i <= 1454577719 and -1919038230 <= j <= 1529671454 + N and \
         3j != 68719476737i + 17179869184N + 4294963198 and i = (2N + 511) mod 32 }",
    )
    .unwrap();
    let least = m.lexmin(&Budget::steps(600_000)).unwrap();
    assert!(least.is_subset(&m, &Budget::steps(1_000_000)).unwrap());
    let b = Budget::steps(1_000_000);
    assert!(m.domain(&b).unwrap().is_equal(&least.domain(&b).unwrap(), &b).unwrap());
}

/// The later column is best at its only bound, a floor of the parameter: with it the first one has simple bounds. The
/// program cuts for minutes.
#[test]
fn columns_beside_a_later_one_at_its_only_bound() {
    for (text, lexmax) in [
        (
            "[N] -> { S[i, j] : -N + 34359738365j + 4611686018427387903 >= 0 and N + 1099511627775i >= 0 and \
             -2j - 536870913i + N - 144115188075855872 >= 0 }",
            true,
        ),
        (
            "[N] -> { S[i, j] : ((N - 4i - 4503599627370495j + 2199023255550) mod 5) >= \
             floor((72057594037927936N + 562949953421311j - 17179869183i - 1)/12) and \
             7i - N + 2j - 17592186044413 >= 0 }",
            false,
        ),
    ] {
        let s = Set::parse(text).unwrap();
        let b = Budget::steps(1_000_000);
        let best = if lexmax { s.lexmax(&b) } else { s.lexmin(&b) }.unwrap();
        assert!(best.is_subset(&s, &b).unwrap(), "{text}");
        assert!(s.params(&b).unwrap().is_equal(&best.params(&b).unwrap(), &b).unwrap(), "{text}");
    }
}

/// Columns are bisected where the least values are far above what the rows allow for fractions, or where cuts would go
/// on.
#[test]
fn points_far_above_the_rational_minimum() {
    for (text, point) in [
        (
            "{ [i, j, k] : i >= -1000000 and 1000j + 1000007k + 2 >= 0 and i + 1000j - 1000007k >= 14 }",
            "{ [-1000000, 1001, -1] }",
        ),
        (
            "{ [i, j, k] : i >= -1099511627776 and 2147483648j + 9223372036854775807k + 2 >= 0 and \
             i + 2147483648j - 9223372036854775807k >= 14 }",
            "{ [-1099511627776, 513, 0] }",
        ),
        (
            "{ [i, j, k] : i <= 16384 and j <= 32768 and k <= 45154 and i + j + 10526k + 16465 >= 0 and \
             764i - 9547j + k + 17411 >= 0 and 12290i + j - 4831k - 4798 >= 0 }",
            "{ [0, -33, -1] }",
        ),
        // All values are multiples of 1000, the first at least 1000000 / 7.
        ("{ [i, j] : 1000j <= i <= 1000j + 1 and 7i >= 1000000 and i >= 2 }", "{ [143000, 143] }"),
        ("{ [i, j] : 1000j + 1 <= i <= 1000j + 1 and i >= 5 and 0 <= j <= 0 }", "{ [i, j] : false }"),
    ] {
        let b = Budget::steps(20_000);
        let least = Set::parse(text).unwrap().lexmin(&b).unwrap();
        assert!(least.is_equal(&Set::parse(point).unwrap(), &b).unwrap(), "{least} of {text}");
    }
}

/// An equality with coefficients near 2^62: the numbers on the way are larger than 64 bits.
#[test]
fn a_point_on_an_equality_with_large_coefficients() {
    let text = "{ [i, j, k] : j >= -1099511627776 and -1099511627776 <= k <= -1099511627766 and \
                4016903423495440511i - 9223372036854775807j + 3k + 2147483648 >= 0 and \
                4294967295i + 4133797094541015799j + 9223372036854775807k + 311332255343629692 = 0 }";
    let b = Budget::steps(50_000);
    let least = Set::parse(text).unwrap().lexmin(&b).unwrap();
    let point = Set::parse("{ [270183795843915208, 2452961318448, -1099511627772] }").unwrap();
    assert!(least.is_equal(&point, &b).unwrap(), "{least}");
}
