// expect: rewritten, 3.6 times. A walk down the columns of a matrix in a `Vec`.
#[inline(never)]
pub fn kernel(n: usize, m: usize, c: &mut Vec<f64>, a: &Vec<f64>) {
    for j in 0..m {
        for i in 0..n {
            c[i * m + j] += a[i * m + j];
        }
    }
}
fn main() {
    let (a, mut c) = (numbers(60000, 0.5), numbers(60000, 0.25));
    kernel(300, 200, &mut c, &a);
    show(&c);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
