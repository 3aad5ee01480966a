//! Rational sets on random inputs, beside the points of a grid.

use presburger::{Budget, RationalSet, Set};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + i64::try_from((self.0 >> 33) % u64::try_from(high - low + 1).unwrap()).unwrap()
    }
}

/// `a i + b j + c >= 0`, one of four an equality.
type Rows = Vec<(bool, [i64; 3])>;

fn random_rows(r: &mut Random) -> Rows {
    let n = r.between(1, 4);
    (0..n).map(|_| (r.between(0, 3) == 0, [r.between(-3, 3), r.between(-3, 3), r.between(-4, 4)])).collect()
}

/// Within -2 to 2 in both dims, so that there are optima.
fn text(head: &str, rows: &Rows) -> String {
    let one = |(is_equality, [a, b, c]): &(bool, [i64; 3])| {
        format!(" and {a} * i + {b} * j + {c} {} 0", if *is_equality { "=" } else { ">=" })
    };
    format!("{{ rat: {head} : -2 <= i, j <= 2{} }}", rows.iter().map(one).collect::<String>())
}

/// Whether `(i, j) / GRID` is one of the points.
fn holds(rows: &Rows, i: i64, j: i64) -> bool {
    rows.iter().all(|(is_equality, [a, b, c])| {
        let value = a * i + b * j + c * GRID;
        if *is_equality { value == 0 } else { value >= 0 }
    })
}

const GRID: i64 = 6;
const CASES: u64 = 150;

fn points() -> impl Iterator<Item = (i64, i64)> {
    (-2 * GRID..=2 * GRID).flat_map(|i| (-2 * GRID..=2 * GRID).map(move |j| (i, j)))
}

fn read(text: &str) -> RationalSet {
    RationalSet::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn point(i: i64, j: i64) -> RationalSet {
    read(&format!("{{ rat: [i, j] : {GRID}i = {i} and {GRID}j = {j} }}"))
}

#[test]
fn inclusion_union_and_meet_are_those_of_points() {
    let b = Budget::unlimited();
    for seed in 0..CASES {
        let mut r = Random(seed);
        let rows = [random_rows(&mut r), random_rows(&mut r), random_rows(&mut r)];
        let sets: Vec<RationalSet> = rows.iter().map(|rows| read(&text("[i, j]", rows))).collect();
        let (either, both) = (sets[1].union(&sets[2]), sets[1].intersect(&sets[2], &b).unwrap());
        let is_inside = sets[0].is_subset(&either, &b).unwrap();
        for (i, j) in points() {
            let has = [0, 1, 2].map(|k| holds(&rows[k], i, j));
            assert!(!(is_inside && has[0]) || has[1] || has[2], "seed {seed}, ({i}, {j})/{GRID}");
            // A few of them: each costs linear programs.
            if (i + 3 * j) % 7 == 0 {
                let p = point(i, j);
                assert_eq!(p.is_subset(&sets[0], &b), Ok(has[0]), "seed {seed}, ({i}, {j})/{GRID}");
                assert_eq!(p.is_subset(&both, &b), Ok(has[1] && has[2]), "seed {seed}, ({i}, {j})/{GRID}");
            }
        }
        // What is not inside has a point outside: cutting the rest away changes it.
        let cut = |k: usize| sets[0].intersect(&sets[k], &b).unwrap();
        assert_eq!(cut(1).union(&cut(2)).is_equal(&sets[0], &b), Ok(is_inside), "seed {seed}");
        let again = read(&either.coalesce(&b).unwrap().to_string());
        assert_eq!(again.is_equal(&either, &b), Ok(true), "seed {seed}");
    }
}

#[test]
fn projections_and_optima_are_those_of_points() {
    let b = Budget::unlimited();
    for seed in 0..CASES {
        let rows = random_rows(&mut Random(seed));
        let (set, map) = (read(&text("[i, j]", &rows)), read(&text("[i] -> [j]", &rows)));
        let side = map.domain(&b).unwrap();
        for (i, _) in points().filter(|(i, j)| holds(&rows, *i, *j)) {
            let left = read(&format!("{{ rat: [i] : {GRID}i = {i} }}"));
            assert_eq!(left.is_subset(&side, &b), Ok(true), "seed {seed}, {i}/{GRID}");
        }
        // Each left element has a pair.
        let lifted = read(&side.to_string().replace("[i]", "[i] -> [j]"));
        assert_eq!(lifted.intersect(&map, &b).unwrap().domain(&b).unwrap().is_equal(&side, &b), Ok(true));
        assert_eq!(map.reverse().range(&b).unwrap().is_equal(&side, &b), Ok(true), "seed {seed}");
        for largest in [false, true] {
            let best = set.optimum(largest, &b).unwrap().expect("no parameters");
            assert_eq!(best.is_empty(), set.is_empty(), "seed {seed}");
            assert_eq!(best.is_subset(&set, &b), Ok(true), "seed {seed}");
            for (i, j) in points().filter(|(i, j)| holds(&rows, *i, *j)) {
                let pair = best.union(&point(i, j)).optimum(largest, &b).unwrap().expect("no parameters");
                assert_eq!(pair.is_equal(&best, &b), Ok(true), "seed {seed}, ({i}, {j})/{GRID}");
            }
        }
        assert_eq!(set.sample(&b).unwrap().is_subset(&set, &b), Ok(true), "seed {seed}");
        assert_eq!(set.sample(&b).unwrap().is_empty(), set.is_empty(), "seed {seed}");
    }
}

#[test]
fn what_is_convex_together_becomes_one() {
    let b = Budget::unlimited();
    for (pieces, text) in [
        (1, "{ rat: [0:2]; rat: [1:3] }"),
        (1, "{ rat: [i] : 0 <= 2i <= 1; rat: [i] : 1 <= 2i <= 2; rat: [i] : 1 <= i <= 2 }"),
        (2, "{ rat: [i] : 0 <= 2i <= 1; rat: [i] : 2 <= 3i <= 6 }"),
        (1, "{ rat: [i, j] : 0 <= i, j <= 1; rat: [i, j] : 1 <= i <= 3 and 0 <= j <= 1 }"),
        (2, "{ rat: [i, j] : 0 <= i, j <= 1; rat: [i, j] : 1 <= i <= 3 and 0 <= j <= 2 }"),
    ] {
        let whole = RationalSet::parse(text).unwrap();
        let joined = whole.coalesce(&b).unwrap();
        assert!(joined.is_equal(&whole, &b).unwrap(), "{text} became {joined}");
        assert_eq!(joined.to_string().matches("rat:").count(), pieces, "{text} became {joined}");
    }
}

/// A piece that is alone is its own hull: no multipliers are eliminated.
#[test]
fn the_hull_of_one_piece_takes_few_steps() {
    let text = "[N, M] -> { [i, j, k, l, p] : i >= 1 and i <= M + 2 and j >= 0 and k <= N and p >= 1 and p <= M + 1 and \
                i + j + k + p + M >= -6 and -i - j - k - N - M >= 0 and -i - 2j + 2p >= -4 and \
                -i + j + p - N - M >= -3 }";
    let s = Set::parse(text).unwrap();
    let b = Budget::steps(2_000);
    let hull = s.convex_hull_rational(&b).unwrap().into_set();
    assert!(hull.is_equal(&s, &Budget::steps(20_000)).unwrap(), "{hull}");
}
