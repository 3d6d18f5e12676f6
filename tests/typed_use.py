"""A program of a user, whose types `make lint` checks by mypy --strict: what public names return.

Keras itself has no types, so that calls of layers and what they return are not known to mypy.
"""

from pathlib import Path
from typing import Any, assert_type

import keras
import numpy as np

import export
import keras_attn
import zoo
from keras_attn import GRU, LSTM, EncoderBlock, MultiHeadAttention, causal_mask
from zoo.models.create import ListedModel
from zoo.tasks.task import Task
from zoo.training.history import History


def layers_in_a_functional_model(units: int) -> keras.Model:
    tokens = keras.Input((None,), dtype="int32")
    lstm = LSTM(units, return_sequences=True)
    attention = MultiHeadAttention(num_heads=2, key_dim=8, position="rotary")
    x = lstm(keras.layers.Embedding(1000, units, mask_zero=True)(tokens))
    x = attention(x, x, use_causal_mask=True)
    x = EncoderBlock(num_heads=2, intermediate_dim=32)(x)
    x = GRU(units)(x)
    assert_type(lstm, LSTM)
    assert_type(attention, MultiHeadAttention)
    assert_type(causal_mask(3), Any)
    assert_type(keras_attn.__version__, str)
    return keras.Model(tokens, keras.layers.Dense(5)(x))


def a_training(data: Path, folder: Path) -> float:
    task = zoo.TextClassifier("bert", "tiny")
    assert_type(task, zoo.TextClassifier)
    task.adapt(data)
    assert_type(task.fit(data, epochs=1, folder=folder), History)
    task.save(folder)
    scores = task.evaluate(data)
    assert_type(scores, dict[str, float])
    return scores["accuracy"]


def an_export(folder: Path, to: Path) -> bool:
    task = zoo.load(folder)
    assert_type(task, Task)
    assert_type(task.predict(["a fine film"]), list[Any])
    report = export.litert(task, to, text="bytes", quantize="int8")
    assert_type(report, export.Report)
    assert_type(report.checks, list[export.Check])
    assert_type(export.verify(to), export.Report)
    assert_type(export.Predictor(to), export.Predictor)
    try:
        export.onnx(task, to)
    except export.VerificationError as error:
        assert_type(error.report, export.Report)
    return report.passed


def the_rest(folder: str) -> None:
    assert_type(zoo.from_pretrained(folder), Task)
    assert_type(zoo.list_models(), list[ListedModel])
    try:
        zoo.CausalLM("gpt", "tiny").fit(np.zeros(3))
    except zoo.DataError as error:
        assert_type(error, zoo.DataError)
    except zoo.UserError as error:
        print(error)
