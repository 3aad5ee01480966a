//! What options ask of a function: whether it is looked at, and what may come of it.

use super::{collects, device, threads};
use crate::bridge::module::{Function, regex_matches};
use crate::canonical::Purpose;
use crate::logging;
use crate::options::{Optimizer, Options};
use crate::remedies::{MIN_SIZE, OPT_NONE};

/// Whether nothing is to be found out of functions in which nothing can be transformed; `is_heard` if somebody reads
/// what is told of this one.
#[must_use]
pub fn hurries(options: &Options, is_heard: bool) -> bool {
    !is_heard && !is_looked_into(options) && options.transform.is_empty()
}

/// Whether the order is worked out here. Else the instances are those of the code: users name them, or look at them.
pub fn schedules(options: &Options) -> bool {
    let by_user = options.import_jscop || options.export_jscop || !options.transform.is_empty();
    options.optimizer == Optimizer::Pluto && !by_user
}

/// Whether somebody wants to know what becomes of functions in which nothing can be transformed.
fn is_looked_into(options: &Options) -> bool {
    let inside = [options.print_after, options.stop_after, options.inject_panic].iter().any(Option::is_some);
    inside || !options.dot.is_empty() || options.report || options.explain || options.export_jscop || logging::is_on()
}

/// What the user's options make of a function.
#[must_use]
pub fn purpose(options: &Options) -> Purpose {
    let any_order = options.process_unprofitable
        || options.import_jscop
        || options.index_set_splitting
        || options.min_gain.is_some_and(|percent| percent <= 100)
        || !options.transform.is_empty();
    Purpose {
        collects: collects(options),
        any_order: any_order
            || threads::is_wanted(options)
            || device::is_wanted(options)
            || options.optimizer == Optimizer::None,
    }
}

/// Why no stage looks at the function, if none does.
#[must_use]
pub fn left_alone(function: Function<'_>, options: &Options) -> Option<&'static str> {
    let traits = function.traits();
    let name = function.name();
    let listed = |patterns: &[String]| patterns.iter().any(|pattern| regex_matches(pattern, &name));
    let reasons = [
        (traits.opt_none, OPT_NONE),
        (traits.min_size, MIN_SIZE),
        (traits.opted_out || !options.enabled, "polyrs:off"),
        (listed(&options.ignore_func), "-polyrs-ignore-func"),
        (!options.only_func.is_empty() && !listed(&options.only_func), "-polyrs-only-func"),
    ];
    reasons.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}
