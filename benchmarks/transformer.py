"""The train step of a Transformer beside the same model made of KerasHub's blocks.

    python -m benchmarks.transformer --out transformer.json

Equal sizes, weights counted, dropout and loss; each with Adam as its library has it, with and
without XLA. Ours also with mixed precision, where it is compared with our fastest float32.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

from collections.abc import Iterator
from typing import Any

import keras
import keras_hub
import numpy as np
from keras import ops

from benchmarks.command import main
from keras_attn.losses import MaskedCrossentropy
from zoo.bench.timing import Contender, Result, best, compare, take_turns
from zoo.cli.memory import keep_freed_memory
from zoo.models.create import create_model
from zoo.models.seq2seq import seq2seq_inputs
from zoo.registry import MODELS
from zoo.training.optimizer import adam

VOCABULARY = 8000
BATCH, LENGTH = 8, 64


def ours(sizes: dict[str, Any], dtype: str = "float32") -> keras.Model:
    return create_model(
        "transformer",
        source_vocabulary_size=VOCABULARY,
        target_vocabulary_size=VOCABULARY,
        # KerasHub's blocks drop attention weights too, by the same share.
        attention_dropout=sizes["dropout"],
        dtype=dtype,
        **sizes,
    )


def keras_hub_model(sizes: dict[str, Any]) -> keras.Model:
    width, dropout = sizes["hidden_dim"], sizes["dropout"]
    embedding = keras.layers.ReversibleEmbedding(VOCABULARY, width)
    positions = keras_hub.layers.SinePositionEncoding()
    block = {
        "intermediate_dim": sizes["intermediate_dim"],
        "num_heads": sizes["num_heads"],
        "dropout": dropout,
    }

    def embed(ids: Any) -> Any:
        x = embedding(ids) * width**0.5
        return keras.layers.Dropout(dropout)(x + positions(x))

    inputs = seq2seq_inputs()
    x = embed(inputs["source_ids"])
    for _ in range(sizes["num_layers"]):
        x = keras_hub.layers.TransformerEncoder(**block)(x, padding_mask=inputs["source_mask"])
    y = embed(inputs["target_ids"])
    for _ in range(sizes["num_layers"]):
        y = keras_hub.layers.TransformerDecoder(**block)(
            y,
            x,
            decoder_padding_mask=inputs["target_mask"],
            encoder_padding_mask=inputs["source_mask"],
        )
    return keras.Model(inputs, {"logits": embedding(y, reverse=True)})


def batch(length: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Random sentences, every other one a quarter shorter than the batch is long."""
    random = np.random.default_rng(0)
    mask = np.arange(length) < np.where(np.arange(BATCH) % 2, length * 3 // 4, length)[:, None]
    source, target, labels = random.integers(4, VOCABULARY, (3, BATCH, length), "int32") * mask
    inputs = {"source_ids": source, "source_mask": mask, "target_ids": target, "target_mask": mask}
    return inputs, labels


def train_step(model: keras.Model, optimizer: keras.Optimizer, xla: bool, length: int) -> Contender:
    model.compile(optimizer, MaskedCrossentropy(), jit_compile=xla)
    inputs, labels = batch(length)
    inputs = {name: ops.convert_to_tensor(array) for name, array in inputs.items()}
    labels = ops.convert_to_tensor(labels)
    return lambda: model.train_on_batch(inputs, labels)


def contenders(sizes: dict[str, Any], length: int) -> dict[str, Contender]:
    found = {}
    for end, xla in (("", False), (" xla", True)):
        model = ours(sizes)
        found[f"ours{end}"] = train_step(model, adam(1e-4, beta_2=0.999), xla, length)
        model = keras_hub_model(sizes)
        found[f"keras_hub{end}"] = train_step(model, keras.optimizers.Adam(1e-4), xla, length)
    model = ours(sizes, "mixed_bfloat16")
    found["ours bfloat16"] = train_step(model, adam(1e-4, beta_2=0.999), False, length)
    return found


def run(quick: bool = False) -> Iterator[Result]:
    preset, length, turns = ("tiny", 16, 3) if quick else ("base", LENGTH, 9)
    keep_freed_memory()  # as the command line
    sizes = {**MODELS["transformer"].presets[preset], **({"num_layers": 1} if quick else {})}
    seconds = take_turns(contenders(sizes, length), turns)
    versus = {
        "keras_hub / ours": ("keras_hub", "ours"),
        "keras_hub xla / ours xla": ("keras_hub xla", "ours xla"),
        "best keras_hub / best ours": (
            best(seconds, "keras_hub", "keras_hub xla"),
            best(seconds, "ours", "ours xla"),
        ),
        "best ours / ours bfloat16": (best(seconds, "ours", "ours xla"), "ours bfloat16"),
    }
    name = f"transformer {preset} train step, {BATCH} x ({length} + {length}) tokens"
    yield Result(name, seconds, compare(seconds, versus), BATCH * length, "target tokens")


if __name__ == "__main__":
    main({"transformer": run}, __doc__.splitlines()[0])
