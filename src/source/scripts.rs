//! Programs that say by their first lines what runs them, whatever their name and mode. It knows how interpreters are started,
//! and no language's syntax.

use super::discover::FileType;

/// As much of a file as its first lines take.
pub const HEAD: u64 = 1024;
/// Lines in which a shell script hands itself on to another interpreter.
const POLYGLOT_LINES: usize = 12;
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ksh", "zsh", "ash"];

/// What a `#!` line looks for.
#[derive(Clone, Copy, Debug)]
pub struct Interpreters {
    /// Beginnings of a program's name: `python` is `python3.12`, too.
    pub names: &'static [&'static str],
    /// A program and the word that makes it run a script: `uv run`.
    pub runners: &'static [(&'static str, &'static str)],
    /// What a statement of the language begins with that a shell reads as a word.
    pub quotes: &'static [u8],
}

/// The language of a script, by its first bytes.
pub fn script_type(head: &[u8], languages: &[FileType]) -> Option<FileType> {
    let rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).strip_prefix(b"#!")?;
    let mut lines = rest.split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = words(lines.next()?);
    let lines: Vec<&[u8]> = lines.take(POLYGLOT_LINES).collect();
    languages.iter().copied().find(|language| {
        let wanted = &language.interpreters;
        runs(&first, wanted)
            || (is_shell(&first) && hands_on(&lines, wanted))
            || is_nix(&first, &lines, wanted)
    })
}

/// The words of a line, programs without their folder, quotes and the like left out.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let parts =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'\'' | b'"' | b'`' | b';' | b'$');
    line.split(parts).filter(|word| !word.is_empty()).collect()
}

fn runs(words: &[&[u8]], wanted: &Interpreters) -> bool {
    let is_named = |word: &&[u8]| wanted.names.iter().any(|name| word.starts_with(name.as_bytes()));
    let is_run = |&(program, word): &(&str, &str)| {
        let mut words = words.iter();
        words.any(|found| *found == program.as_bytes()) && words.any(|found| *found == word.as_bytes())
    };
    words.iter().any(is_named) || wanted.runners.iter().any(is_run)
}

fn is_shell(words: &[&[u8]]) -> bool {
    words.iter().any(|word| SHELLS.iter().any(|shell| *word == shell.as_bytes()))
}

/// `''''exec python3 "$0" "$@"`, `"exec" "python3" "$0"`, `""":"` with the `exec` behind it: the first line that is no comment
/// is a text to the language, and a program to the shell.
fn hands_on(lines: &[&[u8]], wanted: &Interpreters) -> bool {
    let code = |line: &&&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#'));
    let opens = lines.iter().find(code).and_then(|line| line.first());
    let starts = |line: &&[u8]| {
        let words = words(line);
        let exec = words.iter().position(|word| *word == b"exec");
        exec.is_some_and(|at| runs(&words[at..], wanted))
    };
    opens.is_some_and(|first| wanted.quotes.contains(first)) && lines.iter().any(starts)
}

/// `#!/usr/bin/env nix-shell`, and the interpreter in a `#!` line of its own.
fn is_nix(first: &[&[u8]], lines: &[&[u8]], wanted: &Interpreters) -> bool {
    let starts = |words: &[&[u8]]| words.iter().any(|word| word.starts_with(b"nix"));
    let next = |line: &&[u8]| {
        line.strip_prefix(b"#!").is_some_and(|line| starts(&words(line)) && runs(&words(line), wanted))
    };
    starts(first) && lines.iter().any(next)
}

#[cfg(test)]
mod tests {
    use super::super::discover::LANGUAGES;
    use super::*;
    use crate::ir::Lang;

    fn lang(head: &str) -> Option<Lang> {
        script_type(head.as_bytes(), LANGUAGES).map(|found| found.lang)
    }

    #[test]
    fn the_first_line_names_the_interpreter() {
        for line in [
            "#!/usr/bin/python",
            "#! /usr/local/bin/python3.12 -u",
            "#!/usr/bin/env python3",
            "#!/usr/bin/env -S uv run --script",
            "#!/usr/bin/env -S uv --quiet run",
            "#!/usr/bin/env -S pipx run",
            "#!/usr/bin/env -S poetry run python3",
            "#!/opt/pypy3/bin/pypy3",
            "#!python\r",
            "#!/usr/bin/env nix-shell\n#! nix-shell -i python3 -p python3",
        ] {
            assert_eq!(lang(&format!("{line}\nimport os\n")), Some(Lang::Python), "{line}");
        }
        assert_eq!(lang("#!/usr/bin/env rust-script\n"), Some(Lang::Rust));
        assert_eq!(lang("#!/usr/bin/env -S cargo +nightly -Zscript\n"), Some(Lang::Rust));
    }

    #[test]
    fn a_shell_script_may_hand_itself_on() {
        for lines in [
            "#!/bin/sh\n''''exec python3 -u \"$0\" \"$@\" # '''\n",
            "#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\n",
            "#!/bin/sh\n'''exec' \"/opt/a b/python3.11\" \"$0\" \"$@\"\n' '''\n",
            "#!/bin/bash\n# mode: python\n\n\"\"\":\"\nexec /usr/bin/env python3 \"$0\" \"$@\"\n\"\"\"\n",
            "#!/bin/sh\n''''which python3 >/dev/null && exec python3 \"$0\" \"$@\" # '''\n",
            "#!/bin/sh\n\"exec\" \"uv\" \"run\" \"--script\" \"$0\"\n",
        ] {
            assert_eq!(lang(lines), Some(Lang::Python), "{lines}");
        }
    }

    #[test]
    fn other_scripts_are_none() {
        for lines in [
            "#!/bin/sh\nexec python3 -m agent \"$@\"\n",
            "#!/bin/sh\npython3 agent.py\n",
            "#!/usr/bin/env node\n",
            "#!/usr/bin/env -S uv pip install\n",
            "#!/bin/sh\n'echo' \"python3\"\n",
            "# /usr/bin/python3\n",
            "\n#!/usr/bin/python3\n",
            "",
        ] {
            assert_eq!(lang(lines), None, "{lines}");
        }
    }
}
