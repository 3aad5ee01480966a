//! Exact linear algebra on small integer matrices (rows are vectors).

use super::cone::gcd_of;

/// Reduced row echelon form over the rationals, each row scaled to integers without a common factor, pivots ascending.
/// Rows are taken in one by one, so rows that depend on earlier ones cost one pass over the pivots they touch.
/// `None` when an entry leaves `i128`.
fn echelon<R: AsRef<[i64]>>(rows: &[R], width: usize) -> Option<(Vec<Vec<i128>>, Vec<usize>)> {
    let mut by_pivot: Vec<Option<Vec<i128>>> = vec![None; width];
    let mut rank = 0;
    for row in rows {
        let mut row: Vec<i128> = row.as_ref()[..width].iter().map(|x| i128::from(*x)).collect();
        let mut lead = None;
        for col in 0..width {
            if row[col] != 0 {
                match &by_pivot[col] {
                    Some(pivot) => reduce(&mut row, pivot, col)?,
                    None if lead.is_none() => lead = Some(col),
                    None => {}
                }
            }
        }
        if let Some(col) = lead {
            divide_by_gcd(&mut row);
            by_pivot[col] = Some(row);
            rank += 1;
            if rank == width {
                break;
            }
        }
    }
    back_substitute(&mut by_pivot)?;
    let pivots = (0..width).filter(|&c| by_pivot[c].is_some()).collect();
    Some((by_pivot.into_iter().flatten().collect(), pivots))
}

/// Clears each pivot column in the rows with smaller pivots.
fn back_substitute(by_pivot: &mut [Option<Vec<i128>>]) -> Option<()> {
    for col in (0..by_pivot.len()).rev() {
        let (before, rest) = by_pivot.split_at_mut(col);
        if let Some(pivot) = &rest[0] {
            for row in before.iter_mut().flatten().filter(|r| r[col] != 0) {
                reduce(row, pivot, col)?;
                divide_by_gcd(row);
            }
        }
    }
    Some(())
}

/// Eliminates column `col` of `row` with `pivot`, whose first entry not 0 is there.
fn reduce(row: &mut [i128], pivot: &[i128], col: usize) -> Option<()> {
    let (p, q) = match pivot[col] {
        1 => (1, row[col]),
        -1 => (1, row[col].checked_neg()?),
        other => {
            let g = gcd_of(&[other, row[col]]);
            if other < 0 { (-other / g, -row[col] / g) } else { (other / g, row[col] / g) }
        }
    };
    if p != 1 {
        for x in row.iter_mut().filter(|x| **x != 0) {
            *x = x.checked_mul(p)?;
        }
    }
    for (x, y) in row[col..].iter_mut().zip(&pivot[col..]).filter(|(_, y)| **y != 0) {
        *x = x.checked_sub(y.checked_mul(q)?)?;
    }
    Some(())
}

fn divide_by_gcd(row: &mut [i128]) {
    let g = gcd_of(row);
    if g > 1 {
        row.iter_mut().for_each(|x| *x /= g);
    }
}

/// Rank of the rows; `None` on overflow.
#[must_use]
pub fn rank(rows: &[Vec<i64>], width: usize) -> Option<usize> {
    echelon(rows, width).map(|(m, _)| m.len())
}

/// Independent rows with the same span; `None` on overflow.
#[must_use]
pub fn span(rows: &[&Vec<i64>], width: usize) -> Option<Vec<Vec<i64>>> {
    let (m, _) = echelon(rows, width)?;
    m.into_iter().map(|row| row.into_iter().map(|x| i64::try_from(x).ok()).collect()).collect()
}

/// Integer basis of `{ x : rows . x = 0 }`, each vector without a common factor and with a positive first free entry.
/// Empty when only 0 solves; `None` on overflow.
#[must_use]
pub fn nullspace(rows: &[Vec<i64>], width: usize) -> Option<Vec<Vec<i64>>> {
    let (m, pivots) = echelon(rows, width)?;
    let mut basis = Vec::new();
    for free in (0..width).filter(|c| !pivots.contains(c)) {
        let mut scale = 1i128;
        for (row, &p) in m.iter().zip(&pivots) {
            if row[free] != 0 {
                let den = row[p].abs() / gcd_of(&[row[p], row[free]]);
                scale = scale.checked_mul(den / gcd_of(&[den, scale]))?;
            }
        }
        let mut v = vec![0i128; width];
        v[free] = scale;
        for (row, &p) in m.iter().zip(&pivots) {
            v[p] = scale.checked_mul(row[free])?.checked_neg()? / row[p];
        }
        let g = gcd_of(&v).max(1);
        basis.push(v.into_iter().map(|x| i64::try_from(x / g).ok()).collect::<Option<Vec<i64>>>()?);
    }
    Some(basis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_of_dependent_rows() {
        assert_eq!(rank(&[vec![1, 2, 3], vec![2, 4, 6], vec![0, 1, 1]], 3), Some(2));
        assert_eq!(rank(&[], 3), Some(0));
        assert_eq!(rank(&[vec![0, 0]], 2), Some(0));
    }

    #[test]
    fn nullspace_is_orthogonal_and_complete() {
        let rows = vec![vec![2, 1, 0, 3], vec![0, 3, -1, 1]];
        let basis = nullspace(&rows, 4).expect("small");
        assert_eq!(basis.len(), 2);
        for b in &basis {
            for r in &rows {
                assert_eq!(super::super::cone::dot(r, b), Some(0));
            }
        }
        assert_eq!(rank(&basis, 4), Some(2));
        assert_eq!(nullspace(&[], 2).expect("small"), vec![vec![1, 0], vec![0, 1]]);
        assert!(nullspace(&[vec![1, 0], vec![1, 1]], 2).expect("small").is_empty());
    }
}
