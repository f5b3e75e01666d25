"""What every external operation has in common."""

from agentos.audit import log_audit_event
from agentos.guards import AttributionGuard, ContentFence, PhaseGate

REQUIRED = ("operation", "parameters", "justification")


class DeclarationError(ValueError):
    pass


class ExternalCommand:
    namespace = "comm"
    name = ""

    def execute(self, args, session_id, execution_phase):
        """Run the operation that was declared and approved."""
        operation = f"comm.{self.name}"
        PhaseGate.check(operation, execution_phase)
        self.validate_declaration(args)
        log_audit_event("started", operation, session_id)
        try:
            result = self.run_sandboxed(args, session_id)
            attributed = AttributionGuard.format_response(result, session_id)
            wrapped = ContentFence.wrap(attributed)
        except Exception as error:
            log_audit_event("failed", operation, session_id, str(error))
            raise
        log_audit_event("completed", operation, session_id, len(str(result)))
        return wrapped

    def validate_declaration(self, args):
        missing = [key for key in REQUIRED if not args.get(key)]
        if missing:
            raise DeclarationError(f"the declaration lacks {', '.join(missing)}")

    def run_sandboxed(self, args, session_id):
        raise NotImplementedError
