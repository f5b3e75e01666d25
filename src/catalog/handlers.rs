//! Which functions are comm handlers: how commands of the sanctioned channel are declared and registered. The lists are
//! data (`rules/catalog/handlers.toml`); who uses them is `analysis::handlers`.

use serde::Deserialize;

use super::globs::Globs;

/// `[handlers]`, in the catalogue and in a configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Handlers {
    /// What the names of commands begin with: `comm` for `comm.search`.
    pub namespaces: Vec<String>,
    /// Attributes and keywords that hold the namespace.
    pub namespace: Vec<String>,
    /// Attributes and keywords that hold a command's name.
    pub name: Vec<String>,
    /// Keywords and keys that hold the function.
    pub function: Vec<String>,
    /// Methods that run a command object.
    pub methods: Vec<String>,
    /// Last names of functions and classes that register: the name first, then the function.
    pub calls: Globs,
    /// Last names of decorators that register, the name being their argument.
    pub decorators: Globs,
}

impl Handlers {
    pub fn is_empty(&self) -> bool {
        let Self { namespaces, namespace, name, function, methods, calls, decorators } = self;
        let lists = [namespaces, namespace, name, function, methods];
        lists.iter().all(|words| words.is_empty()) && calls.is_empty() && decorators.is_empty()
    }

    /// Adds what another one says.
    pub fn append(&mut self, other: Handlers) {
        self.namespaces.extend(other.namespaces);
        self.namespace.extend(other.namespace);
        self.name.extend(other.name);
        self.function.extend(other.function);
        self.methods.extend(other.methods);
        self.calls.extend(other.calls);
        self.decorators.extend(other.decorators);
    }

    pub fn is_namespace(&self, text: &str) -> bool {
        self.namespaces.iter().any(|known| known == text)
    }

    /// True for `comm.search`.
    pub fn is_command(&self, text: &str) -> bool {
        let name = |namespace: &String| text.strip_prefix(namespace.as_str())?.strip_prefix('.');
        self.namespaces.iter().filter_map(name).any(|name| !name.is_empty())
    }

    /// True if a text may be a part of such a name.
    pub fn may_name(&self, text: &str) -> bool {
        self.namespaces.iter().any(|known| {
            text.strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    pub fn registers(&self, last_name: &str) -> bool {
        self.calls.fit(last_name)
    }

    pub fn marks(&self, last_name: &str) -> bool {
        self.decorators.fit(last_name)
    }
}
