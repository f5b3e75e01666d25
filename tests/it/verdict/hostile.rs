//! Verdicts that somebody else made, broke or put elsewhere, and folders in which others can write.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use super::{AGENT, Cache, assert_same, kept};
use crate::support::Project;

const CHECK: [&str; 2] = ["check", "--format=json"];

fn one(cache: &Cache) -> PathBuf {
    let kept = cache.kept();
    assert_eq!(kept.len(), 1);
    kept.into_keys().next().unwrap()
}

/// What stands in place of a kept verdict is not believed: the next run is an analysis, and keeps its own.
#[track_caller]
fn refused(replace: impl FnOnce(&Project, &[u8]) -> Vec<u8>) {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let first = cache.run(project.path(), &CHECK);
    let path = one(&cache);
    let other = replace(&project, &fs::read(&path).unwrap());
    fs::write(&path, &other).unwrap();
    assert_same(&first, &cache.run(project.path(), &CHECK));
    assert_ne!(fs::read(one(&cache)).unwrap(), other);
    let kept = cache.kept();
    assert_same(&first, &cache.run(project.path(), &CHECK));
    assert_eq!(kept, cache.kept());
}

#[test]
fn what_is_broken_is_not_believed() {
    refused(|_, _| Vec::new());
    refused(|_, _| b"garbage".to_vec());
    refused(|_, bytes| bytes[..bytes.len() - 1].to_vec());
    refused(|_, bytes| [bytes, b"x"].concat());
    refused(|_, bytes| {
        let text = b"\"findings\"";
        let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
        let mut bytes = bytes.to_vec();
        bytes[at + 1] = b'F';
        bytes
    });
}

/// It is right in all but the secret, as a pack is that comes with a change.
#[test]
fn what_another_user_made_is_not_believed() {
    refused(|project, _| {
        let other = Cache::new();
        other.run(project.path(), &CHECK);
        fs::read(one(&other)).unwrap()
    });
}

#[test]
fn what_was_said_of_another_project_is_not_believed() {
    let cache = Cache::new();
    let (loud, quiet) = (Project::new(&[("a.py", AGENT)]), Project::new(&[("a.py", "x = 1\n")]));
    cache.run(quiet.path(), &CHECK);
    let clean = one(&cache);
    let first = cache.run(loud.path(), &CHECK);
    let found = cache.kept().into_keys().find(|path| *path != clean).unwrap();
    fs::copy(clean, found).unwrap();
    let again = cache.run(loud.path(), &CHECK);
    assert_eq!(again.code, 1);
    assert_same(&first, &again);
}

#[test]
fn a_folder_of_others_is_not_used() {
    let project = Project::new(&[("a.py", AGENT)]);
    let open = |cache: &Cache| {
        fs::create_dir(cache.folder()).unwrap();
        fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    };
    let link = |cache: &Cache| {
        fs::create_dir(cache.folder().with_extension("real")).unwrap();
        symlink(cache.folder().with_extension("real"), cache.folder()).unwrap();
    };
    let above = |cache: &Cache| {
        let home = cache.folder().parent().unwrap().to_owned();
        fs::set_permissions(home, fs::Permissions::from_mode(0o777)).unwrap();
    };
    let file = |cache: &Cache| fs::write(cache.folder(), "").unwrap();
    // Only the administrator can give a folder away.
    let foreign = |cache: &Cache| {
        fs::create_dir(cache.folder()).unwrap();
        if std::os::unix::fs::chown(cache.folder(), Some(12345), None).is_err() {
            open_again(cache);
        }
    };
    let makes: [&dyn Fn(&Cache); 5] = [&open, &link, &above, &file, &foreign];
    for make in makes {
        let cache = Cache::new();
        make(&cache);
        let ran = cache.run(project.path(), &CHECK);
        assert_same(&ran, &project.run(&CHECK));
        assert!(cache.kept().is_empty(), "and nothing is said of it");
    }
}

fn open_again(cache: &Cache) {
    fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn that_a_named_folder_is_not_used_is_said() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let named = tempfile::tempdir().unwrap();
    fs::set_permissions(named.path(), fs::Permissions::from_mode(0o770)).unwrap();
    let ran = cache.run(project.path(), &["check", "--cache-dir", named.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.lines().count()), (1, 1), "{ran:?}");
    assert!(ran.stderr.contains("others may write there") && kept(named.path()).is_empty());
}

#[test]
fn a_key_that_others_can_read_is_none() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    cache.run(project.path(), &CHECK);
    let kept = cache.kept();
    fs::set_permissions(cache.folder().join("key"), fs::Permissions::from_mode(0o644)).unwrap();
    project.write("a.py", "x = 1\n");
    assert_eq!(cache.run(project.path(), &CHECK).code, 0);
    assert_eq!(kept, cache.kept(), "nothing is kept under it either");
}
