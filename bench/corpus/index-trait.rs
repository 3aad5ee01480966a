// expect: rewritten, 2.6 times. A matrix type that implements `Index`.
use std::ops::{Index, IndexMut};
pub struct Matrix {
    columns: usize,
    data: Vec<f64>,
}
impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.columns + j]
    }
}
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}
#[inline(never)]
pub fn kernel(n: usize, c: &mut Matrix, a: &Matrix) {
    for j in 0..n {
        for i in 0..n {
            c[(i, j)] += a[(i, j)];
        }
    }
}
fn main() {
    let a = Matrix { columns: 250, data: numbers(62500, 0.5) };
    let mut c = Matrix { columns: 250, data: numbers(62500, 0.25) };
    kernel(250, &mut c, &a);
    show(&c.data);
}
fn show(data: &[f64]) {
    let hash = |h: u64, x: &f64| (h ^ x.to_bits()).wrapping_mul(1_099_511_628_211);
    println!("{:016x}", data.iter().fold(14_695_981_039_346_656_037, hash));
}
fn numbers(count: usize, factor: f64) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1000) as f64 * factor - 3.0).collect()
}
