//! The safe order of a plan against all permutations of its steps: there is one exactly if some permutation is safe, no
//! permutation moves fewer steps, and of those that move as few it has the least step numbers first.

use gatelint::config::Sensitivity;
use gatelint::inventory::Class;
use gatelint::ordering::{Dependencies, SessionTool, Steps, verdict};
use proptest::prelude::*;

const MOST: usize = 8;
const CASES: u32 = 4_000;

/// A plan: what each step calls, and which earlier steps it needs.
#[derive(Clone, Debug)]
struct Plan {
    tools: Vec<SessionTool>,
    needs: Vec<Vec<usize>>,
}

/// Every step has a tool of its own, so that a name in the answer says which step it is.
fn tool(step: usize, kind: u8) -> SessionTool {
    let sensitivity = match kind {
        0 | 1 => Some(Sensitivity::InternalSource),
        2..=4 => Some(Sensitivity::External),
        _ => None,
    };
    let class = sensitivity.map(Class::configured);
    SessionTool { name: step.to_string(), class, may_follow: kind == 4 }
}

fn plans() -> impl Strategy<Value = Plan> {
    let step = (0u8..6, prop::collection::vec((any::<prop::sample::Index>(), 0u8..4), 0..3));
    prop::collection::vec(step, 0..=MOST).prop_map(|steps| {
        let tools = steps.iter().enumerate().map(|(step, (kind, _))| tool(step, *kind)).collect();
        let needs = steps.iter().enumerate().map(|(step, (_, needs))| {
            // A quarter of what is drawn, so that orders are left.
            let drawn = needs.iter().filter(|(_, rare)| step > 0 && *rare == 0);
            drawn.map(|(need, _)| need.index(step)).collect()
        });
        Plan { tools, needs: needs.collect() }
    })
}

/// The safe permutation that moves fewest steps, the first of those in the order of their numbers.
fn best(plan: &Plan) -> Option<Vec<usize>> {
    let mut search = Search { plan, order: Vec::new(), best: None };
    search.extend(false);
    search.best.map(|(_, order)| order)
}

struct Search<'p> {
    plan: &'p Plan,
    order: Vec<usize>,
    best: Option<(usize, Vec<usize>)>,
}

impl Search<'_> {
    /// Every order that begins as `order` does, least numbers first.
    fn extend(&mut self, is_tainted: bool) {
        let all = self.plan.tools.len();
        if self.order.len() == all {
            let moves = all - kept(&self.order);
            if self.best.as_ref().is_none_or(|(least, _)| moves < *least) {
                self.best = Some((moves, self.order.clone()));
            }
            return;
        }
        for step in 0..all {
            let is_ready = self.plan.needs[step].iter().all(|need| self.order.contains(need));
            let tool = &self.plan.tools[step];
            if self.order.contains(&step) || !is_ready || (is_tainted && tool.is_blocked()) {
                continue;
            }
            self.order.push(step);
            self.extend(is_tainted || tool.is_source());
            self.order.pop();
        }
    }
}

/// The longest part that stays in its order.
fn kept(order: &[usize]) -> usize {
    let mut longest = vec![1; order.len()];
    for (at, step) in order.iter().enumerate() {
        let before = (0..at).filter(|earlier| order[*earlier] < *step).map(|earlier| longest[earlier] + 1);
        longest[at] = before.max().unwrap_or(1);
    }
    longest.into_iter().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_permutation_is_better_than_the_safe_order(plan in plans()) {
        let steps = Steps { tools: plan.tools.iter().collect(), needs: Dependencies::new(plan.needs.clone()) };
        let answer = verdict(&steps);
        let order: Option<Vec<usize>> = answer
            .safe_ordering
            .map(|names| names.iter().map(|name| name.parse().unwrap()).collect());
        prop_assert_eq!(&order, &best(&plan));
        let unchanged: Vec<usize> = (0..plan.tools.len()).collect();
        prop_assert_eq!(answer.valid, order == Some(unchanged));
        prop_assert_eq!(answer.valid, answer.violations.is_empty());
    }
}
