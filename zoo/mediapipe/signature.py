"""The only signature of a file for MediaPipe."""

from collections.abc import Callable, Mapping
from typing import Any

from zoo.preprocessing.base import TensorSpec
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature


def single_signature(
    main: Signature, raw: Mapping[str, TensorSpec], preprocess: Callable[..., Any]
) -> dict[str, Signature]:
    """A signature with the first output of another one, for what MediaPipe makes of its inputs.

    Args:
        main: The signature of the task.
        raw: What MediaPipe passes.
        preprocess: Function from that to the features of `main`.
    """
    output = next(iter(main.outputs))

    def infer(**features: Any) -> Tensors:
        return {output: main.infer(**features)[output]}

    signature = Signature(
        raw,
        main.features,
        infer,
        {output: main.outputs[output]},
        preprocess,
        purpose=main.purpose,
        meanings=main.meanings,
    )
    return {SERVING_DEFAULT: signature}
