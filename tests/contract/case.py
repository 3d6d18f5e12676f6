"""What a case tells the harness about one exported layer, loss or metric."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Distinct primes, so that a swapped axis cannot go unseen.
SIZES = {"B": 3, "T": 5, "S": 7, "D": 11, "H": 2, "K": 13, "W": 17, "U": 19, "V": 23, "F": 29}
SIZES |= {"N": 31, "E": 37, "2": 2}  # nodes, edges, and the two ends of an edge
SIZES |= {"I": 7, "J": 5, "C": 2, "Y": 13, "X": 11}  # images: rows, columns, channels; resampled
SIZES |= {"G": 26}  # values and their gates, both as wide as K
# Batch, both time axes, nodes and edges are unknown when a layer is traced or exported.
UNKNOWN_AXES = "BTSNE"


@dataclass(frozen=True)
class Tensor:
    """One input: its axes as letters of SIZES, and what it holds."""

    axes: str
    kind: str = "float"
    below: int | str = 0

    def shape(self, sizes: dict[str, int] = SIZES) -> tuple[int, ...]:
        return tuple(sizes[letter] for letter in self.axes)

    def unknown_shape(self) -> tuple[int | None, ...]:
        return tuple(None if letter in UNKNOWN_AXES else SIZES[letter] for letter in self.axes)

    @property
    def dtype(self) -> str:
        return {"float": "float32", "mask": "bool", "ids": "int32"}[self.kind]


def floats(axes: str) -> Tensor:
    """Standard normal numbers."""
    return Tensor(axes)


def mask(axes: str) -> Tensor:
    """True = take part; its last axis is the one it masks."""
    return Tensor(axes, "mask")


def ids(axes: str, below: int | str) -> Tensor:
    """Integers from 0 to `below` - 1; of a letter, positions on that axis."""
    return Tensor(axes, "ids", below)


@dataclass(frozen=True)
class Mode:
    """Another way to use the layer: another call, arguments that replace the case's, and the
    inputs that the check is about (those with a time axis, if none is named)."""

    call: Callable | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranks:
    """Why a layer takes inputs of other ranks, too, all of them together and without masks: those
    of one sample, or with one more axis at a place, which the outputs then have, too. `variant`:
    the one that does. `within`: what a layer within calls its inputs, which decides on them; a
    mask may then lack its last axis."""

    reason: str
    fewer: bool = False
    extra_at: int | None = None
    variant: str = ""
    within: str = ""


@dataclass(frozen=True, eq=False)  # a case is itself alone, so that layers are kept by it
class Case:
    """One row of the contract's table.

    `layer`: the exported class. `arguments`: a function giving every `__init__` argument at a
    value other than its default; those that exclude each other meet in `variants`.
    `inputs`: name -> Tensor; `outputs`: name -> axes. `call(layer, x)` calls the layer on the
    inputs `x` (masks may be missing: use `x.get`). `oracle(weights, x, arguments)` computes the
    outputs in float64.
    """

    layer: type
    arguments: Callable[[], dict[str, Any]]
    inputs: dict[str, Tensor]
    outputs: dict[str, str]
    call: Callable
    oracle: Callable
    # More sets of arguments on which the numbers, the gradients and the exports are checked.
    # A function, where an argument is a layer, which no two layers may share.
    variants: dict[str, dict[str, Any] | Callable] = field(default_factory=dict)
    # Arguments of which only the config is checked here, as they need a fixed batch size.
    config_only: dict[str, Any] = field(default_factory=dict)
    # Builds the Keras layer this one replaces; the arguments of ours that match it; how it is
    # called, if not as ours is; the inputs that both know, if not all.
    keras: Callable | None = None
    keras_arguments: dict[str, Any] | Callable | None = None
    keras_call: Callable | None = None
    keras_inputs: tuple[str, ...] = ()
    # Mask name -> the inputs whose positions it takes out.
    masks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Mask name -> the input that may carry it as Keras's implicit mask. A name that is no input
    # stands for a mask that is only passed on.
    implicit: dict[str, str] = field(default_factory=dict)
    # Whether an explicit mask joins an implicit one, instead of standing in for it.
    masks_join: bool = False
    # The mask that the first output carries on, if the layer passes one on.
    passes_on: str | None = None
    # Mask name -> outputs that are exactly zero where it masks all; the others stay finite.
    zero_when_masked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Arguments under which output position t belongs to input position t.
    aligned: dict[str, Any] = field(default_factory=dict)
    causal: Mode | None = None
    # The call that asks for attention maps; it returns the outputs followed by the maps.
    maps: Mode | None = None
    maps_axes: str = ""  # of each map, with a space between them
    # The dtype of the outputs under mixed precision, where it is not the compute dtype.
    output_dtype: str = ""
    # The ranks that the layer takes besides those of the inputs.
    other_ranks: Ranks | None = None
    # Arguments of the call that may be integers where floats are expected -> why.
    integers: dict[str, str] = field(default_factory=dict)
    # How many times what is rounded is rounded again, as by attention in each step of a recurrence.
    rounded_again: int = 1
    # Multiplies inputs, or replaces sizes, where half precision inside would show.
    hard_scales: dict[str, float] = field(default_factory=dict)
    hard_sizes: dict[str, int] = field(default_factory=dict)
    # The name of a further row about the same layer, in which not every argument is set.
    title: str = ""
    # Check -> why it cannot apply by the nature of the layer.
    not_applicable: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.title or self.layer.__name__

    def dtype_under(self, half: str) -> str:
        return self.output_dtype or half

    def arguments_of(self, variant: str) -> dict[str, Any]:
        """The arguments of a variant; "" is the case itself."""
        changes = self.variants[variant] if variant else {}
        return self.arguments() | (changes() if callable(changes) else changes)
