"""Generation as one compiled program a setting."""

from functools import lru_cache
from inspect import signature
from typing import Any

import keras
from keras import ops

from zoo.decoding.generate import generate
from zoo.decoding.protocol import Generated
from zoo.decoding.rng import row_seeds
from zoo.text.special_tokens import SpecialTokens

_DEFAULTS = {name: each.default for name, each in signature(generate).parameters.items()}


class Generator:
    """Source ids to outputs, traced once for every setting.

    On TensorFlow the loop is one graph for all batches and lengths; other backends compile the
    loop themselves.

    Args:
        model: A `Decoder`.
        special_tokens: The ids of its vocabulary that stand for no text.
    """

    def __init__(self, model: keras.Model, special_tokens: SpecialTokens) -> None:
        self._model, self._specials = model, special_tokens
        self._program = lru_cache(maxsize=16)(self._trace)

    def __call__(
        self, token_ids: Any, seed: int | None = None, rows: Any = None, **generation: Any
    ) -> Generated:
        """As `zoo.decoding.generate`.

        Args:
            token_ids: Source ids or prompts (B, S).
            seed: Fixes what is drawn; another seed is not another program.
            rows: Numbers (B,) of the rows, from which their chance comes too; default 0, 1 ...
            **generation: The other arguments.
        """
        token_ids = ops.convert_to_tensor(token_ids, "int32")
        seeds = row_seeds(seed, ops.arange(token_ids.shape[0]) if rows is None else rows)
        # One program, whether a default is spelled out or not.
        changed = {name: how for name, how in generation.items() if how != _DEFAULTS.get(name)}
        program = self._program(tuple(sorted(changed.items())))
        return Generated(*map(ops.convert_to_numpy, program(token_ids, seeds)))

    def _trace(self, generation: tuple) -> Any:
        def program(token_ids: Any, seeds: Any) -> Generated:
            how = {"seed": seeds, "special_tokens": self._specials, **dict(generation)}
            return generate(self._model, token_ids, **how)

        if keras.backend.backend() != "tensorflow":
            return program
        import tensorflow as tf

        inputs = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, 2], tf.int32)]
        return tf.function(program, input_signature=inputs, autograph=False)
