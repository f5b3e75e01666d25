//! The words by which a project says in its own code that a model may call something: the names of what keeps tools, hands
//! them back, marks and makes them. The lists are data (`rules/catalog/offers.toml`).

use std::borrow::Cow;

use serde::Deserialize;

use crate::catalog::globs::Globs;

/// `[tools.offers]` as written, and used as it is. Names are compared in lower case, without underscores around them; those of
/// `makers` as they are.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Offers {
    holders: Globs,
    keepers: Globs,
    members: Globs,
    lists: Globs,
    marks: Globs,
    makers: Globs,
    given: Globs,
    given_to_agents: Globs,
    agents: Globs,
    subjects: Globs,
    calls: Globs,
    dispatchers: Globs,
    /// What runs of an object that is offered, the usual one first.
    pub methods: Vec<String>,
}

impl Offers {
    pub(in crate::catalog) fn append(&mut self, more: Self) {
        let Offers { holders, keepers, members, lists, marks, makers, given, given_to_agents, .. } = more;
        let Offers { agents, subjects, calls, dispatchers, methods, .. } = more;
        self.holders.extend(holders);
        self.keepers.extend(keepers);
        self.members.extend(members);
        self.lists.extend(lists);
        self.marks.extend(marks);
        self.makers.extend(makers);
        self.given.extend(given);
        self.given_to_agents.extend(given_to_agents);
        self.agents.extend(agents);
        self.subjects.extend(subjects);
        self.calls.extend(calls);
        self.dispatchers.extend(dispatchers);
        self.methods.extend(methods);
    }

    /// A variable or an attribute that keeps tools: `TOOLS`.
    pub fn is_holder(&self, name: &str) -> bool {
        self.holders.fit(&bare(name))
    }

    /// A class whose objects keep tools, whatever their attributes are called: `ToolRegistry`.
    pub fn is_keeper(&self, class: &str) -> bool {
        self.keepers.fit(class)
    }

    /// An attribute of such a class in which they are kept: `_items`.
    pub fn is_member(&self, name: &str) -> bool {
        self.members.fit(&bare(name))
    }

    /// A function that hands back tools: `get_tools`.
    pub fn is_list(&self, name: &str) -> bool {
        self.lists.fit(&bare(name))
    }

    /// An attribute by which a function is one: `search.is_tool = True`.
    pub fn is_mark(&self, name: &str) -> bool {
        self.marks.fit(&bare(name))
    }

    /// A class or a function that makes a tool of a function: `Tool(search)`, `add_tool(search)`.
    pub fn is_maker(&self, name: &str) -> bool {
        self.makers.fit(name)
    }

    /// A named argument that is a list of tools, of a call of that name.
    pub fn is_given(&self, argument: &str, callee: &str) -> bool {
        let argument = bare(argument);
        self.given.fit(&argument) || self.given_to_agents.fit(&argument) && self.agents.fit(&bare(callee))
    }

    /// A variable or an attribute that is the name of the tool that is to run: `tool_name`.
    pub fn is_subject(&self, name: &str) -> bool {
        self.subjects.fit(&bare(name))
    }

    /// A variable that is the request of a model, whose name is that of the tool: `tool_call.name`.
    pub fn is_call(&self, name: &str) -> bool {
        self.calls.fit(&bare(name))
    }

    /// A function that runs the tool whose name it is given: `call_tool`.
    pub fn is_dispatcher(&self, name: &str) -> bool {
        self.dispatchers.fit(&bare(name))
    }
}

/// In small letters, and without underscores around it.
fn bare(name: &str) -> Cow<'_, str> {
    let name = name.trim_matches('_');
    match name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(name.to_lowercase()),
    }
}
