"""A writer of FlatBuffers from plain data, by the numbers of the fields in the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flatbuffers


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        fields: By the number of each field in the schema, a `Table`, a text, a list of tables, an
            array of float32, or an integer of one byte. The fields of a union are its type, and a
            table.
    """

    fields: Mapping[int, Table | str | Sequence[Table] | Sequence[float] | int]


def write(root: Table, identifier: bytes) -> bytes:
    """The bytes of a FlatBuffer.

    Args:
        root: Its root table.
        identifier: The identifier of the file, four bytes.

    Example:
        >>> written = write(Table({0: "name", 3: [Table({1: 7})]}), b"M001")
        >>> written[4:8], b"name" in written
        (b'M001', True)
    """
    builder = flatbuffers.Builder()
    builder.Finish(_table(builder, root), identifier)
    return bytes(builder.Output())


def _table(builder: Any, table: Table) -> int:
    """The offset of a table. What it refers to has to be written before it."""
    offsets = {
        field: _referred(builder, value)
        for field, value in table.fields.items()
        if not isinstance(value, int)
    }
    builder.StartObject(max(table.fields, default=-1) + 1)
    for field, offset in offsets.items():
        builder.PrependUOffsetTRelativeSlot(field, offset, 0)
    for field, value in table.fields.items():
        if field not in offsets:
            builder.PrependUint8Slot(field, value, 0)
    return builder.EndObject()


def _referred(builder: Any, value: Any) -> int:
    """The offset of what a field refers to."""
    if isinstance(value, Table):
        return _table(builder, value)
    if isinstance(value, str):
        return builder.CreateString(value)
    tables = all(isinstance(each, Table) for each in value)
    written = [_table(builder, each) for each in value] if tables else value
    builder.StartVector(4, len(written), 4)
    for each in reversed(written):
        (builder.PrependUOffsetTRelative if tables else builder.PrependFloat32)(each)
    return builder.EndVector()
