"""Table 1 of "Attention Is All You Need", measured: how time and memory grow with the length.

    python -m benchmarks.complexity --out complexity.json --plot docs/complexity.png

For each kind of layer a forward pass over one sequence of n steps, compiled by XLA (of JAX, which
tells what memory a compiled function needs), and the exponent k of n ** k that fits best over the
longer half of the lengths, where what every call costs no longer counts. Layers that are linear
in n run over sequences eight times as long, for the same reason.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np

import keras_attn
from zoo.bench.machine import machine

HEADS, WINDOW = 4, 32
TURNS = 5

Sizes = dict[int, float]  # length -> seconds or bytes


def layers(width: int) -> dict[str, Callable[[Any], Any]]:
    """By name: a function of a sequence (1, n, width), its layer already built."""
    in_heads = (HEADS, width // HEADS)
    attention = keras_attn.MultiHeadAttention(*in_heads)
    local = keras_attn.LocalAttention(window=WINDOW, num_heads=HEADS, key_dim=width // HEADS)
    linear = keras_attn.LinearAttention(*in_heads)
    recurrent = keras_attn.GRU(width, return_sequences=True)
    convolution = keras_attn.GatedConv1D(width, 3)
    found: dict[str, Callable[[Any], Any]] = {
        # It gives its weights too: XLA would not keep what nobody asks for.
        "self-attention": lambda x: attention(x, x, return_attention_scores=True),
        "self-attention in blocks": lambda x: attention(x, x),
        f"restricted, window {WINDOW}": lambda x: local(x, x),
        "linear attention": lambda x: linear(x, x),
        "recurrent": recurrent,
        "convolutional": convolution,
    }
    for layer in found.values():
        layer(keras.ops.ones((1, 8, width)))
    return found


def measure(function: Callable[[Any], Any], length: int, width: int) -> tuple[float, float]:
    """Seconds of the median turn, and bytes that the compiled function needs beside its input."""
    x = np.random.default_rng(0).normal(size=(1, length, width)).astype("float32")
    compiled = jax.jit(function).lower(x).compile()
    memory = compiled.memory_analysis()
    turns = []
    for _ in range(TURNS + 1):
        start = time.perf_counter()
        jax.block_until_ready(compiled(x))
        turns.append(time.perf_counter() - start)
    needed = memory.temp_size_in_bytes + memory.output_size_in_bytes
    return statistics.median(turns[1:]), float(needed)


def exponent(found: Sizes) -> float:
    """The k of `size = c * n ** k`, by least squares of the logarithms over the longer half.

    Example:
        >>> round(exponent({2: 9.0, 4: 7.0, 8: 16.0, 16: 64.0}), 6)
        2.0
    """
    longer = sorted(found)[len(found) // 2 :]
    slope, _ = np.polyfit(np.log(longer), np.log([found[n] for n in longer]), 1)
    return float(slope)


def table(report: dict[str, dict[str, Any]]) -> str:
    """A Markdown table of the exponents and the cost at the greatest length."""
    lines = [
        "| layer | time grows as | memory grows as | at n | ms | MiB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, each in report.items():
        n = max(each["seconds"])
        seconds, bytes_ = each["seconds"][n], each["bytes"][n]
        powers = f"n^{each['time exponent']:.2f} | n^{each['memory exponent']:.2f}"
        lines.append(f"| {name} | {powers} | {n} | {1e3 * seconds:.1f} | {bytes_ / 2**20:.1f} |")
    return "\n".join(lines)


def plot(report: dict[str, dict[str, Any]], path: str) -> None:
    """Time and memory by length, on logarithmic scales."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, each in report.items():
        lengths = sorted(each["seconds"])
        label = f"{name} (n^{each['time exponent']:.2f})"
        left.loglog(lengths, [1e3 * each["seconds"][n] for n in lengths], "o-", label=label)
        label = f"{name} (n^{each['memory exponent']:.2f})"
        right.loglog(lengths, [each["bytes"][n] / 2**20 for n in lengths], "o-", label=label)
    left.set(xlabel="length n", ylabel="milliseconds", title="time of a forward pass")
    right.set(xlabel="length n", ylabel="MiB", title="memory of a forward pass")
    for axes in (left, right):
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def run(lengths: list[int], width: int) -> dict[str, dict[str, Any]]:
    report = {}
    for name, function in layers(width).items():
        times = 1 if name.startswith("self-attention") else 8
        sizes = {n: measure(function, n, width) for n in (times * length for length in lengths)}
        seconds, bytes_ = ({n: pair[i] for n, pair in sizes.items()} for i in (0, 1))
        report[name] = {
            "time exponent": exponent(seconds),
            "memory exponent": exponent(bytes_),
            "seconds": seconds,
            "bytes": bytes_,
        }
        print(f"{name}: n^{report[name]['time exponent']:.2f}", flush=True)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    parser.add_argument("--plot", metavar="FILE", help="picture to write (PNG, SVG or PDF)")
    parser.add_argument("--quick", action="store_true", help="few and short lengths")
    options = parser.parse_args()
    longest = 512 if options.quick else 8192
    lengths = [2**k for k in range(6 if options.quick else 8, int(math.log2(longest)) + 1)]
    report = run(lengths, width=64)
    print(f"\n{table(report)}")
    if options.out:
        with open(options.out, "w") as file:
            content = {"machine": machine(), "quick": options.quick, "layers": report}
            json.dump(content, file, indent=2)
    if options.plot:
        plot(report, options.plot)


if __name__ == "__main__":
    main()
