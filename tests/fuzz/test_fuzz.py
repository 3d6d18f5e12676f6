"""Changed files are read, or refused in one sentence: no traceback, no hang, no code executed."""

import contextlib
import os
import pickle
import subprocess
import sys
import time

import pytest

from tests.fuzz import guard
from tests.fuzz.guard import CANARY, Hang, Unexpected, guarded
from tests.fuzz.mutations import PICKLE
from tests.fuzz.running import property_of, read_unchanged
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS
from zoo.errors import UserError


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS)
def test_unchanged_files(name, tmp_path):
    read_unchanged(TARGETS[name], tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS)
def test_changed_files(name, tmp_path, attack):
    target, tried = TARGETS[name], attack("changed files", name)
    property_of(target, tmp_path, 8 if target.slow else 40, tried)()


def write(folder):
    (folder / "a.json").write_text('{"a": [1, 2], "b": "c"}')


def quietly(action):
    """Reads as someone who hides every error."""

    def read(path):
        with contextlib.suppress(Exception):
            action(path)

    return read


# Each reads a file in a way that must not happen.
WRONG = {
    "traceback": lambda path: {}["a"],
    "pickle": quietly(lambda path: pickle.loads(PICKLE)),
    "import": quietly(lambda path: __import__(CANARY)),
    "shell": quietly(lambda path: os.system("true")),
    "process": quietly(lambda path: subprocess.run([sys.executable, "-c", ""])),
    "write outside": quietly(lambda path: (path.parents[1] / "new").write_text("a")),
    "read outside": quietly(lambda path: (path.parent / f"../{CANARY}").open()),
    "long message": lambda path: guard.check_message("a" * 10_000),
    "empty message": lambda path: guard.check_message(" "),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_readers_are_found(name, tmp_path):
    with pytest.raises((Unexpected, KeyError)):
        property_of(Target(write, WRONG[name]), tmp_path, 30)()


def test_a_reader_that_does_not_end(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    with pytest.raises(Hang), guarded(tmp_path, (UserError,)):
        time.sleep(5)


def test_errors_that_are_expected(tmp_path):
    def refuse(path):
        if path.is_file():
            raise UserError("not this one: " + path.read_bytes().decode("utf-8", "surrogateescape"))
        path.open("rb" if path.is_dir() or not path.exists() else "xb")

    property_of(Target(write, refuse), tmp_path, 100)()
