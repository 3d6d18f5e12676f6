"""The tasks that can be trained on a table, as their readers say."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from zoo.data.audio.read import read_recordings
from zoo.data.audio.recognition import has_recordings
from zoo.data.images.captions import read_captions
from zoo.data.images.recognition import has_captions
from zoo.data.inspection.label_sets import label_set_options
from zoo.data.inspection.results import TRIED as CELLS
from zoo.data.inspection.results import ColumnFacts, Fit, Options
from zoo.data.readers.answers import read_answers
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.label_sets import label_set_roles
from zoo.data.readers.pairs import read_pairs
from zoo.data.readers.passages import read_passages
from zoo.data.readers.profile import ENOUGH, Profile
from zoo.data.readers.read_columns import columns_of
from zoo.data.readers.recognition import has_answers, has_queries
from zoo.data.readers.roles import DOCUMENT, LABELED, PAIR, SECOND, TEXT, VALUE, VALUED, Role
from zoo.data.readers.table import Table
from zoo.data.readers.tables import reader_of
from zoo.data.readers.text_columns import TextColumns
from zoo.data.series.dates import are_dates
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.order import RepeatedTime
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.recognition import has_labeled_series, has_series
from zoo.errors import UserError


def _recordings(path: str | Path, given: Options) -> str:
    return str(read_recordings(path, ReadOptions.of(given)))


def _labeled_series(path: str | Path, given: Options) -> str:
    options = ReadingOptions.of({**given, "target_column": given.get("value_column")})
    return str(read_labeled_series(path, options, given.get("label_column")))


def _series(path: str | Path, given: Options) -> str:
    return str(read_series(path, ReadingOptions.of(given)))


def _captions(path: str | Path, given: Options) -> str:
    return str(read_captions(path, ReadOptions.of(given), given.get("images")))


def _answers(path: str | Path, given: Options) -> str:
    return str(read_answers(path, ReadOptions.of({**given, "skip_bad_rows": True})))


def _passages(path: str | Path, given: Options) -> str:
    return str(read_passages(path, ReadOptions.of(given)))


def _pairs(path: str | Path, given: Options) -> str:
    return str(read_pairs(path, ReadOptions.of(given)))


Reader = Callable[[str | Path, Options], str]  # says what the reader of a task understood

# Tables that are recognized as a whole: whether a file is one, and the readers of its tasks.
KINDS: tuple[tuple[Callable[..., bool], dict[str, Reader]], ...] = (
    (has_recordings, {"speech-recognizer": _recordings}),
    (has_labeled_series, {"series-classifier": _labeled_series}),
    (has_series, {"series-forecaster": _series}),
    (has_captions, {"image-captioner": _captions}),
    (has_answers, {"question-answering": _answers}),
    (has_queries, {"text-pair-scorer": _passages, "text-embedder": _pairs}),
)
DOCUMENT_TASKS = ("causal-lm", "masked-lm", "denoising")
# Other tables by the columns that they have, and the tasks that read these.
ROLES: tuple[tuple[tuple[Role, ...], tuple[str, ...]], ...] = (
    (LABELED, ("text-classifier",)),
    (VALUED, ("text-regressor",)),
    (PAIR, ("text-to-text", "text-embedder")),
    (DOCUMENT, DOCUMENT_TASKS),
)
IDENTIFIERS = 0.9  # share of identifiers from which a column has no texts
FEW = 20  # values of a column from which it is less likely to have labels
YES_OR_NO = {*"yes no y n true false ja nein oui non sí si sim não".split()}
NAME = re.compile(r"[^\W_]+")  # a word of the name of a column
TRIED = 3  # maximum number of columns that are tried for a role


@dataclass(frozen=True)
class Fits:
    """The tasks that fit a table.

    Args:
        tasks: The tasks.
        columns: The columns that the first reads, without cells if it reads the table as a whole.
        notes: What it reads, or why other tasks do not fit.
    """

    tasks: list[Fit]
    columns: TextColumns
    notes: list[str]

    @property
    def texts(self) -> list[Role]:
        """The roles of the columns of texts that the first task reads."""
        roles = [role for roles, _ in ROLES for role in roles if role.kind == "text"]
        return [role for role in dict.fromkeys(roles) if role.name in self.columns.cells]


def fits_as_a_whole(path: str | Path, first: Path, given: Options) -> Fits | None:
    """The tasks of a table that is recognized as a whole; None for another table."""
    recognized = (readers for fits, readers in KINDS if fits(first, given.get("encoding")))
    readers = next(recognized, None)
    if readers is None:
        return None
    own: Options = {"images": given["images"]} if "images" in given else {}
    tasks: list[Fit] = []
    notes: list[str] = []
    reasons: list[str] = []
    for task, described in readers.items():
        try:
            note, options = _as_a_whole(described, path, given)
        except UserError as error:
            reasons.append(f"{task}: {error}")
            continue
        tasks.append(Fit(task, {**own, **options}))
        notes.append(note)
    return Fits(tasks, TextColumns(str(path)), notes[:1] or reasons)


def _as_a_whole(described: Reader, path: str | Path, given: Options) -> tuple[str, Options]:
    """What a reader reads, and the options that it needs: the column of series, if one is."""
    try:
        return described(path, given), {}
    except RepeatedTime as error:
        if len(error.series_columns) != 1:
            raise
        options = {"series_column": error.series_columns[0]}
        return described(path, {**given, **options}), options


def fits_by_columns(tables: Sequence[Table], facts: Sequence[ColumnFacts], given: Options) -> Fits:
    """The tasks that read texts from the columns of a table.

    Args:
        tables: The table, or the tables of several files with the same columns.
        facts: The facts about its columns.
        given: Options that name columns.
    """
    tasks: list[Fit] = []
    reasons: list[str] = []
    columns: list[TextColumns] = []
    for options in label_set_options(tables, facts, given):
        labels, reading = label_set_roles(ReadOptions.of({**given, **options}))
        try:
            columns.append(_read(tables, [TEXT, SECOND, *labels], reading))
        except UserError as error:
            reasons.append(f"text-classifier: {error}")
            continue
        tasks.append(Fit("text-classifier", {**options, **_skipping(columns[-1])}))
    has_several = bool(tasks)
    for roles, names in ROLES:
        if has_several and roles in (LABELED, PAIR):  # which would read the same columns
            continue
        fits, read, reason = _fitting(tables, roles, names, facts, given)
        tasks += fits
        columns += read
        reasons += reason
    return Fits(tasks, columns[0] if columns else TextColumns(tables[0].path), reasons)


def _fitting(
    tables: Sequence[Table],
    roles: Sequence[Role],
    names: Sequence[str],
    facts: Sequence[ColumnFacts],
    given: Options,
) -> tuple[list[Fit], list[TextColumns], list[str]]:
    """The fits of tasks that read columns with these roles, what each reads, or why none fits."""
    tasks: list[Fit] = []
    columns: list[TextColumns] = []
    refused: list[UserError] = []
    fewest = len(roles)  # options that are needed
    for options in _choices(sum(map(len, tables)), roles, facts, given):
        if len(options) > fewest or len(columns) == TRIED:
            break
        try:
            columns.append(_read(tables, roles, ReadOptions.of({**given, **options})))
        except UserError as error:
            refused.append(error)
            continue
        fewest = len(options)
        tasks += [Fit(name, {**options, **_skipping(columns[-1])}) for name in names]
    return tasks, columns, [] if tasks else [f"{names[0]}: {refused[0]}"]


def _skipping(columns: TextColumns) -> Options:
    """The option that leaves out bad rows, if there are some."""
    return {"skip_bad_rows": True} if columns.bad else {}


def _choices(
    rows: int, roles: Sequence[Role], facts: Sequence[ColumnFacts], given: Options
) -> Iterator[Options]:
    """Options to try: none, and then the names of columns whose contents fit the roles.

    Several texts cannot be told apart by their contents, but of two columns of texts the first is
    taken for the source of a pair.
    """
    yield {}
    texts = [each.name for each in facts if each.kind == "text" and each.name]
    sides = [role.option for role in PAIR]
    if roles == PAIR and rows >= ENOUGH and len(texts) == 2 and not {*sides} & {*given}:
        yield dict(zip(sides, texts, strict=True))
    wanted = [role for role in roles if role.required and role.option not in given]
    if rows < ENOUGH or sum(role.kind == "text" for role in wanted) > 1:
        return
    columns = [
        [None, *(x.name for x in _likeliest(facts, role) if x.name and _fits(x, role))][: TRIED + 1]
        for role in wanted
    ]
    for names in sorted(product(*columns), key=lambda names: len(names) - names.count(None)):
        pairs = zip(wanted, names, strict=True)
        if options := {role.option: name for role, name in pairs if name is not None}:
            yield options


def _likeliest(facts: Sequence[ColumnFacts], role: Role) -> Sequence[ColumnFacts]:
    """The columns; of labels, those first that are named so, then those that are questions, then
    the last one, then those of few values."""
    if role.kind != "label":
        return facts
    last = facts[-1]

    def rank(each: ColumnFacts) -> tuple[bool, bool, bool, bool]:
        named = {*NAME.findall(each.name.lower())} & {*role.names}
        answers = {value.strip().lower() for value in each.values}
        asks = each.name.strip().endswith("?") or (each.distinct == 2 and answers <= YES_OR_NO)
        return (not named, not asks, each is not last, each.distinct > FEW)

    return sorted(facts, key=rank)


def _fits(facts: ColumnFacts, role: Role) -> bool:
    return facts.kind == role.kind and (role.kind != "label" or facts.distinct > 1)


def _read(tables: Sequence[Table], roles: Sequence[Role], options: ReadOptions) -> TextColumns:
    """The columns of the roles, as training reads them.

    Raises:
        UserError: If they are ambiguous, their contents do not fit, or no row is valid.
    """
    options = replace(options, skip_bad_rows=True)
    columns = columns_of(map(reader_of, tables), tables[0].path, roles, options)
    if not any(columns.cells.values()):
        first = next((f"; line {line}: {reason}" for _, line, reason in columns.bad), "")
        raise UserError(f"no row is valid{first}")
    for role in roles:
        if role.name in columns.cells:
            cells = columns.cells[role.name]
            _check(role, roles, columns.names[role.name], cells, role.name in options.by_role())
    return columns


def _check(role: Role, roles: Sequence[Role], name: str, cells: Sequence[str], named: bool) -> None:
    """Refuses a column that training would take, but whose cells say that it is no such column.

    Args:
        role: The role of the column.
        roles: The roles of all columns that are read.
        name: Its name.
        cells: Its cells.
        named: Whether the user named it.
    """
    profile = Profile.of(cells)
    if role == VALUE and profile.distinct <= 2:
        raise UserError(f"{name} has the same values again and again: labels")
    if role.kind == "label" and profile.distinct == 1 and not named:
        raise UserError(f"{name} has one value only, {cells[0]!r:.40}")
    if role.kind == "label" and not named and are_dates(cells[:CELLS]):
        raise UserError(f"{name} has dates, no labels")
    if role.kind != "text" or named:
        return
    if max(profile.identifiers, profile.numbers) > IDENTIFIERS:
        raise UserError(f"{name} has numbers or identifiers, no texts")
    if are_dates(cells[:CELLS]):
        raise UserError(f"{name} has dates, no texts")
    if profile.is_categorical and (roles == PAIR or profile.words < 2):
        raise UserError(f"{name} has a few values that repeat, no texts")
