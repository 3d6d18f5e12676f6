"""The progress of a training in words, for its log, its report and lists of runs."""

from collections.abc import Mapping, Sequence
from typing import Any


def how_far(state: Mapping[str, Any], planned: int | None = None) -> str:
    """The number of epochs, and what there is of one that was cut.

    Args:
        state: `epoch`, `step`, `steps_per_epoch` and `history` of a training, as its checkpoint has
            them. An epoch that was cut is in the history; a resumed run goes on before its last
            step.
        planned: The number of planned epochs, if it is known.

    Example:
        >>> how_far({"epoch": 3}), how_far({"epoch": 3}, 5)
        ('3', '3 of 5')
        >>> cut = {"epoch": 3, "step": 4, "steps_per_epoch": 7, "history": [{"epoch": 4}]}
        >>> how_far(cut, 5), how_far({**cut, "history": []}, 5)
        ('3 of 5, and 5 of the 7 batches of the next', '3 of 5, and 4 of the 7 batches of the next')
    """
    whole, step = state.get("epoch", 0), state.get("step") or 0
    rows: Sequence[Mapping[str, Any]] = state.get("history") or []
    cut = any(row.get("epoch", 0) > whole for row in rows)
    shown = f"{whole}" if planned in (None, whole) else f"{whole} of {planned}"
    if not (step or cut):
        return shown
    return f"{shown}, and {step + cut} of the {state.get('steps_per_epoch')} batches of the next"
