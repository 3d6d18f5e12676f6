"""Frozen layer groups stay; the others learn at rates of their own, for as long as asked for."""

import keras
import numpy as np
import pytest

import zoo
from zoo.errors import UserError
from zoo.training.layerwise import freeze, layer_rates

ROWS = [("a fine film", "good"), ("a dull one", "bad"), ("fine", "good"), ("dull", "bad")]


@pytest.fixture(scope="module")
def task():
    task = zoo.TextClassifier(
        "bert", "tiny", hidden_dim=8, num_heads=2, intermediate_dim=11, num_layers=2, max_length=7
    )
    task.adapt(ROWS)
    return task


def changed(task, **options):
    before = {weight.path: keras.ops.convert_to_numpy(weight) for weight in task.model.weights}
    task.fit(ROWS, epochs=1, xla=False, verbose=False, **options)
    return {
        weight.path
        for weight in task.model.weights
        if not np.array_equal(before[weight.path], keras.ops.convert_to_numpy(weight))
    }


@pytest.mark.long
def test_frozen_layer_groups_stay_and_learn_again_when_they_are_freed(task):
    moved = changed(task, freeze=2, weight_decay=0.1)
    assert {path.split("/")[0] for path in moved} == {"block_1", "pooler", "logits"}
    assert task.training["freeze"] == 2
    moved = changed(task)
    assert {"embedding", "positions", "block_0"} < {path.split("/")[0] for path in moved}


def test_rates_fall_from_group_to_group(task):
    rates = layer_rates(task.model, 0.5)
    by_layer = {path.split("/")[0]: rate for path, rate in rates.items()}
    embedded = dict.fromkeys(("embedding", "segment_embedding", "positions", "norm"), 0.125)
    assert by_layer == {**embedded, "block_0": 0.25, "block_1": 0.5}
    assert layer_rates(task.model, 1.0) == {}


def test_mistakes_are_named(task):
    with pytest.raises(UserError, match="freeze must be from 0 to 3 for bert_text_c.*, got 4"):
        freeze(task.model, 4)
    with pytest.raises(UserError, match="layer_decay must be above 0 and at most 1, got 0"):
        layer_rates(task.model, 0)
    plain = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)], name="plain")
    freeze(plain, 0)
    with pytest.raises(UserError, match="freeze is for models with layer groups, .* plain has"):
        freeze(plain, 1)
    message = (
        "fit of text-classifier has no option 'batch'; choose from epochs, .*, batch_tokens, "
        "label_smoothing, folder, resume, .*, verbose$"
    )
    with pytest.raises(UserError, match=message):
        task.fit(ROWS, batch=3)
    with pytest.raises(
        UserError, match="schedule must be one of cosine, linear, noam, constant, got 'step"
    ):
        task.fit(ROWS, schedule="step")
