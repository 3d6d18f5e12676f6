"""The Transformer against NumPy float64, and its sizes against the paper."""

import numpy as np
import pytest
from keras import ops

from tests.oracles import blocks, position
from tests.zoo.models.families import batch, make, run
from tests.zoo.models.test_models import built_without_weights


def parameters(vocabulary, width, hidden, layers):
    """Of a Transformer with one embedding: Vaswani et al. 2017, section 3."""
    attention = 4 * (width * width + width)
    feed_forward = width * hidden + hidden + hidden * width + width
    norm = 2 * width
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    return vocabulary * width + layers * (encoder + decoder)


@pytest.mark.parametrize(
    ("preset", "sizes", "least", "most"),
    [
        ("base", (512, 2048, 6), 63e6, 65e6),  # 65 million in table 3
        ("big", (1024, 4096, 6), 0.97 * 213e6, 1.03 * 213e6),  # 213 million
    ],
)
def test_the_paper_s_sizes(preset, sizes, least, most):
    vocabulary = {"source_vocabulary_size": 37000, "target_vocabulary_size": 37000}
    model = built_without_weights("transformer", preset, **vocabulary)
    assert model.count_params() == parameters(37000, *sizes)
    assert least <= model.count_params() <= most


def of_layer(model, *names):
    """The weights of layers by name, float64."""
    return [
        ops.convert_to_numpy(w).astype("float64")
        for name in names
        for w in model.get_layer(name).weights
    ]


def expected_logits(
    model, x, layers, pre_norm, activation, scheme="sinusoidal", into=None, out=None
):
    """Section 3 of the paper from embeddings to logits."""
    in_heads = (scheme, {}) if scheme in ("rotary", "alibi", "shaw") else None
    source_table, target_table = of_layer(model, "source_embedding", "target_embedding")
    width = target_table.shape[1]

    def enter(table, ids):
        x = table[ids] * np.sqrt(width)
        x = x if into is None else x @ into
        if scheme == "sinusoidal":
            return x + position.sinusoidal(ids.shape[1], x.shape[2])
        return x + of_layer(model, "positions")[0][: ids.shape[1]] if scheme == "learned" else x

    def leave(name, y):
        return blocks.layer_norm(y, *of_layer(model, name)) if pre_norm else y

    options = {"activation": activation, "pre_norm": pre_norm, "position": in_heads}
    memory = enter(source_table, x["source_ids"])
    seen = np.broadcast_to(x["source_mask"][:, None], (*x["source_ids"].shape, memory.shape[1]))
    for i in range(layers):
        memory = blocks.encoder_block(of_layer(model, f"encoder_{i}"), memory, seen, **options)
    memory = leave("encoder_norm", memory)
    y = enter(target_table, x["target_ids"])
    for i in range(layers):
        weights = of_layer(model, f"decoder_{i}")
        y = blocks.decoder_block(weights, y, memory, x["target_mask"], x["source_mask"], **options)
    y = leave("decoder_norm", y)
    return (y if out is None else y @ out) @ target_table.T


@pytest.mark.parametrize(
    ("layers", "pre_norm", "activation"),
    [(2, False, "relu"), (2, True, "gelu"), (1, False, "glu")],
)
def test_logits_are_those_of_the_paper_s_formulas(layers, pre_norm, activation):
    model = make("transformer", num_layers=layers, pre_norm=pre_norm, activation=activation)
    expected = expected_logits(model, batch(), layers, pre_norm, activation)
    np.testing.assert_allclose(run(model, batch()), expected, atol=2e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["learned", "rotary", "alibi", "shaw"])
def test_logits_with_every_position_scheme(scheme):
    model = make("transformer", num_layers=2, position=scheme)
    expected = expected_logits(model, batch(), 2, False, "relu", scheme)
    np.testing.assert_allclose(run(model, batch()), expected, atol=2e-5)
    other = run(make("transformer", num_layers=2, position="sinusoidal"), batch())
    assert np.abs(other - expected).max() > 1e-2


@pytest.mark.parametrize("size", [5, 11])
def test_embeddings_of_another_width_are_projected_on_both_sides(size):
    model = make("transformer", embedding_size=size, pre_norm=True)
    into, out = of_layer(model, "embedding_projection", "logits_projection")
    assert into.shape == (size, 8) and out.shape == (8, size)
    expected = expected_logits(model, batch(), 1, True, "relu", into=into, out=out)
    np.testing.assert_allclose(run(model, batch()), expected, atol=2e-5)


def test_an_unknown_position_lists_the_choices():
    with pytest.raises(ValueError, match="position must be one of sinusoidal, learned, rotary"):
        make("transformer", position="rotory")


def test_embeddings_begin_with_a_variance_that_the_scale_makes_one():
    from zoo.models.create import create_model

    model = create_model(
        "transformer", num_layers=1, hidden_dim=64, num_heads=2, intermediate_dim=8,
        source_vocabulary_size=500, target_vocabulary_size=500,
    )  # fmt: skip
    (table,) = of_layer(model, "target_embedding")
    assert 0.97 < table.std() * 64**0.5 < 1.03
