//! What helps where a region is refused; `docs/reasons.md` has more of each.

mod elements;
mod ends;
mod functions;
#[cfg(test)]
mod tests;

pub use functions::{changes_containers, is_allocator, is_panic};

use crate::error::{Reject, RejectKind};
use functions::{
    ALLOCATORS, COPY, COPYING, FILL, GROWING, LIBRARY, LOOKING, MAKING, OF_C, RANDOM, READERS, THROUGH, is_among,
    is_freeing, is_message, is_of_math, is_of_stack, without_standard,
};

/// What is said of the end of a loop of which nothing more is known.
pub const NOT_COMPUTABLE: &str = "trip count is not computable";
/// A loop that ends, too, where a jump leaves one inside of it.
pub const ENDS_INSIDE: &str = "a jump out of a loop inside may end it";
/// A loop whose counter is multiplied, divided or shifted by a number.
pub const SCALED: &str = "its counter is multiplied, divided or shifted";
/// The same where loops inside end by it.
pub const SCALED_INSIDE: &str = "its counter is multiplied, divided or shifted, and loops inside run by it";
/// A loop that goes through what its own iterations add to.
pub const WORK_LIST: &str = "its iterations add to what it goes through";
/// A bound, or a subscript, that an earlier loop of the function has counted.
pub const COUNTED_BEFORE: &str = "an earlier loop of the function counts it";
/// A loop whose counter may wrap around before it ends.
pub const WRAPS: &str = "its counter may wrap around";
/// A loop whose counter is a number of floating point.
pub const COUNTS_IN_FLOAT: &str = "it counts in floating point";
/// A loop without loops inside that ends on a number that each iteration makes of that of the one before.
pub const CHAIN: &str = "each iteration makes of the one before what it ends on";
/// A loop that ends on a value that each iteration computes from that of the one before.
pub const COMPUTES: &str = "it ends on what it computes";
/// A test of an index that fails, in a function of Rust that then has to free what it owns.
pub const UNWINDS: &str = "a test that fails has to free what the function owns";
/// What helps there.
const BY_BORROWING: &str = "a test that fails (of an index, say) frees what the function owns before it ends: put the loops \
                            into a function of their own that borrows slices, or compile with -Cpanic=abort";
/// A jump out of several loops, or to the next iteration of an outer one.
pub const JUMP_OUT: &str = "jump out of or to the next iteration of a loop";
/// The same as seen from what follows.
pub const AFTER: &str = "what comes after the loop depends on how it ends";
/// A loop that nothing ends.
pub const NO_EXIT: &str = "no exit";
/// A test of Rust, or of a library, that ends the program.
pub const ENDS_PROGRAM: &str = "of an error that ends the program";
/// The same where lengths are loaded again in each iteration.
pub const ENDS_PROGRAM_AGAIN: &str = "of an error that ends the program, on what is loaded again";
/// The same of an index that is made of counters and sizes, but no sum of them.
pub const ENDS_PROGRAM_COMPUTED: &str = "of an error that ends the program, on more than sums and products";
/// The same of an index that is data.
pub const ENDS_PROGRAM_INDEX: &str = "of an error that ends the program, of an index that is data";
/// The same of an index in which counters are multiplied.
pub const ENDS_PROGRAM_PRODUCT: &str = "of an error that ends the program, on a product of loop counters";
/// The same of an index that is tested against a product of sizes.
pub const ENDS_PROGRAM_LENGTH: &str = "of an error that ends the program, on a product of sizes";
/// What helps there.
const BY_LENGTH: &str = "a length that is a product of sizes is tested: borrow as many elements as the loop goes through before \
                         it (`let d = &mut d[..w];`)";
/// What helps where counters are multiplied.
const BY_SUMS: &str = "the index that is tested multiplies loop counters: multiply them by constants or sizes only";
/// What helps where it is computed otherwise.
const BY_PEELING: &str = "an index that is tested is a quotient, a remainder, a choice or made of bits: give the iterations where \
                          it wraps around loops of their own (`for i in 0..n - 1`, then the last one)";
/// Attributes and annotations of functions that are left alone.
pub const OPT_NONE: &str = "optnone";
/// The same for functions that are to be small.
pub const MIN_SIZE: &str = "minsize";
/// A loop that a call may end.
pub const ENDS_ON_CALL: &str = "it ends on what a call returns";
/// A loop that loaded values end, others in each iteration.
pub const ENDS_ON_DATA: &str = "it ends on data that it looks up";
/// A loop that reads what it ends on from one place again and again, as it may store to it.
pub const ENDS_ON_LOADED: &str = "it ends on what is loaded again in each iteration";
/// A loop that goes from one element to the next by pointers, as through lists and trees.
pub const FOLLOWS: &str = "it follows pointers";
/// A bound that is loaded from another place in each iteration of a loop around.
pub const BOUND_CHANGES: &str = "the bound changes in the loops around";
/// A subscript, or a bound, with products of loop counters.
pub const PRODUCT: &str = "loop counters are multiplied";
/// A bound with a loop counter that steps by a size, or is multiplied by one.
pub const BY_SIZE: &str = "a loop counter is multiplied by a size";
/// A subscript of an array whose other subscripts have rows of other sizes.
pub const UNLIKE_ROWS: &str = "rows of one array have different sizes";
/// A subscript with products of higher degree than polynomials have.
pub const MANY_SIZES: &str = "a loop counter is multiplied by more than three sizes";
/// What helps there.
const BY_NUMBERS: &str = "products of more are not followed: let one of the sizes be a number";
/// A subscript in which counters step by sizes that are no multiples of each other.
pub const STEPS: &str = "loop counters are multiplied by different sizes";
/// A trip count or a subscript is a quotient by a value.
pub const DIVISOR: &str = "division by something that is not a positive constant";
/// What helps there.
const BY_NUMBER: &str = "a loop steps by a value, or something is divided by one: step by a number, or loop over a counter of \
                         the steps up to a bound that is computed before the loops";
/// What helps where conditions choose a subscript.
const BY_CHOICE: &str = "bound a counter from above first, then from below (`v = v < most ? v : most; v = v > least ? v : least;`); \
                         other choices belong out of the loop";
/// A pointer that is looked up in the loops, at a place that changes.
pub const CHANGES: &str = "it is looked up at another place in each iteration";
/// What helps there.
const BY_ROW: &str = "look for the row in a loop of its own, and copy its pointer into a local variable before the loops that compute; \
     pointers to many rows into an array of a size that is a number (`double *rows[100][100]`)";
/// A pointer that each iteration moves on, by steps that are not known.
pub const MOVED: &str = "each iteration moves it on";
/// A pointer, or a length, that takes turns with others: two that change places.
pub const SWAPPED: &str = "it takes turns with others from iteration to iteration";
/// A condition on data with a call behind it.
pub const CALL_BEHIND: &str = "with a call behind it";
/// An element of a row behind a pointer that only some iterations access.
pub const ROW_BEHIND_TEST: &str = "only where a test of data lets it is it known to lead to a row";
/// What helps there.
const BY_VALUE: &str = "a row behind a pointer is accessed only where a test of data lets it: read its element into a local \
                        variable before the test (`v = a[i][j];`), and if it is stored, store in every iteration \
                        (`a[i][j] = test ? x : v;`)";
/// The same where the test is one of loop counters, but no sum of them.
pub const ROW_BEHIND_COUNTERS: &str = "only where a test of loop counters lets it is it known to lead to a row";
/// What helps there.
const BY_NUMBER_OF_TEST: &str = "a row behind a pointer is accessed only where a test of loop counters lets it: access it in every \
                        iteration, with the test as a number (`n += (a[i][j] > 0) & ((i != 0) | (j != 0));`)";
/// A condition on a product of sizes.
pub const OF_SIZES: &str = "on a product of sizes";
/// What helps there.
const BY_ONE_SIZE: &str =
    "multiply the sizes before the loops, into one local variable, and loop up to that (`n = a * b * c`)";
/// What limits of sizes count.
pub const STATEMENTS: &str = "statements";
pub const IN_FUNCTION: &str = "instructions in the function";
pub const PAIRS: &str = "pairs of arrays that may overlap";
/// Conditions that make too many cases together.
pub const ALTERNATIVES: &str = "too many alternatives of conditions";
/// Of loops without effects on memory: there is just one.
pub const ALONE: &str = "a single loop";
/// The same where integers are computed: LLVM's vectorizer takes sums of them as they are.
pub const ALONE_INTEGERS: &str = "a single loop, on integers";
/// Of several loops, of which the innermost one that reads does so in sequence.
pub const ALONG_ROWS: &str = "these loops go along rows";
/// Of loops in functions that access no memory.
pub const NO_MEMORY: &str = "nor reads from it";
/// A subscript that may run beyond its row.
pub const BEYOND: &str = "rows of the array overlap";
/// A condition on what is loaded from one and the same place again and again.
pub const RELOADED: &str = "on what is loaded from one place";
/// A subscript, or the place of one, with what is loaded from one and the same place again and again.
pub const LOADED_AGAIN: &str = "with what is loaded again in each iteration";
/// A subscript that is data, in arrays of which nobody knows whether they overlap.
pub const MAY_OVERLAP: &str = "it is found out by looking at data, and the arrays may overlap";
/// A subscript, or a bound, that is computed from counters and sizes, by remainders, bits and the like.
pub const COMPUTED_BY: &str = "it is made of more than sums and products";
/// The same in arrays of which nobody knows whether they overlap.
pub const COMPUTED_MAY_OVERLAP: &str = "it is made of more than sums and products, and the arrays may overlap";
/// A subscript that a loop around looks up.
pub const AROUND: &str = "a loop around looks it up";
/// The same where that loop cannot be the innermost one, as its iterations need what others of them write.
pub const AROUND_KEPT: &str = "a loop around looks it up, and reads what it has written";
/// The same where another subscript is looked up in the loop itself.
pub const BOTH: &str = "a loop around looks it up, and this one another";
/// The same of a row that the innermost loop goes along.
pub const ROW_LOOKED_UP: &str = "a loop around looks up the row";
/// A subscript that is what the iterations before have left in a variable.
pub const COUNTED_ON: &str = "the loops count it on, as data says";
/// A subscript that a loop has found by looking at data.
pub const SEARCHED: &str = "a loop finds it out by looking at data";
/// A subscript that conditions choose.
pub const CHOICE: &str = "a condition chooses between values";

/// What has to stay where it is.
pub const VOLATILE: &str = "volatile access";
/// The same for other threads' sake.
pub const ATOMIC: &str = "atomic access";
/// The same of the target's own instructions.
pub const ASSEMBLY: &str = "assembly";
/// The same between accesses.
pub const FENCE: &str = "fence";
/// What is said behind these where a loop ends on the access.
pub const ON_WHICH_IT_ENDS: &str = ", on which a loop ends,";
/// All of these.
pub const NATURES: [&str; 4] = [VOLATILE, ATOMIC, ASSEMBLY, FENCE];

/// What helps where there is more than a limit of what is counted.
const OF_LIMITS: [(&str, &str); 3] = [
    (STATEMENTS, "split the nest, or raise -polyrs-max-stmts"),
    (IN_FUNCTION, "split the function, or raise -polyrs-max-instructions"),
    (PAIRS, "declare the pointers restrict, or split the nest so that each uses fewer"),
];
/// Details whose remedies name nothing.
const FIXED: [(&str, &str); 18] = [
    (OF_SIZES, BY_ONE_SIZE),
    (NO_MEMORY, "nothing: new orders of loops use memory better, and these compute without it"),
    (UNWINDS, BY_BORROWING),
    (ENDS_PROGRAM_COMPUTED, BY_PEELING),
    (ENDS_PROGRAM_PRODUCT, BY_SUMS),
    (ENDS_PROGRAM_LENGTH, BY_LENGTH),
    (MANY_SIZES, BY_NUMBERS),
    (ROW_BEHIND_TEST, BY_VALUE),
    (ROW_BEHIND_COUNTERS, BY_NUMBER_OF_TEST),
    (DIVISOR, BY_NUMBER),
    (CHOICE, BY_CHOICE),
    (CHANGES, BY_ROW),
    (
        ENDS_INSIDE,
        "the jump out of the inner loop ends this one, too: look for its reason in loops of their own, then run these up to there",
    ),
    (NO_EXIT, "nothing ends the loop: give it a condition, if it is to end"),
    (OPT_NONE, "compile with -O1 or more: -O0 marks all functions so; or remove the attribute"),
    (MIN_SIZE, "compile with -O2 or -O3: -Oz marks all functions so; or remove the attribute"),
    (ASSEMBLY, "write it without assembly (intrinsics are fine), or move it into a loop of its own"),
    (FENCE, "move the fence behind the loops, where no other thread looks before"),
];

/// Details with a remedy of their own.
#[cfg(test)]
const DETAILS: [(RejectKind, &str); 21] = [
    (RejectKind::NonAffineCondition, ENDS_PROGRAM_AGAIN),
    (RejectKind::NonAffineBound, FOLLOWS),
    (RejectKind::NonAffineBound, ENDS_ON_CALL),
    (RejectKind::NonAffineBound, ENDS_ON_DATA),
    (RejectKind::NonAffineBound, BOUND_CHANGES),
    (RejectKind::NonAffineAccess, PRODUCT),
    (RejectKind::NonAffineAccess, STEPS),
    (RejectKind::NonAffineAccess, BEYOND),
    (RejectKind::NonAffineCondition, RELOADED),
    (RejectKind::NonAffineAccess, LOADED_AGAIN),
    (RejectKind::UnsupportedInstruction, ATOMIC),
    (RejectKind::NonAffineAccess, SEARCHED),
    (RejectKind::NonAffineAccess, COUNTED_ON),
    (RejectKind::NonAffineAccess, ROW_LOOKED_UP),
    (RejectKind::NonAffineAccess, BOTH),
    (RejectKind::NonAffineAccess, AROUND_KEPT),
    (RejectKind::NonAffineAccess, UNLIKE_ROWS),
    (RejectKind::NonAffineBound, ENDS_ON_LOADED),
    (RejectKind::VariantBase, SWAPPED),
    (RejectKind::NonAffineBound, WORK_LIST),
    (RejectKind::NonAffineBound, COUNTED_BEFORE),
];

/// `a`; `a` and `b`; `a`, `b` and `c`.
fn listed(named: &[String]) -> Option<String> {
    let quoted = |name: &String| match name.strip_prefix("load from ") {
        None if without_standard(name) != name => format!("`{}`", without_standard(name)),
        None if name.starts_with(LIBRARY) => format!("`{}`", &name[LIBRARY.len()..]),
        Some(pointer) => format!("what is loaded from {pointer}"),
        None if [COPY, FILL, THROUGH].iter().any(|what| name.starts_with(what)) => format!("the {name}"),
        None => format!("`{name}`"),
    };
    let quoted: Vec<String> = named.iter().map(quoted).collect();
    match quoted.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [front @ .., last] => Some(format!("{} and {last}", front.join(", "))),
    }
}

/// What helps where a loop is one of a library's own.
pub fn of_librarys_loop(called: &str) -> String {
    let own = called.rsplit("::").next().unwrap_or_default();
    if is_freeing(own) {
        return format!("{called} frees what it holds, one by one: there is nothing to gain");
    }
    if own == "collect" {
        return format!(
            "{called} makes a new Vec: store into a slice that is there (`for (o, x) in out.iter_mut().zip(..) {{ *o = ..; }}`)"
        );
    }
    format!("the loops are those of {called}: write them in the source, if they are to be rewritten")
}

/// What helps where a function of a library, of which the user cannot change the code, makes a call.
fn of_library(named: &[String]) -> Option<String> {
    let names: Option<Vec<&str>> = named.iter().map(|name| name.strip_prefix(LIBRARY)).collect();
    let names = names.filter(|names| !names.is_empty())?;
    let all = listed(named)?;
    let own = |name: &str| name.trim_end_matches("()").rsplit("::").next().unwrap_or_default().to_owned();
    let are = |known: &[&str]| names.iter().all(|name| known.contains(&own(name).as_str()));
    Some(if are(&GROWING) {
        format!(
            "{all} may ask for memory: make what it adds to large enough before the loops, and store elements in them"
        )
    } else if are(&MAKING) {
        format!("{all} asks for memory: make what is needed once, before the loops, and use it again in each iteration")
    } else if names.iter().all(|name| is_freeing(&own(name))) {
        format!(
            "{all} frees what it holds, one by one: there is nothing to gain; where it runs again and again, free behind the loops"
        )
    } else if are(&COPYING) {
        format!("{all} copies memory: write it as a loop over the elements, or member by member")
    } else {
        of_librarys_call(&all)
    })
}

/// What helps where a library makes the call, or has the function, and no more is known of it.
fn of_librarys_call(all: &str) -> String {
    format!("{all} is a library's: call it in a loop of its own, before or behind the loops that compute")
}

/// What helps against calls, `all` of which have names.
fn of_call(named: &[String], all: &str) -> String {
    let (variable, them) = variables(named);
    match named {
        _ if named.iter().any(|name| is_panic(name)) => BY_BORROWING.to_owned(),
        _ if named.iter().all(|name| is_of_math(name)) => {
            format!("-fno-math-errno: by the rules of C {all} tells of errors in errno, which any function may read")
        }
        _ if named.iter().any(|name| is_of_stack(name)) => {
            "an array lives in the loops whose size is no constant: declare it before them, or with a constant size"
                .to_owned()
        }
        _ if is_among(named, &OF_C) => of_librarys_call(all),
        _ if is_among(named, &READERS) => {
            format!("{all} reads input: fill an array with it in a loop of its own, and compute on that")
        }
        _ if is_among(named, &LOOKING) => {
            format!(
                "{all} looks at memory that the loops may write to: call {them} before the loops, and keep what is \
                 returned in {variable}, or an array"
            )
        }
        _ if is_among(named, &RANDOM) => {
            format!("{all} has a state: fill an array with what it returns in a loop of its own, and compute on that")
        }
        _ if !named.iter().all(|name| is_message(name)) && of_library(named).is_some() => {
            of_library(named).unwrap_or_default()
        }
        _ if named.iter().any(|name| name.starts_with(COPY)) => {
            format!("write {all} as a loop over the elements, or copy member by member")
        }
        _ if named.iter().any(|name| name.starts_with(FILL)) => {
            let members = if named.iter().any(|name| name == "fill of memory") { "" } else { "member by member, or " };
            format!("write {all} {members}as a loop over the elements")
        }
        _ if named.iter().any(|name| name.starts_with(THROUGH)) => {
            format!("{all} may be of any function: name the function itself, so that it can be inlined")
        }
        _ if is_among(named, &ALLOCATORS) => {
            format!("allocate once before the loops and free behind them, instead of {all} in each iteration")
        }
        _ if named.iter().all(|name| is_message(name)) => {
            format!("take {all} out of the loops: keep what is to be told, and tell it behind them")
        }
        _ => {
            format!(
                "let {all} be inlined (same file, static inline, -flto), or declare {them} const, or pure where what the \
                 loops write to is restrict"
            )
        }
    }
}

/// How the compiler is told that arrays never overlap: it heeds `restrict` of parameters alone.
fn apart(named: &[String], all: &str) -> String {
    match are_variables(named) {
        true => format!("declare {all} restrict"),
        false => format!("pass {all} to a function of its own whose parameters are restrict"),
    }
}

fn are_variables(named: &[String]) -> bool {
    named.iter().all(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// What so many values are copied into, and what is said for them.
fn variables(named: &[String]) -> (&'static str, &'static str) {
    if named.len() == 1 { ("a local variable", "it") } else { ("local variables", "them") }
}

fn is_fortran(file: &str) -> bool {
    let end = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(end.as_str(), "f" | "for" | "f90" | "f95" | "f03" | "f08")
}

impl Reject {
    /// The smallest change that lets more loops in; `named` is what the user calls that which stands in the way.
    #[must_use]
    pub fn remedy(&self, named: &[String]) -> String {
        let all = listed(named);
        let or = |other: &str| all.clone().unwrap_or_else(|| other.to_owned());
        if let Some((_, remedy)) = FIXED.iter().find(|(detail, _)| *detail == self.detail) {
            return (*remedy).to_owned();
        }
        if let Some(remedy) =
            self.of_computed_end(named).or_else(|| self.of_end(named)).or_else(|| self.of_element(named))
        {
            return remedy;
        }
        if let Some((_, remedy)) = OF_LIMITS.iter().find(|(counted, _)| self.detail.ends_with(counted)) {
            return (*remedy).to_owned();
        }
        if self.detail.ends_with(ON_WHICH_IT_ENDS) {
            let flag = or("a value");
            return format!(
                "others than the loop change {flag}: loop a number of times that is known before, and look at {flag} behind that"
            );
        }
        match self.detail.as_str() {
            _ if self.kind == RejectKind::Call && is_fortran(&self.loc.file) && named.iter().any(|name| is_allocator(name)) => {
                "an assignment of a whole array, or a where, that reads what it writes makes a copy in each iteration: write it \
                 as loops over the elements; allocate arrays of your own once before the loops"
                    .to_owned()
            }
            ATOMIC => {
                let what = or("what is accessed");
                format!(
                    "use an ordinary variable for {what} where no other thread looks, or access it in a loop of its own"
                )
            }
            CALL_BEHIND => {
                let what = match of_library(named) {
                    Some(remedy) if !named.iter().any(|name| is_message(name)) => remedy,
                    _ => format!(
                        "take {} out of the loops (look for errors in a loop of their own, keep messages until behind the \
                         loops), or let it be inlined",
                        or("it")
                    ),
                };
                format!("a condition on data is no obstacle, the call behind it is: {what}")
            }
            ALTERNATIVES if self.loc.file.ends_with(".rs") => {
                "loop over one counter (`for i in 0..n`) in place of iterators put together: each has an end of its own"
                    .to_owned()
            }
            ALTERNATIVES => "split the nest, or use fewer minima, maxima and tests of counters in it".to_owned(),
            ALONE_INTEGERS => {
                format!(
                    "{} is needed by each iteration from the one before: sums of integers run in vectors without new loops; \
                     of other results only several at once do, one for each of several pieces of the data",
                    or("the result")
                )
            }
            ALONG_ROWS => {
                let of_rust = self.loc.file.ends_with(".rs");
                let sums = if of_rust { "sums of integers" } else { "sums" };
                let floats = if of_rust { "" } else { " (with -ffast-math, if they are of floating point)" };
                format!(
                    "{} keeps the order of the loops, which go along rows already, so that no exchange gains; \
                     of {sums}, -polyrs-parallel gives each thread a part{floats}",
                    or("the result")
                )
            }
            ALONE => {
                let of_rust = "in Rust if several are kept, one for each element of chunks_exact(8)";
                let how = if self.loc.file.ends_with(".rs") { of_rust } else { "with -ffast-math" };
                format!(
                    "{} is needed by each iteration from the one before; sums of floating point run in vectors {how}",
                    or("the result")
                )
            }
            RELOADED | LOADED_AGAIN if all.is_some() => RejectKind::NonAffineBound.remedy(named),
            _ => self.of_language(named).unwrap_or_else(|| self.kind.remedy(named)),
        }
    }

    /// What helps in one language, where nothing has a name; nothing where it is the same in all.
    fn of_language(&self, named: &[String]) -> Option<String> {
        let is_plain = self.detail.is_empty() || self.detail.starts_with('%');
        let is_shape = [AROUND, LOADED_AGAIN].contains(&self.detail.as_str());
        match self.kind {
            _ if !named.is_empty() => None,
            RejectKind::LoopShape if self.loc.file.ends_with(".rs") => Some(
                "leave the loop in one place only: ?, return, break and some iterators leave it early; look for errors in a \
                 loop of its own (`collect::<Result<Vec<_>, _>>()?`), and compute on what that found"
                    .to_owned(),
            ),
            RejectKind::NonAffineBound if is_plain && self.loc.file.ends_with(".rs") => Some(format!(
                "count the steps, where a range has step_by (`let m = n.div_ceil(s); for k in 0..m {{ let i = k * s; .. }}`); else {}",
                self.kind.usual_remedy()
            )),
            RejectKind::VariantBase if self.loc.file.ends_with(".rs") => {
                Some("borrow what is accessed before the loops (`let data = &mut m.data[..];`)".to_owned())
            }
            // Rust has no jumps of the user's: tests fail, and what is owned is freed before the function ends.
            RejectKind::UnstructuredControlFlow if self.loc.file.ends_with(".rs") => Some(BY_BORROWING.to_owned()),
            RejectKind::NonAffineAccess if (is_plain || is_shape) && is_fortran(&self.loc.file) => Some(format!(
                "declare the array contiguous, if it is; where it is allocatable and assigned as a whole, which may give it \
                 another shape, write `a(:, :) = b`, not `a = b`; else {}",
                self.kind.usual_remedy()
            )),
            _ => None,
        }
    }
}

impl RejectKind {
    /// The same by the kind alone.
    #[must_use]
    pub fn remedy(self, named: &[String]) -> String {
        let Some(all) = listed(named) else { return self.usual_remedy().to_owned() };
        let (variable, them) = variables(named);
        match self {
            Self::NonAffineBound | Self::VariantBase => format!("copy {all} into {variable} before the loops"),
            Self::NonAffineAccess => {
                format!("move the look-up of {all} out of the loop, or write the subscript as a sum of loop counters")
            }
            Self::NonAffineCondition => {
                format!("{all} changes in the loops: compute both results and select, or move the test out of the loop")
            }
            Self::Call => of_call(named, &all),
            Self::PathTaken => {
                format!("take {all} out of the loops: test for errors before them, and keep messages until behind them")
            }
            Self::LoopShape => {
                format!("the loop also ends on {all}: look for that in a loop of its own, then loop up to there")
            }
            Self::NoEffect => {
                format!(
                    "{all} keeps the order of the loops: if the innermost one steps from row to row, exchange them in the source \
                     (floating-point sums then round otherwise), or, for sums, use -polyrs-parallel (with -ffast-math for these)"
                )
            }
            Self::UnsupportedInstruction => {
                format!(
                    "move the accesses to {all} into a loop of their own, or let the loops use a local variable instead"
                )
            }
            Self::Aliasing => {
                format!("{}, or pass sizes so that what is accessed has bounds", apart(named, &all))
            }
            Self::CheckFails => {
                format!("check whether {all} lead to one and the same memory; if not, {}", apart(named, them))
            }
            Self::CodeSize => {
                format!("{} so that no test is needed, or compile with -O2 or -O3", apart(named, &all))
            }
            other => other.usual_remedy().to_owned(),
        }
    }

    /// The same where nothing has a name.
    fn usual_remedy(self) -> &'static str {
        match self {
            Self::NonAffineBound => {
                "copy a bound that is loaded or computed in the loops into a local variable before them"
            }
            Self::NonAffineCondition => {
                "test only loop counters and values that do not change in the loops, or compute both results and select"
            }
            Self::NonAffineAccess => {
                "write the subscript as a sum of loop counters times constants or sizes; move table look-ups out of the loop"
            }
            Self::UnstructuredControlFlow => "replace goto and jumps out of several loops by conditions",
            Self::Call => {
                "let the call be inlined (same file, static inline, -flto), or declare the function const, or pure where what the \
                 loops write to is restrict"
            }
            Self::UnsupportedInstruction => "move the volatile, atomic or throwing part into a loop of its own",
            Self::VariantBase => "copy the pointer into a local variable before the loops (double *p = m->data;)",
            Self::Aliasing => "declare the pointers restrict, or pass sizes so that what is accessed has bounds",
            Self::LoopShape => "leave the loop in one place only, and count with an integer towards a bound",
            Self::Pinned => "remove the pragma or attribute, if the loop is to run in another order",
            Self::TooLarge => "split the nest: several that follow each other may be as large each",
            Self::NoEffect => {
                "if the result is a sum, a maximum or the like, and the innermost loop steps from row to row, exchange the loops \
                 in the source (floating-point sums then round otherwise)"
            }
            Self::LeftAlone => {
                "remove the attribute, annotation or option named, if it was not meant for this function"
            }
            Self::NoCopy => "move the loops into a function of their own",
            Self::Removed => "nothing to do: LLVM removes the loop",
            Self::NeverHolds => "check the types and bounds: some index leaves its type or its array",
            Self::PathTaken => {
                "take the call out of the loops: test for errors before them, and keep messages until behind them"
            }
            Self::CheckFails => {
                "check whether the arrays passed are one and the same memory; declare them restrict if not"
            }
            Self::CodeSize => "compile with -O2 or -O3, or declare the pointers restrict so that no test is needed",
            Self::LongStep => "use smaller coefficients in the order that is asked for, or smaller tiles",
            Self::NoClosedForm => "use sizes that are multiples of the step, or unroll the loop by hand",
        }
    }
}
