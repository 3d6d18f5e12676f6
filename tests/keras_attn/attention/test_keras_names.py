"""The methods of attention and recurrent layers take what those of Keras take."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import RNN, Attention, GraphAttention, MultiHeadAttention

QUERY, VALUE, KEY = (2, 3, 4), (2, 5, 6), (2, 5, 4)
X = {"query": np.ones(QUERY), "value": np.ones(VALUE), "key": np.ones(KEY)}


def test_the_mask_of_the_query_is_passed_on():
    mask = np.array([[True, True, False], [True, False, False]])
    layer = Attention()
    for given in ([mask, None], [mask, np.ones((2, 5), bool)], mask):
        actual = layer.compute_mask(inputs=[X["query"], X["value"]], mask=given)
        np.testing.assert_array_equal(ops.convert_to_numpy(actual), mask)
    assert layer.compute_mask(inputs=[X["query"], X["value"]], mask=[None, mask]) is None
    assert layer.compute_mask([X["query"], X["value"]]) is None


def test_shapes_by_the_name_of_keras():
    layer = Attention(use_scale=True)
    assert layer.compute_output_shape(input_shape=[QUERY, VALUE, KEY]) == (2, 3, 6)
    assert layer.compute_output_shape([QUERY, VALUE, KEY]) == (2, 3, 6)
    layer.build(input_shape=[QUERY, VALUE, KEY])
    assert [w.path.rsplit("/", 1)[-1] for w in layer.weights] == ["scale"]
    again = Attention.from_config(layer.get_config())
    again.build_from_config(layer.get_build_config())
    assert len(again.weights) == 1
    symbols = [keras.KerasTensor(shape) for shape in (QUERY, VALUE, KEY)]
    for spec in (
        layer.compute_output_spec(inputs=symbols, return_attention_scores=True),
        layer.compute_output_spec(symbols, None, False, True),
        layer.compute_output_spec(*symbols, return_attention_scores=True),
    ):
        assert [tuple(x.shape) for x in spec] == [(2, 3, 6), (2, 3, 5)]


@pytest.mark.parametrize("shapes", [[QUERY], [QUERY, VALUE, KEY, KEY], QUERY, [], None])
@pytest.mark.parametrize("method", ["build", "compute_output_shape"])
def test_another_number_of_shapes_is_refused(method, shapes):
    with pytest.raises(ValueError, match="input_shape must be a list of two or three shapes"):
        getattr(Attention(), method)(input_shape=shapes)


def test_the_shape_of_an_output_that_a_call_refuses_is_refused():
    with pytest.raises(ValueError, match="query and key must have equal widths .* 4 and 6"):
        Attention().compute_output_shape(QUERY, VALUE)


@pytest.mark.parametrize(
    ("args", "mask", "received"),
    [
        ((X["query"],), None, "the layer must be called .* received a ndarray"),
        (([X["query"]],), None, "the layer must be called .* received a list of length 1"),
        (([X["query"]] * 4,), None, "the layer must be called .* received a list of length 4"),
        (([X["query"]] * 2,), np.ones((2, 3)), "the layer mask must be .* received a ndarray"),
        (([X["query"]] * 2,), [None], "the layer mask must be .* received a list of length 1"),
    ],
)
def test_lists_of_another_length(args, mask, received):
    with pytest.raises(ValueError, match=rf"^{received}\.$"):
        Attention()(*args, **({} if mask is None else {"mask": mask}))


@pytest.mark.parametrize("layer", [Attention(), MultiHeadAttention(2, 3)])
@pytest.mark.parametrize("key", [(2, 1, 4), (2, 5, 5, 4), (2,)])
def test_keys_that_do_not_fit_the_values(layer, key):
    said = r"^value and key must be equal in all axes but the last; received the shapes .*\.$"
    with pytest.raises(ValueError, match=said):
        layer.compute_output_shape(QUERY, VALUE, key)
    assert layer.compute_output_shape(QUERY, VALUE, (2, None, 4))[:2] == (2, 3)


@pytest.mark.parametrize("size", [0, -2, 1.5, 8.0, True, "3", (3, 0), (3, 1.5)])
@pytest.mark.parametrize("name", ["num_heads", "key_dim", "value_dim", "output_shape"])
def test_sizes_that_are_no_positive_integers(name, size):
    if isinstance(size, tuple) and name != "output_shape":
        size = size[1]
    with pytest.raises(ValueError, match=rf"^{name} must be a positive integer; received "):
        MultiHeadAttention(**({"num_heads": 2, "key_dim": 3} | {name: size}))


def test_sizes_of_numpy():
    layer = MultiHeadAttention(np.int64(2), np.int32(3), output_shape=np.int64(5))
    assert layer.compute_output_shape(QUERY, QUERY) == (2, 3, 5)
    with pytest.raises(ValueError, match=r"^units must be a positive integer; received 1\.5\.$"):
        GraphAttention(1.5)


def test_outputs_have_the_dtype_of_the_layer():
    cells = [keras.layers.SimpleRNNCell(4, dtype="float32")]
    layer = RNN(cells, return_sequences=True, return_state=True, dtype="mixed_float16")
    outputs = keras.tree.flatten(layer(np.ones((2, 3, 5), "float32")))
    assert {keras.backend.standardize_dtype(y.dtype) for y in outputs} == {"float16"}
