//! Where imports lead beyond the packages that are known: into folders that code adds to the path, and to files that are no part
//! of the program.

use camino::Utf8PathBuf;

use super::{FileIndex, Module, Modules, ancestors, join};

/// A link may lead through another one; more is a circle.
const MAX_LINKS: u32 = 8;

impl Modules<'_> {
    /// The module at a path, links followed.
    pub(super) fn at(&self, place: &str) -> Option<Module> {
        if let Some(&module) = self.by_path.get(place) {
            return Some(module);
        }
        let mut place = place.to_owned();
        for _ in 0..MAX_LINKS {
            let behind = self.crates.links.iter().find_map(|(link, folder)| {
                let below = place.strip_prefix(link.as_str())?;
                match below.strip_prefix('/') {
                    Some(below) => Some(join(folder, below)),
                    None => below.is_empty().then(|| folder.clone()),
                }
            })?;
            if let Some(&module) = self.by_path.get(&behind) {
                return Some(module);
            }
            place = behind;
        }
        None
    }

    /// False if a link has led to it by another name.
    pub fn is_called(&self, module: Module, name: &str) -> bool {
        let place = match module {
            Module::File(file) => &self.places[file],
            Module::Namespace(folder) => &self.folders[folder as usize],
        };
        place.is_empty() || place.rsplit('/').next() == Some(name)
    }

    /// A module below a folder that code adds to where imports are looked for.
    pub(super) fn in_added_root(&self, first: &str, dotted: &str) -> Option<Module> {
        self.in_roots(&self.crates.import_roots, first, dotted)
    }

    fn in_roots(&self, roots: &[String], first: &str, dotted: &str) -> Option<Module> {
        let mut roots = roots.iter().filter(|_| !self.catalog.standard_modules.contains(first));
        roots.find_map(|root| self.below(root, dotted).filter(|found| matches!(found, Module::File(_))))
    }

    /// True if an import from the top leads to a file as soon as it is looked for in `roots`, too.
    pub fn is_found_in(&self, roots: &[String], file: FileIndex, dotted: &str) -> bool {
        let first = dotted.split('.').next().unwrap_or(dotted);
        self.in_roots(roots, first, dotted).is_some()
            && !matches!(self.resolve(file, 0, dotted), Some(Module::File(_)))
    }

    /// The files that an import loads on its way to `dotted`, wherever they would lie.
    pub fn files(&self, file: FileIndex, level: u8, dotted: &str) -> Vec<Utf8PathBuf> {
        if self.crates.holds(file) {
            return Vec::new();
        }
        let roots: Vec<String> = match level {
            0 => {
                let own = ancestors(&self.roots[file]).flat_map(|root| [root.to_owned(), join(root, "src")]);
                own.chain(self.crates.import_roots.iter().cloned()).collect()
            }
            level => self.anchor(file, level).into_iter().collect(),
        };
        let path = dotted.replace('.', "/");
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let names: Vec<&str> = ends.map(|end| &path[..end]).filter(|name| !name.is_empty()).collect();
        let places = roots.iter().flat_map(|root| names.iter().map(|name| join(root, name)));
        let files = |place: String| [format!("{place}.py"), format!("{place}/__init__.py")];
        places.flat_map(files).map(Utf8PathBuf::from).collect()
    }
}
