//! The one device of the process: its context, the modules loaded into it, memory that is used again.

use crate::driver::{Driver, Failure, Handle, OUT_OF_MEMORY};
use crate::region::Kernels;
use crate::settings::say_once;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Memory of the device, or pinned memory of the host, that waits to be used again: bytes of all pieces together.
const POOL_BYTES: u64 = 1 << 30;
/// Streams of this kind do not wait for the stream that other users of the context have.
const NON_BLOCKING: u32 = 1;
/// Events of this kind do not measure time.
const NO_TIMING: u32 = 2;
/// Failures after which the context is as good as before: bad values, memory, PTX that is not understood, names that
/// are not there, launches that need too much.
const HARMLESS: [c_int; 9] = [1, OUT_OF_MEMORY, 200, 209, 218, 221, 222, 500, 701];

/// Numbers of `CUdevice_attribute`: blocks of a launch in x; y and z follow.
const GRID_X: c_int = 5;
/// Threads of a block in x; y and z follow.
const BLOCK_X: c_int = 2;
/// Threads of a block.
const BLOCK_THREADS: c_int = 1;
/// Compute capability: before and behind the point.
pub const CAPABILITY: [c_int; 2] = [75, 76];

/// What a launch may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Blocks in x, y, z.
    pub grid: [i64; 3],
    /// Threads of a block in x, y, z.
    pub block: [i64; 3],
    /// Threads of a block.
    pub threads: i64,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Address, on the device or on the host.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Kernels that are loaded.
struct Loaded {
    functions: Vec<Handle>,
}

/// What has come of a program's kernels.
struct Module {
    /// Their texts, to tell them from those of another library that lies where theirs has been.
    texts: Vec<CString>,
    /// How many libraries were unloaded when the texts were last compared.
    unloads: u64,
    /// What is loaded, or why nothing is.
    loaded: Result<Loaded, String>,
}

impl Module {
    /// Whether it is of these kernels, whose first text lies where its own has lain.
    fn is_of(&mut self, code: &Kernels) -> bool {
        let unloads = crate::unloads::count();
        let same = self.unloads == unloads || code.texts.iter().copied().eq(self.texts.iter().map(CString::as_c_str));
        self.unloads = unloads;
        same
    }
}

/// What changes.
#[derive(Default)]
struct State {
    /// By the address of their first text.
    modules: HashMap<usize, Module>,
    on_device: Vec<Memory>,
    pinned: Vec<Memory>,
    streams: Vec<Handle>,
    events: Vec<Handle>,
}

/// The device.
pub struct Device {
    driver: Driver,
    context: Handle,
    /// What a launch may ask for.
    pub limits: Limits,
    /// Its name.
    pub name: String,
    /// Its name with the version of its driver.
    pub title: String,
    /// How long it took to start.
    pub started_in: Duration,
    /// Compute capability.
    pub capability: [c_int; 2],
    lost: AtomicBool,
    state: Mutex<State>,
}

// SAFETY: the driver's functions may be called by any thread; its handles are no more than numbers to us.
unsafe impl Send for Device {}
// SAFETY: as above; what changes is behind a lock.
unsafe impl Sync for Device {}
// SAFETY: handles are no more than numbers to us.
unsafe impl Send for State {}

static DEVICE: OnceLock<Result<Device, String>> = OnceLock::new();
/// The process that started the device; 0: none has.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

/// Whether the device was started.
pub fn is_started() -> bool {
    DEVICE.get().is_some()
}

/// The device, started at the first call.
///
/// # Errors
/// In words, why there is none. The child of a process that has used the device has none: driver and locks are the
/// parent's.
pub fn device() -> Result<&'static Device, String> {
    if !is_ours() {
        return Err("this process is the child of one that uses the GPU".to_owned());
    }
    let device = DEVICE.get_or_init(Device::start).as_ref().map_err(String::clone)?;
    if device.lost.load(Ordering::Relaxed) {
        return Err("the GPU failed before".to_owned());
    }
    Ok(device)
}

/// Whether this process may use the device: no parent of it has begun to.
pub fn is_ours() -> bool {
    let own = std::process::id();
    let started_by = STARTED_BY.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    started_by.is_ok_and(|none| none == 0) || started_by == Err(own)
}

impl Device {
    fn start() -> Result<Self, String> {
        let begun = Instant::now();
        let driver = Driver::load_library()?;
        let words = |failure: Failure| failure.to_string();
        let mut count = 0;
        driver.device_count(&raw mut count).map_err(words)?;
        if count == 0 {
            return Err("the driver knows no device".to_owned());
        }
        let (mut ordinal, mut context) = (0, std::ptr::null_mut());
        driver.device(&raw mut ordinal, 0).map_err(words)?;
        let mut name = [0u8; 100];
        driver.device_name(name.as_mut_ptr().cast::<c_char>(), 99, ordinal).map_err(words)?;
        let name = name.split(|b| *b == 0).next().unwrap_or_default();
        let attribute = |which| {
            let mut value = 0;
            driver.attribute(&raw mut value, which, ordinal).map(|()| i64::from(value)).map_err(words)
        };
        let three = |first: c_int| Ok::<_, String>([attribute(first)?, attribute(first + 1)?, attribute(first + 2)?]);
        let mut capability = [0; 2];
        for (value, which) in capability.iter_mut().zip(CAPABILITY) {
            driver.attribute(value, which, ordinal).map_err(words)?;
        }
        let mut version = 0;
        driver.version(&raw mut version).map_err(words)?;
        let limits = Limits { grid: three(GRID_X)?, block: three(BLOCK_X)?, threads: attribute(BLOCK_THREADS)? };
        driver.retain(&raw mut context, ordinal).map_err(words)?;
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(Self {
            context,
            limits,
            title: format!("{name}, CUDA {version}"),
            started_in: begun.elapsed(),
            capability,
            name,
            lost: AtomicBool::new(false),
            state: Mutex::default(),
            driver,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with the device's context as the thread's current one.
    ///
    /// # Errors
    /// Those of `work`, and of the change of contexts.
    pub fn within<T>(&self, work: impl FnOnce(&Driver) -> Result<T, Failure>) -> Result<T, Failure> {
        self.noting(|| {
            self.driver.push(self.context)?;
            let done = work(&self.driver);
            let mut context = std::ptr::null_mut();
            let popped = self.driver.pop(&raw mut context);
            let done = done?;
            popped.map(|()| done)
        })
    }

    /// Notes a failure after which the context is lost.
    fn noting<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let done = work();
        if let Err(failure) = &done
            && !HARMLESS.contains(&failure.code)
        {
            self.lost.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Whether the context was lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// A kernel, its module loaded at the first call.
    ///
    /// # Errors
    /// In words, why the device cannot run it.
    pub fn kernel(&self, code: &Kernels, number: u32) -> Result<Handle, String> {
        let mut state = self.state();
        let key = code.texts.first().map_or(0, |text| text.as_ptr() as usize);
        if !state.modules.get_mut(&key).is_some_and(|module| module.is_of(code)) {
            let texts = code.texts.iter().map(|text| CString::from(*text)).collect();
            let module = Module { texts, unloads: crate::unloads::count(), loaded: self.load(code) };
            // What has been there may still run: its module stays loaded.
            state.modules.insert(key, module);
        }
        let loaded = state.modules.get(&key).map(|module| &module.loaded).ok_or("there are no kernels")?;
        let functions = &loaded.as_ref().map_err(String::clone)?.functions;
        functions.get(number as usize).copied().ok_or_else(|| format!("there is no kernel {number}"))
    }

    fn load(&self, code: &Kernels) -> Result<Loaded, String> {
        let targets: Vec<Option<Target>> = code.texts.iter().map(|text| Target::of(text)).collect();
        let text = best(&targets, self.capability).map(|k| code.texts[k]);
        let [major, minor] = self.capability;
        let text = text.ok_or_else(|| format!("the program has no kernels for compute capability {major}.{minor}"))?;
        let loaded = self.within(|driver| {
            let mut module = std::ptr::null_mut();
            let none = (std::ptr::null_mut(), std::ptr::null_mut());
            driver.load(&raw mut module, text.as_ptr().cast(), 0, none.0, none.1)?;
            let function = |name: &&CStr| {
                let mut function = std::ptr::null_mut();
                driver.function(&raw mut function, module, name.as_ptr()).map(|()| function)
            };
            Ok(Loaded { functions: code.names.iter().map(function).collect::<Result<_, _>>()? })
        });
        loaded.map_err(|failure| failure.to_string())
    }

    /// A stream in which nothing is under way.
    ///
    /// # Errors
    /// The driver's.
    pub fn stream(&self) -> Result<Handle, Failure> {
        if let Some(stream) = self.state().streams.pop() {
            return Ok(stream);
        }
        self.within(|driver| {
            let mut stream = std::ptr::null_mut();
            driver.stream(&raw mut stream, NON_BLOCKING).map(|()| stream)
        })
    }

    /// An event that nobody waits for.
    ///
    /// # Errors
    /// The driver's.
    pub fn event(&self) -> Result<Handle, Failure> {
        if let Some(event) = self.state().events.pop() {
            return Ok(event);
        }
        self.within(|driver| {
            let mut event = std::ptr::null_mut();
            driver.event(&raw mut event, NO_TIMING).map(|()| event)
        })
    }

    /// Takes streams and events back; all their work is over.
    pub fn give_back_flow(&self, streams: Vec<Handle>, events: Vec<Handle>) {
        let mut state = self.state();
        state.streams.extend(streams);
        state.events.extend(events);
    }

    /// Memory of the device; what is in it is left from earlier.
    ///
    /// # Errors
    /// The driver's; memory that waits to be used again was freed before giving up.
    pub fn allocate(&self, bytes: u64) -> Result<Memory, Failure> {
        if let Some(memory) = take(&mut self.state().on_device, bytes) {
            return Ok(memory);
        }
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let allocate = || {
            self.within(|driver| {
                let mut address = 0;
                driver.allocate(&raw mut address, size).map(|()| Memory { address, bytes })
            })
        };
        match allocate() {
            Err(failure) if failure.code == OUT_OF_MEMORY && self.free_pool() => allocate(),
            other => other,
        }
    }

    /// Frees memory that waits to be used again; whether there was any.
    fn free_pool(&self) -> bool {
        let waiting = std::mem::take(&mut self.state().on_device);
        let freed = self.within(|driver| waiting.iter().try_for_each(|memory| driver.free(memory.address)));
        freed.is_ok() && !waiting.is_empty()
    }

    /// Pinned memory of the host; `None`: there is none, ordinary memory will do.
    pub fn pinned(&self, bytes: u64) -> Option<Memory> {
        if let Some(memory) = take(&mut self.state().pinned, bytes) {
            return Some(memory);
        }
        let size = usize::try_from(bytes).ok()?;
        let allocated = self.within(|driver| {
            let mut address = std::ptr::null_mut();
            driver.allocate_host(&raw mut address, size, 0).map(|()| address as u64)
        });
        allocated.ok().map(|address| Memory { address, bytes })
    }

    /// Takes memory back. Nothing may use it any more.
    pub fn give_back(&self, on_device: Vec<Memory>, pinned: Vec<Memory>) {
        if self.is_lost() {
            return;
        }
        let (mut to_free, mut to_unpin) = (Vec::new(), Vec::new());
        {
            let mut state = self.state();
            put(&mut state.on_device, on_device, &mut to_free);
            put(&mut state.pinned, pinned, &mut to_unpin);
        }
        let freed = self.within(|driver| {
            to_free.iter().try_for_each(|memory| driver.free(memory.address))?;
            to_unpin.iter().try_for_each(|memory| driver.free_host(memory.address as Handle))
        });
        if let Err(failure) = freed {
            say_once(&failure.to_string());
        }
    }
}

/// What a text says that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    /// The oldest capability.
    capability: [c_int; 2],
    /// Whether no other one will do (`sm_90a`).
    alone: bool,
}

impl Target {
    /// Reads `.target sm_86`; `None`: there is no such line.
    fn of(text: &CStr) -> Option<Self> {
        let text = text.to_bytes();
        let word: &[u8] = b".target sm_";
        let at = text.windows(word.len()).position(|w| w == word)? + word.len();
        let rest = &text[at..text.len().min(at + 8)];
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let number: c_int = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        let alone = rest.get(digits).is_some_and(u8::is_ascii_lowercase);
        Some(Self { capability: [number / 10, number % 10], alone })
    }

    fn fits(self, device: [c_int; 2]) -> bool {
        if self.alone { self.capability == device } else { self.capability <= device }
    }
}

/// The newest that a device can run.
fn best(targets: &[Option<Target>], device: [c_int; 2]) -> Option<usize> {
    let known = |k: &usize| targets[*k].is_some_and(|target| target.fits(device));
    (0..targets.len()).filter(known).max_by_key(|k| targets[*k].map(|target| (target.capability, target.alone)))
}

/// The smallest piece that is large enough and not more than twice as large.
fn take(pool: &mut Vec<Memory>, bytes: u64) -> Option<Memory> {
    let fitting = (0..pool.len()).filter(|k| (bytes..=bytes.saturating_mul(2)).contains(&pool[*k].bytes));
    fitting.min_by_key(|k| pool[*k].bytes).map(|k| pool.swap_remove(k))
}

/// Puts pieces into a pool as far as they have room there.
fn put(pool: &mut Vec<Memory>, pieces: Vec<Memory>, left: &mut Vec<Memory>) {
    let mut held: u64 = pool.iter().map(|memory| memory.bytes).sum();
    for memory in pieces {
        if held + memory.bytes <= POOL_BYTES {
            held += memory.bytes;
            pool.push(memory);
        } else {
            left.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_gives_the_smallest_piece_that_fits() {
        let piece = |address, bytes| Memory { address, bytes };
        let mut pool = vec![piece(1, 100), piece(2, 60), piece(3, 4000)];
        assert_eq!(take(&mut pool, 50), Some(piece(2, 60)));
        assert_eq!(take(&mut pool, 50), Some(piece(1, 100)));
        assert_eq!(take(&mut pool, 50), None);
    }

    #[test]
    fn of_several_texts_the_newest_that_fits_is_taken() {
        let of = |text| Target::of(text);
        let all = [of(c".version 5.0\n.target sm_60\n"), of(c".target sm_86, debug"), of(c".target sm_90a"), of(c"?")];
        let target = |major, minor, alone| Some(Target { capability: [major, minor], alone });
        assert_eq!(all, [target(6, 0, false), target(8, 6, false), target(9, 0, true), None]);
        let taken = |device| best(&all, device);
        let devices = [[5, 2], [6, 0], [7, 5], [8, 6], [8, 9], [9, 0], [10, 0]];
        assert_eq!(devices.map(taken), [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(1)]);
        assert_eq!(Target::of(c".target sm_120").map(|t| t.capability), Some([12, 0]));
    }

    #[test]
    fn a_full_pool_takes_nothing() {
        let (mut pool, mut left) = (Vec::new(), Vec::new());
        let half = Memory { address: 8, bytes: POOL_BYTES / 2 + 1 };
        put(&mut pool, vec![half, half], &mut left);
        assert_eq!((pool.len(), left.len()), (1, 1));
    }
}
