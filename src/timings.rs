//! Where the time goes: one line per stage of the pipeline, for `--timings`, and whoever wants to watch a run. Never part of
//! a report.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::limits::Run;

/// Somebody who looks on while the stages run; asked from any thread, so it has to be quick.
pub trait Watch: Send + Sync {
    /// A stage begins that has this many parts; 0 if it cannot be counted.
    fn begins(&self, stage: &'static str, of: usize);
    /// One part of it is done.
    fn advances(&self);
}

pub struct Timings {
    start: Instant,
    last: Instant,
    stages: Vec<(&'static str, Duration, String)>,
    watch: Option<Arc<dyn Watch>>,
    /// The limits of the whole.
    pub run: Run,
}

impl fmt::Debug for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.stages).finish()
    }
}

impl Timings {
    pub fn start() -> Self {
        Self::watched(None)
    }

    pub fn watched(watch: Option<Arc<dyn Watch>>) -> Self {
        let now = Instant::now();
        Self { start: now, last: now, stages: Vec::new(), watch, run: Run::default() }
    }

    /// The same within the limits of a run.
    pub fn within(self, run: &Run) -> Self {
        Self { run: run.clone(), ..self }
    }

    /// Says what begins now.
    pub fn begin(&self, stage: &'static str, of: usize) {
        self.run.begins(stage);
        if let Some(watch) = &self.watch {
            watch.begins(stage, of);
        }
    }

    /// Says that a part of it is done.
    pub fn advance(&self) {
        if let Some(watch) = &self.watch {
            watch.advances();
        }
    }

    /// Ends a stage; `size` says how much it made.
    pub fn stage(&mut self, name: &'static str, size: impl Into<String>) {
        let now = Instant::now();
        self.stages.push((name, now - self.last, size.into()));
        self.last = now;
    }

    pub fn table(&self) -> String {
        let mut table = String::new();
        let total = ("total", self.last - self.start, String::new());
        for (name, time, size) in self.stages.iter().chain([&total]) {
            let milliseconds = time.as_secs_f64() * 1000.0;
            // Writing to a string cannot fail.
            let _ = writeln!(table, "{}", format!("{name:10} {milliseconds:9.1} ms  {size}").trim_end());
        }
        table
    }
}
