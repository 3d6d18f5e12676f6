"""The captioner against NumPy float64, its backbones, and their weights."""

import inspect

import h5py
import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import recurrent as oracles
from zoo.errors import UserError
from zoo.models.backbones import APPLICATIONS, create_backbone, load_backbone, prepare
from zoo.models.captioner import Captioner
from zoo.models.create import create_model
from zoo.training.weights import save_weights

V, E, U, T = 23, 13, 17, 5
SIZE = [12, 20]


def make(**options):
    """A small model whose weights are drawn anew, so that none is zero or one."""
    settings = {"filters": [5, 7], "embedding_dim": E, "units": U, **options}
    model = Captioner(V, SIZE, 3, **settings)
    for number, weight in enumerate(model.weights):
        drawn = 0.3 * np.random.default_rng(number).normal(size=weight.shape)
        positive = weight.path.endswith(("gamma", "variance"))
        weight.assign(1 + drawn**2 if positive else drawn)
    return model


def batch(rows=3):
    random = np.random.default_rng(7)
    mask = np.arange(T) < np.array([5, 3, 1])[:rows, None]
    ids = np.where(mask, random.integers(4, V, (rows, T)), 0).astype("int32")
    images = random.uniform(0, 255, (rows, *SIZE, 3)).astype("float32")
    return {"image": images, "target_ids": ids, "target_mask": mask}


def tensors(inputs):
    return keras.tree.map_structure(ops.convert_to_tensor, inputs)


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


def test_outputs_are_those_of_the_formulas():
    model, x = make(), batch()
    grid = ops.convert_to_numpy(model.backbone(x["image"] / 255.0)).astype("float64")
    assert grid.shape == (3, 3, 5, 7) and model.grid == (3, 5)
    memory = grid.reshape(3, 15, 7)
    states = []
    for bridge in model.bridges:
        kernel, bias = weights_of(bridge)
        states.append(np.tanh(memory.mean(axis=1) @ kernel + bias))
    step = oracles.attending(
        oracles.lstm,
        weights_of(model.decoder),
        memory,
        np.ones((3, 15), bool),
        "bahdanau",
        "additive",
        gate=True,
        deep_output=True,
    )
    (table,) = weights_of(model.target_embedding)
    words, mask = table[x["target_ids"]], x["target_mask"]
    outputs, _, maps = oracles.run(step, words, [*states, np.zeros((3, E))], mask)
    kernel, bias = weights_of(model.head)
    actual = model(tensors(x))
    np.testing.assert_allclose(actual["logits"], outputs @ kernel + bias, atol=1e-5)
    np.testing.assert_allclose(actual["attention"], maps.sum(axis=1), atol=1e-5)
    np.testing.assert_allclose(ops.sum(actual["attention"], axis=1), [5, 3, 1], rtol=1e-5)
    (shown,) = model.attention_maps(tensors(x))["cross"]
    np.testing.assert_allclose(shown[:, 0], maps, atol=1e-5)


def test_steps_are_the_whole_pass():
    model, x = make(), tensors({**batch(), "target_mask": np.ones((3, T), bool)})
    whole = model(x)["logits"]
    state = model.initial_state(model.encode(x), T)
    for t in range(T):
        logits, state = model.step(x["target_ids"][:, t], state)
        np.testing.assert_allclose(logits, whole[:, t], atol=5e-6)


def test_its_config_and_presets():
    model = make(dropout=0.25)
    again = Captioner.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(
        again(tensors(batch()))["logits"], model(tensors(batch()))["logits"], atol=1e-6
    )
    sizes = {"vocabulary_size": V, "image_size": [32, 32], "channels": 3}
    assert create_model("captioner", "tiny", **sizes).grid == (2, 2)


def test_dropout_acts_in_training_only():
    model, x = make(dropout=0.5), tensors(batch())
    plain = make()(x)["logits"]
    np.testing.assert_allclose(model(x)["logits"], plain, atol=1e-6)
    one, other = (ops.convert_to_numpy(model(x, training=True)["logits"]) for _ in range(2))
    assert np.abs(one - other).max() > 1e-3


class TestBackbones:
    def test_the_names_are_those_of_keras(self):
        members = inspect.getmembers(keras.applications, inspect.isfunction)
        assert {name for name, _ in members} == set(APPLICATIONS)
        for module in set(APPLICATIONS.values()):
            assert callable(getattr(keras.applications, module).preprocess_input)

    @pytest.mark.parametrize(
        ("name", "width"),
        [
            ("EfficientNetLite0", 1280),
            ("MobileNetV2", 1280),
            pytest.param("VGG16", 512, marks=pytest.mark.thorough),
            pytest.param("EfficientNetB0", 1280, marks=pytest.mark.thorough),
            pytest.param("ResNet50V2", 2048, marks=pytest.mark.thorough),
        ],
    )
    def test_an_application(self, name, width):
        model = Captioner(V, [33, 64], 3, backbone=name, embedding_dim=E, units=U)
        assert model.backbone.outputs[0].shape[-1] == width and model.grid[1] == 2
        image = np.full((1, 33, 64, 3), 127.5, "float32")
        actual = model(tensors({**batch(1), "image": image}))
        assert np.isfinite(actual["logits"]).all()

    def test_pixels_are_prepared_as_the_backbone_was_trained(self):
        image = np.array([[[[0.0, 127.5, 255.0]]]], "float32")
        np.testing.assert_allclose(prepare("conv", image), image / 255)
        np.testing.assert_allclose(prepare("MobileNetV2", image.copy()), [[[[-1, 0, 1]]]])
        caffe = [[[[255 - 103.939, 127.5 - 116.779, -123.68]]]]
        np.testing.assert_allclose(prepare("VGG16", image.copy()), caffe, rtol=1e-5)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"backbone": "MobilNet"},
                "unknown backbone 'MobilNet'; did you mean MobileNet. Choose from conv, Eff",
            ),
            ({"backbone": "os.system"}, "unknown backbone 'os.system'"),
            ({"backbone": "VGG16"}, "images of 20x12 pixels are too small for the backbone VGG16"),
            ({"filters": [3] * 4}, "too small for the backbone conv .4 pools need at least 16x16"),
            ({"filters": []}, "filters must be a list of numbers"),
            ({"filters": [3, 0]}, "filters must be positive integers"),
        ],
    )
    def test_what_does_not_suit(self, options, message):
        with pytest.raises(UserError, match=message):
            make(**options)

    def test_gray_images(self):
        with pytest.raises(UserError, match="MobileNetV2 takes color images: choose --channels 3"):
            create_backbone("MobileNetV2", [32, 32], 1, [])

    def test_frozen_it_keeps_its_statistics(self):
        model, x = make(), tensors(batch())
        moving = [w for w in model.backbone.weights if "moving" in w.path]
        before = [np.array(w) for w in moving]
        model.backbone.trainable = False
        model(x, training=True)
        assert all(np.array_equal(a, b) for a, b in zip(before, moving, strict=True))
        model.backbone.trainable = True
        model(x, training=True)
        assert not any(np.array_equal(a, b) for a, b in zip(before, moving, strict=True))


class TestWeights:
    def test_they_are_loaded(self, tmp_path):
        one, other = make(), make()
        save_weights(one.backbone, tmp_path / "a.weights.h5")
        for weight in other.backbone.weights:
            weight.assign(weight + 1)
        load_backbone(other.backbone, tmp_path / "a.weights.h5")
        for a, b in zip(one.backbone.weights, other.backbone.weights, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_files_that_are_refused(self, tmp_path):
        model, path = make(), tmp_path / "a.weights.h5"

        def refused(path, message):
            with pytest.raises(UserError, match=message):
                load_backbone(model.backbone, path)

        refused(path, "a.weights.h5 is missing")
        refused(tmp_path / "a.keras", "expected a file of weights, .weights.h5 or .h5")
        path.write_bytes(b"not a file of weights")
        refused(path, "a.weights.h5 is damaged")
        save_weights(make(filters=[5, 11]).backbone, path)
        refused(path, "does not fit this model")
        for name in "bc":
            save_weights(model.backbone, tmp_path / f"{name}.weights.h5")
        path = tmp_path / "b.weights.h5"
        with h5py.File(path, "a") as file:
            del file["layers/conv2d"]
            file["layers/conv2d"] = h5py.ExternalLink("c.weights.h5", "layers/conv2d")
        refused(path, "b.weights.h5 is damaged .*is a link")
