//! How far an operation has come as far as one kind of event is concerned, and what a piece of code does to that.

/// Seen from the external effect: whether the event (a record of the audit trail, say) came before it, and again after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stage {
    /// Neither the event nor an effect so far.
    Idle,
    /// The same, and an exception was taken: something was refused.
    Refused,
    /// The event, and no effect yet.
    Begun,
    /// An exception was taken after the event, before any effect.
    Broken,
    /// The effect ran after the event, which has not come again.
    Open,
    /// The event has come again since.
    Closed,
    /// The effect ran and no event came before it.
    Bare,
    /// The same, and the event came later.
    Late,
}

const STAGES: usize = 8;

impl Stage {
    pub const ALL: [Stage; STAGES] = [
        Stage::Idle,
        Stage::Refused,
        Stage::Begun,
        Stage::Broken,
        Stage::Open,
        Stage::Closed,
        Stage::Bare,
        Stage::Late,
    ];

    pub fn after_event(self) -> Stage {
        match self {
            Stage::Idle => Stage::Begun,
            // Two records and no effect tell of something that was begun and given up.
            Stage::Begun | Stage::Refused | Stage::Broken | Stage::Open | Stage::Closed => Stage::Closed,
            Stage::Bare | Stage::Late => Stage::Late,
        }
    }

    pub fn after_effect(self) -> Stage {
        match self {
            Stage::Idle | Stage::Refused | Stage::Bare | Stage::Late => Stage::Bare,
            Stage::Begun | Stage::Broken | Stage::Open | Stage::Closed => Stage::Open,
        }
    }

    pub fn after_exception(self) -> Stage {
        match self {
            Stage::Idle => Stage::Refused,
            Stage::Begun => Stage::Broken,
            other => other,
        }
    }
}

/// From each stage, the stages in which a piece of code may leave: one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relation([u8; STAGES]);

impl Relation {
    /// Of code that no way leads through.
    pub const NOWHERE: Relation = Relation([0; STAGES]);

    pub fn identity() -> Self {
        Self::of(|stage| stage)
    }

    pub fn event() -> Self {
        Self::of(Stage::after_event)
    }

    pub fn effect() -> Self {
        Self::of(Stage::after_effect)
    }

    pub fn exception() -> Self {
        Self::of(Stage::after_exception)
    }

    fn of(next: fn(Stage) -> Stage) -> Self {
        Self(Stage::ALL.map(|stage| 1 << next(stage) as u8))
    }

    pub fn join(&mut self, other: &Relation) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    /// This piece of code, and then that one.
    pub fn then(&self, next: &Relation) -> Self {
        let step = |set: u8| {
            let from = (0..STAGES).filter(|stage| set & (1 << stage) != 0);
            from.fold(0, |all, stage| all | next.0[stage])
        };
        Self(self.0.map(step))
    }

    /// True if code that is entered in `from` may leave in `to`.
    pub fn leads(&self, from: Stage, to: Stage) -> bool {
        self.0[from as usize] & (1 << to as u8) != 0
    }

    /// `entry` behind a block that takes `before`, of which `entry` is part, to `after`. A set does not say who became
    /// what: what is still there has stayed as it was, and what is new can be anybody.
    pub fn carried(entry: &Relation, before: &Relation, after: &Relation) -> Self {
        let handled = entry.then(&Self::exception());
        let mut out = Self::NOWHERE;
        for (at, out) in out.0.iter_mut().enumerate() {
            let (before, after) = (before.0[at], after.0[at]);
            // Who leaves by an exception was counted as one who has taken it.
            let entry = if entry.0[at] & !before == 0 { entry.0[at] } else { handled.0[at] };
            let kept = (entry & after) | (after & !before);
            *out = match (entry, kept) {
                (0, _) => 0,
                (_, 0) => after,
                (_, kept) => kept,
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_without_an_event_before_it_is_never_mended() {
        let late = Relation::effect().then(&Relation::event());
        assert!(late.leads(Stage::Idle, Stage::Late));
        let again = late.then(&Relation::effect()).then(&Relation::event());
        assert!(again.leads(Stage::Idle, Stage::Late) && !again.leads(Stage::Idle, Stage::Closed));
    }

    #[test]
    fn what_a_block_did_not_touch_leaves_it_as_it_came() {
        let mut before = Relation::event().then(&Relation::effect());
        let closed = before.then(&Relation::event());
        before.join(&closed);
        assert_eq!(Relation::carried(&closed, &before, &before), closed);
        let recorded = before.then(&Relation::event());
        let open = Relation::event().then(&Relation::effect());
        assert_eq!(Relation::carried(&open, &before, &recorded), closed);
    }
}
