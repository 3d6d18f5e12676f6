"""Passages ranked for a query, by the command `predict`."""

from collections.abc import Iterable, Sequence
from typing import Any

from zoo.errors import UserError
from zoo.lines import to_lines

NO_SCORE = "--query ranks passages by their score: it takes a model that gives each pair a number"


def pairs_with(query: str, passages: Iterable[str]) -> list[str]:
    """The lines of pairs of texts, a tab between the query and a passage.

    Example:
        >>> pairs_with("red hat", ["a hat", "one\\ttwo"])
        ['red hat\\ta hat', 'red hat\\tone two']
    """
    return ["\t".join(text.replace("\t", " ") for text in (query, each)) for each in passages]


def ranked(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The predictions for pairs, best first, each as `query`, `text` and `score`.

    Raises:
        UserError: If a prediction is no number.

    Example:
        >>> rows = [{"text": "q\\ta", "prediction": 1.0}, {"text": "q\\tb", "prediction": 2.0}]
        >>> [row["text"] for row in ranked(rows)]
        ['b', 'a']
    """
    scored = []
    for row in rows:
        query, _, text = row["text"].partition("\t")
        scored.append({"query": query, "text": text, "score": score_of(row["prediction"])})
    return sorted(scored, key=lambda row: -row["score"])


def score_of(prediction: Any) -> float:
    """The only number of a prediction, of a task or of an artifact.

    Raises:
        UserError: If it is something else.

    Example:
        >>> score_of(0.5), score_of({"values": [2.0]})
        (0.5, 2.0)
    """
    if isinstance(prediction, dict):  # the outputs of an artifact
        prediction = prediction.get("values")
    if isinstance(prediction, list) and len(prediction) == 1:
        (prediction,) = prediction
    if not isinstance(prediction, float):
        raise UserError(NO_SCORE)
    return prediction


def show_ranked(rows: Sequence[dict[str, Any]]) -> None:
    """Prints passages with their scores, a tab between them."""
    for row in rows:
        print(f"{row['score']:.4f}", to_lines([row["text"]]).removesuffix("\n"), sep="\t")
