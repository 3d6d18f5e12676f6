"""The head browser of a report: the attention of each token, in every layer and head."""

import base64
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

from zoo.attention_map import AttentionMap, visible
from zoo.report import html

Parts = Mapping[str, Sequence[AttentionMap]]  # the maps of every layer, by part of the model


START = """\
browseHeads(
  document.getElementById("heads"),
  JSON.parse(document.getElementById("heads-data").textContent),
);
"""
# The elements that the script fills.
LINES = (
    '<div class="choices"></div>'
    '<p><span class="line">token</span><span class="from"></span></p>'
    '<p><span class="line">looks at</span><span class="to"></span></p>'
)


def section(examples: Sequence[tuple[str, Parts]]) -> str:
    """The section of the page, from texts and their attention maps; empty without maps.

    Weights are rounded to 1 / 255.
    """
    maps = data(examples)
    if not maps:
        return ""
    # The text of a script element ends at the first "</".
    encoded = json.dumps(maps, ensure_ascii=False).replace("<", "\\u003c")
    return html.section(
        "Layers and heads",
        "Point at a token of the upper line: the stronger the color of a token of the lower line, "
        "the larger its weight.",
        f'<div id="heads">{LINES}</div>',
        f'<script type="application/json" id="heads-data">{encoded}</script>',
        f"<script>{script()}</script>",
    )


def data(examples: Sequence[tuple[str, Parts]]) -> list[dict[str, Any]]:
    """What the browser shows of texts and their attention maps, as JSON types."""
    return [{"text": text, "parts": _parts(parts)} for text, parts in examples if parts]


def script() -> str:
    """The code of the section."""
    return browser() + START


def browser() -> str:
    """The function `browseHeads`, which fills an element with `LINES` in it."""
    return resources.files("zoo.report").joinpath("heads.js").read_text("utf-8")


def _parts(parts: Parts) -> dict[str, Any]:
    return {
        part: {
            "rows": [visible(token) for token in layers[0].target_tokens],
            "columns": [visible(token) for token in layers[0].source_tokens],
            "heads": layers[0].heads,
            "layers": [_encoded(each.weights) for each in layers],
        }
        for part, layers in parts.items()
        if layers  # a document without words has none of its sentences
    }


def _encoded(weights: np.ndarray) -> str:
    """Weights in [0, 1] as bytes from 0 to 255, in base64."""
    return base64.b64encode(np.rint(255 * weights).astype("uint8").tobytes()).decode()
