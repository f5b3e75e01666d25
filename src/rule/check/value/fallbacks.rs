//! What is taken if there is nothing: defaults of look-ups, `value or default`, conditional expressions, and assignments
//! in the arm for nothing.

use rustc_hash::FxHashMap;

use super::shape::{Place, assigned, is_absence, shares};
use super::{Scan, Site};
use crate::analysis::spelled;
use crate::catalog::{Makes, NameSet};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, IfArm, Jump, Lit, Pat};
use crate::link::argument;

/// The names that values go by where they stand: the variable, the keyword, the key.
type Targets = FxHashMap<ExprId, String>;

impl Scan<'_, '_> {
    pub(super) fn fallbacks(&self, out: &mut Vec<Site>) {
        let targets = self.targets();
        for expr in self.program().ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::Call { callee, args, .. } => {
                    self.look_up(expr, self.facts.list(args), &targets, out);
                    self.otherwise(expr, callee, self.facts.list(args), &targets, out);
                }
                Expr::Any(parts) => self.either(expr, self.facts.list(parts), &targets, out),
                Expr::If { arms, otherwise } => {
                    let arms = self.facts.list(arms);
                    self.conditional(expr, arms, otherwise, &targets, out);
                    self.filled(arms, otherwise, out);
                }
                Expr::Try(at) => self.rescued(at, out),
                Expr::Block(body) => self.returned(self.facts.list(body), out),
                Expr::Match { arms, .. } => self.matched_return(self.facts.list(arms), out),
                Expr::Record(entries) => self.merged(self.facts.list(entries), out),
                _ => {}
            }
        }
    }

    /// `.get("phase", "…")`, `getattr(x, "phase", "…")`, `os.getenv("PHASE", "…")`.
    fn look_up(&self, call: ExprId, args: &[Arg], targets: &Targets, out: &mut Vec<Site>) {
        let Some(called) = spelled(self.program(), self.func, call) else { return };
        let fallbacks = &self.context.catalog.fallbacks;
        let Some(fallback) = fallbacks.iter().find(|fallback| fallback.matches(&called)) else { return };
        let at = |at, name| argument(self.facts, args, Some(at), name);
        let by_name = self.context.catalog.sets.of(NameSet::DefaultArgument).first().map(String::as_str);
        let (Some(key), Some(default)) = (at(fallback.key, None), at(fallback.default, by_name)) else {
            return;
        };
        let Some(value) = self.constant(self.func, default) else { return };
        let names = [self.program().text(self.func, key), targets.get(&call).cloned()];
        self.fall_back(default, value, names, || fallback.declares || self.decides(call), out);
    }

    /// `phase.unwrap_or("…")`, `phase.unwrap_or_else(|| "…".into())`.
    fn otherwise(&self, call: ExprId, callee: ExprId, args: &[Arg], targets: &Targets, out: &mut Vec<Site>) {
        let (Expr::Field { base, name }, &[other]) = (*self.facts.expr(callee), args) else { return };
        let makes = self.context.catalog.built_texts.made_by(self.facts.str(name));
        if !self.facts.profile().has_results || makes != Some(Makes::Otherwise) {
            return;
        }
        let constant = self.constant(self.func, other.value).or_else(|| self.made(other.value));
        let Some(value) = constant else { return };
        let names = [self.name_of(base), targets.get(&call).cloned()];
        self.fall_back(other.value, value, names, || self.decides(call), out);
    }

    /// `phase or "…"`.
    fn either(&self, whole: ExprId, parts: &[ExprId], targets: &Targets, out: &mut Vec<Site>) {
        let Some((&last, others)) = parts.split_last() else { return };
        let Some(value) = self.constant(self.func, last) else { return };
        let own = others.iter().find_map(|&part| self.name_of(part));
        self.fall_back(last, value, [own, targets.get(&whole).cloned()], || self.decides(whole), out);
    }

    /// `phase if phase else "…"`: one value is the constant, the test asks whether there is the other.
    fn conditional(
        &self,
        whole: ExprId,
        arms: &[IfArm],
        otherwise: Option<ExprId>,
        targets: &Targets,
        out: &mut Vec<Site>,
    ) {
        let (&[arm], Some(otherwise)) = (arms, otherwise) else { return };
        if !is_absence(self.facts, arm.test) {
            return;
        }
        for (constant, other) in [(arm.body, otherwise), (otherwise, arm.body)] {
            let Some(value) = self.constant(self.func, constant) else { continue };
            let is_word = self.program().text(self.func, other).is_some();
            if !is_word && shares(self.facts, arm.test, other) {
                let names = [self.name_of(other), targets.get(&whole).cloned()];
                self.fall_back(constant, value, names, || self.decides(whole), out);
            }
        }
    }

    /// `if phase is None: phase = "…"`, and the arm for nothing of an `if` that fills a name in every arm.
    fn filled(&self, arms: &[IfArm], otherwise: Option<ExprId>, out: &mut Vec<Site>) {
        let [arm] = arms else { return };
        if !is_absence(self.facts, arm.test) {
            return;
        }
        let bodies: Vec<ExprId> = [Some(arm.body), otherwise].into_iter().flatten().collect();
        for (at, &body) in bodies.iter().enumerate() {
            for (place, constant) in assigned(self.facts, body) {
                let Some(value) = self.constant(self.func, constant) else { continue };
                let is_tested = || match place {
                    Place::Variable(var) => shares_variable(self, arm.test, var),
                    Place::Stored(stored) => shares(self.facts, arm.test, stored),
                };
                let is_other_read = || {
                    let others = bodies.iter().enumerate().filter(|(other, _)| *other != at);
                    let mut others = others.flat_map(|(_, &body)| assigned(self.facts, body));
                    others.any(|(other, value)| {
                        self.place_name(other) == self.place_name(place)
                            && shares(self.facts, arm.test, value)
                    })
                };
                if is_tested() || is_other_read() {
                    let declares = matches!(place, Place::Stored(stored) if matches!(self.facts.expr(stored), Expr::Index { .. }));
                    let decides = || declares || self.decides(constant);
                    self.fall_back(constant, value, [self.place_name(place), None], decides, out);
                }
            }
        }
    }

    /// `except KeyError: phase = "…"`, where the body reads it.
    fn rescued(&self, at: u32, out: &mut Vec<Site>) {
        let found = self.facts.arenas.try_at(at);
        let handlers = self.facts.list(found.handlers);
        let bodies: Vec<ExprId> = handlers.iter().map(|handler| handler.body).collect();
        self.rescued_return(found.body, &bodies, out);
        let read: Vec<_> = assigned(self.facts, found.body).collect();
        for handler in handlers {
            for (place, constant) in assigned(self.facts, handler.body) {
                let Some(value) = self.constant(self.func, constant) else { continue };
                let name = self.place_name(place);
                if read.iter().any(|&(other, _)| self.place_name(other) == name) {
                    self.fall_back(constant, value, [name, None], || self.decides(constant), out);
                }
            }
        }
    }

    /// `{"phase": "…", **options}`.
    fn merged(&self, entries: &[Entry], out: &mut Vec<Site>) {
        let Some(spread) = entries.iter().rposition(|entry| entry.key == EntryKey::Spread) else { return };
        for entry in &entries[..spread] {
            let EntryKey::Expr(key) = entry.key else { continue };
            if let Some(value) = self.constant(self.func, entry.value) {
                let name = self.program().text(self.func, key);
                self.fall_back(entry.value, value, [name, None], || false, out);
            }
        }
    }

    pub(super) fn fall_back(
        &self,
        constant: ExprId,
        value: String,
        names: [Option<String>; 2],
        decides: impl Fn() -> bool,
        out: &mut Vec<Site>,
    ) {
        let known = names.into_iter().flatten().filter_map(|name| {
            let confidence: Confidence = self.trust(&name, &decides)?;
            Some((name, confidence))
        });
        if let Some((name, confidence)) = known.max_by_key(|(_, confidence)| *confidence) {
            let problem = format!("a missing `{name}` becomes \"{value}\"");
            out.push(Site { constant, value, name, problem, confidence });
        }
    }

    fn place_name(&self, place: Place) -> Option<String> {
        match place {
            Place::Variable(var) => {
                let vars = self.facts.list(self.program().ir(self.func).vars);
                Some(self.facts.str(vars[var.0 as usize]).to_owned())
            }
            Place::Stored(stored) => self.name_of(stored),
        }
    }

    fn targets(&self) -> Targets {
        let mut targets = Targets::default();
        for expr in self.program().ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::Bind { pat, value } => {
                    let value = match *self.facts.expr(value) {
                        Expr::Ascribe { value: Some(value), .. } => value,
                        _ => value,
                    };
                    if let Pat::Var(var) = *self.facts.pat(pat) {
                        targets.extend(self.place_name(Place::Variable(var)).map(|name| (value, name)));
                    }
                }
                Expr::Store { place, op: None, value: Some(value) } => {
                    targets.extend(self.name_of(place).map(|name| (value, name)));
                }
                Expr::Call { args, .. } => {
                    let named = self.facts.list(args).iter().filter_map(|arg| match arg.kind {
                        ArgKind::Named(name) => Some((arg.value, self.facts.str(name).to_owned())),
                        _ => None,
                    });
                    targets.extend(named);
                }
                Expr::Record(entries) => {
                    for entry in self.facts.list(entries) {
                        if let EntryKey::Expr(key) = entry.key
                            && let Expr::Lit(Lit::Str(key)) = *self.facts.expr(key)
                        {
                            targets.insert(entry.value, self.facts.str(key).to_owned());
                        }
                    }
                }
                Expr::Jump { kind: Jump::Return, value: Some(value) } => {
                    targets.insert(value, self.program().name(self.func).to_owned());
                }
                _ => {}
            }
        }
        self.through_conversions(targets)
    }

    /// `let phase = asked.unwrap_or("…").to_string()`: what is converted goes by the same name.
    fn through_conversions(&self, mut targets: Targets) -> Targets {
        let named: Vec<(ExprId, String)> = match self.facts.profile().converts_texts {
            true => targets.iter().map(|(value, name)| (*value, name.clone())).collect(),
            false => Vec::new(),
        };
        for (mut at, name) in named {
            while let Expr::Call { callee, .. } = *self.facts.expr(at)
                && let Expr::Field { base, name: method } = *self.facts.expr(callee)
                && self.context.catalog.built_texts.made_by(self.facts.str(method)) == Some(Makes::Same)
            {
                at = base;
                targets.entry(at).or_insert_with(|| name.clone());
            }
        }
        targets
    }
}

fn shares_variable(scan: &Scan<'_, '_>, test: ExprId, var: crate::ir::VarId) -> bool {
    let mut found = false;
    super::shape::each_name(scan.facts, test, &mut |expr| found |= *expr == Expr::Var(var));
    found
}
