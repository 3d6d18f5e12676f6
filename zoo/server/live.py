"""What only a task can do for a server: stream, and show where its model looks."""

from typing import Any

from zoo.attention_map import visible
from zoo.data.images.decode import decode
from zoo.models.attending import attention_layers
from zoo.preprocessing.images import BYTES
from zoo.preprocessing.text import TEXT
from zoo.report.heads import data
from zoo.tasks.streaming import StreamingTask

NO_BEAMS = "beam search cannot stream: use :predict, or serve the run without --beams"


def live(task: Any, generation: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Servable` that an artifact lacks.

    Args:
        task: The task.
        generation: How it generates.
    """
    found: dict[str, Any] = {}
    if set(task.preprocessor.inputs) != {TEXT}:
        return {"attention": (BYTES, lambda x: _looks(task, x))} if hasattr(task, "looks") else {}
    if isinstance(task, StreamingTask):
        if generation.get("beams", 1) > 1:
            found["no_stream"] = NO_BEAMS
        else:
            found["stream"] = lambda text: task.stream(text, **generation)
    if attention_layers(task.model):
        found["attention"] = TEXT, lambda text: _heads(task, text.decode(errors="replace"))
    return found


def _heads(task: Any, text: str) -> list[dict[str, Any]]:
    """What the head browser shows of a text."""
    return data([(text, task.attention_parts(text))])


def _looks(task: Any, content: bytes) -> list[dict[str, Any]]:
    """Where in an image the model looks for each token of its caption."""
    image = decode(content, task.preprocessor.shape.channels).numpy()
    return [
        {"token": visible(token), "weights": weights.round(4).tolist()}
        for token, weights in task.looks(image)
    ]
