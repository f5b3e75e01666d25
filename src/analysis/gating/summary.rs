//! What callers need to know of a function: what it guarantees when it comes back, and what it throws instead.

use std::sync::Arc;

use super::thrown::Thrown;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId, Subjects};

/// What a function guarantees, in terms of its own subjects.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// What it may return; nothing: it never does.
    pub returns: Value,
    /// What has been passed where it yields; `None` if it never does.
    pub yields: Option<Gates>,
    /// What is raised by hand in it and in the functions it calls.
    pub raises: Option<Thrown>,
    /// What a judge was asked about whose answer it hands back.
    pub answer: Option<Gates>,
    subjects: Vec<Subject>,
    /// The subject of each atom.
    atoms: Vec<SubjectId>,
}

impl Summary {
    pub fn new(returns: Value, yields: Option<Gates>, raises: Option<Thrown>, subjects: &Subjects) -> Self {
        let (all, atoms) = (subjects.all().to_vec(), subjects.atoms().to_vec());
        Self { returns, yields, raises, answer: None, subjects: all, atoms }
    }

    pub fn answering(mut self, answer: Option<Gates>) -> Self {
        self.answer = answer;
        self
    }

    /// Of a function of which nothing is known.
    pub fn unknown() -> Self {
        Self { returns: Value::unknown(), ..Self::default() }
    }

    pub fn never_returns() -> Self {
        Self { returns: Value::never(), ..Self::default() }
    }

    /// A caller learns something from it.
    pub fn is_informative(&self) -> bool {
        let gated = |gates: Gates| !gates.is_empty();
        let outcomes = self.returns.outcomes();
        outcomes.is_empty()
            || outcomes.iter().any(|outcome| gated(outcome.gates))
            || self.yields.is_some_and(gated)
            || self.answer.is_some()
    }

    /// It never comes back.
    pub fn is_never(&self) -> bool {
        self.returns.outcomes().is_empty() && self.yields.is_none()
    }

    /// A context manager whose block runs only behind the gate.
    pub fn guards_its_block(&self) -> bool {
        self.yields.is_some_and(|gates| !gates.without(Gates::ATTRIBUTED).is_empty())
    }

    /// True for a subject that is what a computation made of a word that closes the gate.
    pub fn is_made(&self, subject: SubjectId) -> bool {
        matches!(self.subjects[subject.index()], Subject::Made(None))
    }

    /// It asks for the phase, if only on some ways.
    pub fn asks(&self) -> bool {
        !self.atoms.is_empty()
    }

    /// The parameters that it asks about, by position, each with the attributes and keys on the way.
    pub fn asked_about(&self) -> Vec<(u32, Vec<Arc<str>>)> {
        let paths = self.atoms.iter().filter_map(|&atom| {
            let (mut at, mut names) = (atom, Vec::new());
            loop {
                match &self.subjects[at.index()] {
                    Subject::Param(param) => {
                        names.reverse();
                        return Some((*param, names));
                    }
                    Subject::Part(of, name) => {
                        names.push(name.clone());
                        at = *of;
                    }
                    Subject::Var(_) | Subject::Global(_) | Subject::Result(_) | Subject::Made(_) => {
                        return None;
                    }
                }
            }
        });
        paths.collect()
    }

    /// Its result says whether the phase gate has been passed: it comes back only then, or some results say so.
    pub fn tells(&self) -> bool {
        let gated = |outcome: &Outcome| !outcome.gates.without(Gates::ATTRIBUTED).is_empty();
        self.returns.outcomes().iter().any(gated)
    }

    /// Whoever gets its result has passed the phase gate.
    pub fn guarantees(&self) -> bool {
        self.returns.least().is_some_and(|gates| !gates.without(Gates::ATTRIBUTED).is_empty())
    }
}

/// Reads a summary in terms of a caller.
pub struct Translation<'t> {
    pub summary: &'t Summary,
    pub into: &'t mut Subjects,
    /// What each parameter is given; `None`: nothing that can be named, or a constant.
    pub given: &'t dyn Fn(u32) -> Given,
    /// Whatever is the callee's own business.
    pub own: Option<SubjectId>,
    /// What a computation made of the caller's phase: who tests that has not tested the phase.
    pub is_changed: &'t dyn Fn(&Subjects, SubjectId) -> bool,
}

/// What a parameter is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    Subject(SubjectId),
    /// The constant that the gate asks for: it asks nobody.
    Open,
    /// Something without a name.
    Unknown,
}

impl Translation<'_> {
    pub fn value(&mut self, value: &Value) -> Value {
        let outcomes: Vec<_> = value.outcomes().to_vec();
        let translated = outcomes.into_iter().map(|mut outcome| {
            outcome.gates = self.gates(outcome.gates);
            outcome.shape = self.shape(&outcome.shape);
            outcome
        });
        Value::of(translated.collect::<Vec<_>>())
    }

    fn shape(&mut self, shape: &Shape) -> Shape {
        shape.map_subjects(&mut |subject| match self.subject(subject) {
            Given::Subject(subject) => Some(subject),
            Given::Open | Given::Unknown => self.own,
        })
    }

    pub fn gates(&mut self, gates: Gates) -> Gates {
        let mut translated = gates.common(Gates::ATTRIBUTED);
        for bit in gates.atoms() {
            let Some(&subject) = self.summary.atoms.get(bit) else { continue };
            let subject = match self.subject(subject) {
                Given::Subject(subject) => Some(subject),
                Given::Unknown => self.own,
                Given::Open => None,
            };
            if let Some(subject) = subject.filter(|&subject| !(self.is_changed)(self.into, subject)) {
                translated = translated.with(self.into.atom(subject));
            }
        }
        translated
    }

    fn subject(&mut self, id: SubjectId) -> Given {
        match self.summary.subjects[id.index()].clone() {
            Subject::Param(at) => (self.given)(at),
            Subject::Part(of, name) => match self.subject(of) {
                Given::Subject(of) => self.into.part(of, &name).map_or(Given::Unknown, Given::Subject),
                other => other,
            },
            Subject::Made(Some(of)) => match self.subject(of) {
                Given::Subject(of) => {
                    self.into.id(Subject::Made(Some(of))).map_or(Given::Unknown, Given::Subject)
                }
                other => other,
            },
            Subject::Made(None) => self.into.id(Subject::Made(None)).map_or(Given::Unknown, Given::Subject),
            Subject::Var(_) | Subject::Global(_) | Subject::Result(_) => Given::Unknown,
        }
    }
}
