//! What is made of the phase: the same word in another form, or something else. Whoever asks a gate about the latter has not
//! asked about the phase. What keeps every word of the phase as it is, is no change.

use std::sync::Arc;

use super::summary::{Given, Summary, Translation};
use super::walk::Walk;
use crate::analysis::implicit;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId, Subjects};
use crate::catalog::{BUILTINS, TextOp, Vocabulary};
use crate::ir::{Arg, ArgKind, Expr, ExprId, LanguageProfile, Operator};
use crate::link::{Edge, Func, Passed, Target, changed_text};

/// A helper that calls a helper that calls a helper.
const MAX_DEPTH: u32 = 3;

impl Walk<'_, '_> {
    /// The gate "this subject was tested"; nothing for what is no reading of the phase.
    pub fn atom(&mut self, subject: SubjectId) -> Gates {
        match self.known.is_changed(self.func, &self.subjects, subject) {
            _ if self.known.judges_actions() => Gates::NONE,
            true => Gates::NONE,
            false => self.subjects.atom(subject),
        }
    }

    /// A part of a summary in terms of this function.
    pub fn translated<T>(
        &mut self,
        summary: &Summary,
        given: &[(u32, Given)],
        own: Option<SubjectId>,
        read: impl FnOnce(&mut Translation<'_>) -> T,
    ) -> T {
        let (known, func) = (self.known, self.func);
        let is_changed = |subjects: &Subjects, subject| known.is_changed(func, subjects, subject);
        let given = |at| super::calls::given_at(given, at);
        let into = &mut self.subjects;
        read(&mut Translation { summary, into, given: &given, own, is_changed: &is_changed })
    }

    /// What a computation made of these: no reading of the phase if that is among them, and `otherwise` what it was before.
    pub fn made<'v>(&mut self, parts: impl IntoIterator<Item = &'v Value>, otherwise: Value) -> Value {
        if self.known.judges_actions() {
            return otherwise;
        }
        let (mut of, mut is_word) = (None, false);
        for outcome in parts.into_iter().flat_map(Value::outcomes) {
            is_word |= matches!(&outcome.shape, Shape::Text(text) if self.is_closed(text));
            let subject = outcome.shape.subject();
            of = of.or(subject.filter(|&it| self.known.is_told_apart(self.func, &self.subjects, it)));
        }
        match (of, is_word && self.depth > 0) {
            (None, false) => otherwise,
            (of, _) => Value::known(Shape::Unknown(self.subject(Subject::Made(of)))),
        }
    }

    /// What a variable holds from now on. The phase that a function is given is gone once its parameter is bound to what was
    /// found elsewhere, whatever the parameter is called.
    pub fn rebound(&mut self, place: SubjectId, value: &Value) -> Value {
        let Some(at) = self.known.phase_named(self.func, &self.subjects, place) else { return value.clone() };
        let is_found = |outcome: &Outcome| match outcome.shape {
            Shape::Unknown(None) => true,
            Shape::Unknown(Some(of)) => match *self.subjects.get(self.subjects.root(of)) {
                Subject::Result(made) => !self.reads_parameter(made, at),
                _ => false,
            },
            _ => false,
        };
        let found: Vec<bool> = value.outcomes().iter().map(is_found).collect();
        let other = self.subject(Subject::Made(None));
        let outcomes = value.outcomes().iter().zip(found).map(|(outcome, is_found)| match is_found {
            true => Outcome { shape: Shape::Unknown(other), gates: outcome.gates },
            false => outcome.clone(),
        });
        Value::of(outcomes.collect::<Vec<_>>()).pending(value.is_pending)
    }

    fn reads_parameter(&self, expr: ExprId, at: u32) -> bool {
        let program = self.known.program;
        let slot = program.parameter(self.func, at);
        self.facts.arenas.below(expr).into_iter().any(|part| match *self.facts.expr(part) {
            Expr::Var(var) => Some(program.slot_of(self.func, var)) == slot,
            _ => false,
        })
    }

    fn is_closed(&self, text: &str) -> bool {
        self.known.words().closed.iter().any(|word| word == text)
    }

    // ---- texts

    /// What a method or a function of texts makes of the phase.
    pub fn text(&mut self, call: ExprId, callee: &Value, list: &[Arg], args: &[Value]) -> Option<Value> {
        let Expr::Call { callee: called, .. } = *self.facts.expr(call) else { return None };
        let folded: Vec<Value> =
            list.iter().zip(args).map(|(arg, value)| self.folded(arg.value, value)).collect();
        if let Some(path) = self.known.program.library_path(self.func, called) {
            return self.by_function(call, path, list, &folded);
        }
        let Expr::Field { name, .. } = *self.facts.expr(called) else { return None };
        let (catalog, name) = (self.known.catalog, self.facts.str(name));
        match catalog.text_ops.of_method(self.facts.lang, name) {
            Some(op) => Some(self.changed(call, op, callee, &folded)),
            None => catalog.handed_on.changes_by_method(name).then(|| {
                let parts: Vec<Value> = folded.into_iter().chain([callee.clone()]).collect();
                self.made_by(call, &parts)
            }),
        }
    }

    /// `str(phase)`, `cast(str, phase)`, `re.sub("plan.*", "execution", phase)`.
    fn by_function(&mut self, call: ExprId, path: &str, list: &[Arg], args: &[Value]) -> Option<Value> {
        let catalog = self.known.catalog;
        if let (Some(every), [only]) = (catalog.tells.of_nothing(path), args) {
            return self.of_parts(every, only).or_else(|| Some(self.made_by(call, args)));
        }
        if catalog.phase.hands_word_back(path) {
            let last = list.iter().rposition(|arg| arg.kind == ArgKind::Positional)?;
            return Some(match catalog.text_ops.of_call(path) {
                Some(TextOp::Same) => spelled_out(self.facts.profile(), &args[last]),
                _ => args[last].clone(),
            });
        }
        let (first, rest) = args.split_first()?;
        if let Some(op) = catalog.text_ops.of_call(path) {
            return Some(self.changed(call, op, first, rest));
        }
        let is_known = path.starts_with(BUILTINS) || catalog.handed_on.changes(path);
        (is_known && !catalog.handed_on.by_call(path)).then(|| self.made_by(call, args))
    }

    /// True if the value that a method is called on takes the place of the method's name.
    pub fn is_text_method(&self, field: ExprId, name: &str) -> bool {
        let catalog = self.known.catalog;
        let lang = self.facts.lang;
        self.callees.contains(&field)
            && (catalog.text_ops.of_method(lang, name).is_some() || catalog.handed_on.changes_by_method(name))
    }

    fn made_by(&mut self, call: ExprId, parts: &[Value]) -> Value {
        let otherwise = self.result(call);
        self.made(parts, otherwise)
    }

    fn changed(&mut self, call: ExprId, op: TextOp, value: &Value, given: &[Value]) -> Value {
        let texts: Option<Vec<Arc<str>>> = given.iter().map(sole_text).collect();
        let change = |text: &str| {
            let given: Vec<&str> = texts.as_ref()?.iter().map(|text| &**text).collect();
            changed_text(op, text, &given)
        };
        let words = self.known.words();
        let mut all = words.open.iter().chain(&words.closed);
        let keeps = all.all(|word| change(word).is_some_and(|text| text.eq_ignore_ascii_case(word)));
        let mut found = Vec::new();
        for Outcome { shape, gates } in value.outcomes() {
            let one = match shape {
                Shape::Text(text) if let Some(text) = change(text) => Value::known(Shape::Text(text.into())),
                Shape::Unknown(Some(_)) if keeps => Value::known(shape.clone()),
                _ => {
                    let own = Value::known(shape.clone());
                    let parts: Vec<Value> = given.iter().cloned().chain([own]).collect();
                    self.made_by(call, &parts)
                }
            };
            found.extend(one.behind(*gates).outcomes().iter().cloned());
        }
        Value::of(found)
    }

    // ---- objects and helpers

    /// An object of the project's own class: a member of an enumeration is the word that it was found by, and what says itself
    /// what it is equal to is no reading of anything.
    pub fn object_of(&mut self, call: ExprId, args: &[Value]) -> Option<Value> {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return None };
        let program = self.known.program;
        let class = program.class_named(self.func, callee)?;
        match args {
            [only] if program.is_enum(class) => {
                let mut finders = implicit::methods(program, class, &[Operator::FindMember]);
                let opens = finders.next().is_some_and(|method| self.opens_closed(method));
                return Some(if opens { self.made_by(call, args) } else { only.clone() });
            }
            _ => {}
        }
        let mut methods = self.known.catalog.phase.says_what_equals();
        let says = methods.any(|name| program.method(class, name).is_some());
        says.then(|| self.made_by(call, args))
    }

    /// A method that makes the word which opens the gate of one that closes it.
    fn opens_closed(&self, method: Func) -> bool {
        let known = self.known;
        known.words().closed.iter().any(|word| {
            let constants = vec![(1, Shape::Text(word.as_str().into()))];
            let summary = known.special(method, constants, self.depth + 1);
            summary.is_none_or(|summary| summary.opens(known.words()))
        })
    }

    /// `phase.value`: the same word, unless a property of the project says which.
    pub fn same_word(&mut self, field: ExprId, of: &Value) -> Value {
        let known = self.known;
        let getters = known.program.edges_at(self.func, field).iter().filter_map(|edge| match edge.to {
            Target::Project(getter) => Some(getter),
            Target::External(_) => None,
        });
        let opens = |getter: Func| {
            let is_final = self.depth < MAX_DEPTH && !known.unsettled.contains(&getter);
            let summary = is_final.then(|| known.special(getter, Vec::new(), self.depth + 1)).flatten();
            summary.is_some_and(|summary| summary.opens(known.words()))
        };
        match getters.into_iter().any(opens) {
            true => Value::known(Shape::Unknown(self.subject(Subject::Made(None)))),
            false => of.clone(),
        }
    }

    /// A helper of the project that is given the phase may turn one word of it into another.
    pub fn turned(
        &mut self,
        call: ExprId,
        edge: &Edge,
        target: Func,
        list: &[Arg],
        args: &[Value],
    ) -> Option<Value> {
        let known = self.known;
        if self.depth >= MAX_DEPTH || known.unsettled.contains(&target) || known.judges_actions() {
            return None;
        }
        for (passed, expr) in known.program.arguments(edge) {
            let Passed::Param(param) = passed else { continue };
            let Some(at) = list.iter().position(|arg| arg.value == expr) else { continue };
            let value = self.folded(expr, &args[at]);
            let is_word = self.depth > 0 && sole_text(&value).is_some_and(|text| self.is_closed(&text));
            // Cheap pre-filter: a helper is walked for what may be the phase only.
            let is_told = value.subjects().any(|it| {
                known.is_named(&self.subjects, it, self.func)
                    || known.is_changed(self.func, &self.subjects, it)
            });
            if !is_word && !is_told {
                continue;
            }
            let turns = |word: &String| {
                let constants = vec![(param, Shape::Text(word.as_str().into()))];
                let summary = known.special(target, constants, self.depth + 1);
                summary.is_some_and(|summary| summary.may_open(known.words()))
            };
            if known.words().closed.iter().any(turns) {
                return Some(self.made_by(call, &[value]));
            }
        }
        None
    }
}

impl Summary {
    /// It hands back the word that opens the gate, or something that is made of what it was given.
    fn opens(&self, words: &Vocabulary) -> bool {
        self.returns.outcomes().iter().any(|outcome| match &outcome.shape {
            Shape::Text(text) => words.is_open(text),
            shape => shape.subject().is_some_and(|subject| self.is_made(subject)),
        })
    }

    /// It was given a word that does not open the gate, and may hand back another one: what is still unknown comes from
    /// elsewhere.
    fn may_open(&self, words: &Vocabulary) -> bool {
        self.opens(words)
            || self.returns.outcomes().iter().any(|outcome| matches!(outcome.shape, Shape::Unknown(_)))
    }
}

/// `str(allowed)`: a text, which any test finds true.
fn spelled_out(profile: &LanguageProfile, value: &Value) -> Value {
    let spelled = value.outcomes().iter().map(|outcome| match outcome.shape {
        Shape::Bool(truth) => {
            let text = profile.truths[usize::from(truth)];
            Outcome { shape: Shape::Text(text.into()), gates: outcome.gates }
        }
        _ => outcome.clone(),
    });
    Value::of(spelled.collect::<Vec<_>>())
}

pub(super) fn sole_text(value: &Value) -> Option<Arc<str>> {
    match value.outcomes() {
        [Outcome { shape: Shape::Text(text), .. }] => Some(text.clone()),
        _ => None,
    }
}
