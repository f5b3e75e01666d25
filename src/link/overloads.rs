//! Functions that stand for others, which are chosen by the type of an argument: a call of one may run each that it took in.

use rustc_hash::FxHashMap;

use super::ids::Func;
use super::index::Index;
use super::types::Type;
use crate::ir::Expr;

/// By function: those that it took in.
pub type Overloads = FxHashMap<Func, Vec<Func>>;

/// `@show.register` below `@singledispatch def show(value)`.
pub fn overloads(index: &Index<'_>) -> Overloads {
    let catalog = index.externals.catalog();
    let mut found = Overloads::default();
    for func in (0..index.functions.len() as u32).map(Func) {
        let (file, function) = (index.file_of(func), index.ir(func));
        let facts = index.units[file].facts;
        let scope = function.parent;
        for &decorator in facts.list(function.decorators) {
            let named = match *facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
            let Expr::Field { base, name } = *facts.expr(named) else { continue };
            if !catalog.registers.contains(facts.str(name)) {
                continue;
            }
            for ty in index.statics(scope, base) {
                let (Type::Function(general) | Type::Bound(general)) = ty else { continue };
                let mut paths = index.decorator_paths(general).into_iter();
                if paths.any(|path| catalog.dispatchers.matches(index.externals.text(path))) {
                    found.entry(general).or_default().push(func);
                }
            }
        }
    }
    found
}
