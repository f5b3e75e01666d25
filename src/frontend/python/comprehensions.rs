//! Comprehensions and generator expressions: loops with a scope of their own around one item.

use super::kind::Kind;
use super::patterns::{bare_target, is_sequence};
use super::scope::Outer;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Expr, ExprId, ExprRange, IfArm, Loop, Pat, PatId, RestAt};

/// A clause that is to be wrapped around the item.
enum Clause {
    For { pat: PatId, iterable: ExprId },
    If { test: ExprId },
}

impl Lowerer<'_> {
    pub(super) fn comprehension(&mut self, node: Node<'_>) -> ExprId {
        let is_clause = |n: &Node<'_>| matches!(n.kind(), Kind::ForInClause | Kind::IfClause);
        let clauses: Vec<_> = node.children().filter(is_clause).collect();
        let outside = self.depth;
        if outside + clauses.len() + 2 > DEEPEST {
            return self.too_deep(node);
        }
        // The block of the loops.
        self.depth += 1;
        let mut scope = None;
        let mut open = Vec::new();
        for &clause in &clauses {
            open.extend(self.clause(clause, &mut scope));
            self.depth += 1;
        }
        let item = self.item(node);
        let mut body = item;
        for (clause, &node) in open.into_iter().zip(&clauses).rev() {
            body = self.around(clause, body, node, item);
        }
        if let Some((outer, lo)) = scope {
            let hi = self.arenas.expr_count() as u32 + 1;
            self.scopes.close(outer, ExprRange { lo, hi });
        }
        self.depth = outside;
        let span = self.span(node);
        let loops = self.list(&[body]);
        let body = self.add(Expr::Block(loops), span);
        self.add(Expr::Collect { body, item }, span)
    }

    /// The first iterable is evaluated outside the scope, everything after it inside.
    fn clause(&mut self, clause: Node<'_>, scope: &mut Option<(Outer, u32)>) -> Option<Clause> {
        if clause.kind() == Kind::IfClause {
            let test = match clause.child(0) {
                Some(test) => self.expression(test),
                None => self.opaque(self.span(clause)),
            };
            return Some(Clause::If { test });
        }
        let target = clause.children().find(|n| n.kind() != Kind::Async);
        let sources = || clause.children().skip_while(|n| n.kind() != Kind::In).skip(1);
        let iterable = match sources().count() {
            1 => sources().next().map(|source| self.expression(source)),
            _ => None,
        };
        let iterable = iterable.unwrap_or_else(|| self.sources(clause));
        let (outer, _) =
            scope.get_or_insert_with(|| (self.scopes.open(), self.arenas.expr_count() as u32 + 1));
        let pat = match target {
            Some(target) => self.inner_pattern(target, outer),
            None => self.arenas.add_pat(Pat::Wild),
        };
        Some(Clause::For { pat, iterable })
    }

    fn sources(&mut self, clause: Node<'_>) -> ExprId {
        let base = self.exprs.len();
        self.depth += 1;
        for source in clause.children().skip_while(|n| n.kind() != Kind::In).skip(1) {
            if source.kind() != Kind::Comma {
                let made = self.expression(source);
                self.exprs.push(made);
            }
        }
        self.depth -= 1;
        let items = self.take_exprs(base);
        self.add(Expr::Seq(items), self.span(clause))
    }

    /// A target that is bound for the comprehension only.
    fn inner_pattern(&mut self, node: Node<'_>, outer: &mut Outer) -> PatId {
        let node = bare_target(node);
        let pat = match node.kind() {
            Kind::Identifier => {
                let name = self.ident(node.text());
                Pat::Var(self.scopes.bind_inner(name, outer))
            }
            Kind::ListSplat | Kind::ListSplatPattern => {
                match node.children().find(|n| !n.kind().is_token()) {
                    Some(inner) => return self.inner_pattern(inner, outer),
                    None => Pat::Wild,
                }
            }
            _ if is_sequence(node) && self.depth < DEEPEST => self.inner_sequence(node, outer),
            _ => Pat::Place(self.nested(node)),
        };
        self.arenas.add_pat(pat)
    }

    fn inner_sequence(&mut self, node: Node<'_>, outer: &mut Outer) -> Pat {
        self.depth += 1;
        let mut items = Vec::new();
        let mut rest = None;
        for item in node.children().filter(|n| n.kind() != Kind::Comma) {
            if matches!(item.kind(), Kind::ListSplat | Kind::ListSplatPattern) {
                rest = Some(RestAt(items.len() as u32));
            }
            items.push(self.inner_pattern(item, outer));
        }
        self.depth -= 1;
        Pat::Seq { items: self.list(&items), rest }
    }

    fn item(&mut self, node: Node<'_>) -> ExprId {
        let Some(item) = node.child(0) else { return self.opaque(self.span(node)) };
        if !matches!(item.kind(), Kind::Pair | Kind::DictionarySplat) {
            return self.expression(item);
        }
        self.depth += 1;
        let entry = self.entry(item);
        self.depth -= 1;
        let entries = self.list(entry.as_slice());
        // What a mapping takes over is told apart from a list of mappings.
        let record = self.add(Expr::Record(entries), self.span(item));
        self.add(Expr::Spread(record), self.span(item))
    }

    fn around(&mut self, clause: Clause, body: ExprId, node: Node<'_>, item: ExprId) -> ExprId {
        let span = self.span_of(node.lo(), node.hi().max(self.arenas.span(item).hi));
        match clause {
            Clause::For { pat, iterable } => {
                let label = self.new_label();
                let each = Some((pat, iterable));
                let index = self.arenas.add_loop(Loop { label, test: None, each, body, otherwise: None });
                self.add(Expr::Loop(index), span)
            }
            Clause::If { test } => {
                let arms = self.list(&[IfArm { test, body }]);
                self.add(Expr::If { arms, otherwise: None }, span)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn clauses_are_nested_loops() {
        check(
            "[f(x) for x in y if z]",
            "(collect (call @f x.0) (block\n(loop L0 (each x.0 @y) (if (@z (call @f x.0))))))",
        );
        check(
            "{a: b for a, b in c}",
            "(collect (spread (record (a.0 b.1))) (block\n(loop L0 (each [a.0 b.1] @c) (spread (record (a.0 b.1))))))",
        );
        check("[x for x in x]", "(collect x.0 (block\n(loop L0 (each x.0 @x) x.0)))");
        check(
            "[b for a in c for b in a]",
            "(collect b.1 (block\n(loop L1 (each a.0 @c) (loop L0 (each b.1 a.0) b.1))))",
        );
        check("[a for a in b, c]", "(collect a.0 (block\n(loop L0 (each a.0 (seq @b @c)) a.0)))");
    }

    #[test]
    fn targets_do_not_leak_and_walruses_do() {
        check(
            "x = 1\n[x for x in y]\nx",
            "(bind x.0 1)\n(collect x.1 (block\n(loop L0 (each x.1 @y) x.1)))\nx.0",
        );
        check(
            "[(w := x) for x in y]\nw",
            "(collect (bind w.1 x.0) (block\n(loop L0 (each x.0 @y) (bind w.1 x.0))))\nw.1",
        );
        check(
            "[[x for x in x] for x in y]",
            "(collect (collect x.1 (block
             (loop L0 (each x.1 x.0) x.1))) (block
             (loop L1 (each x.0 @y) (collect x.1 (block
             (loop L0 (each x.1 x.0) x.1))))))",
        );
    }
}
