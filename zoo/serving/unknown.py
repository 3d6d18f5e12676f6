"""Texts of which a model knows no token: what artifacts and runs say of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from zoo.data_statistics import Statistics, record

UNKNOWN = "unknown"  # an output: 1 for such a text, otherwise 0
NOTHING_KNOWN = "texts without known tokens: the scores are the shares of the labels"


def record_unknown(rows: Iterable[Mapping[str, Any]]) -> None:
    """Records how many texts have no known token, where the outputs of rows say so.

    Example:
        >>> record_unknown([{"scores": [0.5, 0.5]}, {"scores": [0.2, 0.8], "unknown": 0}])
    """
    record(Statistics({NOTHING_KNOWN: sum(int(row.get(UNKNOWN, 0)) for row in rows)}))
