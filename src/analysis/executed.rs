//! Constant text that is run as code: which names it defines or sets, as far as the front end of its language reads it.

use crate::catalog::{Catalog, Loads};
use crate::frontend::lower;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, FnKind, Lit, Pat};
use crate::link::{Func, Program, argument};

/// A name that code in a text sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetByText {
    /// What it is an attribute of, by its last name.
    pub owner: Option<String>,
    pub name: String,
}

/// The names that a call sets by running constant text among the names of its module.
pub fn set_by_text(program: &Program<'_>, catalog: &Catalog, func: Func, call: ExprId) -> Vec<SetByText> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, args, .. } = *facts.expr(call) else { return Vec::new() };
    let loader = program.library_path(func, callee).and_then(|path| catalog.loader(path));
    let Some(test) =
        loader.filter(|loader| loader.of == Loads::Code).and_then(|loader| loader.argument.as_ref())
    else {
        return Vec::new();
    };
    let args = facts.list(args);
    let is_here = program.ir(func).kind == FnKind::Module || args.len() > 1;
    let code = argument(facts, args, test.index, test.name.as_deref()).filter(|_| is_here);
    let text = code.and_then(|code| program.text(func, code));
    text.map_or_else(Vec::new, |text| names(catalog, &lower(&text, facts.lang)))
}

fn names(catalog: &Catalog, facts: &Facts) -> Vec<SetByText> {
    let module = facts.function(facts.module());
    let last = |expr| facts.last_name(module, expr).map(|name| facts.str(name).to_owned());
    let mut found = Vec::new();
    for expr in module.exprs.iter() {
        match *facts.expr(expr) {
            Expr::Bind { pat, .. } => {
                if let Pat::Var(var) = *facts.pat(pat)
                    && let Some(&name) = facts.list(module.vars).get(var.0 as usize)
                {
                    found.push(SetByText { owner: None, name: facts.str(name).to_owned() });
                }
            }
            Expr::Store { place, .. } => {
                if let Expr::Field { base, name } = *facts.expr(place) {
                    found.push(SetByText { owner: last(base), name: facts.str(name).to_owned() });
                }
            }
            Expr::Call { callee, args, .. }
                if last(callee).is_some_and(|name| catalog.setters.may_be(&name)) =>
            {
                if let [Arg { value: owner, .. }, Arg { value: name, kind: ArgKind::Positional }, ..] =
                    *facts.list(args)
                    && let Expr::Lit(Lit::Str(name)) = *facts.expr(name)
                {
                    found.push(SetByText { owner: last(owner), name: facts.str(name).to_owned() });
                }
            }
            _ => {}
        }
    }
    found
}
