//! Exact linear algebra on small integer matrices (rows are vectors).

use super::farkas::gcd_of;

/// Row echelon form over the rationals, each row scaled to integers without a common factor.
/// `None` when an entry leaves `i128` or `i64`.
fn echelon(rows: &[Vec<i64>], width: usize) -> Option<(Vec<Vec<i128>>, Vec<usize>)> {
    let mut m: Vec<Vec<i128>> = rows.iter().map(|r| r.iter().map(|x| i128::from(*x)).collect()).collect();
    let mut pivots = Vec::new();
    let mut top = 0;
    for col in 0..width {
        let Some(pick) = (top..m.len()).find(|&r| m[r][col] != 0) else {
            continue;
        };
        m.swap(top, pick);
        let pivot = m[top].clone();
        for (r, row) in m.iter_mut().enumerate() {
            if r != top && row[col] != 0 {
                reduce(row, &pivot, col)?;
            }
        }
        pivots.push(col);
        top += 1;
        if top == m.len() {
            break;
        }
    }
    m.truncate(top);
    Some((m, pivots))
}

/// Eliminates column `col` of `row` with `pivot`.
fn reduce(row: &mut [i128], pivot: &[i128], col: usize) -> Option<()> {
    let (p, q) = (pivot[col], row[col]);
    for (x, y) in row.iter_mut().zip(pivot) {
        *x = x.checked_mul(p)?.checked_sub(y.checked_mul(q)?)?;
    }
    let g = gcd_of(row);
    if g > 1 {
        row.iter_mut().for_each(|x| *x /= g);
    }
    Some(())
}

/// Rank of the rows; `None` on overflow.
#[must_use]
pub fn rank(rows: &[Vec<i64>], width: usize) -> Option<usize> {
    echelon(rows, width).map(|(m, _)| m.len())
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
                assert_eq!(super::super::farkas::dot(r, b), Some(0));
            }
        }
        assert_eq!(rank(&basis, 4), Some(2));
        assert_eq!(nullspace(&[], 2).expect("small"), vec![vec![1, 0], vec![0, 1]]);
        assert!(nullspace(&[vec![1, 0], vec![1, 1]], 2).expect("small").is_empty());
    }
}
