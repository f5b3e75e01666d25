//! What a model chooses: the parameters of tools that it fills. What a framework injects (a context, an object of the project that
//! is no data) it does not choose, and of a number, a truth value or one of few names nothing can be made.

use super::registrations::Registered;
use crate::catalog::{BUILTINS, Catalog, RegistrationKind};
use crate::ir::{Expr, ExprId, Facts, Imported, Lit, Op, Pat, Sym, When};
use crate::link::{Cls, Func, Program};

/// What the model makes of a parameter, by its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Filled {
    /// The framework fills it.
    Never,
    /// With a value that the type holds to be harmless.
    Checked,
    /// With whatever it likes.
    Freely,
}

/// The parameters of tools in production code that a model fills with what it likes, sorted.
pub fn chosen(program: &Program<'_>, catalog: &Catalog, registered: &[Registered]) -> Vec<(Func, u32)> {
    let tools = registered.iter().filter(|known| known.kind == RegistrationKind::Tool);
    let tools = tools.filter(|known| known.is_production(program));
    let handlers = tools.flat_map(|known| std::iter::once(known.handler).chain(known.others.iter().copied()));
    let mut found: Vec<(Func, u32)> =
        handlers.flat_map(|func| parameters(program, catalog, func).map(move |at| (func, at))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn parameters<'p>(
    program: &'p Program<'_>,
    catalog: &'p Catalog,
    func: Func,
) -> impl Iterator<Item = u32> + 'p {
    let facts = program.facts(program.function(func).file);
    let params = facts.list(program.ir(func).params);
    // Annotations belong to the function around.
    let around = program.ir(func).parent;
    let is_chosen = move |at: &u32| {
        let param = params[*at as usize];
        let is_own = match *facts.pat(param.pat) {
            Pat::Var(var) => program.own_class_of(func, var).is_some(),
            _ => false,
        };
        let is_injected = catalog.flow.is_injected(facts.str(param.name));
        !is_own
            && param.ty.is_none_or(|ty| filled(program, catalog, around, ty, is_injected) == Filled::Freely)
    };
    (0..params.len() as u32).filter(is_chosen)
}

/// The freest of the types that a type is made of. An object under a name that frameworks give to their own is theirs.
fn filled(program: &Program<'_>, catalog: &Catalog, func: Func, ty: ExprId, is_injected: bool) -> Filled {
    if program.is_closed_type(func, ty) {
        return Filled::Checked;
    }
    let facts = program.facts(program.function(func).file);
    let (mut freest, mut work) = (Filled::Never, vec![ty]);
    while let Some(ty) = work.pop() {
        let own = match *facts.expr(ty) {
            Expr::Op { op: Op::BitOr, args } | Expr::Seq(args) => {
                work.extend(facts.list(args));
                continue;
            }
            Expr::Index { key, .. } => {
                work.push(key);
                continue;
            }
            Expr::Lit(Lit::None) | Expr::Call { .. } => continue,
            // A type that is written as a text, or imported for type checkers only, is a class.
            Expr::Lit(Lit::Str(text))
                if !catalog.flow.is_given(&format!("{BUILTINS}{}", facts.str(text))) =>
            {
                Filled::Never
            }
            Expr::Free(name) if is_for_checkers(facts, name) => Filled::Never,
            _ => match program.class_named(func, ty) {
                Some(class) if !is_injected && is_data(program, catalog, class) => Filled::Freely,
                Some(_) => Filled::Never,
                None => of_library(catalog, program.library_path(func, ty)),
            },
        };
        freest = freest.max(own);
    }
    freest
}

fn is_for_checkers(facts: &Facts, name: Sym) -> bool {
    let mut imports = facts.imports().iter().filter(|import| import.when == When::TypeOnly);
    imports.any(|import| matches!(import.what, Imported::Name(own) if own == name))
}

/// A type that nobody knows may be anything.
fn of_library(catalog: &Catalog, path: Option<&str>) -> Filled {
    match path {
        Some(path) if catalog.flow.is_checked(path) => Filled::Checked,
        Some(path) if !catalog.flow.is_given(path) => Filled::Never,
        _ => Filled::Freely,
    }
}

/// An object that is made of what the model says.
fn is_data(program: &Program<'_>, catalog: &Catalog, class: Cls) -> bool {
    let holders = &catalog.holders;
    let body = program.class_body(class);
    let facts = program.facts(program.function(body).file);
    let scope = program.ir(body).parent;
    let decorators = facts.list(facts.class(class).decorators).iter();
    let mut decorators = decorators.filter_map(|&it| program.library_path(scope, facts.decorator(it)));
    decorators.any(|path| holders.is_model(path))
        || program.base_paths(class).iter().any(|path| holders.is_model(path))
        || facts.profile().has_wrappers
}
