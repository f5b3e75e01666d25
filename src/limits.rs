//! How long a run may take and how much memory it may use, and what was not finished when either ran out. The stages ask
//! whether to stop and say what they have done; who watches the clock is `cli/watchdog.rs`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// None: without a limit.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// In MiB.
    pub memory: Option<u64>,
}

/// Which limit was reached, as messages say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    Time(Duration),
    Memory(u64),
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reached::Time(time) => {
                write!(f, "the run reached its limit of {} s (`--timeout`)", time.as_secs())
            }
            Reached::Memory(mib) => write!(f, "the run reached its limit of {mib} MiB (`--max-memory`)"),
        }
    }
}

/// What a stage has still to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    File,
    Rule,
}

/// One run, as all that work for it see it. The default one has no limits.
#[derive(Clone, Default)]
pub struct Run(Option<Arc<State>>);

struct State {
    start: Instant,
    limits: Limits,
    /// 0: go on, 1: the time is up, 2: the memory is used up.
    stopped: AtomicU8,
    /// Never locked while anything else is done.
    left: Mutex<Left>,
}

#[derive(Clone, Default, Debug)]
pub struct Left {
    /// What goes on now; empty before the first stage.
    pub stage: &'static str,
    pub parts: BTreeSet<(Part, String)>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.reached()).finish()
    }
}

impl Run {
    pub fn start(limits: Limits) -> Self {
        let (stopped, left) = Default::default();
        Self(Some(Arc::new(State { start: Instant::now(), limits, stopped, left })))
    }

    /// True once a limit was reached: whatever has not begun is left undone.
    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.stopped.load(Ordering::Relaxed) > 0)
    }

    pub fn reached(&self) -> Option<Reached> {
        let state = self.0.as_ref()?;
        match state.stopped.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Reached::Time(state.limits.time.unwrap_or_default())),
            _ => Some(Reached::Memory(state.limits.memory.unwrap_or_default())),
        }
    }

    /// Compares with the limits; `used` is the memory of the process in MiB, where it is known. The first limit stays.
    pub fn measure(&self, used: Option<u64>) {
        let Some(state) = &self.0 else { return };
        let is_late = state.limits.time.is_some_and(|limit| state.start.elapsed() >= limit);
        let is_large = used.zip(state.limits.memory).is_some_and(|(used, limit)| used >= limit);
        let reached = if is_late { 1 } else { u8::from(is_large) * 2 };
        if reached > 0 {
            // If it is set already, it keeps the limit that was reached first.
            let _ = state.stopped.compare_exchange(0, reached, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// A stage begins.
    pub fn begins(&self, stage: &'static str) {
        if let Some(mut left) = self.left_of() {
            left.stage = stage;
        }
    }

    /// This is to be done.
    pub fn expects(&self, part: Part, names: impl Iterator<Item = String>) {
        if let Some(mut left) = self.left_of() {
            left.parts.extend(names.map(|name| (part, name)));
        }
    }

    /// This was done.
    pub fn finished(&self, part: Part, name: &str) {
        if let Some(mut left) = self.left_of() {
            left.parts.remove(&(part, name.to_owned()));
        }
    }

    /// True if some of these were expected and are not finished.
    pub fn is_left(&self, part: Part) -> bool {
        self.left_of().is_some_and(|left| left.parts.iter().any(|(of, _)| *of == part))
    }

    /// What was begun or expected and is not finished.
    pub fn left(&self) -> Left {
        self.left_of().map(|left| left.clone()).unwrap_or_default()
    }

    fn left_of(&self) -> Option<MutexGuard<'_, Left>> {
        self.0.as_ref().map(|state| state.left.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_stays() {
        let run = Run::start(Limits { time: None, memory: Some(100) });
        run.measure(Some(99));
        assert_eq!((run.is_over(), run.reached()), (false, None));
        run.measure(None);
        assert!(!run.is_over(), "where the memory is not known, there is no limit");
        run.measure(Some(100));
        assert_eq!(run.reached(), Some(Reached::Memory(100)));
        let late = Run::start(Limits { time: Some(Duration::ZERO), memory: Some(1) });
        late.measure(Some(2));
        assert_eq!(late.reached(), Some(Reached::Time(Duration::ZERO)));
    }

    #[test]
    fn what_was_not_finished_is_known() {
        let run = Run::start(Limits::default());
        run.begins("checking rules");
        run.expects(Part::Rule, ["GL101", "GL201"].into_iter().map(str::to_owned));
        run.finished(Part::Rule, "GL101");
        let Left { stage, parts } = run.left();
        assert_eq!((stage, parts.len()), ("checking rules", 1));
        assert!(parts.contains(&(Part::Rule, "GL201".to_owned())));
        assert!(Run::default().left().parts.is_empty());
    }
}
