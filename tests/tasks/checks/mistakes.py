"""What people do wrong with a task: one clear sentence each."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tasks import api
from tests.tasks.harness import Subject
from zoo.errors import UserError


def refused(action: Callable[[], Any], *parts: str) -> None:
    """An action ends in one sentence that has these parts."""
    with pytest.raises(UserError) as actual:
        action()
    message = str(actual.value)
    assert "\n" not in message and len(message) < 500, message
    for part in parts:
        assert part in message, message


def everywhere(data: Any, change: Callable[[Path], Path]) -> Any:
    """The files of a task, each changed."""
    if isinstance(data, dict):
        return {name: change(path) for name, path in data.items()}
    return change(data)


def missing_file(subject: Subject) -> None:
    data = everywhere(subject.data, lambda path: path.with_stem("nowhere"))
    refused(lambda: subject.new().adapt(data), "nowhere")
    refused(lambda: subject.adapted().fit(data, **api.FIT), "nowhere")
    refused(lambda: subject.adapted().fit(subject.data, data, **api.FIT), "nowhere")
    refused(lambda: subject.adapted().evaluate(data), "nowhere")


def empty_file(subject: Subject) -> None:
    def emptied(path: Path) -> Path:
        path = subject.place("empty") / path.name
        path.write_bytes(b"")
        return path

    data = everywhere(subject.data, emptied)
    for act in (subject.new().adapt, subject.adapted().fit, subject.adapted().evaluate):
        refused(lambda act=act: act(data), Path(emptied(Path("x"))).parent.name)


def not_utf8(subject: Subject) -> None:
    def spoiled(path: Path) -> Path:
        content = path.read_bytes()
        for edges in path.parent.glob("edges.*"):  # of a graph, which are read first
            shutil.copy(edges, subject.place("spoiled"))
        path = subject.place("spoiled") / path.name
        path.write_bytes(content + b"\xff\xfe\n")
        return path

    refused(lambda: subject.new().adapt(everywhere(subject.data, spoiled)), "UTF-8")


def _of_one_label(subject: Subject) -> Any:
    assert subject.case.one_label, "the case has no labels"
    return subject.case.one_label(subject.place("one-label"))


def one_label(subject: Subject) -> None:
    data = _of_one_label(subject)
    refused(lambda: subject.new().adapt(data), "classification needs at least two")


def unknown_label(subject: Subject) -> None:
    data = _of_one_label(subject)
    refused(lambda: subject.adapted().fit(data, **api.FIT), "expected one of")
    refused(lambda: subject.adapted().evaluate(data), "expected one of")


MISTAKES: dict[str, Callable[[Subject], None]] = {
    "missing file": missing_file,
    "empty file": empty_file,
    "file not UTF-8": not_utf8,
    "one label": one_label,
    "unknown label": unknown_label,
}
