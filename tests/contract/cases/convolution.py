"""Gated convolutions."""

from keras_attn import GatedConv1D, GatedLinearUnit
from tests.contract.case import Case, Mode, Ranks, floats, mask
from tests.oracles import convolution as oracles

BY_ITSELF = "positions are computed independently, and the mask is passed on"
NO_ATTENTION = "has no attention weights"


def convolve(layer, x):
    return layer(x["x"], mask=x.get("mask"))


def gated_conv1d(weights, x, a):
    how = (a[name] for name in ("padding", "residual", "dilation_rate", "scale_residual"))
    return oracles.gated_conv1d(weights, x["x"], x["mask"], *how)


CASES = [
    Case(
        GatedLinearUnit,
        arguments=dict,
        inputs={"x": floats("BTG")},
        outputs={"y": "BTK"},
        call=lambda layer, x: layer(x["x"]),
        oracle=lambda weights, x, a: oracles.gated_linear_unit(x["x"]),
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(),
        other_ranks=Ranks("computes positions independently", fewer=True, extra_at=1),
        not_applicable={
            "keras layer": "in Keras 3.15, glu is a function, not a layer",
            "masked": BY_ITSELF,
            "all masked": BY_ITSELF,
            "NaN behind the mask": BY_ITSELF,
            "neighbours": BY_ITSELF,
            "maps": NO_ATTENTION,
        },
    ),
    Case(
        GatedConv1D,
        arguments=lambda: {
            "filters": 19,
            "kernel_size": 4,
            "padding": "causal",
            "residual": False,
            "dropout": 0.3,
            "dilation_rate": 1,
            "scale_residual": True,
        },
        variants={
            "dilated": {"dilation_rate": 3, "residual": True, "scale_residual": False},
            "default": {"padding": "same", "residual": True},
            "as wide": {"filters": 11, "kernel_size": 3, "residual": True},
        },
        inputs={"x": floats("BTD"), "mask": mask("BT")},
        outputs={"y": "BTU"},
        call=convolve,
        oracle=gated_conv1d,
        masks={"mask": ("x",)},
        implicit={"mask": "x"},
        passes_on="mask",
        causal=Mode(inputs=("x",)),
        not_applicable={
            "keras layer": "Keras's Conv1D has no gates and no weight normalization",
            "maps": NO_ATTENTION,
        },
    ),
]
