// expect: rewritten, 11 times. A product of matrices in slices, each subscript checked.
#[inline(never)]
pub fn kernel(n: usize, c: &mut [f64], a: &[f64], b: &[f64]) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
fn main() {
    let (a, b, mut c) = (numbers(25600, 0.5), numbers(25600, 0.25), numbers(25600, 0.125));
    kernel(160, &mut c, &a, &b);
    show(&c);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
