"""What people do wrong on the command line: one line on standard error, before any work."""

from collections.abc import Callable
from typing import Any
from unittest import mock

from tests.tasks import api
from tests.tasks.harness import Subject
from zoo.tasks import learning


def refused(*arguments: Any) -> str:
    """The one line with which a command ends."""
    actual = api.command(*arguments)
    assert actual.exit_code == 2, actual.output or repr(actual.exception)
    assert actual.stdout == ""
    line = actual.stderr.removesuffix("\n")
    assert line.startswith("keras-attn: ") and "\n" not in line, actual.stderr
    return line


def _train(subject: Subject, *options: str) -> str:
    """The line of a training that is refused, before a tokenizer is learned."""
    out = subject.folder / "refused"
    with mock.patch.object(learning, "adapt", side_effect=AssertionError("adapt was called")):
        line = refused(
            "train", subject.case.task, *api.data_arguments(subject.data), "--out", out, *options
        )
    assert not out.exists()
    return line


def foreign_option(subject: Subject) -> None:
    option = api.foreign_option(subject.case.task)
    assert option[0] in _train(subject, *option)


def foreign_option_weights(subject: Subject) -> None:
    other = ["--sampling", "0.5"] if subject.case.task != "multi-task" else ["--batch-size", "3"]
    assert other[0] in _train(subject, *other)


def unknown_option(subject: Subject) -> None:
    assert "--epoch" in _train(subject, "--epoch", "3")
    assert "widht" in _train(subject, "--set", "widht=3")


def missing_file(subject: Subject) -> None:
    missing = api.data_arguments(subject.data)
    missing = [part.replace("data", "nowhere", 1) if "/" in part else part for part in missing]
    line = refused("train", subject.case.task, *missing, "--out", subject.folder / "refused")
    assert "nowhere" in line


def no_run(subject: Subject) -> None:
    folder = subject.folder / "nowhere"
    for command in (
        ["predict", folder, "x"],
        ["evaluate", folder, "--data", "x"],
        ["report", folder],
    ):
        assert "nowhere" in refused(*command)


COMMANDS: dict[str, Callable[[Subject], None]] = {
    "command option of others": foreign_option,
    "command option of heads": foreign_option_weights,
    "command unknown option": unknown_option,
    "command missing file": missing_file,
    "command no run": no_run,
}
