//! The limits of a run, as arguments, and the thread that watches them. A run that reaches one is asked to stop and reports
//! what it has; one that does not answer is ended. Either way the exit code says that the analysis is incomplete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use clap::Args;

use crate::exit::ExitCode;
use crate::limits::{Left, Limits, Part, Run};

const BETWEEN: Duration = Duration::from_millis(50);
/// How long a run that was asked to stop may take to put together what it has.
const GRACE: Duration = Duration::from_secs(10);
/// How many parts a message names.
const MAX_NAMED: usize = 10;

#[derive(Debug, Args)]
pub struct LimitArgs {
    /// After so many seconds, stop within two with what was found (exit code 4); 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub timeout: u64,

    /// Stop when the process uses so much memory (exit code 4), on Linux; 0 for no limit
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    pub max_memory: u64,
}

impl LimitArgs {
    /// Does the work, which asks `Run` whether to stop. Reports are written afterwards, for as long as their readers take.
    pub fn watched<T>(&self, work: impl FnOnce(&Run) -> T) -> T {
        let given = |limit: u64| (limit > 0).then_some(limit);
        let limits =
            Limits { time: given(self.timeout).map(Duration::from_secs), memory: given(self.max_memory) };
        let run = Run::start(limits);
        let watchdog = Watchdog::start(run.clone(), GRACE, end);
        let done = work(&run);
        watchdog.stop();
        done
    }
}

/// Without a thread for it there is no limit: that is no reason not to look at the code.
struct Watchdog {
    /// Set by whichever comes first, the end of the work or the end of the patience.
    is_decided: Arc<AtomicBool>,
    thread: Option<Thread>,
}

impl Watchdog {
    fn start(run: Run, grace: Duration, end: impl FnOnce(&Run) + Send + 'static) -> Self {
        let is_decided = Arc::new(AtomicBool::new(false));
        let decided = Arc::clone(&is_decided);
        let watch = move || {
            if !is_patient(&run, grace, &decided) && !decided.swap(true, Ordering::SeqCst) {
                end(&run);
            }
        };
        let thread = thread::Builder::new().name("limits".to_owned()).spawn(watch);
        Self { is_decided, thread: thread.ok().map(|thread| thread.thread().clone()) }
    }

    /// The work is done. If the run is being ended at this very moment, that is what counts.
    fn stop(self) {
        if self.is_decided.swap(true, Ordering::SeqCst) {
            loop {
                thread::park();
            }
        }
        self.thread.iter().for_each(Thread::unpark);
    }
}

/// Watches until the work is done, which is true, or has not stopped within its grace.
fn is_patient(run: &Run, grace: Duration, decided: &AtomicBool) -> bool {
    let mut asked: Option<Instant> = None;
    while !decided.load(Ordering::SeqCst) {
        run.measure(memory());
        if run.is_over() && asked.get_or_insert_with(Instant::now).elapsed() >= grace {
            return false;
        }
        thread::park_timeout(BETWEEN);
    }
    true
}

/// What the process uses, in MiB, where the system says it.
fn memory() -> Option<u64> {
    // gatelint: allow[GL105] reason="no file of anybody: the system says here what this process uses"
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib >> 10)
}

/// Ends a run that does not answer: nothing of what it found can be shown.
fn end(run: &Run) {
    super::remark(&ended(run));
    std::process::exit(ExitCode::Incomplete.code().into());
}

fn ended(run: &Run) -> String {
    let why = run.reached().map(|reached| reached.to_string()).unwrap_or_default();
    let Left { stage, parts } = run.left();
    let stage = if stage.is_empty() { "reading files" } else { stage };
    let named = |part: Part, noun: &str| {
        let names: Vec<&str> =
            parts.iter().filter(|(of, _)| *of == part).map(|(_, name)| name.as_str()).collect();
        let more = names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        let shown = names.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("; {noun} that were not finished: {shown}{more}"))
    };
    let parts: String =
        [named(Part::File, "files"), named(Part::Rule, "rules")].into_iter().flatten().collect();
    format!("the analysis is incomplete and there is no report: {why} and was ended while {stage}{parts}")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_run_that_does_not_answer_is_ended() {
        let run = Run::start(Limits { time: Some(Duration::ZERO), memory: None });
        run.begins("checking rules");
        run.expects(Part::Rule, (100..112).map(|id| format!("GL{id}")));
        run.finished(Part::Rule, "GL100");
        let (say, said) = mpsc::channel();
        let _watchdog =
            Watchdog::start(run, Duration::from_millis(1), move |run| say.send(ended(run)).unwrap());
        let text = said.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(text.contains("limit of 0 s") && text.contains("while checking rules"), "{text}");
        assert!(text.contains("GL101, GL102") && text.ends_with("and 1 more"), "{text}");
    }

    #[test]
    fn a_run_that_ends_in_time_is_left_alone() {
        let run = Run::start(Limits { time: Some(Duration::from_secs(3600)), memory: None });
        let (say, said) = mpsc::channel();
        let watchdog = Watchdog::start(run, Duration::ZERO, move |_| say.send(()).unwrap());
        watchdog.stop();
        assert!(said.recv_timeout(Duration::from_secs(60)).is_err(), "the thread is gone and said nothing");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_the_process_is_known() {
        assert!(memory().is_some_and(|mib| mib > 0 && mib < 1 << 20));
    }
}
