//! Vectors that LLVM makes of the user's loops: of straight code, of elements that lie apart, by its own tables.

use super::{SMALL, facts_of};
use crate::cost::refs::Facts;
use crate::cost::{Carry, Loop, Machine, Nest, Vectors};

/// `c[q][i] = f(a[q][i], b[q][i])` for `i` below a few.
fn rows(length: i64) -> Vec<Facts> {
    let last = length - 1;
    let text = format!(
        "scop rows
params: N
assumed: {{ : N >= 1 }}
array Arr0 memory f64 [*, {length}]
array Arr1 memory f64 [*, {length}]
array Arr2 memory f64 [*, {length}]
stmt Stmt0
  domain: {{ Stmt0[q, i] : 0 <= q < N and 0 <= i <= {last} }}
  schedule: [0, q, 0, i, 0]
  read: {{ Stmt0[q, i] -> Arr0[q, i] }}
  read: {{ Stmt0[q, i] -> Arr1[q, i] }}
  must_write: {{ Stmt0[q, i] -> Arr2[q, i] }}
"
    );
    let mut facts = facts_of(&text, &[0; 3]);
    (facts[0].ops.scalar_64ths, facts[0].ops.vector_64ths, facts[0].ops.instructions) = (256, 64, 4);
    facts
}

/// The original's loops over the rows, the one along a row straight code: around it, or inside.
fn nest(length: f64, is_around: bool) -> Nest {
    let level = |direction: [f64; 2], trips: f64| Loop { directions: vec![direction.to_vec()], trips: vec![trips] };
    let (rows, along) = (level([1.0, 0.0], 1000.0), level([0.0, 1.0], length));
    let (loops, jam) =
        if is_around { (vec![along, rows], vec![length, 1.0]) } else { (vec![rows, along], vec![1.0; 2]) };
    Nest {
        loops,
        jam,
        carry: vec![Carry::Nothing],
        vectors: if is_around { Vectors::Faster } else { Vectors::Straight },
        straight: usize::from(!is_around),
        ..super::square(&[0], &[[0, 1]], 1.0)
    }
}

#[test]
fn straight_code_has_vectors_of_as_many_lanes_as_iterations_are_left() {
    let lanes = |length: i64| {
        let (facts, nest) = (rows(length), nest(length as f64, false));
        nest.blocks(&facts, 0, &nest.loops[1], &Machine { vector_bits: 512, ..SMALL })
    };
    assert_eq!([lanes(2), lanes(3), lanes(8)], [(2.0, 0.0), (1.5, 0.0), (8.0, 0.0)]);
    let (facts, nest) = (rows(8), Nest { in_memory: vec![0, 1, 2], ..nest(8.0, false) });
    assert_eq!(nest.blocks(&facts, 0, &nest.loops[1], &SMALL).0, 1.0, "what may overlap stays as it is");
}

/// Gathers of elements that lie too far apart to be loaded with what lies between.
#[test]
fn llvm_takes_gathers_for_nearly_as_cheap_as_loads_where_the_target_has_them() {
    let prefers = |length: i64, instructions: u32, vector_registers: u32| {
        let mut facts = rows(length);
        facts[0].ops.instructions = instructions;
        facts[0].ops.vector_bits = 256;
        nest(length as f64, true).prefers_vectors(&facts, &Machine { vector_bits: 256, vector_registers, ..SMALL })
    };
    assert!(prefers(9, 4, 32) && !prefers(9, 1, 32), "arithmetic has to pay for them");
    assert!(!prefers(9, 3, 16) && prefers(9, 8, 16), "more of it where elements are put together one by one");
    assert!(prefers(2, 4, 16), "what lies between is loaded, too");
}

#[test]
fn copies_that_touch_all_that_lies_between_gather_nothing() {
    let cycles = |length: i64| {
        let facts = rows(length);
        nest(length as f64, true).slots(&facts, 0, &nest(length as f64, true).loops[1], 4.0)
    };
    assert!(cycles(4) < 0.7 * cycles(9), "{} cycles, {} gathered", cycles(4), cycles(9));
}
