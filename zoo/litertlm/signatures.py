"""The signatures that LiteRT-LM calls: `decode`, and `prefill` for several numbers of tokens."""

from typing import Any

import keras
from keras import ops

from zoo.errors import UserError
from zoo.models.key_value_caches import Caches, KeyValueModel
from zoo.preprocessing.base import TensorSpec
from zoo.serving.inference import Tensors
from zoo.serving.signatures import Signature

# Numbers of tokens that are read at once. LiteRT-LM reads a prompt with the largest that fit; with
# 1 among them, it also reads the prompts that fill the cache.
PREFILL = (512, 128, 16, 1)
DECODE = "decode"
TOKENS, POSITIONS, LOGITS = "tokens", "input_pos", "logits"
MEANINGS = {TOKENS: "ids of tokens", POSITIONS: "their positions, one after another"}


def signatures(model: KeyValueModel, vocabulary_size: int, max_length: int) -> dict[str, Signature]:
    """The signatures by name.

    Source: https://github.com/google-ai-edge/LiteRT-LM, version 0.18.1.

    The keys and values of each block go in and out as `kv_cache_k_0`, `kv_cache_v_0` and so on.

    Args:
        model: The model.
        vocabulary_size: Number of tokens V.
        max_length: Number of tokens S of the caches.

    Raises:
        UserError: If the caches of the model are not keys and values of every position.
    """
    shapes = _cache_shapes(model, max_length)
    built = {DECODE: _signature(model, shapes, 1, vocabulary_size)}
    for count in PREFILL:
        if count <= max_length:
            built[f"prefill_{count}"] = _signature(model, shapes, count)
    return built


def _cache_shapes(model: KeyValueModel, max_length: int) -> dict[str, tuple[int, ...]]:
    """The shape of each cache, by the name that LiteRT-LM has for it."""
    shapes: dict[str, tuple[int, ...]] = {}
    for number, cache in enumerate(model.initial_cache(1, max_length)):
        arrays = list(cache) if isinstance(cache, tuple | list) else []
        sizes = [tuple(map(int, array.shape)) for array in arrays]
        if len(sizes) != 2 or any(len(x) != 4 or x[2] != max_length for x in sizes):
            raise UserError(
                "LiteRT-LM runs models with full attention, whose caches are keys and values of "
                f"every position; block {number} has another cache"
            )
        shapes |= dict(zip(_names(number), sizes, strict=True))
    return shapes


def _names(number: int) -> tuple[str, str]:
    return f"kv_cache_k_{number}", f"kv_cache_v_{number}"


def _signature(
    model: KeyValueModel, shapes: dict[str, tuple[int, ...]], count: int, vocabulary_size: int = 0
) -> Signature:
    """Reads `count` tokens; with a size of the vocabulary, it also gives the logits."""
    specs = {
        TOKENS: TensorSpec((1, count), "int32", meaning=MEANINGS[TOKENS]),
        POSITIONS: TensorSpec((count,), "int32", meaning=MEANINGS[POSITIONS]),
        **{name: TensorSpec(shape, "float32") for name, shape in shapes.items()},
    }

    def infer(**inputs: Any) -> Tensors:
        caches: Caches = [
            tuple(inputs[name] for name in _names(number)) for number in range(len(shapes) // 2)
        ]
        x, caches = model.extend(inputs[TOKENS], caches, inputs[POSITIONS][0])
        outputs: Tensors = {}
        for number, cache in enumerate(caches):
            outputs |= dict(zip(_names(number), cache, strict=True))
        if vocabulary_size:
            outputs[LOGITS] = ops.cast(model.logits_of(x), "float32")
        return outputs

    axes: dict[str, tuple[int, ...]] = dict(shapes)
    if vocabulary_size:
        axes[LOGITS] = (1, 1, vocabulary_size)
    purpose = "Reads a token and predicts the next." if vocabulary_size else "Reads tokens."
    return Signature(specs, specs, infer, axes, invariances=(), purpose=purpose)


def key_value_model(model: keras.Model, name: str) -> KeyValueModel:
    """The model, which must have caches.

    Args:
        model: The model.
        name: Its name, for the message.

    Raises:
        UserError: If it has none.
    """
    if not isinstance(model, KeyValueModel):
        raise UserError(
            f"LiteRT-LM runs language models with caches of keys and values, and {name} has none: "
            "train gpt or llama"
        )
    return model
