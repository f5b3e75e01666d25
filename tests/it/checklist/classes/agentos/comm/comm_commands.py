"""The external operations of this agent."""

import subprocess

from agentos.comm.command import ExternalCommand

TIMEOUT = 30


class LookupCommand(ExternalCommand):
    name = "lookup"

    def run_sandboxed(self, args, session_id="shared"):
        done = subprocess.run(
            ["whois", args["parameters"]["domain"]],
            cwd=f".agentos/workspace/{session_id}",
            env={"PATH": "/usr/bin"},
            timeout=TIMEOUT,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode()
