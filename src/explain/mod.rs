//! What became of each loop nest, for people: read from the lines that the plugin prints, shown step by step.
//!
//! In: lines of JSON (`-polyrs-explain`; `docs/explain.md` has the keys). Out: [`Nest`]s, and for each that was
//! modelled a [`picture`]: its loops in the original and in the new order and the steps between them, as data for a
//! page.

pub mod picture;
mod source;
mod steps;
#[cfg(test)]
mod tests;

pub use source::Source;

use crate::deps::{self, Dep, vectors};
use crate::model::Scop;
use crate::outcome::Costs;
use presburger::Budget;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Steps of set operations for the dependences of a nest.
const BINDING_STEPS: u64 = 5_000_000;

/// What an array is called of which only a line with an access is known: with that behind it.
pub const ACCESSED: &str = "accessed in line";
/// What a value is called of which only the line is known that computes it.
pub const COMPUTED: &str = "computed in line";

/// What a line of the plugin begins with.
pub const START: &str = "polyrs-explain: ";

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As the debug information names it.
    pub file: String,
    /// 1-based.
    pub line: usize,
    /// 1-based.
    pub column: usize,
}

/// One loop nest and what became of it.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Name of the function, as the linker sees it.
    pub function: String,
    /// What it is called in the source.
    pub shown: String,
    /// `rewritten`, `kept`, `refused`, `given-up` or `internal-error`.
    pub verdict: String,
    /// Name of the remark: the reason's in `docs/reasons.md`.
    pub name: String,
    /// The remark.
    pub message: String,
    /// What the remark points at.
    pub at: Option<Place>,
    /// Where the nest begins.
    pub start: Option<Place>,
    /// Where the outermost loop around begins.
    pub nest: Option<Place>,
    /// Where the other outermost loops begin that the verdict is about as well.
    pub with: Vec<Place>,
    /// The function of a library that its loops are in; the places above then are of the call.
    pub library: Option<String>,
    /// Estimated cycles in the original and in the best new order.
    pub costs: Option<Costs>,
    /// What they are estimated for: vectors and caches.
    pub target: Option<String>,
    /// What is tested at run time before the new loops run.
    pub tests: Vec<String>,
    /// What helps where it was refused.
    pub remedy: Option<String>,
    /// The model and the new order.
    pub model: Option<Model>,
    /// Its loops for a GPU.
    pub gpu: Option<Gpu>,
    /// The line as it was read.
    pub json: Value,
}

/// What the plugin tells of a nest that it modelled.
#[derive(Clone, Debug)]
pub struct Model {
    /// The model, in the text form of `model::text`.
    pub scop: String,
    /// The new order, in that of `model::tree::read`.
    pub tree: Option<String>,
    /// What was done, in words.
    pub steps: Vec<String>,
    /// Names of the arrays.
    pub arrays: Vec<String>,
    /// What the user calls the parameters.
    pub params: Vec<String>,
    /// Places of the statements and of the loops around each.
    pub statements: Vec<(Option<Place>, Vec<Option<Place>>)>,
    /// What counts the loops around each statement in the source, outermost first.
    pub counters: Vec<Vec<Counter>>,
}

/// What counts a loop in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The variable; empty where nothing is known.
    pub name: String,
    /// Whether the model has its values.
    pub is_value: bool,
}

/// Loops of a nest for a GPU.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// What is copied, a sentence per array.
    pub memory: Vec<String>,
    /// Loops of the host around the kernels, as C-like text.
    pub loops: String,
    /// The same without the kernels: what stands around the launches, which are lines of their own.
    pub host: Vec<String>,
    /// The kernels, in the order of the loops.
    pub kernels: Vec<Kernel>,
}

/// A kernel for a GPU.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name; empty where it was given up.
    pub name: String,
    /// Blocks along x, y and z, as expressions.
    pub grid: Vec<String>,
    /// Threads of a block along x, y and z.
    pub block: Vec<u64>,
    /// Bytes of shared memory that a block has.
    pub shared_bytes: u64,
    /// Of the threads that a multiprocessor can run, the part for which there is room, in percent: estimated.
    pub occupancy: u64,
    /// C-like text.
    pub code: String,
    /// PTX.
    pub ptx: String,
}

/// Cuts the nests' lines out of what a compiler printed: the nests, and all other lines. Places in `file` have its name
/// as it is given here.
///
/// # Errors
/// A line that is not of this version of the plugin.
pub fn read<'t>(text: &'t str, file: &str) -> Result<(Vec<Nest>, Vec<&'t str>), String> {
    let (mut nests, mut rest) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.strip_prefix(START) {
            Some(json) => nests.push(nest(json, file).ok_or("the plugin and this program are not of one version")?),
            None => rest.push(line),
        }
    }
    Ok((nests, rest))
}

/// Debug information names a file by its end, behind a folder of its own: places in it get the name given.
fn with_name(value: &mut Value, file: &str) {
    match value {
        Value::Object(all) => {
            if let Some(Value::String(name)) = all.get_mut("file")
                && !Path::new(name.as_str()).exists()
                && Path::new(file).ends_with(name.as_str())
            {
                file.clone_into(name);
            }
            all.iter_mut().for_each(|(_, inner)| with_name(inner, file));
        }
        Value::Array(all) => all.iter_mut().for_each(|inner| with_name(inner, file)),
        _ => {}
    }
}

fn nest(json: &str, file: &str) -> Option<Nest> {
    let mut json: Value = serde_json::from_str(json).ok()?;
    with_name(&mut json, file);
    Some(Nest {
        function: text(&json["function"])?,
        shown: text(&json["shown"])?,
        verdict: text(&json["verdict"])?,
        name: text(&json["name"])?,
        message: text(&json["message"])?,
        at: place(&json["at"]),
        start: place(&json["start"]),
        nest: place(&json["nest"]),
        with: json["with"].as_array().into_iter().flatten().filter_map(place).collect(),
        library: text(&json["library"]),
        costs: costs(&json["costs"]),
        target: text(&json["target"]),
        tests: texts(&json["tests"]),
        remedy: text(&json["remedy"]),
        model: model(&json["model"]),
        gpu: gpu(&json["gpu"]),
        json,
    })
}

fn costs(value: &Value) -> Option<Costs> {
    let of = |value: &Value| value.as_f64();
    Some(Costs {
        original: of(&value["original"])?,
        new: of(&value["new"])?,
        size: value["size"].as_u64(),
        is_roomy: value["is_roomy"].as_bool()?,
        usual: [of(&value["usual"][0])?, of(&value["usual"][1])?],
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(text).collect()
}

fn place(value: &Value) -> Option<Place> {
    let number = |key: &str| Some(value[key].as_u64()? as usize);
    Some(Place { file: text(&value["file"])?, line: number("line")?, column: number("column")? })
}

fn model(value: &Value) -> Option<Model> {
    let loops = |s: &Value| s["loops"].as_array().into_iter().flatten().map(place).collect();
    let statement = |s: &Value| (place(&s["at"]), loops(s));
    let counter = |c: &Value| Counter { name: text(&c["name"]).unwrap_or_default(), is_value: c["is_value"] == true };
    let counters = |s: &Value| s["counters"].as_array().into_iter().flatten().map(counter).collect();
    let statements = value["statements"].as_array()?;
    Some(Model {
        scop: text(&value["scop"])?,
        tree: text(&value["tree"]),
        steps: texts(&value["steps"]),
        arrays: texts(&value["arrays"]),
        params: texts(&value["params"]),
        statements: statements.iter().map(statement).collect(),
        counters: statements.iter().map(counters).collect(),
    })
}

/// The number of the nest's region in its function, as scripts name it, and the number of loops around its innermost
/// statement; `None` where nothing was modelled.
#[must_use]
pub fn region(nest: &Nest) -> Option<(usize, usize)> {
    let scop = Scop::parse(&nest.model.as_ref()?.scop).ok()?;
    let depth = scop.stmts.iter().map(|s| s.domain.space().n_out()).max()?;
    Some((scop.name.rsplit_once(':')?.1.parse().ok()?, depth))
}

fn gpu(value: &Value) -> Option<Gpu> {
    let kernel = |k: &Value| {
        Some(Kernel {
            name: text(&k["name"]).unwrap_or_default(),
            grid: texts(&k["grid"]),
            block: k["block"].as_array()?.iter().filter_map(Value::as_u64).collect(),
            shared_bytes: k["shared"].as_u64().unwrap_or(0),
            occupancy: k["occupancy"].as_u64().unwrap_or(0),
            code: text(&k["code"])?,
            ptx: text(&k["ptx"]).unwrap_or_default(),
        })
    };
    let kernels = value["kernels"].as_array()?.iter().map(kernel).collect::<Option<_>>()?;
    Some(Gpu { memory: texts(&value["memory"]), loops: text(&value["loops"])?, host: texts(&value["host"]), kernels })
}

/// What binds the order of a nest: each array or local variable with its dependences and their distances in the loops
/// of the source, outermost first. Empty where nothing is known.
#[must_use]
pub fn binding(nest: &Nest) -> Vec<String> {
    let found = || {
        let model = nest.model.as_ref()?;
        let (scop, budget) = (Scop::parse(&model.scop).ok()?, Budget::steps(BINDING_STEPS));
        let deps = deps::compute(&scop, &budget).ok()?;
        let name = |k: usize| model.arrays.get(k).map_or_else(|| format!("Arr{k}"), Clone::clone);
        binding_of(&scop, &deps.validity, name, &budget)
    };
    found().unwrap_or_default()
}

/// The same of a model with dependences; `name` names an array by its number. `None` where the budget ends.
#[must_use]
pub fn binding_of(scop: &Scop, deps: &[Dep], name: impl Fn(usize) -> String, budget: &Budget) -> Option<Vec<String>> {
    if deps.is_empty() {
        return Some(vec!["nothing: no iteration needs another one's result".to_owned()]);
    }
    // A local variable may be several scalars of the model: by name, in the order of the first one's number.
    let (mut first, mut found) = (BTreeMap::new(), BTreeMap::<usize, (BTreeSet<String>, BTreeSet<String>)>::new());
    for dep in deps {
        let k = dep.array.index();
        let name = name(k);
        let what = match scop.arrays[k].is_memory() {
            true => "array",
            false if name.starts_with(COMPUTED) => "value",
            false => "local variable",
        };
        let named = *first.entry(format!("{what} {name}")).or_insert(k);
        let (kinds, distances) = found.entry(named).or_default();
        kinds.insert(dep.kind.to_string());
        for vector in vectors::vectors(scop, dep, budget).ok()? {
            let parts: Vec<String> = vector.0.iter().map(ToString::to_string).collect();
            // Between statements without a common loop there is none.
            distances.extend((!parts.is_empty()).then(|| format!("({})", parts.join(", "))));
        }
    }
    let names: BTreeMap<usize, String> = first.into_iter().map(|(name, k)| (k, name)).collect();
    let told = |(k, (kinds, distances)): (usize, (BTreeSet<String>, BTreeSet<String>))| {
        let list = |of: BTreeSet<String>, with: &str| of.into_iter().collect::<Vec<_>>().join(with);
        let at = if distances.is_empty() { "" } else { ", distances " };
        format!("{}: {}{at}{}", names[&k], list(kinds, ", "), list(distances, " "))
    };
    Some(found.into_iter().map(told).collect())
}
