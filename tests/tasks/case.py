"""What a case tells the harness about one task."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tasks.outputs import Output


@dataclass(frozen=True, eq=False)  # a case is itself alone, so that runs are kept by it
class Case:
    """One row of the contract's table.

    `task`: its name in the registry of tasks. `make(folder, **options)`: a new task; a checkpoint
    that it begins with is written to the folder. `data(folder)`: writes the files to learn from,
    and gives what `adapt` and `fit` take. `texts`: what `predict` takes, of different lengths.
    `output`: what kind of prediction the task gives.
    """

    task: str
    make: Callable[..., Any]
    data: Callable[[Path], Any]
    texts: list[Any]
    output: Output
    # Options of `fit` beside those that all cases share.
    fit: dict[str, Any] = field(default_factory=dict)
    epochs: int = 4
    # The share of the first epoch's loss that is left after the last one, at most.
    left: float = 0.7
    # Writes what `evaluate` takes, where that is not what `fit` takes.
    held_out: Callable[[Path], Any] | None = None
    # Of a task of several heads the one that predicts and is exported.
    head: str = ""
    # A file that teaches nothing, as all its rows have one label; None where there are no labels.
    one_label: Callable[[Path], Any] | None = None
    # An option of the model that is a positive integer.
    size: str = "num_layers"
    # Check -> a name in tests/tasks/reasons.py.
    not_applicable: dict[str, str] = field(default_factory=dict)
    # A variant of another case: all of its checks are thorough, and mistakes are that one's.
    variant: bool = False
    # Checks that are not thorough in this case, although they are elsewhere.
    quick: tuple[str, ...] = ()
