//! Every option, once: name, type, default, unit, help, group.
//!
//! From [`TABLE`] come the command-line options (`-polyrs-x`, for clang `-mllvm -polyrs-x`), the pass parameters
//! (`polyrs<x;y=1>`), the contents of `POLYRS_OPTIONS` and the documentation. Later sources win:
//! default, then `POLYRS_OPTIONS`, then the command line, then pass parameters.

pub mod annotation;
mod architectures;
mod kernel_sizes;
mod words;

pub use architectures::Architectures;
pub use kernel_sizes::{
    KernelPart, KernelSizes, MAX_THREADS, MAX_THREADS_ALONG_Z, MOST_SHARED_BYTES, RegisterTile, SharedBytes,
};
pub use words::{gnu_words, quoted, words};

use crate::phase::Phase;

/// When in an optimization pipeline the pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// First thing after the front end's clean-up, before loads and stores are moved.
    Early,
    /// After inlining and scalar optimizations, before the vectorizer.
    BeforeVectorizer,
}

/// Which scheduler computes the new execution order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// The Pluto algorithm.
    Pluto,
    /// The original order is kept.
    None,
}

/// Which statements share loops in the new order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionStrategy {
    /// As many as have a common legal loop.
    Max,
    /// Those that share data, where nothing is lost.
    Smart,
    /// Only those that depend on each other in a cycle.
    None,
}

/// Whose OpenMP run-time library generated code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmpBackend {
    /// libgomp.
    Gnu,
    /// libomp.
    Llvm,
}

/// What loops are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The machine that the program is compiled for.
    Cpu,
    /// A GPU beside it, where there is one when the program runs.
    Gpu,
}

/// How the iterations of a parallel loop are dealt out to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmpScheduling {
    /// Evenly, before the loop runs.
    Static,
    /// Piece by piece, to whoever is free.
    Dynamic,
    /// The same with pieces that get shorter.
    Guided,
    /// As the environment of the program says (`OMP_SCHEDULE`).
    Runtime,
}

/// Heading under which an option is documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Whether and where the pass runs.
    Selection,
    /// What the new order looks like.
    Transformation,
    /// Threads.
    Threads,
    /// A GPU.
    Device,
    /// What may be assumed without a test.
    Assumptions,
    /// Limits on the time spent.
    Budgets,
    /// Looking inside.
    Debugging,
}

impl Group {
    /// All groups in the order of the documentation.
    pub const ALL: [Group; 7] = [
        Self::Selection,
        Self::Transformation,
        Self::Threads,
        Self::Device,
        Self::Assumptions,
        Self::Budgets,
        Self::Debugging,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Selection => "Where it runs",
            Self::Transformation => "What it does",
            Self::Threads => "How many threads it uses",
            Self::Device => "What it does with a GPU",
            Self::Assumptions => "What it may assume",
            Self::Budgets => "How long it may take",
            Self::Debugging => "Looking inside",
        }
    }
}

/// One option.
pub struct Row {
    /// Full name, without the dash.
    pub name: &'static str,
    /// What the value is, with its unit; empty for flags.
    pub value: &'static str,
    /// One sentence for the user.
    pub help: &'static str,
    /// Heading in the documentation.
    pub group: Group,
    /// Whether the value may be left out (meaning `true`).
    pub is_flag: bool,
    set: fn(&mut Options, &str) -> Result<(), String>,
    show: fn(&Options) -> String,
}

/// Text form of an option's value.
trait OptionValue: Sized {
    const IS_FLAG: bool = false;
    fn parse(text: &str) -> Result<Self, String>;
    fn show(&self) -> String;
}

macro_rules! option_table {
    ($($group:ident { $($field:ident: $ty:ty = $default:expr, $name:literal, $value:literal, $help:literal;)* })*) => {
        /// The value of every option.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(clippy::struct_excessive_bools)]
        pub struct Options {
            $($(#[doc = $help] pub $field: $ty,)*)*
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $($($field: $default,)*)* }
            }
        }

        /// All options in the order of the documentation.
        pub const TABLE: &[Row] = &[$($(Row {
            name: $name,
            value: $value,
            help: $help,
            group: Group::$group,
            is_flag: <$ty as OptionValue>::IS_FLAG,
            set: |options, text| {
                options.$field = <$ty as OptionValue>::parse(text)?;
                Ok(())
            },
            show: |options| <$ty as OptionValue>::show(&options.$field),
        },)*)*];
    };
}

option_table! {
    Selection {
        enabled: bool = true, "polyrs", "", "Run the optimizer at all.";
        position: Position = Position::Early, "polyrs-position", "early|before-vectorizer",
            "Where in clang's and opt's optimization pipelines it runs.";
        only_func: Vec<String> = Vec::new(), "polyrs-only-func", "regex,...",
            "Look only at functions whose name matches one of these regular expressions.";
        ignore_func: Vec<String> = Vec::new(), "polyrs-ignore-func", "regex,...",
            "Leave functions alone whose name matches one of these regular expressions.";
        process_unprofitable: bool = false, "polyrs-process-unprofitable", "",
            "Transform also where the cost model expects no gain.";
    }
    Transformation {
        optimizer: Optimizer = Optimizer::Pluto, "polyrs-optimizer", "pluto|none",
            "How the new execution order is computed; `none` keeps the original order and only regenerates the code.";
        fusion: FusionStrategy = FusionStrategy::Smart, "polyrs-fusion", "max|smart|none",
            "Which loops become one: as many as possible, those that share data and lose no parallelism by it, or only those that must.";
        reductions: bool = true, "polyrs-reductions", "",
            "Let updates of one element by one operation change places: sums, products, minima, maxima, and, or, xor of integers, and of floating point where its flags allow that.";
        tiling: bool = true, "polyrs-tiling", "", "Tile permutable loops.";
        diamond_tiling: bool = true, "polyrs-diamond-tiling", "",
            "Tile stencils in diamonds, all of which along the first time step can start at once.";
        index_set_splitting: bool = false, "polyrs-index-set-splitting", "",
            "Cut loops where a dependence turns around (reversed copies, periodic stencils) if the halves are expected to run faster.";
        negative_coefficients: bool = false, "polyrs-negative-coefficients", "",
            "Look for loops that run along differences of the original ones, too, where no other loop carries nothing.";
        pluto_lp: bool = false, "polyrs-pluto-lp", "",
            "Solve linear relaxations scaled to integers instead of integer programs, also for more statements than those can have.";
        pattern_matching_based_opts: bool = true, "polyrs-pattern-matching-based-opts", "",
            "Run matrix products and other contractions from packed copies of their operands, block by block in registers.";
        min_gain: Option<u64> = None, "polyrs-min-gain", "percent",
            "Transform where the cost model expects the original to take at least this part of the new code's time; 0 for wherever it finds another order.";
        tile_sizes: Vec<u32> = Vec::new(), "polyrs-tile-sizes", "iterations,...",
            "Tile size of each loop of a band, outermost first; without it sizes follow from the caches.";
        default_tile_size: Option<u32> = None, "polyrs-default-tile-size", "iterations",
            "Tile size of loops that `-polyrs-tile-sizes` does not name.";
        second_level_tiling: bool = false, "polyrs-2nd-level-tiling", "",
            "Tile twice, tiles inside of tiles: with the sizes given, or, but for diamonds, where the cost model expects a gain from the caches.";
        second_level_tile_sizes: Vec<u32> = Vec::new(), "polyrs-2nd-level-tile-sizes", "iterations,...",
            "Size of the tiles inside of tiles for each loop of a band, outermost first; implies `-polyrs-2nd-level-tiling`.";
        second_level_default_tile_size: Option<u32> = None, "polyrs-2nd-level-default-tile-size", "iterations",
            "The same for loops that `-polyrs-2nd-level-tile-sizes` does not name.";
    }
    Threads {
        parallel: bool = false, "polyrs-parallel", "",
            "Run loops without carried dependences in several threads, by OpenMP; link with `-lomp` or `-lgomp`.";
        parallel_force: bool = false, "polyrs-parallel-force", "",
            "Run them in threads also where that is not expected to pay: where threads start often, programs may take many times as long.";
        num_threads: Option<u32> = None, "polyrs-num-threads", "threads",
            "Threads to ask for; without it the OpenMP library decides (`OMP_NUM_THREADS`).";
        scheduling: Option<OmpScheduling> = None, "polyrs-scheduling", "static|dynamic|guided|runtime",
            "How iterations are dealt out to threads; without it `static` where all do the same, else `dynamic`.";
        scheduling_chunksize: Option<u32> = None, "polyrs-scheduling-chunksize", "iterations",
            "Iterations dealt out at once; without it by scheduling and loop.";
        omp_backend: OmpBackend = OmpBackend::Llvm, "polyrs-omp-backend", "GNU|LLVM",
            "Whose entry points are called: libgomp's or libomp's.";
    }
    Device {
        target: Target = Target::Cpu, "polyrs-target", "cpu|gpu",
            "Also write kernels for a GPU, which the program uses where it finds one that is expected to be faster; link with `-lpolyrs_rt` (docs/gpu.md).";
        gpu_arch: Architectures = Architectures::default(), "polyrs-gpu-arch", "sm_<number>,...",
            "Oldest architecture that the kernels are for; of several, each has a text of its own, and a program takes the newest that its device can run.";
        gpu_libdevice: String = String::new(), "polyrs-gpu-libdevice", "path",
            "Bitcode of libdevice, from which kernels take exp, sin, pow and the like, where flags (-ffast-math) allow other bits than the host's.";
        gpu_sizes: KernelSizes = KernelSizes::default(), "polyrs-gpu-sizes", "[kernel.]block|grid|tile=n,...:...",
            "In x, y and z: threads of a block (numbers alone are these), the most blocks of a grid, iterations that a block runs where a thread can have several in registers; of all kernels, or of one, by its number in its region. Without it by a model of the device.";
        gpu_register_tile: RegisterTile = RegisterTile::default(), "polyrs-gpu-register-tile", "rows,columns",
            "Elements of a matrix product that a thread has in registers; without it 8 by 32 bytes; 1,1: one.";
        gpu_shared_memory: bool = true, "polyrs-gpu-shared-memory", "",
            "Let blocks of threads copy to shared memory what they read often, or far apart, where fewer accesses to memory are expected.";
        gpu_max_shared_bytes: SharedBytes = SharedBytes::default(), "polyrs-gpu-max-shared-bytes", "bytes",
            "The most shared memory that a block has; at most 49152.";
        gpu_time_tiles: bool = true, "polyrs-gpu-time-tiles", "",
            "Let a block run several time steps of a stencil, in hexagonal tiles, where that is estimated to be faster than a launch for each.";
        gpu_time_tile_sizes: Vec<u32> = Vec::new(), "polyrs-gpu-time-tile-sizes", "steps,base,...",
            "Time steps of half such a tile, elements along its base, and elements along other loops; without it chosen by estimated time.";
        gpu_keep_data: bool = true, "polyrs-gpu-keep-data", "",
            "Leave data on the GPU between regions of a function until the host may look.";
        gpu_min_compute: u64 = 0, "polyrs-gpu-min-compute", "instructions",
            "The least that a region must have to do, on the host, for the GPU to be asked, whatever the program is told when it runs.";
    }
    Assumptions {
        ignore_aliasing: bool = false, "polyrs-ignore-aliasing", "",
            "Assume that different pointers never lead to the same array, instead of testing it at run time.";
    }
    Budgets {
        budget: u64 = 20_000_000, "polyrs-budget", "steps",
            "Set-operation steps for one function; what follows are shares of it.";
        analysis_budget: u64 = 400_000, "polyrs-analysis-budget", "steps",
            "Set-operation steps for building the model of one region.";
        dependences_budget: u64 = 1_200_000, "polyrs-dependences-budget", "steps",
            "Set-operation steps for the dependences of one region, and for its scalars that array elements can hold.";
        schedule_budget: u64 = 2_000_000, "polyrs-schedule-budget", "steps",
            "Set-operation steps for the schedules of one region, all alternatives together.";
        parallel_budget: u64 = 2_000_000, "polyrs-parallel-budget", "steps",
            "Set-operation steps for finding out which loops of one region threads may run, and what they need for themselves.";
        proof_budget: u64 = 2_000_000, "polyrs-proof-budget", "steps",
            "Set-operation steps for proving the schedules of one region.";
        ast_budget: u64 = 2_000_000, "polyrs-ast-budget", "steps",
            "Set-operation steps for the loops of one region, all alternatives together.";
        check_budget: u64 = 2_000_000, "polyrs-check-budget", "steps",
            "Set-operation steps for the run-time check of one region, and for the room of copies of its arrays.";
        max_instructions: u32 = 20_000, "polyrs-max-instructions", "instructions",
            "Functions with more instructions are left alone.";
        max_stmts: u32 = 200, "polyrs-max-stmts", "statements",
            "Regions with more statements are left alone.";
    }
    Debugging {
        print_after: Option<Phase> = None, "polyrs-print-after", "phase",
            "Print what this phase made (canonicalize, facts, detect, scops, dependences, schedule, ast, codegen).";
        stop_after: Option<Phase> = None, "polyrs-stop-after", "phase",
            "End after this phase and leave the function as it was.";
        explain: bool = false, "polyrs-explain", "",
            "Print what became of each region as a line of JSON for `polyrs explain` (docs/explain.md).";
        export_jscop: bool = false, "polyrs-export-jscop", "",
            "Write each region's model and new schedule to `<function>___<number>.jscop` in the folder of `-polyrs-import-jscop-dir`.";
        import_jscop: bool = false, "polyrs-import-jscop", "",
            "Take each region's schedule from such a file; one that breaks a dependence is refused, with the two instances.";
        import_jscop_dir: String = ".".to_owned(), "polyrs-import-jscop-dir", "folder",
            "Where schedules are read from and written to.";
        import_jscop_postfix: String = String::new(), "polyrs-import-jscop-postfix", "text",
            "Appended with a dot to the names of schedule files.";
        transform: String = String::new(), "polyrs-transform", "file",
            "Transform regions as this script says: sections `region FUNCTION` or `region FUNCTION:NUMBER` with lines `tile`, `interchange`, `fuse`, `distribute`, `skew`, `jam`, `parallel` and `option`; an illegal order is refused, with the two instances.";
        dot: String = String::new(), "polyrs-dot", "folder",
            "Write pictures for Graphviz to this folder: the blocks of each function with its regions (`regions.FUNCTION.dot`) and the dependences of each region (`dependences.FUNCTION:NUMBER.dot`, with `_` for `:`).";
        use_ir_names: bool = false, "polyrs-use-ir-names", "",
            "Name parameters in prints after the values in the program.";
        report: bool = false, "polyrs-report", "", "Print how many regions came how far.";
        time: bool = false, "polyrs-time", "", "Print the time spent in each phase, and what was recorded and cloned of the module.";
        trace: bool = false, "polyrs-trace", "",
            "Let the compiled program say on its error stream which code of a region it runs: the new or the original.";
        verify: bool = true, "polyrs-verify", "",
            "Run LLVM's verifier on each function that was changed; a function that fails it is left as it was.";
        verify_ast: bool = false, "polyrs-verify-ast", "",
            "Run the new loops on paper for small parameter values, compare with the schedule, and print for how many they agree.";
        fatal_bugs: bool = false, "polyrs-fatal-bugs", "", "End the compiler when an internal error is found.";
        inject_panic: Option<Phase> = None, "polyrs-inject-panic", "phase",
            "Fail on purpose at the end of this phase.";
    }
}

impl OptionValue for bool {
    const IS_FLAG: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" | "true" | "TRUE" | "True" | "1" => Ok(true),
            "false" | "FALSE" | "False" | "0" => Ok(false),
            _ => Err(format!("'{text}' is neither true nor false")),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl OptionValue for u32 {
    fn parse(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(0) | Err(_) => Err(format!("'{text}' is not a whole number between 1 and {}", u32::MAX)),
            Ok(n) => Ok(n),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for Option<u32> {
    fn parse(text: &str) -> Result<Self, String> {
        <u32 as OptionValue>::parse(text).map(Some)
    }

    fn show(&self) -> String {
        self.map_or(String::new(), |n| n.to_string())
    }
}

impl OptionValue for u64 {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("'{text}' is not a whole number of at least 0"))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for Option<u64> {
    fn parse(text: &str) -> Result<Self, String> {
        <u64 as OptionValue>::parse(text).map(Some)
    }

    fn show(&self) -> String {
        self.map_or(String::new(), |n| n.to_string())
    }
}

impl OptionValue for Vec<u32> {
    fn parse(text: &str) -> Result<Self, String> {
        text.split(',').map(<u32 as OptionValue>::parse).collect()
    }

    fn show(&self) -> String {
        self.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
}

impl OptionValue for Vec<String> {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect())
    }

    fn show(&self) -> String {
        self.join(",")
    }
}

impl OptionValue for Option<Phase> {
    fn parse(text: &str) -> Result<Self, String> {
        let names = Phase::ALL.map(Phase::name).join(", ");
        Phase::from_name(text).map(Some).ok_or_else(|| format!("'{text}' is not one of {names}"))
    }

    fn show(&self) -> String {
        self.map_or(String::new(), |phase| phase.name().to_owned())
    }
}

impl OptionValue for Position {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "early" => Ok(Self::Early),
            "before-vectorizer" => Ok(Self::BeforeVectorizer),
            _ => Err(format!("'{text}' is neither early nor before-vectorizer")),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Early => "early".to_owned(),
            Self::BeforeVectorizer => "before-vectorizer".to_owned(),
        }
    }
}

impl OptionValue for Optimizer {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "pluto" => Ok(Self::Pluto),
            "none" => Ok(Self::None),
            _ => Err(format!("'{text}' is neither pluto nor none")),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Pluto => "pluto".to_owned(),
            Self::None => "none".to_owned(),
        }
    }
}

impl OptionValue for FusionStrategy {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "max" => Ok(Self::Max),
            "smart" => Ok(Self::Smart),
            "none" => Ok(Self::None),
            _ => Err(format!("'{text}' is none of max, smart, none")),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Max => "max".to_owned(),
            Self::Smart => "smart".to_owned(),
            Self::None => "none".to_owned(),
        }
    }
}

impl OptionValue for OmpBackend {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "GNU" => Ok(Self::Gnu),
            "LLVM" => Ok(Self::Llvm),
            _ => Err(format!("'{text}' is neither GNU nor LLVM")),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Gnu => "GNU".to_owned(),
            Self::Llvm => "LLVM".to_owned(),
        }
    }
}

impl OptionValue for Target {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            _ => Err(format!("'{text}' is neither cpu nor gpu")),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Cpu => "cpu".to_owned(),
            Self::Gpu => "gpu".to_owned(),
        }
    }
}

impl OptionValue for Option<OmpScheduling> {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "static" => Ok(Some(OmpScheduling::Static)),
            "dynamic" => Ok(Some(OmpScheduling::Dynamic)),
            "guided" => Ok(Some(OmpScheduling::Guided)),
            "runtime" => Ok(Some(OmpScheduling::Runtime)),
            _ => Err(format!("'{text}' is not one of static, dynamic, guided, runtime")),
        }
    }

    fn show(&self) -> String {
        let name = |scheduling: OmpScheduling| match scheduling {
            OmpScheduling::Static => "static",
            OmpScheduling::Dynamic => "dynamic",
            OmpScheduling::Guided => "guided",
            OmpScheduling::Runtime => "runtime",
        };
        self.map_or(String::new(), |scheduling| name(scheduling).to_owned())
    }
}

impl Row {
    /// Sets this option; `text` is empty for a flag without value.
    ///
    /// # Errors
    /// What is wrong with `text`, without the option's name.
    pub fn set(&self, options: &mut Options, text: &str) -> Result<(), String> {
        if text.is_empty() && !self.is_flag {
            return Err("a value is required".to_owned());
        }
        (self.set)(options, text)
    }
}

impl Options {
    /// Sets the option called `name` (with or without `polyrs-`).
    ///
    /// # Errors
    /// Unknown name or malformed value, as a message that names the option.
    fn set_by_name(&mut self, name: &str, text: &str) -> Result<(), String> {
        let full = format!("polyrs-{name}");
        let row = TABLE
            .iter()
            .find(|row| row.name == name || row.name == full)
            .ok_or_else(|| format!("unknown option '{name}'{}", nearest(name)))?;
        row.set(self, text).map_err(|error| format!("option '{}': {error}", row.name))
    }

    /// Applies pass parameters, `tile-sizes=32,32;process-unprofitable`.
    ///
    /// # Errors
    /// The first parameter that is unknown or malformed; the parameters before it are applied.
    pub fn apply_parameters(&mut self, text: &str) -> Result<(), String> {
        for item in text.split(';').filter(|item| !item.is_empty()) {
            let (name, value) = split_item(item);
            self.set_by_name(name, value)?;
        }
        Ok(())
    }

    /// Applies the contents of `POLYRS_OPTIONS`, command-line options separated by white space that is not in quotes.
    /// Returns a message for each item that is unknown or malformed.
    pub fn apply_environment(&mut self, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        for item in words(text) {
            problems.extend(self.apply_word(&item).err());
        }
        problems
    }

    /// Applies one command-line option, `-polyrs-tile-sizes=32,32`.
    ///
    /// # Errors
    /// Unknown name or malformed value, as a message that names the option.
    pub fn apply_word(&mut self, word: &str) -> Result<(), String> {
        let (name, value) = split_item(word.trim_start_matches('-'));
        if name.starts_with("polyrs") { self.set_by_name(name, value) } else { Err(format!("unknown option '{word}'")) }
    }
}

/// The option that may be meant, with `polyrs-` or without as `name` has it, as the end of a sentence.
fn nearest(name: &str) -> String {
    let short = name.trim_start_matches("polyrs-");
    let start = if short == name { "" } else { "polyrs-" };
    nearest_of(short, TABLE.iter().map(|row| row.name.trim_start_matches("polyrs-")))
        .map_or_else(all_options, |known| format!(": did you mean '{start}{known}'?"))
}

fn all_options() -> String {
    " (`polyrs options` lists them)".to_owned()
}

/// The option that may be meant by `item`, which has no `polyrs-` and may have a value, as the end of a sentence.
#[must_use]
pub fn nearest_option(item: &str) -> String {
    nearest_of(split_item(item).0, TABLE.iter().map(|row| row.name.trim_start_matches("polyrs-")))
        .map_or_else(all_options, |known| format!(": did you mean '-polyrs-{known}'?"))
}

/// The known word that differs least from `word`, if it is near enough to be meant.
#[must_use]
pub fn nearest_of<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_ascii_lowercase();
    let (far, nearest) = known.into_iter().map(|known| (edits(&word, known), known)).min_by_key(|(far, _)| *far)?;
    let is_start = word.len() > 2 && nearest.starts_with(&word);
    (is_start || far <= (word.len() / 3).max(1)).then_some(nearest)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other, byte by byte.
/// Source: Damerau, Communications of the ACM 7(3), 1964; no part is edited twice.
fn edits(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for i in 0..from.len() {
        let mut next = vec![i + 1];
        for j in 0..to.len() {
            let substituted = row[j] + usize::from(from[i] != to[j]);
            let swapped = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
            let swap = if swapped { before[j - 1] + 1 } else { usize::MAX };
            next.push(substituted.min(row[j + 1] + 1).min(next[j] + 1).min(swap));
        }
        before = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

fn split_item(item: &str) -> (&str, &str) {
    item.split_once('=').unwrap_or((item, ""))
}

/// The table as Markdown: one table per group, with defaults.
#[must_use]
pub fn markdown() -> String {
    let defaults = Options::default();
    let mut out = String::new();
    for group in Group::ALL {
        out.push_str(&format!("### {}\n\n| option | value | default | meaning |\n|---|---|---|---|\n", group.title()));
        for row in TABLE.iter().filter(|row| row.group == group) {
            let value = if row.is_flag { "true\\|false".to_owned() } else { row.value.replace('|', "\\|") };
            let default = (row.show)(&defaults);
            let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
            out.push_str(&format!("| `-{}` | {value} | {default} | {} |\n", row.name, row.help));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_suggested() {
        for (word, known) in
            [("fihs", "fish"), ("OFF", "off"), ("tuen", "tune"), ("paralel", "parallel"), ("opt", "option")]
        {
            assert_eq!(nearest_of(word, [known, "something"]), Some(known), "{word}");
        }
        for (word, known) in [("foo", "fc"), ("xyzzy", "dot"), ("zzzz", "gpu")] {
            assert_eq!(nearest_of(word, [known]), None, "{word}");
        }
        assert_eq!((edits("ab", "ba"), edits("abc", "ca"), edits("", "ab")), (1, 3, 2));
    }

    #[test]
    fn parameters_are_applied_in_order() {
        let mut options = Options::default();
        options.apply_parameters("tile-sizes=16,8;process-unprofitable;polyrs-tiling=false;stop-after=ast").unwrap();
        assert_eq!(options.tile_sizes, [16, 8]);
        assert!(options.process_unprofitable);
        assert!(!options.tiling);
        assert_eq!(options.stop_after, Some(Phase::Ast));
    }

    #[test]
    fn bad_parameters_are_named() {
        let mut options = Options::default();
        let error = |options: &mut Options, text: &str| options.apply_parameters(text).unwrap_err();
        assert_eq!(
            error(&mut options, "tile-sizes=a"),
            "option 'polyrs-tile-sizes': 'a' is not a whole number between 1 and 4294967295"
        );
        assert_eq!(error(&mut options, "tile-sizes"), "option 'polyrs-tile-sizes': a value is required");
        assert_eq!(error(&mut options, "tile-size=1"), "unknown option 'tile-size': did you mean 'tile-sizes'?");
        assert_eq!(error(&mut options, "tiling=maybe"), "option 'polyrs-tiling': 'maybe' is neither true nor false");
        assert_eq!(options, Options::default());
    }

    #[test]
    fn environment_is_applied_and_its_errors_are_named() {
        let mut options = Options::default();
        let problems = options.apply_environment(" -polyrs-tile-sizes=4 --polyrs=false  -O3 -polyrs-ast-budget=x");
        assert_eq!(options.tile_sizes, [4]);
        assert!(!options.enabled);
        assert_eq!(problems.len(), 2, "{problems:?}");
        let problems = options.apply_environment("-polyrs-tilling=false");
        assert_eq!(problems, ["unknown option 'polyrs-tilling': did you mean 'polyrs-tiling'?"]);
    }

    #[test]
    fn every_value_is_read_back_from_its_text() {
        let mut options = Options::default();
        options.apply_parameters("tile-sizes=1,2;only-func=a,b;print-after=facts;position=before-vectorizer").unwrap();
        let mut copy = Options::default();
        for row in TABLE {
            let text = (row.show)(&options);
            if !text.is_empty() {
                row.set(&mut copy, &text).unwrap();
            }
        }
        assert_eq!(options, copy);
    }

    #[test]
    fn names_are_unique_and_ours() {
        let mut names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
        assert!(names.iter().all(|name| *name == "polyrs" || name.starts_with("polyrs-")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn documentation_lists_every_option() {
        let text = markdown();
        for row in TABLE {
            assert!(text.contains(&format!("| `-{}` |", row.name)));
        }
    }
}
