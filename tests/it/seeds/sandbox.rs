//! Seed 000, the sandbox of the execution phase: what its limits say of a constant in the code.

use super::lines;
use crate::support::Project;

/// A handler that makes one call, and whether the sandbox allows it.
fn reported(call: &str) -> bool {
    let code = format!(
        "import httpx
import requests
import subprocess
LONG = 60 * 60
def handle_fetch(args, context):
    return {call}
registry.register(command='comm.fetch', handler=handle_fetch)
"
    );
    !lines(&Project::new(&[("agent.py", &code)]), "GL605").is_empty()
}

#[test]
fn total_execution_ends_after_300_seconds() {
    assert!(!reported("requests.get(args['url'], timeout=300)"));
    assert!(reported("requests.get(args['url'], timeout=301)"));
    assert!(reported("requests.get(args['url'], timeout=LONG)"));
    assert!(reported("requests.get(args['url'], timeout=None)"));
    assert!(reported("httpx.Client(timeout=httpx.Timeout(LONG)).get(args['url'])"));
}

#[test]
fn a_timeout_that_nobody_knows_is_none_that_is_too_long() {
    assert!(!reported("requests.get(args['url'], timeout=context.timeout)"));
}

#[test]
fn allowed_protocols_are_https() {
    assert!(reported("requests.get('http://rates.example/latest', timeout=30)"));
    assert!(!reported("requests.get('https://rates.example/latest', timeout=30)"));
    assert!(!reported("requests.get('http://127.0.0.1:9200/_search', timeout=30)"));
    assert!(!reported("requests.get(args['url'], timeout=30)"));
}

#[test]
fn a_rate_limit_and_a_list_of_domains_are_optional() {
    assert!(!reported("requests.get('https://rates.example/latest', timeout=30).json()"));
}

#[test]
fn a_command_has_a_working_directory_an_environment_and_a_timeout() {
    let run = |given: &str| reported(&format!("subprocess.run(['whois', args['name']]{given})"));
    assert!(!run(", cwd='/srv/work', env={'PATH': '/usr/bin'}, timeout=10"));
    assert!(run(", env={'PATH': '/usr/bin'}, timeout=10"));
    assert!(run(", cwd='/srv/work', timeout=10"));
    assert!(run(", cwd='/srv/work', env={'PATH': '/usr/bin'}"));
    assert!(run(", cwd='/srv/work', env={'PATH': '/usr/bin'}, timeout=2 * LONG"));
}

#[test]
fn the_scope_of_a_declaration_is_web_internal_or_database() {
    let declared = |scope: &str| {
        let code = format!(
            "def declare(query, session_id):
    return {{
        'operation': 'comm.query',
        'parameters': {{'query': query, 'scope': '{scope}'}},
        'justification': {{'user_request': query, 'missing_knowledge': 'figures', 'expected_use': 'to answer'}},
        'phase': 'execution',
        'session_id': session_id,
    }}
"
        );
        lines(&Project::new(&[("agent.py", &code)]), "GL501")
    };
    for scope in ["web", "internal", "database"] {
        assert_eq!(declared(scope), [0; 0], "{scope}");
    }
    assert_eq!(declared("everything"), [4]);
}
