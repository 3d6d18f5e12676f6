"""Rows of a report, and the kinds of pictures that it draws."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple


class PreviewRow(NamedTuple):
    """A row of a report: an input, the prediction, and the correct output, if it is known.

    `input` is the input as `attention` takes it, and `scores` are further numbers by name.
    """

    source: str
    prediction: str
    reference: str | None
    input: Any
    scores: Mapping[str, float] = {}


class Pictures(Enum):
    """What a report draws of the inputs and the answers of a task."""

    CAPTIONS = "captions"
    FORECASTS = "forecasts"
    GRAPH = "graph"
    IMAGES = "images"
    PASSAGES = "passages"
    RECORDINGS = "recordings"
    SERIES = "series"
