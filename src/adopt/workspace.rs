//! The project's own folder outside its tree: where it keeps what belongs to a user, in the home directory or where a platform
//! wants such data, under the project's own name.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::package;
use super::survey::{Access, Survey};
use crate::catalog::folder_of;

/// So many accesses to a folder of the project's name make it the project's own.
const MIN_ACCESSES: usize = 2;
/// A shorter name begins too many others.
const MIN_SIMILAR: usize = 4;
/// Where programs keep their folders, besides the home directory itself.
const BASES: [&str; 10] = [
    ".config",
    ".cache",
    ".local/share",
    ".local/state",
    "Library/Application Support",
    "Library/Caches",
    "Library/Logs",
    "AppData/Roaming",
    "AppData/Local",
    "",
];

/// A folder that may be the project's own.
#[derive(Default)]
pub struct Own {
    pub access: Access,
    /// It is called like the project, and not only similarly.
    pub is_named: bool,
}

impl Own {
    pub fn is_clear(&self) -> bool {
        self.is_named && self.access.count >= MIN_ACCESSES
    }
}

/// The folders, as the configuration writes them.
pub fn own_folders(survey: &Survey) -> BTreeMap<String, Own> {
    let names: BTreeSet<String> =
        survey.names.iter().map(String::as_str).chain(package(&survey.files)).map(plain).collect();
    let mut folders: BTreeMap<String, Own> = BTreeMap::new();
    for (place, access) in &survey.accesses {
        let Some((folder, is_named)) = own_folder(place, &names) else { continue };
        let own = folders.entry(folder).or_default();
        own.access.add(access);
        own.is_named |= is_named;
    }
    folders
}

/// The folder of a path that carries a name of the project, and whether it carries exactly that.
fn own_folder(place: &str, names: &BTreeSet<String>) -> Option<(String, bool)> {
    let place = place.replace('\\', "/");
    let inside = place.strip_prefix("~/").or_else(|| place.strip_prefix("$HOME/"))?;
    let base = BASES.iter().find(|base| base.is_empty() || is_below(inside, base))?;
    let rest = inside[base.len()..].trim_start_matches('/');
    let segment = rest.split('/').next().filter(|segment| is_word(segment))?;
    // Without a folder inside it, a base belongs to all programs.
    if base.is_empty() && BASES.iter().any(|base| base.split('/').next() == Some(segment)) {
        return None;
    }
    let name = plain(segment);
    let is_named = names.contains(&name);
    let is_similar = || names.iter().any(|known| begins(known, &name) || begins(&name, known));
    if !is_named && !is_similar() {
        return None;
    }
    let folder = match *base {
        "" => format!("~/{segment}"),
        base => format!("~/{base}/{segment}"),
    };
    folder_of(&folder)?;
    Some((format!("{folder}/**"), is_named))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_word(segment: &str) -> bool {
    segment.chars().any(char::is_alphanumeric)
        && segment.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn begins(name: &str, start: &str) -> bool {
    start.len() >= MIN_SIMILAR && name.starts_with(start)
}

/// `.open-agents` is called like `open_agents`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_the_projects_own_by_its_name() {
        let names = BTreeSet::from(["atlas".to_owned(), "atlasagents".to_owned()]);
        let found = |place: &str| own_folder(place, &names);
        let is = |folder: &str| Some((folder.to_owned(), true));
        assert_eq!(found("~/.atlas/notes/a.md"), is("~/.atlas/**"));
        assert_eq!(found("$HOME/.config/atlas-agents/x"), is("~/.config/atlas-agents/**"));
        assert_eq!(found("~\\AppData\\Roaming\\Atlas"), is("~/AppData/Roaming/Atlas/**"));
        assert_eq!(found("~/.atlasag"), Some(("~/.atlasag/**".to_owned(), false)));
        for other in ["~", "~/", "~/.config", "~/.ssh/id", "/etc/atlas", "~/../atlas", "~/.at", "~/.a*"] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn what_all_programs_share_belongs_to_no_project() {
        let names = BTreeSet::from(["config".to_owned(), "library".to_owned()]);
        for place in ["~/.config", "~/.config/x", "~/Library/x"] {
            assert_eq!(own_folder(place, &names), None, "{place}");
        }
    }
}
