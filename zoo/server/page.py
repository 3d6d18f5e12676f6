"""The page at `/`: one file with its own style and script, which asks the server for answers."""

from functools import cache
from importlib import resources
from typing import Any

from zoo.page import template
from zoo.page.lead import examples, sentence, text_columns
from zoo.page.series import series_facts
from zoo.report.policy import digest
from zoo.server.servable import Servable
from zoo.serving.signatures import SERVING_DEFAULT

ENCODED_IMAGE = "image_bytes"


def page(servable: Servable) -> str:
    """The page of a model."""
    signature = servable.signatures[shown(servable)]
    return template.fill(
        _facts(servable),
        title=servable.name.replace("_", " "),
        lead=sentence(signature.purpose, servable.labels, servable.config),
        head=f"<style>{template.style()}</style>",
        scripts=f"<script>{_script()}</script>",
    )


def policy() -> str:
    """The Content-Security-Policy: its own style and script, and requests to the server."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {digest(template.style())}",
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
    name = shown(servable)
    signature = servable.signatures[name]
    attends = servable.attention and servable.attention[0]
    return {
        "name": servable.name,
        "task": servable.task,
        "signature": name,
        "inputs": [
            template.tensor(key, each.dtype, each.axes, each.meaning, each.columns)
            for key, each in signature.inputs.items()
        ],
        "outputs": {each: tensor.meaning for each, tensor in signature.outputs.items()},
        "rows": signature.has_rows,
        "labels": servable.labels,
        # A translation is not shown piece by piece, but with its score.
        "stream": servable.stream is not None and servable.task == template.CONTINUES,
        "continues": servable.task == template.CONTINUES,
        "masked": servable.task in template.MASKED,
        "attention": attends if attends in signature.inputs else None,
        "series": series_facts(servable.config),
        "examples": examples(servable.config, [*signature.inputs]),
        "columns": text_columns(servable.config, [*signature.inputs]),
    }


@cache
def _script() -> str:
    asking = resources.files("zoo.server").joinpath("page.js").read_text("utf-8")
    return template.script() + asking
