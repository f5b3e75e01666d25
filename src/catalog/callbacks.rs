//! Library functions that run, wrap or hand back the callables they are given.

use serde::Deserialize;

use super::Catalog;

/// What a callee does with the callables it is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    #[serde(default)]
    pub(super) call: Vec<String>,
    /// Last names that say enough where the receiver is not known (`run_in_executor`).
    #[serde(default)]
    pub(super) name: Vec<String>,
    /// Attributes of modules: what is put there is run by the interpreter.
    #[serde(default)]
    pub(super) stored: Vec<String>,
    #[serde(default)]
    pub runs: Vec<Runs>,
    /// The other arguments are handed to the callable.
    #[serde(default)]
    pub forwards: bool,
    /// What it runs is run on each of many.
    pub each: Option<Each>,
    pub result: Option<CallbackResult>,
    /// What it runs has run, and has thrown what it throws, at once, once its result is awaited, or once one of these methods
    /// of the result has been called; nothing says when if there are none.
    #[serde(default)]
    pub ready: Vec<String>,
}

impl Catalog {
    /// A method of a result that waits for what was run, and throws what that threw.
    pub fn makes_ready(&self, method: &str) -> bool {
        self.callback_list.iter().any(|callback| callback.ready.iter().any(|ready| ready == method))
    }

    /// True for an attribute of a module of which the interpreter runs what is put there.
    pub fn runs_stored(&self, path: &str) -> bool {
        self.callback_list.iter().any(|callback| callback.stored.iter().any(|stored| stored == path))
    }
}

/// As `ready` spells that the call itself waits, ...
pub const AT_ONCE: &str = "now";
/// ... and that its result has to be awaited.
pub const AWAITED: &str = "await";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    pub index: Option<usize>,
    pub name: Option<String>,
    /// Only where another argument stands at this position: `iter(read, sentinel)`.
    pub beside: Option<usize>,
    #[serde(default)]
    pub when: RunsWhen,
}

/// What is run on each of many is given one of them.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Each {
    /// The argument that holds them; what the method is called on, if there is none.
    pub argument: Option<usize>,
    /// The parameter that one of them goes into.
    #[serde(default)]
    pub parameter: u32,
    /// What further arguments hold goes into further parameters.
    #[serde(default)]
    pub rest: bool,
    /// Each of them holds the arguments.
    #[serde(default)]
    pub spread: bool,
}

impl Runs {
    /// True for a call of so many arguments.
    pub fn is_meant(&self, arguments: usize) -> bool {
        self.beside.is_none_or(|beside| arguments > beside)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunsWhen {
    #[default]
    Now,
    Later,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallbackResult {
    /// The call hands the callable back (`partial`, `wraps`).
    Callable,
    /// The call hands back what the callable returns (`to_thread`).
    Called,
    /// The same, and of a generator what it yields: somebody runs the call for whoever asks (`Depends`).
    Provided,
    /// The call hands back what the callable returns for each of many.
    Collected,
    /// The call hands the argument back, whatever it is, and runs nothing (`closing`).
    Argument,
}
