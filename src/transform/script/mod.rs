//! A user's own transformation of a region, as a short script.
//!
//! In: a region in its original order, and a section of a script. Out: the tree that it asks for. Nothing is proved: an
//! illegal order is refused by `proof`, like any other.
//!
//! `#` begins a comment; `region FUNCTION` or `region FUNCTION:NUMBER` begins a section; each other line is one of
//!
//! - `tile STATEMENT SIZE..`, `tile LOOP.. SIZE..`: tiles of these sizes, loops outermost first; tile loops are called
//!   `LOOP_tile`;
//! - `interchange LOOP LOOP`: the two loops, right inside of each other, change places;
//! - `fuse LOOP LOOP`, `fuse STATEMENT STATEMENT`: the outermost loops that they do not share become one;
//! - `distribute LOOP`: one loop for each part inside;
//! - `skew LOOP BY-LOOP FACTOR`: the loop counts its value plus `FACTOR` times that of the other;
//! - `jam LOOP FACTOR`: so many iterations interleaved in the loops inside;
//! - `parallel LOOP`: threads run it;
//! - `option NAME=VALUE`: an option of the function, as in an annotation of its source. A section with nothing else
//!   leaves the order to the scheduler.
//!
//! Loops are called after the dims of their statements, as these are printed, or `i`, `j`, `k`, .. from the outermost
//! to the innermost; `Stmt0.i` where several loops have one name.

pub mod parse;

use super::chain::{Place, find, node_at};
use super::{distribute, fuse, interchange, jam, skew, tile};
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::expr::dim_names;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{Member, Node, Role, ThreadCopies};
use crate::options::annotation::ScriptWishes;
use parse::{ScriptError, Section, Statement, Verb, Word, meant};
use presburger::Aff;
use std::collections::{BTreeMap, BTreeSet};

/// Names of loops that are called by their depth.
const LETTERS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// The section for a region called `function:number`: its own, else that of its function. One with nothing but options
/// leaves the order to the scheduler.
#[must_use]
pub fn section<'s>(sections: &'s [Section], region: &str) -> Option<&'s Section> {
    let named = |name: &str| sections.iter().find(|s| s.region.text == name && gives_order(s));
    named(region).or_else(|| named(function_of(region)))
}

/// Whether a section says in which order its regions run.
#[must_use]
pub fn gives_order(section: &Section) -> bool {
    !section.statements.is_empty() || section.options.is_empty()
}

/// The function of a region, or itself.
#[must_use]
pub fn function_of(region: &str) -> &str {
    region.rsplit_once(':').map_or(region, |(function, _)| function)
}

/// What the script in a file says of functions: their options, and of which of them it gives the order.
#[must_use]
pub fn wishes(file: &str, sections: &[Section]) -> ScriptWishes {
    let mut all = ScriptWishes { file: file.to_owned(), ..ScriptWishes::default() };
    for section in sections {
        let name = &section.region.text;
        all.items.extend(section.options.iter().map(|item| (name.clone(), item.clone())));
        if gives_order(section) {
            all.ordered.extend([name.clone(), function_of(name).to_owned()]);
        }
    }
    all
}

/// The region's original order, transformed; roles for threads do not say yet what these have for themselves.
///
/// # Errors
/// A name that is not one of the region's, or a statement that does not apply, with its place.
pub fn apply(scop: &Scop, section: &Section) -> Result<Node, ScriptError> {
    let mut state = State { tree: scop.schedule.clone(), loops: loops_of(scop) };
    for statement in &section.statements {
        state.run(statement)?;
    }
    Ok(state.tree)
}

/// The value of each loop for each of its statements, by statement and name.
type Loops = BTreeMap<(StmtId, String), Aff>;

fn loops_of(scop: &Scop) -> Loops {
    let mut loops = Loops::new();
    for (id, pieces) in flat_schedule(&scop.schedule) {
        let names = dim_names(scop.stmt(id).domain.space());
        let times = pieces.first().map_or(&[][..], |piece| &piece.time[..]);
        let values = times.iter().filter_map(|t| if let TimeDim::Aff(aff) = t { Some(aff) } else { None });
        // Loops that this statement is not in count as 0 in its time.
        let own = values.filter(|aff| aff.row().iter().any(|c| *c != 0));
        loops.extend(names.into_iter().zip(own).map(|(name, aff)| ((id, name), aff.clone())));
    }
    loops
}

struct State {
    tree: Node,
    loops: Loops,
}

impl State {
    fn run(&mut self, s: &Statement) -> Result<(), ScriptError> {
        let tree = self.tree.clone();
        let made = match s.verb {
            Verb::Tile => return self.tile(s),
            Verb::Skew => return self.skew(s),
            Verb::Interchange => {
                let (a, b) = (self.place(&s.names[0])?, self.place(&s.names[1])?);
                let (outer, inner) = if is_outside(&a, &b) { (a, b) } else { (b, a) };
                interchange::interchange(tree, &outer, &inner)
            }
            Verb::Fuse => {
                let (a, b) = self.parted(&s.names[0], &s.names[1])?;
                let (first, second) = if a.path < b.path { (a, b) } else { (b, a) };
                fuse::fuse(tree, &first, &second)
            }
            Verb::Distribute => distribute::distribute(tree, &self.place(&s.names[0])?),
            Verb::Jam => {
                let factor = u32::try_from(s.numbers[0]).unwrap_or(1);
                jam::jam(tree, &self.place(&s.names[0])?, factor)
            }
            Verb::Parallel => in_threads(tree, &self.place(&s.names[0])?),
        };
        self.tree = applied(made, s)?;
        Ok(())
    }

    fn tile(&mut self, s: &Statement) -> Result<(), ScriptError> {
        let places = match &s.names[..] {
            [only] if self.statement(only).is_some() => {
                let mut all = self.statement(only).map_or_else(Vec::new, |id| self.around(id));
                if all.len() < s.numbers.len() {
                    return Err(s.at.error(format!("{} is in {} loops", only.text, all.len())));
                }
                all.truncate(s.numbers.len());
                all
            }
            names => names.iter().map(|name| self.place(name)).collect::<Result<_, _>>()?,
        };
        if places.len() != s.numbers.len() {
            return Err(s.at.error(format!("{} loops want as many sizes", places.len())));
        }
        if !places.windows(2).all(|pair| is_outside(&pair[0], &pair[1])) {
            return Err(s.at.error("the loops are to be named from the outermost to the innermost"));
        }
        let (Some(first), Some(last)) = (places.first(), places.last()) else { return Ok(()) };
        let members: Vec<Member> = places.iter().filter_map(|place| self.member(place)).collect();
        self.tree = applied(tile::tile(self.tree.clone(), (first, last), &s.numbers), s)?;
        for (member, size) in members.iter().zip(&s.numbers) {
            for name in self.names_of(member) {
                let value = member.affs[&name.0].floor_div(*size);
                self.loops.insert((name.0, format!("{}_tile", name.1)), value);
            }
        }
        Ok(())
    }

    fn skew(&mut self, s: &Statement) -> Result<(), ScriptError> {
        let (of, by) = (self.place(&s.names[0])?, self.place(&s.names[1])?);
        let (Some(member), Some(other)) = (self.member(&of), self.member(&by)) else { return Ok(()) };
        self.tree = applied(skew::skew(self.tree.clone(), &of, &by, s.numbers[0]), s)?;
        for name in self.names_of(&member) {
            if let Some(by) = other.affs.get(&name.0) {
                let value = member.affs[&name.0].add(&by.scale(s.numbers[0]));
                self.loops.insert(name, value);
            }
        }
        Ok(())
    }

    /// The names of a loop, one for each of its statements.
    fn names_of(&self, member: &Member) -> Vec<(StmtId, String)> {
        let own = self.loops.iter().filter(|((id, _), aff)| member.affs.get(id) == Some(*aff));
        own.map(|(name, _)| name.clone()).collect()
    }

    fn member(&self, place: &Place) -> Option<Member> {
        match node_at(&self.tree, &place.path)? {
            Node::Band(band, _) => band.members.get(place.member).cloned(),
            _ => None,
        }
    }

    /// The statement that a word names.
    fn statement(&self, word: &Word) -> Option<StmtId> {
        self.loops.keys().map(|(id, _)| *id).find(|id| id.to_string() == word.text)
    }

    /// The loops around a statement, outermost first.
    fn around(&self, id: StmtId) -> Vec<Place> {
        let own = self.loops.iter().filter(|((of, _), _)| *of == id);
        let places: BTreeSet<Place> = own.filter_map(|(_, aff)| find(&self.tree, id, aff)).collect();
        let mut places: Vec<Place> = places.into_iter().collect();
        places.sort_by_key(|place| (place.path.len(), place.member));
        places
    }

    /// The name in the table for what a user calls a loop: letters stand for depths where no loop is called so.
    fn full_name(&self, name: &str) -> String {
        let (letter, rest) = name.find('_').map_or((name, ""), |at| name.split_at(at));
        let depth = LETTERS.iter().position(|l| *l == letter);
        match depth.filter(|_| !self.loops.keys().any(|(_, known)| known == name)) {
            Some(depth) => format!("i{depth}{rest}"),
            None => name.to_owned(),
        }
    }

    /// The loop that a word names.
    fn place(&self, word: &Word) -> Result<Place, ScriptError> {
        let (stmt, name) = match word.text.split_once('.') {
            Some((stmt, name)) => (Some(stmt), name),
            None => (None, word.text.as_str()),
        };
        let full = self.full_name(name);
        let is_meant = |(id, own): &&(StmtId, String)| *own == full && stmt.is_none_or(|s| s == id.to_string());
        let meant: Vec<&(StmtId, String)> = self.loops.keys().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(self.unknown(word));
        }
        let mut places: BTreeMap<Place, StmtId> = BTreeMap::new();
        for key in meant {
            if let Some(place) = find(&self.tree, key.0, &self.loops[key]) {
                places.entry(place).or_insert(key.0);
            }
        }
        let mut all = places.into_iter();
        match (all.next(), all.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some((_, a)), Some((_, b))) => {
                let message = format!("`{name}` is a loop of {a} and another one of {b}: say {a}.{name} or {b}.{name}");
                Err(word.at.error(message))
            }
            _ => Err(self.unknown(word)),
        }
    }

    fn unknown(&self, word: &Word) -> ScriptError {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (id, name) in self.loops.keys() {
            known.extend([id.to_string(), name.clone(), format!("{id}.{name}")]);
        }
        // Names of the source are meant before those of the model.
        let names: Vec<String> = self.loops.keys().map(|(_, name)| self.short_name(name)).collect();
        known.extend(names);
        let near = meant(&word.text, known.iter().map(String::as_str));
        word.at.error(format!("there is no loop `{}`{near} (loops: {})", word.text, self.all_loops()))
    }

    /// What a user calls a loop of the table: by its letter, where no loop is called so.
    fn short_name(&self, name: &str) -> String {
        let (depth, rest) = name.find('_').map_or((name, ""), |at| name.split_at(at));
        let letter = depth.strip_prefix('i').and_then(|number| LETTERS.get(number.parse::<usize>().ok()?));
        letter
            .filter(|l| self.full_name(l) == depth)
            .map_or_else(|| name.to_owned(), |letter| format!("{letter}{rest}"))
    }

    /// The loops as a user calls them, from the outermost inwards; of which statement, where there are several.
    fn all_loops(&self) -> String {
        let statements: BTreeSet<StmtId> = self.loops.keys().map(|(id, _)| *id).collect();
        let of = |id: &StmtId| {
            let own = self.loops.keys().filter(|(of, _)| of == id).map(|(_, name)| self.short_name(name));
            own.collect::<Vec<_>>().join(", ")
        };
        match statements.len() {
            1 => statements.iter().map(of).collect(),
            _ => statements.iter().map(|id| format!("{} of {id}", of(id))).collect::<Vec<_>>().join("; "),
        }
    }

    /// The outermost loops of two statements, or loops, that they do not share.
    fn parted(&self, a: &Word, b: &Word) -> Result<(Place, Place), ScriptError> {
        let (Some(first), Some(second)) = (self.statement(a), self.statement(b)) else {
            return Ok((self.place(a)?, self.place(b)?));
        };
        let (first, second) = (self.around(first), self.around(second));
        let own = |all: &[Place], others: &[Place]| all.iter().find(|place| !others.contains(place)).cloned();
        match (own(&first, &second), own(&second, &first)) {
            (Some(first), Some(second)) => Ok((first, second)),
            _ => Err(b.at.error(format!("{} and {} share all their loops", a.text, b.text))),
        }
    }
}

/// Whether the loop at `a` is around the one at `b`.
fn is_outside(a: &Place, b: &Place) -> bool {
    b.path.starts_with(&a.path) && (a.path.len() < b.path.len() || a.member < b.member)
}

fn in_threads(tree: Node, place: &Place) -> Result<Node, Inapplicable> {
    ops::at(tree, &place.path, &|node| match node {
        Node::Band(mut band, child) if place.member < band.members.len() => {
            band.members[place.member].role = Role::Threads(ThreadCopies::default());
            Ok(Node::Band(band, child))
        }
        _ => Err(Inapplicable("there is no such loop".to_owned())),
    })
}

fn applied(made: Result<Node, Inapplicable>, s: &Statement) -> Result<Node, ScriptError> {
    made.map_err(|why| s.at.error(why.to_string()))
}
