//! The ways to break a guard, each written into the text of its file. What is a statement, a value or a test is known from
//! the core language; how a language writes the change is its spelling. So one mechanism does for every language.

use super::edit::{Edit, apply};
use super::statements::{Around, File};
use super::verdicts::{branch, tests_of};
use super::{Change, Form, Guard};
use crate::frontend::spelling::Stub;
use crate::ir::{ArgKind, Expr, ExprId, Facts, Func, Jump, Lit, Op, ParamKind, Pat, Span};

/// The name of a result that has to wait for a guard that was moved behind it.
const KEPT: &str = "kept_result";

pub(super) type Edits = Vec<(Change, Vec<Edit>)>;

/// Every change of a guard with the text that it makes, in the order of the changes.
pub fn changes(facts: &Facts, text: &str, guard: &Guard) -> Vec<(Change, String)> {
    let file = File { facts, text, spelling: crate::frontend::spelling(facts.lang) };
    let mut edits = of_form(&file, guard);
    edits.sort_by_key(|(change, _)| *change);
    let uses_flag = |change| change == Change::Flagged;
    let written = edits.into_iter().filter_map(|(change, edits)| {
        let mut text = apply(text, &edits)?;
        if uses_flag(change) {
            text += file.spelling.flag_definition();
        }
        Some((change, text))
    });
    written.collect()
}

/// Where a reader looks for a guard.
pub fn place(facts: &Facts, guard: &Guard) -> Span {
    match guard.form {
        Form::Call { call: expr, .. } | Form::Test(expr) | Form::Decorator(expr) => facts.span(expr),
        Form::Body(_) => facts.function(guard.function).name_span,
        Form::Argument { call, at } => match *facts.expr(call) {
            Expr::Call { args, .. } => {
                facts.list(args).get(at).map_or(facts.span(call), |arg| facts.span(arg.value))
            }
            _ => facts.span(call),
        },
        Form::Built(call) => {
            let span = facts.span(call);
            Span { lo: receiver(facts, call).map_or(span.lo, |base| facts.span(base).hi), hi: span.hi }
        }
    }
}

fn of_form(file: &File<'_>, guard: &Guard) -> Edits {
    match &guard.form {
        Form::Call { call, guards_value } => of_call(file, guard, *call, *guards_value),
        Form::Test(test) => of_test(file, guard, *test),
        Form::Decorator(expr) => of_decorator(file, *expr),
        Form::Body(stub) => of_body(file, guard.function, stub),
        Form::Argument { call, at } => of_argument(file, *call, *at),
        Form::Built(call) => of_built(file, *call),
    }
}

// ---- calls

fn of_call(file: &File<'_>, guard: &Guard, call: ExprId, guards_value: bool) -> Edits {
    let around = Around::of(file.facts, guard.function);
    let Some(statement) = around.statement(file.facts, call) else { return Vec::new() };
    match *file.facts.expr(statement) {
        Expr::If { .. } | Expr::Match { .. } | Expr::Loop(_) if around.completed(file, call) != statement => {
            branch(file, &around, guard, statement, call)
        }
        Expr::With { context, body, .. } if file.facts.span(context).hi >= file.facts.span(call).hi => {
            of_manager(file, statement, context, body)
        }
        Expr::Bind { .. } | Expr::Store { .. } | Expr::Jump { .. } if guards_value => {
            of_value(file, &around, statement, call)
        }
        Expr::Bind { .. } => tests_of(file, &around, guard, statement),
        Expr::Store { .. } | Expr::Jump { .. } | Expr::Try(_) | Expr::Loop(_) => Vec::new(),
        _ if guards_value => of_value(file, &around, statement, call),
        _ => of_statement(file, &around, guard, statement),
    }
}

/// A guard that is asked for what it does, not for what it comes back with.
pub(super) fn of_statement(file: &File<'_>, around: &Around, guard: &Guard, statement: ExprId) -> Edits {
    let span = file.whole(statement);
    let (code, indent) = (file.code(span), file.indent(span.lo));
    let spelling = file.spelling;
    let mut edits = vec![
        (Change::Removed, vec![Edit::new(span, spelling.nothing())]),
        (Change::Flagged, vec![Edit::new(span, spelling.when(code, indent))]),
        (Change::Asserted, vec![Edit::new(span, spelling.asserted(code))]),
    ];
    let swallowed = spelling.swallowed(code, "", indent);
    edits.extend(swallowed.map(|text| (Change::Swallowed, vec![Edit::new(span, text)])));
    edits.extend(moved(file, around, guard, span).map(|edits| (Change::Moved, edits)));
    edits
}

/// The statement behind the first effect that comes after it.
pub(super) fn moved(file: &File<'_>, around: &Around, guard: &Guard, span: Span) -> Option<Vec<Edit>> {
    let behind = |&&effect: &&ExprId| file.facts.span(effect).lo >= span.hi;
    let effect = guard.effects.iter().find(behind)?;
    let statement = around.statement(file.facts, *effect)?;
    let to = file.whole(statement);
    if to.lo < span.hi {
        return None;
    }
    let indent = file.indent(to.lo);
    let code = file.code(span).replace(&format!("\n{}", file.indent(span.lo)), &format!("\n{indent}"));
    let taken = Edit::new(span, file.spelling.nothing());
    match *file.facts.expr(statement) {
        Expr::Jump { kind: Jump::Return, value: Some(value) } => {
            let kept = file.spelling.bound(KEPT, file.code_of(value));
            let last = file.spelling.returned(KEPT);
            Some(vec![taken, Edit::new(to, format!("{kept}\n{indent}{code}\n{indent}{last}"))])
        }
        Expr::Jump { .. } => None,
        _ => Some(vec![taken, Edit::insert(to.hi, format!("\n{indent}{code}"))]),
    }
}

/// A guard that hands back what it was given: without it, what it was given goes on.
fn of_value(file: &File<'_>, around: &Around, statement: ExprId, call: ExprId) -> Edits {
    let whole = around.completed(file, call);
    let Some(given) = first_argument(file.facts, call) else { return Vec::new() };
    let (span, given) = (file.facts.span(whole), file.code_of(given));
    let (code, spelling) = (file.code(span), file.spelling);
    let mut edits = vec![
        (Change::Removed, vec![Edit::new(span, given)]),
        (Change::Flagged, vec![Edit::new(span, spelling.either(code, given))]),
    ];
    let around = file.whole(statement);
    let (text, indent) = (file.code(around), file.indent(around.lo));
    let swallowed = spelling.swallowed_value(code, given).map(|text| Edit::new(span, text)).or_else(|| {
        let at = Span { lo: span.lo - around.lo, hi: span.hi - around.lo };
        let otherwise = apply(text, &[Edit::new(at, given)])?;
        Some(Edit::new(around, spelling.swallowed(text, &otherwise, indent)?))
    });
    edits.extend(swallowed.map(|edit| (Change::Swallowed, vec![edit])));
    edits
}

fn first_argument(facts: &Facts, call: ExprId) -> Option<ExprId> {
    let Expr::Call { args, .. } = *facts.expr(call) else { return None };
    let args = facts.list(args);
    let is_plain = |kind| matches!(kind, ArgKind::Positional | ArgKind::Named(_));
    args.first().filter(|arg| is_plain(arg.kind)).map(|arg| arg.value)
}

/// `with gate(phase): …`: the block stays.
fn of_manager(file: &File<'_>, statement: ExprId, context: ExprId, body: ExprId) -> Edits {
    let (Some(head), Some(first)) = (file.spelling.unmanaged(), file.statements(body).first()) else {
        return Vec::new();
    };
    let (lo, end) = (file.facts.span(statement).lo, file.facts.span(*first).lo);
    let between = file.code(Span { lo: file.facts.span(context).hi, hi: end });
    // What the manager gives is bound up to here.
    let Some(colon) = between.find(':') else { return Vec::new() };
    let hi = file.facts.span(context).hi + colon as u32;
    vec![(Change::Removed, vec![Edit::new(Span { lo, hi }, head)])]
}

// ---- tests

fn of_test(file: &File<'_>, guard: &Guard, test: ExprId) -> Edits {
    let around = Around::of(file.facts, guard.function);
    let Some(statement) = around.statement(file.facts, test) else { return Vec::new() };
    match *file.facts.expr(statement) {
        Expr::If { .. } | Expr::Match { .. } | Expr::Loop(_) => branch(file, &around, guard, statement, test),
        Expr::Bind { .. } => tests_of(file, &around, guard, statement),
        // The answer itself.
        Expr::Jump { .. } => {
            let Expr::Op { op, .. } = *file.facts.expr(test) else { return Vec::new() };
            let is_yes = matches!(op, Op::Eq | Op::Is | Op::In);
            let text = file.spelling.truth(is_yes);
            vec![(Change::Removed, vec![Edit::new(file.facts.span(test), text)])]
        }
        _ => Vec::new(),
    }
}

fn of_decorator(file: &File<'_>, expr: ExprId) -> Edits {
    let span = file.facts.span(expr);
    let before = file.text.get(..span.lo as usize).unwrap_or_default();
    let mark = file.spelling.decorator_mark().filter(|&mark| before.trim_end().ends_with(mark));
    let Some(mark) = mark else { return Vec::new() };
    let lo = (before.trim_end().len() - mark.len_utf8()) as u32;
    vec![(Change::Removed, vec![Edit::new(Span { lo, hi: span.hi }, "")])]
}

// ---- bodies

fn of_body(file: &File<'_>, function: Func, stub: &Stub) -> Edits {
    let function = file.facts.function(function);
    let statements = file.statements(function.body);
    let is_doc = |id: &&ExprId| matches!(file.facts.expr(**id), Expr::Lit(Lit::Str(_)));
    let code: &[ExprId] =
        if statements.first().filter(is_doc).is_some() { &statements[1..] } else { statements };
    let (Some(&first), Some(&last)) = (code.first(), code.last()) else { return Vec::new() };
    let span = Span { lo: file.whole(first).lo, hi: file.whole(last).hi };
    let (text, indent) = (file.code(span), file.indent(span.lo));
    let result = function.returns.map(|expr| file.code_of(expr));
    let leave = file.spelling.leave(result, stub);
    let emptied = if *stub == Stub::Nothing && result.is_none() { file.spelling.nothing() } else { &leave };
    let early = format!("{}\n{indent}", file.spelling.unless(&leave, indent));
    let mut edits = vec![
        (Change::Emptied, vec![Edit::new(span, emptied)]),
        (Change::Flagged, vec![Edit::insert(span.lo, early)]),
    ];
    let swallowed =
        file.spelling.swallowed(text, &leave, indent).filter(|_| code.iter().any(|&id| file.raises(id)));
    edits.extend(swallowed.map(|text| (Change::Swallowed, vec![Edit::new(span, text)])));
    edits
}

/// What a function hands back that hands back what it was given: its first parameter other than its object.
pub fn given(facts: &Facts, function: Func) -> Option<String> {
    let function = facts.function(function);
    let objects = crate::frontend::spelling(facts.lang).objects();
    let plain = facts.list(function.params).iter().filter(|param| {
        matches!(param.kind, ParamKind::Normal | ParamKind::PositionalOnly | ParamKind::KeywordOnly)
            && matches!(*facts.pat(param.pat), Pat::Var(_))
    });
    let mut names = plain.map(|param| facts.str(param.name)).filter(|name| !objects.contains(name));
    names.next().map(str::to_owned)
}

// ---- bounds

fn of_argument(file: &File<'_>, call: ExprId, at: usize) -> Edits {
    let Expr::Call { callee, args, .. } = *file.facts.expr(call) else { return Vec::new() };
    let args = file.facts.list(args);
    let Some(arg) = args.get(at) else { return Vec::new() };
    let value = file.facts.span(arg.value);
    let before = args.iter().map(|arg| file.facts.span(arg.value)).filter(|span| span.hi <= value.lo);
    let gone = match before.max_by_key(|span| span.hi) {
        Some(before) => Span { lo: before.hi, hi: value.hi },
        None => {
            let callee = file.facts.span(callee).hi;
            let rest = file.text.get(callee as usize..).unwrap_or_default();
            let lo = callee + rest.find('(').map_or(0, |open| open as u32 + 1);
            let rest = file.text.get(value.hi as usize..).unwrap_or_default();
            let comma = rest.trim_start().starts_with(',');
            let blank = (rest.len() - rest.trim_start().len()) as u32;
            Span { lo, hi: if comma { value.hi + blank + 1 } else { value.hi } }
        }
    };
    let (spelling, code) = (file.spelling, file.code(value));
    vec![
        (Change::Removed, vec![Edit::new(gone, "")]),
        (Change::Emptied, vec![Edit::new(value, spelling.none())]),
        (Change::Flagged, vec![Edit::new(value, spelling.either(code, spelling.none()))]),
    ]
}

fn of_built(file: &File<'_>, call: ExprId) -> Edits {
    let Some(base) = receiver(file.facts, call) else { return Vec::new() };
    let span = file.facts.span(call);
    vec![(Change::Removed, vec![Edit::new(span, file.code_of(base))])]
}

fn receiver(facts: &Facts, call: ExprId) -> Option<ExprId> {
    let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
    match *facts.expr(callee) {
        Expr::Field { base, .. } => Some(base),
        _ => None,
    }
}
