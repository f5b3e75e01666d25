//! Functions as bodies that wait to be lowered: what they hold, what they stand in, and how one begins and ends.

use std::rc::Rc;

use proc_macro2::TokenStream;
use syn::{Block, Expr as SynExpr, Ident, Item};

use super::classes::Member;
use super::scope::Holds;
use super::types::Bounds;
use super::{DEEPEST, Lowerer, NO_BODY};
use crate::ir::{Expr, ExprId, ExprRange, FnKind, Func, Function, Jump, ListOf, Span, Sym};

/// A body that is still to be lowered.
pub(super) struct Body {
    code: Code,
    around: Rc<Around>,
}

pub(super) enum Code {
    Items(Vec<Item>),
    Members(Vec<Member>),
    /// The second is true if the last expression is the value of the function.
    Block(Block, bool),
    Value(Box<SynExpr>),
    /// The arms of a `macro_rules!`.
    Tokens(TokenStream),
    /// A node of a file that syn rejects.
    Coarse(u32),
    Nothing,
}

/// What a body stands in.
#[derive(Clone, Default)]
pub(super) struct Around {
    /// Where the text begins that was parsed: behind a byte order mark and a `#!` line, or at an item of a broken file.
    pub offset: u32,
    /// How many functions are around it.
    pub level: usize,
    /// How many inline modules.
    pub modules: u8,
    /// `#[cfg(test)]`: never at run time.
    pub is_test: bool,
    /// The call of a macro that made it: everything lies there.
    pub made_at: Option<Span>,
    /// A struct or an enum: what it leaves open, its `impl` blocks may say.
    pub is_data: bool,
    /// What `Self` means.
    pub self_type: Option<Rc<syn::Type>>,
    pub generics: Option<Rc<Bounds>>,
}

/// What a function is called and where it stands.
pub(super) struct Head {
    pub name: Sym,
    pub span: Span,
    pub name_span: Span,
    pub kind: FnKind,
    pub holds: Holds,
}

impl Lowerer<'_> {
    pub(super) fn declare_root(&mut self, code: Code) {
        let span = Span { lo: 0, hi: self.text.len() as u32 };
        let name_span = Span { lo: 0, hi: 0 };
        let name = self.names.intern("");
        let head = Head { name, span, name_span, kind: FnKind::Module, holds: Holds::Items };
        self.declare(head, code, Rc::clone(&self.around));
    }

    pub(super) fn head(&mut self, name: &Ident, span: Span, kind: FnKind, holds: Holds) -> Head {
        Head { name: self.name(name), span, name_span: self.span(name.span()), kind, holds }
    }

    /// The head of a function without a name.
    pub(super) fn anonymous(&mut self, span: Span) -> Head {
        let name_span = Span { lo: span.lo, hi: (span.lo + 1).min(span.hi) };
        let (kind, holds) = (FnKind::Lambda, Holds::Closure);
        Head { name: self.names.intern(""), span, name_span, kind, holds }
    }

    /// What stands in the body at hand.
    pub(super) fn inside(&self) -> Around {
        Around { level: self.around.level + 1, ..Around::clone(&self.around) }
    }

    pub(super) fn declare(&mut self, head: Head, code: Code, around: Rc<Around>) -> Func {
        let id = Func(self.functions.len() as u32);
        let is_test = around.is_test;
        self.scopes.declare(self.here, head.holds);
        self.bodies.push(Some(Body { code, around }));
        self.functions.push(Function {
            name: head.name,
            span: head.span,
            name_span: head.name_span,
            parent: self.here,
            kind: head.kind,
            is_async: false,
            is_generator: false,
            is_test,
            is_private: false,
            params: ListOf::EMPTY,
            returns: None,
            decorators: ListOf::EMPTY,
            body: NO_BODY,
            exprs: ExprRange::default(),
            vars: ListOf::EMPTY,
            captures: ListOf::EMPTY,
            exports: ListOf::EMPTY,
        });
        id
    }

    pub(super) fn lower_body(&mut self, id: Func) {
        let Some(Body { code, around }) = self.bodies[id.0 as usize].take() else { return };
        (self.here, self.around, self.depth, self.next_label) = (id, around, 0, 0);
        self.fixed = self.around.made_at;
        self.loops.clear();
        self.scopes.enter(id);
        let lo = self.arenas.expr_count() as u32 + 1;
        let span = self.functions[id.0 as usize].span;
        let base = self.exprs.len();
        self.depth += 1;
        let span = match code {
            _ if self.around.level > DEEPEST => self.flat_body(code, span),
            Code::Items(items) => self.module_items(items, span),
            Code::Members(members) => self.members(members, span),
            Code::Block(block, has_value) => self.function_block(block, has_value),
            Code::Value(value) => self.returned(*value, span),
            Code::Tokens(tokens) => self.macro_arms(tokens, span),
            Code::Coarse(node) => self.coarse_body(node, span),
            Code::Nothing => span,
        };
        self.depth -= 1;
        let statements = self.take_exprs(base);
        let body = self.add(Expr::Block(statements), span);
        let exprs = ExprRange { lo, hi: self.arenas.expr_count() as u32 + 1 };
        let function = &mut self.functions[id.0 as usize];
        (function.body, function.exprs) = (body, exprs);
    }

    /// The body of a closure: a block as that of a function, everything else handed back.
    fn returned(&mut self, value: SynExpr, span: Span) -> Span {
        match value {
            SynExpr::Block(inner) if inner.label.is_none() => self.function_block(inner.block, true),
            value => {
                let made = self.nested(value);
                self.add_return(made);
                span
            }
        }
    }

    pub(super) fn add_return(&mut self, value: ExprId) {
        let span = self.span_of(value);
        let made = self.add(Expr::Jump { kind: Jump::Return, value: Some(value) }, span);
        self.exprs.push(made);
    }

    /// Functions that nest too deep: their calls are kept, nothing else.
    fn flat_body(&mut self, code: Code, span: Span) -> Span {
        let made = match code {
            Code::Block(block, _) => self.too_deep_block(&block, span),
            Code::Value(value) => self.too_deep(&value),
            Code::Items(items) => self.too_deep_items(&items, span),
            Code::Members(members) => self.too_deep_members(&members, span),
            Code::Coarse(node) => return self.coarse_body(node, span),
            Code::Tokens(_) | Code::Nothing => return span,
        };
        self.exprs.push(made);
        span
    }
}
