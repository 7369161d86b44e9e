//! Counts what is allocated, while it is asked to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// What a piece of work allocated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// How often.
    pub(crate) allocations: usize,
    /// The most it had at once, in bytes.
    pub(crate) peak: isize,
}

/// Counts while `work` runs. Nothing else may run meanwhile.
pub(crate) fn count<T>(work: impl FnOnce() -> T) -> (T, Usage) {
    ALLOCATIONS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    ON.store(true, Relaxed);
    let result = work();
    ON.store(false, Relaxed);
    let usage = Usage {
        allocations: ALLOCATIONS.load(Relaxed),
        peak: PEAK.load(Relaxed),
    };
    (result, usage)
}

fn note(bytes: isize) {
    if ON.load(Relaxed) {
        if bytes > 0 {
            ALLOCATIONS.fetch_add(1, Relaxed);
        }
        let now = BYTES.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(now, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `dealloc`, and `pointer` came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}
