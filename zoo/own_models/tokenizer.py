"""A tokenizer alone, as an artifact."""

from collections.abc import Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.own_models.text_model import ExportableTextModel
from zoo.preprocessing.base import BATCH, LENGTH, TensorSpec
from zoo.preprocessing.byte_texts import as_bytes
from zoo.preprocessing.text_probes import ODD_TEXTS
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS
from zoo.text.programs.utf8 import received
from zoo.text.tokenizer import FILE_NAME, Tokenizer

IDS, COUNTS, DECODE = "token_ids", "counts", "decode"


class ExportableTokenizer:
    """A tokenizer that `export` writes to a file of its own, with built-in operators only.

    The signature `serving_default` converts UTF-8 to token ids without special tokens, and `decode`
    converts them back.

    Args:
        tokenizer: The tokenizer, such as `task.tokenizer`.
        texts: Texts to verify the file with, besides those that are hard to tokenize.
        max_length: The number of ids after which a model of texts cuts off a text; None for no
            limit.

    Example:
        >>> import export, zoo
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("bytes", [], 300)
        >>> exportable = zoo.ExportableTokenizer(tokenizer, ["a red hut"])
        >>> export.litert(exportable, "tokenizer.tflite").passed     # doctest: +SKIP
        True
    """

    def __init__(
        self, tokenizer: Tokenizer, texts: Sequence[str] = (), max_length: int | None = None
    ) -> None:
        self.tokenizer, self._shown, self._texts = tokenizer, [*texts], [*texts, *ODD_TEXTS]
        self._max_length = max_length
        nothing = keras.Input((None,), dtype="int32")
        self.model = keras.Model(nothing, nothing)  # export asks for one; it has no weights

    def around(self, model: keras.Model, labels: Sequence[str] = ()) -> ExportableTextModel:
        """A model of ids with the tokenizer before it; `export` takes it, too.

        Args:
            model: The model, of ids (B, T), and of their mask if it takes one.
            labels: The names of its classes, in the order of its output.
        """
        limit, shown = self._max_length, self._shown
        return ExportableTextModel(model, self.tokenizer, self._texts, limit, labels, shown)

    def export_parts(
        self,
        text: str | None = None,
        litert: bool = False,
        samples: bool = False,
        *,
        length: int | None = None,
    ) -> ExportParts:
        """All that an artifact is made from; it is the same for all options."""
        signatures, probes = self._signatures(), self._probes()
        return ExportParts(
            signatures,
            live=signatures,
            probes=probes,
            strings=signatures if text == "bytes" else None,
            samples=probes if samples else {},  # there are no weights to quantize
            config={"task": "tokenizer", "tokenizer": self.tokenizer.kind},
            assets={FILE_NAME: self.tokenizer.to_json()},
        )

    def _signatures(self) -> dict[str, Signature]:
        program = self.tokenizer.program

        def encode(text_bytes: Any, text_lengths: Any) -> Tensors:
            ids, counts = program.encode(*received(text_bytes, text_lengths))
            inside = tf.range(tf.shape(ids)[1]) < counts[:, None]
            return {IDS: tf.where(inside, ids, 0), COUNTS: counts}

        def decode(token_ids: Any, counts: Any) -> Tensors:
            inside = tf.range(tf.shape(token_ids)[1]) < counts[:, None]
            decoded = program.decode(tf.where(inside, token_ids, -1))
            return dict(zip((TEXT_BYTES, TEXT_LENGTHS), decoded, strict=True))

        def numbers(of: str, what: str, axis: str) -> Mapping[str, TensorSpec]:
            count = TEXT_LENGTHS if of == TEXT_BYTES else COUNTS
            return {
                of: TensorSpec((BATCH, axis), "int32", 0, f"{what} of the text"),
                count: TensorSpec((BATCH,), "int32", meaning=f"number of {what}"),
            }

        taken = {
            SERVING_DEFAULT: (numbers(TEXT_BYTES, "bytes", f"{TEXT}_size"), encode),
            DECODE: (numbers(IDS, "token ids", LENGTH), decode),
        }
        purposes = {SERVING_DEFAULT: "Converts a text to token ids.", DECODE: "Converts them back."}
        meanings = {
            IDS: "the ids; each is an index of `vocabulary` in tokenizer.json; then 0",
            COUNTS: "how many ids there are",
            TEXT_BYTES: "the text, UTF-8",
            TEXT_LENGTHS: "its number of bytes",
        }
        outputs = {
            SERVING_DEFAULT: {IDS: (BATCH, None), COUNTS: (BATCH,)},
            DECODE: {TEXT_BYTES: (BATCH, None), TEXT_LENGTHS: (BATCH,)},
        }
        return {
            name: Signature(
                inputs, inputs, infer, outputs[name], purpose=purposes[name], meanings=meanings
            )
            for name, (inputs, infer) in taken.items()
        }

    def _probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Texts and their ids, by name of the signature."""
        texts = as_bytes({TEXT: self._texts})
        ids, counts = self.tokenizer.program.encode(texts[TEXT_BYTES], texts[TEXT_LENGTHS])
        encoded = {IDS: np.asarray(ids), COUNTS: np.asarray(counts)}
        return {SERVING_DEFAULT: [texts], DECODE: [encoded]}

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        """Raises a `UserError`: a tokenizer has no metric."""
        raise UserError("a tokenizer has no metric: leave out data")
