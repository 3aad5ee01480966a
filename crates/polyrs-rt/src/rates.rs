//! How fast host and device are, for `POLYRS_GPU=auto`: measured once per machine, and kept in a file.
//!
//! The file is `gpu-<name of the machine>` in the folder that `POLYRS_GPU_CACHE` names, else in `polyrs` in the user's
//! folder for such files; with no such folder, or an empty `POLYRS_GPU_CACHE`, each program measures for itself. It is
//! read before the device is started. What it says of another device, or another driver, counts for nothing: that is
//! measured anew.

use crate::device::{Device, Memory};
use crate::driver::{Failure, Handle};
use crate::region::Kernels;
use crate::settings::say;
use std::ffi::CStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Version of what is measured and how.
const VERSION: &str = "polyrs-gpu-rates 1";
/// Bytes that are copied and worked on: more and more, until that takes long enough to be measured.
const FIRST_BYTES: u64 = 64 << 10;
const MOST_BYTES: u64 = 64 << 20;
/// Time that is long enough to be measured.
const LONG: Duration = Duration::from_millis(2);
/// Bytes that the host works on: what lies in its caches, where it is fast.
const HOST_BYTES: usize = 128 << 10;
/// Runs of each, of which the fastest counts.
const RUNS: usize = 3;
/// Launches right behind each other.
const LAUNCHES: u32 = 50;
/// What the compiler counts for an element: load, product, sum, store, the loop.
const INSTRUCTIONS: f64 = 5.0;
const ELEMENT_BYTES: u64 = 8;
const THREADS: u32 = 256;

/// Seconds and rates per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Instructions of one core of the host.
    pub host: f64,
    /// Those of the device.
    pub device: f64,
    /// Bytes copied to or from it.
    pub link: f64,
    /// Seconds that a launch takes.
    pub launch: f64,
    /// Seconds until the first region can begin.
    pub start: f64,
}

impl Rates {
    /// Of no particular machine, until they are measured.
    pub const USUAL: Rates = Rates { host: 4e9, device: 1e12, link: 1.2e10, launch: 1e-5, start: 0.3 };

    const NAMES: [&'static str; 5] = ["host", "device", "link", "launch", "start"];

    fn all(self) -> [f64; 5] {
        [self.host, self.device, self.link, self.launch, self.start]
    }
}

/// What is known.
#[derive(Default)]
struct Known {
    looked: bool,
    /// With the device they are of.
    rates: Option<(String, Rates)>,
    /// Whether the device was compared with that.
    sure: bool,
}

static KNOWN: Mutex<Known> = Mutex::new(Known { looked: false, rates: None, sure: false });

/// What is known of this machine, without its device.
pub fn rates() -> Rates {
    // Another thread is at it, or was when this process came to be by `fork`.
    let Ok(mut known) = KNOWN.try_lock() else { return Rates::USUAL };
    if !known.looked {
        known.looked = true;
        known.rates = file().and_then(|path| std::fs::read_to_string(path).ok()).and_then(|text| parse(&text));
    }
    known.rates.as_ref().map_or(Rates::USUAL, |(_, rates)| *rates)
}

/// What is known of this machine with this device, which may be measured now.
pub fn rates_of(device: &Device) -> Rates {
    let before = rates();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.sure || known.rates.as_ref().is_some_and(|(name, _)| *name == device.title) {
        known.sure = true;
        return before;
    }
    known.sure = true;
    let Ok(measured) = measure(device) else { return before };
    known.rates = Some((device.title.clone(), measured));
    let kept = file().map_or(Ok(()), |path| keep(&path, &print(&device.title, measured)));
    // Without the file, the next program measures again.
    if let (Err(why), Some(own)) = (kept, std::env::var_os("POLYRS_GPU_CACHE")) {
        let own = own.to_string_lossy();
        say(&format!("rates of this machine cannot be kept in POLYRS_GPU_CACHE={own}: {why}"));
    }
    measured
}

/// Where they are kept; `None`: nowhere.
fn file() -> Option<PathBuf> {
    let own = std::env::var_os("POLYRS_GPU_CACHE").map(PathBuf::from);
    let folder = match own {
        Some(own) => Some(own).filter(|own| !own.as_os_str().is_empty())?,
        None => {
            let user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            user.or_else(|| Some(home()?.join(".cache")))?.join("polyrs")
        }
    };
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain: String = name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    Some(folder.join(format!("gpu-{plain}")))
}

/// Replaces the file by a whole one: several programs may do so at a time.
fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let own = path.with_extension(format!("{}", std::process::id()));
    std::fs::write(&own, text)?;
    std::fs::rename(&own, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&own);
    })
}

fn print(title: &str, rates: Rates) -> String {
    let mut text = format!("{VERSION}\nof {title}\n");
    for (name, value) in Rates::NAMES.iter().zip(rates.all()) {
        let _ = writeln!(text, "{name} {value:e}");
    }
    text
}

/// `None`: it is another version's, or a number is none.
fn parse(text: &str) -> Option<(String, Rates)> {
    let mut lines = text.lines();
    let title = lines.by_ref().next().filter(|line| *line == VERSION).and_then(|_| lines.next())?;
    let mut values = [0.0; 5];
    for (name, value) in Rates::NAMES.iter().zip(&mut values) {
        let number = lines.next()?.strip_prefix(name)?.trim().parse::<f64>().ok()?;
        *value = Some(number).filter(|number| number.is_finite() && *number > 0.0)?;
    }
    let [host, device, link, launch, start] = values;
    Some((title.strip_prefix("of ")?.to_owned(), Rates { host, device, link, launch, start }))
}

/// Does nothing; and multiplies and adds, element by element.
static CODE: &CStr = c".version 5.0
.target sm_50
.address_size 64
.visible .entry polyrs_nothing()
{
ret;
}
.visible .entry polyrs_elements(
.param .u64 polyrs_elements_param_0,
.param .u32 polyrs_elements_param_1
)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .b64 %rd<4>;
.reg .f64 %fd<3>;
ld.param.b64 %rd1, [polyrs_elements_param_0];
ld.param.b32 %r1, [polyrs_elements_param_1];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra $L_end;
mul.wide.s32 %rd2, %r5, 8;
add.s64 %rd3, %rd1, %rd2;
ld.global.f64 %fd1, [%rd3];
fma.rn.f64 %fd2, %fd1, %fd1, %fd1;
st.global.f64 [%rd3], %fd2;
$L_end:
ret;
}
";
const NAMES: [&CStr; 2] = [c"polyrs_nothing", c"polyrs_elements"];

/// What measuring uses on the device, given back at the end.
struct Bench<'d> {
    device: &'d Device,
    stream: Handle,
    memory: Vec<Memory>,
    pinned: Vec<Memory>,
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        let _ = self.device.within(|driver| driver.wait(self.stream));
        let _ = self.device.within(|driver| driver.end_stream(self.stream));
        self.device.give_back(std::mem::take(&mut self.memory), std::mem::take(&mut self.pinned));
    }
}

fn measure(device: &Device) -> Result<Rates, String> {
    let words = |failure: Failure| failure.to_string();
    let code = Kernels { texts: vec![CODE], names: NAMES.to_vec() };
    let (nothing, elements) = (device.kernel(&code, 0)?, device.kernel(&code, 1)?);
    let stream = device.stream().map_err(words)?;
    let mut bench = Bench { device, stream, memory: Vec::new(), pinned: Vec::new() };
    let launches = bench.fastest(|bench| {
        (0..LAUNCHES).try_for_each(|_| bench.launch(nothing, 1, &mut []))?;
        bench.wait()
    })?;
    let mut bytes = FIRST_BYTES;
    loop {
        let memory = device.allocate(bytes).map_err(words)?;
        bench.memory.push(memory);
        let host = device.pinned(bytes).ok_or("no pinned memory")?;
        bench.pinned.push(host);
        // SAFETY: the driver's memory has at least so many bytes and is ours.
        unsafe { std::ptr::write_bytes(host.address as *mut u8, 0, usize::try_from(bytes).unwrap_or(0)) };
        let copied = bench.fastest(|bench| bench.copy(host, memory, bytes))?;
        let count = u32::try_from(bytes / ELEMENT_BYTES).unwrap_or(u32::MAX);
        let worked = bench.fastest(|bench| {
            let (mut address, mut count) = (memory.address, count);
            let mut slots = [(&raw mut address).cast(), (&raw mut count).cast()];
            bench.launch(elements, count.div_ceil(THREADS), &mut slots)?;
            bench.wait()
        })?;
        if bytes >= MOST_BYTES || (copied >= LONG && worked >= LONG) {
            let per_second = |amount: f64, time: Duration| amount / time.as_secs_f64().max(1e-9);
            return Ok(Rates {
                host: host_rate(),
                device: per_second(INSTRUCTIONS * f64::from(count), worked),
                link: per_second(bytes as f64, copied),
                launch: launches.as_secs_f64().max(1e-9) / f64::from(LAUNCHES),
                start: device.started_in.as_secs_f64().max(1e-9),
            });
        }
        bytes *= 4;
    }
}

impl Bench<'_> {
    fn fastest(&self, work: impl Fn(&Self) -> Result<(), Failure>) -> Result<Duration, String> {
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let begun = Instant::now();
            work(self).map_err(|failure| failure.to_string())?;
            best = best.min(begun.elapsed());
        }
        Ok(best)
    }

    fn launch(&self, function: Handle, blocks: u32, slots: &mut [Handle]) -> Result<(), Failure> {
        self.device.within(|driver| {
            let none = std::ptr::null_mut();
            driver.launch(function, blocks, 1, 1, THREADS, 1, 1, 0, self.stream, slots.as_mut_ptr(), none)
        })
    }

    fn wait(&self) -> Result<(), Failure> {
        self.device.within(|driver| driver.wait(self.stream))
    }

    fn copy(&self, host: Memory, memory: Memory, bytes: u64) -> Result<(), Failure> {
        let bytes = usize::try_from(bytes).unwrap_or(0);
        self.device.within(|driver| driver.to_device(memory.address, host.address as *const _, bytes, self.stream))?;
        self.wait()
    }
}

/// Instructions of the host per second, for the same loop.
fn host_rate() -> f64 {
    let mut data = vec![0.5_f64; HOST_BYTES / 8];
    let mut best = Duration::MAX;
    for _ in 0..RUNS * 4 {
        let begun = Instant::now();
        for x in &mut data {
            *x = *x * 0.5 + 0.25;
        }
        std::hint::black_box(&mut data);
        best = best.min(begun.elapsed());
    }
    INSTRUCTIONS * data.len() as f64 / best.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let rates = Rates { host: 5e9, device: 2.5e12, link: 2e10, launch: 4.5e-6, start: 0.125 };
        let text = print("Some GPU, CUDA 12040", rates);
        assert_eq!(parse(&text), Some(("Some GPU, CUDA 12040".to_owned(), rates)));
    }

    #[test]
    fn what_is_broken_counts_for_nothing() {
        let text = print("Some GPU", Rates::USUAL);
        for (from, to) in [("rates 1", "rates 0"), ("link", "links"), ("host 4e9", "host 0"), ("host 4e9", "host inf")]
        {
            assert_ne!(text.replace(from, to), text);
            assert_eq!(parse(&text.replace(from, to)), None, "{from} -> {to}");
        }
        assert_eq!(parse(&text[..text.len() / 2]), None);
        assert_eq!(parse(""), None);
    }
}
