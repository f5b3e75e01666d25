//! What a model chooses: the parameters of tools that it fills. What a framework injects (a context, an object of the project that
//! is no data) it does not choose, and of a number, a truth value or one of few names nothing can be made.

use super::registrations::Registered;
use crate::catalog::{BUILTINS, Catalog, RegistrationKind};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, Imported, Lit, Op, Param, ParamKind, Pat, Sym, When};
use crate::link::{Cls, Func, Program};

/// What the model makes of a parameter, by its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Filled {
    /// The framework fills it.
    Never,
    /// With a value that the type holds to be harmless.
    Checked,
    /// With a text.
    Text,
    /// With whatever it likes.
    Freely,
}

/// A parameter that a model fills with what it likes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Chosen {
    pub tool: Func,
    pub param: u32,
    /// What it fills of an object: everything without one.
    pub field: Option<Sym>,
    /// The object is in a wrapper: `Parameters(arguments)`.
    pub is_wrapped: bool,
    /// It is a text, which has no parts with names.
    pub is_text: bool,
    /// That the function is a tool.
    pub confidence: Confidence,
}

/// Those of all tools in production code that run without somebody who approves the call before, sorted.
pub fn chosen(program: &Program<'_>, catalog: &Catalog, registered: &[Registered]) -> Vec<Chosen> {
    let tools = registered.iter().filter(|known| known.kind == RegistrationKind::Tool);
    let is_asked = |known: &&Registered| known.annotation.as_ref().is_some_and(|said| said.asks);
    let tools = tools.filter(|known| known.is_production(program) && !is_asked(known));
    let mut found = Vec::new();
    for known in tools.filter(|known| known.confidence > Confidence::Low) {
        let own = std::iter::once(known.handler).chain(known.others.iter().copied());
        for tool in own {
            let schema = known.class.and_then(|class| schema(program, catalog, class));
            found.extend(parameters(program, catalog, tool, schema, known.confidence));
        }
    }
    found.sort_unstable_by_key(|it| (it.tool, it.param, it.field, std::cmp::Reverse(it.confidence)));
    found.dedup_by_key(|it| (it.tool, it.param, it.field));
    found
}

/// The class that says of which types the arguments are: `args_schema = SearchInput`.
fn schema(program: &Program<'_>, catalog: &Catalog, class: Cls) -> Option<Cls> {
    let names = catalog.flow.schemas.iter();
    let mut known = names.flat_map(|name| program.declared(class, name)).filter_map(|(func, value)| {
        let value = match *program.facts(program.function(func).file).expr(value) {
            Expr::Ascribe { value, .. } => value?,
            _ => value,
        };
        program.class_named(func, value)
    });
    known.next()
}

/// The parameters that a model fills freely, or the fields of those that are objects.
fn parameters(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    schema: Option<Cls>,
    confidence: Confidence,
) -> Vec<Chosen> {
    let facts = program.facts(program.function(func).file);
    // Annotations belong to the function around.
    let around = program.ir(func).parent;
    let mut found = Vec::new();
    let params = facts.list(program.ir(func).params);
    for (at, param) in (0..).zip(params) {
        let is_own = match *facts.pat(param.pat) {
            Pat::Var(var) => program.own_class_of(func, var).is_some(),
            _ => false,
        };
        let name = facts.str(param.name);
        // A decorator's function around a method.
        let is_own =
            is_own || at == 0 && param.ty.is_none() && facts.profile().own_parameters.contains(&name);
        let said = schema.and_then(|schema| field(program, schema, name)).or(param.ty.map(|ty| (around, ty)));
        let is_injected = catalog.flow.is_injected(name);
        let filled =
            said.map_or(Filled::Freely, |(func, ty)| filled(program, catalog, func, ty, is_injected));
        if is_own || filled < Filled::Text || is_bound(facts, param) || is_given_by_name(params, param) {
            continue;
        }
        let is_text = filled == Filled::Text;
        let all = Chosen { tool: func, param: at, field: None, is_wrapped: false, is_text, confidence };
        match said.and_then(|(func, ty)| object(program, catalog, func, ty)) {
            Some((class, is_wrapped)) => {
                let parts = free(program, catalog, class);
                found.extend(parts.map(|(field, is_text)| Chosen { field, is_wrapped, is_text, ..all }));
            }
            None => found.push(all),
        }
    }
    found
}

/// `tool=tool`: the function around binds it.
fn is_bound(facts: &Facts, param: &Param) -> bool {
    let is_same = |default: ExprId| facts.written_name(default) == Some(param.name);
    param.kind == ParamKind::KeywordOnly
        && param.default.is_some_and(|it| is_same(it) || matches!(facts.expr(it), Expr::Var(_)))
}

/// A model gives arguments by their names: what stands behind `*` it does not fill where there is `**`.
fn is_given_by_name(params: &[Param], param: &Param) -> bool {
    let has_names = || params.iter().any(|other| other.kind == ParamKind::KeywordRest);
    param.kind == ParamKind::Rest && has_names()
}

/// The fields of an object that a model fills freely; all of it if it has none.
fn free<'p>(
    program: &'p Program<'_>,
    catalog: &'p Catalog,
    class: Cls,
) -> impl Iterator<Item = (Option<Sym>, bool)> + 'p {
    let fields: Vec<_> =
        program.lineage(class).iter().flat_map(|&class| program.field_names(class)).collect();
    let has_none = fields.is_empty().then_some((None, false));
    let free = fields.into_iter().filter_map(move |name| {
        let ty = field(program, class, &name);
        let filled = ty.map_or(Filled::Freely, |(func, ty)| filled(program, catalog, func, ty, false));
        let name = program.symbol_of(&name).filter(|_| filled >= Filled::Text)?;
        Some((Some(name), filled == Filled::Text))
    });
    has_none.into_iter().chain(free)
}

/// The type of a field, and where it is written.
fn field(program: &Program<'_>, class: Cls, name: &str) -> Option<(Func, ExprId)> {
    let mut declared = program.lineage(class).iter().flat_map(|&class| program.declared(class, name));
    declared.find_map(|(func, value)| match *program.facts(program.function(func).file).expr(value) {
        Expr::Ascribe { ty, .. } => Some((func, ty)),
        _ => None,
    })
}

/// The class of the object that a parameter is, and whether it is in a wrapper.
fn object(program: &Program<'_>, catalog: &Catalog, func: Func, ty: ExprId) -> Option<(Cls, bool)> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(ty) {
        Expr::Index { base, key } => {
            let name = facts.written_name(base).map(|name| facts.str(name))?;
            let inner = match *facts.expr(key) {
                Expr::Seq(parts) => *facts.list(parts).first()?,
                _ => key,
            };
            let is_wrapper = catalog.wrappers.types.contains(name);
            let (class, _) = is_wrapper.then(|| object(program, catalog, func, inner)).flatten()?;
            Some((class, true))
        }
        _ => Some((program.class_named(func, ty).filter(|&class| is_data(program, catalog, class))?, false)),
    }
}

/// The freest of the types that a type is made of. An object under a name that frameworks give to their own is theirs.
fn filled(program: &Program<'_>, catalog: &Catalog, func: Func, ty: ExprId, is_injected: bool) -> Filled {
    if program.is_closed_type(func, ty) {
        return Filled::Checked;
    }
    let facts = program.facts(program.function(func).file);
    let (mut freest, mut work) = (Filled::Never, vec![(ty, false)]);
    while let Some((ty, is_element)) = work.pop() {
        let own = match *facts.expr(ty) {
            Expr::Op { op: Op::BitOr, args } | Expr::Seq(args) => {
                work.extend(facts.list(args).iter().map(|&part| (part, is_element)));
                continue;
            }
            // A list of texts is no text.
            Expr::Index { base, key } => {
                work.push((key, is_element || !wraps(program, catalog, facts, base)));
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
        freest = freest.max(if is_element && own == Filled::Text { Filled::Freely } else { own });
    }
    freest
}

/// True for a generic type that stands for its argument: `Optional[str]`, `Parameters<T>`.
fn wraps(program: &Program<'_>, catalog: &Catalog, facts: &Facts, base: ExprId) -> bool {
    let name = facts.written_name(base).map_or("", |name| facts.str(name));
    program.wraps_type(name) || catalog.wrappers.types.contains(name)
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
        Some(path) if catalog.flow.is_text(path) => Filled::Text,
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
