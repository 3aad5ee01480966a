//! A budget bounds memory: what an operation keeps is paid for, at eight coefficients a step, and operations that split sets into very
//! many pieces stop when the budget is spent.

use presburger::{Budget, Error, Set};

const STEPS: u64 = 300_000;
/// Coefficients that one step pays for.
const PER_STEP: u64 = 8;

/// Neither existential is a floor, each bounded by several rows with coefficients near `size`: elimination leaves very many splinters.
fn splintering(size: i64) -> Set {
    let [a, b, c, d, e, f, g] = [3, -17, -21, 33, 37, -39, -41].map(|x| size + x);
    let text = format!(
        "[N, M] -> {{ S[i, j, k] : exists a, b: {a}a + {b}b <= 7i + N and {c}a - {d}b >= 3j - M \
         and {e}a + 5b >= k and {f}a - 3b <= i + j + k and {g}b - 11a <= 2N and {a}b + 7a >= i - M }}"
    );
    Set::parse(&text).expect("valid text")
}

#[test]
fn splinters_stop_at_the_budget() {
    let s = splintering(1_000_000);
    let b = || Budget::steps(STEPS);
    assert_eq!(s.compute_divs(&b()).map(|_| ()), Err(Error::Spent));
    assert_eq!(s.complement(&b()).map(|_| ()), Err(Error::Spent));
    assert_eq!(Set::universe(s.space().clone()).is_subset(&s, &b()), Err(Error::Spent));
}

#[test]
fn splinters_are_paid_for_by_their_size() {
    let mut most = 0;
    for (low, high) in [(2, 3), (3, 5), (5, 7), (7, 9), (11, 13)] {
        let text =
            format!("[N] -> {{ S[i, j] : exists e: {low}e <= i + 3j + N and i - j <= {high}e and 2e <= 5j - N + 1 }}");
        let s = Set::parse(&text).expect("valid text");
        let b = Budget::steps(STEPS);
        let split = s.compute_divs(&b).expect("within budget").into_owned();
        let rows = split.basics().iter().map(|basic| basic.rows_i64().expect("small numbers"));
        let kept: usize = rows.map(|rows| rows.iter().map(|(_, row)| row.len()).sum::<usize>()).sum();
        let paid = (STEPS - b.left()) * PER_STEP;
        println!("{text}: {} pieces, {kept} coefficients, {paid} paid for", split.basics().len());
        assert!(kept as u64 <= paid, "{text}: {kept} coefficients, {paid} paid for");
        most = most.max(split.basics().len());
    }
    assert!(most >= 10, "at most {most} pieces: nothing splinters");
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
