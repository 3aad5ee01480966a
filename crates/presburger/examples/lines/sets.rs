//! Operations on sets.

use super::form::Shown;
use super::{Op, STEPS, rows};
use presburger::{Aff, BasicSet, Bound, Budget, Dim, Kind, Map, PwMultiAff, PwQPoly, Result, Set, UnionMap};

pub struct Case {
    a: Set,
    b: Set,
    f: Aff,
    dim: usize,
    params: Vec<i64>,
}

impl Case {
    pub fn read(fields: &[&str]) -> std::result::Result<Case, String> {
        let set = |t: &str| Set::parse(t).map_err(|e| format!("{e} in {t}"));
        let graph = Map::parse(fields[2]).map_err(|e| format!("{e} in {}", fields[2]))?;
        let f = PwMultiAff::from_map(&graph, &Budget::steps(STEPS)).map_err(|e| e.to_string())?;
        let f = f.pieces().next().map(|(_, affs)| affs[0].clone()).ok_or("no function")?;
        Ok(Case {
            a: set(fields[0])?,
            b: set(fields[1])?,
            f,
            dim: fields[3].parse().map_err(|_| "not a dim")?,
            params: fields[4]
                .split_whitespace()
                .map(|v| v.parse().map_err(|_| "not a number"))
                .collect::<std::result::Result<_, _>>()?,
        })
    }

    /// The only piece of `a`.
    fn piece(&self) -> Option<&BasicSet> {
        if self.a.basics().len() == 1 { self.a.basics().first() } else { None }
    }

    /// The numbers of points of `a` and `b`, joined.
    fn joined_card(&self, f: fn(&PwQPoly, &PwQPoly, &Budget) -> Result<PwQPoly>, b: &Budget) -> Result<String> {
        let counts = (self.a.card(b)?, self.b.card(b)?);
        let (Some(x), Some(y)) = counts else { return Ok("infinite".to_string()) };
        Ok(f(&x, &y, b)?.to_string())
    }

    /// `a` at the parameter values.
    fn at_params(&self) -> Set {
        self.params.iter().enumerate().fold(self.a.clone(), |s, (p, v)| s.fix(Dim::Param, p, *v))
    }
}

fn bound(v: &Bound) -> String {
    match v {
        Bound::Empty => "empty".to_string(),
        Bound::Unbounded => "unbounded".to_string(),
        Bound::Value(v) => v.to_string(),
    }
}

fn point(s: &Set, x: &[i64]) -> Set {
    let np = s.space().n_param();
    x.iter().enumerate().fold(Set::universe(s.space().clone()), |t, (c, v)| {
        if c < np { t.fix(Dim::Param, c, *v) } else { t.fix(Dim::Out, c - np, *v) }
    })
}

/// At most so many points are listed.
const MOST_POINTS: usize = 60;

pub fn operations() -> Vec<Op<Case>> {
    let mut all = unary();
    all.extend(hulls());
    all.extend(binary());
    all
}

fn unary() -> Vec<Op<Case>> {
    vec![
        text!("same", |c| c.a),
        spent!("coalesce", |c, b| c.a.coalesce(b)),
        spent!("complement", |c, b| c.a.complement(b)),
        spent!("lexmin", |c, b| c.a.lexmin(b)),
        spent!("lexmax", |c, b| c.a.lexmax(b)),
        spent!("project", |c, b| c.a.project_out(c.dim, 1, b)),
        spent!("params", |c, b| c.a.params(b)),
        spent!("compute_divs", |c, b| c.a.compute_divs(b)),
        spent!("make_disjoint", |c, b| c.a.make_disjoint(b)),
        spent!("divs_of_disjoint", |c, b| c.a.make_disjoint(b)?.compute_divs(b).map(|s| s.into_owned())),
        spent!("empty", |c, b| c.a.is_empty(b)),
        spent!("bounded", |c, b| c.a.is_bounded(b)),
        ("sample", |c, b, _| Ok(c.a.sample(b)?.map_or_else(|| "none".to_string(), |x| point(&c.a, &x).to_string()))),
        ("points", |c, _, _| {
            let list = c.at_params().points(MOST_POINTS)?;
            Ok(list.iter().fold(Set::empty(c.a.space().clone()), |s, x| s.union(&point(&c.a, x))).to_string())
        }),
        ("min", |c, b, _| Ok(bound(&c.a.min_of(&c.f, b)?))),
        ("max", |c, b, _| Ok(bound(&c.a.max_of(&c.f, b)?))),
        ("card", |c, b, _| {
            Ok(c.a.card(b)?.map_or_else(|| "infinite".to_string(), |q| q.eval(&c.params, &[]).to_string()))
        }),
        ("card_text", |c, b, _| Ok(c.a.card(b)?.map_or_else(|| "infinite".to_string(), |q| q.to_string()))),
        ("card_add", |c, b, _| c.joined_card(PwQPoly::add, b)),
        ("card_sub", |c, b, _| c.joined_card(PwQPoly::sub, b)),
        ("card_mul", |c, b, _| c.joined_card(PwQPoly::mul, b)),
        ("card_scale", |c, b, _| Ok(c.a.card(b)?.map_or_else(|| "infinite".to_string(), |q| q.scale(-3).to_string()))),
        ("card_restrict", |c, b, _| {
            let (q, context) = (c.a.card(b)?, c.b.params(b)?);
            Ok(q.map_or_else(|| "infinite".to_string(), |q| q.intersect_domain(&context).to_string()))
        }),
        plain!("identity", |c| c.a.identity()),
        plain!("rename", |c| c.a.with_tuple("Q")),
        plain!("fix", |c| c.a.fix(Dim::Out, c.dim, 2)),
    ]
}

fn hulls() -> Vec<Op<Case>> {
    vec![
        spent!("affine_hull", |c, b| c.a.affine_hull(b)),
        spent!("simple_hull", |c, b| c.a.simple_hull(b).map(std::borrow::Cow::into_owned)),
        spent!("convex_hull", |c, b| c.a.convex_hull_rational(b)),
        ("simplify", |c, b, _| c.piece().map_or_else(|| Ok("none".to_string()), |p| Ok(p.simplify(b)?.to_string()))),
        ("bounds", |c, b, _| {
            let Some(piece) = c.piece() else { return Ok("none".to_string()) };
            let mut s = BasicSet::universe(c.a.space().clone());
            for (kind, row) in piece.loop_bounds(c.a.space().n_out() - 1, b)? {
                s.add(kind, &row);
            }
            Ok(s.to_string())
        }),
        spent!("lattice_hull", |c, b| c.a.lattice_hull(b)),
        ("stride", |c, b, _| {
            let s = c.a.stride(c.dim, b)?;
            Ok(s.map_or_else(|| "empty".to_string(), |s| format!("{} @ {}", s.step, s.offset)))
        }),
        ("loop_nest", |c, b, _| {
            let Some(piece) = c.piece() else { return Ok("none".to_string()) };
            let nest = piece.loop_nest(b)?;
            let mut s = BasicSet::universe(c.a.space().clone());
            let n = c.a.space().n_cols();
            for (kind, row) in nest.levels.iter().flatten().chain(&nest.guard) {
                let mut wide = row[..row.len() - 1].to_vec();
                wide.resize(n, 0);
                wide.push(row[row.len() - 1]);
                s.add(*kind, &wide);
            }
            Ok(format!("{} @ {s}", piece.n_exists()))
        }),
        spent!("rows_shadow", |c, b| rows::shadow(&c.a, b)),
        ("rows_empty", |c, b, _| Ok(rows::surely_empty(&c.a, b)?.to_string())),
        ("dual", |c, b, _| {
            let Some(piece) = c.piece().filter(|p| p.n_exists() == 0) else { return Ok("none".to_string()) };
            let rows = piece.dual_rows(b)?;
            let text = rows.iter().map(|(k, r)| {
                let r: Vec<String> = r.iter().map(ToString::to_string).collect();
                format!("{} {}", if *k == Kind::Eq { "=" } else { ">=" }, r.join(" "))
            });
            // The rows belong to the rational points of this piece.
            Ok(format!("{} @ {piece}", text.collect::<Vec<_>>().join(";")))
        }),
    ]
}

fn binary() -> Vec<Op<Case>> {
    vec![
        plain!("intersect", |c| c.a.intersect(&c.b)),
        plain!("union", |c| c.a.union(&c.b)),
        spent!("subtract", |c, b| c.a.subtract(&c.b, b)),
        ("rows_subtract", |c, b, form| {
            Ok(rows::difference(&c.a, &c.b, b)?.map_or_else(|| "none".to_string(), |s| s.shown(form)))
        }),
        spent!("gist", |c, b| c.a.gist(&c.b, b)),
        spent!("subset", |c, b| c.a.is_subset(&c.b, b)),
        spent!("strict_subset", |c, b| c.a.is_strict_subset(&c.b, b)),
        spent!("equal", |c, b| c.a.is_equal(&c.b, b)),
        spent!("disjoint", |c, b| c.a.is_disjoint(&c.b, b)),
        plain!("product", |c| c.a.product(&c.b)),
        plain!("flat_product", |c| c.a.flat_product(&c.b)),
        plain!("unwrap", |c| c.a.product(&c.b).unwrap().expect("a product is wrapped")),
        plain!("flatten", |c| c.a.product(&c.b).flatten()),
        plain!("lex_lt", |c| Set::lex_lt(c.a.space()).intersect_domain(&c.a).intersect_range(&c.b)),
        plain!("lex_le", |c| Set::lex_le(c.a.space()).intersect_domain(&c.a).intersect_range(&c.b)),
        spent!("intersect_params", |c, b| c.b.params(b).map(|p| c.a.intersect_params(&p))),
        spent!("apply", |c, b| {
            let m = Set::lex_lt(c.a.space()).intersect_range(&c.b);
            c.a.apply(&m, b)
        }),
        spent!("union_subtract", |c, b| {
            let (x, y): (UnionMap, UnionMap) = (c.a.identity().into(), c.b.identity().into());
            x.subtract(&y, b)
        }),
    ]
}
