"""Our layers beside the Keras layers they replace: how their signatures differ, and why."""

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import keras

import keras_attn

REPLACES: dict[type, type] = {
    keras_attn.Attention: keras.layers.Attention,
    keras_attn.Dropout: keras.layers.Dropout,
    keras_attn.Elman: keras.layers.SimpleRNN,
    keras_attn.ElmanCell: keras.layers.SimpleRNNCell,
    keras_attn.GRU: keras.layers.GRU,
    keras_attn.GRUCell: keras.layers.GRUCell,
    keras_attn.LSTM: keras.layers.LSTM,
    keras_attn.LSTMCell: keras.layers.LSTMCell,
    keras_attn.MultiHeadAttention: keras.layers.MultiHeadAttention,
    keras_attn.RMSNormalization: keras.layers.RMSNormalization,
    keras_attn.RNN: keras.layers.RNN,
    keras_attn.SimpleRNN: keras.layers.SimpleRNN,
    keras_attn.SimpleRNNCell: keras.layers.SimpleRNNCell,
}
METHODS = ("__init__", "call")


class Difference(NamedTuple):
    """One argument of a constructor or of `call` that is not as in Keras.

    `kind`: "missing" (Keras has it), "extra" (only ours has it), "other position" or "other
    default"; `ours` and `theirs` are the two positions (None: by keyword only) or defaults.
    """

    layer: str
    method: str
    argument: str
    kind: str
    ours: Any = None
    theirs: Any = None


def differences(ours: type, theirs: type) -> Iterator[Difference]:
    """Yields what differs between the constructors, and between the `call` methods, of two layers.

    The keyword-only arguments of a Keras layer may stand anywhere in ours.
    """
    for method in METHODS:
        mine, known = arguments(ours, method), arguments(theirs, method)
        for name, (place, default) in known.items():
            if name not in mine:
                yield Difference(ours.__name__, method, name, "missing", theirs=default)
                continue
            actual, value = mine[name]
            if place is not None and actual != place:
                yield Difference(ours.__name__, method, name, "other position", actual, place)
            if not same(value, default):
                yield Difference(ours.__name__, method, name, "other default", value, default)
        for name, (place, _) in mine.items():
            if name not in known:
                yield Difference(ours.__name__, method, name, "extra", place)


def arguments(layer: type, method: str) -> dict[str, tuple[int | None, Any]]:
    """The arguments of a method by name: position (None: by keyword only), and default."""
    parameters = list(inspect.signature(getattr(layer, method)).parameters.values())[1:]
    return {
        p.name: (None if p.kind is p.KEYWORD_ONLY else place, p.default)
        for place, p in enumerate(parameters)
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }


def same(ours: Any, theirs: Any) -> bool:
    """Whether two defaults are the same, as `training=None` and `training=False` are."""
    falsy = (None, False)
    return ours is theirs or ours == theirs or (ours in falsy and theirs in falsy)


RECURRENT = ("RNN", "LSTM", "GRU", "Elman", "SimpleRNN")
WITH_ATTENTION = ("memory", "memory_mask", "constants", "return_attention_scores")
CALL_OF_ATTENTION = (
    *("inputs", "mask", "training", "return_attention_scores", "use_causal_mask"),
    *("query", "value", "key", "query_mask", "value_mask", "key_mask", "attention_mask"),
)


def reasons(
    layers: str | tuple[str, ...], method: str, names: str | tuple[str, ...], why: str
) -> dict[tuple[str, str, str], str]:
    """The same reason for several arguments of several layers."""
    layers, names = ((each,) if isinstance(each, str) else each for each in (layers, names))
    return {(layer, method, name): why for layer in layers for name in names}


# (layer, method, argument) -> why it is not as in Keras; docs/reference has it as a table.
REASONS: dict[tuple[str, str, str], str] = {
    **reasons("MultiHeadAttention", "__init__", "aggregate", "combines heads without a projection"),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "attention_regularizer",
        "penalizes attention weights, such as those of heads that are alike",
    ),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "tie_key_value",
        "shares the projection of keys and values",
    ),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        ("score", "normalizer"),
        "selects another score or normalizer",
    ),
    **reasons("MultiHeadAttention", "__init__", "position", "adds rotary, ALiBi or Shaw positions"),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "num_key_value_heads",
        "groups heads, as `keras.layers.GroupQueryAttention`",
    ),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "output_kernel_initializer",
        "initializes the output projection differently",
    ),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "use_output_bias",
        "leaves out the bias of the output projection, or of the others",
    ),
    **reasons(
        "MultiHeadAttention",
        "__init__",
        "query_key_normalization",
        "normalizes queries and keys",
    ),
    **reasons(
        "Attention", "__init__", ("score", "normalizer"), "selects another score or normalizer"
    ),
    **reasons(
        "Attention",
        "call",
        CALL_OF_ATTENTION,
        "`call` has the order of `MultiHeadAttention`; a list `[query, value, key]` is accepted, "
        "too, with Keras's arguments in Keras's order",
    ),
    **reasons(RECURRENT, "__init__", "truncate", "truncates backpropagation through time"),
    **reasons(
        RECURRENT[1:], "__init__", "zero_output_for_mask", "Keras takes it as one of `**kwargs`"
    ),
    **reasons(
        RECURRENT,
        "call",
        "sequences_mask",
        "Keras's implicit mask, which Keras's layers lose if `initial_state` is given",
    ),
    **reasons(
        RECURRENT, "call", WITH_ATTENTION, "for cells with attention, such as `AttentionCell`"
    ),
}
