//! Sequences that are written down, spread and put one behind the other: where an element stands in one, as far as what stands
//! before it says so, and whether a program may read it as an option there.

use super::Lower;
use super::calls::Entered;
use super::texts::HOLE;
use crate::analysis::valueflow::graph::{Flow, Node, Step, Way};
use crate::analysis::valueflow::paths::Key;
use crate::catalog::{DataOp, Purpose, Purposes};
use crate::ir::{Arg, ArgKind, Expr, ExprId, ListOf, Pat};
use crate::link::Passed;

/// What stands before an element.
#[derive(Default)]
struct Before {
    /// So many elements at least.
    count: u32,
    /// There may be more.
    is_open: bool,
    /// Behind these words, a program reads no option.
    ends_options: bool,
    /// The last word is an option, which takes what follows.
    takes_value: bool,
}

impl Before {
    fn key(&self) -> Key {
        match (self.is_open, self.count) {
            (false, at) => Key::At(at),
            (true, 0) => Key::Each,
            (true, first) => Key::From(first),
        }
    }

    /// The key of the elements of a sequence that is spread here: of an open one nobody knows where its first element stands.
    fn spread_key(&self) -> Key {
        match self.count {
            0 => Key::Any,
            first => Key::From(first),
        }
    }

    fn add(&mut self, word: &str) {
        self.count += 1;
        self.ends_options |= word == "--";
        self.takes_value = word.len() > 1 && word.starts_with('-') && !word.contains(['=', HOLE]);
    }

    fn add_spread(&mut self) {
        self.is_open = true;
        self.takes_value = false;
    }

    /// For what all elements of a sequence are harmless behind these.
    fn spread_clean(&self) -> Purposes {
        self.ends_options.then_some(Purpose::Option).into_iter().collect()
    }

    /// For what an element is harmless behind these.
    fn clean(&self) -> Purposes {
        let is_value = self.ends_options || self.takes_value;
        is_value.then_some(Purpose::Option).into_iter().collect()
    }
}

impl Lower<'_, '_> {
    pub(super) fn sequence(&mut self, node: Node, items: ListOf<ExprId>) {
        self.elements(node, items, &mut Before::default());
    }

    fn elements(&mut self, node: Node, items: ListOf<ExprId>, before: &mut Before) {
        for &item in self.facts.list(items) {
            let from = self.expr(item);
            if matches!(self.facts.expr(item), Expr::Spread(_)) {
                self.cleaned(from, node, Step::Into(before.spread_key()), before.spread_clean());
                before.add_spread();
            } else {
                self.cleaned(from, node, Step::Into(before.key()), before.clean());
                before.add(&self.known(item));
            }
        }
    }

    /// Sequences one behind the other.
    pub(super) fn sequences(&mut self, node: Node, parts: &[ExprId]) {
        let mut before = Before::default();
        for (at, &part) in parts.iter().enumerate() {
            match (at, *self.facts.expr(part)) {
                (_, Expr::Seq(items)) => self.elements(node, items, &mut before),
                (0, _) => {
                    self.pass(part, node, Step::Same);
                    before.add_spread();
                }
                _ => {
                    let from = self.expr(part);
                    let between = self.places.between(self.func);
                    self.here(from, between, Step::OutOf(Key::Each));
                    self.cleaned(between, node, Step::Into(before.spread_key()), before.spread_clean());
                    before.add_spread();
                }
            }
        }
    }

    /// What `*args` collects of the arguments of a call.
    pub(super) fn give_rest(&mut self, call: Entered, given: &[(Passed, ExprId)]) {
        let mut before = Before::default();
        for &(passed, arg) in given {
            match passed {
                Passed::Rest(at) => {
                    let (from, step) = (self.expr(arg), Step::Into(before.key()));
                    self.enter_rest(call, (from, at), step, before.clean());
                    before.add(&self.known(arg));
                }
                Passed::SpreadFrom(first) => {
                    if let Some(at) = self.rest_of(call, first) {
                        let (from, between) = (self.expr(arg), self.places.between(self.func));
                        self.here(from, between, Step::OutOf(Key::Each));
                        self.enter_rest(
                            call,
                            (between, at),
                            Step::Into(before.spread_key()),
                            before.spread_clean(),
                        );
                        before.add_spread();
                    }
                }
                Passed::Param(_) | Passed::KeywordRest(..) | Passed::SpreadNamed => {}
            }
        }
    }

    fn enter_rest(&mut self, call: Entered, (from, at): (Node, u32), step: Step, clean: Purposes) {
        let to = self.places.param(self.program, call.callee, at);
        let (way, confidence) = (Way::Enter(call.site), call.edge.confidence);
        self.flows.push(Flow { from, to, step, way, confidence, clean });
    }

    /// `enumerate(rows)`, `zip(names, rows)`: what stands beside what. True if the call makes such pairs.
    pub(super) fn paired(&mut self, expr: ExprId, args: &[Arg], path: Option<&str>) -> bool {
        let does = path.and_then(|path| self.catalog.operations.of_call(path));
        let (first, args) = match does {
            Some(DataOp::Pair) => (0, args),
            Some(DataOp::Enumerate) => (1, args.get(..1).unwrap_or_default()),
            _ => return false,
        };
        let (to, pair) = (self.expr(expr), self.places.between(self.func));
        for (at, arg) in (first..).zip(args.iter().filter(|arg| arg.kind == ArgKind::Positional)) {
            let from = self.expr(arg.value);
            self.moved(from, Key::Each, pair, Key::At(at));
        }
        self.here(pair, to, Step::Into(Key::Each));
        true
    }

    /// What a comprehension only hands on, element by element: `[str(word) for word in words]`.
    pub(super) fn copied(&self, item: ExprId, body: ExprId) -> Option<ExprId> {
        let mut item = item;
        while let Expr::Call { callee, args, .. } = *self.facts.expr(item)
            && let [only] = self.facts.list(args)
            && self.library(callee, &[]).and_then(|path| self.catalog.operations.of_call(&path))
                == Some(DataOp::ToText)
        {
            item = only.value;
        }
        let Expr::Var(var) = *self.facts.expr(item) else { return None };
        let Expr::Block(parts) = *self.facts.expr(body) else { return None };
        let [only] = self.facts.list(parts) else { return None };
        let Expr::Loop(index) = *self.facts.expr(*only) else { return None };
        let each = self.facts.arenas.loop_at(index);
        let (pat, iterable) = each.each?;
        let is_all =
            matches!(*self.facts.pat(pat), Pat::Var(own) if own == var) && self.ends_in(each.body, item);
        is_all.then_some(iterable)
    }

    /// True if nothing but an expression around `item` is run for each element.
    fn ends_in(&self, body: ExprId, item: ExprId) -> bool {
        let below = self.facts.arenas.below(body);
        below.contains(&item)
            && !below.iter().any(|&expr| matches!(self.facts.expr(expr), Expr::If { .. } | Expr::Loop(_)))
    }
}
