//! `match`: cases as arms, and their patterns.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{
    self as ast, AnyNodeRef, MatchCase, Pattern, PatternMatchAs, PatternMatchClass, PatternMatchMapping,
    Singleton, StmtMatch,
};
use ruff_text_size::Ranged;

use super::{DEEPEST, Lowerer};
use crate::ir::{Arm, Expr, ExprId, Lit, Pat, PatField, PatId, RestAt, Span, Sym};

impl<'t> Lowerer<'t> {
    pub(super) fn match_statement(&mut self, node: &'t StmtMatch) -> ExprId {
        self.depth += 1;
        let subject = match &*node.subject {
            ast::Expr::Tuple(tuple) if !tuple.parenthesized => {
                self.depth += 1;
                let made = self.sequence(&tuple.elts, self.span(node));
                self.depth -= 1;
                made
            }
            subject => self.expression(subject),
        };
        let arms: Vec<_> = node.cases.iter().map(|case| self.case_clause(case)).collect();
        self.depth -= 1;
        let arms = self.list(&arms);
        self.add(Expr::Match { subject, arms }, self.span(node))
    }

    fn case_clause(&mut self, clause: &'t MatchCase) -> Arm {
        let span = self.head_of(clause);
        let pat = self.case_pattern(&clause.pattern);
        let guard = clause.guard.as_deref().map(|guard| self.expression(guard));
        let body = self.block(&clause.body);
        Arm { pat, guard, body, span }
    }

    /// From the keyword to the end of the pattern with its parentheses, without a comma behind it.
    fn head_of(&self, clause: &'t MatchCase) -> Span {
        let end = clause.pattern.end();
        let closing = self.code_after(end).take_while(|token| token.kind() == TokenKind::Rpar);
        let mut hi = closing.last().map_or(end, |token| token.end()).to_u32();
        if let Pattern::MatchSequence(sequence) = &clause.pattern
            && let Some(last) = sequence.patterns.last()
            && self.text.get(..end.to_usize()).is_some_and(|text| text.ends_with(','))
        {
            hi = self.outer_end(last, sequence.start().to_u32());
        }
        Span { lo: clause.start().to_u32(), hi }
    }

    fn case_pattern(&mut self, node: &'t Pattern) -> PatId {
        let pat = if self.depth >= DEEPEST {
            Pat::Place(self.too_deep(AnyNodeRef::from(node)))
        } else {
            self.depth += 1;
            let pat = self.case(node);
            self.depth -= 1;
            pat
        };
        self.arenas.add_pat(pat)
    }

    fn case(&mut self, node: &'t Pattern) -> Pat {
        match node {
            Pattern::MatchValue(value) => Pat::Value(self.case_value(&value.value)),
            Pattern::MatchSingleton(singleton) => {
                let lit = match singleton.value {
                    Singleton::None => Lit::None,
                    Singleton::True => Lit::Bool(true),
                    Singleton::False => Lit::Bool(false),
                };
                Pat::Value(self.constant(lit, self.span(node)))
            }
            Pattern::MatchSequence(sequence) => {
                let rest = sequence.patterns.iter().position(Pattern::is_match_star);
                let items = self.case_items(&sequence.patterns);
                Pat::Seq { items: self.list(&items), rest: rest.map(|at| RestAt(at as u32)) }
            }
            Pattern::MatchMapping(mapping) => self.case_record(mapping),
            Pattern::MatchClass(class) => self.case_class(class),
            Pattern::MatchStar(star) => match &star.name {
                Some(name) => self.name_pattern(name, self.span(name)),
                None => Pat::Wild,
            },
            Pattern::MatchAs(binding) => self.case_as(binding),
            Pattern::MatchOr(either) => {
                let items = self.case_items(&either.patterns);
                Pat::Or(self.list(&items))
            }
        }
    }

    fn case_items(&mut self, patterns: &'t [Pattern]) -> Vec<PatId> {
        patterns.iter().map(|pattern| self.case_pattern(pattern)).collect()
    }

    /// A minus and a number is that number; a sum is a complex one.
    fn case_value(&mut self, value: &'t ast::Expr) -> ExprId {
        match value {
            ast::Expr::UnaryOp(negative) => {
                let made = self.expression(&negative.operand);
                if let Expr::Lit(lit) = self.arenas.expr_mut(made) {
                    *lit = match *lit {
                        Lit::Int(value) => value.checked_neg().map_or(Lit::Other, Lit::Int),
                        _ => Lit::Other,
                    };
                }
                made
            }
            ast::Expr::BinOp(_) => self.constant(Lit::Other, self.span(value)),
            _ => self.expression(value),
        }
    }

    fn case_as(&mut self, node: &'t PatternMatchAs) -> Pat {
        let Some(name) = &node.name else { return Pat::Wild };
        let Some(inner) = node.pattern.as_deref() else {
            return self.name_pattern(name, self.span(name));
        };
        let pat = self.case_pattern(inner);
        match self.name_pattern(name, self.span(name)) {
            Pat::Var(var) => Pat::As { pat, var },
            // A `global` name: both are matched.
            place => {
                let place = self.arenas.add_pat(place);
                Pat::Or(self.list(&[pat, place]))
            }
        }
    }

    /// `{"key": pattern, **rest}`.
    fn case_record(&mut self, node: &'t PatternMatchMapping) -> Pat {
        let mut items = Vec::new();
        for (key, pattern) in node.keys.iter().zip(&node.patterns) {
            let name = self.key_name(key);
            items.push(PatField { name, pat: self.case_pattern(pattern) });
        }
        let rest = node.rest.as_ref().map(|name| {
            let pat = self.name_pattern(name, self.span(name));
            self.arenas.add_pat(pat)
        });
        Pat::Record { items: self.list(&items), rest }
    }

    fn key_name(&mut self, key: &'t ast::Expr) -> Sym {
        match key {
            ast::Expr::StringLiteral(text) => self.names.intern(text.value.to_str()),
            ast::Expr::BytesLiteral(bytes) => {
                let text: String = bytes.value.bytes().map(char::from).collect();
                self.names.intern(&text)
            }
            ast::Expr::UnaryOp(negative) => self.key_name(&negative.operand),
            _ => {
                let text = self.text.get(key.range().to_std_range()).unwrap_or_default();
                self.ident(text)
            }
        }
    }

    fn case_class(&mut self, node: &'t PatternMatchClass) -> Pat {
        let path = self.expression(&node.cls);
        let items = self.case_items(&node.arguments.patterns);
        let mut named = Vec::new();
        for keyword in &node.arguments.keywords {
            let pat = self.case_pattern(&keyword.pattern);
            named.push(PatField { name: self.ident(&keyword.attr), pat });
        }
        Pat::Ctor { path, items: self.list(&items), named: self.list(&named) }
    }
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
