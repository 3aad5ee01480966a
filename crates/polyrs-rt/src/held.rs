//! What is on the device: copies of pieces of the host's memory, with what they held when they were copied.
//!
//! Invariant: the host's memory changes in [`Held::store`] only, after everything that can fail has gone well. Pieces
//! are apart. A piece that kernels have written has an image of what was copied: only bytes that differ go back. A
//! piece is copied to the device when the first kernel needs it, while those before it run.

use crate::Range;
use crate::device::{Device, Memory};
use crate::driver::{Failure, Handle};
use crate::flow::Flow;
use crate::ranges::{Piece, overlap, store_changes, union};

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
    /// What came back, or is on its way.
    after: Option<Staging>,
    /// It is still to be copied, with or without an image.
    to_come: Option<Image>,
}

/// Whether what is copied to the device is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Image {
    Kept,
    NotKept,
}

/// What is on the device for one region, or for several in sequence.
pub struct Held {
    /// The device.
    pub device: &'static Device,
    flow: Box<Flow>,
    copied: Vec<Copied>,
    /// Memory whose contents have moved on: kernels and copies on their way may still use it.
    retired: (Vec<Memory>, Vec<Staging>),
    /// Bytes copied to the device, and back.
    pub moved: (u64, u64),
}

/// A count of bytes as the host counts memory.
fn size(bytes: u64) -> usize {
    usize::try_from(bytes).expect("a range of the host's memory fits")
}

fn words(failure: Failure) -> String {
    failure.to_string()
}

impl Held {
    /// Nothing yet.
    pub fn new(device: &'static Device) -> Self {
        Self {
            device,
            flow: Box::new(Flow::new(device)),
            copied: Vec::new(),
            retired: (Vec::new(), Vec::new()),
            moved: (0, 0),
        }
    }

    /// The stream for kernels.
    ///
    /// # Errors
    /// In words, why there is none.
    pub fn kernels(&mut self) -> Result<Handle, String> {
        self.flow.kernels().map_err(words)
    }

    /// Whether kernels have written something that the host does not have yet.
    pub fn has_results(&self) -> bool {
        self.copied.iter().any(|copied| copied.piece.written)
    }

    /// Bytes of pieces that are not there yet, and of those that will have to be copied back besides.
    pub fn missing(&self, pieces: &[Piece]) -> u64 {
        let of = |piece: &Piece| {
            let known = self.copied.iter().find(|held| held.piece.contains(piece));
            let back = piece.written && !known.is_some_and(|held| held.piece.written);
            piece.bytes * (u64::from(known.is_none()) + u64::from(back))
        };
        pieces.iter().map(of).sum()
    }

    /// Sees to it that pieces have a place on the device, and says in `ranges` where. What they hold is there once
    /// [`Self::bring`] was asked for it.
    ///
    /// # Errors
    /// In words, what has failed; what was there before is there still, unless the context is lost.
    pub fn place(&mut self, pieces: &[Piece], ranges: &mut [Range]) -> Result<(), String> {
        self.kernels()?;
        for piece in pieces {
            self.add(piece)?;
        }
        for k in pieces.iter().flat_map(|piece| &piece.ranges) {
            let at = ranges[*k].first;
            let held = self.copied.iter().find(|held| held.piece.holds(at)).ok_or("a range was not copied")?;
            ranges[*k].offset = held.memory.address.wrapping_sub(held.piece.first);
        }
        Ok(())
    }

    /// Notes that kernels write in these pieces, which are on the device.
    pub fn note_written(&mut self, pieces: &[Piece]) {
        for piece in pieces.iter().filter(|piece| piece.written) {
            self.copied.iter_mut().filter(|held| held.piece.contains(piece)).for_each(|held| held.piece.written = true);
        }
    }

    /// Copies a piece to the device, but for what is there already, in one with all that it overlaps.
    fn add(&mut self, piece: &Piece) -> Result<(), String> {
        let is_fit = |held: &Copied| held.piece.contains(piece) && (!piece.written || held.before.is_some());
        if self.copied.iter().any(is_fit) {
            return Ok(());
        }
        let near = |held: &Copied| overlap(&held.piece, piece);
        // What was only read, without an image, has to be copied again: the host's bytes may have changed where nobody
        // else may look.
        let with_image = piece.written || self.copied.iter().any(|held| near(held) && held.before.is_some());
        let is_kept = |held: &Copied| near(held) && (!with_image || held.before.is_some());
        let parts: Vec<&Copied> = self.copied.iter().filter(|held| is_kept(held)).collect();
        let mut whole = parts.iter().fold(piece.clone(), |all, held| union(&all, &held.piece));
        whole.written = parts.iter().any(|held| held.piece.written);
        whole.whole = piece.whole && parts.is_empty();
        whole.fresh = piece.fresh && whole.whole;
        let memory = self.device.allocate(whole.bytes).map_err(words)?;
        let mut made = Copied { piece: whole, memory, before: None, after: None, to_come: None };
        let filled = if parts.is_empty() {
            let image = if with_image && !made.piece.whole { Image::Kept } else { Image::NotKept };
            made.to_come = (!made.piece.fresh).then_some(image);
            Ok(0)
        } else {
            fill((self.device, &mut self.flow), &mut made, &parts, with_image)
        };
        let (used, rest) = std::mem::take(&mut self.copied).into_iter().partition(|held| filled.is_ok() && near(held));
        self.copied = rest;
        self.retire(used);
        match filled {
            Ok(bytes) => {
                self.moved.0 += bytes;
                self.copied.push(made);
                Ok(())
            }
            Err(why) => {
                self.retire(vec![made]);
                Err(why)
            }
        }
    }

    /// Copies those of the pieces to the device that are still to come and hold one of these bytes: kernels from here
    /// on wait for that.
    ///
    /// # Errors
    /// In words, what has failed.
    pub fn bring(&mut self, addresses: impl Iterator<Item = u64> + Clone) -> Result<(), String> {
        let mut some = false;
        for held in self.copied.iter_mut().filter(|held| held.to_come.is_some()) {
            if !addresses.clone().any(|at| held.piece.holds(at)) {
                continue;
            }
            let bytes = size(held.piece.bytes);
            let mut image = None;
            if held.to_come.take() == Some(Image::Kept) {
                image = Some(Staging::new(self.device, held.piece.bytes)?);
            }
            let (place, from) = (image.as_mut().map(Staging::address), held.piece.first as *const u8);
            // SAFETY: the range is readable, as the caller says, and the image has as many bytes.
            let copied = unsafe { self.flow.copy_in(held.memory.address, from, bytes, place) };
            // What is on its way may read the image even if the copy has failed.
            held.before = image;
            copied.map_err(words)?;
            self.moved.0 += held.piece.bytes;
            some = true;
        }
        if some { self.flow.let_kernels_wait().map_err(words) } else { Ok(()) }
    }

    /// Whether something of these bytes is still to be copied.
    pub fn is_to_come(&self, mut addresses: impl Iterator<Item = u64>) -> bool {
        let waiting = |at: u64| self.copied.iter().any(|held| held.to_come.is_some() && held.piece.holds(at));
        addresses.any(waiting)
    }

    /// Waits for all that is under way.
    ///
    /// # Errors
    /// In words, what has failed.
    pub fn wait(&self) -> Result<(), String> {
        self.flow.wait().map_err(words)
    }

    /// Forgets what no kernel has asked for.
    pub fn forget_to_come(&mut self) {
        let (waiting, rest) = std::mem::take(&mut self.copied).into_iter().partition(|held| held.to_come.is_some());
        self.copied = rest;
        self.retire(waiting);
    }

    /// Lets what kernels have written in a piece so far come back, behind them and beside those to come, which do not
    /// write in it. Nothing where the piece is part of a larger one.
    ///
    /// # Errors
    /// In words, what has failed.
    pub fn start_back(&mut self, piece: &Piece) -> Result<(), String> {
        let is_it = |held: &Copied| {
            (held.piece.first, held.piece.bytes) == (piece.first, piece.bytes)
                && held.after.is_none()
                && held.to_come.is_none()
        };
        let Some(held) = self.copied.iter_mut().find(|held| is_it(held)) else { return Ok(()) };
        let mut after = Staging::new(self.device, held.piece.bytes)?;
        let (to, from, bytes) = (after.address(), held.memory.address, size(held.piece.bytes));
        held.after = Some(after);
        self.moved.1 += held.piece.bytes;
        let stream = self.flow.behind_kernels().map_err(words)?;
        self.device.within(|driver| driver.to_host(to.cast(), from, bytes, stream)).map_err(words)
    }

    /// Keeps what pieces had until nothing uses it any more.
    fn retire(&mut self, pieces: Vec<Copied>) {
        for held in pieces {
            self.retired.0.push(held.memory);
            self.retired.1.extend([held.before, held.after].into_iter().flatten());
        }
    }

    /// Copies what kernels have written into memory of ours, and waits for everything.
    ///
    /// # Errors
    /// In words, what has failed.
    pub fn copy_out(&mut self) -> Result<(), String> {
        let (device, stream) = (self.device, self.kernels()?);
        for copied in self.copied.iter_mut().filter(|copied| copied.piece.written && copied.after.is_none()) {
            let mut after = Staging::new(device, copied.piece.bytes)?;
            let (to, from, bytes) = (after.address(), copied.memory.address, size(copied.piece.bytes));
            copied.after = Some(after);
            device.within(|driver| driver.to_host(to.cast(), from, bytes, stream)).map_err(words)?;
            self.moved.1 += copied.piece.bytes;
        }
        self.flow.wait().map_err(words)
    }

    /// Stores what came back to the host's memory, which is then what the device has. Nothing can fail any more.
    pub fn store(&mut self) {
        for copied in &mut self.copied {
            let Some(after) = copied.after.take() else { continue };
            let bytes = size(copied.piece.bytes);
            let to = copied.piece.first as *mut u8;
            copied.piece.written = false;
            match copied.before.take() {
                Some(before) => {
                    // SAFETY: kernels have written what differs, in place of the host's code: it can be written.
                    unsafe { store_changes(to, before.bytes(bytes), after.bytes(bytes)) };
                    self.retired.1.push(before);
                }
                // SAFETY: kernels have written every byte, as the caller says.
                None => unsafe { std::ptr::copy_nonoverlapping(after.bytes(bytes).as_ptr(), to, bytes) },
            }
            copied.before = Some(after);
        }
        self.release();
    }

    /// Gives back what nothing uses any more, since the stream was waited for.
    fn release(&mut self) {
        let (on_device, staging) = std::mem::take(&mut self.retired);
        let mut pinned = Vec::new();
        for staging in staging {
            match staging {
                Staging::Pinned(memory) => pinned.push(memory),
                // A lost context may still write to it.
                Staging::Heap(heap) if self.device.is_lost() => std::mem::forget(heap),
                Staging::Heap(_) => {}
            }
        }
        self.device.give_back(on_device, pinned);
    }

    /// Gives everything back, once nothing uses it any more.
    pub fn free(mut self) {
        // What is under way still reads the host's memory. A failure was told, or comes again in the next region.
        let _ = self.flow.wait();
        self.flow.free();
        let all = self.copied.drain(..).collect();
        self.retire(all);
        self.release();
    }
}

/// Fills a new piece with what `parts` have, and with the host's memory elsewhere: bytes that come from there. Kernels
/// from here on wait for that.
fn fill(
    (device, flow): (&Device, &mut Flow),
    made: &mut Copied,
    parts: &[&Copied],
    with_image: bool,
) -> Result<u64, String> {
    let stream = flow.kernels().map_err(words)?;
    let (first, end) = (made.piece.first, made.piece.end());
    let mut order: Vec<&&Copied> = parts.iter().collect();
    order.sort_by_key(|held| held.piece.first);
    if with_image {
        made.before = Some(Staging::new(device, made.piece.bytes)?);
    }
    // SAFETY: addresses of the piece, of which the image has every byte.
    let mut place = |at: u64| made.before.as_mut().map(|image| unsafe { image.address().add(size(at - first)) });
    let to = |at: u64| made.memory.address + (at - first);
    let (mut at, mut moved) = (first, 0);
    let ends = order.iter().map(|held| Some(**held)).chain([None]);
    for held in ends {
        let next = held.map_or(end, |held| held.piece.first);
        if next > at {
            // SAFETY: within the image; the range is readable, as the caller says.
            unsafe { flow.copy_in(to(at), at as *const u8, size(next - at), place(at)) }.map_err(words)?;
            moved += next - at;
        }
        let Some(held) = held else { break };
        let (into, from, bytes) = (to(next), held.memory.address, size(held.piece.bytes));
        device.within(|driver| driver.on_device(into, from, bytes, stream)).map_err(words)?;
        if let (Some(place), Some(before)) = (place(next), &held.before) {
            // SAFETY: both have the piece's bytes there.
            unsafe { std::ptr::copy_nonoverlapping(before.bytes(bytes).as_ptr(), place, bytes) };
        }
        at = held.piece.end();
    }
    flow.let_kernels_wait().map_err(words)?;
    Ok(moved)
}
