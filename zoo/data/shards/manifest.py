"""A folder of prepared data: its manifest, which is checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.data.readers.files import is_path
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.json_file import read_json

MANIFEST, TASK = "manifest.json", "task"
SCALARS, SEQUENCES = "scalars", "sequences"
MAX_ROWS = 1 << 50


def is_shards(data: Any) -> bool:
    """Whether data are a folder of prepared data."""
    if not is_path(data):
        return False
    if isinstance(data, list | tuple):
        return len(data) == 1 and is_shards(data[0])
    try:
        return (Path(data) / MANIFEST).is_file()
    except (OSError, ValueError):  # not the name of a file
        return False


@dataclass(frozen=True)
class Shards:
    """Prepared data, in the place of examples.

    Args:
        folder: The folder.
        task: Name of the task that the data was prepared for.
        settings: The settings of the task that the data depend on.
        source: What was read, for the log.
        kinds: "scalars" or "sequences", by name of the column.
        rows: Number of rows of each shard, by name of the column.
        values: Number of values of each shard, by name of the column.
        scale: Typical length of the columns by which the rows of a shard are sorted.
        examples: Some raw inputs.
        statistics: Counts of truncated, skipped and unknown data.
    """

    folder: Path
    task: str
    settings: dict[str, Any]
    source: str
    kinds: dict[str, str]
    rows: tuple[int, ...]
    values: dict[str, tuple[int, ...]]
    scale: dict[str, float]
    examples: dict[str, list[Any]]
    statistics: Statistics

    @property
    def path(self) -> str:
        """Path of the data, for messages."""
        return str(self.folder)

    def __len__(self) -> int:
        return sum(self.rows)

    def __str__(self) -> str:
        facts = f"{self.folder}: {counted(len(self), 'rows')} of {self.source}"
        return with_statistics(f"{facts} in {counted(len(self.rows), 'shards')}", self.statistics)


def read_shards(folder: Path) -> Shards:
    """Reads and checks a manifest.

    Names of files are not read from it, but follow from the names of columns and numbers of shards.

    Raises:
        UserError: If it is damaged.
    """
    path = folder / MANIFEST
    try:
        manifest = read_json(path, dict)
        columns, shards = manifest["columns"], manifest["shards"]
        kinds = {name: columns[name] for name in columns if name.isidentifier()}
        if kinds != columns or not set(kinds.values()) <= {SCALARS, SEQUENCES} or not shards:
            raise ValueError("its columns or shards")
        rows = tuple(_count(each["rows"]) for each in shards)
        values = {name: tuple(_count(each["values"][name]) for each in shards) for name in kinds}
        if any(values[name] != rows for name in kinds if kinds[name] == SCALARS):
            raise ValueError("the number of values is not that of rows")
        scale = {name: float(x) for name, x in manifest["scale"].items()}
        if any(kinds[name] != SEQUENCES or not 0 < x < MAX_ROWS for name, x in scale.items()):
            raise ValueError("its scale")
        statistics = Statistics({str(k): _count(x) for k, x in manifest["statistics"].items()})
        examples = {str(name): list(each) for name, each in manifest["examples"].items()}
        task, settings, source = (
            str(manifest["task"]),
            dict(manifest["settings"]),
            str(manifest["source"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is damaged ({error}): prepare the data again") from None
    return Shards(folder, task, settings, source, kinds, rows, values, scale, examples, statistics)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MAX_ROWS:
        raise ValueError(f"{value!r} is no number of rows")
    return value
