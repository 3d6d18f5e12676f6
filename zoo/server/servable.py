"""A model to serve: signatures with named axes, from the description that an export records."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zoo.preprocessing.base import BATCH

Arrays = dict[str, np.ndarray]
COLUMNS = "columns"  # of the description of a task: the names of the values of a step, by input


@dataclass(frozen=True)
class Tensor:
    """An input or an output.

    Args:
        dtype: Name of the data type.
        axes: For each axis its name, its size, or None for a size of its own.
        sizes: For each axis its size, or None if it is dynamic.
        padding: What may fill dynamic axes beyond their end; None if nothing may.
        meaning: What it is.
        columns: The names of the values of a step of a series; empty for other inputs.
        values: The least and the greatest value that it may have; None if any.
    """

    dtype: str
    axes: tuple[int | str | None, ...]
    sizes: tuple[int | None, ...]
    padding: Any = None
    meaning: str = ""
    columns: tuple[str, ...] = ()
    values: tuple[int, int] | None = None

    @property
    def is_ids(self) -> bool:
        """Whether it has rows of token ids, all of which attention may compare with each other.

        The edges of a graph have an axis of two nodes.
        """
        named = all(isinstance(axis, str) for axis in self.axes)
        return named and self.dtype.startswith("int") and self.axes[:1] == (BATCH,)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Tensor":
        """The tensor that an export describes; what it does not know is a batch of any sizes."""
        sizes = tuple([None] if facts["shape"] is None else facts["shape"])
        axes = facts["axes"]
        if axes is None or len(axes) != len(sizes):
            axes = [BATCH if n == 0 and size is None else size for n, size in enumerate(sizes)]
        values = facts.get("values")
        return cls(
            facts["dtype"],
            tuple(axes),
            sizes,
            facts["padding"],
            facts.get("meaning", ""),
            values=tuple(values) if values else None,
        )


@dataclass(frozen=True)
class ServedSignature:
    """A signature that requests call.

    Args:
        purpose: What it is for.
        inputs: Its inputs by name.
        outputs: Its outputs by name.
        run: Function from arrays to arrays, by name.
        joins: Whether rows of several requests may be computed together.
        pads: Whether rows may be padded to the same length.
        empty: Whether inputs without numbers may go in.
    """

    purpose: str
    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]
    run: Callable[[Arrays], Arrays]
    joins: bool = False
    pads: bool = False
    empty: bool = True

    @property
    def has_rows(self) -> bool:
        """Whether the first axis of every input is the batch."""
        return all(each.axes[:1] == (BATCH,) for each in self.inputs.values())

    @property
    def fixed_rows(self) -> int | None:
        """The only number of rows, or None if there may be any."""
        return next(iter(self.inputs.values())).sizes[0] if self.has_rows else None


@dataclass(frozen=True)
class Servable:
    """A model to serve.

    Args:
        name: Its name in addresses.
        signatures: Its signatures by name.
        version: Its version.
        task: Name of its task; empty if it is not known.
        labels: Names of its classes.
        config: Description of the task.
        beside: Text files for clients, such as its tokenizer: their content by name.
        max_length: The number of tokens that it was trained for; None if it is not known.
        stream: Function from a text to the pieces of the text that is generated, or None.
        no_stream: Why there is none.
        attention: Name of an input, and a function from its bytes to what the page shows of the
            attention, or None.
    """

    name: str
    signatures: Mapping[str, ServedSignature]
    version: str = "1"
    task: str = ""
    labels: list[str] = field(default_factory=list)
    config: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    max_length: int | None = None
    stream: Callable[[str], Iterator[str]] | None = None
    no_stream: str = "this model does not stream: use :predict, or export it with --stream"
    attention: tuple[str, Callable[[bytes], Any]] | None = None


def served(opened: Any) -> dict[str, ServedSignature]:
    """The signatures of what `export.serving` opened. Texts in bytes are texts to a client."""
    in_text = opened.in_text()
    return {name: _signature(in_text, name) for name in in_text.facts}


def _signature(opened: Any, name: str) -> ServedSignature:
    facts, held = opened.facts[name], opened.invariances[name]
    inputs, outputs = (
        {key: _with_rows(Tensor.of(each), opened.rows) for key, each in facts[side].items()}
        for side in ("inputs", "outputs")
    )
    columns = opened.config.get(COLUMNS, {})
    inputs = {key: replace(x, columns=tuple(columns.get(key, ()))) for key, x in inputs.items()}

    def run(arrays: Arrays) -> Arrays:
        return opened.run(name, arrays)

    alone = ServedSignature(facts["purpose"], inputs, outputs, run, empty=opened.empty)
    joins = alone.has_rows and "batch" in held
    return replace(alone, joins=joins, pads=joins and "padding" in held)


def _with_rows(tensor: Tensor, rows: int | None) -> Tensor:
    """A tensor of a file of one shape, whose first axis is the batch, not just a number."""
    is_batch = rows is not None and tensor.sizes[:1] == (rows,)
    return replace(tensor, axes=(BATCH, *tensor.axes[1:])) if is_batch else tensor
