"""New models start from the weights that their papers and released codes draw."""

import numpy as np
import pytest
from keras import ops

from zoo.models.create import create_model

LAYERS = 3
# Wide enough that every kernel has ten thousand numbers or more.
SIZES = {
    "vocabulary_size": 211,
    "num_layers": LAYERS,
    "hidden_dim": 106,
    "num_heads": 2,
    "intermediate_dim": 211,
    "max_sequence_length": 103,
}
# Of a normal distribution that is redrawn beyond two standard deviations.
TRUNCATED = 0.8796


def matrices(name, task=None, **config):
    """The kernels and embeddings of a new model by path."""
    model = create_model(name, None, task, **{**SIZES, **config})
    actual = {weight.path: ops.convert_to_numpy(weight) for weight in model.weights}
    return {path: each for path, each in actual.items() if path.endswith(("kernel", "embeddings"))}


def assert_normal(value, stddev, path):
    tolerance = 6 / np.sqrt(2 * value.size)  # six standard errors
    np.testing.assert_allclose(value.std(), stddev, rtol=tolerance, err_msg=path)
    assert abs(value.mean()) < 6 * stddev / np.sqrt(value.size), path


def assert_all_differ(actual):
    """An initializer that two kernels share draws the same numbers for both."""
    starts = [tuple(value.ravel()[:5]) for value in actual.values()]
    assert len(set(starts)) == len(starts)


@pytest.mark.parametrize("name", ["gpt", "prefix_gpt"])
@pytest.mark.parametrize("pre_norm", [True, False])
def test_gpt(name, pre_norm):
    """Radford et al. 2018, section 4.1; Radford et al. 2019, section 2.3 for its pre-norm: N layers
    of residuals, two in each block. `GPT2PreTrainedModel._init_weights` of transformers agrees.
    """
    actual = matrices(name, pre_norm=pre_norm)
    into_residual = [path for path in actual if path.endswith("output/kernel")]
    assert len(into_residual) == 2 * LAYERS and len(actual) == 2 + 6 * LAYERS
    for path, value in actual.items():
        scaled = pre_norm and path in into_residual
        assert_normal(value, 0.02 / np.sqrt(2 * LAYERS) if scaled else 0.02, path)
    assert_all_differ(actual)


@pytest.mark.parametrize(
    ("task", "options", "heads"),
    [
        (None, {}, 1),
        ("masked-lm", {}, 3),
        ("text-classifier", {"num_classes": 211}, 2),
        ("token-tagger", {"num_classes": 211}, 2),
        ("multi-task", {"num_classes": {"mood": 211, "topic": 197}}, 3),
    ],
)
def test_bert(task, options, heads):
    """Devlin et al. 2019, `create_initializer` of the released code."""
    actual = matrices("bert", task, **options, num_segments=97)
    assert len(actual) == 3 + 6 * LAYERS + heads
    for path, value in actual.items():
        assert_normal(value, 0.02 * TRUNCATED, path)
        assert np.abs(value).max() < 0.0401
    assert_all_differ(actual)


def test_bart():
    """Lewis et al. 2020, the published checkpoints' `init_std`."""
    actual = matrices("bart")
    assert len(actual) == 3 + (6 + 10) * LAYERS
    for path, value in actual.items():
        assert_normal(value, 0.02, path)
    assert_all_differ(actual)
