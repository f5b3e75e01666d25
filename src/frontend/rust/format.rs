//! Formatting: a template and its arguments are one text, whose parts stand in the order in which they are written.

use syn::{Expr as SynExpr, LitStr, Macro};

use super::Lowerer;
use super::literals::text_of;
use super::scope::Wanted;
use super::tokens::expressions;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Span, Sym};

/// What a template consists of.
#[derive(PartialEq, Debug)]
enum Piece {
    Text(String),
    /// `{}`
    Next,
    /// `{0}`
    At(usize),
    /// `{name}`
    Name(String),
}

/// The arguments of a template. One that is used twice is evaluated once.
#[derive(Default)]
struct Arguments {
    positional: Vec<Argument>,
    named: Vec<(Sym, Argument)>,
    next: usize,
}

enum Argument {
    Waiting(Box<SynExpr>),
    Made(ExprId),
    Gone,
}

impl Lowerer<'_> {
    /// `format!("…", a, b)`: the text itself.
    pub(super) fn formatted(&mut self, mac: Macro, span: Span) -> ExprId {
        match expressions(mac.tokens.clone()) {
            Ok(parts) if parts.first().is_some_and(|first| text_of(first).is_some()) => {
                self.text(parts, span)
            }
            _ => self.any_macro(mac, span),
        }
    }

    /// `concat!("a", "b")`: one text.
    pub(super) fn concatenated(&mut self, mac: Macro, span: Span) -> ExprId {
        let Ok(parts) = expressions(mac.tokens.clone()) else { return self.any_macro(mac, span) };
        let base = self.exprs.len();
        for part in parts {
            let made = self.nested(part);
            self.exprs.push(made);
        }
        self.text_node(base, span)
    }

    /// `write!(out, "…", a)`: a call that is given the text, behind `skip` other arguments.
    pub(super) fn formatting(&mut self, mac: Macro, skip: usize, span: Span) -> ExprId {
        let Ok(mut parts) = expressions(mac.tokens.clone()) else { return self.any_macro(mac, span) };
        let template = parts.get(skip).is_some_and(|part| text_of(part).is_some());
        if !template && !parts.is_empty() {
            return self.any_macro(mac, span);
        }
        let rest = parts.split_off(skip.min(parts.len()));
        let callee = self.path(None, mac.path, Wanted::Items);
        let base = self.args.len();
        for part in parts {
            let value = self.expr(part);
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        if !rest.is_empty() {
            self.depth += 1;
            let value = self.text(rest, span);
            self.depth -= 1;
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        self.call_with(callee, base, span)
    }

    pub(super) fn text(&mut self, parts: Vec<SynExpr>, span: Span) -> ExprId {
        let mut parts = parts.into_iter();
        let Some(template) = parts.next().and_then(|first| text_of(&first).cloned()) else {
            return self.opaque(span);
        };
        let mut arguments = Arguments::default();
        for part in parts {
            match part {
                SynExpr::Assign(assign) => {
                    let name = match &*assign.left {
                        SynExpr::Path(path) => path.path.get_ident().map(|ident| self.name(ident)),
                        _ => None,
                    };
                    let name = name.unwrap_or_else(|| self.names.intern(""));
                    arguments.named.push((name, Argument::Waiting(assign.right)));
                }
                other => arguments.positional.push(Argument::Waiting(Box::new(other))),
            }
        }
        self.joined(&template, arguments, span)
    }

    fn joined(&mut self, template: &LitStr, mut arguments: Arguments, span: Span) -> ExprId {
        let at = self.span(template.span());
        let base = self.exprs.len();
        for piece in pieces(&template.value()) {
            let made = match piece {
                Piece::Text(text) => self.constant(&text, at),
                Piece::Next => {
                    arguments.next += 1;
                    self.argument(arguments.positional.get_mut(arguments.next - 1), at)
                }
                Piece::At(index) => self.argument(arguments.positional.get_mut(index), at),
                Piece::Name(name) => {
                    let name = self.names.intern(&name);
                    match arguments.named.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, argument)) => self.argument(Some(argument), at),
                        None => self.read(name, Wanted::Any, at),
                    }
                }
            };
            self.exprs.push(made);
        }
        let rest =
            arguments.positional.into_iter().chain(arguments.named.into_iter().map(|(_, argument)| argument));
        for argument in rest {
            if let Argument::Waiting(expr) = argument {
                let made = self.expr(*expr);
                self.exprs.push(made);
            }
        }
        self.text_node(base, span)
    }

    fn argument(&mut self, argument: Option<&mut Argument>, at: Span) -> ExprId {
        let Some(argument) = argument else { return self.opaque(at) };
        match std::mem::replace(argument, Argument::Gone) {
            Argument::Waiting(expr) => {
                let made = self.expr(*expr);
                *argument = Argument::Made(made);
                made
            }
            Argument::Made(made) => {
                *argument = Argument::Made(made);
                // A node has one parent; a name can be read again.
                match *self.arenas.expr(made) {
                    again @ (Expr::Var(_) | Expr::Free(_) | Expr::Lit(_)) => self.add(again, at),
                    _ => self.opaque(at),
                }
            }
            Argument::Gone => self.opaque(at),
        }
    }

    fn constant(&mut self, text: &str, at: Span) -> ExprId {
        let text = self.names.intern(text);
        self.add(Expr::Lit(Lit::Str(text)), at)
    }

    /// A text of constants alone is a constant.
    fn text_node(&mut self, base: usize, span: Span) -> ExprId {
        match self.exprs[base..] {
            [] => self.constant("", span),
            [only] if matches!(self.arenas.expr(only), Expr::Lit(Lit::Str(_))) => {
                self.exprs.truncate(base);
                only
            }
            _ => {
                let parts = self.take_exprs(base);
                self.add(Expr::Text(parts), span)
            }
        }
    }

    /// A text that an unknown macro is given: it may name variables, and it may be any text.
    pub(super) fn text_with_names(&mut self, text: &LitStr) -> ExprId {
        let at = self.span(text.span());
        let value = text.value();
        if !value.contains('{') {
            return self.constant(&value, at);
        }
        let found = pieces(&value);
        let mut is_template = false;
        for piece in &found {
            if let Piece::Name(name) = piece {
                let name = self.names.intern(name);
                match self.scopes.find(name, Wanted::Any) {
                    Some(_) => is_template = true,
                    None => return self.constant(&value, at),
                }
            }
        }
        if is_template { self.joined(text, Arguments::default(), at) } else { self.constant(&value, at) }
    }
}

/// Takes a template apart. What stands behind the colon is the format and of no interest.
fn pieces(template: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                text.push(c);
            }
            '{' => {
                let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece(inside.split(':').next().unwrap_or_default().trim()));
            }
            _ => text.push(c),
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

fn piece(name: &str) -> Piece {
    match (name.is_empty(), name.parse()) {
        (true, _) => Piece::Next,
        (false, Ok(index)) => Piece::At(index),
        (false, Err(_)) => Piece::Name(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(pieces("a{}b{{c}}"), [text("a"), Piece::Next, text("b{c}")]);
        assert_eq!(pieces("{0:?}{name:>8}{"), [Piece::At(0), Piece::Name("name".to_owned()), Piece::Next]);
        assert_eq!(pieces(""), []);
    }
}
