"""The columns of the contract's table, by hand: name -> check."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.contract.checks import (
    dense,
    documentation,
    elsewhere,
    empty,
    inputs,
    keras_exports,
    masks,
    numbers,
    poison,
    precision,
    saving,
    shapes,
    summary,
    training,
)

BOTH = ("tensorflow", "jax")
# Where numbers are compared that are known to be those of the other backend, or files written.
HOME = ("tensorflow",)
COMPUTED = ("layer", "loss", "metric")  # the kinds of exports that give numbers


@dataclass(frozen=True)
class Check:
    """A column: what is called, with what, for which kinds of exports and on which backends."""

    function: Callable
    kinds: tuple[str, ...]
    backends: tuple[str, ...] = BOTH
    takes: str = "case"  # or "thing", the export itself, or "case and folder"


CHECKS = {
    "sections": Check(documentation.layer_sections, ("layer",), takes="thing"),
    "docstring": Check(
        documentation.other_sections, ("loss", "metric", "function", "other"), takes="thing"
    ),
    "example": Check(
        documentation.example_runs,
        ("layer", "loss", "metric", "function", "other"),
        HOME,
        takes="thing",
    ),
    "config": Check(saving.config_round_trip, ("layer", "loss", "metric")),
    "keras file": Check(saving.keras_file, ("layer",), HOME),
    "oracle": Check(numbers.equals_oracle, ("layer", "loss", "metric")),
    "keras layer": Check(numbers.equals_keras, ("layer",), HOME),
    "symbolic": Check(numbers.symbolic, ("layer",)),
    "shapes": Check(shapes.told_shapes, ("layer",), HOME),
    "summary": Check(summary.summaries, ("layer",), HOME),
    "wrong inputs": Check(inputs.wrong_inputs, ("layer",)),
    "dense only": Check(dense.only_dense, ("layer", "loss", "metric", "function"), takes="thing"),
    "masked": Check(masks.masked_positions, ("layer", "loss", "metric")),
    "all masked": Check(masks.fully_masked, ("layer", "loss", "metric")),
    "NaN behind the mask": Check(poison.behind_the_mask, ("layer", "loss", "metric")),
    "length 0": Check(empty.length_0, ("layer", "loss", "metric")),
    "batch 0": Check(empty.batch_0, ("layer", "loss", "metric")),
    "implicit mask": Check(masks.implicit_masks, ("layer", "loss", "metric")),
    "causal": Check(masks.causal, ("layer",)),
    "maps": Check(masks.maps, ("layer",)),
    "neighbours": Check(masks.longer_neighbours, ("layer",)),
    "mixed": Check(precision.mixed_precision, ("layer", "loss")),
    "float32": Check(precision.float32_inside, ("layer", "loss"), HOME),
    "eager": Check(training.eager, ("layer", "loss"), HOME),
    "graph": Check(training.graph, ("layer", "loss"), HOME),
    "XLA": Check(training.xla, ("layer", "loss")),
    "XLA, variants": Check(training.variants_by_xla, ("layer", "loss"), ("jax",)),
    "JAX": Check(elsewhere.on_jax, ("layer", "loss", "metric"), HOME, takes="case and folder"),
    "PyTorch": Check(
        elsewhere.on_torch, ("layer", "loss", "metric"), HOME, takes="case and folder"
    ),
    "SavedModel": Check(elsewhere.saved_model, ("layer",), HOME, takes="case and folder"),
    "LiteRT": Check(elsewhere.litert, ("layer",), HOME, takes="case and folder"),
    "Keras export": Check(keras_exports.keras_exports, ("layer",), HOME, takes="case and folder"),
}
