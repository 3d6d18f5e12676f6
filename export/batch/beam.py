"""An artifact in Apache Beam's `RunInference`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

try:
    from apache_beam.ml.inference.base import ModelHandler, PredictionResult
except ImportError as error:
    raise ImportError("Beam needs apache-beam: pip install 'keras-attn[beam]'") from error

from export.named_inputs import inputs_of
from export.predictor import Predictor


class PredictorModelHandler(ModelHandler[Any, PredictionResult, Predictor]):
    """Calls an exported artifact in `RunInference`.

    An element is a row of the only input, such as a text, or a dictionary with a row of each input.
    A series may be a data frame or a dictionary of columns, which are matched by name.
    Of each element comes a `PredictionResult` with a dictionary of the outputs: numbers, strings,
    or arrays.

    Beam's automatic model refresh may name another artifact with the same signature.

    Args:
        predictor: The artifact.
        **options: Those of Beam's `ModelHandler`, such as `max_batch_size` and `large_model`.

    Example:
        >>> import apache_beam as beam
        >>> import export
        >>> from apache_beam.ml.inference.base import RunInference
        >>> from export.batch.beam import PredictorModelHandler
        >>> handler = PredictorModelHandler(export.Predictor("films.tflite"))   # doctest: +SKIP
        >>> with beam.Pipeline() as pipeline:                                   # doctest: +SKIP
        ...     texts = pipeline | beam.Create(["a fine film", "so dull"])
        ...     texts | RunInference(handler) | beam.Map(lambda x: print(x.inference["text"]))
        good
        bad
    """

    def __init__(self, predictor: Predictor, **options: Any) -> None:
        super().__init__(**options)
        self.predictor = predictor

    def load_model(self) -> Predictor:
        return self.predictor.load()

    def run_inference(
        self,
        batch: Sequence[Any],
        model: Predictor,
        inference_args: Mapping[str, Any] | None = None,
    ) -> Iterator[PredictionResult]:
        outputs = model(inputs_of(batch, model.facts["inputs"], model.config))
        for name, rows in outputs.items():
            if len(rows) != len(batch):
                raise ValueError(f"the output {name!r} has no row for each element.")
        for example, row in zip(batch, zip(*outputs.values(), strict=True), strict=True):
            answer = dict(zip(outputs, row, strict=True))
            yield PredictionResult(example, answer, str(self.predictor.path))

    def get_metrics_namespace(self) -> str:
        return "BeamML_KerasAttn"

    def validate_inference_args(self, inference_args: Mapping[str, Any] | None) -> None:
        if inference_args:
            raise ValueError("an exported artifact takes no inference_args.")

    def update_model_path(self, model_path: str | None = None) -> None:
        if model_path:
            self.predictor = replace(self.predictor, path=model_path)
