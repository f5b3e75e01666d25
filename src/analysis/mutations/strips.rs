//! Texts that lose a marker: replaced, stripped, split away, sliced off, cut out by a pattern, or filtered out by lines. What
//! goes into a fence afterwards is the opposite, a marker that somebody else wrote made harmless, and is left out.

mod closures;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Change, How, Subject};
use crate::analysis::texts::{Held, Markers};
use crate::analysis::values::{Bound, Method, Place, Values};
use crate::catalog::DataOp::{
    Add, Append, DropPrefix, DropSuffix, LastPosition, Length, Lines, Pattern, Position, ReadLines, Replace,
    ReplaceAll, Split, SplitBack, SplitByPattern, SplitFirst, SplitLast, Substitute, SubstituteAndCount,
    Translate, Trim, TrimEnd, TrimStart, Write,
};
use crate::ir::{Arg, Expr, ExprId, Facts, IfArm, Jump, Op, Span, VarId};
use crate::link::{Edge, EdgeKind, Func, Memo, Target, argument};

/// Every place in the body of a function where a text loses one of `markers`.
pub fn strips(values: &Values<'_, '_>, func: Func, markers: &Markers<'_>) -> Vec<Change> {
    if markers.by_name && values.catalog.fence.displays(values.program.name(func)) {
        return Vec::new();
    }
    let mut cutter = Cutter::new(values, func, markers);
    for id in values.program.ir(func).exprs.iter() {
        cutter.expr(id);
    }
    if cutter.out.is_empty() {
        return Vec::new();
    }
    let harmless = cutter.harmless();
    let mut cuts = cutter.out;
    let mut are_harmless: FxHashMap<*const ExprId, bool> = FxHashMap::default();
    cuts.retain(|cut| {
        let on = &cut.flow.on;
        let any = || on.iter().any(|id| harmless.contains(id));
        !harmless.contains(&cut.flow.at) && !*are_harmless.entry(on.as_ptr()).or_insert_with(any)
    });
    if !cuts.is_empty() && callers_fence(values, func, markers, MAX_CALLERS) {
        let returned = returned(values, func);
        cuts.retain(|cut| {
            !returned.contains(&cut.flow.at) && !cut.flow.on.iter().any(|id| returned.contains(id))
        });
    }
    let has_strong = cuts.iter().any(|cut| !cut.is_weak);
    cuts.retain(|cut| !(cut.is_weak && has_strong));
    cuts.into_iter().map(|cut| cut.change).collect()
}

/// Helpers of helpers of the function that makes a fence.
const MAX_CALLERS: u32 = 4;

/// True if whatever the function hands back gets a fence, or a marker, from whoever calls it.
fn callers_fence(values: &Values<'_, '_>, func: Func, markers: &Markers<'_>, hops: u32) -> bool {
    let program = values.program;
    let is_call = |edge: &&Edge| edge.to == Target::Project(func) && edge.kind == EdgeKind::Call;
    let mut calls =
        program.edges.iter().filter(is_call).filter(|edge| !program.is_test_code(edge.from)).peekable();
    let fences = |edge: &Edge| {
        Cutter::new(values, edge.from, markers).harmless().contains(&edge.at.expr)
            || hops > 0
                && returned(values, edge.from).contains(&edge.at.expr)
                && callers_fence(values, edge.from, markers, hops - 1)
    };
    calls.peek().is_some() && calls.all(fences)
}

/// What is handed back, and what it is made of.
fn returned(values: &Values<'_, '_>, func: Func) -> FxHashSet<ExprId> {
    values.program.returns(func).flat_map(|value| values.parts(func, value)).collect()
}

/// The expressions in which a text goes on.
struct Flow {
    on: Rc<[ExprId]>,
    at: ExprId,
}

struct Cut {
    change: Change,
    /// What of the text goes on.
    flow: Flow,
    /// One half of a text that is put together again.
    is_weak: bool,
}

struct Cutter<'f, 'p, 'a> {
    values: &'f Values<'p, 'a>,
    func: Func,
    facts: &'a Facts,
    markers: &'f Markers<'f>,
    /// What is known to be a compiled regular expression, or none.
    patterns: Memo<Place, bool>,
    /// Where a line goes on, by the body of its loop: a loop has as many tests as lines.
    kept: Memo<(ExprId, VarId), Rc<[ExprId]>>,
    out: Vec<Cut>,
}

impl<'f, 'p, 'a> Cutter<'f, 'p, 'a> {
    fn new(values: &'f Values<'p, 'a>, func: Func, markers: &'f Markers<'f>) -> Self {
        let (patterns, kept) = Default::default();
        Self { values, func, facts: values.facts(func), markers, patterns, kept, out: Vec::new() }
    }

    fn expr(&mut self, id: ExprId) {
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Call { args, .. } => {
                let method = self.values.method(self.func, id);
                let cut =
                    method.and_then(|method| self.by_method(method).or_else(|| self.by_closure(method)));
                let cut = cut.or_else(|| self.by_pattern(id, facts.list(args)));
                cut.into_iter().for_each(|(held, text)| {
                    self.cut(held, text, facts.span(id), Flow { on: Rc::default(), at: id }, false)
                });
            }
            Expr::Index { base, key } => {
                if let Expr::Op { op: Op::Slice, args } = *facts.expr(key)
                    && let [lo, hi, ..] = *facts.list(args)
                {
                    self.slice(id, base, lo, hi);
                }
            }
            Expr::If { arms, .. } => {
                facts.list(arms).first().into_iter().for_each(|arm| self.lines(arm));
            }
            _ => {}
        }
    }

    fn cut(&mut self, held: Held, text: ExprId, span: Span, flow: Flow, is_weak: bool) {
        let Held { marker, confidence } = held;
        let subject = Subject::Mapping(text);
        let change = Change { how: How::Strip, what: marker, subject, value: None, confidence, span };
        self.out.push(Cut { change, flow, is_weak });
    }

    fn holds(&self, expr: ExprId) -> Option<Held> {
        self.values.holds(self.func, expr, self.markers)
    }

    /// The text itself is known: it is a marker, not content.
    fn is_constant(&self, text: ExprId) -> bool {
        self.values.program.constant(self.func, text).is_some_and(|known| known.whole)
    }

    fn by_method(&self, method: Method<'_, 'a>) -> Option<(Held, ExprId)> {
        let Method { receiver, does, args, .. } = method;
        let first = args.first()?.value;
        let held = match does? {
            Replace => {
                let held = self.holds(first)?;
                (!self.keeps(args.get(1)?.value)).then_some(held)?
            }
            Trim | TrimStart | TrimEnd | DropPrefix | DropSuffix | SplitFirst | SplitLast | SplitBack
            | Translate => self.holds(first)?,
            Split if !self.is_pattern(receiver) => self.holds(first)?,
            Substitute | SubstituteAndCount if self.is_pattern(receiver) => {
                let held = self.holds(receiver)?;
                (!self.keeps(first)).then_some(held)?
            }
            Split => self.holds(receiver)?,
            // Of a regular expression, which is given the text.
            ReplaceAll if !self.keeps(args.get(1)?.value) => {
                let held = self.holds(receiver)?;
                return (!self.is_constant(first)).then_some((held, first));
            }
            _ => return None,
        };
        let text = if self.is_pattern(receiver) { args.last()?.value } else { receiver };
        (!self.is_constant(text)).then_some((held, text))
    }

    fn by_pattern(&self, call: ExprId, args: &[Arg]) -> Option<(Held, ExprId)> {
        let does = self.values.operation(self.func, call)?;
        if !matches!(does, Substitute | SubstituteAndCount | SplitByPattern) {
            return None;
        }
        let argument = |at, name| argument(self.facts, args, Some(at), Some(name));
        let held = self.holds(argument(0, "pattern")?)?;
        let (text, kept) = match does {
            SplitByPattern => (argument(1, "string")?, false),
            _ => (argument(2, "string")?, self.keeps(argument(1, "repl")?)),
        };
        (!kept && !self.is_constant(text)).then_some((held, text))
    }

    /// A compiled regular expression.
    fn is_pattern(&self, expr: ExprId) -> bool {
        let compiled = |func, call| self.values.operation(func, call) == Some(Pattern);
        let is_bound = |bound: Bound| bound.definitions().iter().any(|it| compiled(bound.func, it.value));
        self.patterns.of(self.values.place(self.func, expr), || {
            compiled(self.func, expr) || self.values.bound(self.func, expr).is_some_and(is_bound)
        })
    }

    /// A replacement that brings the marker back: the marker itself, the whole match, a function of the match.
    fn keeps(&self, new: ExprId) -> bool {
        if let Expr::Closure(id) = *self.facts.expr(new) {
            let function = self.facts.function(id);
            return function
                .exprs
                .iter()
                .any(|expr| matches!(self.facts.expr(expr), Expr::Var(var) if var.0 == 0));
        }
        let whole = |text: &String| text.contains("\\g<0>") || text.contains("\\0");
        self.holds(new).is_some() || self.values.texts(self.func, new).iter().any(whole)
    }

    /// `text[len(MARK):]`, `text[at + len(MARK):]`, `text[:-len(MARK)]`, `text[:text.find(MARK)]`.
    fn slice(&mut self, id: ExprId, text: ExprId, lo: ExprId, hi: ExprId) {
        if self.is_constant(text) {
            return;
        }
        let (low, high) = (self.measure(lo), self.measure(hi));
        let ends = matches!(self.facts.expr(hi), Expr::Op { op: Op::Sub | Op::Other(_), .. });
        let (held, is_weak) = match (low.length, high.position, high.length) {
            (Some(held), ..) => (held, false),
            // From where the marker is to where it ends: the marker.
            (None, Some(held), _) if low.position.is_none() => (held, true),
            (None, None, Some(held)) if ends => (held, false),
            _ => return,
        };
        self.cut(held, text, self.facts.span(id), Flow { on: Rc::default(), at: id }, is_weak);
    }

    fn measure(&self, bound: ExprId) -> Measure {
        let mut measure = Measure::default();
        if matches!(self.facts.expr(bound), Expr::Lit(_)) {
            return measure;
        }
        for part in self.values.parts(self.func, bound) {
            let Expr::Call { args, .. } = *self.facts.expr(part) else { continue };
            let method = self.values.method(self.func, part);
            measure.length = measure.length.or_else(|| self.length(method?));
            let [first, ..] = self.facts.list(args) else { continue };
            let does = method.and_then(|method| method.does);
            let place = || self.holds(first.value);
            if matches!(does, Some(Position | LastPosition)) {
                measure.position = measure.position.or_else(place);
            } else if self.values.operation(self.func, part) == Some(Length) {
                measure.length = measure.length.or_else(place);
            }
        }
        measure
    }

    /// `[l for l in text.splitlines() if MARK not in l]`, `if MARK in l: continue`.
    fn lines(&mut self, arm: &IfArm) {
        let facts = self.facts;
        if !self.values.tests_loop_variable(self.func, arm.test) {
            return;
        }
        let goes_on = self.goes_on(arm.body);
        let Some((held, line)) = self.tells(arm.test, goes_on) else { return };
        let Some((iterable, body)) = self.line_loop(line) else { return };
        let body = if goes_on { body } else { arm.body };
        let kept = self.kept.of((body, line), || self.kept(body, line).into());
        if !kept.is_empty() {
            self.cut(held, iterable, facts.span(arm.test), Flow { on: kept, at: arm.test }, false);
        }
    }

    fn goes_on(&self, body: ExprId) -> bool {
        match *self.facts.expr(body) {
            Expr::Jump { kind: Jump::Continue(_), .. } => true,
            Expr::Block(list) => self.facts.list(list).last().is_some_and(|&last| self.goes_on(last)),
            _ => false,
        }
    }

    /// The variable of which the test says that a marker is in it (`is`), or not.
    fn tells(&self, test: ExprId, is: bool) -> Option<(Held, VarId)> {
        let facts = self.facts;
        let var = |expr: ExprId| match *facts.expr(expr) {
            Expr::Var(var) => Some(var),
            _ => None,
        };
        match *facts.expr(test) {
            Expr::Not(inner) => self.tells(inner, !is),
            Expr::All(parts) if !is => facts.list(parts).iter().find_map(|&part| self.tells(part, is)),
            Expr::Any(parts) if is => facts.list(parts).iter().find_map(|&part| self.tells(part, is)),
            Expr::Op { op, args } => {
                let [left, right] = *facts.list(args) else { return None };
                match (op, is) {
                    (Op::In, true) | (Op::NotIn, false) => Some((self.holds(left)?, var(right)?)),
                    (Op::Eq, true) | (Op::Ne, false) => Some((self.holds(right)?, var(left)?)),
                    _ => None,
                }
            }
            Expr::Call { .. } if is => {
                let method = self.values.method(self.func, test)?;
                let marker = method.args.first().filter(|_| closures::asks(method.does))?.value;
                Some((self.holds(marker)?, var(method.receiver)?))
            }
            _ => None,
        }
    }

    /// The lines that a variable runs through, and the body of that loop.
    fn line_loop(&self, line: VarId) -> Option<(ExprId, ExprId)> {
        let definitions = self.values.definitions(self.func);
        let definition = definitions.of(line).iter().find(|definition| definition.of_loop.is_some())?;
        let Expr::Loop(at) = *self.facts.expr(definition.of_loop?) else { return None };
        let is_split = |&part: &ExprId| {
            let method = self.values.method(self.func, part);
            method.is_some_and(|method| matches!(method.does, Some(Lines | Split | ReadLines)))
        };
        let is_lines = self.values.parts(self.func, definition.value).iter().any(is_split);
        is_lines.then(|| (definition.value, self.facts.arenas.loop_at(at).body))
    }

    /// Where the line goes on: the item of a comprehension, what is appended or yielded.
    fn kept(&self, body: ExprId, line: VarId) -> Vec<ExprId> {
        let facts = self.facts;
        let is_line = |&expr: &ExprId| *facts.expr(expr) == Expr::Var(line);
        let below = self.values.below(self.func, body);
        if !matches!(facts.expr(body), Expr::Block(_)) {
            return below.into_iter().filter(is_line).collect();
        }
        let goes = |id: &ExprId| match *facts.expr(*id) {
            Expr::Call { .. } => {
                let method = self.values.method(self.func, *id);
                method.filter(|m| matches!(m.does, Some(Append | Add | Write))).is_some()
            }
            Expr::Yield { .. } => true,
            _ => false,
        };
        let parts = below.into_iter().filter(goes).flat_map(|id| self.values.below(self.func, id));
        parts.filter(is_line).collect()
    }

    /// Values of which somebody asks a question only, and those that get a fence, or a marker, again.
    fn harmless(&self) -> FxHashSet<ExprId> {
        let facts = self.facts;
        let mut found = FxHashSet::default();
        for id in self.values.program.ir(self.func).exprs.iter() {
            match *facts.expr(id) {
                Expr::Jump { kind: Jump::Assert, value: Some(value) } => {
                    found.extend(self.values.below(self.func, value));
                }
                Expr::Call { args, .. } if self.values.is_wrap(self.func, id) => {
                    let args = facts.list(args).iter();
                    args.for_each(|arg| found.extend(self.values.parts(self.func, arg.value)));
                }
                Expr::Call { args, .. } => {
                    let is_count = self.values.operation(self.func, id) == Some(Length);
                    if let ([only], true) = (facts.list(args), is_count) {
                        found.insert(only.value);
                    }
                }
                Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts }
                    if facts.list(parts).iter().any(|&part| self.is_marker(part)) =>
                {
                    found.extend(self.values.parts(self.func, id));
                }
                Expr::Record(entries)
                    if facts.list(entries).iter().any(|entry| self.is_marker(entry.value)) =>
                {
                    found.extend(self.values.parts(self.func, id));
                }
                _ => {}
            }
        }
        found
    }

    /// A piece of text that is known to be, or to hold, a marker; no result of a function that was given one.
    fn is_marker(&self, part: ExprId) -> bool {
        !matches!(self.facts.expr(part), Expr::Call { .. }) && self.holds(part).is_some()
    }
}

/// Of which marker a bound of a slice takes the length or the position.
#[derive(Default)]
struct Measure {
    length: Option<Held>,
    position: Option<Held>,
}
