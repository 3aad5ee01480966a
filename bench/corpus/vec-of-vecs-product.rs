// expect: rewritten, 6 times. A product of vectors of vectors, each index checked against the length of its row.
#[inline(never)]
pub fn kernel(c: &mut Vec<Vec<f64>>, a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>) {
    let (n, m, p) = (a.len(), b[0].len(), b.len());
    for i in 0..n {
        for j in 0..m {
            for k in 0..p {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}
fn main() {
    let rows = |factor| numbers(22500, factor).chunks(150).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let (a, b, mut c) = (rows(0.5), rows(0.25), rows(1.0));
    kernel(&mut c, &a, &b);
    show(&c.concat());
    // A row that is too short ends it where the program says, behind all that comes before.
    let mut short = rows(0.5);
    short[140].truncate(140);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| kernel(&mut c, &short, &b)));
    println!("{}", ended.is_err());
    show(&c.concat());
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
