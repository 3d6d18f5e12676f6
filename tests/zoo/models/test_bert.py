"""The bidirectional encoder against NumPy float64, and against the paper's sizes."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.oracles import blocks
from tests.zoo.models.test_models import built_without_weights
from zoo.models.create import create_model
from zoo.text.special_tokens import END, START

VOCABULARY = 23
SIZES = {
    "vocabulary_size": VOCABULARY,
    "num_layers": 2,
    "hidden_dim": 14,
    "num_heads": 2,
    "intermediate_dim": 13,
    "max_length": 11,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}


def make(**config):
    """Its weights drawn anew so that none is zero or one."""
    model = create_model("bert", **{**SIZES, **config})
    for number, weight in enumerate(model.trainable_weights):
        drawn = 0.35 * np.random.default_rng(number).normal(size=weight.shape)
        weight.assign(drawn + (1.0 if "gamma" in weight.path else 0.0))
    return model


def batch():
    """Three rows of unequal lengths; the first two are pairs."""
    ids = np.random.default_rng(1).integers(END + 1, VOCABULARY, (3, 9)).astype("int32")
    ids[:, 0] = START
    for row, (first, last) in enumerate([(3, 8), (2, 6), (4, 4)]):
        ids[row, [first, last]] = END
        ids[row, last + 1 :] = 0
    mask = ids != 0
    segments = np.zeros_like(ids)
    segments[0, 4:9] = segments[1, 3:7] = 1
    return {"token_ids": ids, "padding_mask": mask, "segment_ids": segments}


def run(model, inputs):
    found = model({name: ops.convert_to_tensor(value) for name, value in inputs.items()})
    return {name: ops.convert_to_numpy(value) for name, value in found.items()}


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


def expected(model, inputs, epsilon, activation="gelu"):
    """`sequence` and `pooled` by the formulas."""
    (table,), (segments,), (positions,) = (
        weights_of(layer) for layer in (model.embedding, model.segment_embedding, model.positions)
    )
    x = table[inputs["token_ids"]] + segments[inputs["segment_ids"]] + positions[:9]
    x = blocks.layer_norm(x, *weights_of(model.norm), epsilon)
    seen = np.broadcast_to(inputs["padding_mask"][:, None, :], (3, 9, 9))
    for layer in model.blocks:
        x = blocks.encoder_block(weights_of(layer), x, seen, activation, False, epsilon)
    kernel, bias = weights_of(model.pooler)
    return x, np.tanh(x[:, 0] @ kernel + bias)


@pytest.mark.parametrize(
    ("epsilon", "activation"), [(1e-12, "gelu"), (0.03, "relu"), (1e-12, "glu")]
)
def test_pre_training_logits_are_those_of_the_formulas(epsilon, activation):
    model, inputs = make(epsilon=epsilon, activation=activation), batch()
    found, (x, pooled) = run(model, inputs), expected(model, inputs, epsilon, activation)
    (table,) = weights_of(model.embedding)
    (kernel, bias), norm = weights_of(model.transform), weights_of(model.transform_norm)
    hidden = blocks.layer_norm(blocks.ACTIVATIONS[activation](x @ kernel + bias), *norm, epsilon)
    (kernel, bias), (of_tokens,) = weights_of(model.next_sentence), weights_of(model.bias)
    oracle = {
        "sequence": x,
        "pooled": pooled,
        "mlm_logits": hidden @ table.T + of_tokens,
        "nsp_logits": pooled @ kernel + bias,
    }
    assert found.keys() == oracle.keys()
    real = inputs["padding_mask"]
    for name, value in oracle.items():
        rows = real if value.ndim == 3 else slice(None)
        np.testing.assert_allclose(found[name][rows], value[rows], atol=2e-5, err_msg=name)


def test_class_logits_are_those_of_the_formulas():
    model, inputs = make(num_classes=5), batch()
    found, (_, pooled) = run(model, inputs), expected(model, inputs, 1e-12)
    kernel, bias = weights_of(model.head)
    assert set(found) == {"logits"}
    np.testing.assert_allclose(found["logits"], pooled @ kernel + bias, atol=1e-5)


def test_what_it_takes_of_ids_alone():
    inputs = batch()
    found = make().inputs_for(ops.convert_to_tensor(inputs["token_ids"]))
    assert found.keys() == inputs.keys()
    for name, value in inputs.items():
        np.testing.assert_array_equal(ops.convert_to_numpy(found[name]), value, err_msg=name)


def test_padding_does_not_matter():
    model, inputs = make(), batch()
    whole = run(model, inputs)
    for row, length in enumerate(inputs["padding_mask"].sum(1)):
        own = run(model, {key: value[row : row + 1, :length] for key, value in inputs.items()})
        for name, value in own.items():
            part = whole[name][row, :length] if value.ndim == 3 else whole[name][row]
            np.testing.assert_allclose(part, value[0], atol=5e-6, err_msg=name)


@pytest.mark.parametrize(
    ("preset", "published"),
    # Devlin et al. 2019, section 3: "110M" and "340M"; Wang et al. 2020, table 3: 22M.
    [("base", 110e6), ("large", 340e6), ("mini_lm", 22.7e6)],
)
def test_the_papers_sizes(preset, published):
    model = built_without_weights("bert", preset, vocabulary_size=30522)
    assert abs(model.count_params() / published - 1) < 0.03


def test_the_paper_s_size_to_the_number():
    """The published checkpoint of BERT base: encoder and pooler 109,482,240."""
    model = built_without_weights("bert", "base", vocabulary_size=30522)
    heads = (model.transform, model.transform_norm, model.bias, model.next_sentence)
    of_heads = sum(layer.count_params() for layer in heads)
    assert model.count_params() - of_heads == 109_482_240


@pytest.mark.parametrize("classes", [None, 3])
def test_a_file_gives_the_same_numbers(classes, tmp_path):
    model, inputs = make(num_classes=classes), batch()
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.get_config() == model.get_config()
    for name, value in run(model, inputs).items():
        np.testing.assert_allclose(
            run(again, inputs)[name], value, rtol=1e-6, atol=5e-6, err_msg=name
        )


@pytest.mark.parametrize("classes", [None, 3])
def test_logits_are_float32_under_mixed_precision(classes):
    model = make(num_classes=classes, dtype="mixed_bfloat16")
    for name, value in model(batch()).items():
        logits = "logits" in name
        assert keras.backend.standardize_dtype(value.dtype) == ("float32" if logits else "bfloat16")
        assert model.output[name].dtype == keras.backend.standardize_dtype(value.dtype)
