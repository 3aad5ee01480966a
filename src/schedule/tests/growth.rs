//! How scheduling time grows with statements and depth, on made-up SCoPs; and what each kernel takes.
//!
//! `cargo test --release --no-default-features growth -- --nocapture` prints the figures. The bounds asserted here are wide: other
//! processes share the machine, and a debug build is several times slower.

use super::{MACHINE, dependences, forced, legal};
use crate::deps::Dependences;
use crate::model::{Scop, fixtures};
use crate::schedule::{Config, Fusion, Outcome, Solving, schedule};
use std::fmt::Write;
use std::time::{Duration, Instant};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// How the statements of a made-up SCoP depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Loop nests one after the other, each reading what the one before wrote.
    Chain,
    /// One loop nest around all statements, which read what the one before wrote in the same iteration.
    Nest,
    /// A time loop around loop nests, each reading neighbours in what the one before wrote, the first in what the last one wrote.
    Cycle,
}

/// `count` statements with `depth` loops each, over arrays of as many dimensions.
fn made(shape: Shape, count: usize, depth: usize) -> Scop {
    let rank = if shape == Shape::Cycle { depth - 1 } else { depth };
    let mut text = String::from("scop made\nparams: N\nassumed: { : N >= 4 }\n");
    let sizes: Vec<&str> = (0..rank).map(|k| if k == 0 { "*" } else { "N + 2" }).collect();
    for k in 0..=count {
        writeln!(text, "array Arr{k} memory f64 [{}]", sizes.join(", ")).expect("string");
    }
    for s in 0..count {
        let dims = &NAMES[..depth];
        let tuple = format!("Stmt{s}[{}]", dims.join(", "));
        let bounds: Vec<String> = dims.iter().map(|d| format!("1 <= {d} < N")).collect();
        let mut time = vec![if shape == Shape::Chain { s } else { 0 }.to_string()];
        for (k, dim) in dims.iter().enumerate() {
            time.push((*dim).to_owned());
            let here = match shape {
                Shape::Chain => 0,
                Shape::Nest => {
                    if k + 1 == depth {
                        s
                    } else {
                        0
                    }
                }
                Shape::Cycle => {
                    if k == 0 {
                        s
                    } else {
                        0
                    }
                }
            };
            time.push(here.to_string());
        }
        let element = &dims[depth - rank..];
        let (from, to) = if shape == Shape::Cycle { ((s + count - 1) % count, s) } else { (s, s + 1) };
        writeln!(text, "stmt Stmt{s}\n  domain: {{ {tuple} : {} }}", bounds.join(" and ")).expect("string");
        writeln!(text, "  schedule: [{}]", time.join(", ")).expect("string");
        let offsets: &[i64] = if shape == Shape::Cycle { &[-1, 0, 1] } else { &[0] };
        for offset in offsets {
            let last = format!("{} + {offset}", element[rank - 1]);
            let read: Vec<&str> = element[..rank - 1].iter().copied().chain([last.as_str()]).collect();
            writeln!(text, "  read: {{ {tuple} -> Arr{from}[{}] }}", read.join(", ")).expect("string");
        }
        writeln!(text, "  must_write: {{ {tuple} -> Arr{to}[{}] }}", element.join(", ")).expect("string");
    }
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Best of a few runs, and whether there was a new order.
fn timed(scop: &Scop, deps: &Dependences, config: &Config) -> (Duration, bool) {
    let mut best = Duration::MAX;
    let mut changed = false;
    for run in 0..3 {
        let start = Instant::now();
        let outcome = schedule(scop, deps, config, &MACHINE).unwrap_or_else(|e| panic!("{}: {e}", scop.name));
        best = best.min(start.elapsed());
        if let Outcome::Transformed { tree, .. } = outcome {
            changed = true;
            if run == 0 {
                legal(scop, deps, &tree);
            }
        }
    }
    (best, changed)
}

#[test]
fn time_per_kernel() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        let (plain, _) = timed(&scop, &deps, &forced());
        let (threads, _) = timed(&scop, &deps, &Config { parallel: true, ..forced() });
        let (most, _) = timed(&scop, &deps, &Config { fusion: Fusion::Max, ..forced() });
        println!("{name}: {plain:?}, for threads {threads:?}, fusing most {most:?}");
        assert!(plain < Duration::from_millis(500), "{name}: {plain:?}");
    }
}

#[test]
fn time_of_many_statements() {
    let counts: &[usize] = if cfg!(debug_assertions) { &[1, 10, 40] } else { &[1, 10, 50, 100, 200] };
    for shape in [Shape::Chain, Shape::Nest, Shape::Cycle] {
        for &count in counts {
            let scop = made(shape, count, 3);
            let deps = dependences(&scop);
            let (smart, changed) = timed(&scop, &deps, &forced());
            let (most, _) = timed(&scop, &deps, &Config { fusion: Fusion::Max, ..forced() });
            let solving = Solving { negative: false, relaxed: true };
            let (relaxed, _) = timed(&scop, &deps, &Config { solving, ..forced() });
            println!("{shape:?} of {count}: {smart:?}, fusing most {most:?}, relaxed {relaxed:?}");
            assert!(changed, "{shape:?} of {count}");
            assert!(smart < Duration::from_secs(20), "{shape:?} of {count}: {smart:?}");
        }
    }
}

#[test]
fn time_of_deep_nests() {
    let deepest = if cfg!(debug_assertions) { 5 } else { 8 };
    for shape in [Shape::Chain, Shape::Nest, Shape::Cycle] {
        for depth in 2..=deepest {
            let scop = made(shape, 3, depth);
            let deps = dependences(&scop);
            let (time, _) = timed(&scop, &deps, &forced());
            println!("{shape:?} of depth {depth}: {time:?}");
            assert!(time < Duration::from_secs(20), "{shape:?} of depth {depth}: {time:?}");
        }
    }
}
