"""Features of sound."""

from keras_attn import LogMelSpectrogram
from tests.contract.case import SIZES, Case, floats
from tests.oracles import audio as oracles

NO_MASK = "zeros pad a waveform, and need no mask"

CASES = [
    Case(
        LogMelSpectrogram,
        arguments=lambda: {
            "sample_rate": 8000,
            "window": 5,
            "hop": 1,
            "num_mels": SIZES["K"],
            "fft_size": 512,
            "low": 100.0,
            "high": 3500.0,
        },
        variants={"default": {"low": 0.0}, "hop": {"window": 1}},
        inputs={"waveform": floats("BS")},
        outputs={"y": "BSK"},
        call=lambda layer, x: layer(x["waveform"]),
        oracle=lambda weights, x, a: oracles.log_mel(x["waveform"], **a),
        not_applicable={
            "keras layer": "the layer of Keras has other frames, and computes in decibels",
            "masked": NO_MASK,
            "all masked": NO_MASK,
            "NaN behind the mask": NO_MASK,
            "implicit mask": NO_MASK,
            "neighbours": NO_MASK,
            "causal": "a frame has samples that follow its first one",
            "maps": "has no attention weights",
        },
    ),
]
