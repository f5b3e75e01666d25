//! Files that syn rejects: tree-sitter says where the items are, syn reads each that it can, and of the others only names
//! and calls are kept. So an error in one function costs that function.

use std::rc::Rc;

use syn::{File, Ident, Item, Type};

use super::bodies::{Around, Code, Head};
use super::kind::Kind;
use super::literals::text_of;
use super::nesting::survey;
use super::parse::Rejected;
use super::scope::{Holds, Wanted};
use super::{Lowerer, hull};
use crate::frontend::{sitter, tree};
use crate::ir::{
    Arg, ArgKind, Class, ClassKind, Cls, Expr, ExprId, Facts, FnKind, Lang, ListOf, Lit, Problem,
    ProblemKind, Span, Sym,
};

pub(super) type Tree<'s> = tree::Tree<'s, Kind>;
type Node<'t> = tree::Node<'t, Kind>;

/// Items inside items inside items: beyond, only calls are kept.
const MOST_LEVELS: usize = 32;

const LONGEST_NAME: usize = 200;

/// A piece of a file: items that syn reads, or a node that it does not.
enum Piece {
    Items(Vec<Item>, u32),
    Node(u32),
}

pub(super) fn lower(text: &str, rejected: Rejected) -> Facts {
    let tree: Option<Tree<'_>> = sitter::parse(text, Lang::Rust);
    let mut problem = rejected.problem;
    if tree.is_none() {
        problem.kind = ProblemKind::Budget;
    }
    let empty = Tree::new("");
    let mut lowerer = Lowerer::new(text, 0);
    lowerer.tree = Some((tree.as_ref().unwrap_or(&empty), rejected.limit));
    lowerer.problems.push(Problem { span: problem.span, kind: problem.kind });
    lowerer.declare_root(Code::Coarse(0));
    lowerer.run(rejected.notes)
}

impl Lowerer<'_> {
    /// The items below a node, or the calls of a function that syn cannot read.
    pub(super) fn coarse_body(&mut self, index: u32, span: Span) -> Span {
        let Some((tree, limit)) = self.tree else { return span };
        let Some(node) = tree.node(index) else { return span };
        if !matches!(node.kind(), Kind::File | Kind::Items) || self.around.level > MOST_LEVELS {
            self.coarse_calls(node);
            return span;
        }
        let pieces = self.pieces(node, limit);
        for piece in &pieces {
            match piece {
                Piece::Items(items, _) => items.iter().for_each(|item| self.hoist(item)),
                Piece::Node(index) => {
                    let named = tree.node(*index).filter(|node| node.kind() != Kind::Impl);
                    if let Some(name) = named.and_then(name_of) {
                        let name = self.names.intern(name.text());
                        self.scopes.bind_item(name);
                    }
                }
            }
        }
        pieces.into_iter().for_each(|piece| self.piece(piece));
        span
    }

    fn pieces(&self, node: Node<'_>, limit: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = None;
        for child in node.all_children() {
            let from: u32 = *start.get_or_insert(child.lo());
            if child.kind() == Kind::Attribute {
                continue;
            }
            start = None;
            let text = &self.text[from as usize..child.hi() as usize];
            let is_shallow = survey(text).deepest <= limit;
            let parsed = is_shallow.then(|| syn::parse_str::<File>(text).ok()).flatten();
            pieces.push(match parsed {
                Some(file) => Piece::Items(file.items, from),
                None => Piece::Node(child.index()),
            });
        }
        pieces
    }

    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Items(items, offset) => {
                let around = Around { offset, ..Around::clone(&self.around) };
                let outside = std::mem::replace(&mut self.around, Rc::new(around));
                items.into_iter().for_each(|item| self.item(item));
                self.around = outside;
            }
            Piece::Node(index) => {
                let Some(node) = self.tree.and_then(|(tree, _)| tree.node(index)) else { return };
                match node.kind() {
                    Kind::Function => self.coarse_function(node),
                    Kind::Impl | Kind::Trait | Kind::Module if node.child_of(Kind::Items).is_some() => {
                        self.coarse_class(node)
                    }
                    _ => self.coarse_calls(node),
                }
            }
        }
    }

    fn coarse_function(&mut self, node: Node<'_>) {
        let head = self.coarse_head(node, FnKind::Plain, Holds::Function);
        let (name, span) = (head.name, head.span);
        let around = Rc::new(self.inside());
        let id = self.declare(head, Code::Coarse(node.index()), around);
        let made = self.add(Expr::Closure(id), span);
        self.bind_name(name, made, span);
    }

    /// A module, a trait or an `impl` with something inside that syn cannot read.
    fn coarse_class(&mut self, node: Node<'_>) {
        let id = Cls(self.classes.len() as u32);
        let mut around = self.inside();
        let mut bases = ListOf::EMPTY;
        let (kind, holds) = match node.kind() {
            Kind::Module => {
                around.modules = around.modules.saturating_add(1);
                (ClassKind::Namespace, Holds::Items)
            }
            Kind::Trait => (ClassKind::Interface, Holds::Members),
            _ => {
                let parts: Vec<_> = node.children().take_while(|part| part.kind() != Kind::Items).collect();
                let of = self.coarse_path(parts.last().copied().unwrap_or(node));
                if let [.., of_trait, _] = parts[..]
                    && matches!(of_trait.kind(), Kind::Identifier | Kind::Path)
                {
                    let base = self.coarse_path(of_trait);
                    bases = self.list(&[base]);
                }
                (ClassKind::Extension(of), Holds::Members)
            }
        };
        let head = self.coarse_head(node, FnKind::ClassBody(id), holds);
        let (name, span) = (head.name, head.span);
        around.self_type = itself(self.names.get(name));
        let items = node.child_of(Kind::Items).map_or(node.index(), |items| items.index());
        let body = self.declare(head, Code::Coarse(items), Rc::new(around));
        let (decorators, scope) = (ListOf::EMPTY, self.here);
        self.classes.push(Class { name, kind, span, bases, options: ListOf::EMPTY, decorators, body, scope });
        let made = self.add(Expr::Class(id), span);
        match kind {
            ClassKind::Extension(_) => self.exprs.push(made),
            _ => self.bind_name(name, made, span),
        }
    }

    fn coarse_head(&mut self, node: Node<'_>, kind: FnKind, holds: Holds) -> Head {
        let span = node.span();
        let name = name_of(node);
        let text = name.map_or("", |name| name.text());
        let text = text.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
        let first = Span { lo: span.lo, hi: (span.lo + 1).min(span.hi) };
        Head {
            name: self.names.intern(text),
            span,
            name_span: name.map_or(first, |name| name.span()),
            kind,
            holds,
        }
    }

    /// Every call below a node, side by side.
    fn coarse_calls(&mut self, node: Node<'_>) {
        for found in node.descendants() {
            match found.kind() {
                Kind::Call | Kind::Macro => self.coarse_call(found),
                Kind::Tokens | Kind::Error => self.coarse_tokens(found),
                _ => {}
            }
        }
    }

    fn coarse_call(&mut self, call: Node<'_>) {
        let Some(mut callee) = call.all_children().next() else { return };
        if callee.kind() == Kind::Generic {
            callee = callee.all_children().next().unwrap_or(callee);
        }
        let callee = self.coarse_path(callee);
        let base = self.args.len();
        let given = call.all_children().filter(|n| matches!(n.kind(), Kind::Arguments | Kind::Tokens));
        for text in given.flat_map(|given| given.all_children()).filter(|n| n.kind() == Kind::Text) {
            if let Some(value) = self.coarse_text(text) {
                self.args.push(Arg { kind: ArgKind::Positional, value });
            }
        }
        let made = self.call_with(callee, base, call.span());
        self.exprs.push(made);
    }

    /// `a::b(…)` among the tokens of a macro or of an error, where nothing is known to be a call.
    fn coarse_tokens(&mut self, tokens: Node<'_>) {
        let mut path: Vec<Node<'_>> = Vec::new();
        for token in tokens.all_children() {
            let gap =
                |last: &Node<'_>| self.text.get(last.hi() as usize..token.lo() as usize).unwrap_or_default();
            match token.kind() {
                Kind::Identifier | Kind::FieldName | Kind::Path => {
                    if path.last().is_none_or(|last| gap(last).trim() != "::") {
                        path.clear();
                    }
                    path.push(token);
                }
                Kind::Tokens
                    if token.text().starts_with('(')
                        && path.last().is_some_and(|last| gap(last).trim().is_empty()) =>
                {
                    let segments: Vec<_> =
                        path.iter().flat_map(|part| segments(part.text(), part.span())).collect();
                    let last = token.span();
                    self.coarse_segments(&segments, last);
                    path.clear();
                }
                _ => path.clear(),
            }
        }
    }

    fn coarse_segments(&mut self, segments: &[(String, Span)], last: Span) {
        let named: Vec<(Sym, Span)> =
            segments.iter().map(|(name, span)| (self.names.intern(name), *span)).collect();
        let callee = self.segments(&named, Wanted::Any);
        let base = self.args.len();
        let made = self.call_with(callee, base, hull(self.span_of(callee), last));
        self.exprs.push(made);
    }

    /// A callee or a type by its name; a method of something longer keeps its own name only.
    fn coarse_path(&mut self, node: Node<'_>) -> ExprId {
        let is_plain = |text: &str| {
            text.bytes().all(|b| b == b'_' || b == b':' || b == b'.' || b.is_ascii_alphanumeric())
        };
        // What is long is no name, and to read it for each link of a chain would take for ever.
        if node.text().len() > LONGEST_NAME && node.kind() != Kind::Field {
            return self.opaque(node.span());
        }
        if node.kind() == Kind::Field && (node.text().len() > LONGEST_NAME || !is_plain(node.text())) {
            let name = node.all_children().filter(|n| n.kind() == Kind::FieldName).last();
            let base = self.opaque(node.span());
            let name = self.names.intern(name.map_or("", |name| name.text()));
            return self.add(Expr::Field { base, name }, node.span());
        }
        let text = node.text().split('<').next().unwrap_or_default();
        if !is_plain(text) {
            return self.opaque(node.span());
        }
        let named: Vec<(Sym, Span)> = segments(text, node.span())
            .into_iter()
            .map(|(name, span)| (self.names.intern(&name), span))
            .collect();
        self.segments(&named, Wanted::Any)
    }

    fn coarse_text(&mut self, node: Node<'_>) -> Option<ExprId> {
        let literal = syn::parse_str::<syn::Expr>(node.text()).ok()?;
        let text = text_of(&literal)?.value();
        let text = self.names.intern(&text);
        Some(self.add(Expr::Lit(Lit::Str(text)), node.span()))
    }
}

/// The name that an item binds, or the type that an `impl` is for.
fn name_of<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let is_name = |n: &Node<'t>| matches!(n.kind(), Kind::Identifier | Kind::Path | Kind::Other);
    match node.kind() {
        Kind::Impl => node.children().take_while(|part| part.kind() != Kind::Items).filter(is_name).last(),
        Kind::Function | Kind::Trait | Kind::Module => node.child_of(Kind::Identifier),
        _ => None,
    }
}

fn segments(text: &str, span: Span) -> Vec<(String, Span)> {
    text.split(['.', ':']).filter(|part| !part.is_empty()).map(|part| (part.to_owned(), span)).collect()
}

fn itself(name: &str) -> Option<Rc<Type>> {
    let ident = syn::parse_str::<Ident>(name).ok()?;
    Some(Rc::new(Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: ident.into() })))
}
