"""What blocks compute in another way on a GPU, computed on whatever device JAX has here."""

import keras
import numpy as np
import pytest

from keras_attn import DecoderBlock, EncoderBlock, FeedForward, gpu
from keras_attn.attention.cudnn import causal_mask_suffices
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.right_padding import right_padding
from tests.gradients import value_and_gradient
from tests.oracles import blocks as oracle

if keras.backend.backend() != "jax":
    pytest.skip("GPUs are for JAX", allow_module_level=True)

import jax
from jax._src.ad_checkpoint import saved_residuals

B, T, D, F = 3, 7, 22, 53
LENGTHS = np.array([T, 4, 1])
AT_END = np.arange(T) < LENGTHS[:, None]


@pytest.fixture
def on_cpu(monkeypatch):
    monkeypatch.setattr(gpu, "compute_capability", lambda: 0.0)


@pytest.fixture
def on_gpu(monkeypatch):
    monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def jitter(layer):
    for number, weight in enumerate(layer.trainable_variables):
        weight.assign_add(0.3 * draw(*weight.shape, seed=number))
    return layer


def gradients(layer, *inputs, **options):
    """A weighted sum of the output, and its gradients for weights and inputs."""
    others = [each.value for each in layer.non_trainable_variables]

    def loss(weights, inputs):
        y, _ = layer.stateless_call(weights, others, *inputs, **options)
        return (y.astype("float32") * draw(*y.shape, seed=5)).sum()

    weights = [each.value for each in layer.trainable_variables]
    return jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(weights, inputs)


def normalized(x, epsilon, monkeypatch):
    """What the layer gives for x in bfloat16, and the oracle."""
    x = np.asarray(keras.ops.cast(x, "bfloat16"), "float64")
    layer = LayerNormalization(epsilon=epsilon, dtype="mixed_bfloat16")
    layer.build(x.shape)
    jitter(layer)
    # Keras's layer, which differs in rounding alone, would pass as well.
    monkeypatch.setattr(keras.layers.LayerNormalization, "call", None)
    actual = np.asarray(layer(keras.ops.cast(x, "bfloat16")), "float64")
    gamma, beta = (np.asarray(each, "float64") for each in layer.weights)
    return actual, oracle.layer_norm(x, gamma, beta, epsilon)


@pytest.mark.parametrize("offset", [0.5, 40.0])
def test_normalization_in_bfloat16_equals_the_oracle(on_gpu, monkeypatch, offset):
    actual, expected = normalized(draw(B, T, D) * 3 + offset, 1e-5, monkeypatch)
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=2**-8, atol=0.01)


def test_normalization_of_equal_numbers(on_gpu, monkeypatch):
    """Of seven, the mean of the squares may be less than the square of the mean."""
    x = np.repeat(9 * draw(200, 1), 7, axis=1)
    actual, _ = normalized(x, 1e-12, monkeypatch)
    assert np.isfinite(actual).all()


def test_the_gradient_of_the_normalization_equals_differences(on_gpu):
    layer = LayerNormalization(epsilon=1e-3, dtype="mixed_bfloat16")
    layer.build((B, D))
    jitter(layer)
    gamma, beta = (np.asarray(each, "float64") for each in layer.weights)
    x = np.asarray(keras.ops.cast(draw(B, D) + 0.3, "bfloat16"), "float64")
    upstream = np.asarray(keras.ops.cast(draw(B, D, seed=2), "bfloat16"), "float64")

    def value(x, gamma, beta):
        return (oracle.layer_norm(x, gamma, beta, 1e-3) * upstream).sum()

    def differences(function, x):
        steps = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = 1e-5
            steps[index] = (function(x + step) - function(x - step)) / 2e-5
        return steps

    def loss(weights, x):
        y, _ = layer.stateless_call(weights, [], x)
        return (y.astype("float32") * upstream.astype("float32")).sum()

    weights = [each.value for each in layer.weights]
    of_weights, of_x = jax.grad(loss, argnums=(0, 1))(weights, keras.ops.cast(x, "bfloat16"))
    of_x = np.asarray(of_x, "float64")
    np.testing.assert_allclose(
        of_x, differences(lambda x: value(x, gamma, beta), x), rtol=2**-7, atol=0.004
    )
    expected = differences(lambda gamma: value(x, gamma, beta), gamma)
    np.testing.assert_allclose(of_weights[0], expected, rtol=1e-4, atol=1e-4)
    expected = differences(lambda beta: value(x, gamma, beta), beta)
    np.testing.assert_allclose(of_weights[1], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "float32"},
        {"dtype": "mixed_bfloat16", "axis": 1},
        {"dtype": "mixed_bfloat16", "center": False},
        {"dtype": "mixed_bfloat16", "scale": False},
        {"dtype": "mixed_bfloat16"},  # of a float32 input
    ],
)
def test_other_normalizations_are_those_of_keras(on_gpu, options):
    x = draw(B, T, D) + 100.0
    actual, expected = (
        layer(**options)(x) for layer in (LayerNormalization, keras.layers.LayerNormalization)
    )
    np.testing.assert_array_equal(actual, expected)
    assert actual.dtype == expected.dtype


@pytest.mark.parametrize("policy", ["bfloat16", "mixed_bfloat16"])
def test_gradients_have_the_dtypes_of_the_weights(on_gpu, policy):
    layer = LayerNormalization(dtype=policy)
    layer.build((B, D))
    weights = [each.value for each in layer.weights]
    x = keras.ops.cast(draw(B, D), "bfloat16")
    actual = jax.grad(lambda *of: layer.stateless_call(of[0], [], of[1])[0].sum(), (0, 1))(
        weights, x
    )
    assert jax.tree.map(lambda each: each.dtype, actual) == jax.tree.map(
        lambda each: each.dtype, (weights, x)
    )


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "glu"])
def test_recomputed_activations_give_the_same_gradients(on_cpu, monkeypatch, activation):
    layer, x = FeedForward(F, activation), draw(B, T, D)
    layer.build(x.shape)
    jitter(layer)
    expected = gradients(layer, x)
    monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5),
        gradients(layer, x),
        expected,
    )


def kept(layer, x):
    """The shapes of what the gradient needs, besides arguments."""

    def loss(weights, x):
        return layer.stateless_call(weights, [], x)[0].sum()

    actual = saved_residuals(loss, [each.value for each in layer.trainable_variables], x)
    return [each.shape for each, why in actual if "argument" not in why]


def test_of_the_hidden_layer_only_products_are_kept(on_cpu, monkeypatch):
    layer, x = FeedForward(F, "gelu_tanh"), draw(B, T, D)
    layer.build(x.shape)
    numbers = B * T * F
    assert sum(np.prod(shape) == numbers for shape in kept(layer, x)) > 3
    monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)
    # The product before the activation, and the input of the next one.
    assert sum(np.prod(shape) == numbers for shape in kept(layer, x)) == 2


def block_of(kind):
    return (EncoderBlock if kind == "encoder" else DecoderBlock)(2, F, pre_norm=True)


def inputs_of(kind):
    return (draw(B, T, D),) if kind == "encoder" else (draw(B, T, D), draw(B, 5, D, seed=3))


def in_and_out_of_the_promise(kind, *inputs, **options):
    """The outputs of a block for padded sequences, without and within `right_padding()`."""
    block = block_of(kind)
    block.build(*(x.shape for x in inputs))
    jitter(block)
    options["padding_mask"] = AT_END
    if kind == "encoder":
        options["use_causal_mask"] = True
    expected = np.asarray(block(*inputs, **options))
    with right_padding():
        return np.asarray(block(*inputs, **options)), expected


ANY = np.random.default_rng(3).random((B, T, T)) > 0.5
MASKS = {
    "encoder": ("encoder", {}),
    "encoder, any mask": ("encoder", {"attention_mask": ANY}),
    "decoder": ("decoder", {}),
    "decoder, memory": ("decoder", {"memory_mask": np.arange(5) < LENGTHS[:, None] - 1}),
}


@pytest.mark.parametrize("masks", MASKS)
def test_a_causal_mask_alone_gives_the_same_where_there_is_no_padding(on_gpu, masks):
    kind, options = MASKS[masks]
    actual, expected = in_and_out_of_the_promise(kind, *inputs_of(kind), **options)
    np.testing.assert_allclose(actual[AT_END], expected[AT_END], rtol=1e-5, atol=1e-5)
    assert np.isfinite(actual).all()
    assert not np.allclose(actual[~AT_END], expected[~AT_END], atol=1e-3)  # padding is not masked


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_in_the_padding_reaches_nothing(on_gpu, kind, number):
    x, *others = inputs_of(kind)
    x = np.where(AT_END[..., None], x, number)
    actual, expected = in_and_out_of_the_promise(kind, x, *others)
    assert np.isfinite(actual[AT_END]).all()
    np.testing.assert_allclose(actual[AT_END], expected[AT_END], rtol=1e-5, atol=1e-5)


def test_when_a_causal_mask_suffices(on_cpu, monkeypatch):
    assert not causal_mask_suffices(True)
    with right_padding():
        assert not causal_mask_suffices(True)
        monkeypatch.setattr(gpu, "compute_capability", lambda: 9.0)
        assert causal_mask_suffices(True)
        assert not causal_mask_suffices(False)
    assert not causal_mask_suffices(True)


def test_without_a_causal_mask_padding_stays_masked(on_gpu):
    block, x = block_of("encoder"), draw(B, T, D)
    block.build(x.shape)
    jitter(block)
    changed = np.where(AT_END[..., None], x, 9.0)
    with right_padding():
        actual = [np.asarray(block(each, padding_mask=AT_END))[AT_END] for each in (x, changed)]
    np.testing.assert_array_equal(*actual)
    _, gradient = value_and_gradient(
        lambda x: block(x, padding_mask=AT_END)[:, 0].sum(), x.astype("float32")
    )
    assert not gradient[~AT_END].any() and gradient[AT_END].any()
