//! Simplicial cones: signed decomposition into unimodular ones, and the constant term of their generating functions
//! at 1.
//! Sources: Barvinok, Mathematics of Operations Research 19(4), 1994; Lenstra, Lenstra, Lovasz, Mathematische Annalen
//! 261, 1982 (reduced bases); De Loera, Hemmecke, Tauzer, Yoshida, Journal of Symbolic Computation 38(4), 2004
//! (evaluation by Todd polynomials).

use crate::budget::Budget;
use crate::functions::bernoulli::bernoulli;
use crate::functions::qpoly::Poly;
use crate::num::Res;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// A unimodular cone of the dual, with its sign.
pub(super) struct Cone {
    negative: bool,
    rays: Vec<Vec<BigInt>>,
    /// Generators of the primal cone: `rays[i] . generators[j]` is 1 for `i = j` and 0 otherwise.
    generators: Vec<Vec<BigInt>>,
}

/// The inverse of a square matrix, if it has one.
pub(super) fn inverse(m: &[Vec<BigInt>]) -> Option<Vec<Vec<BigRational>>> {
    let d = m.len();
    let mut a: Vec<Vec<BigRational>> = Vec::with_capacity(d);
    for (i, r) in m.iter().enumerate() {
        let unit = (0..d).map(|j| if i == j { BigRational::one() } else { BigRational::zero() });
        a.push(r.iter().map(|x| BigRational::from_integer(x.clone())).chain(unit).collect());
    }
    for c in 0..d {
        let p = (c..d).find(|r| !a[*r][c].is_zero())?;
        a.swap(c, p);
        let by = a[c][c].recip();
        a[c].iter_mut().for_each(|x| *x *= &by);
        let from = a[c].clone();
        for (r, row) in a.iter_mut().enumerate() {
            if r != c && !row[c].is_zero() {
                let k = row[c].clone();
                row.iter_mut().zip(&from).for_each(|(x, y)| *x -= &k * y);
            }
        }
    }
    Some(a.into_iter().map(|r| r[d..].to_vec()).collect())
}

/// The row times the least number that makes it integer.
pub(super) fn cleared(row: &[BigRational]) -> Vec<BigInt> {
    let all = row.iter().fold(BigInt::one(), |l, x| l.lcm(x.denom()));
    row.iter().map(|x| (x * &all).to_integer()).collect()
}

/// The row divided by what its entries have in common.
pub(super) fn primitive(mut row: Vec<BigInt>) -> Vec<BigInt> {
    let g = row.iter().fold(BigInt::zero(), |g, x| g.gcd(x));
    if !g.is_zero() && !g.is_one() {
        row.iter_mut().for_each(|x| *x /= &g);
    }
    row
}

/// Numbers from 1 to 2^20 that differ from seed to seed.
pub(super) fn pseudo_random(seed: u64, count: usize) -> Vec<BigInt> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x2545_F491_4F6C_DD1D);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        BigInt::from((state >> 44) + 1)
    };
    (0..count).map(|_| next()).collect()
}

/// The cone as a signed sum of unimodular ones, up to cones of lower dimension.
pub(super) fn unimodular(rays: &[Vec<BigInt>], bud: &Budget) -> Res<Vec<Cone>> {
    let d = rays.len();
    let mut out = Vec::new();
    let mut todo = vec![(false, rays.to_vec())];
    while let Some((negative, rays)) = todo.pop() {
        bud.step(d * d * d)?;
        let inverse = inverse(&rays).expect("the rays of a simplicial cone are independent");
        if inverse.iter().flatten().all(BigRational::is_integer) {
            let generators = (0..d).map(|j| inverse.iter().map(|r| r[j].to_integer()).collect()).collect();
            out.push(Cone { negative, rays, generators });
            continue;
        }
        let mut short = shortest(inverse, bud)?;
        if !short.iter().any(Signed::is_positive) {
            short.iter_mut().for_each(|x| *x = -&*x);
        }
        let sum = |c: usize| short.iter().zip(&rays).fold(BigRational::zero(), |s, (a, r)| s + a * &r[c]).to_integer();
        let ray: Vec<BigInt> = primitive((0..d).map(sum).collect());
        for (i, a) in short.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            let mut part = rays.clone();
            part[i].clone_from(&ray);
            todo.push((negative != a.is_negative(), part));
        }
    }
    Ok(out)
}

fn largest(v: &[BigRational]) -> BigRational {
    v.iter().map(Signed::abs).max().unwrap_or_else(BigRational::zero)
}

/// A vector of the lattice that the rows span, not 0, whose largest entry is small; less than 1, since the lattice
/// holds all integer vectors, and others.
fn shortest(rows: Vec<Vec<BigRational>>, bud: &Budget) -> Res<Vec<BigRational>> {
    let mut basis = rows;
    reduce(&mut basis, bud)?;
    let mut best: Option<Vec<BigRational>> = None;
    let mut offer = |v: Vec<BigRational>| {
        // Whole numbers may be taken away from each entry.
        let centred: Vec<BigRational> = v.iter().map(|x| x - x.round()).collect();
        for v in [v, centred] {
            if v.iter().any(|x| !x.is_zero()) && best.as_ref().is_none_or(|b| largest(&v) < largest(b)) {
                best = Some(v);
            }
        }
    };
    for (i, v) in basis.iter().enumerate() {
        offer(v.clone());
        for w in &basis[..i] {
            offer(v.iter().zip(w).map(|(x, y)| x + y).collect());
            offer(v.iter().zip(w).map(|(x, y)| x - y).collect());
        }
    }
    Ok(best.expect("a basis has a vector that is not 0"))
}

fn dot(a: &[BigRational], b: &[BigRational]) -> BigRational {
    a.iter().zip(b).fold(BigRational::zero(), |s, (x, y)| s + x * y)
}

/// Makes the basis short and nearly orthogonal (Lenstra, Lenstra, Lovasz, with factor 3/4).
fn reduce(basis: &mut [Vec<BigRational>], bud: &Budget) -> Res<()> {
    let d = basis.len();
    let factor = BigRational::new(BigInt::from(3), BigInt::from(4));
    let mut k = 1;
    while k < d {
        bud.step(d * d)?;
        for j in (0..k).rev() {
            let (_, mu) = orthogonal(&basis[..=k]);
            let q = mu[k][j].round();
            if !q.is_zero() {
                let other = basis[j].clone();
                basis[k].iter_mut().zip(&other).for_each(|(x, y)| *x -= &q * y);
            }
        }
        let (star, mu) = orthogonal(&basis[..=k]);
        let bound = (&factor - &mu[k][k - 1] * &mu[k][k - 1]) * dot(&star[k - 1], &star[k - 1]);
        if dot(&star[k], &star[k]) >= bound {
            k += 1;
        } else {
            basis.swap(k, k - 1);
            k = (k - 1).max(1);
        }
    }
    Ok(())
}

/// Gram and Schmidt's orthogonal vectors and their coefficients.
fn orthogonal(basis: &[Vec<BigRational>]) -> (Vec<Vec<BigRational>>, Vec<Vec<BigRational>>) {
    let mut star: Vec<Vec<BigRational>> = Vec::with_capacity(basis.len());
    let mut mu = vec![vec![BigRational::zero(); basis.len()]; basis.len()];
    for (i, v) in basis.iter().enumerate() {
        let mut w = v.clone();
        for (j, s) in star.iter().enumerate() {
            mu[i][j] = dot(v, s) / dot(s, s);
            w.iter_mut().zip(s).for_each(|(x, y)| *x -= &mu[i][j] * y);
        }
        star.push(w);
    }
    (star, mu)
}

fn along(direction: &[BigInt], v: &[BigInt]) -> BigInt {
    direction.iter().zip(v).fold(BigInt::zero(), |s, (a, b)| s + a * b)
}

/// A direction in which no generator stands still; small numbers first.
pub(super) fn direction<'c>(cones: impl Iterator<Item = &'c Cone> + Clone, columns: usize) -> Vec<BigInt> {
    for seed in 1.. {
        let width = BigInt::from(2 * seed + 1);
        let list = pseudo_random(seed, columns);
        let list: Vec<BigInt> = list.iter().map(|x| x.mod_floor(&width) - BigInt::from(seed)).collect();
        if cones.clone().flat_map(|c| &c.generators).all(|g| !along(&list, g).is_zero()) {
            return list;
        }
    }
    unreachable!("some direction is generic")
}

/// The constant term at `t = 0` of the cone's generating function at `exp(t direction)`, its apex at `at`, per column
/// over `[parameters | 1]`.
pub(super) fn value_at_one(cone: &Cone, at: &[Vec<BigRational>], direction: &[BigInt]) -> Poly {
    let d = cone.rays.len();
    let weights: Vec<BigInt> = cone.generators.iter().map(|g| along(direction, g)).collect();
    // The apex rounded into the cone, along the direction.
    let mut exponent = Poly::default();
    for (ray, w) in cone.rays.iter().zip(&weights) {
        let height: Vec<BigRational> =
            (0..at[0].len()).map(|c| ray.iter().zip(at).fold(BigRational::zero(), |s, (a, v)| s - &v[c] * a)).collect();
        let den = height.iter().fold(BigInt::one(), |l, x| l.lcm(x.denom()));
        let below = Poly::floor(&cleared(&height), &den);
        exponent = exponent.sub(&below.scaled(&BigRational::from_integer(w.clone())));
    }
    let mut todd = vec![BigRational::zero(); d + 1];
    todd[0] = BigRational::one();
    for w in &weights {
        todd = times_todd(&todd, w);
    }
    let mut sum = Poly::default();
    let mut power = Poly::constant(BigRational::one());
    for k in 0..=d {
        sum = sum.add(&power.scaled(&todd[d - k]));
        power = power.mul(&exponent).scaled(&BigRational::new(BigInt::one(), BigInt::from(k + 1)));
    }
    let product = weights.iter().fold(BigInt::one(), |p, w| p * w);
    let sign = if cone.negative == d.is_multiple_of(2) { BigInt::from(-1) } else { BigInt::one() };
    sum.scaled(&BigRational::new(sign, product))
}

/// The series times that of `w t / (exp(w t) - 1)`.
fn times_todd(series: &[BigRational], w: &BigInt) -> Vec<BigRational> {
    let d = series.len();
    let numbers = bernoulli(d);
    let mut factor = Vec::with_capacity(d);
    let mut scale = BigRational::one();
    for (k, b) in numbers.iter().enumerate() {
        factor.push(b * &scale);
        scale *= BigRational::new(w.clone(), BigInt::from(k + 1));
    }
    (0..d).map(|k| (0..=k).fold(BigRational::zero(), |s, j| s + &series[j] * &factor[k - j])).collect()
}
