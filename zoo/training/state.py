"""State of a training run other than its weights, saved as one JSON file."""

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.json_file import read_json

LOSS = "val_loss"


@dataclass
class TrainingState:
    """State of a run. Epochs are counted from 1; `epoch` is the last complete one (0: none).

    Args:
        steps_per_epoch: Number of batches per epoch, the same for the whole run.
        monitor: Name of the monitored metric, or None.
        mode: "min" or "max": whether a lower or a higher monitored value is better.
        epoch: Number of complete epochs.
        step: Number of batches of the next epoch that the weights have seen; all of them if it is
            not validated.
        epoch_seconds: Time that these batches took, in seconds.
        best_value: Best monitored value so far.
        best_epoch: The epoch of the best value; 0 before the first.
        best_loss: The validation loss of that epoch, or None.
        waited: Number of evaluations since the monitored value last improved.
        kept: (value, epoch) of the checkpoints kept for averaging, best first.
        history: One row of metrics per epoch.
        seconds: Training time in seconds, including all resumes.
        xla: Whether XLA was measured to be faster; None if that was not measured.
        ends_at: When the time limit of the last call ends it, in seconds since 1970; None without
            a limit.
    """

    steps_per_epoch: int
    monitor: str | None = None
    mode: str = "min"
    epoch: int = 0
    step: int = 0
    epoch_seconds: float = 0.0
    best_value: float | None = None
    best_epoch: int = 0
    best_loss: float | None = None
    waited: int = 0
    kept: list[tuple[float, int]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    xla: bool | None = None
    ends_at: float | None = None

    @property
    def steps(self) -> int:
        """Number of batches that the weights have seen."""
        return self.epoch * self.steps_per_epoch + self.step

    def record(self, row: dict[str, Any], keep: int, complete: bool = True) -> bool:
        """Adds the metrics of one epoch; returns whether it is the best so far.

        Of two epochs with the same monitored value, that with the lower validation loss is better.

        An epoch that was cut short is not `complete`. It does not count towards early stopping, and
        its row is replaced when the epoch is repeated.
        """
        number = row["epoch"]
        if complete:
            self.epoch, self.step, self.epoch_seconds = number, 0, 0.0
        rows = [old for old in self.history if old["epoch"] < number]
        self.history = [*rows, {name: _finite(value) for name, value in row.items()}]
        if self.monitor is None:  # without a monitored metric, the latest weights are used
            self.best_epoch = number
            return True
        value = row.get(self.monitor)
        if value is None:  # not evaluated in this epoch
            return False
        if math.isfinite(value):
            kept = [pair for pair in self.kept if pair[1] != number] + [(float(value), number)]
            sign = 1.0 if self.mode == "min" else -1.0
            losses = {row["epoch"]: row.get(LOSS) for row in self.history}

            def rank(pair: tuple[float, int]) -> tuple[float, float, int]:
                loss = losses.get(pair[1])
                return sign * pair[0], math.inf if loss is None else loss, -pair[1]

            self.kept = sorted(kept, key=rank)[:keep]  # newer ones first among equals
        best = self.at_least_as_good(value, row.get(LOSS), strictly=True)
        if best:
            self.best_value, self.best_epoch, self.waited = float(value), number, 0
            self.best_loss = _finite(row.get(LOSS))
        elif complete:
            self.waited += 1
        return best

    def at_least_as_good(
        self, value: float, loss: float | None = None, strictly: bool = False
    ) -> bool:
        """Whether `value` is as good as the best one (strictly: better). NaN and inf never are.

        Args:
            value: A monitored value.
            loss: The validation loss, which decides if the values are equal; or None.
            strictly: Whether it must be better.
        """
        if not math.isfinite(value):
            return False
        if self.best_value is None:
            return True
        gain = self.best_value - value if self.mode == "min" else value - self.best_value
        if gain == 0 and loss is not None and self.best_loss is not None:
            gain = self.best_loss - loss
        return gain > 0 if strictly else gain >= 0

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def read(cls, path: Path) -> "TrainingState":
        """Reads a state file; raises a `UserError` that says what to do if it is invalid."""
        try:
            values = read_json(path, dict)
            state = cls(**values)
            for name, kind in _KINDS.items():
                if not isinstance(field := getattr(state, name), kind):
                    raise ValueError(f"{name} is {field!r:.40}")
            state.kept = [(float(value), int(epoch)) for value, epoch in state.kept]
            if not all(isinstance(row, dict) and "epoch" in row for row in state.history):
                raise ValueError("a row of its history has no epoch")
            if state.mode not in ("min", "max") or not len(state.history) >= state.epoch >= 0:
                raise ValueError("its values are inconsistent")
            if not 0 <= state.step <= max(state.steps_per_epoch, 1):
                raise ValueError("its values are inconsistent")
        except FileNotFoundError as error:
            raise UserError(
                f"{path} is missing, so this run cannot be resumed: restore it from a backup, "
                "or use a new folder."
            ) from error
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"{path} is not a valid state file ({error}): restore it from a backup, "
                "or use a new folder."
            ) from error
        return state


_NUMBER, _NONE = int | float, type(None)
_KINDS = {  # of the values in the file
    **dict.fromkeys(("steps_per_epoch", "epoch", "step", "best_epoch", "waited"), int),
    "epoch_seconds": _NUMBER,
    **dict.fromkeys(("kept", "history"), list),
    "monitor": str | _NONE,
    "mode": str,
    **dict.fromkeys(("best_value", "best_loss", "ends_at"), _NUMBER | _NONE),
    "seconds": _NUMBER,
    "xla": bool | _NONE,
}


def _finite(value: Any) -> Any:
    """Replaces a non-finite float by None, since JSON has no NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
