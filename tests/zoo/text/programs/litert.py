"""A tokenizer's program as a LiteRT file of its own."""

import tempfile
from collections.abc import Callable

import tensorflow as tf

from zoo.text.tokenizer import Tokenizer


def converted(tokenizer: Tokenizer, sizes: tuple[int | None, int | None] = (None, None)) -> bytes:
    """The file, with built-in operators only, and the signatures "encode" and "decode".

    Args:
        tokenizer: The tokenizer.
        sizes: Number of rows, and of bytes and ids; None if they are dynamic.
    """
    program = tokenizer.program()
    rows, length = sizes
    numbers = tf.TensorSpec([rows, length], tf.int32)

    def encode(text_bytes, lengths):  # type: ignore[no-untyped-def]  # of a signature
        ids, counts = program.encode(text_bytes, lengths, length)
        return {"ids": ids, "counts": counts}

    def decode(ids):  # type: ignore[no-untyped-def]  # of a signature
        text_bytes, lengths = program.decode(ids, length=length)
        return {"text_bytes": text_bytes, "lengths": lengths}

    functions: dict[str, tuple[Callable, list[tf.TensorSpec]]] = {
        "encode": (encode, [numbers, tf.TensorSpec([rows], tf.int32)]),
        "decode": (decode, [numbers]),
    }
    module = tf.Module()
    signatures = {}
    for name, (function, specs) in functions.items():
        traced = tf.function(function, input_signature=specs, autograph=False)
        setattr(module, name, traced)
        signatures[name] = traced
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        return converter.convert()
