"""The signatures of an opened artifact. Those of a LiteRT file need no TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from export import manifest
from export.locate import locate
from export.signing import check_signature
from export.texts import call_with_strings, with_strings
from export.worker.artifact import load
from export.worker.check import Held, held
from export.worker.probes import Tensors


@dataclass(frozen=True)
class Opened:
    """Signatures that can be called.

    Args:
        facts: By signature, its purpose, "inputs" and "outputs", as in the manifest.
        invariances: By signature, "batch" and "padding": what does not change its outputs.
        run: Calls a signature with arrays by name.
        version: Version of the model.
        config: Description of the task.
        beside: Text files for clients, such as labels: their content by name.
        empty: Whether inputs without numbers may go in.
        rows: The only number of rows, of a file of one shape; None if there may be any.
        sha256: The digest of the artifact that was loaded; empty for a task.
    """

    facts: Mapping[str, Mapping[str, Any]]
    invariances: Mapping[str, tuple[str, ...]]
    run: Callable[[str, Tensors], Tensors]
    version: str = "1"
    config: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    empty: bool = True
    rows: int | None = None
    sha256: str = ""

    def in_text(self) -> Opened:
        """The same with strings for each text that is there in bytes."""
        sides = ("inputs", "outputs")
        facts = {
            name: {**each, **{side: with_strings(each[side]) for side in sides}}
            for name, each in self.facts.items()
        }

        def run(name: str, inputs: Tensors) -> Tensors:
            return call_with_strings(self.facts[name], partial(self.run, name), inputs)

        return replace(self, facts=facts, run=run)


def open_artifact(path: str | Path, public_key: str | Path | None = None) -> Opened:
    """An exported artifact: the newest version of a SavedModel, a LiteRT file or ONNX files.

    It is loaded only if its files are those of the manifest, and its operators are allowed.

    Args:
        path: A LiteRT file, a folder of ONNX files, the folder of a SavedModel, or one version in
            it.
        public_key: A PEM file of the key with which its manifest must be signed, as for
            `export.verify`.

    Raises:
        ValueError: If there is no artifact, or it is not the one that was exported or signed.
    """
    folder, name = locate(Path(path))
    content = manifest.content_of(folder)
    if public_key is not None:
        signed = check_signature(folder, content, Path(public_key))
        if not signed.passed:
            raise ValueError(f"{path} must not be loaded: {signed.detail}")
    entry = manifest.find(folder, name, content)
    if entry is None:
        raise ValueError(f"{path} must not be loaded: {manifest.FILE} does not list it.")
    if entry["format"] == "litertlm":
        raise ValueError(f"{path} is a bundle for LiteRT-LM: run it with litert_lm.Engine.")
    with held(folder, name, entry) as held_artifact:
        if held_artifact.artifact is None or not held_artifact.may_be_loaded:
            wrong = next(check for check in held_artifact.checks if not check["passed"])
            raise ValueError(f"{path} must not be loaded: {wrong['name']}: {wrong['detail']}")
        artifact = load(held_artifact.artifact.source, entry["strings"])
        beside = _texts_beside(name, held_artifact)
    invariances = {each: tuple(held) for each, held in entry["invariances"].items()}
    version = name if name.isdigit() else "1"
    config = entry.get("config", {})
    rows = entry["fixed"]["batch"] if entry.get("fixed") else None
    facts, empty = entry["signatures"], entry["format"] != "litert"
    run, digest = artifact.run, entry["sha256"]["artifact"]
    return Opened(facts, invariances, run, version, config, beside, empty, rows, digest)


def _texts_beside(name: str, held_artifact: Held) -> dict[str, str]:
    """The text files for clients by name, which begins with that of a LiteRT file."""
    return {
        Path(file).name if "/" in file else file.removeprefix(f"{name}."): text
        for file, text in held_artifact.beside.items()
    }
