"""Generation as one compiled program a setting."""

from functools import lru_cache
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.decoding.generate import generate
from zoo.text.specials import Specials


class Generator:
    """Source ids to the ids of the best output, traced once for every setting.

    On TensorFlow the loop is one graph for all batches and lengths; other backends compile the
    loop themselves.

    Args:
        model: A `Decoder`.
        specials: The ids of its vocabulary that stand for no text.
    """

    def __init__(self, model: keras.Model, specials: Specials) -> None:
        self._model, self._specials = model, specials
        self._program = lru_cache(maxsize=16)(self._trace)

    def __call__(self, token_ids: Any, seed: int | None = None, **generation: Any) -> np.ndarray:
        token_ids = ops.convert_to_tensor(token_ids, "int32")
        if seed is None and generation.get("temperature"):
            seed = int(np.random.default_rng().integers(2**31))
        program = self._program(tuple(generation.items()), seed)
        return ops.convert_to_numpy(program(token_ids))

    def _trace(self, generation: tuple, seed: int | None) -> Any:
        def program(token_ids: Any) -> Any:
            how = {"seed": seed, "specials": self._specials, **dict(generation)}
            return generate(self._model, token_ids, **how).token_ids[:, 0]

        if keras.backend.backend() != "tensorflow":
            return program
        import tensorflow as tf

        ids = tf.TensorSpec([None, None], tf.int32)
        return tf.function(program, input_signature=[ids], autograph=False)
