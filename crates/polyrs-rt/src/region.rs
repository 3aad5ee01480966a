//! One run of a region on the device.

use crate::device;
use crate::driver::{Driver, Handle};
use crate::held::Held;
use crate::ranges::{Piece, pieces};
use crate::rates::{self, Rates};
use crate::settings::{Wish, log, say_once, settings};
use crate::{Range, WRITTEN};
use std::ffi::CStr;
use std::time::{Duration, Instant};

/// Why a region stays with the host although there is a device.
const AS_FAST: &str = "it is estimated to be as fast";

/// The same of one that the user wants there.
const NEVER: &str = "POLYRS_GPU=never";
/// Why no device is asked for a region, by `POLYRS_GPU_STAYS_*` of the header.
const STAYS: [&str; 4] = [
    "its sizes or strides are not such as its kernels are for",
    "its arrays may overlap",
    "its sizes are too large for its kernels' addresses",
    "it has less to do than -polyrs-gpu-min-compute asks for",
];

/// Logs that a region stays with the host for the reason of this number.
pub fn stays(name: &str, why: u32) {
    let reason = STAYS.get(why as usize).unwrap_or(&"a test in front of it fails");
    log(name, &format!("host: {}", if settings().wish == Wish::Never { NEVER } else { reason }));
}

/// Kernels of a program.
#[derive(Clone, Debug)]
pub struct Kernels {
    /// The texts, each with all kernels, for different architectures; at least one.
    pub texts: Vec<&'static CStr>,
    /// Their names.
    pub names: Vec<&'static CStr>,
}

/// Some of a region's ranges: a bit for each, the last bit for all from [`Self::LAST`] on.
#[derive(Clone, Copy, Debug)]
pub struct Those(pub u64);

impl Those {
    /// All of them.
    pub const ALL: Self = Self(u64::MAX);
    /// Number of the last bit.
    const LAST: usize = 63;

    /// Whether this range is one of them.
    pub fn has(self, range: usize) -> bool {
        self.0 >> range.min(Self::LAST) & 1 == 1
    }
}

/// What the compiler knows of a region's work.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// Instructions on the host.
    pub instructions: f64,
    /// Launches of kernels.
    pub launches: f64,
}

impl Estimate {
    /// Whether the device is expected to be faster, if so many bytes move.
    fn prefers_device(self, bytes: u64, started: bool, rates: Rates) -> bool {
        let start = if started { 0.0 } else { rates.start };
        let moving = bytes as f64 / rates.link;
        let device = start + self.launches * rates.launch + moving + self.instructions / rates.device;
        device < self.instructions / rates.host
    }
}

/// A region that runs.
pub struct Region {
    held: Held,
    code: Kernels,
    name: String,
    /// What kernels write.
    pieces: Vec<Piece>,
    /// As they were given.
    ranges: Vec<Range>,
    /// Those that no kernel writes any more.
    done: Vec<bool>,
    /// Whether results stay on the device when it ends.
    leaves: bool,
    /// Why the host has to run it after all.
    failed: Option<String>,
    started: Instant,
    launches: u64,
    /// Since when kernels run, and how long others have run before, where the user wants to know.
    running: Option<Instant>,
    ran: Duration,
    /// Bytes that were copied to the device before, and back.
    before: (u64, u64),
    /// Bytes that came back.
    bytes_out: u64,
}

impl Region {
    /// Copies ranges to the device, but for what is in `held` already; else the host is to run the region, and `held`
    /// comes back as far as the device has it still.
    pub fn begin(
        code: &Kernels,
        ranges: &mut [Range],
        estimate: Estimate,
        name: String,
        held: Option<Held>,
    ) -> Result<Self, Option<Held>> {
        let to_host = |why: &str, held| {
            log(&name, &format!("host: {why}"));
            Err(held)
        };
        let Some(mut pieces) = pieces(ranges) else {
            return to_host("its ranges of memory make no sense", held);
        };
        let mut moved = pieces.iter().map(|p| p.bytes * (u64::from(!p.fresh) + u64::from(p.written))).sum();
        if let Some(held) = &held {
            moved = held.missing(&pieces);
        }
        match settings().wish {
            Wish::Never => return to_host(NEVER, held),
            Wish::Auto if !estimate.prefers_device(moved, device::is_started(), rates::rates()) => {
                return to_host(AS_FAST, held);
            }
            Wish::Auto | Wish::Always => {}
        }
        let device = match device::device() {
            Ok(device) => device,
            Err(why) => {
                if settings().wish == Wish::Always {
                    say_once(&why);
                }
                return to_host(&why, held);
            }
        };
        if settings().wish == Wish::Auto {
            let rates = rates::rates_of(device);
            if !estimate.prefers_device(moved, true, rates) {
                return to_host(AS_FAST, held);
            }
        }
        let mut held = held.unwrap_or_else(|| Held::new(device));
        let before = held.moved;
        let placed = device.kernel(code, 0).and_then(|_| held.place(&pieces, ranges));
        let failed = placed.err();
        pieces.retain(|piece| piece.written);
        let region = Self {
            held,
            code: code.clone(),
            name,
            pieces,
            ranges: ranges.to_vec(),
            done: vec![false; ranges.len()],
            leaves: false,
            failed,
            started: Instant::now(),
            launches: 0,
            running: None,
            ran: Duration::ZERO,
            before,
            bytes_out: 0,
        };
        match region.failed {
            None => Ok(region),
            Some(_) => Err(Some(region.tell())),
        }
    }

    /// The same for a region by itself; `None`: the host is to run it.
    pub fn alone(code: &Kernels, ranges: &mut [Range], estimate: Estimate, name: String) -> Option<Self> {
        let begun = Self::begin(code, ranges, estimate, name, None);
        begun.map_err(|held| held.map_or((), Held::free)).ok()
    }

    /// Whether regions before have left results on the device.
    pub fn has_earlier_results(&self) -> bool {
        self.held.has_results()
    }

    /// Results stay on the device when it ends ([`Self::leave`]).
    pub fn will_leave(mut self) -> Self {
        self.leaves = true;
        self
    }

    /// Starts a kernel that uses these ranges; nothing where something has failed before.
    pub fn launch(&mut self, kernel: u32, sizes: &[i64], params: &[u64], uses: Those) {
        if self.failed.is_some() || sizes[..3].iter().any(|blocks| *blocks <= 0) {
            return;
        }
        let used = self.ranges.iter().enumerate().filter(|(k, range)| range.bytes > 0 && uses.has(*k));
        let used: Vec<u64> = used.map(|(_, range)| range.first).collect();
        let launched = self.bring(&used).and_then(|()| self.try_launch(kernel, sizes, params));
        if let Err(why) = launched {
            self.fail(&why);
        }
        self.launches += 1;
    }

    /// Sees to it that kernels find what lies at these addresses.
    fn bring(&mut self, used: &[u64]) -> Result<(), String> {
        let addresses = used.iter().copied();
        if !settings().times {
            return self.held.bring(addresses);
        }
        if self.held.is_to_come(addresses.clone()) {
            self.stop_clock()?;
            self.held.bring(addresses)?;
            self.held.wait()?;
        }
        self.running.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Waits for kernels, where the user wants to know how long they take.
    fn stop_clock(&mut self) -> Result<(), String> {
        if let Some(since) = self.running.take() {
            self.held.wait()?;
            self.ran += since.elapsed();
        }
        Ok(())
    }

    fn try_launch(&mut self, kernel: u32, sizes: &[i64], params: &[u64]) -> Result<(), String> {
        let (device, limits) = (self.held.device, self.held.device.limits);
        if !device::is_ours() {
            return Err("this process is the child of one that uses the GPU".to_owned());
        }
        let function = device.kernel(&self.code, kernel)?;
        let mut asked = [1u32; 6];
        for d in 0..3 {
            asked[d] = u32::try_from(sizes[d].min(limits.grid[d])).unwrap_or(u32::MAX);
            asked[3 + d] = u32::try_from(sizes[3 + d].clamp(1, limits.block[d])).unwrap_or(1);
        }
        if asked[3..].iter().map(|n| i64::from(*n)).product::<i64>() > limits.threads {
            return Err("a block has more threads than the device can run".to_owned());
        }
        let mut slots: Vec<Handle> = params.iter().map(|slot| std::ptr::from_ref(slot).cast_mut().cast()).collect();
        let stream = self.held.kernels()?;
        let [gx, gy, gz, bx, by, bz] = asked;
        let launch = |driver: &Driver| {
            driver.launch(function, gx, gy, gz, bx, by, bz, 0, stream, slots.as_mut_ptr(), std::ptr::null_mut())
        };
        device.within(launch).map_err(|failure| failure.to_string())
    }

    /// Kernels from here on write none of these ranges: what is in them comes back while they run.
    pub fn finish(&mut self, those: Those) {
        if self.failed.is_some() || self.leaves || settings().times {
            return;
        }
        self.done.iter_mut().enumerate().for_each(|(k, done)| *done |= those.has(k));
        let is_written = |k: &usize| self.ranges[*k].flags & WRITTEN != 0;
        let is_done = |piece: &&Piece| {
            let now = piece.ranges.iter().any(|k| those.has(*k) && is_written(k));
            now && piece.ranges.iter().filter(|k| is_written(k)).all(|k| self.done[*k])
        };
        let back = self.pieces.iter().filter(is_done).try_for_each(|piece| self.held.start_back(piece));
        if let Err(why) = back {
            self.fail(&why);
        }
    }

    /// Notes why the host has to run the region; the first reason stays.
    pub fn fail(&mut self, why: &str) {
        self.failed.get_or_insert_with(|| why.to_owned());
    }

    /// Waits, and copies back what kernels have written. False: the host is to run the region.
    pub fn end(self) -> bool {
        let (done, held) = self.end_and_keep();
        if let Some(held) = held {
            held.free();
        }
        done
    }

    /// The same, and what is on the device stays there.
    pub fn end_and_keep(mut self) -> (bool, Option<Held>) {
        if !self.is_ours() {
            return (false, None);
        }
        let before = self.before.1;
        self.end_of_kernels();
        if self.failed.is_none() {
            self.held.note_written(&self.pieces);
            match self.held.copy_out() {
                Ok(()) => self.held.store(),
                Err(why) => self.fail(&why),
            }
        }
        self.bytes_out = self.held.moved.1 - before;
        (self.failed.is_none(), Some(self.tell()))
    }

    /// Leaves what kernels write on the device for whoever comes next. False: a launch has failed; what is there then
    /// is of no use.
    pub fn leave(mut self) -> (bool, Option<Held>) {
        if !self.is_ours() {
            return (false, None);
        }
        self.end_of_kernels();
        if self.failed.is_none() {
            self.held.note_written(&self.pieces);
        }
        (self.failed.is_none(), Some(self.tell()))
    }

    /// No more kernels are started.
    fn end_of_kernels(&mut self) {
        self.held.forget_to_come();
        if let Err(why) = self.stop_clock() {
            self.fail(&why);
        }
    }

    /// Whether this process may use the device; if not, nothing of the region may be touched any more.
    fn is_ours(&mut self) -> bool {
        let ours = device::is_ours();
        if !ours {
            log(&self.name, "host: this process is the child of one that uses the GPU");
            let nothing = Held::new(self.held.device);
            std::mem::forget(std::mem::replace(&mut self.held, nothing));
        }
        ours
    }

    /// Tells how it went.
    fn tell(self) -> Held {
        match &self.failed {
            Some(why) => {
                say_once(why);
                log(&self.name, &format!("host: {why}"));
            }
            None => {
                let micros = self.started.elapsed().as_micros();
                let (launches, bytes_in) = (self.launches, self.held.moved.0 - self.before.0);
                let out = match self.held.has_results() {
                    true => "results stay there".to_owned(),
                    false => format!("{} bytes out", self.bytes_out),
                };
                let ran =
                    if settings().times { format!(", kernels {} us", self.ran.as_micros()) } else { String::new() };
                let what = format!("{launches} launches, {bytes_in} bytes in, {out}, {micros} us{ran}");
                log(&self.name, &format!("device ({}): {what}", self.held.device.name));
            }
        }
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_is_for_all_that_follow() {
        assert_eq!([0, 1, 62, 63, 64, 1000].map(|k| Those(5).has(k)), [true, false, false, false, false, false]);
        assert_eq!([0, 62, 63, 64, 1000].map(|k| Those(1 << 63).has(k)), [false, false, true, true, true]);
        assert!(Those::ALL.has(0) && Those::ALL.has(99));
    }

    #[test]
    fn little_work_stays_on_the_host() {
        let little = Estimate { instructions: 1e5, launches: 1.0 };
        assert!(!little.prefers_device(1 << 20, true, Rates::USUAL));
        let much = Estimate { instructions: 1e10, launches: 1.0 };
        assert!(much.prefers_device(1 << 20, true, Rates::USUAL));
        assert!(much.prefers_device(1 << 20, false, Rates::USUAL));
    }

    #[test]
    fn what_moves_no_bytes_pays_earlier_and_slow_devices_later() {
        let some = Estimate { instructions: 1e7, launches: 1.0 };
        assert!(some.prefers_device(0, true, Rates::USUAL));
        assert!(!some.prefers_device(1 << 26, true, Rates::USUAL));
        assert!(!some.prefers_device(0, true, Rates { device: 1e9, ..Rates::USUAL }));
        assert!(!some.prefers_device(0, true, Rates { launch: 1.0, ..Rates::USUAL }));
    }

    #[test]
    fn many_launches_of_little_stay_on_the_host() {
        let steps = Estimate { instructions: 1e8, launches: 1e4 };
        assert!(!steps.prefers_device(1 << 20, true, Rates::USUAL));
    }
}
