//! Lexicographic minima whose parametric program alone takes many cuts, within few steps.

use presburger::{Budget, Map, Set};

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

#[test]
fn of_pieces_with_large_numbers_and_floors() {
    // What comes after a point of the second piece takes many steps to take away from the first one.
    let s = Set::parse(
        "[N, M, P] -> { S[i, j] : N <= i <= 16 and M - 3j - 2i >= 9007199254740994 and -2P + 3M + 1 >= 0; \
         S[i, j] : 5 <= i <= 1000000000012 and -P - 19 = M and 100P - 2147483647j - i - 13 >= 0 and \
         -P + N - 2M - 14 <= -100*floor((1023j + 2i + 2M - 1000001)/1024); \
         S[i, j] : -3 <= i <= P and N <= j <= 9 and (exists e2 : -9 <= e2 <= 5 and 256N + 10 != 0 and -2i - 1001 >= e2) \
         and -j + 2P + 2M - 1000 = 2*floor((999i + 999P + 2j + 1)/2) }",
    )
    .unwrap();
    let greatest = s.lexmax(&Budget::steps(20_000_000)).unwrap();
    for (n, m, p) in
        [(0_i64, 9007199254741100_i64, -9007199254741119_i64), (3, 9007199254741100, 5), (17, 12, -31), (2, 7, -26)]
    {
        let at = Set::parse(&format!("[N, M, P] -> {{ : N = {n} and M = {m} and P = {p} }}")).unwrap();
        let b = Budget::steps(3_000_000);
        let right = s.intersect_params(&at).lexmax(&b).unwrap();
        assert!(greatest.intersect_params(&at).is_equal(&right, &b).unwrap(), "N = {n}, M = {m}, P = {p}: {right}");
    }
}
