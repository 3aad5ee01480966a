//! The functions of the driver, as NVIDIA's "CUDA Driver API" describes them, as far as programs that polyrs compiles
//! call them. Launches and copies wait in their streams until it is their turn (`streams`).

use crate::faults::Fault;
use crate::state::{State, Work, say};
use crate::streams::Goal;
use crate::types::Op;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Handle = *mut c_void;

/// What is said to be there, the most that is allocated at once; the host's memory is what counts.
const MEMORY_BYTES: usize = 4 << 30;
const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
const NOT_INITIALIZED: c_int = 3;
const NO_DEVICE: c_int = 100;
const INVALID_CONTEXT: c_int = 201;
const INVALID_PTX: c_int = 218;
const NOT_FOUND: c_int = 500;
const ILLEGAL_ADDRESS: c_int = 700;
const OUT_OF_RESOURCES: c_int = 701;
const LAUNCH_FAILED: c_int = 719;
const UNKNOWN: c_int = 999;

/// What memory of the host holds that something is copied to, until it is.
const UNDEFINED: u8 = 0xa5;

/// The version of the driver that is played: CUDA 12.4.
const VERSION: c_int = 12_040;
/// A version that is too old.
const OLD_VERSION: c_int = 9_000;

static STATE: Mutex<Option<State>> = Mutex::new(None);

thread_local! {
    /// How many times the context is current in this thread. Nothing is to be destroyed: programs call at their end,
    /// too.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The one context there is.
const CONTEXT: usize = 0x1000;

/// The state, made at the first call.
fn lock() -> MutexGuard<'static, Option<State>> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.get_or_insert_with(State::from_environment);
    state
}

/// Runs a call that needs the driver only.
fn call(work: impl FnOnce(&mut State) -> Result<(), c_int>) -> c_int {
    let mut state = lock();
    let state = state.as_mut().expect("made when locked");
    if !state.started {
        return NOT_INITIALIZED;
    }
    if let Some(sticky) = state.sticky {
        return sticky;
    }
    work(state).err().unwrap_or(0)
}

/// Runs a call that needs a current context.
fn in_context(work: impl FnOnce(&mut State) -> Result<(), c_int>) -> c_int {
    if CURRENT.get() == 0 {
        return INVALID_CONTEXT;
    }
    call(work)
}

fn unless(fails: bool, code: c_int) -> Result<(), c_int> {
    if fails { Err(code) } else { Ok(()) }
}

/// Writes an answer.
///
/// # Safety
/// `to` can be written.
unsafe fn answer<T>(to: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
}

/// Memory of the host that a copy on its way reads or writes.
#[derive(Debug)]
pub struct OnHost {
    address: usize,
    /// How many bytes.
    pub bytes: usize,
}

impl OnHost {
    /// # Safety
    /// The memory is there until the copy is over, for it alone.
    unsafe fn new(address: *const c_void, bytes: usize) -> Self {
        Self { address: address as usize, bytes }
    }

    /// What it holds.
    #[must_use]
    pub fn read(&self) -> &[u8] {
        // SAFETY: whoever asked for the copy has promised it.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.bytes) }
    }

    /// Lets it hold something else, as many bytes.
    pub fn write(&self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.bytes);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address as *mut u8, bytes.len()) };
    }
}

macro_rules! driver {
    ($($name:ident($($param:ident: $ty:ty),*) $body:block)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of the driver.")]
            ///
            /// # Safety
            /// As the driver asks for: pointers point to what they should.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            pub unsafe extern "C" fn $name($($param: $ty),*) -> c_int $body
        )*
    };
}

driver! {
    cuInit(_flags: c_uint) {
        let mut state = lock();
        let state = state.as_mut().expect("made when locked");
        if state.faults.strikes(Fault::Init) {
            return UNKNOWN;
        }
        state.started = true;
        0
    }

    cuDriverGetVersion(version: *mut c_int) {
        let old = lock().as_mut().expect("made when locked").faults.strikes(Fault::Version);
        // SAFETY: the caller's pointer.
        unsafe { answer(version, if old { OLD_VERSION } else { VERSION }) };
        0
    }

    cuDeviceGetCount(count: *mut c_int) {
        call(|state| {
            let none = state.faults.strikes(Fault::NoDevice);
            // SAFETY: the caller's pointer.
            unsafe { answer(count, c_int::from(!none)) };
            Ok(())
        })
    }

    cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        call(|_| {
            unless(ordinal != 0, NO_DEVICE)?;
            // SAFETY: the caller's pointer.
            unsafe { answer(device, 0) };
            Ok(())
        })
    }

    cuDeviceGetName(name: *mut c_char, bytes: c_int, _device: c_int) {
        call(|_| {
            let text = c"PTX emulator".to_bytes_with_nul();
            unless((bytes as usize) < text.len(), INVALID_VALUE)?;
            // SAFETY: the caller's memory has `bytes` bytes.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, text.len()) };
            Ok(())
        })
    }

    cuDeviceTotalMem_v2(bytes: *mut usize, _device: c_int) {
        call(|_| {
            // SAFETY: the caller's pointer.
            unsafe { answer(bytes, MEMORY_BYTES) };
            Ok(())
        })
    }

    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _device: c_int) {
        call(|state| {
            let known = match attribute {
                1..=3 => 1024,
                4 => 64,
                5 => state.grid.unwrap_or(c_int::MAX),
                6 | 7 => state.grid.unwrap_or(c_int::MAX).min(65_535),
                // The memory's clock in kHz, and the bits of its bus.
                36 => 1_000_000,
                37 => 256,
                75 => state.capability / 10,
                76 => state.capability % 10,
                _ => return Err(INVALID_VALUE),
            };
            // SAFETY: the caller's pointer.
            unsafe { answer(value, known) };
            Ok(())
        })
    }

    cuDevicePrimaryCtxRetain(context: *mut Handle, _device: c_int) {
        call(|state| {
            unless(state.faults.strikes(Fault::Context), OUT_OF_MEMORY)?;
            // SAFETY: the caller's pointer.
            unsafe { answer(context, CONTEXT as Handle) };
            Ok(())
        })
    }

    cuCtxPushCurrent_v2(context: Handle) {
        if context as usize != CONTEXT {
            return INVALID_CONTEXT;
        }
        CURRENT.set(CURRENT.get() + 1);
        0
    }

    cuCtxPopCurrent_v2(context: *mut Handle) {
        let Some(left) = CURRENT.get().checked_sub(1) else { return INVALID_CONTEXT };
        CURRENT.set(left);
        // SAFETY: the caller's pointer.
        unsafe { answer(context, CONTEXT as Handle) };
        0
    }

    cuModuleLoadDataEx(module: *mut Handle, image: *const c_void, _count: c_uint, _options: *mut c_int, _values: *mut Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Module), INVALID_PTX)?;
            // SAFETY: PTX is zero-terminated text.
            let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
            let mut parsed = crate::parse::parse(&text).map_err(|why| {
                say(&format!("module refused: {why}"));
                INVALID_PTX
            })?;
            if parsed.target > state.capability {
                say("module refused: it is for a newer architecture");
                return Err(INVALID_PTX);
            }
            let barriers = parsed.kernels.values_mut().flat_map(|k| &mut k.code).filter(|i| matches!(i.op, Op::Barrier));
            barriers.filter(|_| state.faults.strikes(Fault::Barrier)).for_each(|inst| inst.op = Op::Nothing);
            state.modules.push(parsed);
            // SAFETY: the caller's pointer.
            unsafe { answer(module, state.modules.len() as Handle) };
            Ok(())
        })
    }

    cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) {
        in_context(|state| {
            // SAFETY: a zero-terminated name.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
            let number = (module as usize).wrapping_sub(1);
            let known = state.modules.get(number).ok_or(INVALID_VALUE)?.kernels.contains_key(&name);
            unless(!known, NOT_FOUND)?;
            state.functions.push((number, name));
            // SAFETY: the caller's pointer.
            unsafe { answer(function, state.functions.len() as Handle) };
            Ok(())
        })
    }

    cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        in_context(|state| {
            unless(bytes == 0, INVALID_VALUE)?;
            unless(bytes > MEMORY_BYTES, OUT_OF_MEMORY)?;
            unless(state.faults.strikes(Fault::Alloc), OUT_OF_MEMORY)?;
            // SAFETY: the caller's pointer.
            unsafe { answer(address, state.global.allocate(bytes)) };
            Ok(())
        })
    }

    cuMemFree_v2(address: u64) {
        in_context(|state| {
            state.reach(Goal::All);
            unless(!state.global.free(address), INVALID_VALUE)
        })
    }

    cuMemHostAlloc(address: *mut Handle, bytes: usize, _flags: c_uint) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Pinned), OUT_OF_MEMORY)?;
            let memory = Box::leak(vec![0u64; bytes.div_ceil(8)].into_boxed_slice());
            // SAFETY: the caller's pointer.
            unsafe { answer(address, memory.as_mut_ptr().cast()) };
            Ok(())
        })
    }

    cuMemFreeHost(_address: Handle) {
        // Tests are short: the memory is not worth a table of its lengths.
        in_context(|_| Ok(()))
    }

    cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::ToDevice), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            unless(!state.global.has(to, bytes), INVALID_VALUE)?;
            // SAFETY: the caller's memory has `bytes` bytes, and has them until they are copied.
            let from = unsafe { OnHost::new(from, bytes) };
            let seen = from.read().to_vec();
            state.ask(stream as u64, Work::ToDevice { to, from, seen })
        })
    }

    cuMemcpyDtoHAsync_v2(to: Handle, from: u64, bytes: usize, stream: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::ToHost), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            unless(!state.global.has(from, bytes), INVALID_VALUE)?;
            // SAFETY: the caller's memory has `bytes` bytes, which are nobody's until they are copied.
            let to = unsafe { OnHost::new(to, bytes) };
            to.write(&vec![UNDEFINED; bytes]);
            state.ask(stream as u64, Work::ToHost { to, from })
        })
    }

    cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::OnDevice), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            unless(!state.global.has(from, bytes) || !state.global.has(to, bytes), INVALID_VALUE)?;
            state.ask(stream as u64, Work::OnDevice { to, from, bytes })
        })
    }

    cuStreamCreate(stream: *mut Handle, _flags: c_uint) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Stream), OUT_OF_MEMORY)?;
            // SAFETY: the caller's pointer.
            unsafe { answer(stream, state.streams.stream() as Handle) };
            Ok(())
        })
    }

    cuStreamSynchronize(stream: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Wait), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            unless(!state.streams.knows(stream as u64), INVALID_VALUE)?;
            if !state.faults.strikes(Fault::NoWait) {
                state.reach(Goal::Stream(stream as u64));
            }
            state.sticky.map_or(Ok(()), Err)
        })
    }

    cuStreamDestroy_v2(stream: Handle) {
        in_context(|state| unless(!state.streams.end_stream(stream as u64), INVALID_VALUE))
    }

    cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Behind), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            if state.faults.strikes(Fault::NotBehind) {
                return Ok(());
            }
            unless(!state.streams.wait_for(stream as u64, event as u64), INVALID_VALUE)
        })
    }

    cuEventCreate(event: *mut Handle, _flags: c_uint) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Event), OUT_OF_MEMORY)?;
            // SAFETY: the caller's pointer.
            unsafe { answer(event, state.streams.event() as Handle) };
            Ok(())
        })
    }

    cuEventRecord(event: Handle, stream: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Record), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            unless(!state.streams.record(event as u64, stream as u64), INVALID_VALUE)?;
            state.go_on();
            Ok(())
        })
    }

    cuEventSynchronize(event: Handle) {
        in_context(|state| {
            unless(state.faults.strikes(Fault::Wait), LAUNCH_FAILED).inspect_err(|code| state.sticky = Some(*code))?;
            if !state.faults.strikes(Fault::NoWait) {
                state.reach(Goal::Event(event as u64));
            }
            state.sticky.map_or(Ok(()), Err)
        })
    }

    cuEventDestroy_v2(event: Handle) {
        in_context(|state| unless(!state.streams.end_event(event as u64), INVALID_VALUE))
    }

    cuLaunchKernel(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, _shared_bytes: c_uint, stream: Handle, params: *mut Handle, _extra: *mut Handle) {
        in_context(|state| {
            let sizes = [[grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
            unless(sizes.iter().flatten().any(|n| *n == 0), INVALID_VALUE)?;
            unless(grid_y.max(grid_z) > 65_535 || sizes[1].iter().product::<c_uint>() > 1024, INVALID_VALUE)?;
            unless(state.faults.strikes(Fault::Launch), OUT_OF_RESOURCES)?;
            let function = function as usize;
            let (module, name) = state.functions.get(function.wrapping_sub(1)).ok_or(INVALID_VALUE)?;
            let kernel = &state.modules[*module].kernels[name];
            let mut bytes = vec![0u8; kernel.param_bytes];
            for (k, param) in kernel.params.iter().enumerate() {
                // SAFETY: one pointer per parameter, each to a value of its size.
                unsafe { std::ptr::copy_nonoverlapping((*params.add(k)).cast(), bytes[param.at..].as_mut_ptr(), param.bytes) };
            }
            state.ask(stream as u64, Work::Launch { function, sizes, params: bytes })
        })
    }

    cuGetErrorName(code: c_int, name: *mut *const c_char) {
        let known = match code {
            INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
            OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
            NOT_INITIALIZED => c"CUDA_ERROR_NOT_INITIALIZED",
            NO_DEVICE => c"CUDA_ERROR_NO_DEVICE",
            INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
            INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
            NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
            ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
            OUT_OF_RESOURCES => c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
            LAUNCH_FAILED => c"CUDA_ERROR_LAUNCH_FAILED",
            UNKNOWN => c"CUDA_ERROR_UNKNOWN",
            _ => return INVALID_VALUE,
        };
        // SAFETY: the caller's pointer.
        unsafe { answer(name, known.as_ptr()) };
        0
    }
}
