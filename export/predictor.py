"""A function that calls an exported artifact from Python, in one process or in many."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from export import manifest
from export.locate import locate
from export.named_inputs import COLUMNS, with_columns
from export.serving import Opened, open_artifact
from export.texts import Facts, with_strings
from export.worker.axes import BATCH
from export.worker.probes import Tensors

SERVING_DEFAULT = "serving_default"
KEPT = 4  # artifacts that a process keeps open


@dataclass(frozen=True)
class Predictor:
    """A function that calls a signature of an exported artifact.

    It can be pickled and sent to other processes, since it has no more than the path and the digest
    of the artifact. Each process loads the artifact once, at the first call, and checks its files
    against the manifest.

    Args:
        path: A LiteRT file, the folder of a SavedModel, or a folder of ONNX files.
        signature: The signature to call.
        batch_size: Number of rows that are computed at once, if the signature gives the same
            outputs in a batch and alone. A file of one shape has its own.

    Raises:
        ValueError: If there is no exported artifact, or it has no such signature.

    Example:
        >>> import export
        >>> predict = export.Predictor("films.tflite")                      # doctest: +SKIP
        >>> predict(["a fine film", "so dull"])["text"]                     # doctest: +SKIP
        array(['good', 'bad'], dtype=object)
    """

    path: str | Path
    signature: str = SERVING_DEFAULT
    batch_size: int = 32
    _sha256: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        entry = _entry(self.path)
        object.__setattr__(self, "path", str(Path(self.path).resolve()))
        object.__setattr__(self, "_sha256", entry["sha256"]["artifact"])
        known = entry["signatures"]
        if self.signature not in known:
            raise ValueError(
                f"{self.path} has no signature {self.signature!r}; choose from {', '.join(known)}."
            )
        if type(self.batch_size) is not int or self.batch_size < 1:
            raise ValueError(
                f"batch_size must be a positive integer; received {self.batch_size!r}."
            )

    @property
    def facts(self) -> dict[str, Facts]:
        """What the manifest says of the "inputs" and "outputs" of the signature, by name.

        Example:
            >>> predict = export.Predictor("films.tflite")                  # doctest: +SKIP
            >>> {name: each["dtype"] for name, each in predict.facts["outputs"].items()}
            ...                                                             # doctest: +SKIP
            {'text': 'string', 'scores': 'float32', 'class_id': 'int32', 'unknown': 'int32',
             'truncated': 'int32'}
        """
        return self.signatures[self.signature]

    @property
    def signatures(self) -> dict[str, dict[str, Facts]]:
        """What the manifest says of the "inputs" and "outputs" of each signature, by its name."""
        return {
            name: {side: with_strings(each[side]) for side in ("inputs", "outputs")}
            for name, each in _entry(self.path)["signatures"].items()
        }

    @property
    def config(self) -> dict[str, Any]:
        """What the manifest says of the task: its settings, and of series their columns."""
        config: dict[str, Any] = _entry(self.path).get("config", {})
        return config

    @property
    def beside(self) -> Mapping[str, str]:
        """The text files that lie beside it, such as labels: their content by name."""
        return _opened(str(self.path), self._sha256)[0].beside

    def load(self) -> Predictor:
        """Loads the artifact now, for this process, rather than at the first call.

        Returns:
            The predictor.

        Raises:
            ValueError: If the artifact is not the one that was exported.
        """
        _opened(str(self.path), self._sha256)
        return self

    def __call__(self, inputs: Any = None, /, **named: Any) -> dict[str, np.ndarray]:
        """Calls the signature.

        Args:
            inputs: Arrays or lists by name, or those of the only input: texts as strings, and
                numbers. Series may be data frames or dictionaries of columns, which are matched by
                name; a column that is not used is a warning.
            **named: The same by keyword.

        Returns:
            Arrays by name, with a row for each row of the inputs; texts as arrays of strings.

        Raises:
            ValueError: If the inputs are not those of the signature.
        """
        opened, lock = _opened(str(self.path), self._sha256)
        facts = opened.facts[self.signature]
        columns = opened.config.get(COLUMNS, {})
        arrays = _arrays(facts["inputs"], inputs, named, opened.rows or BATCH, columns)
        with lock:  # an interpreter of LiteRT has one call at a time
            results = [
                _first(opened.run(self.signature, part), rows)
                for part, rows in self._parts(opened, arrays)
            ]
        return {
            name: _joined([x[name] for x in results], each)
            for name, each in facts["outputs"].items()
        }

    def _parts(self, opened: Opened, arrays: Tensors) -> Iterator[tuple[Tensors, int | None]]:
        """The inputs of each call, and how many of its rows count; None if all of them do."""
        inputs, fixed = opened.facts[self.signature]["inputs"], opened.rows
        if not all(_has_rows(each, fixed or BATCH) for each in inputs.values()):
            yield arrays, None
            return
        rows = len(next(iter(arrays.values())))
        joins = BATCH in opened.invariances[self.signature]
        size = fixed or (self.batch_size if joins else rows)
        for start in range(0, rows, size or 1):
            indices = np.arange(start, min(start + size, rows))
            filled = np.minimum(np.arange(start, start + size), rows - 1) if fixed else indices
            part = {name: array[filled] for name, array in arrays.items()}
            yield part, len(indices) if fixed else None


def _entry(path: str | Path) -> dict[str, Any]:
    """What the manifest says of an artifact."""
    return manifest.find(*locate(Path(path))) or {}


@lru_cache(maxsize=KEPT)
def _opened(path: str, sha256: str) -> tuple[Opened, threading.Lock]:
    """An artifact, opened once for each process."""
    if _entry(path)["sha256"]["artifact"] != sha256:
        raise ValueError(f"{path} was exported again: create a new Predictor.")
    return open_artifact(path).in_text(), threading.Lock()


def _first(outputs: Tensors, rows: int | None) -> Tensors:
    return {name: array[:rows] for name, array in outputs.items()}


def _has_rows(facts: Mapping[str, Any], batch: int | str) -> bool:
    """Whether the first axis of a tensor is the batch, which has a name or a fixed size."""
    return bool(facts["axes"]) and facts["axes"][0] == batch


def _arrays(
    facts: Mapping[str, Any],
    inputs: Any,
    named: Mapping[str, Any],
    batch: int | str,
    columns: Mapping[str, Sequence[str]],
) -> Tensors:
    given = dict(named)
    of_inputs = isinstance(inputs, Mapping) and (not columns or facts.keys() <= inputs.keys())
    if isinstance(inputs, Mapping) and of_inputs:
        given |= inputs
    elif inputs is not None:
        if len(facts) != 1:
            raise ValueError(f"the inputs {', '.join(facts)} must be given by name.")
        given[next(iter(facts))] = inputs
    if given.keys() != facts.keys():
        raise ValueError(f"expected the inputs {sorted(facts)}; received {sorted(given)}.")
    for name in columns.keys() & facts.keys():
        sizes = facts[name]["shape"]
        given[name] = with_columns(name, given[name], columns[name], sizes)
    arrays = {name: _array(name, given[name], each) for name, each in facts.items()}
    rows = {len(x) for name, x in arrays.items() if _has_rows(facts[name], batch)}
    if len(rows) > 1:
        raise ValueError(f"the inputs must have the same number of rows; received {sorted(rows)}.")
    return arrays


def _array(name: str, value: Any, facts: Mapping[str, Any]) -> np.ndarray:
    dtype, rank = facts["dtype"], len(facts["shape"])
    try:
        array = _texts(value) if dtype == "string" else _numbers(value, dtype)
    except (TypeError, ValueError):  # also of lists of different lengths
        array = None
    if array is None or array.ndim != rank:
        raise ValueError(f"input {name!r} must be an array of {dtype} with {rank} axes.")
    return array


def _numbers(value: Any, dtype: str) -> np.ndarray:
    given = np.asarray(value)
    array = given.astype(dtype, casting="same_kind")
    if array.dtype.kind in "iu" and not np.array_equal(array, given):
        raise ValueError("integers that the dtype does not have")
    return array


def _texts(value: Any) -> np.ndarray:
    """Texts as UTF-8, in an array of objects."""
    given = np.asarray(value, object)
    texts = [x.encode(errors="replace") if isinstance(x, str) else x for x in given.ravel()]
    if not all(isinstance(x, bytes) for x in texts):
        raise TypeError("neither strings nor bytes")
    array = np.empty(len(texts), object)
    array[:] = texts
    return array.reshape(given.shape)


def _joined(parts: list[np.ndarray], facts: Mapping[str, Any]) -> np.ndarray:
    """The rows of several calls, filled up to the longest."""
    if not parts:
        sizes = [size or 0 for size in facts["shape"][1:]]
        return np.zeros([0, *sizes], object if facts["dtype"] == "string" else facts["dtype"])
    if facts["dtype"] == "string":
        return np.concatenate([_strings(part) for part in parts])
    longest = np.max([part.shape[1:] for part in parts], axis=0, initial=0)
    filled = []
    for part in parts:
        missing = [(0, n - m) for n, m in zip(longest, part.shape[1:], strict=True)]
        filled.append(np.pad(part, [(0, 0), *missing], constant_values=facts["padding"] or 0))
    return np.concatenate(filled)


def _strings(array: np.ndarray) -> np.ndarray:
    """UTF-8 as strings."""
    texts = np.empty(array.size, object)
    texts[:] = [x.decode(errors="replace") for x in array.ravel()]
    return texts.reshape(array.shape)
