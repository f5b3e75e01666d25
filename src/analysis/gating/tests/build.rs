//! Puts a tree of `Term`s into the arenas, as a front end would put a file there.

use super::term::{Constant, Def, Name, Pattern, Term, bound};
use crate::ir::arena::Arenas;
use crate::ir::{
    Arg, ArgKind, Arm, Capture, Entry, EntryKey, Export, Expr, ExprId, ExprRange, Facts, FnKind, Func,
    Function, Handler, IfArm, Import, ImportId, Imported, Items, Jump, Label, Lang, ListOf, Lit, Loop,
    MODULE, Param, ParamKind, Pat, PatField, PatId, Site, SiteId, Span, Stored, Strings, Sym, Takes, Try,
    VarId, When,
};

/// The facts of a module with these statements.
pub fn facts(module: Vec<Term>) -> Facts {
    let mut builder = Builder::default();
    let head = Def { name: "", params: Vec::new(), decorators: Vec::new(), is_async: false, body: module };
    builder.declare(MODULE, FnKind::Module, head);
    let mut next = 0;
    while next < builder.scopes.len() {
        builder.body(Func(next as u32));
        next += 1;
    }
    let facts = builder.finish();
    facts.check(200).unwrap();
    facts
}

/// A function that is being made.
struct Scope {
    parent: Func,
    kind: FnKind,
    head: Def,
    decorators: ListOf<ExprId>,
    vars: Vec<Name>,
    captures: Vec<Capture>,
    body: Option<ExprId>,
    exprs: ExprRange,
    is_generator: bool,
}

#[derive(Default)]
struct Builder {
    names: Strings,
    arenas: Arenas,
    calls: Vec<Site>,
    imports: Vec<Import>,
    scopes: Vec<Scope>,
    /// The function whose body is made, and the loops around.
    at: usize,
    loops: Vec<Label>,
    labels: u16,
}

impl Builder {
    fn declare(&mut self, parent: Func, kind: FnKind, head: Def) -> Func {
        let decorators: Vec<ExprId> = head.decorators.iter().map(|term| self.term(term)).collect();
        let decorators = self.list(&decorators);
        let (mut vars, exprs) = (head.params.clone(), ExprRange::default());
        bound(&head.body, &mut vars);
        let scope = Scope {
            parent,
            kind,
            decorators,
            vars,
            captures: Vec::new(),
            head,
            body: None,
            exprs,
            is_generator: false,
        };
        self.scopes.push(scope);
        Func(self.scopes.len() as u32 - 1)
    }

    fn body(&mut self, id: Func) {
        self.at = id.0 as usize;
        let lo = self.arenas.expr_count() as u32 + 1;
        let body = self.scopes[self.at].head.body.clone();
        let body = self.block(&body);
        let scope = &mut self.scopes[self.at];
        scope.body = Some(body);
        scope.exprs = ExprRange { lo, hi: self.arenas.expr_count() as u32 + 1 };
    }

    fn list<T: Stored>(&mut self, items: &[T]) -> ListOf<T> {
        self.arenas.add_list(items)
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.arenas.add_expr(expr, Span::default())
    }

    fn sym(&mut self, name: Name) -> Sym {
        self.names.intern(name)
    }

    fn terms(&mut self, terms: &[Term]) -> ListOf<ExprId> {
        let made: Vec<ExprId> = terms.iter().map(|term| self.term(term)).collect();
        self.list(&made)
    }

    fn block(&mut self, terms: &[Term]) -> ExprId {
        let list = self.terms(terms);
        self.add(Expr::Block(list))
    }

    fn otherwise(&mut self, terms: &[Term]) -> Option<ExprId> {
        (!terms.is_empty()).then(|| self.block(terms))
    }

    /// A variable of the function or of one around it; names of the module are for link.
    fn variable(&mut self, at: usize, name: Name) -> Option<VarId> {
        if let Some(var) = self.scopes[at].vars.iter().position(|known| *known == name) {
            return (at > 0 || self.at == 0).then_some(VarId(var as u32));
        }
        let parent = self.scopes[at].parent.0 as usize;
        let outer = (at > 0 && parent > 0).then(|| self.variable(parent, name)).flatten()?;
        let scope = &mut self.scopes[at];
        scope.vars.push(name);
        let inner = VarId(scope.vars.len() as u32 - 1);
        scope.captures.push(Capture { outer, inner });
        Some(inner)
    }

    fn name(&mut self, name: Name) -> ExprId {
        let expr = match self.variable(self.at, name) {
            Some(var) => Expr::Var(var),
            None => Expr::Free(self.sym(name)),
        };
        self.add(expr)
    }

    fn literal(&mut self, constant: Constant) -> ExprId {
        let lit = match constant {
            Constant::None => Lit::None,
            Constant::Bool(value) => Lit::Bool(value),
            Constant::Int(value) => Lit::Int(value),
            Constant::Text(text) => Lit::Str(self.sym(text)),
        };
        self.add(Expr::Lit(lit))
    }

    fn pattern(&mut self, pattern: &Pattern) -> PatId {
        let pat = match pattern {
            Pattern::Wild => Pat::Wild,
            Pattern::Var(name) => Pat::Var(self.variable(self.at, name).expect("it is bound here")),
            Pattern::Value(constant) => Pat::Value(self.literal(*constant)),
            Pattern::Seq(items) => {
                let items: Vec<PatId> = items.iter().map(|item| self.pattern(item)).collect();
                Pat::Seq { items: self.list(&items), rest: None }
            }
            Pattern::Or(items) => {
                let items: Vec<PatId> = items.iter().map(|item| self.pattern(item)).collect();
                Pat::Or(self.list(&items))
            }
            Pattern::Record(fields) => {
                let fields: Vec<PatField> = fields
                    .iter()
                    .map(|(name, pat)| PatField { name: self.sym(name), pat: self.pattern(pat) })
                    .collect();
                Pat::Record { items: self.list(&fields), rest: None }
            }
        };
        self.arenas.add_pat(pat)
    }

    fn term(&mut self, term: &Term) -> ExprId {
        let expr = match term {
            Term::Lit(constant) => return self.literal(*constant),
            Term::Name(name) => return self.name(name),
            Term::Field(base, name) => Expr::Field { base: self.term(base), name: self.sym(name) },
            Term::Call(callee, args) => return self.call(callee, args),
            Term::Not(inner) => Expr::Not(self.term(inner)),
            Term::All(parts) => Expr::All(self.terms(parts)),
            Term::Any(parts) => Expr::Any(self.terms(parts)),
            Term::Op(op, left, right) => {
                let args = [self.term(left), self.term(right)];
                Expr::Op { op: *op, args: self.list(&args) }
            }
            Term::Seq(items) => Expr::Seq(self.terms(items)),
            Term::Record(entries) => {
                let entry = |(key, value): &(Name, Term)| {
                    let key = EntryKey::Expr(self.literal(Constant::Text(key)));
                    Entry { key, value: self.term(value) }
                };
                let entries: Vec<Entry> = entries.iter().map(entry).collect();
                Expr::Record(self.list(&entries))
            }
            Term::Await(inner) => Expr::Await(self.term(inner)),
            Term::Yield => {
                self.scopes[self.at].is_generator = true;
                Expr::Yield { value: None, delegate: false }
            }
            Term::Lambda(value) => {
                let body = vec![Term::Return(value.clone())];
                let head =
                    Def { name: "", params: Vec::new(), decorators: Vec::new(), is_async: false, body };
                Expr::Closure(self.declare(Func(self.at as u32), FnKind::Lambda, head))
            }
            Term::Import(path, name) => return self.import(path, name),
            Term::Def(def) => {
                let id = self.declare(Func(self.at as u32), FnKind::Plain, def.clone());
                let value = self.add(Expr::Closure(id));
                Expr::Bind { pat: self.pattern(&Pattern::Var(def.name)), value }
            }
            Term::Let(pattern, value) => {
                let value = self.term(value);
                Expr::Bind { pat: self.pattern(pattern), value }
            }
            Term::Store(place, value) => {
                let value = Some(self.term(value));
                Expr::Store { place: self.term(place), op: None, value }
            }
            Term::Return(value) => Expr::Jump { kind: Jump::Return, value: Some(self.term(value)) },
            Term::Raise(value) => {
                let value = value.as_ref().map(|value| self.term(value));
                Expr::Jump { kind: Jump::Raise, value }
            }
            Term::Assert(value) => Expr::Jump { kind: Jump::Assert, value: Some(self.term(value)) },
            Term::Break => {
                let label = *self.loops.last().expect("a loop stands around");
                Expr::Jump { kind: Jump::Break(label), value: None }
            }
            control => return self.control(control),
        };
        self.add(expr)
    }

    fn call(&mut self, callee: &Term, args: &[(Option<Name>, Term)]) -> ExprId {
        let callee = self.term(callee);
        let arg = |(name, value): &(Option<Name>, Term)| {
            let kind = name.map_or(ArgKind::Positional, |name| ArgKind::Named(self.sym(name)));
            Arg { kind, value: self.term(value) }
        };
        let args: Vec<Arg> = args.iter().map(arg).collect();
        let args = self.list(&args);
        let site = SiteId(self.calls.len() as u32);
        let expr = self.add(Expr::Call { callee, args, site });
        self.calls.push(Site { expr, function: Func(self.at as u32) });
        expr
    }

    fn import(&mut self, path: Name, name: Name) -> ExprId {
        let id = ImportId(self.imports.len() as u32);
        let (path, what) = (self.sym(path), Imported::Name(self.sym(name)));
        let span = Span::default();
        let (when, takes) = (When::Always, Takes::Names);
        self.imports.push(Import { span, scope: MODULE, level: 0, path, what, when, takes });
        let value = self.add(Expr::Import(id));
        let pat = self.pattern(&Pattern::Var(name));
        self.add(Expr::Bind { pat, value })
    }

    fn control(&mut self, term: &Term) -> ExprId {
        let expr = match term {
            Term::If(arms, otherwise) => {
                let arm = |(test, body): &(Term, Vec<Term>)| IfArm {
                    test: self.term(test),
                    body: self.block(body),
                };
                let arms: Vec<IfArm> = arms.iter().map(arm).collect();
                Expr::If { arms: self.list(&arms), otherwise: self.otherwise(otherwise) }
            }
            Term::Match(subject, arms) => {
                let subject = self.term(subject);
                let arm = |(pattern, body): &(Pattern, Vec<Term>)| {
                    let pat = self.pattern(pattern);
                    Arm { pat, guard: None, body: self.block(body), span: Span::default() }
                };
                let arms: Vec<Arm> = arms.iter().map(arm).collect();
                Expr::Match { subject, arms: self.list(&arms) }
            }
            Term::While(test, body, otherwise) => {
                let test = test.as_ref().map(|test| self.term(test));
                self.repeat(test, None, body, otherwise)
            }
            Term::For(pattern, iterable, body, otherwise) => {
                let iterable = self.term(iterable);
                let each = Some((self.pattern(pattern), iterable));
                self.repeat(None, each, body, otherwise)
            }
            Term::Try { body, handlers, finally } => {
                let body = self.block(body);
                let handler = |(types, body): &(Vec<Name>, Vec<Term>)| {
                    let types: Vec<ExprId> = types.iter().map(|name| self.name(name)).collect();
                    let types = self.list(&types);
                    Handler { types, pat: None, body: self.block(body), span: Span::default() }
                };
                let handlers: Vec<Handler> = handlers.iter().map(handler).collect();
                let handlers = self.list(&handlers);
                let finally = self.otherwise(finally);
                Expr::Try(self.arenas.add_try(Try { body, handlers, otherwise: None, finally }))
            }
            Term::With(context, body) => {
                let context = self.term(context);
                Expr::With { context, pat: None, body: self.block(body), is_async: false }
            }
            _ => unreachable!("`term` makes the others"),
        };
        self.add(expr)
    }

    fn repeat(
        &mut self,
        test: Option<ExprId>,
        each: Option<(PatId, ExprId)>,
        body: &[Term],
        otherwise: &[Term],
    ) -> Expr {
        let label = Label(self.labels);
        self.labels += 1;
        self.loops.push(label);
        let body = self.block(body);
        self.loops.pop();
        let otherwise = self.otherwise(otherwise);
        Expr::Loop(self.arenas.add_loop(Loop { label, test, each, body, otherwise }))
    }

    fn finish(mut self) -> Facts {
        let scopes = std::mem::take(&mut self.scopes);
        let functions = scopes.into_iter().map(|scope| self.function(scope)).collect();
        let Self { names, arenas, calls, imports, .. } = self;
        let items = Items { imports, functions, calls, ..Items::default() };
        Facts::new(Lang::Python, items, arenas, names)
    }

    fn function(&mut self, scope: Scope) -> Function {
        let syms: Vec<Sym> = scope.vars.iter().map(|name| self.sym(name)).collect();
        let numbered = (0..).map(VarId).zip(&syms);
        let exports: Vec<Export> = match scope.kind {
            FnKind::Module => numbered.map(|(var, &name)| Export { name, var }).collect(),
            _ => Vec::new(),
        };
        let param = |at: usize| Param {
            name: syms[at],
            pat: self.arenas.add_pat(Pat::Var(VarId(at as u32))),
            ty: None,
            default: None,
            kind: ParamKind::Normal,
            span: Span::default(),
        };
        let params: Vec<Param> = (0..scope.head.params.len()).map(param).collect();
        Function {
            name: self.sym(scope.head.name),
            span: Span::default(),
            name_span: Span::default(),
            parent: scope.parent,
            kind: scope.kind,
            is_async: scope.head.is_async,
            is_generator: scope.is_generator,
            is_test: false,
            is_private: false,
            params: self.list(&params),
            returns: None,
            decorators: scope.decorators,
            body: scope.body.expect("every body has been made"),
            exprs: scope.exprs,
            vars: self.list(&syms),
            captures: self.list(&scope.captures),
            exports: self.list(&exports),
        }
    }
}
