"""The page of a training that runs: its numbers are those of the run, in every state of it."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.zoo.test_report import Page
from zoo.errors import UserError
from zoo.locking import LOCK, is_locked, locked
from zoo.report import watch, watch_page
from zoo.report.run_progress import RunProgress, Status
from zoo.report.samples import KEPT, Samples
from zoo.tasks.parts import PreviewRow
from zoo.training.history import write_csv
from zoo.training.state import TrainingState

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(11)
FIRST = "2026-11-30 01:15:15 training bert: 7 parameters, 5 epochs of 7 batches, float32"


def rows_of(count):
    """Rows of a history; a metric is missing in every third."""
    return [
        {
            "epoch": epoch,
            "loss": float(RNG.uniform(0.1, 3)),
            "val_loss": float(RNG.uniform(0.1, 3)),
            "val_accuracy": None if epoch % 3 == 2 else float(RNG.uniform()),
            "learning_rate": float(RNG.uniform(1e-5, 1e-2)),
            "seconds": float(RNG.uniform(1, 2)),
        }
        for epoch in range(1, count + 1)
    ]


def written(folder, done=3, epochs=5, log=(FIRST,), **state):
    """A run folder as a training leaves it after some epochs."""
    rows = rows_of(done)
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    write_csv(rows, folder / "history.csv")
    known = {"monitor": "val_accuracy", "mode": "max", "best_value": 0.75, "best_epoch": done}
    known |= {"epoch": done, "history": rows, "seconds": 40.0} | state
    path = folder / "checkpoints" / "state.json"
    path.write_text(json.dumps(asdict(TrainingState(7, **known))))
    config = {"task": "text-classifier", "training": {"epochs": epochs}}
    config |= dict.fromkeys(("settings", "model_options", "files", "data", "examples"), {})
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "log.txt").write_text("\n".join(log) + "\n")
    return rows


def page_of(folder, **options):
    """The page as text, and what the watching said."""
    said = []
    path = watch(folder, every=0.01, say=said.append, **options)
    return path.read_text("utf-8"), said


def cells(page, title):
    """The rows of the table of a section."""
    section = page[page.index(f"<h2>{title}</h2>") :]
    table = re.search(r"<table>.*?</table>", section, re.DOTALL)[0]
    return [["".join(x.itertext()) for x in row] for row in ET.fromstring(table).iter("tr")]


def test_the_table_has_the_values_of_the_history(tmp_path):
    rows = written(tmp_path / "run", done=11, epochs=11)
    page, said = page_of(tmp_path / "run", samples=0)
    header, *shown = cells(page, "Last epochs")
    assert header[:4] == ["epoch", "loss", "validation loss", "validation accuracy"]
    expected = [[row[name] for name in rows[0]] for row in rows[: -watch_page.ROWS - 1 : -1]]
    assert len(shown) == watch_page.ROWS
    for cells_of, values in zip(shown, expected, strict=True):
        assert int(cells_of[0]) == values[0]
        for cell, value in zip(cells_of[1:], values[1:], strict=True):
            assert cell == "" if value is None else float(cell) == pytest.approx(value, rel=5e-4)
    assert said[1:] == ["ended: 11 of 11 epochs"]
    Page(page)


def test_the_curves_are_at_the_values_of_the_history(tmp_path):
    """Heights in pixels are a linear function of the values, of all curves of a figure."""
    written(tmp_path / "run", done=13, epochs=13, best_epoch=4)
    page, _ = page_of(tmp_path / "run", samples=0)
    with open(tmp_path / "run" / "history.csv") as file:
        history = [*csv.DictReader(file)]
    figures = re.findall(r'<figure class="curve">.*?</figure>', page, re.DOTALL)
    names = [re.search(r"<bdi[^>]*>(.*?)</bdi>", each)[1] for each in figures]
    assert names == ["accuracy", "loss", "learning rate"]
    for figure, columns in zip(
        figures[1:], (("loss", "val_loss"), ("learning_rate",)), strict=True
    ):
        lines = re.findall(r'<path d="(M[^"]*)"[^>]*stroke="var\(--(second|accent)\)"', figure)
        curves = {color: np.array(re.findall(r"-?[\d.]+", d), float) for d, color in lines}
        heights, values = [], []
        for name, color in zip(columns, ("second", "accent"), strict=False):
            points = curves[color].reshape(-1, 2)
            assert len(points) == 13
            heights += [*points[:, 1]]
            values += [float(row[name]) for row in history]
        fitted = np.polynomial.Polynomial.fit(values, heights, 1)
        np.testing.assert_allclose(fitted(np.array(values)), heights, atol=0.02)
        assert fitted.deriv()(0.0) < 0  # larger values are higher


def test_a_long_history_is_thinned():
    history = {"epoch": [*np.arange(1.0, 10_008)], "loss": [*RNG.normal(size=10_007)]}
    short = watch_page.thinned(history)
    assert 200 < len(short["epoch"]) <= watch_page.POINTS and short["epoch"][-1] == 10_007
    assert short["loss"] == [history["loss"][int(epoch) - 1] for epoch in short["epoch"]]
    assert watch_page.thinned({"epoch": [1.0, 2.0]}) == {"epoch": [1.0, 2.0]}
    assert watch_page.thinned({}) == {}


def test_the_time_left_is_that_of_the_epochs_that_are_left(tmp_path):
    rows = written(tmp_path, done=3, epochs=11, seconds=40.0)
    with locked(tmp_path):
        progress = RunProgress.read(tmp_path)
    assert progress.status is Status.TRAINING
    each = (40.0 - rows[0]["seconds"]) / 2
    assert progress.seconds_left(progress.written) == pytest.approx(8 * each)
    assert progress.seconds_left(progress.written + 5) == pytest.approx(8 * each - 5)
    assert progress.seconds_left(progress.written + 1e6) == 0
    first = replace(progress, state=TrainingState(7, epoch=1, seconds=6.0))
    assert first.seconds_left(progress.written) == pytest.approx(60)
    half = replace(progress, state=replace(progress.state, step=3))
    each = (40.0 - rows[0]["seconds"]) / (2 + 3 / 7)
    assert half.seconds_left(progress.written) == pytest.approx((8 - 3 / 7) * each)
    assert replace(progress, epochs=None).seconds_left(0.0) is None


@pytest.mark.parametrize(("seconds", "comes_first"), [(90.0, True), (9e6, False)])
def test_a_time_limit_that_comes_first_is_the_time_left(tmp_path, seconds, comes_first):
    written(tmp_path, done=3, epochs=11, seconds=4000.0, ends_at=5e9)
    with locked(tmp_path):
        progress = RunProgress.read(tmp_path)
    now = 5e9 - seconds
    progress = replace(progress, written=now)
    assert progress.seconds_to_limit(now) == seconds
    said = watch_page.sentence(progress, now)
    limit = "3 of 11 epochs; its time limit ends it in 1 min 30 s"
    assert said == limit if comes_first else "left if all are trained" in said
    shown = watch_page.numbers(progress, now)["left"]
    assert (shown == "1 min 30 s") == comes_first
    ended = replace(progress, status=Status.ENDED)
    assert ended.seconds_to_limit(now) is None


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("interrupted after epoch 3; resume to continue from there", Status.STOPPED),
        ("ended by SIGTERM after epoch 3; resume to continue from there", Status.STOPPED),
        ("stopped: The loss became nan at step 2 of epoch 4. Try", Status.STOPPED),
        ("stopped after 2 minutes", Status.ENDED),
        ("early stopping: val_loss has not improved for 3 evaluations", Status.ENDED),
        ("ended by a callback after epoch 3", Status.ENDED),
    ],
)
def test_how_a_training_ended_is_in_its_log(tmp_path, line, status):
    log = [FIRST, "2026-11-30 01:15:16 " + line, "2026-11-30 01:15:17 loaded the weights"]
    written(tmp_path / "run", log=log)
    page, said = page_of(tmp_path / "run", samples=0)
    assert said[1:] == [f"{status.value}: 3 of 5 epochs, {line}"]
    assert line in page and 'http-equiv="refresh"' not in page
    resumed = [*log, FIRST.replace("bert:", "bert: resuming after epoch 3,")]
    written(tmp_path / "run", log=resumed)
    assert RunProgress.read(tmp_path / "run").reason == ""


def test_a_killed_process_leaves_its_lock(tmp_path):
    written(tmp_path / "run")
    code = (
        "import os, signal, sys; from pathlib import Path; from zoo.locking import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('locked', flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environment}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == b"locked\n"
        assert is_locked(tmp_path / "run")
        assert RunProgress.read(tmp_path / "run").status is Status.TRAINING
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (tmp_path / "run" / LOCK).exists() and not is_locked(tmp_path / "run")
    page, said = page_of(tmp_path / "run", samples=0)
    assert said[1].startswith("killed: 3 of 5 epochs: the process ended without a word")
    assert '<p class="status killed">' in page


def test_it_waits_for_a_training_and_follows_it(tmp_path, monkeypatch):
    """What it says, and what its page has, from before the run until its end."""
    folder, pages, said = tmp_path / "run", [], []
    steps = iter(
        [
            lambda: (folder.mkdir(), (folder / LOCK).touch()),
            lambda: written(folder, done=2),
            lambda: written(folder, done=5),
            lambda: (folder / LOCK).unlink(),
        ]
    )
    monkeypatch.setattr("zoo.report.run_progress.is_locked", lambda _: (folder / LOCK).exists())

    def sleep(_):
        pages.append((tmp_path / "run.watch.html").read_text("utf-8"))
        next(steps)()

    monkeypatch.setattr(time, "sleep", sleep)
    path = watch(folder, samples=0, say=said.append)
    assert path == tmp_path / "run.watch.html" and said[0] == str(path)
    assert [each.split(":")[0] for each in said[1:]] == ["waiting", "training", "ended"]
    assert said[1] == "waiting: there is no training here yet"
    of = ["there is no training here yet", "the data is read", "2 of 5 epochs", "5 of 5 epochs"]
    assert all(text in page for text, page in zip(of, pages, strict=True))
    assert all('http-equiv="refresh" content="5"' in page for page in pages)
    assert "refresh" not in path.read_text("utf-8")
    assert [p.name for p in tmp_path.iterdir() if p.name != "run"] == ["run.watch.html"]


def test_ctrl_c_ends_the_watching_only(tmp_path, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    written(tmp_path / "run")
    with locked(tmp_path / "run"):
        page = watch(tmp_path / "run", tmp_path / "a.html", samples=0, say=None).read_text("utf-8")
    assert "Nobody watches the run any more." in page and "refresh" not in page


def test_a_damaged_run_and_hostile_names(tmp_path):
    evil = "<script>alert(1)</script>"
    written(tmp_path / "x<b>", log=[FIRST, f"2026-11-30 01:15:16 stopped: {evil}"])
    page, _ = page_of(tmp_path / "x<b>", samples=0)
    assert evil not in page and "<b>x" not in page and "x&lt;b&gt;" in page
    (tmp_path / "x<b>" / "checkpoints" / "state.json").write_text("[]")
    with pytest.raises(UserError, match="state.json is not a valid state file"):
        watch(tmp_path / "x<b>", say=None)


class Opened:
    """A task that answers with the number of times that it was asked."""

    files, name, training = {}, "text-classifier", {"seed": 0}


def test_answers_of_a_few_epochs_are_kept(tmp_path, monkeypatch):
    asked = []

    def preview(task, examples, count):
        asked.append(len(asked) + 1)
        return [PreviewRow("a", f"answer {len(asked)}", "answer 2", None)] * (count + 1)

    monkeypatch.setattr("zoo.report.samples.preview", preview)
    monkeypatch.setattr(Samples, "_opened", lambda self: Opened())
    samples = Samples(tmp_path, 3)
    assert not samples.refresh(0) and not asked
    assert samples.refresh(1, now=True) and not samples.refresh(1, now=True)
    for epoch in (2, 5, 7, 8, 9):
        assert samples.refresh(epoch, now=True)
    assert [*samples.by_epoch] == [1, 7, 8, 9] and len(samples.by_epoch) == KEPT
    assert len(asked) == 6 and len(samples.by_epoch[7]) == 3
    samples._next = time.monotonic() + 60
    assert not samples.refresh(10)
    assert not Samples(tmp_path, 0).refresh(1)


ROWS = [(f"{a} film {i}", b) for i in range(23) for a, b in (("fine", "good"), ("dull", "bad"))]


def test_answers_are_those_of_the_best_checkpoint(tmp_path):
    for name, rows in (("train.tsv", ROWS), ("held.tsv", ROWS[:14])):
        text = "".join(f"{text}\t{label}\n" for text, label in rows)
        (tmp_path / name).write_text(text)
    task = zoo.TextClassifier(num_buckets=64)
    files = [tmp_path / "train.tsv"], [tmp_path / "held.tsv"]
    task.fit(*files, folder=tmp_path / "run", epochs=3, xla=False, verbose=False)
    page, _ = page_of(tmp_path / "run", samples=5)
    (header, *shown) = cells(page, "Sample answers")
    best = TrainingState.read(tmp_path / "run" / "checkpoints" / "state.json").best_epoch
    assert header == ["input", "reference", f"epoch {best}"] and len(shown) == 5
    labels = dict(ROWS)
    answers = task.predict([text for text, *_ in shown])
    for (text, reference, answer), expected in zip(shown, answers, strict=True):
        assert reference == labels[text]
        assert answer == f"{expected} {'✓' if expected == reference else '✗'}"


def test_a_run_of_data_in_memory_has_no_sample_answers(tmp_path):
    task = zoo.TextClassifier(num_buckets=64)
    task.fit(ROWS, folder=tmp_path / "run", epochs=1, xla=False, verbose=False)
    page, _ = page_of(tmp_path / "run")
    assert "the training data of text-classifier was in memory" in page


def test_a_training_says_how_to_watch_it(tmp_path):
    task = zoo.TextClassifier(num_buckets=64)
    task.fit(ROWS, folder=tmp_path / "a run", epochs=1, xla=False, verbose=False)
    log = (tmp_path / "a run" / "log.txt").read_text("utf-8")
    assert f" watch it with: keras-attn report '{tmp_path / 'a run'}' --watch\n" in log
