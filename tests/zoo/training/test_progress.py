"""What the progress bar says of the time left."""

import time
from types import SimpleNamespace

import pytest

from zoo.training.progress import TimeLeft


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
