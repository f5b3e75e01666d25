"""Where commands are registered."""

from agentos.comm.comm_commands import LookupCommand


class CommandRegistry:
    def __init__(self):
        self.commands = {}

    def register(self, command, handler):
        self.commands[command] = handler

    def execute_command(self, command, args, session_id, execution_phase):
        return self.commands[command].execute(args, session_id, execution_phase)


registry = CommandRegistry()
registry.register("comm.lookup", LookupCommand())
