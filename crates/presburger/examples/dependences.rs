//! Which iterations of a loop nest must wait for which: from accesses and order to flow dependences, and what these
//! allow.
//!
//!     for (t = 0; t < T; t++)
//!       for (i = 1; i < N - 1; i++)
//!         A[t + 1][i] = A[t][i - 1] + A[t][i + 1];
//!
//! Run with `cargo run -p presburger --example dependences`.

use presburger::{Budget, Map, Set};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let b = Budget::steps(1_000_000);
    let domain = Set::parse("[T, N] -> { S[t, i] : 0 <= t < T and 1 <= i < N - 1 }")?;
    let write = Map::parse("{ S[t, i] -> A[t + 1, i] }")?.intersect_domain(&domain);
    let read = Map::parse("{ S[t, i] -> A[t, i - 1]; S[t, i] -> A[t, i + 1] }")?.intersect_domain(&domain);

    // Pairs that touch one element, the writing iteration first.
    let flow = write.apply_range(&read.reverse(), &b)?.coalesce(&b)?.into_owned();
    println!("flow:       {flow}");
    println!("distances:  {}", flow.deltas(&b)?.coalesce(&b)?);

    // The inner loop may run in parallel: no pair is in one iteration of the outer loop.
    let same_t = Map::parse("{ S[t, i] -> S[t, j] }")?;
    println!("i parallel: {}", flow.intersect(&same_t).is_empty(&b)?);

    let (paths, exact) = flow.transitive_closure(&b)?;
    println!("all paths:  {paths} (exact: {exact})");
    println!("iterations: {}", domain.card(&b)?.expect("finite"));
    Ok(())
}
