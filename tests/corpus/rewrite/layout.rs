//! Rewrites that say the same in another layout: remarks, line breaks, a block around a body, types that say nothing.

use gatelint::ir::{Expr, ExprId, FnKind, Function, MODULE, Pat, Span, VarId};

use super::code::{Code, Edits};
use super::project::{Files, Project};

/// A blank line and a comment before each statement.
pub fn remarks(project: &Project) -> Option<Files> {
    project.edit(|_, code| {
        let mut edits = Edits::default();
        let literals = literals(code);
        let mut starts: Vec<u32> = blocks(code).map(|id| start(code, id)).collect();
        starts.sort_unstable();
        starts.dedup();
        for at in starts {
            let line = code.line_start(at);
            let follows = code.text[..line as usize].ends_with("\\\n");
            let Some(indent) = code.indent(at) else { continue };
            if !follows && !code.is_below_comment(at) && !is_inside(&literals, line) {
                edits.insert(line, format!("\n{indent}# a remark\n"));
            }
        }
        edits
    })
}

/// The statements of all blocks.
fn blocks(code: &Code) -> impl Iterator<Item = ExprId> {
    let statements = |expr: &Expr| match *expr {
        Expr::Block(list) => code.facts.list(list).to_vec(),
        _ => Vec::new(),
    };
    code.facts.exprs().map(|id| (id, code.facts.expr(id))).flat_map(move |(_, expr)| statements(expr))
}

/// Where a statement begins: a definition at its first decorator, an import at its first word.
fn start(code: &Code, id: ExprId) -> u32 {
    let span = code.facts.span(id);
    let &Expr::Bind { value, .. } = code.facts.expr(id) else { return span.lo };
    let decorators = match *code.facts.expr(value) {
        Expr::Import(import) => return code.facts.import(import).span.lo,
        Expr::Closure(function) => code.facts.function(function).decorators,
        Expr::Class(class) => code.facts.class(class).decorators,
        _ => return span.lo,
    };
    // The `@` stands before the expression.
    code.facts.list(decorators).first().map_or(span.lo, |&first| {
        let line = code.line_start(code.facts.span(first).lo);
        line + code.text[line as usize..].find('@').map_or(0, |found| found as u32)
    })
}

/// Text over several lines, in which layout is content.
fn literals(code: &Code) -> Vec<Span> {
    let is_text = |expr: &Expr| matches!(expr, Expr::Lit(_) | Expr::Text(_));
    let texts = code
        .facts
        .exprs()
        .map(|id| (id, code.facts.expr(id)))
        .filter(|(_, expr)| is_text(expr))
        .map(|(id, _)| code.facts.span(id));
    texts.filter(|&span| code.at(span).contains('\n')).collect()
}

fn is_inside(literals: &[Span], at: u32) -> bool {
    literals.iter().any(|span| span.lo < at && at < span.hi)
}

/// Line breaks of another system.
pub fn crlf(project: &Project) -> Option<Files> {
    let mut files = project.files();
    for path in project.codes.keys() {
        files.entry(path.clone()).and_modify(|text| *text = text.replace('\n', "\r\n"));
    }
    Some(files)
}

/// Each body in `if True:`.
pub fn condition(project: &Project) -> Option<Files> {
    wrapped(project, "if True:", None)
}

/// Each body in `try:`, with a `finally` that does nothing.
pub fn finally(project: &Project) -> Option<Files> {
    wrapped(project, "try:", Some("finally:"))
}

fn wrapped(project: &Project, open: &str, close: Option<&str>) -> Option<Files> {
    let mut files = project.files();
    let mut changed = false;
    for (path, code) in project.codes.iter().filter(|(_, code)| !code.text.contains('\t')) {
        let bodies: Vec<_> = code.defs().filter_map(|(_, function)| body(code, function)).collect();
        changed |= !bodies.is_empty();
        files.insert(path.clone(), with_blocks(code, &bodies, open, close));
    }
    changed.then_some(files)
}

/// Lines that belong to a body, and its indentation.
struct Body {
    lo: u32,
    hi: u32,
    indent: String,
}

fn body(code: &Code, function: &Function) -> Option<Body> {
    let (lo, indent) = code.body_start(function)?;
    let hi = code.next_line(function.span.hi);
    let is_own = lo < function.span.hi && code.ends_line(function.span.hi);
    is_own.then(|| Body { lo, hi, indent: indent.to_owned() })
}

fn with_blocks(code: &Code, bodies: &[Body], open: &str, close: Option<&str>) -> String {
    let literals = literals(code);
    let mut text = String::new();
    let mut at = 0;
    for line in code.text.split_inclusive('\n') {
        let around = |body: &&Body| body.lo <= at && at < body.hi;
        let deep =
            |body: &Body| bodies.iter().filter(|other| other.lo < body.lo && body.hi <= other.hi).count();
        let margin = |body: &Body| body.indent.clone() + &"    ".repeat(deep(body));
        bodies.iter().filter(|b| b.lo == at).for_each(|b| text += &format!("{}{open}\n", margin(b)));
        if !is_inside(&literals, at) && !line.trim().is_empty() {
            text += &"    ".repeat(bodies.iter().filter(around).count());
        }
        text += line;
        at += line.len() as u32;
        // The innermost ends first.
        for body in bodies.iter().filter(|body| body.hi == at).rev() {
            if let Some(close) = close {
                let margin = margin(body);
                text += &format!("{margin}{close}\n{margin}    pass\n");
            }
        }
    }
    text
}

/// Parameters and variables get the type `object`, which every value has.
pub fn annotated(project: &Project) -> Option<Files> {
    project.edit(|_, code| {
        let mut edits = Edits::default();
        for (id, function) in code.functions() {
            if function.kind == FnKind::Plain {
                annotate_parameters(code, function, &mut edits);
            }
            if function.kind == FnKind::Plain || id == MODULE {
                annotate_variables(code, function, &mut edits);
            }
        }
        edits
    })
}

fn annotate_parameters(code: &Code, function: &Function, edits: &mut Edits) {
    let in_class = matches!(code.facts.function(function.parent).kind, FnKind::ClassBody(_));
    for param in code.facts.list(function.params).iter().skip(usize::from(in_class)) {
        let name = code.name(param.name);
        if param.ty.is_none() && !name.is_empty() && code.at(param.span).starts_with(name) {
            edits.insert(param.span.lo + name.len() as u32, ": object");
        }
    }
}

fn annotate_variables(code: &Code, function: &Function, edits: &mut Edits) {
    let blocks = function.exprs.iter().filter_map(|id| match *code.facts.expr(id) {
        Expr::Block(list) => Some(code.facts.list(list)),
        _ => None,
    });
    for &statement in blocks.flatten() {
        let &Expr::Bind { pat, value } = code.facts.expr(statement) else { continue };
        let &Pat::Var(var) = code.facts.pat(pat) else { continue };
        if let Some(at) = end_of_name(code, function, statement, var, value) {
            edits.insert(at, ": object");
        }
    }
}

/// Where the name ends in `name = value`, with nothing else around.
fn end_of_name(code: &Code, function: &Function, id: ExprId, var: VarId, value: ExprId) -> Option<u32> {
    let is_captured = code.facts.list(function.captures).iter().any(|capture| capture.inner == var);
    let name = code.name(code.facts.list(function.vars)[var.0 as usize]);
    let (span, value) = (code.facts.span(id), code.facts.span(value));
    let end = span.lo + name.len() as u32;
    let is_plain = !is_captured
        && code.indent(span.lo).is_some()
        && code.at(span).starts_with(name)
        && end < value.lo
        && code.at(Span { lo: end, hi: value.lo }).trim_matches([' ', '(']) == "=";
    is_plain.then_some(end)
}
