//! The allocator of the plugin.

use libmimalloc_sys::{mi_free, mi_malloc, mi_malloc_aligned, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned};
use std::alloc::{GlobalAlloc, Layout};

/// The largest alignment that mimalloc gives to each block of at least that length: its `MI_MAX_ALIGN_SIZE`.
const GIVEN_ALIGNMENT: usize = 16;

/// mimalloc; what is aligned by itself is asked for without an alignment, which takes fewer instructions: 5 to 8
/// million less of the 190 to 310 that the plugin adds to `opt -O3` of symm, deriche, ludcmp and lu.
pub struct Memory;

impl Memory {
    /// Whether a block of that length has the alignment anyway.
    const fn is_aligned(layout: Layout) -> bool {
        layout.align() <= GIVEN_ALIGNMENT && layout.align() <= layout.size()
    }
}

// SAFETY: mimalloc's functions do what the trait asks for; blocks of `is_aligned` have their alignment by themselves,
// and whatever a block was asked for with, `mi_free` and `mi_realloc_aligned` take it.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: any size and any power of two may be asked for.
        unsafe { if Self::is_aligned(layout) { mi_malloc(size) } else { mi_malloc_aligned(size, align) } }.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as in `alloc`.
        unsafe { if Self::is_aligned(layout) { mi_zalloc(size) } else { mi_zalloc_aligned(size, align) } }.cast()
    }

    unsafe fn dealloc(&self, ptr: *mut u8, _: Layout) {
        // SAFETY: the caller hands over a block of this allocator.
        unsafe { mi_free(ptr.cast()) };
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller hands over a block of this allocator.
        unsafe { mi_realloc_aligned(ptr.cast(), size, layout.align()) }.cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_their_alignment() {
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            for size in [1, 2, 3, 4, 7, 8, 9, 12, 16, 17, 24, 40, 48, 72, 100, 1000, 5000, 200_000] {
                let layout = Layout::from_size_align(size, align).unwrap();
                for zeroed in [false, true] {
                    // SAFETY: the layout has a size; each block is used within it and freed as what it is last.
                    unsafe {
                        let block = if zeroed { Memory.alloc_zeroed(layout) } else { Memory.alloc(layout) };
                        assert_eq!(block as usize % align, 0, "{size} bytes, aligned to {align}");
                        assert!(!zeroed || (0..size).all(|k| *block.add(k) == 0));
                        block.write_bytes(1, size);
                        let longer = Memory.realloc(block, layout, size + 40);
                        assert_eq!(longer as usize % align, 0, "{size} bytes and 40, aligned to {align}");
                        assert!((0..size).all(|k| *longer.add(k) == 1));
                        Memory.dealloc(longer, Layout::from_size_align(size + 40, align).unwrap());
                    }
                }
            }
        }
    }
}
