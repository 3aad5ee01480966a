//! How warps touch memory: transactions of global memory, and conflicts of the banks of shared memory.
//!
//! Threads are not run in lockstep: the accesses of a warp that belong together are those of one instruction that its
//! threads run for the same time. The sector of 32 bytes is the unit in which memory answers; a bank is four bytes
//! wide.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Threads of a warp.
pub const WARP: u32 = 32;
/// Bytes that memory answers with.
const SECTOR_BYTES: u64 = 32;
/// Banks of shared memory.
const BANKS: u64 = 32;

/// Numbers of one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions, of all threads.
    pub instructions: u64,
    /// Accesses of warps to global memory.
    pub global_requests: u64,
    /// Sectors that these touch: 8 is the least for a warp that reads a double per thread.
    pub global_sectors: u64,
    /// Accesses of warps to shared memory.
    pub shared_requests: u64,
    /// How often such an access has to wait for a bank.
    pub bank_conflicts: u64,
}

/// The accesses of one block.
#[derive(Debug, Default)]
pub struct Accesses {
    global: HashMap<(u32, usize, u32), BTreeSet<u64>>,
    shared: HashMap<(u32, usize, u32), BTreeSet<u64>>,
}

impl Accesses {
    /// Notes an access of a thread: the `time`-th of instruction `at`.
    pub fn note(&mut self, shared: bool, (thread, at, time): (u32, usize, u32), address: u64, bytes: u64) {
        let unit = if shared { 4 } else { SECTOR_BYTES };
        let all = if shared { &mut self.shared } else { &mut self.global };
        let units = address / unit..=(address + bytes - 1) / unit;
        all.entry((thread / WARP, at, time)).or_default().extend(units);
    }

    /// Adds them up.
    pub fn add_to(&self, counts: &mut Counts) {
        counts.global_requests += self.global.len() as u64;
        counts.global_sectors += self.global.values().map(|sectors| sectors.len() as u64).sum::<u64>();
        counts.shared_requests += self.shared.len() as u64;
        counts.bank_conflicts += self.shared.values().map(conflicts).sum::<u64>();
    }
}

/// How often a bank is asked for another word than before.
fn conflicts(words: &BTreeSet<u64>) -> u64 {
    let mut banks: BTreeMap<u64, u64> = BTreeMap::new();
    words.iter().for_each(|word| *banks.entry(word % BANKS).or_default() += 1);
    banks.values().max().map_or(0, |most| most - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(shared: bool, stride: u64) -> Counts {
        let (mut accesses, mut counts) = (Accesses::default(), Counts::default());
        (0..WARP).for_each(|t| accesses.note(shared, (t, 7, 0), u64::from(t) * stride, 4));
        accesses.add_to(&mut counts);
        counts
    }

    #[test]
    fn neighbours_share_sectors() {
        assert_eq!(counted(false, 4).global_sectors, 4);
        assert_eq!(counted(false, 128).global_sectors, 32);
        assert_eq!(counted(false, 0).global_sectors, 1);
    }

    #[test]
    fn words_of_one_bank_conflict() {
        assert_eq!(counted(true, 4).bank_conflicts, 0);
        assert_eq!(counted(true, 8).bank_conflicts, 1);
        assert_eq!(counted(true, 128).bank_conflicts, 31);
        assert_eq!(counted(true, 0).bank_conflicts, 0);
    }
}
