"""The Elman network under the name that it has in Keras, whose files of weights it reads."""

import keras

from keras_attn.recurrent.elman import Elman
from keras_attn.recurrent.elman_cell import ElmanCell


@keras.saving.register_keras_serializable(package="keras_attn")
class SimpleRNN(Elman):
    """`Elman` by the name of the Keras layer that it replaces.

    In a `.weights.h5` file the weights of a layer are found by the name of its class. This layer
    reads those of `keras.layers.SimpleRNN`, and Keras reads those of this layer.

    Source: Elman 1990; see `ElmanCell`.
    Formula: `h_t = ElmanCell(x_t, h_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state. All further arguments are those of `Elman`.

    Inputs: `sequences` (B, T, D); `initial_state` [h (B, U)]; `mask` (B, T), True for valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h.

    Raises:
        ValueError: See `Elman`.

    Example:
        >>> from keras_attn import SimpleRNN
        >>> from keras import ops
        >>> tuple(SimpleRNN(5, return_sequences=True)(ops.ones((2, 3, 7))).shape)
        (2, 3, 5)
    """


@keras.saving.register_keras_serializable(package="keras_attn")
class SimpleRNNCell(ElmanCell):
    """`ElmanCell` by the name of the Keras cell that it replaces; see `SimpleRNN`.

    Source: Elman 1990.
    Formula: `h' = activation(x W + h U + b)`

    Args:
        units: Size U of the hidden state. All further arguments are those of `ElmanCell`.

    Inputs: `inputs` (B, D) of one step; `states` [h (B, U)].
    Outputs: h' (B, U), and the list [h'].

    Raises:
        ValueError: See `ElmanCell`.

    Example:
        >>> from keras_attn import SimpleRNNCell
        >>> from keras import ops
        >>> output, (h,) = SimpleRNNCell(5)(ops.ones((2, 7)), [ops.zeros((2, 5))])
        >>> tuple(output.shape), tuple(h.shape)
        ((2, 5), (2, 5))
    """
