//! The streams of one region, or of several in sequence: one for kernels, one for copies to the device, one for copies
//! back, with events where one has to wait for another.
//!
//! What goes to the device goes through pinned memory in chunks: while one is on its way, the host fills the next one.
//! A kernel waits for the copies that it needs, not for others; results that are final come back while other kernels
//! run. Streams and events are made when they are first needed.

use crate::device::{Device, Memory};
use crate::driver::{Failure, Handle};
use crate::pages;
use crate::settings::settings;
use std::ffi::c_int;

/// The system's code for an address that cannot be accessed.
const EFAULT: c_int = 14;

/// Chunks on their way to the device at a time.
const CHUNKS: usize = 2;

/// A chunk of pinned memory with the event behind its copy.
struct Chunk {
    memory: Memory,
    copied: Handle,
}

/// Streams with their events.
pub struct Flow {
    device: &'static Device,
    kernels: Option<Handle>,
    to_device: Option<Handle>,
    to_host: Option<Handle>,
    /// Between copies to the device and kernels, and between kernels and copies back: recorded anew each time.
    between: Option<Handle>,
    chunks: Vec<Chunk>,
    /// The one that was used longest ago.
    oldest: usize,
}

impl Flow {
    /// None yet.
    pub fn new(device: &'static Device) -> Self {
        let (kernels, to_device, to_host, between) = (None, None, None, None);
        Self { device, kernels, to_device, to_host, between, chunks: Vec::new(), oldest: 0 }
    }

    /// The stream for kernels.
    ///
    /// # Errors
    /// The driver's.
    pub fn kernels(&mut self) -> Result<Handle, Failure> {
        made(&mut self.kernels, || self.device.stream())
    }

    /// Copies so many bytes to the device; with an `image` of as many bytes, that keeps what was copied, else the
    /// memory at `from` may only change when [`Self::wait`] has come back. Kernels that need them have to wait:
    /// [`Self::let_kernels_wait`].
    ///
    /// # Errors
    /// The driver's.
    ///
    /// # Safety
    /// So many bytes can be read at `from`, and written at `image`, which nobody changes until [`Self::wait`] has come
    /// back.
    pub unsafe fn copy_in(
        &mut self,
        to: u64,
        from: *const u8,
        bytes: usize,
        image: Option<*mut u8>,
    ) -> Result<(), Failure> {
        if !pages::are_readable(from, bytes) {
            let name = "a part between rows cannot be read".to_owned();
            return Err(Failure { call: "copying the host's memory", code: EFAULT, name });
        }
        let stream = made(&mut self.to_device, || self.device.stream())?;
        let chunk_bytes = settings().chunk_bytes;
        for at in (0..bytes).step_by(chunk_bytes) {
            let count = chunk_bytes.min(bytes - at);
            // SAFETY: within the bytes.
            let own = unsafe { from.add(at) };
            let chunk = if image.is_none() { self.free_chunk(count.max(chunk_bytes.min(bytes)))? } else { None };
            let place = match (image, &chunk) {
                // SAFETY: within its bytes.
                (Some(image), _) => Some(unsafe { image.add(at) }),
                (None, Some(chunk)) => Some(self.chunks[*chunk].memory.address as *mut u8),
                (None, None) => None,
            };
            if let Some(place) = place {
                // SAFETY: both have so many bytes, and different ones; no copy on its way uses `place`.
                unsafe { std::ptr::copy_nonoverlapping(own, place, count) };
            }
            let source = place.map_or(own, <*mut u8>::cast_const);
            let into = to + at as u64;
            self.device.within(|driver| driver.to_device(into, source.cast(), count, stream))?;
            if let Some(chunk) = chunk {
                let copied = self.chunks[chunk].copied;
                self.device.within(|driver| driver.record(copied, stream))?;
            }
        }
        Ok(())
    }

    /// A chunk of at least so many bytes that no copy uses; `None`: there is no pinned memory.
    fn free_chunk(&mut self, bytes: usize) -> Result<Option<usize>, Failure> {
        let device = self.device;
        if self.chunks.len() < CHUNKS {
            let Some(memory) = device.pinned(bytes as u64) else { return Ok(None) };
            let copied = match device.event() {
                Ok(copied) => copied,
                Err(failure) => {
                    device.give_back(Vec::new(), vec![memory]);
                    return Err(failure);
                }
            };
            self.chunks.push(Chunk { memory, copied });
            return Ok(Some(self.chunks.len() - 1));
        }
        let free = self.oldest;
        self.oldest = (free + 1) % CHUNKS;
        let chunk = &mut self.chunks[free];
        device.within(|driver| driver.wait_for_event(chunk.copied))?;
        if chunk.memory.bytes < bytes as u64 {
            let Some(larger) = device.pinned(bytes as u64) else { return Ok(None) };
            device.give_back(Vec::new(), vec![std::mem::replace(&mut chunk.memory, larger)]);
        }
        Ok(Some(free))
    }

    /// Kernels from here on wait for all copies to the device so far.
    ///
    /// # Errors
    /// The driver's.
    pub fn let_kernels_wait(&mut self) -> Result<(), Failure> {
        let Some(from) = self.to_device else { return Ok(()) };
        let kernels = self.kernels()?;
        self.order(from, kernels)
    }

    /// The stream for copies back, behind all kernels so far.
    ///
    /// # Errors
    /// The driver's.
    pub fn behind_kernels(&mut self) -> Result<Handle, Failure> {
        let kernels = self.kernels()?;
        let stream = made(&mut self.to_host, || self.device.stream())?;
        self.order(kernels, stream)?;
        Ok(stream)
    }

    /// What one stream does from here on is behind what another was asked to do.
    fn order(&mut self, first: Handle, second: Handle) -> Result<(), Failure> {
        let event = made(&mut self.between, || self.device.event())?;
        self.device.within(|driver| {
            driver.record(event, first)?;
            driver.wait_behind(second, event, 0)
        })
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// The driver's.
    pub fn wait(&self) -> Result<(), Failure> {
        let all = [self.to_device, self.kernels, self.to_host];
        all.into_iter().flatten().try_for_each(|stream| self.device.within(|driver| driver.wait(stream)))
    }

    /// Gives streams, events and chunks back; everything was waited for.
    pub fn free(&mut self) {
        let streams = [self.to_device.take(), self.kernels.take(), self.to_host.take()];
        let chunks = std::mem::take(&mut self.chunks);
        let events = self.between.take().into_iter().chain(chunks.iter().map(|chunk| chunk.copied)).collect();
        self.device.give_back_flow(streams.into_iter().flatten().collect(), events);
        self.device.give_back(Vec::new(), chunks.into_iter().map(|chunk| chunk.memory).collect());
    }
}

/// What is there, or is made now.
fn made(place: &mut Option<Handle>, make: impl FnOnce() -> Result<Handle, Failure>) -> Result<Handle, Failure> {
    match *place {
        Some(made) => Ok(made),
        None => {
            let made = make()?;
            *place = Some(made);
            Ok(made)
        }
    }
}
