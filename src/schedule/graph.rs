//! Strongly connected components of a statement dependence graph.
//!
//! Source: Tarjan, SIAM J. Comput. 1(2), 1972.

/// Components of the graph `0..n` with these edges, in a topological order (every edge goes to the same or a later
/// component). Among the possible orders, components with smaller nodes come first. Nodes of a component ascend.
#[must_use]
pub fn components(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); n];
    for &(a, b) in edges {
        if a != b && !next[a].contains(&b) {
            next[a].push(b);
        }
    }
    let comp = component_numbers(&next);
    let count = comp.iter().max().map_or(0, |m| m + 1);
    let mut members = vec![Vec::new(); count];
    for (v, &c) in comp.iter().enumerate() {
        members[c].push(v);
    }
    let mut blocked = vec![0usize; count];
    for &(a, b) in edges {
        if comp[a] != comp[b] {
            blocked[comp[b]] += 1;
        }
    }
    let mut order: Vec<Vec<usize>> = Vec::with_capacity(count);
    let mut done = vec![false; count];
    while order.len() < count {
        let ready = (0..count).filter(|&c| !done[c] && blocked[c] == 0);
        let Some(c) = ready.min_by_key(|&c| members[c][0]) else {
            break;
        };
        done[c] = true;
        for &(a, b) in edges {
            if comp[a] == c && comp[b] != c {
                blocked[comp[b]] -= 1;
            }
        }
        order.push(members[c].clone());
    }
    order
}

/// State of one depth-first search.
struct Search<'a> {
    next: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    comp: Vec<Option<usize>>,
    stack: Vec<usize>,
    counter: usize,
    found: usize,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        let mut work = vec![(root, 0usize)];
        while let Some((v, edge)) = work.pop() {
            if edge == 0 {
                self.index[v] = Some(self.counter);
                self.low[v] = self.counter;
                self.counter += 1;
                self.stack.push(v);
            }
            let Some(&w) = self.next[v].get(edge) else {
                self.close(v);
                if let Some(&(parent, _)) = work.last() {
                    self.low[parent] = self.low[parent].min(self.low[v]);
                }
                continue;
            };
            work.push((v, edge + 1));
            match self.index[w] {
                None => work.push((w, 0)),
                Some(i) if self.comp[w].is_none() => self.low[v] = self.low[v].min(i),
                Some(_) => {}
            }
        }
    }

    /// All edges of `v` are done: pops its component if `v` is its root.
    fn close(&mut self, v: usize) {
        if Some(self.low[v]) != self.index[v] {
            return;
        }
        while let Some(w) = self.stack.pop() {
            self.comp[w] = Some(self.found);
            if w == v {
                break;
            }
        }
        self.found += 1;
    }
}

fn component_numbers(next: &[Vec<usize>]) -> Vec<usize> {
    let n = next.len();
    let mut search = Search {
        next,
        index: vec![None; n],
        low: vec![0; n],
        comp: vec![None; n],
        stack: Vec::new(),
        counter: 0,
        found: 0,
    };
    for v in 0..n {
        if search.index[v].is_none() {
            search.visit(v);
        }
    }
    search.comp.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn chain_cycle_and_islands() {
        assert_eq!(components(3, &[(2, 1), (1, 0)]), vec![vec![2], vec![1], vec![0]]);
        assert_eq!(components(4, &[(0, 1), (1, 0), (1, 2)]), vec![vec![0, 1], vec![2], vec![3]]);
        assert_eq!(components(3, &[(0, 1), (1, 2), (2, 0)]), vec![vec![0, 1, 2]]);
        assert_eq!(components(2, &[]), vec![vec![0], vec![1]]);
        assert!(components(0, &[]).is_empty());
    }

    #[test]
    fn every_small_graph_against_reachability() {
        let n = 4;
        let pairs: Vec<(usize, usize)> =
            (0..n).flat_map(|a| (0..n).filter(move |b| *b != a).map(move |b| (a, b))).collect();
        for mask in 0u32..1 << pairs.len() {
            let edges: Vec<_> = (0..pairs.len()).filter(|k| mask >> k & 1 == 1).map(|k| pairs[k]).collect();
            let mut reach = [[false; 4]; 4];
            (0..n).for_each(|v| reach[v][v] = true);
            for _ in 0..n {
                for &(a, b) in &edges {
                    for v in 0..n {
                        reach[v][b] |= reach[v][a];
                    }
                }
            }
            let comps = components(n, &edges);
            let place = |v: usize| comps.iter().position(|c| c.contains(&v)).expect("in a component");
            for a in 0..n {
                for b in 0..n {
                    assert_eq!(place(a) == place(b), reach[a][b] && reach[b][a], "{edges:?}");
                    assert!(!reach[a][b] || place(a) <= place(b), "{edges:?}");
                }
            }
        }
    }
}
