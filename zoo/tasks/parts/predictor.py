"""The predictor: a task that is fitted, with a function that runs its model or an artifact."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

import numpy as np
import tensorflow as tf

from zoo.data_statistics import collecting
from zoo.preprocessing.base import Features
from zoo.serving.inference import Run, Tensors
from zoo.tasks.parts.fitted import F
from zoo.tasks.parts.input import Input
from zoo.tasks.parts.kinds import H
from zoo.text.form import TEXT, TextForm


@dataclass(frozen=True)
class Predictor(Generic[F, H]):
    """Computes answers for raw inputs.

    Args:
        fitted: The settings, the preprocessor and the model.
        input: What the model reads.
        head: The kind of answer.
        run: Function that runs an inference by name, of the model or of an artifact.
        options: Options of the answer, by name, which `run` may not know.
        fills: Whether batches of short texts have more rows, in about the same memory.
    """

    fitted: F
    input: Input[Any, Any, Any]
    head: H
    run: Run
    options: Mapping[str, Any] = field(default_factory=dict)
    fills: bool = False

    def raw(self, data: Any) -> dict[str, Sequence[Any]]:
        """Converts the argument of `predict` to raw inputs by name."""
        return self.input.raw(data, self.fitted.settings, self.fitted.preprocessor)

    def results(self, columns: Mapping[str, Sequence[Any]], batch_size: int = 64) -> list[Any]:
        """The answer for each row.

        Args:
            columns: Raw inputs by name.
            batch_size: Batch size. Rows of similar length are batched together.
        """
        return [self.head.result(row) for row in self.rows(columns, batch_size)]

    def rows(
        self,
        columns: Mapping[str, Sequence[Any]],
        batch_size: int = 64,
        finish: Callable[[Tensors, Features], Tensors] | None = None,
    ) -> list[dict[str, Any]]:
        """The outputs for each row: a dictionary, in order.

        Args:
            columns: Raw inputs by name.
            batch_size: Batch size.
            finish: Function to use instead of the `postprocess` of the head.
        """
        preprocessor = self.fitted.preprocessor
        count = len(next(iter(columns.values())))
        results: list[dict[str, Any]] = [{} for _ in range(count)]
        with collecting("predict"):
            for numbers in self._batches(columns, count, batch_size):
                raw = {name: [rows[i] for i in numbers] for name, rows in columns.items()}
                features = {**preprocessor.read(raw), "row": np.array(numbers, "int32")}
                outputs = self.run(preprocessor.feature_signature, features)
                tensors = {name: tf.constant(x) for name, x in outputs.items()}
                done = (finish or self._postprocess)(tensors, features)
                arrays = {name: np.asarray(x) for name, x in done.items()}
                for number, row in zip(numbers, self.input.rows(arrays, features), strict=True):
                    results[number] = row
        return results

    def _batches(
        self, columns: Mapping[str, Sequence[Any]], count: int, batch_size: int
    ) -> Iterator[list[int]]:
        """The numbers of the rows of each batch, of similar length if there are several."""
        if count <= batch_size:
            yield from [[*range(count)]] if count else []
            return
        preprocessor = self.fitted.preprocessor
        lengths = np.asarray(preprocessor.row_lengths(columns))
        order = np.argsort(lengths, kind="stable")
        if self.fills:  # the first row of a batch is its longest
            order = order[::-1]
        start = 0
        while start < count:
            longest = int(lengths[order[start]])
            size = preprocessor.rows_together(batch_size, longest) if self.fills else batch_size
            yield order[start : start + size].tolist()
            start += size

    def _postprocess(self, outputs: Tensors, features: Features) -> Tensors:
        if TEXT in outputs:  # of an artifact, which has the head in it
            return outputs
        return self.head.postprocess(outputs, features, TextForm.STRINGS)
