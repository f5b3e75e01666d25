//! Strongly connected components of the call graph, callees first: the order in which summaries are made. Iterative, so
//! that a chain of calls of any length fits the stack (Tarjan 1972).

/// The nodes `0..count` of a graph, grouped: every node comes after those it leads to, as far as that is possible inside
/// a group. The order inside a group, and of groups, follows from the numbers alone.
pub fn components(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut tarjan = Tarjan {
        index: vec![UNSEEN; count],
        low: vec![0; count],
        left: vec![0; count],
        on_stack: vec![false; count],
        stack: Vec::new(),
        seen: 0,
        closed: 0,
        found: Vec::new(),
    };
    for node in 0..count {
        if tarjan.index[node] == UNSEEN {
            tarjan.from(node, &next);
        }
    }
    tarjan.found
}

/// By node, the number of its group; callees have the smaller ones.
pub fn groups(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<u32> {
    let mut groups = vec![0; count];
    for (number, group) in (0..).zip(components(count, next)) {
        group.into_iter().for_each(|node| groups[node] = number);
    }
    groups
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan {
    index: Vec<u32>,
    low: Vec<u32>,
    /// The order in which nodes were left for the last time.
    left: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    seen: u32,
    closed: u32,
    found: Vec<Vec<usize>>,
}

impl Tarjan {
    fn from(&mut self, root: usize, next: &impl Fn(usize) -> Vec<usize>) {
        let mut work = vec![self.open(root, next)];
        while let Some((node, rest)) = work.last_mut() {
            let node = *node;
            match rest.next() {
                Some(to) if self.index[to] == UNSEEN => work.push(self.open(to, next)),
                Some(to) if self.on_stack[to] => self.low[node] = self.low[node].min(self.index[to]),
                Some(_) => {}
                None => {
                    work.pop();
                    if let Some((parent, _)) = work.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[node]);
                    }
                    self.close(node);
                }
            }
        }
    }

    fn open(
        &mut self,
        node: usize,
        next: &impl Fn(usize) -> Vec<usize>,
    ) -> (usize, std::vec::IntoIter<usize>) {
        self.index[node] = self.seen;
        self.low[node] = self.seen;
        self.seen += 1;
        self.on_stack[node] = true;
        self.stack.push(node);
        (node, next(node).into_iter())
    }

    fn close(&mut self, node: usize) {
        self.left[node] = self.closed;
        self.closed += 1;
        if self.low[node] != self.index[node] {
            return;
        }
        let start = self.stack.iter().rposition(|&open| open == node).unwrap_or_default();
        let mut group = self.stack.split_off(start);
        group.iter().for_each(|&node| self.on_stack[node] = false);
        group.sort_unstable_by_key(|&node| self.left[node]);
        self.found.push(group);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reaches(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
        let (mut seen, mut work) = (vec![from], vec![from]);
        while let Some(node) = work.pop() {
            for &(_, next) in edges.iter().filter(|(start, _)| *start == node) {
                if !seen.contains(&next) {
                    seen.push(next);
                    work.push(next);
                }
            }
        }
        seen.contains(&to)
    }

    proptest! {
        #[test]
        fn nodes_that_reach_each_other_are_together_and_callees_come_first(
            edges in prop::collection::vec((0usize..12, 0usize..12), 0..40),
        ) {
            let groups = components(12, |node| {
                edges.iter().filter(|(from, _)| *from == node).map(|&(_, to)| to).collect()
            });
            let place = |node| groups.iter().position(|group| group.contains(&node)).unwrap();
            prop_assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 12);
            for a in 0..12 {
                for b in 0..12 {
                    let together = reaches(&edges, a, b) && reaches(&edges, b, a);
                    prop_assert_eq!(together, place(a) == place(b));
                    if reaches(&edges, a, b) {
                        prop_assert!(place(b) <= place(a));
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let groups = components(200_000, |node| if node + 1 < 200_000 { vec![node + 1] } else { vec![] });
        assert_eq!(groups.len(), 200_000);
        assert_eq!(groups[0], [199_999]);
    }
}
