//! Cache lines and pages moved by a nest.
//!
//! In: a [`Nest`]. Out: cycles, by footprints: a reuse carried by a loop hits iff one iteration of that loop fits the
//! cache. Rows that are a multiple of several lines apart crowd into few of its sets, and fill it sooner.
//! Source: Wolf, Lam, PLDI 1991 (reuse and locality by loop).

use super::{Facts, Loop, Machine, Nest, Reference};

/// Bytes of a cache line.
const LINE_BYTES: f64 = 64.0;
/// Part of a cache that one nest, or one tile, can count on.
pub const USABLE: f64 = 0.75;
/// Cycles per line from L2, L3, memory: in sequence, and at large strides.
const LINE_CYCLES: [(f64, f64); 3] = [(2.0, 5.0), (5.0, 16.0), (12.0, 30.0)];
/// The same where [`Machine::is_quick`] holds.
const QUICK_LINE_CYCLES: [(f64, f64); 3] = [(1.0, 1.5), (1.7, 3.0), (4.0, 6.0)];
/// Streams of lines that a core's prefetcher follows.
const STREAMS: f64 = 32.0;
/// Lines between two of which a cache finds the place by the same bits of their addresses: those of a page, which are
/// all of the first level's, and all of the second's that a program can know.
const PLACES: f64 = 64.0;
/// Cycles per line that is written and fetched again because it shares its place with others, for each place between
/// two of them.
const CROWDED_STORE: f64 = 0.6;
/// The most of them.
const CROWDED_STORE_MOST: f64 = 15.0;
/// The same for lines that are only read: several are on their way at once.
const CROWDED_LOAD: f64 = 0.14;
/// Bytes of a page.
const PAGE_BYTES: f64 = 4096.0;
/// Pages that the last level of address translation holds.
const TRANSLATIONS: f64 = 1536.0;
/// The same where [`Machine::is_quick`] holds.
const QUICK_TRANSLATIONS: f64 = 4096.0;
/// Cycles per page missed there, as far as other work does not hide them.
const TRANSLATION_CYCLES: f64 = 6.0;

/// What the loops from each position on touch of a reference in one run.
struct Touched {
    lines: Vec<f64>,
    /// The same, counted as many times as rows are too far apart to use each set of a cache.
    crowded: Vec<f64>,
    pages: Vec<f64>,
}

/// Cycles of what a nest moves: the same whatever is unrolled and jammed.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// Lines from behind each cache.
    pub(super) levels: [f64; 3],
    /// Address translation.
    pub(super) translation: f64,
}

impl Moved {
    /// All of them.
    pub(super) fn cycles(&self) -> f64 {
        self.levels.iter().sum::<f64>() + self.translation
    }
}

impl Nest {
    /// What one run of the loops from each position on, up to the number of loops, touches of `r`.
    fn footprint(&self, r: &Reference, at: usize) -> Touched {
        let (rank, depth) = (r.subscripts.len(), self.loops.len());
        let mut extents: Vec<f64> = r.spread.iter().map(|s| 1.0 + s).collect();
        let mut moving = 1.0;
        let crowds = may_crowd(r);
        let mut out = Touched { lines: vec![0.0; depth + 1], crowded: Vec::new(), pages: vec![0.0; depth + 1] };
        if crowds {
            out.crowded = vec![0.0; depth + 1];
        }
        let mut count = |k: usize, moving: f64, extents: &[f64]| {
            out.lines[k] = lines_of(r, moving, extents);
            out.pages[k] = pages_of(r, moving, extents);
            if crowds {
                out.crowded[k] = out.lines[k] * crowding(r, extents);
            }
        };
        count(depth, moving, &extents);
        for (k, l) in self.loops.iter().enumerate().rev() {
            let mut moves = r.irregular;
            for d in 0..rank {
                let s = r.step(d, &l.directions[at]).abs();
                if s != 0.0 {
                    moves = true;
                    extents[d] += s * (l.trips[at] - 1.0);
                }
            }
            if moves {
                moving *= l.trips[at];
            }
            count(k, moving, &extents);
        }
        if !crowds {
            out.crowded.clone_from(&out.lines);
        }
        out
    }

    /// Different references of the nest, each with the position of that statement it belongs to that runs most often.
    /// Parts of one statement touch elements of their own.
    pub(super) fn references<'f>(&self, facts: &'f [Facts]) -> Vec<(usize, &'f Reference)> {
        let mut out: Vec<(usize, &Reference)> = Vec::new();
        for (at, &s) in self.stmts.iter().enumerate() {
            for r in facts[s].refs.iter().filter(|r| !r.subscripts.is_empty() || r.irregular) {
                let apart = |of: usize| of != at && facts[self.stmts[of]].is_other_part(&facts[s]);
                let is_same = |o: &Reference, of: usize| o.same_pattern(r) && !apart(of) && self.walks_alike(r, at, of);
                match out.iter_mut().find(|(of, o)| is_same(o, *of)) {
                    None => out.push((at, r)),
                    Some(known) if self.instances(known.0) < self.instances(at) => *known = (at, r),
                    Some(_) => {}
                }
            }
        }
        out
    }

    /// Whether the statements at both positions walk through `r` in the same steps: statements that share loops may run
    /// along different dims, as the two of bicg, one by rows and one by columns.
    fn walks_alike(&self, r: &Reference, at: usize, of: usize) -> bool {
        let step = |l: &Loop, k: usize, at: usize| r.step(k, &l.directions[at]);
        let alike = |l: &Loop| (0..r.subscripts.len()).all(|k| step(l, k, at) == step(l, k, of));
        at == of || self.loops.iter().all(alike)
    }

    /// Bytes of all lines that the loops from each position on touch in one run.
    #[must_use]
    pub fn touched(&self, facts: &[Facts]) -> Vec<f64> {
        self.bytes_of(&self.footprints(&self.references(facts)), |touched| &touched.lines)
    }

    /// What is touched of each reference.
    fn footprints(&self, refs: &[(usize, &Reference)]) -> Vec<Touched> {
        refs.iter().map(|(at, r)| self.footprint(r, *at)).collect()
    }

    /// Bytes of the lines of all references together, from each position on.
    fn bytes_of(&self, touched: &[Touched], lines: fn(&Touched) -> &Vec<f64>) -> Vec<f64> {
        (0..=self.loops.len()).map(|k| touched.iter().map(|t| lines(t)[k]).sum::<f64>() * LINE_BYTES).collect()
    }

    /// Lines of each reference that are moved from behind each cache, if each run of the loops from position `once` on
    /// moves them once at most.
    fn moved_lines(
        &self,
        refs: &[(usize, &Reference)],
        touched: &[Touched],
        machine: &Machine,
        once: usize,
    ) -> [Vec<f64>; 3] {
        let depth = self.loops.len();
        let total = self.bytes_of(touched, |t| &t.lines);
        let crowded = self.bytes_of(touched, |t| &t.crowded);
        // The last level spreads lines over its sets by all bits of their addresses.
        [(machine.l1_bytes, &crowded), (machine.l2_bytes, &crowded), (machine.l3_bytes, &total)].map(
            |(cache, total)| {
                let room = to_f64_u(cache) * USABLE;
                let fits = (0..=depth).find(|&from| total[from] <= room).unwrap_or(depth);
                let level = fits.saturating_sub(1).min(once);
                let first = if self.warm { 0.0 } else { 1.0 };
                let of = |((at, _), touched): (&(usize, &Reference), &Touched)| {
                    let repeats: f64 = self.loops[..level].iter().map(|l| l.trips[*at]).product();
                    if fits > 0 { repeats * touched.lines[level] } else { first * touched.lines[0] }
                };
                refs.iter().zip(touched).map(of).collect()
            },
        )
    }

    /// Bytes moved from behind each cache.
    pub(super) fn moved(&self, facts: &[Facts], machine: &Machine) -> [f64; 3] {
        let refs = self.references(facts);
        let moved = self.moved_lines(&refs, &self.footprints(&refs), machine, self.loops.len());
        moved.map(|lines| lines.iter().sum::<f64>() * LINE_BYTES)
    }

    /// Cycles of cache lines and pages moved.
    #[must_use]
    pub fn moving(&self, facts: &[Facts], machine: &Machine) -> Moved {
        let refs = self.references(facts);
        let touched = self.footprints(&refs);
        let levels = self.traffic(&refs, &touched, machine);
        Moved { levels, translation: self.translation(&refs, &touched, machine) }
    }

    /// Cycles of cache lines moved, from behind each cache.
    fn traffic(&self, refs: &[(usize, &Reference)], touched: &[Touched], machine: &Machine) -> [f64; 3] {
        let mut cycles = [0.0; 3];
        let moved = self.moved_lines(refs, touched, machine, self.loops.len());
        for (k, (at, r)) in refs.iter().enumerate() {
            let (in_sequence, crowded) = (self.in_sequence(r, *at), self.crowded(r, *at));
            for (level, (lines, cycles)) in moved.iter().zip(&mut cycles).enumerate() {
                let (near, far) = if machine.is_quick { QUICK_LINE_CYCLES[level] } else { LINE_CYCLES[level] };
                let price = if in_sequence { near } else { far };
                let price = if r.writes { 1.5 * price } else { price };
                *cycles += price.max(if level == 0 { crowded } else { 0.0 }) * lines[k];
            }
        }
        cycles
    }

    /// Cycles of cache lines that no order of the loops from position `once` on can do without: each is moved once in
    /// each run of these, in sequence.
    pub(super) fn least_traffic(&self, facts: &[Facts], machine: &Machine, once: usize) -> f64 {
        let refs = self.references(facts);
        let moved = self.moved_lines(&refs, &self.footprints(&refs), machine, once);
        let of_level = |(lines, (usual, quick)): (&Vec<f64>, (&(f64, f64), &(f64, f64)))| {
            let price = if machine.is_quick { quick.0 } else { usual.0 };
            let weight = |r: &Reference| if r.writes { 1.5 } else { 1.0 };
            price * refs.iter().zip(lines).map(|((_, r), moved)| weight(r) * moved).sum::<f64>()
        };
        moved.iter().zip(LINE_CYCLES.iter().zip(&QUICK_LINE_CYCLES)).map(of_level).sum()
    }

    /// Cycles of address translation: pages that the last level of it does not hold.
    fn translation(&self, refs: &[(usize, &Reference)], touched: &[Touched], machine: &Machine) -> f64 {
        let held = if machine.is_quick { QUICK_TRANSLATIONS } else { TRANSLATIONS };
        let depth = self.loops.len();
        let total = |from: usize| touched.iter().map(|t| t.pages[from]).sum::<f64>();
        let fits = (0..=depth).find(|&from| total(from) <= held).unwrap_or(depth);
        let level = fits.saturating_sub(1);
        let missed = |((at, _), touched): (&(usize, &Reference), &Touched)| {
            let repeats: f64 = self.loops[..level].iter().map(|l| l.trips[*at]).product();
            match fits {
                0 if self.warm => 0.0,
                0 => touched.pages[0],
                _ => repeats * touched.pages[level],
            }
        };
        TRANSLATION_CYCLES * refs.iter().zip(touched).map(missed).sum::<f64>()
    }

    /// Cycles per line where the innermost loop that moves `r` leads to the same places again and again.
    fn crowded(&self, r: &Reference, at: usize) -> f64 {
        let mut strides = self.loops.iter().rev().map(|l| r.stride_bytes(&l.directions[at]).abs());
        let apart = strides.find(|stride| *stride != 0.0).map_or(1.0, |stride| places(stride / LINE_BYTES));
        match apart {
            _ if apart == 1.0 || !r.has_known_rows => 0.0,
            _ if r.writes => (CROWDED_STORE * apart).min(CROWDED_STORE_MOST),
            _ => CROWDED_LOAD * apart,
        }
    }

    /// Whether `r` walks through neighbouring lines: in the innermost loop that moves it, or in a few streams side by
    /// side that are long enough for a core's prefetcher to follow them.
    fn in_sequence(&self, r: &Reference, at: usize) -> bool {
        let mut streams = 1.0;
        for l in self.loops.iter().rev() {
            let stride = r.stride_bytes(&l.directions[at]).abs();
            if stride != 0.0 && stride <= LINE_BYTES {
                let is_long = l.trips[at] * stride >= PAGE_BYTES;
                return !r.irregular && (streams == 1.0 || (streams <= STREAMS && is_long));
            }
            if stride != 0.0 {
                streams *= l.trips[at];
            }
        }
        !r.irregular && streams <= 1.0
    }
}

/// Lines in a box of these `extents` (elements per subscript) that is visited `moving` times.
fn lines_of(r: &Reference, moving: f64, extents: &[f64]) -> f64 {
    if r.irregular {
        return moving;
    }
    let (mut elements, mut lines, mut spread, mut row) = (1.0f64, 1.0f64, 1.0f64, r.elem_bytes);
    for (k, extent) in extents.iter().enumerate().rev() {
        let extent = extent.min(r.sizes[k]).max(1.0);
        elements *= extent;
        if k + 1 == extents.len() || row < LINE_BYTES {
            // Elements, or rows that are shorter than a line: several in each.
            lines = (extent * row / LINE_BYTES).max(1.0);
        } else {
            lines *= extent;
            spread *= r.spread[k] + 1.0;
        }
        row *= r.sizes[k];
    }
    lines.min(moving * spread).min(elements).max(1.0)
}

/// Whether rows of `r` are known to be a multiple of two or more lines apart.
fn may_crowd(r: &Reference) -> bool {
    let mut strides = r.sizes.iter().skip(1).rev().scan(r.elem_bytes, |stride, size| {
        *stride *= size;
        Some(*stride)
    });
    r.has_known_rows && !r.irregular && strides.any(|stride| places(stride / LINE_BYTES) > 1.0)
}

/// How many times lines in such a box count where rows are too far apart to use each set of a cache.
fn crowding(r: &Reference, extents: &[f64]) -> f64 {
    let Some(last) = extents.len().checked_sub(1).filter(|_| r.has_known_rows && !r.irregular) else { return 1.0 };
    let mut stride = r.elem_bytes;
    let mut apart = PLACES;
    for k in (0..last).rev() {
        stride *= r.sizes[k + 1];
        if extents[k] > 1.0 {
            apart = apart.min(places(stride / LINE_BYTES));
        }
    }
    let has_rows = extents[..last].iter().any(|extent| *extent > 1.0);
    let of_row = (extents[last].min(r.sizes[last]) * r.elem_bytes / LINE_BYTES).max(1.0);
    if has_rows { (apart / of_row).max(1.0) } else { 1.0 }
}

/// The largest power of two up to [`PLACES`] that divides this number of lines; 1 where it is no whole number.
fn places(lines: f64) -> f64 {
    let mut out = 1.0;
    while out < PLACES && lines % (2.0 * out) == 0.0 {
        out *= 2.0;
    }
    out
}

/// Pages in a box of these `extents` that is visited `moving` times: rows closer together than a page share pages.
fn pages_of(r: &Reference, moving: f64, extents: &[f64]) -> f64 {
    if r.irregular {
        return moving;
    }
    let (mut pages, mut span, mut stride) = (1.0f64, r.elem_bytes, r.elem_bytes);
    for k in (0..extents.len()).rev() {
        let extent = extents[k].min(r.sizes[k]).max(1.0);
        if stride < PAGE_BYTES {
            span += stride * (extent - 1.0);
            pages = (span / PAGE_BYTES).max(1.0);
        } else {
            pages *= extent;
        }
        stride *= if r.sizes[k].is_finite() { r.sizes[k] } else { 1.0 };
    }
    pages.min(moving * r.spread.iter().map(|s| 1.0 + s).product::<f64>()).max(1.0)
}

#[allow(clippy::cast_precision_loss)]
fn to_f64_u(x: u64) -> f64 {
    x as f64
}
