"""Spans as answers: the part of a passage that answers a question, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import keras
import tensorflow as tf
from keras import ops

from zoo.heads.head import Reader
from zoo.heads.span_scores import score_answers
from zoo.preprocessing.base import Features
from zoo.preprocessing.passages import WORD_BEGINS, WORD_ENDS, passages_of
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TEXT, TextForm
from zoo.text.programs.windows import looked_up
from zoo.training.objective import Objective
from zoo.training.spans import BLOCKED, SpanAccuracy, SpanLoss, position_logs

START, END = "start", "end"


class Found(TypedDict):
    """An answer in a passage.

    Args:
        text: The answer; "" if the passage has none.
        score: Its probability; without an answer, the probability of that.
        start: The number of characters of the passage before it.
        end: The number of characters up to its end.
    """

    text: str
    score: float
    start: int
    end: int


@dataclass(frozen=True)
class SpansHead:
    """The most probable span of a passage that is read in windows; a `zoo.heads.head.Head`.

    A window without the answer has it at its first token, the start token.

    Source: Devlin et al. 2019, sections 4.2 and 4.3; the pipeline `question-answering` of Hugging
        Face's `transformers` for the probabilities, which are those of one window.
    Formula: `score = max p_first(i) p_last(j)` over the windows and `i <= j < i + longest`; of no
        answer `min p_first(0) p_last(0)` over the windows

    Args:
        longest: Maximum number of tokens of an answer.
        no_answer: Whether a passage may have no answer.
    """

    longest: int
    no_answer: bool

    @property
    def axes(self) -> OutputAxes:
        """The axes of each of the `outputs`, by name."""
        names = ("window", "first_token", "last_token", "score", "no_answer_score")
        return dict.fromkeys(names, ("batch",))

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
        _, windows, length = sizes
        # Only numbers, and no argmax: LiteRT lacks operators for the others.
        more = ops.pad(ops.cast(mask, "int32")[:, 1:], [[0, 0], [0, 1]])  # a token follows
        inside = ops.cast(segments * more, "bool")
        position = ops.arange(length)
        is_first = ops.logical_and(ops.equal(position, 0), mask)
        logs = position_logs(logits, ops.logical_or(inside, is_first))
        first, last = (ops.where(inside, logs[:, :, i], BLOCKED) for i in (0, 1))

        # The greatest of the logs of the tokens that an answer up to each token may begin with.
        padded = ops.pad(first, [[0, 0], [self.longest - 1, 0]], constant_values=BLOCKED)
        best = ops.max_pool(ops.expand_dims(padded, -1), self.longest, strides=1)
        every = ops.reshape(ops.squeeze(best, -1) + last, (-1, windows * length))
        highest, number = (ops.squeeze(each, -1) for each in ops.top_k(every, 1))
        number = ops.cast(number, "int32")
        window, end = number // length, number % length
        row = ops.arange(ops.shape(number)[0]) * windows + window
        behind = ops.expand_dims(end, -1) - position  # how many tokens a token is before the last
        near = ops.logical_and(behind >= 0, behind < self.longest)
        _, start = ops.top_k(ops.where(near, ops.take(first, row, axis=0), 2 * BLOCKED), 1)

        nothing = ops.where(mask[:, 0], logs[:, 0, 0] + logs[:, 0, 1], -BLOCKED)
        nothing = ops.min(ops.reshape(nothing, (-1, windows)), axis=-1)
        return {
            "window": window,
            "first_token": ops.cast(ops.squeeze(start, -1), "int32"),
            "last_token": end,
            "score": ops.exp(highest),
            "no_answer_score": ops.exp(nothing),
        }

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

    def result(self, row: Mapping[str, Any]) -> Found:
        text = row[TEXT].decode(errors="replace")
        return Found(text=text, score=float(row["score"]), start=int(row[START]), end=int(row[END]))

    def text(self, result: Found) -> str:
        return f"{result['text']} ({result['score']:.2f})" if result["text"] else "no answer"

    def score(
        self, references: Sequence[Sequence[str]], results: Sequence[Found]
    ) -> dict[str, float]:
        """Exact match and F1; see `zoo.heads.span_scores`."""
        return score_answers(references, [result["text"] for result in results])


def _word_of(places: Any, window: Any, token: Any, there: Any) -> Any:
    """Where the word of a token begins or ends, of such places of all (B, W, T); 0 if nowhere."""
    sizes = tf.shape(places)
    index = (window * sizes[2] + token)[:, None]
    return looked_up(tf.reshape(places, [sizes[0], -1]), index, there[:, None])[:, 0]
