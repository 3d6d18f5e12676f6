"""A tokenizer's program as a LiteRT file of its own."""

import tempfile
from typing import Any

import tensorflow as tf

from zoo.own_models.tokenizer import ExportableTokenizer
from zoo.text.tokenizer import Tokenizer


def converted(tokenizer: Tokenizer, rows: int | None = None, length: int | None = None) -> bytes:
    """The file, with built-in operators only, for any sizes or for one."""
    module, sizes = tf.Module(), [rows, length]
    module.functions = {
        name: tf.function(each.infer, autograph=False).get_concrete_function(
            **{key: spec(key, each, sizes) for key in each.inputs}
        )
        for name, each in ExportableTokenizer(tokenizer).export_parts().signatures.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=dict(module.functions))
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        return converter.convert()


def spec(key: str, signature: Any, sizes: list[int | None]) -> tf.TensorSpec:
    return tf.TensorSpec(sizes[: len(signature.inputs[key].shape)], tf.int32, name=key)
