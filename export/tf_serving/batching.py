"""The batching of TensorFlow Serving: whether requests may be computed together, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.tf_serving.messages import has_rows, rows_of
from export.worker.axes import BATCH
from export.worker.probes import Probe

FILE = "batching_params.pbtxt"  # the name that TensorFlow Serving looks for
SIZES = (1, 2, 4, 8, 16, 32)
MICROSECONDS = 2000  # that a request waits for others

PARAMETERS = """\
max_batch_size { value: %d }
batch_timeout_micros { value: %d }
"""
UNEVEN = """\
# Requests to these signatures must all have the same length, or TensorFlow Serving refuses those
# that meet in a batch: %s
"""


@dataclass(frozen=True)
class Batching:
    """What hinders batches. TensorFlow Serving makes them of all signatures or of none.

    Args:
        wrong: By signature, why its requests must not be computed together.
        uneven: Signatures whose requests can be computed together if they have the same length:
            TensorFlow Serving would pad them with their first number, which is no padding.
    """

    wrong: Mapping[str, str]
    uneven: list[str]

    @classmethod
    def of(cls, facts: Mapping[str, Any], probes: Mapping[str, list[Probe]]) -> Batching:
        """Reads it from what the manifest says of all signatures, and from their probes."""
        signatures = facts["signatures"]
        reasons = {
            name: _reason(each, facts["invariances"][name], probes[name])
            for name, each in signatures.items()
        }
        wrong = {name: reason for name, reason in reasons.items() if reason}
        uneven = [
            name
            for name, each in signatures.items()
            if any(None in tensor["shape"][1:] for tensor in each["inputs"].values())
        ]
        return cls(wrong, uneven)

    def __str__(self) -> str:
        if self.wrong:
            return "off: " + ", ".join(f"{name} {why}" for name, why in self.wrong.items())
        if self.uneven:
            return f"off: requests to {', '.join(self.uneven)} may differ in length"
        return f"up to {SIZES[-1]} rows"

    def write(self, folder: Path, extra: Path) -> None:
        """Writes the configuration: into the SavedModel, where it takes effect, or, if requests
        may be refused that way, beside it; nothing if answers could be wrong.

        Args:
            folder: The SavedModel.
            extra: The folder of its files that TensorFlow leaves alone.
        """
        if self.wrong:
            return
        sizes = "".join(f"allowed_batch_sizes: {size}\n" for size in SIZES)
        text = PARAMETERS % (SIZES[-1], MICROSECONDS) + sizes
        if self.uneven:
            text = UNEVEN % ", ".join(self.uneven) + text
        (extra if self.uneven else folder).joinpath(FILE).write_text(text)


def _reason(facts: Mapping[str, Any], invariances: list[str], probes: list[Probe]) -> str:
    """Why requests to a signature must not be computed together; empty if they may."""
    if not has_rows(facts):
        return "has no rows"
    if BATCH not in invariances:
        return "gives other outputs in a batch"
    for probe in probes:
        rows = rows_of(probe.inputs)
        if any(array.shape[:1] != (rows,) for array in probe.outputs.values()):
            return "has outputs without rows"
    return ""
