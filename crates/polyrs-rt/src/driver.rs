//! The functions of NVIDIA's driver that this library calls, looked up in `libcuda.so.1` at first use.
//!
//! A table of our own instead of the crate `cudarc`: that one ends the program where the library or a function is
//! missing, which here is an ordinary case, and brings some thousand declarations for the two dozen below into every
//! program that links this library.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;

/// A call of the driver that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What was called.
    pub call: &'static str,
    /// The driver's code.
    pub code: c_int,
    /// The driver's name for it.
    pub name: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} fails: {} ({})", self.call, self.name, self.code)
    }
}

/// The driver's code for memory that is not there.
pub const OUT_OF_MEMORY: c_int = 2;
/// The lowest version of the driver whose PTX compiler takes what the compiler writes by default (CUDA 11.0).
pub const LOWEST_VERSION: c_int = 11_000;

/// A handle or a pointer of the driver.
pub type Handle = *mut c_void;

/// Of `dlopen`: all names are looked up at once.
const RTLD_NOW: c_int = 2;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> Handle;
    fn dlsym(library: Handle, name: *const c_char) -> Handle;
}

macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($param:ident: $ty:ty),*);)*) => {
        /// The driver's functions.
        pub struct Driver {
            $($field: unsafe extern "C" fn($($ty),*) -> c_int,)*
        }

        impl Driver {
            /// Looks up all functions.
            fn look_up(library: Handle) -> Result<Self, String> {
                Ok(Self { $($field: {
                    let name = concat!($symbol, "\0");
                    // SAFETY: a live library and a zero-terminated name.
                    let found = unsafe { dlsym(library, name.as_ptr().cast()) };
                    if found.is_null() {
                        return Err(format!("the driver has no function {}", $symbol));
                    }
                    // SAFETY: the driver documents this type for the symbol.
                    unsafe { std::mem::transmute::<Handle, unsafe extern "C" fn($($ty),*) -> c_int>(found) }
                },)* })
            }

            $(
                // Names of errors are asked for without asking for the names of theirs.
                #[allow(dead_code, clippy::too_many_arguments)]
                #[doc = concat!("`", $symbol, "`.")]
                ///
                /// # Errors
                /// The driver's.
                pub fn $field(&self, $($param: $ty),*) -> Result<(), Failure> {
                    // SAFETY: callers hand over live handles and memory that is large enough.
                    self.checked($symbol, unsafe { (self.$field)($($param),*) })
                }
            )*
        }
    };
}

functions! {
    init = "cuInit": (flags: c_uint);
    version = "cuDriverGetVersion": (version: *mut c_int);
    device_count = "cuDeviceGetCount": (count: *mut c_int);
    device = "cuDeviceGet": (device: *mut c_int, ordinal: c_int);
    device_name = "cuDeviceGetName": (name: *mut c_char, bytes: c_int, device: c_int);
    memory = "cuDeviceTotalMem_v2": (bytes: *mut usize, device: c_int);
    attribute = "cuDeviceGetAttribute": (value: *mut c_int, attribute: c_int, device: c_int);
    retain = "cuDevicePrimaryCtxRetain": (context: *mut Handle, device: c_int);
    push = "cuCtxPushCurrent_v2": (context: Handle);
    pop = "cuCtxPopCurrent_v2": (context: *mut Handle);
    load = "cuModuleLoadDataEx": (module: *mut Handle, image: *const c_void, count: c_uint, options: *mut c_int, values: *mut Handle);
    function = "cuModuleGetFunction": (function: *mut Handle, module: Handle, name: *const c_char);
    allocate = "cuMemAlloc_v2": (address: *mut u64, bytes: usize);
    free = "cuMemFree_v2": (address: u64);
    allocate_host = "cuMemHostAlloc": (address: *mut Handle, bytes: usize, flags: c_uint);
    free_host = "cuMemFreeHost": (address: Handle);
    to_device = "cuMemcpyHtoDAsync_v2": (to: u64, from: *const c_void, bytes: usize, stream: Handle);
    to_host = "cuMemcpyDtoHAsync_v2": (to: Handle, from: u64, bytes: usize, stream: Handle);
    on_device = "cuMemcpyDtoDAsync_v2": (to: u64, from: u64, bytes: usize, stream: Handle);
    stream = "cuStreamCreate": (stream: *mut Handle, flags: c_uint);
    wait = "cuStreamSynchronize": (stream: Handle);
    end_stream = "cuStreamDestroy_v2": (stream: Handle);
    wait_behind = "cuStreamWaitEvent": (stream: Handle, event: Handle, flags: c_uint);
    event = "cuEventCreate": (event: *mut Handle, flags: c_uint);
    record = "cuEventRecord": (event: Handle, stream: Handle);
    wait_for_event = "cuEventSynchronize": (event: Handle);
    launch = "cuLaunchKernel": (function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared_bytes: c_uint, stream: Handle, params: *mut Handle, extra: *mut Handle);
    error_name = "cuGetErrorName": (code: c_int, name: *mut *const c_char);
}

impl Driver {
    /// Loads `libcuda.so.1` and starts it.
    ///
    /// # Errors
    /// In words, why there is no driver that can be used.
    pub fn load_library() -> Result<Self, String> {
        // SAFETY: a zero-terminated name; the library stays loaded.
        let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), RTLD_NOW) };
        if library.is_null() {
            return Err("there is no driver (libcuda.so.1)".to_owned());
        }
        let driver = Self::look_up(library)?;
        driver.init(0).map_err(|failure| failure.to_string())?;
        let mut version = 0;
        driver.version(&raw mut version).map_err(|failure| failure.to_string())?;
        if version < LOWEST_VERSION {
            let show = |v: c_int| format!("{}.{}", v / 1000, v % 1000 / 10);
            return Err(format!(
                "the driver is for CUDA {}, at least {} is needed",
                show(version),
                show(LOWEST_VERSION)
            ));
        }
        Ok(driver)
    }

    fn checked(&self, call: &'static str, code: c_int) -> Result<(), Failure> {
        if code == 0 {
            return Ok(());
        }
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the driver fills in a static string, or leaves the pointer null.
        let known = unsafe { (self.error_name)(code, &raw mut name) } == 0 && !name.is_null();
        let name = if known {
            // SAFETY: the driver's static, zero-terminated string.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        } else {
            "unknown error".to_owned()
        };
        Err(Failure { call, code, name })
    }
}
