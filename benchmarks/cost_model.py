"""What a training step of a GPT costs: arithmetic, memory, and communication between devices.

python -m benchmarks.cost_model prints the table of docs/how-to/training/scaling.md.

The formulas are compared with compiled programs in tests/zoo/training/test_programs.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

FLOAT, HALF = 4, 2  # bytes of a number
HEADER = ("network", "devices", "--distribute", "memory", "arithmetic", "communication", "tokens/s")


@dataclass(frozen=True)
class Network:
    """A GPT with learned positions and tied embeddings.

    Args:
        name: Its name.
        layers: Number of blocks L.
        width: Width D of the hidden states.
        heads: Number of attention heads H.
        hidden: Width F between the two layers of a feed-forward network.
        vocabulary: Number of tokens V. GPT-2's 50,257 are filled up to a multiple of 64: a
            number that the devices do not divide would let them sum logits.
        length: Tokens of a row, T.
    """

    name: str
    layers: int
    width: int
    heads: int
    hidden: int
    vocabulary: int = 50304
    length: int = 1024

    @property
    def options(self) -> dict[str, int]:
        """The options of `zoo.models.gpt.GPT` for such a network."""
        return {
            "vocabulary_size": self.vocabulary,
            "num_layers": self.layers,
            "hidden_dim": self.width,
            "num_heads": self.heads,
            "intermediate_dim": self.hidden,
            "max_sequence_length": self.length,
        }

    @property
    def embedding(self) -> int:
        """Number of weights of the embedding, V D."""
        return self.vocabulary * self.width

    @property
    def multiplied(self) -> int:
        """Number of weights in matrix products: V D + L (4 D^2 + 2 D F)."""
        block = 4 * self.width**2 + 2 * self.width * self.hidden
        return self.embedding + self.layers * block

    @property
    def parameters(self) -> int:
        """Number of weights P, with biases, normalizations and positions."""
        block = 9 * self.width + self.hidden
        return self.multiplied + self.layers * block + (self.length + 2) * self.width

    def flops(self, rows: int) -> int:
        """Operations of a step: 6 of each multiplied weight and token, and those of attention.

        Source: Kaplan et al. 2020, section 2.1; a gradient costs twice the forward pass.
        Formula: `rows T (6 M + 12 L T D)` with the number M of multiplied weights
        """
        of_token = 6 * self.multiplied + 12 * self.layers * self.length * self.width
        return rows * self.length * of_token

    def state(self) -> int:
        """Bytes of the weights and of Adam's two averages, in float32."""
        return 3 * FLOAT * self.parameters

    def activations(self, rows: int, parts: int = 1) -> float:
        """Bytes that the gradient needs of the forward pass, in bfloat16 with flash attention.

        Inside of attention and feed-forward networks, they are split with the weights.

        Source: Korthikanti et al. 2022, section 4.2, without the weights of attention and dropout.
        Formula: `rows T (10 L D + (22 L D + 8 V) / parts)`; logits and their gradient are float32
        """
        around, inside = 10 * self.layers * self.width, 22 * self.layers * self.width
        return rows * self.length * (around + (inside + 2 * FLOAT * self.vocabulary) / parts)

    def sums_of_gradients(self) -> int:
        """Bytes that `--distribute data` sums over the devices in a step, of each device.

        The embedding has two gradients, as it reads tokens and gives logits. XLA for processors
        sums them one by one; for GPUs, it adds them before (all-reduce-reassociate).
        """
        return FLOAT * self.parameters

    def sums_of_activations(self, rows: int, number: int = HALF) -> int:
        """Bytes that `--distribute model` sums over the devices in a step, of each device.

        Source: Shoeybi et al. 2019, section 3: two sums of a block forward, and two backward; one
        each for the embedding and the logits.
        Formula: `number rows T D (4 L + 2)`

        XLA for processors sums the gradients of query, key and value one by one, which makes
        `6 L + 2`.
        """
        return number * rows * self.length * self.width * (4 * self.layers + 2)


@dataclass(frozen=True)
class Device:
    """A device, and its links to the others.

    Args:
        flops: Operations per second in bfloat16.
        used: The share of them that a program reaches.
        memory: Bytes of memory.
        near: Bytes per second and direction between devices of a host.
        far: The same between hosts.
        on_host: Devices of a host.
    """

    flops: float
    used: float
    memory: float
    near: float
    far: float
    on_host: int

    def all_reduce(self, size: float, count: int) -> float:
        """Seconds of a sum over devices in a ring: 2 (n - 1) / n of the bytes pass each link."""
        link = self.near if count <= self.on_host else self.far
        return 2 * (count - 1) / count * size / link


class Cost(NamedTuple):
    """Bytes of a device, and seconds of a step."""

    memory: float
    arithmetic: float
    communication: float
    tokens: int


GPTS = (
    Network("GPT-2 124M", 12, 768, 12, 3072),
    Network("GPT 1.3B", 24, 2048, 16, 8192),
    Network("GPT 7B", 32, 4096, 32, 16384),
)
# NVIDIA's data sheet of the H100 SXM; 400 Gbit/s of network for each GPU.
H100 = Device(989e12, 0.4, 80e9, 450e9, 50e9, 8)
ROWS = 8  # of each device with `data`, of all together with `model`


def data(network: Network, count: int, device: Device = H100, rows: int = ROWS) -> Cost:
    """A step with `--distribute data`: each device has all weights, and rows of its own.

    Args:
        network: The network.
        count: Number of devices.
        device: The devices.
        rows: Rows of each device.

    Example:
        >>> round(data(GPTS[0], 8).memory / 1e9)
        8
    """
    return Cost(
        network.state() + FLOAT * network.parameters + network.activations(rows),
        network.flops(rows) / (device.used * device.flops),
        device.all_reduce(network.sums_of_gradients(), count),
        rows * count * network.length,
    )


def model(network: Network, count: int, device: Device = H100, rows: int = ROWS) -> Cost | None:
    """A step with `--distribute model`: each device has a part of the weights, and all rows.

    Args:
        network: The network.
        count: Number of devices.
        device: The devices.
        rows: Rows of all devices together.

    Returns:
        The cost; None if the heads do not divide by the devices, so that attention is not split.

    Example:
        >>> model(GPTS[0], 8)  # 12 heads
        >>> round(model(GPTS[2], 8).memory / 1e9)
        27
    """
    if network.heads % count:
        return None
    return Cost(
        (network.state() + FLOAT * network.parameters) / count + network.activations(rows, count),
        network.flops(rows) / count / (device.used * device.flops),
        device.all_reduce(network.sums_of_activations(rows), count),
        rows * network.length,
    )


def table() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    for network in GPTS:
        for count in (8, 64, 1024):
            for how, cost in (("data", data(network, count)), ("model", model(network, count))):
                yield network.name, f"{count:,}", how, *_cells(cost)


def _cells(cost: Cost | None) -> tuple[str, ...]:
    if cost is None:
        return "heads do not divide", "", "", ""
    memory, fits = cost.memory / 1e9, cost.memory <= H100.memory
    if not fits:
        return f"{memory:.0f} GB: does not fit", "", "", ""
    seconds = cost.arithmetic + cost.communication
    times = (f"{1000 * part:.0f} ms" for part in (cost.arithmetic, cost.communication))
    return f"{memory:.0f} GB", *times, f"{cost.tokens / seconds:,.0f}"


if __name__ == "__main__":
    for cells in (HEADER, ("---",) * len(HEADER), *table()):
        print("|", " | ".join(cells), "|")
