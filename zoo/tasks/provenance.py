"""The origin of weights: file names, to resume a run, and digests of data and checkpoints."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from zoo.data.held_out import Fold
from zoo.data.readers.files import is_path, paths_of
from zoo.data.shards.manifest import MANIFEST, is_shards
from zoo.errors import UserError
from zoo.tasks.folder import OWN_DIGEST
from zoo.untrusted import sha256

CHECKPOINT = "checkpoint/"  # begins the names of files of a checkpoint
LISTED = 20  # files of data that are published with their names


def file_names(data: Any) -> Any:
    """The files of data as JSON types, so that a run can be resumed.

    Args:
        data: Data in the form that `fit` takes. A validation fraction is returned unchanged, and
            a fold as a string.

    Returns:
        A list of absolute paths, or a dictionary of lists by names of tasks; None for data in
        memory.

    Example:
        >>> file_names(0.1), file_names([("a hat", "ein Hut")])
        (0.1, None)
    """
    if isinstance(data, float | Fold):
        return data if isinstance(data, float) else str(data)
    if isinstance(data, Mapping):
        by_task = {task: file_names(each) for task, each in data.items()}
        return None if None in by_task.values() else by_task
    return [str(path.absolute()) for path in paths_of(data)] if is_path(data) else None


def names_of(data: Any) -> str:
    """The names of the files of data, for people; empty for data in memory.

    Example:
        >>> names_of({"mrpc": "data/a.tsv", "rte": "data/b.tsv"}), names_of([("a hat", "x")])
        ('mrpc=a.tsv rte=b.tsv', '')
    """
    if isinstance(data, Mapping):
        by_task = {task: names_of(each) for task, each in data.items()}
        return " ".join(f"{task}={names}" for task, names in by_task.items() if names)
    return " ".join(path.name for path in paths_of(data)) if is_path(data) else ""


def files_of(names: Any) -> Any:
    """Converts the result of `file_names` to the form that `fit` takes.

    Raises:
        UserError: If the names are damaged.
    """
    if names is None or isinstance(names, float):
        return names
    if isinstance(names, Mapping):
        return {str(task): files_of(each) for task, each in names.items()}
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        return [Path(name) for name in names]
    if isinstance(names, str) and (fold := Fold.parse(names)) is not None:
        return fold
    raise UserError(f"the names of the data files are damaged: {names!r}")


class DataFile(NamedTuple):
    """A file of data, and the path that was given for it: its own, or that of a folder."""

    file: Path
    given: Path


def files_of_data(data: Any, read: Iterable[Path] = ()) -> list[DataFile]:
    """The files of data, in their order; of prepared data, the manifest.

    Args:
        data: Files or folders.
        read: The files that were read of folders; by default their text files, or else all.
    """
    every: list[DataFile] = []
    for path in paths_of(data):
        if is_shards(path):
            files = [path / MANIFEST]  # with the digests of the others
        elif path.is_dir():
            files = [file for file in read if file.is_relative_to(path)] or _files_in(path)
        else:
            files = [path]
        every += [DataFile(file, path) for file in files]
    return every


def digests(
    data: Any, read: Iterable[Path] = (), digest: Callable[[Path], str] = sha256
) -> dict[str, str]:
    """SHA-256 digests of the files of training data.

    Args:
        data: Files, a folder of `.txt` files or of graphs, data in memory, or a dictionary of these
            by names of tasks.
        read: The files that were read of folders; by default their text files, or else all.
        digest: The function from a file to its digest.

    Returns:
        Dictionary from the names of files to digests; empty for data in memory. If `data` is a
        dictionary, the names start with the name of the task. Files of the same name are told by
        the folders that they are in.

    Example:
        >>> digests([("a hat", "ein Hut")])
        {}
    """
    if isinstance(data, Mapping):
        return {
            f"{task}/{name}": value
            for task, each in data.items()
            for name, value in digests(each, read, digest).items()
        }
    if not is_path(data):
        return {}
    files = list(dict.fromkeys(files_of_data(data, read)))
    names = [str(each.file.relative_to(each.given.parent)) for each in files]
    deepest, depth = max((len(each.file.parts) for each in files), default=1), 1
    while len(set(names)) < len(names) and depth < deepest:
        depth += 1
        names = [str(Path(*each.file.parts[-depth:])) for each in files]
    return {name: digest(each.file) for name, each in zip(names, files, strict=True)}


def checkpoint_digests(files: Iterable[Path]) -> dict[str, str]:
    """SHA-256 digests of the weights of a checkpoint, which its publisher may also have."""
    return {f"{CHECKPOINT}{path.name}": sha256(path) for path in files}


def of_checkpoint(known: Mapping[str, str]) -> dict[str, str]:
    """Those digests of a task that `checkpoint_digests` made.

    Example:
        >>> of_checkpoint({"checkpoint/model.safetensors": "0a", "data.tsv": "0b"})
        {'checkpoint/model.safetensors': '0a'}
    """
    return {name: digest for name, digest in known.items() if name.startswith(CHECKPOINT)}


def published(known: Mapping[str, str]) -> dict[str, str]:
    """The digests of a task as artifacts and model cards have them, which others read.

    Many files, such as photographs of people, have one digest together, and no names.

    Args:
        known: What `digests` and `checkpoint_digests` returned.

    Example:
        >>> published({"train.tsv": "0a"})
        {'train.tsv': '0a'}
        >>> list(published({f"cats/{number}.png": "0a" for number in range(814)}))
        ['cats, 814 files']
    """
    checkpoint = of_checkpoint(known)
    names = sorted(known.keys() - checkpoint.keys())
    if len(names) <= LISTED:
        return dict(known)
    folders = dict.fromkeys(name.partition("/")[0] for name in names if "/" in name)
    what = " ".join(folders) if len(folders) == 1 else "data"
    together = _together(known[name] for name in names)
    return {f"{what}, {len(names):,} files": together, **checkpoint}


def _together(every: Iterable[str]) -> str:
    """One digest of several, in whatever order these are."""
    return hashlib.sha256("\n".join(sorted(every)).encode()).hexdigest()


def trained_on(data: Any, known: Mapping[str, str]) -> tuple[int, int]:
    """How many files of data have the contents of a file of the training data, and of how many.

    Args:
        data: Data in the form that `fit` takes.
        known: What `digests` returned for the training data, maybe beside those of a checkpoint, or
            what `published` made of these.

    Example:
        >>> trained_on([("a hat", "ein Hut")], {"train.tsv": "0a"})
        (0, 0)
    """
    trained = {known[name] for name in known.keys() - of_checkpoint(known).keys()}
    present = digests(data)
    if _together(present.values()) in trained:
        return len(present), len(present)
    return sum(digest in trained for digest in present.values()), len(present)


def _files_in(folder: Path) -> list[Path]:
    """The text files of a folder; in one without any, as of a graph, all files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if ".txt" in path.name] or files


def sha256_of_config(config: dict[str, Any]) -> str:
    """The SHA-256 digest of the values of a config, whatever the layout of the file.

    Example:
        >>> sha256_of_config({"a": 1, "b": (2,)}) == sha256_of_config({"b": [2], "a": 1})
        True
    """
    values = json.loads(json.dumps(config))
    values.pop(OWN_DIGEST, None)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
