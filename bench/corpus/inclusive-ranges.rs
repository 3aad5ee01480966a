// expect: rewritten, 2.3 times. Inclusive ranges; one ends with the largest number there is.
#[inline(never)]
pub fn kernel(n: usize, a: &[f64], b: &mut [f64]) {
    for j in 1..=n {
        for i in 1..=n {
            b[i * (n + 2) + j] += a[i * (n + 2) + j];
        }
    }
}
#[inline(never)]
pub fn kernel_to_the_end(first: u8, last: u8, a: &mut [f64]) {
    for i in first..=last {
        for j in 0..=last {
            a[usize::from(i) * 256 + usize::from(j)] += f64::from(i);
        }
    }
}
fn main() {
    let (a, mut b) = (numbers(302 * 302, 0.5), numbers(302 * 302, 0.25));
    kernel(std::hint::black_box(300), &a, &mut b);
    kernel(std::hint::black_box(0), &a, &mut b);
    kernel_to_the_end(250, 255, &mut b);
    kernel_to_the_end(7, 3, &mut b);
    kernel_to_the_end(0, 0, &mut b);
    show(&b);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
