//! A conjunction in the narrowest coefficient type that holds it, and the dispatch that runs an algorithm on machine
//! integers first and in arbitrary precision when a step overflows.

use crate::num::{Int, Res};
use crate::sets::space::Kind;
use crate::system::divs;
use crate::system::sys::{Mat, Sys};
use num_bigint::BigInt;
use std::sync::Arc;

/// Shared, so that a piece that goes unchanged from one set into another is not copied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    Small(Arc<Sys<i64>>),
    Big(Arc<Sys<BigInt>>),
}

impl Body {
    pub fn universe(n: usize) -> Body {
        Body::of(Sys::universe(n, 0))
    }

    pub fn contradiction(n: usize) -> Body {
        Body::of(Sys::contradiction(n))
    }

    pub fn of(s: Sys<i64>) -> Body {
        Body::Small(Arc::new(s))
    }

    pub fn n(&self) -> usize {
        match self {
            Body::Small(s) => s.n,
            Body::Big(s) => s.n,
        }
    }

    pub fn n_exists(&self) -> usize {
        match self {
            Body::Small(s) => s.e,
            Body::Big(s) => s.e,
        }
    }

    pub fn is_universe(&self) -> bool {
        match self {
            Body::Small(s) => s.is_universe(),
            Body::Big(s) => s.is_universe(),
        }
    }

    pub fn to_big(&self) -> Sys<BigInt> {
        match self {
            Body::Small(s) => widen(s),
            Body::Big(s) => (**s).clone(),
        }
    }

    pub fn small(&self) -> Option<&Sys<i64>> {
        match self {
            Body::Small(s) => Some(s),
            Body::Big(_) => None,
        }
    }

    /// Adds a full-width row, or one without existential columns.
    pub fn add(&mut self, kind: Kind, row: &[i64]) {
        let (n, e) = (self.n(), self.n_exists());
        assert!(
            row.len() == n + e + 1 || row.len() == n + 1,
            "row of {} entries, expected {} or {}",
            row.len(),
            n + e + 1,
            n + 1
        );
        if row.len() == n + e + 1 {
            return self.add_wide(kind, row);
        }
        let mut wide = vec![0; n + e + 1];
        wide[..n].copy_from_slice(&row[..n]);
        wide[n + e] = row[n];
        self.add_wide(kind, &wide);
    }

    fn add_wide(&mut self, kind: Kind, row: &[i64]) {
        if row.contains(&i64::MIN)
            && let Body::Small(s) = self
        {
            *self = Body::Big(Arc::new(widen(s)));
        }
        match self {
            Body::Small(s) => push(Arc::make_mut(s), kind, row),
            Body::Big(s) => push(Arc::make_mut(s), kind, &row.iter().map(|v| BigInt::from(*v)).collect::<Vec<_>>()),
        }
    }

    /// As [`Body::add`], with numbers of any size.
    pub fn add_big(&mut self, kind: Kind, row: &[BigInt]) {
        if let Some(small) = row.iter().map(Int::to_i64).collect::<Option<Vec<i64>>>() {
            return self.add(kind, &small);
        }
        let mut s = self.to_big();
        let (n, all) = (s.n, s.cols() + 1);
        assert!(row.len() == all || row.len() == n + 1, "row of {} entries, expected {all} or {}", row.len(), n + 1);
        let mut wide = row.to_vec();
        wide.splice(n..n, std::iter::repeat_n(BigInt::ZERO, all - row.len()));
        push(&mut s, kind, &wide);
        *self = Body::Big(Arc::new(s));
    }

    pub fn add_exists(&mut self) -> usize {
        match self {
            Body::Small(s) => Arc::make_mut(s).add_exists(1) - s.n,
            Body::Big(s) => Arc::make_mut(s).add_exists(1) - s.n,
        }
    }

    pub fn remap(&self, visible: &[Option<usize>]) -> Body {
        match self {
            Body::Small(s) => Body::of(s.remap(visible, &own_exists(s))),
            Body::Big(s) => Body::Big(Arc::new(s.remap(visible, &own_exists(s)))),
        }
    }

    /// Whether the rows show that the columns from `first` on depend on those before it.
    pub fn determines(&self, first: usize) -> bool {
        match self {
            Body::Small(s) => divs::determines(s, first),
            Body::Big(s) => divs::determines(s, first),
        }
    }

    /// Conjunction; `None` when rows contradict each other on sight.
    pub fn meet(&self, o: &Body) -> Option<Body> {
        if let (Body::Small(a), Body::Small(b)) = (self, o) {
            if a.clashes_on_sight(b) {
                return None;
            }
            return met(a, b).map(Body::of);
        }
        met(&self.to_big(), &o.to_big()).map(Sys::into_body)
    }

    /// Divides, deduplicates and pairs rows; false when rows contradict each other on sight.
    pub fn tidy(&mut self) -> bool {
        match self {
            Body::Small(s) => Arc::make_mut(s).tidy(),
            Body::Big(s) => Arc::make_mut(s).tidy(),
        }
    }
}

/// Conjunction, in which a floor that both have stands once; `None` when rows contradict each other on sight.
fn met<T: Int>(a: &Sys<T>, b: &Sys<T>) -> Option<Sys<T>> {
    let mut s = a.meet(b);
    if !s.tidy() {
        return None;
    }
    while a.e > 0 && b.e > 0 && divs::merge_equal(&mut s) {
        if !s.tidy() {
            return None;
        }
    }
    Some(s)
}

fn own_exists<T: Int>(s: &Sys<T>) -> Vec<Option<usize>> {
    (s.n..s.cols()).map(Some).collect()
}

fn push<T: Int>(s: &mut Sys<T>, kind: Kind, row: &[T]) {
    let m: &mut Mat<T> = if kind == Kind::Eq { &mut s.eq } else { &mut s.ge };
    m.push(row);
}

pub(crate) fn widen(s: &Sys<i64>) -> Sys<BigInt> {
    s.convert(|v| Some(BigInt::from(*v))).expect("every i64 is a BigInt")
}

/// Results of the two coefficient types brought to one.
pub(crate) trait Unify {
    type Out;
    fn unify(self) -> Self::Out;
}

impl Unify for Sys<i64> {
    type Out = Body;
    fn unify(self) -> Body {
        Body::of(self)
    }
}

impl Unify for Sys<BigInt> {
    type Out = Body;
    fn unify(self) -> Body {
        match self.convert(Int::to_i64) {
            Some(s) => Body::of(s),
            None => Body::Big(Arc::new(self)),
        }
    }
}

/// Shorthand for [`Unify`] on systems.
pub(crate) trait IntoBody {
    fn into_body(self) -> Body;
}

impl<S: Unify<Out = Body>> IntoBody for S {
    fn into_body(self) -> Body {
        self.unify()
    }
}

impl Unify for bool {
    type Out = bool;
    fn unify(self) -> bool {
        self
    }
}

impl Unify for i64 {
    type Out = BigInt;
    fn unify(self) -> BigInt {
        BigInt::from(self)
    }
}

impl Unify for BigInt {
    type Out = BigInt;
    fn unify(self) -> BigInt {
        self
    }
}

impl<A: Unify> Unify for Vec<A> {
    type Out = Vec<A::Out>;
    fn unify(self) -> Self::Out {
        self.into_iter().map(Unify::unify).collect()
    }
}

impl<A: Unify> Unify for Option<A> {
    type Out = Option<A::Out>;
    fn unify(self) -> Self::Out {
        self.map(Unify::unify)
    }
}

/// Borrowed systems; a single one needs no memory.
pub(crate) enum Refs<'a, T> {
    One([&'a Sys<T>; 1]),
    Many(Vec<&'a Sys<T>>),
}

impl<'a, T> std::ops::Deref for Refs<'a, T> {
    type Target = [&'a Sys<T>];

    fn deref(&self) -> &[&'a Sys<T>] {
        match self {
            Refs::One(one) => one,
            Refs::Many(list) => list,
        }
    }
}

/// Borrows all bodies as `i64` systems, if they all are.
pub(crate) fn all_small<'a>(bodies: impl IntoIterator<Item = &'a Body>) -> Option<Refs<'a, i64>> {
    let mut bodies = bodies.into_iter();
    if bodies.size_hint() == (1, Some(1)) {
        return bodies.next()?.small().map(|s| Refs::One([s]));
    }
    let mut list = Vec::with_capacity(bodies.size_hint().0);
    for body in bodies {
        list.push(body.small()?);
    }
    Some(Refs::Many(list))
}

pub(crate) fn all_big<'a>(bodies: impl IntoIterator<Item = &'a Body>) -> Vec<Sys<BigInt>> {
    bodies.into_iter().map(Body::to_big).collect()
}

/// Runs `expr` with each name bound to `&[&Sys<i64>]`; when that overflows (or an input is wide), again with
/// `&[&Sys<BigInt>]`. `expr` is a `Res<R>`; the value is `Result<R::Out>` by [`Unify`].
macro_rules! exact {
    ($($x:ident = $bodies:expr),+ ; $body:expr) => {{
        let mut out: Option<$crate::budget::Result<_>> = None;
        #[allow(unused_parens)]
        if let ($(Some($x)),+) = ($($crate::system::body::all_small($bodies)),+) {
            $(let $x: &[&$crate::system::sys::Sys<i64>] = &$x;)+
            match $body {
                Ok(v) => out = Some(Ok($crate::system::body::Unify::unify(v))),
                Err($crate::num::Stop::Error(e)) => out = Some(Err(e)),
                Err($crate::num::Stop::Overflow) => {}
            }
        }
        match out {
            Some(r) => r,
            None => {
                $(let $x = $crate::system::body::all_big($bodies);
                let $x: Vec<&$crate::system::sys::Sys<num_bigint::BigInt>> = $x.iter().collect();
                let $x: &[&$crate::system::sys::Sys<num_bigint::BigInt>] = &$x;)+
                $crate::system::body::settle($body)
            }
        }
    }};
}
pub(crate) use exact;

/// The result of the arbitrary-precision run.
pub(crate) fn settle<R: Unify>(r: Res<R>) -> crate::budget::Result<R::Out> {
    r.map(Unify::unify).map_err(crate::num::Stop::settled)
}
