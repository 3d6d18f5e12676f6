"""Export to a SavedModel in the layout that TF Serving reads, verified before it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from export import manifest
from export.precision import portable
from export.processes import start_worker
from export.report import Report, VerificationError
from export.signatures import Signature
from export.source import Source, read_source
from export.staging import Staging, copy_rest, replace
from export.tolerances import TOLERANCES
from export.verify import check
from export.worker.probes import save_probes
from export.xla import compiled


def saved_model(
    task_or_model: Any, path: str | Path, *, version: int = 1, xla: bool = False, **generation: Any
) -> Report:
    """Export a task or a Keras model to `path/<version>/`, proven equal to what it came from.

    The SavedModel is built in a folder beside `path`, checked in a fresh process, and moved into
    place in one step; other versions below `path` stay. `path/manifest.json` says what was proven.

    Args:
        task_or_model: a task with its signatures, or a Keras model, whose inputs and outputs become
            `serving_default`.
        path: the folder that a server is pointed at.
        version: the number of the version.
        xla: compile generation with XLA, for a few buckets of batch size and length. On a CPU, TF
            Serving refuses such functions unless started with `--xla_cpu_compilation_enabled`.
        **generation: how to generate: `max_new_tokens`, `beams`, `length_penalty`.

    Returns:
        A `Report` with the path, the checks and the manifest's entry.

    Raises:
        ValueError: an argument is not what it should be, or `path` holds something else.
        VerificationError: a check failed. Nothing is left but `<name>.report.json` beside `path`.

    Example:
        >>> import export
        >>> export.saved_model(task, "served/en-de").passed     # doctest: +SKIP
        True
    """
    path = Path(path)
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"version must be a positive integer, got {version!r}.")
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file: a SavedModel needs a folder.")
    entries = manifest.read(path)["artifacts"]
    if path.is_dir() and any(path.iterdir()) and not entries:
        raise ValueError(f"{path} is a folder of something else: choose another one.")
    model = getattr(task_or_model, "model", task_or_model)
    target = path.resolve()  # where a link points, so that the link stays
    start_worker()  # while the graph is made
    with portable(model), Staging(target) as staging:
        folder, name = staging.folder / "artifact", str(version)
        source = read_source(task_or_model, hasattr(task_or_model, "signatures"), generation)
        concrete = _save(source, folder / name, xla)
        save_probes(folder / manifest.probes_file(name), source.probes)
        tolerance = TOLERANCES[None]._asdict()
        facts = source.facts(concrete)
        entry = manifest.entry(
            folder / name,
            format="saved_model",
            strings=source.strings,
            xla=xla,
            tolerance=tolerance,
            **facts,
        )
        manifest.write(folder, {"artifacts": {name: entry}})
        report = check(folder, name, shown=path / name, time=True)
        accept(report, path)
        manifest.write(folder, {"artifacts": {**entries, name: report.manifest}})
        if path.is_dir():
            copy_rest(target, folder)
        replace(folder, target)
    return report


def accept(report: Report, path: Path) -> None:
    """Refuse an artifact that failed: leave its report beside `path` and raise."""
    file = path.with_name(f"{path.name}.report.json")
    if not report.passed:
        report.write(file)
        raise VerificationError(report)
    file.unlink(missing_ok=True)  # of an earlier attempt


def write_saved_model(
    signatures: list[Signature], functions: dict[str, Any], folder: Path
) -> dict[str, Any]:
    """Trace and save `signatures`; `functions` replaces some of them. Returns what was traced."""
    concrete = {each.name: each.trace(functions.get(each.name)) for each in signatures}
    module = tf.Module()
    variables = {
        id(variable): variable
        for function in concrete.values()
        for variable in function.graph.variables
    }
    module.weights = list(variables.values())
    module.tables = [table for each in signatures for table in each.track]
    tf.saved_model.save(module, str(folder), signatures=concrete)
    return concrete


def _save(source: Source, folder: Path, xla: bool) -> dict[str, Any]:
    functions: dict[str, Any] = {}
    if xla:
        # Attention maps grow with the input and are looked at, not served at speed.
        chosen = [each for each in source.signatures if each.name != "attention"]
        found = {each.name: compiled(each, pad=source.generates) for each in chosen}
        functions = {name: function for name, function in found.items() if function}
        if not functions:
            raise ValueError("xla=True: no signature has a part without text that XLA can compile.")
    return write_saved_model(source.signatures, functions, folder)
