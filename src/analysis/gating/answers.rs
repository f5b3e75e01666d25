//! Gates of actions: what a judge is asked about, what it answers, and which tests read the answer. What runs is judged if the
//! judge was asked about it and said yes on every way (RULES, "GL8xx").

use std::collections::BTreeSet;

use super::asks::library_callee;
use super::calls::Found;
use super::state::State;
use super::walk::Walk;
use crate::analysis::executions::runs_tool;
use crate::analysis::gates::spelled;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId};
use crate::catalog::Actions;
use crate::ir::{Arg, Expr, ExprId, Pat, PatId, VarId};
use crate::link::{Edge, Func, Target};

/// How a call is known to ask a judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judge {
    /// Its answer is one.
    Answers,
    /// It hands back words that a person wrote: an answer where they are compared with one.
    HandsWordsBack,
}

impl<'a> Walk<'_, 'a> {
    fn actions(&self) -> &Actions {
        &self.known.catalog.actions
    }

    fn judge(&self, call: ExprId, edges: &[Edge]) -> Option<Judge> {
        let (program, words) = (self.known.program, self.actions());
        let path_of = |edge: &Edge| program.target_name(edge.to);
        let is_vouched = |edge: &Edge| match edge.to {
            Target::Project(to) => self.known.learnt.is_vouched(to),
            Target::External(_) => false,
        };
        if library_callee(program, self.func, call).is_some_and(|path| words.asks_for_words(path)) {
            return Some(Judge::HandsWordsBack);
        }
        let is_named = || spelled(program, self.func, call).is_some_and(|name| words.is_gate_name(&name));
        let is_gate =
            edges.iter().any(|edge| is_vouched(edge) || words.is_gate(&path_of(edge))) || is_named();
        is_gate.then_some(Judge::Answers)
    }

    /// What a call comes out as, if a judge is asked or an answer is handed on.
    pub(super) fn judged_call(
        &mut self,
        call: ExprId,
        callee: &Value,
        (list, args): (&[Arg], &[Value]),
        edges: &[Edge],
        found: Found,
    ) -> Found {
        let Some(judge) = self.judge(call, edges) else {
            return self.handed_on(call, callee, (list, args), found);
        };
        let Some(own) = self.subject(Subject::Result(call)) else { return found };
        let gates = self.judged(call, list);
        self.answers.insert(own, gates);
        if judge == Judge::HandsWordsBack {
            self.words_only.insert(own);
            return Found { value: Value::known(Shape::Unknown(Some(own))), ..found };
        }
        let has_body = edges
            .iter()
            .any(|edge| matches!(edge.to, Target::Project(to) if self.known.summary(to).is_some()));
        let value = match has_body {
            true => self.by_body(&found, own, gates),
            false => self.by_word(call, own, gates, edges),
        };
        let is_gate = value.outcomes().iter().any(|outcome| !outcome.gates.is_empty());
        Found { value: value.pending(found.value.is_pending), is_gate, ..found }
    }

    /// Its body says which results let the action run; where it says nothing, the caller looks at the result.
    fn by_body(&self, found: &Found, own: SubjectId, gates: Gates) -> Value {
        let said: Vec<Option<bool>> =
            found.value.outcomes().iter().map(|outcome| self.actions().verdict_of(&outcome.shape)).collect();
        // It raises instead of answering.
        let refuses = found.thrown.classes.is_some() && said.iter().all(|said| *said != Some(false));
        let outcomes = found.value.outcomes().iter().zip(said).map(|(outcome, said)| {
            let passes = said == Some(true) || refuses && outcome.shape == Shape::None;
            let shape = match &outcome.shape {
                Shape::Unknown(None) => Shape::Unknown(Some(own)),
                shape => shape.clone(),
            };
            Outcome { shape, gates: if passes { outcome.gates.with(gates) } else { outcome.gates } }
        });
        Value::of(outcomes.collect::<Vec<_>>())
    }

    /// Nobody can look into it: it raises if nobody looks at its result.
    fn by_word(&self, call: ExprId, own: SubjectId, gates: Gates, edges: &[Edge]) -> Value {
        let gates = if self.is_statement(call) { gates } else { Gates::NONE };
        let value = Value::of([Outcome { shape: Shape::Unknown(Some(own)), gates }]);
        match gates.is_empty() {
            true => value,
            false => self.checked(value, self.known.hands_back_result(edges)),
        }
    }

    /// True for a call whose result nobody looks at, but for its error.
    fn is_statement(&self, call: ExprId) -> bool {
        let peeled = |mut expr: ExprId| loop {
            expr = match *self.facts.expr(expr) {
                Expr::Await(inner) => inner,
                Expr::Match { subject, .. } => subject,
                _ => return expr,
            }
        };
        let mut exprs = self.known.program.ir(self.func).exprs.iter();
        exprs.any(|expr| match *self.facts.expr(expr) {
            Expr::Block(items) => self.facts.list(items).iter().any(|&item| peeled(item) == call),
            _ => false,
        })
    }

    /// What a call makes of an answer: a part of it, or another form.
    fn handed_on(
        &mut self,
        call: ExprId,
        callee: &Value,
        (list, args): (&[Arg], &[Value]),
        found: Found,
    ) -> Found {
        let Expr::Call { callee: called, .. } = *self.facts.expr(call) else { return found };
        let name = self.last_name_of(called);
        let of_callee = callee.subjects().find_map(|subject| self.answer(subject));
        let of_args = || args.iter().flat_map(Value::subjects).find_map(|subject| self.answer(subject));
        let Some(gates) = of_callee.or_else(of_args) else { return found };
        let says = name.and_then(|name| self.actions().says_if_true(name));
        let word = || list.iter().find_map(|arg| self.word(arg.value));
        let truth = match says.or_else(word) {
            Some(truth) => truth,
            // It says something itself.
            None if !matches!(found.value.outcomes(), [Outcome { shape: Shape::Unknown(_), .. }]) => {
                return found;
            }
            None => {
                if let Some(own) = self.subject(Subject::Result(call)) {
                    self.answers.insert(own, gates);
                    if of_callee.is_none() || callee.subjects().any(|subject| self.is_of_words(subject)) {
                        self.words_only
                            .extend(callee.subjects().any(|it| self.is_of_words(it)).then_some(own));
                    }
                    return Found { value: Value::known(Shape::Unknown(Some(own))), ..found };
                }
                return found;
            }
        };
        Found { value: told(truth, gates), ..found }
    }

    /// What was judged, if this is an answer or a part of one.
    pub(super) fn answer(&self, subject: SubjectId) -> Option<Gates> {
        self.answers.get(&self.subjects.root(subject)).copied()
    }

    fn is_of_words(&self, subject: SubjectId) -> bool {
        self.words_only.contains(&self.subjects.root(subject))
    }

    /// What was judged, if the function hands an answer back.
    pub(super) fn handed_back_answer(&self) -> Option<Gates> {
        let subjects = self.seen.returns.iter().filter_map(|outcome| outcome.shape.subject());
        let answers =
            subjects.filter(|&subject| !self.is_of_words(subject)).filter_map(|subject| self.answer(subject));
        answers.reduce(Gates::common)
    }

    /// The same value, its answers as truths that know what they have passed.
    pub(super) fn truths(&self, value: &Value) -> Value {
        if self.answers.is_empty() {
            return value.clone();
        }
        let outcomes = value.outcomes().iter().flat_map(|outcome| {
            let subject = match outcome.shape {
                Shape::Unknown(Some(subject)) => subject,
                _ => return vec![outcome.clone()],
            };
            let Some(gates) = self.answer(subject).filter(|_| !self.is_of_words(subject)) else {
                return vec![outcome.clone()];
            };
            let said = match self.subjects.get(subject) {
                Subject::Part(_, name) => self.actions().says_if_true(name),
                Subject::Result(call) => Some(self.says_by_name(*call)),
                _ => Some(true),
            };
            let passed = |holds: bool| match said == Some(holds) {
                true => outcome.gates.with(gates),
                false => outcome.gates,
            };
            let way =
                |holds: bool| Outcome { shape: Shape::Decided(holds, Some(subject)), gates: passed(holds) };
            vec![way(true), way(false)]
        });
        Value::of(outcomes.collect::<Vec<_>>()).pending(value.is_pending)
    }

    /// `is_rejected(call)` says no by being true.
    fn says_by_name(&self, call: ExprId) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return true };
        self.last_name_of(callee).and_then(|name| self.actions().says_if_true(name)).unwrap_or(true)
    }

    /// What is passed where these two are equal, and where they are not.
    pub(super) fn said(&self, (left, a): (ExprId, &Shape), (right, b): (ExprId, &Shape)) -> (Gates, Gates) {
        let of = |shape: &Shape| shape.only_part().subject().and_then(|subject| self.answer(subject));
        let word = |expr: ExprId, shape: &Shape| match shape.only_part() {
            Shape::Text(text) => self.actions().says(text),
            Shape::Bool(truth) => Some(*truth),
            _ => self.word(expr),
        };
        let gates = of(a).zip(word(right, b)).or_else(|| of(b).zip(word(left, a)));
        match gates {
            Some((gates, true)) => (gates, Gates::NONE),
            Some((gates, false)) => (Gates::NONE, gates),
            None => (Gates::NONE, Gates::NONE),
        }
    }

    /// The same of a value and the members of a set.
    pub(super) fn said_of(&self, shape: &Shape, members: &[Shape]) -> (Gates, Gates) {
        let Some(gates) = shape.subject().and_then(|subject| self.answer(subject)) else {
            return (Gates::NONE, Gates::NONE);
        };
        let says = |wanted: bool| {
            let mut all = members.iter();
            all.all(|item| matches!(item, Shape::Text(word) if self.actions().says(word) == Some(wanted)))
        };
        let passed = |wanted| if says(wanted) { gates } else { Gates::NONE };
        (passed(true), passed(false))
    }

    /// What is passed where an answer fits a pattern, and where it does not.
    pub(super) fn said_by(&self, shape: &Shape, pat: PatId) -> (Gates, Gates) {
        let gates = shape.subject().and_then(|subject| self.answer(subject));
        match gates.zip(self.word_of_pattern(pat)) {
            Some((gates, true)) => (gates, Gates::NONE),
            Some((gates, false)) => (Gates::NONE, gates),
            None => (Gates::NONE, Gates::NONE),
        }
    }

    fn word_of_pattern(&self, pat: PatId) -> Option<bool> {
        let all = |pats: &[PatId]| {
            let words: Vec<_> = pats.iter().map(|&pat| self.word_of_pattern(pat)).collect();
            words.iter().all(|word| *word == words[0]).then(|| words[0]).flatten()
        };
        match *self.facts.pat(pat) {
            Pat::Value(value) => self.word(value),
            Pat::As { pat, .. } => self.word_of_pattern(pat),
            Pat::Or(pats) => all(self.facts.list(pats)),
            Pat::Ctor { path, items, named } => self.word(path).or_else(|| {
                let items = self.facts.list(items).iter().copied();
                let named = self.facts.list(named).iter().map(|field| field.pat);
                items.chain(named).find_map(|pat| self.word_of_pattern(pat))
            }),
            Pat::Record { items, .. } => {
                self.facts.list(items).iter().find_map(|field| self.word_of_pattern(field.pat))
            }
            Pat::Seq { items, .. } => {
                self.facts.list(items).iter().find_map(|&pat| self.word_of_pattern(pat))
            }
            _ => None,
        }
    }

    /// What a constant, or a name that stands for one, says.
    fn word(&self, expr: ExprId) -> Option<bool> {
        if let Some(text) = self.known.program.text(self.func, expr) {
            return self.actions().says(&text);
        }
        match *self.facts.expr(expr) {
            Expr::Lit(crate::ir::Lit::Bool(truth)) => Some(truth),
            Expr::Field { .. } | Expr::Free(_) => self.actions().says(self.last_name_of(expr)?),
            _ => None,
        }
    }

    fn last_name_of(&self, expr: ExprId) -> Option<&'a str> {
        self.known.program.receiver_name(self.func, expr).map(|known| known.name)
    }

    // ---- what is judged

    /// A gate for everything that the judge was told of; for nothing in particular if nothing has a name.
    fn judged(&mut self, call: ExprId, list: &[Arg]) -> Gates {
        let told: Vec<SubjectId> = self.subjects_in(list.iter().map(|arg| arg.value));
        let gates = told.into_iter().map(|subject| self.subjects.atom(subject)).reduce(Gates::with);
        gates.unwrap_or_else(|| match self.subjects.id(Subject::Result(call)) {
            Some(own) => self.subjects.atom(own),
            None => Gates::NONE,
        })
    }

    /// Whether what runs here is what was judged: it speaks of the same things as far as they have names.
    pub(super) fn is_judged(&mut self, state: &State, list: &[Arg], args: &[Value]) -> bool {
        let of_values = args.iter().filter_map(Value::least).fold(Gates::NONE, Gates::with);
        if !of_values.is_empty() {
            return true;
        }
        let judged: Vec<SubjectId> = self.subjects.of(state.passed).collect();
        let runs = self.subjects_in(list.iter().map(|arg| arg.value));
        let is_named = |subject: &SubjectId| !matches!(self.subjects.get(*subject), Subject::Result(_));
        !judged.is_empty()
            && (runs.is_empty()
                || !judged.iter().all(is_named)
                || judged.iter().any(|&judged| runs.iter().any(|&run| run == self.subjects.root(judged))))
    }

    /// The variables that expressions speak of, and what those were made of; not the object whose method this is.
    fn subjects_in(&mut self, exprs: impl Iterator<Item = ExprId>) -> Vec<SubjectId> {
        let mut found = BTreeSet::new();
        let mut work: Vec<ExprId> = exprs.collect();
        while let Some(expr) = work.pop() {
            self.mentions(expr, &mut found, &mut work);
        }
        found.into_iter().filter_map(|var| self.variable(var)).collect()
    }

    fn mentions(&self, expr: ExprId, found: &mut BTreeSet<VarId>, made_of: &mut Vec<ExprId>) {
        let program = self.known.program;
        for part in self.facts.arenas.below(expr) {
            let Expr::Var(var) = *self.facts.expr(part) else { continue };
            if program.own_class_of(self.func, var).is_some() || !found.insert(var) {
                continue;
            }
            let made = program.sole_definition(self.func, part).filter(|&(owner, _)| owner == self.func);
            made_of.extend(made.map(|(_, value)| value));
        }
    }

    /// What a variable held before was judged; what it holds now is another thing.
    pub(super) fn rejudge(&mut self, state: &mut State, var: VarId) {
        let Some(place) = self.variable(var).filter(|_| !self.answers.is_empty()) else { return };
        let gates: Gates = self
            .subjects
            .of(state.passed)
            .filter(|&subject| self.subjects.root(subject) == place)
            .collect::<Vec<_>>()
            .into_iter()
            .fold(Gates::NONE, |all, subject| all.with(self.subjects.atom(subject)));
        state.passed = state.passed.without(gates);
    }
}

fn told(truth: bool, gates: Gates) -> Value {
    let way = |holds: bool| {
        let gates = if holds == truth { gates } else { Gates::NONE };
        Outcome { shape: Shape::Bool(holds), gates }
    };
    Value::of([way(true), way(false)])
}

impl Actions {
    /// What a result says of the action: a truth, a word, a variant, a record with one of them.
    pub fn verdict_of(&self, shape: &Shape) -> Option<bool> {
        match shape {
            Shape::Bool(truth) => Some(*truth),
            Shape::Text(text) => self.says(text),
            Shape::Seq(items) => items.iter().find_map(|item| self.verdict_of(item)),
            Shape::Record { class, fields } => {
                let of_class = class.as_deref().and_then(|class| self.says(class));
                if shape.is_bad() || of_class == Some(false) {
                    return Some(false);
                }
                let of_field =
                    |(name, field): &(std::sync::Arc<str>, Shape)| match (self.says_if_true(name), field) {
                        (Some(said), Shape::Bool(truth)) => Some(said == *truth),
                        (_, Shape::Text(text)) if self.holds_word(name) => self.says(text),
                        _ if &**name == "0" => self.verdict_of(field),
                        _ => None,
                    };
                of_class.or_else(|| fields.iter().find_map(of_field)).or(shape
                    .is_good()
                    .then_some(true)
                    .filter(|_| {
                        // `Ok(answer)` says what the answer says.
                        !fields.iter().any(|(_, field)| field.is_unknown())
                    }))
            }
            _ => None,
        }
    }
}

impl super::Known<'_, '_> {
    /// A call that runs a tool which is named at run time.
    pub(super) fn runs_tool(&self, func: Func, call: ExprId, edges: &[Edge]) -> bool {
        let is_one = |name: &str| runs_tool(self.program, self.catalog, func, call, name);
        edges.iter().any(|edge| is_one(&self.program.target_name(edge.to)))
            || spelled(self.program, func, call).is_some_and(|name| is_one(&name))
    }
}
