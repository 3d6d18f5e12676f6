"""The training of tasks that rank the passages of queries."""

from dataclasses import dataclass, field

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches
from zoo.data.batching.bucketed import EXAMPLES
from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.ranked import Contrasts, RankedBatches
from zoo.data.batching.token_columns import token_column
from zoo.data.readers.passages import ScoredPassages
from zoo.errors import UserError
from zoo.heads.values import ValuesHead
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TokenPreprocessor, joined
from zoo.tasks.baselines.bm25 import Bm25Baseline, Bm25Index
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.text_pair_scorer import HARD, LISTWISE, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.tasks.recipes.valued_texts import ValuedTextInput, ValuedTextRecipe
from zoo.training.listwise import ListwiseLoss
from zoo.training.objective import Objective

FittedPairs = Fitted[Settings, TokenPreprocessor]
ROWS = 1 << 12  # number of texts that are tokenized at a time


@dataclass(frozen=True)
class RankedTextRecipe(
    Recipe[Fitted[Settings, TokenPreprocessor], Training, ScoredPassages, ValuesHead]
):
    """Pairs with their scores; or answers, with other passages in every epoch.

    Args:
        input: What the model reads.
        valued: The training on pairs with scores.
        baselines: Simple models beside it.
    """

    input: ValuedTextInput[Settings, ScoredPassages]
    valued: ValuedTextRecipe[Settings, ScoredPassages]
    baselines: Bm25Baseline = field(default_factory=Bm25Baseline)
    min_steps: int = STEPS

    def initialize(self, examples: ScoredPassages, fitted: FittedPairs, head: ValuesHead) -> None:
        self.valued.initialize(examples, fitted, head)

    def batches(
        self,
        examples: ScoredPassages,
        fitted: FittedPairs,
        head: ValuesHead,
        training: Training,
        held_out: bool,
    ) -> Batches:
        if examples.sampled:
            return self._ranked(examples, fitted, head, training)
        if training.loss == LISTWISE:
            raise UserError(
                f"{examples.path} has scores or negatives, and {option_name('loss')} {LISTWISE} "
                "takes passages that are sampled: leave out that column, or the option"
            )
        return self.valued.batches(examples, fitted, head, training, held_out)

    def _ranked(
        self, examples: ScoredPassages, fitted: FittedPairs, head: ValuesHead, training: Training
    ) -> RankedBatches:
        settings, preprocessor = fitted.settings, fitted.preprocessor
        self.input.check_examples(examples, settings, preprocessor)
        contrasts = contrasts_of(examples, settings, preprocessor)
        special, room = preprocessor.tokenizer.special_tokens, preprocessor.room
        longest = sum(int(x.lengths.max()) for x in (contrasts.queries, contrasts.passages)) + 1
        length = min(longest, room) + preprocessor.max_length - room
        read = self.input.reader(fitted).prepare

        def prepare(columns: Features) -> tuple[Tensors, tf.Tensor]:
            firsts, seconds = (
                tf.RaggedTensor.from_tensor(columns[name], padding=special.pad)
                for name in ("queries", "passages")
            )
            ids = preprocessor.pad(joined(firsts, seconds, special).to_tensor(special.pad))
            ids = tf.pad(ids, [[0, 0], [0, length - tf.shape(ids)[1]]], constant_values=special.pad)
            return read({"token_ids": tf.ensure_shape(ids, [None, length])}), columns["labels"]

        (low,), (high,) = head.standardized([(0.0,), (1.0,)])
        tokens = training.batch_tokens or EXAMPLES * length
        lists = tokens // (length * (1 + contrasts.count))
        _, counts = token_column(preprocessor, examples.inputs)  # of the pairs as they were read
        scores = float(low), float(high)
        return RankedBatches(contrasts, scores, max(1, lists), prepare, training.seed, counts)

    def objective(self, head: ValuesHead, training: Training) -> Objective:
        return self.valued.objective(head, training)

    def objective_of(self, fitted: FittedPairs, head: ValuesHead, training: Training) -> Objective:
        if training.loss != LISTWISE:
            return self.objective(head, training)
        return Objective(loss={"logits": ListwiseLoss(1 + fitted.settings.negatives)})


def contrasts_of(
    examples: ScoredPassages, settings: Settings, preprocessor: TokenPreprocessor
) -> Contrasts:
    """The answers among sampled passages, and all of the passages to draw from."""
    passages = list(dict.fromkeys(examples.seconds or []))
    place = {passage: number for number, passage in enumerate(passages)}
    rows = zip(
        examples.queries, examples.texts, examples.seconds or [], examples.values, strict=True
    )
    answers = [(id, query, place[passage]) for id, query, passage, (score,) in rows if score > 0]
    own: dict[str, set[int]] = {}
    for id, _, passage in answers:
        own.setdefault(id, set()).add(passage)
    queries, hard = (
        [query for _, query, _ in answers],
        min(settings.hard_negatives, settings.negatives),
    )
    index = Bm25Index(passages) if hard else None
    similar = None if index is None else [index.best(query, HARD) for query in queries]
    return Contrasts(
        tokenized(preprocessor, queries),
        tokenized(preprocessor, passages),
        np.array([passage for *_, passage in answers]),
        [own[id] for id, *_ in answers],
        settings.negatives,
        hard,
        similar,
    )


def tokenized(preprocessor: TokenPreprocessor, texts: list[str]) -> Sequences:
    """The ids of texts, without special tokens."""
    pad = preprocessor.tokenizer.special_tokens.pad
    parts = []
    for start in range(0, len(texts), ROWS):
        ragged = preprocessor.tokenizer.tokenize(tf.constant(texts[start : start + ROWS]))
        lengths = ragged.row_lengths().numpy()
        parts.append(Sequences(ragged.flat_values.numpy().astype(np.int32), lengths, pad))
    return Sequences.joined(parts)
