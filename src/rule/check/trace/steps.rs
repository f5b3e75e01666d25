//! How a way is told: where it begins, by what it leaves a function, and what the value becomes in the end.

use super::{Tracer, Way};
use crate::analysis::{Decided, Inflow, Key, Node, Part, Place as At, spelled};
use crate::catalog::Purpose;
use crate::finding::{Place, Step};
use crate::inventory::Access;
use crate::ir::ExprId;
use crate::link::{At as Site, Func};
use crate::rule::check::sources::Origin;

impl Tracer<'_, '_> {
    /// Where the value comes from, in a few words.
    pub(super) fn source(&self, way: &Way) -> Option<String> {
        let program = self.context.program;
        let (node, part) = way.first()?;
        let (func, place) = self.graph.place(node)?;
        Some(match place {
            At::Param(at) => {
                format!("`{}` of `{}`", self.chosen_name(func, at, part), program.short_name(func))
            }
            At::Expr(expr) => {
                let edges = program.edges_at(func, expr);
                let callee = edges.first().map(|edge| program.target_name(edge.to));
                let callee = callee.or_else(|| spelled(program, func, expr));
                format!("what `{}` hands back", callee.unwrap_or_else(|| program.short_name(func)))
            }
            _ => return None,
        })
    }

    /// The parameter, or the field of it that is meant.
    fn chosen_name(&self, func: Func, at: u32, part: Part) -> String {
        let program = self.context.program;
        let facts = program.facts(program.function(func).file);
        let named = part.keys().iter().rev().find(|key| matches!(key, Key::Name(_)));
        match (self.param_name(func, at), named) {
            ("", Some(Key::Name(name))) => facts.str(*name).to_owned(),
            (param, Some(Key::Name(name))) => format!("{param}.{}", facts.str(*name)),
            (param, _) => param.to_owned(),
        }
    }

    fn param_name(&self, func: Func, at: u32) -> &str {
        let program = self.context.program;
        let facts = program.facts(program.function(func).file);
        facts.list(program.ir(func).params).get(at as usize).map_or("", |param| facts.str(param.name))
    }

    /// The steps of a way that a reader has to know: where it begins, and by what it leaves a function.
    pub(super) fn steps(&self, way: &Way) -> Vec<Step> {
        let mut steps: Vec<Step> = self.first(way).into_iter().collect();
        for (at, (from, to)) in way.pairs().enumerate() {
            steps.extend(self.step(from, to, way.nodes.get(at + 2).map(|(node, _)| *node)));
        }
        steps.dedup_by_key(|step| step.place);
        steps
    }

    fn first(&self, way: &Way) -> Option<Step> {
        let program = self.context.program;
        let (node, part) = way.first()?;
        let (func, place) = self.graph.place(node)?;
        let origin = self.sources.origin(node);
        let file = program.function(func).file;
        match place {
            At::Param(at) => {
                let param = *program.facts(file).list(program.ir(func).params).get(at as usize)?;
                let who = if origin == Origin::Model { "the model fills" } else { "it comes as" };
                let text =
                    format!("{who} `{}` of `{}`", self.chosen_name(func, at, part), program.short_name(func));
                Some(Step::seen(Place { file, span: param.span }, text))
            }
            At::Expr(expr) => {
                let text = match origin {
                    Origin::Model => "the model wrote what comes back",
                    Origin::Called => "it comes from here",
                    Origin::Outside(inflow) => brings(inflow),
                };
                Some(Step::seen(self.place(func, expr), text.to_owned()))
            }
            _ => None,
        }
    }

    fn step(&self, from: Node, to: Node, next: Option<Node>) -> Option<Step> {
        let program = self.context.program;
        if let (Some(name), Some((func, At::Expr(expr)))) = (self.graph.field(to), self.graph.place(from)) {
            let name = program.facts(program.function(func).file).str(name);
            return Some(Step::seen(self.place(func, expr), format!("it is stored in `.{name}`")));
        }
        if let (Some(name), Some((func, At::Expr(expr)))) = (self.graph.field(from), self.graph.place(to)) {
            let name = program.facts(program.function(func).file).str(name);
            return Some(Step::seen(self.place(func, expr), format!("it is read from `.{name}`")));
        }
        let ((func, place), (into, arrives)) = (self.graph.place(from)?, self.graph.place(to)?);
        match (place, arrives) {
            (At::Expr(expr), At::Param(at)) => {
                let text =
                    format!("passed as `{}` to `{}`", self.param_name(into, at), program.short_name(into));
                Some(Step::seen(self.place(func, expr), text))
            }
            (At::Returned, At::Expr(call)) => {
                let text = format!("`{}` hands it back", program.short_name(func));
                Some(Step::seen(self.place(into, call), text))
            }
            (At::Changed(at), At::Expr(expr)) => {
                let text = format!(
                    "`{}` puts it into its `{}`",
                    program.short_name(func),
                    self.param_name(func, at)
                );
                Some(Step::seen(self.place(into, expr), text))
            }
            (At::Expr(expr), At::Var(_)) if func != into => {
                next?;
                Some(Step::seen(self.place(func, expr), "it is kept where others read it".to_owned()))
            }
            _ => None,
        }
    }

    fn place(&self, func: Func, expr: ExprId) -> Place {
        self.context.place(Site { file: self.context.program.function(func).file, expr })
    }

    /// What the value becomes, with its article.
    pub(super) fn what(decided: &Decided, callee: &str, access: Option<Access>) -> String {
        match decided.purpose {
            Purpose::Option => {
                let program =
                    decided.option_of.as_ref().map_or("a program".to_owned(), |it| format!("`{it}`"));
                format!("an argument of {program}, which reads it as an option if it begins with `-`")
            }
            Purpose::Upward => format!("a pattern for `{callee}`, and `..` in it leads out of the folder"),
            Purpose::Code => format!("code that `{callee}` runs"),
            Purpose::Module => format!("the name of a module that `{callee}` loads"),
            Purpose::Script => format!("the path of code that `{callee}` runs"),
            Purpose::Data => format!("data that `{callee}` makes objects of, and code in it runs"),
            Purpose::Template => format!("a template that `{callee}` compiles"),
            Purpose::Command => format!("the command that `{callee}` starts"),
            Purpose::Path => match access {
                Some(Access::Delete) => format!("the path of what `{callee}` deletes"),
                Some(Access::Write) => format!("the path that `{callee}` writes to"),
                Some(Access::Read) => format!("the path that `{callee}` reads"),
                None => format!("the path that `{callee}` takes"),
            },
            Purpose::Address => format!("the address that `{callee}` goes to"),
            Purpose::Query => format!("the text of a query for `{callee}`"),
            Purpose::Given => format!("what `{callee}` is given"),
        }
    }
}

fn brings(inflow: Inflow) -> &'static str {
    match inflow {
        Inflow::Comm | Inflow::Network => "it brings content in",
        Inflow::Process => "it hands back what a process printed",
        Inflow::Storage => "it reads what was stored",
        Inflow::Fence => "it marks content as untrusted",
    }
}
