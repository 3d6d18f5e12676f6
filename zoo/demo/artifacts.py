"""Text in, text out, from exported artifacts: all the code a program needs that serves them."""

import os
from collections.abc import Sequence


def ask_saved_model(path: str | os.PathLike, texts: Sequence[str]) -> list[str]:
    """Has the SavedModel in folder `path` answer; needs tensorflow and tensorflow-text."""
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the operators that split and join text

    answer = tf.saved_model.load(os.fspath(path)).signatures["serving_default"]
    return [text.decode() for text in answer(text=tf.constant(texts))["text"].numpy()]


def ask_litert(path: str | os.PathLike, texts: Sequence[str]) -> list[str]:
    """Has the LiteRT file `path` answer; needs ai-edge-litert and tensorflow-text's operators."""
    import numpy as np
    from ai_edge_litert.interpreter import InterpreterWithCustomOps
    from tensorflow_text import tflite_registrar

    interpreter = InterpreterWithCustomOps(
        custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS, model_path=os.fspath(path)
    )
    answer = interpreter.get_signature_runner("serving_default")
    encoded = np.array([text.encode() for text in texts], object)
    return [text.decode() for text in answer(text=encoded)["text"]]
