"""A tokenizer's program as a LiteRT file of its own."""

import tempfile

import tensorflow as tf

from zoo.text.tokenizer import Tokenizer


def converted(tokenizer: Tokenizer, rows: int | None = None, length: int | None = None) -> bytes:
    """The file, with built-in operators only; see `Program.module`."""
    module, signatures = tokenizer.program.module(rows, length)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        return converter.convert()
