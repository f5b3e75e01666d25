//! What the functions of the guards do, by their paths or, where nothing says whose they are, by their names.

use super::globs::Globs;
use super::guards::{Attribution, Fence};

/// What a function of a guard does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarding {
    /// The result is the argument, guarded.
    Guards,
    /// The result is the text that guards what it is put into.
    Credits,
    /// It raises unless its argument is guarded.
    Checks,
    /// It says whether its argument is guarded.
    Asks,
    /// The result is the argument, for people.
    Displays,
}

impl Attribution {
    /// What a function does, by its path.
    pub fn role(&self, path: &str) -> Option<Guarding> {
        self.is_guard(path).then(|| self.role_of_method(last(path))).flatten()
    }

    /// What it does as far as its name tells, written with its receiver's.
    pub fn role_of_name(&self, spelled: &str) -> Option<Guarding> {
        let spelled = spelled.to_lowercase();
        self.guard_names.fit(&spelled).then(|| self.role_of_method(last(&spelled))).flatten()
    }

    fn role_of_method(&self, name: &str) -> Option<Guarding> {
        if name.starts_with("__") {
            return None;
        }
        if self.credit.fit(name) {
            return Some(Guarding::Credits);
        }
        asks(&self.check, &self.question, name).or(Some(Guarding::Guards))
    }
}

impl Fence {
    /// What a function does, by its path.
    pub fn role(&self, path: &str) -> Option<Guarding> {
        let name = last(path);
        if self.wraps(path) {
            return Some(Guarding::Guards);
        }
        if !self.guard.matches(path) {
            return None;
        }
        if self.displays(name) {
            return Some(Guarding::Displays);
        }
        asks(&self.check, &self.question, name)
    }

    /// What it does as far as its name tells, written with its receiver's.
    pub fn role_of_name(&self, spelled: &str) -> Option<Guarding> {
        let spelled = spelled.to_lowercase();
        if self.displays(last(&spelled)) {
            return Some(Guarding::Displays);
        }
        self.wrap_names.fit(&spelled).then_some(Guarding::Guards)
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn asks(check: &Globs, question: &Globs, name: &str) -> Option<Guarding> {
    if check.fit(name) {
        return Some(Guarding::Checks);
    }
    question.fit(name).then_some(Guarding::Asks)
}
