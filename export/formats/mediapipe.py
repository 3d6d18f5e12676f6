"""The export to a LiteRT file with metadata, which MediaPipe Tasks run."""

from __future__ import annotations

from pathlib import Path

from export.formats.litert import litert
from export.mediapipe_protocol import TaskForMediaPipe
from export.report import Report


def mediapipe(
    task: TaskForMediaPipe,
    path: str | Path,
    *,
    quantize: str | None = None,
    length: int | None = None,
    text_size: int | None = None,
) -> Report:
    """Exports a task to a LiteRT file that MediaPipe Tasks run, and verifies it.

    The file has one shape, one signature with one output, and metadata with the vocabulary and the
    labels: MediaPipe's `TextClassifier`, `TextEmbedder` or `ImageClassifier` takes it as it is, in
    Python, in browsers, on Android and on iOS. It is verified as by `litert`.

    Args:
        task: A text classifier, a text embedder or an image classifier (see
            `export.mediapipe_protocol.TaskForMediaPipe`).
        path: The file to write, `*.tflite`.
        quantize: How to store the weights: None, "float16" or "int8"; or "static_int8".
        length: The greatest number of tokens of a text. By default that of the task.
        text_size: The greatest number of characters of a text; 8 times the length by default.

    Returns:
        A `Report` with the path, the checks, the entry of the manifest and the measured files.

    Raises:
        ValueError: If an argument is invalid, or MediaPipe cannot run the task.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.mediapipe(task, "reviews.tflite").passed     # doctest: +SKIP
        True
    """
    if not isinstance(task, TaskForMediaPipe):
        raise ValueError(f"MediaPipe runs tasks; received {type(task).__name__}.")
    packed = task.for_mediapipe(length)
    return litert(
        packed, path, quantize=quantize, batch=1, length=packed.length, text_size=text_size
    )
