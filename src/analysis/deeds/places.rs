//! Values and the places they are put into: what marks a mapping, what a part of a value is worth, what outlives the call.

use super::Walk;
use super::constants::Constants;
use super::domain::State;
use super::worth::{Marks, Worth, is_blank_text};
use crate::analysis::decided::decided;
use crate::frontend::looks_like;
use crate::ir::{Entry, EntryKey, Expr, ExprId, VarId};

impl Walk<'_, '_, '_> {
    /// A text that is known, of a constant or a name.
    pub(super) fn text(&self, expr: ExprId) -> Option<String> {
        self.program.text(self.func, expr)
    }

    /// The mark that a mapping gets by something under this key.
    pub(super) fn mark_of(&self, key: &str) -> Marks {
        let of = |is: bool, mark| if is { mark } else { Marks::default() };
        let attributed = of(self.catalog.attribution.is_key(key), Marks::ATTRIBUTED);
        attributed.with(of(self.catalog.fence.keys.iter().any(|known| known == key), Marks::FENCED))
    }

    /// What is put under a key marks the whole, unless it is nothing.
    pub(super) fn put(&self, key: Option<&str>, value: Worth) -> Marks {
        let own = match key {
            Some(key) if !value.may_be_blank => {
                // A record of where it is from may go by any name, but for one that only looks like the right one.
                let is_told = value.is_told && !self.imitates_key(key);
                let told = if is_told { Marks::ATTRIBUTED } else { Marks::default() };
                self.mark_of(key).with(told)
            }
            // Nobody knows which key that is.
            None if !value.is_blank => Marks::ALL,
            _ => Marks::default(),
        };
        own.with(value.marks)
    }

    /// In other letters it is drawn like a key by which content is marked.
    fn imitates_key(&self, key: &str) -> bool {
        !key.is_ascii() && self.mark_of(&looks_like(key)) != self.mark_of(key)
    }

    pub(super) fn record_of(&self, entries: &[Entry], parts: &[Worth]) -> Worth {
        let mut whole = Worth::default();
        let (mut is_unmarked, mut held) = (false, Marks::default());
        for (entry, &part) in entries.iter().zip(parts) {
            let is_spread = entry.key == EntryKey::Spread;
            let is_imitation = matches!(entry.key, EntryKey::Expr(key) if self.text(key).is_some_and(|key| self.imitates_key(&key)));
            let part = Worth { is_told: part.is_told && !is_imitation, ..part };
            let marks = match entry.key {
                EntryKey::Expr(key) => match self.text(key) {
                    Some(key) => {
                        is_unmarked |= part.may_be_blank && self.catalog.fence.shape.contains(&key);
                        let marks = self.put(Some(&key), part);
                        if self.catalog.attribution.holders.contains(&key) {
                            held = held.with(marks);
                        }
                        marks
                    }
                    None => part.marks,
                },
                EntryKey::Spread => {
                    is_unmarked |= self.blanks_marker(entry.value);
                    // What the content itself keeps under such a key stands in the place of what was there before.
                    if part.is_given && !part.is_told && held != Marks::default() {
                        whole.marks = whole.marks.without(held.without(part.marks));
                        whole.is_told = false;
                    }
                    part.marks
                }
            };
            let part = Worth { is_itself: part.is_itself && is_spread, ..part };
            whole = whole.and(part).marked(marks);
        }
        // A marker that is nothing marks nothing, whatever stands beside it.
        let marks = if is_unmarked { whole.marks.without(Marks::FENCED) } else { whole.marks };
        Worth { marks, is_blank: false, truth: None, ..whole }
    }

    /// `**{"marker": ""}`
    fn blanks_marker(&self, record: ExprId) -> bool {
        let Expr::Record(entries) = *self.facts.expr(record) else { return false };
        self.facts.list(entries).iter().any(|entry| match entry.key {
            EntryKey::Expr(key) => {
                self.text(key).is_some_and(|key| self.catalog.fence.shape.contains(&key))
                    && self.text(entry.value).is_some_and(|text| is_blank_text(&text))
            }
            EntryKey::Spread => self.blanks_marker(entry.value),
        })
    }

    /// What is under a key that guards keep their record under is marked as the whole is.
    pub(super) fn part(&self, whole: Worth, key: Option<&str>) -> Worth {
        let holds = key.is_some_and(|key| {
            self.catalog.attribution.holders.iter().any(|holder| holder == key)
                || self.mark_of(key) != Marks::default()
        });
        let marks = if holds { whole.marks } else { Marks::default() };
        whole.part().marked(marks)
    }

    /// The variable that a place is a part of.
    pub(super) fn root(&self, state: &State, place: ExprId) -> Option<VarId> {
        match *self.facts.expr(place) {
            Expr::Var(var) => Some(state.vars.get(&var).and_then(|worth| worth.root).unwrap_or(var)),
            Expr::Field { base, .. } | Expr::Index { base, .. } => self.root(state, base),
            // `data.setdefault("metadata", {})["attribution"]`
            Expr::Call { callee, .. } => match *self.facts.expr(callee) {
                Expr::Field { base, .. } => self.root(state, base),
                _ => None,
            },
            Expr::Await(inner) => self.root(state, inner),
            _ => None,
        }
    }

    /// A variable, and what it is a part of, gets a mark.
    pub(super) fn mark(&self, state: &mut State, place: ExprId, marks: Marks) {
        let root = self.root(state, place);
        let own = match *self.facts.expr(place) {
            Expr::Var(var) => Some(var),
            Expr::Field { base, .. } | Expr::Index { base, .. } => match *self.facts.expr(base) {
                Expr::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        };
        for var in root.into_iter().chain(own) {
            let worth = state.vars.entry(var).or_default();
            *worth = worth.marked(marks);
        }
    }

    fn unmark(&self, state: &mut State, place: ExprId, marks: Marks) {
        if let Some(worth) = self.root(state, place).and_then(|root| state.vars.get_mut(&root)) {
            worth.marks = worth.marks.without(marks);
        }
        if let Expr::Index { base, .. } | Expr::Field { base, .. } = *self.facts.expr(place)
            && let Expr::Var(var) = *self.facts.expr(base)
            && let Some(worth) = state.vars.get_mut(&var)
        {
            worth.marks = worth.marks.without(marks);
        }
    }

    fn key_of(&self, place: ExprId) -> Option<String> {
        match *self.facts.expr(place) {
            Expr::Index { key, .. } => self.text(key),
            Expr::Field { name, .. } => Some(self.facts.str(name).to_owned()),
            _ => None,
        }
    }

    /// True for what outlives the call: an attribute, a variable of the module.
    pub(super) fn is_kept(&self, state: &State, place: ExprId) -> bool {
        match *self.facts.expr(place) {
            Expr::Free(_) => true,
            Expr::Var(var) => {
                self.program.own_class_of(self.func, var).is_some() || !state.vars.contains_key(&var)
            }
            Expr::Field { base, .. } | Expr::Index { base, .. } => self.is_kept(state, base),
            _ => false,
        }
    }
}

impl Walk<'_, '_, '_> {
    pub(super) fn of_text(&self, text: &str) -> Worth {
        let is_blank = is_blank_text(text);
        Worth { is_blank, may_be_blank: is_blank, ..Worth::constant(!text.is_empty()) }
    }

    /// A name whose text may be known.
    pub(super) fn named(&self, expr: ExprId) -> Worth {
        match self.text(expr) {
            Some(text) => self.of_text(&text),
            None => self.switched(expr).map(Worth::constant).unwrap_or_default(),
        }
    }

    /// Whether a constant of a module or a class is true.
    pub(super) fn switched(&self, expr: ExprId) -> Option<bool> {
        Constants::truth(self.program, self.catalog, self.func, expr)
    }

    /// Whether a test is true whatever it is given.
    pub(super) fn decided(&self, test: ExprId) -> Option<bool> {
        decided(self.program, self.catalog, self.func, test)
    }

    /// `data["metadata"]["attribution"] = credit`.
    pub(super) fn stored(&mut self, state: &mut State, place: ExprId, value: Worth) {
        let marks = match *self.facts.expr(place) {
            Expr::Var(var) => {
                state.vars.insert(var, value);
                return;
            }
            Expr::Index { key, .. } => self.put(self.text(key).as_deref(), value),
            Expr::Field { name, .. } => self.put(Some(self.facts.str(name)), value),
            _ => return,
        };
        if value.is_blank
            && let Some(key) = self.key_of(place)
        {
            self.unmark(state, place, self.mark_of(&key));
        }
        self.mark(state, place, marks);
        let is_switch = matches!(*self.facts.expr(place), Expr::Field { name, .. }
            if self.catalog.audit.silence.off(self.facts.str(name)).is_some());
        if self.records && self.is_kept(state, place) && !is_switch {
            self.deed.keeps = true;
            self.deed.notes = true;
        }
    }
}
