//! The item about order: whether a tool that reaches outside may run after internal data was read in the same session. A path
//! on which it does fails; so does a tool that is offered beside an internal one, unless a prompt, a check of plans or a block
//! keeps the order.

use super::{Judged, Operation, place};
use crate::analysis::{Role, Sessions, ToolId, Tools, sessions};
use crate::finding::{Confidence, Place};
use crate::inventory::Class;
use crate::ir::{Expr, Lit};
use crate::link::Func;
use crate::rule::check::Context;
use crate::rule::check::order;
use crate::rule::check::shared::Shared;

/// How the project orders its tools, found once for all of them.
pub(super) struct Orders {
    tools: Tools,
    sessions: Sessions,
    /// What keeps the order, where no path shows that it does not.
    kept: Option<(Place, &'static str)>,
}

impl Orders {
    pub fn new<'c>(context: &Context<'c>, shared: &Shared<'c>) -> Self {
        let tools = order::tools(context, shared.classes(context));
        let sessions = sessions(&shared.values, &tools);
        let kept = tools.meet().then(|| kept(context, &sessions)).flatten();
        Self { tools, sessions, kept }
    }

    pub fn judge<'c>(&self, context: &Context<'c>, shared: &Shared<'c>, tool: &Operation) -> Judged {
        let registered = tool.registered;
        let Some(class) = shared.classes(context).of(tool.nth) else {
            let text = "nothing says whether it brings internal data in or reaches outside";
            return Judged::unknown(registered, text);
        };
        if !class.reason.is_evidence() {
            let text =
                format!("only a guess says that it is `{}`: {}", class.sensitivity.name(), class.reason);
            return Judged::unknown(registered, text);
        }
        match self.tools.of_func(tool.handler).map(|id| (id, self.tools.get(id).role)) {
            Some((_, Role::Source)) => Judged::pass(
                registered,
                format!("it brings internal data in ({}): no external tool may follow it", class.reason),
            ),
            Some((id, Role::External)) => self.external(context, tool, class, id),
            _ => Judged::pass(registered, "it may run in any order"),
        }
    }

    fn external(&self, context: &Context<'_>, tool: &Operation, class: &Class, id: ToolId) -> Judged {
        let name = tool.label(context);
        let source = |id| self.tools.get(id).name.as_str();
        if let Some(found) = self.sessions.contaminated.iter().find(|found| found.tool == id) {
            let before = source(found.source.tool);
            let read = place(context, (found.source.func, found.source.at));
            return Judged::fail(
                place(context, (found.func, found.at)),
                format!("`{name}` may run here after `{before}`"),
            )
            .and(read, format!("`{before}` brings internal data into the session"))
            .at_most(class.confidence);
        }
        match (self.tools.first(Role::Source), self.kept) {
            (None, _) => Judged::pass(tool.registered, "no tool of the project brings internal data in"),
            (Some(_), Some((place, text))) => Judged::pass(place, text),
            (Some(other), None) => {
                let text =
                    format!("nothing keeps it from running after `{}` has read internal data", other.name);
                Judged::fail(tool.registered, text)
                    .at_most(class.confidence.min(other.confidence))
                    .at_most(Confidence::Medium)
            }
        }
    }
}

/// A block at run time, a check of plans, a prompt.
fn kept(context: &Context<'_>, sessions: &Sessions) -> Option<(Place, &'static str)> {
    let block = sessions
        .blocks
        .first()
        .map(|&func| (super::head(context, func), "this refuses once internal data was read"));
    let check = || {
        sessions.checks.first().map(|&at| (place(context, at), "plans are validated here before they run"))
    };
    let prompt = || prompt(context).map(|place| (place, "the prompt tells the order of the tools"));
    block.or_else(check).or_else(prompt)
}

/// A text of production code that tells a model in which order tools may be called.
fn prompt(context: &Context<'_>) -> Option<Place> {
    let (program, words) = (context.program, &context.catalog.sessions);
    let files = program.files_that_say(|text| words.tells_order(text));
    let functions = (0..program.functions.len() as u32).map(Func);
    let mut meant = functions
        .filter(|&func| files[program.function(func).file.0 as usize] && !program.is_test_code(func));
    meant.find_map(|func| {
        let facts = program.facts(program.function(func).file);
        let tells = |expr| matches!(*facts.expr(expr), Expr::Lit(Lit::Str(text)) if words.tells_order(facts.str(text)));
        program.ir(func).exprs.iter().find(|&expr| tells(expr)).map(|expr| place(context, (func, expr)))
    })
}
