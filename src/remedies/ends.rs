//! What helps where nobody knows how often a loop runs, or what ends the program.

use super::functions::LIBRARY;
use super::{
    BOUND_CHANGES, BY_SIZE, CHAIN, COMPUTED_BY, COMPUTES, COUNTED_BEFORE, COUNTS_IN_FLOAT, ENDS_ON_CALL, ENDS_ON_DATA,
    ENDS_ON_LOADED, ENDS_PROGRAM, ENDS_PROGRAM_AGAIN, ENDS_PROGRAM_INDEX, FOLLOWS, NOT_COMPUTABLE, PRODUCT, SCALED,
    SCALED_INSIDE, WORK_LIST, WRAPS, listed,
};
use crate::error::{Reject, RejectKind};

impl Reject {
    /// The same of loops that write nothing; nothing where that they look for something is not what is in the way.
    pub fn looks_only(&self, named: &[String]) -> Option<String> {
        let tests = [ENDS_PROGRAM, ENDS_PROGRAM_INDEX];
        let detail = self.detail.as_str();
        // Rust's own tests of indices are no search.
        let is_search = match tests.contains(&detail) {
            true => !self.loc.file.ends_with(".rs"),
            false => self.kind == RejectKind::LoopShape || [ENDS_ON_DATA, FOLLOWS].contains(&detail),
        };
        let what = listed(named).map_or_else(String::new, |all| format!(" for {all}"));
        if self.detail == FOLLOWS {
            let pointers = listed(named).map_or_else(String::new, |all| format!(" ({all})"));
            return Some(format!(
                "these loops follow pointers{pointers} and write nothing: each iteration waits for the one before, in any \
                 order; where they run again and again, keep what they find in an array"
            ));
        }
        if self.detail == CHAIN {
            let on = listed(named).map_or_else(String::new, |all| format!(" ({all})"));
            return Some(format!(
                "in these loops each iteration waits for the one before{on}, and nothing is written: no order of them is faster"
            ));
        }
        let only_counts = [SCALED, SCALED_INSIDE].contains(&self.detail.as_str())
            || self.detail == PRODUCT && self.kind == RejectKind::NonAffineBound;
        if only_counts {
            return Some("these loops write nothing: what computes belongs behind them".to_owned());
        }
        is_search.then(|| {
            format!("these loops only look{what} and write nothing: no order of them is faster; what computes belongs behind them")
        })
    }

    /// The same of a loop that computes what it ends on.
    pub(super) fn of_computed_end(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            BY_SIZE if self.loc.file.ends_with(".rs") => {
                "where the loop begins or ends is a multiple of a size: loop over pieces of one length (`chunks_exact_mut(w)`, \
                 not `chunks_mut(w)`), or begin the loop at 0 (`for j in 0..w { a[i * w + j] = ..; }`)"
                    .to_owned()
            }
            BY_SIZE => "where the loop begins or ends is a multiple of a size: begin the loop at 0 (`for (j = 0; j < h; j++) \
                        a[i + j] = ..`, not `for (j = i; j < i + h; j++)`), or step by numbers"
                .to_owned(),
            PRODUCT if self.kind == RejectKind::NonAffineBound => {
                let what = or("this bound");
                format!(
                    "{what} multiplies loop counters: compute the bounds before the loops, or step through rows of one size"
                )
            }
            COMPUTED_BY if self.kind == RejectKind::NonAffineBound => {
                let bound = or("the bound");
                format!(
                    "{bound} is a quotient, a remainder, a shift or made of bits: of these, quotients and remainders by numbers \
                     are known (`i / 16`); with others the loops around stay as they are"
                )
            }
            SCALED => {
                let counter = or("the counter");
                format!(
                    "{counter} is multiplied, divided or shifted in each iteration: count the iterations in a loop of its own, \
                     then loop up to that number by a constant step"
                )
            }
            COUNTS_IN_FLOAT => {
                let counter = or("the counter");
                format!(
                    "the loop counts in floating point: count with an integer, up to a number that is computed before the \
                     loops, and compute {counter} from it (which may round otherwise)"
                )
            }
            SCALED_INSIDE => {
                let counter = or("the counter");
                format!(
                    "how often the loops inside run is multiplied, divided or shifted with {counter} in each iteration: no \
                     other order of this loop is known; those inside are looked at by themselves"
                )
            }
            WRAPS => {
                let counter = or("the counter");
                format!(
                    "{counter} may wrap around in its narrow type before the loop ends: count with an int, or in the bound's \
                     type, if that is wider"
                )
            }
            WORK_LIST => {
                let end = or("its end");
                format!(
                    "each iteration may move {end} on: a list of what is to be done has no other order; the loops inside are \
                     looked at by themselves"
                )
            }
            CHAIN if all.is_some() || !self.loc.file.ends_with(".rs") => {
                let value = or("a value");
                format!(
                    "each iteration finds out by {value} of the one before whether it runs: there is no other order of the loop; \
                     move it into one of its own, if what is around is to be reordered"
                )
            }
            COMPUTES if all.is_some() || !self.loc.file.ends_with(".rs") => {
                let value = or("a value");
                format!(
                    "whether the loop ends depends on {value}, computed in it: loop a number of times that is known before, \
                     by a constant step, and test what it computes behind that (after each ten iterations, say)"
                )
            }
            _ => return None,
        })
    }

    /// The same of what ends a loop, or the program.
    pub(super) fn of_end(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            ENDS_ON_CALL if named.iter().any(|name| name.starts_with(LIBRARY)) => {
                format!(
                    "the loop follows what {} finds: copy that into an array in a loop of its own, then compute on it",
                    or("a library")
                )
            }
            ENDS_ON_CALL => {
                format!("call {} once, before the loops, and loop up to what it returned", or("the function"))
            }
            COUNTED_BEFORE => {
                let number = or("a number");
                format!(
                    "{number} is what an earlier loop of the function has counted: count it in a function of its own, and use \
                     what that returns"
                )
            }
            ENDS_ON_DATA => {
                let data = or("what it looks up");
                format!(
                    "the loop ends on {data}: count its iterations in a function of its own, then loop up to what that returns"
                )
            }
            ENDS_ON_LOADED => {
                let data = or("what it ends on");
                format!(
                    "the loop may write to {data}, and reads it again in each iteration: copy it into a local variable before the \
                     loop, or declare the pointers restrict, if they never overlap"
                )
            }
            FOLLOWS => {
                let pointer = all.map_or_else(String::new, |pointer| format!(" ({pointer})"));
                format!(
                    "the loop follows pointers{pointer}: copy what it finds into an array in a loop of its own, then compute on that"
                )
            }
            NOT_COMPUTABLE | COMPUTES | CHAIN if all.is_none() && self.loc.file.ends_with(".rs") => {
                "loop over a range without its end (`for i in a..b + 1`, not `a..=b`), over pieces of one length \
                 (`chunks_exact(w)`, not `chunks(w)`), over the indices of an array (`for k in 0..3`, not `for d in [a, b, c]`), \
                 or up to a number that is known before"
                    .to_owned()
            }
            NOT_COMPUTABLE if all.is_none() && ["cpp", "cc", "cxx"].iter().any(|end| self.loc.file.ends_with(end)) => {
                "count with an integer, in place of iterators too (`for (size_t i = 0; i < v.size(); i++)`), by a constant \
                 step, towards a value that does not change"
                    .to_owned()
            }
            NOT_COMPUTABLE if all.is_none() => {
                "count with an integer as wide as the bound, by a constant step, towards a value that does not change"
                    .to_owned()
            }
            BOUND_CHANGES => {
                // The end of a vector is its size.
                let size = |name: &String| match name.strip_suffix(".data()").or(name.strip_suffix(".end()")) {
                    Some(vector) => format!("{vector}.size()"),
                    None => name.clone(),
                };
                let sizes: Vec<String> = named.iter().map(size).collect();
                let bound = listed(&sizes).unwrap_or_else(|| "the bound".to_owned());
                format!(
                    "{bound} says how long each row is: where all are of one length, copy that into a local variable before \
                     the loops; lengths that differ are data, which leaves the order of the rows as it is"
                )
            }
            _ => return self.of_error(named),
        })
    }

    /// The same of what ends the program.
    fn of_error(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            ENDS_PROGRAM_AGAIN if self.loc.file.ends_with(".rs") => {
                let all = or("sizes and lengths");
                format!(
                    "what the loops store might change {all}: copy sizes into local variables before the loops, and borrow \
                     there what is indexed (`let data = &mut m.data[..];`)"
                )
            }
            ENDS_PROGRAM_AGAIN => RejectKind::NonAffineBound.remedy(named),
            ENDS_PROGRAM | ENDS_PROGRAM_INDEX if !self.loc.file.ends_with(".rs") => {
                "whether the error comes up depends on data: look for it in a loop of its own, before these".to_owned()
            }
            ENDS_PROGRAM_INDEX => {
                let index = or("what the loops look up");
                format!(
                    "{index} says which element is accessed, and nobody knows that it is there: where an index is a u8, borrow \
                     all 256 elements before the loops (`let hist = &mut hist[..256];`); else look whether it is there, with a \
                     value for where it is not (`if k < b.len() {{ b[k] }} else {{ 0.0 }}`)"
                )
            }
            ENDS_PROGRAM => {
                "a test of an index looks at lengths that may be others in each iteration: keep rows of one length, \
                             in one Vec or as Vec<[T; N]>, not as Vec<Vec<T>>"
                    .to_owned()
            }
            _ => return None,
        })
    }
}
