//! What binds names, as tree-sitter sees it: functions, classes, imports.

use crate::frontend::python::imports::Source;
use crate::frontend::python::kind::{Kind, Node};
use crate::frontend::python::{Code, DEEPEST, Lowerer};
use crate::ir::{
    Arg, ArgKind, Class, ClassKind, Cls, Expr, ExprId, FnKind, Func, Imported, ListOf, Param, ParamKind, Pat,
    Span,
};

impl<'t> Lowerer<'t> {
    pub(super) fn coarse_decorated(&mut self, node: Node<'t>) {
        let (decorators, rest): (Vec<_>, Vec<_>) =
            node.all_children().partition(|n| n.kind() == Kind::Decorator);
        match rest.as_slice() {
            [only] if only.kind() == Kind::Function => self.coarse_function(*only, &decorators),
            [only] if only.kind() == Kind::Class => self.coarse_class(*only, &decorators),
            _ => self.coarse_parts(node),
        }
    }

    fn coarse_decorators(&mut self, decorators: &[Node<'t>]) -> ListOf<ExprId> {
        let base = self.exprs.len();
        decorators.iter().for_each(|decorator| self.coarse_parts(*decorator));
        self.take_exprs(base)
    }

    pub(super) fn coarse_function(&mut self, node: Node<'t>, decorators: &[Node<'t>]) {
        let decorators = self.coarse_decorators(decorators);
        if self.level >= DEEPEST {
            let made = self.coarse_too_deep(node);
            return self.exprs.push(made);
        }
        let name = node.child_of(Kind::Identifier);
        let head = self.head(node.span(), name.map(|name| (name.text(), name.span())), FnKind::Plain);
        let id = self.declare(head, Code::Coarse(node));
        let params = self.coarse_parameters(node, id);
        let returns = node.child_of(Kind::Type).map(|ty| self.value(ty));
        self.odd_parts(node);
        let function = &mut self.functions[id.0 as usize];
        function.is_async = node.child_of(Kind::Async).is_some();
        (function.params, function.returns, function.decorators) = (params, returns, decorators);
        self.bind_item(name, Expr::Closure(id), node.span());
    }

    pub(super) fn coarse_class(&mut self, node: Node<'t>, decorators: &[Node<'t>]) {
        let decorators = self.coarse_decorators(decorators);
        if self.level >= DEEPEST {
            let made = self.coarse_too_deep(node);
            return self.exprs.push(made);
        }
        let id = Cls(self.classes.len() as u32);
        let name = node.child_of(Kind::Identifier);
        let span = node.span();
        let head = self.head(span, name.map(|name| (name.text(), name.span())), FnKind::ClassBody(id));
        let (name_sym, kind, scope) = (head.name, ClassKind::Plain, self.here);
        let body = self.declare(head, Code::Coarse(node));
        let (bases, options) = (ListOf::EMPTY, ListOf::EMPTY);
        self.classes.push(Class { name: name_sym, kind, span, bases, options, decorators, body, scope });
        let (bases, options) = self.coarse_bases(node);
        self.odd_parts(node);
        let class = &mut self.classes[id.0 as usize];
        (class.bases, class.options) = (bases, options);
        self.bind_item(name, Expr::Class(id), span);
    }

    fn coarse_bases(&mut self, node: Node<'t>) -> (ListOf<ExprId>, ListOf<Arg>) {
        let given = node.child_of(Kind::Arguments).into_iter().flat_map(Node::all_children);
        let (mut bases, mut options) = (Vec::new(), Vec::new());
        for part in given {
            match super::values::pair(part) {
                Some((name, value)) if part.kind() == Kind::Keyword => {
                    let value = self.value(value);
                    options.push(Arg { kind: ArgKind::Named(self.ident(name.text())), value });
                }
                _ => bases.push(self.value(part)),
            }
        }
        (self.list(&bases), self.list(&options))
    }

    /// What stands in a head and has no meaning there.
    fn odd_parts(&mut self, node: Node<'t>) {
        let is_read = |kind| {
            matches!(
                kind,
                Kind::Identifier
                    | Kind::Parameters
                    | Kind::Arguments
                    | Kind::Type
                    | Kind::Async
                    | Kind::Block
                    | Kind::DottedName
            )
        };
        node.all_children().filter(|n| !is_read(n.kind())).for_each(|odd| self.coarse_statement(odd));
    }

    fn bind_item(&mut self, name: Option<Node<'t>>, value: Expr, span: Span) {
        let mut made = self.add(value, span);
        if let Some(name) = name.filter(|name| !name.text().is_empty()) {
            let pat = self.name_pattern(name.text(), name.span());
            made = self.bind(pat, made, span);
        }
        self.exprs.push(made);
    }

    pub(super) fn coarse_parameters(&mut self, node: Node<'t>, id: Func) -> ListOf<Param> {
        let mut params: Vec<Param> = Vec::new();
        let mut kind = ParamKind::Normal;
        let given = node.child_of(Kind::Parameters).into_iter().flat_map(Node::all_children);
        for part in given {
            if part.kind() == Kind::Separator {
                match part.text() {
                    "*" => kind = ParamKind::KeywordOnly,
                    _ => params.iter_mut().for_each(|param| param.kind = ParamKind::PositionalOnly),
                }
                continue;
            }
            let param = self.coarse_parameter(part, kind, id);
            if param.kind == ParamKind::Rest {
                kind = ParamKind::KeywordOnly;
            }
            params.push(param);
        }
        self.list(&params)
    }

    fn coarse_parameter(&mut self, node: Node<'t>, kind: ParamKind, id: Func) -> Param {
        let parts: Vec<_> = match node.kind() {
            Kind::Default | Kind::Typed => node.all_children().collect(),
            _ => vec![node],
        };
        let (types, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|n| n.kind() == Kind::Type);
        let mut types = types.into_iter();
        let (first, rest) = rest.split_first().map_or((node, [].as_slice()), |(first, rest)| (*first, rest));
        let kind = match first.kind() {
            Kind::Spread => ParamKind::Rest,
            Kind::SpreadNamed => ParamKind::KeywordRest,
            _ => kind,
        };
        let named = first.descendants().find(|n| n.kind() == Kind::Identifier);
        let name = self.ident(named.map_or("", |named| named.text()));
        let var = self.scopes.add_var(id, name);
        let pat = self.arenas.add_pat(Pat::Var(var));
        self.scopes.add_param(id, name, var);
        let ty = types.next().map(|ty| self.value(ty));
        let is_odd = super::values::sole(first).kind() != Kind::Identifier && !first.is_leaf();
        let rest: Vec<_> = rest.iter().copied().chain(is_odd.then_some(first)).chain(types).collect();
        let default = (!rest.is_empty()).then(|| self.coarse_values(&rest, node.span()));
        Param { name, pat, ty, default, kind, span: node.span() }
    }

    pub(super) fn coarse_import(&mut self, node: Node<'t>) {
        for name in node.all_children() {
            let (path, alias) = aliased(name);
            let Some(path) = path else {
                self.coarse_statement(name);
                continue;
            };
            let (what, bound) = match alias {
                Some(alias) => (Imported::Module, alias.text()),
                None => (Imported::Root, path.split('.').next().unwrap_or_default()),
            };
            let path = without_blanks(path);
            let source = Source { span: node.span(), level: 0, path: &path };
            let value = self.add_import(source, what, name.span());
            self.bind_import(bound.trim(), value, alias.unwrap_or(name).span());
        }
    }

    pub(super) fn coarse_import_from(&mut self, node: Node<'t>) {
        let mut parts = node.all_children();
        let Some(module) = parts.next() else { return };
        let text = without_blanks(module.text());
        let path = text.trim_start_matches('.');
        let level = u8::try_from(text.len() - path.len()).unwrap_or(u8::MAX);
        let source = Source { span: node.span(), level, path };
        for name in parts {
            match aliased(name) {
                _ if name.kind() == Kind::Star => {
                    let made = self.add_import(source, Imported::Star, name.span());
                    self.exprs.push(made);
                }
                (Some(imported), alias) => {
                    let what = Imported::Name(self.ident(imported));
                    let value = self.add_import(source, what, name.span());
                    let bound = alias.map_or(imported, |alias| alias.text());
                    self.bind_import(bound, value, alias.unwrap_or(name).span());
                }
                (None, _) => self.coarse_statement(name),
            }
        }
    }

    pub(super) fn coarse_scope(&mut self, node: Node<'t>) {
        for name in node.all_children() {
            match node.kind() {
                _ if name.kind() != Kind::Identifier => self.coarse_statement(name),
                Kind::Global => {
                    let name = self.ident(name.text());
                    self.scopes.declare_global(name);
                }
                _ => {
                    let name = self.ident(name.text());
                    self.scopes.declare_nonlocal(name);
                }
            }
        }
    }
}

/// Python allows blanks and line continuations around the dots.
fn without_blanks(path: &str) -> String {
    path.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect()
}

/// `a.b` or `a.b as c`.
fn aliased<'t>(node: Node<'t>) -> (Option<&'t str>, Option<Node<'t>>) {
    let mut parts = node.all_children();
    match (node.kind(), parts.next(), parts.next(), parts.next()) {
        (Kind::DottedName, ..) if node.is_leaf() => (Some(node.text()), None),
        (Kind::Aliased, Some(name), Some(alias), None) if name.kind() == Kind::DottedName => {
            (Some(name.text()), Some(alias))
        }
        _ => (None, None),
    }
}
