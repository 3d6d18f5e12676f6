"""Scaled rotary positions against float64 NumPy, written from the formulas of the papers."""

import math
from typing import Any

import numpy as np
import pytest
from keras import ops

from keras_attn.position.rotary import RotaryPositions
from keras_attn.position.scaling import scaling_of

WIDTH, BASE, LENGTH, START = 12, 700.0, 9, 5
CASES: list[dict[str, Any]] = [
    {"rope_type": "linear", "factor": 2.5},
    {
        "rope_type": "llama3",
        "factor": 4.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
    {"rope_type": "yarn", "factor": 3.0, "original_max_position_embeddings": 64, "beta_fast": 8.0},
    {
        "rope_type": "yarn",
        "factor": 3.0,
        "original_max_position_embeddings": 64,
        "mscale": 0.7,
        "mscale_all_dim": 0.4,
        "truncate": False,
    },
    {
        "rope_type": "yarn",
        "factor": 3,
        "original_max_position_embeddings": 64,
        "attention_factor": 1.3,
    },
]


def oracle(x: np.ndarray, config: dict[str, Any]) -> np.ndarray:
    """The rotation of each pair (s, s + K / 2), one at a time."""
    y = np.zeros(x.shape)
    half, factor = WIDTH // 2, config["factor"]
    for s in range(half):
        frequency, size = BASE ** (-2 * s / WIDTH), 1.0
        if config["rope_type"] == "linear":
            frequency /= factor
        elif config["rope_type"] == "llama3":
            original = config["original_max_position_embeddings"]
            wavelength = 2 * math.pi / frequency
            low, high = config["low_freq_factor"], config["high_freq_factor"]
            if wavelength > original / low:
                frequency /= factor
            elif wavelength >= original / high:
                smooth = (original / wavelength - low) / (high - low)
                frequency = (1 - smooth) * frequency / factor + smooth * frequency
        else:
            original = config["original_max_position_embeddings"]

            def place(turns: float, original: int = original) -> float:
                return WIDTH * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(BASE))

            first, last = place(config.get("beta_fast", 32)), place(config.get("beta_slow", 1))
            if config.get("truncate", True):
                first, last = math.floor(first), math.ceil(last)
            first, last = max(first, 0), min(last, WIDTH - 1)
            ramp = min(max((s - first) / (last - first), 0), 1)
            frequency = (1 - ramp) * frequency + ramp * frequency / factor
            size = 0.1 * math.log(factor) + 1
            if "mscale" in config:
                above, below = (
                    0.1 * config[name] * math.log(factor) + 1
                    for name in ("mscale", "mscale_all_dim")
                )
                size = above / below
            size = config.get("attention_factor", size)
        for t in range(LENGTH):
            cos, sin = (size * f((START + t) * frequency) for f in (math.cos, math.sin))
            a, b = x[..., t, s], x[..., t, half + s]
            y[..., t, s], y[..., t, half + s] = a * cos - b * sin, b * cos + a * sin
    return y


@pytest.mark.parametrize("config", CASES)
def test_rotation_is_that_of_the_formula(config: dict[str, Any]) -> None:
    x = np.random.default_rng(0).normal(size=(2, LENGTH, WIDTH)).astype("float32")
    layer = RotaryPositions("halves", BASE, config)
    actual = ops.convert_to_numpy(layer(x, start_index=START))
    np.testing.assert_allclose(actual, oracle(x.astype("float64"), config), atol=2e-6)
    plain = ops.convert_to_numpy(RotaryPositions("halves", BASE)(x, start_index=START))
    assert np.abs(actual - plain).max() > 0.05
    again = RotaryPositions.from_config(layer.get_config())
    np.testing.assert_array_equal(ops.convert_to_numpy(again(x, start_index=START)), actual)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"factor": 2}, "rope_type must be one of linear, llama3, yarn; received None"),
        ({"rope_type": "linear"}, "linear positions require factor"),
        ({"rope_type": "linear", "factor": -1}, "factor must be a positive number; received -1"),
        ({"rope_type": "linear", "factor": True}, "factor must be a positive number"),
        ({"rope_type": "linear", "factor": None}, "factor must be a positive number"),
        ({"rope_type": "yarn", "factor": 2}, "require original_max_position_embeddings"),
        ({"rope_type": "yarn", "factor": 2, "truncate": 1}, "truncate must be True or False"),
        (
            {"rope_type": "linear", "factor": 2, "beta_fast": 2},
            "linear positions have no beta_fast",
        ),
    ],
)
def test_bad_scaling_is_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scaling_of(config)
