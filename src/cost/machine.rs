//! What the model needs to know of the target; plain numbers.

use crate::facts::Target;
use std::fmt;

/// Most of a last-level cache that a program counts on for each core that it may run on: virtual machines report that
/// of a whole socket, which others use as well.
const LAST_LEVEL_BYTES: u64 = 16 << 20;

/// Caches of one core, vectors, cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// First-level data cache of one core.
    pub l1_bytes: u64,
    /// Second-level cache of one core.
    pub l2_bytes: u64,
    /// Last-level cache.
    pub l3_bytes: u64,
    /// Widest vector register.
    pub vector_bits: u32,
    /// The same for code that does little else than arithmetic in vectors, from copies; 0: there is no memory for them.
    pub widest_bits: u32,
    /// Number of vector registers.
    pub vector_registers: u32,
    /// Cores that share the work of threads, at least two.
    pub cores: u32,
    /// Whether the caches are those of the machine that runs the code: none of its cores has larger ones.
    pub is_known: bool,
    /// Whether lines come from caches and memory, and pages are found, as fast as on the quickest cores.
    pub is_quick: bool,
    /// Whether it is known to be none of these.
    pub is_meshed: bool,
}

impl Machine {
    /// Whether some cache is larger than the other's.
    #[must_use]
    pub fn is_roomier(&self, other: &Machine) -> bool {
        let caches = |m: &Machine| [m.l1_bytes, m.l2_bytes, m.l3_bytes];
        caches(self).into_iter().zip(caches(other)).any(|(own, other)| own > other)
    }

    /// A common core of a server, of which nothing but the instruction set is known: x86-64 without extensions.
    pub const COMMON: Machine = Machine {
        l1_bytes: 32 << 10,
        l2_bytes: 1 << 20,
        l3_bytes: 32 << 20,
        vector_bits: 128,
        widest_bits: 128,
        vector_registers: 16,
        cores: 2,
        is_known: false,
        is_quick: false,
        is_meshed: false,
    };

    /// The same with AVX-512.
    pub const WIDE: Machine =
        Machine { l1_bytes: 48 << 10, vector_bits: 512, widest_bits: 512, vector_registers: 32, ..Machine::COMMON };

    /// The target's numbers; what it does not say is that of [`Machine::COMMON`].
    #[must_use]
    pub fn of(target: &Target) -> Machine {
        let or = |value: u64, default: u64| if value == 0 { default } else { value };
        let cores = target.cores.max(Self::COMMON.cores);
        Machine {
            l1_bytes: or(target.l1_bytes, Self::COMMON.l1_bytes),
            l2_bytes: or(target.l2_bytes, Self::COMMON.l2_bytes),
            l3_bytes: or(target.l3_bytes, Self::COMMON.l3_bytes).min(u64::from(cores) * LAST_LEVEL_BYTES),
            vector_bits: target.vector_bits.max(64),
            widest_bits: if target.has_room { target.widest_bits.max(target.vector_bits).max(64) } else { 0 },
            vector_registers: target.vector_registers.max(1),
            cores,
            is_known: target.l3_bytes != 0,
            is_quick: false,
            is_meshed: target.is_meshed,
        }
    }
}

/// `vectors of 256 bits, caches of 32 KB, 1 MB and 32 MB`.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: u64| match bytes >> 20 {
            0 => format!("{} KB", bytes >> 10),
            megabytes => format!("{megabytes} MB"),
        };
        let [l1, l2, l3] = [self.l1_bytes, self.l2_bytes, self.l3_bytes].map(size);
        write!(f, "vectors of {} bits, caches of {l1}, {l2} and {l3}", self.vector_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::{LAST_LEVEL_BYTES, Machine};
    use crate::facts::Target;

    #[test]
    fn a_machine_has_words() {
        assert_eq!(Machine::COMMON.to_string(), "vectors of 128 bits, caches of 32 KB, 1 MB and 32 MB");
    }

    #[test]
    fn a_target_that_says_nothing_is_a_common_core() {
        let generic = Target { vector_bits: 128, has_room: true, vector_registers: 16, ..Target::default() };
        assert_eq!(Machine::of(&generic), Machine::COMMON);
    }

    #[test]
    fn a_program_counts_on_as_much_of_the_last_level_as_its_cores_may_have() {
        let of = |l3_bytes: u64, cores: u32| Machine::of(&Target { l3_bytes, cores, ..Target::default() });
        assert_eq!(of(24 << 20, 8).l3_bytes, 24 << 20);
        assert_eq!(of(96 << 20, 8).l3_bytes, 96 << 20);
        assert_eq!(of(260 << 20, 2).l3_bytes, 2 * LAST_LEVEL_BYTES);
        assert_eq!((of(24 << 20, 8).cores, of(24 << 20, 1).cores), (8, 2));
    }
}
