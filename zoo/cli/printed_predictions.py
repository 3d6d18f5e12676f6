"""Predictions as the command line prints them."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from zoo.cli.console import arguments
from zoo.lines import to_lines

START = "start"  # the place of an answer in its passage


def show_predictions(rows: list[dict[str, Any]], ranked: bool = False, names: bool = False) -> None:
    """Prints the predictions for some lines.

    Args:
        rows: What is predicted for each line.
        ranked: Whether to print the most probable labels with their scores.
        names: Whether each line begins with its input, such as the name of a file.
    """
    for row in rows:
        before = f"{_one_line(row['text'])}\t" if names else ""
        for each in row.get("candidates", ()):
            print(f"{before}{each['score']:.4f}\t{_one_line(each['text'])}")
        for line in _lines_of(row["prediction"]) if "prediction" in row else ():
            more = _scores(row["scores"]) if ranked and "scores" in row else ""
            print(f"{before}{line}{more}")
    sys.stdout.flush()


def plain(prediction: Any) -> Any:
    """A prediction as text, number, list of labels or dictionary; tagged words as `word/tag`.

    A vector is a list of numbers.

    Example:
        >>> plain([("Ann", "PER"), ("sings", "O")]), plain(["fast", "red"]), plain(2.5)
        ('Ann/PER sings/O', ['fast', 'red'], 2.5)
    """
    if _is_labels(prediction):
        return prediction
    if isinstance(prediction, list):
        return " ".join("/".join(pair) for pair in prediction)
    return prediction if isinstance(prediction, str | dict | float) else prediction.tolist()


def _scores(scores: Mapping[str, float]) -> str:
    """Labels with their scores, after an answer.

    Example:
        >>> _scores({"good": 0.75, "bad": 0.25})
        '\\tgood\\t0.7500\\tbad\\t0.2500'
    """
    return "".join(f"\t{_one_line(label)}\t{score:.4f}" for label, score in scores.items())


def _lines_of(prediction: Any) -> list[str]:
    """The lines of a prediction.

    Of a graph, a line for each node: its id and its label. Of series, a line for each step: the
    name of the series, the time and the quantiles. Of an answer in a passage, its text, its score
    and its place.
    """
    if _is_labels(prediction):
        return [_one_line("|".join(prediction))]
    if isinstance(prediction, float):
        return [f"{prediction:g}"]
    if not isinstance(prediction, dict):
        return [_one_line(prediction)]
    if START in prediction:  # an answer in a passage
        where = "\t".join(str(prediction[name]) for name in (START, "end"))
        return [f"{_one_line(prediction['text'])}\t{prediction['score']:.4f}\t{where}"]
    if prediction and all(isinstance(each, float) for each in prediction.values()):
        return ["\t".join(f"{each:g}" for each in prediction.values())]
    return [
        f"{_one_line(name)}\t{line}"
        for name, part in prediction.items()
        for line in _lines_of(part)
    ]


def _is_labels(part: Any) -> bool:
    return isinstance(part, list) and all(isinstance(each, str) for each in part)


def _one_line(prediction: Any) -> str:
    return to_lines([str(prediction)]).removesuffix("\n")


def show_stream(stream: Callable[..., Iterator[str]], text: str, sampling: dict[str, Any]) -> None:
    """Prints a prompt and its continuation while it is generated."""
    with arguments():
        pieces = stream(text, **sampling)
        print(text, end="", flush=True)
        for piece in pieces:
            print(piece, end="", flush=True)
    print()
