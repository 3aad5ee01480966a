//! Regions in sequence between which the host writes no memory: what is on the device stays there.
//!
//! The host's memory is that of the beginning until the results come back, all at once: if that fails, the program goes
//! back to the beginning and the host runs all of them. So one of these holds at any time: nothing has begun; the
//! device has results that the host does not have; each region is by itself, since the host has looked at results or
//! has run a region, and then results come back as soon as they are there; the host runs everything. As long as the
//! host only looks, what is on the device stays there.

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
    /// What is on the device, by now; the host's memory is that of the beginning.
    Holding(Box<Held>),
    /// What is on the device; the host's memory is the same, and has changed since the beginning.
    Same(Box<Held>),
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
/// What is added to the address where the host's memory is the same.
const SAME: usize = 1;

impl Session {
    /// What the program keeps.
    pub fn into_word(self) -> usize {
        match self {
            Self::New => NEW,
            Self::Apart => APART,
            Self::Lost => LOST,
            Self::OnHost => ON_HOST,
            Self::Holding(held) => Box::into_raw(held) as usize,
            Self::Same(held) => Box::into_raw(held) as usize + SAME,
        }
    }

    /// What holds if the device and everything on it are gone.
    pub fn without_device(&self) -> usize {
        match self {
            Self::New | Self::Apart | Self::Same(_) => APART,
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
            // SAFETY: the address of a box that nobody else has, which is even.
            held if held % 2 == 0 => Self::Holding(unsafe { Box::from_raw(held as *mut Held) }),
            // SAFETY: the same plus one.
            held => Self::Same(unsafe { Box::from_raw((held - SAME) as *mut Held) }),
        }
    }

    /// Begins a region with what is on the device; `None`: the host is to run it, once [`Self::hand_over`] has brought
    /// back what it may read.
    pub fn begin(&mut self, code: &Kernels, ranges: &mut [Range], estimate: Estimate, name: String) -> Option<Region> {
        let before = std::mem::take(self);
        *self = match &before {
            Self::New | Self::Holding(_) => Self::New,
            Self::Same(_) | Self::Apart => Self::Apart,
            Self::Lost => Self::Lost,
            Self::OnHost => Self::OnHost,
        };
        let held = match before {
            Self::Holding(held) | Self::Same(held) => Some(*held),
            Self::New | Self::Apart => None,
            Self::Lost | Self::OnHost => {
                log(&name, "host: an earlier region has failed");
                return None;
            }
        };
        // Pieces of which every byte is written have no image, and may be no part of larger ones. What is for kernels
        // alone comes back in no case.
        let come_back = ranges.iter_mut().filter(|range| range.flags & crate::WRITTEN != 0);
        come_back.for_each(|range| range.flags &= !(crate::WHOLE | crate::FRESH));
        let is_new = matches!(self, Self::New);
        match Region::begin(code, ranges, estimate, name, held) {
            // Only where the host has looked do results come back with each region.
            Ok(region) if is_new => Some(region.will_leave()),
            Ok(region) => Some(region),
            Err(Some(held)) if is_new => {
                *self = Self::Holding(Box::new(held));
                None
            }
            Err(held) => {
                if let Some(held) = held {
                    held.free();
                }
                None
            }
        }
    }

    /// Ends a region; false: the host is to run it, as after [`Self::begin`].
    pub fn end(&mut self, region: Region) -> bool {
        let is_apart = matches!(self, Self::Apart);
        let had_results = region.has_earlier_results();
        let (done, held) = if is_apart { region.end_and_keep() } else { region.leave() };
        *self = match held {
            Some(held) if done && is_apart => Self::Same(Box::new(held)),
            Some(held) if done => Self::Holding(Box::new(held)),
            held => {
                if let Some(held) = held {
                    held.free();
                }
                if had_results { Self::Lost } else { Self::Apart }
            }
        };
        done
    }

    /// Brings back what the device has, for the host to look at. False: the host's memory is that of the beginning,
    /// from where it has to run everything.
    pub fn show(&mut self) -> bool {
        match std::mem::take(self) {
            Self::Holding(held) if held.has_results() => {
                let held = bring_back(*held);
                let fine = held.is_some();
                *self = held.map_or(Self::OnHost, |held| Self::Same(Box::new(held)));
                fine
            }
            Self::Lost => {
                *self = Self::OnHost;
                false
            }
            other => {
                *self = other;
                true
            }
        }
    }

    /// The same for a host that may change memory, or runs a region itself: what is on the device is given up.
    pub fn hand_over(&mut self) -> bool {
        let fine = self.show();
        let before = std::mem::take(self);
        *self = before.ended();
        fine
    }

    /// What follows when the device is given up, nothing of which is missing on the host.
    fn ended(self) -> Self {
        match self {
            Self::Holding(held) | Self::Same(held) => {
                held.free();
                Self::Apart
            }
            Self::New | Self::Apart => Self::Apart,
            Self::Lost => Self::Lost,
            Self::OnHost => Self::OnHost,
        }
    }
}

/// Copies back what kernels have written; `None`: the device has lost it.
fn bring_back(mut held: Held) -> Option<Held> {
    const NAME: &str = "back from the device";
    let started = Instant::now();
    if !crate::device::is_ours() {
        std::mem::forget(held);
        return None;
    }
    let before = held.moved.1;
    match held.copy_out() {
        Ok(()) => {
            held.store();
            log(NAME, &format!("{} bytes out, {} us", held.moved.1 - before, started.elapsed().as_micros()));
            Some(held)
        }
        Err(why) => {
            say_once(&why);
            log(NAME, &format!("host: all regions from the first one on: {why}"));
            held.free();
            None
        }
    }
}
