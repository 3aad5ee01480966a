//! What estimated loops keep busy: which resource of a core limits them.

/// Cycles that each resource is busy, as if the others took no time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// Arithmetic.
    pub compute: f64,
    /// Loads and stores, as if all of them hit the first cache.
    pub accesses: f64,
    /// Waiting for results of iterations before.
    pub latency: f64,
    /// Lines from behind each cache: from the second, the third, and memory.
    pub lines: [f64; 3],
    /// Address translation.
    pub pages: f64,
    /// Entries of loops.
    pub entries: f64,
}

impl Parts {
    /// The resource that is busy most, with its cycles.
    #[must_use]
    pub fn limit(&self) -> (&'static str, f64) {
        let [second, third, memory] = self.lines;
        let all = [
            ("compute", self.compute),
            ("L1", self.accesses),
            ("latency", self.latency),
            ("L2", second),
            ("L3", third),
            ("memory", memory),
            ("pages", self.pages),
            ("entries", self.entries),
        ];
        all.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most }).unwrap_or_default()
    }

    /// The two one after the other, the second so many times.
    #[must_use]
    pub fn and(self, other: Parts, times: f64) -> Parts {
        let [a, b, c] = self.lines;
        let [d, e, f] = other.lines;
        Parts {
            compute: self.compute + times * other.compute,
            accesses: self.accesses + times * other.accesses,
            latency: self.latency + times * other.latency,
            lines: [a + times * d, b + times * e, c + times * f],
            pages: self.pages + times * other.pages,
            entries: self.entries + times * other.entries,
        }
    }
}
