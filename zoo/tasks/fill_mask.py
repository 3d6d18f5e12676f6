"""Base class of the tasks that fill in masks."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from keras import ops

from zoo.data_statistics import collecting
from zoo.errors import UserError
from zoo.heads.filled_masks import FilledMasksHead
from zoo.preprocessing.base import BATCH, LENGTH
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.plain_text import MaskedTextTask
from zoo.text.special_tokens import MASK

TOP = 5  # number of tokens that artifacts return for each mask
IMPOSSIBLE = -1e9


class Filling(NamedTuple):
    """A candidate for a mask: the token, its probability, and the text with the token."""

    token: str
    score: float
    text: str


class FillMaskTask(MaskedTextTask, EncoderTask):
    """A task whose model predicts masked tokens; its output is `mlm_logits`."""

    purposes: ClassVar = {"tokens": f"Predicts the token behind each {MASK}."}

    @property
    def head(self) -> FilledMasksHead:
        return FilledMasksHead(self.preprocessor)

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def compute(inputs: Tensors, top: int = TOP) -> Tensors:
            return self._fill(inputs, top)

        outputs = dict.fromkeys(("token_ids", "scores"), (BATCH, LENGTH, TOP))
        return self.inference(compute, outputs)

    def _fill(self, inputs: Tensors, top: int) -> Tensors:
        """The most probable tokens at each mask, best first; zeros elsewhere."""
        logits = self.model(inputs)["mlm_logits"]
        special = np.zeros(logits.shape[-1], "float32")
        special[list(self.special_tokens.ids)] = IMPOSSIBLE
        scores, best = ops.top_k(ops.softmax(logits + special, axis=-1), min(top, logits.shape[-1]))
        masks = ops.expand_dims(ops.equal(inputs["token_ids"], self.special_tokens.mask), -1)
        return {
            "token_ids": ops.where(masks, ops.cast(best, "int32"), 0),
            "scores": ops.where(masks, scores, 0.0),
        }

    def fill_mask(self, text: str, top: int = TOP) -> list[list[Filling]]:
        """The most probable tokens for each `[MASK]` of a text, best first.

        If there are several masks, each is filled independently, and the others remain.

        Args:
            text: A text with masks.
            top: Number of tokens for each mask.

        Raises:
            UserError: If there is no mask within the maximum length.
        """
        with collecting("fill_mask"):
            ids = self.preprocessor.read(self.raw_inputs([text]))["token_ids"]
        places = np.flatnonzero(ids[0] == self.special_tokens.mask)
        if not len(places):
            raise UserError(
                f"the text has no {MASK} in its first {self.settings.max_length} tokens"
            )
        found = self.program(self.preprocessor.feature_signature)({"token_ids": ids}, top=top)
        tokens, scores = found["token_ids"][0], found["scores"][0]
        answer = []
        for place in places:
            filled = np.repeat(ids, len(tokens[place]), axis=0)
            filled[:, place] = tokens[place]
            texts = [each.decode() for each in self.preprocessor.detokenize(filled).numpy()]
            pieces = [self.tokenizer.vocabulary[i] for i in tokens[place]]
            rows = zip(pieces, scores[place].tolist(), texts, strict=True)
            answer.append([Filling(*row) for row in rows])
        return answer
