//! Regions in sequence between which the host neither reads nor writes memory: what is on the device stays there.
//!
//! The host's memory is that of the beginning until the results come back, all at once: if that fails, the program goes
//! back to the beginning and the host runs all of them. So one of these holds at any time:
//! nothing has begun; the device has results that the host does not have; each region is by itself, since the host has
//! run one, or what the device had came back; the host runs everything.

use crate::Range;
use crate::held::Held;
use crate::region::{Estimate, Kernels, Region};
use crate::settings::{log, say_once};
use std::time::Instant;

/// How far regions in sequence have come.
#[derive(Default)]
pub enum Session {
    /// Nothing has begun.
    #[default]
    New,
    /// What is on the device, by now.
    Holding(Box<Held>),
    /// The host's memory is what it should be, and has changed since the beginning.
    Apart,
    /// What was on the device is lost, and the host's memory is that of the beginning.
    Lost,
    /// The host runs everything.
    OnHost,
}

/// Sessions as the program keeps them, but for the address of what is on the device.
const NEW: usize = 0;
const APART: usize = 1;
/// That of [`Session::Lost`].
pub const LOST: usize = 2;
const ON_HOST: usize = 3;

impl Session {
    /// What the program keeps.
    pub fn into_word(self) -> usize {
        match self {
            Self::New => NEW,
            Self::Apart => APART,
            Self::Lost => LOST,
            Self::OnHost => ON_HOST,
            Self::Holding(held) => Box::into_raw(held) as usize,
        }
    }

    /// What holds if the device and everything on it are gone.
    pub fn without_device(&self) -> usize {
        match self {
            Self::New | Self::Apart => APART,
            Self::Holding(_) | Self::Lost => LOST,
            Self::OnHost => ON_HOST,
        }
    }

    /// What the program has kept.
    ///
    /// # Safety
    /// It comes from [`Self::into_word`], and from one call of it.
    pub unsafe fn from_word(word: usize) -> Self {
        match word {
            NEW => Self::New,
            APART => Self::Apart,
            LOST => Self::Lost,
            ON_HOST => Self::OnHost,
            // SAFETY: the address of a box that nobody else has.
            held => Self::Holding(unsafe { Box::from_raw(held as *mut Held) }),
        }
    }

    /// Begins a region with what is on the device; `None`: the host is to run it, once [`Self::to_host`] has brought
    /// back what it may read.
    pub fn begin(&mut self, code: &Kernels, ranges: &mut [Range], estimate: Estimate, name: String) -> Option<Region> {
        let held = match std::mem::take(self) {
            Self::New => None,
            Self::Holding(held) => Some(*held),
            other => {
                let alone = matches!(other, Self::Apart);
                *self = other;
                if !alone {
                    log(&name, "host: an earlier region has failed");
                    return None;
                }
                return Region::alone(code, ranges, estimate, name);
            }
        };
        // Pieces of which every byte is written have no image, and may be no part of larger ones.
        ranges.iter_mut().for_each(|range| range.flags &= !crate::WHOLE);
        match Region::begin(code, ranges, estimate, name, held) {
            Ok(region) => Some(region),
            Err(held) => {
                if let Some(held) = held {
                    *self = Self::Holding(Box::new(held));
                }
                None
            }
        }
    }

    /// Ends a region; false: the host is to run it, as after [`Self::begin`].
    pub fn end(&mut self, region: Region) -> bool {
        if matches!(self, Self::Apart) {
            return region.end();
        }
        let had_results = region.has_earlier_results();
        let (done, held) = region.leave();
        *self = match held {
            Some(held) if done => Self::Holding(Box::new(held)),
            Some(held) => {
                held.free();
                if had_results { Self::Lost } else { Self::Apart }
            }
            None if had_results => Self::Lost,
            None => Self::Apart,
        };
        done
    }

    /// Brings back what the device has, for the host to go on. False: the host's memory is that of the beginning, from
    /// where it has to run everything.
    pub fn to_host(&mut self) -> bool {
        match std::mem::take(self) {
            Self::Holding(held) => {
                let fine = bring_back(*held);
                *self = if fine { Self::Apart } else { Self::OnHost };
                fine
            }
            Self::Lost => {
                *self = Self::OnHost;
                false
            }
            Self::New | Self::Apart => {
                *self = Self::Apart;
                true
            }
            Self::OnHost => {
                *self = Self::OnHost;
                true
            }
        }
    }
}

/// Copies back what kernels have written, and gives up the rest.
fn bring_back(mut held: Held) -> bool {
    const NAME: &str = "back from the device";
    let started = Instant::now();
    if !crate::device::is_ours() {
        std::mem::forget(held);
        return false;
    }
    if !held.has_results() {
        held.free();
        return true;
    }
    let copied = held.copy_out();
    match &copied {
        Ok(()) => {
            held.store();
            log(NAME, &format!("{} bytes out, {} us", held.moved.1, started.elapsed().as_micros()));
        }
        Err(why) => {
            say_once(why);
            log(NAME, &format!("host: all regions from the first one on: {why}"));
        }
    }
    held.free();
    copied.is_ok()
}
