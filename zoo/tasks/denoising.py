"""Denoising autoencoders: trained on plain text, they restore corrupted text."""

from typing import Any, ClassVar

from zoo.data.batching.corrupted import CorruptedPassages, ShardPassages
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.corruption import Corruption
from zoo.data.pretraining.passages import make_passages
from zoo.data.readers.documents import Documents
from zoo.data.shards.manifest import SEQUENCES, Shards
from zoo.data_statistics import record
from zoo.serving.inference import Run
from zoo.tasks.likelihood import SCORE, Likelihood, token_objective
from zoo.tasks.options import denoising as options
from zoo.tasks.plain_text import MaskedTextTask
from zoo.tasks.seq2seq import Seq2SeqTask
from zoo.training.objective import Objective


class Denoising(MaskedTextTask, Seq2SeqTask):
    """Trains a model on plain text to restore masked, deleted and reordered parts.

    In `predict`, each `[MASK]` of a text may become any number of words. A trained model can
    initialize another task: `zoo.from_pretrained(folder, task="text-to-text")`.

    Source: Lewis et al. 2020, section 2.

    Example:
        >>> import zoo
        >>> task = zoo.Denoising(num_layers=1, hidden_dim=8, intermediate_dim=8, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> history.epoch
        [1]
    """

    name = "denoising"
    column_kinds: ClassVar = {"token_ids": SEQUENCES}
    sorted_by = ()
    depends_on = ("max_length",)
    Settings = options.Settings
    Training = options.Training

    def check_settings(self) -> None:
        super().check_settings()
        self.corrupt = Corruption(tuple(self.settings.corruptions))

    @property
    def max_source_length(self) -> int:
        return self.settings.max_length

    @property
    def max_new_tokens(self) -> int:
        return self.settings.max_length

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    def batches(
        self, examples: Documents, training: Any, held_out: bool = False
    ) -> CorruptedPassages:
        kind = ShardPassages if isinstance(examples, Shards) else CorruptedPassages
        return kind(
            self.tokens(examples),
            self.tokenizer,
            self.corrupt,
            self.settings.max_length,
            training.batch_size,
            lambda columns: (self.teacher_forced(columns), columns["target_ids"]),
            training.seed,
        )

    def tokenized(self, examples: Documents, number: int = 0) -> Tokenized:
        return make_passages(examples.texts, self.tokenizer, self.settings.max_length - 1)

    def objective(self, training: Any) -> Objective:
        return token_objective(self.special_tokens.pad)

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        """How well the model restores texts, given the correct previous tokens.

        Returns:
            `loss` in nats per token, `perplexity`, and the fractions of correctly predicted tokens:
            `accuracy` among all tokens, `restored` among those that the corruption removed.
        """
        batches = self.batches(examples, self.Training(batch_size=16))
        record(batches.statistics + batches.left_out(shuffle=False))
        everything, restored = Likelihood(), Likelihood()
        for columns in batches.columns(shuffle=False):
            found, labels = run(SCORE, columns), columns["target_ids"]
            each = found["log_probabilities"], found["predicted_ids"], labels
            here = labels != self.special_tokens.pad
            everything.add(*each, here)
            restored.add(*each, here & (columns["restored"] == 1))
        return {
            "loss": everything.loss,
            "perplexity": everything.perplexity,
            "accuracy": everything.accuracy,
            "restored": restored.accuracy,
        }
