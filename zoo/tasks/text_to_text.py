"""From text to text: translate, rewrite, normalize."""

from collections.abc import Callable
from typing import Any, Unpack

from keras_attn.losses import MaskedCrossentropy
from zoo.data.batches import BucketedPairs
from zoo.data.buckets import MAX_BUCKETS
from zoo.data.given import Data, as_pairs
from zoo.data.pairs import Pairs
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.models.options import check_options
from zoo.notes import note, noting
from zoo.tasks.generating import token_metrics
from zoo.tasks.scores import score_texts
from zoo.tasks.seq2seq import Seq2SeqTask
from zoo.text import train_tokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

PROBE_TEXTS = 8  # texts of the training data that verification uses


class TextToText(Seq2SeqTask):
    """Learns to write a target text for a source text from a file of pairs.

    Args:
        model: A model for text-to-text that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: wordpiece, sentencepiece, characters or bytes.
        vocabulary_size: Number of pieces that the tokenizer may learn.
        max_source_length: Greatest number of source tokens, the end token included; what is
            longer is cut, and training logs how many texts were.
        max_target_length: The same for targets; also how much is generated at most.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

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
    fit_defaults = {"schedule": "noam"}

    def __init__(
        self,
        model: str = "transformer",
        preset: str = "tiny",
        *,
        tokenizer: str = "wordpiece",
        vocabulary_size: int = 8000,
        max_source_length: int = 128,
        max_target_length: int = 128,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        settings = {
            "model": model,
            "preset": preset,
            "tokenizer": tokenizer,
            "vocabulary_size": vocabulary_size,
            "max_source_length": max_source_length,
            "max_target_length": max_target_length,
            "dtype": dtype,
            "seed": seed,
            **config,
        }
        for name in ("max_source_length", "max_target_length"):
            if settings[name] < 2:
                raise UserError(f"{name} must be at least 2, got {settings[name]}")
        super().__init__(settings)
        self.max_source_length = max_source_length
        self.max_target_length = self.max_new_tokens = max_target_length
        self._config = {"dtype": dtype, **config}
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)

    # --- What it is made of ---

    def adapt(self, data: Data) -> None:
        """Learns the tokenizer from both sides of the pairs, and creates the model, unless both
        came with a checkpoint.

        Args:
            data: A file of pairs (.tsv, .csv, .jsonl), or a list of (source, target).
        """
        pairs = as_pairs(data)
        self.examples = pairs.sources[:PROBE_TEXTS]
        if self.start is not None:
            return
        texts = (text for side in (pairs.sources, pairs.targets) for text in side)
        settings = self.settings
        tokenizer = train_tokenizer(settings["tokenizer"], texts, settings["vocabulary_size"])
        self._use(tokenizer)

    # --- Training ---

    def fit(
        self,
        data: Data,
        validation_data: Data | None = None,
        *,
        batch_tokens: int = 4096,
        label_smoothing: float = 0.1,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A file of pairs (.tsv, .csv, .jsonl), or a list of (source, target).
            validation_data: The same, to choose the epoch of lowest perplexity by.
            batch_tokens: Tokens in a batch, padding included, on the longer side.
            label_smoothing: Share of the probability that goes to all tokens alike.
            **options: `zoo.training.options.FitOptions`. The default of `schedule` is "noam"; of
                `learning_rate` that of the paper, `(4000 D) ** -0.5` for a model of width D; of
                `warmup` 4000, or a fifth of all updates if that is fewer.

        Outputs: The `History` of the run.
        """
        chosen = self._options(options)
        batches, pairs = self._batches(data, batch_tokens, chosen["seed"], MAX_BUCKETS)
        notes: list[Any] = [pairs, batches]
        held_out = None
        if validation_data is not None:
            # Padding costs less here than compiling more shapes would.
            held_out, pairs = self._batches(
                validation_data, batch_tokens, chosen["seed"], max_buckets=2
            )
            notes += [pairs, held_out]
        pad = self.tokenizer.special_tokens.pad
        return self._train(
            data,
            batches,
            held_out,
            chosen,
            {"batch_tokens": batch_tokens, "label_smoothing": label_smoothing},
            loss={"logits": MaskedCrossentropy(label_smoothing, ignore_id=pad)},
            metrics={"logits": token_metrics(pad)},
            monitor=None if held_out is None else "val_perplexity",
            notes=notes,
        )

    def _learning_rate(self) -> float:
        return (4000 * self.model.hidden_dim) ** -0.5

    def _warmup(self, steps: int) -> int:
        return max(1, min(4000, steps // 5))

    def _batches(
        self, data: Data, tokens: int, seed: int, max_buckets: int
    ) -> tuple[BucketedPairs, Pairs]:
        """The batches of some pairs, and the pairs."""
        pairs = as_pairs(data)
        batches = BucketedPairs(
            pairs.sources,
            pairs.targets,
            self.tokenizer,
            max_source_length=self.max_source_length,
            max_target_length=self.max_target_length,
            tokens_per_batch=tokens,
            max_buckets=max_buckets,
            seed=seed,
        )
        return batches, pairs

    # --- Use ---

    def evaluate(self, data: Data, beams: int = 1, **generation: Any) -> dict[str, float]:
        """Scores what the model writes for the sources of a file: BLEU, chrF and exact match.

        Args:
            data: A file of pairs, or a list of (source, target).
            beams: Width of the beam search; 1 is greedy.
            **generation: Further options of `generate_ids`.
        """
        generation["beams"] = beams
        pairs = as_pairs(data)
        with noting(pairs.path):
            note(pairs.lost)
            self.metrics = score_texts(pairs.targets, self.predict(pairs.sources, **generation))
        return self.metrics

    def score_predictions(
        self, predict: Callable[[list[str]], list[str]], data: Data
    ) -> dict[str, float]:
        """The scores of anything that predicts texts from texts, such as an exported file."""
        pairs, codec = as_pairs(data), self.codec
        sources = TokenizedTexts(pairs.sources, codec.tokenizer, codec.limit, starts=codec.starts)
        with noting(pairs.path):
            note(pairs.lost + sources.lost)
        return score_texts(pairs.targets, list(predict(pairs.sources)))
