"""Which symbolic tensors are refused; the contract has the real ones, for every export."""

import keras
import numpy as np
import pytest

from keras_attn import FeedForward


def test_a_multiple_of_a_dense_input_is_dense():
    inputs = keras.Input((None, 7))
    half = inputs * 0.5
    model = keras.Model(inputs, FeedForward(3)(half))
    assert half.sparse  # Keras says so
    assert model(np.ones((2, 3, 7), "float32")).shape == (2, 3, 7)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="sparse tensors of TensorFlow")
def test_a_sparse_input_is_refused_when_the_model_is_called():
    import tensorflow as tf

    inputs = keras.Input((3, 7), sparse=True)
    model = keras.Model(inputs, FeedForward(3)(inputs))
    with pytest.raises(ValueError, match=r"x must be a dense tensor .* received a SparseTensor\."):
        model(tf.sparse.from_dense(np.ones((2, 3, 7), "float32")))
