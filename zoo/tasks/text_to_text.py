"""Text-to-text generation: translation, summarization, rewriting."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar

from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.pairs import Pairs, read_pairs, read_pairs_in_pieces
from zoo.data.shards.manifest import SEQUENCES
from zoo.serving.inference import Run
from zoo.tasks.likelihood import token_objective
from zoo.tasks.options import text_to_text as options
from zoo.tasks.prepared import PreparedTask
from zoo.tasks.seq2seq import Seq2SeqTask
from zoo.training.objective import Objective


class TextToText(PreparedTask, Seq2SeqTask):
    """Generates a target text for a source text; trained on pairs.

    The default peak learning rate is that of Vaswani et al. 2017, `(4000 D) ** -0.5` for a model of
    width D. The default warm-up is 4000 steps, or a fifth of all steps if that is less.

    Example:
        >>> import zoo
        >>> task = zoo.TextToText("transformer", "tiny", hidden_dim=16, num_layers=1)
        >>> task.adapt([("one two", "eins zwei"), ("two", "zwei")])
        >>> pairs = [("one two", "eins zwei"), ("two", "zwei")]
        >>> history = task.fit(pairs, xla=False, verbose=False)
        >>> len(task.predict(["two", "one"]))
        2
    """

    name = "text-to-text"
    row_columns = ("sources", "targets")
    column_kinds: ClassVar = {"source_ids": SEQUENCES, "target_ids": SEQUENCES}
    sorted_by = ("source_ids", "target_ids")
    depends_on = ("max_source_length", "max_target_length")
    Settings = options.Settings
    Training = options.Training

    @property
    def max_source_length(self) -> int:
        return self.settings.max_source_length

    @property
    def max_new_tokens(self) -> int:
        return self.settings.max_target_length

    def read(self, data: Any) -> Any:
        return self.stored(data) or read_pairs(data, self.settings)

    def pieces(self, data: Any) -> Iterator[Pairs]:
        return read_pairs_in_pieces(data, self.settings)

    def texts(self, examples: Pairs) -> Iterable[str]:
        return chain(examples.sources, examples.targets)

    def references(self, examples: Pairs) -> list[str]:
        return examples.targets

    def batches(self, examples: Pairs, training: Any, held_out: bool = False) -> BucketedBatches:
        return self.bucketed(
            examples,
            self.tokens(examples),
            lambda columns: (self.teacher_forced(columns), columns["target_ids"]),
            tokens_per_batch(training.batch_tokens),
            max_buckets(held_out),
            training.seed,
            what="pairs",
        )

    def tokenized(self, examples: Pairs, number: int = 0) -> Tokenized:
        sources, statistics = token_column(self.preprocessor, {"text": examples.sources})
        targets, more = token_column(self.target_preprocessor(), {"text": examples.targets})
        return Tokenized({"source_ids": sources, "target_ids": targets}, statistics + more)

    def objective(self, training: Any) -> Objective:
        return token_objective(self.special_tokens.pad, training.label_smoothing)

    def default_learning_rate(self) -> float:
        return (4000 * self.model.hidden_dim) ** -0.5

    def default_warmup(self, steps: int) -> int:
        return max(1, min(4000, steps // 5))

    def score(self, examples: Pairs, run: Run) -> dict[str, float]:
        """Corpus BLEU, chrF and exact match of the texts that the model generates."""
        rows = self.predict_rows(examples.inputs, run, batch_size=32)
        return self.head.score(examples.targets, [self.result(row) for row in rows])
