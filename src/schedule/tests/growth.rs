//! How the steps of scheduling grow with statements and depth, on made-up SCoPs; and what each kernel takes.
//!
//! `cargo test growth -- --nocapture` prints the figures. Steps are counted, not seconds: they are the same on every
//! machine.

use super::{dependences, forced, legal};
use crate::cost::Machine;
use crate::deps::Dependences;
use crate::error::Failure;
use crate::model::{Scop, fixtures};
use crate::schedule::{Config, Fusion, Solving, schedule};
use presburger::Budget;
use std::fmt::Write;

/// Steps within which every kernel has its order; 4,096 are enough as of now, and the default budget is 2 million.
const MOST: u64 = 8_192;

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// How the statements of a made-up SCoP depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Loop nests one after the other, each reading what the one before wrote.
    Chain,
    /// One loop nest around all statements, which read what the one before wrote in the same iteration.
    Nest,
    /// A time loop around loop nests, each reading neighbours in what the one before wrote, the first in what the last
    /// one wrote.
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

/// Steps that are enough for a new order, as a power of two, and whether there is one; the order is legal.
fn steps(scop: &Scop, deps: &Dependences, config: &Config) -> (u64, bool) {
    for steps in (8..22).map(|k| 1 << k) {
        match schedule(scop, deps, config, &Machine::WIDE, &Budget::steps(steps)) {
            Ok(decision) => {
                decision.tree().into_iter().for_each(|tree| legal(scop, deps, tree));
                return (steps, decision.tree().is_some());
            }
            Err(Failure::Limit(_)) => {}
            Err(e) => panic!("{}: {e}", scop.name),
        }
    }
    panic!("{}: the budget is spent", scop.name)
}

#[test]
fn steps_per_kernel() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        let (plain, _) = steps(&scop, &deps, &forced());
        let (threads, _) = steps(&scop, &deps, &Config { parallel: true, ..forced() });
        let (most, _) = steps(&scop, &deps, &Config { fusion: Fusion::Max, ..forced() });
        println!("{name}: {plain}, for threads {threads}, fusing most {most}");
        assert!(plain <= MOST && threads <= MOST && most <= MOST, "{name}: {plain} {threads} {most}");
    }
}

#[test]
fn steps_of_many_statements() {
    let counts: &[usize] = if cfg!(debug_assertions) { &[1, 10, 40] } else { &[1, 10, 50, 100, 200] };
    for shape in [Shape::Chain, Shape::Nest, Shape::Cycle] {
        for &count in counts {
            let scop = made(shape, count, 3);
            let deps = dependences(&scop);
            let (smart, changed) = steps(&scop, &deps, &forced());
            let (most, _) = steps(&scop, &deps, &Config { fusion: Fusion::Max, ..forced() });
            let solving = Solving { negative: false, relaxed: true };
            let (relaxed, _) = steps(&scop, &deps, &Config { solving, ..forced() });
            println!("{shape:?} of {count}: {smart}, fusing most {most}, relaxed {relaxed}");
            assert!(changed, "{shape:?} of {count}");
            let bound = if shape == Shape::Cycle { 4_096 * count as u64 } else { 512 * count as u64 };
            assert!(smart.max(most).max(relaxed) <= bound.max(1_024), "{shape:?} of {count}: {smart} {most} {relaxed}");
        }
    }
}

#[test]
fn steps_of_deep_nests() {
    let deepest = if cfg!(debug_assertions) { 5 } else { 8 };
    for shape in [Shape::Chain, Shape::Nest, Shape::Cycle] {
        for depth in 2..=deepest {
            let scop = made(shape, 3, depth);
            let deps = dependences(&scop);
            let (steps, _) = steps(&scop, &deps, &forced());
            println!("{shape:?} of depth {depth}: {steps}");
            let bound = if shape == Shape::Cycle { (1 << (2 * depth + 6)).max(2_048) } else { 1_024 << depth };
            assert!(steps <= bound, "{shape:?} of depth {depth}: {steps}");
        }
    }
}
