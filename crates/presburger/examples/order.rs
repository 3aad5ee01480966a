//! Whether another order of a loop nest is legal: no pair of dependent iterations may run the other way around.
//! Run: `cargo run --release -p presburger --example order`

use presburger::{Budget, Map, Set};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let b = Budget::steps(1_000_000);
    // Each iteration of a stencil over time reads what three of the step before wrote.
    let nest = Set::parse("[T, N] -> { S[t, i] : 0 <= t < T and 0 < i < N }")?;
    let pairs = Map::parse("{ S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }")?;
    let pairs = pairs.intersect_domain(&nest).intersect_range(&nest);

    for (name, order) in [
        ("as written", "{ S[t, i] -> [t, i] }"),
        ("loops exchanged", "{ S[t, i] -> [i, t] }"),
        ("skewed, then exchanged", "{ S[t, i] -> [t + i, t] }"),
        ("skewed and tiled", "{ S[t, i] -> [floor(t/32), floor((t + i)/32), t, t + i] }"),
    ] {
        let order = Map::parse(order)?;
        let times = pairs.apply_domain(&order, &b)?.apply_range(&order, &b)?;
        let forward = Set::lex_lt(&times.space().range());
        let wrong = times.subtract(&forward, &b)?;
        match wrong.wrap().sample(&b)? {
            None => println!("{name}: legal"),
            Some(point) => println!("{name}: not legal, as at {point:?} (parameters, times of both)"),
        }
    }
    Ok(())
}
