"""A case: everything that the checks need to know about one task."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tasks.outputs import Output


@dataclass(frozen=True, eq=False)  # a case is itself alone, so that runs are kept by it
class Case:
    """A row of the contract's table.

    `task`: name of the task in the registry. `make(folder, **options)` creates a new task; it may
    write a checkpoint to the folder to start from. `data(folder)` writes the training files, and
    returns the argument of `adapt` and `fit`. `texts`: inputs of `predict`, of different lengths.
    `output`: the kind of the predictions.
    """

    task: str
    make: Callable[..., Any]
    data: Callable[[Path], Any]
    texts: list[Any]
    output: Output
    # Options of `fit`, in addition to those that all cases share.
    fit: dict[str, Any] = field(default_factory=dict)
    epochs: int = 4
    # Maximum loss of the last epoch, as a fraction of that of the first.
    left: float = 0.7
    # Writes the data for `evaluate`, if its format differs from that for `fit`.
    held_out: Callable[[Path], Any] | None = None
    # The head to predict with and to export, for tasks with several heads.
    head: str = ""
    # Writes a file whose rows all have the same label; None for tasks without labels.
    one_label: Callable[[Path], Any] | None = None
    # Folder in which a run keeps what it learned of the data besides weights.
    learned: str = "tokenizer"
    # Name of an option of the model that must be a positive integer.
    size: str = "num_layers"
    # Check -> a name in tests/tasks/reasons.py.
    not_applicable: dict[str, str] = field(default_factory=dict)
    # Whether it is a variant of another case. All its checks are long, and those that do not
    # depend on the model are left to the other case.
    variant: bool = False
    # Checks that are not thorough in this case, although they are in others.
    quick: tuple[str, ...] = ()
