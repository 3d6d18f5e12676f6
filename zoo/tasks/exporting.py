"""A task as `export` takes it: signatures, inputs to verify an artifact with, and more."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.heads.head import Head
from zoo.model_card import FILE, model_card
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.about import ABOUT, about
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import Signature, build_signatures
from zoo.tasks.attending import ATTENTION, MEANINGS, map_names
from zoo.tasks.cells import TABLE
from zoo.tasks.comparison import comparison_of
from zoo.tasks.ensembles import refuse_ensemble
from zoo.tasks.generation import STREAM
from zoo.tasks.parts import AnyParts, Fitted
from zoo.tasks.provenance import published
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm, text_form

if TYPE_CHECKING:
    from zoo.tasks.task import Task

LENGTH = "length"  # option of an artifact: the maximum number of tokens of a text in bytes


def export_parts(
    task: "Task", text: str | None, litert: bool, samples: bool, options: Mapping[str, Any]
) -> ExportParts:
    """All that an artifact is made from, computed once.

    Args:
        task: The task.
        text: How the artifact takes and returns text: as "strings", or as "bytes" in UTF-8, with
            built-in operators of LiteRT only. None if it takes features.
        litert: Whether the artifact is a LiteRT file.
        samples: Whether to add many ordinary inputs, by which a quantized file is judged.
        options: Generation options, for tasks that generate text; and `length`, the maximum number
            of tokens of a text in bytes.

    Raises:
        UserError: If LiteRT lacks operators of the preprocessor, or it does not take bytes, or
            the task has no such option.
    """
    refuse_ensemble(task, "exported")
    answer, source = task.parts.answer, task.parts.input
    given = {name: x for name, x in options.items() if name != LENGTH}
    answer.check_exportable(task.settings)
    for name in given:
        if name not in answer.export_options:
            raise UserError(f"an export of {task.name} has no option {name!r}")
    fitted = task.fitted
    answer.check_export(fitted, given)

    form, preprocessor = text_form(text, litert), source.preprocessor_with(fitted, given)

    def build(form: TextForm, preprocessor: Preprocessor) -> dict[str, Signature]:
        return _signatures(task, preprocessor, text, form, litert, options)

    live = strings = None
    if form is TextForm.BYTES:
        length = options.get(LENGTH)
        signatures = build(form, preprocessor.in_bytes(length))
        shorter = preprocessor if length is None else preprocessor.shortened(length)
        strings = build(TextForm.STRINGS, shorter)
    elif form is TextForm.LITERT_STRINGS:
        preprocessor.check_litert()
        signatures = build(form, preprocessor)
        live = build(TextForm.STRINGS, preprocessor)
    else:
        signatures = build(form, preprocessor)

    def calls(raw: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
        return answer.calls(fitted, source.calls(preprocessor, raw), given)

    best = comparison_of(task.metrics).best_baseline()
    described = about(task.metrics, str(task.evaluated_on), task.examples, best)
    facts = {**source.facts(task.preprocessor), **answer.facts(fitted)}
    if (columns := source.table_columns(task.settings)) is not None:
        roles = [role.name for role in columns.roles]
        facts[TABLE] = {"roles": roles, "columns": task.columns}
    return ExportParts(
        signatures,
        live=signatures if live is None else live,
        strings=strings,
        probes=calls(preprocessor.probes(task.examples)),
        samples=calls(preprocessor.samples(task.examples)) if samples else {},
        config={**task.config, "data": published(task.data), ABOUT: described, **facts},
        assets={FILE: model_card(task), **task.head.files, **source.assets(task.preprocessor)},
    )


def _signatures(
    task: "Task",
    preprocessor: Preprocessor,
    text: str | None,
    form: TextForm,
    litert: bool,
    options: Mapping[str, Any],
) -> dict[str, Signature]:
    """The signatures of an artifact, by name, with texts in one form."""
    parts, fitted, head = task.parts, task.fitted, task.head

    def finish(outputs: Tensors, features: Features) -> Tensors:
        reported = {name: features[name] for name in preprocessor.reported}
        return head.postprocess(outputs, features, form) | reported

    meanings = {name: MEANINGS[part] for name, part in map_names(task.model).items()}
    meanings |= {**head.meanings, **parts.input.meanings(fitted), **parts.answer.meanings(fitted)}
    meanings |= preprocessor.reported
    if form is TextForm.BYTES and TEXT in meanings:
        meanings |= {
            TEXT_BYTES: f"{meanings[TEXT]}, UTF-8",
            TEXT_LENGTHS: "its number of bytes",
        }
    given = {name: x for name, x in options.items() if name != LENGTH}
    inferences = inferences_of(parts, fitted, head, {n: x for n, x in given.items() if n != STREAM})
    built = build_signatures(
        preprocessor, inferences, finish, text is not None, purposes(task), meanings
    )
    built = parts.input.signatures(built, task.preprocessor, text, litert)
    reader, of_text = parts.input.reader(fitted), None if text is None else form
    length = options.get(LENGTH)
    return parts.answer.signatures(built, fitted, head, reader, of_text, length, given)


def purposes(task: "Task") -> dict[str, str]:
    """What each signature is for, in one sentence, by the name of its inference."""
    main, parts = task.preprocessor.feature_signature, task.parts
    attention = parts.input.attention_purpose
    return {main: task.purpose, ATTENTION: attention, **parts.answer.purposes}


def inferences_of(
    parts: AnyParts,
    fitted: Fitted[Any, Any],
    head: Head,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Inference]:
    """The inferences of a model, by name of the signature.

    Args:
        parts: The parts of the task.
        fitted: The settings, the preprocessor and the model.
        head: The head.
        options: Generation options, for tasks that generate text.
    """
    reader = parts.input.reader(fitted)
    main = parts.answer.inferences(fitted, head, reader, options)
    return {**main, **parts.input.attention(fitted, head)}
