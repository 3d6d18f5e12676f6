"""Recognition of the kind of a task by its data, as the readers of single tasks see them."""

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.data.inspection.memory import fits_of
from zoo.data.inspection.results import Fit
from zoo.errors import UserError
from zoo.nearest import offered
from zoo.tasks.kinds.kind import Kind, Kinds

NOT_ADOPTED = "skip_bad_rows"  # option that only the user chooses


def recognized(kinds: Kinds, data: Any, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind of a task by its data, and the options to read them with.

    A file or a data frame is of the first kind whose reader takes its columns. Rows in memory are
    told apart by their last cells: a number with a fraction is a value, a list beside a list of
    words has tags, another list has labels.

    Args:
        kinds: The kinds.
        data: The data.
        options: The options that a user named columns with.

    Returns:
        The name of the kind, the usual one if none fits, and the options.

    Raises:
        UserError: If a file is missing, or cannot be read.
    """
    for fit in fits_of(data, options):
        for name, kind in kinds.by_name.items():
            if _is(kind, fit):
                names = fit.options.keys() - {NOT_ADOPTED, *kind.fixed}
                return name, {key: fit.options[key] for key in sorted(names)}
    return kinds.usual, {}


def _is(kind: Kind, fit: Fit) -> bool:
    """Whether a fit is of a kind."""
    same = all(bool(fit.options.get(name)) == value for name, value in kind.fixed.items())
    return fit.task == kind.task.name and same


def check_known(what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raises a `UserError` if an option names a task that has no data.

    Args:
        what: Name of the option.
        given: The values of the option, by name of the task.
        names: The names of the tasks.
    """
    for name in given:
        if name not in names:
            raise UserError(f"{what}: there is no task {name!r}; {offered(name, names)}")
