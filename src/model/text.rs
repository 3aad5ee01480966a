//! A SCoP as text: what the phases print and what tests read.
//!
//! ```text
//! scop gemm
//! params: N, M
//! assumed: { : N >= 1 }
//! array Arr0 memory f64 [*, M]
//! stmt Stmt0
//!   domain: { Stmt0[i0, i1] : 0 <= i0 < N and 0 <= i1 < M }
//!   schedule: [0, i0, 0, i1, 0]
//!   must_write: { Stmt0[i0, i1] -> Arr0[i0, i1] }
//! ```
//!
//! Sets and maps are in isl's notation; `[N, M] ->` in front is optional when reading and always printed. `#` starts a
//! comment. `assumed`, `invalid` and `defined` default to everything, nothing, everything. `tested: N M - N - 1` is a
//! polynomial that must be >= 0: terms of a number and parameters. Element types are `f<bits>`
//! and `i<bits>`. `reduction: add Arr0` says that the statement's read of the array and its must-write of the same
//! element are one update. `alias: Arr0, Arr1` is one group of arrays to be tested at run time. `schedule` is the 2d+1
//! form; an order that has none is written as a schedule tree after the last line `tree:`. LLVM handles are not part of
//! the text: they are numbered anew on reading.

use super::tree::{Node, build, expr, print, read};
use super::{
    Access, AccessKind, Array, ArrayKind, Contexts, Field, Instructions, Lifetime, LoopDim, Operation, Param,
    ParamPoly, Reduction, Region, Scop, Size, Stmt, StmtBody,
};
use crate::ids::{ArrayId, LoopId, ScevId, StmtId, ValueId};
use presburger::{Map, Set, Space};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Why a text is not a SCoP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// 1-based line of the text.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

impl Scop {
    /// Reads the text form described at the module.
    ///
    /// # Errors
    /// The first line that cannot be read, or that contradicts an earlier one.
    pub fn parse(text: &str) -> Result<Scop, TextError> {
        let mut reader = Reader::default();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let content = line.split('#').next().unwrap_or("").trim();
            reader.line = number + 1;
            if content == "tree:" {
                let rest: Vec<&str> = lines.by_ref().map(|(_, l)| l).collect();
                reader.tree = Some(rest.join("\n"));
            } else if !content.is_empty() {
                reader.item(content).map_err(|message| TextError { line: number + 1, message })?;
            }
        }
        let line = reader.line;
        reader.finish().map_err(|message| TextError { line, message })
    }
}

impl fmt::Display for Scop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scop {}", self.name)?;
        writeln!(f, "params: {}", self.param_names().join(", "))?;
        writeln!(f, "assumed: {}", self.contexts.assumed)?;
        writeln!(f, "invalid: {}", self.contexts.invalid)?;
        writeln!(f, "defined: {}", self.contexts.defined)?;
        for poly in &self.contexts.tested {
            writeln!(f, "tested: {}", poly_text(poly, &self.param_names()))?;
        }
        for (k, array) in self.arrays.iter().enumerate() {
            writeln!(f, "array {} {}", ArrayId::new(k), self.array_text(array))?;
        }
        for group in &self.alias_groups {
            let names: Vec<String> = group.iter().map(ToString::to_string).collect();
            writeln!(f, "alias: {}", names.join(", "))?;
        }
        for guard in &self.guards {
            writeln!(f, "# tested: {} conditions for {}", guard.holds.len(), guard.stmt.domain)?;
        }
        let times = build::to_2d1(&self.schedule);
        for stmt in &self.stmts {
            writeln!(f, "stmt {}", stmt.id)?;
            writeln!(f, "  domain: {}", stmt.domain)?;
            if let Some(time) = times.as_ref().and_then(|t| t.get(&stmt.id)) {
                let dims = expr::dim_names(stmt.domain.space());
                let parts: Vec<String> = time.iter().map(|a| expr::print_aff(a, &dims)).collect();
                writeln!(f, "  schedule: [{}]", parts.join(", "))?;
            }
            for access in &stmt.accesses {
                write!(f, "  {}: {}", kind_name(access.kind), access.relation)?;
                match access.carries {
                    Some(scalar) => writeln!(f, " carries {scalar}")?,
                    None => writeln!(f)?,
                }
            }
            match &stmt.body {
                StmtBody::Original(_) => {}
                StmtBody::Copy => writeln!(f, "  body: copy")?,
                StmtBody::Init(op) => writeln!(f, "  body: init {}", op.name())?,
                StmtBody::Combine(op) => writeln!(f, "  body: combine {}", op.name())?,
                StmtBody::Kernel(name) => writeln!(f, "  body: kernel {name}")?,
            }
            if let Some(reduction) = &stmt.reduction {
                writeln!(f, "  reduction: {} {}", reduction.op.name(), reduction.array)?;
            }
        }
        if times.is_none() {
            write!(f, "tree:\n{}", print::Yaml(&self.schedule))?;
        }
        Ok(())
    }
}

impl Scop {
    fn array_text(&self, array: &Array) -> String {
        let kind = match array.kind {
            ArrayKind::Memory { .. } => "memory",
            ArrayKind::View { .. } => "view",
            ArrayKind::Rows(_) => "rows",
            ArrayKind::Made { lifetime: Lifetime::Region } => "made",
            ArrayKind::Made { lifetime: Lifetime::Thread } => "made_per_thread",
            ArrayKind::Value { .. } => "value",
            ArrayKind::Phi { .. } => "phi",
        };
        let letter = if array.is_float { 'f' } else { 'i' };
        let mut text = format!("{kind} {letter}{} [", array.elem_bytes * 8);
        let names: Vec<String> = self.params.iter().map(|p| p.name.clone()).collect();
        for (k, size) in array.sizes.iter().enumerate() {
            let separator = if k == 0 { "" } else { ", " };
            let size = match size {
                Size::Unknown => "*".to_owned(),
                Size::Const(n) => n.to_string(),
                Size::Affine(row) => expr::print_row(row, &names),
            };
            let _ = write!(text, "{separator}{size}");
        }
        text.push(']');
        if array.is_view() {
            let _ = write!(text, " at {}", poly_text(&array.offset, &self.param_names()));
        }
        text
    }
}

fn kind_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::MustWrite => "must_write",
        AccessKind::MayWrite => "may_write",
    }
}

fn operation_of(name: &str) -> Result<Operation, String> {
    let op = Operation::ALL.into_iter().find(|op| op.name() == name);
    op.ok_or_else(|| format!("there is no operation `{name}`"))
}

fn body_of(text: &str) -> Result<StmtBody, String> {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("copy", "") => Ok(StmtBody::Copy),
        ("init", op) => operation_of(op).map(StmtBody::Init),
        ("combine", op) => operation_of(op).map(StmtBody::Combine),
        ("kernel", name) if !name.is_empty() => Ok(StmtBody::Kernel(name.to_owned())),
        _ => Err(format!("`{text}` is not copy, init <operation>, combine <operation> or kernel <name>")),
    }
}

/// Bytes from one element to the next along each subscript, where all sizes but the first are constants; else those of
/// one element.
fn strides_of(sizes: &[Size], elem_bytes: i64) -> Vec<ParamPoly> {
    let mut strides = vec![elem_bytes; sizes.len()];
    for k in (1..sizes.len()).rev() {
        let Size::Const(size) = sizes[k] else { return vec![ParamPoly::constant(elem_bytes); sizes.len()] };
        strides[k - 1] = strides[k].saturating_mul(size);
    }
    strides.into_iter().map(ParamPoly::constant).collect()
}

#[derive(Default)]
struct Reader {
    line: usize,
    name: String,
    params: Vec<String>,
    contexts: BTreeMap<&'static str, Set>,
    tested: Vec<ParamPoly>,
    arrays: Vec<Array>,
    stmts: Vec<Stmt>,
    times: Vec<Option<String>>,
    reductions: Vec<Option<(Operation, ArrayId)>>,
    alias_groups: Vec<Vec<ArrayId>>,
    tree: Option<String>,
    next_value: u32,
}

impl Reader {
    fn item(&mut self, content: &str) -> Result<(), String> {
        if let Some(name) = content.strip_prefix("scop ") {
            self.name = name.trim().to_owned();
            return Ok(());
        }
        if let Some(rest) = content.strip_prefix("array ") {
            return self.array(rest);
        }
        if let Some(rest) = content.strip_prefix("stmt ") {
            return self.stmt(rest);
        }
        let (key, value) = content.split_once(':').ok_or_else(|| format!("`{content}` is not `key: value`"))?;
        let value = value.trim();
        match key.trim() {
            "params" => self.params = comma_list(value),
            "assumed" => self.context("assumed", value)?,
            "invalid" => self.context("invalid", value)?,
            "defined" => self.context("defined", value)?,
            "tested" => {
                let poly = read_poly(value, &self.params)?;
                self.tested.push(poly);
            }
            "alias" => {
                let group = comma_list(value).iter().map(|n| self.array_id(n)).collect::<Result<_, _>>()?;
                self.alias_groups.push(group);
            }
            "domain" => self.domain(value)?,
            "schedule" => *self.times.last_mut().ok_or("`schedule` before any `stmt`")? = Some(value.to_owned()),
            "read" => self.access(AccessKind::Read, value)?,
            "must_write" => self.access(AccessKind::MustWrite, value)?,
            "reduction" => {
                let wanted = self.operation(value)?;
                *self.reductions.last_mut().ok_or("`reduction` before any `stmt`")? = Some(wanted);
            }
            "may_write" => self.access(AccessKind::MayWrite, value)?,
            "body" => self.stmts.last_mut().ok_or("`body` before any `stmt`")?.body = body_of(value)?,
            other => return Err(format!("unknown key `{other}`")),
        }
        Ok(())
    }

    fn with_params(&self, text: &str) -> String {
        if text.starts_with('{') { format!("[{}] -> {text}", self.params.join(", ")) } else { text.to_owned() }
    }

    fn check_params(&self, space: &Space) -> Result<(), String> {
        let same = space.params.iter().map(AsRef::as_ref).eq(self.params.iter().map(String::as_str));
        if same { Ok(()) } else { Err(format!("the parameters must be [{}]", self.params.join(", "))) }
    }

    fn set(&self, text: &str) -> Result<Set, String> {
        let set = Set::parse(&self.with_params(text)).map_err(|e| e.to_string())?;
        self.check_params(set.space())?;
        Ok(set)
    }

    fn map(&self, text: &str) -> Result<Map, String> {
        let map = Map::parse(&self.with_params(text)).map_err(|e| e.to_string())?;
        self.check_params(map.space())?;
        Ok(map)
    }

    fn context(&mut self, key: &'static str, text: &str) -> Result<(), String> {
        let set = self.set(text)?;
        if set.space().n_out() != 0 {
            return Err("a context has no dimensions: `{ : condition }`".to_owned());
        }
        self.contexts.insert(key, set);
        Ok(())
    }

    fn value(&mut self) -> ValueId {
        self.next_value += 1;
        ValueId(self.next_value - 1)
    }

    fn array_id(&self, name: &str) -> Result<ArrayId, String> {
        let known = (0..self.arrays.len()).map(ArrayId::new).find(|id| id.to_string() == name);
        known.ok_or_else(|| format!("there is no array `{name}`"))
    }

    fn array(&mut self, rest: &str) -> Result<(), String> {
        let (head, sizes) = rest.split_once('[').unwrap_or((rest, "]"));
        let words: Vec<&str> = head.split_whitespace().collect();
        let [name, kind, elem] = words[..] else {
            return Err("an array is `array Arr<n> <kind> <type> [sizes]`".to_owned());
        };
        if name != ArrayId::new(self.arrays.len()).to_string() {
            return Err(format!("expected array {}", ArrayId::new(self.arrays.len())));
        }
        let value = self.value();
        let kind = match kind {
            "memory" => ArrayKind::Memory { base: value },
            "view" => ArrayKind::View { base: value },
            "rows" => ArrayKind::Rows(Field { table: value, stride: 8, first: 0 }),
            "made" => ArrayKind::Made { lifetime: Lifetime::Region },
            "made_per_thread" => ArrayKind::Made { lifetime: Lifetime::Thread },
            "value" => ArrayKind::Value { def: value },
            "phi" => ArrayKind::Phi { phi: value },
            other => return Err(format!("`{other}` is not memory, view, rows, made, made_per_thread, value or phi")),
        };
        let (sizes, at) = sizes.trim().rsplit_once(']').ok_or("`]` is missing")?;
        let at = at.trim().strip_prefix("at ");
        let offset = at.map(|at| read_poly(at, &self.params)).transpose()?.unwrap_or_default();
        let sizes = comma_list(sizes).iter().map(|s| self.size(s)).collect::<Result<Vec<_>, _>>()?;
        let (is_float, elem_bytes) = elem_type(elem)?;
        let strides = match kind {
            ArrayKind::Rows(_) => Vec::new(),
            _ => strides_of(&sizes, i64::from(elem_bytes)),
        };
        self.arrays.push(Array { kind, sizes, elem_bytes, is_float, strides, offset });
        Ok(())
    }

    fn size(&self, text: &str) -> Result<Size, String> {
        if text == "*" {
            return Ok(Size::Unknown);
        }
        let names: Vec<&str> = self.params.iter().map(String::as_str).collect();
        let aff = expr::parse_aff(text, &Space::params_only(&names), &[])?;
        if let Some(constant) = build::constant_of(&aff) {
            return Ok(Size::Const(constant));
        }
        aff.as_affine().map(Size::Affine).ok_or_else(|| format!("`{text}` is not affine in the parameters"))
    }

    fn stmt(&mut self, name: &str) -> Result<(), String> {
        let id = StmtId::new(self.stmts.len());
        if name.trim() != id.to_string() {
            return Err(format!("expected stmt {id}"));
        }
        let params: Vec<&str> = self.params.iter().map(String::as_str).collect();
        let domain = Set::universe(Space::set(&params, &id.to_string(), 0));
        self.stmts.push(Stmt { id, domain, accesses: Vec::new(), reduction: None, body: StmtBody::default() });
        self.times.push(None);
        self.reductions.push(None);
        Ok(())
    }

    fn domain(&mut self, text: &str) -> Result<(), String> {
        let domain = self.set(text)?;
        let stmt = self.stmts.last_mut().ok_or("`domain` before any `stmt`")?;
        if domain.space().output.name.as_deref() != Some(stmt.id.to_string().as_str()) {
            return Err(format!("the domain's tuple must be {}", stmt.id));
        }
        if let StmtBody::Original(Instructions { loops, .. }) = &mut stmt.body {
            *loops = (0..domain.space().n_out())
                .map(|k| LoopDim { id: LoopId::new(k), offset: None, strip: None })
                .collect();
        }
        stmt.domain = domain;
        Ok(())
    }

    fn operation(&self, text: &str) -> Result<(Operation, ArrayId), String> {
        let (name, array) = text.split_once(' ').ok_or("a reduction is `<operation> Arr<n>`")?;
        Ok((operation_of(name)?, self.array_id(array.trim())?))
    }

    fn access(&mut self, kind: AccessKind, text: &str) -> Result<(), String> {
        let (text, carries) = match text.rsplit_once(" carries ") {
            Some((relation, scalar)) => (relation, Some(self.array_id(scalar.trim())?)),
            None => (text, None),
        };
        let relation = self.map(text)?;
        let array = self.array_id(relation.space().output.name.as_deref().unwrap_or(""))?;
        let inst = self.value();
        let rank = self.arrays[array.index()].sizes.len();
        let stmt = self.stmts.last_mut().ok_or("an access before any `stmt`")?;
        let input = relation.space().input.as_ref();
        if input.and_then(|t| t.name.as_deref()) != Some(stmt.id.to_string().as_str()) {
            return Err(format!("the access's first tuple must be {}", stmt.id));
        }
        if relation.space().n_in() != stmt.dims() || relation.space().n_out() != rank {
            return Err(format!("an access from {} to {array} has {} and {rank} dimensions", stmt.id, stmt.dims()));
        }
        stmt.accesses.push(Access { kind, array, relation, inst, carries });
        Ok(())
    }

    fn finish(mut self) -> Result<Scop, String> {
        let names: Vec<&str> = self.params.iter().map(String::as_str).collect();
        let space = Space::params_only(&names);
        let all = || Set::universe(space.clone());
        let contexts = Contexts {
            assumed: self.contexts.remove("assumed").unwrap_or_else(all),
            invalid: self.contexts.remove("invalid").unwrap_or_else(|| Set::empty(space.clone())),
            defined: self.contexts.remove("defined").unwrap_or_else(all),
            tested: std::mem::take(&mut self.tested),
            worthwhile: all(),
        };
        for (stmt, reduction) in self.stmts.iter_mut().zip(&self.reductions) {
            stmt.accesses.sort_by_key(|a| a.kind != AccessKind::Read);
            if let Some((op, array)) = reduction {
                stmt.reduction = Some(update_of(stmt, *op, *array)?);
            }
        }
        let schedule = self.schedule()?;
        let params = self.params.iter().enumerate();
        let params = params
            .map(|(k, name)| Param { name: name.clone(), value: ScevId::new(k), times: Vec::new(), by: Vec::new() })
            .collect();
        let (name, arrays, stmts) = (self.name, self.arrays, self.stmts);
        Ok(Scop {
            name,
            params,
            contexts,
            arrays,
            stmts,
            schedule,
            alias_groups: self.alias_groups,
            live_out: Vec::new(),
            guards: Vec::new(),
            gone: Vec::new(),
            region: Region::default(),
        })
    }

    fn schedule(&self) -> Result<Node, String> {
        if let Some(tree) = &self.tree {
            return read::parse_tree(tree);
        }
        let mut timed = Vec::with_capacity(self.stmts.len());
        for (stmt, time) in self.stmts.iter().zip(&self.times) {
            let time = time.as_ref().ok_or_else(|| format!("{} has no schedule", stmt.id))?;
            timed.push(build::Timed {
                id: stmt.id,
                domain: stmt.domain.clone(),
                time: parse_time(time, stmt.domain.space())?,
            });
        }
        build::from_2d1(&timed)
    }
}

/// Reads `[0, i, 0]`: one expression of the dims of `space` per component.
///
/// # Errors
/// A message that names what cannot be read.
pub fn parse_time(text: &str, space: &Space) -> Result<Vec<presburger::Aff>, String> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or("a schedule is `[.., ..]`")?;
    let dims = expr::dim_names(space);
    comma_list(inner).iter().map(|part| expr::parse_aff(part, space, &dims)).collect()
}

/// The update of `array` by `op` that the statement's accesses make.
fn update_of(stmt: &Stmt, op: Operation, array: ArrayId) -> Result<Reduction, String> {
    let at = |kind| stmt.accesses.iter().position(|a| a.kind == kind && a.array == array);
    let missing = || format!("{} does not both read and write {array}", stmt.id);
    let write = at(AccessKind::MustWrite).ok_or_else(missing)?;
    let same = |a: &Access| {
        let written = &stmt.accesses[write].relation;
        a.kind == AccessKind::Read && a.array == array && a.relation.to_string() == written.to_string()
    };
    let read = stmt.accesses.iter().position(same).ok_or_else(missing)?;
    Ok(Reduction { op, array, read, write, chain: Vec::new(), has_infinities: true })
}

fn comma_list(text: &str) -> Vec<String> {
    text.split(',').map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

fn elem_type(text: &str) -> Result<(bool, u32), String> {
    let is_float = text.starts_with('f');
    let bits = text.strip_prefix(['f', 'i']).and_then(|b| b.parse::<u32>().ok());
    match bits {
        Some(bits) if bits > 0 && bits % 8 == 0 => Ok((is_float, bits / 8)),
        _ => Err(format!("`{text}` is not an element type: f<bits> or i<bits>")),
    }
}

/// A polynomial as text: terms of a number other than 1 and parameters, with signs between them.
fn poly_text(poly: &ParamPoly, names: &[&str]) -> String {
    let mut text = String::new();
    for (k, (c, product)) in poly.0.iter().enumerate() {
        let sign = if *c < 0 { "-" } else { "+" };
        match (k, *c < 0) {
            (0, false) => {}
            (0, true) => text.push_str("- "),
            _ => text.push_str(&format!(" {sign} ")),
        }
        let number = (c.unsigned_abs() != 1 || product.is_empty()).then(|| c.unsigned_abs().to_string());
        let words: Vec<String> = number.into_iter().chain(product.iter().map(|p| names[*p].to_owned())).collect();
        text.push_str(&words.join(" "));
    }
    text
}

/// Reads what [`poly_text`] writes.
fn read_poly(text: &str, names: &[String]) -> Result<ParamPoly, String> {
    let mut terms: Vec<(i64, Vec<usize>)> = vec![(1, Vec::new())];
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let term = terms.last_mut().ok_or("a polynomial has terms")?;
        match word {
            "+" | "-" if is_empty => term.0 = if word == "-" { -1 } else { 1 },
            "+" | "-" => terms.push((if word == "-" { -1 } else { 1 }, Vec::new())),
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                let number: i64 = number.parse().map_err(|_| format!("`{number}` is no number"))?;
                term.0 = term.0.checked_mul(number).ok_or("a number is too large")?;
            }
            name => {
                let known = names.iter().position(|n| n == name);
                term.1.push(known.ok_or_else(|| format!("there is no parameter `{name}`"))?);
            }
        }
        is_empty = false;
    }
    if is_empty { Err("a polynomial has terms".to_owned()) } else { Ok(ParamPoly(terms)) }
}
