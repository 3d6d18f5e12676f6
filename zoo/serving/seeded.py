"""Sampling in artifacts: the seed is an input, one for each row.

A row then does not depend on its batch: with the seed s, it is what `predict` with `seed=s` gives
for that input alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from keras import ops

from zoo.decoding.rng import row_seeds
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.serving.inference import Inference, Tensors
from zoo.serving.memoized import memoized

SEED = "seed"
SEED_SPEC = TensorSpec((BATCH,), "int32", meaning="the random seed of each row")

Calls = dict[str, list[dict[str, np.ndarray]]]


def seeded(inference: Inference, **sampling: Any) -> Inference:
    """An inference that takes a seed for each row.

    Args:
        inference: The inference, whose `compute` also takes `seed`, from `row_seeds`, and the
            options of sampling.
        **sampling: The options of sampling, such as `temperature`.
    """

    def prepare(features: Tensors) -> Tensors:
        return {**inference.prepare(features), SEED: features[SEED]}

    def compute(inputs: Tensors, **options: Any) -> Tensors:
        seed = inputs[SEED]
        others = {name: x for name, x in inputs.items() if name != SEED}
        seeds = row_seeds(seed, ops.zeros_like(seed))
        return inference.compute(others, seed=seeds, **sampling, **options)

    features = {**inference.features, SEED: SEED_SPEC}
    return replace(inference, features=features, prepare=prepare, compute=memoized(compute))


def calls_with_seeds(calls: Mapping[str, list[dict[str, np.ndarray]]]) -> Calls:
    """Calls of signatures, and the same calls with seeds.

    Example:
        >>> seeded = calls_with_seeds({"tokens": [{"token_ids": np.ones((2, 3), "int32")}]})
        >>> list(seeded), seeded["tokens, seeded"][0]["seed"].tolist()
        (['tokens', 'tokens, seeded'], [0, -1640531527])
    """
    seeded = dict(calls)
    for name, batches in calls.items():
        seeded[f"{name}, seeded"] = [
            {**batch, SEED: seeds_of(len(next(iter(batch.values()))))} for batch in batches
        ]
    return seeded


def seeds_of(rows: int) -> np.ndarray:
    """Different seeds, int32, of which some are negative."""
    return (np.arange(rows, dtype=np.uint32) * np.uint32(0x9E3779B9)).view(np.int32)
