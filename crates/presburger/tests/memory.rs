//! A budget bounds memory: operations that split sets into very many pieces stop before they have filled it.

use presburger::{Budget, Error, Set};

#[test]
fn splinters_stop_at_the_budget() {
    // Neither existential is a floor, each bounded by several rows with large coefficients: elimination leaves very
    // many splinters.
    let text = "[N, M] -> { S[i, j, k] : exists a, b: 1000003a + 999983b <= 7i + N and 999979a - 1000033b >= 3j - M \
                and 1000037a + 5b >= k and 999961a - 3b <= i + j + k and 999959b - 11a <= 2N and 1000039b + 7a >= i - M }";
    let s = Set::parse(text).expect("valid text");
    // What is kept is paid for, so that the steps bound the memory: gigabytes went into a few steps once.
    let b = || Budget::steps(300_000);
    assert_eq!(s.compute_divs(&b()).map(|_| ()), Err(Error::Spent));
    assert_eq!(s.complement(&b()).map(|_| ()), Err(Error::Spent));
    assert_eq!(Set::universe(s.space().clone()).is_subset(&s, &b()), Err(Error::Spent));
}

#[test]
fn membership_stops_at_the_budget() {
    let s =
        Set::parse("[N] -> { S[i] : exists a, b, c: 17a + 23b + 31c = i + N and 5a - 7b >= 2c and 3b + 11c >= 4a }")
            .expect("valid text");
    assert_eq!(s.contains_within(&[3], &[5], &Budget::steps(0)), Err(Error::Spent));
    assert_eq!(s.contains_within(&[3], &[5], &Budget::unlimited()), Ok(s.contains(&[3], &[5])));
    assert_eq!(s.basics()[0].is_empty_rational(&Budget::steps(0)), Err(Error::Spent));
}
