//! Terms and tuples in isl's notation, each beside the same in words that have one reading.

use presburger::{Budget, RationalSet, UnionMap};

fn same(text: &str, plain: &str) {
    let read = |t: &str| UnionMap::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"));
    assert_eq!(read(text).is_equal(&read(plain), &Budget::unlimited()), Ok(true), "{text} is not {plain}");
}

/// The value of a term of a and b.
fn term(text: &str, plain: &str) {
    same(&format!("{{ [a, b] -> [{text}] }}"), &format!("{{ [a, b] -> [{plain}] }}"));
}

#[test]
fn a_number_in_front_multiplies_the_rest_of_the_product() {
    term("2a mod 4", "2 * (a mod 4)");
    term("2a//3 mod 4", "(2 * (a//3)) mod 4");
    term("2a mod 4 // 3", "(2 * (a mod 4))//3");
    term("3a//2//2", "(3 * (a//2))//2");
    term("2a*3 mod 4", "(6a) mod 4");
    term("2*3a//2 mod 4", "2 * ((3 * (a//2)) mod 4)");
    term("-2a//3 mod 4", "(-2 * (a//3)) mod 4");
    term("2 * a % 4", "2 * (a mod 4)");
    term("5a//4", "5 * floor(a/4)");
    term("9 * 3//4", "0");
    term("2 * 3 * a//4", "6 * floor(a/4)");
    term("2*-a % 3", "-2 * (a mod 3)");
    // Without a number in front: from left to right.
    term("a * 2//4", "floor((a + a)/4)");
    term("a*-1//4", "floor((0 - a)/4)");
    term("(2a) mod 4", "(a + a) mod 4");
}

#[test]
fn a_minus_belongs_to_a_number_that_follows_no_term() {
    term("-7 mod 4", "1");
    term("-7//4", "-2");
    term("- 1//4", "-1");
    term("1 + -5 % 3", "2");
    term("3 - 1//4", "3");
    term("3 - 7 % 4", "0");
    term("3 - -7//4", "5");
    term("-(7)//4", "-1");
    term("-a//4", "0 - floor(a/4)");
    term("3 + -a//4", "3 - floor(a/4)");
    term("1 - -a % 3", "1 + (a mod 3)");
    term("-2a//4", "-2 * floor(a/4)");
    term("- - a", "a");
}

#[test]
fn powers_of_numbers() {
    term("-2^2", "4 - 8");
    term("3 - 2^2 * a", "3 - 4a");
    term("a mod 2^3", "a mod 8");
    same("{ [-2^2:2^2-1] -> [0] }", "{ [i] -> [0] : -4 <= i <= 3 }");
}

#[test]
fn ranges_may_be_open() {
    same("{ [x=4:] -> [x + 1] }", "{ [x] -> [x + 1] : x >= 4 }");
    same("{ [x=:5] -> [x + 1] }", "{ [x] -> [x + 1] : x <= 5 }");
    same("{ [x=:] -> [:] }", "{ [x] -> [y] }");
    same("[N] -> { [:N, 3:] -> [floor(N/2):N] }", "[N] -> { [i, j] -> [k] : i <= N and j >= 3 and N - 1 <= 2k <= 2N }");
}

#[test]
fn entries_have_values_in_parts() {
    same("{ [a] -> [a - 1 : a > 0] }", "{ [a] -> [a - 1] : a > 0 }");
    let plain = "{ [a] -> [2a] : a >= 0; [a] -> [0] : a < 0 }";
    same("{ [a] -> [(a) * 2 : a >= 0; 0 : a < 0] }", plain);
    same("{ [a] -> [(a * 2 : a >= 0); 0 : a < 0] }", plain);
    same("{ [a] -> [(a * 2 : a >= 0; 0 : a < 0)] }", plain);
    same(
        "{ [a] -> [floor(a/2) : a > 0 or a < -5; 7 : a = 0] }",
        "{ [a] -> [floor(a/2)] : a > 0 or a < -5; [0] -> [7] }",
    );
}

#[test]
fn keywords_are_read_in_any_case() {
    same("{ [i] -> [1] : TRUE AND NOT False and i > 0 }", "{ [i] -> [1] : i > 0 }");
    same("{ [i] -> [1] : EXISTS a : i = 2a }", "{ [i] -> [1] : exists a : i = 2a }");
    same("{ [i] -> [1] : i > 3 Or i < 0 }", "{ [i] -> [1] : i > 3 or i < 0 }");
    same("{ [i] -> [1] : i MOD 2 = 0 and i <= MIN(3, 4) }", "{ [i] -> [1] : i mod 2 = 0 and i <= 3 }");
    same("{ [i] -> [Floor(i/2)] : i = 4 IMPLIES i = 3 }", "{ [i] -> [floor(i/2)] : i != 4 }");
    same(r"{ [i] -> [1] : i > 3 /\ i < 9 \/ i = 12 }", "{ [i] -> [1] : 3 < i < 9 or i = 12 }");
    same("{ [i] -> [nan] }", "{ [i] -> [NaN] }");
    // What has such a name in other letters than small ones is that.
    same("[MAX, Or] -> { [Mod] -> [1] : Mod <= MAX + Or }", "[MAX, Or] -> { [i] -> [1] : i <= MAX + Or }");
    assert!(RationalSet::parse("{ RAT: [i] : 2i = 1 }").is_ok());
}

#[test]
fn parameters_have_ranges() {
    same("[M = 4:7] -> { [i] -> [1] : 0 <= i < M }", "[M] -> { [i] -> [1] : 4 <= M <= 7 and 0 <= i < M }");
    same("[N=:5] -> { [N] -> [1] }", "[N] -> { [i] -> [1] : i = N and N <= 5 }");
    same("[N=0:, M=N:2N] -> { [1, 3N:M] -> [1] }", "[N, M] -> { [1, i] -> [1] : N <= M <= 2N and 3N <= i <= M }");
    same("{Sym=[n] [i] -> [1] : i <= n }", "[n] -> { [i] -> [1] : i <= n }");
}

#[test]
fn names_that_are_none_are_errors() {
    let error = |t: &str| UnionMap::parse(t).expect_err(t).to_string();
    assert_eq!(error("[n,n] -> { [i] -> [n] }"), "1:4: there is a parameter `n` already");
    assert_eq!(error("{ A[infty] -> [0] }"), "1:5: `infty` is no integer");
    assert_eq!(error("{ A[Infinity] -> [0] }"), "1:5: `Infinity` is no integer");
}

#[test]
fn what_is_no_number_and_no_end_is_an_error() {
    for (text, column) in [
        ("{ [2^a] -> [0] }", 6),
        ("{ [a] -> [a mod -2] }", 17),
        ("{ [a] -> [2^5000] }", 13),
        ("{ [1 : zz] -> [0] }", 8),
    ] {
        let e = UnionMap::parse(text).expect_err(text);
        assert_eq!((e.line, e.column), (1, column), "{text}: {e}");
    }
}
