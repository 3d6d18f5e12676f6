"""A Keras model of one's own with a tokenizer before it, in the form that `export` takes."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.lines import LABELS, to_lines
from zoo.own_models.labels import MEANING, SCORES, check_labels, check_scores, scores_of
from zoo.own_models.outputs import named
from zoo.own_models.page import OwnModelPage
from zoo.preprocessing.base import BATCH, LENGTH, TensorSpec
from zoo.preprocessing.byte_texts import TRUNCATED, as_bytes
from zoo.preprocessing.text import TEXT
from zoo.serving.about import ABOUT, about
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.text.form import TEXT_BYTES, TEXT_LENGTHS
from zoo.text.programs.utf8 import received
from zoo.text.tokenizer import FILE_NAME, Tokenizer

TOKENS = "tokens"  # name of the signature that takes ids
FURTHER = 3  # columns of padding by which the model is tried
CLOSE = 1e-5  # error up to which padding changes nothing


class ExportableTextModel:
    """A model of ids with the tokenizer before it: its files take texts in UTF-8.

    The signature `serving_default` takes texts as bytes, `tokens` their ids. The ids have no
    special tokens, and padding behind them; a model with a second input that is bool gets the mask
    of the ids.

    Args:
        model: The model, of ids (B, T), and of their mask if it takes one.
        tokenizer: The tokenizer.
        texts: Texts to verify the file with.
        max_length: The number of ids after which a text is cut off; None for no limit but that of
            a model of a fixed number of ids.
        labels: The names of the classes, in the order of the output: softmax or sigmoid scores
            (B, C), or (B, 1) of two labels. Without them, an artifact returns the outputs.
        shown: Texts that its page offers.

    Raises:
        UserError: If the model takes other inputs, or its output has no score for each label.
    """

    def __init__(
        self,
        model: keras.Model,
        tokenizer: Tokenizer,
        texts: Sequence[str],
        max_length: int | None = None,
        labels: Sequence[str] = (),
        shown: Sequence[str] = (),
    ) -> None:
        self.model, self.tokenizer, self._texts = model, tokenizer, [*texts]
        self._ids, self._mask, self._size = _inputs(model)
        limits = [each for each in (max_length, self._size) if each is not None]
        self._max_length, self._pad = min(limits, default=None), tokenizer.special_tokens.pad
        self.labels, self._shown = check_labels(labels, model.output), [*shown]
        self.form = {TEXT: TensorSpec((BATCH,), "string", meaning="the text")}
        if labels:
            check_scores(self._infer(self.read(self._texts))[SCORES])

    def read(self, texts: Sequence[str]) -> np.ndarray:
        """The ids of texts as the artifact makes them, int32 (B, T)."""
        content = as_bytes({TEXT: [*texts]})
        features = self._encode(content[TEXT_BYTES], content[TEXT_LENGTHS], self._max_length)
        return np.asarray(features["token_ids"])

    def _encode(self, text_bytes: Any, text_lengths: Any, limit: int | None) -> Tensors:
        ids, counts = self.tokenizer.program.encode(*received(text_bytes, text_lengths))
        kept = counts if limit is None else tf.minimum(counts, limit)
        ids = ids[:, :limit]
        inside = tf.range(tf.shape(ids)[1]) < tf.expand_dims(kept, 1)
        ids = tf.where(inside, ids, self._pad)
        if self._size is not None:
            missing = self._size - tf.shape(ids)[1]
            ids = tf.pad(ids, [[0, 0], [0, missing]], constant_values=self._pad)
            ids = tf.ensure_shape(ids, (None, self._size))
        return {
            "token_ids": ids,
            TRUNCATED: tf.cast(counts > kept, tf.int32),
        }

    def _infer(self, token_ids: Any) -> Tensors:
        token_ids = tf.convert_to_tensor(token_ids)
        inputs = {self._ids: token_ids}
        if self._mask is not None:
            inputs[self._mask] = tf.not_equal(token_ids, self._pad)
        structure = self.model.input
        given = inputs if isinstance(structure, dict) else [*inputs.values()]
        one = len(inputs) == 1 and not isinstance(given, dict)
        outputs = named(self.model(token_ids if one else given, training=False))
        return scores_of(outputs, len(self.labels)) if self.labels else outputs

    def export_parts(
        self,
        text: str | None = None,
        litert: bool = False,
        samples: bool = False,
        *,
        length: int | None = None,
    ) -> ExportParts:
        """All that an artifact is made from."""
        if text != "bytes":
            raise UserError('a tokenizer in a model of one\'s own takes text="bytes"')
        if self._size is not None and length not in (None, self._size):
            raise UserError(f"the model takes {self._size} ids of a text; received length={length}")
        signatures, probes = self._signatures(length), self._probes()
        assets = {FILE_NAME: self.tokenizer.to_json()}
        return ExportParts(
            signatures,
            live=signatures,
            probes=probes,
            samples=probes if samples else {},
            config={
                "model": type(self.model).__name__,
                "tokenizer": self.tokenizer.kind,
                ABOUT: about({}, "", {TEXT: self._shown}),
            },
            assets=assets | ({LABELS: to_lines(self.labels)} if self.labels else {}),
        )

    def web_page(self) -> OwnModelPage:
        """The model as `export.web` takes it, with the files of its page."""
        return OwnModelPage(self, self._max_length)

    def _signatures(self, length: int | None) -> dict[str, Signature]:
        values = (0, self.tokenizer.vocabulary_size - 1)
        axes_of_ids = (BATCH, LENGTH if self._size is None else self._size)
        padding = self._pad if self._size is None else None
        ids = TensorSpec(axes_of_ids, "int32", padding, "ids of the tokens", values)
        limit = min(filter(None, (self._max_length, length)), default=None)
        texts = {
            TEXT_BYTES: TensorSpec((BATCH, f"{TEXT}_size"), "int32", 0, "bytes of the text, UTF-8"),
            TEXT_LENGTHS: TensorSpec((BATCH,), "int32", meaning="number of bytes"),
        }
        features = {"token_ids": ids}
        outputs = named(self.model.output)
        axes = {name: _axes(x.shape) for name, x in outputs.items()}
        if self.labels:
            axes = {SCORES: (BATCH, len(self.labels))}
        meanings = {SCORES: MEANING} if self.labels else dict.fromkeys(outputs, "")
        held = ("batch", "padding") if self._may_be_padded() else ("batch",)
        tokens = Signature(
            features,
            features,
            self._infer,
            axes,
            invariances=held,
            purpose="Calls the model on ids of tokens.",
            meanings=meanings,
        )
        whole = Signature(
            texts,
            features,
            self._infer,
            axes,
            preprocess=lambda **given: self._encode(**given, limit=limit),
            postprocess=lambda outputs, features: {**outputs, TRUNCATED: features[TRUNCATED]},
            invariances=held,
            purpose="Scores the labels of a text." if self.labels else "Calls the model on texts.",
            meanings={**meanings, TRUNCATED: "1 where the text was longer than the model takes"},
        )
        return {SERVING_DEFAULT: whole, TOKENS: tokens}

    def _may_be_padded(self) -> bool:
        """Whether more padding changes nothing."""
        if self._size is not None:
            return False
        ids = self.read(self._texts)
        wider = np.pad(ids, ((0, 0), (0, FURTHER)), constant_values=self._pad)
        pairs = zip(self._infer(ids).values(), self._infer(wider).values(), strict=True)
        return all(
            np.allclose(a, np.asarray(b)[tuple(slice(n) for n in a.shape)], atol=CLOSE)
            for a, b in pairs
        )

    def _probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        calls = [as_bytes({TEXT: [text]}) for text in self._texts] + [as_bytes({TEXT: self._texts})]
        ids = [{"token_ids": self.read([text])} for text in self._texts]
        return {SERVING_DEFAULT: calls, TOKENS: [*ids, {"token_ids": self.read(self._texts)}]}

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        """Raises a `UserError`: the metric of the model is not known."""
        raise UserError("a model of one's own has no metric here: leave out data")


def _inputs(model: keras.Model) -> tuple[str, str | None, int | None]:
    """The names of the ids and of their mask, and the number of ids if it is fixed."""
    structure = model.input if isinstance(model.input, dict) else {x.name: x for x in model.inputs}
    kinds = {name: keras.backend.standardize_dtype(x.dtype) for name, x in structure.items()}
    ids = [name for name, kind in kinds.items() if kind.startswith(("int", "uint"))]
    masks = [name for name, kind in kinds.items() if kind == "bool"]
    ranks = {len(x.shape) for x in structure.values()}
    if len(ids) != 1 or len(masks) > 1 or len(ids) + len(masks) != len(kinds) or ranks != {2}:
        given = ", ".join(f"{name} {tuple(x.shape)} {kinds[name]}" for name, x in structure.items())
        raise UserError(
            "a tokenizer makes the ids (B, T) of a text, and their mask: the model must take "
            f"integer ids, and may take a mask of bool; it takes {given}"
        )
    sizes = {x.shape[1] for x in structure.values()} - {None}
    return ids[0], (masks or [None])[0], min(sizes, default=None)


def _axes(shape: Sequence[int | None]) -> tuple[int | str | None, ...]:
    """The axes of an output: the second one, if its size is not known, is that of the ids."""
    further = [LENGTH if size is None and axis == 1 else size for axis, size in enumerate(shape)]
    return (BATCH, *further[1:])
