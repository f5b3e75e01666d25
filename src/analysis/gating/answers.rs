//! Gates of actions: what a judge is asked about, what it answers, and which tests read the answer. What runs is judged if the
//! judge was asked about it and said yes on every way (RULES, "GL8xx").

use super::calls::Found;
use super::judged::Judge;
use super::walk::Walk;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId};
use crate::catalog::Actions;
use crate::ir::{Arg, Expr, ExprId, Pat, PatId};
use crate::link::{Edge, Target};

/// `(True, "it serves the request")`: how the first item of an answer is called.
const FIRST: &str = "0";

impl<'a> Walk<'_, 'a> {
    pub(super) fn actions(&self) -> &Actions {
        &self.known.catalog.actions
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
    fn by_body(&mut self, found: &Found, own: SubjectId, gates: Gates) -> Value {
        let said: Vec<Option<bool>> =
            found.value.outcomes().iter().map(|outcome| self.actions().verdict_of(&outcome.shape)).collect();
        // It raises instead of answering.
        let refuses = found.thrown.classes.is_some() && said.iter().all(|said| *said != Some(false));
        let outcomes = found.value.outcomes().iter().zip(said).map(|(outcome, said)| {
            let passes = said == Some(true) || refuses && outcome.shape == Shape::None;
            let shape = self.part_of_answer(own, &outcome.shape);
            Outcome { shape, gates: if passes { outcome.gates.with(gates) } else { outcome.gates } }
        });
        Value::of(outcomes.collect::<Vec<_>>())
    }

    /// What is not known of an answer is called after it.
    fn part_of_answer(&mut self, own: SubjectId, shape: &Shape) -> Shape {
        let mut part = |name: &str, shape: &Shape| match shape {
            Shape::Unknown(None) => Shape::Unknown(self.subjects.part(own, name)),
            known => known.clone(),
        };
        match shape {
            Shape::Unknown(None) => Shape::Unknown(Some(own)),
            Shape::Seq(items) => {
                Shape::Seq(items.iter().enumerate().map(|(at, item)| part(&at.to_string(), item)).collect())
            }
            Shape::Record { class, fields } => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), part(name, field)));
                Shape::Record { class: class.clone(), fields: fields.collect() }
            }
            known => known.clone(),
        }
    }

    /// An item of an answer that is one of several: the first says whether the action may run, or the one whose name does.
    pub(super) fn item_of(&mut self, shape: &Shape, at: usize, named: Option<&str>) -> Shape {
        let answer = shape.subject().filter(|&subject| self.answer(subject).is_some());
        match (shape.item(at), answer) {
            (Some(item), _) => item.clone(),
            (None, Some(answer)) => {
                let named = named.filter(|name| self.actions().says_if_true(name).is_some());
                let name = named.map_or_else(|| at.to_string(), str::to_owned);
                Shape::Unknown(self.subjects.part(answer, &name))
            }
            (None, None) => Shape::Unknown(None),
        }
    }

    /// Nobody can look into it: it raises if nobody looks at its result.
    fn by_word(&self, call: ExprId, own: SubjectId, gates: Gates, edges: &[Edge]) -> Value {
        let gates = if self.uses().statements.contains(&call) { gates } else { Gates::NONE };
        let value = Value::of([Outcome { shape: Shape::Unknown(Some(own)), gates }]);
        match gates.is_empty() {
            true => value,
            false => self.checked(value, self.known.hands_back_result(edges)),
        }
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
                Subject::Part(_, name) if &**name == FIRST => Some(true),
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
        let is_one_no_of_many = || [a, b].into_iter().any(|shape| self.refusals(shape).len() > 1);
        match gates {
            Some((gates, true)) => (gates, Gates::NONE),
            Some((gates, false)) if !is_one_no_of_many() => (Gates::NONE, gates),
            _ => (Gates::NONE, Gates::NONE),
        }
    }

    /// Every word by which the judge says no, if that is known.
    fn refusals(&self, shape: &Shape) -> &[String] {
        let root = shape.only_part().subject().map(|subject| self.subjects.root(subject));
        match root.map(|root| self.subjects.get(root)) {
            Some(&Subject::Result(call)) => {
                let path = super::asks::library_callee(self.known.program, self.func, call);
                path.map_or(&[], |path| self.actions().refusals(path))
            }
            _ => &[],
        }
    }

    /// The same of a value and the members of a set.
    pub(super) fn said_of(&self, shape: &Shape, members: &[Shape]) -> (Gates, Gates) {
        let Some(gates) = shape.subject().and_then(|subject| self.answer(subject)) else {
            return (Gates::NONE, Gates::NONE);
        };
        let is_member =
            |word: &String| members.iter().any(|item| matches!(item, Shape::Text(text) if **text == **word));
        let says_all = self.refusals(shape).iter().all(is_member);
        let says = |wanted: bool| {
            let mut all = members.iter();
            all.all(|item| matches!(item, Shape::Text(word) if self.actions().says(word) == Some(wanted)))
        };
        let passed = |wanted| if says(wanted) { gates } else { Gates::NONE };
        (passed(true), if says_all { passed(false) } else { Gates::NONE })
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
}

fn told(truth: bool, gates: Gates) -> Value {
    let way = |holds: bool| {
        let gates = if holds == truth { gates } else { Gates::NONE };
        Outcome { shape: Shape::Bool(holds), gates }
    };
    Value::of([way(true), way(false)])
}
