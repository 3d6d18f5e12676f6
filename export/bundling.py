"""The bundle of a language model in a staging folder: a LiteRT file, its tokenizer and metadata."""

from __future__ import annotations

import json
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from export import manifest
from export.bundle_page import bundle_page
from export.litertlm_protocol import LiteRTLMModel
from export.processes import ProcessFailed, run_in_worker
from export.report import Check
from export.sidecar_files import write_sidecar_files
from export.source import ExportSource
from export.task import read_signatures
from export.worker.precisions import Storage
from export.worker.probes import Probe
from export.writing import write_saved_model

MODEL, TOKENIZER, METADATA = "model.tflite", "tokenizer.json", "metadata.json"


def write_bundle(
    form: LiteRTLMModel, bundle: Path, storage: Storage, probes: dict[str, list[Probe]]
) -> Check:
    """Writes a bundle, with its probes and a manifest beside it.

    Args:
        form: The language model.
        bundle: The file to write, in a folder of its own.
        storage: How it stores the weights.
        probes: Prompts with what the model answers.

    Returns:
        The check "conversion".
    """
    source = ExportSource(
        form.model,
        read_signatures(form.signatures, type(form).__name__),
        probes,
        {**form.config, **metadata_of(form)},
        assets=form.assets,
    )
    folder = bundle.parent / "parts"
    folder.mkdir()
    saved, model = folder / "saved_model", folder / MODEL
    concrete = write_saved_model(source.signatures, saved)
    job: dict[str, Any] = {
        "saved_model": str(saved.resolve()),
        "signatures": {name: list(each.structured_outputs) for name, each in concrete.items()},
        "files": {str(model.resolve()): list(storage)},
        "strings": False,
    }
    (folder / TOKENIZER).write_text(form.tokenizer, "utf-8")
    (folder / METADATA).write_text(json.dumps(metadata_of(form)), "utf-8")
    try:
        failed = run_in_worker("convert", job)
        if failed:
            return Check("conversion", False, next(iter(failed.values()))["error"])
        run_in_worker("bundle", {"folder": str(folder.resolve()), "out": str(bundle.resolve())})
    except ProcessFailed as error:
        return Check("conversion", False, str(error))
    shutil.rmtree(folder)  # as large as the bundle
    facts = source.facts(concrete)
    facts |= {"quantize": storage.quantize, "quantize_scope": storage.scope, "not_applicable": {}}
    facts["format"], facts["sha256"] = "litertlm", dict(facts["sha256"])
    version = metadata.version("litert-lm-api")
    page = bundle_page(bundle.name, metadata_of(form), storage.quantize, version)
    beside = write_sidecar_files(f"{bundle.name}.", bundle.parent, source.assets, page)
    entry = manifest.entry(bundle, probes, **facts, beside=beside)
    manifest.write(bundle.parent, {"artifacts": {bundle.name: entry}})
    return Check("conversion", True, f"signatures: {len(concrete)}")


def metadata_of(form: LiteRTLMModel) -> dict[str, Any]:
    """What the runtime has to know of a model, as plain data."""
    return {
        "max_length": form.max_length,
        "start_token": form.start_token,
        "stop_tokens": list(form.stop_tokens),
        "pad_token": form.pad_token,
        "suppressed_tokens": list(form.suppressed_tokens),
        "chat_template": form.chat_template,
    }
