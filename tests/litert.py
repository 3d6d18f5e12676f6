"""A function as a LiteRT file."""

import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def in_litert(
    function: Callable, specs: dict[str, Any], weights: Sequence = ()
) -> Callable[..., np.ndarray]:
    """`function` of named tensors (name -> TensorSpec), converted with built-in operators only:
    a function of named arrays, of any size that the specs leave open."""
    import tensorflow as tf
    from ai_edge_litert.interpreter import Interpreter

    module = tf.Module()
    module.weights = [w.value for w in weights]
    module.serve = tf.function(lambda **x: {"output": function(**x)})
    named = {name: tf.TensorSpec(s.shape, s.dtype, name=name) for name, s in specs.items()}
    with tempfile.TemporaryDirectory() as folder:
        signature = module.serve.get_concrete_function(**named)
        tf.saved_model.save(module, folder, signatures=signature)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        content = converter.convert()
    interpreter = Interpreter(model_content=content)
    runner = interpreter.get_signature_runner("serving_default")
    return lambda **x: runner(**x)["output"]
