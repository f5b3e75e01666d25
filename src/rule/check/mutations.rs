//! The `mutate` matcher: a key that is lost from a mapping, or a constant from a text, inside one function. One finding per
//! place, whatever is lost there.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{
    Change, Flows, How, Inflow, Markers, Origin, Subject, Values, key_changes, made_keys, origin, strips,
    used_keys,
};
use crate::catalog::DataOp::{Get, GetOrInsert, Take};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Finding, Place};
use crate::ir::{Expr, ExprId, ParamKind};
use crate::link::{Func, Memo, Variable};
use crate::rule::Rule;
use crate::rule::matcher::{LostKeys, LostTexts, Mutate, Source};

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Mutate,
    out: &mut Vec<Finding>,
) {
    let own = out.len();
    let values = &shared.values;
    let flows = wanted.is_traced().then(|| shared.flows(context));
    let files = files(context, values, wanted);
    let named = values.program.files_that_name(|text| wanted.names(text));
    let is_meant = |func: &Func| {
        let file = context.program.function(*func).file.0 as usize;
        files[file] || named[file] && flows.is_some_and(|flows| flows.is_walked(*func))
    };
    let of_rule = out.iter().filter(|told| told.rule.id == rule.id);
    let told: BTreeSet<Place> = of_rule.map(|told| told.primary).collect();
    let found: Vec<Finding> =
        context.of_functions(is_meant, |func| losses(context, values, flows, rule, wanted, func));
    // Another matcher of the rule may have told it, and one place can lose two keys.
    out.extend(found.into_iter().filter(|finding| !told.contains(&finding.primary)));
    dedup(out, own);
}

/// What one function loses.
fn losses<'c>(
    context: &Context<'c>,
    values: &Values<'c, 'c>,
    flows: Option<&Flows<'c, 'c>>,
    rule: &Arc<Rule>,
    wanted: &Mutate,
    func: Func,
) -> Vec<Finding> {
    let file = context.program.function(func).file;
    let Some(applies) = context.applies(rule, file, func) else { return Vec::new() };
    let found = match wanted {
        Mutate::Keys(wanted) => {
            let (used, shapes) = Default::default();
            Losses { values, flows, func, wanted, used, shapes, held: FxHashMap::default() }.found()
        }
        Mutate::Texts(wanted) => texts(values, func, wanted),
    };
    let told = found.into_iter().map(|(change, confidence)| {
        let primary = Place { file, span: change.span };
        finding(context, rule, func, primary, &change, confidence.min(applies))
    });
    told.collect()
}

/// Where one function takes such keys away from such values, and how sure that is.
pub fn lost_keys<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    wanted: &LostKeys,
    func: Func,
) -> Vec<(Place, Confidence)> {
    let (values, flows) = (&shared.values, Some(shared.flows(context)));
    let (used, shapes) = Default::default();
    let found = Losses { values, flows, func, wanted, used, shapes, held: FxHashMap::default() }.found();
    let file = context.program.function(func).file;
    found.into_iter().map(|(change, sure)| (Place { file, span: change.span }, sure)).collect()
}

/// The files in which what must not be lost can be named; others need no look at their bodies.
fn files(context: &Context<'_>, values: &Values<'_, '_>, wanted: &Mutate) -> Vec<bool> {
    match wanted {
        // A value is followed inside one function.
        Mutate::Keys(wanted) if wanted.of == [Source::Comm] => {
            let mut files = vec![false; context.sources.len()];
            let operations = context.effects.of_kinds(&[EffectKind::Comm]);
            operations.for_each(|site| files[site.at.file.0 as usize] = true);
            files
        }
        Mutate::Keys(wanted) => values
            .program
            .files_that_name(|text| wanted.keys.iter().any(|key| key == text || is_piece(text, key))),
        Mutate::Texts(wanted) => {
            let texts = all_texts(values, wanted);
            let folded: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
            let fence = &values.catalog.fence;
            values.program.files_that_name(|text| {
                let by_name = wanted.of_fence && fence.names_marker(text);
                let text = text.to_lowercase();
                by_name
                    || folded.iter().any(|marker| text.contains(marker.as_str()) || is_piece(&text, marker))
            })
        }
    }
}

/// Constants can be put together: a piece of this length is hardly there for anything else.
fn is_piece(text: &str, whole: &str) -> bool {
    text.len() >= 5 && whole.contains(text)
}

fn all_texts(values: &Values<'_, '_>, wanted: &LostTexts) -> Vec<String> {
    let of_fence = wanted.of_fence.then_some(&values.catalog.fence.markers);
    wanted.texts.iter().chain(of_fence.into_iter().flatten()).cloned().collect()
}

fn dedup(out: &mut Vec<Finding>, own: usize) {
    let mut places = std::collections::BTreeSet::new();
    let mut at = 0;
    out.retain(|finding| {
        at += 1;
        at <= own || places.insert(finding.primary)
    });
}

fn texts(values: &Values<'_, '_>, func: Func, wanted: &LostTexts) -> Vec<(Change, Confidence)> {
    let texts = all_texts(values, wanted);
    let markers = Markers { texts: &texts, by_name: wanted.of_fence };
    let found = strips(values, func, &markers).into_iter();
    found.map(|change| (change.clone(), change.confidence)).collect()
}

/// The keys that one function loses.
struct Losses<'v, 'p, 'a> {
    values: &'v Values<'p, 'a>,
    flows: Option<&'v Flows<'p, 'a>>,
    func: Func,
    wanted: &'v LostKeys,
    /// The keys used on a value: many changes can be of one.
    used: OnceCell<FxHashMap<Variable, BTreeSet<String>>>,
    /// Whether a value that has this key as well has the shape of a fenced one.
    shapes: Memo<(Variable, String), bool>,
    /// What is known to be content from such a source, wherever it was fetched.
    held: FxHashMap<(ExprId, Inflow), Confidence>,
}

impl Losses<'_, '_, '_> {
    fn found(mut self) -> Vec<(Change, Confidence)> {
        let changes = key_changes(self.values, self.func, &self.wanted.keys).into_iter();
        let meant: Vec<Change> = changes.filter(|change| self.wanted.by.contains(&change.how)).collect();
        self.trace(&meant);
        let meant = meant.into_iter();
        meant.filter_map(|change| self.confidence(&change).map(|confidence| (change, confidence))).collect()
    }

    /// Asks where the values come from that are changed, if content can be in the function.
    fn trace(&mut self, changes: &[Change]) {
        let Some(flows) = self.flows.filter(|flows| !changes.is_empty() && flows.is_walked(self.func)) else {
            return;
        };
        let subjects: Vec<ExprId> = changes.iter().map(|change| change.subject.expr()).collect();
        self.held = flows.held(self.values, self.func, &subjects, &[Inflow::Comm, Inflow::Fence]);
    }

    /// How sure it is that the change loses what the rule means; `None` if it does not.
    fn confidence(&self, change: &Change) -> Option<Confidence> {
        if change.how == How::Overwrite && !self.overwrites(change) {
            return None;
        }
        let subject = change.subject.expr();
        let from = origin(self.values, self.func, subject);
        let held = |source: Inflow| self.held.get(&(subject, source)).copied();
        let source = |source: &Source| match source {
            Source::Comm => from.comm.max(held(Inflow::Comm)),
            Source::Fence => from.wrap.max(held(Inflow::Fence)),
            Source::FenceShape => self.has_fence_shape(change, &from).then_some(Confidence::Medium),
        };
        if let Subject::Object(_) = change.subject {
            let proven = [Source::Comm, Source::Fence];
            let meant = proven.iter().filter(|&it| self.wanted.of.is_empty() || self.wanted.of.contains(it));
            return meant.filter_map(source).max();
        }
        if !self.wanted.of.is_empty() {
            return self.wanted.of.iter().filter_map(source).max();
        }
        (!self.is_excused(change, &from)).then_some(Confidence::High)
    }

    /// What loses nothing on a mapping of unknown origin: the first value of a record that is made here, and an option taken
    /// out of a function's own keyword arguments.
    fn is_excused(&self, change: &Change, from: &Origin) -> bool {
        let takes_option = from.parameter == Some(ParamKind::KeywordRest)
            && self.values.parameter(self.func, change.subject.expr()) == Some(ParamKind::KeywordRest);
        let has = |(func, literal): &(Func, ExprId)| self.has_entry(*func, *literal, &change.what);
        let declares = change.how == How::Blank && from.is_literal() && !from.literals.iter().any(has);
        takes_option || declares
    }

    fn has_entry(&self, func: Func, literal: ExprId, key: &str) -> bool {
        self.entry(func, literal, key).is_some()
    }

    fn entry(&self, func: Func, literal: ExprId, wanted: &str) -> Option<ExprId> {
        let wanted = self.values.program.symbol_of(wanted)?;
        self.values.entries(func, literal).get(&wanted)?.first().copied()
    }

    /// True if the new value is made here and does without the old one, and is none that guards as well.
    fn overwrites(&self, change: &Change) -> bool {
        let Some(value) = change.value else { return true };
        let markers = Markers { texts: &self.values.catalog.fence.markers, by_name: true };
        let is_text = !matches!(self.values.facts(self.func).expr(value), Expr::Record(_));
        if is_text && self.values.holds(self.func, value, &markers).is_some() {
            return false;
        }
        let from = origin(self.values, self.func, value);
        let keeps = |key: &String| from.literals.iter().any(|&(func, at)| self.has_entry(func, at, key));
        from.is_literal() && !self.wanted.keeps.iter().any(keeps) && !self.carries_old(change, value)
    }

    /// `{**result["metadata"], "shop": "front"}`.
    fn carries_old(&self, change: &Change, value: ExprId) -> bool {
        let values = self.values;
        let facts = values.facts(self.func);
        let old = values.root(self.func, change.subject.expr());
        values.parts(self.func, value).into_iter().any(|part| match *facts.expr(part) {
            Expr::Index { key, .. } => values.texts(self.func, key).contains(&change.what),
            Expr::Field { name, .. } => facts.str(name) == change.what,
            Expr::Var(_) => old.is_some() && values.root(self.func, part) == old,
            Expr::Call { .. } => {
                let method = values.method(self.func, part);
                let read = method.filter(|method| matches!(method.does, Some(Get | Take | GetOrInsert)));
                let key = read.and_then(|method| method.args.first()).map(|arg| arg.value);
                key.is_some_and(|key| values.texts(self.func, key).contains(&change.what))
            }
            _ => false,
        })
    }

    /// The function puts the marker into the value itself, so what else it writes there is part of the fence.
    fn is_fenced_here(&self, root: Variable) -> bool {
        let fence = &self.values.catalog.fence;
        let markers = Markers { texts: &fence.markers, by_name: true };
        key_changes(self.values, self.func, &fence.shape).iter().any(|change| {
            let is_marker = |value| self.values.holds(self.func, value, &markers).is_some();
            change.value.is_some_and(is_marker)
                && self.values.root(self.func, change.subject.expr()) == Some(root)
        })
    }

    /// The value is used with other keys of a fenced value. A record made here with another marker is none.
    fn has_fence_shape(&self, change: &Change, from: &Origin) -> bool {
        let values = self.values;
        let fence = &values.catalog.fence;
        let Some(root) = values.root(self.func, change.subject.expr()) else { return false };
        let markers = Markers { texts: &fence.markers, by_name: true };
        let is_foreign = |&(func, literal): &(Func, ExprId)| {
            let mut given = fence.shape.iter().filter_map(|key| self.entry(func, literal, key));
            given.any(|marker| values.holds(func, marker, &markers).is_none())
        };
        if from.literals.iter().any(is_foreign) || change.how == How::Overwrite && self.is_fenced_here(root) {
            return false;
        }
        self.shapes.of((root, change.what.clone()), || {
            let used = self.used.get_or_init(|| used_keys(values, self.func));
            let mut keys = made_keys(values, root);
            keys.extend(used.get(&root).into_iter().flatten().cloned());
            keys.insert(change.what.clone());
            fence.is_shape(&keys.into_iter().collect::<Vec<_>>())
        })
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    primary: Place,
    change: &Change,
    confidence: Confidence,
) -> Finding {
    let captures = BTreeMap::from([("what", change.what.clone()), ("how", done(change.how).to_owned())]);
    context.finding(
        rule,
        Draft {
            confidence,
            primary,
            steps: Vec::new(),
            captures,
            names: vec![&context.program.function(func).path],
            inside: Some(func),
        },
    )
}

fn done(how: How) -> &'static str {
    match how {
        How::Delete => "deleted",
        How::Pop => "popped",
        How::Blank => "set to nothing",
        How::Overwrite => "overwritten",
        How::Filter => "left out of a copy",
        How::Clear => "cleared",
        How::Strip => "cut out",
    }
}
