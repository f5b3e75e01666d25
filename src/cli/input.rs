//! What to look at: paths, a list of files, or standard input.

use camino::Utf8PathBuf;
use clap::Args;
use thiserror::Error;

use crate::source::Input;

const STDIN: &str = "-";

#[derive(Debug, Args)]
pub struct InputArgs {
    /// Files and folders to report on; what is named is scanned even if ignored or excluded. The project around them is
    /// loaded, and a finding counts if any step of it lies in one of them. `-` takes the text of one file from standard
    /// input
    #[arg(default_value = ".")]
    pub paths: Vec<Utf8PathBuf>,

    /// Report on the files that this file lists, one a line; `-` reads the list from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub files_from: Option<Utf8PathBuf>,

    /// The paths are files that changed, as a commit hook names them: what is gone, excluded or no source file is passed
    /// over, and if nothing is left there is nothing to report (exit code 0)
    #[arg(long, requires = "paths", conflicts_with_all = ["files_from", "stdin_filename"])]
    pub changed: bool,

    /// The names of `--files-from` end in NUL, as `git diff -z --name-only` writes them
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,

    /// With `-`: the file whose text it is, by which the project around it is found
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<Utf8PathBuf>,
}

#[derive(Debug, Error)]
pub enum InputError {
    #[error(
        "`-` is the text of one file; say which by `--stdin-filename NAME`, so that its project is found"
    )]
    NoName,
    #[error("`-` stands alone; name the other paths in a run of their own")]
    NotAlone,
    #[error("`--stdin-filename` says what `-` is; add `-`, or name the file itself")]
    NoStdin,
}

impl InputArgs {
    pub fn reads_stdin(&self) -> bool {
        self.files_from.iter().chain(&self.paths).any(|path| path == STDIN) || self.stdin_filename.is_some()
    }

    pub fn input(&self) -> Result<Input, InputError> {
        if self.changed {
            return Ok(Input::Changed(self.paths.clone()));
        }
        let takes_stdin = self.paths.iter().any(|path| path == STDIN);
        if let Some(file) = &self.files_from {
            let separator = if self.null { '\0' } else { '\n' };
            let from = Some(file.clone()).filter(|file| file != STDIN);
            return match &self.stdin_filename {
                Some(_) => Err(InputError::NoStdin),
                None => Ok(Input::List { from, separator }),
            };
        }
        match &self.stdin_filename {
            None if takes_stdin => Err(InputError::NoName),
            None => Ok(Input::Paths(self.paths.clone())),
            Some(_) if !takes_stdin => Err(InputError::NoStdin),
            Some(_) if self.paths.len() > 1 => Err(InputError::NotAlone),
            Some(name) => Ok(Input::Text(name.clone())),
        }
    }
}
