"""What every external operation has in common."""

from agentos.audit import log_audit_event
from agentos.guards import AttributionGuard, ContentFence, PhaseGate

REQUIRED = ("operation", "parameters", "justification")


class DeclarationError(ValueError):
    pass


class ExternalCommand:
    namespace = "comm"  # All external ops use comm.* prefix

    def execute(self, args, session_id, execution_phase):
        # PRINCIPLE 1: Check phase gate
        PhaseGate.check(f"comm.{self.name}", execution_phase)

        # PRINCIPLE 2: Validate declaration
        self.validate_declaration(args)

        # PRINCIPLE 3: Execute in sandbox with audit
        result = self.run_sandboxed(args)
        attributed = AttributionGuard.format_response(result, session_id)
        wrapped = ContentFence.wrap(attributed)

        self.audit_log(operation=self.name, session=session_id, result=result)

        return wrapped

    def validate_declaration(self, args):
        missing = [key for key in REQUIRED if not args.get(key)]
        if missing:
            raise DeclarationError(f"the declaration lacks {', '.join(missing)}")

    def run_sandboxed(self, args):
        raise NotImplementedError

    def audit_log(self, operation, session, result):
        log_audit_event("completed", operation, session, len(str(result)))
