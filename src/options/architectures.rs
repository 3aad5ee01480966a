//! Architectures of GPUs that kernels are made for.

use super::OptionValue;

/// The one that covers every driver that is supported.
const LOWEST: &str = "sm_60";

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
        let is_name = |name: &str| {
            let number = name.strip_prefix("sm_").map(|rest| rest.strip_suffix(['a', 'f']).unwrap_or(rest));
            number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
        };
        match text.split(',').find(|name| !is_name(name)) {
            Some(wrong) => Err(format!("'{wrong}' is no architecture: sm_ and a number, as in {LOWEST}")),
            None => Ok(Self(text.to_owned())),
        }
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}
