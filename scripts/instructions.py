#!/usr/bin/env python3
"""How many instructions a check takes on three fixed inputs, beside what `benches/instructions.txt` says.

    scripts/instructions.py [--update] [GATELINT]

Needs valgrind. GATELINT is a binary of the profile `release`; by default that of the target folder. Instructions do not depend on how
busy a machine is, so a change that costs more than 3 percent is seen: exit code 1. `--update` writes what was counted.
Counts of another compiler are shown and not judged.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "benches" / "instructions.txt"
MOST = 1.03
COPIES = 10
HEAD = """\
# Instructions of `gatelint check` on one thread, by input, and the compiler that made the program.
# scripts/instructions.py --update
"""


def one(folder):
    """The demonstration project."""
    shutil.copytree(ROOT / "fixtures" / "atlas-agent", folder / "one")


def copies(folder):
    """Ten of them side by side: what grows with the size of a program."""
    for number in range(COPIES):
        shutil.copytree(ROOT / "fixtures" / "atlas-agent", folder / f"copy{number}")


def tools(folder):
    """Tools in tables that are called by name, helpers that hand values on, classes that stand for one another: what joins a program."""
    for number in range(60):
        (folder / f"module{number}.py").write_text(MODULE.replace("NEXT", str((number + 1) % 60)), encoding="utf-8")


MODULE = '''\
import subprocess

import requests

from moduleNEXT import Base as Other, hand_on as other


def hand_on(value, *more, **named):
    return value if not more else other(*more, **named)


class Base:
    client = requests

    def __init__(self, name, run=None):
        self.name = name
        self.run = run or self.fetch
        self.table = {"fetch": self.fetch, "shell": self.shell, "both": lambda text: self.fetch(self.shell(text))}

    def fetch(self, address):
        return self.client.get(hand_on(address, self.name)).text

    def shell(self, command):
        return subprocess.run(["sh", "-c", hand_on(command)], capture_output=True).stdout

    def call(self, tool, arguments):
        return self.table[tool](**arguments)


class Child(Base):
    def fetch(self, address):
        return hand_on(super().fetch(address))


TOOLS = {kind.__name__: kind for kind in (Base, Child, Other)}


def plan(messages, model):
    answer = model.chat.completions.create(messages=messages)
    for call in answer.choices[0].message.tool_calls:
        made = TOOLS[call.kind](call.name)
        messages.append({"role": "tool", "content": made.call(call.function.name, call.function.arguments)})
    return messages
'''


def counted(program, make):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make(folder)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), "check", "."]
        command += ["--isolated", "--no-ignore", "--threads", "1", "--format", "json"]
        environment = {**os.environ, "GATELINT_NO_CACHE": "1", "NO_COLOR": "1"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if not found:
        sys.exit(f"valgrind has counted nothing:\n{done.stderr}")
    return int(found[1])


def known():
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    pairs = (line.split(" ", 1) for line in lines if not line.startswith("#") and line)
    return dict(pairs)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = pathlib.Path(arguments[0] if arguments else target / "release" / "gatelint").resolve()
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    before, now, slower = known(), {}, []
    for make in (one, copies, tools):
        now[make.__name__] = counted(program, make)
        was = int(before.get(make.__name__, 0))
        change = f"{now[make.__name__] / was - 1:+.1%}" if was else "new"
        print(f"{make.__name__:8} {now[make.__name__] / 1e6:10.1f} million instructions, {change}", flush=True)
        if not was or now[make.__name__] > was * MOST:
            slower.append(make.__name__)
    if "--update" in sys.argv:
        lines = [f"{name} {count}\n" for name, count in now.items()] + [f"compiler {compiler}\n"]
        LIST.write_text(HEAD + "".join(lines), encoding="utf-8")
    elif before.get("compiler") != compiler:
        print(f"not judged: the list was made by {before.get('compiler')}, this is {compiler}")
    elif slower:
        sys.exit(f"more than 3 percent above benches/instructions.txt: {', '.join(slower)}")


if __name__ == "__main__":
    main()
