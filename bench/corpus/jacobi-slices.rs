// expect: rewritten, 1.5 times. A stencil on slices, out and back.
use std::hint::black_box;

#[inline(never)]
pub fn kernel(steps: usize, n: usize, m: usize, a: &mut [f64], b: &mut [f64]) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                a[i * m + j] = b[i * m + j];
            }
        }
    }
}
fn main() {
    let (mut a, mut b) = (numbers(2900 * 2900, 0.5), vec![0.0; 2900 * 2900]);
    kernel(black_box(17), black_box(2900), black_box(2900), &mut a, &mut b);
    show(&a);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
