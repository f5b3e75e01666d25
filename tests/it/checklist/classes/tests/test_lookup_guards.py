import pytest

from agentos.comm.comm_commands import LookupCommand
from agentos.guards import AttributionGuard, ContentFence, PhaseGate, PhaseGateError

OPERATION = "comm.lookup"


def test_phase_gate_blocks_lookup_in_planning():
    with pytest.raises(PhaseGateError):
        PhaseGate.check(OPERATION, "planning")
    PhaseGate.check(OPERATION, "execution")


def test_lookup_is_attributed():
    attributed = AttributionGuard.format_response("example.com", OPERATION)
    assert OPERATION in attributed["metadata"]["attribution"]


def test_lookup_is_fenced():
    wrapped = ContentFence.wrap(f"{OPERATION}: example.com")
    assert wrapped["marker"] == ContentFence.UNTRUSTED_MARKER


def test_lookup_needs_a_declaration():
    with pytest.raises(ValueError):
        LookupCommand().execute({}, "s-1", "execution")
