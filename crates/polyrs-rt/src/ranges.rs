//! Ranges of the host's memory: which of them overlap, and what of a copy goes back.

use crate::{FRESH, Range, WHOLE, WRITTEN};

/// Memory of the host that has one piece of the device's memory: the union of ranges that overlap or touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Address of the first byte.
    pub first: u64,
    /// Bytes.
    pub bytes: u64,
    /// Kernels write in it.
    pub written: bool,
    /// They write every byte of it: it is one range, which says so.
    pub whole: bool,
    /// What it held before is of no use to them: it is such a range, which says so.
    pub fresh: bool,
    /// Positions of its ranges.
    pub ranges: Vec<usize>,
}

impl Piece {
    /// Address behind the last byte.
    pub fn end(&self) -> u64 {
        self.first + self.bytes
    }

    /// Whether a byte is in it.
    pub fn holds(&self, address: u64) -> bool {
        (self.first..self.end()).contains(&address)
    }

    /// Whether all of another piece is in it.
    pub fn contains(&self, other: &Self) -> bool {
        self.first <= other.first && other.end() <= self.end()
    }
}

/// Whether two pieces have a byte in common.
pub fn overlap(a: &Piece, b: &Piece) -> bool {
    a.first < b.end() && b.first < a.end()
}

/// All bytes of two pieces that overlap; it stands for no range.
pub fn union(a: &Piece, b: &Piece) -> Piece {
    let (first, end) = (a.first.min(b.first), a.end().max(b.end()));
    let written = a.written || b.written;
    Piece { first, bytes: end - first, written, whole: false, fresh: false, ranges: Vec::new() }
}

/// The pieces, in the order of addresses; ranges without bytes are in none. `None`: a range goes beyond the end of
/// memory.
pub fn pieces(ranges: &[Range]) -> Option<Vec<Piece>> {
    let mut order: Vec<usize> = (0..ranges.len()).filter(|k| ranges[*k].bytes > 0).collect();
    order.sort_by_key(|k| (ranges[*k].first, *k));
    let mut all: Vec<Piece> = Vec::new();
    for k in order {
        let Range { first, bytes, flags, .. } = ranges[k];
        let end = first.checked_add(bytes)?;
        let (written, whole) = (flags & WRITTEN != 0, flags & WHOLE != 0);
        match all.last_mut() {
            Some(last) if first < last.first + last.bytes => {
                last.bytes = last.bytes.max(end - last.first);
                last.written |= written;
                (last.whole, last.fresh) = (false, false);
                last.ranges.push(k);
            }
            _ => {
                all.push(Piece { first, bytes, written, whole, fresh: whole && flags & FRESH != 0, ranges: vec![k] });
            }
        }
    }
    Some(all)
}

/// Stores what differs between `before` and `after` to `to`, and nothing else: bytes that no kernel has written may
/// belong to other threads, or to memory that cannot be written.
///
/// # Safety
/// `to` points to as many bytes as both have; those that differ can be written.
pub unsafe fn store_changes(to: *mut u8, before: &[u8], after: &[u8]) {
    const WORD: usize = 64;
    for (k, (old, new)) in before.chunks(WORD).zip(after.chunks(WORD)).enumerate() {
        if old == new {
            continue;
        }
        for (i, (a, b)) in old.iter().zip(new).enumerate() {
            if a != b {
                // SAFETY: within the bytes of `to`, and it differs.
                unsafe { to.add(k * WORD + i).write(*b) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u64, bytes: u64, flags: u64) -> Range {
        Range { first, bytes, flags, offset: 0 }
    }

    #[test]
    fn ranges_that_overlap_share_a_piece() {
        let all = [range(100, 50, 0), range(300, 10, WRITTEN | WHOLE), range(120, 60, WRITTEN | WHOLE), range(7, 0, 0)];
        let made = pieces(&all).expect("no overflow");
        assert_eq!(made.len(), 2);
        assert_eq!((made[0].first, made[0].bytes, made[0].written, made[0].whole), (100, 80, true, false));
        assert_eq!(made[0].ranges, [0, 2]);
        assert_eq!((made[1].first, made[1].bytes, made[1].written, made[1].whole), (300, 10, true, true));
    }

    #[test]
    fn what_is_overwritten_is_fresh_by_itself_only() {
        let flags = WRITTEN | WHOLE | FRESH;
        let made =
            pieces(&[range(0, 10, flags), range(20, 10, flags), range(25, 10, 0), range(50, 10, WRITTEN | FRESH)]);
        let made: Vec<bool> = made.expect("no overflow").iter().map(|piece| piece.fresh).collect();
        assert_eq!(made, [true, false, false]);
    }

    #[test]
    fn room_for_kernels_is_copied_nowhere() {
        let made = pieces(&[range(0, 10, WHOLE | FRESH), range(20, 10, 0)]).expect("no overflow");
        assert_eq!((made[0].fresh, made[0].written), (true, false));
        assert!(!made[1].fresh);
    }

    #[test]
    fn a_range_inside_of_another_adds_nothing() {
        let made = pieces(&[range(0, 100, 0), range(10, 5, 0), range(50, 50, 0)]).expect("no overflow");
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].bytes, 100);
    }

    #[test]
    fn pieces_are_apart_or_overlap() {
        let all = pieces(&[range(0, 10, WRITTEN), range(10, 10, 0)]).expect("no overflow");
        assert!(!overlap(&all[0], &all[1]) && all[0].holds(9) && !all[0].holds(10));
        let both = pieces(&[range(5, 10, 0)]).expect("no overflow");
        assert!(overlap(&both[0], &all[0]) && overlap(&all[1], &both[0]) && !all[0].contains(&both[0]));
        let made = union(&all[0], &both[0]);
        assert_eq!((made.first, made.bytes, made.written), (0, 15, true));
        assert!(made.contains(&all[0]) && made.contains(&both[0]));
    }

    #[test]
    fn a_range_beyond_the_end_is_refused() {
        assert_eq!(pieces(&[range(u64::MAX - 3, 8, 0)]), None);
    }

    #[test]
    fn only_what_differs_is_stored() {
        let before = vec![1u8; 200];
        let mut after = before.clone();
        (after[0], after[130], after[199]) = (2, 3, 4);
        let mut host = vec![9u8; 200];
        // SAFETY: 200 bytes each.
        unsafe { store_changes(host.as_mut_ptr(), &before, &after) };
        assert_eq!((host[0], host[1], host[130], host[199]), (2, 9, 3, 4));
        assert_eq!(host.iter().filter(|b| **b == 9).count(), 197);
    }
}
