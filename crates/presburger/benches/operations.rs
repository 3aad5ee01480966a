//! Time per operation on the sets of the thirty kernels in `bench/presburger`: domains, access relations, dependences,
//! schedules. One measurement is a pass over the cases of an operation, at most [`CASES`], evenly spread.
//! `cargo bench -p presburger` runs all, `cargo bench -p presburger -- subtract` those with the word in their name;
//! Criterion keeps the figures of earlier runs to compare with. `scripts/bench-presburger` compares the same operations
//! with isl's.

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use presburger::{Aff, Budget, Dim, Map, PwMultiAff, Set};
use std::borrow::Cow;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

const CASES: usize = 40;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn texts(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/presburger").join(file);
    let all = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    all.lines().filter(|l| !l.starts_with('#')).map(str::to_owned).collect()
}

fn spread<T>(mut all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(CASES).max(1);
    let mut k = 0;
    all.retain(|_| {
        k += 1;
        (k - 1) % step == 0
    });
    all
}

fn maps(file: &str) -> Vec<Map> {
    texts(file).iter().map(|t| Map::parse(t).unwrap_or_else(|e| panic!("{e}: {t}"))).collect()
}

fn sets(file: &str) -> Vec<Set> {
    texts(file).iter().map(|t| Set::parse(t).unwrap_or_else(|e| panic!("{e}: {t}"))).collect()
}

/// Measures a pass of `f` over the cases.
fn pass<T, R>(group: &mut Group<'_>, name: &str, cases: &[T], f: impl Fn(&T) -> R) {
    group.bench_function(name, |b| {
        b.iter(|| {
            for c in cases {
                black_box(f(black_box(c)));
            }
        });
    });
}

/// Neighbours in the list that live in the same space.
fn pairs<T: Clone>(list: &[T], alike: impl Fn(&T, &T) -> bool) -> Vec<(T, T)> {
    let near = list.windows(2).filter(|w| alike(&w[0], &w[1]));
    spread(near.map(|w| (w[0].clone(), w[1].clone())).collect())
}

fn text(c: &mut Criterion) {
    let mut g = settings(c, "text");
    let lines = spread(texts("dependences.txt"));
    pass(&mut g, "parse", &lines, |t| Map::parse(t));
    pass(&mut g, "print", &spread(maps("dependences.txt")), |m| m.to_string());
}

fn on_sets(c: &mut Criterion) {
    let b = Budget::unlimited();
    let mut all = sets("domains.txt");
    all.extend(maps("dependences.txt").iter().map(|m| m.wrap().flatten()));
    let few = spread(all.clone());
    let mut g = settings(c, "set");
    pass(&mut g, "is_empty", &few, |s| s.is_empty(&b));
    pass(&mut g, "complement", &few, |s| s.complement(&b));
    pass(&mut g, "coalesce", &few, |s| s.coalesce(&b).map(Cow::into_owned));
    pass(&mut g, "compute_divs", &few, |s| s.compute_divs(&b).map(|s| s.basics().len()));
    pass(&mut g, "make_disjoint", &few, |s| s.make_disjoint(&b));
    pass(&mut g, "lexmin", &few, |s| s.lexmin(&b));
    pass(&mut g, "lexmax", &few, |s| s.lexmax(&b));
    pass(&mut g, "sample", &few, |s| s.sample(&b));
    pass(&mut g, "is_bounded", &few, |s| s.is_bounded(&b));
    pass(&mut g, "params", &few, |s| s.params(&b));
    pass(&mut g, "project_last", &few, |s| {
        s.project_out(s.space().n_out().saturating_sub(1), 1.min(s.space().n_out()), &b)
    });
    pass(&mut g, "affine_hull", &few, |s| s.affine_hull(&b));
    pass(&mut g, "simple_hull", &few, |s| s.simple_hull(&b).map(std::borrow::Cow::into_owned));
    pass(&mut g, "convex_hull_rational", &few, |s| s.convex_hull_rational(&Budget::steps(10_000)));
    pass(&mut g, "lattice_hull", &few, |s| s.lattice_hull(&b));
    pass(&mut g, "simplify", &few, |s| s.basics().iter().map(|p| p.simplify(&b)).collect::<Vec<_>>());
    pass(&mut g, "loop_nest", &few, |s| s.basics().iter().map(|p| p.loop_nest(&b)).collect::<Vec<_>>());
    pass(&mut g, "dual_rows", &few, |s| s.basics().iter().map(|p| p.dual_rows(&b)).collect::<Vec<_>>());
    pass(&mut g, "identity", &few, Set::identity);
    pass(&mut g, "lex_lt", &few, |s| Set::lex_lt(s.space()));
    pass(&mut g, "max_of", &few, |s| s.max_of(&Aff::constant(s.space(), 1), &b));
    pass(&mut g, "lexmin_function", &few, |s| s.lexmin_function(&b));
    let domains = spread(sets("domains.txt"));
    pass(&mut g, "card", &domains, |s| s.card(&Budget::steps(20_000)));
    pass(&mut g, "stride", &domains, |s| (0..s.space().n_out()).map(|d| s.stride(d, &b)).collect::<Vec<_>>());
    let two = pairs(&all, |x, y| x.space().same_tuples(y.space()));
    pass(&mut g, "union", &two, |(x, y)| x.union(y));
    pass(&mut g, "intersect", &two, |(x, y)| x.intersect(y));
    pass(&mut g, "subtract", &two, |(x, y)| x.subtract(y, &b));
    pass(&mut g, "gist", &two, |(x, y)| x.gist(y, &b));
    pass(&mut g, "is_subset", &two, |(x, y)| x.is_subset(y, &b));
    pass(&mut g, "is_equal", &two, |(x, y)| x.is_equal(y, &b));
    pass(&mut g, "is_disjoint", &two, |(x, y)| x.is_disjoint(y, &b));
    pass(&mut g, "product", &two, |(x, y)| x.product(y));
}

fn on_maps(c: &mut Criterion) {
    let b = Budget::unlimited();
    let dependences = maps("dependences.txt");
    let mut all = dependences.clone();
    all.extend(maps("schedules.txt"));
    all.extend(maps("accesses.txt"));
    let few = spread(all.clone());
    let mut g = settings(c, "map");
    pass(&mut g, "is_empty", &few, |m| m.is_empty(&b));
    pass(&mut g, "domain", &few, |m| m.domain(&b));
    pass(&mut g, "range", &few, |m| m.range(&b));
    pass(&mut g, "reverse", &few, Map::reverse);
    pass(&mut g, "wrap", &few, Map::wrap);
    pass(&mut g, "lexmin", &few, |m| m.lexmin(&b));
    pass(&mut g, "lexmax", &few, |m| m.lexmax(&b));
    pass(&mut g, "coalesce", &few, |m| m.coalesce(&b).map(Cow::into_owned));
    pass(&mut g, "affine_hull", &few, |m| m.affine_hull(&b));
    pass(&mut g, "project_last", &few, |m| {
        m.project_out(Dim::Out, m.space().n_out().saturating_sub(1), 1.min(m.space().n_out()), &b)
    });
    pass(&mut g, "is_single_valued", &few, |m| m.is_single_valued(&b));
    pass(&mut g, "is_injective", &few, |m| m.is_injective(&b));
    let accesses = spread(maps("accesses.txt"));
    pass(&mut g, "to_function", &accesses, |m| PwMultiAff::from_map(m, &b));
    let square: Vec<Map> = spread(dependences.iter().filter(|m| m.space().is_to_self()).cloned().collect());
    pass(&mut g, "deltas", &square, |m| m.deltas(&b));
    pass(&mut g, "fixed_power", &square, |m| m.fixed_power(2, &b));
    let two = pairs(&all, |x, y| x.space().same_tuples(y.space()));
    pass(&mut g, "union", &two, |(x, y)| x.union(y));
    pass(&mut g, "intersect", &two, |(x, y)| x.intersect(y));
    pass(&mut g, "subtract", &two, |(x, y)| x.subtract(y, &b));
    pass(&mut g, "gist", &two, |(x, y)| x.gist(y, &b));
    pass(&mut g, "is_subset", &two, |(x, y)| x.is_subset(y, &b));
    pass(&mut g, "product", &two, |(x, y)| x.product(y));
    pass(&mut g, "range_product", &two, |(x, y)| x.range_product(y));
    let chains = spread(meeting(&dependences));
    pass(&mut g, "apply_range", &chains, |(x, y)| x.apply_range(y, &b));
    let schedules = maps("schedules.txt");
    let domains = sets("domains.txt");
    let timed: Vec<(Set, Map)> = spread(domains.into_iter().zip(schedules).collect());
    pass(&mut g, "apply", &timed, |(s, m)| s.apply(m, &b));
    pass(&mut g, "intersect_domain", &timed, |(s, m)| m.intersect_domain(s));
}

/// Neighbours of which the second begins where the first ends.
fn meeting(list: &[Map]) -> Vec<(Map, Map)> {
    let ends = |w: &[Map]| w[1].space().input.as_ref() == Some(&w[0].space().output);
    list.windows(2).filter(|w| ends(w)).map(|w| (w[0].clone(), w[1].clone())).collect()
}

fn settings<'a>(c: &'a mut Criterion, name: &str) -> Group<'a> {
    let mut g = c.benchmark_group(name);
    g.sample_size(20).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    g
}

fn main() {
    let mut c = Criterion::default().configure_from_args();
    text(&mut c);
    on_sets(&mut c);
    on_maps(&mut c);
    c.final_summary();
}
