"""The command `bench`: what it measures, and the table that it prints."""

import json

import keras
import numpy as np
import pytest

from tests.zoo.test_cli import refused, run
from zoo.bench import models
from zoo.bench.layers import layers
from zoo.cli import benching
from zoo.registry import MODELS


@pytest.mark.long
def test_every_part_runs_and_writes_its_times(tmp_path):
    path = tmp_path / "times.json"
    done = run("bench", "--quick", "--out", path)
    assert done.exit_code == 0, done.output
    report = json.loads(path.read_text())
    names = [each["name"] for each in report["results"]]
    for name in ("LSTM", "GRU", "MultiHeadAttention", *MODELS):
        assert any(each.startswith(name) for each in names), name
    written = [each for each in report["results"] if "texts of 5 tokens" in each["name"]]
    assert len(written) == 4
    for each in written:
        assert {*each["contenders"]} == {"Keras", "SavedModel", "LiteRT", "LiteRT, int8"}
    assert len(done.stdout.splitlines()) == 4 + sum(len(r["contenders"]) for r in report["results"])
    assert report["quick"] and report["machine"]["cores"] >= 1


@pytest.mark.parametrize("name", ["gat", "transformer", "stn_classifier"])
def test_a_model_is_trained_on_inputs_of_its_shapes(name):
    model = models.smallest(name)
    before = [np.array(weight) for weight in model.trainable_weights]
    batches = models.Batches(model, 2, 8, 1)
    models._fit(model, batches)()
    after = [np.array(weight) for weight in model.trainable_weights]
    changed = [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)]
    assert np.mean(changed) > 0.5 and all(np.isfinite(each).all() for each in after)


@pytest.mark.thorough
def test_a_part_writes_its_times(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "MODELS", {name: MODELS[name] for name in ("gat", "bert")})
    path = tmp_path / "times.json"
    done = run("bench", "models", "--quick", "--out", path)
    assert done.exit_code == 0, done.output
    report = json.loads(path.read_text())
    assert [each["name"].split(",")[0] for each in report["results"]] == ["gat", "bert"]
    assert len(done.stdout.splitlines()) == 4 + sum(len(r["contenders"]) for r in report["results"])


def test_layers_are_measured_beside_those_of_keras(monkeypatch):
    monkeypatch.setattr("zoo.bench.layers._choices", lambda: (False,))
    found = list(layers(2, 3, 8, 1))
    assert len(found) == 6
    for result in found:
        assert {"keras-attn", "keras.layers"} <= {*result.seconds}
        ours, theirs = (result.seconds[name][0] for name in ("keras-attn", "keras.layers"))
        ratio = result.ratios["keras.layers / keras-attn, each at its best"]
        assert ratio == pytest.approx(theirs / ours)
    assert keras.backend.backend() == "tensorflow"


def test_what_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(benching, "_results", lambda parts, quick: iter(()))
    assert "unknown part 'layer'; did you mean layers?" in refused("bench", "layer")
    assert "is no folder" in refused("bench", "--out", tmp_path / "a" / "b.json")
    done = run("bench", "models", "--json")
    assert json.loads(done.stdout)["results"] == []
