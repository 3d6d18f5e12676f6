"""The property that holds for every target, as a test that Hypothesis runs."""

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.containers import changed_file
from tests.fuzz.guard import guarded
from tests.fuzz.places import SPECIAL, placed, whole
from tests.fuzz.target import Target


def read_unchanged(target: Target, folder: Path) -> None:
    """Reads files that are right, since a reader that refuses every file would hold, too.

    Args:
        target: What is read.
        folder: An empty folder.
    """
    valid = folder / "valid"
    valid.mkdir(parents=True)
    target.make(valid)
    for name in target.files(valid):
        target.read(placed(valid, name, (valid / name).read_bytes()))


def property_of(
    target: Target, folder: Path, examples: int, count: Callable[[], None] = lambda: None
) -> Callable[[], None]:
    """A test that changes one file at a time, and reads it.

    Args:
        target: What is read.
        folder: An empty folder. After a failure, `folder/changed` has what was read last.
        examples: Maximum number of inputs.
        count: Called for each input.
    """
    valid = folder / "valid"
    valid.mkdir()
    target.make(valid)
    contents = {name: (valid / name).read_bytes() for name in target.files(valid)}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def check(draw: st.DataObject) -> None:
        name = draw.draw(st.sampled_from(sorted(contents)), "file")
        special = draw.draw(st.integers(0, 29)) == 0
        kinds = st.sampled_from(SPECIAL) if special else changed_file(name, contents[name])
        path = placed(valid, name, draw.draw(kinds, "content"))
        count()
        with guarded(whole(path), target.errors):
            target.read(path)

    return check
