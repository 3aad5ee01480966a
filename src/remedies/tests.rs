//! What is said of each reason, with names and without.

use super::*;
use crate::error::SourceLoc;

#[test]
fn a_remedy_has_the_names_of_what_stands_in_the_way() {
    let of = |kind: RejectKind, names: &[&str]| {
        kind.remedy(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    let bound = RejectKind::NonAffineBound;
    assert_eq!(of(bound, &["m->n"]), "copy `m->n` into a local variable before the loops");
    assert_eq!(of(bound, &["m->n", "k"]), "copy `m->n` and `k` into local variables before the loops");
    assert_eq!(of(bound, &["load from m"]), "copy what is loaded from m into a local variable before the loops");
    assert_eq!(
        of(RejectKind::CodeSize, &["a", "b", "c"]),
        "declare `a`, `b` and `c` restrict so that no test is needed, or compile with -O2 or -O3"
    );
    let call = RejectKind::Call;
    assert_eq!(
        of(call, &["f()"]),
        "let `f()` be inlined (same file, static inline, -flto), or declare it const, or pure where what the loops write to is \
         restrict"
    );
    assert_eq!(
        of(call, &["copy of 64 bytes"]),
        "write the copy of 64 bytes as a loop over the elements, or copy member by member"
    );
    assert_eq!(of(call, &["fill of memory"]), "write the fill of memory as a loop over the elements");
    assert!(of(call, &["call through o->f"]).starts_with("the call through o->f may be of any function"));
    assert!(of(call, &["malloc()"]).starts_with("allocate once before the loops"));
    for message in ["printf()", "print()", "std::operator<<()", "std::io::stdio::_print()"] {
        assert!(of(call, &[message]).starts_with(&format!("take `{message}` out of the loops")), "{message}");
    }
    let reads = "`fscanf()` reads input: fill an array with it in a loop of its own, and compute on that";
    assert_eq!(of(call, &["__isoc99_fscanf()"]), reads);
    assert!(of(call, &["malloc()", "f()"]).starts_with("let `malloc()` and `f()` be inlined"));
    for kind in RejectKind::ALL {
        assert!(!of(kind, &[]).is_empty() && !of(kind, &["x"]).is_empty());
    }
}

#[test]
fn details_have_remedies_of_their_own() {
    for (kind, detail) in DETAILS {
        let reject = Reject::new(kind, detail, SourceLoc::default());
        let of = |names: &[&str]| reject.remedy(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert!(of(&["f()"]).contains("`f()`"), "{}", of(&["f()"]));
        assert!(!of(&[]).is_empty());
    }
    let call = Reject::new(RejectKind::NonAffineBound, ENDS_ON_CALL, SourceLoc::default());
    assert_eq!(
        call.remedy(&["sz()".to_owned()]),
        "call `sz()` once, before the loops, and loop up to what it returned"
    );
}
