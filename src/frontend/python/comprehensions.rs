//! Comprehensions and generator expressions: loops with a scope of their own around one item.

use ruff_python_ast::{self as ast, AnyNodeRef, Comprehension, ExprGenerator};
use ruff_text_size::Ranged;

use super::patterns::parts_of;
use super::scope::Outer;
use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, ExprRange, IfArm, Loop, Pat, PatId, RestAt, Span};

/// What is made of each round.
#[derive(Clone, Copy)]
pub(super) enum Item<'t> {
    Value(&'t ast::Expr),
    Entry { key: Option<&'t ast::Expr>, value: &'t ast::Expr },
}

/// A clause that is to be wrapped around the item.
enum Clause {
    For { pat: PatId, iterable: ExprId },
    If { test: ExprId },
}

impl<'t> Lowerer<'t> {
    pub(super) fn comprehension(&mut self, item: Item<'t>, loops: &'t [Comprehension], span: Span) -> ExprId {
        let clauses: usize = loops.iter().map(|clause| 1 + clause.ifs.len()).sum();
        let outside = self.depth;
        if outside + clauses + 2 > DEEPEST {
            return self.too_deep_comprehension(item, loops, span);
        }
        // The block of the loops.
        self.depth += 1;
        let mut scope = None;
        let mut open = Vec::new();
        for clause in loops {
            self.clauses(clause, &mut scope, &mut open);
        }
        let item = self.item(item, span);
        let mut body = item;
        for (clause, span) in open.into_iter().rev() {
            body = self.around(clause, body, span);
        }
        if let Some((outer, lo)) = scope {
            let hi = self.arenas.expr_count() as u32 + 1;
            self.scopes.close(outer, ExprRange { lo, hi });
        }
        self.depth = outside;
        let loops = self.list(&[body]);
        let body = self.add(Expr::Block(loops), span);
        self.add(Expr::Collect { body, item }, span)
    }

    /// A generator that is the one argument of a call shares its parentheses.
    pub(super) fn sole_generator(&mut self, node: &'t ExprGenerator, span: Span) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        self.depth += 1;
        let made = self.comprehension(Item::Value(&node.elt), &node.generators, span);
        self.depth -= 1;
        made
    }

    fn too_deep_comprehension(&mut self, item: Item<'t>, loops: &'t [Comprehension], span: Span) -> ExprId {
        let item: [Option<&'t ast::Expr>; 2] = match item {
            Item::Value(value) => [Some(value), None],
            Item::Entry { key, value } => [key, Some(value)],
        };
        let nodes = item.into_iter().flatten().map(AnyNodeRef::from);
        self.too_deep_at(nodes.chain(loops.iter().map(AnyNodeRef::from)), span)
    }

    /// The first iterable is evaluated outside the scope, everything after it inside.
    fn clauses(
        &mut self,
        clause: &'t Comprehension,
        scope: &mut Option<(Outer, u32)>,
        open: &mut Vec<(Clause, Span)>,
    ) {
        // What a clause evaluates stands below the loop or the branch that it becomes.
        self.depth += 1;
        let iterable = self.expression(&clause.iter);
        let (outer, _) =
            scope.get_or_insert_with(|| (self.scopes.open(), self.arenas.expr_count() as u32 + 1));
        let pat = self.inner_pattern(&clause.target, outer);
        // Where the clauses begin, and where the ones before them end.
        let ifs: Vec<_> = clause.ifs.iter().map(|test| self.keyword_before(test)).collect();
        let end = |at: usize| ifs.get(at).map_or(clause.end().to_u32(), |&(_, before)| before);
        open.push((Clause::For { pat, iterable }, self.span_between(clause.start().to_u32(), end(0))));
        for (at, test) in clause.ifs.iter().enumerate() {
            self.depth += 1;
            let test = self.expression(test);
            open.push((Clause::If { test }, self.span_between(ifs[at].0, end(at + 1))));
        }
    }

    /// A target that is bound for the comprehension only.
    fn inner_pattern(&mut self, node: &'t ast::Expr, outer: &mut Outer) -> PatId {
        let pat = match node {
            ast::Expr::Name(name) => {
                let name = self.ident(&name.id);
                Pat::Var(self.scopes.bind_inner(name, outer))
            }
            ast::Expr::Starred(inner) => return self.inner_pattern(&inner.value, outer),
            _ => match parts_of(node) {
                Some(parts) if self.depth < DEEPEST => self.inner_sequence(parts, outer),
                _ => Pat::Place(self.nested(node)),
            },
        };
        self.arenas.add_pat(pat)
    }

    fn inner_sequence(&mut self, parts: &'t [ast::Expr], outer: &mut Outer) -> Pat {
        self.depth += 1;
        let rest = parts.iter().rposition(ast::Expr::is_starred_expr).map(|at| RestAt(at as u32));
        let items: Vec<_> = parts.iter().map(|part| self.inner_pattern(part, outer)).collect();
        self.depth -= 1;
        Pat::Seq { items: self.list(&items), rest }
    }

    fn item(&mut self, item: Item<'t>, around: Span) -> ExprId {
        let (key, value) = match item {
            Item::Value(value) => return self.expression(value),
            Item::Entry { key, value } => (key, value),
        };
        self.depth += 1;
        let entry = self.entry(key, value);
        self.depth -= 1;
        let entries = self.list(&[entry]);
        let lo = match key {
            Some(key) => self.outer_start(key, around.lo),
            None => self.outer_start(value, around.lo),
        };
        let floor = key.map_or(around.lo, |key| key.end().to_u32());
        let span = self.span_between(lo, self.outer_end(value, floor));
        // What a mapping takes over is told apart from a list of mappings.
        let record = self.add(Expr::Record(entries), span);
        self.add(Expr::Spread(record), span)
    }

    fn around(&mut self, clause: Clause, body: ExprId, span: Span) -> ExprId {
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
        check("[a for a in (b, c)]", "(collect a.0 (block\n(loop L0 (each a.0 (seq @b @c)) a.0)))");
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
