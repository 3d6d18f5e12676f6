"""When the LiteRT file of a run is made, and when it counts."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from typer.testing import CliRunner

import export
import zoo
from tests.zoo.quick.conftest import TEXTS, ask, rows_of, trained
from zoo.cli.app import app
from zoo.cli.quick import answers, background, making, place
from zoo.tasks.folder import CONFIG, WEIGHTS

PATH = f"{place.FOLDER}/{place.FILE}"


@pytest.fixture
def run(text_run, tmp_path):
    """A copy of the run of texts without its file."""
    return shutil.copytree(text_run, tmp_path / "run")


@pytest.fixture
def run_with_file(made, tmp_path):
    return shutil.copytree(made, tmp_path / "run")


@pytest.fixture
def asked(monkeypatch):
    """Which files of runs are opened to answer."""
    opened = []
    quick = answers.quick_predictions
    monkeypatch.setattr(answers, "quick_predictions", lambda m: opened.append(m.name) or quick(m))
    return opened


def test_the_first_answer_starts_its_making(run, allowed):
    ask(run, TEXTS[0])
    assert allowed == [run]
    assert background.start_making.__module__ == background.__name__


@pytest.mark.parametrize("how", ["--exact", "--no-check-digests", "never"])
def test_the_weights_answer_if_they_are_asked_for(run_with_file, asked, allowed, how, monkeypatch):
    options = [how] if how != "never" else []
    if not options:
        monkeypatch.setenv(background.VARIABLE, background.NEVER)
    ask(run_with_file, TEXTS[0], *options)
    assert not asked and not allowed
    monkeypatch.setenv(background.VARIABLE, "make")
    ask(run_with_file, TEXTS[0])
    assert asked == [str(run_with_file / PATH)]


def test_it_is_an_artifact_that_verifies(made):
    assert export.verify(made / PATH).passed
    assert export.verify(made / PATH, zoo.load(made)).passed


def test_a_file_of_other_weights_does_not_count(run_with_file, asked, allowed):
    before = os.stat(run_with_file / PATH)
    task = zoo.load(run_with_file)
    earlier = rows_of(run_with_file, TEXTS[0])
    for weight in task.model.trainable_weights:
        weight.assign(weight * 1.5 + 0.1)
    task.save(run_with_file)
    asked.clear()
    late = before.st_mtime + 99
    os.utime(run_with_file / PATH, (late, late))  # times say nothing
    actual = rows_of(run_with_file, TEXTS[0])
    assert not asked and allowed == [run_with_file]
    assert actual == rows_of(run_with_file, TEXTS[0], "--exact")
    assert abs(actual[0]["score"] - earlier[0]["score"]) > 1e-3
    assert making.make(run_with_file)
    assert os.stat(run_with_file / PATH).st_ino != before.st_ino
    assert rows_of(run_with_file, TEXTS[0])[0]["score"] == pytest.approx(actual[0]["score"])
    assert asked


def test_weights_that_were_swapped_are_refused_as_ever(run_with_file):
    zoo.load(run_with_file).save(run_with_file)
    with (run_with_file / WEIGHTS).open("ab") as file:
        file.write(b"\0")
    result = CliRunner().invoke(app, ["predict", str(run_with_file), TEXTS[0]])
    assert result.exit_code == 2 and "is damaged, or of another run" in result.stderr


@pytest.mark.parametrize("what", ["artifact", "manifest", "none"])
def test_a_damaged_file_does_not_count(run_with_file, asked, what):
    if what == "artifact":
        content = bytearray((run_with_file / PATH).read_bytes())
        content[len(content) // 2] ^= 1
        (run_with_file / PATH).write_bytes(content)
    elif what == "manifest":
        path = run_with_file / place.FOLDER / "manifest.json"
        path.write_text(path.read_text().replace(place.identity(run_with_file)[:9], "0" * 9))
    else:
        (run_with_file / PATH).unlink()
        (run_with_file / place.FOLDER / place.NONE).write_text("[")
    assert rows_of(run_with_file, TEXTS[0]) == rows_of(run_with_file, TEXTS[0], "--exact")
    assert not asked


def test_another_version_of_the_library_makes_its_own(run_with_file, asked, monkeypatch):
    monkeypatch.setattr(place, "version", lambda name: "99.0")
    ask(run_with_file, TEXTS[0])
    assert not asked


def test_nothing_is_started_for_a_folder_that_cannot_be_written(run, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: pytest.fail())
    assert background.start_making(run) is None


def test_a_folder_that_becomes_unwritable_is_left_as_it_was(run, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("export.staging.Staging.__enter__", refuse)
    monkeypatch.setattr(os, "nice", lambda number: None)
    making.main(run)
    assert not (run / place.FOLDER).exists()


def test_what_generates_has_no_file(tmp_path, allowed):
    rows = [("a red hat", "ein roter Hut"), ("two dogs", "zwei Hunde"), ("a hat", "ein Hut")] * 4
    sizes = {"hidden_dim": 8, "intermediate_dim": 8, "num_layers": 1, "num_heads": 2}
    task = zoo.TextToText("transformer", "tiny", vocabulary_size=40, **sizes)
    folder = trained(task, rows, tmp_path / "run")
    assert not making.make(folder)
    note = json.loads((folder / place.FOLDER / place.NONE).read_text())
    assert note["of"] == place.identity(folder) and "generates" in note["reason"]
    ask(folder, "a hat", "--max-new-tokens", "3")
    assert not allowed


def test_a_file_that_answers_otherwise_is_not_kept(run, monkeypatch):
    monkeypatch.setattr("zoo.cli.quick.sameness.same", lambda one, other: False)
    assert not making.make(run)
    assert sorted(path.name for path in (run / place.FOLDER).iterdir()) == [place.NONE]
    assert "of 'a fine film' it answers" in (run / place.FOLDER / place.NONE).read_text()


def test_what_a_killed_process_left_is_removed(run):
    left = run / f".{place.FOLDER}.partial"
    left.mkdir()
    (left / place.FILE).write_bytes(b"half")
    assert making.make(run)
    assert not left.exists() and (run / PATH).exists()


def test_a_run_that_changes_meanwhile_gets_no_file(run, monkeypatch):
    made_of = making._made

    def change(*args):
        reason = made_of(*args)
        task = zoo.load(run)
        task.model.trainable_weights[0].assign(task.model.trainable_weights[0] + 1)
        task.save(run)
        return reason

    monkeypatch.setattr(making, "_made", change)
    assert not making.make(run)
    assert not (run / place.FOLDER).exists()


@pytest.mark.thorough
def test_processes_at_once(run):
    """Each answers, also while the file comes into its place; one of them makes it."""
    started = [background.start_making(run) for _ in range(3)]
    while any(process.poll() is None for process in started):
        assert rows_of(run, TEXTS[0])
    assert [process.returncode for process in started] == [0, 0, 0]
    assert export.verify(run / PATH).passed
    assert not [path for path in run.iterdir() if path.name.startswith(".litert")]


@pytest.mark.thorough
def test_a_killed_process_leaves_no_process_and_nothing_half_written(run):
    """Its worker ends with it, and the run answers as before."""
    process = background.start_making(run)
    assert process
    partial = run / f".{place.FOLDER}.partial"
    until = time.monotonic() + 120
    while not any(partial.glob("**/saved_model.pb")) and time.monotonic() < until:
        time.sleep(0.02)
    workers = _children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 20
    while any(map(_lives, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert workers and not any(map(_lives, workers))
    assert not (run / place.FOLDER).exists()
    ask(run, TEXTS[0])


def _children(pid):
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    )
    return [int(each) for each in listed.stdout.split()]


def _lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_config_says_what_it_is_of(made):
    config = json.loads((made / CONFIG).read_text())
    entry = json.loads((made / place.FOLDER / "manifest.json").read_text())["artifacts"][place.FILE]
    assert entry["config"]["run"]["of"].startswith(config["sha256"])
