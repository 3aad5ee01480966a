//! Two builds side by side: run in turns, compared by pairs.

/// Part of the time by which a candidate must be faster than the best so far.
const LEAST_GAIN: f64 = 0.02;
/// How many deviations of the median it must be away from that.
const DEVIATIONS: f64 = 1.5;
/// Pairs after which a candidate that is not faster is given up.
pub const FIRST_PAIRS: usize = 2;

/// The middle of some numbers.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Times of two builds that ran in turns.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Of the best so far, and of the candidate.
    times: Vec<(f64, f64)>,
}

impl Pairs {
    /// Adds one run of each.
    pub fn add(&mut self, best: f64, candidate: f64) {
        self.times.push((best, candidate));
    }

    /// What part of the best's time the candidate takes, pair by pair.
    fn ratios(&self) -> Vec<f64> {
        self.times.iter().map(|(best, candidate)| candidate / best).collect()
    }

    /// Medians of both.
    pub fn medians(&self) -> (f64, f64) {
        let (best, candidate): (Vec<f64>, Vec<f64>) = self.times.iter().copied().unzip();
        (median(&best), median(&candidate))
    }

    /// Whether more pairs cannot make it the best: it was not faster in half of the first ones. One pair in which the
    /// machine did something else does not end it.
    pub fn is_hopeless(&self) -> bool {
        let ratios = self.ratios();
        let faster = ratios.iter().filter(|r| **r <= 1.0 - LEAST_GAIN / 2.0).count();
        ratios.len() >= FIRST_PAIRS && 2 * faster < ratios.len()
    }

    /// Whether the candidate is faster, beyond what runs differ by: by its median, and in most pairs.
    pub fn is_faster(&self) -> bool {
        let ratios = self.ratios();
        if 4 * ratios.iter().filter(|r| **r < 1.0).count() < 3 * ratios.len() {
            return false;
        }
        let middle = median(&ratios);
        let deviation = median(&ratios.iter().map(|r| (r - middle).abs()).collect::<Vec<_>>());
        let count = u32::try_from(ratios.len()).map_or(1.0, f64::from);
        middle + DEVIATIONS * deviation / count.sqrt() < 1.0 - LEAST_GAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(times: &[(f64, f64)]) -> Pairs {
        Pairs { times: times.to_vec() }
    }

    #[test]
    fn a_gain_must_be_larger_than_the_noise() {
        assert!(pairs(&[(1.0, 0.9), (1.1, 1.0), (1.0, 0.91)]).is_faster());
        assert!(!pairs(&[(1.0, 0.7), (1.0, 1.3), (1.0, 0.97)]).is_faster());
        assert!(!pairs(&[(1.0, 0.99), (1.0, 0.99), (1.0, 0.99)]).is_faster());
        // A machine that becomes slower meanwhile slows both.
        assert!(pairs(&[(1.0, 0.8), (2.0, 1.6), (4.0, 3.2)]).is_faster());
    }

    #[test]
    fn noise_is_hardly_ever_a_gain_twice() {
        let mut state = 25_u64;
        let mut seconds = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let part = u32::try_from(state >> 40).map_or(0.0, f64::from) / f64::from(1 << 24);
            // Most runs differ by a few per cent, one in eight is disturbed.
            if part < 0.125 { 1.3 + part } else { 1.0 + 0.1 * part }
        };
        let mut faster = || pairs(&[(); 5].map(|()| (seconds(), seconds()))).is_faster();
        let (mut once, mut twice) = (0, 0);
        for _ in 0..4000 {
            let first = faster();
            once += u32::from(first);
            twice += u32::from(first && faster());
        }
        assert!(once > 4000 / 40 && twice < 4000 / 400, "{once} and {twice} of 4000");
    }

    #[test]
    fn what_is_slower_is_given_up_soon() {
        assert!(!pairs(&[(1.0, 1.2)]).is_hopeless());
        assert!(pairs(&[(1.0, 1.2), (1.0, 1.0)]).is_hopeless());
        assert!(!pairs(&[(1.0, 0.9), (1.0, 0.95)]).is_hopeless());
    }

    #[test]
    fn one_disturbed_run_loses_no_candidate() {
        let disturbed = [(1.0, 3.0), (1.0, 0.3), (1.0, 0.31), (1.0, 0.3)];
        assert!((1..=4).all(|n| !pairs(&disturbed[..n]).is_hopeless()));
        assert!(pairs(&disturbed).is_faster());
    }

    #[test]
    fn the_middle() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0])), (2.0, 2.5));
    }
}
