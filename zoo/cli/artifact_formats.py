"""Formats of artifacts, and the options that each takes."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from zoo.errors import UserError
from zoo.option_names import spelled

SWEEP = "--sweep"  # what is written instead of a format


class ArtifactFormat(StrEnum):
    """Formats of artifacts."""

    SAVED_MODEL = "saved_model"
    LITERT = "litert"
    LITERTLM = "litertlm"
    ONNX = "onnx"
    WEB = "web"
    MEDIAPIPE = "mediapipe"
    HUGGING_FACE = "hugging_face"


# They generate nothing, or as the runtime is told.
WITHOUT_GENERATION = (
    ArtifactFormat.HUGGING_FACE,
    ArtifactFormat.LITERTLM,
    ArtifactFormat.MEDIAPIPE,
)


class TextInputs(StrEnum):
    """How an artifact takes and returns text."""

    BYTES = "bytes"
    STRINGS = "strings"


def options_of(
    target: str, by_target: Mapping[str | None, dict[str, Any]], generation: dict[str, Any]
) -> dict[str, Any]:
    """The given options of an export, all of which its format must take.

    Args:
        target: The format, or `SWEEP`.
        by_target: The given options that each format takes, without those of generation.
        generation: The given options of generation.

    Raises:
        UserError: If an option was given that the format does not take.

    Example:
        >>> options_of("litert", {"litert": {"batch": 1}, "onnx": {}}, {"beams": 4})
        {'batch': 1, 'beams': 4}
    """
    generates = target not in WITHOUT_GENERATION
    options = by_target[target] | (generation if generates else {})
    given = dict.fromkeys(name for each in (*by_target.values(), generation) for name in each)
    unsupported = [name for name in given if name not in options]
    if unsupported:
        names = ", ".join(map(spelled, unsupported))
        raise UserError(f"{'' if target == SWEEP else '--format '}{target} does not take {names}")
    return options
