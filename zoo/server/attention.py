"""Attention maps of texts and images, from the signature `attention` of a run or an artifact."""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import visible
from zoo.data.images.decode import decode
from zoo.data_statistics import discarding
from zoo.errors import reason_of
from zoo.json_file import parse_json
from zoo.page.web import COUNTS, IDS
from zoo.preprocessing.images import BYTES, IMAGE
from zoo.preprocessing.text import TEXT
from zoo.registry import TASKS
from zoo.report.heads import data
from zoo.server.joining import compute
from zoo.server.servable import Arrays, ServedSignature
from zoo.server.size import pixels as check_pixels
from zoo.tasks.attending import ATTENTION
from zoo.tasks.inputs.captioned_images import GRID
from zoo.tasks.learning import set_tokenizer
from zoo.tasks.load import task_class
from zoo.tasks.views import label_attention
from zoo.text.tokenizer import FILE_NAME
from zoo.text.tokenizers import tokenizer_of

if TYPE_CHECKING:
    from zoo.tasks.task import Task

WEIGHTS = "cross_0"  # of a captioner, which has one map


def reader_of(opened: Any) -> Any:
    """The task of an artifact without its model, with the tokenizer that lies beside the artifact.

    Args:
        opened: What `export.serving` opened.

    Returns:
        The task, or None if the artifact has no attention or no tokenizer, or does not describe a
        task, as that of a user may.
    """
    name, tokenizer = opened.config.get("task"), opened.beside.get(FILE_NAME)
    if ATTENTION not in opened.facts or tokenizer is None or str(name) not in TASKS:
        return None
    try:
        task = task_class(name)(**opened.config["settings"])
        set_tokenizer(task, tokenizer_of(parse_json(tokenizer)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        logging.getLogger("keras_attn").warning(
            "no attention is shown: the artifact does not describe its %s: %s",
            name,
            reason_of(error),
        )
        return None
    return task


def attention_of(
    signatures: Mapping[str, ServedSignature], task: "Task", config: Mapping[str, Any]
) -> tuple[str, Callable[[bytes], Any]] | None:
    """The attention of a `Servable`.

    Args:
        signatures: Its signatures.
        task: The task, or what `reader_of` returned.
        config: The description of the task.

    Returns:
        None if there are no maps, or they are of other inputs than a text or an image.
    """
    signature = signatures.get(ATTENTION)
    if signature is None or task is None:
        return None
    takes, reads = {*signature.inputs}, {*task.preprocessor.inputs}
    if takes == {IMAGE} and GRID in config:
        return BYTES, lambda content: _attention_by_token(signature, task, config[GRID], content)
    if reads == {TEXT} and takes in ({"token_ids"}, {TEXT}):
        return TEXT, lambda text: _heads(signature, task, text)
    return None


def _heads(signature: ServedSignature, task: "Task", text: bytes) -> list[dict[str, Any]]:
    """What the head browser shows of a text."""
    decoded = text.decode(errors="replace")
    if TEXT in signature.inputs:
        (outputs,) = compute(signature, [{TEXT: np.array([text], object)}])
        features = {"token_ids": outputs[IDS][:, : outputs[COUNTS][0]]}
    else:
        features = _read(task, decoded, signature.inputs["token_ids"].sizes)
        (outputs,) = compute(signature, [features])
    return data([(decoded, label_attention(task, features, outputs))])


def _read(task: "Task", text: str, sizes: tuple[int | None, ...]) -> Arrays:
    """The ids of a text; for a file of one shape, those that have room in it, padded."""
    preprocessor, length = task.preprocessor, sizes[1]
    if length is not None:
        preprocessor = preprocessor.shortened(length)
    with discarding():
        ids = np.asarray(preprocessor.read(_raw(task, text))["token_ids"])
    missing = [0 if size is None else size - n for size, n in zip(sizes, ids.shape, strict=True)]
    widths = [(0, 0), *((0, count) for count in missing[1:])]
    return {"token_ids": np.pad(ids, widths, constant_values=task.special_tokens.pad)}


def _raw(task: "Task", data: Any) -> Mapping[str, Any]:
    """One raw input, by name; the task may have no model."""
    return task.parts.input.raw([data], task.settings, task.preprocessor)


def _attention_by_token(
    signature: ServedSignature, task: "Task", grid: list[int], content: bytes
) -> list[dict[str, Any]]:
    """The attention weights over an image for each token of its caption."""
    check_pixels(content, f"input {BYTES!r}")
    pixels = decode(content, task.preprocessor.shape.channels).numpy()
    with discarding():
        features = task.preprocessor.read(_raw(task, pixels))
    (outputs,) = compute(signature, [features])
    tokens = task.preprocessor.pieces(outputs["token_ids"][0])
    weights = outputs[WEIGHTS][0].mean(axis=0)[: len(tokens)].reshape(-1, *grid)
    return [
        {"token": visible(token), "weights": each.round(4).tolist()}
        for token, each in zip(tokens, weights, strict=True)
    ]
