//! Parametric integer programming: the lexicographic minimum of some columns as quasi-affine functions of the others.
//! A dictionary holds every variable as `(m M + c(p) + sum a_j s_j) / d`: `s_j >= 0` the non-basic variables, `c(p)`
//! affine in the parameters and in floors of them, `M` a number larger than any other and divisible by any other.
//! Unknowns are shifted by `M`, so that they are non-negative and every column starts lexicographically positive. A row
//! of unknown sign splits the context; a fractional optimum adds a cut, whose constant is a new floor of the
//! parameters.
//! Sources: Feautrier, Parametric Integer Programming, RAIRO Recherche Operationnelle 22(3), 1988; Gomory's cuts.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::simplex::{Opt, Tab};
use crate::system::guess;
use crate::system::solve;
use crate::system::sys::{Sys, complement, negated};

/// One variable of the dictionary: `(cols . s + big * M + params . [parameters | floors] + one) / den`.
#[derive(Clone)]
struct Row<T> {
    den: T,
    cols: Vec<T>,
    big: T,
    one: T,
    params: Vec<T>,
    /// The sign of the constant over the context, once it is known.
    sign: Option<Sign>,
}

#[derive(Clone)]
struct State<T> {
    /// The unknowns first, in order, then the constraints and cuts. All must be non-negative.
    rows: Vec<Row<T>>,
    /// Conditions on the parameters: visible columns are the parameters, existentials the floors.
    context: Sys<T>,
    /// For each floor `q = floor(-(params . earlier + one) / den)` of the context: `params`, `one`, `den`.
    floors: Vec<(Vec<T>, T, T)>,
    /// Integer points of the context over all its columns, at least one.
    witnesses: Vec<Vec<T>>,
    /// A tableau of the context, once one was needed since the last floor.
    tab: Option<Tab<T>>,
}

/// Points of the context that are remembered.
const MOST_WITNESSES: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    NonNegative,
    Negative,
    Unknown,
}

/// Leaves of the case distinction: disjoint parts of `s` (in the order of discovery) whose columns `first..n` are the
/// lexicographic minimum for columns `0..first`, each with its floors as explicit existentials. Existentials of `s` are
/// minimised after the columns, which has no effect but to make them unique. `Error::Unbounded` if some part has no
/// minimum.
pub(crate) fn lexmin<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut out = Vec::new();
    for st in leaves(s, first, bud)? {
        leaf(&st, s.n, first, &mut out)?;
    }
    Ok(out)
}

/// The values of columns `0..first` for which `s` has a point, as disjoint parts whose existentials are explicit
/// floors.
pub(crate) fn domain<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    Ok(leaves(s, first, bud)?.into_iter().map(|st| st.context).collect())
}

/// The final dictionaries of the case distinction; their contexts exclude each other and are not empty.
fn leaves<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<State<T>>> {
    let mut out = Vec::new();
    let Some((unknown, context)) = without_unknowns(s, first) else { return Ok(out) };
    let Some(witness) = solve::sample(&context, bud)? else { return Ok(out) };
    let mut todo = vec![State {
        rows: dictionary(&unknown, first)?,
        context,
        floors: Vec::new(),
        witnesses: vec![witness],
        tab: None,
    }];
    while let Some(state) = todo.pop() {
        bud.step(1 + state.rows.len())?;
        advance(state, &mut todo, &mut out, bud)?;
    }
    Ok(out)
}

/// `s` without the rows that use columns `0..first` only, and these rows: the first context. `None`: they contradict
/// each other.
fn without_unknowns<T: Int>(s: &Sys<T>, first: usize) -> Option<(Sys<T>, Sys<T>)> {
    let mut unknown = s.clone();
    let mut context = Sys::universe(first, 0);
    for (from, to) in [(&mut unknown.eq, &mut context.eq), (&mut unknown.ge, &mut context.ge)] {
        from.retain(|r| {
            let last = r.len() - 1;
            let stays = r[first..last].iter().any(|x| !x.is_zero());
            if !stays {
                to.v.extend(r[..first].iter().chain([&r[last]]).cloned());
            }
            stays
        });
    }
    context.tidy().then_some((unknown, context))
}

/// The unknowns `x = x' - M` as unit rows, then every constraint in terms of `x'`.
fn dictionary<T: Int>(s: &Sys<T>, first: usize) -> Res<Vec<Row<T>>> {
    let unknowns = s.cols() - first;
    let mut rows = Vec::with_capacity(unknowns + s.ge.len() + 2 * s.eq.len());
    for i in 0..unknowns {
        let mut cols = vec![T::zero(); unknowns];
        cols[i] = T::one();
        let params = vec![T::zero(); first];
        rows.push(Row { den: T::one(), cols, big: T::zero(), one: T::zero(), params, sign: None });
    }
    let mut push = |r: &[T]| -> Res<()> {
        let cols = r[first..s.cols()].to_vec();
        let big = cols.iter().try_fold(T::zero(), |sum, a| sum.sub(a))?;
        let params = r[..first].to_vec();
        rows.push(Row { den: T::one(), big, one: r[s.cols()].clone(), params, cols, sign: None });
        Ok(())
    };
    for r in s.ge.rows() {
        push(r)?;
    }
    for r in s.eq.rows() {
        push(r)?;
        push(&negated(r))?;
    }
    Ok(rows)
}

/// One step: a pivot, a split, a cut, or a leaf.
fn advance<T: Int>(mut st: State<T>, todo: &mut Vec<State<T>>, out: &mut Vec<State<T>>, bud: &Budget) -> Res<()> {
    // Without unknowns and constraints there is no row.
    let unknowns = st.rows.first().map_or(0, |r| r.cols.len());
    let mut undecided: Vec<usize> = Vec::new();
    for r in 0..st.rows.len() {
        match sign(&mut st, r, bud)? {
            Sign::NonNegative => {}
            Sign::Negative => {
                let Some(c) = entering(&st.rows, r, unknowns)? else { return Ok(()) };
                pivot(&mut st.rows, r, c, bud)?;
                todo.push(st);
                return Ok(());
            }
            Sign::Unknown => undecided.push(r),
        }
    }
    if let Some(r) = chosen_split(&mut st, &undecided, bud)? {
        let test = condition(&st, r);
        let below = complement(&test)?;
        if !no_way_out(&st.rows[r]) {
            todo.extend(restricted(&st, &below, bud)?);
        }
        todo.extend(restricted(&st, &test, bud)?);
        return Ok(());
    }
    if let Some(r) = (0..unknowns).find(|r| is_fractional(&st.rows[*r])) {
        cut(&mut st, r, bud)?;
        todo.push(st);
        return Ok(());
    }
    out.push(st);
    Ok(())
}

/// Whether nothing raises the row: where its constant is negative, there is no solution.
fn no_way_out<T: Int>(row: &Row<T>) -> bool {
    row.cols.iter().all(|a| !a.is_pos())
}

/// The row of unknown sign by which the context is split: one without solutions on its negative side, else the one
/// whose positive side decides most of the others.
/// Source: isl, `best_split`.
fn chosen_split<T: Int>(st: &mut State<T>, undecided: &[usize], bud: &Budget) -> Res<Option<usize>> {
    let rows = &st.rows;
    if let Some(r) = undecided.iter().find(|r| no_way_out(&rows[**r])) {
        return Ok(Some(*r));
    }
    if undecided.len() < 2 {
        return Ok(undecided.first().copied());
    }
    let tab = match st.tab.take() {
        Some(tab) => tab,
        None => Tab::new(&st.context, bud)?,
    };
    let tests: Vec<Vec<T>> = undecided.iter().map(|r| condition(st, *r)).collect();
    let mut best: Option<(usize, usize)> = None;
    for (k, test) in tests.iter().enumerate() {
        bud.step(1 + tab.entries() / 32)?;
        let mut side = tab.clone();
        side.add_ge(test, bud)?;
        let mut decided = 0;
        for (_, other) in tests.iter().enumerate().filter(|(j, _)| *j != k) {
            decided += usize::from(side.is_empty() || side.is_nonneg(other, bud)?);
        }
        if best.is_none_or(|b| decided > b.1) {
            best = Some((undecided[k], decided));
        }
    }
    st.tab = Some(tab);
    Ok(best.map(|b| b.0))
}

/// The sign of a row's constant over the context, looked for once.
fn sign<T: Int>(st: &mut State<T>, r: usize, bud: &Budget) -> Res<Sign> {
    if let Some(known) = st.rows[r].sign {
        return Ok(known);
    }
    let found = find_sign(st, r, bud)?;
    st.rows[r].sign = Some(found);
    Ok(found)
}

fn find_sign<T: Int>(st: &mut State<T>, r: usize, bud: &Budget) -> Res<Sign> {
    let row = &st.rows[r];
    let of = |negative: bool| if negative { Sign::Negative } else { Sign::NonNegative };
    if !row.big.is_zero() {
        return Ok(of(!row.big.is_pos()));
    }
    if row.params.iter().all(Int::is_zero) {
        return Ok(of(row.one.is_neg()));
    }
    let value = |x: &Vec<T>| Ok(T::dot(&row.params, x)?.add(&row.one)?.is_neg());
    let here = value(&st.witnesses[0])?;
    for x in &st.witnesses[1..] {
        if value(x)? != here {
            return Ok(Sign::Unknown);
        }
    }
    let test = condition(st, r);
    let other = if here { test } else { complement(&test)? };
    let mut t = st.context.clone();
    t.ge.push(&other);
    let Some(there) = context_point(st, &t, &other, bud)? else { return Ok(of(here)) };
    if st.witnesses.len() == MOST_WITNESSES {
        st.witnesses.remove(1);
    }
    st.witnesses.push(there);
    Ok(Sign::Unknown)
}

/// A point of `t`, the context with the inequality `row`. With floors, which have one value for each of the parameters,
/// the greatest value of the row over the rationals may show that there is none, and where that stands, the parameters
/// beside it are tried before elimination.
fn context_point<T: Int>(st: &mut State<T>, t: &Sys<T>, row: &[T], bud: &Budget) -> Res<Option<Vec<T>>> {
    if st.floors.is_empty() {
        return solve::sample(t, bud);
    }
    bud.step(1)?;
    if let Some(mut x) = guess::point(t) {
        x.pop();
        return Ok(Some(x));
    }
    let near = match highest(st, row, bud) {
        Err(Stop::Overflow) => return solve::sample(t, bud),
        Ok((Opt::At(num, _), _)) if num.is_neg() => return Ok(None),
        other => other?.1,
    };
    for sides in 0..1_usize << t.n.min(MOST_ROUNDED) {
        let up = |c: usize| c < MOST_ROUNDED && sides >> c & 1 == 1;
        let at = near.iter().enumerate().map(|(c, (num, den))| if up(c) { num.cdiv(den) } else { num.fdiv(den) });
        bud.step(1 + (st.floors.len() + t.ge.len()) / 4)?;
        let mut x: Vec<T> = at.collect();
        for (params, one, den) in &st.floors {
            x.push(T::dot(&params[..x.len()], &x)?.add(one)?.neg().fdiv(den));
        }
        if holds(t, &x)? {
            return Ok(Some(x));
        }
    }
    solve::sample(t, bud)
}

/// Numerators and denominators of parameters.
type At<T> = Vec<(T, T)>;

/// The greatest value of the row over the context, and the parameters where it stands.
fn highest<T: Int>(st: &mut State<T>, row: &[T], bud: &Budget) -> Res<(Opt<T>, At<T>)> {
    let mut tab = match st.tab.take() {
        Some(tab) => tab,
        None => Tab::new(&st.context, bud)?,
    };
    let most = tab.max(row, bud)?;
    let near = tab.coordinates().take(st.context.n).collect();
    st.tab = Some(tab);
    Ok((most, near))
}

/// Parameters of which both neighbours of a fraction are tried.
const MOST_ROUNDED: usize = 3;

/// Whether all rows hold at `x`.
fn holds<T: Int>(s: &Sys<T>, x: &[T]) -> Res<bool> {
    let last = s.cols();
    for (rows, equal) in [(&s.ge, false), (&s.eq, true)] {
        for r in rows.rows() {
            let value = T::dot(&r[..last], x)?.add(&r[last])?;
            if value.is_neg() || (equal && !value.is_zero()) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The row of the context that says that the constant of dictionary row `r` is non-negative.
fn condition<T: Int>(st: &State<T>, r: usize) -> Vec<T> {
    let row = &st.rows[r];
    row.params.iter().chain([&row.one]).cloned().collect()
}

/// The state with one more condition on the parameters; none if that leaves no parameters.
fn restricted<T: Int>(st: &State<T>, row: &[T], bud: &Budget) -> Res<Option<State<T>>> {
    let mut context = st.context.clone();
    context.ge.push(row);
    if !context.tidy() {
        return Ok(None);
    }
    let mut witnesses = Vec::new();
    for x in &st.witnesses {
        if !T::dot(&row[..x.len()], x)?.add(&row[x.len()])?.is_neg() {
            witnesses.push(x.clone());
        }
    }
    if witnesses.is_empty() {
        let Some(witness) = solve::sample(&context, bud)? else { return Ok(None) };
        witnesses.push(witness);
    }
    bud.keep(context.entries() + (st.rows.len() + witnesses.len()) * (st.rows[0].cols.len() + row.len() + 12))?;
    let mut rows = st.rows.clone();
    for row in rows.iter_mut().filter(|row| row.sign == Some(Sign::Unknown)) {
        row.sign = None;
    }
    let tab = match &st.tab {
        Some(tab) => {
            bud.keep(tab.entries())?;
            let mut tab = tab.clone();
            tab.add_ge(row, bud)?;
            Some(tab)
        }
        None => None,
    };
    Ok(Some(State { rows, context, floors: st.floors.clone(), witnesses, tab }))
}

/// The column that keeps all columns lexicographically positive when it enters for row `r`.
fn entering<T: Int>(rows: &[Row<T>], r: usize, unknowns: usize) -> Res<Option<usize>> {
    let mut best: Option<usize> = None;
    for c in 0..unknowns {
        if !rows[r].cols[c].is_pos() {
            continue;
        }
        let Some(b) = best else {
            best = Some(c);
            continue;
        };
        for row in &rows[..unknowns] {
            let order = T::lin(&row.cols[c], &rows[r].cols[b], &row.cols[b].neg(), &rows[r].cols[c])?.sgn();
            if order != 0 {
                if order < 0 {
                    best = Some(c);
                }
                break;
            }
        }
    }
    Ok(best)
}

/// Exchanges the variable of row `r` with the non-basic variable of column `c` (coefficient positive).
fn pivot<T: Int>(rows: &mut [Row<T>], r: usize, c: usize, bud: &Budget) -> Res<()> {
    bud.step(1 + rows.len())?;
    // s_c = (d y_r - rest) / a
    let from = rows[r].clone();
    let a = from.cols[c].clone();
    for row in rows.iter_mut() {
        let b = std::mem::replace(&mut row.cols[c], T::zero());
        if b.is_zero() {
            continue;
        }
        let nb = b.neg();
        let update = |x: &mut T, y: &T| -> Res<()> {
            *x = T::lin(&a, x, &nb, y)?;
            Ok(())
        };
        for (k, (x, y)) in row.cols.iter_mut().zip(&from.cols).enumerate() {
            if k != c {
                update(x, y)?;
            }
        }
        if !from.big.is_zero() || !from.one.is_zero() || from.params.iter().any(|x| !x.is_zero()) {
            row.sign = None;
        }
        update(&mut row.big, &from.big)?;
        update(&mut row.one, &from.one)?;
        for (x, y) in row.params.iter_mut().zip(&from.params) {
            update(x, y)?;
        }
        row.cols[c] = b.mul(&from.den)?;
        row.den = row.den.mul(&a)?;
        normalize(row);
    }
    Ok(())
}

fn normalize<T: Int>(row: &mut Row<T>) {
    let mut g = row.den.clone();
    for x in row.cols.iter().chain(&row.params).chain([&row.big, &row.one]) {
        if g.is_one() {
            return;
        }
        g = g.gcd(x);
    }
    T::divide_row(&mut row.cols, &g);
    T::divide_row(&mut row.params, &g);
    for x in [&mut row.den, &mut row.big, &mut row.one] {
        *x = x.fdiv(&g);
    }
}

/// Whether the constant part may be no integer for some parameters (`M` is divisible by the denominator).
fn is_fractional<T: Int>(row: &Row<T>) -> bool {
    !row.den.is_one() && row.params.iter().chain([&row.one]).any(|x| !x.modulo(&row.den).is_zero())
}

/// Adds the cut of row `r`: `sum (a_j mod d) s_j - ((-c) mod d)` is non-negative and divisible by `d`. With parameters
/// in `c`, the remainder takes a floor `q = floor(-c / d)`; where it is zero on the whole context, `c` is `-d q` and
/// there is nothing to cut.
/// Source: isl, `add_parametric_cut` (a cut counts as negative for all parameters).
fn cut<T: Int>(st: &mut State<T>, r: usize, bud: &Budget) -> Res<()> {
    let d = st.rows[r].den.clone();
    let cols = st.rows[r].cols.iter().map(|a| a.modulo(&d)).collect();
    let mut params: Vec<T> = st.rows[r].params.iter().map(|a| a.modulo(&d)).collect();
    if params.iter().all(Int::is_zero) {
        let one = st.rows[r].one.neg().modulo(&d).neg();
        st.rows.push(Row { den: d, cols, big: T::zero(), one, params, sign: None });
        return Ok(());
    }
    let one = st.rows[r].one.modulo(&d);
    // -c - d q in 0..d, with c reduced modulo d.
    let q = floor_column(st, &params, &one, &d)?;
    params.resize(st.context.cols(), T::zero());
    params[q] = params[q].add(&d)?;
    st.rows.push(Row { den: d, cols, big: T::zero(), one, params, sign: None });
    if matches!(sign(st, st.rows.len() - 1, bud)?, Sign::NonNegative) {
        let zero = st.rows.pop().expect("the cut was pushed");
        let row = &mut st.rows[r];
        for (x, y) in row.params.iter_mut().zip(&zero.params) {
            *x = x.sub(y)?;
        }
        row.one = row.one.sub(&zero.one)?;
        row.sign = None;
        return Ok(());
    }
    // Nowhere positive, the constant needs no case distinction: where it is zero, the pivot leaves all values as
    // they are.
    let (last, unknowns) = (st.rows.len() - 1, st.rows[r].cols.len());
    if let Some(c) = entering(&st.rows, last, unknowns)? {
        pivot(&mut st.rows, last, c, bud)?;
    }
    Ok(())
}

/// The context column of `floor(-(params + one) / d)`; a new existential unless the context has it already.
fn floor_column<T: Int>(st: &mut State<T>, params: &[T], one: &T, d: &T) -> Res<usize> {
    let width = st.context.cols();
    let same = |f: &(Vec<T>, T, T)| {
        let n = f.0.len();
        f.0 == params[..n] && params[n..].iter().all(Int::is_zero) && f.1 == *one && f.2 == *d
    };
    if let Some(k) = st.floors.iter().position(same) {
        return Ok(st.context.n + k);
    }
    st.floors.push((params.to_vec(), one.clone(), d.clone()));
    st.context.add_exists(1);
    st.tab = None;
    for row in &mut st.rows {
        row.params.push(T::zero());
    }
    for row in floor_pair(params, one, d, width, width + 1)? {
        st.context.ge.push(&row);
    }
    for x in &mut st.witnesses {
        let value = T::dot(params, x)?.add(one)?.neg().fdiv(d);
        x.push(value);
    }
    Ok(width)
}

fn floor_pair<T: Int>(params: &[T], one: &T, d: &T, q: usize, width: usize) -> Res<[Vec<T>; 2]> {
    let mut up = negated(params);
    up.resize(width, T::zero());
    up.push(one.neg());
    up[q] = d.neg();
    let mut low = negated(&up);
    low[width] = low[width].add(d)?.sub(&T::one())?;
    Ok([up, low])
}

/// Appends the solution under the present context; `Error::Unbounded` if an unknown column stays at minus infinity.
fn leaf<T: Int>(st: &State<T>, n: usize, first: usize, out: &mut Vec<Sys<T>>) -> Res<()> {
    let count = n - first;
    // x = x' - M is finite iff x' has M exactly once.
    if st.rows[..count].iter().any(|r| r.big != r.den) {
        return Err(Stop::Error(Error::Unbounded));
    }
    let visible: Vec<Option<usize>> = (0..n).map(|c| (c < first).then_some(c)).collect();
    let exists: Vec<Option<usize>> = (first..st.context.cols()).map(Some).collect();
    let mut s = st.context.remap(&visible, &exists);
    let last = s.cols();
    for (k, r) in st.rows[..count].iter().enumerate() {
        let mut row = vec![T::zero(); last + 1];
        for (c, v) in r.params.iter().enumerate() {
            row[if c < first { c } else { c + count }] = v.fdiv(&r.den);
        }
        row[last] = r.one.fdiv(&r.den);
        row[first + k] = T::of(-1);
        s.eq.push(&row);
    }
    out.push(s);
    Ok(())
}
