"""A model to serve, from a run or an artifact that was opened."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zoo.lines import LABELS, from_lines
from zoo.preprocessing.text import TEXT
from zoo.server.attention import attention_of, reader_of
from zoo.server.servable import Servable, served
from zoo.server.stepping import stream_of
from zoo.tasks import generating
from zoo.tasks.answers.generated_text import GeneratedText

if TYPE_CHECKING:
    from zoo.tasks.task import Task

LENGTHS = ("max_length", "max_source_length", "max_target_length")  # settings of tasks
NO_BEAMS = "beam search cannot stream: use :predict, or serve the run without --beams"


def servable_of(
    name: str, opened: Any, task: "Task | None" = None, generation: Mapping[str, Any] | None = None
) -> Servable:
    """A model to serve.

    Args:
        name: Its name in addresses.
        opened: What `export.serving` or `export.task_serving` opened.
        task: The task of a run; None for an artifact.
        generation: How the task generates.
    """
    signatures = served(opened)
    labels = from_lines(opened.beside.get(LABELS, ""))
    if task is None:
        streams: dict[str, Any] = {"stream": stream_of(signatures)}
        attention = attention_of(signatures, reader_of(opened), opened.config)
    else:
        streams = streams_of(task, generation or {})
        attention = attention_of(signatures, task, opened.config)
    kind = str(opened.config.get("task", ""))
    described: dict[str, Any] = {"attention": attention, "config": opened.config}
    described["beside"] = opened.beside
    described["max_length"] = trained_length(opened.config)
    return Servable(name, signatures, opened.version, kind, labels, **described, **streams)


def trained_length(config: Mapping[str, Any]) -> int | None:
    """The greatest number of tokens of a text that a task was trained with.

    Args:
        config: The description of the task, which may come from someone else.

    Example:
        >>> trained_length({"settings": {"max_source_length": 64, "max_target_length": 80}})
        80
    """
    settings = config.get("settings")
    if not isinstance(settings, Mapping):
        return None
    given = [settings.get(name) for name in LENGTHS]
    return max((each for each in given if type(each) is int and each > 0), default=None)


def streams_of(task: "Task", generation: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `Servable` that say how a run streams, or why it does not."""
    generates = isinstance(task.parts.answer, GeneratedText)
    if set(task.preprocessor.inputs) != {TEXT} or not generates:
        return {}
    if generation.get("beams", 1) > 1:
        return {"no_stream": NO_BEAMS}
    return {"stream": lambda text: generating.stream(task, text, **generation)}
