"""The views of the model of a task: attention maps, and rows of a report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zoo import notebook
from zoo.attention_map import AttentionMap
from zoo.attention_maps import AttentionMaps
from zoo.data_statistics import collecting
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.tasks.attending import ATTENTION, choose_part
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task


def attention(
    task: "Task", data: Any, part: str | None, options: Mapping[str, Any]
) -> AttentionMaps:
    """The attention maps of one input in a part of the model; see `Task.attention`."""
    if not task.model.attention_layers:
        return AttentionMaps()
    part = choose_part(task.model, part)
    return AttentionMaps(attention_parts(task, data, options)[part])


def attention_parts(
    task: "Task", data: Any, options: Mapping[str, Any]
) -> dict[str, list[AttentionMap]]:
    """The attention maps of one input in every part of the model; see `Task.attention`."""
    if not task.model.attention_layers:
        return {}
    with collecting(ATTENTION):
        features = task.read_inputs([data], **options)
    given = task.parts.answer.attention_options(task.fitted, features, options)
    if task.answering is not None:
        return label_attention(task, features, task.answering(ATTENTION, features))
    outputs = task.program(ATTENTION)(features, **given)
    return label_attention(task, features, outputs)


def as_html(task: "Task") -> str:
    """What a notebook shows of a task: its model, its labels and its metrics."""
    settings = task.settings
    facts: list[tuple[str, object]] = [("model", f"{settings.model} · {settings.preset}")]
    if task.is_adapted:
        facts.append(("parameters", f"{task.model.count_params():,}"))
        facts += [(name, str(size)) for name, size in task.parts.answer.sizes(settings).items()]
    else:
        facts.append(("trained", "not yet: call fit(data)"))
    facts += [(name.replace("_", " "), float(value)) for name, value in task.metrics.items()]
    if task.metrics and str(task.evaluated_on):
        facts.append(("measured on", str(task.evaluated_on)))
    return f"<p>{notebook.cell(task.purpose)}</p>{notebook.table((task.name, ''), facts)}"


def preview(task: "Task", examples: Any, count: int) -> list[PreviewRow]:
    """The first rows with their predictions and references; see `Task.preview`."""
    task.parts.input.check_examples(examples, task.settings, task.preprocessor)
    return task.parts.answer.preview(task.predictor(), examples, count)


def label_attention(
    task: "Task", features: Features, outputs: Tensors
) -> dict[str, list[AttentionMap]]:
    """The outputs of the signature `attention` for one input, with its tokens.

    Args:
        task: The task; of an artifact, which has the model, it has none.
        features: The features of the input.
        outputs: The outputs, of the task or of an artifact.
    """
    source = task.parts.input
    if not task.is_adapted:
        return source.attention_maps(task.settings, task.preprocessor, features, outputs)
    return source.attention_maps_of(task.fitted, features, outputs)
