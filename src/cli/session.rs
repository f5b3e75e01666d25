//! `gatelint manifest` and `gatelint plan`: which tools, which session, which plan.

use camino::Utf8PathBuf;
use clap::Args;

use super::input::InputArgs;
use super::scan::ScanArgs;

const MANIFEST_HELP: &str = "\
A tool that brings internal data into a session blocks tools that reach outside for the rest of it. Which tool is which is \
what `gatelint commands` shows: `[tools.NAME]` in `gatelint.toml`, annotations in the code, then what a tool does. A tool of \
no class is blocked and blocks nothing.

Examples:
  gatelint manifest --session sess_abc123
  gatelint manifest --tools search_email,web_search         what this session offers
  gatelint manifest --prompt                                the same as text, for the system prompt

Exit codes:
  0  the manifest is printed
  2  wrong usage or configuration, a tool that is not known, or an internal error
  3  no tool is known
  4  incomplete: something was skipped, only partly understood or not followed to its end";

const PLAN_HELP: &str = "\
A plan is JSON: `{\"planned_calls\": [\"search_email\", \"web_search\"]}`, with `\"depends_on\": [[], [0]]` if steps need the \
results of earlier ones. The answer says whether it is valid, which steps would be blocked, and the nearest safe order, `null` if \
there is none. A tool of no class is blocked after internal data was read.

Examples:
  gatelint plan plan.json
  echo '{\"planned_calls\": [\"search_email\", \"web_search\"]}' | gatelint plan -
  gatelint plan --lines -                                   one plan a line, one answer a line, until the input ends

Exit codes:
  0  every plan is valid
  1  a plan is not
  2  wrong usage or configuration, a plan that is none (with `--lines` the others are answered), or an internal error
  3  no tool is known
  4  every plan is valid, but the analysis of the project is incomplete";

#[derive(Debug, Args)]
#[command(after_help = MANIFEST_HELP)]
pub struct ManifestArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// The id of the session, as the manifest shall show it
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,

    /// What the session offers; everything if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tools: Vec<String>,

    /// Print the planning constraint for the system prompt; nothing if every order is allowed
    #[arg(long, conflicts_with = "session")]
    pub prompt: bool,

    #[command(flatten)]
    pub scan: ScanArgs,
}

#[derive(Debug, Args)]
#[command(after_help = PLAN_HELP)]
pub struct PlanArgs {
    /// The plan; `-` is standard input
    #[arg(value_name = "FILE")]
    pub plan: Utf8PathBuf,

    #[command(flatten)]
    pub input: InputArgs,

    /// One plan a line; each is answered in one line before the next is read
    #[arg(long)]
    pub lines: bool,

    #[command(flatten)]
    pub scan: ScanArgs,
}
