//! The text of a module: directives, kernels, and their instructions, which `decode` makes sense of.
//!
//! Reads what LLVM's backend for PTX writes: one instruction or directive per line, but for parameter lists.

use crate::decode::{Names, decode};
use crate::types::{Inst, Kernel, Module, Op, Param, Type};
use std::collections::HashMap;

/// Where the memory of a block begins, in every address space.
pub const SHARED_BASE: u64 = 1 << 32;
/// Where the memory of a thread begins.
pub const LOCAL_BASE: u64 = 2 << 32;

/// A line with its number, without comments.
type Line<'t> = (usize, &'t str);

/// Reads a module.
///
/// # Errors
/// The line, and what is not understood in it.
pub fn parse(text: &str) -> Result<Module, String> {
    let lines: Vec<Line<'_>> = text.lines().enumerate().map(|(k, line)| (k + 1, stripped(line))).collect();
    let mut module = Module { lines: text.lines().map(str::to_owned).collect(), ..Module::default() };
    let (mut shared, mut at) = (Room::default(), 0);
    while let Some((number, line)) = lines.get(at).copied() {
        at += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied().unwrap_or("") {
            ".target" => {
                let digits = words.get(1).and_then(|word| word.strip_prefix("sm_")).unwrap_or_default();
                let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
                module.target = digits.parse().map_err(|_| format!("line {number}: {line}"))?;
            }
            "" | ".version" | ".address_size" | ".file" => {}
            ".extern" | ".func" | ".global" | ".const" => return Err(format!("line {number}: {line}")),
            _ if words.contains(&".entry") => {
                let kernel = kernel(&lines, &mut at, line, &shared).map_err(|why| format!("line {at}: {why}"))?;
                module.kernels.insert(kernel.name.clone(), kernel);
            }
            _ if words.contains(&".shared") => shared.add(line).map_err(|why| format!("line {number}: {why}"))?,
            _ => return Err(format!("line {number}: {line}")),
        }
    }
    Ok(module)
}

fn stripped(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

/// Variables in the memory of a block or of a thread.
#[derive(Clone, Default)]
struct Room {
    bytes: usize,
    at: HashMap<String, usize>,
}

impl Room {
    /// Adds what a line declares: `.shared .align 8 .b8 name[bytes];`.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        let align = words.iter().position(|w| *w == ".align").and_then(|k| words.get(k + 1)?.parse().ok()).unwrap_or(8);
        let ty = words.iter().find_map(|w| Type::of(w.strip_prefix('.')?)).ok_or("a variable without type")?;
        let declared = words.last().copied().unwrap_or_default();
        let (name, count) = match declared.split_once('[') {
            Some((name, count)) => (name, count.trim_end_matches(']').parse::<usize>().map_err(|_| "no length")?),
            None => (declared, 1),
        };
        let first = self.bytes.next_multiple_of(align);
        self.at.insert(name.to_owned(), first);
        self.bytes = first + count * ty.bytes() as usize;
        Ok(())
    }
}

/// Reads a kernel from the line of its name on; `at` is the line behind that.
fn kernel(lines: &[Line<'_>], at: &mut usize, head: &str, shared: &Room) -> Result<Kernel, String> {
    let after = head.split(".entry").nth(1).unwrap_or_default();
    let name = after.trim().trim_end_matches(')').trim_end_matches('(').trim().to_owned();
    let mut names = Names {
        registers: HashMap::new(),
        bytes: Vec::new(),
        params: HashMap::new(),
        symbols: HashMap::new(),
        labels: HashMap::new(),
    };
    let mut params = Vec::new();
    let mut param_bytes = 0usize;
    while let Some((_, line)) = lines.get(*at).copied() {
        *at += 1;
        if line.starts_with(".param") {
            let bytes = param_size(line)?;
            let first = param_bytes.next_multiple_of(bytes.clamp(1, 8));
            names
                .params
                .insert(line.trim_end_matches(',').split_whitespace().last().unwrap_or_default().to_owned(), first);
            params.push(Param { bytes, at: first });
            param_bytes = first + bytes;
        } else if line == "{" {
            break;
        } else if !matches!(line, "" | "(" | ")") && !line.starts_with(".maxntid") && !line.starts_with(".reqntid") {
            return Err(line.to_owned());
        }
    }
    let (mut shared, mut local) = (shared.clone(), Room::default());
    let body = body(lines, at, &mut names, &mut shared, &mut local)?;
    names.symbols.extend(shared.at.iter().map(|(name, first)| (name.clone(), SHARED_BASE + *first as u64)));
    names.symbols.extend(local.at.iter().map(|(name, first)| (name.clone(), LOCAL_BASE + *first as u64)));
    let decoded = body.iter().map(|(line, text)| instruction(*line, text, &names));
    let mut code = decoded.collect::<Result<Vec<_>, _>>()?;
    code.push(Inst { when: None, op: Op::Return, line: lines.get(*at - 1).map_or(0, |l| l.0) });
    let (local_bytes, shared_bytes, registers) = (local.bytes, shared.bytes, names.registers.len());
    Ok(Kernel { name, params, param_bytes, registers, local_bytes, shared_bytes, code })
}

fn param_size(line: &str) -> Result<usize, String> {
    let ty = line.split_whitespace().skip(1).find_map(|w| Type::of(w.strip_prefix('.')?));
    match ty {
        Some(ty) if !line.contains('[') => Ok(ty.bytes() as usize),
        _ => Err(format!("a parameter that is no number: {line}")),
    }
}

/// The instructions of a kernel up to its closing bracket; declarations and labels go into the tables.
fn body<'t>(
    lines: &[Line<'t>],
    at: &mut usize,
    names: &mut Names,
    shared: &mut Room,
    local: &mut Room,
) -> Result<Vec<Line<'t>>, String> {
    let mut all = Vec::new();
    while let Some((number, line)) = lines.get(*at).copied() {
        *at += 1;
        match line.split_whitespace().next().unwrap_or_default() {
            "" | ".pragma" | ".loc" => {}
            "}" => return Ok(all),
            ".reg" => declare(line, names)?,
            // `{ .reg .b16 tmp; mov.b32 {tmp, %rs1}, %r1; }`
            "{" => {
                let inside = line.trim_start_matches('{').strip_suffix('}').ok_or("a block of several lines")?;
                for part in inside.split(';').map(str::trim).filter(|part| !part.is_empty()) {
                    if part.starts_with(".reg") {
                        declare(part, names)?;
                    } else {
                        all.push((number, part));
                    }
                }
            }
            ".local" => local.add(line)?,
            ".shared" => shared.add(line)?,
            word if word.ends_with(':') => {
                names.labels.insert(word.trim_end_matches(':').to_owned(), all.len());
            }
            _ => all.push((number, line)),
        }
    }
    Err("a kernel without end".to_owned())
}

/// `.reg .b64 %rd<42>;` or `.reg .b64 %SP;`.
fn declare(line: &str, names: &mut Names) -> Result<(), String> {
    let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
    let declared = words.last().copied().unwrap_or_default();
    let bytes = words.iter().find_map(|word| Type::of(word.strip_prefix('.')?)).map_or(0, Type::bytes);
    let mut add = |name: String| {
        let next = names.registers.len();
        if *names.registers.entry(name).or_insert(next) == next {
            names.bytes.push(bytes);
        }
    };
    match declared.split_once('<') {
        Some((prefix, count)) => {
            let count: usize = count.trim_end_matches('>').parse().map_err(|_| line.to_owned())?;
            (0..count).for_each(|k| add(format!("{prefix}{k}")));
        }
        None => add(declared.to_owned()),
    }
    Ok(())
}

fn instruction(line: usize, text: &str, names: &Names) -> Result<Inst, String> {
    let text = text.trim_end_matches(';').trim();
    let (when, rest) = match text.strip_prefix('@') {
        None => (None, text),
        Some(guarded) => {
            let (guard, rest) = guarded.split_once(char::is_whitespace).ok_or(text)?;
            let (name, negated) = guard.strip_prefix('!').map_or((guard, false), |name| (name, true));
            let register = names.registers.get(name).ok_or_else(|| format!("no register {name}"))?;
            (Some((*register, negated)), rest.trim())
        }
    };
    let op = decode(rest, names).map_err(|why| format!("{why} in line {line}: {text}"))?;
    Ok(Inst { when, op, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_read() {
        let module = parse(crate::tests::ADD).expect("readable");
        let kernel = &module.kernels["add"];
        assert_eq!(kernel.params.len(), 3);
        assert_eq!(kernel.params[2], Param { bytes: 4, at: 16 });
        assert_eq!(kernel.registers, 2 + 6 + 8);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (line, part) in [
            ("ex2.approx.f32 %f1, %f2;", "ex2"),
            ("add.rn.ftz.f32 %r1, %r1, %r1;", "ftz"),
            ("add.s32 %r1, %r1, %q9;", "%q9"),
            ("bra $nowhere;", "nowhere"),
            ("div.approx.f32 %r1, %r1, %r1;", "approx"),
            ("st.global.b32 [%rd1], %rd2;", "a part of %rd2"),
            ("st.global.v2.b16 [%rd1], {%rs1, %r2};", "a part of %r2"),
        ] {
            let text = format!(
                ".visible .entry k(\n)\n{{\n.reg .b16 %rs<2>;\n.reg .b32 %r<3>;\n.reg .f32 %f<3>;\n.reg .b64 %rd<3>;\n{line}\nret;\n}}\n"
            );
            let why = parse(&text).expect_err("refused");
            assert!(why.contains(part), "{why}");
        }
    }
}
