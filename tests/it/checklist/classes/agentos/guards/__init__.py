"""The three guards."""

from agentos.guards.attribution import AttributionGuard
from agentos.guards.content_fence import ContentFence
from agentos.guards.phase_gate import PhaseGate, PhaseGateError

__all__ = ["AttributionGuard", "ContentFence", "PhaseGate", "PhaseGateError"]
