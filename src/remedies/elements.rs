//! What helps where nobody knows which element an access is to.

use super::{
    AROUND, AROUND_KEPT, BEYOND, BOTH, COMPUTED_BY, COMPUTED_MAY_OVERLAP, COUNTED_ON, MAY_OVERLAP, MOVED, PRODUCT,
    ROW_LOOKED_UP, SEARCHED, STEPS, SWAPPED, UNLIKE_ROWS, apart, are_variables, is_fortran, listed,
};
use crate::error::{Reject, RejectKind};

impl Reject {
    /// The same of what an access says of its element.
    pub(super) fn of_element(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            PRODUCT | COMPUTED_BY if self.kind != RejectKind::NonAffineAccess => return None,
            BEYOND => {
                let array = or("the array");
                format!(
                    "a row of {array} would run into the next one: let the counter end before the size of a row (< for <=)"
                )
            }
            PRODUCT => {
                let what = all.map_or_else(|| "this".to_owned(), |array| format!("the subscript of {array}"));
                format!("{what} multiplies loop counters: multiply them by constants or sizes only")
            }
            MOVED if self.loc.file.ends_with(".rs") => {
                "count with an integer (`for k in 0..x.len()`) in place of an iterator that is not known to step evenly"
                    .to_owned()
            }
            MOVED => {
                let pointer = or("a pointer");
                format!(
                    "{pointer} is moved on in each iteration, by steps that are not known: access the array with an integer \
                     that counts by a constant step, as its subscript"
                )
            }
            SEARCHED => {
                let subscript = or("the subscript");
                format!(
                    "{subscript} is found out by a loop in front that looks at data: this leaves the order of the loops around \
                     both as it is; those inside are looked at by themselves"
                )
            }
            COUNTED_ON => {
                let subscript = or("the subscript");
                format!(
                    "{subscript} is what the iterations before have left in it: this leaves the order of the loops that count it \
                     on as it is; those inside are looked at by themselves"
                )
            }
            SWAPPED if self.loc.file.ends_with(".rs") => {
                "slices take turns: borrow them before the loop (`let (a, b) = (&mut a[..n], &mut b[..n]);`), write as many \
                 iterations as there are slices as one (two of two that are swapped), each with the slices in their places, and \
                 what is left of the iterations behind the loop"
                    .to_owned()
            }
            SWAPPED => {
                let pointer = or("a pointer");
                format!(
                    "{pointer} takes turns with other pointers: write as many iterations as there are pointers as one (two of two \
                     that are swapped), each with the pointers in their places, and what is left of the iterations behind the loop"
                )
            }
            _ => return self.of_parts(named),
        })
    }

    /// The same of sizes, and of what is computed otherwise than by sums and products.
    fn of_parts(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            STEPS if all.is_none() => {
                "the counters are multiplied by sizes of which none is known to be a multiple of another: \
                                       in Fortran declare the array contiguous; else step by a number, or let one size \
                                       be a product with the other"
                    .to_owned()
            }
            STEPS => {
                let all = or("the sizes");
                format!(
                    "the counters are multiplied by {all}, and none of these is known to be a multiple of another: \
                     step by a number, or let one size be a product with the other"
                )
            }
            UNLIKE_ROWS => {
                let sizes = or("the sizes");
                format!(
                    "one array is accessed by rows of {sizes}: where these are equal, copy one of them into a local variable \
                     before the loops, and use that for all"
                )
            }
            // Rows of arrays that are passed with their shape may lie any number of bytes apart.
            COMPUTED_BY if all.is_none() && is_fortran(&self.loc.file) => {
                "the rows of an array may lie any number of bytes apart: declare it contiguous, if it is \
                 (`real, contiguous :: a(:, :)`); else write the subscript as a sum of loop counters times constants or sizes"
                    .to_owned()
            }
            COMPUTED_BY => {
                let subscript = or("the subscript");
                format!(
                    "{subscript} is a quotient, a remainder, a shift or made of bits: of these, quotients and remainders by \
                     numbers are known where counters are multiplied by numbers alone (`i % 16`, `(i * 512 + j) / 32`, not \
                     `(i * n + j) / 32`); with others, give the iterations where it wraps around loops of their own, or \
                     exchange the loops in the source, where that is allowed"
                )
            }
            _ => return self.of_look_up(named),
        })
    }

    /// The same of an element that is looked up.
    fn of_look_up(&self, named: &[String]) -> Option<String> {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        Some(match self.detail.as_str() {
            // Arrays of Fortran that get another shape are told in its own words.
            AROUND if all.is_some() || !is_fortran(&self.loc.file) => {
                let subscript = or("the subscript");
                format!(
                    "{subscript} is other data in each iteration of a loop around: with that loop innermost, exchanged in the \
                     source, it is looked up where it is used"
                )
            }
            AROUND_KEPT => {
                let subscript = or("the subscript");
                format!(
                    "{subscript} is other data in each iteration of a loop around, which cannot become the innermost one: copy \
                     the elements that it leads to into an array, in loops of its own in front (`t[i][j] = b[j][p[i]]`), if \
                     these loops do not write to them"
                )
            }
            ROW_LOOKED_UP => {
                let subscript = or("a subscript");
                format!(
                    "{subscript} says in a loop around which row the innermost loop goes along: there is nothing to gain by an \
                     exchange, and the loops around keep their order"
                )
            }
            BOTH => {
                let subscript = or("one subscript");
                format!(
                    "{subscript} is looked up in a loop around and another subscript in this one, so no exchange helps: split \
                     the loops, with an array between them, so that each has look-ups of one counter"
                )
            }
            MAY_OVERLAP | COMPUTED_MAY_OVERLAP if self.loc.file.ends_with(".rs") => {
                "pass slices to a function of their own (`fn step(old: &[f64], new: &mut [f64])`): these never overlap"
                    .to_owned()
            }
            MAY_OVERLAP | COMPUTED_MAY_OVERLAP => match all {
                Some(all) if are_variables(named) => {
                    format!("declare {all} restrict, as parameters, if they never overlap")
                }
                Some(all) => format!("{}, if they never overlap", apart(named, &all)),
                None => "declare the pointers restrict, if they never overlap".to_owned(),
            },
            _ => return None,
        })
    }
}
