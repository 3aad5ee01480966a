//! Tuples of piecewise functions with domains of their own.

use presburger::{Budget, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, Set, UnionPwMultiAff};

fn f(text: &str) -> MultiPwAff {
    MultiPwAff::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn texts_are_read_and_printed() {
    let b = Budget::unlimited();
    for text in [
        "{ S[i] -> A[(i : i >= 0), (2i)] }",
        "[N] -> { S[i, j] -> A[(i + N : i >= 0; -i : i < 0), (floor(j/2)), (3)] }",
        "{ S[i] -> [(i : i >= 3), (0 : false)] }",
        "[N] -> { A[(N : N > 0), (-N)] }",
        "{ [i] -> [(i)] : i >= 0 }",
    ] {
        let one = f(text);
        assert!(f(&one.to_string()).is_equal(&one, &b).unwrap(), "{text} became {one}");
    }
    assert_eq!(f("{ S[i] -> A[(i : i >= 0), (2i)] }").to_string(), "{ S[i] -> A[(i : i >= 0), (2i)] }");
    assert_eq!(f("{ S[i] -> A[] }").components().len(), 0);
    let e = MultiPwAff::parse("{ S[i] -> A[(i), (2k)] }").unwrap_err();
    assert_eq!((e.line, e.column), (1, 20), "{e}");
    assert!(MultiPwAff::parse("3").is_err());
}

#[test]
fn components_have_their_own_domains() {
    let b = Budget::unlimited();
    let x = f("{ S[i] -> A[(i : i >= 0), (2i)] }");
    let y = f("[N] -> { S[i] -> A[(1), (N : i <= 4)] }");
    let at = |m: &MultiPwAff, n: i64, i: i64| {
        m.components().iter().map(|p| p.eval(&[n][..p.space().n_param()], &[i])).collect::<Vec<_>>()
    };
    assert_eq!(at(&x, 0, -3), [None, Some(-6)]);
    let sum = x.add(&y, &b).unwrap();
    assert_eq!(at(&sum, 7, 3), [Some(4), Some(13)]);
    assert_eq!(at(&sum, 7, -1), [None, Some(5)]);
    assert_eq!(at(&sum, 7, 5), [Some(6), None]);
    assert_eq!(at(&x.union_add(&y, &b).unwrap(), 7, 9), [Some(10), Some(18)]);
    assert_eq!(at(&x.sub(&x, &b).unwrap().scale(3), 0, 2), [Some(0), Some(0)]);
    let whole = sum.to_pw_multi_aff(&b).unwrap();
    assert_eq!(whole.eval(&[7], &[3]), Some(vec![4, 13]));
    assert_eq!(whole.eval(&[7], &[5]), None);
    let small = x.intersect_domain(&Set::parse("{ S[i] : i <= 1 }").unwrap());
    assert_eq!(at(&small, 0, 2), [None, None]);
    let inner = PwMultiAff::parse("{ T[a, b] -> S[(a - b)] }").unwrap();
    let composed = x.pullback(&inner, &b).unwrap();
    assert_eq!(composed.components()[1].eval(&[], &[1, 5]), Some(-8));
    let back = MultiPwAff::from_pw_multi_aff(&whole);
    assert!(back.to_pw_multi_aff(&b).unwrap().is_equal(&whole, &b).unwrap());
    assert!(!x.is_equal(&y, &b).unwrap());
}

#[test]
fn components_may_be_of_several_spaces() {
    let b = Budget::unlimited();
    let text = "[N] -> L[{ S[i] -> [(i)]; T[] -> [(N)] }, { S[i] -> [(0)] : i > 2; T[] -> [(1)] }]";
    let x = MultiUnionPwAff::parse(text).unwrap();
    assert_eq!((x.tuple(), x.components().len()), ("L", 2));
    let again = MultiUnionPwAff::parse(&x.to_string()).unwrap();
    assert!(again.is_equal(&x, &b).unwrap(), "{x}");
    assert!(x.sub(&x, &b).unwrap().is_equal(&x.scale(0), &b).unwrap());
    let both = x.to_union_pw_multi_aff(&b).unwrap();
    let want = UnionPwMultiAff::parse("[N] -> { S[i] -> L[(i), (0)] : i > 2; T[] -> L[(N), (1)] }").unwrap();
    assert!(both.is_equal(&want, &b).unwrap(), "{both}");
    let e = MultiUnionPwAff::parse("[{ S[i] -> [(i)] }, { S[i] -> [(k)] }]").unwrap_err();
    assert_eq!((e.line, e.column), (1, 33), "{e}");
    assert!(MultiUnionPwAff::parse("{ S[i] -> [(i)] }").is_err());
    assert_eq!(MultiUnionPwAff::new(Vec::new(), "").to_string(), "[]");
    let parts = vec![PwAff::parse("{ S[i] -> [(i)] }").unwrap()];
    let space = parts[0].space().clone();
    assert_eq!(MultiPwAff::new(&space, parts, "A").to_string(), "{ S[i] -> A[(i)] }");
}
