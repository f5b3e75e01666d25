//! Rewrites of import statements at the level of a module: another name, the other form, another place.

use camino::Utf8Path;
use gatelint::ir::{ExprId, FnKind, Func, Imported, MODULE, Span};

use super::code::{Code, Edits};
use super::names::{
    Bound, Statement, Use, attribute, binds, chain, imported, is_called, is_seen_elsewhere, statements, uses,
};
use super::project::{Files, Project};

/// Type checkers know this name only as it is, and so its meaning is tied to it.
const TIED: &str = "TYPE_CHECKING";

/// `import requests` becomes `import requests as requests_0`.
pub fn alias(project: &Project) -> Option<Files> {
    project.edit(|path, code| {
        let mut edits = Edits::default();
        for bound in imported(code) {
            let new = format!("{}_0", bound.name);
            let is_tied = bound.name == TIED || is_seen_elsewhere(project, path, bound.name);
            if is_tied || !code.is_fresh(&new) {
                continue;
            }
            let Some(places) = module_places(code, &bound) else { continue };
            match bound.is_aliased() {
                true => edits.replace(bound.binder, &new),
                false => edits.insert(bound.clause.hi, format!(" as {new}")),
            }
            places.into_iter().for_each(|(_, span)| edits.replace(span, &new));
        }
        edits
    })
}

/// What stands for the imported thing itself, wherever it is used: `a.b.c` after `import a.b.c`.
fn module_places(code: &Code, bound: &Bound<'_>) -> Option<Vec<(ExprId, Span)>> {
    let path = code.name(bound.import.path);
    let segments: Vec<&str> = match bound.import.what {
        Imported::Root => path.split('.').skip(1).collect(),
        _ => Vec::new(),
    };
    uses(code, bound.name)?.iter().map(|used| chain(code, used, &segments)).collect()
}

/// `from a import b` becomes `import a`, and `b` becomes `a.b`.
pub fn to_module(project: &Project) -> Option<Files> {
    project.edit(|path, code| {
        let mut edits = Edits::default();
        for statement in statements(code) {
            let Some(uses) = taken(project, path, code, &statement) else { continue };
            let module = code.name(statement.names[0].import.path);
            let root = module.split('.').next().unwrap_or(module);
            let (new, base) = match binds(code, root) {
                false => (format!("import {module}"), module.to_owned()),
                true => (format!("import {module} as {root}_0"), format!("{root}_0")),
            };
            if !code.is_fresh(&format!("{root}_0")) {
                continue;
            }
            edits.replace(statement.span, new);
            for (bound, uses) in statement.names.iter().zip(uses) {
                let Imported::Name(name) = bound.import.what else { continue };
                uses.iter().for_each(|used| edits.replace(used.span, format!("{base}.{}", code.name(name))));
            }
        }
        edits
    })
}

/// The uses of each name of a from-import if none of them can be a module, which only the from-import would load.
fn taken(
    project: &Project,
    path: &Utf8Path,
    code: &Code,
    statement: &Statement<'_>,
) -> Option<Vec<Vec<Use>>> {
    let of = |bound: &Bound<'_>| {
        let Imported::Name(name) = bound.import.what else { return None };
        let uses = uses(code, bound.name)?;
        let is_value = |used: &Use| is_called(code, used.expr) || is_base_or_decorator(code, used);
        let is_thing =
            code.name(name).starts_with(|first: char| first.is_uppercase()) || uses.iter().any(is_value);
        let is_certain = bound.import.level == 0 && is_thing && !uses.is_empty();
        (is_certain && !is_seen_elsewhere(project, path, bound.name)).then_some(uses)
    };
    statement.names.iter().map(of).collect()
}

fn is_base_or_decorator(code: &Code, used: &Use) -> bool {
    let heads = code.facts.classes().iter().flat_map(|class| [class.bases, class.decorators]);
    let heads = heads.chain(code.facts.functions().iter().map(|function| function.decorators));
    heads.into_iter().any(|head| code.facts.list(head).contains(&used.expr))
}

/// `import a` becomes `from a import b as a_b`, and `a.b` becomes `a_b`. Only for libraries: a module of the project may
/// bind its names anew.
pub fn to_names(project: &Project) -> Option<Files> {
    project.edit(|path, code| {
        let mut edits = Edits::default();
        for statement in statements(code) {
            let [bound] = statement.names.as_slice() else { continue };
            let Some(attributes) = attributes(project, path, code, bound) else { continue };
            let module = code.name(bound.import.path);
            let new = |name: &str| format!("{}_{name}", bound.name);
            let mut names: Vec<&str> = attributes.iter().map(|&(name, _)| name).collect();
            names.sort_unstable();
            names.dedup();
            if names.is_empty() || !names.iter().all(|name| code.is_fresh(&new(name))) {
                continue;
            }
            let list: Vec<_> = names.iter().map(|name| format!("{name} as {}", new(name))).collect();
            edits.replace(statement.span, format!("from {module} import {}", list.join(", ")));
            attributes.iter().for_each(|&(name, span)| edits.replace(span, new(name)));
        }
        edits
    })
}

/// Each `module.attribute`, if nothing else is made of the module.
fn attributes<'c>(
    project: &Project,
    path: &Utf8Path,
    code: &'c Code,
    bound: &Bound<'_>,
) -> Option<Vec<(&'c str, Span)>> {
    let module = code.name(bound.import.path);
    let root = module.split('.').next().unwrap_or(module);
    if bound.import.level > 0 || matches!(bound.import.what, Imported::Name(_)) || is_own(project, root) {
        return None;
    }
    if is_seen_elsewhere(project, path, bound.name) {
        return None;
    }
    let of = |(at, base): (_, Span)| {
        let (taken, name) = attribute(code, at)?;
        let span = code.facts.span(taken);
        let is_plain = code.at(span) == format!("{}.{name}", code.at(base)) && !code.places.contains(&taken);
        is_plain.then_some((name, span))
    };
    module_places(code, bound)?.into_iter().map(of).collect()
}

/// True if some file or folder of the project is called so.
fn is_own(project: &Project, root: &str) -> bool {
    project.codes.keys().any(|path| path.iter().any(|part| part.trim_end_matches(".py") == root))
}

/// An import that only functions use is moved into each of them.
pub fn lazy(project: &Project) -> Option<Files> {
    project.edit(|path, code| {
        let mut edits = Edits::default();
        for statement in statements(code) {
            let is_seen = |bound: &Bound<'_>| is_seen_elsewhere(project, path, bound.name);
            if statement.names.iter().any(is_seen) || code.is_below_comment(statement.span.lo) {
                continue;
            }
            let Some(places) = entries(code, &statement) else { continue };
            let end = code.next_line(statement.span.hi);
            let text = code.at(Span { lo: statement.span.lo, hi: end }).trim_end();
            for (at, indent) in places {
                // Names of a parenthesised list may stand on lines of their own; inside parentheses layout is free.
                edits.insert(at, format!("{indent}{text}\n"));
            }
            edits.replace(Span { lo: statement.span.lo, hi: end }, "");
        }
        edits
    })
}

/// Where the outermost functions begin that use a name of the statement; None if anything else uses one.
fn entries<'c>(code: &'c Code, statement: &Statement<'_>) -> Option<Vec<(u32, &'c str)>> {
    let mut functions = Vec::new();
    for bound in &statement.names {
        for used in uses(code, bound.name)? {
            let outermost = outermost(code, used.function)?;
            if code.vars(code.facts.function(outermost)).any(|var| var == bound.name) {
                return None;
            }
            functions.push(outermost);
        }
    }
    functions.sort_unstable();
    functions.dedup();
    let starts = functions.into_iter().map(|id| code.body_start(code.facts.function(id)));
    starts.collect::<Option<Vec<_>>>().filter(|starts| !starts.is_empty())
}

/// The outermost `def` around, so that those inside capture what it binds.
fn outermost(code: &Code, mut at: Func) -> Option<Func> {
    let mut found = None;
    while at != MODULE {
        let function = code.facts.function(at);
        if function.kind == FnKind::Plain {
            found = Some(at);
        }
        at = function.parent;
    }
    found
}

/// Each import stands in a package of its own, from which the file imports the names.
pub fn re_export(project: &Project) -> Option<Files> {
    let mut files = project.files();
    let mut count = 0;
    for (path, code) in &project.codes {
        let module = format!("passage_{count}");
        let Some((new, import)) = project.beside(path, &module, &format!("{module}/__init__.py")) else {
            continue;
        };
        let mut edits = Edits::default();
        let mut passage = String::new();
        for statement in statements(code).iter().filter(|found| !code.is_below_comment(found.span.lo)) {
            let Some(text) = from_inside(code, statement, path) else { continue };
            passage += &text;
            let names: Vec<_> = statement.names.iter().map(|bound| bound.name).collect();
            let line = Span { lo: statement.span.lo, hi: code.next_line(statement.span.hi) };
            edits.replace(line, format!("from {import} import {}\n", names.join(", ")));
        }
        if !edits.is_empty() {
            count += 1;
            files.insert(path.clone(), edits.apply(&code.text));
            files.insert(new, passage);
        }
    }
    (count > 0).then_some(files)
}

/// The statement as it reads one folder deeper.
fn from_inside(code: &Code, statement: &Statement<'_>, path: &Utf8Path) -> Option<String> {
    let line = Span { lo: statement.span.lo, hi: code.next_line(statement.span.hi) };
    let text = code.at(line).trim_end().to_owned() + "\n";
    match statement.names[0].import.level {
        0 => Some(text),
        _ if path.parent().is_some_and(|folder| folder != "") => {
            let dots = text.find('.')?;
            Some(format!("{}.{}", &text[..dots], &text[dots..]))
        }
        _ => None,
    }
}
