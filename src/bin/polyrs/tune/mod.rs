//! `polyrs tune`: looks for a faster order of a program's loops by running it.
//!
//! Each candidate is a transformation script. It is built, compared with the best so far by runs in turns, and kept
//! where it is faster beyond noise and prints what the original prints. The best script is in its file at any time, so
//! that the search can be stopped whenever one wants.

mod bench;
mod interrupt;
mod measure;
mod progress;
mod request;
mod script;
mod space;

use crate::tools;
use bench::{Bench, Build, Expected, Failure};
use measure::{Pairs, median};
use polyrs::explain::Nest;
use polyrs::options;
use progress::Progress;
use request::Request;
use script::{Script, Wish};
use space::Target;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// A candidate may take this many times as long as the best so far, and [`SPARE_SECONDS`] more, before it is ended.
const SPARE_TIMES: f64 = 3.0;
/// See [`SPARE_TIMES`].
const SPARE_SECONDS: f64 = 0.5;
/// Programs that take less than this many seconds are mostly noise.
const SHORT_SECONDS: f64 = 0.01;
/// Most rounds of halving and doubling tile sizes.
const MOST_ROUNDS: usize = 6;

/// Tunes the loops of a file.
///
/// # Errors
/// A wrong command line, a program that does not build or run, or none of whose loops can be tuned.
pub fn run(args: &[&str]) -> Result<(), String> {
    let request = Request::read(args)?;
    interrupt::catch()?;
    let mut bench = Bench::new(&request)?;
    let found = search(&request, &mut bench);
    let left = bench.build_best();
    match found {
        Err(Failure::Stopped) => {
            eprintln!("stopped before there was anything to keep");
            left
        }
        Err(Failure::Refused(why)) => Err(why),
        Ok(()) => left,
    }
}

fn search<'r>(request: &'r Request, bench: &mut Bench<'r>) -> Result<(), Failure> {
    let (original, _) = bench.build(&Script::default(), "-polyrs=false")?;
    let (first, seconds) = bench.run_original(&original)?;
    let (second, again) = bench.run_original(&original)?;
    let expected = Expected::of(first, &second).map_err(Failure::Refused)?;
    let (build, nests) = bench.build(&Script::default(), "-polyrs-explain")?;
    let targets = targets(request, &nests)?;
    let told = [
        (expected.varying() > 0, format!("{} words differ from run to run and are not compared", expected.varying())),
        (seconds.min(again) < SHORT_SECONDS, "the program takes less than 10 ms: let it do more".to_owned()),
    ];
    told.iter().filter(|(holds, _)| *holds).for_each(|(_, text)| eprintln!("note: {text}"));
    let mut search = Search {
        request,
        bench,
        expected,
        best: Best { script: Script::default(), build, seconds: seconds.min(again) },
        seen: BTreeSet::new(),
        progress: Progress::new(),
        start: Instant::now(),
    };
    search.seen.insert(search.best.build.contents);
    let ended = search.measured();
    let start = Best { script: Script::default(), build: search.best.build.clone(), seconds: search.best.seconds };
    let ended = ended.and_then(|()| search.resume());
    let ended = ended.and_then(|()| targets.iter().try_for_each(|target| search.tune(target)));
    search.progress.end();
    let how = match ended {
        Ok(()) => "",
        Err(Failure::Stopped) => "stopped: ",
        Err(refused) => return Err(refused),
    };
    if let Err(Failure::Refused(why)) = search.settle(start) {
        return Err(Failure::Refused(why));
    }
    search.bench.stays = Some(search.best.build.clone());
    search.bench.is_scripted = !search.best.script.is_empty();
    if !request.script.exists() {
        search.write().map_err(Failure::Refused)?;
    }
    search.tell(how, &original);
    Ok(())
}

/// The functions to be tuned.
fn targets(request: &Request, nests: &[Nest]) -> Result<Vec<Target>, Failure> {
    if nests.is_empty() {
        let why =
            "the build compiled no loop with the plugin: let it call polyrs cc (c++, fc, rustc), and compile anew";
        return Err(Failure::Refused(why.to_owned()));
    }
    let name = Path::new(&request.file).file_name();
    let of_file = |nest: &Nest| nest.start.as_ref().is_none_or(|p| Path::new(&p.file).file_name() == name);
    let mut targets = space::targets(nests, of_file);
    if targets.is_empty() {
        let why = format!("no loop nest of {} could be modelled: polyrs explain says why", request.file);
        return Err(Failure::Refused(why));
    }
    targets.truncate(request.nests);
    Ok(targets)
}

/// The fastest so far.
struct Best {
    script: Script,
    build: Build,
    seconds: f64,
}

struct Search<'a, 'r> {
    request: &'r Request,
    bench: &'a mut Bench<'r>,
    expected: Expected,
    best: Best,
    /// Builds that were tried.
    seen: BTreeSet<u64>,
    progress: Progress,
    start: Instant,
}

impl Search<'_, '_> {
    /// The time without a script, whose output must be right as well.
    fn measured(&mut self) -> Result<(), Failure> {
        let mut times = Vec::new();
        for _ in 0..3 {
            let (output, seconds) = self.bench.run(&self.best.build, None)?;
            if !self.expected.allows(&output) {
                let why = "the output with the plugin differs from that without: please report this".to_owned();
                return Err(Failure::Refused(why));
            }
            times.push(seconds);
        }
        self.best.seconds = median(&times);
        Ok(())
    }

    /// Tries first what an earlier search left.
    fn resume(&mut self) -> Result<(), Failure> {
        let found = std::fs::read_to_string(&self.request.script).ok().and_then(|text| Script::read(&text));
        let Some(script) = found.filter(|script| !script.is_empty()) else { return Ok(()) };
        let words = format!("{} from before", self.request.script.display());
        self.progress.plan(1);
        self.try_one(&words, String::new(), script)
    }

    /// Tries everything with one function: orders, then tile sizes, then threads.
    fn tune(&mut self, target: &Target) -> Result<(), Failure> {
        let now = |search: &Self| search.best.script.of(&target.function);
        self.try_all(target, target.orders())?;
        self.try_all(target, target.tiles(&now(self)))?;
        for _ in 0..MOST_ROUNDS {
            let before = now(self);
            self.try_all(target, target.neighbours(&before))?;
            if now(self) == before {
                break;
            }
        }
        self.try_all(target, target.threads(&now(self), self.request.threads))
    }

    fn try_all(&mut self, target: &Target, wishes: Vec<Wish>) -> Result<(), Failure> {
        self.progress.plan(wishes.len());
        for wish in wishes {
            if self.request.seconds.is_some_and(|most| self.start.elapsed().as_secs_f64() > most) || interrupt::asked()
            {
                return Err(Failure::Stopped);
            }
            let words = format!("{}: {}", target.function, wish.words());
            self.try_one(&words, target.function.clone(), self.best.script.with(&target.function, wish))?;
        }
        Ok(())
    }

    /// Tries one script, and tells of it.
    fn try_one(&mut self, words: &str, function: String, script: Script) -> Result<(), Failure> {
        self.progress.trying(words, &shown(self.best.seconds));
        let (result, is_better) = match self.attempt(&function, script) {
            Ok(Tried::Better) => (format!("{}, the best so far", shown(self.best.seconds)), true),
            Ok(Tried::Slower(seconds)) => (shown(seconds), false),
            Ok(Tried::Same) => ("the same program as before".to_owned(), false),
            Err(Failure::Refused(why)) => (why.lines().next().unwrap_or_default().to_owned(), false),
            Err(stopped) => return Err(stopped),
        };
        self.progress.tried(words, &result, is_better);
        Ok(())
    }

    fn attempt(&mut self, function: &str, script: Script) -> Result<Tried, Failure> {
        let (build, nests) = self.bench.build(&script, "-polyrs-explain")?;
        let illegal = nests.iter().find(|n| n.function == function && n.message.contains("script "));
        if let Some(nest) = illegal.filter(|n| n.verdict == "kept") {
            self.bench.forget(&build);
            return Err(Failure::Refused(format!("refused: {}", why_not(&nest.message))));
        }
        if !self.seen.insert(build.contents) {
            self.bench.forget(&build);
            return Ok(Tried::Same);
        }
        let compared = self.is_faster(&build, &self.best.build);
        let (is_faster, pairs) = compared.inspect_err(|_| self.bench.forget(&build))?;
        let (_, seconds) = pairs.medians();
        if !is_faster {
            self.bench.forget(&build);
            return Ok(Tried::Slower(seconds));
        }
        let before = std::mem::replace(&mut self.best, Best { script, build, seconds });
        if !before.script.is_empty() {
            self.bench.forget(&before.build);
        }
        self.write().map_err(Failure::Refused)?;
        Ok(Tried::Better)
    }

    /// Whether a candidate is faster than another build, and so a second time: of many candidates, some look faster
    /// once by chance alone. With it the times, by which it is told.
    fn is_faster(&self, build: &Build, than: &Build) -> Result<(bool, Pairs), Failure> {
        let pairs = self.compared(build, than)?;
        if !pairs.is_faster() {
            return Ok((false, pairs));
        }
        let again = self.compared(build, than)?;
        Ok((again.is_faster(), again))
    }

    /// Forgets what was found if it is not faster than the program without a script in the end: each step was better
    /// than the one before as far as runs could tell.
    fn settle(&mut self, start: Best) -> Result<(), Failure> {
        if self.best.script.is_empty() || interrupt::asked() || self.is_faster(&self.best.build, &start.build)?.0 {
            return Ok(());
        }
        self.best = start;
        self.write().map_err(Failure::Refused)
    }

    /// Runs a build and a candidate in turns.
    fn compared(&self, build: &Build, than: &Build) -> Result<Pairs, Failure> {
        let mut pairs = Pairs::default();
        let limit = self.best.seconds * SPARE_TIMES + SPARE_SECONDS;
        let candidate = || {
            let (output, seconds) = self.bench.run(build, Some(limit))?;
            if self.expected.allows(&output) {
                Ok(seconds)
            } else {
                Err(Failure::Refused("refused: other output".to_owned()))
            }
        };
        for round in 0..self.request.runs {
            let best = || self.bench.run(than, None).map(|(_, seconds)| seconds);
            // Whoever runs second may find caches warm, or the machine slower.
            let (b, c) = if round % 2 == 0 {
                let b = best()?;
                (b, candidate()?)
            } else {
                let c = candidate()?;
                (best()?, c)
            };
            pairs.add(b, c);
            if pairs.is_hopeless() {
                break;
            }
        }
        Ok(pairs)
    }

    /// Writes the best script, as a whole.
    fn write(&self) -> Result<(), String> {
        let path = &self.request.script;
        let text = format!("# {} as polyrs tune left it\n{}", self.request.file, self.best.script);
        let beside = path.with_extension("polyrs-new");
        let cannot = |e: std::io::Error| format!("{}: {e}", path.display());
        std::fs::write(&beside, text).map_err(cannot)?;
        std::fs::rename(&beside, path).map_err(cannot)
    }

    /// What was found.
    fn tell(&self, how: &str, original: &Build) {
        if self.best.script.is_empty() {
            tools::say(&format!("{how}nothing faster was found: {}\n", shown(self.best.seconds)));
            return;
        }
        let path = self.request.script.display();
        tools::say(&format!("{how}{path}:\n{}", self.best.script));
        if let Ok(pairs) = self.compared(&self.best.build, original) {
            let (plain, best) = pairs.medians();
            let times = plain / best;
            let (best, plain) = (shown(best), shown(plain));
            tools::say(&format!("{best} with it, {plain} without the plugin: {times:.2} times as fast\n"));
        }
        let option = options::quoted(&format!("-polyrs-transform={}", self.request.script.display()));
        tools::say(&format!("later builds take it with {option}\n"));
    }
}

/// Why a region's order is not that of the script, without what was made of it and where the script lies.
fn why_not(message: &str) -> &str {
    let illegal = message.rsplit_once("illegal: ").map(|(_, why)| why);
    let own = || message.rsplit_once(bench::CANDIDATE)?.1.split_once(": ").map(|(_, why)| why);
    illegal.or_else(own).unwrap_or("this does not apply")
}

/// What came of a candidate.
enum Tried {
    Better,
    Slower(f64),
    Same,
}

/// Seconds as people read them.
fn shown(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1000.0) } else { format!("{seconds:.3} s") }
}

#[cfg(test)]
mod tests {
    use super::why_not;

    #[test]
    fn a_refusal_is_told_without_files_of_the_search() {
        let illegal =
            "order of the loops kept: the order of script /t/candidate.polyrs is illegal: line 6 at i = 2 must run";
        assert_eq!(why_not(illegal), "line 6 at i = 2 must run");
        let wrong = "order of the loops kept: script /t/candidate.polyrs:2:1: the loops are not perfectly nested";
        assert_eq!(why_not(wrong), "the loops are not perfectly nested");
    }
}
