"""The page at `/`: one file with its own style and script, which asks the server for answers."""

import json
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any

from zoo.report import heads
from zoo.report.policy import digest
from zoo.server.servable import Servable, ServedSignature
from zoo.serving.signatures import SERVING_DEFAULT

ENCODED_IMAGE = "image_bytes"
CONTINUES = "causal-lm"  # the task whose text goes on from that of the input


def page(servable: Servable) -> str:
    """The page of a model."""
    # The text of a script element ends at the first "</".
    facts = json.dumps(_facts(servable), ensure_ascii=False).replace("<", "\\u003c")
    name, signature = servable.name.replace("_", " "), servable.signatures[shown(servable)]
    return Template(_file("page.html")).substitute(
        style=_style(),
        script=_script(),
        facts=facts,
        title=escape(name),
        task=escape(f"{servable.task or 'a model'}. {signature.purpose}"),
        lines=heads.LINES,
    )


def policy() -> str:
    """The Content-Security-Policy: its own style and script, and requests to the server."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {digest(_style())}",
            f"script-src {digest(_script())}",
            "img-src data: blob:",
            "media-src blob:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


def shown(servable: Servable) -> str:
    """Name of the signature that the page calls: the one that takes files, where there is one."""
    signatures = servable.signatures
    name = next((n for n, each in signatures.items() if {*each.inputs} == {ENCODED_IMAGE}), None)
    return name or (SERVING_DEFAULT if SERVING_DEFAULT in signatures else next(iter(signatures)))


def _facts(servable: Servable) -> dict[str, Any]:
    signatures, name = servable.signatures, shown(servable)
    return {
        "name": servable.name,
        "task": servable.task,
        "signature": name,
        "inputs": _tensors(signatures[name]),
        "outputs": {each: tensor.meaning for each, tensor in signatures[name].outputs.items()},
        "rows": signatures[name].has_rows,
        "labels": servable.labels,
        # A translation is not shown piece by piece, but with its score.
        "stream": servable.stream is not None and servable.task == CONTINUES,
        "attention": servable.attention and servable.attention[0],
    }


def _tensors(signature: ServedSignature) -> list[dict[str, Any]]:
    return [
        {"name": name, "dtype": each.dtype, "axes": each.axes, "meaning": each.meaning}
        for name, each in signature.inputs.items()
    ]


@cache
def _style() -> str:
    report = resources.files("zoo.report").joinpath("page.css").read_text("utf-8")
    return report + _file("page.css")


@cache
def _script() -> str:
    return heads.browser() + "".join(map(_file, ("inputs.js", "answers.js", "page.js")))


def _file(name: str) -> str:
    return resources.files("zoo.server").joinpath(name).read_text("utf-8")
