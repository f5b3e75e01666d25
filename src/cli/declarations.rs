//! `gatelint declarations`: which transcripts, and how to print what is in them.

use camino::Utf8PathBuf;
use clap::Args;

use super::ListFormat;

const DECLARATIONS_HELP: &str = "\
Reads what a model said, prose and all, and finds the JSON in it: comm declarations, external_info blocks and their \
entries (`gatelint explain GL501` shows the forms). JSON that looks like one and breaks off is reported where it breaks.

Examples:
  gatelint declarations answer.txt
  curl -s $MODEL_URL -d @request.json | jq -r .answer | gatelint declarations - --format json

Exit codes, the same for every format:
  0  every declaration is as it has to be
  1  something is wrong with one
  2  wrong usage, or a file that cannot be read
  3  nothing is declared";

#[derive(Debug, Args)]
#[command(after_help = DECLARATIONS_HELP)]
pub struct DeclarationsArgs {
    /// Transcripts: text of any kind; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<Utf8PathBuf>,

    /// How to print what was declared
    #[arg(long, value_enum, default_value_t = ListFormat::Human)]
    pub format: ListFormat,
}
