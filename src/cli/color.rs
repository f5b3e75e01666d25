//! Whether to use colours. The flag decides, then what users and CI systems agreed on, then the terminal.

use std::ffi::OsString;

use clap::ValueEnum;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

/// Flag, `NO_COLOR`, `FORCE_COLOR` or `CLICOLOR_FORCE`, `CLICOLOR=0`, terminal: the first that speaks decides.
/// Takes the environment as a function, so that it can be told from tests.
pub fn wanted(arg: ColorArg, env: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let forced = |name: &str| set(name).is_some_and(|value| value != "0");
    match arg {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto if set("NO_COLOR").is_some() => false,
        ColorArg::Auto if forced("FORCE_COLOR") || forced("CLICOLOR_FORCE") => true,
        ColorArg::Auto if set("CLICOLOR").is_some_and(|value| value == "0") => false,
        ColorArg::Auto => is_terminal && set("TERM").is_none_or(|term| term != "dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: bool, arg: ColorArg, env: &[(&str, &str)], is_terminal: bool) {
        let look_up = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        assert_eq!(wanted(arg, look_up, is_terminal), expected, "{env:?}");
    }

    #[test]
    fn the_flag_decides() {
        check(true, ColorArg::Always, &[("NO_COLOR", "1")], false);
        check(false, ColorArg::Never, &[("FORCE_COLOR", "1")], true);
    }

    #[test]
    fn then_no_color_then_force_then_clicolor() {
        check(false, ColorArg::Auto, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], true);
        check(true, ColorArg::Auto, &[("NO_COLOR", ""), ("FORCE_COLOR", "1")], false);
        check(true, ColorArg::Auto, &[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")], false);
        check(false, ColorArg::Auto, &[("FORCE_COLOR", "0")], false);
        check(false, ColorArg::Auto, &[("CLICOLOR", "0")], true);
    }

    #[test]
    fn then_the_terminal() {
        check(true, ColorArg::Auto, &[("TERM", "xterm")], true);
        check(false, ColorArg::Auto, &[("TERM", "xterm")], false);
        check(false, ColorArg::Auto, &[("TERM", "dumb")], true);
        check(true, ColorArg::Auto, &[], true);
    }
}
