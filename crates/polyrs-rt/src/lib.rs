//! Runs regions of a program on a GPU, or says that the host has to.
//!
//! The C interface (`include/polyrs_rt.h`) is what compiled programs call: begin, launch, end. `driver` is the table of
//! functions of `libcuda.so.1`, loaded on first use; `device` the one context of the process with its modules and
//! pooled memory; `ranges` the host's memory that kernels use; `held` what of it is on the device; `flow` the streams
//! for kernels and copies; `region` one run of a region; `rates` how fast host and device are; `session` regions in
//! sequence; `settings` what the user asks for by environment variables; `unloads` whether libraries have gone; `about`
//! what `polyrs doctor` says of the device.
//!
//! Invariant: the host's memory changes only where a region or session ends, after everything that can fail has gone
//! well.

mod about;
mod device;
mod driver;
mod errno;
mod flow;
mod held;
mod pages;
mod ranges;
mod rates;
mod region;
mod session;
mod settings;
mod unloads;

pub use about::About;
use region::{Region, Those};
use session::Session;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Version of the structs below.
const VERSION: u32 = 2;
/// That of programs whose kernels are one text.
const ONE_TEXT: u32 = 1;

/// Kernels of a program (`polyrs_gpu_code`).
#[repr(C)]
pub struct Code {
    /// The texts; the one text, where the version is [`ONE_TEXT`].
    ptx: *const c_char,
    names: *const *const c_char,
    kernels: u32,
    version: u32,
    /// How many texts there are; not there where the version is [`ONE_TEXT`].
    texts: u32,
}

/// Memory of the host that kernels use (`polyrs_gpu_range`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Address of the first byte.
    pub first: u64,
    /// Bytes.
    pub bytes: u64,
    /// [`WRITTEN`], [`WHOLE`], [`FRESH`].
    pub flags: u64,
    /// Address on the device minus address on the host, modulo 2^64.
    pub offset: u64,
}

/// Kernels write in the range.
pub const WRITTEN: u64 = 1;
/// They write every byte of it.
pub const WHOLE: u64 = 2;
/// Besides, they read nothing of it that they have not written before.
pub const FRESH: u64 = 4;

/// What a region begins with; `None` where its code makes no sense.
///
/// # Safety
/// As [`polyrs_gpu_begin`]; the ranges are nobody else's while they are used.
unsafe fn given<'r>(
    code: *const Code,
    (ranges, count): (*mut Range, u32),
    name: *const c_char,
) -> Option<(region::Kernels, &'r mut [Range], String)> {
    // SAFETY: the caller keeps code, name and ranges valid during the call.
    let (ranges, name) = unsafe {
        let ranges = if count == 0 { &mut [] } else { std::slice::from_raw_parts_mut(ranges, count as usize) };
        (ranges, CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    // SAFETY: names and text of the code are zero-terminated and stay where they are.
    Some((unsafe { kernels_of(code) }?, ranges, name))
}

/// Copies ranges to the device; null: the host is to run the region.
///
/// # Safety
/// As the header says: `code` and `name` stay valid, `ranges` has `count` entries of readable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_begin(
    code: *const Code,
    ranges: *mut Range,
    count: u32,
    instructions: f64,
    launches: f64,
    name: *const c_char,
) -> *mut Region {
    let _errno = errno::Kept::new();
    let begun = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller's promise.
        let (code, ranges, name) = unsafe { given(code, (ranges, count), name) }?;
        let estimate = region::Estimate { instructions, launches };
        Region::alone(&code, ranges, estimate, name)
    }));
    begun.ok().flatten().map_or(std::ptr::null_mut(), |region| Box::into_raw(Box::new(region)))
}

/// The same for a region of a session.
///
/// # Safety
/// As [`polyrs_gpu_begin`]; `session` is 0, or what a function of this library put there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_begin_in(
    session: *mut usize,
    code: *const Code,
    ranges: *mut Range,
    count: u32,
    instructions: f64,
    launches: f64,
    name: *const c_char,
) -> *mut Region {
    let _errno = errno::Kept::new();
    let begin = |session: &mut Session| {
        // SAFETY: the caller's promise.
        let (code, ranges, name) = unsafe { given(code, (ranges, count), name) }?;
        session.begin(&code, ranges, region::Estimate { instructions, launches }, name)
    };
    // SAFETY: the caller's promise.
    let begun = unsafe { in_session(session, begin) };
    begun.flatten().map_or(std::ptr::null_mut(), |region| Box::into_raw(Box::new(region)))
}

/// Ends a region of a session; 0: the host is to run it, once [`polyrs_gpu_host`] lets it.
///
/// # Safety
/// `region` comes from [`polyrs_gpu_begin_in`] with the same session, and is not null; it is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_end_in(session: *mut usize, region: *mut Region) -> i32 {
    let _errno = errno::Kept::new();
    // SAFETY: made by `Box::into_raw` in `polyrs_gpu_begin_in`, and nobody has it any more.
    let region = unsafe { Box::from_raw(region) };
    // SAFETY: the caller's promise.
    i32::from(unsafe { in_session(session, |session| session.end(*region)) }.unwrap_or(false))
}

/// Before the host reads memory, and changes nothing. 1: it may. 0: it has to go back to the beginning of the session.
///
/// # Safety
/// As [`polyrs_gpu_begin_in`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_show(session: *mut usize) -> i32 {
    let _errno = errno::Kept::new();
    // SAFETY: the caller's promise.
    unsafe { asked(session, Session::show) }
}

/// Before the host reads or writes memory. 1: it may. 0: it has to go back to the beginning of the session.
///
/// # Safety
/// As [`polyrs_gpu_begin_in`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_host(session: *mut usize) -> i32 {
    let _errno = errno::Kept::new();
    // SAFETY: the caller's promise.
    unsafe { asked(session, Session::hand_over) }
}

/// Whether the host may go on.
///
/// # Safety
/// As [`in_session`].
unsafe fn asked(session: *mut usize, ask: fn(&mut Session) -> bool) -> i32 {
    // SAFETY: the caller's promise.
    let done = unsafe { in_session(session, ask) };
    // After an internal error, results are lost: the next call says so.
    // SAFETY: as above.
    i32::from(done.or_else(|| unsafe { in_session(session, ask) }).unwrap_or(false))
}

/// Works on a session, which is then in a state that is true, whatever happens; `None`: an internal error.
///
/// # Safety
/// The place can be written; what is there is 0, or was put there by this function.
unsafe fn in_session<T>(place: *mut usize, work: impl FnOnce(&mut Session) -> T) -> Option<T> {
    // SAFETY: the caller's promise; a session is in its place once.
    let mut session = unsafe { Session::from_word(place.replace(session::LOST)) };
    // SAFETY: as above.
    unsafe { place.write(session.without_device()) };
    let done = catch_unwind(AssertUnwindSafe(|| work(&mut session)));
    match done {
        Ok(done) => {
            // SAFETY: as above.
            unsafe { place.write(session.into_word()) };
            Some(done)
        }
        Err(_) => {
            std::mem::forget(session);
            None
        }
    }
}

/// Starts a kernel that may use all ranges.
///
/// # Safety
/// `region` comes from [`polyrs_gpu_begin`] and is not null; `sizes` has 6 entries, `params` has `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_launch(
    region: *mut Region,
    kernel: u32,
    sizes: *const i64,
    params: *const u64,
    count: u32,
) {
    // SAFETY: as the caller says.
    unsafe { polyrs_gpu_launch_on(region, kernel, sizes, params, count, u64::MAX) };
}

/// Starts a kernel that uses some ranges only.
///
/// # Safety
/// As [`polyrs_gpu_launch`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_launch_on(
    region: *mut Region,
    kernel: u32,
    sizes: *const i64,
    params: *const u64,
    count: u32,
    uses: u64,
) {
    let _errno = errno::Kept::new();
    // SAFETY: as the caller says; no other thread has the region.
    let (region, sizes, params) = unsafe {
        let params = if count == 0 { &[] } else { std::slice::from_raw_parts(params, count as usize) };
        (&mut *region, std::slice::from_raw_parts(sizes, 6), params)
    };
    let launched = catch_unwind(AssertUnwindSafe(|| region.launch(kernel, sizes, params, Those(uses))));
    if launched.is_err() {
        region.fail("an internal error");
    }
}

/// Says which ranges no kernel writes from here on.
///
/// # Safety
/// As [`polyrs_gpu_launch`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_final(region: *mut Region, ranges: u64) {
    let _errno = errno::Kept::new();
    // SAFETY: as the caller says; no other thread has the region.
    let region = unsafe { &mut *region };
    if catch_unwind(AssertUnwindSafe(|| region.finish(Those(ranges)))).is_err() {
        region.fail("an internal error");
    }
}

/// Waits, and copies back what kernels have written; 0: the host is to run the region.
///
/// # Safety
/// `region` comes from [`polyrs_gpu_begin`] and is not null; it is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_end(region: *mut Region) -> i32 {
    let _errno = errno::Kept::new();
    // SAFETY: made by `Box::into_raw` in `polyrs_gpu_begin`, and nobody has it any more.
    let region = unsafe { Box::from_raw(region) };
    i32::from(catch_unwind(AssertUnwindSafe(|| region.end())).unwrap_or(false))
}

/// Tells the user that a region stays with the host, and why, where regions are logged.
///
/// # Safety
/// `name` is zero-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyrs_gpu_stays(name: *const c_char, why: u32) {
    let _errno = errno::Kept::new();
    if settings::settings().log {
        // SAFETY: the caller's promise.
        let name = unsafe { CStr::from_ptr(name) };
        let _ = catch_unwind(AssertUnwindSafe(|| region::stays(&name.to_string_lossy(), why)));
    }
}

/// The code as safe references; `None`: it was made for another version of this library.
///
/// # Safety
/// Texts and names are zero-terminated and stay where they are while the program runs. The last field is only there
/// where the version says so.
unsafe fn kernels_of(code: *const Code) -> Option<region::Kernels> {
    // SAFETY: these fields are there in all versions.
    let (version, kernels, names, ptx) = unsafe { ((*code).version, (*code).kernels, (*code).names, (*code).ptx) };
    if version != VERSION && version != ONE_TEXT {
        settings::say_once("the program was compiled for another version of the run-time library");
        return None;
    }
    // SAFETY: the caller's promise.
    let texts = unsafe {
        match version {
            ONE_TEXT => vec![CStr::from_ptr(ptx)],
            _ => texts(ptx.cast(), (*code).texts),
        }
    };
    // SAFETY: the caller's promise.
    Some(region::Kernels { texts, names: unsafe { self::texts(names, kernels) } })
}

/// # Safety
/// There are so many zero-terminated texts, which stay where they are while the program runs.
unsafe fn texts(at: *const *const c_char, count: u32) -> Vec<&'static CStr> {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, count as usize).iter().map(|text| CStr::from_ptr(*text)).collect() }
}
