// expect: rewritten, 2.2 times. Rows by `chunks_exact`, two at a time, of a length that the only caller gives.
#[inline(never)]
pub fn kernel(m: usize, c: &mut [f64], a: &[f64]) {
    for j in 0..m {
        for (x, y) in c.chunks_exact_mut(m).zip(a.chunks_exact(m)) {
            x[j] += y[j];
        }
    }
}
fn main() {
    let (a, mut c) = (numbers(40000, 0.5), numbers(40000, 0.25));
    kernel(200, &mut c, &a);
    show(&c);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
