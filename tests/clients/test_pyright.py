"""A program of a user, whose types pyright checks, too: what editors show for public names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.serving import PACKAGES, needs_packages

PROGRAM = Path(__file__).parents[1] / "typed_use.py"


def errors(program):
    """The rule and the line of each error."""
    command = [
        PACKAGES / ".bin" / "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        program,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROGRAM.parents[1])
    assert done.returncode in (0, 1), done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    return [
        (each["rule"], each["range"]["start"]["line"] + 1) for each in found["generalDiagnostics"]
    ]


@needs_packages
@pytest.mark.thorough
def test_a_program_has_the_types_that_it_says(tmp_path):
    assert errors(PROGRAM) == []
    text = PROGRAM.read_text("utf-8")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text.replace("assert_type(lstm, LSTM)", "assert_type(lstm, GRU)"), "utf-8")
    line = text[: text.index("assert_type(lstm, LSTM)")].count("\n") + 1
    assert errors(wrong) == [("reportAssertTypeFailure", line)]
