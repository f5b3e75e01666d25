//! What a shell and `man` want to know of the command line. Both are made from its definition, so they never lag behind.

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use thiserror::Error;

use super::Cli;

const COMPLETIONS_HELP: &str = "\
Examples:
  gatelint completions bash > ~/.local/share/bash-completion/completions/gatelint
  gatelint completions zsh > ~/.zfunc/_gatelint          with `fpath+=~/.zfunc` in .zshrc
  gatelint completions fish > ~/.config/fish/completions/gatelint.fish";

#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

const MAN_HELP: &str = "\
Examples:
  gatelint man > gatelint.1
  gatelint man baseline write > gatelint-baseline-write.1";

#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub struct ManArgs {
    /// Of a command and not of the program, such as `check` or `baseline write`
    pub command: Vec<String>,
}

#[derive(Debug, Error)]
#[error("there is no command `{0}`; `gatelint --help` lists them all")]
pub struct NoCommand(String);

pub fn completions(args: &CompletionsArgs) -> String {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gatelint", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The page of one command, as roff. It is called `gatelint-baseline-write`, as its file is.
pub fn man(args: &ManArgs) -> Result<String, NoCommand> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut page = &program;
    for word in &args.command {
        let next = page.get_subcommands().find(|command| command.get_name() == word);
        page = next.ok_or_else(|| NoCommand(args.command.join(" ")))?;
    }
    Ok(render(page.clone()))
}

fn render(command: Command) -> String {
    let mut page = Vec::new();
    let page_of =
        Man::new(command).manual("gatelint").source(concat!("gatelint ", env!("CARGO_PKG_VERSION")));
    // Writing to memory cannot fail.
    let _ = page_of.render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}
