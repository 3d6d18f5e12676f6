"""The commands on the page about serving, against the servers that it starts, of tiny runs."""

import json
import re
import shlex
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.servers import SERVE, free_port, started
from tests.pages import blocks
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
]

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how-to" / "export" / "serving.md"
RUNS = {"runs/reviews": "text_classifier", "runs/en-de": "text_to_text"}
COMMANDS = [line for block in blocks(PAGE, "bash") for line in block.splitlines()]


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """The addresses of the servers, by those on the page."""
    folder = tmp_path_factory.mktemp("page")
    for run, name in RUNS.items():
        subject = Subject(CASES[name], folder / name)
        subject.train()
        (folder / run).parent.mkdir(exist_ok=True)
        subject.run.rename(folder / run)
    actual = {}
    with ExitStack() as stack:
        for command in COMMANDS:
            if match := re.match("keras-attn serve (.*) --port ([0-9]+)$", command):
                port = free_port()
                program = [*SERVE, *shlex.split(match[1]), "--port", str(port)]
                stack.enter_context(started(program, port, folder))
                actual[f"127.0.0.1:{match[2]}"] = f"127.0.0.1:{port}"
        yield actual


def asked(command, addresses):
    """What a command of the page prints."""
    for page, address in addresses.items():
        command = command.replace(page, address)
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def forms(text):
    """The forms of JSON values one after the other, of which equal ones follow no other."""
    actual, decoder, text = [], json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        if form(value) not in actual[-1:]:
            actual.append(form(value))
        text = text[end:].strip()
    return actual


def form(value):
    """A JSON value with kinds in place of numbers and texts; of a list, that of its first item.

    Errors are what they are.
    """
    if isinstance(value, dict) and "error" in value:
        return value
    if isinstance(value, dict):
        return {name: form(each) for name, each in value.items()}
    if isinstance(value, list):
        return [form(each) for each in value[:1]]
    return "a number" if isinstance(value, int | float) else type(value)


@pytest.mark.long
def test_the_answers_have_the_form_that_the_page_shows(addresses):
    shown = blocks(PAGE, "json")
    asking = [block for block in blocks(PAGE, "bash") if block.startswith("curl ")]
    assert len(shown) == len(asking) == 2
    for block, answers in zip(asking, shown, strict=True):
        actual = [asked(command, addresses) for command in block.splitlines()]
        assert forms("\n".join(actual)) == forms(answers), actual
