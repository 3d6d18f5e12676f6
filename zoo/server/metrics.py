"""Counts of a server in the form that Prometheus reads."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from zoo.errors import UserError
from zoo.server.servable import Arrays
from zoo.serving.unknown import UNKNOWN

LABELS = 100  # maximum number of labels that are counted by name
OTHER = "other"
LONGEST = 100  # characters of a label
NAMESPACE = "keras_attn"
UNSURE = 0.5  # a best score below is an answer that the model is not sure of
ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # of batches


class Metrics(Protocol):
    """What is counted of requests."""

    def request(self, verb: str, status: int, seconds: float) -> None:
        """A request that was answered."""

    def batch(self, rows: int) -> None:
        """A batch that was computed."""

    def answers(self, answers: Sequence[Arrays]) -> None:
        """The outputs of calls."""

    def text(self) -> bytes | None:
        """All counts in the text format of Prometheus; None if nothing is counted."""


class NoMetrics:
    """Nothing is counted; a `Metrics`."""

    def request(self, verb: str, status: int, seconds: float) -> None:
        pass

    def batch(self, rows: int) -> None:
        pass

    def answers(self, answers: Sequence[Arrays]) -> None:
        pass

    def text(self) -> bytes | None:
        return None


class PrometheusMetrics:
    """The counts of a server; a `Metrics`.

    Requests by verb and status, their seconds, the rows of batches, and of models of labels the
    answers by label and those of which the model is not sure.

    Raises:
        UserError: If `prometheus_client` is not installed.
    """

    def __init__(self) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Histogram
        except ImportError:
            raise UserError(
                "--metrics requires prometheus_client: pip install 'keras-attn[serve]'"
            ) from None
        self._registry = registry = CollectorRegistry()
        about = f"Answers whose best score is below {UNSURE}."
        self._requests = Counter(
            "requests", "Requests.", ["verb", "status"], NAMESPACE, registry=registry
        )
        self._seconds = Histogram(
            "request_seconds", "Seconds of requests.", ["verb"], NAMESPACE, registry=registry
        )
        self._rows = Histogram(
            "batch_rows",
            "Rows of computed batches.",
            namespace=NAMESPACE,
            registry=registry,
            buckets=ROWS,
        )
        self._labels = Counter(
            "answers", "Answers by label.", ["label"], NAMESPACE, registry=registry
        )
        self._unsure = Counter("unsure_answers", about, namespace=NAMESPACE, registry=registry)
        self._truncated = Counter(
            "truncated_texts", "Texts that were cut off.", namespace=NAMESPACE, registry=registry
        )
        self._unknown = Counter(
            "unknown_texts",
            "Texts without a token that the model knows.",
            namespace=NAMESPACE,
            registry=registry,
        )
        self._known: set[str] = set()

    def request(self, verb: str, status: int, seconds: float) -> None:
        self._requests.labels(verb, str(status)).inc()
        self._seconds.labels(verb).observe(seconds)

    def batch(self, rows: int) -> None:
        self._rows.observe(rows)

    def answers(self, answers: Sequence[Arrays]) -> None:
        for each in answers:
            if "truncated" in each:
                self._truncated.inc(int(np.sum(each["truncated"])))
            if UNKNOWN in each:
                self._unknown.inc(int(np.sum(each[UNKNOWN])))
            if "class_id" in each and "scores" in each and each["scores"].ndim == 2:
                self._unsure.inc(int((each["scores"].max(axis=1) < UNSURE).sum()))
                names = each.get("text", each["class_id"])
                for name in names.tolist():
                    self._labels.labels(self._named(name)).inc()

    def _named(self, label: object) -> str:
        """The label, as long as there are no more than can be counted."""
        text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
        text = text[:LONGEST]
        if text not in self._known and len(self._known) >= LABELS:
            return OTHER
        self._known.add(text)
        return text

    def text(self) -> bytes | None:
        from prometheus_client import generate_latest

        content: bytes = generate_latest(self._registry)
        return content
