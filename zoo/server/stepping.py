"""Streams from an artifact that was exported to do so."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from zoo.decoding.streaming import pieces
from zoo.preprocessing.text import TEXT
from zoo.server.servable import ServedSignature
from zoo.serving.streamed import ENDED, START, STEP


def stream_of(signatures: Mapping[str, ServedSignature]) -> Callable[[str], Iterator[str]] | None:
    """The function from a text to the pieces of the text that is generated.

    Args:
        signatures: The signatures of an artifact.

    Returns:
        The function, or None if the artifact does not stream, or takes more than a text.
    """
    if not {START, STEP} <= signatures.keys() or set(signatures[START].inputs) != {TEXT}:
        return None
    return lambda text: pieces(_written(signatures[START], signatures[STEP], text.encode()))


def _written(start: ServedSignature, step: ServedSignature, text: bytes) -> Iterator[bytes]:
    """The text so far, after each token."""
    known = start.run({TEXT: np.array([text], object)})
    while True:
        known |= step.run({name: known[name] for name in step.inputs})
        written = known[TEXT][0]
        if known[ENDED].all():
            yield written
            return
        yield _whole(written)


def _whole(text: bytes) -> bytes:
    """A text without its end, if that was made of an incomplete character."""
    return text.removesuffix("\ufffd".encode())
