"""Holding out a fraction of the training data for validation."""

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

from zoo.errors import UserError


def check_share(share: float) -> None:
    """Raises a `UserError` unless the fraction is between 0 and 1."""
    if isinstance(share, bool) or not 0 < share < 1:
        raise UserError(f"the validation fraction must be above 0 and below 1, got {share}")


def split_rows(
    examples: Any, columns: Sequence[str], share: float, seed: int = 0
) -> tuple[Any, Any]:
    """Splits examples into training and validation data, at random.

    Equal rows stay on the same side, so that no validation example is in the training data.

    Args:
        examples: A dataclass with a `path`.
        columns: Names of its fields that are columns: lists with an entry for each row, or None.
        share: Fraction of the rows to hold out.
        seed: Random seed.

    Raises:
        UserError: If there are too few rows.
    """
    check_share(share)
    present = [name for name in columns if getattr(examples, name) is not None]
    rows = list(zip(*(map(_key, getattr(examples, name)) for name in present), strict=True))
    distinct = list(dict.fromkeys(rows))
    count = max(1, round(share * len(distinct)))
    if count >= len(distinct):
        raise UserError(f"{examples.path} has too few rows to hold out {share:.0%} for validation")
    held = set(random.Random(seed).sample(distinct, count))
    return tuple(
        dataclasses.replace(
            examples,
            path=path,
            **{
                name: [
                    cell
                    for cell, row in zip(getattr(examples, name), rows, strict=True)
                    if (row in held) is inside
                ]
                for name in present
            },
        )
        for inside, path in ((False, examples.path), (True, f"{share:.0%} of {examples.path}"))
    )


def _key(cell: Any) -> Any:
    if hasattr(cell, "key"):
        return cell.key()
    if hasattr(cell, "tobytes"):  # an array; the command line imports this without NumPy
        return cell.shape, cell.tobytes()
    return tuple(cell) if isinstance(cell, list) else cell
