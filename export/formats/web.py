"""The export to a folder with a page that runs the model in the browser, with LiteRT.js."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import keras

from export import manifest
from export.formats.litert import litert
from export.protocol import ModelTokenizer, TaskWithPage, with_tokenizer
from export.report import Report, VerificationError, accept
from export.staging import Staging, copy_rest
from export.staging import replace as put
from export.task import TaskInHand
from export.worker import digest
from export.worker.precisions import check_storage

MODEL = "model.tflite"


def web(
    task: TaskWithPage | keras.Model,
    path: str | Path,
    *,
    tokenizer: ModelTokenizer | None = None,
    labels: Sequence[str] = (),
    quantize: str | None = None,
    length: int | None = None,
    text_size: int | None = None,
    **generation: Any,
) -> Report:
    """Exports a task to the folder `path`, which any web server can serve, and verifies it.

    The folder holds `model.tflite`, a LiteRT file of one shape that takes and returns text in
    bytes, and a page that runs it in the browser. What is typed there stays there. The page needs
    LiteRT.js, which `npm install` in the folder fetches once. The file is verified as by `litert`;
    `verify(path)` repeats the checks, and compares the files of the page with the manifest.

    Files that are not of the export, such as `node_modules`, stay when a folder is exported again.

    Args:
        task: A task with a page (see `export.protocol.TaskWithPage`); a Keras model of ids, with
            its `tokenizer`; or `zoo.ExportableImageModel`, a Keras model of images.
        path: The folder to write.
        tokenizer: Of a Keras model of ids, the tokenizer to put before it, such as
            `zoo.ExportableTokenizer`.
        labels: Of a Keras model of ids, the names of its classes, in the order of its output.
        quantize: How to store the weights: None, "float16" or "int8"; or "static_int8".
        length: The length of inputs: tokens of a text, samples of a recording. By default that of
            the task.
        text_size: The greatest number of bytes of a text; 8 times the length by default.
        **generation: How to generate, such as `max_new_tokens`, `beams` and `length_penalty`.

    Returns:
        A `Report` with the path, the checks, the entry of the manifest and the measured files.

    Raises:
        ValueError: If an argument is invalid, browsers cannot run the task, or `path` holds
            something other than such an export.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.web(task, "site", quantize="int8").passed     # doctest: +SKIP
        True
    """
    if tokenizer is not None:
        task = with_tokenizer(task, tokenizer, labels)
    elif labels:
        raise ValueError("labels are those of a Keras model of ids: give its tokenizer, too.")
    if not isinstance(task, TaskWithPage):
        raise ValueError(
            f"A page needs a task, a Keras model of ids with tokenizer=..., or one of images as "
            f"zoo.ExportableImageModel; received {type(task).__name__}."
        )
    path = Path(path).resolve()  # where a link points, so that the link stays
    older = _listed(path)
    page = task.web_page()
    if length is None:
        length = page.length(**generation)
    sizes: dict[str, Any] = {"batch": 1, "length": length, "text_size": text_size}
    check_storage(quantize)
    parts = page.export_parts("bytes", True, quantize is not None, length=length, **generation)
    with Staging(path) as staging:
        folder = staging.folder / path.name
        folder.mkdir()
        try:
            in_hand = TaskInHand(page, parts)
            report = litert(
                in_hand, folder / MODEL, quantize=quantize, text="bytes", **sizes, **generation
            )
        except VerificationError as error:
            accept(replace(error.report, path=path), path)  # raises, with the report beside `path`
            raise
        entry = _with_page(folder, page.files(parts, path.name, length, **generation))
        accept(Report(path, report.checks, entry, report.files), path)
        if path.exists():
            copy_rest(path, folder)
            for name in older - _files(entry):
                (folder / name).unlink(missing_ok=True)
        put(folder, path)
    return Report(path, report.checks, entry, report.files)


def _listed(path: Path) -> set[str]:
    """The files of an older export to a folder.

    Raises:
        ValueError: If it must not be replaced.
    """
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file: a page needs a folder.")
    artifacts = manifest.read(path)["artifacts"] if path.is_dir() else {}
    if path.is_dir() and any(path.iterdir()) and set(artifacts) != {MODEL}:
        raise ValueError(f"{path} holds files that were not exported here: choose another folder.")
    names = _files(artifacts[MODEL]) if artifacts else set()
    return {name for name in names if Path(name).name == name}  # a forged one may name others


def _files(entry: dict[str, Any]) -> set[str]:
    return {entry["probes"], *entry["beside"]}


def _with_page(folder: Path, files: Any) -> dict[str, Any]:
    """Writes the files of a page beside its model. Returns the entry, which has their sha256."""
    content = manifest.read(folder)
    entry: dict[str, Any] = content["artifacts"][MODEL]
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
        entry["beside"][name] = digest.sha256(folder / name)
    manifest.write(folder, content)
    return entry
