//! What a long run says on a terminal while it lasts: one line on standard error, which is gone before anything else is
//! printed. It is drawn by whichever thread just got something done, never more than a few times a second, and never in a
//! run that is short, piped or watched by a machine.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;

use crate::timings::Watch;

/// Whoever waits for less need not know what for.
const PATIENCE: Duration = Duration::from_millis(400);
const BETWEEN: Duration = Duration::from_millis(100);
/// The line never reaches the border of a terminal, where some would begin another.
const MAX_CHARS: usize = 59;

#[derive(Debug, Args)]
pub struct ProgressArgs {
    /// Do not show on a terminal how far a long run is
    #[arg(long)]
    pub no_progress: bool,
}

/// How wide the line on standard error is; 0 if there is none. There is one standard error for all.
static DRAWN: Mutex<usize> = Mutex::new(0);

/// Takes the line away; whoever is about to print calls this first.
pub fn erase() {
    let mut drawn = drawn();
    if *drawn > 0 {
        // Whoever closed standard error sees no line.
        let _ = overwrite(&mut io::stderr().lock(), "", &mut drawn);
    }
}

fn drawn() -> MutexGuard<'static, usize> {
    DRAWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `text` over the line before. No escape sequence: what a terminal has to know is the carriage return.
fn overwrite(out: &mut impl Write, text: &str, drawn: &mut usize) -> io::Result<()> {
    let blank = " ".repeat(drawn.saturating_sub(text.chars().count()));
    *drawn = text.chars().count();
    let back = if text.is_empty() { "\r" } else { "" };
    write!(out, "\r{text}{blank}{back}")?;
    out.flush()
}

/// True if a person watches: standard error is a terminal that can go back in a line, and no CI system keeps a log of it.
fn wanted(args: &ProgressArgs, env: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let in_ci = set("CI").is_some_and(|value| value != "false" && value != "0");
    let is_dumb = set("TERM").is_some_and(|term| term == "dumb");
    is_terminal && !args.no_progress && !in_ci && !is_dumb
}

/// What is shown of a run.
struct Line {
    start: Instant,
    /// Milliseconds after the start.
    next: AtomicU64,
    stage: Mutex<&'static str>,
    done: AtomicUsize,
    of: AtomicUsize,
}

/// The line of a run that begins now, if one is wanted.
pub fn watch(args: &ProgressArgs) -> Option<Arc<dyn Watch>> {
    wanted(args, |name| std::env::var_os(name), io::stderr().is_terminal())
        .then(|| Arc::new(Line::new()) as _)
}

impl Line {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            next: AtomicU64::new(PATIENCE.as_millis() as u64),
            stage: Mutex::new(""),
            done: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
        }
    }

    fn text(&self) -> String {
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, of) = (self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        let text = match of {
            0 => format!("gatelint: {stage} …"),
            of => format!("gatelint: {stage}, {done} of {of}"),
        };
        text.chars().take(MAX_CHARS).collect()
    }

    /// True for one caller each time that it is time to draw.
    fn is_due(&self, now: Duration) -> bool {
        let now = now.as_millis() as u64;
        let next = self.next.load(Ordering::Relaxed);
        let then = now + BETWEEN.as_millis() as u64;
        next <= now && self.next.compare_exchange(next, then, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn draw(&self) {
        let mut drawn = drawn();
        // What cannot be shown need not be.
        let _ = overwrite(&mut io::stderr().lock(), &self.text(), &mut drawn);
    }
}

impl Watch for Line {
    fn begins(&self, stage: &'static str, of: usize) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        self.done.store(0, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
        // It may be long before the next word.
        if self.start.elapsed() >= PATIENCE {
            self.draw();
        }
    }

    fn advances(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.is_due(self.start.elapsed()) {
            self.draw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: bool, no_progress: bool, env: &[(&str, &str)], is_terminal: bool) {
        let look_up = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        assert_eq!(wanted(&ProgressArgs { no_progress }, look_up, is_terminal), expected, "{env:?}");
    }

    #[test]
    fn only_a_person_sees_it() {
        check(true, false, &[("TERM", "xterm")], true);
        check(true, false, &[("CI", ""), ("TERM", "")], true);
        check(false, false, &[("TERM", "xterm")], false);
        check(false, true, &[], true);
        check(false, false, &[("TERM", "dumb")], true);
        check(false, false, &[("CI", "true")], true);
        check(true, false, &[("CI", "false")], true);
    }

    #[test]
    fn a_line_leaves_nothing_behind() {
        let (mut out, mut drawn) = (Vec::new(), 0);
        for text in ["reading, 10 of 20", "linking", ""] {
            overwrite(&mut out, text, &mut drawn).unwrap();
        }
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out, "\rreading, 10 of 20\rlinking          \r       \r");
        assert!(screen(&out).trim().is_empty(), "{:?}", screen(&out));
    }

    /// What a terminal shows of it.
    fn screen(text: &str) -> String {
        let (mut line, mut at): (Vec<char>, usize) = (Vec::new(), 0);
        for c in text.chars() {
            if c == '\r' {
                at = 0;
                continue;
            }
            line.resize(line.len().max(at + 1), ' ');
            line[at] = c;
            at += 1;
        }
        line.into_iter().collect()
    }

    #[test]
    fn a_short_run_draws_nothing_and_a_long_one_seldom() {
        let line = Line::new();
        assert!(!line.is_due(Duration::from_millis(399)));
        assert!(line.is_due(Duration::from_millis(400)));
        assert!(!line.is_due(Duration::from_millis(499)));
        assert!(line.is_due(Duration::from_millis(500)));
    }

    #[test]
    fn it_says_what_is_done_and_stays_within_the_screen() {
        let line = Line::new();
        line.begins("reading files", 20);
        line.advances();
        assert_eq!(line.text(), "gatelint: reading files, 1 of 20");
        line.begins("following calls", 0);
        assert_eq!(line.text(), "gatelint: following calls …");
        line.begins("a stage with a name that is longer than any terminal is wide", 7);
        assert_eq!(line.text().chars().count(), MAX_CHARS);
    }
}
