"""The parts of the page: its style, its script, and the file that they belong to."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any

from zoo.report import heads

SCRIPTS = (
    "clock_changes.js",
    "times.js",
    "workbooks.js",
    "tables.js",
    "numbers.js",
    "camera.js",
    "inputs.js",
    "charts.js",
    "batches.js",
    "answers.js",
    "form.js",
)
CONTINUES = "causal-lm"  # the task whose text goes on from that of the input
MASKED = ("masked-lm", "denoising")  # tasks whose texts have masks


def fill(
    facts: Mapping[str, Any],
    title: str,
    lead: str,
    head: str,
    scripts: str,
    state: str = "",
    content: str = "form.html",
) -> str:
    """The page as HTML.

    Args:
        facts: What the scripts know of the model, as JSON types.
        title: Its title.
        lead: What the model is for.
        head: Elements of the head: its style.
        scripts: The elements of its scripts.
        state: What the line of state has before the scripts run, as HTML.
        content: The file of what stands between the lead and the scripts.
    """
    # The text of a script element ends at the first "</".
    encoded = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    return Template(part("page.html")).substitute(
        title=escape(title),
        lead=escape(lead),
        head=head,
        content=Template(part(content)).substitute(lines=heads.LINES, state=state),
        facts=encoded,
        scripts=scripts,
    )


def tensor(
    name: str, dtype: str, axes: Any, meaning: str, columns: Sequence[str] = ()
) -> dict[str, Any]:
    """An input, as the scripts know it; of a series with the names of the values of a step."""
    own = {"columns": [*columns]} if columns else {}
    return {"name": name, "dtype": dtype, "axes": axes, "meaning": meaning, **own}


@cache
def style() -> str:
    """The style of the page."""
    return resources.files("zoo.report").joinpath("page.css").read_text("utf-8") + part("page.css")


@cache
def script() -> str:
    """The function `openForm`, which makes the page answer with a model, and all that it needs."""
    return heads.browser() + "".join(map(part, SCRIPTS))


def part(name: str) -> str:
    """A file of this folder."""
    return resources.files("zoo.page").joinpath(name).read_text("utf-8")
