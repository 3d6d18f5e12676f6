"""Runs saved tokenizers inside LiteRT: probe(batches of texts, folders) -> ids, texts, operators.

A script of its own because a crash of the interpreter ends the process; it writes a line for each
folder that it gets to.
"""

import json
import sys
import tempfile

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import InterpreterWithCustomOps
from tensorflow_text import tflite_registrar

from zoo.text import load_tokenizer

LENGTH = 1201


def convert(folder):
    tokenizer = load_tokenizer(folder)
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)], autograph=False)
    def there_and_back(texts):
        ids = tokenizer.tokenize(texts).to_tensor(shape=[None, LENGTH])
        # to_tensor's static shape stops at the longest row in LiteRT
        ids = tf.pad(ids, [[0, 0], [0, LENGTH - tf.shape(ids)[1]]])
        ids = tf.ensure_shape(ids, [None, LENGTH])
        return {"ids": ids, "texts": tokenizer.detokenize_for_litert(ids)}

    module.there_and_back = there_and_back
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(module, saved, signatures={"serving_default": there_and_back})
        converter = tf.lite.TFLiteConverter.from_saved_model(saved)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        converter.allow_custom_ops = True
        return converter.convert()


def probe(folder, batches):
    interpreter = InterpreterWithCustomOps(
        model_content=convert(folder), custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS
    )
    interpreter.allocate_tensors()
    operators = sorted({op["op_name"] for op in interpreter._get_ops_details()})
    run = interpreter.get_signature_runner("serving_default")
    results = []
    for batch in batches:
        outputs = run(texts=np.array(batch, dtype=object))
        ids = [np.trim_zeros(row, "b").tolist() for row in outputs["ids"]]
        results.append({"ids": ids, "texts": [text.decode() for text in outputs["texts"]]})
    return {"folder": folder, "operators": operators, "results": results}


if __name__ == "__main__":
    batches, *folders = sys.argv[1:]
    for folder in folders:
        print(json.dumps(probe(folder, json.loads(batches))), flush=True)
