//! Gates of actions by what they say: those that approve whatever comes, and those that approve because something failed, is
//! missing, is not known or is switched off. Of a policy the same is an open policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Cause, Lapse};
use crate::finding::{Confidence, Finding, Place};
use crate::link::{At, Func};
use crate::rule::Rule;

/// GL802: stands at the head of the gate.
pub fn approving<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let judges = Judges::of(context, shared);
    out.extend(judges.own().filter(|&func| !judges.is_policy(func) && judges.approves(func)).filter_map(
        |func| {
            let captures = BTreeMap::from([("gate", context.program.short_name(func))]);
            judges.finding(rule, func, judges.head(func), captures, Confidence::High)
        },
    ));
}

/// GL803: stands at what approves, once for each way.
pub fn fail_open<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let judges = Judges::of(context, shared);
    for func in judges.all.iter().copied().filter(|&func| !judges.approves(func)) {
        let lapses = judges.lapses(func);
        let is_told = |lapse: &&Lapse| !lapse.is_logged && !judges.is_of_policy(func, lapse);
        out.extend(lapses.iter().filter(is_told).filter_map(|lapse| judges.opened(rule, func, lapse)));
    }
}

/// GL901, as far as a policy decides: stands at what allows, or at its head if it allows everything.
pub fn open_policy<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let judges = Judges::of(context, shared);
    let own: Vec<Func> = judges.own().collect();
    for func in judges.all.iter().copied().filter(|&func| judges.is_policy(func)) {
        if own.contains(&func) && judges.approves(func) {
            let problem = format!("`{}` allows whatever it is asked", context.program.short_name(func));
            let captures = BTreeMap::from([("problem", problem)]);
            out.extend(judges.finding(rule, func, judges.head(func), captures, Confidence::High));
            continue;
        }
        let lapses = judges.lapses(func);
        let open = lapses.iter().filter(|lapse| judges.is_of_policy(func, lapse));
        out.extend(open.filter_map(|lapse| judges.opened(rule, func, lapse)));
    }
}

struct Judges<'j, 'c> {
    context: &'j Context<'c>,
    shared: &'j Shared<'c>,
    all: Vec<Func>,
}

impl<'j, 'c> Judges<'j, 'c> {
    fn of(context: &'j Context<'c>, shared: &'j Shared<'c>) -> Self {
        let all = shared.actions(context).judges(context.program, context.catalog);
        Self { context, shared, all }
    }

    /// Without what only makes their verdicts.
    fn own(&self) -> impl Iterator<Item = Func> + '_ {
        let gating = self.shared.actions(self.context);
        self.all.iter().copied().filter(|&func| gating.is_judge(func))
    }

    fn approves(&self, func: Func) -> bool {
        self.shared.actions(self.context).approves_always(self.context.catalog, func)
    }

    fn lapses(&self, func: Func) -> Vec<Lapse> {
        self.shared.actions(self.context).lapses(self.context.bodies, func)
    }

    /// A method of a policy; one that allows everything by its name is a choice of whoever takes it.
    fn is_policy(&self, func: Func) -> bool {
        let (program, words) = (self.context.program, &self.context.catalog.actions);
        let class = program.function(func).class.map(|class| program.class_name(class));
        class.is_some_and(|name| words.is_policy(name) || words.allows_all(name))
    }

    /// What no rule of a policy speaks of is the policy's default.
    fn is_of_policy(&self, func: Func, lapse: &Lapse) -> bool {
        self.is_policy(func) && matches!(lapse.cause, Cause::Unmatched | Cause::Missing)
    }

    fn head(&self, func: Func) -> Place {
        let file = self.context.program.function(func).file;
        Place { file, span: self.context.program.ir(func).name_span }
    }

    fn opened(&self, rule: &Arc<Rule>, func: Func, lapse: &Lapse) -> Option<Finding> {
        let file = self.context.program.function(func).file;
        let when = match lapse.cause {
            Cause::Failed => "when it fails",
            Cause::Unmatched => "what it does not know",
            Cause::Missing => "when there is nothing to judge by",
            Cause::Off => "when it is switched off",
        };
        let gate = self.context.program.short_name(func);
        let problem = format!("`{gate}` allows {when}");
        let captures = BTreeMap::from([("gate", gate), ("when", when.to_owned()), ("problem", problem)]);
        let confidence = match lapse.cause {
            Cause::Off => Confidence::Medium,
            _ => Confidence::High,
        };
        let place = self.context.place(At { file, expr: lapse.at });
        self.finding(rule, func, place, captures, confidence)
    }

    fn finding(
        &self,
        rule: &Arc<Rule>,
        func: Func,
        place: Place,
        captures: BTreeMap<&'static str, String>,
        confidence: Confidence,
    ) -> Option<Finding> {
        let context = self.context;
        let applies = context.applies(rule, place.file, func)?;
        Some(context.finding(
            rule,
            Draft {
                confidence: applies.min(confidence),
                names: vec![&context.program.function(func).path],
                inside: Some(func),
                ..Draft::at(place, captures)
            },
        ))
    }
}
