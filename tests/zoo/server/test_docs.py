"""The commands on the page about serving, against the servers that it starts, of tiny runs."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.pages import blocks
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
]

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "serving.md"
PROGRAM = "from zoo.cli import main; main()"
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
    ports = [re.search("^keras-attn serve .* --port ([0-9]+)$", each) for each in COMMANDS]
    with ExitStack() as stack:
        processes = {
            f"http://127.0.0.1:{port[1]}": stack.enter_context(
                started(port[0].replace(port[1], "0"), folder)
            )
            for port in filter(None, ports)
        }
        yield {page: address(process) for page, process in processes.items()}


@contextmanager
def started(command, folder):
    """The process of a server, which Ctrl-C ends."""
    program = [sys.executable, "-c", PROGRAM, *shlex.split(command)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        program, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
    assert process.returncode == 130


def address(process):
    """Where a server says that its page is."""
    for line in process.stdout:
        if line.startswith("Page: "):
            return line.removeprefix("Page: ").strip().rstrip("/")
    raise AssertionError("the server has ended")


def asked(command, addresses):
    """What a command of the page prints."""
    for page, address in addresses.items():
        command = command.replace(page, address)
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def forms(text):
    """The forms of JSON values one after the other, of which equal ones follow no other."""
    found, decoder, text = [], json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        if form(value) not in found[-1:]:
            found.append(form(value))
        text = text[end:].strip()
    return found


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


def test_the_answers_have_the_form_that_the_page_shows(addresses):
    shown = blocks(PAGE, "json")
    asking = [block for block in blocks(PAGE, "bash") if block.startswith("curl ")]
    assert len(shown) == len(asking) == 2
    for block, answers in zip(asking, shown, strict=True):
        found = [asked(command, addresses) for command in block.splitlines()]
        assert forms("\n".join(found)) == forms(answers), found
