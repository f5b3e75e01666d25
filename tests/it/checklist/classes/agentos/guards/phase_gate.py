"""Blocks external operations outside the execution phase."""


class PhaseGateError(Exception):
    pass


class PhaseGate:
    @staticmethod
    def check(operation, execution_phase):
        if operation.startswith("comm.") and execution_phase != "execution":
            raise PhaseGateError(f"{operation} is blocked in phase {execution_phase!r}")
