//! Constants that are no texts: truths, members of enumerations, objects of classes whose names say what they are.

use crate::ir::{ArgKind, Expr, ExprId, Lit, Pat};
use crate::link::{Func, Program};

/// A variable that holds what another one holds, in a list, in an `Option`, in a box.
const MAX_STEPS: usize = 6;

/// What a reader takes an expression for: `true`, `AllowAll` of `Arc::new(AllowAll)`, `BYPASS` of `Mode.BYPASS`, `*` of `["*"]`.
pub fn said(program: &Program<'_>, func: Func, expr: ExprId) -> Option<String> {
    let mut at = (func, expr);
    for _ in 0..MAX_STEPS {
        let facts = program.facts(program.function(at.0).file);
        let next = match *facts.expr(at.1) {
            Expr::Lit(Lit::Bool(truth)) => return Some(truth.to_string()),
            Expr::Lit(Lit::None) => return Some("none".to_owned()),
            Expr::Lit(Lit::Str(text)) => return Some(facts.str(text).to_owned()),
            Expr::Seq(items) => match facts.list(items) {
                [only] => (at.0, *only),
                _ => return None,
            },
            Expr::Call { callee, args, .. } => match (program.class_named(at.0, callee), facts.list(args)) {
                (Some(class), _) => return Some(program.class_name(class).to_owned()),
                (None, [only]) if only.kind == ArgKind::Positional => (at.0, only.value),
                _ => return program.receiver_name(at.0, callee).map(|known| known.name.to_owned()),
            },
            Expr::Field { name, .. } => {
                return program.text(at.0, at.1).or_else(|| Some(facts.str(name).to_owned()));
            }
            Expr::Var(_) | Expr::Free(_) => {
                if let Some(class) = program.class_named(at.0, at.1) {
                    return Some(program.class_name(class).to_owned());
                }
                program.bound(at.0, at.1)
            }
            _ => return None,
        };
        if next == at {
            return program.receiver_name(at.0, at.1).map(|known| known.name.to_owned());
        }
        at = next;
    }
    None
}

/// The names that something is given under in a function or the body of a class: keywords, keys, variables, attributes.
pub fn names<'p>(program: &'p Program<'_>, func: Func) -> impl Iterator<Item = &'p str> + 'p {
    let facts = program.facts(program.function(func).file);
    let vars = facts.list(program.ir(func).vars);
    program.ir(func).exprs.iter().flat_map(move |expr| {
        let found: Vec<&str> = match *facts.expr(expr) {
            Expr::Call { args, .. } => {
                let named = facts.list(args).iter().filter_map(|arg| match arg.kind {
                    ArgKind::Named(name) => Some(facts.str(name)),
                    _ => None,
                });
                named.collect()
            }
            Expr::Lit(Lit::Str(text)) => vec![facts.str(text)],
            Expr::Bind { pat, .. } => match *facts.pat(pat) {
                Pat::Var(var) => vars.get(var.0 as usize).map(|&name| facts.str(name)).into_iter().collect(),
                _ => Vec::new(),
            },
            Expr::Field { name, .. } => vec![facts.str(name)],
            _ => Vec::new(),
        };
        found
    })
}
