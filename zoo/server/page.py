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


def page(servable: Servable) -> str:
    """The page of a model."""
    # The text of a script element ends at the first "</".
    facts = json.dumps(_facts(servable), ensure_ascii=False).replace("<", "\\u003c")
    name = servable.name.replace("_", " ")
    return Template(_file("page.html")).substitute(
        style=_style(),
        script=_script(),
        facts=facts,
        title=escape(name),
        task=escape(servable.task or "a model"),
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


def _facts(servable: Servable) -> dict[str, Any]:
    signatures = servable.signatures
    name = next((n for n, each in signatures.items() if {*each.inputs} == {ENCODED_IMAGE}), None)
    name = name or (SERVING_DEFAULT if SERVING_DEFAULT in signatures else next(iter(signatures)))
    return {
        "name": servable.name,
        "task": servable.task,
        "signature": name,
        "inputs": _tensors(signatures[name]),
        "rows": signatures[name].has_rows,
        "labels": servable.labels,
        "stream": servable.stream is not None,
        "attention": servable.attention is not None,
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
    return heads.browser() + _file("page.js")


def _file(name: str) -> str:
    return resources.files("zoo.server").joinpath(name).read_text("utf-8")
