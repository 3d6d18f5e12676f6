"""Ctrl-C ends a program without a traceback, whatever it does at that time."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

START = """
import os, signal, sys
from importlib import import_module
from zoo.errors import UserError

def press():
    os.kill(os.getpid(), signal.SIGINT)

class Pressing:
    def __del__(self):
        press()

def app(**_):
    print("begun", flush=True)
"""
END = """
    print("not ended", flush=True)

signal.signal(signal.SIGINT, signal.default_int_handler)  # even if the tests run with nohup
module = import_module("zoo.cli.app")
module.app = app
module.main()
"""
PROGRAMS = {
    "once": """
    press()
""",
    "swallowed each time": """
    for _ in range(2):
        try:
            press()
        except:
            pass
""",
    "again while it is handled": """
    try:
        press()
    finally:
        press()
""",
    "turned into another error": """
    try:
        press()
    except KeyboardInterrupt:
        raise TypeError("unsupported operand types") from None
""",
    "in a destructor": """
    Pressing()
""",
    "in training": """
    from zoo.training.interruption import Interruption
    with Interruption() as interruption:
        press()
        assert interruption.requested
        press()
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_ends_without_a_traceback(program):
    code = START + PROGRAMS[program] + END
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "begun\n", "")


def test_an_error_without_ctrl_c_keeps_its_traceback():
    code = START + "    raise TypeError('a bug')\n" + END
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "TypeError: a bug" in done.stderr
