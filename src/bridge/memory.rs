//! Memory of the Rust side: small blocks from lists by size, without a lock.
//!
//! Sets, rows and tableaus are short vectors, made and dropped by the hundred thousand in one run; a general allocator spends a tenth
//! of the run on them. Here a free block of the right size is one load and one store away. Each thread has a heap of its own, so that
//! nothing is locked; a block freed in another thread than it came from changes heaps. The heap of a thread that ends is kept for the
//! next one that begins. Memory once taken for small blocks stays with the process: as much as all heaps needed at their peaks.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

/// Sizes and alignments of blocks are multiples of this.
const UNIT_BYTES: usize = 16;
/// Larger blocks come from the system.
const SMALL_BYTES: usize = 1024;
/// Taken from the system at once.
const CHUNK_BYTES: usize = 64 << 10;
/// Number of block sizes.
const CLASSES: usize = SMALL_BYTES / UNIT_BYTES;

/// The allocator: for use as `#[global_allocator]`.
pub struct Memory;

/// A free block; the rest of it is unused.
struct Free {
    next: *mut Free,
}

/// What one thread has to give. Made by the system's allocator and never freed.
struct Heap {
    /// Free blocks of `(k + 1) * UNIT_BYTES`.
    free: [*mut Free; CLASSES],
    /// Part of the last chunk that was never given away.
    fresh: *mut u8,
    fresh_bytes: usize,
    /// The next heap without a thread.
    next: *mut Heap,
}

/// Heaps whose threads have ended, linked.
struct Orphans(*mut Heap);

// SAFETY: a heap without a thread is used by nobody but who takes it out of the list, under the list's lock.
unsafe impl Send for Orphans {}

static ORPHANS: Mutex<Orphans> = Mutex::new(Orphans(ptr::null_mut()));

thread_local! {
    /// This thread's heap, once it has one.
    static HEAP: Cell<*mut Heap> = const { Cell::new(ptr::null_mut()) };
    /// Gives it away when the thread ends.
    static END: End = const { End };
}

struct End;

impl Drop for End {
    fn drop(&mut self) {
        let heap = HEAP.replace(ptr::null_mut());
        if let Some(mut heap) = NonNull::new(heap) {
            let mut orphans = ORPHANS.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the heap was this thread's alone and is now the list's.
            unsafe { heap.as_mut().next = orphans.0 };
            orphans.0 = heap.as_ptr();
        }
    }
}

/// The list that a block of this layout belongs to; `None`: the system's.
fn class_of(size: usize, align: usize) -> Option<usize> {
    (size <= SMALL_BYTES && align <= UNIT_BYTES).then(|| size.saturating_sub(1) / UNIT_BYTES)
}

/// This thread's heap; null if the system has no memory.
fn heap() -> *mut Heap {
    let heap = HEAP.get();
    if heap.is_null() { adopted() } else { heap }
}

/// A heap for a thread that has none.
#[cold]
fn adopted() -> *mut Heap {
    let mut orphans = ORPHANS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut heap = orphans.0;
    if heap.is_null() {
        // SAFETY: the layout is not empty; all zeros (null pointers, no bytes) is a heap with nothing to give.
        heap = unsafe { System.alloc_zeroed(Layout::new::<Heap>()) }.cast();
    } else {
        // SAFETY: heaps in the list are valid, and the lock is held.
        orphans.0 = unsafe { (*heap).next };
    }
    drop(orphans);
    HEAP.set(heap);
    // Fails only in a thread that is ending: then the heap is lost.
    let _ = END.try_with(|_| ());
    heap
}

impl Heap {
    fn take(&mut self, class: usize) -> *mut u8 {
        let block = self.free[class];
        if block.is_null() {
            return self.cut((class + 1) * UNIT_BYTES);
        }
        // SAFETY: what is in the list is free, large enough for the link, and the link was written by `give`.
        self.free[class] = unsafe { (*block).next };
        block.cast()
    }

    /// # Safety
    /// `block` came from a `take` of the same class, in any heap, and nobody uses it any more.
    unsafe fn give(&mut self, block: *mut u8, class: usize) {
        let block = block.cast::<Free>();
        // SAFETY: as promised; blocks are aligned to `UNIT_BYTES` and not smaller.
        unsafe { block.write(Free { next: self.free[class] }) };
        self.free[class] = block;
    }

    /// A block that was never used; null if the system has no memory. What is left of a chunk too small for it is lost.
    #[cold]
    fn cut(&mut self, bytes: usize) -> *mut u8 {
        if self.fresh_bytes < bytes {
            let Ok(layout) = Layout::from_size_align(CHUNK_BYTES, UNIT_BYTES) else { return ptr::null_mut() };
            // SAFETY: the layout is not empty.
            let chunk = unsafe { System.alloc(layout) };
            if chunk.is_null() {
                return chunk;
            }
            (self.fresh, self.fresh_bytes) = (chunk, CHUNK_BYTES);
        }
        let block = self.fresh;
        // SAFETY: at least `bytes` are left behind `fresh`.
        self.fresh = unsafe { block.add(bytes) };
        self.fresh_bytes -= bytes;
        block
    }
}

// SAFETY: blocks in use never overlap: a block is in no list, or in one, and chunks are cut front to back; small blocks have at least
// the size and alignment of their class; everything else is the system's. Nothing here unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class_of(layout.size(), layout.align()) else {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        };
        // SAFETY: the heap is this thread's, which is here.
        unsafe { heap().as_mut() }.map_or(ptr::null_mut(), |heap| heap.take(class))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(layout.size(), layout.align()) {
            // SAFETY: the caller's promise.
            None => unsafe { System.dealloc(block, layout) },
            Some(class) => {
                // SAFETY: the heap is this thread's, which is here; without one the block is lost.
                if let Some(heap) = unsafe { heap().as_mut() } {
                    // SAFETY: the caller's promise: the block came from `alloc` with this layout, so from this class.
                    unsafe { heap.give(block, class) };
                }
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class_of(layout.size(), layout.align()).is_none() {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's promise.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block has this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        match (class_of(layout.size(), layout.align()), class_of(bytes, layout.align())) {
            // SAFETY: the caller's promise.
            (None, None) => unsafe { System.realloc(block, layout, bytes) },
            (Some(old), Some(new)) if old == new => block,
            _ => {
                // SAFETY: the caller's promise: the size does not overflow when rounded up to the alignment.
                let grown = unsafe { self.alloc(Layout::from_size_align_unchecked(bytes, layout.align())) };
                if !grown.is_null() {
                    // SAFETY: two blocks in use, both at least that long; the old one is the caller's to give up.
                    unsafe {
                        ptr::copy_nonoverlapping(block, grown, layout.size().min(bytes));
                        self.dealloc(block, layout);
                    }
                }
                grown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a block, and says whether it still holds that.
    struct Filled(*mut u8, Layout, u8);

    impl Filled {
        fn new(bytes: usize, align: usize, value: u8) -> Self {
            let layout = Layout::from_size_align(bytes, align).expect("small");
            // SAFETY: not empty; written within its size.
            let block = unsafe {
                let block = Memory.alloc(layout);
                block.write_bytes(value, bytes);
                block
            };
            assert_eq!(block.addr() % align, 0);
            Self(block, layout, value)
        }

        fn is_intact(&self, bytes: usize) -> bool {
            // SAFETY: the block is in use and at least this long.
            unsafe { std::slice::from_raw_parts(self.0, bytes) }.iter().all(|b| *b == self.2)
        }

        fn resized(mut self, bytes: usize) -> Self {
            let kept = bytes.min(self.1.size());
            // SAFETY: the block is in use with this layout; written within its size.
            unsafe {
                self.0 = Memory.realloc(self.0, self.1, bytes);
                self.1 = Layout::from_size_align(bytes, self.1.align()).expect("small");
                assert!(self.is_intact(kept));
                self.0.write_bytes(self.2, bytes);
            }
            self
        }

        fn end(self) {
            assert!(self.is_intact(self.1.size()));
            // SAFETY: in use with this layout, and given up.
            unsafe { Memory.dealloc(self.0, self.1) };
        }
    }

    #[test]
    fn blocks_of_all_sizes_do_not_overlap() {
        let sizes = [1, 8, 15, 16, 17, 100, 1008, 1023, 1024, 1025, 5000, 200_000];
        for round in 0..3 {
            let mut blocks = Vec::new();
            for (k, &size) in sizes.iter().cycle().take(400).enumerate() {
                let align = [1, 8, 16, 64][(k + round) % 4];
                blocks.push(Filled::new(size, align, u8::try_from(k % 251).expect("small")));
                if k % 3 == 0 {
                    blocks.swap_remove(k / 2 % blocks.len()).end();
                }
            }
            for (k, block) in blocks.into_iter().enumerate() {
                block.resized(sizes[(k + round) % sizes.len()]).resized(sizes[k * 7 % sizes.len()]).end();
            }
        }
    }

    #[test]
    fn zeroed_blocks_are_zero_when_used_again() {
        for size in [24, 1024, 4096] {
            let used = Filled::new(size, 8, 7);
            let layout = used.1;
            used.end();
            // SAFETY: not empty; freed with the same layout.
            unsafe {
                let block = Memory.alloc_zeroed(layout);
                assert!(std::slice::from_raw_parts(block, size).iter().all(|b| *b == 0));
                Memory.dealloc(block, layout);
            }
        }
    }

    #[test]
    fn blocks_may_end_in_another_thread() {
        let lists: Vec<Vec<String>> = (0..8)
            .map(|t| std::thread::spawn(move || (0..500).map(|k| format!("{t} {k}")).collect::<Vec<_>>()))
            .map(|thread| thread.join().expect("no panic"))
            .collect();
        let checks: Vec<_> = lists
            .into_iter()
            .enumerate()
            .map(|(t, list)| std::thread::spawn(move || list.iter().enumerate().all(|(k, s)| *s == format!("{t} {k}"))))
            .collect();
        assert!(checks.into_iter().all(|check| check.join().expect("no panic")));
    }
}
