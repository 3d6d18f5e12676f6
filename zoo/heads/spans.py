"""Spans as answers: the part of a passage that answers a question, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from zoo.heads.best_spans import BestSpans, PassageAnswer, best_spans
from zoo.heads.head import Reader
from zoo.preprocessing.base import Features
from zoo.preprocessing.passages import WORD_BEGINS, WORD_ENDS, passages_of
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TEXT, TextForm
from zoo.text.programs.windows import looked_up
from zoo.training.objective import Objective
from zoo.training.spans import SpanAccuracy, SpanLoss

START, END = "start", "end"
NONE = "no answer"  # in reports


@dataclass(frozen=True)
class SpansHead:
    """The most probable span of a passage that is read in windows; a `zoo.heads.head.Head`.

    A window without the answer has it at its first token, the start token.

    Source: Devlin et al. 2019, sections 4.2 and 4.3; the pipeline `question-answering` of Hugging
        Face's `transformers` for the probabilities, which are those of one window.
    Args:
        longest: Maximum number of tokens of an answer.
        no_answer: Whether a passage may have no answer.
    """

    longest: int
    no_answer: bool

    @property
    def axes(self) -> OutputAxes:
        """The axes of each of the `outputs`, by name."""
        return dict.fromkeys(BestSpans._fields, ("batch",))

    @property
    def meanings(self) -> dict[str, str]:
        return {
            "window": "the window with the most probable answer, from 0",
            "first_token": "the position of its first token in the window, from 0",
            "last_token": "the position of its last token",
            "score": "the probability of the answer in its window",
            "no_answer_score": "the probability that there is no answer",
            TEXT: "the answer" + (", empty if there is none" if self.no_answer else ""),
            START: "the number of characters (code points) of the passage before the answer",
            END: "the number of characters up to the end of the answer",
        }

    @property
    def files(self) -> dict[str, str]:
        return {}

    def inferences(self, model: keras.Model, reader: Reader) -> dict[str, Inference]:
        """The inference of a model with the output `logits`, by name of the signature."""

        def compute(inputs: Tensors) -> Tensors:
            sizes = ops.shape(inputs["token_ids"])
            flat = {name: ops.reshape(x, (-1, sizes[2])) for name, x in inputs.items()}
            logits = model(flat)["logits"]
            return self.outputs(logits, flat["segment_ids"], flat["padding_mask"], sizes)

        return {reader.name: Inference(reader.features, reader.prepare, compute, self.axes)}

    def objective(self) -> Objective:
        """Cross-entropy and accuracy of the first and last token, of the output `logits`."""
        metrics = {"logits": [SpanAccuracy()]}
        return Objective({"logits": SpanLoss()}, metrics, monitor="val_accuracy", mode="max")

    def outputs(self, logits: Any, segments: Any, mask: Any, sizes: Sequence[Any]) -> Tensors:
        """The outputs of the model, in `keras.ops`.

        Args:
            logits: Logits of windows (B W, T, 2).
            segments: 1 for tokens of passages and the end token behind them (B W, T).
            mask: Whether tokens are no padding (B W, T).
            sizes: B, W and T.
        """
        return best_spans(logits, segments, mask, sizes, self.longest)._asdict()

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        score, nothing = outputs["score"], outputs["no_answer_score"]
        there = score >= nothing if self.no_answer else score > 0
        begins, ends = (
            _word_of(features[name], outputs["window"], outputs[token], there)
            for name, token in ((WORD_BEGINS, "first_token"), (WORD_ENDS, "last_token"))
        )
        passages = passages_of(features)
        return {
            **passages.parts(begins, ends, form),
            "score": tf.where(there, score, nothing) if self.no_answer else score,
            "no_answer_score": nothing,
            START: passages.characters_before(begins),
            END: passages.characters_before(ends),
        }

    def result(self, row: Mapping[str, Any]) -> PassageAnswer:
        text = row[TEXT].decode(errors="replace")
        return PassageAnswer(
            text=text, score=float(row["score"]), start=int(row[START]), end=int(row[END])
        )

    def text(self, result: PassageAnswer) -> str:
        return result["text"] or NONE


def _word_of(places: Any, window: Any, token: Any, there: Any) -> Any:
    """Where the word of a token begins or ends, of such places of all (B, W, T); 0 if nowhere."""
    sizes = tf.shape(places)
    index = (window * sizes[2] + token)[:, None]
    return looked_up(tf.reshape(places, [sizes[0], -1]), index, there[:, None])[:, 0]
