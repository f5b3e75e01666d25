//! The last line of defence: a panic anywhere ends as exit 2 with a message, never as a verdict.

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};

use super::progress;
use crate::exit::ExitCode;
use crate::report;

/// Runs everything. The message is printed where the panic happens, since a thread pool drops the place of it.
pub fn guard(run: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        progress::erase();
        // Whoever closed standard error does not want to know.
        let _ = writeln!(
            std::io::stderr().lock(),
            "error: internal error: {}{place}; there is no verdict, please report this",
            report::escape_line(text)
        );
    }));
    let exit = panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(ExitCode::Error);
    // Other threads may have gone on for a while.
    progress::erase();
    exit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel;

    #[test]
    fn a_panic_is_no_verdict() {
        assert_eq!(guard(|| panic!("on purpose")), ExitCode::Error);
        let in_a_thread = || parallel::join(|| (), || panic!("on purpose"));
        assert_eq!(
            guard(|| {
                let ((), ()) = in_a_thread();
                ExitCode::Clean
            }),
            ExitCode::Error
        );
        assert_eq!(guard(|| ExitCode::Clean), ExitCode::Clean);
    }
}
