// expect: rewritten, 9 times. Rows by `chunks_exact_mut`, their elements by `iter_mut`, both with their numbers.
#[inline(never)]
pub fn kernel(n: usize, c: &mut [f64], a: &[f64], b: &[f64]) {
    for (i, row) in c.chunks_exact_mut(n).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            for k in 0..n {
                *x += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
fn main() {
    let n = std::hint::black_box(150);
    let (a, b, mut c) = (numbers(n * n, 0.5), numbers(n * n, 0.25), numbers(n * n + 70, 2.0));
    kernel(n, &mut c, &a, &b);
    for n in 1..4 {
        kernel(n, &mut c[..n * n], &a, &b);
        kernel(n, &mut c[..n * n - 1], &a, &b);
        kernel(n, &mut [], &a, &b);
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
