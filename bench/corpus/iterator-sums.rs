// expect: rewritten, 20 times. Elements of a product that are sums of an iterator.
#[inline(never)]
pub fn kernel(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        }
    }
}
fn main() {
    let n = std::hint::black_box(200);
    let (a, b, mut c) = (numbers(n * n, 0.5), numbers(n * n, 0.25), numbers(n * n, 1.0));
    kernel(n, &a, &b, &mut c);
    show(&c);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
