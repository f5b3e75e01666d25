"""The audit trail."""

import json
import sys


def log_audit_event(event, operation, session_id, detail=None):
    record = {"event": event, "operation": operation, "session": session_id, "detail": detail}
    sys.stderr.write(json.dumps(record) + "\n")
