//! What the driver knows, and how it does what was asked for: kernels and copies, when their turn has come.

use crate::driver::OnHost;
use crate::faults::{Fault, Faults};
use crate::memory::Global;
use crate::order::Order;
use crate::run::{Launch, run};
use crate::streams::{Goal, Ready, Streams};
use crate::types::Module;
use std::ffi::c_int;
use std::io::Write;

/// Compute capability, in tenths, where nothing else is asked for.
const CAPABILITY: c_int = 60;
const INVALID_VALUE: c_int = 1;
const ILLEGAL_ADDRESS: c_int = 700;
const LAUNCH_FAILED: c_int = 719;

/// Work of a stream.
#[derive(Debug)]
pub enum Work {
    /// A copy to the device; what the host's memory held when it was asked for.
    ToDevice { to: u64, from: OnHost, seen: Vec<u8> },
    /// A copy to the host.
    ToHost { to: OnHost, from: u64 },
    /// A copy from one place of the device to another.
    OnDevice { to: u64, from: u64, bytes: usize },
    /// A kernel: its function, blocks and threads, the bytes of its parameters.
    Launch { function: usize, sizes: [[u32; 3]; 2], params: Vec<u8> },
}

/// What the driver knows.
#[derive(Default)]
pub struct State {
    pub started: bool,
    pub faults: Faults,
    order: Order,
    stats: bool,
    trace: bool,
    /// The most blocks that a grid has along a dimension.
    pub grid: Option<c_int>,
    /// Compute capability, in tenths.
    pub capability: c_int,
    pub global: Global,
    pub modules: Vec<Module>,
    /// Module and name of each function that was asked for.
    pub functions: Vec<(usize, String)>,
    /// The error that every call answers, once a kernel has gone wrong.
    pub sticky: Option<c_int>,
    pub streams: Streams<Work>,
}

/// A line on the standard error stream.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("ptx-emulator: {text}\n").as_bytes());
}

impl State {
    /// What the user's environment asks for.
    pub fn from_environment() -> Self {
        let read = |name: &str| std::env::var(name).unwrap_or_default();
        let faults = Faults::parse(&read("PTX_EMULATOR_FAULT")).unwrap_or_else(|word| {
            say(&format!("{word} is no fault"));
            std::process::abort()
        });
        let order = match read("PTX_EMULATOR_ORDER").as_str() {
            "" => Order::default(),
            text => Order::parse(text).unwrap_or_else(|| {
                say(&format!("{text} is no order"));
                std::process::abort()
            }),
        };
        let number = |name: &str, text: String| match text.as_str() {
            "" => None,
            digits => Some(digits.parse().ok().filter(|number| *number > 0).unwrap_or_else(|| {
                say(&format!("{name}={} is no number above 0", read(name)));
                std::process::abort()
            })),
        };
        let grid = number("PTX_EMULATOR_GRID", read("PTX_EMULATOR_GRID"));
        let capability = number("PTX_EMULATOR_CAPABILITY", read("PTX_EMULATOR_CAPABILITY").replace('.', ""));
        let capability = capability.unwrap_or(CAPABILITY);
        let [stats, trace] = ["PTX_EMULATOR_STATS", "PTX_EMULATOR_TRACE"].map(|name| !read(name).is_empty());
        Self { faults, order, grid, capability, stats, trace, streams: Streams::new(order), ..Self::default() }
    }

    /// Asks for work in a stream.
    pub fn ask(&mut self, stream: u64, work: Work) -> Result<(), c_int> {
        let told = self.trace.then(|| self.told(&work));
        let (number, behind) = self.streams.add(stream, work).ok_or(INVALID_VALUE)?;
        if let Some(told) = told {
            let behind: Vec<String> = behind.iter().map(ToString::to_string).collect();
            let behind = if behind.is_empty() { String::new() } else { format!(", behind {}", behind.join(" and ")) };
            say(&format!("trace: {number}: {told} in stream {stream}{behind}"));
        }
        self.go_on();
        Ok(())
    }

    fn told(&self, work: &Work) -> String {
        match work {
            Work::ToDevice { seen, .. } => format!("{} bytes to the device", seen.len()),
            Work::ToHost { to, .. } => format!("{} bytes to the host", to.bytes),
            Work::OnDevice { bytes, .. } => format!("{bytes} bytes on the device"),
            Work::Launch { function, .. } => {
                self.functions.get(function.wrapping_sub(1)).map_or("?", |(_, name)| name).to_owned()
            }
        }
    }

    /// Does what is done without anybody waiting for it.
    pub fn go_on(&mut self) {
        while let Some(ready) = self.streams.at_once() {
            self.perform(ready);
        }
    }

    /// Does what has to be done until a goal is reached, of which the host then knows.
    pub fn reach(&mut self, goal: Goal) {
        while let Some(ready) = self.streams.next(goal) {
            self.perform(ready);
        }
        self.streams.host_has_waited(goal);
    }

    fn perform(&mut self, ready: Ready<Work>) {
        let Ready { number, work, open, least } = ready;
        // Nothing moves in a context that is lost.
        if self.sticky.is_some() {
            return;
        }
        if self.trace {
            say(&format!("trace: {number} is done"));
        }
        self.global.begin(&open, least);
        let done = match work {
            Work::ToDevice { to, from, seen } => self.copy_to_device(number, to, (&from, &seen)),
            Work::ToHost { to, from } => self.copy_to_host(number, &to, from),
            Work::OnDevice { to, from, bytes } => {
                self.note_copy(number, from, bytes, false);
                self.note_copy(number, to, bytes, true);
                self.global.copy(to, from, bytes).then_some(()).ok_or(INVALID_VALUE)
            }
            Work::Launch { function, sizes, params } => self.launch(number, function, sizes, &params),
        };
        if let Err(code) = done {
            self.sticky = Some(code);
        }
    }

    /// Notes that a copy touches memory.
    fn note_copy(&mut self, number: u32, address: u64, bytes: usize, writes: bool) {
        let fine = self.global.at(address).is_none_or(|(piece, at)| piece.copied(number, at, bytes, writes));
        if !fine {
            say(&format!("a copy of {bytes} bytes: access that nothing orders with another stream's"));
        }
    }

    fn copy_to_device(&mut self, number: u32, to: u64, (from, seen): (&OnHost, &[u8])) -> Result<(), c_int> {
        self.note_copy(number, to, seen.len(), true);
        if from.read() != seen {
            say("the host changes memory that is still to be copied to the device");
        }
        let filled = self.global.at(to).is_some_and(|(piece, at)| piece.fill(at, from.read()));
        filled.then_some(()).ok_or(INVALID_VALUE)
    }

    fn copy_to_host(&mut self, number: u32, to: &OnHost, from: u64) -> Result<(), c_int> {
        self.note_copy(number, from, to.bytes, false);
        let Some((piece, at)) = self.global.at(from) else { return Err(INVALID_VALUE) };
        let read = piece.read(at, to.bytes).ok_or(INVALID_VALUE)?;
        if !piece.is_written(at, to.bytes) {
            say("bytes are copied to the host that nobody has written");
        }
        to.write(read);
        Ok(())
    }

    /// Runs a kernel and tells what was found.
    fn launch(&mut self, number: u32, function: usize, sizes: [[u32; 3]; 2], params: &[u8]) -> Result<(), c_int> {
        let (module, name) = self.functions.get(function.wrapping_sub(1)).ok_or(INVALID_VALUE)?;
        let kernel = &self.modules[*module].kernels[name];
        let launch = Launch { kernel, grid: sizes[0], block: sizes[1], number, order: self.order, counts: self.stats };
        let outcome = run(&launch, params, &mut self.global);
        for (_, what) in &outcome.findings.all {
            say(&format!("{name}: {what}"));
        }
        if self.stats {
            let c = outcome.counts;
            say(&format!(
                "{name}: grid {:?}, block {:?}, {} instructions, {} global requests, {} sectors, {} shared requests, {} conflicts",
                sizes[0],
                sizes[1],
                c.instructions,
                c.global_requests,
                c.global_sectors,
                c.shared_requests,
                c.bank_conflicts
            ));
        }
        if outcome.is_fatal() {
            return Err(ILLEGAL_ADDRESS);
        }
        if self.faults.strikes(Fault::Lost) { Err(LAUNCH_FAILED) } else { Ok(()) }
    }
}
