//! The canonical clone: a private copy of a function, brought into the form that scalar evolution reads best.
//!
//! In: a function of the module. Out: its [`CanonicalClone`], in SSA form, with rotated and simplified loops, and with
//! what our own rewrites make affine; `canonical.h` lists them in their order, each with what it assumes, and each has
//! a file of its own. The function itself does not change before the clone is committed; a clone that is dropped leaves
//! the module byte for byte as it was. What a clone costs depends on its function alone. Functions in which nothing can
//! be transformed are told before they are cloned.

use crate::bridge::clone::CanonicalClone;
use crate::bridge::module::{Function, Loops};
use log::debug;

/// What is to be done with a function, as far as it decides whether a clone is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// Regions without a store count: what loops collect in local variables is shared among threads.
    pub collects: bool,
    /// New code may be the only loop's in an order that was there before: in threads, forced, or given by the user.
    pub any_order: bool,
}

/// A canonical copy of `function`; with `turns`, time loops whose pointers take turns are unrolled. With a purpose only
/// if something may come of it: `None` if no nest may gain.
#[must_use]
pub fn clone_of(function: Function<'_>, turns: bool, purpose: Option<Purpose>) -> Option<CanonicalClone<'_>> {
    let mut clone = CanonicalClone::new(function, turns);
    if purpose.is_some_and(|purpose| !clone.nests().into_iter().any(|held| may_gain(held, purpose))) {
        return None;
    }
    clone.complete();
    debug!("{}: cloned, {} loops", function.name(), clone.loop_count());
    Some(clone)
}

/// Whether some region of a function with these loops may be transformed. `false` is certain: every innermost loop
/// holds what no region can; or no loop writes memory; or the only loop writes once in an iteration, so that there is
/// nothing to tile, to fuse or to distribute; or arrays are only filled, in the order in which they lie in memory; or
/// the loops are over before new code could save what it takes to begin.
#[must_use]
pub fn may_gain(loops: Loops, purpose: Purpose) -> bool {
    let has_effect = loops.writes + loops.calls > 0 || purpose.collects;
    let is_alone = loops.loops <= 1 && loops.writes <= 1 && loops.calls == 0;
    has_effect && !loops.barred && (purpose.any_order || !(is_alone || loops.fills || loops.little))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Purpose = Purpose { collects: false, any_order: false };
    const NEST: Loops = Loops { loops: 2, writes: 1, calls: 0, barred: false, fills: false, little: false };

    #[test]
    fn nests_may_gain() {
        assert!(may_gain(NEST, PLAIN));
        assert!(!may_gain(Loops { barred: true, ..NEST }, PLAIN));
        assert!(!may_gain(Loops { fills: true, ..NEST }, PLAIN));
        assert!(may_gain(Loops { fills: true, ..NEST }, Purpose { any_order: true, ..PLAIN }));
    }

    #[test]
    fn a_few_iterations_gain_where_any_order_will_do() {
        let little = Loops { little: true, ..NEST };
        assert!(!may_gain(little, PLAIN));
        assert!(may_gain(little, Purpose { any_order: true, ..PLAIN }));
    }

    #[test]
    fn loops_without_a_write_gain_by_threads_alone() {
        let reads = Loops { writes: 0, ..NEST };
        assert!(!may_gain(reads, PLAIN));
        assert!(may_gain(reads, Purpose { collects: true, any_order: true }));
        assert!(may_gain(Loops { calls: 1, ..reads }, PLAIN));
    }

    #[test]
    fn one_loop_has_one_order() {
        let one = Loops { loops: 1, ..NEST };
        assert!(!may_gain(one, PLAIN));
        assert!(may_gain(one, Purpose { any_order: true, ..PLAIN }));
        assert!(may_gain(Loops { writes: 2, ..one }, PLAIN));
        assert!(may_gain(Loops { calls: 1, ..one }, PLAIN));
    }
}
