"""Which tasks can be trained on a table, as their readers say."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import SimpleNamespace
from typing import Any

from zoo.data.audio.facts import has_recordings
from zoo.data.audio.read import read_recordings
from zoo.data.images.captions import read_captions
from zoo.data.images.facts import has_captions
from zoo.data.inspection.facts import ColumnFacts, Fit, Options
from zoo.data.readers.columns import Columns, columns_of
from zoo.data.readers.profile import ENOUGH, Profile
from zoo.data.readers.roles import DOCUMENT, LABELED, PAIR, Role
from zoo.data.readers.rows import Row
from zoo.data.readers.tables import Table
from zoo.data.series.facts import has_labeled_series, has_series
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.read import read_series
from zoo.errors import UserError

# Tables that are recognized as a whole: the task, whether a file is one, and its reader.
KINDS: tuple[tuple[str, Callable[..., bool], Callable[[Any, Any], Any]], ...] = (
    ("speech-recognizer", has_recordings, read_recordings),
    ("series-classifier", has_labeled_series, read_labeled_series),
    ("series-forecaster", has_series, read_series),
    ("image-captioner", has_captions, read_captions),
)
DOCUMENT_TASKS = ("causal-lm", "masked-lm", "denoising")
# Other tables by the columns that they have, and the tasks that read these.
ROLES: tuple[tuple[tuple[Role, ...], tuple[str, ...]], ...] = (
    (LABELED, ("text-classifier",)),
    (PAIR, ("text-to-text", "text-embedder")),
    (DOCUMENT, DOCUMENT_TASKS),
)
IDENTIFIERS = 0.9  # share of identifiers from which a column has no texts
TRIED = 3  # maximum number of columns that are tried for a role


class Given(SimpleNamespace):
    """Options of `inspect`, for readers that take those of a task."""

    def values(self) -> dict[str, Any]:
        """The options by name."""
        return vars(self)


@dataclass(frozen=True)
class Fits:
    """The tasks that fit a table.

    Args:
        tasks: The tasks.
        columns: The columns that the first reads, without cells if it reads the table as a whole.
        notes: What it reads, or why other tasks do not fit.
    """

    tasks: list[Fit]
    columns: Columns
    notes: list[str]


def fits_as_a_whole(path: Any, first: Any, given: Options) -> Fits | None:
    """The task of a table that is recognized as a whole; None for another table."""
    for task, recognizes, read in KINDS:
        if recognizes(first, given.get("encoding")):
            try:
                facts = str(read(path, Given(**given)))
            except UserError as error:
                return Fits([], Columns(str(path)), [f"{task}: {error}"])
            return Fits([Fit(task, {})], Columns(str(path)), [facts])
    return None


def fits_by_columns(
    table: Table, rows: Sequence[Row], facts: Sequence[ColumnFacts], given: Options
) -> Fits:
    """The tasks that read texts from the columns of a table.

    Args:
        table: The table.
        rows: All of its rows.
        facts: The facts about its columns.
        given: Options that name columns.
    """
    tasks: list[Fit] = []
    reasons: list[str] = []
    columns: list[Columns] = []
    for roles, names in ROLES:
        refused: list[UserError] = []
        found: list[Columns] = []
        fewest = len(roles)  # options that are needed
        for options in _choices(rows, roles, facts, given):
            if len(options) > fewest or len(found) == TRIED:
                break
            try:
                read = _read(table, rows, roles, {**given, **options})
            except UserError as error:
                refused.append(error)
                continue
            found.append(read)
            fewest = len(options)
            skip = {"skip_bad_rows": True} if read.bad else {}
            tasks += [Fit(name, {**options, **skip}) for name in names]
        if not found:
            reasons.append(f"{names[0]}: {refused[0]}")
        columns += found
    return Fits(tasks, columns[0] if columns else Columns(table.path), reasons)


def _choices(
    rows: Sequence[Row], roles: Sequence[Role], facts: Sequence[ColumnFacts], given: Options
) -> Iterator[Options]:
    """Options to try: none, and then the names of columns whose contents fit the roles.

    Several texts cannot be told apart by their contents.
    """
    yield {}
    wanted = [role for role in roles if role.required and role.option not in given]
    if len(rows) < ENOUGH or sum(role.kind == "text" for role in wanted) > 1:
        return
    columns = [
        [None, *(each.name for each in facts if each.name and each.kind == role.kind)][: TRIED + 1]
        for role in wanted
    ]
    for names in sorted(product(*columns), key=lambda names: len(names) - names.count(None)):
        pairs = zip(wanted, names, strict=True)
        if options := {role.option: name for role, name in pairs if name is not None}:
            yield options


def _read(table: Table, rows: Sequence[Row], roles: Sequence[Role], options: Options) -> Columns:
    """The columns of the roles, as training reads them.

    Raises:
        UserError: If they are ambiguous, their contents do not fit, or no row is valid.
    """
    given = SimpleNamespace(**{**options, "skip_bad_rows": True})
    found = columns_of([replace(table, rows=iter(rows))], table.path, roles, given)
    if not any(found.cells.values()):
        raise UserError("no row is valid")
    for role in roles:
        if role.kind != "text" or role.option in options or role.name not in found.cells:
            continue
        profile, name = Profile.of(found.cells[role.name]), found.names[role.name]
        if profile.identifiers > IDENTIFIERS:
            raise UserError(f"{name} has numbers or identifiers, no texts")
        if role in PAIR and profile.is_categorical:
            raise UserError(f"{name} has a few values that repeat, no texts")
    return found
