// expect: rewritten, 1.4 times. Neighbours in a vector of vectors, column by column.
#[inline(never)]
pub fn kernel(g: &Vec<Vec<f64>>, o: &mut Vec<Vec<f64>>) {
    let (h, w) = (g.len(), g[0].len());
    for x in 1..w - 1 {
        for y in 1..h - 1 {
            o[y][x] = (g[y - 1][x] + g[y + 1][x] + g[y][x - 1] + g[y][x + 1]) * 0.25;
        }
    }
}
fn main() {
    let rows = |factor| numbers(90000, factor).chunks(300).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let (g, mut o) = (rows(0.5), rows(0.25));
    kernel(&g, &mut o);
    show(&o.concat());
    o[200].truncate(150);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| kernel(&g, &mut o)));
    println!("{}", ended.is_err());
    show(&o.concat());
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
