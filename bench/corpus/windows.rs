// expect: rewritten, 2.6 times. Sums of three neighbours by `windows` with numbers, column by column.
#[inline(never)]
pub fn kernel(n: usize, c: &mut [f64], a: &[f64]) {
    for t in 0..n {
        for (i, w) in a.windows(3).enumerate() {
            c[i * n + t] += w[0] + w[1] + w[2];
        }
    }
}
fn main() {
    let n = std::hint::black_box(400);
    let (a, mut c) = (numbers(n + 2, 0.5), numbers(n * n, 0.25));
    kernel(n, &mut c, &a);
    for few in 0..4 {
        kernel(n, &mut c, &a[..few]);
        kernel(few, &mut c, &a);
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
