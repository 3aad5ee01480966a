//! Values are written and read as their text, with the feature `serde`.
#![cfg(feature = "serde")]

use presburger::{Budget, PwQPoly, Set, UnionMap};

#[test]
fn values_come_back_from_their_text() {
    let s = Set::parse("[N] -> { S[i] : 0 <= i < N and i mod 3 = 1 }").unwrap();
    let json = serde_json::to_string(&s).unwrap();
    assert_eq!(json, format!("\"{s}\""));
    let back: Set = serde_json::from_str(&json).unwrap();
    assert!(back.is_equal(&s, &Budget::unlimited()).unwrap());

    let m = UnionMap::parse("{ A[i] -> B[i + 1]; B[i] -> C[] }").unwrap();
    let back: UnionMap = serde_json::from_str(&serde_json::to_string(&m).unwrap()).unwrap();
    assert!(back.is_equal(&m, &Budget::unlimited()).unwrap());

    let c = s.card(&Budget::unlimited()).unwrap().unwrap();
    let back: PwQPoly = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
    assert_eq!(back.eval(&[100], &[]), 33.into());
    let wrong = serde_json::from_str::<Set>("\"{ [i] : i >= k }\"").unwrap_err();
    assert!(wrong.to_string().contains("unknown name 'k'"), "{wrong}");
}
