//! What effects are done to: the path, the address, the command that a call is given, and who chooses it. Which values these are
//! the catalogue says (`[[sink]]`, and the paths of file effects); where it does not, it is the first argument.

use rustc_hash::FxHashMap;

use super::super::Context;
use crate::analysis::{EffectSite, FileAccess, taken};
use crate::catalog::{EffectKind, Purpose};
use crate::inventory::{Chosen, Target};
use crate::ir::{ArgKind, Expr, ExprId};
use crate::link::{At, Func, Values};

/// Longer texts are cut.
const MAX_TEXT: usize = 300;

/// The values that calls are given, by what they are for.
pub struct Taken {
    values: FxHashMap<At, Vec<(Purpose, ExprId)>>,
    /// What is added to a command that was begun by the call.
    added: FxHashMap<At, Vec<ExprId>>,
    pub files: FileAccess,
}

impl Taken {
    pub fn find(context: &Context<'_>) -> Self {
        let program = context.program;
        let files = FileAccess::find(program, context.catalog);
        let mut found = Self { values: FxHashMap::default(), added: FxHashMap::default(), files };
        for taken in taken(program, context.catalog) {
            let at = At { file: program.function(taken.func).file, expr: taken.at };
            found.values.entry(at).or_default().push((taken.purpose, taken.value));
            if taken.purpose == Purpose::Command {
                let expr = first_call(context, taken.func, taken.at);
                found.added.entry(At { expr, ..at }).or_default().push(taken.value);
            }
        }
        found
    }

    /// What a call with an effect is given that says what it is done to.
    pub fn of(&self, context: &Context<'_>, site: &EffectSite) -> Vec<ExprId> {
        let purpose = match site.kind {
            Some(EffectKind::Network) => Purpose::Address,
            Some(EffectKind::Process) => return self.command(context, site),
            Some(EffectKind::Storage) => Purpose::Query,
            Some(EffectKind::File) => Purpose::Path,
            Some(EffectKind::Hardware | EffectKind::Comm) => return first_argument(context, site),
            Some(EffectKind::Llm) | None => return Vec::new(),
        };
        let paths: Vec<ExprId> = match site.kind {
            Some(EffectKind::File) => self.files.of(site.at).collect(),
            _ => Vec::new(),
        };
        let values = if paths.is_empty() { self.with_purpose(site.at, purpose) } else { paths };
        if values.is_empty() { first_argument(context, site) } else { values }
    }

    /// A command that is built call by call is all that was added to it: `Command::new("sh").arg(line).output()`.
    fn command(&self, context: &Context<'_>, site: &EffectSite) -> Vec<ExprId> {
        let own = self.with_purpose(site.at, Purpose::Command);
        let expr = first_call(context, site.from, site.at.expr);
        let begun = At { expr, ..site.at };
        let is_built = !self.with_purpose(begun, Purpose::Command).is_empty();
        match self.added.get(&begun).filter(|_| is_built) {
            Some(added) => added.clone(),
            None if own.is_empty() => first_argument(context, site),
            None => own,
        }
    }

    fn with_purpose(&self, at: At, purpose: Purpose) -> Vec<ExprId> {
        let values = self.values.get(&at).into_iter().flatten();
        values.filter(|(known, _)| *known == purpose).map(|(_, value)| *value).collect()
    }
}

/// The call that made what a chain of calls is about. Each is before the next, so the chain ends.
fn first_call(context: &Context<'_>, func: Func, call: ExprId) -> ExprId {
    let program = context.program;
    let facts = program.facts(program.function(func).file);
    let mut at = call;
    while let Expr::Call { callee, .. } = *facts.expr(at)
        && let Expr::Field { base, .. } = *facts.expr(callee)
    {
        let (owner, made) = program.bound(func, base);
        if owner != func || made >= at || !matches!(facts.expr(made), Expr::Call { .. }) {
            break;
        }
        at = made;
    }
    at
}

fn first_argument(context: &Context<'_>, site: &EffectSite) -> Vec<ExprId> {
    let facts = context.program.facts(site.at.file);
    let Expr::Call { args, .. } = *facts.expr(site.at.expr) else { return Vec::new() };
    let first = facts.list(args).first().filter(|arg| arg.kind == ArgKind::Positional);
    first.map(|arg| arg.value).into_iter().collect()
}

/// The target of an effect that is given `values`, of which one comes from the parameter `argument` of the handler.
pub fn target(
    context: &Context<'_>,
    site: &EffectSite,
    values: &[ExprId],
    argument: Option<&str>,
) -> Option<Target> {
    if values.is_empty() {
        return None;
    }
    let known: Vec<Values> = values.iter().map(|&value| possible(context, site.from, value)).collect();
    let is_constant = known.iter().all(is_constant);
    let of = match argument {
        _ if is_constant && !stays(context, site, &known) => Some(Chosen::Constant),
        _ if is_constant => Some(Chosen::Workspace),
        Some(_) => Some(Chosen::Caller),
        None => stays(context, site, &known).then_some(Chosen::Workspace),
    };
    let argument = argument.filter(|_| of == Some(Chosen::Caller)).map(str::to_owned);
    let text = beginning(&known);
    (of.is_some() || text.is_some()).then_some(Target { of, text, argument })
}

/// It is one of some texts, each known as a whole.
fn is_constant(values: &Values) -> bool {
    values.complete && !values.list.is_empty() && values.list.iter().all(|known| known.whole)
}

/// All that is known of these paths lies in the workspace.
fn stays(context: &Context<'_>, site: &EffectSite, known: &[Values]) -> bool {
    let stays = |text: &str| !text.is_empty() && !context.catalog.workspace.is_left_by(text);
    site.kind == Some(EffectKind::File)
        && known.iter().all(|values| {
            values.complete && !values.list.is_empty() && values.list.iter().all(|known| stays(&known.text))
        })
}

/// The texts one after another, as far as each can be no other.
fn beginning(known: &[Values]) -> Option<String> {
    let mut texts: Vec<&str> = Vec::new();
    for values in known {
        let [only] = &values.list[..] else { break };
        if !values.complete {
            break;
        }
        texts.push(&only.text);
        if !only.whole {
            break;
        }
    }
    let text = texts.join(" ");
    let cut = text.char_indices().nth(MAX_TEXT).map(|(at, _)| format!("{}…", &text[..at]));
    Some(cut.unwrap_or(text)).filter(|text| !text.is_empty())
}

/// The texts that a value is known to be; of a sequence its elements as a line of words.
fn possible(context: &Context<'_>, func: Func, value: ExprId) -> Values {
    let program = context.program;
    let (owner, made) = program.bound(func, value);
    let facts = program.facts(program.function(owner).file);
    match *facts.expr(made) {
        Expr::Seq(parts) if made == value || !is_changed(context, func, value) => {
            let each = facts.list(parts).iter().map(|&part| program.possible(owner, part));
            Values::words(each)
        }
        _ => program.possible(func, value),
    }
}

/// True if a variable of a function is added to, or stored in, after it was bound.
fn is_changed(context: &Context<'_>, func: Func, variable: ExprId) -> bool {
    let facts = context.program.facts(context.program.function(func).file);
    let Expr::Var(var) = *facts.expr(variable) else { return true };
    let is_it = |expr: ExprId| matches!(*facts.expr(expr), Expr::Var(other) if other == var);
    context.program.ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Call { callee, .. } => match *facts.expr(callee) {
            Expr::Field { base, name } => is_it(base) && context.catalog.tells.collects(facts.str(name)),
            _ => false,
        },
        Expr::Store { place, .. } => facts.arenas.below(place).into_iter().any(is_it),
        _ => false,
    })
}
