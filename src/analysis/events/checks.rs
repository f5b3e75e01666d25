//! Which set of events a function tests a parameter against, so that others are refused: it raises, comes back or warns.
//! A test that only treats some events in another way registers nothing.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::own_parameter;
use super::sets::Sets;
use crate::analysis::definitions::Definitions;
use crate::catalog::Catalog;
use crate::catalog::DataOp::{self, Contains, Get, Lower, MemberValue, ToText, Trim, Upper};
use crate::ir::{Expr, ExprId, Facts, Jump, Lit, Op, Sym};
use crate::link::{At, EdgeKind, Func, Memo, Passed, Program, Target};

/// A validator of a validator; more is a cycle.
const MAX_HOPS: u32 = 8;

/// The events that a function takes.
#[derive(Clone, Debug)]
pub struct Registered {
    events: Rc<BTreeSet<String>>,
    /// What the event is changed to before it is looked up.
    forms: Vec<Form>,
    pub at: At,
}

/// What is done to an event before it is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Lower,
    Upper,
    Strip,
}

impl Registered {
    pub fn knows(&self, event: &str) -> bool {
        let event = self.forms.iter().fold(event.to_owned(), |event, form| match form {
            Form::Lower => event.to_lowercase(),
            Form::Upper => event.to_uppercase(),
            Form::Strip => event.trim().to_owned(),
        });
        self.events.contains(&event)
    }
}

/// A test of the parameter: the set, and how the test comes out for an event that is not in it.
struct Test {
    registered: Registered,
    when_unknown: bool,
}

pub struct Checks<'k, 'a> {
    program: &'k Program<'a>,
    catalog: &'k Catalog,
    sets: Sets<'k, 'a>,
    /// By how many functions may still be asked: an answer that was cut short is one of its own.
    known: Memo<((Func, u32), u32), Option<Registered>>,
}

impl<'k, 'a> Checks<'k, 'a> {
    pub fn new(program: &'k Program<'a>, catalog: &'k Catalog) -> Self {
        Self { program, catalog, sets: Sets::new(program, catalog), known: Memo::default() }
    }

    /// The events that a function takes in a parameter, itself or by a function that it asks.
    pub fn of(&self, parameter: (Func, u32)) -> Option<Registered> {
        self.within(parameter, MAX_HOPS)
    }

    fn within(&self, parameter: (Func, u32), hops: u32) -> Option<Registered> {
        let hops = hops.checked_sub(1)?;
        self.known.of((parameter, hops), || {
            let (func, at) = parameter;
            let facts = self.program.facts(self.program.function(func).file);
            let definitions = Definitions::new(self.program, self.catalog, func);
            Look { checks: self, func, at, facts, definitions, hops }.found()
        })
    }
}

/// A look at one function.
struct Look<'l, 'k, 'a> {
    checks: &'l Checks<'k, 'a>,
    func: Func,
    /// The parameter.
    at: u32,
    facts: &'a Facts,
    definitions: Definitions,
    hops: u32,
}

impl Look<'_, '_, '_> {
    fn found(&self) -> Option<Registered> {
        let function = self.checks.program.ir(self.func);
        function.exprs.iter().find_map(|expr| match *self.facts.expr(expr) {
            Expr::If { arms, otherwise } => {
                let [first, rest @ ..] = self.facts.list(arms) else { return None };
                let test = self.test(first.test, self.hops)?;
                let is_refused = match test.when_unknown {
                    true => self.refuses(first.body, expr),
                    false => match (rest, otherwise) {
                        ([], Some(otherwise)) => self.refuses(otherwise, expr),
                        ([], None) => self.is_all_there_is(expr, first.body),
                        _ => false,
                    },
                };
                is_refused.then_some(test.registered)
            }
            Expr::Jump { kind: Jump::Assert, value: Some(value) } => {
                let value = match *self.facts.expr(value) {
                    Expr::Seq(parts) => *self.facts.list(parts).first()?,
                    _ => value,
                };
                let test = self.test(value, self.hops).filter(|test| !test.when_unknown)?;
                Some(test.registered)
            }
            Expr::Call { callee, args, .. } => self.asked(expr).or_else(|| match *self.facts.list(args) {
                [only] => self.member(expr, callee, only.value, false),
                _ => None,
            }),
            Expr::Index { base, key } => self.member(expr, base, key, true),
            _ => None,
        })
    }

    /// What an expression changes the parameter to; `None` if it is something else.
    fn event(&self, expr: ExprId) -> Option<Vec<Form>> {
        match *self.facts.expr(expr) {
            Expr::Var(_) if own_parameter(self.checks.program, self.func, expr) == Some(self.at) => {
                Some(Vec::new())
            }
            Expr::Var(var) => match self.definitions.of(var) {
                [only] if only.reads.is_empty() && !only.is_element => self.event(only.value),
                _ => None,
            },
            Expr::Field { base, name } if self.named(name) == Some(MemberValue) => self.event(base),
            Expr::Text(parts) => match *self.facts.list(parts) {
                [only] => self.event(only),
                _ => None,
            },
            Expr::Any(parts) => self.event(*self.facts.list(parts).first()?),
            Expr::Call { callee, args, .. } => match (*self.facts.expr(callee), self.facts.list(args)) {
                (Expr::Field { base, name }, []) => {
                    let form = match self.named(name) {
                        Some(Lower) => Form::Lower,
                        Some(Upper) => Form::Upper,
                        Some(Trim) => Form::Strip,
                        _ => return None,
                    };
                    let mut forms = self.event(base)?;
                    forms.push(form);
                    Some(forms)
                }
                (Expr::Free(name), [only]) if self.is_text(name) => self.event(only.value),
                _ => None,
            },
            _ => None,
        }
    }

    fn registered(&self, event: ExprId, set: ExprId, at: ExprId) -> Option<Registered> {
        let forms = self.event(event)?;
        let events = Rc::new(self.checks.sets.members(self.func, set)?);
        let at = At { file: self.checks.program.function(self.func).file, expr: at };
        Some(Registered { events, forms, at })
    }

    fn test(&self, expr: ExprId, hops: u32) -> Option<Test> {
        let hops = hops.checked_sub(1)?;
        let of = |event, set, when_unknown| {
            Some(Test { registered: self.registered(event, set, expr)?, when_unknown })
        };
        match *self.facts.expr(expr) {
            Expr::Not(inner) => {
                let test = self.test(inner, hops)?;
                Some(Test { when_unknown: !test.when_unknown, ..test })
            }
            Expr::All(parts) | Expr::Any(parts) => {
                self.facts.list(parts).iter().find_map(|&part| self.test(part, hops))
            }
            Expr::Op { op, args } => match (op, self.facts.list(args)) {
                (Op::NotIn, &[event, set]) => of(event, set, true),
                (Op::In, &[event, set]) => of(event, set, false),
                // `SCHEMAS.get(event) is None`
                (Op::Is | Op::IsNot, &[got, none]) if self.is_none(none) => {
                    let test = self.test(got, hops)?;
                    Some(Test { when_unknown: test.when_unknown != (op == Op::Is), ..test })
                }
                _ => None,
            },
            Expr::Var(var) => match self.definitions.of(var) {
                [only] if only.reads.is_empty() && !only.is_element => self.test(only.value, hops),
                _ => None,
            },
            Expr::Bind { value, .. } => self.test(value, hops),
            Expr::Call { callee, args, .. } => match (*self.facts.expr(callee), self.facts.list(args)) {
                (Expr::Field { base, name }, [event, ..])
                    if matches!(self.method(name), Some(Get | Contains)) =>
                {
                    of(event.value, base, false).or_else(|| self.predicate(expr, hops))
                }
                _ => self.predicate(expr, hops),
            },
            _ => None,
        }
    }

    fn method(&self, name: Sym) -> Option<DataOp> {
        self.checks.catalog.operations.of_method(self.facts.lang, self.facts.str(name))
    }

    fn named(&self, name: Sym) -> Option<DataOp> {
        self.checks.catalog.operations.of_name(self.facts.str(name))
    }

    fn is_text(&self, name: Sym) -> bool {
        self.checks.catalog.operations.of_builtin(self.facts.str(name)) == Some(ToText)
    }

    fn is_none(&self, expr: ExprId) -> bool {
        matches!(self.facts.expr(expr), Expr::Lit(Lit::None))
    }

    /// `is_registered(event)`: a function that comes back with the test.
    fn predicate(&self, call: ExprId, hops: u32) -> Option<Test> {
        let program = self.checks.program;
        self.handed(call).into_iter().find_map(|(callee, at, forms)| {
            let facts = program.facts(program.function(callee).file);
            let definitions = Definitions::new(program, self.checks.catalog, callee);
            let look = Look { checks: self.checks, func: callee, at, facts, definitions, hops };
            let mut returned = program.returns(callee);
            let (Some(value), None) = (returned.next(), returned.next()) else { return None };
            let mut test = look.test(value, hops)?;
            test.registered.forms.splice(0..0, forms);
            Some(test)
        })
    }

    /// The functions that a call hands the event to.
    fn handed(&self, call: ExprId) -> Vec<(Func, u32, Vec<Form>)> {
        let program = self.checks.program;
        let mut found = Vec::new();
        for edge in program.edges_at(self.func, call).iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            for (passed, expr) in program.arguments(edge) {
                if let (Passed::Param(at), Some(forms)) = (passed, self.event(expr)) {
                    found.push((callee, at, forms));
                }
            }
        }
        found
    }

    /// `validate(event)`.
    fn asked(&self, call: ExprId) -> Option<Registered> {
        self.handed(call).into_iter().find_map(|(callee, at, forms)| {
            let mut registered = self.checks.within((callee, at), self.hops)?;
            registered.forms.splice(0..0, forms);
            Some(registered)
        })
    }

    /// `AuditEvent(event)` and `AuditEvent[event]` raise for what is no member.
    fn member(&self, at: ExprId, class: ExprId, event: ExprId, by_name: bool) -> Option<Registered> {
        let program = self.checks.program;
        let class = program.class_named(self.func, class).filter(|&class| program.is_enum(class))?;
        let forms = self.event(event)?;
        let events = Rc::new(self.checks.sets.of_enum(class, by_name)?);
        Some(Registered { events, forms, at: At { file: program.function(self.func).file, expr: at } })
    }

    /// Whoever gets here with an unknown event goes no further, or is told.
    fn refuses(&self, body: ExprId, test: ExprId) -> bool {
        let statements = self.statements(body);
        match statements.last().map(|&last| *self.facts.expr(last)) {
            Some(Expr::Jump { kind: Jump::Raise, .. }) => true,
            Some(Expr::Jump { kind: Jump::Return | Jump::Continue(_), .. }) => !self.is_used_before(test),
            _ => !statements.is_empty() && statements.iter().all(|&statement| self.warns(statement)),
        }
    }

    fn statements(&self, body: ExprId) -> Vec<ExprId> {
        match *self.facts.expr(body) {
            Expr::Block(list) => self.facts.list(list).to_vec(),
            _ => vec![body],
        }
    }

    fn warns(&self, statement: ExprId) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(statement) else { return false };
        let program = self.checks.program;
        let spelled = program.receiver_name(self.func, callee).map(|name| name.name);
        let imported = program.library_path(self.func, callee).and_then(|path| path.rsplit('.').next());
        let mut names = spelled.into_iter().chain(imported);
        names.any(|name| self.checks.catalog.audit.only_warns(name))
    }

    /// True if some call was given the event before: what comes after it is no condition for it.
    fn is_used_before(&self, test: ExprId) -> bool {
        let lo = self.facts.span(test).lo;
        self.uses().any(|call| self.facts.span(call).hi <= lo)
    }

    /// Calls that are given the event, but for those that change or tell it.
    fn uses(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.checks.program.ir(self.func).exprs.iter().filter(|&call| {
            let Expr::Call { args, .. } = *self.facts.expr(call) else { return false };
            !self.warns(call)
                && self.event(call).is_none()
                && self.facts.list(args).iter().any(|arg| self.event(arg.value).is_some())
        })
    }

    /// `if event in EVENTS: write(event)` at the end, and nobody else gets the event.
    fn is_all_there_is(&self, test: ExprId, body: ExprId) -> bool {
        let statements = self.statements(self.checks.program.ir(self.func).body);
        let span = self.facts.span(body);
        let inside =
            |call: ExprId| self.facts.span(call).lo >= span.lo && self.facts.span(call).hi <= span.hi;
        let (within, outside): (Vec<_>, Vec<_>) = self.uses().partition(|&call| inside(call));
        statements.last() == Some(&test) && !within.is_empty() && outside.is_empty()
    }
}
