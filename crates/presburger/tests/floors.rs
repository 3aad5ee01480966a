//! Unions of pieces with floors, each said in one of several ways, against enumeration: what compares floors of two
//! pieces (coalescing, differences, inclusion, gist, disjoint pieces) and what counts.

mod common;
use common::*;
use presburger::{Budget, Dim, Map, Set};
use std::collections::BTreeSet;

const NAMES: [&str; 3] = ["i", "j", "k"];
/// Points have coordinates in `-SIDE..=SIDE`.
const SIDE: i64 = 7;

/// `row . [dims | 1]`.
type Form = Vec<i64>;

fn value(f: &Form, x: &[i64]) -> i64 {
    x.iter().zip(f).map(|(a, b)| a * b).sum::<i64>() + f[x.len()]
}

fn text(f: &Form) -> String {
    let terms = f[..f.len() - 1].iter().zip(NAMES).filter(|(a, _)| **a != 0).map(|(a, n)| format!("{a}*{n} + "));
    format!("{}{}", terms.collect::<String>(), f[f.len() - 1])
}

type Test = Box<dyn Fn(&[i64]) -> bool>;

/// A condition in isl's notation and whether a point meets it.
struct Condition {
    text: String,
    holds: Test,
}

fn form(rng: &mut Rng, n: usize, limit: i64) -> Form {
    (0..=n).map(|_| if rng.chance(65) { rng.range(-limit, limit) } else { 0 }).collect()
}

/// `floor(f / den)`, said in one of several ways.
fn floor_text(rng: &mut Rng, f: &Form, den: i64) -> String {
    let moved = |scale: i64, shift: i64| {
        let mut g: Form = f.iter().map(|a| scale * a).collect();
        *g.last_mut().unwrap() += shift;
        text(&g)
    };
    match rng.range(0, 4) {
        0 => format!("(0 - floor(({})/{den}))", moved(-1, den - 1)),
        1 => format!("(floor(({})/{den}) - 2)", moved(1, 2 * den)),
        2 => format!("floor(({})/{})", moved(3, rng.range(0, 2)), 3 * den),
        _ => format!("floor(({})/{den})", moved(1, 0)),
    }
}

/// A row over the dims and one or two of the floors, a congruence, or an existential within a window.
fn condition(rng: &mut Rng, n: usize, floors: &[(Form, i64)]) -> Condition {
    let pick = |rng: &mut Rng| floors[usize::try_from(rng.range(0, 2)).unwrap()].clone();
    let (f, d) = pick(rng);
    match rng.range(0, 5) {
        0 => {
            let r = rng.range(0, d - 1);
            Condition {
                text: format!("({}) mod {d} = {r}", text(&f)),
                holds: Box::new(move |x| value(&f, x).rem_euclid(d) == r),
            }
        }
        1 => {
            let low = rng.range(-4, 4);
            let high = low + rng.range(0, d - 1);
            Condition {
                text: format!("(exists e: {low} <= {} - {d}*e <= {high})", text(&f)),
                holds: Box::new(move |x| (value(&f, x) - low).rem_euclid(d) <= high - low),
            }
        }
        2 => {
            let r = form(rng, n, 3);
            Condition { text: format!("{} >= 0", text(&r)), holds: Box::new(move |x| value(&r, x) >= 0) }
        }
        _ => {
            let (g, q) = pick(rng);
            let (r, a, b) = (form(rng, n, 2), rng.range(-3, 3), rng.range(-2, 2));
            let sign = if rng.chance(12) { "=" } else { ">=" };
            Condition {
                text: format!(
                    "{} + {a}*{} + {b}*{} {sign} 0",
                    text(&r),
                    floor_text(rng, &f, d),
                    floor_text(rng, &g, q)
                ),
                holds: Box::new(move |x| {
                    let v = value(&r, x) + a * value(&f, x).div_euclid(d) + b * value(&g, x).div_euclid(q);
                    if sign == "=" { v == 0 } else { v >= 0 }
                }),
            }
        }
    }
}

/// A union in a box over `n` dims, and its points.
fn union(rng: &mut Rng, n: usize, floors: &[(Form, i64)]) -> (Set, BTreeSet<Vec<i64>>) {
    let bounds = NAMES[..n].iter().map(|v| format!("{} <= {v} <= {SIDE}", -SIDE)).collect::<Vec<_>>().join(" and ");
    let (mut pieces, mut points) = (Vec::new(), BTreeSet::new());
    for _ in 0..rng.range(1, 3) {
        let list: Vec<Condition> = (0..rng.range(1, 3)).map(|_| condition(rng, n, floors)).collect();
        let all = list.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join(" and ");
        pieces.push(format!("[{}] : {bounds} and {all}", NAMES[..n].join(", ")));
        points.extend(grid(n, -SIDE, SIDE).into_iter().filter(|x| list.iter().all(|c| (c.holds)(x))));
    }
    (set(&format!("{{ {} }}", pieces.join("; "))), points)
}

fn points(s: &Set) -> BTreeSet<Vec<i64>> {
    s.points(100_000).unwrap().into_iter().collect()
}

#[test]
fn unions_with_floors() {
    let mut limits = 0;
    let mut runs = 0;
    for_seeds(|seed, rng| {
        let n = usize::try_from(rng.range(1, 2)).unwrap();
        let floors: Vec<(Form, i64)> = (0..3).map(|_| (form(rng, n, 2), rng.range(2, 5))).collect();
        let (s, x) = union(rng, n, &floors);
        let (t, y) = union(rng, n, &floors);
        let note = format!("seed {seed}:\n{s}\n{t}");
        assert_eq!(points(&s), x, "read {note}");
        runs += 1;
        // Some differences of many floors have too many pieces.
        let done = (|| {
            let b = Budget::steps(400_000);
            let both = s.union(&t);
            let c = both.coalesce(&b)?;
            assert_eq!(points(&c), &x | &y, "coalesce {note}\n= {c}");
            let c = c.union(&t).coalesce(&b)?.into_owned();
            assert_eq!(points(&c), &x | &y, "coalesce twice {note}\n= {c}");
            let d = s.subtract(&t, &b)?;
            assert_eq!(points(&d), &x - &y, "subtract {note}\n= {d}");
            let d = d.coalesce(&b)?;
            assert_eq!(points(&d), &x - &y, "subtract and coalesce {note}\n= {d}");
            assert_eq!(s.is_subset(&t, &b)?, x.is_subset(&y), "subset {note}");
            assert!(t.is_subset(&c, &b)? && s.is_subset(&c, &b)?, "subset of union {note}");
            assert_eq!(s.is_equal(&t, &b)?, x == y, "equal {note}");
            assert_eq!(s.is_disjoint(&t, &b)?, x.is_disjoint(&y), "disjoint {note}");
            let g = s.gist(&t, &b)?;
            assert_eq!(points(&g.intersect(&t)), &x & &y, "gist {note}\n= {g}");
            let apart = both.make_disjoint(&b)?;
            assert_eq!(points(&apart), &x | &y, "make_disjoint {note}\n= {apart}");
            let total: usize = apart.basics().iter().map(|p| points(&p.to_set()).len()).sum();
            assert_eq!(total, (&x | &y).len(), "make_disjoint {note}\n= {apart}");
            Ok::<(), presburger::Error>(())
        })();
        limits += usize::from(done.is_err());
    });
    assert!(limits * 10 <= runs, "{limits} of {runs} stopped at the budget");
}

#[test]
fn cardinalities_with_floors() {
    let (mut runs, mut limits) = (0, 0);
    for_seeds(|seed, rng| {
        let n = usize::try_from(rng.range(2, 3)).unwrap();
        let floors: Vec<(Form, i64)> = (0..3).map(|_| (form(rng, n, 2), rng.range(2, 5))).collect();
        let (s, x) = union(rng, n, &floors);
        // The first dim becomes a parameter; the values add up.
        let p = s.move_dims((Dim::Param, 0), (Dim::Out, 0), 1);
        let mut want = std::collections::BTreeMap::new();
        x.iter().for_each(|x| *want.entry(x[0]).or_insert(0) += 1);
        let b = Budget::steps(60_000);
        runs += 1;
        let Ok(card) = p.card(&b) else {
            limits += 1;
            return;
        };
        let card = card.expect("finite");
        for v in -SIDE - 1..=SIDE + 1 {
            let count = want.get(&v).copied().unwrap_or(0);
            assert_eq!(card.eval(&[v], &[]), count.into(), "seed {seed}: {p} at {v}\n{card}");
        }
        let Ok(card) = s.card(&b) else {
            limits += 1;
            return;
        };
        assert_eq!(card.expect("finite").eval(&[], &[]), x.len().into(), "seed {seed}: {s}");
    });
    assert!(limits * 4 <= runs, "{limits} of {runs} stopped at the budget");
}

/// The largest element of `{ [i, j, k] }` in `[0, n) x [0, m) x [0, n + m)`, by trying all.
fn last_by_trial(n: i64, m: i64, holds: impl Fn(i64, i64, i64) -> bool) -> Option<[i64; 3]> {
    let all = (0..n).flat_map(|i| (0..m).flat_map(move |j| (0..n + m).map(move |k| [i, j, k])));
    all.filter(|p| holds(p[0], p[1], p[2])).max()
}

#[test]
fn columns_that_no_row_relates_have_their_optima_apart() {
    let s = set("[N, M] -> { [i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < N + M and (2i - j) mod 5 <= 3 and \
                 k mod 8 <= 5 and k mod 6 <= 2 and (i + j) mod 3 = 0 }");
    let last = s.lexmax(&Budget::steps(1_000_000)).unwrap();
    for (n, m) in [(1, 1), (1, 4), (2, 3), (3, 2), (4, 5), (6, 1), (7, 3), (5, 6), (3, 9)] {
        let right = last_by_trial(n, m, |i, j, k| {
            (2 * i - j).rem_euclid(5) <= 3 && k % 8 <= 5 && k % 6 <= 2 && (i + j) % 3 == 0
        });
        let at = last.fix(Dim::Param, 0, n).fix(Dim::Param, 1, m).points(10).unwrap();
        let found: Vec<&[i64]> = at.iter().map(|p| &p[2..]).collect();
        assert_eq!(found, right.iter().map(|p| &p[..]).collect::<Vec<_>>(), "N = {n}, M = {m}");
    }
}

#[test]
fn a_group_of_columns_without_an_optimum_counts_only_where_the_others_have_points() {
    // For N <= 0 there is no j, so i needs no least value; for N > 0 it has none.
    assert!(set("[N] -> { [i, j] : i <= 0 and 0 <= j < N and N <= 0 }").lexmin(&b()).unwrap().is_empty(&b()).unwrap());
    assert!(set("[N] -> { [i, j] : i <= 0 and 0 <= 3j < N and 2j >= 1 }").lexmin(&b()).is_err());
    let s = set("[N, M] -> { [i, j] : exists e : 2e >= N and 3e <= i + N and 2j >= N and 3j <= M }");
    let right = set("[N, M] -> { [i, j] : N <= 2j <= N + 1 and i = 3j - N and 3j <= M }");
    assert!(s.lexmin(&b()).unwrap().is_equal(&right, &b()).unwrap());
}

#[test]
fn an_optimum_at_lower_bounds_is_one_piece() {
    for (text, right) in [
        ("[N] -> { [i, j, k] : i >= 0 and j >= i + 2 and k >= 0 and i + j + k <= N }", "[N] -> { [0, 2, 0] : N >= 2 }"),
        (
            "[N] -> { [i, j] : 3i >= 7 and 2i >= 3 and j >= N - i and 2j + 2i <= N + 9 }",
            "[N] -> { [3, N - 3] : N <= 9 }",
        ),
        ("[N, M] -> { [i, j] : i = N + 1 and j >= i + M and i <= 5 }", "[N, M] -> { [N + 1, N + M + 1] : N <= 4 }"),
        ("{ [i, j] : 0 <= i <= 3 and 5 <= j <= 4 + i - i }", "{ [i, j] : 1 = 0 }"),
        ("[N] -> { [i] : exists e : e >= i and i >= N and e <= 2N }", "[N] -> { [N] : N >= 0 }"),
    ] {
        let least = set(text).lexmin(&b()).unwrap();
        assert!(least.is_equal(&set(right), &b()).unwrap(), "{text}: {least}");
        assert!(least.basics().len() <= 1, "{text}: {least}");
    }
    let boxes = set(
        "{ [i, j] : 3 <= i <= 5 and 1 <= j <= 9; [i, j] : 2 <= i <= 7 and 4 <= j <= 5; [i, j] : 2 <= i <= 3 and 3 <= j <= 8 }",
    );
    assert_eq!(boxes.lexmin(&b()).unwrap().points(9).unwrap(), [[2, 3]]);
    assert_eq!(boxes.lexmax(&b()).unwrap().points(9).unwrap(), [[7, 5]]);
}

/// Optima under many moduli take few steps: equalities are solved before parametric programming, and most questions
/// about the parameters are answered by one tableau.
#[test]
fn optima_under_eight_moduli() {
    for text in [
        "[N, M] -> { [i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < N + M and (j) mod 4 <= 0 \
         and (k) mod 8 <= 0 and (k) mod 6 <= 0 and (i) mod 5 <= 0 and (2i - j) mod 3 <= 2 \
         and (i) mod 2 <= 0 and (k) mod 5 <= 1 and (j + 3k) mod 8 <= 3 }",
        "[N, M] -> { [i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < N + M and (k) mod 5 <= 3 \
         and (k) mod 6 <= 3 and (j) mod 2 <= 0 and (j) mod 2 <= 1 and (j + 3k) mod 4 <= 0 \
         and (2i - j) mod 3 <= 0 and (j) mod 6 <= 0 and (2i - j) mod 3 <= 0 }",
        "[N, M] -> { [i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < N + M and (i) mod 6 <= 5 \
         and (j + 3k) mod 6 <= 5 and (2i - j) mod 5 <= 0 and (j) mod 2 <= 1 and (j + 3k) mod 3 <= 1 \
         and (i) mod 2 <= 0 and (i) mod 4 <= 1 and (k) mod 2 <= 1 }",
    ] {
        let s = set(text);
        let last = s.lexmax(&Budget::steps(150_000)).unwrap();
        for (n, m) in [(1, 1), (7, 5), (40, 31), (61, 25), (3, 120)] {
            let at = |s: &Set| s.fix(Dim::Param, 0, n).fix(Dim::Param, 1, m);
            let found = at(&last).points(9).unwrap();
            assert!(found.len() <= 1, "{text} at {n}, {m}: {found:?}");
            assert!(at(&last).is_equal(&at(&s).lexmax(&b()).unwrap(), &b()).unwrap(), "{text} at {n}, {m}");
        }
    }
}

/// Two windows: making the numbers of one small made those of the other large, again and again.
#[test]
fn windows_that_enlarge_each_other_come_to_an_end() {
    let few = Budget::steps(100_000);
    let m = Map::parse(
        "{ S[i, j] -> S[i, floor((18 - i)/2)] : -3j - 2i >= 17 and \
         floor((floor((i + j - 20)/5) + i - 12)/8) = j - i + 19 and i <= -18 and (-3j + 2i + 13) mod 6 >= 5 }",
    )
    .unwrap();
    let deltas = m.deltas(&few).unwrap();
    let near = Set::parse("{ S[i, j] : -60 <= i <= 0 and -90 <= j <= 90 }").unwrap();
    let pairs = m.intersect_domain(&near).wrap().points(10_000).unwrap();
    assert!(!pairs.is_empty());
    for p in pairs {
        assert!(deltas.contains(&[], &[p[2] - p[0], p[3] - p[1]]), "{p:?}");
    }

    let s = Set::parse(
        "[N] -> { S[i, j, k, l] : i >= 1 and -10 <= k <= 4 and 0 <= l <= 9 and 2k + 3l + 3i + 6 = N and \
         (-3l - 6 >= N or 2l - 15 = i) and 2l + 3j + N - 11 = k }",
    )
    .unwrap();
    let last = s.lexmax(&few).unwrap();
    for n in -30..60 {
        let at = |s: &Set| s.fix(Dim::Param, 0, n).points(1000).unwrap();
        assert_eq!(at(&last), at(&s).last().cloned().into_iter().collect::<Vec<_>>(), "N = {n}");
    }
}
