//! What is known of the driver and its first device, for people.

use crate::device::CAPABILITY;
use crate::driver::{Driver, Failure};
use std::ffi::{c_char, c_int};
use std::fmt;

/// The lowest compute capability that the compiler makes kernels for by default.
const LOWEST: [c_int; 2] = [6, 0];

/// The first device.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Compute capability.
    pub capability: [c_int; 2],
    /// Bytes of its memory.
    pub bytes: usize,
    /// The version of CUDA that the driver is for, in thousands.
    pub driver: c_int,
}

impl About {
    /// Asks the driver; nothing is started on the device.
    ///
    /// # Errors
    /// In a sentence, what is missing.
    pub fn first() -> Result<Self, String> {
        let driver = Driver::load_library()?;
        let words = |failure: Failure| failure.to_string();
        let (mut count, mut ordinal, mut version, mut bytes) = (0, 0, 0, 0);
        driver.version(&raw mut version).map_err(words)?;
        driver.device_count(&raw mut count).map_err(words)?;
        if count == 0 {
            return Err("the driver knows no device".to_owned());
        }
        driver.device(&raw mut ordinal, 0).map_err(words)?;
        let mut name = [0u8; 100];
        driver.device_name(name.as_mut_ptr().cast::<c_char>(), 99, ordinal).map_err(words)?;
        driver.memory(&raw mut bytes, ordinal).map_err(words)?;
        let mut capability = [0; 2];
        for (value, which) in capability.iter_mut().zip(CAPABILITY) {
            driver.attribute(value, which, ordinal).map_err(words)?;
        }
        let name = String::from_utf8_lossy(name.split(|b| *b == 0).next().unwrap_or_default()).into_owned();
        let about = Self { name, capability, bytes, driver: version };
        if capability < LOWEST {
            return Err(format!("{about}: kernels need compute capability {}.{}", LOWEST[0], LOWEST[1]));
        }
        Ok(about)
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, capability: [major, minor], bytes, driver } = self;
        let (mib, cuda) = (bytes >> 20, format!("{}.{}", driver / 1000, driver % 1000 / 10));
        write!(f, "{name}, compute capability {major}.{minor}, {mib} MiB, driver for CUDA {cuda}")
    }
}
