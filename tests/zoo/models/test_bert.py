"""The bidirectional encoder against NumPy float64, and against the paper's sizes."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from tests.oracles import blocks
from tests.zoo.models.test_models import built_without_weights
from zoo.models.create import create_model
from zoo.preprocessing.model_inputs import encoder_inputs
from zoo.registry import MODELS
from zoo.text.special_tokens import END, START

VOCABULARY = 23
SIZES = {
    "vocabulary_size": VOCABULARY,
    "num_layers": 2,
    "hidden_dim": 14,
    "num_heads": 2,
    "intermediate_dim": 13,
    "max_sequence_length": 11,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}


def make(task=None, **config):
    """The backbone, or a task's model, its weights drawn anew so that none is zero or one."""
    model = create_model("bert", None, task, **{**SIZES, **config})
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
    actual = model({name: ops.convert_to_tensor(value) for name, value in inputs.items()})
    return {name: ops.convert_to_numpy(value) for name, value in actual.items()}


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype("float64") for w in layer.weights]


def matches(inputs):
    """1 where a token is also in another segment of its row, else 0."""
    ids, mask, segments = (inputs[x] for x in ("token_ids", "padding_mask", "segment_ids"))
    found = np.zeros_like(ids)
    for row, position in np.ndindex(*ids.shape):
        others = ids[row][mask[row] & (segments[row] != segments[row, position])]
        found[row, position] = mask[row, position] and ids[row, position] in others
    return found


def expected(model, inputs, epsilon, activation="gelu"):
    """`sequence` and `pooled` by the formulas."""
    (table,), (positions,) = (weights_of(layer) for layer in (model.embedding, model.positions))
    x = table[inputs["token_ids"]] + positions[:9]
    if model.segment_embedding is not None:
        (segments,) = weights_of(model.segment_embedding)
        x = x + segments[inputs["segment_ids"]]
    if model.match_embedding is not None:
        (of_matches,) = weights_of(model.match_embedding)
        x = x + matches(inputs)[..., None] * of_matches
    x = blocks.layer_norm(x, *weights_of(model.norm), epsilon)
    if model.embedding_projection is not None:
        kernel, bias = weights_of(model.embedding_projection)
        x = x @ kernel + bias
    seen = np.broadcast_to(inputs["padding_mask"][:, None, :], (3, 9, 9))
    for layer in model.blocks:
        x = blocks.encoder_block(weights_of(layer), x, seen, activation, False, epsilon)
    kernel, bias = weights_of(model.pooler)
    of_pooler = {"tanh": np.tanh, **blocks.ACTIVATIONS}[model.get_config()["pooler_activation"]]
    return x, of_pooler(x[:, 0] @ kernel + bias)


@pytest.mark.parametrize("pooler_activation", ["tanh", "relu", "gelu"])
@pytest.mark.parametrize("num_segments", [0, 2])
def test_the_encoder_is_that_of_the_formulas(num_segments, pooler_activation):
    model = make(num_segments=num_segments, pooler_activation=pooler_activation)
    inputs = batch()
    actual, oracle = run(model, inputs), expected(model, inputs, 1e-12)
    for name, value in zip(("sequence", "pooled"), oracle, strict=True):
        rows = inputs["padding_mask"] if value.ndim == 3 else slice(None)
        np.testing.assert_allclose(actual[name][rows], value[rows], atol=2e-5, err_msg=name)


@pytest.mark.parametrize(
    ("epsilon", "activation", "size"),
    [(1e-12, "gelu", None), (0.03, "relu", 5), (1e-12, "glu", 17)],
)
def test_pre_training_logits_are_those_of_the_formulas(epsilon, activation, size):
    options = {"epsilon": epsilon, "activation": activation, "embedding_size": size}
    model, inputs = make("masked-lm", **options), batch()
    backbone = model.backbone
    x, pooled = expected(backbone, inputs, epsilon, activation)
    (table,) = weights_of(backbone.embedding)
    (kernel, bias), norm = weights_of(model.transform), weights_of(model.transform_norm)
    hidden = blocks.layer_norm(blocks.ACTIVATIONS[activation](x @ kernel + bias), *norm, epsilon)
    (kernel, bias), (of_tokens,) = weights_of(model.next_sentence), weights_of(model.bias)
    oracle = {
        "mlm_logits": hidden @ table.T + of_tokens,
        "nsp_logits": pooled @ kernel + bias,
    }
    actual = run(model, inputs)
    assert actual.keys() == oracle.keys()
    actual, oracle = actual | run(backbone, inputs), oracle | {"sequence": x, "pooled": pooled}
    real = inputs["padding_mask"]
    for name, value in oracle.items():
        rows = real if value.ndim == 3 else slice(None)
        np.testing.assert_allclose(actual[name][rows], value[rows], atol=2e-5, err_msg=name)


def test_tokens_of_both_texts_have_an_embedding_of_their_own():
    model, inputs = make(exact_match=True), batch()
    inputs["token_ids"][0, [2, 1]] = inputs["token_ids"][0, [6, 5]]
    real, both = inputs["padding_mask"], matches(inputs)
    assert 5 <= both[0].sum() < real[0].sum() and not both[2].any()
    x, pooled = expected(model, inputs, 1e-12)
    actual = run(model, inputs)
    np.testing.assert_allclose(actual["sequence"][real], x[real], atol=2e-5)
    np.testing.assert_allclose(actual["pooled"], pooled, atol=2e-5)
    longer = {name: np.pad(each, [(0, 0), (0, 2)]) for name, each in inputs.items()}
    np.testing.assert_allclose(run(model, longer)["sequence"][:, :9][real], x[real], atol=2e-5)


def test_class_logits_are_those_of_the_formulas():
    inputs = batch()
    text = make("text-classifier", num_classes=5)
    token = make("token-tagger", num_classes=5)
    several = make("multi-task", num_classes={"mood": 5, "topic": 3})
    real = inputs["padding_mask"]
    for model, heads in (
        (text, {"logits": text.head}),
        (token, {"logits": token.head}),
        (several, several.heads),
    ):
        actual, (x, pooled) = run(model, inputs), expected(model.backbone, inputs, 1e-12)
        features, rows = (x, real) if model is token else (pooled, slice(None))
        assert actual.keys() == heads.keys()
        for name, head in heads.items():
            kernel, bias = weights_of(head)
            oracle = features @ kernel + bias
            np.testing.assert_allclose(actual[name][rows], oracle[rows], atol=1e-5, err_msg=name)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_embeddings_are_those_of_the_formula(pooling, normalize):
    model, inputs = make("text-embedder", pooling=pooling, normalize=normalize), batch()
    x, _ = expected(model.backbone, inputs, 1e-12)
    mask = inputs["padding_mask"][..., None]
    vectors = x[:, 0] if pooling == "cls" else (x * mask).sum(1) / mask.sum(1)
    if normalize:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(run(model, inputs)["embeddings"], vectors, atol=1e-5)


@pytest.mark.parametrize(
    ("task", "outside"),
    [
        ("masked-lm", ["pooler", "masked_lm_transform", "masked_lm_norm", "next_sentence"]),
        ("text-classifier", ["pooler", "logits"]),
        ("token-tagger", ["logits"]),  # what needs no pooler has none to train
        ("text-embedder", []),
        ("multi-task", ["pooler", "mood_logits"]),
    ],
)
def test_models_for_tasks_have_the_layers_of_the_backbone(task, outside):
    model = make(task, **OPTIONS.get(task, {}))
    in_groups = [layer.name for group in model.layer_groups for layer in group]
    assert in_groups == [
        "embedding", "segment_embedding", "positions", "norm", "block_0", "block_1",
    ]  # fmt: skip
    with_weights = {layer.name for layer in model.layers if layer.weights}
    assert with_weights - {"masked_lm_bias"} == {*in_groups, *outside}
    trainable = {weight.path.split("/")[0] for weight in model.trainable_weights}
    assert trainable == with_weights


def test_what_it_takes_is_made_of_ids_alone():
    inputs = batch()
    actual = encoder_inputs(tf.constant(inputs["token_ids"]))
    assert actual.keys() == inputs.keys() == set(make().input)
    for name, value in inputs.items():
        np.testing.assert_array_equal(actual[name].numpy(), value, err_msg=name)


def test_padding_does_not_matter():
    model, inputs = make("masked-lm"), batch()
    whole = run(model, inputs)
    for row, length in enumerate(inputs["padding_mask"].sum(1)):
        own = run(model, {key: value[row : row + 1, :length] for key, value in inputs.items()})
        for name, value in own.items():
            part = whole[name][row, :length] if value.ndim == 3 else whole[name][row]
            np.testing.assert_allclose(part, value[0], atol=5e-6, err_msg=name)


@pytest.mark.thorough
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
    assert model.count_params() == 109_482_240


every_task = pytest.mark.parametrize("task", [None, *MODELS["bert"].tasks])
OPTIONS = {
    "text-classifier": {"num_classes": 3},
    "text-regressor": {"num_classes": 3},
    "text-pair-scorer": {"num_classes": 1},
    "question-answering": {"num_classes": 2},
    "token-tagger": {"num_classes": 3},
    "multi-task": {"num_classes": {"mood": 3}},
    "text-embedder": {"pooling": "cls", "normalize": False},
}


@pytest.mark.thorough
@every_task
def test_a_file_gives_the_same_numbers(task, tmp_path):
    model, inputs = make(task, **OPTIONS.get(task, {})), batch()
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert type(again) is type(model) and again.get_config() == model.get_config()
    for name, value in run(model, inputs).items():
        np.testing.assert_allclose(
            run(again, inputs)[name], value, rtol=1e-6, atol=5e-6, err_msg=name
        )


@every_task
def test_logits_are_float32_under_mixed_precision(task):
    model = make(task, **OPTIONS.get(task, {}), dtype="mixed_bfloat16")
    for name, value in model(batch()).items():
        half = "bfloat16" if name in ("sequence", "pooled") else "float32"
        assert keras.backend.standardize_dtype(value.dtype) == half
        assert model.output[name].dtype == half


def test_an_unknown_pooling():
    with pytest.raises(ValueError, match="pooling must be one of mean, cls; received 'max'"):
        make("text-embedder", pooling="max")
