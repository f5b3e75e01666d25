//! `gatelint test-rules`: which folders, and what an example says.

use camino::Utf8PathBuf;
use clap::Args;

const TEST_HELP: &str = "\
A rule is one TOML file:
  id = \"ACME001\"
  name = \"pickle-in-tool\"
  summary = \"tool unpickles data\"
  severity = \"error\"
  message = \"`{function}` can reach `{callee}`, which runs whatever the data says\"
  help = \"exchange data with tools as JSON\"

  [[match]]
  reach = { from = \"tool\", path = [\"pickle.loads\", \"pickle.load\"] }

  [[example]]
  name = \"a tool that restores what it is given\"
  code = \"\"\"
  …
  \"\"\"

An example shows code; its marks say what must come of it:
  # error         at the end of a line: the rule reports there
  # todo-error    a known miss: the example fails once it is found
  # file: a/b.py  on a line of its own: another file begins
Lines without a mark must stay silent.

What an example comes out as:
  missing  a line that must report is silent
  noisy    a line reports that must be silent
  wrong    both, usually the right finding at another line
  closed   a known miss is found: mark it `# error`

Exit codes:
  0  every example came out as it says
  1  one did not
  2  a mistake in a rule file
  3  there is no rule";

#[derive(Debug, Args)]
#[command(after_help = TEST_HELP)]
pub struct TestArgs {
    /// Folders of rule files
    #[arg(required = true, value_name = "DIR")]
    pub paths: Vec<Utf8PathBuf>,
}
