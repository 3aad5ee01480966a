// expect: rewritten, 1.3 times. Every second column, by `step_by`, whose iterator is made before the loops.
#[inline(never)]
pub fn kernel(n: usize, a: &mut [f64], b: &[f64]) {
    for j in (0..n).step_by(2) {
        for i in 0..n {
            a[i * n + j] += b[i * n + j];
        }
    }
}
fn main() {
    let n = std::hint::black_box(401);
    let (mut a, b) = (numbers(n * n, 0.5), numbers(n * n, 0.25));
    kernel(n, &mut a, &b);
    kernel(0, &mut a, &b);
    kernel(1, &mut a, &b);
    show(&a);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
