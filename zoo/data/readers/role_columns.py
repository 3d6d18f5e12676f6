"""The choice of the column for each role: by an option, by a usual name, or by its contents."""

from collections import Counter
from collections.abc import Mapping, Sequence

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.profile import Profile
from zoo.data.readers.roles import Role
from zoo.data.readers.table import Table, is_empty
from zoo.errors import UserError
from zoo.nearest import offered
from zoo.option_names import option_name

LISTED = 20  # maximum number of columns that a message lists
ENOUGH = 20  # minimum number of rows to check whether the contents of a column fit its role


def choose_columns(
    sample: Table, roles: Sequence[Role], given: Mapping[str, str]
) -> dict[str, int]:
    """The index of the column for each role.

    Args:
        sample: The first rows of the table.
        roles: The roles, in the order of columns without names.
        given: The names of columns that the user gave, by role.

    Raises:
        UserError: If a named column is missing, or the columns are ambiguous.
    """
    finder, indices = ColumnFinder(sample, "rows"), {}
    for role in roles:
        if role.name in given:
            indices[role.name] = _named(finder, sample, given[role.name], role)
    for role in roles if sample.header else ():
        if role.name not in indices:
            index = _usual(finder, sample, role, indices)
            if index is not None:
                indices[role.name] = index
    _take_last_numbers(sample, roles, indices)
    if any(role.required for role in roles if role.name not in indices):
        _infer(sample, roles, indices)
    return {role.name: indices[role.name] for role in roles if role.name in indices}


def _named(finder: ColumnFinder, sample: Table, name: str, role: Role) -> int:
    """The index of the column that the user named."""
    column = finder.named(name)
    if column is not None:
        return sample.names.index(column)
    raise UserError(
        f"{sample.path} has no column {name!r} for {option_name(role.option)}; "
        + (
            offered(name, sample.names, listed(sample.names))
            if sample.header
            else _numbered(sample)
        )
    )


def _usual(
    finder: ColumnFinder, sample: Table, role: Role, indices: Mapping[str, int]
) -> int | None:
    """The index of the column with a usual name of a role; None without one."""
    taken = {sample.names[index] for index in indices.values()}
    matching = [name for name in finder.usual(role.names) if name not in taken]
    exact = [name for name in matching if name.strip().lower() == role.name]
    if len(exact or matching) > 1:
        candidates = sorted(exact or matching, key=sample.names.index)
        raise _ambiguous(sample, role, candidates)
    return sample.names.index((exact or matching)[0]) if matching else None


def _take_last_numbers(sample: Table, roles: Sequence[Role], indices: dict[str, int]) -> None:
    """Finds a last optional column of numbers in a table with a column for each role."""
    last, role = len(sample.names) - 1, roles[-1]
    if role.kind != "number" or role.required or role.name in indices:
        return
    if last in indices.values() or len(sample.names) != len(roles):
        return
    if Profile.of(sample.texts(last)).numbers == 1:
        indices[role.name] = last


def _infer(sample: Table, roles: Sequence[Role], indices: dict[str, int]) -> None:
    """Finds the columns for the remaining roles by their contents, or else by their order."""
    profiles = [Profile.of(sample.texts(index)) for index in range(len(sample.names))]
    missing = [role for role in roles if role.name not in indices]
    required = [role for role in missing if role.required]
    free = [index for index in range(len(profiles)) if index not in indices.values()]
    free = [index for index in free if sample.names[index]]
    if len(free) > len(required):  # otherwise every column is needed, even an identifier
        free = [index for index in free if not profiles[index].is_identifier]
        if all(role.kind != "number" for role in roles):
            free = [index for index in free if not profiles[index].is_measured]
    if len(sample) > 1:
        free = [index for index in free if profiles[index].rows]  # without empty columns
    fitting = {
        "label": [index for index in free if profiles[index].is_categorical],
        "text": [index for index in free if profiles[index].is_text],
        "number": [index for index in free if profiles[index].numbers == 1],
    }
    wanted = Counter(role.kind for role in required)
    if all(len(fitting.get(kind, ())) == count for kind, count in wanted.items()) and (
        # Several texts are taken in order only if no other column is left, or without a header.
        len(free) == len(required) or wanted["text"] <= 1 or not sample.header
    ):
        for role in required:
            indices[role.name] = fitting[role.kind].pop(0)
        return
    # Optional columns are found by name or, in files without names, by number.
    for chosen in (required,) if sample.header else (required, missing):
        if len(free) == len(chosen):
            for role, index in zip(chosen, free, strict=True):
                indices[role.name] = index
            return
    raise _ambiguous(sample, required[0], None)


def _ambiguous(sample: Table, role: Role, candidates: Sequence[str] | None) -> UserError:
    if candidates is not None:
        what = f"several columns could be the {role.name}: {listed(candidates)}"
    elif sample.header:
        finder = ColumnFinder(sample, "rows")
        empty = [name for name in finder.with_names(role.names) if is_empty(finder.left[name])]
        what = f"the column {empty[0]} is empty; " if empty else ""
        what += f"cannot tell which column is the {role.name}; "
        what += f"the columns are {listed(sample.names)}"
    else:
        what = f"cannot tell which column is the {role.name}; {_numbered(sample)}"
    return UserError(f"{sample.path}: {what}; choose with {option_name(role.option)}")


def listed(names: Sequence[str]) -> str:
    """Names of columns in a message."""
    more = [f"{len(names) - LISTED} more"] if len(names) > LISTED else []
    return ", ".join([*names[:LISTED], *more])


def _numbered(sample: Table) -> str:
    """Describes the columns of a table without a header by their first cells."""
    rows = sample.head(1).rows()
    cells = rows[0][:LISTED] if rows else ()
    first = ", ".join(f"{i} ({cell[:20]!r})" for i, cell in enumerate(cells, 1))
    return f"there is no header, and the first row has the columns {first}"
