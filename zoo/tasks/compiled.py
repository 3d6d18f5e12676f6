"""Generation as one compiled program a setting."""

from functools import lru_cache
from inspect import signature
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.decoding.generate import generate
from zoo.decoding.protocol import Generated
from zoo.text.specials import Specials

_DEFAULTS = {name: each.default for name, each in signature(generate).parameters.items()}


class Generator:
    """Source ids to outputs, traced once for every setting.

    On TensorFlow the loop is one graph for all batches and lengths; other backends compile the
    loop themselves.

    Args:
        model: A `Decoder`.
        specials: The ids of its vocabulary that stand for no text.
    """

    def __init__(self, model: keras.Model, specials: Specials) -> None:
        self._model, self._specials = model, specials
        self._program = lru_cache(maxsize=16)(self._trace)

    def __call__(self, token_ids: Any, seed: int | None = None, **generation: Any) -> Generated:
        token_ids = ops.convert_to_tensor(token_ids, "int32")
        if seed is None and generation.get("temperature"):
            seed = int(np.random.default_rng().integers(2**31))
        # One program, whether a default is spelled out or not.
        changed = {name: how for name, how in generation.items() if how != _DEFAULTS.get(name)}
        program = self._program(tuple(sorted(changed.items())), seed)
        return Generated(*map(ops.convert_to_numpy, program(token_ids)))

    def _trace(self, generation: tuple, seed: int | None) -> Any:
        def program(token_ids: Any) -> Generated:
            how = {"seed": seed, "specials": self._specials, **dict(generation)}
            return generate(self._model, token_ids, **how)

        if keras.backend.backend() != "tensorflow":
            return program
        import tensorflow as tf

        ids = tf.TensorSpec([None, None], tf.int32)
        return tf.function(program, input_signature=[ids], autograph=False)
