//! Coalescing: unions that are one conjunction become one, others keep their points.

use presburger::{Budget, Map, Set, UnionSet};
use std::borrow::Cow;

/// Whether the union is one conjunction, and its text.
const UNIONS: [(bool, &str); 50] = [
    // Next to each other, overlapping, one inside the other.
    (true, "{ [i] : 0 <= i <= 3 or 4 <= i <= 9 }"),
    (false, "{ [i] : 0 <= i <= 3 or 5 <= i <= 9 }"),
    (true, "[n] -> { [i] : 1 <= i <= n - 1 or 2 <= i <= n }"),
    (true, "[n] -> { [i] : i = n and n >= 3 or 0 <= i < n and n >= 3 }"),
    (true, "[n] -> { [i] : 0 <= i <= n - 2 and n >= 4 or 1 <= i <= n - 1 and n >= 4 }"),
    (true, "{ [i, j] : 0 <= i <= 9 and 0 <= j <= 9 or 2 <= i <= 5 and 3 <= j <= 4 }"),
    (false, "{ [i, j] : 0 <= i <= 9 and 0 <= j <= 9 or 2 <= i <= 5 and 3 <= j <= 14 }"),
    (true, "{ [i, j] : 0 <= j <= i <= 4 or 0 <= j <= i and 5 <= i <= 9 }"),
    (true, "{ [i, j] : 0 <= j <= i <= 4 or i = 5 and 0 <= j <= 5 }"),
    (true, "{ [i, j] : 0 <= j <= i <= 4 or i = 5 and 0 <= j <= 4 }"),
    (false, "{ [i, j] : 0 <= j <= i <= 4 or i = 5 and 0 <= j <= 7 }"),
    // Rows of neither piece.
    (true, "{ [i, j] : 0 <= i <= 7 and 0 <= j <= 7 or 1 <= i <= 8 and 1 <= j <= 8 }"),
    (false, "{ [i, j] : 0 <= i <= 7 and 0 <= j <= 7 or 2 <= i <= 9 and 2 <= j <= 9 }"),
    (true, "{ [i, j] : 0 <= i, j <= 6 or i = 3 and 5 <= j <= 7 }"),
    (true, "{ [i, j] : 0 <= i <= 2 and j >= 0 and i + 2j <= 4 or j = 0 and 3 <= i <= 4 }"),
    (false, "{ [i, j] : 0 <= i <= 2 and j >= 0 and i + 2j <= 4 or j = 0 and 3 <= i <= 6 }"),
    (true, "{ [i, j] : i >= 0 and 0 <= j <= 1 - i or i = 1 and j = 1 }"),
    (true, "[n] -> { [k] : 1 <= k and 8k <= n - 1 or k = 0 and n >= 2 }"),
    // Points.
    (true, "{ [0, 0]; [1, 0]; [0, 1]; [1, 1] }"),
    (true, "{ [2, 5]; [3, 6] }"),
    (false, "{ [2, 5]; [4, 7] }"),
    (true, "{ [0, 0, 0]; [i, i, 2i] : 1 <= i <= 5 }"),
    (false, "{ [0, 0, 4]; [i, i, 2i] : 1 <= i <= 5 }"),
    (true, "{ [i, j] : i = 3j and 0 <= j <= 2; [-3, -1] }"),
    // Strides.
    (true, "{ [i] : i mod 2 = 0; [i] : i mod 2 = 1 }"),
    (true, "{ [i] : i mod 6 = 1; [i] : i mod 6 = 4 }"),
    (true, "{ [i] : i mod 6 = 1; [i] : i mod 6 = 3 }"),
    (true, "{ [i] : 0 <= i <= 20 and i mod 3 = 0 or 0 <= i <= 20 and i mod 3 = 1 or 0 <= i <= 20 and i mod 3 = 2 }"),
    (true, "{ [i, j] : (i + 2j) mod 4 = 1 and j >= 0 or (i + 2j) mod 4 = 3 and j >= 0 }"),
    (true, "{ [i, j] : i mod 2 = 0 and j mod 3 = 0; [i, j] : j mod 3 = 0 }"),
    (true, "{ [i] : i mod 5 = 3 and i <= 9 or i mod 5 = 4 and i <= 9 }"),
    (true, "{ [i] : i mod 4 = 0 and 0 < i <= 12; [0] }"),
    // By its floor e: 3e + 1 <= i <= 4e + 1 and 3i - 3 <= 11e.
    (true, "{ [i] : i mod 4 = 0 and 0 < i <= 12; [1] }"),
    (true, "{ [i] : i mod 2 = 1 and 0 <= i <= 9 or 0 <= i <= 8 }"),
    // Floors.
    (true, "{ [i] : i - 4*floor(i/4) <= 1 or i - 4*floor(i/4) >= 2 }"),
    (true, "{ [i, j] : 0 <= i <= 9 and i mod 4 <= 1 and j < 0 or 0 <= i <= 9 and i mod 4 > 1 and j < 0 }"),
    (true, "[n] -> { [i] : 2*floor(i/2) <= n and i >= 2; [1] : n >= 0 }"),
    (true, "[n] -> { [i] : 2*floor(i/2) <= n and i >= 2; [0] : n >= 2 }"),
    (true, "{ [i] : i <= 0 and 3*floor(i/3) = i or i < 0 and 3*floor(i/3) < i }"),
    // Floors that are numbers, or the same, in one piece.
    (
        true,
        "{ [a, b, c] : (b = a - 1 and 0 < a <= 3 and 9*floor((-4a + 2c)/9) <= -3 - 4a + 2c) or \
         (a = 4 and b = 3 and 9*floor((-16 + 2c)/9) <= -19 + 2c) }",
    ),
    (
        true,
        "{ [a, b, c] : (b = a - 1 and 0 < a <= 3 and 9*floor((-4a + 2c)/9) <= -3 - 4a + 2c) or \
         (exists (e = floor((-16 + 2c)/9): a = 4 and b = 3 and 9e <= -19 + 2c)) }",
    ),
    (
        true,
        "{ [a, b] : a <= 1024 and b >= 0 and \
         ((-31 - a + b <= 32*floor((-1 - a)/32) <= -33 + b and \
         32*floor((-1 - a)/32) <= -16 + b + 16*floor((-1 - a)/16)) or (2 <= a <= 15 and b < a)) }",
    ),
    (true, "{ [a] : 0 < a <= 341 or (0 < a <= 700 and 360*floor(a/360) >= -340 + a) }"),
    (false, "{ [a] : 0 < a <= 341 or (0 < a <= 701 and 360*floor(a/360) >= -338 + a) }"),
    // One piece sticks out of the other, which is wide.
    (
        true,
        "{ [x, y, z] : y >= -2 and x - y + 1 >= 0 and -x - y + 1 >= 0 and -3 <= z <= 3; \
         [x, y, z] : -20 <= z - x <= 20 and -20 <= x + z <= 20 and -10 <= y <= 0 }",
    ),
    // Unbounded.
    (false, "{ [i, 0] : i >= 0; [i, 1] : i <= 20 }"),
    (false, "{ [i, j] : i, j >= 0; [i, j] : 10 <= i <= 20 and j >= -1 }"),
    (true, "{ [i, j] : i >= 0 or i < 0 and j >= 0 or j < 0 and i < 0 }"),
    (true, "{ [i, j] : i >= j; [i, j] : i < j }"),
    (true, "{ [i, j] : i >= 0 and j >= 0; [i, j] : i >= 3 and j >= -1; [i, -1] : 0 <= i <= 2 }"),
];

#[test]
fn unions_that_are_one_conjunction_become_one() {
    let b = Budget::unlimited();
    for (single, text) in UNIONS {
        let s = Set::parse(text).unwrap();
        let c = s.coalesce(&b).unwrap();
        assert!(c.is_equal(&s, &b).unwrap(), "{text} became {c}");
        assert!(!single || c.basics().len() == 1, "{text} became {c}");
    }
}

#[test]
fn unions_that_are_none_keep_their_pieces_apart() {
    let b = Budget::unlimited();
    for (_, text) in UNIONS.iter().filter(|u| !u.0) {
        let c = Set::parse(text).unwrap().coalesce(&b).unwrap().into_owned();
        assert!(c.basics().len() > 1, "{text} became {c}");
    }
}

/// Two existentials of the second operand are one floor: in its canonical form they share a column.
#[test]
fn floors_that_are_equal_in_canonical_form_share_a_column() {
    let b = Budget::unlimited();
    let points = |s: &Set| s.points(1000).unwrap();
    let s = Set::parse(
        "{ [i] : exists (e1 = floor((-i - 2)/3): (i - 1) mod 3 = 0 and 1 <= i <= 7 and i >= -3e1 - 3); \
         [i] : exists (e1 = floor((-i - 2)/3), e2 = floor((-i)/3): i mod 3 = 0 and 0 <= i <= 6 and i >= -3e1 - 3) }",
    );
    let s = s.unwrap();
    let c = s.coalesce(&b).unwrap();
    assert_eq!(points(&c), [0, 1, 3, 4, 6, 7].map(|i| vec![i]), "{c}");
    // Differences compare floors so where there are six or more: ceilings, said in two ways.
    let near = |k: i64, i: i64| k * ((i + k - 1).div_euclid(k) - 2 * (-i).div_euclid(k)) <= 3 * i + k;
    let text = |k: i64| format!("{k}*floor((i + {})/{k}) - {}*floor((-i)/{k}) <= 3i + {k}", k - 1, 2 * k);
    let text = format!("{{ [i] : 0 <= i <= 40 and {} and {} and {} }}", text(3), text(4), text(5));
    let rest = Set::parse("{ [i] : 0 <= i <= 40 and i mod 7 <= 5 }").unwrap();
    let rest = rest.subtract(&Set::parse(&text).unwrap(), &b).unwrap();
    let want = |i: &i64| i % 7 <= 5 && !(3..=5).all(|k| near(k, *i));
    assert_eq!(points(&rest), (0..=40).filter(want).map(|i| vec![i]).collect::<Vec<_>>(), "{rest}");
}

/// A bound of a parameter that is far away makes no steep row.
#[test]
fn coefficients_stay_small() {
    let b = Budget::unlimited();
    let later = Map::parse(
        "[n] -> { S[i, j] -> S[p, q] : -2147483648 <= n <= 2147483647 and 0 <= j < i < n and i < p < n and 0 <= q < p; \
         S[i, j] -> S[i, q] : -2147483648 <= n <= 2147483647 and i < n and 0 <= j < q < i }",
    );
    let later = later.unwrap();
    let plain = later.apply_range(&later, &b).unwrap().apply_range(&later, &b).unwrap();
    let power = later.fixed_power(3, &b).unwrap();
    assert!(power.is_equal(&plain, &b).unwrap(), "{power}");
    let text = power.to_string();
    let steep = |t: &str| t.contains(|c: char| c.is_ascii_alphabetic()) && t.starts_with("21474836");
    assert!(!text.split([' ', '(', '-']).any(steep), "{text}");
}

/// Steps that coalescing takes.
fn steps(text: &str) -> u64 {
    let b = Budget::unlimited();
    Set::parse(text).unwrap().coalesce(&b).unwrap();
    u64::MAX - b.left()
}

#[test]
fn many_boxes_cost_about_their_square() {
    let boxes = |n: u64| {
        let piece = |k: u64| {
            let (x, y) = (k * 7919 % 97, k * 104_729 % 89);
            format!("[i, j] : {x} <= i <= {} and {y} <= j <= {}", x + 5 + k % 11, y + 3 + k % 13)
        };
        format!("{{ {} }}", (1..=n).map(piece).collect::<Vec<_>>().join("; "))
    };
    let (few, many) = (steps(&boxes(25)), steps(&boxes(100)));
    assert!(many < 40 * few, "{few} steps for 25 boxes, {many} for 100");
}

#[test]
fn one_piece_is_borrowed() {
    let b = Budget::unlimited();
    let one = Set::parse("[N] -> { [i] : 0 <= i <= N }").unwrap();
    assert!(matches!(one.coalesce(&b), Ok(Cow::Borrowed(_))));
    let two = Set::parse("[N] -> { [i] : N >= 0 and (0 <= i <= N or i = N + 1) }").unwrap();
    assert!(matches!(two.coalesce(&b), Ok(Cow::Owned(s)) if s.basics().len() == 1));
}

/// Pieces that miss a point between their corners only, which are known from an earlier pair: they stay apart, and do
/// not keep others from joining.
#[test]
fn known_corners_do_not_part_what_is_one() {
    let b = Budget::unlimited();
    let boxes = "0 <= i <= 9 and 0 <= j <= 9; [i, j] : 5 <= i <= 14 and 5 <= j <= 14; [i, j] : 10 <= i <= 14 and 0 <= j <= 4; \
                 [i, j] : 0 <= i <= 4 and 10 <= j <= 14";
    let all = Set::parse(&format!("{{ [i, j] : {boxes} }}")).unwrap();
    let joined = all.coalesce(&b).unwrap();
    assert!(joined.is_equal(&all, &b).unwrap());
    assert_eq!(joined.basics().len(), 4, "{joined}");
    let whole = all.union(&Set::parse("{ [i, j] : 0 <= i <= 14 and 0 <= j <= 14 }").unwrap());
    assert_eq!(whole.coalesce(&b).unwrap().basics().len(), 1);
}

/// Pairs of points of two unions in lexicographic order: many pieces with floors of their own, each pair of which is
/// compared.
#[test]
fn orders_of_unions_take_few_steps_and_keep_floors() {
    let (a, b) = (
        "[N] -> { S[i, j] : -2 <= i <= 4 and -24 <= j <= 10 and i - 2j - N + 4 >= 0 and (N + 2j >= 3 or N - j + i >= -7 or \
         i - 2j >= 6); S[i, j] : -24 <= i <= 7 and 2 <= j <= 12 and N >= -4; \
         S[i, j] : -17 <= i <= 19 + N and N <= j <= 24 and N <= -2 and 3i + j <= -5 and j - i + 4 <= N <= 2N - i + 8 and \
         j >= -8 }",
        "[N] -> { S[i, j] : 22 <= i <= 26 + N and -5 <= N <= 1 and 3j >= 2 and floor((2N - 3j - 5)/3) + j + 6 = i; \
         S[i, j] : -16 <= i <= 30 and -23 <= j <= 27 and N >= 5 and (N mod 8 = 3 or (N + j) mod 3 = 1) }",
    );
    let (a, b) = (UnionSet::from(Set::parse(a).unwrap()), UnionSet::from(Set::parse(b).unwrap()));
    let pairs = a.lex_lt(&b);
    let budget = Budget::steps(1_000_000);
    let fewer = pairs.coalesce(&budget).unwrap();
    let steps = budget.size() - budget.left();
    assert!(steps < 150_000, "{steps} steps");
    for m in fewer.maps() {
        assert!(m.basics().len() <= 3, "{m}");
        assert!(m.basics().iter().all(|p| !p.div_defs().contains(&None)), "{m}");
    }
    assert!(fewer.is_equal(&pairs, &Budget::unlimited()).unwrap(), "{fewer}");
}
