"""Positions."""

from keras_attn import SinusoidalPositions
from tests.contract.case import Case, Mode, floats
from tests.oracles import position as oracles

NO_MASK = "each position is computed by itself: a mask passes through"

CASES = [
    Case(
        SinusoidalPositions,
        arguments=lambda: {"layout": "halves", "max_wavelength": 500},
        variants={"default": {"layout": "interleaved", "max_wavelength": 10000}},
        inputs={"x": floats("BTD")},
        outputs={"y": "BTD"},
        call=lambda layer, x: layer(x["x"], start_index=3),
        oracle=lambda weights, x, a: x["x"] + oracles.sinusoidal(*x["x"].shape[1:], 3, **a),
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        hard_sizes={"T": 521},  # bfloat16 cannot tell position 257 from 256
        not_applicable={
            "keras layer": "Keras has no sinusoidal positions",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "neighbours": NO_MASK,
            "maps": "no attention",
        },
    ),
]
