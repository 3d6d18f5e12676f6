"""Denoising autoencoders: learn from plain text to restore what was corrupted."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.attention_map import AttentionMap
from zoo.data.corrupted_batches import CorruptedPassages
from zoo.data.corruption import Corruption
from zoo.data.documents import Documents, Texts, read_documents
from zoo.data.passages import make_passages
from zoo.data.sentence_pairs import split_sentences
from zoo.errors import UserError
from zoo.models.options import check_options
from zoo.notes import note, noting
from zoo.tasks.generating import Candidate, token_metrics
from zoo.tasks.seq2seq import Seq2SeqTask
from zoo.text.masked import masked_word, spaced
from zoo.text.special_tokens import MASK
from zoo.text.wordpiece import WordPieceTokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

PROBE_TEXTS = 4  # sentences of the training data, a word masked, that verification uses


class Denoising(Seq2SeqTask):
    """Learns to write a text as it was before it was corrupted: what is masked, lost or moved.

    In a text to restore, each `[MASK]` may become any number of words. What the model learned is a
    start for others: `zoo.from_pretrained(folder, task="text-to-text")`.

    Source: Lewis et al. 2020, section 2.

    Args:
        model: A model for denoising that `zoo.list_models` gives.
        preset: One of its presets.
        corruptions: Names of what corrupts a passage, one after the other: of token_masking,
            token_deletion, text_infilling, sentence_permutation and document_rotation; by default
            those of the paper's large model.
        vocabulary_size: Number of pieces that the WordPiece tokenizer may learn.
        max_length: Tokens of a passage, the end token included, and the most that the model sees.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

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

    def __init__(
        self,
        model: str = "bart",
        preset: str = "tiny",
        *,
        corruptions: Sequence[str] = ("sentence_permutation", "text_infilling"),
        vocabulary_size: int = 8000,
        max_length: int = 128,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if max_length < 2:
            raise UserError(f"max_length must be at least 2, got {max_length}")
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "corruptions": list(corruptions),
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = self.max_source_length = self.max_new_tokens = max_length
        self._config = {"dtype": dtype, "max_sequence_length": max_length, **config}
        # A mistake shows now, not after a tokenizer's training.
        self.corrupt = Corruption(tuple(corruptions))
        check_options(model, preset, self._config, self.name)

    def adapt(self, data: Texts) -> None:
        """Learns the tokenizer, and creates the model, unless both came with a checkpoint.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
        """
        documents = read_documents(data)
        sentences = split_sentences(documents.texts[0])[:PROBE_TEXTS]
        self.examples = [masked_word(text) for text in sentences]
        if self.start is not None:
            return
        size = self.settings["vocabulary_size"]
        self._use(WordPieceTokenizer.train(documents.texts, size, always=[MASK]))

    # --- Training ---

    def fit(
        self,
        data: Texts,
        validation_data: Texts | None = None,
        *,
        batch_size: int = 32,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
            validation_data: The same, to choose the epoch of lowest perplexity by.
            batch_size: Passages in a batch.
            **options: `zoo.training.options.FitOptions`. `seed` also fixes the corruptions.

        Outputs: The `History` of the run.
        """
        chosen = self._options(options)
        batches, documents = self._passages(data, batch_size, chosen["seed"])
        notes: list[Any] = [documents, batches]
        held_out = None
        if validation_data is not None:
            held_out, documents = self._passages(validation_data, batch_size, chosen["seed"])
            notes += [documents, held_out]
        return self._train(
            data,
            batches,
            held_out,
            chosen,
            {"batch_size": batch_size},
            loss={"logits": MaskedCrossentropy(ignore_id=batches.special_tokens.pad)},
            metrics={"logits": token_metrics(batches.special_tokens.pad)},
            monitor=None if held_out is None else "val_perplexity",
            notes=notes,
        )

    def _passages(
        self, data: Texts, batch_size: int, seed: int = 0
    ) -> tuple[CorruptedPassages, Documents]:
        """The batches of some documents, and the documents."""
        documents = read_documents(data)
        passages, lost = make_passages(documents.texts, self.tokenizer, self.max_length - 1)
        batches = CorruptedPassages(
            passages, self.tokenizer, self.corrupt, self.max_length, batch_size, seed, lost
        )
        return batches, documents

    # --- Use ---

    def evaluate(self, data: Texts) -> dict[str, float]:
        """How well the model restores texts, of which it sees at each token those before.

        `loss` in nats a token, its `perplexity`, and the share of tokens foretold: `accuracy` of
        all, `restored` of those that the corruption had taken.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
        """
        batches, documents = self._passages(data, batch_size=16)
        with noting(documents.path):
            note(documents.lost + batches.lost + batches.left_out(shuffle=False))
        pad = batches.special_tokens.pad
        perplexity = Perplexity(pad)
        accuracy, restored = MaskedAccuracy(pad), MaskedAccuracy(pad)
        for (x, labels), hidden in batches.with_hidden(shuffle=False):
            logits = self._run(x)["logits"]
            for metric in (perplexity, accuracy):
                metric.update_state(labels, logits)
            restored.update_state(np.where(hidden, labels, pad), logits)
        self.metrics = {
            "loss": float(np.log(perplexity.result())),
            "perplexity": float(perplexity.result()),
            "accuracy": float(accuracy.result()),
            "restored": float(restored.result()),
        }
        return self.metrics

    # A mask that touches a word is a word of its own all the same.

    def _written(self, texts: Sequence[str], *arguments: Any) -> list[list[Candidate]]:
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        return super()._written([spaced(text) for text in texts], *arguments)

    def attention(self, text: str, max_new_tokens: int | None = None) -> list[AttentionMap]:
        """Where the model looked for each token it wrote, a map a layer that attends."""
        return super().attention(spaced(text), max_new_tokens)
