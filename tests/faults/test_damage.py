"""Damage to any file of an artifact is found, also where its manifest agrees with it."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import export
from export import manifest
from tests.faults.damage import damaged, forge

CUTS, FLIPS = 3, 9  # of each file
FORGED_CUTS, FORGED_FLIPS = 1, 2


def test_what_is_damaged():
    """Each is another content; cuts are shorter, flips differ in one bit."""
    content = bytes(range(97))
    cuts, flips = [], []
    for actual in damaged(content, random.Random(3), cuts=5, flips=7):
        (cuts if len(actual) < len(content) else flips).append(actual)

    assert len(cuts) == 5 and cuts[0] == b"" and all(content.startswith(each) for each in cuts)
    changed = [int.from_bytes(each) ^ int.from_bytes(content) for each in flips]
    assert [each.bit_count() for each in changed] == [1] * 7


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def check_damage(path: Path, tried: Callable[[], None]) -> None:
    rng = random.Random(path.name)
    assert export.verify(path).passed
    for file in files(path.parent):
        content = file.read_bytes()
        for other in damaged(content, rng, CUTS, FLIPS):
            file.write_bytes(other)
            check_refused(path, file)
            tried()
        if file != path:  # then there is none to verify
            os.remove(file)
            check_refused(path, file)
            tried()
        file.write_bytes(content)


def check_refused(path: Path, file: Path) -> None:
    """The digest finds it, and nothing of the artifact is read."""
    if file.name == manifest.FILE:
        with pytest.raises(ValueError, match=manifest.FILE):
            export.verify(path)
        return
    report = export.verify(path)
    assert report.failed and all(each.name.startswith("sha256") for each in report.checks), file


def check_forged_damage(path: Path, tried: Callable[[], None]) -> None:
    """Whoever changes a file can change its digest, too: a report is written, whatever it says."""
    rng, said = random.Random(path.name), (path.parent / manifest.FILE).read_bytes()
    for file in files(path.parent):
        content = file.read_bytes()
        if file.name == manifest.FILE:
            continue
        for other in damaged(content, rng, FORGED_CUTS, FORGED_FLIPS):
            file.write_bytes(other)
            forge(path)
            tried()
            for check in export.verify(path).checks:
                assert (check.name + check.detail).isprintable()
        file.write_bytes(content)
        (path.parent / manifest.FILE).write_bytes(said)
    assert export.verify(path).passed  # and the processes that verify go on


@pytest.mark.long
def test_a_saved_model(task, tmp_path, attack):
    export.saved_model(task, tmp_path / "served")
    check_both(tmp_path / "served" / "1", f"SavedModel of {task.name}", attack)


def test_a_litert_file(task, tmp_path, attack):
    export.litert(task, tmp_path / "a.tflite")
    check_both(tmp_path / "a.tflite", f"LiteRT file of {task.name}", attack)


@pytest.mark.long
def test_onnx_files(task, tmp_path, attack):
    export.onnx(task, tmp_path / "onnx")
    check_both(tmp_path / "onnx", f"ONNX files of {task.name}", attack)


def check_both(path: Path, what: str, attack: Callable) -> None:
    check_damage(path, attack("damaged files", what))
    check_forged_damage(path, attack("damaged files with their digests", what))
