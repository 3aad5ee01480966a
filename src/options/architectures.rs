//! Architectures of GPUs that kernels are made for.

use super::OptionValue;

/// The one that covers every driver that is supported, and the oldest that kernels can be made for: they add numbers of
/// 64 bits in one step.
const LOWEST: &str = "sm_60";
/// Its number.
const LOWEST_NUMBER: u32 = 60;

/// Names as the backend has them, `sm_60` or `sm_90a`, with commas between them. Which of them it knows is found out
/// when there are kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architectures(String);

impl Architectures {
    /// The names, with commas between them.
    #[must_use]
    pub fn names(&self) -> &str {
        &self.0
    }
}

impl Default for Architectures {
    fn default() -> Self {
        Self(LOWEST.to_owned())
    }
}

impl OptionValue for Architectures {
    fn parse(text: &str) -> Result<Self, String> {
        for name in text.split(',') {
            let number = name.strip_prefix("sm_").map(|rest| rest.strip_suffix(['a', 'f']).unwrap_or(rest));
            let is_number = |digits: &&str| digits.bytes().all(|c| c.is_ascii_digit());
            match number.filter(is_number).and_then(|digits| digits.parse::<u32>().ok()) {
                None => return Err(format!("'{name}' is no architecture: sm_ and a number, as in {LOWEST}")),
                Some(number) if number < LOWEST_NUMBER => {
                    return Err(format!("'{name}' is too old: kernels are for {LOWEST} and newer"));
                }
                Some(_) => {}
            }
        }
        Ok(Self(text.to_owned()))
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}
