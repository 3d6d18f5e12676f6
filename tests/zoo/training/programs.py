"""Programs of training steps for devices that are not there.

`python -m tests.zoo.training.programs PART...` prints what tests/zoo/training/test_programs.py
checks, as JSON. A part is gpu, recomputed, activations, or a number of devices. It needs
KERAS_BACKEND=jax and XLA_FLAGS=--xla_force_host_platform_device_count=64.
"""

import json
import math
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import jax
import keras
import numpy as np
from jax._src.ad_checkpoint import saved_residuals
from jax._src.cudnn import fused_attention_stablehlo

import zoo
from benchmarks.cost_model import Network
from keras_attn import gpu
from zoo.errors import UserError
from zoo.models.gpt import GPT
from zoo.training.distribution import distributed
from zoo.training.rematerialization import rematerialized

# Every axis that can be split divides by 64, and no two have the same size.
SMALL = Network("small", 2, 128, 64, 64 * 3, vocabulary=64 * 5, length=7)
ROWS = 64
NAMES = keras.distribution.list_devices()
PARTS = ("trainable", "non_trainable", "optimizer", "metrics")


def step(network: Network, devices: int = 1, how: str | None = None, **options: Any) -> Any:
    """The step of a GPT on padded rows, traced; with `how`, for several devices."""
    model = GPT(dropout=0.0, attention_dropout=0.0, **network.options, **options)
    optimizer = keras.optimizers.Adam()
    shape = (ROWS, network.length)
    inputs = {"token_ids": np.ones(shape, "int32"), "padding_mask": np.ones(shape, bool)}
    labels = {"logits": np.ones(shape, "int32")}
    loss = {"logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    visible = mock.patch.object(keras.distribution, "list_devices", lambda: NAMES[:devices])
    with visible, distributed(model, how, optimizer):
        model.compile(optimizer, loss)
        model._symbolic_build(data_batch=(inputs, labels))
        state = model._get_jax_state(**{f"{part}_variables": True for part in PARTS})
        return jax.jit(model.train_step, donate_argnums=0).trace(state, (inputs, labels))


@contextmanager
def cudnn_of_hopper() -> Iterator[None]:
    """Attention is traced for cuDNN, as on an H100."""
    with (
        mock.patch.object(gpu, "compute_capability", lambda: 9.0),
        mock.patch.object(fused_attention_stablehlo, "check_cudnn_version", lambda: 91000),
    ):
        yield


def on_gpu() -> dict[str, Any]:
    """What the step in bfloat16 calls of cuDNN, and how many arrays it writes in place."""
    network = Network("heads of 8", 3, 16, 2, 24, vocabulary=61, length=7)
    with cudnn_of_hopper():
        traced = step(network, dtype="mixed_bfloat16")
        text = traced.lower(lowering_platforms=("cuda",)).as_text()
    calls = [line for line in text.splitlines() if "@__cudnn$fmha" in line]
    return {
        "forward": sum("@__cudnn$fmhaSoftmax(" in call for call in calls),
        "backward": sum("@__cudnn$fmhaSoftmaxBackward(" in call for call in calls),
        "masks": sorted({re.search(r"mask_type\W+22: \W+22(\w+)", call)[1] for call in calls}),
        "arrays": len(jax.tree.leaves(traced.args_info[0][0])),
        "in place": len(re.findall("tf.aliasing_output|jax.buffer_donor", text)),
    }


def between(devices: int, how: str) -> dict[str, Any]:
    """The sums between devices of a compiled step: numbers in each, and what else is exchanged."""
    compiled = step(SMALL, devices, how).lower().compile()
    sums, others = [], []
    for line in compiled.as_text().splitlines():
        actual = re.search(
            r"= (.*?) (all-(?:reduce|gather|to-all)|reduce-scatter|collective-permute)\(", line
        )
        if actual and actual[2] == "all-reduce":
            shapes = re.findall(r"f32\[([\d,]*)\]", actual[1])
            sums += [math.prod(map(int, filter(None, shape.split(",")))) for shape in shapes]
        elif actual:
            others.append(actual[2])
    return {
        "sums": sums,
        "others": others,
        "state": compiled.memory_analysis().argument_size_in_bytes,
        "flops": compiled.cost_analysis()["flops"],
    }


def recomputed() -> dict[str, Any]:
    """Losses of a training with dropout, and the bytes that the gradient needs of the forward pass,
    without and with recomputation."""
    words = np.random.default_rng(3).choice(list("abcdefg"), 2000)
    losses, sizes = [], []
    for remat in (False, True):
        task = zoo.CausalLM(model="gpt", num_layers=3, hidden_dim=16, max_length=9, dropout=0.2)
        task.adapt(["".join(words)])
        losses.append(task.fit(["".join(words)], epochs=2, remat=remat, verbose=False).history)
        with rematerialized(task.model, remat):
            sizes.append(_stored(task.model))
    task = zoo.TextClassifier(model="rnn_classifier", embedding_dim=4, units=4)
    labeled = [("red", "yes"), ("dog", "no")]
    task.adapt(labeled)
    try:
        task.fit(labeled, remat=True, verbose=False)
    except UserError as error:
        refused = str(error)
    return {"losses": [each["loss"] for each in losses], "stored": sizes, "refused": refused}


def activations() -> float:
    """Bytes that JAX keeps of a block for the gradient, in bfloat16 with cuDNN, for each number of
    its hidden states; before XLA fuses operators."""
    rows, sizes = 67, []
    for layers in (1, 2):
        network = Network("heads of 8", layers, 16, 2, 64, vocabulary=509, length=61)
        with cudnn_of_hopper():
            dtype = "mixed_bfloat16"
            model = GPT(dropout=0.0, attention_dropout=0.0, dtype=dtype, **network.options)
            sizes.append(_stored(model, (rows, network.length)))
    return (sizes[1] - sizes[0]) / (rows * network.length * network.width)


def _stored(model: keras.Model, shape: tuple[int, int] = (8, 7)) -> int:
    """Bytes that the gradient needs of the forward pass, besides the weights."""
    inputs = {"token_ids": np.ones(shape, "int32"), "padding_mask": np.ones(shape, bool)}
    others = [variable.value for variable in model.non_trainable_variables]

    def loss(weights: Any) -> Any:
        outputs, _ = model.stateless_call(weights, others, inputs, training=True)
        return outputs["logits"].sum()

    kept = saved_residuals(loss, [weight.value for weight in model.trainable_variables])
    return sum(
        math.prod(each.shape) * each.dtype.itemsize for each, why in kept if "argument" not in why
    )


def main(parts: list[str]) -> None:
    on_one = {"gpu": on_gpu, "recomputed": recomputed, "activations": activations}
    actual: dict[str, Any] = {name: on_one[name]() for name in parts if name in on_one}
    for devices in filter(str.isdigit, parts):
        actual |= {how: between(int(devices), how) for how in ("data", "model")}
    print(json.dumps(actual), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
