//! Abstract values of the gates domain. A value is a few *outcomes*: a shape that it may have, with the gates that have been
//! passed if it has that shape. So a test filters a value, whatever its syntax: a stored boolean, a tuple, a verdict and
//! a flag that is set on one branch are one mechanism (ARCHITECTURE "Gates").

use std::sync::Arc;

use smallvec::SmallVec;

use super::subjects::SubjectId;
use crate::link::Func;

/// The variants of Rust's results and options that say what went wrong, ...
pub const FAILED: &str = "Err";
pub const ABSENT: &str = "None";
/// ... and those that all went well.
pub const DONE: &str = "Ok";
pub const PRESENT: &str = "Some";

/// Gates that have been passed: a set of at most 64 atoms of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Gates(pub u64);

impl Gates {
    pub const NONE: Self = Self(0);
    /// The attribution has been checked.
    pub const ATTRIBUTED: Self = Self(1 << 63);
    /// What holds where nothing gets to.
    pub const ALL: Self = Self(!0);

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The numbers of its atoms.
    pub fn atoms(self) -> impl Iterator<Item = usize> {
        (0..63).filter(move |bit| self.0 >> bit & 1 == 1)
    }
}

/// What is known of a value besides the gates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// Anything; if it is known whose value it is, tests of it speak of that subject.
    Unknown(Option<SubjectId>),
    /// The same, but it is known whether it is true: the left side of an `and` or `or` that has decided.
    Decided(bool, Option<SubjectId>),
    None,
    Bool(bool),
    Int(i64),
    Text(Arc<str>),
    /// A text of which only the beginning is known: `f"comm.{name}"`.
    Begins(Arc<str>),
    /// A function of the project, and how many of its first parameters its object fills.
    Function(Func, u32),
    Seq(Vec<Shape>),
    /// A mapping, or an object of a class, with the keys or attributes that are known.
    Record {
        class: Option<Arc<str>>,
        fields: Vec<(Arc<str>, Shape)>,
    },
}

/// Deeper or wider values are not looked into.
const MAX_PARTS: usize = 8;
const MAX_DEPTH: usize = 3;

impl Shape {
    /// Whether a test finds it true, if that is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Shape::Unknown(_) => None,
            Shape::Decided(truth, _) => Some(*truth),
            Shape::None => Some(false),
            Shape::Bool(value) => Some(*value),
            Shape::Int(value) => Some(*value != 0),
            Shape::Text(text) => Some(!text.is_empty()),
            Shape::Begins(_) | Shape::Function(..) => Some(true),
            // An empty list is there to be filled.
            Shape::Seq(items) => (!items.is_empty()).then_some(true),
            Shape::Record { class: Some(_), .. } => Some(true),
            Shape::Record { class: None, fields } => (!fields.is_empty()).then_some(true),
        }
    }

    /// Whether the two are equal, if that is known.
    pub fn equals(&self, other: &Shape) -> Option<bool> {
        match (self, other) {
            (Shape::Unknown(_), _) | (_, Shape::Unknown(_)) => None,
            (Shape::Decided(truth, _), other) | (other, Shape::Decided(truth, _)) => {
                (other.truth() == Some(!truth)).then_some(false)
            }
            (Shape::Seq(a), Shape::Seq(b)) if a.len() == b.len() => {
                let parts: Vec<_> = a.iter().zip(b).map(|(a, b)| a.equals(b)).collect();
                match () {
                    () if parts.contains(&Some(false)) => Some(false),
                    () if parts.contains(&None) => None,
                    () => Some(true),
                }
            }
            (Shape::Record { .. }, Shape::Record { .. }) | (Shape::Begins(_), Shape::Begins(_)) => None,
            (Shape::Begins(start), Shape::Text(text)) | (Shape::Text(text), Shape::Begins(start)) => {
                (!text.starts_with(&**start)).then_some(false)
            }
            (a, b) => Some(a == b),
        }
    }

    pub fn sequence(items: Vec<Shape>) -> Self {
        let shape = Shape::Seq(items);
        if shape.is_small(MAX_DEPTH) { shape } else { Shape::Unknown(None) }
    }

    pub fn record(class: Option<Arc<str>>, mut fields: Vec<(Arc<str>, Shape)>) -> Self {
        fields.truncate(MAX_PARTS);
        fields.iter_mut().filter(|(_, field)| !field.is_small(MAX_DEPTH - 1)).for_each(|(_, field)| {
            *field = Shape::Unknown(None);
        });
        Shape::Record { class, fields }
    }

    fn is_small(&self, depth: usize) -> bool {
        match self {
            Shape::Seq(items) => {
                depth > 0 && items.len() <= MAX_PARTS && items.iter().all(|item| item.is_small(depth - 1))
            }
            Shape::Record { fields, .. } => {
                depth > 0
                    && fields.len() <= MAX_PARTS
                    && fields.iter().all(|(_, field)| field.is_small(depth - 1))
            }
            _ => true,
        }
    }

    /// The attribute or key, as far as it is known.
    pub fn field(&self, name: &str) -> Option<&Shape> {
        match self {
            Shape::Record { fields, .. } => {
                fields.iter().find(|(known, _)| &**known == name).map(|(_, field)| field)
            }
            _ => None,
        }
    }

    pub fn class(&self) -> Option<&str> {
        match self {
            Shape::Record { class, .. } => class.as_deref(),
            _ => None,
        }
    }

    /// A variant that says that all went well.
    pub fn is_good(&self) -> bool {
        matches!(self.class(), Some(DONE | PRESENT))
    }

    /// One that says that it did not.
    pub fn is_bad(&self) -> bool {
        matches!(self.class(), Some(FAILED | ABSENT))
    }

    /// What stands there. An object that is taken apart is a named tuple: its fields come in the order of its class.
    pub fn item(&self, at: usize) -> Option<&Shape> {
        match self {
            Shape::Seq(items) => items.get(at),
            Shape::Record { class: Some(_), fields } => fields.get(at).map(|(_, field)| field),
            _ => None,
        }
    }

    /// Whose value it is, if it is one that is not known.
    pub fn subject(&self) -> Option<SubjectId> {
        match self {
            Shape::Unknown(subject) | Shape::Decided(_, subject) => *subject,
            _ => None,
        }
    }

    /// Nothing is known of it but perhaps whether it is true.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Shape::Unknown(_) | Shape::Decided(..))
    }

    /// A variant whose name says more than what it holds: of many values, the names are kept.
    fn may_be_less(&self) -> bool {
        self.is_good() && matches!(self, Shape::Record { fields, .. } if !fields.is_empty())
    }

    /// Two variants of one type are told apart by their names.
    pub fn is_variant(&self, other: &Shape) -> Option<bool> {
        match (self, other) {
            (Shape::Record { class: Some(a), .. }, Shape::Record { class: Some(b), fields }) => {
                (a != b || fields.is_empty()).then_some(a == b)
            }
            _ => None,
        }
    }

    /// `Some("execution")` is as good as the text.
    pub fn only_part(&self) -> &Shape {
        match self {
            Shape::Record { class: Some(class), fields } if &**class == PRESENT && fields.len() == 1 => {
                &fields[0].1
            }
            shape => shape,
        }
    }

    /// Renames the subjects in it.
    pub fn map_subjects(&self, rename: &mut impl FnMut(SubjectId) -> Option<SubjectId>) -> Self {
        match self {
            Shape::Unknown(subject) => Shape::Unknown(subject.and_then(rename)),
            Shape::Decided(truth, subject) => Shape::Decided(*truth, subject.and_then(rename)),
            Shape::Seq(items) => Shape::Seq(items.iter().map(|item| item.map_subjects(rename)).collect()),
            Shape::Record { class, fields } => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), field.map_subjects(rename)));
                Shape::Record { class: class.clone(), fields: fields.collect() }
            }
            known => known.clone(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outcome {
    pub shape: Shape,
    pub gates: Gates,
}

impl Outcome {
    fn with_less(self) -> Self {
        match self.shape.may_be_less() {
            true => {
                let Shape::Record { class, .. } = self.shape else { return self };
                Outcome { shape: Shape::Record { class, fields: Vec::new() }, gates: self.gates }
            }
            false => self,
        }
    }
}

/// More outcomes than this become one of unknown shape.
const MAX_OUTCOMES: usize = 4;

/// What a value may be. No outcome at all: there is no such value, because its maker never comes back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Value {
    outcomes: SmallVec<[Outcome; 1]>,
    /// It comes from a coroutine that has not run yet.
    pub is_pending: bool,
}

impl Value {
    pub fn known(shape: Shape) -> Self {
        Self::of([Outcome { shape, gates: Gates::NONE }])
    }

    pub fn unknown() -> Self {
        Self::known(Shape::Unknown(None))
    }

    pub fn never() -> Self {
        Self::default()
    }

    /// In order, one outcome for a shape, few of them.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut outcomes: SmallVec<[Outcome; 1]> = outcomes.into_iter().collect();
        if outcomes.len() > 1 {
            outcomes.sort_unstable();
            outcomes.dedup_by(|later, first| {
                let same = later.shape == first.shape;
                if same {
                    first.gates = first.gates.common(later.gates);
                }
                same
            });
        }
        if outcomes.len() > MAX_OUTCOMES && outcomes.iter().any(|outcome| outcome.shape.may_be_less()) {
            return Self::of(outcomes.into_iter().map(Outcome::with_less).collect::<Vec<_>>());
        }
        if outcomes.len() > MAX_OUTCOMES {
            let gates = outcomes.iter().fold(Gates::ALL, |all, outcome| all.common(outcome.gates));
            outcomes = [Outcome { shape: Shape::Unknown(None), gates }].into_iter().collect();
        }
        Self { outcomes, is_pending: false }
    }

    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The gates that are passed whatever the value is; `None` if there is none.
    pub fn least(&self) -> Option<Gates> {
        self.outcomes.iter().map(|outcome| outcome.gates).reduce(Gates::common)
    }

    pub fn pending(mut self, is_pending: bool) -> Self {
        self.is_pending = is_pending;
        self
    }

    pub fn map(&self, mut change: impl FnMut(&Shape) -> Shape) -> Self {
        let changed = self.outcomes.iter();
        Self::of(changed.map(|outcome| Outcome { shape: change(&outcome.shape), gates: outcome.gates }))
    }

    /// The same where these gates have been passed as well.
    pub fn behind(&self, gates: Gates) -> Self {
        let outcomes = self.outcomes.iter();
        let outcomes = outcomes
            .map(|outcome| Outcome { shape: outcome.shape.clone(), gates: outcome.gates.with(gates) });
        Self { outcomes: outcomes.collect(), is_pending: self.is_pending }
    }

    pub fn or(&self, other: &Value) -> Self {
        let both = Self::of(self.outcomes.iter().chain(&other.outcomes).cloned());
        Self { is_pending: self.is_pending || other.is_pending, ..both }
    }

    /// What is left where a test of it comes out so.
    pub fn when(&self, holds: bool) -> Self {
        self.only(|shape| shape.truth() != Some(!holds))
    }

    /// The same, and what is left says that it is.
    pub fn decided(&self, holds: bool) -> Self {
        let decided = self.when(holds).map(|shape| match shape {
            Shape::Unknown(subject) => Shape::Decided(holds, *subject),
            known => known.clone(),
        });
        decided.pending(self.is_pending)
    }

    pub fn only(&self, mut keeps: impl FnMut(&Shape) -> bool) -> Self {
        let outcomes = self.outcomes.iter().filter(|outcome| keeps(&outcome.shape)).cloned();
        Self { outcomes: outcomes.collect(), is_pending: self.is_pending }
    }

    /// The opposite truth.
    pub fn negated(&self) -> Self {
        self.map(|shape| shape.truth().map_or(Shape::Unknown(None), |truth| Shape::Bool(!truth)))
    }

    /// Whose value it is, if it is one that is not known.
    pub fn subjects(&self) -> impl Iterator<Item = SubjectId> + '_ {
        self.outcomes.iter().filter_map(|outcome| outcome.shape.subject())
    }
}
