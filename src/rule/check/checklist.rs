//! The `item` and `tool` matchers: ask one question of every external operation, or of every tool that reaches an effect. Each
//! answer is a verdict with its evidence; what fails is also a finding at the place where the operation is registered.

mod annotated;
mod approved;
mod arguments;
mod content;
mod gate;
mod limits;
mod mentioned;
mod operations;
mod ordered;
mod trail;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use approved::Approvals;
use gate::Gates;
pub(super) use operations::{Operation, Tools, operations, tools};
use ordered::Orders;
use trail::Followed;

use super::shared::{Shared, named as named_function};
use super::{Checked, Context, Draft};
use crate::analysis::{Event, gives_default_timeout};
use crate::catalog::EffectKind;
use crate::finding::checklist::{Cell, Checklist, Evidence, Matrix, Row, Verdict};
use crate::finding::{Confidence, Finding, Incomplete, Place, Step};
use crate::link::{At, Func};
use crate::rule::Rule;
use crate::rule::matcher::{GateQuery, Item, Question, Subject};

/// The effects that make an operation an external one, and those that count only where it has no other: a command may
/// keep what it has done.
pub(super) const REACHES_OUT: [EffectKind; 4] =
    [EffectKind::Network, EffectKind::Process, EffectKind::Hardware, EffectKind::Comm];
const KEEPS: [EffectKind; 2] = [EffectKind::Storage, EffectKind::File];

/// A verdict and how sure it is.
pub(super) struct Judged {
    verdict: Verdict,
    evidence: Vec<Evidence>,
    confidence: Confidence,
    /// The operation was not followed to its end, so the run is incomplete.
    is_given_up: bool,
}

impl Judged {
    fn new(verdict: Verdict, place: Place, text: impl Into<String>) -> Self {
        let evidence = vec![Evidence { place, text: text.into() }];
        Self { verdict, evidence, confidence: Confidence::High, is_given_up: false }
    }

    fn given_up(place: Place) -> Self {
        let text = "the operation is too large to be followed";
        Self { is_given_up: true, ..Self::unknown(place, text) }
    }

    fn pass(place: Place, text: impl Into<String>) -> Self {
        Self::new(Verdict::Pass, place, text)
    }

    fn fail(place: Place, text: impl Into<String>) -> Self {
        Self::new(Verdict::Fail, place, text)
    }

    fn unknown(place: Place, text: impl Into<String>) -> Self {
        Self::new(Verdict::Unknown, place, text)
    }

    fn and(mut self, place: Place, text: impl Into<String>) -> Self {
        self.evidence.push(Evidence { place, text: text.into() });
        self
    }

    fn at_most(self, confidence: Confidence) -> Self {
        Self { confidence: self.confidence.min(confidence), ..self }
    }
}

/// What one rule asks of all operations, made once it is asked for.
#[derive(Default)]
struct Made<'g, 'c> {
    gates: OnceCell<Gates<'g, 'c>>,
    followed: OnceCell<Followed<'g, 'c>>,
    has_default_timeout: OnceCell<bool>,
    approvals: OnceCell<Approvals<'g, 'c>>,
    orders: OnceCell<Orders>,
}

impl<'g, 'c> Made<'g, 'c> {
    fn gates(&self, context: &'g Context<'c>, shared: &'g Shared<'c>) -> &Gates<'g, 'c> {
        self.gates.get_or_init(|| Gates::new(context, shared))
    }

    fn followed(&self, context: &'g Context<'c>, event: &'g Event) -> &Followed<'g, 'c> {
        self.followed.get_or_init(|| Followed::new(context, event))
    }

    fn has_default_timeout(&self, context: &Context<'_>) -> bool {
        *self.has_default_timeout.get_or_init(|| gives_default_timeout(context.program, context.catalog))
    }

    fn approvals(&self, context: &'g Context<'c>, shared: &'g Shared<'c>) -> &Approvals<'g, 'c> {
        self.approvals.get_or_init(|| Approvals::new(context, shared))
    }

    fn orders(&self, context: &Context<'c>, shared: &Shared<'c>) -> &Orders {
        self.orders.get_or_init(|| Orders::new(context, shared))
    }
}

/// One item of one operation: rule, the number of the operation among those of its kind, and answer.
#[derive(Debug)]
pub(super) struct Answer {
    rule: Arc<Rule>,
    of: Subject,
    operation: usize,
    cell: Cell,
}

/// What items ask about.
fn subjects<'s, 'c>(context: &Context<'c>, shared: &'s Shared<'c>, of: Subject) -> &'s [Operation] {
    match of {
        Subject::Operation => shared.operations(context),
        Subject::Tool => &shared.offered(context).rows,
    }
}

pub(super) fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    item: &Item,
    out: &mut Checked,
) {
    let made = Made::default();
    for (at, operation) in subjects(context, shared, item.of).iter().enumerate() {
        let file = context.program.function(operation.handler).file;
        let Some(applies) = context.applies(rule, file, operation.handler) else { continue };
        let judged = judge(context, shared, item, operation, &made);
        if judged.verdict == Verdict::Fail {
            out.findings.push(finding(context, rule, operation, &judged, applies));
        }
        let Judged { verdict, evidence, is_given_up, .. } = judged;
        let given_up =
            is_given_up.then(|| Incomplete::given_up(named_function(context.program, operation.handler)));
        out.incomplete.extend(given_up);
        let cell = Cell { verdict, evidence };
        out.answers.push(Answer { rule: Arc::clone(rule), of: item.of, operation: at, cell });
    }
}

fn judge<'g, 'c>(
    context: &'g Context<'c>,
    shared: &'g Shared<'c>,
    item: &'g Item,
    operation: &Operation,
    made: &Made<'g, 'c>,
) -> Judged {
    match &item.question {
        Question::Named => named(operation),
        Question::Gate(GateQuery::First) => made.gates(context, shared).first(operation),
        Question::Gate(GateQuery::Closed) => made.gates(context, shared).closed(operation),
        Question::Before(event) => trail::before(context, made.followed(context, event), operation, event),
        Question::Always(event) if item.of == Subject::Tool => {
            trail::always_around(context, made.followed(context, event), operation, event)
        }
        Question::Always(event) => trail::always(context, made.followed(context, event), operation, event),
        Question::Limits(wanted) => {
            limits::run(context, operation, wanted, made.has_default_timeout(context))
        }
        Question::Result(label) => content::run(context, shared, operation, *label),
        Question::Tested(wanted) => mentioned::tested(context, shared, operation, wanted),
        Question::Documented => mentioned::documented(context, operation),
        Question::Approved => made.approvals(context, shared).judge(operation),
        Question::Ordered => made.orders(context, shared).judge(context, shared, operation),
        Question::Annotated => annotated::run(context, shared, operation),
        Question::Arguments => arguments::run(context, operation),
    }
}

fn named(operation: &Operation) -> Judged {
    let place = operation.registered;
    match (&operation.name, operation.is_comm) {
        (Some(name), true) => Judged::pass(place, format!("it is registered as `{name}`")),
        (None, true) => Judged::pass(place, "it is registered in the namespace, under a name that varies"),
        (Some(name), false) => {
            let text = format!("it reaches an external effect and is registered as `{name}`");
            Judged::fail(place, text).at_most(operation.confidence)
        }
        (None, false) => Judged::unknown(place, "the name under which it is registered is not constant"),
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    operation: &Operation,
    judged: &Judged,
    applies: Confidence,
) -> Finding {
    let steps = judged.evidence.iter().filter(|evidence| evidence.place != operation.registered);
    let said = judged.evidence.first().map(|evidence| evidence.text.clone()).unwrap_or_default();
    context.finding(
        rule,
        Draft {
            confidence: judged.confidence.min(applies).min(operation.confidence),
            primary: operation.registered,
            steps: steps.map(|evidence| Step::seen(evidence.place, evidence.text.clone())).collect(),
            captures: BTreeMap::from([
                ("operation", operation.label(context)),
                ("function", context.program.short_name(operation.handler)),
                ("evidence", said),
            ]),
            names: vec![&*context.program.function(operation.handler).path],
            inside: Some(operation.handler),
        },
    )
}

/// The answers of all items, put together.
pub(super) fn checklist<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rules: &[Arc<Rule>],
    answers: Vec<Answer>,
) -> Checklist {
    let operations = matrix(context, shared, rules, (Subject::Operation, &answers));
    let mut tools = matrix(context, shared, rules, (Subject::Tool, &answers));
    if !tools.items.is_empty() {
        tools.without_effect = shared.offered(context).without_effect;
    }
    Checklist { operations, tools }
}

fn matrix<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rules: &[Arc<Rule>],
    (of, answers): (Subject, &[Answer]),
) -> Matrix {
    let items: Vec<Arc<Rule>> = rules.iter().filter(|rule| rule.asks(of)).cloned().collect();
    if items.is_empty() {
        return Matrix::default();
    }
    let mut rows: Vec<Row> =
        subjects(context, shared, of).iter().map(|operation| row(context, operation)).collect();
    let mut given: BTreeMap<(&str, usize), Vec<&Answer>> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.of == of) {
        given.entry((&answer.rule.id, answer.operation)).or_default().push(answer);
    }
    for item in &items {
        for (at, row) in rows.iter_mut().enumerate() {
            let own = given.get(&(item.id.as_str(), at)).into_iter().flatten().copied();
            row.cells.push(worst(own, row.registered));
        }
    }
    Matrix { items, rows, without_effect: 0 }
}

/// A rule may ask several questions: one that fails decides, then one that nobody can answer.
fn worst<'a>(answers: impl Iterator<Item = &'a Answer>, place: Place) -> Cell {
    let rank = |verdict: Verdict| match verdict {
        Verdict::Pass => 0,
        Verdict::Unknown => 1,
        Verdict::Fail => 2,
    };
    let worst = answers.max_by_key(|answer| rank(answer.cell.verdict)).map(|answer| answer.cell.clone());
    worst.unwrap_or_else(|| Cell {
        verdict: Verdict::Unknown,
        evidence: vec![Evidence { place, text: "the rule does not look at this part of the project".into() }],
    })
}

fn row(context: &Context<'_>, operation: &Operation) -> Row {
    let program = context.program;
    Row {
        name: operation.label(context),
        function: program.short_name(operation.handler),
        handler: head(context, operation.handler),
        registered: operation.registered,
        cells: Vec::new(),
    }
}

/// The name of a function in its head.
fn head(context: &Context<'_>, func: Func) -> Place {
    let program = context.program;
    Place { file: program.function(func).file, span: program.ir(func).name_span }
}

fn place(context: &Context<'_>, (func, expr): (Func, crate::ir::ExprId)) -> Place {
    context.place(At { file: context.program.function(func).file, expr })
}
