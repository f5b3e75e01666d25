//! How a language writes what `gatelint mutate` puts in place of a guard: nothing, a flag around it, a refusal that is lost.
//! A spelling knows text alone; which text is a guard is said by whoever asks. Its texts end without a line break, and the
//! lines after the first begin with the indent that was given.

/// What a function comes back with that no longer does its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stub {
    /// Nothing, or success without a value.
    Nothing,
    /// Yes.
    Yes,
    /// Yes, with an empty reason.
    YesAndReason,
    /// What it was given, by the name of the parameter; or another value, as it is written.
    Given(String),
}

/// The text of a mutation, in one language.
pub trait Spelling: Sync {
    /// A statement without effect. It stands for a whole one, its terminator included.
    fn nothing(&self) -> &'static str;

    /// What ends a simple statement.
    fn terminator(&self) -> &'static str;

    /// The value that is no value.
    fn none(&self) -> &'static str;

    fn truth(&self, is_true: bool) -> &'static str;

    /// The name of a flag that nobody knows before the program runs.
    fn flag(&self) -> &'static str;

    /// What has to stand at the end of a file that uses the flag.
    fn flag_definition(&self) -> &'static str;

    /// A statement that runs only under the flag.
    fn when(&self, statement: &str, indent: &str) -> String;

    /// A statement that runs only without the flag, and goes on to what follows.
    fn unless(&self, statement: &str, indent: &str) -> String;

    /// One value under the flag, and the other without it.
    fn either(&self, value: &str, otherwise: &str) -> String;

    /// True only if the test and the flag are.
    fn and_flag(&self, test: &str) -> String;

    /// True if the test is, or the flag is off.
    fn or_no_flag(&self, test: &str) -> String;

    /// A statement whose errors are lost; where one was, `otherwise` runs. None if the language has no such statement.
    fn swallowed(&self, statement: &str, otherwise: &str, indent: &str) -> Option<String>;

    /// A value whose error is lost; where one was, it is `otherwise`. None if an error is no value.
    fn swallowed_value(&self, value: &str, otherwise: &str) -> Option<String>;

    /// A call that runs only where assertions do.
    fn asserted(&self, call: &str) -> String;

    /// A test that may not come out true where assertions run.
    fn asserted_not(&self, test: &str) -> String;

    fn bound(&self, name: &str, value: &str) -> String;

    fn returned(&self, value: &str) -> String;

    /// The statement by which a function with this declared result comes back.
    fn leave(&self, result: Option<&str>, stub: &Stub) -> String;

    /// What methods call the object, or the class, that they belong to.
    fn objects(&self) -> &'static [&'static str];

    /// What stands before a decorator; none if the language has none that wraps a function.
    fn decorator_mark(&self) -> Option<char>;

    /// What opens a block behind a manager that was taken away.
    fn unmanaged(&self) -> Option<&'static str>;
}
