// expect: rewritten, 2.2 times. Views with strides in a structure, of which the last is 1: each subscript is checked
// first.
use std::hint::black_box;
struct View<'a> {
    data: &'a mut [f64],
    dim: [usize; 2],
    stride: [usize; 2],
}
impl View<'_> {
    #[inline]
    fn place(&self, i: usize, j: usize) -> usize {
        assert!(i < self.dim[0] && j < self.dim[1]);
        i * self.stride[0] + j * self.stride[1]
    }
}
#[inline(never)]
fn kernel(o: &mut View, a: &View) {
    for j in 0..o.dim[1] {
        for i in 0..o.dim[0] {
            let at = o.place(i, j);
            o.data[at] = a.data[a.place(i, j)] * 2.0;
        }
    }
}
fn show(data: &[f64]) {
    let hash = data.iter().fold(14695981039346656037u64, |h, x| (h ^ x.to_bits()).wrapping_mul(1099511628211));
    println!("{hash:016x}");
}
fn main() {
    let n = black_box(400);
    let mut a: Vec<f64> = (0..n * n).map(|k| (k * 7 % 1001) as f64).collect();
    let mut o = vec![1.0; n * n];
    for stride in [[n, 1], [1, n], [2, 3]] {
        let dim = if stride[1] == 3 { [30, 40] } else { [n, n] };
        kernel(&mut View { data: &mut o, dim, stride }, &View { data: &mut a, dim, stride });
        show(&o);
    }
}
