"""An artifact as a function of Spark's columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from typing import Any

import numpy as np

try:
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql import types
except ImportError as error:
    raise ImportError(
        "export.batch.spark needs pyspark: pip install 'keras-attn[spark]'"
    ) from error

from export.predictor import Predictor
from export.texts import Facts

# What Spark has for each dtype; what is not here has no type in `predict_batch_udf`.
TYPES = {
    "string": types.StringType(),
    "int8": types.ByteType(),
    "int16": types.ShortType(),
    "int32": types.IntegerType(),
    "int64": types.LongType(),
    "float32": types.FloatType(),
    "float64": types.DoubleType(),
}


def predictor_udf(predictor: Predictor) -> Callable[..., Any]:
    """A function of columns that calls an exported artifact, made by Spark's `predict_batch_udf`.

    Each Python worker of Spark loads the artifact once.

    Args:
        predictor: The artifact. Its `batch_size` is the number of rows that a worker passes to it.

    Returns:
        A function that takes a column for each input of the signature, in the order of
        `predictor.facts["inputs"]`, and returns a column of structs with a field for each output.

    Raises:
        ValueError: If Spark's function has no type for an input or an output: an input whose rows
            are arrays of any size, or an output whose rows have more than one axis.

    Example:
        >>> import export
        >>> from export.batch.spark import predictor_udf
        >>> lines = spark.read.text("reviews.txt")                              # doctest: +SKIP
        >>> predict = predictor_udf(export.Predictor("films.tflite"))           # doctest: +SKIP
        >>> lines.select("value", predict("value").text.alias("label")).show()  # doctest: +SKIP
    """
    inputs, outputs = predictor.facts["inputs"], predictor.facts["outputs"]
    return predict_batch_udf(
        partial(_loaded, predictor, list(inputs)),
        input_tensor_shapes=_shapes(inputs),
        return_type=_struct(outputs),
        batch_size=predictor.batch_size,
    )


def _loaded(predictor: Predictor, names: list[str]) -> Callable[..., Any]:
    """A function of an array for each input; Spark reads from its signature how many there are."""
    predictor.load()

    def predict(*columns: np.ndarray) -> dict[str, np.ndarray]:
        return predictor(dict(zip(names, columns, strict=True)))

    given = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in names]
    predict.__signature__ = Signature(given)  # type: ignore[attr-defined]  # read by Spark
    return predict


def _shapes(inputs: Facts) -> dict[int, list[int]] | None:
    """The shapes of rows that are arrays, by the index of the input."""
    for name, each in inputs.items():
        if not each["shape"] or None in each["shape"][1:]:
            raise ValueError(f"Spark takes only inputs with rows of one shape, unlike {name!r}.")
    shapes = [each["shape"][1:] for each in inputs.values()]
    return {index: shape for index, shape in enumerate(shapes) if shape} or None


def _struct(outputs: Facts) -> types.StructType:
    """The type of a row of the outputs."""
    fields = []
    for name, each in outputs.items():
        kind, rank = TYPES.get(each["dtype"]), len(each["shape"])
        if kind is None or rank not in (1, 2):
            raise ValueError(
                f"Spark's predict_batch_udf has no type for the output {name!r}: "
                f"{each['dtype']} with {rank} axes."
            )
        fields.append(types.StructField(name, kind if rank == 1 else types.ArrayType(kind)))
    return types.StructType(fields)
