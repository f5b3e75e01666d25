from agentos.comm.registry import registry
from agentos.governance import approve


def test_declare_approve_execute_attribute():
    declaration = {
        "operation": "comm.lookup",
        "parameters": {"domain": "example.com"},
        "justification": {
            "user_request": "who owns example.com?",
            "missing_knowledge": "the owner of the domain",
            "expected_use": "cite it",
        },
        "phase": "execution",
        "session_id": "s-1",
    }
    approval = approve(declaration)
    assert approval.granted
    wrapped = registry.execute_command("comm.lookup", declaration, "s-1", "execution")
    assert "s-1" in wrapped["content"]["metadata"]["attribution"]
