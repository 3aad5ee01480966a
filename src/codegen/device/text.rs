//! Kernels as text: PTX for each architecture that is asked for, one module per translation unit.

use super::Kernel;
use super::results::bit_of;
use crate::bridge::ir::{Ir, Pos, Val};
use crate::bridge::ir_device::DeviceModule;
use crate::bridge::module::Module;
use std::collections::BTreeMap;

/// Version of the library's interface (POLYRS_GPU_VERSION).
const VERSION: u32 = 2;

/// Kernels as PTX.
#[derive(Clone, Debug, Default)]
pub struct Ptx {
    /// The module as text, for each architecture in turn.
    pub texts: Vec<String>,
    /// Names of its kernels, by number.
    pub names: Vec<String>,
}

impl Ptx {
    /// The text of one kernel, for the first architecture.
    #[must_use]
    pub fn kernel(&self, name: &str) -> &str {
        let all = self.texts.first().map_or("", String::as_str);
        let first = all.find(&format!(".entry {name}(")).and_then(|at| all[..at].rfind(".visible"));
        let text = &all[first.unwrap_or(all.len())..];
        text.find("\n}").map_or(text, |end| &text[..end + 2])
    }
}

/// The kernels of a module of the program, by the oldest architecture that they are for: one module of PTX each.
#[derive(Debug, Default)]
pub struct Unit {
    by_arch: BTreeMap<String, Ptx>,
    most: usize,
}

impl Unit {
    /// Adds the kernels of a function, which are numbered from [`Self::count`] on.
    pub fn add(&mut self, arch: &str, made: Ptx) {
        let all = self.by_arch.entry(arch.to_owned()).or_default();
        // Names and labels are apart, and what comes before the kernels is the same.
        let is_new = all.names.is_empty();
        all.texts.resize(made.texts.len().max(all.texts.len()), String::new());
        for (text, more) in all.texts.iter_mut().zip(&made.texts) {
            text.push_str(&more[if is_new { 0 } else { end_of_header(more) }..]);
        }
        all.names.extend(made.names);
    }

    /// Takes note of how many kernels a region has whose sizes the user may say.
    pub fn saw_region(&mut self, kernels: usize) {
        self.most = self.most.max(kernels);
    }

    /// The most kernels that a region has, as far as was noted.
    #[must_use]
    pub fn most_of_region(&self) -> usize {
        self.most
    }

    /// How many kernels there are for an architecture.
    #[must_use]
    pub fn count(&self, arch: &str) -> usize {
        self.by_arch.get(arch).map_or(0, |all| all.names.len())
    }

    /// Adds them all to the program.
    pub fn write(&self, module: &Module<'_>) {
        for (arch, all) in &self.by_arch {
            module.fill_device_code(&symbol(arch), &all.texts, &all.names, VERSION);
        }
    }
}

/// Where the first kernel begins: behind version, architecture and size of addresses.
fn end_of_header(text: &str) -> usize {
    let at = text.find(".address_size").unwrap_or(0);
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Moves kernels into a module of their own, writes the code that starts them, and makes PTX of them for an
/// architecture. `name`: of the function that they are in; `first`: number of the first one;
/// `libdevice`: path of its bitcode, empty: there is none.
///
/// # Errors
/// Why there are no such kernels; the function is then broken.
pub fn outline<'f>(
    ir: &Ir<'f>,
    name: &str,
    kernels: &[Kernel<'f>],
    (arch, libdevice, first): (&str, &str, usize),
) -> Result<Ptx, String> {
    if kernels.is_empty() {
        return Ok(Ptx::default());
    }
    let device = DeviceModule::new(ir, libdevice);
    let mut names = Vec::with_capacity(kernels.len());
    for (k, kernel) in (first..).zip(kernels) {
        let own = format!("{}_{k}", plain_name(name));
        let launch = device.kernel(
            ir,
            (&kernel.blocks, &kernel.bases),
            (&own, kernel.threads),
            (kernel.shared, kernel.error),
        )?;
        ir.set_debug_loc(None);
        ir.seek(Pos::End(launch.before));
        let number = |n: usize| ir.int(ir.int_ty(32), i64::try_from(n).unwrap_or(0));
        let count = number(usize::try_from(launch.count).unwrap_or(0));
        let used = kernel.bases.iter().zip(&launch.used).filter(|(_, used)| **used);
        let uses = ir.int(ir.int_ty(64), used.fold(0, |all, (base, _)| all | bit_of(base.range)));
        let arguments = [kernel.region, number(k), kernel.sizes, launch.room, count, uses];
        ir.call_symbol("polyrs_gpu_launch_on", None, &arguments, None);
        ir.br(launch.after);
        names.push(own);
    }
    let texts = architectures(arch).map(|arch| device.ptx(arch)).collect::<Result<_, _>>()?;
    Ok(Ptx { texts, names })
}

/// The constant that stands for the kernels of the module.
pub(super) fn code<'f>(ir: &Ir<'f>, arch: &str) -> Val<'f> {
    let (pointer, number) = (ir.ptr_ty(), ir.int_ty(32));
    ir.later_constant(&symbol(arch), &[pointer, pointer, number, number, number])
}

/// The architectures that are asked for.
fn architectures(all: &str) -> impl Iterator<Item = &str> {
    all.split(',').map(str::trim)
}

fn symbol(arch: &str) -> String {
    format!("polyrs.gpu.{}", architectures(arch).collect::<Vec<_>>().join("."))
}

/// A name that PTX can have.
fn plain_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("polyrs_{plain}")
}
