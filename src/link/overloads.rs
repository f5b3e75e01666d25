//! Functions that stand for others, which are chosen by the type of an argument: a call of one may run each that it took in.

use rustc_hash::FxHashMap;

use super::ids::Func;
use super::index::Index;
use super::types::Type;
use crate::ir::{Expr, ExprId};

/// By function: those that it took in.
pub type Overloads = FxHashMap<Func, Vec<Func>>;

/// `@show.register` below `@singledispatch def show(value)`, and `show.register(int, show_number)`.
pub fn overloads(index: &Index<'_>) -> Overloads {
    let mut found = Overloads::default();
    for func in (0..index.functions.len() as u32).map(Func) {
        let function = index.ir(func);
        let facts = index.units[index.file_of(func)].facts;
        for &decorator in facts.list(function.decorators) {
            let named = match *facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
            for general in taking_in(index, function.parent, named) {
                found.entry(general).or_default().push(func);
            }
        }
        for expr in function.exprs.iter() {
            let Expr::Call { callee, args, .. } = *facts.expr(expr) else { continue };
            let Some(given) = facts.list(args).last() else { continue };
            for general in taking_in(index, func, callee) {
                let given = index.statics(func, given.value).into_iter();
                found.entry(general).or_default().extend(given.filter_map(function_of));
            }
        }
    }
    found
}

/// The functions of which an attribute takes others in.
fn taking_in(index: &Index<'_>, scope: Func, named: ExprId) -> Vec<Func> {
    let catalog = index.externals.catalog();
    let facts = index.units[index.file_of(scope)].facts;
    let Expr::Field { base, name } = *facts.expr(named) else { return Vec::new() };
    if !catalog.registers.contains(facts.str(name)) {
        return Vec::new();
    }
    let stands_for_others = |general: &Func| {
        let mut paths = index.decorator_paths(*general).into_iter();
        paths.any(|path| catalog.dispatchers.matches(index.externals.text(path)))
    };
    index.statics(scope, base).into_iter().filter_map(function_of).filter(stands_for_others).collect()
}

fn function_of(ty: Type) -> Option<Func> {
    match ty {
        Type::Function(func) | Type::Bound(func) => Some(func),
        _ => None,
    }
}
