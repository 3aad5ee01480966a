//! What the tests share: reading, a budget for small inputs, and random sets and maps in small boxes with a membership
//! test that uses nothing but the rows.
// Each test file uses a part of this.
#![allow(dead_code)]

use presburger::{BasicMap, BasicSet, Budget, Kind, Map, Set, Space};

/// Enough steps for any input of these tests.
pub fn b() -> Budget {
    Budget::steps(5_000_000)
}

/// Reads a set.
pub fn set(t: &str) -> Set {
    Set::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"))
}

/// Reads a map.
pub fn map(t: &str) -> Map {
    Map::parse(t).unwrap_or_else(|e| panic!("{t}: {e}"))
}

/// A small deterministic generator (xorshift64*).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// Uniform in `lo..=hi`.
    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + i64::try_from(self.next() % u64::try_from(hi - lo + 1).unwrap()).unwrap()
    }
    pub fn chance(&mut self, percent: i64) -> bool {
        self.range(1, 100) <= percent
    }
}

pub type Rows = Vec<(Kind, Vec<i64>)>;

/// One conjunction over `n` visible columns and `e` existentials, all boxed.
#[derive(Clone, Debug)]
pub struct Piece {
    pub e: usize,
    pub rows: Rows,
}

pub const BOX: i64 = 4;

/// All integer vectors of `n` entries in `lo..=hi`, in lexicographic order.
pub fn grid(n: usize, lo: i64, hi: i64) -> Vec<Vec<i64>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        out = out
            .iter()
            .flat_map(|p: &Vec<i64>| (lo..=hi).map(|v| p.iter().copied().chain([v]).collect()).collect::<Vec<_>>())
            .collect();
    }
    out
}

fn holds(rows: &Rows, x: &[i64]) -> bool {
    rows.iter().all(|(k, r)| {
        let v: i64 = r[..x.len()].iter().zip(x).map(|(a, b)| a * b).sum::<i64>() + r[x.len()];
        if *k == Kind::Eq { v == 0 } else { v >= 0 }
    })
}

impl Piece {
    /// Membership by trying all existential values in their box.
    pub fn contains(&self, x: &[i64]) -> bool {
        grid(self.e, -BOX, BOX).iter().any(|e| holds(&self.rows, &[x, e].concat()))
    }
}

pub fn random_piece(rng: &mut Rng, n: usize, max_exists: i64) -> Piece {
    let e = usize::try_from(rng.range(0, max_exists)).unwrap();
    let cols = n + e;
    let mut rows = Rows::new();
    for c in 0..cols {
        let mut lo = vec![0; cols + 1];
        lo[c] = 1;
        lo[cols] = BOX;
        let mut hi = vec![0; cols + 1];
        hi[c] = -1;
        hi[cols] = BOX;
        rows.push((Kind::Ge, lo));
        rows.push((Kind::Ge, hi));
    }
    let wild = rng.chance(40);
    for _ in 0..rng.range(0, 4) {
        let limit = if wild { 7 } else { 2 };
        let mut r: Vec<i64> = (0..cols).map(|_| if rng.chance(55) { rng.range(-limit, limit) } else { 0 }).collect();
        r.push(rng.range(-6, 6));
        rows.push((if rng.chance(25) { Kind::Eq } else { Kind::Ge }, r));
    }
    Piece { e, rows }
}

pub fn to_basic_set(p: &Piece, space: &Space) -> BasicSet {
    let mut b = BasicSet::universe(space.clone());
    for _ in 0..p.e {
        b.add_exists();
    }
    for (k, r) in &p.rows {
        b.add_full(*k, r);
    }
    b
}

pub fn to_set(pieces: &[Piece], space: &Space) -> Set {
    pieces.iter().fold(Set::empty(space.clone()), |s, p| s.union(&to_basic_set(p, space).to_set()))
}

pub fn to_map(pieces: &[Piece], space: &Space) -> Map {
    pieces.iter().fold(Map::empty(space.clone()), |s, p| {
        let mut b = BasicMap::universe(space.clone());
        for _ in 0..p.e {
            b.add_exists();
        }
        for (k, r) in &p.rows {
            b.add_full(*k, r);
        }
        s.union(&b.to_map())
    })
}

/// A random union of pieces over `n` visible columns.
pub fn random_union(rng: &mut Rng, n: usize, max_exists: i64) -> Vec<Piece> {
    (0..rng.range(1, 3)).map(|_| random_piece(rng, n, max_exists)).collect()
}

/// Points of a union by brute force.
pub fn brute_points(pieces: &[Piece], n: usize) -> Vec<Vec<i64>> {
    grid(n, -BOX, BOX).into_iter().filter(|x| pieces.iter().any(|p| p.contains(x))).collect()
}

/// Runs `case` with seeds 1, 2, ... for about `PRESBURGER_TEST_MS` milliseconds (default 700), at least 40 of them.
pub fn for_seeds(mut case: impl FnMut(u64, &mut Rng)) {
    let ms = std::env::var("PRESBURGER_TEST_MS").ok().and_then(|v| v.parse().ok()).unwrap_or(700);
    let start = std::time::Instant::now();
    let mut seed = 1;
    while seed <= 40 || start.elapsed().as_millis() < ms {
        if std::env::var_os("PRESBURGER_TRACE").is_some() {
            eprintln!("seed {seed} at {:?}", start.elapsed());
        }
        case(seed, &mut Rng::new(seed));
        seed += 1;
    }
}
