"""Building beside the destination and moving into place."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from export import staging
from export.report import Check, Report, VerificationError, accept
from export.staging import Staging, copy_rest, replace
from tests.faults.steps import Steps

ROOT = Path(__file__).parents[2]


def folder(path, **files):
    path.mkdir()
    for name, content in files.items():
        (path / name).write_text(content)
    return path


@pytest.mark.parametrize("exchange", [True, False])
def test_a_full_folder_is_replaced_by_the_new_one(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(staging, "_exchange", lambda one, other: False)
    old, new = folder(tmp_path / "old", a="1", b="2"), folder(tmp_path / "new", a="3")

    replace(new, old)

    assert {file.name: file.read_text() for file in old.iterdir()} == {"a": "3"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["old"]


def test_linux_exchanges_two_folders_in_one_step(tmp_path):
    if not sys.platform.startswith("linux"):
        pytest.skip("renameat2 is Linux's")
    one, other = folder(tmp_path / "one", a="1"), folder(tmp_path / "other", a="2")

    assert staging._exchange(one, other)

    assert ((one / "a").read_text(), (other / "a").read_text()) == ("2", "1")


def test_the_folder_is_gone_after_an_error(tmp_path):
    with pytest.raises(RuntimeError, match="stop"), Staging(tmp_path / "x") as stage:
        (stage.folder / "half").write_text("")
        raise RuntimeError("stop")

    assert list(tmp_path.iterdir()) == []


EXPORT = """
import sys
from pathlib import Path
from export.staging import Staging

with Staging(Path(sys.argv[1])) as staging:
    (staging.folder / "half").touch()
    print("exporting", flush=True)
    input()
"""


@pytest.mark.thorough
def test_one_process_at_a_time_exports_to_a_path(tmp_path):
    """What a killed one has left neither locks the path nor stays."""
    path = tmp_path / "x"
    process = subprocess.Popen(
        [sys.executable, "-c", EXPORT, path],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "exporting\n"
        with pytest.raises(ValueError, match="Another process is exporting to .*x: wait until"):
            Staging(path).__enter__()
        with Staging(tmp_path / "y"):  # another one
            pass
        process.kill()
    assert sorted(os.listdir(tmp_path)) == [".x.lock", ".x.partial"]
    with Staging(path) as staging:
        assert os.listdir(staging.folder) == []
    assert os.listdir(tmp_path) == []


def test_killed_at_any_step_the_folder_is_the_old_one_or_the_new_one(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)  # which takes long
    actual, step, status = [], 0, None

    def export(target):
        with Staging(target) as staging:
            new = folder(staging.folder / "artifact", manifest="new")
            folder(new / "2", graph="new")
            copy_rest(target, new)
            replace(new, target)

    while status != 0:
        parent = folder(tmp_path / str(step))
        target = folder(parent / "served", manifest="old", labels="old")
        child = os.fork()
        if not child:
            Steps(parent, step).install()
            export(target)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        actual.append((target / "manifest").read_text())
        names = {"old": ["labels", "manifest"], "new": ["2", "labels", "manifest"]}
        assert sorted(os.listdir(target)) == names[actual[-1]]
        shutil.rmtree(target / "2", ignore_errors=True)
        export(target)  # after what was left
        assert (target / "2" / "graph").read_text() == "new"
        assert os.listdir(parent) == ["served"]
        step += 1
    assert actual == sorted(actual, reverse=True) and set(actual) == {"old", "new"} and step > 8


def test_the_rest_is_copied_and_nothing_overwritten(tmp_path):
    source, target = folder(tmp_path / "source", a="old", b="2"), folder(tmp_path / "target", a="1")
    folder(source / "deep", c="3")

    copy_rest(source, target)

    actual = {str(f.relative_to(target)): f.read_text() for f in target.rglob("*") if f.is_file()}
    assert actual == {"a": "1", "b": "2", "deep/c": "3"}


def test_a_report_that_cannot_be_written_leaves_no_empty_file(tmp_path, monkeypatch):
    report = Report(tmp_path / "a.tflite", [Check("signature", False, "has none")])
    with pytest.raises(VerificationError):
        accept(report, report.path)
    file = tmp_path / "a.tflite.report.json"
    assert '"signature"' in file.read_text()

    def full(path, text):
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        accept(report, report.path)
    assert not file.exists()
