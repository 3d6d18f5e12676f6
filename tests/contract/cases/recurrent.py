"""Recurrent cells and layers."""

import functools
from dataclasses import replace

import keras
import numpy as np

from keras_attn import (
    GRU,
    LSTM,
    RNN,
    Attention,
    AttentionCell,
    Elman,
    ElmanCell,
    GRUCell,
    Jordan,
    JordanCell,
    LinearAttention,
    LSTMCell,
    MultiHeadAttention,
    OrthogonalCell,
    SimpleRNN,
    SimpleRNNCell,
)
from tests.contract.case import Case, Mode, floats, mask
from tests.oracles import recurrent as oracles
from tests.oracles.attention import multi_head
from tests.oracles.other_attention import linear

STATES = ("h", "c", "fed")  # the inputs that are states
ONE_STEP = dict.fromkeys(
    ("masked", "all masked", "NaN behind the mask", "length 0", "implicit mask", "neighbours")
    + ("causal", "maps"),
    "a cell computes one step; RNN handles masks, the order of steps and attention maps",
)
INITIALIZERS = {
    "kernel_initializer": "he_normal",
    "recurrent_initializer": "glorot_normal",
    "bias_initializer": "ones",
}
# Each weight has its own; in the outputs they do not show.
PENALTIES = {
    "kernel_regularizer": "l1",
    "recurrent_regularizer": "l2",
    "bias_regularizer": "l2",
    "kernel_constraint": "max_norm",
    "recurrent_constraint": "unit_norm",
    "bias_constraint": "non_neg",
}
DROPOUT = {"dropout": 0.3, "recurrent_dropout": 0.2, "seed": 7}
CELL = {**INITIALIZERS, **PENALTIES, **DROPOUT}
# The gradient is then not written by hand.
OTHER_ACTIVATIONS = {"activation": "softsign", "recurrent_activation": "hard_sigmoid"}
RETURNS = {
    "return_sequences": True,
    "return_state": True,
    "go_backwards": True,
    "zero_output_for_mask": True,
}
# Ours: the gradient of five steps is whole where it stops after each five.
OPTIONS = {**RETURNS, "truncate": 5}
LAYER = {**CELL, **OPTIONS, "activity_regularizer": "l2"}
STATEFUL = {"stateful": True}
FORWARD = {"go_backwards": False}  # output t is input t's
# Unrolled where the length is known, and a loop where it is not.
VARIANTS = {
    "forward": {
        "go_backwards": False,
        "zero_output_for_mask": False,
        "truncate": None,
        "unroll": True,
    }
}
CAST = "integers are cast, as in Keras"
NO_MAPS = {"maps": "has no attention weights"}


def states_of(x):
    return [x[name] for name in STATES if name in x]


def one_step(cell, x):
    return cell(x["x"], states_of(x))


def whole(layer, x, **options):
    given = {name: x[name] for name in ("mask", "memory", "memory_mask") if name in x}
    return layer(x["sequence"], initial_state=states_of(x), **given, **options)


def cell_oracle(step, *names):
    """The output and the states after one step; `step(*weights, **arguments)` makes the cell."""

    def outputs(weights, x, arguments):
        chosen = {name: arguments[name] for name in names if name in arguments}
        output, states = step(*weights, **chosen)(x["x"], states_of(x))
        return [output, *states]

    return outputs


def layer_oracle(step, *names):
    """The outputs of all steps and the last states."""

    def outputs(weights, x, arguments):
        chosen = {name: arguments[name] for name in names if name in arguments}
        return all_steps(step(*weights, **chosen), x, arguments)

    return outputs


def all_steps(step, x, arguments):
    backwards, mask = arguments["go_backwards"], x["mask"]
    outputs, states, *_ = oracles.run(step, x["sequence"], states_of(x), mask, backwards)
    if arguments["zero_output_for_mask"]:
        outputs = np.where((mask[:, ::-1] if backwards else mask)[..., None], outputs, 0)
    return [outputs, *states]


def step_inputs(*states):
    return {"x": floats("BD"), **{name: floats("BU") for name in states}}


def sequence_inputs(*states):
    given = {"sequence": floats("BTD"), "mask": mask("BT")}
    return given | {name: floats("BU") for name in states}


SEQUENCE = {
    "call": whole,
    "integers": dict.fromkeys(("sequences", "initial_state"), CAST),
    "masks": {"mask": ("sequence",)},
    "implicit": {"mask": "sequence"},
    "passes_on": "mask",
    "zero_when_masked": {"mask": ("y",)},
    "aligned": FORWARD,
    "causal": Mode(inputs=("sequence",)),
}


def attend(cell, x, **options):
    """One step over a memory; with the score "dot" the keys are prepared as they are."""
    if not cell.built:
        cell.build(x["x"].shape, x["memory"].shape)
    constants = cell.begin(x["memory"], x.get("memory_mask"))
    return cell(x["x"], states_of(x), constants=constants, **options)


def attending(weights, x, order, score, cell=oracles.gru, **options):
    return oracles.attending(cell, weights, x["memory"], x["memory_mask"], order, score, **options)


def of_heads(weights, query, memory, mask):
    return multi_head(weights, query, memory, mask=mask[:, None])


def of_sums(weights, query, memory, mask):
    return linear(weights, query, memory, key_mask=mask), None


def attending_step(weights, x, a):
    options = {name: a[name] for name in ("gate", "deep_output")}
    step = attending(weights, x, a["order"], "dot", **options)
    output, states, _ = step(x["x"], states_of(x))
    return [output, *states]


def attending_layer(weights, x, a):
    turning = isinstance(a["cell"].cell, OrthogonalCell)
    cell = functools.partial(oracles.orthogonal, activation="tanh") if turning else oracles.gru
    formulas = {MultiHeadAttention: of_heads, LinearAttention: of_sums}
    score = formulas.get(type(a["cell"].attention), "additive")
    return all_steps(attending(weights, x, "luong", score, cell), x, a)


def attending_orthogonal():
    cell = OrthogonalCell(19, activation="tanh")
    return {"cell": AttentionCell(cell, Attention(score="additive")), "unroll": True}


def attending_in_heads():
    return {"cell": AttentionCell(plain_gru(), MultiHeadAttention(2, 7))}


def attending_in_sums():
    return {"cell": AttentionCell(plain_gru(), LinearAttention(2, 7))}


def plain_gru():
    # Keras's default, an orthogonal kernel, cannot be drawn in bfloat16.
    return GRUCell(19, recurrent_initializer="glorot_uniform")


CASES = [
    Case(
        ElmanCell,
        arguments=lambda: {"units": 19, "activation": "relu", **CELL},
        variants={
            **{name: {"activation": name} for name in ("tanh", "sigmoid", "linear")},
            "no bias": {"activation": "softsign", "use_bias": False},
        },
        inputs=step_inputs("h"),
        outputs={"y": "BU", "new h": "BU"},
        call=one_step,
        integers=dict.fromkeys(("sequence", "inputs", "states"), CAST),
        oracle=cell_oracle(oracles.elman, "activation"),
        keras=lambda: keras.layers.SimpleRNNCell(19, activation="relu"),
        not_applicable=ONE_STEP,
    ),
    Case(
        JordanCell,
        arguments=lambda: {
            "units": 23,
            "output_units": 19,
            "activation": "relu",
            "output_activation": "softmax",
            **INITIALIZERS,
        },
        inputs=step_inputs("h"),
        outputs={"y": "BU", "new y": "BU"},
        call=one_step,
        integers=dict.fromkeys(("sequence", "inputs", "states"), CAST),
        oracle=cell_oracle(oracles.jordan, "activation", "output_activation"),
        not_applicable=ONE_STEP | {"keras layer": "Keras has no Jordan network"},
    ),
    Case(
        OrthogonalCell,
        arguments=lambda: {"units": 19, "activation": "tanh", **INITIALIZERS},
        variants={"default": {"activation": "modrelu"}},
        inputs=step_inputs("h"),
        outputs={"y": "BU", "new h": "BU"},
        call=one_step,
        integers=dict.fromkeys(("sequence", "inputs", "states"), CAST),
        oracle=cell_oracle(oracles.orthogonal, "activation"),
        not_applicable=ONE_STEP | {"keras layer": "Keras has no orthogonal recurrent matrix"},
    ),
    Case(
        LSTMCell,
        arguments=lambda: {"units": 19, "unit_forget_bias": False, **CELL},
        variants={"no bias": {**OTHER_ACTIVATIONS, "use_bias": False}},
        inputs=step_inputs("h", "c"),
        outputs={"y": "BU", "new h": "BU", "new c": "BU"},
        call=one_step,
        integers=dict.fromkeys(("sequence", "inputs", "states"), CAST),
        oracle=cell_oracle(oracles.lstm, *OTHER_ACTIVATIONS),
        keras=lambda: keras.layers.LSTMCell(19),
        not_applicable=ONE_STEP,
    ),
    Case(
        GRUCell,
        arguments=lambda: {"units": 19, **CELL},
        variants={
            "reset before": {"reset_after": False},
            "no bias": {**OTHER_ACTIVATIONS, "use_bias": False},
        },
        inputs=step_inputs("h"),
        outputs={"y": "BU", "new h": "BU"},
        call=one_step,
        integers=dict.fromkeys(("sequence", "inputs", "states"), CAST),
        oracle=cell_oracle(oracles.gru, "reset_after", *OTHER_ACTIVATIONS),
        keras=lambda: keras.layers.GRUCell(19),
        not_applicable=ONE_STEP,
    ),
    Case(
        Elman,
        arguments=lambda: {"units": 19, "activation": "sigmoid", **LAYER},
        variants={
            "forward": VARIANTS["forward"] | {"activation": "tanh"},
            "no bias": {"activation": "softsign", "use_bias": False},
        },
        config_only=STATEFUL,
        inputs=sequence_inputs("h"),
        outputs={"y": "BTU", "last h": "BU"},
        oracle=layer_oracle(oracles.elman, "activation"),
        keras=lambda: keras.layers.SimpleRNN(19, activation="sigmoid", **RETURNS),
        not_applicable=NO_MAPS,
        **SEQUENCE,
    ),
    Case(
        Jordan,
        arguments=lambda: {
            "units": 23,
            "output_units": 19,
            "activation": "sigmoid",
            "output_activation": "linear",
            **INITIALIZERS,
            **OPTIONS,
        },
        variants={"forward": VARIANTS["forward"] | {"output_activation": "softmax"}},
        inputs=sequence_inputs("h"),
        outputs={"y": "BTU", "last y": "BU"},
        oracle=layer_oracle(oracles.jordan, "activation", "output_activation"),
        not_applicable=NO_MAPS | {"keras layer": "Keras has no Jordan network"},
        **SEQUENCE,
    ),
    Case(
        LSTM,
        arguments=lambda: {
            "units": 19,
            "unit_forget_bias": False,
            "use_cudnn": False,
            **LAYER,
        },
        variants={**VARIANTS, "no bias": {**OTHER_ACTIVATIONS, "use_bias": False}},
        config_only=STATEFUL,
        inputs=sequence_inputs("h", "c"),
        outputs={"y": "BTU", "last h": "BU", "last c": "BU"},
        oracle=layer_oracle(oracles.lstm, *OTHER_ACTIVATIONS),
        keras=lambda: keras.layers.LSTM(19, **RETURNS),
        not_applicable=NO_MAPS,
        **SEQUENCE,
    ),
    Case(
        GRU,
        arguments=lambda: {"units": 19, "use_cudnn": False, **LAYER},
        variants={
            "reset before": {"reset_after": False, **VARIANTS["forward"]},
            "no bias": {**OTHER_ACTIVATIONS, "use_bias": False},
        },
        config_only=STATEFUL,
        inputs=sequence_inputs("h"),
        outputs={"y": "BTU", "last h": "BU"},
        oracle=layer_oracle(oracles.gru, "reset_after", *OTHER_ACTIVATIONS),
        keras=lambda: keras.layers.GRU(19, **RETURNS),
        not_applicable=NO_MAPS,
        **SEQUENCE,
    ),
    Case(
        RNN,
        arguments=lambda: {
            "cell": AttentionCell(plain_gru(), Attention(score="additive")),
            **OPTIONS,
        },
        variants={
            **VARIANTS,
            "orthogonal": attending_orthogonal,
            "multi-head": attending_in_heads,
            "linear": attending_in_sums,
        },
        rounded_again=2,
        config_only=STATEFUL,
        inputs=sequence_inputs("h", "fed") | {"memory": floats("BSW"), "memory_mask": mask("BS")},
        outputs={"y": "BTU", "last h": "BU", "last fed": "BU"},
        oracle=attending_layer,
        keras=lambda: keras.layers.RNN(keras.layers.SimpleRNNCell(19), **RETURNS),
        keras_arguments=lambda: {"cell": keras.layers.SimpleRNNCell(19)},
        keras_inputs=("sequence", "mask", "h"),
        maps=Mode(lambda layer, x: whole(layer, x, return_attention_scores=True)),
        maps_axes="BTS",
        **SEQUENCE
        | {
            "masks": {"mask": ("sequence",), "memory_mask": ("memory",)},
            "implicit": {"mask": "sequence", "memory_mask": "memory"},
        },
    ),
    Case(
        AttentionCell,
        arguments=lambda: {
            "cell": plain_gru(),
            "attention": Attention(score="dot"),
            "order": "bahdanau",
            "units": 23,
            "gate": True,
            "deep_output": True,
            "kernel_initializer": "he_normal",
        },
        variants={
            "luong": lambda: {
                "cell": plain_gru(),
                "attention": Attention(score="dot"),
                "order": "luong",
                "gate": False,
                "deep_output": False,
            },
        },
        inputs=step_inputs("h")
        | {
            "x": floats("BV"),
            "fed": floats("BV"),
            "memory": floats("BSU"),
            "memory_mask": mask("BS"),
        },
        outputs={"y": "BV", "new h": "BU", "new fed": "BV"},
        call=attend,
        integers=dict.fromkeys(("inputs", "states"), CAST),
        oracle=attending_step,
        masks={"memory_mask": ("memory",)},
        not_applicable={
            "keras layer": "Keras has no recurrent cell with attention",
            "implicit mask": "the mask is one of the constants that begin returns",
            "causal": ONE_STEP["causal"],
            "maps": ONE_STEP["maps"],
        },
    ),
]
# The names of two of them in Keras.
CASES += [
    replace(case, layer={Elman: SimpleRNN, ElmanCell: SimpleRNNCell}[case.layer])
    for case in CASES
    if case.layer in (Elman, ElmanCell)
]
