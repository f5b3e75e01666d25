//! `match`: cases as arms, and their patterns.

use super::kind::Kind;
use super::literals::{decode, unquote};
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Arm, Expr, ExprId, Lit, Pat, PatField, PatId, RestAt, Span};

impl Lowerer<'_> {
    pub(super) fn match_statement(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let subject = self.subject(node);
        let mut arms = Vec::new();
        for clause in node.child_of(Kind::Block).into_iter().flat_map(|block| block.all_children()) {
            if clause.kind() == Kind::CaseClause {
                arms.push(self.case_clause(clause));
                self.errors(clause);
            } else {
                self.statement(clause);
            }
        }
        self.depth -= 1;
        let arms = self.list(&arms);
        self.add(Expr::Match { subject, arms }, self.span(node))
    }

    fn subject(&mut self, node: Node<'_>) -> ExprId {
        let subjects = || node.children().filter(|n| n.kind() != Kind::Block && n.kind() != Kind::Colon);
        let has_comma = subjects().any(|n| n.kind() == Kind::Comma);
        match subjects().next() {
            Some(only) if !has_comma => self.expression(only),
            _ => {
                self.depth += 1;
                let base = self.exprs.len();
                for subject in subjects().filter(|n| n.kind() != Kind::Comma) {
                    let made = self.expression(subject);
                    self.exprs.push(made);
                }
                self.depth -= 1;
                let items = self.take_exprs(base);
                self.add(Expr::Seq(items), self.span(node))
            }
        }
    }

    fn case_clause(&mut self, clause: Node<'_>) -> Arm {
        let cases = || clause.children().filter(|n| n.kind() == Kind::CasePattern);
        let is_tuple = clause.children().any(|n| n.kind() == Kind::Comma);
        let pat = match cases().next() {
            Some(only) if !is_tuple => self.case_pattern(only),
            _ => self.case_sequence(clause),
        };
        let guard = clause.child_of(Kind::IfClause).and_then(|guard| guard.child(0));
        let guard = guard.map(|guard| self.expression(guard));
        let body = self.block_of(clause);
        let head = cases().last().map_or(self.span(clause), |last| self.span(last));
        let span = Span { lo: self.span(clause).lo, hi: head.hi };
        Arm { pat, guard, body, span }
    }

    fn case_pattern(&mut self, node: Node<'_>) -> PatId {
        let pat = if self.depth >= DEEPEST {
            Pat::Place(self.too_deep(node))
        } else {
            self.depth += 1;
            let pat = self.case(node);
            self.depth -= 1;
            pat
        };
        self.arenas.add_pat(pat)
    }

    fn case(&mut self, node: Node<'_>) -> Pat {
        let node = bare_case(node);
        match node.kind() {
            // A minus and a number.
            Kind::CasePattern => match node.children().last() {
                Some(number) => Pat::Value(self.negative(number)),
                None => Pat::Wild,
            },
            Kind::DottedName => self.capture_or_constant(node),
            Kind::AsPattern => self.case_as(node),
            Kind::UnionPattern => {
                let items = self.case_items(node);
                Pat::Or(self.list(&items))
            }
            Kind::ListPattern | Kind::TuplePattern => self.case_list(node),
            Kind::DictPattern => self.case_record(node),
            Kind::ClassPattern => self.case_class(node),
            Kind::SplatPattern => self.case_rest(node),
            Kind::Underscore => Pat::Wild,
            Kind::ComplexPattern => Pat::Value(self.constant(Lit::Other, self.span(node))),
            _ => Pat::Value(self.expression(node)),
        }
    }

    fn negative(&mut self, number: Node<'_>) -> ExprId {
        let made = self.literal(number);
        if let Expr::Lit(lit) = self.arenas.expr_mut(made) {
            *lit = match *lit {
                Lit::Int(value) => value.checked_neg().map_or(Lit::Other, Lit::Int),
                _ => Lit::Other,
            };
        }
        made
    }

    fn capture_or_constant(&mut self, node: Node<'_>) -> Pat {
        match node.text() {
            "_" => Pat::Wild,
            text if text.contains('.') => Pat::Value(self.dotted_node(node)),
            text => self.name_pattern(text, self.span(node)),
        }
    }

    fn case_as(&mut self, node: Node<'_>) -> Pat {
        let mut parts = node.children().filter(|n| n.kind() != Kind::As);
        let (Some(inner), Some(name)) = (parts.next(), parts.next()) else { return Pat::Wild };
        let pat = self.case_pattern(inner);
        match self.name_pattern(name.text(), self.span(name)) {
            Pat::Var(var) => Pat::As { pat, var },
            // A `global` name: both are matched.
            place => {
                let place = self.arenas.add_pat(place);
                Pat::Or(self.list(&[pat, place]))
            }
        }
    }

    /// The patterns among the children, with a minus and its number as one.
    fn case_items(&mut self, node: Node<'_>) -> Vec<PatId> {
        let mut items = Vec::new();
        let mut is_negative = false;
        for item in node.children() {
            match item.kind() {
                Kind::Minus => is_negative = true,
                Kind::Comma | Kind::Bar | Kind::Colon | Kind::Assign => {}
                _ if std::mem::take(&mut is_negative) => {
                    let value = self.negative(item);
                    items.push(self.arenas.add_pat(Pat::Value(value)));
                }
                _ => items.push(self.case_pattern(item)),
            }
        }
        items
    }

    fn case_list(&mut self, node: Node<'_>) -> Pat {
        let items = self.case_items(node);
        let rest = node.children().filter(|n| n.kind() != Kind::Comma).position(is_rest);
        Pat::Seq { items: self.list(&items), rest: rest.map(|at| RestAt(at as u32)) }
    }

    fn case_sequence(&mut self, clause: Node<'_>) -> PatId {
        let cases = || clause.children().filter(|n| n.kind() == Kind::CasePattern);
        let rest = cases().position(is_rest).map(|at| RestAt(at as u32));
        self.depth += 1;
        let items: Vec<_> = cases().map(|case| self.case_pattern(case)).collect();
        self.depth -= 1;
        let items = self.list(&items);
        self.arenas.add_pat(Pat::Seq { items, rest })
    }

    fn case_rest(&mut self, node: Node<'_>) -> Pat {
        match node.child_of(Kind::Identifier) {
            Some(name) => self.name_pattern(name.text(), self.span(name)),
            None => Pat::Wild,
        }
    }

    /// `{"key": pattern, **rest}`.
    fn case_record(&mut self, node: Node<'_>) -> Pat {
        let mut items = Vec::new();
        let mut rest = None;
        let mut key: Option<Node<'_>> = None;
        for part in node.children() {
            match part.kind() {
                Kind::Comma | Kind::Colon | Kind::Minus => {}
                Kind::SplatPattern => {
                    let pat = self.case_rest(part);
                    rest = Some(self.arenas.add_pat(pat));
                }
                _ => match key.take() {
                    None => key = Some(part),
                    Some(key) => {
                        let name = self.key_name(key);
                        items.push(PatField { name, pat: self.case_pattern(part) });
                    }
                },
            }
        }
        Pat::Record { items: self.list(&items), rest }
    }

    fn key_name(&mut self, key: Node<'_>) -> crate::ir::Sym {
        if key.kind() == Kind::String {
            let (quoting, content) = unquote(key.text());
            return self.names.intern(&decode(content, quoting));
        }
        self.ident(key.text())
    }

    fn case_class(&mut self, node: Node<'_>) -> Pat {
        let Some(path) = node.child(0) else { return Pat::Wild };
        let path = self.dotted_node(path);
        let (mut items, mut named) = (Vec::new(), Vec::new());
        for case in node.children().skip(1).filter(|n| n.kind() != Kind::Comma) {
            let keyword = case.child(0).filter(|n| n.kind() == Kind::KeywordPattern);
            match keyword.and_then(|keyword| Some((keyword.child(0)?, self.case_items(keyword)))) {
                Some((name, patterns)) => {
                    let name = self.ident(name.text());
                    named.extend(patterns.last().map(|&pat| PatField { name, pat }));
                }
                None => items.push(self.case_pattern(case)),
            }
        }
        Pat::Ctor { path, items: self.list(&items), named: self.list(&named) }
    }
}

/// Without the wrapper that every case has, and without parentheses around one pattern.
fn bare_case(mut node: Node<'_>) -> Node<'_> {
    while matches!(node.kind(), Kind::CasePattern | Kind::TuplePattern) {
        let mut children = node.children();
        match (children.next(), children.next()) {
            (Some(only), None) if node.kind() == Kind::CasePattern || !is_rest(only) => node = only,
            _ => break,
        }
    }
    node
}

fn is_rest(case: Node<'_>) -> bool {
    case.kind() == Kind::SplatPattern || case.child(0).is_some_and(|n| n.kind() == Kind::SplatPattern)
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[track_caller]
    fn case(pattern: &str, expected: &str) {
        let source = format!("match s:\n    case {pattern}: pass");
        check(&source, &format!("(match @s (case {expected} (block)))"));
    }

    #[test]
    fn patterns() {
        case("x", "x.0");
        case("_", "_");
        case("a.b", "(value (. @a b))");
        case("-1", "(value -1)");
        case("-1 | 2.5 | 'x' 'y' | None", "(| (value -1) (value ...) (value \"xy\") (value none))");
        case("1 + 2j", "(value ...)");
        case("[a, *b]", "[a.0 *b.1]");
        case("a, *_", "[a.0 *_]");
        case("a,", "[a.0]");
        case("(a)", "a.0");
        case("(a,)", "[a.0]");
        case("{'k': v, -3: w, m.n: [z], **r}", "{ k: v.0 3: w.1 m.n: [z.2] **r.3}");
        case("P(x, y=1, z=Q())", "(ctor @P x.0 y: (value 1) z: (ctor @Q))");
        case("a.P() as q", "(as (ctor (. @a P)) q.0)");
        case("(1 | 2) as n", "(as (| (value 1) (value 2)) n.0)");
    }

    #[test]
    fn arms() {
        check(
            "match a, b:\n    case [x, y] if f(x): g(y)",
            "(match (seq @a @b) (case [x.0 y.1] (when (call @f x.0)) (block\n(call @g y.1))))",
        );
        check("match(x)", "(call @match @x)");
        check("def f():\n  global g\n  match s:\n    case A() as g: pass", "(bind f.0 (fn 1))");
    }
}
