//! Rewrites of functions: moved to another file, in another order, parted into a function and a helper.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use gatelint::ir::{Expr, ExprId, FnKind, Func, Function, MODULE, Param, ParamKind, Span};

use super::code::{Code, Edits};
use super::names::{Statement, imported, is_called, statements};
use super::project::{Files, Marks, Project, unmarked};

/// The functions that need nothing but imports and each other stand in a new module, and are imported from there.
pub fn moved(project: &Project) -> Option<Files> {
    let mut files = project.files();
    let mut count = 0;
    for (path, code) in &project.codes {
        let module = format!("moved_{count}");
        let Some((new, import)) = project.beside(path, &module, &format!("{module}.py")) else { continue };
        let Some((rest, text)) = parted(code, &import) else { continue };
        count += 1;
        files.insert(path.clone(), rest);
        files.insert(new, text);
    }
    (count > 0).then_some(files)
}

/// The file without the functions that can go, and those with their imports.
fn parted(code: &Code, import: &str) -> Option<(String, String)> {
    let imports = statements(code);
    let moving = movable(code, &imports);
    let names: Vec<_> = moving.keys().copied().collect();
    if names.is_empty() || code.is_dynamic() {
        return None;
    }
    let needed: BTreeSet<&str> = moving.values().flat_map(|&(_, span)| names_in(code, span)).collect();
    let mut text = String::new();
    for statement in imports.iter().filter(|s| s.names.iter().any(|bound| needed.contains(bound.name))) {
        text += code.at(Span { lo: statement.span.lo, hi: code.next_line(statement.span.hi) });
    }
    let mut edits = Edits::default();
    let mut spans: Vec<_> = moving.values().map(|&(_, span)| span).collect();
    spans.sort();
    for &span in &spans {
        text += &format!("\n{}", code.at(span));
        edits.replace(span, "");
    }
    let first = first_line(code)?;
    let at = spans.iter().find(|span| span.lo <= first && first < span.hi).map_or(first, |span| span.lo);
    edits.insert(at, format!("from {import} import {}\n", names.join(", ")));
    Some((edits.apply(&code.text), text))
}

/// Where the first statement behind the docstring begins.
fn first_line(code: &Code) -> Option<u32> {
    let module = code.facts.function(MODULE);
    let start = |&id: &ExprId| match code.facts.expr(id) {
        Expr::Bind { value, .. } => match *code.facts.expr(*value) {
            Expr::Closure(function) => code.head_start(code.facts.function(function)),
            Expr::Import(import) => code.facts.import(import).span.lo,
            _ => code.line_start(code.facts.span(id).lo),
        },
        _ => code.line_start(code.facts.span(id).lo),
    };
    let is_code = |id: &&ExprId| !matches!(code.facts.expr(**id), Expr::Lit(_));
    code.statements(module).iter().find(is_code).map(start)
}

/// By name, the functions that can stand elsewhere, and their text with the comments above.
fn movable<'c>(code: &'c Code, imports: &[Statement<'_>]) -> BTreeMap<&'c str, (Func, Span)> {
    let module = code.facts.function(MODULE);
    let mut moving: BTreeMap<&str, (Func, Span)> = BTreeMap::new();
    for (id, function) in code.defs().filter(|(_, function)| is_on_its_own(code, function)) {
        let name = code.name(function.name);
        let is_only = code.vars(module).filter(|var| *var == name).count() == 1;
        if is_only && !name.starts_with("test_") {
            moving.insert(name, (id, region(code, function)));
        }
    }
    let known: BTreeSet<&str> = imports.iter().flat_map(|s| s.names.iter().map(|bound| bound.name)).collect();
    let once = |name: &str| imported(code).iter().filter(|bound| bound.name == name).count() == 1;
    loop {
        let is_there = |name: &str| {
            moving.contains_key(name)
                || (known.contains(name) && once(name))
                || !code.vars(module).any(|var| var == name) && !name.starts_with("__")
        };
        let stuck = moving.iter().find(|(_, (_, span))| !names_in(code, *span).into_iter().all(is_there));
        let Some((&name, _)) = stuck else { return moving };
        moving.remove(name);
    }
}

/// At the level of the module, on lines of its own, and binding no name of the module.
fn is_on_its_own(code: &Code, function: &Function) -> bool {
    let inside = |id: &ExprId| {
        let span = code.facts.span(*id);
        function.span.lo <= span.lo && span.hi <= function.span.hi
    };
    let binds_names =
        code.places.iter().filter(|id| inside(id)).any(|&id| matches!(code.facts.expr(id), Expr::Free(_)));
    function.parent == MODULE
        && code.line_start(function.span.lo) == function.span.lo
        && code.ends_line(function.span.hi)
        && !binds_names
}

/// A function with its decorators and the comments right above.
fn region(code: &Code, function: &Function) -> Span {
    let lo = code.above_comments(code.head_start(function));
    Span { lo, hi: code.next_line(function.span.hi) }
}

/// The names of the module or the language that a part of the file reads.
fn names_in(code: &Code, span: Span) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for (id, function) in code.functions() {
        let vars = code.facts.list(function.vars);
        for expr in function.exprs.iter() {
            let at = code.facts.span(expr);
            if at.lo < span.lo || span.hi < at.hi {
                continue;
            }
            match *code.facts.expr(expr) {
                Expr::Free(sym) => drop(names.insert(code.name(sym))),
                Expr::Var(var) if id == MODULE => drop(names.insert(code.name(vars[var.0 as usize]))),
                _ => {}
            }
        }
    }
    names
}

/// Functions that follow one another, in reverse order.
pub fn reordered(project: &Project) -> Option<Files> {
    project.edit(|_, code| {
        let mut edits = Edits::default();
        let mut run: Vec<(&Function, Span)> = Vec::new();
        for (_, function) in code.defs().filter(|(_, function)| function.parent == MODULE) {
            let span = region(code, function);
            let follows = run.last().is_none_or(|(_, last)| {
                code.text[last.hi as usize..(span.lo as usize).max(last.hi as usize)].trim().is_empty()
            });
            if !follows || !is_free(code, function) {
                reverse(code, &run, &mut edits);
                run.clear();
            }
            if is_free(code, function) {
                run.push((function, span));
            }
        }
        reverse(code, &run, &mut edits);
        edits
    })
}

/// Nothing in the head is run where the definition stands.
fn is_free(code: &Code, function: &Function) -> bool {
    let heads = code.facts.list(function.params).iter().all(|param| param.default.is_none());
    is_on_its_own(code, function)
        && heads
        && function.decorators.is_empty()
        && code.indent(function.span.lo).is_some()
}

fn reverse(code: &Code, run: &[(&Function, Span)], edits: &mut Edits) {
    let names: BTreeSet<_> = run.iter().map(|(function, _)| function.name).collect();
    if run.len() < 2 || names.len() < run.len() {
        return;
    }
    for ((_, place), (_, other)) in run.iter().zip(run.iter().rev()) {
        let text = code.at(*other);
        edits.replace(*place, if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") });
    }
}

/// The body of each function of a module stands in a helper, which it calls.
pub fn helper(project: &Project) -> Option<Files> {
    outlined(project, |_, function| function.parent == MODULE)
}

/// The body of each method stands in another method, which it calls through `self`.
pub fn through_self(project: &Project) -> Option<Files> {
    outlined(project, is_own_method)
}

/// Methods that the language calls in its own way keep their bodies.
fn is_own_method(code: &Code, function: &Function) -> bool {
    let around = code.facts.function(function.parent);
    let is_method = matches!(around.kind, FnKind::ClassBody(_)) && around.parent == MODULE;
    let name = code.name(function.name);
    let is_ordinary = !name.starts_with("__") || matches!(name, "__init__" | "__call__");
    let first = code.facts.list(function.params).first();
    let has_self = first.is_some_and(|param| code.name(param.name) == "self" && param.default.is_none());
    let is_static = |id: &ExprId| matches!(code.facts.expr(*id), Expr::Free(sym) if matches!(code.name(*sym), "staticmethod" | "classmethod"));
    is_method && is_ordinary && has_self && !code.facts.list(function.decorators).iter().any(is_static)
}

fn outlined(project: &Project, is_meant: impl Fn(&Code, &Function) -> bool) -> Option<Files> {
    if project.marks == Marks::Mixed {
        return None;
    }
    let mut count = 0;
    let mut files = project.files();
    for (path, code) in &project.codes {
        let mut edits = Edits::default();
        for (_, function) in code.defs().filter(|(_, function)| is_meant(code, function)) {
            let name = format!("run_part_{count}");
            let Some((span, text)) = outline(project, path, code, function, &name) else { continue };
            edits.replace(span, text);
            count += 1;
        }
        files.insert(path.clone(), edits.apply(&code.text));
    }
    (count > 0).then_some(files)
}

/// The body of a function, and what takes its place.
fn outline(
    project: &Project,
    path: &Utf8Path,
    code: &Code,
    function: &Function,
    name: &str,
) -> Option<(Span, String)> {
    let (lo, indent) = code.body_start(function)?;
    let hi = code.next_line(function.span.hi);
    // Its type parameters would have to come along.
    let has_no_types = code.text[function.name_span.hi as usize..].starts_with('(');
    let is_plain = lo < function.span.hi
        && has_no_types
        && code.ends_line(function.span.hi)
        && !(function.is_async && function.is_generator)
        && !code.is_dynamic()
        && !code.is_noted(code.head_start(function), hi);
    let begins = begins_here(project, code, function)?;
    if !is_plain || (begins && has_own_marks(project, path, code, function)) {
        return None;
    }
    let params = code.facts.list(function.params);
    let is_method = function.parent != MODULE;
    let (declared, given) = (declared(code, params)?, given(code, &params[usize::from(is_method)..]));
    let body = code.at(Span { lo, hi }).trim_end().to_owned() + "\n";
    let (mark, body) = match begins {
        true => (project.mark(path, code, lo, hi), unmarked(&body)),
        false => ("", body),
    };
    let base = code.indent(function.span.lo)?;
    let (wait, asynchronous) = if function.is_async { ("await ", "async ") } else { ("", "") };
    let callee = if is_method { format!("self._{name}") } else { name.to_owned() };
    let own = callee.trim_start_matches("self.");
    let call = format!("{indent}return {wait}{callee}({given}){mark}\n");
    let helper = format!("\n{base}{asynchronous}def {own}({declared}):\n{body}");
    Some((Span { lo, hi }, call + &helper))
}

/// Whether what is reported in a function stands where it calls its helper, or in the helper; None if the function would
/// no longer be what the rule speaks of: `return _fetch(url)` hands back what a private helper got, and a helper around it
/// hands back what another function did.
fn begins_here(project: &Project, code: &Code, function: &Function) -> Option<bool> {
    match project.marks {
        Marks::Start => Some(true),
        Marks::End | Marks::Mixed => Some(false),
        Marks::Boundary { .. } if is_entry(project, code, function) => Some(true),
        Marks::Boundary { is_handed_back } => (!is_handed_back).then_some(false),
    }
}

/// True if somebody else may call the function: it is decorated, a method that a base class knows or that runs a command, or
/// named without being called.
fn is_entry(project: &Project, code: &Code, function: &Function) -> bool {
    let name = code.name(function.name);
    let has_base = match code.facts.function(function.parent).kind {
        FnKind::ClassBody(class) => !code.facts.class(class).bases.is_empty(),
        _ => false,
    };
    let is_named = |code: &Code| {
        let mut exprs = code.facts.exprs().map(|id| (id, code.facts.expr(id)));
        exprs.any(|(id, expr)| {
            let named = match *expr {
                Expr::Free(sym) | Expr::Field { name: sym, .. } => Some(code.name(sym)),
                Expr::Var(_) => Some(code.at(code.facts.span(id))),
                _ => None,
            };
            named == Some(name) && !code.places.contains(&id) && !is_called(code, id)
        })
    };
    name == "execute" || has_base || !function.decorators.is_empty() || project.codes.values().any(is_named)
}

/// A function inside that reports on its own: nobody can say whose a mark is.
fn has_own_marks(project: &Project, path: &Utf8Path, code: &Code, function: &Function) -> bool {
    let inside = |other: &Function| function.span.lo < other.span.lo && other.span.hi <= function.span.hi;
    code.defs().any(|(_, other)| {
        let Span { lo, hi } = other.span;
        inside(other) && !project.mark(path, code, lo, code.next_line(hi)).is_empty()
    })
}

/// The parameters without their defaults, which only the function itself fills in.
fn declared(code: &Code, params: &[Param]) -> Option<String> {
    let mut parts = Vec::new();
    let mut is_starred = false;
    for param in params {
        let name = Some(code.name(param.name)).filter(|name| !name.is_empty())?;
        let ty = param.ty.map_or(String::new(), |ty| format!(": {}", code.at(code.facts.span(ty))));
        let stars = match param.kind {
            ParamKind::Rest => "*",
            ParamKind::KeywordRest => "**",
            _ => "",
        };
        is_starred |= param.kind == ParamKind::Rest;
        if param.kind == ParamKind::KeywordOnly && !is_starred {
            parts.push("*".to_owned());
            is_starred = true;
        }
        parts.push(format!("{stars}{name}{ty}"));
    }
    Some(parts.join(", "))
}

fn given(code: &Code, params: &[Param]) -> String {
    let given = |param: &Param| {
        let name = code.name(param.name);
        match param.kind {
            ParamKind::Normal | ParamKind::PositionalOnly => name.to_owned(),
            ParamKind::KeywordOnly => format!("{name}={name}"),
            ParamKind::Rest => format!("*{name}"),
            ParamKind::KeywordRest => format!("**{name}"),
        }
    };
    params.iter().map(given).collect::<Vec<_>>().join(", ")
}
