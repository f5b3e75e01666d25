//! The projects that the checklist is measured by: one that lacks nothing, and what is changed in it.

use std::collections::BTreeMap;

/// Files by path.
pub type Files = BTreeMap<String, String>;
/// A file, what stands in it, and what stands there instead.
pub type Patch = (&'static str, &'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!($folder, "/", $path)))),*]
    };
}

/// An operation as a class, whose base class runs it.
pub fn classes() -> Files {
    let files = files!("classes":
        "agentos/__init__.py", "agentos/audit.py", "agentos/governance.py",
        "agentos/comm/__init__.py", "agentos/comm/command.py", "agentos/comm/comm_commands.py",
        "agentos/comm/registry.py",
        "agentos/guards/__init__.py", "agentos/guards/phase_gate.py", "agentos/guards/attribution.py",
        "agentos/guards/content_fence.py",
        "tests/test_lookup_guards.py", "tests/test_lookup_flow.py", "docs/commands.md",
    );
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

/// The same around the example of the ADR, word for word.
pub fn seed() -> Files {
    let mut files = classes();
    files.insert("agentos/comm/command.py".to_owned(), include_str!("seed/command.py").to_owned());
    files
}

#[track_caller]
pub fn patched(mut files: Files, patches: &[Patch]) -> Files {
    for (path, old, new) in patches {
        let text = files.get_mut(*path).unwrap_or_else(|| panic!("no file {path}"));
        assert!(text.contains(old), "`{old}` is not in {path}");
        *text = text.replace(old, new);
    }
    files
}

const COMMAND: &str = "agentos/comm/command.py";
const LOOKUP: &str = "agentos/comm/comm_commands.py";

/// One item each, the name under which the operation is then known, and what breaks it.
pub const BROKEN: &[(&str, &str, &[Patch])] = &[
    (
        "GL601",
        "net.lookup",
        &[
            (COMMAND, "namespace = \"comm\"", "namespace = \"net\""),
            ("agentos/comm/registry.py", "comm.lookup", "net.lookup"),
            ("docs/commands.md", "comm.lookup", "net.lookup"),
            ("tests/test_lookup_guards.py", "comm.lookup", "net.lookup"),
            ("tests/test_lookup_flow.py", "comm.lookup", "net.lookup"),
        ],
    ),
    ("GL602", "comm.lookup", &[(COMMAND, "        self.validate_declaration(args)\n", "")]),
    (
        "GL603",
        "comm.lookup",
        &[(
            COMMAND,
            "        PhaseGate.check(operation, execution_phase)\n        self.validate_declaration(args)\n",
            "        self.validate_declaration(args)\n        PhaseGate.check(operation, execution_phase)\n",
        )],
    ),
    (
        "GL604",
        "comm.lookup",
        &[(
            COMMAND,
            "        PhaseGate.check(operation, execution_phase)\n",
            "        if execution_phase != \"planning\":\n            PhaseGate.check(operation, execution_phase)\n",
        )],
    ),
    ("GL605", "comm.lookup", &[(LOOKUP, "            timeout=TIMEOUT,\n", "")]),
    (
        "GL606",
        "comm.lookup",
        &[(COMMAND, "            log_audit_event(\"failed\", operation, session_id, str(error))\n", "")],
    ),
    (
        "GL607",
        "comm.lookup",
        &[(
            COMMAND,
            "            attributed = AttributionGuard.format_response(result, session_id)\n",
            "            attributed = {\"results\": result}\n",
        )],
    ),
    (
        "GL608",
        "comm.lookup",
        &[(
            COMMAND,
            "            wrapped = ContentFence.wrap(attributed)\n",
            "            wrapped = attributed\n",
        )],
    ),
    (
        "GL609",
        "comm.lookup",
        &[(
            COMMAND,
            "        return wrapped\n",
            "        del wrapped[\"warning\"]\n        return wrapped\n",
        )],
    ),
    (
        "GL610",
        "comm.lookup",
        &[(
            "tests/test_lookup_guards.py",
            "    wrapped = ContentFence.wrap(f\"{OPERATION}: example.com\")\n    assert wrapped[\"marker\"] == ContentFence.UNTRUSTED_MARKER\n",
            "    assert OPERATION\n",
        )],
    ),
    (
        "GL611",
        "comm.lookup",
        &[(
            "tests/test_lookup_flow.py",
            "    approval = approve(declaration)\n    assert approval.granted\n",
            "",
        )],
    ),
    ("GL612", "comm.lookup", &[("docs/commands.md", "`comm.lookup`", "`lookup`")]),
];
