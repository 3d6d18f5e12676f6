"""Language models: learn from plain text, and write on."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Unpack

import keras
import numpy as np
import tensorflow as tf

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import Perplexity
from zoo.data.documents import Documents, Texts, read_documents
from zoo.data.windows import TokenWindows, token_stream
from zoo.decoding.logits_processors import LogitsProcessors
from zoo.errors import UserError
from zoo.models.options import check_options, has_option
from zoo.notes import Lost, note, noting
from zoo.tasks.generating import GeneratingTask, token_metrics
from zoo.tasks.scores import score_texts
from zoo.tasks.streaming import Streamer, pieces
from zoo.text import train_tokenizer
from zoo.text.lost import count_unknown
from zoo.text.prompts import PromptCodec
from zoo.text.tokenizer import Tokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

PROMPTS = 8  # first halves of lines that verification goes on from
SCORED = 64  # those that a file is scored by


class CausalLM(GeneratingTask):
    """Learns to write on from plain text.

    Args:
        model: A model for causal-lm that `zoo.list_models` gives.
        preset: One of its presets.
        tokenizer: bytes, wordpiece, sentencepiece or characters; only bytes keep line ends.
        vocabulary_size: Number of pieces that the tokenizer may learn; bytes are always 256.
        max_length: Tokens of a training window, and the most that a model with learned positions
            ever sees, prompt and answer together.
        max_new_tokens: How much is written where nothing else is asked for.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny", units=16, max_length=8, max_new_tokens=4)
        >>> task.adapt(["to be or not to be"])
        >>> history = task.fit(["to be or not to be"], epochs=1, xla=False, verbose=False)
        >>> len(task.predict(["to ", "be"], max_new_tokens=3))
        2
    """

    name = "causal-lm"
    _streamer: Streamer
    _go_on: Any  # of a model whose states may go on from window to window

    def __init__(
        self,
        model: str = "gpt",
        preset: str = "tiny",
        *,
        tokenizer: str = "bytes",
        vocabulary_size: int = 8000,
        max_length: int = 256,
        max_new_tokens: int = 64,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        if not 0 < max_new_tokens < max_length:
            raise UserError(
                f"max_new_tokens must be at least 1 and below max_length, {max_length}; "
                f"got {max_new_tokens}"
            )
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "tokenizer": tokenizer,
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "max_new_tokens": max_new_tokens,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length, self.max_new_tokens = max_length, max_new_tokens
        self._config = {"dtype": dtype, **config}
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)
        if has_option(model, "max_sequence_length"):
            self._config["max_sequence_length"] = max_length

    # --- What it is made of ---

    @property
    def codec(self) -> PromptCodec:
        """Texts to prompts that leave room for `max_new_tokens`, and ids to texts."""
        return self._codec_for(self.max_new_tokens)

    def _codec_for(self, max_new_tokens: int) -> PromptCodec:
        if self.model.max_sequence_length is None:  # there is always room
            max_new_tokens = self.max_new_tokens
        if max_new_tokens >= self.max_length:
            raise UserError(
                f"max_new_tokens must be below max_length, {self.max_length}; got {max_new_tokens}"
            )
        return PromptCodec(self.tokenizer, self.max_length - max_new_tokens)

    def adapt(self, data: Texts) -> None:
        """Learns the tokenizer, and creates the model, unless both came with a checkpoint.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
        """
        documents = read_documents(data)
        self.examples = half_lines(documents.texts, PROMPTS)
        if self.start is not None:
            return
        settings = self.settings
        tokenizer = train_tokenizer(
            settings["tokenizer"], documents.texts, settings["vocabulary_size"]
        )
        self._use(tokenizer)

    def _sizes(self, vocabulary_size: int) -> dict[str, Any]:
        return {"vocabulary_size": vocabulary_size}

    def _use(self, tokenizer: Tokenizer) -> None:
        super()._use(tokenizer)
        self._streamer = Streamer(self.model, tokenizer.special_tokens)
        self._go_on = getattr(self.model, "go_on", None)
        if self._go_on is not None and keras.backend.backend() == "tensorflow":
            self._go_on = tf.function(self._go_on, autograph=False, reduce_retracing=True)

    @property
    def _carried_rows(self) -> int:
        """Rows of a training batch whose states go on from batch to batch; 0 if none do."""
        return getattr(self.model, "stateful_batch_size", 0)

    # --- Training ---

    def fit(
        self,
        data: Texts,
        validation_data: Texts | None = None,
        *,
        batch_size: int | None = None,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
            validation_data: The same, to choose the epoch of lowest perplexity by, which is that
                of `evaluate`.
            batch_size: Windows in a batch; default 32, or as many rows as the model carries
                states for.
            **options: `zoo.training.options.FitOptions`. The default of `warmup` is 200, or a
                tenth of all updates if that is fewer.

        Outputs: The `History` of the run.
        """
        carried = self._carried_rows
        batch_size = batch_size or carried or 32
        if carried and batch_size != carried:
            raise UserError(f"batch_size must be stateful_batch_size, {carried}; got {batch_size}")
        chosen = self._options(options)
        windows, documents = self._windows(
            data, batch_size, stateful=bool(carried), seed=chosen["seed"]
        )
        notes: list[Any] = [documents, windows]
        held_out, validation = None, {}
        if validation_data is not None:
            held_out, documents = self._windows(validation_data, 1 if carried else batch_size)
            notes += [documents, held_out]
            if carried:  # Keras's own validation would begin every window anew
                validation = {"evaluate": self._validation(held_out)}
        return self._train(
            data,
            windows,
            None if validation else held_out,
            chosen,
            {"batch_size": batch_size},
            loss={"logits": MaskedCrossentropy(ignore_id=windows.pad)},
            metrics={"logits": token_metrics(windows.pad)},
            monitor=None if held_out is None else "val_perplexity",
            notes=notes,
            **validation,
        )

    def _validation(self, windows: TokenWindows) -> Callable[[keras.Model], dict[str, float]]:
        """What training calls after each epoch, in the stead of Keras's validation."""

        def evaluate(_: keras.Model) -> dict[str, float]:
            loss, _ = self._score(windows)
            return {"val_loss": loss, "val_perplexity": float(np.exp(loss))}

        return evaluate

    def _warmup(self, steps: int) -> int:
        return max(1, min(200, steps // 10))

    def _windows(
        self, data: Texts, batch_size: int, **options: Any
    ) -> tuple[TokenWindows, Documents]:
        """The batches of some texts, and the texts."""
        documents = read_documents(data)
        ids = token_stream(documents.texts, self.tokenizer)
        special_tokens = self.tokenizer.special_tokens
        lost = Lost({"unknown tokens": count_unknown(ids, special_tokens)})
        options |= {"pad": special_tokens.pad, "lost": lost}
        return TokenWindows(ids, self.max_length, batch_size, **options), documents

    # --- Use ---

    def evaluate(self, data: Texts) -> dict[str, float]:
        """How well the model foretells a text: `loss` in nats a token, `perplexity`, and
        `bits_per_byte`, which compares tokenizers.

        The text is read in windows of `max_length`, each of which begins without what came before;
        but for a model with `stateful_batch_size`, whose states go on from window to window.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
        """
        windows, documents = self._windows(data, batch_size=1 if self._carried_rows else 16)
        with noting(documents.path):
            note(documents.lost + windows.lost)
        loss, tokens = self._score(windows)
        size = sum(len(text.encode()) + 1 for text in documents.texts)
        self.metrics = {
            "loss": loss,
            "perplexity": float(np.exp(loss)),
            "bits_per_byte": loss / float(np.log(2)) * tokens / size,
        }
        return self.metrics

    def _score(self, windows: TokenWindows) -> tuple[float, int]:
        """The loss in nats a token, and the number of tokens."""
        metric, tokens = Perplexity(windows.pad), 0
        run = self._going_on() if self._carried_rows else self._run
        for x, labels in windows.dataset(shuffle=False):
            metric.update_state(labels, run(x)["logits"])
            tokens += int(keras.ops.sum(labels != windows.pad))
        return float(np.log(metric.result())), tokens

    def _going_on(self) -> Callable[[Any], dict[str, Any]]:
        """The model over one window after another, each with the states of that before.

        The states are not those that the model carries in training, which stay as they are.
        """
        model: Any = self.model
        cache = model.initial_cache(1, None)

        def run(x: Any) -> dict[str, Any]:
            nonlocal cache
            outputs, cache = self._go_on(x, cache)
            return outputs

        return run

    def score_predictions(
        self, predict: Callable[[list[str]], list[str]], data: Texts
    ) -> dict[str, float]:
        """How like this model's writing that of anything else is, such as an exported file.

        Both write on from the first halves of lines.

        Args:
            predict: Gives texts for texts.
            data: A text file, a folder of .txt files, or a list of texts.
        """
        documents = read_documents(data)
        prompts = half_lines(documents.texts, SCORED)
        with noting(documents.path):
            note(documents.lost)
            return score_texts(self.predict(prompts), list(predict(prompts)))

    def _check_room(self, tokens: int, new_tokens: int) -> None:
        context = self.model.max_sequence_length
        if context is not None and tokens + new_tokens - 1 > context:
            raise UserError(
                f"a prompt of {tokens} tokens and {new_tokens} new ones are more than the "
                f"{context} that the model can see: give a shorter text, or ask for fewer"
            )

    def stream(
        self, text: str, max_new_tokens: int | None = None, **sampling: Any
    ) -> Iterator[str]:
        """What the model writes on, in pieces, as they come.

        Args:
            text: What to go on from.
            max_new_tokens: Greatest number of tokens.
            **sampling: `temperature`, `top_k`, `top_p`, `seed`, `no_repeat_ngram`,
                `min_new_tokens` and `bad_words`, as for `generate_ids`.
        """
        length = self.max_new_tokens if max_new_tokens is None else max_new_tokens
        with noting("prompt"):
            prompt = self._codec_for(length).read([text])[0]
        prompt = prompt[prompt != self.tokenizer.special_tokens.pad]
        self._check_room(len(prompt), length)
        logits_processors = LogitsProcessors(
            sampling.pop("no_repeat_ngram", 0),
            sampling.pop("min_new_tokens", 0),
            self._as_ids(sampling.pop("bad_words", ())),
        )
        tokens = self._streamer(prompt, length, **sampling, logits_processors=logits_processors)
        return pieces(tokens, lambda ids: self.codec.decode(tf.constant([ids])).numpy()[0])


def half_lines(texts: list[str], count: int) -> list[str]:
    """The first halves of the first lines with text.

    Example:
        >>> half_lines(["to be", "or not"], 2)
        ['to ', 'or n']
    """
    lines = (line for text in texts for line in text.splitlines() if line.strip())
    return [line[: len(line) // 2 + 1] for line in islice(lines, count)]
