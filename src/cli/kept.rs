//! Where verdicts are kept, as arguments and by the environment, and what of a command line a verdict depends on.

use std::ffi::OsString;
use std::path::PathBuf;

use camino::Utf8PathBuf;
use clap::Args;

use super::CheckArgs;

const OWN: &str = "gatelint";

#[derive(Debug, Args)]
pub struct KeepArgs {
    /// Keep verdicts in this folder in place of the cache folder of the user; also GATELINT_CACHE_DIR. A run over files that did not change is answered from there
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache_dir: Option<Utf8PathBuf>,

    /// Analyse in any case, and keep nothing; also GATELINT_NO_CACHE=1
    #[arg(long)]
    pub no_cache: bool,
}

#[derive(Debug, Args)]
pub struct CleanArgs {
    /// The folder of `check --cache-dir`, beside the cache folder of the user; also GATELINT_CACHE_DIR
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<Utf8PathBuf>,
}

/// The folders that a run may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folders {
    /// Of the user.
    pub own: PathBuf,
    /// Named by hand, for verdicts.
    pub named: Option<PathBuf>,
}

impl KeepArgs {
    /// `None` if nothing is to be kept.
    pub fn folders(&self) -> Option<Folders> {
        let is_off = set("GATELINT_NO_CACHE").is_some_and(|value| value != "0");
        if self.no_cache || is_off { None } else { folders(self.cache_dir.as_ref()) }
    }
}

impl CleanArgs {
    pub fn folders(&self) -> Option<Folders> {
        folders(self.cache_dir.as_ref())
    }
}

fn folders(named: Option<&Utf8PathBuf>) -> Option<Folders> {
    let named = named.map(|folder| folder.clone().into_std_path_buf());
    let named = named.or_else(|| set("GATELINT_CACHE_DIR").map(PathBuf::from));
    Some(Folders { own: own(set)?, named })
}

fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Takes the environment as a function, so that it can be told from tests.
fn own(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        let home = || absolute("HOME");
        let usual = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        absolute("XDG_CACHE_HOME").or_else(|| Some(home()?.join(usual)))
    };
    Some(caches?.join(OWN))
}

impl CheckArgs {
    /// All that a report depends on of a command line; `None` if the run writes files, reads standard input, or is to be
    /// measured. A new argument has to be put in its place here.
    pub fn depends_on(&self) -> Option<String> {
        let CheckArgs {
            input,
            select,
            ignore,
            fail_on,
            min_confidence,
            known,
            format,
            statistics,
            full,
            output,
            also,
            exit_zero,
            strict_coverage,
            no_ignore,
            team,
            config,
            color,
            threads: _,
            timings,
            limits,
            progress: _,
            keep: _,
        } = self;
        let writes = output.is_some() || !also.is_empty() || known.add_waivers.is_some();
        if writes || *timings || input.reads_stdin() {
            return None;
        }
        let asked = (input, select, ignore, known, team, config, no_ignore, strict_coverage);
        let shown = (fail_on, min_confidence, format, statistics, full, exit_zero, color);
        Some(format!("{asked:?} {shown:?} {limits:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_folder_of_the_user_is_absolute() {
        let of = |env: &[(&str, &str)]| {
            own(|name| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
        };
        assert_eq!(of(&[("HOME", "/h")]), Some("/h/.cache/gatelint".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), Some("/c/gatelint".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]), Some("/h/.cache/gatelint".into()));
        assert_eq!(of(&[("HOME", "h")]), None);
        assert_eq!(of(&[]), None);
    }
}
