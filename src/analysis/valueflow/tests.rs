//! The laws of the graph, on generated programs: what it finds is what a search over all ways finds that keeps every call in mind.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::graph::{Flow, Graph, Node, Site, Step, Way};
use super::paths::{Change, Key, Path};
use super::questions::{Question, Root};
use super::reach::{Reach, reaches};
use crate::catalog::{Purpose, Purposes};
use crate::finding::Confidence;
use crate::ir::Sym;

/// Functions of as many nodes each: the first is the parameter, the last what is handed back.
const NODES: u32 = 4;

/// As many keys as are told apart.
const KEYS: usize = 64;

#[derive(Clone, Debug)]
struct Program {
    functions: u32,
    flows: Vec<Flow>,
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        Just(Key::Name(Sym(0))),
        Just(Key::Name(Sym(1))),
        Just(Key::At(0)),
        Just(Key::Each),
        Just(Key::From(1)),
        Just(Key::Attr(Sym(0))),
        Just(Key::File)
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Same),
        1 => key().prop_map(Step::Into),
        1 => key().prop_map(Step::OutOf),
        1 => Just(Step::Made),
    ]
}

/// A program whose functions call only those before them, unless `is_recursive`.
fn program(is_recursive: bool) -> impl Strategy<Value = Program> {
    let functions = 4u32;
    let inside = (0..functions, 0..NODES, 0..NODES, step());
    let call = (0..functions, 0..functions, 0..NODES, 0..NODES, step());
    let shared = (0..functions * NODES, 0..functions * NODES);
    let parts = (
        prop::collection::vec(inside, 0..14),
        prop::collection::vec(call, 0..7),
        prop::collection::vec(shared, 0..2),
    );
    parts.prop_map(move |(inside, calls, shared)| {
        let (sure, clean) = (Confidence::High, Purposes::default());
        let mut flows = Vec::new();
        for (func, from, to, step) in inside {
            let node = |at| Node(func * NODES + at);
            flows.push(Flow {
                from: node(from),
                to: node(to),
                step,
                way: Way::Here,
                confidence: sure,
                clean,
            });
        }
        for (site, (caller, callee, given, result, step)) in (0..).zip(calls) {
            if !is_recursive && callee >= caller {
                continue;
            }
            let of_caller = |at| Node(caller * NODES + at);
            let of_callee = |at| Node(callee * NODES + at);
            let (enter, leave) = (Way::Enter(Site(site)), Way::Leave(Site(site)));
            let (given, result) = (of_caller(given), of_caller(result));
            flows.push(Flow { from: given, to: of_callee(0), step, way: enter, confidence: sure, clean });
            let (from, step) = (of_callee(NODES - 1), Step::Same);
            flows.push(Flow { from, to: result, step, way: leave, confidence: sure, clean });
        }
        for (from, to) in shared {
            let (from, to, step) = (Node(from), Node(to), Step::Same);
            flows.push(Flow { from, to, step, way: Way::Shared, confidence: sure, clean });
        }
        Program { functions, flows }
    })
}

impl Program {
    fn graph(&self) -> Graph {
        Graph::new((self.functions * NODES) as usize, self.flows.clone())
    }

    /// Attributes are always told apart.
    fn without_attributes(mut self) -> Self {
        self.flows.retain(|flow| {
            !matches!(flow.step, Step::Into(Key::Attr(_) | Key::File) | Step::OutOf(Key::Attr(_) | Key::File))
        });
        self
    }

    fn nodes(&self) -> Vec<Node> {
        (0..self.functions * NODES).map(Node).collect()
    }

    /// What is reached, with its parts.
    fn found(&self, start: Node, group_of: &dyn Fn(Node) -> u32) -> BTreeSet<(Node, Path)> {
        let reach = reach(&self.graph(), &[start], &self.nodes(), group_of);
        let nodes = self.nodes().into_iter();
        nodes.flat_map(|node| reach.at(node).map(|fact| (fact.node, fact.part)).collect::<Vec<_>>()).collect()
    }

    /// The same by every way whose calls and returns match, with at most five calls open. `part` follows a step.
    fn searched<P: Clone + Ord>(
        &self,
        start: Node,
        whole: P,
        part: impl Fn(Step, &P) -> Option<P>,
    ) -> BTreeSet<(Node, P)> {
        let mut seen: BTreeSet<(Node, P, Vec<u32>)> = BTreeSet::new();
        let mut work = vec![(start, whole, Vec::new())];
        while let Some(state) = work.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let (node, known, open) = state;
            for flow in self.flows.iter().filter(|flow| flow.from == node) {
                let Some(part) = part(flow.step, &known) else { continue };
                let mut open = open.clone();
                match flow.way {
                    Way::Here => {}
                    Way::Enter(_) if open.len() == 5 => continue,
                    Way::Enter(Site(site)) => open.push(site),
                    Way::Leave(Site(site)) => match open.pop() {
                        Some(by) if by != site => continue,
                        _ => {}
                    },
                    Way::Shared => open.clear(),
                }
                work.push((flow.to, part, open));
            }
        }
        seen.into_iter().map(|(node, part, _)| (node, part)).collect()
    }
}

/// A path that is not cut.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Exact(Vec<Key>);

/// A step; what a path would be cut for is left out.
fn exact(step: Step, Exact(path): &Exact) -> Option<Exact> {
    let part = match (step, path.split_first()) {
        (Step::OutOf(Key::File), None) => None,
        (Step::Same, _) | (Step::OutOf(_), None) => Some(path.clone()),
        (Step::Made, _) if path.iter().any(|key| matches!(key, Key::Attr(_) | Key::File)) => None,
        (Step::Made, _) => Some(Vec::new()),
        (Step::Into(key), _) => path.is_empty().then(|| [&[key], &path[..]].concat()),
        (Step::OutOf(key), Some((first, left))) => first.meets(key).then(|| left.to_vec()),
    };
    part.map(Exact)
}

/// True if a part that is told, or one that it is in, is meant. Some element may be any of them.
fn is_part(told: Path, path: &[Key]) -> bool {
    let is_meant = |(own, key): (&Key, &Key)| {
        own == key || *own == Key::Any || *own == Key::Each && matches!(key, Key::At(_))
    };
    told.keys().len() <= path.len() && told.keys().iter().zip(path).all(is_meant)
}

/// True if one is a part of the other, however much was cut.
fn is_near(one: Path, other: Path) -> bool {
    one.keys().iter().zip(other.keys()).all(|(own, key)| own == key || *own == Key::Any || *key == Key::Any)
}

fn whole(at: u32) -> Root {
    Root::whole(Node(at), Confidence::High)
}

/// None, one or both of two purposes.
fn purposes(bits: u8) -> Purposes {
    let both = [Purpose::Code, Purpose::Path];
    both.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, purpose)| purpose).collect()
}

/// Where values get from nodes.
fn reach(graph: &Graph, starts: &[Node], ends: &[Node], group_of: &dyn Fn(Node) -> u32) -> Reach {
    let roots: Vec<Root> = starts.iter().map(|start| whole(start.0)).collect();
    let question = Question { roots: &roots, ends: ends.to_vec(), purposes: Purposes::default(), cut: &[] };
    reaches(graph, &graph.cleaned(), &[question], group_of, KEYS).pop().expect("one question has one answer")
}

fn by_function(node: Node) -> u32 {
    node.0 / NODES
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Nothing that some way brings is missed, also where functions call each other.
    #[test]
    fn nothing_is_missed(program in program(true), start in 0..16u32, is_apart in any::<bool>()) {
        // Between functions that call each other, what is put into attributes goes another way.
        let is_flat = |flow: &Flow| matches!(flow.way, Way::Enter(_)) && by_function(flow.from) <= by_function(flow.to);
        let is_apart = is_apart && !program.flows.iter().any(is_flat);
        let program = if is_apart { program } else { program.without_attributes() };
        let found = program.found(Node(start), &|node| if is_apart { by_function(node) } else { 0 });
        for (node, Exact(path)) in program.searched(Node(start), Exact(Vec::new()), exact) {
            let is_told = found.iter().any(|&(known, told)| known == node && is_part(told, &path));
            prop_assert!(is_told, "{node:?} {path:?} of {found:?}");
        }
    }

    /// Every node that is reached is reached by a way whose calls match.
    #[test]
    fn nothing_is_made_up(program in program(false), start in 0..16u32) {
        let found = program.found(Node(start), &by_function);
        let searched = program.searched(Node(start), Path::WHOLE, |step, &path| step.change().of(path));
        for &(node, part) in &found {
            let is_way = searched.iter().any(|&(known, own)| known == node && is_near(own, part));
            prop_assert!(is_way, "{node:?} {part:?}");
        }
    }

    /// One more source never takes a finding away.
    #[test]
    fn more_sources_find_no_less(program in program(true), starts in prop::collection::vec(0..16u32, 2)) {
        let [one, two] = starts[..] else { unreachable!() };
        let (graph, nodes) = (program.graph(), program.nodes());
        let alone = reach(&graph, &[Node(one)], &nodes, &|_| 0);
        let both = reach(&graph, &[Node(one), Node(two)], &nodes, &|_| 0);
        for &node in &nodes {
            for fact in alone.at(node) {
                prop_assert!(both.at(node).any(|known| fact.part.is_within(known.part)));
            }
        }
    }

    /// What is answered together with other questions is what is answered alone.
    #[test]
    fn an_answer_does_not_depend_on_other_questions(
        program in program(true),
        clean in prop::collection::vec(0..4u8, 24),
        asked in prop::collection::vec((0..16u32, prop::collection::vec(0..16u32, 3), 0..4u8, 0..16u32), 1..5),
    ) {
        let mut program = program;
        program.flows.iter_mut().zip(clean).for_each(|(flow, clean)| flow.clean = purposes(clean));
        let graph = program.graph();
        let given: Vec<_> = asked.iter().map(|&(start, _, _, cut)| ([whole(start)], [Node(cut)])).collect();
        let questions: Vec<Question<'_>> = given.iter().zip(&asked).map(|((roots, cut), (_, ends, of, _))| {
            Question { roots, ends: ends.iter().copied().map(Node).collect(), purposes: purposes(*of), cut }
        }).collect();
        let told = |reach: &Reach, end: Node| reach.at(end).map(|fact| fact.part).collect::<BTreeSet<_>>();
        for (together, question) in reaches(&graph, &graph.cleaned(), &questions, &|_| 0, 2).iter().zip(&questions) {
            let alone = reaches(&graph, &graph.cleaned(), std::slice::from_ref(question), &|_| 0, 2).pop().unwrap_or_default();
            for &end in &question.ends {
                prop_assert_eq!(told(together, end), told(&alone, end));
                let ways = together.at(end).map(|fact| together.way(fact));
                let others: Vec<_> = alone.at(end).map(|fact| alone.way(fact)).collect();
                prop_assert_eq!(ways.collect::<Vec<_>>(), others);
            }
        }
    }

    /// What stands for many says all that each of them says, or they would be news for ever.
    #[test]
    fn what_stands_for_a_change_covers_it(steps in prop::collection::vec(step(), 3), at in 0..3usize) {
        let changes: Vec<Change> = steps.iter().map(|step| step.change()).collect();
        let all = changes[..=at].iter().try_fold(Change::NONE, |all, &change| all.then(change));
        if let Some(change) = all {
            prop_assert!(change.under_any().covers(change));
        }
    }

    /// Changes are put together in any order.
    #[test]
    fn changes_are_associative(steps in prop::collection::vec(step(), 3)) {
        let [one, two, three] = [0, 1, 2].map(|at| steps[at].change());
        let left = one.then(two).and_then(|both| both.then(three));
        let right = two.then(three).and_then(|both| one.then(both));
        prop_assert_eq!(left, right);
    }
}

#[test]
fn a_helper_keeps_its_callers_apart() {
    let flow = |from, to, way| Flow {
        from: Node(from),
        to: Node(to),
        step: Step::Same,
        way,
        confidence: Confidence::High,
        clean: Purposes::default(),
    };
    let (one, two) = (Site(0), Site(1));
    let flows = vec![
        flow(0, 4, Way::Enter(one)),
        flow(1, 4, Way::Enter(two)),
        flow(4, 5, Way::Here),
        flow(5, 2, Way::Leave(one)),
        flow(5, 3, Way::Leave(two)),
    ];
    let graph = Graph::new(6, flows);
    let ends: Vec<Node> = (0..6).map(Node).collect();
    let reach = reach(&graph, &[Node(0)], &ends, &|node| u32::from(node.0 < 4));
    assert_eq!(reach.at(Node(2)).count(), 1);
    assert_eq!(reach.at(Node(3)).count(), 0);
    let fact = reach.at(Node(2)).next().expect("it comes back");
    assert_eq!(reach.way(fact), [(Node(0), Path::WHOLE), (Node(2), Path::WHOLE)]);
    assert_eq!(Change::NONE.of(fact.part), Some(Path::WHOLE));
}
