//! Where the time goes: one line per stage of the pipeline, for `--timings`. Never part of a report.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Timings {
    start: Instant,
    last: Instant,
    stages: Vec<(&'static str, Duration, String)>,
}

impl Timings {
    pub fn start() -> Self {
        let now = Instant::now();
        Self { start: now, last: now, stages: Vec::new() }
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
