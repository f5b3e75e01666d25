//! The project's own folder outside its tree: where it keeps what belongs to a user, in the home directory or where a platform
//! wants such data, under the project's own name.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::package;
use super::survey::{Access, Survey};
use crate::catalog::{own_folder, plain_name};

/// So many accesses to a folder of the project's name make it the project's own.
const MIN_ACCESSES: usize = 2;
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
        survey.names.iter().map(String::as_str).chain(package(&survey.files)).map(plain_name).collect();
    let mut folders: BTreeMap<String, Own> = BTreeMap::new();
    for (place, access) in &survey.accesses {
        let Some((folder, is_named)) = own_folder(place, &names) else { continue };
        let own = folders.entry(folder).or_default();
        own.access.add(access);
        own.is_named |= is_named;
    }
    folders
}
