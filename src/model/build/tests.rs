//! Models of hand-made facts.

use super::{Config, build};
use crate::ids::ScevId;
use crate::scop::{self, sketch::Sketch};

#[test]
fn the_model_assumes_that_the_bound_is_not_negative() {
    let mut s = Sketch::new();
    let offset = s.bytes(s.i);
    s.store(s.array, offset);
    let facts = s.finish();
    let found = scop::detect(&facts, &scop::Config::default());
    let scop = build(&facts, &found.candidates[0], 0, &Config::default()).unwrap();
    let budget = presburger::Budget::unlimited();
    let set = |text: &str| presburger::Set::parse(text).unwrap();
    let domain = set("[p0] -> { Stmt0[i] : 0 <= i < p0 }");
    assert!(scop.stmts[0].domain.is_equal(&domain, &budget).unwrap());
    let write = presburger::Map::parse("[p0] -> { Stmt0[i] -> Arr0[i] }").unwrap();
    assert!(scop.stmts[0].accesses[0].relation.is_equal(&write, &budget).unwrap());
    // Without a guard the loop runs at least once: for n = 0 its count would wrap.
    assert!(scop.contexts.invalid.contains(&[0], &[]) && scop.contexts.invalid.contains(&[-1], &[]));
    assert!(!scop.contexts.invalid.contains(&[1], &[]));
    assert_eq!(scop.params[0].value, ScevId(0));
}
