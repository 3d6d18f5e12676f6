"""What is refused as sparse is sparse, whatever Keras's symbolic tensors say of themselves."""

import keras
import numpy as np
import pytest

from keras_attn import FeedForward, MultiHeadAttention


def test_a_product_with_a_constant_is_dense():
    x = keras.Input((None, 7))
    scaled = x * np.float32(2.0)
    assert scaled.sparse  # as Keras marks it
    assert MultiHeadAttention(2, 3)(scaled, scaled).shape == (None, None, 7)


def test_a_sparse_input_is_refused():
    with pytest.raises(ValueError, match="^x must be a dense tensor"):
        FeedForward(5)(keras.Input((None, 7), sparse=True))
