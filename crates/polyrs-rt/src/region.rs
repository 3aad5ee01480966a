//! One run of a region on the device.

use crate::Range;
use crate::device::{self, Device, Memory};
use crate::driver::{Driver, Failure, Handle};
use crate::ranges::{Piece, pieces, store_changes};
use crate::settings::{Wish, log, say_once, settings};
use std::ffi::CStr;
use std::time::Instant;

/// Instructions of one core of the host in a second; not measured.
const HOST_RATE: f64 = 4e9;
/// Those of a device.
const DEVICE_RATE: f64 = 1e12;
/// Bytes copied to or from a device in a second.
const LINK_RATE: f64 = 1.2e10;
/// Seconds that a launch takes.
const LAUNCH_SECONDS: f64 = 1e-5;
/// Seconds that the first region of a program takes besides: driver, context, compilation of PTX.
const START_SECONDS: f64 = 0.3;

/// Kernels of a program.
#[derive(Clone, Debug)]
pub struct Kernels {
    /// The text of all.
    pub ptx: &'static CStr,
    /// Their names.
    pub names: Vec<&'static CStr>,
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
    fn prefers_device(self, bytes: u64, started: bool) -> bool {
        let start = if started { 0.0 } else { START_SECONDS };
        let device =
            start + self.launches * LAUNCH_SECONDS + bytes as f64 / LINK_RATE + self.instructions / DEVICE_RATE;
        device < self.instructions / HOST_RATE
    }
}

/// Memory of the host that copies go through.
enum Staging {
    Pinned(Memory),
    Heap(Vec<u8>),
}

impl Staging {
    /// Room for so many bytes.
    fn new(device: &Device, bytes: u64) -> Result<Self, String> {
        if let Some(memory) = device.pinned(bytes) {
            return Ok(Self::Pinned(memory));
        }
        let size = usize::try_from(bytes).map_err(|_| "a range is too large".to_owned())?;
        let mut heap = Vec::new();
        heap.try_reserve_exact(size).map_err(|_| "the host has no memory for copies".to_owned())?;
        heap.resize(size, 0);
        Ok(Self::Heap(heap))
    }

    fn address(&mut self) -> *mut u8 {
        match self {
            Self::Pinned(memory) => memory.address as *mut u8,
            Self::Heap(heap) => heap.as_mut_ptr(),
        }
    }

    /// Its first bytes.
    fn bytes(&self, count: usize) -> &[u8] {
        match self {
            // SAFETY: the driver's memory has at least so many bytes, all written by copies before, and is ours.
            Self::Pinned(memory) => unsafe { std::slice::from_raw_parts(memory.address as *const u8, count) },
            Self::Heap(heap) => &heap[..count],
        }
    }
}

/// A piece of the host's memory with its copy on the device.
struct Copied {
    piece: Piece,
    memory: Memory,
    /// What was copied to the device, for pieces of which kernels write a part.
    before: Option<Staging>,
    /// What came back.
    after: Option<Staging>,
}

/// A region that runs.
pub struct Region {
    device: &'static Device,
    code: Kernels,
    name: String,
    stream: Option<Handle>,
    copied: Vec<Copied>,
    /// Why the host has to run it after all.
    failed: Option<String>,
    started: Instant,
    launches: u64,
    bytes_in: u64,
}

/// Bytes as the host counts memory.
fn size(piece: &Piece) -> usize {
    usize::try_from(piece.bytes).expect("a range of the host's memory fits")
}

impl Region {
    /// Copies ranges to the device; `None`: the host is to run the region.
    pub fn begin(code: &Kernels, ranges: &mut [Range], estimate: Estimate, name: String) -> Option<Self> {
        let to_host = |why: &str| {
            log(&name, &format!("host: {why}"));
            None
        };
        let pieces = match pieces(ranges) {
            Some(pieces) => pieces,
            None => return to_host("its ranges of memory make no sense"),
        };
        let moved = pieces.iter().map(|p| p.bytes * (1 + u64::from(p.written))).sum();
        match settings().wish {
            Wish::Never => return to_host("POLYRS_GPU=never"),
            Wish::Auto if !estimate.prefers_device(moved, device::is_started()) => {
                return to_host("it is estimated to be as fast");
            }
            Wish::Auto | Wish::Always => {}
        }
        let device = match device::device() {
            Ok(device) => device,
            Err(why) => {
                if settings().wish == Wish::Always {
                    say_once(&why);
                }
                return to_host(&why);
            }
        };
        let mut region = Self {
            device,
            code: code.clone(),
            name,
            stream: None,
            copied: Vec::new(),
            failed: None,
            started: Instant::now(),
            launches: 0,
            bytes_in: 0,
        };
        if let Err(why) = region.copy_in(pieces, ranges) {
            region.fail(&why);
            region.finish();
            return None;
        }
        Some(region)
    }

    fn copy_in(&mut self, pieces: Vec<Piece>, ranges: &mut [Range]) -> Result<(), String> {
        self.device.kernel(&self.code, 0)?;
        let words = |failure: Failure| failure.to_string();
        let stream = self.device.stream().map_err(words)?;
        self.stream = Some(stream);
        for piece in pieces {
            let memory = self.device.allocate(piece.bytes).map_err(words)?;
            for k in &piece.ranges {
                ranges[*k].offset = memory.address.wrapping_sub(piece.first);
            }
            self.copied.push(Copied { piece, memory, before: None, after: None });
            let last = self.copied.last_mut().expect("just pushed");
            let bytes = size(&last.piece);
            let mut from = last.piece.first as *const u8;
            if last.piece.written && !last.piece.whole {
                let mut before = Staging::new(self.device, last.piece.bytes)?;
                // SAFETY: the range is readable, as the caller says, and the staging memory has as many bytes.
                unsafe { std::ptr::copy_nonoverlapping(from, before.address(), bytes) };
                from = before.address();
                last.before = Some(before);
            }
            let to = last.memory.address;
            self.device.within(|driver| driver.to_device(to, from.cast(), bytes, stream)).map_err(words)?;
            self.bytes_in += last.piece.bytes;
        }
        Ok(())
    }

    /// Starts a kernel; nothing where something has failed before.
    pub fn launch(&mut self, kernel: u32, sizes: &[i64], params: &[u64]) {
        if self.failed.is_some() || sizes[..3].iter().any(|blocks| *blocks <= 0) {
            return;
        }
        if let Err(why) = self.try_launch(kernel, sizes, params) {
            self.fail(&why);
        }
        self.launches += 1;
    }

    fn try_launch(&self, kernel: u32, sizes: &[i64], params: &[u64]) -> Result<(), String> {
        let (device, limits) = (self.device, self.device.limits);
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
        let stream = self.stream.unwrap_or(std::ptr::null_mut());
        let [gx, gy, gz, bx, by, bz] = asked;
        let launch = |driver: &Driver| {
            driver.launch(function, gx, gy, gz, bx, by, bz, 0, stream, slots.as_mut_ptr(), std::ptr::null_mut())
        };
        device.within(launch).map_err(|failure| failure.to_string())
    }

    /// Notes why the host has to run the region; the first reason stays.
    pub fn fail(&mut self, why: &str) {
        self.failed.get_or_insert_with(|| why.to_owned());
    }

    /// Waits, and copies back what kernels have written. False: the host is to run the region.
    pub fn end(mut self) -> bool {
        if !device::is_ours() {
            log(&self.name, "host: this process is the child of one that uses the GPU");
            std::mem::forget(self);
            return false;
        }
        if self.failed.is_none()
            && let Err(why) = self.copy_out()
        {
            self.fail(&why);
        }
        let done = self.failed.is_none();
        if done {
            self.store();
        }
        self.finish();
        done
    }

    /// Copies what kernels have written into memory of ours, and waits for everything.
    fn copy_out(&mut self) -> Result<(), String> {
        let (device, stream) = (self.device, self.stream.unwrap_or(std::ptr::null_mut()));
        for copied in self.copied.iter_mut().filter(|copied| copied.piece.written) {
            let mut after = Staging::new(device, copied.piece.bytes)?;
            let (to, from, bytes) = (after.address(), copied.memory.address, size(&copied.piece));
            copied.after = Some(after);
            let copy = device.within(|driver| driver.to_host(to.cast(), from, bytes, stream));
            copy.map_err(|failure| failure.to_string())?;
        }
        device.within(|driver| driver.wait(stream)).map_err(|failure| failure.to_string())
    }

    /// Stores what came back to the host's memory. Nothing can fail any more.
    fn store(&self) {
        for copied in &self.copied {
            let Some(after) = &copied.after else { continue };
            let bytes = size(&copied.piece);
            let to = copied.piece.first as *mut u8;
            match &copied.before {
                // SAFETY: kernels have written what differs, in place of the host's code: it can be written.
                Some(before) => unsafe { store_changes(to, before.bytes(bytes), after.bytes(bytes)) },
                // SAFETY: kernels have written every byte, as the caller says.
                None => unsafe { std::ptr::copy_nonoverlapping(after.bytes(bytes).as_ptr(), to, bytes) },
            }
        }
    }

    /// Gives back what the region has of the device, once nothing uses it any more, and tells how it went.
    fn finish(mut self) {
        let device = self.device;
        if let Some(stream) = self.stream.take() {
            // What is under way still reads the host's memory. A failure was told, or comes again in the next region.
            let _ = device.within(|driver| driver.wait(stream));
            let _ = device.within(|driver| driver.end_stream(stream));
        }
        let (mut on_device, mut pinned, mut bytes_out) = (Vec::new(), Vec::new(), 0);
        for copied in self.copied.drain(..) {
            on_device.push(copied.memory);
            bytes_out += copied.after.as_ref().map_or(0, |_| copied.piece.bytes);
            for staging in [copied.before, copied.after].into_iter().flatten() {
                match staging {
                    Staging::Pinned(memory) => pinned.push(memory),
                    // A lost context may still write to it.
                    Staging::Heap(heap) if device.is_lost() => std::mem::forget(heap),
                    Staging::Heap(_) => {}
                }
            }
        }
        device.give_back(on_device, pinned);
        match &self.failed {
            Some(why) => {
                say_once(why);
                log(&self.name, &format!("host: {why}"));
            }
            None => {
                let micros = self.started.elapsed().as_micros();
                let (launches, bytes_in) = (self.launches, self.bytes_in);
                let what = format!("{launches} launches, {bytes_in} bytes in, {bytes_out} bytes out, {micros} us");
                log(&self.name, &format!("device ({}): {what}", device.name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_work_stays_on_the_host() {
        let little = Estimate { instructions: 1e5, launches: 1.0 };
        assert!(!little.prefers_device(1 << 20, true));
        let much = Estimate { instructions: 1e10, launches: 1.0 };
        assert!(much.prefers_device(1 << 20, true));
        assert!(much.prefers_device(1 << 20, false));
    }

    #[test]
    fn many_launches_of_little_stay_on_the_host() {
        let steps = Estimate { instructions: 1e8, launches: 1e4 };
        assert!(!steps.prefers_device(1 << 20, true));
    }
}
