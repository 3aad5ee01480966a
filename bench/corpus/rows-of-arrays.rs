// expect: rewritten, 11 times. Rows of fixed length in slices.
#[inline(never)]
pub fn kernel(n: usize, c: &mut [[f64; 160]], a: &[[f64; 160]], b: &[[f64; 160]]) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
fn main() {
    let rows = |factor| numbers(25600, factor).chunks(160).map(|r| r.try_into().unwrap()).collect::<Vec<[f64; 160]>>();
    let (a, b, mut c) = (rows(0.5), rows(0.25), rows(0.125));
    kernel(160, &mut c, &a, &b);
    show(&c.concat());
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
