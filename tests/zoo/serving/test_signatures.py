"""From a preprocessor and inferences to the signatures of an artifact."""

import pytest
import tensorflow as tf

from zoo.preprocessing.base import Preprocessor, TensorSpec
from zoo.serving.inference import Inference
from zoo.serving.signatures import SERVING_DEFAULT, build_signatures

RAW = {"text": TensorSpec(("batch",), "string")}
FEATURES = {"token_ids": TensorSpec(("batch", "length"), "int32", padding=0)}


class Letters(Preprocessor):
    """A text to the numbers of its bytes."""

    inputs, features = RAW, FEATURES

    def __call__(self, text):
        return {"token_ids": tf.cast(tf.io.decode_raw(text, tf.uint8, little_endian=True), "int32")}


PURPOSES = {"tokens": "Doubles.", "attention": "Doubles, with a map.", "score": "Scores."}
MEANINGS = {"doubled": "twice the number"}
WORDS = PURPOSES, MEANINGS


def double(inputs):
    return {"doubled": 2 * inputs["token_ids"]}


def inference(**outputs):
    axes = {"doubled": ("batch", "length"), **outputs}
    return Inference(FEATURES, lambda features: features, double, axes)


def signatures(raw):
    named = {"tokens": inference(), "attention": inference(map=("batch", None))}
    return build_signatures(Letters(), named, lambda outputs, features: outputs, raw, *WORDS)


def test_with_raw_inputs_the_preprocessor_is_inside():
    actual = signatures(raw=True)
    assert list(actual) == [SERVING_DEFAULT, "tokens", "attention"]
    whole = actual[SERVING_DEFAULT]
    assert (whole.inputs, whole.features) == (RAW, FEATURES)
    assert whole.infer is actual["tokens"].infer and whole.outputs == actual["tokens"].outputs
    features = whole.preprocess(text=tf.constant(["ab"]))
    outputs = whole.postprocess(whole.infer(**features), features)
    assert outputs["doubled"].numpy().tolist() == [[194, 196]]
    assert (whole.purpose, actual["attention"].purpose) == ("Doubles.", "Doubles, with a map.")
    assert whole.meanings == actual["attention"].meanings == MEANINGS
    assert actual["attention"].preprocess is None and actual["attention"].postprocess is None


def test_without_them_the_main_inference_is_the_default():
    actual = signatures(raw=False)
    assert list(actual) == [SERVING_DEFAULT, "attention"]
    assert actual[SERVING_DEFAULT].inputs == FEATURES
    assert actual["attention"].outputs["map"] == ("batch", None)
    with pytest.raises(KeyError, match="tokens"):
        build_signatures(Letters(), {"score": inference()}, lambda x, y: x, False, *WORDS)
