"""What the progress of a training shows: the time left, and lines where there is no terminal."""

import io
import time
from types import SimpleNamespace

import pytest
from rich.console import Console

from zoo.training.objective import Objective
from zoo.training.plan import OptimizerPlan, TrainingPlan
from zoo.training.progress import TimeLeft, TrainingProgress
from zoo.training.time_limit import cut_by_limit


@pytest.mark.parametrize(
    ("remaining", "minutes", "expected"),
    [
        (None, None, "-:--:--"),
        (3661.5, None, "1:01:01"),
        (3661.5, 2.005, "0:02:00"),
        (59.0, 2.005, "0:00:59"),
        (None, 2.005, "0:02:00"),
        (59.0, -1, "0:00:00"),
    ],
)
def test_time_left_ends_at_the_deadline(remaining, minutes, expected):
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    shown = TimeLeft(deadline).render(SimpleNamespace(time_remaining=remaining))
    assert shown.plain == expected


def lines_of(every, is_terminal=False):
    """What two epochs of three batches write to a file, or to a terminal."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=is_terminal, width=99)
    progress = TrainingProgress(console, epochs=5, steps_per_epoch=3, first_epoch=2, every=every)
    for epoch in (2, 3):
        progress.begin_epoch(epoch)
        for step in (1, 2, 3):
            progress.update(step, 7 / step, None)
    return file.getvalue()


def test_a_file_has_lines_of_a_long_epoch():
    lines = lines_of(every=0.0).split("\n")
    assert lines[1] == "epoch 2/5: 2 of 3 batches · loss 3.5000"
    assert lines[3] == "epoch 3/5: 1 of 3 batches · loss 7.0000"
    assert len(lines) == 7


def test_short_epochs_and_terminals_have_no_lines():
    assert lines_of(every=60.0) == ""
    assert lines_of(every=0.0, is_terminal=True) == ""


@pytest.mark.parametrize("schedule", ["noam", "constant", "cosine", "linear"])
@pytest.mark.parametrize(
    ("epoch", "each", "left", "fit"),
    [(1, 60, 250, 5), (3, 10, 19.9, 4), (1, 60, -5, 1), (1, 60, 480.1, None), (9, 1, 0, None)],
)
def test_what_a_time_limit_leaves(schedule, epoch, each, left, fit):
    optimizer = OptimizerPlan(schedule=schedule)
    plan = TrainingPlan(
        epochs=9, steps_per_epoch=2, objective=Objective("mse"), optimizer=optimizer
    )
    said = cut_by_limit(plan, epoch, each, left)
    if fit is None:
        assert said is None
    else:
        assert f"after about {fit} of 9 epochs" in said
        assert (f"epochs {fit} for a whole" in said) == (schedule in ("cosine", "linear"))
