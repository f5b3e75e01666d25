//! Whether a text was put together by hand: of literals, by whatever Python offers for that, through names, constants and
//! functions of the project.

use rustc_hash::FxHashSet;

use crate::analysis::definitions::Definition;
use crate::analysis::implicit;
use crate::analysis::values::Values;
use crate::catalog::DataOp::{
    Concat, Dedent, FillIn, Format, Get, GetEntry, GetOrInsert, Join, JoinPath, Plus, Take, Template, ToText,
};
use crate::ir::{ArgKind, Expr, ExprId, Lit, Op, Operator};
use crate::link::{EdgeKind, Func, Target};

/// A name of a name, a function that hands back what another one made; more is a cycle.
const MAX_HOPS: u32 = 12;

pub struct Made<'m, 'p, 'a> {
    values: &'m Values<'p, 'a>,
}

/// What a text is made of.
#[derive(Clone, PartialEq, Debug)]
enum Text {
    /// Written by hand, with its text if that is constant.
    Literal(Option<String>),
    /// Another attribution, or what the guard made.
    Attribution,
    Other,
}

impl<'m, 'p, 'a> Made<'m, 'p, 'a> {
    pub fn new(values: &'m Values<'p, 'a>) -> Self {
        Self { values }
    }

    /// The text if it is constant, inside `Some` if it is made by hand.
    pub fn by_hand(&self, func: Func, expr: ExprId) -> Option<Option<String>> {
        match self.text(func, expr, &mut FxHashSet::default(), MAX_HOPS) {
            Text::Literal(Some(text)) if self.values.catalog.attribution.is_other(&text) => None,
            Text::Literal(text) => Some(text),
            Text::Attribution | Text::Other => None,
        }
    }

    fn text(&self, func: Func, expr: ExprId, seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let Some(hops) = hops.checked_sub(1).filter(|_| seen.insert((func, expr))) else {
            return Text::Other;
        };
        let facts = self.values.facts(func);
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => Text::Literal(Some(facts.str(text).to_owned())),
            Expr::Text(parts) => self.joined(func, facts.list(parts), seen, hops),
            Expr::Op { op: Op::Add, args } => self.joined(func, facts.list(args), seen, hops),
            // `"… %s" % operation`
            Expr::Op { op: Op::Mod, args } => facts
                .list(args)
                .first()
                .map_or(Text::Other, |&first| filled(self.text(func, first, seen, hops))),
            Expr::Ascribe { value: Some(inner), .. }
            | Expr::Bind { value: inner, .. }
            | Expr::Await(inner) => self.text(func, inner, seen, hops),
            Expr::If { arms, otherwise } => {
                let bodies = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                self.one_of(func, &bodies.collect::<Vec<_>>(), seen, hops)
            }
            Expr::Block(list) => {
                facts.list(list).last().map_or(Text::Other, |&last| self.text(func, last, seen, hops))
            }
            // `meta.get("attribution") or "…"` is a read with a default.
            Expr::Any(parts) => self.one_of(func, facts.list(parts), seen, hops),
            Expr::Call { .. } => self.call(func, expr, seen, hops),
            Expr::Index { key, .. } => match self.values.program.text(func, key) {
                Some(key) if self.values.catalog.attribution.is_key(&key) => Text::Attribution,
                _ => self.constant(func, expr),
            },
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) | Expr::Field { .. } => {
                self.name(func, expr, seen, hops)
            }
            _ => Text::Other,
        }
    }

    /// Parts one behind the other: by hand if somebody wrote words between them.
    fn joined(&self, func: Func, parts: &[ExprId], seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let mut words = false;
        let mut whole = Some(String::new());
        for &part in parts {
            match self.text(func, part, seen, hops) {
                Text::Attribution => return Text::Attribution,
                Text::Literal(text) => {
                    words |= text.as_ref().is_none_or(|text| text.chars().any(char::is_alphanumeric));
                    whole = whole.zip(text).map(|(whole, text)| whole + &text);
                }
                Text::Other => whole = None,
            }
        }
        if words { Text::Literal(whole) } else { Text::Other }
    }

    /// One of several: another attribution on any way makes the rest a default.
    fn one_of(&self, func: Func, parts: &[ExprId], seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let texts: Vec<Text> = parts.iter().map(|&part| self.text(func, part, seen, hops)).collect();
        let is_literal = |text: &&Text| matches!(text, Text::Literal(_));
        match texts.contains(&Text::Attribution) {
            true => Text::Attribution,
            false => texts.iter().find(is_literal).cloned().unwrap_or(Text::Other),
        }
    }

    fn call(&self, func: Func, call: ExprId, seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let values = self.values;
        let words = &values.catalog.attribution;
        let facts = values.facts(func);
        let Expr::Call { args, .. } = *facts.expr(call) else { return Text::Other };
        let args = facts.list(args);
        if values.paths(func, call).iter().any(|path| words.is_guard(path)) {
            return Text::Attribution;
        }
        if let Some(text) = values.converted(func, call) {
            return self.text(func, text, seen, hops);
        }
        if let Some(method) = values.method(func, call) {
            match (method.does, method.args) {
                (Some(Get | Take | GetOrInsert | GetEntry), [key, ..]) => {
                    let key = values.program.text(func, key.value);
                    if key.is_some_and(|key| words.is_key(&key)) {
                        return Text::Attribution;
                    }
                }
                (Some(FillIn), _) => {
                    return filled(self.text(func, method.receiver, seen, hops));
                }
                // `" ".join(["CommunicationOS", operation])`
                (Some(Join), [parts]) => {
                    if let Expr::Seq(items) = *facts.expr(parts.value) {
                        return self.joined(func, facts.list(items), seen, hops);
                    }
                }
                // `["CommunicationOS", operation].concat()`
                (Some(Concat), _) if values.is_own(func, &method) => {
                    if let Expr::Seq(items) = *facts.expr(method.receiver) {
                        return self.joined(func, facts.list(items), seen, hops);
                    }
                }
                _ if values.catalog.handed_on.changes_by_method(method.name) => {
                    return self.text(func, method.receiver, seen, hops);
                }
                _ => {}
            }
        }
        let does = values.operation(func, call);
        if let (Some(ToText | Template | Dedent | Format), [first, ..]) = (does, args) {
            return self.text(func, first.value, seen, hops);
        }
        if matches!(does, Some(Plus | JoinPath)) {
            let parts: Vec<ExprId> =
                args.iter().filter(|arg| arg.kind == ArgKind::Positional).map(|arg| arg.value).collect();
            return self.joined(func, &parts, seen, hops);
        }
        self.returned(func, call, seen, hops)
    }

    /// What functions of the project hand back.
    fn returned(&self, func: Func, call: ExprId, seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let program = self.values.program;
        let made = program.edges_at(func, call).iter().filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(maker)) => Some(maker),
            _ => None,
        });
        let mut texts = Vec::new();
        for maker in made.filter(|&maker| !implicit::runs(program, maker, &[Operator::Construct])) {
            texts.extend(program.returns(maker).map(|value| self.text(maker, value, seen, hops)));
        }
        let is_literal = |text: &&Text| matches!(text, Text::Literal(_));
        match texts.contains(&Text::Attribution) {
            true => Text::Attribution,
            false => texts.iter().find(is_literal).cloned().unwrap_or(Text::Other),
        }
    }

    fn name(&self, func: Func, expr: ExprId, seen: &mut FxHashSet<(Func, ExprId)>, hops: u32) -> Text {
        let values = self.values;
        let facts = values.facts(func);
        if let Expr::Field { base, name } = *facts.expr(expr) {
            // A variant is no text.
            if !facts.profile().members_are_texts && values.program.is_member_of_enum(func, expr) {
                return Text::Other;
            }
            if values.catalog.attribution.is_key(facts.str(name)) {
                return Text::Attribution;
            }
            let class = values.program.class_named(func, base).map(|class| values.program.class_name(class));
            let spelled = values.program.receiver_name(func, base).map(|name| name.name);
            let of_guard =
                |class: &str| values.catalog.attribution.is_guard(&format!("{class}.{}", facts.str(name)));
            if class.is_some_and(of_guard) || spelled.is_some_and(of_guard) {
                return Text::Attribution;
            }
        }
        let Some(bound) = values.bound(func, expr) else { return self.constant(func, expr) };
        if values.parameter(func, expr).is_some() {
            return Text::Other;
        }
        let plain = |definition: &&Definition| !definition.is_element && definition.reads.is_empty();
        let definitions: Vec<ExprId> =
            bound.definitions().iter().filter(plain).map(|definition| definition.value).collect();
        let texts: Vec<Text> =
            definitions.iter().map(|&value| self.text(bound.func, value, seen, hops)).collect();
        let literal = texts.iter().find(|text| matches!(text, Text::Literal(_)));
        literal.cloned().unwrap_or(match texts.contains(&Text::Attribution) {
            true => Text::Attribution,
            false => self.constant(func, expr),
        })
    }

    fn constant(&self, func: Func, expr: ExprId) -> Text {
        self.values.program.text(func, expr).map_or(Text::Other, |text| Text::Literal(Some(text)))
    }
}

/// A text whose places were filled is no template any more.
fn filled(text: Text) -> Text {
    match text {
        Text::Literal(_) => Text::Literal(None),
        other => other,
    }
}
