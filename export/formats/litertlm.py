"""The export of a language model to a bundle that LiteRT-LM runs."""

from __future__ import annotations

from pathlib import Path

from export import manifest, measurements
from export.bundle_probes import bundle_probes
from export.bundling import write_bundle
from export.extras import check_extra
from export.litertlm_protocol import TaskForLiteRTLM
from export.placement import place
from export.precision import portable
from export.processes import start_worker
from export.report import Report, accept
from export.source import check_backend
from export.staging import Staging
from export.verification import check
from export.worker.precisions import ALL, PRECISIONS, STATIC, check_storage


def litertlm(
    task: TaskForLiteRTLM,
    path: str | Path,
    *,
    quantize: str | None = None,
    quantize_scope: str = ALL,
    max_length: int | None = None,
    chat_template: str | Path | None = None,
) -> Report:
    """Exports a language model to the bundle `path` for LiteRT-LM, and verifies it in this runtime.

    The bundle has the model with the signatures `decode` and `prefill_*`, its tokenizer, its stop
    tokens and its chat template: Google's runtime for phones, browsers and desktops takes it as it
    is. A separate process loads it with `litert-lm-api`, and compares its answers with those of the
    model: to prompts of one token up to full caches, and in conversations. Only if every check
    passes is it moved into place.

    Args:
        task: A causal-lm whose model has caches of keys and values (see
            `export.litertlm_protocol.TaskForLiteRTLM`).
        path: The file to write, `*.litertlm`.
        quantize: How to store the weights: None for float32, or a key of
            `export.worker.precisions.PRECISIONS` but "static_int8".
        quantize_scope: Which weights that concerns: "all", "feed_forward", "attention" or
            "embeddings". All but the first need a precision named dynamic or weight_only.
        max_length: Number of tokens that a prompt and its answer share. By default that of the
            task, but at most 2,048.
        chat_template: A file with the Jinja template of conversations. By default that of the
            task's checkpoint; without one, the bundle only continues prompts.

    Returns:
        A `Report` with the path, the checks, the entry of the manifest and the measured file.

    Raises:
        ValueError: If an argument is invalid, a package is missing, or LiteRT-LM cannot run the
            task.
        VerificationError: If a check failed. Nothing is left but `<name>.report.json` beside
            `path`.

    Example:
        >>> import export
        >>> export.litertlm(task, "smollm2.litertlm", quantize="int8").passed     # doctest: +SKIP
        True
    """
    check_backend()
    check_extra("litertlm")
    path = Path(path)
    storage = check_storage(quantize, quantize_scope)
    if path.suffix != ".litertlm" or path.is_dir():
        raise ValueError(f"path must name a .litertlm file; received {path}.")
    if quantize is not None and PRECISIONS[quantize].how == STATIC:
        raise ValueError("a bundle for LiteRT-LM cannot have static_int8: use int8.")
    if not isinstance(task, TaskForLiteRTLM):
        raise ValueError(f"LiteRT-LM runs tasks; received {type(task).__name__}.")
    manifest.read(path.parent)  # raises before the work if the folder has a manifest of other kind
    start_worker()  # while the model answers
    form = task.for_litertlm(max_length, _template(chat_template))
    with portable(form.model), Staging(path) as staging:
        probes = bundle_probes(form, samples=quantize is not None)
        bundle = staging.folder / path.name
        conversion = write_bundle(form, bundle, storage, probes)
        accept(Report(path, [conversion]), path)
        report = check(staging.folder, path.name, shown=path)
        checks = [conversion, *report.checks]
        rows = [measurements.row(report, storage)]
        entry = {**report.manifest, "checks": [vars(each) for each in checks], "files": rows}
        accept(Report(path, checks, entry, rows), path)
        entry = place(bundle, path, entry)
    return Report(path, checks, entry, rows)


def _template(path: str | Path | None) -> str | None:
    """The chat template in a file."""
    if path is None:
        return None
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a readable chat template: {error}.") from None
