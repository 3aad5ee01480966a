//! What can be tried with a function: orders and fusion of its loops, tile sizes, threads.

use super::script::Wish;
use polyrs::explain::{self, Counter, Nest};

/// Names of loops by their depth, as scripts have them.
const LOOPS: [&str; 4] = ["i", "j", "k", "l"];
/// The same where the source calls other loops so.
const DEPTHS: [&str; 4] = ["i0", "i1", "i2", "i3"];
/// Tile sizes that are tried first, the same for all loops.
const SIZES: [u32; 5] = [16, 32, 64, 128, 256];
/// Smallest and largest tile size.
const SIZE_LIMITS: (u32, u32) = (4, 2048);
/// Orders of two and three loops other than their own, as pairs that change places, one after the other.
const SWAPS: [(usize, &[(usize, usize)]); 6] = [
    (2, &[(0, 1)]),
    (3, &[(1, 2)]),
    (3, &[(0, 1)]),
    (3, &[(0, 1), (0, 2)]),
    (3, &[(1, 2), (0, 2)]),
    (3, &[(0, 1), (0, 2), (1, 2)]),
];

/// A function with loops that were modelled.
#[derive(Debug, PartialEq)]
pub struct Target {
    /// Its name, as the linker sees it.
    pub function: String,
    /// Estimated cycles of its nests for the usual sizes.
    pub cycles: f64,
    regions: Vec<Region>,
    /// What was done to its nests, in words.
    steps: Vec<String>,
    has_kept: bool,
}

/// A region of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Region {
    /// Its number in the function.
    number: usize,
    /// Loops around its innermost statement.
    depth: usize,
    /// What its loops are called by their depth.
    loops: [&'static str; 4],
}

impl Region {
    fn of(nest: &Nest) -> Option<Self> {
        let (number, depth) = explain::region(nest)?;
        let counters = &nest.model.as_ref()?.counters;
        let depth_of = |name: &str| LOOPS.iter().position(|l| *l == name);
        let is_other = |(at, counter): (usize, &Counter)| depth_of(&counter.name).is_some_and(|depth| depth != at);
        let is_taken = counters.iter().any(|of| of.iter().enumerate().any(is_other));
        Some(Self { number, depth, loops: if is_taken { DEPTHS } else { LOOPS } })
    }

    /// The loops in the order that statements give them, outermost first; no more than there are sizes for.
    fn order(&self, statements: &[String], most: usize) -> Vec<&'static str> {
        let mut order: Vec<&str> = self.loops[..self.depth.min(most).min(LOOPS.len())].to_vec();
        for statement in statements {
            if let ["interchange", a, b] = statement.split(' ').collect::<Vec<_>>()[..] {
                let at = |name: &str| order.iter().position(|l| *l == name);
                if let (Some(a), Some(b)) = (at(a), at(b)) {
                    order.swap(a, b);
                }
            }
        }
        order
    }
}

/// The functions of a file with loops that were modelled, the most expensive first.
pub fn targets(nests: &[Nest], is_of_file: impl Fn(&Nest) -> bool) -> Vec<Target> {
    let mut all: Vec<Target> = Vec::new();
    for nest in nests.iter().filter(|n| is_of_file(n)) {
        let (Some(model), Some(region)) = (&nest.model, Region::of(nest)) else { continue };
        let at = all.iter().position(|t| t.function == nest.function).unwrap_or(all.len());
        if at == all.len() {
            let function = nest.function.clone();
            all.push(Target { function, cycles: 0.0, regions: Vec::new(), steps: Vec::new(), has_kept: false });
        }
        let target = &mut all[at];
        target.cycles += nest.costs.map_or(0.0, |costs| costs.usual[0]);
        target.regions.push(region);
        target.steps.extend(model.steps.iter().cloned());
        target.has_kept |= nest.verdict == "kept";
    }
    all.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    all
}

impl Target {
    /// Other orders of its loops, other fusion, and its loops as they are written.
    pub fn orders(&self) -> Vec<Wish> {
        let plain = Wish::default();
        let did = |what: &str| self.steps.iter().any(|s| s.starts_with(what));
        let mut all = vec![plain.with("off", "")];
        if self.has_kept {
            all.push(plain.with("process-unprofitable", ""));
        }
        if did("packed") {
            all.push(plain.with("pattern-matching-based-opts", "false"));
        }
        if did("tiled") {
            all.push(plain.with("tiling", "false"));
            all.push(plain.with("2nd-level-tiling", ""));
        }
        all.extend(["max", "none"].map(|fusion| plain.with("fusion", fusion)));
        for Region { number, depth, loops } in &self.regions {
            for (_, pairs) in SWAPS.iter().filter(|(swapped, _)| swapped == depth) {
                let swap = |(a, b): &(usize, usize)| format!("interchange {} {}", loops[*a], loops[*b]);
                all.push(plain.then(*number, &pairs.iter().map(swap).collect::<Vec<_>>()));
            }
        }
        all
    }

    /// Tile sizes to begin with, on top of what was found so far.
    pub fn tiles(&self, wish: &Wish) -> Vec<Wish> {
        let depth = self.regions.iter().map(|region| region.depth).max().unwrap_or(0);
        if depth < 2 || wish.options.contains_key("off") {
            return Vec::new();
        }
        SIZES.iter().map(|size| self.tiled(wish, &vec![*size; depth.min(LOOPS.len())])).collect()
    }

    /// The same with these sizes: by the scheduler where that decides of the order, else in the regions' scripts.
    fn tiled(&self, wish: &Wish, sizes: &[u32]) -> Wish {
        let text = |with: &str, of: &[u32]| of.iter().map(u32::to_string).collect::<Vec<_>>().join(with);
        let mut tiled = wish.with("tile-sizes", text(",", sizes)).with("process-unprofitable", "");
        tiled.options.remove("tiling");
        for (number, statements) in &wish.orders {
            let Some(region) = self.regions.iter().find(|region| region.number == *number) else { continue };
            let order = region.order(statements, sizes.len());
            let without: Vec<String> = statements.iter().filter(|s| !s.starts_with("tile")).cloned().collect();
            tiled.orders.insert(*number, without);
            tiled = tiled.then(*number, &[format!("tile {} {}", order.join(" "), text(" ", &sizes[..order.len()]))]);
        }
        tiled
    }

    /// Sizes around those of `wish`: each one halved and doubled.
    pub fn neighbours(&self, wish: &Wish) -> Vec<Wish> {
        let Some(sizes) = wish.options.get("tile-sizes") else { return Vec::new() };
        let sizes: Vec<u32> = sizes.split(',').filter_map(|s| s.parse().ok()).collect();
        let (least, most) = SIZE_LIMITS;
        let changed = |at: usize, size: u32| {
            let mut sizes = sizes.clone();
            sizes[at] = size;
            (least..=most).contains(&size).then(|| self.tiled(wish, &sizes))
        };
        (0..sizes.len()).flat_map(|at| [changed(at, sizes[at] * 2), changed(at, sizes[at] / 2)]).flatten().collect()
    }

    /// Threads, up to so many.
    pub fn threads(&self, wish: &Wish, most: usize) -> Vec<Wish> {
        if wish.options.contains_key("off") {
            return Vec::new();
        }
        let counts = std::iter::successors(Some(2), |n| Some(n * 2)).take_while(|n| *n < most).chain([most]);
        let with = |count: usize| {
            let mut wish = wish.with("parallel", "").with("num-threads", count);
            // An order of a script runs in threads where it says so.
            for region in &self.regions {
                if let Some(statements) = wish.orders.get_mut(&region.number) {
                    let outermost = region.order(statements, LOOPS.len())[0];
                    let tile = if statements.iter().any(|s| s.starts_with("tile")) { "_tile" } else { "" };
                    statements.push(format!("parallel {outermost}{tile}"));
                }
            }
            wish
        };
        if most < 2 { Vec::new() } else { counts.map(with).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(regions: Vec<(usize, usize)>) -> Target {
        let steps = vec!["tiled 32x32".to_owned()];
        let regions = regions.into_iter().map(|(number, depth)| Region { number, depth, loops: LOOPS }).collect();
        Target { function: "f".to_owned(), cycles: 1.0, regions, steps, has_kept: false }
    }

    #[test]
    fn all_orders_of_three_loops_are_tried() {
        let target = target(vec![(0, 3)]);
        let order = |statements: &Vec<String>| target.regions[0].order(statements, 3);
        let mut found: Vec<_> = target.orders().iter().filter_map(|w| w.orders.get(&0)).map(order).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 5);
        assert!(!found.contains(&vec!["i", "j", "k"]));
    }

    #[test]
    fn loops_that_the_source_calls_otherwise_go_by_their_depth() {
        let other = Region { number: 0, depth: 2, loops: DEPTHS };
        let target = Target { regions: vec![other], ..target(Vec::new()) };
        let swapped = target.orders().pop().unwrap();
        assert_eq!(swapped.orders[&0], ["interchange i0 i1"]);
        assert_eq!(target.tiles(&swapped)[0].orders[&0], ["interchange i0 i1", "tile i1 i0 16 16"]);
    }

    #[test]
    fn sizes_go_to_the_scheduler_or_into_the_script() {
        let target = target(vec![(0, 3), (1, 2)]);
        let by_scheduler = &target.tiles(&Wish::default())[1];
        assert_eq!(by_scheduler.words(), "process-unprofitable; tile-sizes=32,32,32");
        let script = Wish::default().then(1, &["interchange i j".to_owned()]);
        let tiled = &target.tiles(&script)[0];
        assert_eq!(tiled.orders[&1], ["interchange i j", "tile j i 16 16"]);
        let next = target.neighbours(tiled);
        assert_eq!(next[0].orders[&1], ["interchange i j", "tile j i 32 16"]);
        assert_eq!(next.len(), 6);
        let threads = target.threads(tiled, 3);
        assert_eq!(threads[0].orders[&1].last().unwrap(), "parallel j_tile");
        assert_eq!(threads.iter().map(|w| w.options["num-threads"].as_str()).collect::<Vec<_>>(), ["2", "3"]);
    }

    #[test]
    fn what_is_left_alone_has_no_tiles() {
        let target = target(vec![(0, 3)]);
        let off = Wish::default().with("off", "");
        assert!(target.tiles(&off).is_empty() && target.threads(&off, 8).is_empty());
    }
}
