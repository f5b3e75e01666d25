//! The workspace: folders in which an agent may touch files. It judges the constant beginning of a path, which is all
//! that a program tells of most paths. And the project's own folder outside its tree, by the name that it carries.

use std::collections::BTreeSet;

/// Folders, from `[workspace] paths`.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// `/srv/atlas/work`, `~/.atlas`: a path lies there if it begins so.
    anchored: Vec<String>,
    /// `.atlas/work`: wherever it stands in a path, since the folder above is rarely constant.
    anywhere: Vec<String>,
}

/// The folder that an entry names, or none: a folder may end in `/` or `/**`, and no other star can be decided by the
/// beginning of a path.
pub fn folder_of(entry: &str) -> Option<&str> {
    let folder = entry.strip_suffix("/**").unwrap_or(entry);
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    let is_whole_disk = matches!(folder, "" | "~" | ".") || is_drive(folder) && folder.len() <= 3;
    let climbs = folder.split('/').any(|segment| segment == "..");
    (!is_whole_disk && !climbs && !folder.contains(['*', '?', '[', '\\'])).then_some(folder)
}

impl Workspace {
    /// An entry that names no folder adds nothing.
    pub fn insert(&mut self, entry: &str) {
        let Some(folder) = folder_of(entry) else { return };
        let folder = folder.strip_prefix("./").unwrap_or(folder).to_owned();
        if is_anchored(&folder) { self.anchored.push(folder) } else { self.anywhere.push(folder) }
    }

    /// True if a path with this beginning is absolute, in the home directory or climbs with `..`, and in no folder of
    /// the workspace.
    pub fn is_left_by(&self, path: &str) -> bool {
        let path = path.replace('\\', "/");
        let path = path.strip_prefix("$HOME").map_or(path.clone(), |rest| format!("~{rest}"));
        let path = resolved(&path);
        let leads_out = is_anchored(&path) || path.starts_with("../") || path == "..";
        leads_out && !self.holds(&path)
    }

    fn holds(&self, path: &str) -> bool {
        let is_below = |folder: &str, path: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let anywhere = |folder: &String| {
            let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
            starts.into_iter().any(|start| is_below(folder, &path[start..]))
        };
        self.anchored.iter().any(|folder| is_below(folder, path)) || self.anywhere.iter().any(anywhere)
    }
}

fn is_anchored(path: &str) -> bool {
    path.starts_with('/') || path.starts_with('~') || is_drive(path)
}

fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.get(1) == Some(&b':') && bytes.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Without `.` and `..`, as far as the text tells: `/work/../etc` is no folder of `/work`. A relative path that climbs
/// begins with `..` then.
fn resolved(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for (nth, segment) in path.split('/').enumerate() {
        match segment {
            "." => {}
            "" if nth > 0 => {}
            ".." if matches!(segments.last(), None | Some(&"..")) => segments.push(".."),
            // Above the root is the root; above a home are other homes.
            ".." if segments == [""] => {}
            ".." if segments.len() == 1 && segments[0].starts_with('~') => segments = vec!["", "~.."],
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    match segments[..] {
        [""] if !path.is_empty() => "/".to_owned(),
        _ => segments.join("/"),
    }
}

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

/// The folder of a path that carries a name of the project, and whether it carries exactly that.
pub fn own_folder(place: &str, names: &BTreeSet<String>) -> Option<(String, bool)> {
    let place = place.replace('\\', "/");
    let inside = place.strip_prefix("~/").or_else(|| place.strip_prefix("$HOME/"))?;
    let base = BASES.iter().find(|base| base.is_empty() || is_below(inside, base))?;
    let rest = inside[base.len()..].trim_start_matches('/');
    let segment = rest.split('/').next().filter(|segment| is_word(segment))?;
    // Without a folder inside it, a base belongs to all programs.
    if base.is_empty() && BASES.iter().any(|base| base.split('/').next() == Some(segment)) {
        return None;
    }
    let name = plain_name(segment);
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
pub fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(entries: &[&str]) -> Workspace {
        let mut workspace = Workspace::default();
        entries.iter().for_each(|entry| workspace.insert(entry));
        workspace
    }

    #[test]
    fn absolute_home_and_climbing_paths_lead_out() {
        let workspace = workspace(&[".agentos/workspace/**", "/tmp/**", "/dev/null"]);
        for path in [
            "/etc/hosts",
            "~/.ssh/config",
            "$HOME/.ssh/config",
            "../secrets",
            "a/../../b",
            "C:\\Users\\x",
            "/home/x/.agentos/y",
            "/tmpx/a",
            "/tmp/../etc/passwd",
            ".agentos/workspace/../../../etc",
            "~/../other",
            "/",
            "~",
        ] {
            assert!(workspace.is_left_by(path), "{path}");
        }
        for path in [
            "notes.md",
            "a/../b",
            ".agentos/workspace/s1/x",
            "/home/x/.agentos/workspace/s1",
            "/tmp/x",
            "/tmp",
            "/dev/null",
            "",
            "a..b/c",
            "./x",
        ] {
            assert!(!workspace.is_left_by(path), "{path}");
        }
    }

    #[test]
    fn a_project_names_its_own_folders() {
        let workspace = workspace(&["~/.atlas/**", "/srv/atlas/work/", "./var/atlas"]);
        for path in ["~/.atlas/notes", "/srv/atlas/work", "/srv/atlas/work/a", "/opt/x/var/atlas/y"] {
            assert!(!workspace.is_left_by(path), "{path}");
        }
        for path in ["~/.atlas2", "/srv/atlas/works", "/srv/atlas", "/opt/xvar/atlas", "/srv/atlas/work/../x"]
        {
            assert!(workspace.is_left_by(path), "{path}");
        }
    }

    #[test]
    fn an_entry_is_a_folder_and_never_everything() {
        for entry in ["/", "~", "**", "/**", "~/**", ".", "", "/srv/*/work", "../x", "C:/", "a\\b"] {
            assert_eq!(folder_of(entry), None, "{entry}");
        }
        assert_eq!(folder_of("/srv/x/**"), Some("/srv/x"));
        assert_eq!(folder_of("data/"), Some("data"));
    }

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
