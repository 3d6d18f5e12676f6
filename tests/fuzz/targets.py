"""All targets by name."""

from tests.fuzz import data, folders
from tests.fuzz.target import Target

TARGETS: dict[str, Target] = {**data.TARGETS, **folders.TARGETS}
