"""Rows of a report, and the kinds of pictures that it draws."""

from enum import Enum
from typing import Any, NamedTuple


class PreviewRow(NamedTuple):
    """A row of a report: an input, the prediction, and the correct output, if it is known.

    `input` is the input as `attention` takes it.
    """

    source: str
    prediction: str
    reference: str | None
    input: Any


class Pictures(Enum):
    """What a report draws of the inputs and the answers of a task."""

    CAPTIONS = "captions"
    FORECASTS = "forecasts"
    GRAPH = "graph"
    IMAGES = "images"
    PASSAGES = "passages"
    RECORDINGS = "recordings"
    SERIES = "series"
