//! Items of the enforcement checklist: what is asked of every external operation, or of every tool. A few general questions; which words and
//! calls are meant is the rule's or the catalogue's business.

use crate::analysis::Event;
use crate::catalog::{Bound, EffectKind};

/// What is asked, and of what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub of: Subject,
    pub question: Question,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// A registered command of the comm namespace, or another command that reaches an external effect.
    Operation,
    /// A tool that a model may call and that reaches an effect.
    Tool,
}

/// A question to one operation or tool, whose answer is a verdict with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// The registered name is one of the namespace of external operations.
    Named,
    /// The phase gate.
    Gate(GateQuery),
    /// The event has happened on every way to an external effect.
    Before(Event),
    /// The bounds that reach the calls with such an effect.
    Limits(Vec<(EffectKind, Vec<Bound>)>),
    /// The event comes before the effects and again after them, whichever way the operation leaves.
    Always(Event),
    /// What the operation hands back carries this.
    Result(Label),
    /// Tests that name the operation.
    Tested(Tested),
    /// Texts outside tests that name the operation.
    Documented,
    /// A gate of actions, or an approval of the framework, decides before the effect.
    Approved,
    /// Nothing lets it run outside after internal data was read in the same session.
    Ordered,
    /// The hints of its registration agree with what it reaches.
    Annotated,
    /// What the model gives it is checked before an effect is given it.
    Arguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateQuery {
    /// It is the first thing that the operation does.
    First,
    /// It lets nothing but the phase through in which effects are allowed.
    Closed,
}

/// What a guard leaves at content from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Attribution,
    Fence,
    /// What the fence tells a model about the content.
    Warning,
}

/// What tests have to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tested {
    /// Each of these guards, in some test.
    Guards(Vec<GuardWord>),
    /// All of these steps in one test, each by one of its words.
    Steps(Vec<TestStep>),
}

/// One step of a test, and the words that tell it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestStep {
    /// `declare`.
    pub name: String,
    pub any: Vec<String>,
    /// A call that runs the operation is the step as well, whatever it is called.
    pub executes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GuardWord {
    Phase,
    Attribution,
    Fence,
}

impl GateQuery {
    pub const WORDS: [(&'static str, GateQuery); 2] =
        [("first", GateQuery::First), ("execution-only", GateQuery::Closed)];
}

impl Label {
    pub const WORDS: [(&'static str, Label); 3] =
        [("attribution", Label::Attribution), ("fence", Label::Fence), ("warning", Label::Warning)];
}

impl GuardWord {
    pub const WORDS: [(&'static str, GuardWord); 3] =
        [("phase", GuardWord::Phase), ("attribution", GuardWord::Attribution), ("fence", GuardWord::Fence)];

    pub fn noun(self) -> &'static str {
        match self {
            GuardWord::Phase => "the phase gate",
            GuardWord::Attribution => "the attribution guard",
            GuardWord::Fence => "the content fence",
        }
    }
}

impl Question {
    /// The names that the rule's message may use.
    pub const CAPTURES: &'static [&'static str] = &["operation", "function", "evidence"];

    pub fn follows_content(&self) -> bool {
        matches!(self, Question::Result(_))
    }

    pub fn asks_for_tests(&self) -> bool {
        matches!(self, Question::Tested(_))
    }

    pub fn asks_for_gates(&self) -> bool {
        matches!(self, Question::Gate(_) | Question::Tested(_))
    }

    pub fn asks_for_approvals(&self) -> bool {
        matches!(self, Question::Approved)
    }

    pub fn asks_for_order(&self) -> bool {
        matches!(self, Question::Ordered)
    }
}
