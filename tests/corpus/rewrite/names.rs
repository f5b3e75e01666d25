//! Names of a module: what its imports bind, and where a name is read. Says nothing rather than something uncertain.

use camino::Utf8Path;
use gatelint::ir::{Expr, ExprId, Func, Import, Imported, Lit, MODULE, Pat, Span, When};

use super::code::Code;
use super::project::Project;

/// A name of the module that an import at its level binds.
pub struct Bound<'c> {
    pub name: &'c str,
    pub import: &'c Import,
    /// `a.b as c`.
    pub clause: Span,
    /// Where the name stands if it is an alias, else the clause.
    pub binder: Span,
}

impl Bound<'_> {
    pub fn is_aliased(&self) -> bool {
        self.clause != self.binder
    }
}

/// An import statement at the level of the module, on lines of its own, that is always run.
pub struct Statement<'c> {
    pub span: Span,
    pub names: Vec<Bound<'c>>,
}

#[derive(Clone, Copy)]
pub struct Use {
    pub expr: ExprId,
    pub span: Span,
    pub function: Func,
}

/// All that imports of the module bind.
pub fn imported(code: &Code) -> Vec<Bound<'_>> {
    let module = code.facts.function(MODULE);
    let vars = code.facts.list(module.vars);
    let bound = |id: ExprId| {
        let &Expr::Bind { pat, value } = code.facts.expr(id) else { return None };
        let (Pat::Var(var), &Expr::Import(import)) = (code.facts.pat(pat), code.facts.expr(value)) else {
            return None;
        };
        Some(Bound {
            name: code.name(vars[var.0 as usize]),
            import: code.facts.import(import),
            clause: code.facts.span(value),
            binder: code.facts.span(id),
        })
    };
    module.exprs.iter().filter_map(bound).collect()
}

pub fn statements(code: &Code) -> Vec<Statement<'_>> {
    let mut statements: Vec<Statement<'_>> = Vec::new();
    for bound in imported(code) {
        let span = bound.import.span;
        match statements.last_mut().filter(|last| last.span == span) {
            Some(last) => last.names.push(bound),
            None => statements.push(Statement { span, names: vec![bound] }),
        }
    }
    let whole = |statement: &Statement<'_>| {
        let parts = code.facts.imports().iter().filter(|import| import.span == statement.span);
        parts.count() == statement.names.len()
            && statement.names.iter().all(|name| name.import.when == When::Always)
            && code.line_start(statement.span.lo) == statement.span.lo
            && code.ends_line(statement.span.hi)
    };
    statements.retain(whole);
    statements
}

/// Every place that reads a name of the module; None if there may be others, or if it is bound more than once.
pub fn uses(code: &Code, name: &str) -> Option<Vec<Use>> {
    let module = code.facts.function(MODULE);
    let bindings = imported(code).iter().filter(|bound| bound.name == name).count();
    if code.is_dynamic() || code.vars(module).filter(|var| *var == name).count() != 1 || bindings > 1 {
        return None;
    }
    let mut uses = Vec::new();
    for (id, function) in code.functions() {
        let vars = code.facts.list(function.vars);
        for expr in function.exprs.iter() {
            let sym = match *code.facts.expr(expr) {
                Expr::Free(sym) => sym,
                Expr::Var(var) if id == MODULE => vars[var.0 as usize],
                _ => continue,
            };
            if code.name(sym) == name {
                uses.push(Use { expr, span: code.facts.span(expr), function: id });
            }
        }
    }
    let plain = |used: &Use| code.at(used.span) == name && !code.places.contains(&used.expr);
    uses.iter().all(plain).then_some(uses)
}

/// True if some function or the module binds the name.
pub fn binds(code: &Code, name: &str) -> bool {
    code.functions().any(|(_, function)| code.vars(function).any(|var| var == name))
}

/// True if another file may mean this one's `name`.
pub fn is_seen_elsewhere(project: &Project, path: &Utf8Path, name: &str) -> bool {
    let means = |code: &Code| {
        let is = |sym| code.name(sym) == name;
        code.facts.imports().iter().any(|import| match import.what {
            Imported::Name(sym) => is(sym),
            Imported::Star => true,
            _ => false,
        }) || code.facts.exprs().map(|id| (id, code.facts.expr(id))).any(|(_, expr)| match *expr {
            Expr::Field { name, .. } => is(name),
            Expr::Lit(Lit::Str(sym)) => is(sym),
            _ => false,
        })
    };
    project.codes.iter().any(|(other, code)| other != path && means(code))
}

/// `name.b.c` where each use of `name` goes on so; the last node and its span.
pub fn chain(code: &Code, used: &Use, segments: &[&str]) -> Option<(ExprId, Span)> {
    let mut at = used.expr;
    for segment in segments {
        at = attribute(code, at).filter(|(_, name)| name == segment)?.0;
    }
    let span = code.facts.span(at);
    let text = [code.at(used.span)].into_iter().chain(segments.iter().copied()).collect::<Vec<_>>().join(".");
    (code.at(span) == text).then_some((at, span))
}

/// The node that takes an attribute of this one, and the attribute.
pub fn attribute(code: &Code, id: ExprId) -> Option<(ExprId, &str)> {
    let &parent = code.parents.get(&id)?;
    match *code.facts.expr(parent) {
        Expr::Field { name, .. } => Some((parent, code.name(name))),
        _ => None,
    }
}

/// True if the node is called.
pub fn is_called(code: &Code, id: ExprId) -> bool {
    let parent = code.parents.get(&id).map(|&parent| code.facts.expr(parent));
    matches!(parent, Some(Expr::Call { callee, .. }) if *callee == id)
}
