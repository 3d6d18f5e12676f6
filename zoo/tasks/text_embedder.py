"""From a text to a vector, near those of texts that mean the like."""

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.catalog import create_model, settle
from zoo.errors import UserError
from zoo.tasks.embedding_serving import embedding_signatures
from zoo.tasks.serving import text_probes
from zoo.tasks.task import Task
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer

POOLINGS = ("mean", "cls")
TINY = 1e-12  # the least norm that a vector is divided by


class TextEmbedder(Task):
    """Makes vectors of texts; `zoo.from_pretrained` gives one that has learned to.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t`, `cls: v = x_1`; then `v / |v|` if normalized

    Args:
        model: A model for text-embedder that `zoo.list_models` gives.
        preset: One of its presets.
        pooling: What stands for a text: "mean" of its tokens, or "cls", the start token alone.
        normalize: Whether vectors have the length 1.
        max_length: Greatest number of tokens of a text, start and end token included; what is
            longer is cut.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> from zoo.text import train_tokenizer
        >>> task = zoo.TextEmbedder("bert", "tiny", width=8, hidden_width=16, max_length=16)
        >>> task._use(train_tokenizer("wordpiece", ["a red hut"], 30))
        >>> task.embed(["a hut", "red"]).shape
        (2, 8)
    """

    name = "text-embedder"

    def __init__(
        self,
        model: str = "bert",
        preset: str = "mini_lm",
        *,
        pooling: str = "mean",
        normalize: bool = True,
        max_length: int = 128,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if pooling not in POOLINGS:
            raise UserError(f"pooling must be one of {', '.join(POOLINGS)}, got {pooling!r}")
        config.pop("vocabulary_size", None)  # of a saved config; the tokenizer says it
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "pooling": pooling,
                "normalize": normalize,
                "max_length": max_length,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, "max_length": max_length, **config}
        settle(model, preset, self._config, self.name)
        self._embed: Any = None

    # --- What it is made of ---

    @property
    def codec(self) -> TextCodec:
        """Texts to padded ids."""
        return TextCodec(self.tokenizer, self.max_length, starts=True)

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            vocabulary_size=tokenizer.vocabulary_size,
            classes=0,
            **self._config,
        )
        self._embed = self.embeddings
        if keras.backend.backend() == "tensorflow":
            ids = tf.TensorSpec([None, None], tf.int32)
            self._embed = tf.function(self.embeddings, input_signature=[ids], autograph=False)

    # --- Use ---

    def embeddings(self, token_ids: Any) -> Any:
        """Ids (B, T) to vectors (B, D), in float32."""
        inputs = self.model.inputs_for(token_ids, self.tokenizer.specials)
        sequence = ops.cast(self.model(inputs)["sequence"], "float32")
        if self.settings["pooling"] == "cls":
            vectors = sequence[:, 0]
        else:
            keep = ops.cast(ops.expand_dims(inputs["padding_mask"], -1), "float32")
            vectors = ops.sum(sequence * keep, axis=1) / ops.sum(keep, axis=1)
        if not self.settings["normalize"]:
            return vectors
        squares = ops.sum(ops.square(vectors), axis=-1, keepdims=True)
        return vectors / ops.maximum(ops.sqrt(squares), TINY)

    def embed(self, texts: list[str], batch_size: int = 64) -> np.ndarray:
        """The vectors of texts, float32 (B, D).

        Args:
            texts: The texts.
            batch_size: How many are worked on at once, those of like length together.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        found = np.zeros((len(texts), self.model.state_width), "float32")
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(texts), batch_size):
            rows = order[start : start + batch_size]
            ids = self.codec.encode(tf.constant([texts[i] for i in rows], tf.string))
            found[rows] = ops.convert_to_numpy(self._embed(ops.convert_to_tensor(ids.numpy())))
        return found

    predict = embed

    def similarity(self, firsts: list[str], seconds: list[str]) -> np.ndarray:
        """The cosine of each first text with each second, (A, B), from -1 to 1.

        Args:
            firsts: Texts.
            seconds: Texts.
        """
        a, b = (
            vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), TINY)
            for vectors in (self.embed(firsts), self.embed(seconds))
        )
        return a @ b.T

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.embedding_serving`."""
        return embedding_signatures(self, strings)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return text_probes(self, self.examples)
