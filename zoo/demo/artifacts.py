"""Inference with exported artifacts, from text to text, without this library."""

import os
from collections.abc import Sequence


def ask_saved_model(path: str | os.PathLike, texts: Sequence[str]) -> list[str]:
    """The outputs of the SavedModel in a folder; requires tensorflow and tensorflow-text."""
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the operators of the tokenizer

    answer = tf.saved_model.load(os.fspath(path)).signatures["serving_default"]
    return [text.decode() for text in answer(text=tf.constant(texts))["text"].numpy()]


def ask_litert(path: str | os.PathLike, texts: Sequence[str]) -> list[str]:
    """The outputs of a LiteRT file; requires ai-edge-litert and tensorflow-text."""
    import numpy as np
    from ai_edge_litert.interpreter import InterpreterWithCustomOps
    from tensorflow_text import tflite_registrar

    interpreter = InterpreterWithCustomOps(
        custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS, model_path=os.fspath(path)
    )
    answer = interpreter.get_signature_runner("serving_default")
    encoded = np.array([text.encode() for text in texts], object)
    return [text.decode() for text in answer(text=encoded)["text"]]
