"""BART against NumPy float64, and its sizes against the published checkpoints."""

import numpy as np
import pytest

from tests.oracles import blocks
from tests.zoo.models.families import batch, make, run
from tests.zoo.models.test_models import built_without_weights
from tests.zoo.models.test_transformer import of_layer

EPSILON = 1e-5
VOCABULARY = 50265


@pytest.mark.thorough
@pytest.mark.parametrize(
    # The checkpoints have two more rows in each table of positions, and count no bias of logits.
    ("preset", "published", "width"),
    [("base", 139_420_416, 768), ("large", 406_291_456, 1024)],
)
def test_the_published_sizes(preset, published, width):
    model = built_without_weights("bart", preset, vocabulary_size=VOCABULARY)
    assert model.count_params() == published - 2 * 2 * width + VOCABULARY


def test_logits_are_those_of_the_formulas():
    model, x = make("bart", num_layers=2, num_decoder_layers=1), batch()
    (table,) = of_layer(model, "embedding")

    def enter(side):
        (positions,) = of_layer(model, f"{side}_positions")
        ids = x[f"{side}_ids"]
        embedded = table[ids] + positions[: ids.shape[1]]
        return blocks.layer_norm(embedded, *of_layer(model, f"{side}_norm"), EPSILON)

    how = {"activation": "gelu", "epsilon": EPSILON}
    memory = enter("source")
    seen = np.broadcast_to(x["source_mask"][:, None], (3, 7, 7))
    for i in range(2):
        memory = blocks.encoder_block(of_layer(model, f"encoder_{i}"), memory, seen, **how)
    weights, masks = of_layer(model, "decoder_0"), (x["target_mask"], x["source_mask"])
    y = blocks.decoder_block(weights, enter("target"), memory, *masks, **how)
    expected = y @ table.T + of_layer(model, "logits_bias")[0]
    np.testing.assert_allclose(run(model, x), expected, atol=2e-5)


def test_layer_groups_are_all_but_the_bias_of_the_logits():
    model = make("bart", num_layers=2, num_decoder_layers=1)
    of_groups = [w.path for group in model.layer_groups for layer in group for w in layer.weights]
    every = {weight.path for weight in model.weights}
    assert len(model.layer_groups) == 1 + 2 + 1 and every - set(of_groups) == {"logits_bias/bias"}
    assert len(of_groups) == len(set(of_groups))
