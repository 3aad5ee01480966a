// expect: rewritten, 2.3 times. Rows of two slices by `chunks_exact`, of a length that is known when the program runs.
#[inline(never)]
pub fn kernel(m: usize, c: &mut [f64], a: &[f64]) {
    for j in 0..m {
        for (x, y) in c.chunks_exact_mut(m).zip(a.chunks_exact(m)) {
            x[j] += y[j];
        }
    }
}
fn main() {
    let n = std::hint::black_box(400);
    let (a, mut c) = (numbers(n * n + 9, 0.5), numbers(n * n, 0.25));
    for m in [n, n - 1, 1, 2, 0, 7 * n, n * n, n * n + 1] {
        kernel(m, &mut c, &a);
        kernel(m, &mut c, &a[..m.min(n)]);
    }
    show(&c);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
