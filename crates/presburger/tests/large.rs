//! Rows and points with numbers of any size.

use presburger::{BigInt, Budget, Error, Kind, Map, Set};

fn far() -> BigInt {
    "99999999999999999999999".parse().unwrap()
}

#[test]
fn rows_are_read_and_written_in_full() {
    let b = Budget::unlimited();
    let set = Set::parse("{ [i, j] : i >= 99999999999999999999999 and j = 2i }").unwrap();
    let piece = &set.basics()[0];
    assert_eq!(piece.rows_i64(), Err(Error::Overflow));
    let rows = piece.rows_big();
    assert!(rows.contains(&(Kind::Ge, vec![1.into(), 0.into(), -far()])), "{rows:?}");
    let mut again = Set::universe(set.space().clone());
    for (kind, row) in &rows {
        again = again.add_big(*kind, row);
    }
    assert!(again.is_equal(&set, &b).unwrap(), "{again}");
    // Small ones are those of `rows_i64`.
    let small = Set::parse("[N] -> { [i] : 0 <= i < N and i mod 3 = 1 }").unwrap();
    let piece = &small.basics()[0];
    let wide = |(kind, row): (Kind, Vec<i64>)| (kind, row.into_iter().map(BigInt::from).collect::<Vec<_>>());
    assert_eq!(piece.rows_big(), piece.rows_i64().unwrap().into_iter().map(wide).collect::<Vec<_>>());
    assert_eq!(piece.floors_big().len(), piece.div_defs().len());
}

#[test]
fn rows_without_existentials_are_widened() {
    let b = Budget::unlimited();
    let evens = Set::parse("{ [i] : i mod 2 = 0 }").unwrap();
    let from = evens.add_big(Kind::Ge, &[1.into(), -far()]);
    let least = from.lexmin(&b).unwrap();
    assert_eq!(least.points_big(1).unwrap(), [vec![far() + 1]]);
    let mut piece = evens.basics()[0].clone();
    piece.add_big(Kind::Ge, &[1.into(), -far()]);
    assert!(piece.to_set().is_equal(&from, &b).unwrap());
    let map = Map::parse("{ [i] -> [j] }").unwrap().add_big(Kind::Eq, &[1.into(), (-1).into(), far()]);
    let text = Map::parse("{ [i] -> [i + 99999999999999999999999] }").unwrap();
    assert!(map.is_equal(&text, &b).unwrap(), "{map}");
}

#[test]
fn points_have_coordinates_of_any_size() {
    let b = Budget::unlimited();
    let set = Set::parse("{ [i] : 99999999999999999999998 <= i <= 99999999999999999999999 }").unwrap();
    assert_eq!(set.points(9), Err(Error::Overflow));
    assert_eq!(set.points_big(9).unwrap(), [vec![far() - 1], vec![far()]]);
    assert_eq!(set.sample(&b), Err(Error::Overflow));
    let at = set.sample_big(&b).unwrap().unwrap();
    let point = set.sample_set(&b).unwrap().unwrap();
    assert!(point.is_subset(&set, &b).unwrap());
    assert!(point.is_equal(&Set::of_point(set.space().clone(), &at), &b).unwrap());
    assert_eq!(Set::parse("{ [i] : 1 <= 0 }").unwrap().sample_big(&b), Ok(None));
}
