"""Training on a GPU with JAX: GPT-2, LSTM beside PyTorch's, and a step of every model.

    python -m benchmarks.gpu --out gpu.json
    python -m benchmarks.gpu gpt lstm

GPT-2 with 124 million parameters trains in bfloat16 on rows of 1,024 tokens, whole and padded, as
`model.fit` runs it. The operations of a step are those of `benchmarks.cost_model`; on a known GPU
the share of its peak is printed. It needs JAX and no TensorFlow; PyTorch is left out where it is
not installed. docs/how-to/training/scaling.md has flags of XLA that shorten a step by 2 %.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
import numpy as np

from benchmarks.command import main
from benchmarks.cost_model import GPTS, Network
from keras_attn.losses import MaskedCrossentropy
from keras_attn.recurrent.lstm import LSTM
from keras_attn.right_padding import right_padding
from zoo.bench.models import every_model
from zoo.bench.timing import Contender, Result, compare, take_turns
from zoo.models.create import create_model
from zoo.training.optimizer import adam

# Dense bfloat16 operations per second, from the data sheets.
PEAKS = {"H100": 989.4e12, "H200": 989.4e12, "A100": 312e12}
TINY = Network("tiny", 2, 32, 2, 64, vocabulary=61, length=16)


def fit(model: keras.Model, *data: Any, **options: Any) -> Contender:
    """An epoch of `model.fit`, without the shuffling of rows."""
    return lambda: model.fit(*data, **options, shuffle=False, verbose=0)


def gpt_model(network: Network, **options: Any) -> keras.Model:
    model = create_model("gpt", dropout=0.0, attention_dropout=0.0, **network.options, **options)
    model.compile(adam(1e-4), {"logits": MaskedCrossentropy(ignore_id=-1)})
    return model


def gpt_data(network: Network, rows: int, padded: bool) -> tuple[Any, Any]:
    """Random rows; if padded, a quarter of each second row is padding."""
    shape = (rows, network.length)
    ids = np.random.default_rng(0).integers(0, network.vocabulary, shape, "int32")
    mask = np.ones(shape, bool)
    if padded:
        mask[::2, network.length * 3 // 4 :] = False
    return {"token_ids": ids, "padding_mask": mask}, {"logits": np.where(mask, ids, -1)}


def gpt(network: Network, rows: int, steps: int, padded: bool, **options: Any) -> Contender:
    data = gpt_data(network, rows * steps, padded)
    return fit(gpt_model(network, **options), *data, batch_size=rows)


def gpts(network: Network, rows: int, steps: int) -> dict[str, Contender]:
    half = {"dtype": "mixed_bfloat16"}
    return {
        "bfloat16": gpt(network, rows, steps, False, **half),
        "bfloat16, padded": gpt(network, rows, steps, True, **half),
        "float32": gpt(network, rows, steps, False),
    }


def share_of_peak(network: Network, rows: int, seconds: float) -> float | None:
    kind = jax.devices()[0].device_kind
    peak = next((peak for name, peak in PEAKS.items() if name in kind), None)
    return peak and network.flops(rows) / seconds / peak


def lstms(rows: int, length: int, width: int, units: int) -> Iterator[Result]:
    x = np.random.default_rng(0).normal(size=(rows, length, width)).astype("float32")
    layer = LSTM(units, return_sequences=True)
    layer(x[:1])
    state = [[each.value for each in layer.trainable_variables], jax.device_put(x)]

    def run(weights: Any, x: Any) -> Any:
        return layer.stateless_call(weights, [v.value for v in layer.non_trainable_variables], x)[0]

    def loss(weights: Any, x: Any) -> Any:
        return (run(weights, x) ** 2).mean()

    ours = {"forward": jax.jit(run), "train": jax.jit(jax.grad(loss, argnums=(0, 1)))}
    for what, function in ours.items():
        found = {"ours": lambda function=function: jax.block_until_ready(function(*state))}
        found |= torch_lstm(what, x, units)
        seconds = take_turns(found, 9)
        ratios = compare(seconds, {"torch / ours": ("torch", "ours")})
        yield Result(f"lstm {what}, {rows}x{length}x{width}->{units}", seconds, ratios)


def torch_lstm(what: str, x: np.ndarray, units: int) -> dict[str, Contender]:
    try:
        import torch
    except ImportError:
        return {}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = torch.nn.LSTM(x.shape[-1], units, batch_first=True).to(device)
    inputs = torch.tensor(x, device=device, requires_grad=True)

    def forward() -> None:
        with torch.no_grad():
            layer(inputs)

    def train() -> None:
        layer.zero_grad()
        inputs.grad = None
        layer(inputs)[0].square().mean().backward()

    def waited(run: Callable[[], None]) -> Contender:
        def contender() -> None:
            run()
            if device == "cuda":
                torch.cuda.synchronize()

        return contender

    return {"torch": waited({"forward": forward, "train": train}[what])}


def gpt_steps(quick: bool = False) -> Iterator[Result]:
    network, rows, steps, turns = (TINY, 2, 2, 3) if quick else (GPTS[0], 16, 80, 3)
    with right_padding():
        seconds = take_turns(gpts(network, rows, steps), turns)
    seconds = {name: [each / steps for each in turns] for name, turns in seconds.items()}
    ratios = compare(seconds, {"float32 / bfloat16": ("float32", "bfloat16")})
    for name in ("bfloat16", "bfloat16, padded"):
        if share := share_of_peak(network, rows, statistics.median(seconds[name])):
            ratios[f"share of the peak, {name}"] = share
    name = f"gpt train step, {network.parameters / 1e6:.0f} million, {rows} x {network.length}"
    yield Result(name, seconds, ratios, rows * network.length, "tokens")


def lstm(quick: bool = False) -> Iterator[Result]:
    return lstms(*((3, 7, 5, 11) if quick else (32, 100, 256, 512)))


def models(quick: bool = False) -> Iterator[Result]:
    return every_model(*((2, 8, 1, 1) if quick else (32, 64, 10, 3)))


BENCHMARKS = {"gpt": gpt_steps, "lstm": lstm, "models": models}

if __name__ == "__main__":
    main(BENCHMARKS, __doc__.splitlines()[0])
