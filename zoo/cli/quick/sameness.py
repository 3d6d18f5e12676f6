"""The comparison of the answers of a file with those of its run."""

import math
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.artifact_predictions import Predictions
from zoo.cli.opened_models import ExportedModel
from zoo.cli.quick.answers import quick_predictions, takes
from zoo.cli.quick.texts import NotServed
from zoo.cli.task_predictions import task_predictions
from zoo.data_statistics import discarding
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.images import ImagePreprocessor
from zoo.tasks.answers.ranked_labels import TOP_K

if TYPE_CHECKING:
    from zoo.tasks.task import Task

RELATIVE, ABSOLUTE = 1e-3, 1e-4  # most difference of numbers; the export allows less of outputs


def difference(task: "Task", path: Path) -> str:
    """What a file answers in another way than its run; nothing if all is equal.

    Both answer the inputs that are kept with the run, as the command line asks them: rows as JSON
    and as cells, also with the most probable labels. Series, which are read by the same function
    from tables, are compared by the export alone.

    Args:
        task: The task of the run.
        path: The file.
    """
    quick = quick_predictions(ExportedModel(path))
    if quick is None:
        return "what it takes is read with TensorFlow"
    options: list[dict[str, Any]] = [{}, {TOP_K: 2}]
    asked = [each for each in options if takes(values_of(task.settings), each)]
    with tempfile.TemporaryDirectory() as folder, discarding():
        lines = _lines(task, Path(folder))
        return next(filter(None, (_difference(task, quick, lines, each) for each in asked)), "")


def _difference(
    task: "Task", quick: Predictions, lines: list[str], options: Mapping[str, Any]
) -> str:
    exact = task_predictions(task, options, candidates=False, chat=False)
    answered = 0
    for line in lines:
        try:
            own = quick([line], options)
            cells = quick.table_answers({}, None, options).answer([_input(quick, line)], 0)
        except NotServed:  # which the weights answer
            continue
        except UserError as error:
            return str(error)
        answered += 1
        wanted = exact([line], options)
        table = exact.table_answers({}, None, options).answer([_input(quick, line)], 0)
        if not (same(own, wanted) and same(cells, table)):
            return f"of {line!r:.80} it answers {own!r:.200}, and the run {wanted!r:.200}"
    return "" if answered or not lines else "it answers none of the examples"


def _lines(task: "Task", folder: Path) -> list[str]:
    """What is kept of the training data, as lines of `predict`; images as files in a folder."""
    if isinstance(task.preprocessor, ImagePreprocessor):
        return [*_files(task.preprocessor, folder)]
    columns = [task.examples.get(name, []) for name in task.preprocessor.inputs]
    return ["\t".join(row) for row in zip(*columns, strict=False) if all(map(_is_line, row))]


def _is_line(text: Any) -> bool:
    return isinstance(text, str) and "\t" not in text


def _files(preprocessor: ImagePreprocessor, folder: Path) -> Iterable[str]:
    from PIL import Image

    for number, pixels in enumerate(preprocessor.sample):
        path = folder / f"{number}.png"
        Image.fromarray(pixels if pixels.shape[-1] == 3 else pixels[..., 0]).save(path)
        yield str(path)


def _input(quick: Predictions, line: str) -> Any:
    return tuple(line.split("\t")) if quick.takes_pairs else line


def same(one: Any, other: Any) -> bool:
    """Whether two answers of JSON types are equal, numbers up to what an export allows.

    Labels with nearly equal scores may be in another order.

    Example:
        >>> same([{"a": 0.5, "b": "x"}], [{"a": 0.50001, "b": "x"}]), same({"a": 1}, {"b": 1})
        (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(one == other)
