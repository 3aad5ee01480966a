// expect: kept. How many steps each point takes to leave: a `while` with a greatest count in two loops.
#[inline(never)]
pub fn kernel(n: usize, out: &mut [u32], most: u32) {
    for j in 0..n {
        for i in 0..n {
            let (cx, cy) = (i as f64 * 0.03 - 2.0, j as f64 * 0.03 - 1.5);
            let (mut x, mut y, mut k) = (0.0f64, 0.0f64, 0);
            while k < most && x * x + y * y < 4.0 {
                let t = x * x - y * y + cx;
                y = 2.0 * x * y + cy;
                x = t;
                k += 1;
            }
            out[i * n + j] = k;
        }
    }
}
fn main() {
    let mut out = vec![0; 10000];
    kernel(100, &mut out, 60);
    let hash = |h: u64, x: &u32| (h ^ u64::from(*x)).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", out.iter().fold(14_695_981_039_346_656_037, hash));
}
