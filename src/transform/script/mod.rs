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
//! Loops are called as in the source where that is known, else `i`, `j`, `k`, .. from the outermost to the innermost;
//! `i0`, `i1`, .. (the dims of their statements, as these are printed) always says the depth. `Stmt0.i` where several
//! loops have one name.

pub mod names;
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
use names::{InSource, Loops, Names, TILE};
use parse::{ScriptError, Section, Statement, Verb, Word};
use std::collections::{BTreeMap, BTreeSet};

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

/// The region's original order, transformed; roles for threads do not say yet what these have for themselves. `source`:
/// what the source calls the loops.
///
/// # Errors
/// A name that is not one of the region's, or a statement that does not apply, with its place.
pub fn apply(scop: &Scop, section: &Section, source: &BTreeMap<StmtId, InSource>) -> Result<Node, ScriptError> {
    let mut state = State { tree: scop.schedule.clone(), loops: loops_of(scop), names: Names::of(scop, source) };
    for statement in &section.statements {
        state.run(statement)?;
    }
    Ok(state.tree)
}

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

struct State<'s> {
    tree: Node,
    loops: Loops,
    names: Names<'s>,
}

impl State<'_> {
    fn run(&mut self, s: &Statement) -> Result<(), ScriptError> {
        let tree = self.tree.clone();
        let made = match s.verb {
            Verb::Tile => return self.tile(s),
            Verb::Skew => return self.skew(s),
            Verb::Interchange => {
                let (a, b) = (self.place(&s.names[0])?, self.place(&s.names[1])?);
                apart(s, (&a, &b))?;
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
                self.loops.insert((name.0, format!("{}{TILE}", name.1)), value);
            }
        }
        Ok(())
    }

    fn skew(&mut self, s: &Statement) -> Result<(), ScriptError> {
        let (of, by) = (self.place(&s.names[0])?, self.place(&s.names[1])?);
        apart(s, (&of, &by))?;
        let of_is_outer = is_outside(&of, &by);
        let (Some(member), Some(other)) = (self.member(&of), self.member(&by)) else { return Ok(()) };
        self.tree = applied(skew::skew(self.tree.clone(), &of, &by, s.numbers[0]), s)?;
        for name in self.names_of(&member) {
            if let Some(by) = other.affs.get(&name.0) {
                let (own, by) = (&member.affs[&name.0], by.scale(s.numbers[0]));
                // As the tree has it: the floors of outer loops come first.
                let value = if of_is_outer { own.add(&by) } else { by.add(own) };
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

    /// The loop that a word names.
    fn place(&self, word: &Word) -> Result<Place, ScriptError> {
        let (stmt, name) = match word.text.split_once('.') {
            Some((stmt, name)) => (Some(stmt), name),
            None => (None, word.text.as_str()),
        };
        let is_meant = |key: &&(StmtId, String)| {
            stmt.is_none_or(|s| s == key.0.to_string()) && self.names.is_called(key, name, &self.loops)
        };
        let mut places: BTreeMap<Place, &(StmtId, String)> = BTreeMap::new();
        for key in self.loops.keys().filter(is_meant) {
            if let Some(place) = find(&self.tree, key.0, &self.loops[key]) {
                places.entry(place).or_insert(key);
            }
        }
        let mut all = places.into_iter();
        match (all.next(), all.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some((_, a)), Some((_, b))) => Err(self.names.several(word, name, [a, b])),
            _ => Err(self.names.unknown(word, &self.loops)),
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

/// Two names of one loop are no two loops.
fn apart(s: &Statement, (a, b): (&Place, &Place)) -> Result<(), ScriptError> {
    let same = || s.names[1].at.error(format!("`{}` and `{}` are one loop", s.names[0].text, s.names[1].text));
    if a == b { Err(same()) } else { Ok(()) }
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
