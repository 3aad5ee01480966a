//! Time of the dependence computation and of the legality proof of the schedule that polyrs chooses, per SCoP; both
//! without LLVM. Run with `cargo bench --no-default-features --bench dependences [-- NAME...]`; medians in
//! microseconds. 3mm is to stay below 1000 in sum.

use polyrs::deps::{self, Dependences};
use polyrs::model::{Scop, tree::Node};
use polyrs::proof;
use polyrs::schedule::{self, Config, Machine};
use presburger::Budget;
use std::hint::black_box;
use std::time::Instant;

macro_rules! scops {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../src/model/fixtures/", $name, ".scop")))),*]
    };
}

const SCOPS: &[(&str, &str)] = scops!("3mm", "gemm", "lu", "jacobi_2d", "correlation", "adi");

/// A common core of today.
/// Median microseconds of a call.
fn median_us<R>(mut f: impl FnMut() -> R) -> f64 {
    let mut samples: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            black_box(f());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn dependences(scop: &Scop) -> Dependences {
    deps::compute(scop, &Budget::unlimited()).expect("the dependences of a fixture")
}

/// The order polyrs chooses where it must choose a new one.
fn new_order(scop: &Scop, deps: &Dependences) -> Node {
    let config = Config { process_unprofitable: true, ..Config::default() };
    let outcome = schedule::schedule(scop, deps, &config, &Machine::WIDE, &Budget::steps(2_000_000))
        .expect("a schedule of a fixture");
    outcome.tree().unwrap_or(&scop.schedule).clone()
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!("{:16} {:>10} {:>10} {:>10}", "scop", "deps us", "proof us", "sum us");
    for (name, text) in SCOPS.iter().filter(|(n, _)| named.is_empty() || named.iter().any(|w| w == n)) {
        let scop = Scop::parse(text).expect("a fixture");
        let deps = dependences(&scop);
        let tree = new_order(&scop, &deps);
        let prove = || proof::check(&scop, &deps, &tree, &Budget::unlimited()).expect("an answer");
        assert!(prove().is_legal(), "{name}: the chosen order is not legal");
        let (find, proof) = (median_us(|| dependences(&scop)), median_us(prove));
        println!("{name:16} {find:10.1} {proof:10.1} {:10.1}", find + proof);
    }
}
