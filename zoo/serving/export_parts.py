"""All that an export needs of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoo.serving.signatures import Signature

Calls = Mapping[str, Sequence[Mapping[str, np.ndarray]]]


@dataclass(frozen=True)
class ExportParts:
    """What an artifact is made from, following the protocol that `export` defines.

    Args:
        signatures: The signatures of the artifact by name.
        live: The same with operators that run in Python, which say what is expected.
        strings: The same with texts as strings, of an artifact that takes texts in bytes;
            otherwise None.
        probes: Inputs to verify the artifact with: for each signature a list of calls.
        samples: Many ordinary inputs in the same form; empty unless they were asked for.
        config: Plain data that the manifest keeps.
        assets: Files that belong beside the artifact: their content by name.
    """

    signatures: Mapping[str, Signature]
    live: Mapping[str, Signature]
    probes: Calls
    strings: Mapping[str, Signature] | None = None
    samples: Calls = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    assets: Mapping[str, str] = field(default_factory=dict)
