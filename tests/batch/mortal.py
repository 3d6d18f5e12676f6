"""A predictor that kills the first of its processes, as a machine or a lack of memory would."""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import export

FATAL = "a fine dull film"


@dataclass(frozen=True)
class Mortal(export.Predictor):
    """Kills the process that first gets the fatal text, and leaves `killed` beside the artifact.

    Each process leaves its number in the folder `processes`.
    """

    def __call__(self, inputs=None, /, **named):
        beside = Path(self.path).parent
        (beside / "processes").mkdir(exist_ok=True)
        (beside / "processes" / str(os.getpid())).touch()
        texts = next(iter(inputs.values())) if isinstance(inputs, Mapping) else inputs
        if FATAL in texts and not (beside / "killed").exists():
            (beside / "killed").write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(inputs, **named)
