//! In which order blocks and threads run, and streams go on: a program must not depend on it.

/// An order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As they are numbered.
    #[default]
    Forward,
    /// The last one first.
    Backward,
    /// Shuffled, by this seed.
    Random(u64),
}

impl Order {
    /// `forward`, `backward`, `random=7`; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "forward" => Some(Self::Forward),
            "backward" => Some(Self::Backward),
            other => other.strip_prefix("random=")?.parse().ok().map(Self::Random),
        }
    }

    /// Numbers below `count` in this order; `turn` makes a random one differ from time to time.
    #[must_use]
    pub fn of(self, count: u32, turn: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..count).collect();
        match self {
            Self::Forward => {}
            Self::Backward => all.reverse(),
            Self::Random(seed) => {
                let mut shuffled = Shuffled::new(seed ^ (u64::from(turn) << 32));
                for k in (1..all.len()).rev() {
                    all.swap(k, shuffled.below(k + 1));
                }
            }
        }
        all
    }
}

/// Numbers that look like random ones: Vigna's splitmix64.
#[derive(Clone, Debug)]
pub struct Shuffled(u64);

impl Shuffled {
    /// Those of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next one, below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_everybody() {
        for order in ["forward", "backward", "random=1", "random=2"] {
            let mut all = Order::parse(order).expect("known").of(100, 3);
            all.sort_unstable();
            assert_eq!(all, (0..100).collect::<Vec<_>>());
        }
        assert_ne!(Order::Random(1).of(50, 0), Order::Random(2).of(50, 0));
        assert_eq!(Order::parse("sideways"), None);
    }
}
