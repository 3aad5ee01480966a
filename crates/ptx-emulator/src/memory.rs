//! Memory that knows who has touched it.
//!
//! Each byte remembers whether it was ever written, and of the present launch who wrote it last and who read it.
//! Accesses of two threads race where they touch one byte, one of them writes, not both are atomic, and no barrier lies
//! between them: one of the same block, as nothing orders blocks within a launch. The same holds for what launches and
//! copies of several streams touch, where neither is known to be over before the other ([`Global::begin`]).

use crate::findings::Finding;
use std::collections::BTreeMap;

/// Where the memory of the device begins.
const GLOBAL_BASE: u64 = 0x7000_0000_0000;
/// Bytes between two pieces of memory, at least: nobody who misses one ends up in another.
const GAP: u64 = 4096;
/// Stands for several blocks or threads.
const SEVERAL: u32 = u32::MAX;

/// Who touches memory.
#[derive(Clone, Copy, Debug)]
pub struct Who {
    /// Number of the launch among all work, from 1.
    pub launch: u32,
    /// Number of the block.
    pub block: u32,
    /// Number of the thread in its block.
    pub thread: u32,
    /// Barriers that the block has passed.
    pub epoch: u32,
}

/// How memory is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum How {
    Read,
    /// Of what no thread of the launch writes.
    ReadConstant,
    Write,
    Atomic,
}

impl How {
    /// Whether nothing is written.
    #[must_use]
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadConstant)
    }
}

/// What a byte remembers of a launch.
#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    /// Of the last write; 0: none.
    write_launch: u32,
    write_block: u32,
    write_thread: u32,
    write_epoch: u32,
    /// Of the reads since then; 0: none.
    read_launch: u32,
    read_block: u32,
    read_thread: u32,
    read_epoch: u32,
    /// Of the reads that need not see what is written; 0: none.
    constant_launch: u32,
    written_atomically: bool,
}

impl Shadow {
    /// Notes an access; the race that it makes, if it makes one. `open`: launches that may run at the same time.
    fn touch(&mut self, who: Who, how: How, open: &[u32]) -> Option<Finding> {
        let mut found = self.meets(!how.only_reads(), open).then_some(Finding::Unordered);
        let atomic_pair = how == How::Atomic && self.written_atomically;
        if self.write_launch == who.launch && !atomic_pair {
            found = found.or(race(who, self.write_block, self.write_thread, self.write_epoch));
        }
        if how == How::ReadConstant {
            self.constant_launch = who.launch;
            found = found.or((self.write_launch == who.launch).then_some(Finding::Changing));
        }
        if how.only_reads() {
            self.note_read(who);
            return found;
        }
        if self.constant_launch == who.launch {
            found = found.or(Some(Finding::Changing));
        }
        if self.read_launch == who.launch {
            found = found.or(race(who, self.read_block, self.read_thread, self.read_epoch));
        }
        (self.write_launch, self.write_block) = (who.launch, who.block);
        (self.write_thread, self.write_epoch) = (who.thread, who.epoch);
        self.written_atomically = how == How::Atomic;
        self.read_launch = 0;
        found
    }

    /// Whether one of these launches has touched the byte, and it or the access at hand writes.
    fn meets(&self, writes: bool, open: &[u32]) -> bool {
        !open.is_empty() && (open.contains(&self.write_launch) || (writes && open.contains(&self.read_launch)))
    }

    fn note_read(&mut self, who: Who) {
        if self.read_launch != who.launch {
            (self.read_launch, self.read_block) = (who.launch, who.block);
            (self.read_thread, self.read_epoch) = (who.thread, who.epoch);
        } else if self.read_block != who.block {
            self.read_block = SEVERAL;
        } else if self.read_epoch != who.epoch {
            (self.read_thread, self.read_epoch) = (who.thread, who.epoch);
        } else if self.read_thread != who.thread {
            self.read_thread = SEVERAL;
        }
    }
}

/// The race between an access and an earlier one of this launch.
fn race(who: Who, block: u32, thread: u32, epoch: u32) -> Option<Finding> {
    if block != who.block {
        Some(Finding::RaceAcrossBlocks)
    } else if epoch == who.epoch && thread != who.thread {
        Some(Finding::RaceWithinBlock)
    } else {
        None
    }
}

/// Bytes that a copy has touched.
#[derive(Clone, Debug)]
struct CopyOf {
    span: std::ops::Range<usize>,
    number: u32,
    writes: bool,
}

/// A piece of memory.
#[derive(Debug)]
pub struct Piece {
    /// What is in it.
    bytes: Vec<u8>,
    written: Vec<bool>,
    shadow: Vec<Shadow>,
    /// Copies that may still be compared with what is done.
    copies: Vec<CopyOf>,
    /// Those of them, and launches, that may run at the same time as what is done now.
    open_copies: Vec<CopyOf>,
    open: Vec<u32>,
}

impl Piece {
    /// So many bytes that nobody has written.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let (copies, open_copies) = (Vec::new(), Vec::new());
        let (bytes, written) = (vec![0xa5; bytes], vec![false; bytes]);
        Self { bytes, written, shadow: Vec::new(), copies, open_copies, open: Vec::new() }
    }

    /// See [`Global::begin`].
    fn begin(&mut self, open: &[u32], least: u32) {
        self.copies.retain(|copy| copy.number >= least);
        self.open_copies = self.copies.iter().filter(|copy| open.contains(&copy.number)).cloned().collect();
        self.open = open.to_vec();
    }

    /// Notes a copy; false: a launch or copy that may run at the same time touches a byte of it, one of them writing.
    pub fn copied(&mut self, number: u32, at: u64, count: usize, writes: bool) -> bool {
        let Some(span) = self.span(at, count) else { return true };
        let meets = |copy: &CopyOf| (writes || copy.writes) && copy.span.start < span.end && span.start < copy.span.end;
        let fine = !self.open_copies.iter().any(meets)
            && (self.shadow.is_empty() || !self.shadow[span.clone()].iter().any(|byte| byte.meets(writes, &self.open)));
        self.copies.push(CopyOf { span, number, writes });
        fine
    }

    /// Bytes from `at` on; `None`: not all of them are in the piece.
    fn span(&self, at: u64, count: usize) -> Option<std::ops::Range<usize>> {
        let first = usize::try_from(at).ok()?;
        let end = first.checked_add(count)?;
        (end <= self.bytes.len()).then_some(first..end)
    }

    /// Notes an access by a thread. The findings, or `None` where it is out of bounds.
    pub fn touch(&mut self, at: u64, count: usize, who: Who, how: How) -> Option<[Option<Finding>; 2]> {
        let span = self.span(at, count)?;
        if self.shadow.is_empty() {
            self.shadow = vec![Shadow::default(); self.bytes.len()];
        }
        let mut found = [None, None];
        let meets = |copy: &CopyOf| {
            (copy.writes || !how.only_reads()) && copy.span.start < span.end && span.start < copy.span.end
        };
        if self.open_copies.iter().any(meets) {
            found[1] = Some(Finding::Unordered);
        }
        for k in span {
            if how != How::Write && !self.written[k] {
                found[0] = Some(Finding::Uninitialised);
            }
            self.written[k] |= !how.only_reads();
            let race = self.shadow[k].touch(who, how, &self.open);
            found[1] = found[1].or(race);
        }
        Some(found)
    }

    /// A number of so many bytes.
    #[must_use]
    pub fn load(&self, at: u64, count: usize) -> u64 {
        let mut word = [0; 8];
        word[..count].copy_from_slice(&self.bytes[at as usize..at as usize + count]);
        u64::from_le_bytes(word)
    }

    /// Stores the low bytes of a number.
    pub fn store(&mut self, at: u64, count: usize, value: u64) {
        self.bytes[at as usize..at as usize + count].copy_from_slice(&value.to_le_bytes()[..count]);
    }

    /// Fills it from the host; false: it is not that long.
    pub fn fill(&mut self, at: u64, from: &[u8]) -> bool {
        let Some(span) = self.span(at, from.len()) else { return false };
        self.bytes[span.clone()].copy_from_slice(from);
        self.written[span].fill(true);
        true
    }

    /// Whether somebody has written all of these bytes.
    #[must_use]
    pub fn is_written(&self, at: u64, count: usize) -> bool {
        self.span(at, count).is_some_and(|span| self.written[span].iter().all(|written| *written))
    }

    /// What is in it, for the host.
    #[must_use]
    pub fn read(&self, at: u64, count: usize) -> Option<&[u8]> {
        self.span(at, count).map(|span| &self.bytes[span])
    }
}

/// The memory of the device.
#[derive(Debug, Default)]
pub struct Global {
    pieces: BTreeMap<u64, Piece>,
    next: u64,
}

impl Global {
    /// New memory; its address is a multiple of 256, as the driver's.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        let address = GLOBAL_BASE + self.next;
        self.next = (self.next + bytes as u64 + GAP).next_multiple_of(256);
        self.pieces.insert(address, Piece::new(bytes));
        address
    }

    /// Frees memory; false: there is none at this address.
    pub fn free(&mut self, address: u64) -> bool {
        self.pieces.remove(&address).is_some()
    }

    /// Work begins: `open` are the numbers of other work that may be done at the same time, `least` the least number of
    /// work that will ever be of interest.
    pub fn begin(&mut self, open: &[u32], least: u32) {
        self.pieces.values_mut().for_each(|piece| piece.begin(open, least));
    }

    /// The piece that an address is in or behind, and where.
    pub fn at(&mut self, address: u64) -> Option<(&mut Piece, u64)> {
        let (first, piece) = self.pieces.range_mut(..=address).next_back()?;
        Some((piece, address - first))
    }

    /// Whether there are so many bytes at an address.
    pub fn has(&mut self, address: u64, count: usize) -> bool {
        self.at(address).is_some_and(|(piece, at)| piece.span(at, count).is_some())
    }

    /// Copies bytes from one place to another, with who has written them; false: one of both does not have as many.
    pub fn copy(&mut self, to: u64, from: u64, count: usize) -> bool {
        let part = self.at(from).and_then(|(piece, at)| {
            let span = piece.span(at, count)?;
            Some((piece.bytes[span.clone()].to_vec(), piece.written[span].to_vec()))
        });
        let Some((bytes, written)) = part else { return false };
        let Some((piece, at)) = self.at(to) else { return false };
        let Some(span) = piece.span(at, count) else { return false };
        piece.bytes[span.clone()].copy_from_slice(&bytes);
        piece.written[span].copy_from_slice(&written);
        true
    }

    /// How many pieces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(block: u32, thread: u32, epoch: u32) -> Who {
        Who { launch: 1, block, thread, epoch }
    }

    fn races(accesses: &[(Who, How)]) -> Vec<Finding> {
        let mut shadow = Shadow::default();
        accesses.iter().filter_map(|(who, how)| shadow.touch(*who, *how, &[])).collect()
    }

    #[test]
    fn threads_race_unless_a_barrier_lies_between() {
        assert_eq!(races(&[(who(0, 0, 0), How::Write), (who(0, 1, 0), How::Read)]), [Finding::RaceWithinBlock]);
        assert_eq!(races(&[(who(0, 0, 0), How::Write), (who(0, 1, 1), How::Read)]), []);
        assert_eq!(races(&[(who(0, 0, 0), How::Write), (who(0, 0, 0), How::Read)]), []);
        let reads = [(who(0, 0, 0), How::Read), (who(0, 1, 0), How::Read), (who(0, 0, 0), How::Write)];
        assert_eq!(races(&reads), [Finding::RaceWithinBlock]);
    }

    #[test]
    fn nothing_orders_blocks() {
        assert_eq!(races(&[(who(0, 0, 0), How::Write), (who(1, 0, 7), How::Write)]), [Finding::RaceAcrossBlocks]);
        assert_eq!(races(&[(who(0, 0, 0), How::Read), (who(1, 0, 0), How::Read)]), []);
        let reads = [(who(0, 0, 0), How::Read), (who(1, 0, 0), How::Read), (who(0, 0, 3), How::Write)];
        assert_eq!(races(&reads), [Finding::RaceAcrossBlocks]);
    }

    #[test]
    fn atomic_updates_do_not_race_with_each_other() {
        assert_eq!(races(&[(who(0, 0, 0), How::Atomic), (who(1, 0, 0), How::Atomic)]), []);
        assert_eq!(races(&[(who(0, 0, 0), How::Atomic), (who(1, 0, 0), How::Read)]), [Finding::RaceAcrossBlocks]);
    }

    #[test]
    fn what_is_read_as_constant_does_not_change() {
        let own = who(0, 0, 0);
        assert_eq!(races(&[(own, How::ReadConstant), (own, How::Write)]), [Finding::Changing]);
        assert_eq!(races(&[(own, How::Write), (own, How::ReadConstant)]), [Finding::Changing]);
        assert_eq!(races(&[(own, How::Write), (Who { launch: 2, ..own }, How::ReadConstant)]), []);
    }

    #[test]
    fn an_earlier_launch_is_forgotten() {
        let later = Who { launch: 2, ..who(1, 0, 0) };
        assert_eq!(races(&[(who(0, 0, 0), How::Write), (later, How::Write)]), []);
    }

    #[test]
    fn what_nothing_orders_is_found_whichever_comes_first() {
        let mut global = Global::default();
        let at = global.allocate(64);
        let touch = |global: &mut Global, launch, how| {
            let (piece, at) = global.at(at).expect("there");
            piece.touch(at + 8, 4, Who { launch, ..who(0, 0, 0) }, how).expect("in bounds")[1]
        };
        let copied = |global: &mut Global, number, at_byte, writes| {
            let (piece, at) = global.at(at).expect("there");
            piece.copied(number, at + at_byte, 8, writes)
        };
        // A copy to the device, and kernels that do not wait for it, or for another part.
        assert!(copied(&mut global, 1, 8, true));
        global.begin(&[1], 1);
        assert_eq!(touch(&mut global, 2, How::Read), Some(Finding::Unordered));
        global.begin(&[], 1);
        assert_eq!(touch(&mut global, 3, How::Write), None);
        // Copies to the host, and copies over what is read.
        global.begin(&[3], 1);
        assert!(!copied(&mut global, 4, 8, false) && copied(&mut global, 5, 24, false));
        global.begin(&[4], 1);
        assert_eq!(touch(&mut global, 6, How::Read), None);
        assert_eq!(touch(&mut global, 6, How::Write), Some(Finding::Unordered));
        global.begin(&[5], 1);
        assert!(copied(&mut global, 7, 24, false) && !copied(&mut global, 8, 24, true));
        // What is over for everybody is forgotten.
        global.begin(&[], 100);
        global.begin(&[1, 3, 4, 5, 8], 100);
        assert!(copied(&mut global, 101, 24, true));
    }
}
