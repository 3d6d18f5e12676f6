"""Documents in a report: their words and sentences, colored by attention."""

from collections.abc import Sequence
from html import escape

import numpy as np

from zoo.attention_map import visible
from zoo.models.attending import SENTENCES, WORDS
from zoo.report import html
from zoo.report.heads import Parts


def is_document(parts: Parts) -> bool:
    """Whether these are the maps of a model of documents."""
    return SENTENCES in parts


def section(examples: Sequence[tuple[str, Parts]]) -> str:
    """The section of the page, from texts and their attention maps; empty without documents.

    Source: Yang et al. 2016, figure 5.
    Formula: the color of a sentence is its weight `p_s`, that of a word `p_w sqrt(p_s)`; both
        relative to the largest of the document
    """
    documents = [_document(parts) for _, parts in examples if is_document(parts)]
    return html.section(
        "Words and sentences",
        "Each line is a sentence. The stronger the color of its bar, the more the model looks at "
        "the sentence; the stronger the color of a word, the more it looks at the word.",
        *documents,
    )


def _document(parts: Parts) -> str:
    (whole,), words = parts[SENTENCES], parts[WORDS]
    shares = whole.weights[0, 0]
    each = [
        attention_map.weights[0, 0] * np.sqrt(p)
        for attention_map, p in zip(words, shares, strict=True)
    ]
    most = max((float(x.max()) for x in each), default=1.0)
    lines = [
        f'<p><span class="bar {_weight(p / shares.max())}"></span>'
        + " ".join(
            f'<bdi class="{_weight(x / most)}">{escape(visible(token))}</bdi>'
            for token, x in zip(attention_map.source_tokens, row, strict=True)
        )
        + "</p>"
        for attention_map, p, row in zip(words, shares, each, strict=True)
    ]
    inside = "\n".join(lines)
    return f'<div class="document">\n{inside}\n</div>'


def style() -> str:
    """The style of the section: a class for each weight, in percent."""
    return "".join(f".w{percent} {{ --weight: {percent / 100} }}\n" for percent in range(101))


def _weight(share: float) -> str:
    return f"w{round(100 * float(share))}"
