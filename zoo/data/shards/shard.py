"""One shard: a folder with the arrays of its columns, which is written in one step."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from export.files import sync
from zoo.atomic import reporting_full_disk
from zoo.data.batching.padded_columns import Numbers, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.shards.arrays import ids_type, write_array
from zoo.errors import UserError
from zoo.json_file import read_json
from zoo.untrusted import sha256

FACTS = "shard.json"


def shard_name(number: int) -> str:
    """The name of the folder of a shard."""
    return f"shard-{number:06d}"


def new_name(number: int) -> str:
    """The name of the folder of a shard that is being written."""
    return f".new-{shard_name(number)}-{os.getpid()}"


def write_shard(
    folder: Path, number: int, tokenized: Tokenized, vocabulary_size: int, scale: dict[str, float]
) -> Path:
    """Writes a shard beside its place. Rows are sorted by their lengths, if `scale` has any.

    Args:
        folder: The folder of all shards.
        number: The number of the shard.
        tokenized: Its columns.
        vocabulary_size: Number of ids; up to 65536 of them are stored in 16 bits.
        scale: Typical length of the columns that determine the length of a row.

    Returns:
        The folder that was written, which `commit_shard` renames.
    """
    new = folder / new_name(number)
    columns: dict[str, Any] = dict(tokenized.columns)
    key = length_key({name: columns[name].lengths for name in scale}, scale)
    order = None if key is None else np.argsort(key, kind="stable")
    with reporting_full_disk(folder / shard_name(number)):
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        counts = {}
        for name, column in columns.items():
            if isinstance(column, Numbers):
                values = column.values if order is None else column.values[order]
                write_array(new / f"{name}.npy", values)
                counts[name] = len(values)
                continue
            column = column if order is None else _sorted(column, order)
            ids = column.values.astype(ids_type(vocabulary_size))
            write_array(new / f"{name}.npy", ids)
            offsets = np.concatenate([[0], column.lengths.cumsum()]).astype(np.int64)
            write_array(new / f"{name}.offsets.npy", offsets)
            counts[name] = len(column.values)
        rows = {name: _rows(column) for name, column in columns.items()}
        files = {path.name: sha256(path) for path in sorted(new.iterdir())}
        facts = {
            "rows": next(iter(rows.values())),
            "values": counts,
            "statistics": {name: count for name, count in tokenized.statistics.items() if count},
            "files": files,
        }
        (new / FACTS).write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
        sync(new / FACTS)
        sync(new)
    return new


def commit_shard(new: Path, number: int) -> dict[str, Any]:
    """Renames the folder of a shard that is complete. Returns its facts."""
    target = new.parent / shard_name(number)
    with reporting_full_disk(target):
        shutil.rmtree(target, ignore_errors=True)
        os.replace(new, target)
        sync(new.parent)
    return read_json(target / FACTS, dict)


def finished(folder: Path, number: int) -> dict[str, Any] | None:
    """The facts of a shard that was written before and is intact; None if there is none."""
    shard = folder / shard_name(number)
    try:
        facts = read_json(shard / FACTS, dict)
        same = {name: sha256(shard / name) for name in facts["files"]} == facts["files"]
        return facts if same else None
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return None


def length_key(lengths: dict[str, np.ndarray], scale: dict[str, float]) -> np.ndarray | None:
    """By which rows are sorted: the greatest of their lengths, relative to typical ones."""
    if not scale:
        return None
    keys = [lengths[name] / typical for name, typical in scale.items()]
    return np.maximum.reduce(keys)


def _rows(column: Any) -> int:
    return len(column.values) if isinstance(column, Numbers) else len(column.lengths)


def _sorted(column: Sequences, order: np.ndarray) -> Sequences:
    begins = column.lengths.cumsum() - column.lengths
    lengths = column.lengths[order]
    indices = np.repeat(begins[order] - (lengths.cumsum() - lengths), lengths)
    return Sequences(column.values[indices + np.arange(len(indices))], lengths, column.fill)
