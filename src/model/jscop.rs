//! SCoPs in the field's exchange form, so that a schedule can be written by hand or by another tool.
//!
//! One JSON object per SCoP with the keys `name`, `context`, `arrays` (`name`, `sizes`, `type`) and `statements`
//! (`name`, `domain`, `schedule`, `accesses` with `kind` and `relation`); sets and maps are texts in isl's notation. A
//! schedule maps instances to times that compare lexicographically. Shape and key names: Polly, JSONExporter (LLVM
//! project), since 2012. Only schedules are read; everything else in a file must say what the SCoP says, or be left
//! out.

use super::tree::expr::{dim_names, print_aff, print_row};
use super::tree::flat::{FlatPiece, flat_schedule};
use super::tree::{Node, forms, maps};
use super::{AccessKind, Array, Scop, Size, Stmt};
use presburger::{Budget, Map, Set};
use serde_json::{Map as Object, Value, json};

/// Name of the file of a SCoP, `<function>___<number>.jscop`, with `.<postfix>` unless that is empty.
#[must_use]
pub fn file_name(scop: &Scop, postfix: &str) -> String {
    let plain = scop.name.replace(':', "___").replace(['/', '\\'], "_");
    if postfix.is_empty() { format!("{plain}.jscop") } else { format!("{plain}.jscop.{postfix}") }
}

/// The SCoP in the order of `schedule`, indented, with a newline at the end.
#[must_use]
pub fn export(scop: &Scop, schedule: &Node) -> String {
    let flat = flat_schedule(schedule);
    let statement = |s: &Stmt| {
        let accesses = s.accesses.iter().map(|a| {
            let kind = if a.kind == AccessKind::Read { "read" } else { "write" };
            json!({ "kind": kind, "relation": a.relation.to_string() })
        });
        let time = flat.get(&s.id).map_or_else(String::new, |pieces| time_text(scop, s, pieces, schedule));
        json!({
            "name": s.id.to_string(),
            "domain": s.domain.to_string(),
            "schedule": time,
            "accesses": accesses.collect::<Vec<_>>(),
        })
    };
    let memory = |(_, a): &(usize, &Array)| a.is_memory();
    let names: Vec<String> = scop.params.iter().map(|p| p.name.clone()).collect();
    let arrays = scop.arrays.iter().enumerate().filter(memory).map(|(k, a)| {
        let sizes: Vec<String> = a.sizes.iter().map(|s| size_text(s, &names)).collect();
        json!({ "name": crate::ids::ArrayId::new(k).to_string(), "sizes": sizes, "type": type_text(a) })
    });
    let whole = json!({
        "name": scop.name,
        "context": scop.contexts.assumed.intersect(&scop.contexts.defined).to_string(),
        "arrays": arrays.collect::<Vec<_>>(),
        "statements": scop.stmts.iter().map(statement).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

/// `[params] -> { Stmt[dims] -> [times] }`; with conditions only where a filter of the tree splits the statement.
fn time_text(scop: &Scop, stmt: &Stmt, pieces: &[FlatPiece], schedule: &Node) -> String {
    let [piece] = pieces else {
        return forms::to_union_map(schedule).get(&stmt.id).map_or_else(String::new, Map::to_string);
    };
    let dims = dim_names(stmt.domain.space());
    let times: Vec<String> = forms::values(piece).iter().map(|a| print_aff(a, &dims)).collect();
    let params = scop.param_names().join(", ");
    let header = if params.is_empty() { String::new() } else { format!("[{params}] -> ") };
    format!("{header}{{ {}[{}] -> [{}] }}", stmt.id, dims.join(", "), times.join(", "))
}

fn size_text(size: &Size, params: &[String]) -> String {
    match size {
        Size::Unknown => "*".to_owned(),
        Size::Const(n) => n.to_string(),
        Size::Affine(row) => print_row(row, params),
    }
}

fn type_text(array: &Array) -> String {
    match (array.is_float, array.elem_bytes) {
        (true, 8) => "double".to_owned(),
        (true, 4) => "float".to_owned(),
        (true, bytes) => format!("f{}", bytes * 8),
        (false, bytes) => format!("i{}", bytes * 8),
    }
}

/// The schedule in `text` as a tree. Nothing is proved of it but that it gives every instance a time.
///
/// # Errors
/// A message: no JSON, a statement missing or unknown, a domain or an access that is not the SCoP's, or a schedule that
/// cannot be read or is no function.
pub fn import(scop: &Scop, text: &str, budget: &Budget) -> Result<Node, String> {
    let file: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let listed = file.get("statements").and_then(Value::as_array).ok_or("there is no list \"statements\"")?;
    if listed.len() != scop.stmts.len() {
        return Err(format!("{} statements instead of {}", listed.len(), scop.stmts.len()));
    }
    let mut found = Vec::with_capacity(listed.len());
    for stmt in &scop.stmts {
        let name = stmt.id.to_string();
        let is_own = |v: &&Value| v.get("name").and_then(Value::as_str) == Some(name.as_str());
        let own = listed.iter().find(is_own).and_then(Value::as_object);
        let own = own.ok_or_else(|| format!("there is no statement {name}"))?;
        agrees(scop, stmt, own, budget)?;
        let schedule = text_of(own, "schedule").ok_or_else(|| format!("{name} has no schedule"))?;
        let map = Map::parse(&with_params(scop, schedule)).map_err(|e| format!("schedule of {name}: {e}"))?;
        let tuple = map.space().input.as_ref().and_then(|t| t.name.as_deref());
        if tuple != Some(name.as_str()) || map.space().n_in() != stmt.dims() {
            return Err(format!("the schedule of {name} must map {name} with {} dimensions", stmt.dims()));
        }
        if !map.space().params.iter().map(AsRef::as_ref).eq(scop.param_names()) {
            return Err(format!(
                "the parameters of the schedule of {name} must be [{}]",
                scop.param_names().join(", ")
            ));
        }
        found.push((stmt.id, stmt.domain.clone(), map));
    }
    maps::from_maps(&found, budget)
}

/// Whether domain and accesses, as far as they are given, are those of the statement.
fn agrees(scop: &Scop, stmt: &Stmt, own: &Object<String, Value>, budget: &Budget) -> Result<(), String> {
    let name = stmt.id;
    if let Some(text) = text_of(own, "domain") {
        let set = Set::parse(&with_params(scop, text)).map_err(|e| format!("domain of {name}: {e}"))?;
        if set.space().n_out() != stmt.dims() || set.is_equal(&stmt.domain, budget) != Ok(true) {
            return Err(format!("the domain of {name} is {}", stmt.domain));
        }
    }
    let Some(accesses) = own.get("accesses").and_then(Value::as_array) else { return Ok(()) };
    if accesses.len() != stmt.accesses.len() {
        return Err(format!("{name} has {} accesses", stmt.accesses.len()));
    }
    for (listed, access) in accesses.iter().zip(&stmt.accesses) {
        let text = listed.get("relation").and_then(Value::as_str).ok_or("an access without relation")?;
        let map = Map::parse(&with_params(scop, text)).map_err(|e| format!("access of {name}: {e}"))?;
        let same_array = map.space().output.name == access.relation.space().output.name;
        if !same_array
            || map.space().n_out() != access.relation.space().n_out()
            || map.is_equal(&access.relation, budget) != Ok(true)
        {
            return Err(format!("an access of {name} is {}; only schedules can be imported", access.relation));
        }
    }
    Ok(())
}

fn text_of<'v>(object: &'v Object<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

/// The text with the SCoP's parameters in front, if it names none.
fn with_params(scop: &Scop, text: &str) -> String {
    let text = text.trim();
    if text.starts_with('{') { format!("[{}] -> {text}", scop.param_names().join(", ")) } else { text.to_owned() }
}
