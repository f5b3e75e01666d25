//! Bodies that do nothing, and which of them leave the work to others: those of protocols, abstract methods, overloads, and
//! methods that subclasses override. An empty body that runs is one like any other.

use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, FnKind, Jump};
use crate::link::{Func, Program};

/// A body that does nothing, or raises that nobody has written it.
pub fn is_empty(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    let Expr::Block(body) = *facts.expr(program.ir(func).body) else { return false };
    facts.list(body).iter().all(|&statement| match *facts.expr(statement) {
        Expr::Lit(_) => true,
        Expr::Block(inner) => inner.is_empty(),
        _ => is_unwritten(program, catalog, func, statement),
    })
}

/// A body that is not the one that runs, or an empty one that refuses everything: what it stands for is an open question. What
/// is marked as abstract has to be overridden, whatever its own body does.
pub fn is_open(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    is_marked_abstract(program, catalog, func)
        || is_empty(program, catalog, func)
            && (refuses_all(program, catalog, func) || is_left_to_others(program, catalog, func))
}

/// True for a method that leaves the work to subclasses.
pub fn is_left_to_others(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    is_declared_abstract(program, catalog, func) || is_overridden(program, func)
}

/// Its head, or that of its class, says that another body runs.
pub fn is_declared_abstract(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    let by_class = |class| {
        let mut bases = program.library_bases(class);
        program.is_interface(class) || bases.any(|base| catalog.bases.protocols.contains(base))
    };
    program.function(func).class.is_some_and(by_class) || is_marked_abstract(program, catalog, func)
}

/// `@abstractmethod`, `@overload`.
fn is_marked_abstract(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    let mut paths = program.decorator_paths(func).into_iter();
    paths.any(|path| path.rsplit('.').next().is_some_and(|name| catalog.exceptions.marks_abstract(name)))
}

/// A subclass has a body of its own; doubles of tests do not count.
pub fn is_overridden(program: &Program<'_>, func: Func) -> bool {
    let Some(class) = program.function(func).class else { return false };
    let subclasses = program.subclasses(class).iter().filter(|&&sub| sub != class);
    let own = |&sub| program.own_method(sub, program.name(func));
    subclasses.filter_map(own).any(|method| !program.is_test_code(method) || program.is_test_code(func))
}

/// `raise NotImplementedError`: whoever calls it gets no further.
pub fn refuses_all(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    let Expr::Block(body) = *facts.expr(program.ir(func).body) else { return false };
    program.ir(func).kind == FnKind::Plain
        && facts.list(body).iter().any(|&statement| is_unwritten(program, catalog, func, statement))
}

fn is_unwritten(program: &Program<'_>, catalog: &Catalog, func: Func, statement: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    let Expr::Jump { kind: Jump::Raise, value: Some(value) } = *facts.expr(statement) else { return false };
    let named = match *facts.expr(value) {
        Expr::Call { callee, .. } => callee,
        _ => value,
    };
    program.library_path(func, named).is_some_and(|path| catalog.exceptions.is_abstract(path))
}
