//! Statements that choose, repeat and leave, as tree-sitter sees them. What stands out of its place runs before them.

use crate::frontend::python::kind::{Kind, Node};
use crate::frontend::python::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, Handler, IfArm, Jump, Loop, PatId, Try};

impl<'t> Lowerer<'t> {
    /// What a clause tests, and what it then runs.
    fn coarse_arm(&mut self, clause: Node<'t>) -> IfArm {
        let head: Vec<_> = head_of(clause).collect();
        let test = self.coarse_values(&head, clause.span());
        IfArm { test, body: self.coarse_block(clause) }
    }

    fn coarse_arms(&mut self, node: Node<'t>, mut arms: Vec<IfArm>, wanted: Kind) -> ExprId {
        arms.extend(clauses(node, wanted).map(|clause| self.coarse_arm(clause)));
        let otherwise = self.coarse_clause(node, Kind::Else);
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, node.span())
    }

    pub(super) fn coarse_if(&mut self, node: Node<'t>) -> ExprId {
        let first = self.coarse_arm(node);
        self.coarse_arms(node, vec![first], Kind::Elif)
    }

    /// Which case is taken is not known.
    pub(super) fn coarse_match(&mut self, node: Node<'t>) -> ExprId {
        head_of(node).for_each(|subject| self.coarse_statement(subject));
        let base = self.exprs.len();
        self.depth += 1;
        for block in clauses(node, Kind::Block) {
            block.all_children().filter(|n| n.kind() != Kind::Case).for_each(|n| self.coarse_statement(n));
            let made = self.coarse_arms(block, Vec::new(), Kind::Case);
            self.exprs.push(made);
        }
        self.depth -= 1;
        let made = self.take_exprs(base);
        self.add(Expr::Block(made), node.span())
    }

    pub(super) fn coarse_while(&mut self, node: Node<'t>) -> ExprId {
        let head: Vec<_> = head_of(node).collect();
        let test = self.coarse_values(&head, node.span());
        self.coarse_loop(node, Some(test), None)
    }

    pub(super) fn coarse_for(&mut self, node: Node<'t>) -> ExprId {
        let head: Vec<_> = head_of(node).collect();
        let [target, rest @ ..] = head.as_slice() else { return self.coarse_opaque(node) };
        let iterable = self.coarse_values(rest, node.span());
        let each = Some((self.coarse_pattern(*target), iterable));
        self.coarse_loop(node, None, each)
    }

    fn coarse_loop(&mut self, node: Node<'t>, test: Option<ExprId>, each: Option<(PatId, ExprId)>) -> ExprId {
        let label = self.new_label();
        self.loops.push(label);
        let body = self.coarse_block(node);
        self.loops.pop();
        let otherwise = self.coarse_clause(node, Kind::Else);
        let index = self.arenas.add_loop(Loop { label, test, each, body, otherwise });
        self.add(Expr::Loop(index), node.span())
    }

    fn coarse_clause(&mut self, node: Node<'t>, wanted: Kind) -> Option<ExprId> {
        let clause = clauses(node, wanted).next()?;
        head_of(clause).for_each(|part| self.coarse_statement(part));
        Some(self.coarse_block(clause))
    }

    pub(super) fn coarse_try(&mut self, node: Node<'t>) -> ExprId {
        head_of(node).for_each(|part| self.coarse_statement(part));
        let body = self.coarse_block(node);
        let handlers: Vec<_> =
            clauses(node, Kind::Except).map(|clause| self.coarse_handler(clause)).collect();
        let otherwise = self.coarse_clause(node, Kind::Else);
        let finally = self.coarse_clause(node, Kind::Finally);
        let handlers = self.list(&handlers);
        let index = self.arenas.add_try(Try { body, handlers, otherwise, finally });
        self.add(Expr::Try(index), node.span())
    }

    /// `except A as e`, and `except A, e` of Python 2.
    fn coarse_handler(&mut self, clause: Node<'t>) -> Handler {
        let mut head: Vec<_> = head_of(clause).collect();
        if let [only] = head[..]
            && only.kind() == Kind::Bound
        {
            head = only.all_children().collect();
        }
        let mut pat = None;
        if let [_, name] = head[..] {
            pat = Some(self.coarse_pattern(name));
            head.truncate(1);
        }
        let base = self.exprs.len();
        for ty in head {
            match super::values::bare(ty) {
                types if types.kind() == Kind::Sequence => self.coarse_parts(types),
                only => self.coarse_statement(only),
            }
        }
        let types = self.take_exprs(base);
        Handler { types, pat, body: self.coarse_block(clause), span: clause.span() }
    }

    /// Several items nest, the first outermost.
    pub(super) fn coarse_with(&mut self, node: Node<'t>) -> ExprId {
        let is_async = node.child_of(Kind::Async).is_some();
        let (lists, odd): (Vec<_>, Vec<_>) = head_of(node).partition(|n| n.kind() == Kind::WithItems);
        odd.into_iter().for_each(|part| self.coarse_statement(part));
        let items: Vec<_> = lists.into_iter().flat_map(Node::all_children).collect();
        let outside = self.depth;
        if outside + items.len() > DEEPEST {
            return self.coarse_too_deep(node);
        }
        let mut open = Vec::new();
        for item in items.into_iter().map(super::values::bare) {
            self.depth += 1;
            open.push(match super::values::pair(item) {
                Some((context, target)) if item.kind() == Kind::Bound => {
                    (self.value(context), Some(self.coarse_pattern(target)))
                }
                _ => (self.value(item), None),
            });
        }
        let mut body = self.coarse_block(node);
        for (context, pat) in open.into_iter().rev() {
            body = self.add(Expr::With { context, pat, body, is_async }, node.span());
        }
        self.depth = outside;
        body
    }

    /// The first part is what it leaves with; the others run before.
    pub(super) fn coarse_jump(&mut self, node: Node<'t>, kind: Jump) -> ExprId {
        let mut parts = node.all_children();
        let first = parts.next();
        parts.for_each(|part| self.coarse_statement(part));
        let value = first.map(|first| self.value(first));
        self.add(Expr::Jump { kind, value }, node.span())
    }
}

fn clauses<'t>(node: Node<'t>, wanted: Kind) -> impl Iterator<Item = Node<'t>> {
    node.all_children().filter(move |n| n.kind() == wanted)
}

/// What stands before the blocks.
fn head_of<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let is_head = |n: &Node<'_>| {
        !matches!(
            n.kind(),
            Kind::Block | Kind::Elif | Kind::Else | Kind::Except | Kind::Finally | Kind::Case | Kind::Async
        )
    };
    node.all_children().filter(is_head)
}
