// expect: rewritten, 3.2 times. Rows of their own lengths, each checked: that none is too short is tested before the
// loops.
#[inline(never)]
pub fn kernel(c: &mut Vec<Vec<f64>>, a: &Vec<Vec<f64>>, n: usize) {
    for j in 0..n {
        for i in 0..n {
            c[i][j] += a[i][j];
        }
    }
}
fn main() {
    let rows = |factor| numbers(22500, factor).chunks(150).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let (a, mut c) = (rows(0.5), rows(0.25));
    kernel(&mut c, &a, 150);
    show(&c.concat());
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
