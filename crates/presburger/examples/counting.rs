//! How much a loop nest does and touches, for every size: iterations, elements of an array, and both at one size.
//! Run: `cargo run --release -p presburger --example counting`

use presburger::{Budget, Map, Set};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let b = Budget::steps(1_000_000);
    // for (i = 0; i < N; i++) for (j = 0; j < N - i; j++) for (k = 0; k < 3; k++) .. A[i + j + k] ..
    let nest = Set::parse("[N] -> { S[i, j, k] : 0 <= i < N and 0 <= j < N - i and 0 <= k < 3 }")?;
    let access = Map::parse("{ S[i, j, k] -> A[i + j + k] }")?;

    let iterations = nest.card(&b)?.ok_or("infinitely many iterations")?;
    let elements = nest.apply(&access, &b)?.card(&b)?.ok_or("infinitely many elements")?;
    println!("iterations: {iterations}");
    println!("elements:   {elements}");
    println!("at N = 1000: {} and {}", iterations.eval(&[1000], &[]), elements.eval(&[1000], &[]));

    // How often each element is touched.
    let uses = access.intersect_domain(&nest).reverse().card(&b)?.ok_or("infinitely many uses")?;
    println!("uses of A[5] at N = 1000: {}", uses.eval(&[1000], &[5]));
    Ok(())
}
