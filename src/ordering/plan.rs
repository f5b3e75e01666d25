//! Whether a plan calls out after internal data was read, and the nearest order that does not.
//!
//! A blocked step comes with all that it needs (`early`), a source with all that needs it (`late`). An order is safe exactly
//! if everything early stands before everything late, so there is one unless some step is both. The others are free. To
//! keep as many steps as possible in place, choose a position: the early steps before it and the late ones from it on stay,
//! and so do all free ones; the rest moves. Of the positions that keep most the last gives the least step numbers first,
//! because what is free and stands before it need not wait for the early steps behind it.

use serde::Serialize;

use super::SessionTool;
use super::steps::Steps;

/// The answer to a plan.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Verdict<'t> {
    pub valid: bool,
    pub violations: Vec<Violation<'t>>,
    /// None if no order is safe.
    pub safe_ordering: Option<Vec<&'t str>>,
}

/// A step that will be blocked.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Violation<'t> {
    /// From 0.
    pub at_step: usize,
    pub tool: &'t str,
    pub reason: String,
    pub suggestion: String,
}

/// A plan without violations is its own safe ordering.
pub fn verdict<'t>(steps: &Steps<'t>) -> Verdict<'t> {
    let violations = violations(steps);
    let order = match violations.is_empty() {
        true => Some((0..steps.tools.len()).collect()),
        false => safe_ordering(steps),
    };
    let names = |order: Vec<usize>| order.into_iter().map(|step| steps.tools[step].name.as_str()).collect();
    Verdict { valid: violations.is_empty(), violations, safe_ordering: order.map(names) }
}

fn violations<'t>(steps: &Steps<'t>) -> Vec<Violation<'t>> {
    let Some(first) = steps.tools.iter().position(|tool| tool.is_source()) else { return Vec::new() };
    let source = &steps.tools[first].name;
    let fed = steps.needs.with_dependents(marks(steps, SessionTool::is_source));
    let blocked = |(at_step, tool): (usize, &&'t SessionTool)| {
        let name = tool.name.as_str();
        let suggestion = match fed[at_step] {
            true => format!(
                "{name} needs what an internal tool returns, so no order is safe; leave it out, or do it in another session"
            ),
            false => format!("move {name} before {source}"),
        };
        let reason = format!("{name} is blocked after {source} (step {first}) loads internal data");
        Violation { at_step, tool: name, reason, suggestion }
    };
    let later = steps.tools.iter().enumerate().skip(first);
    later.filter(|(_, tool)| tool.is_blocked()).map(blocked).collect()
}

fn marks(steps: &Steps<'_>, is_meant: impl Fn(&SessionTool) -> bool) -> Vec<bool> {
    steps.tools.iter().map(|tool| is_meant(tool)).collect()
}

/// The step numbers of the safe order with fewest moves; of several the one with the least numbers first.
fn safe_ordering(steps: &Steps<'_>) -> Option<Vec<usize>> {
    let early = steps.needs.with_needed(marks(steps, SessionTool::is_blocked));
    let late = steps.needs.with_dependents(marks(steps, SessionTool::is_source));
    let all = 0..early.len();
    if all.clone().any(|step| early[step] && late[step]) {
        return None;
    }
    let until = divide(&early, &late);
    let mut left = early.iter().filter(|is_early| **is_early).count();
    let mut is_placed = vec![false; early.len()];
    let mut order = Vec::with_capacity(early.len());
    // What is late has to wait; from the position on, what is free does, too.
    for step in all.clone().take_while(|step| *step < until || !late[*step]) {
        if left > 0 && !late[step] {
            is_placed[step] = true;
            order.push(step);
            left -= usize::from(early[step]);
        }
    }
    for step in all.clone().filter(|step| early[*step]) {
        if !std::mem::replace(&mut is_placed[step], true) {
            order.push(step);
        }
    }
    order.extend(all.filter(|step| !is_placed[*step]));
    Some(order)
}

/// The last of the positions at which most steps stay: early ones before it, late ones from it on.
fn divide(early: &[bool], late: &[bool]) -> usize {
    let mut kept = late.iter().filter(|is_late| **is_late).count();
    let mut best = (kept, 0);
    for step in 0..early.len() {
        kept = kept + usize::from(early[step]) - usize::from(late[step]);
        best = best.max((kept, step + 1));
    }
    best.1
}
