"""Language models: learn from plain text to continue a prompt."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data.batching.windows import TokenWindows, token_stream
from zoo.data.readers.documents import Documents
from zoo.data_statistics import Statistics, collecting, record
from zoo.decoding.logits_processors import LogitsProcessors
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, LENGTH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.preprocessing.text import PromptPreprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.generating import GeneratingTask
from zoo.tasks.likelihood import SCORE, Likelihood, token_objective, token_scores
from zoo.tasks.options import causal_lm as options
from zoo.tasks.plain_text import PlainTextTask
from zoo.tasks.stateful import StatefulScorer
from zoo.tasks.streaming import Streamer, pieces
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer
from zoo.training.objective import Objective

STREAMED = ("temperature", "top_k", "top_p", "seed")


class CausalLM(PlainTextTask, GeneratingTask):
    """Continues a prompt; learns from plain text.

    The default warm-up is 200 steps, or a tenth of all steps if that is fewer.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny", units=16, max_length=8, max_new_tokens=4)
        >>> task.adapt(["to be or not to be"])
        >>> history = task.fit(["to be or not to be"], epochs=1, xla=False, verbose=False)
        >>> len(task.predict(["to ", "be"], max_new_tokens=3))
        2
    """

    name = "causal-lm"
    Settings = options.Settings
    Training = options.Training
    _streamer: Streamer

    def check_settings(self) -> None:
        super().check_settings()
        new, length = self.settings.max_new_tokens, self.settings.max_length
        if new >= length:
            raise UserError(f"max_new_tokens must be below max_length, {length}; got {new}")

    @property
    def max_new_tokens(self) -> int:
        return self.settings.max_new_tokens

    def sample_inputs(self, examples: Documents, count: int) -> dict[str, list[str]]:
        return {"text": half_lines(examples.texts, count)}

    def preprocessor_for(self, tokenizer: Tokenizer) -> PromptPreprocessor:
        return PromptPreprocessor(tokenizer, self.settings.max_length - self.max_new_tokens)

    def preprocessor_with(self, max_new_tokens: int | None = None, **_: Any) -> PromptPreprocessor:
        length = self.settings.max_length
        if self.model.max_sequence_length is None or max_new_tokens is None:
            return self.preprocessor  # there is always room
        if max_new_tokens >= length:
            raise UserError(
                f"max_new_tokens must be below max_length, {length}; got {max_new_tokens}"
            )
        return PromptPreprocessor(self.tokenizer, length - max_new_tokens)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self._streamer = Streamer(self.model, self.special_tokens)

    @property
    def _stateful(self) -> int:
        """Rows of a training batch whose states continue in the next batch; 0 if none do."""
        return getattr(self.model, "stateful_batch_size", 0)

    # --- Training ---

    def batches(self, examples: Documents, training: Any, held_out: bool = False) -> TokenWindows:
        stateful = self._stateful
        size = training.batch_size or stateful or 32
        if stateful and size != stateful:
            raise UserError(f"batch_size must be stateful_batch_size, {stateful}; got {size}")
        if held_out:
            return self._windows(examples, 1 if stateful else size)
        return self._windows(examples, size, bool(stateful), training.seed)

    def _windows(
        self, examples: Documents, size: int, stateful: bool = False, seed: int = 0
    ) -> TokenWindows:
        ids, special = token_stream(examples.texts, self.tokenizer), self.special_tokens
        return TokenWindows(
            ids,
            self.settings.max_length,
            size,
            lambda columns: next_token_inputs(columns["token_ids"], special),
            stateful,
            seed,
            special.pad,
            Statistics({"unknown tokens": count_unknown(ids, special)}),
        )

    def objective(self, training: Any) -> Objective:
        return token_objective(self.special_tokens.pad)

    def validation(self, batches: Any) -> Callable[[keras.Model], dict[str, float]] | None:
        if not self._stateful:
            return None

        def evaluate(_: keras.Model) -> dict[str, float]:
            found = self._likelihood(batches, StatefulScorer(self.model, self.special_tokens))
            return {"val_loss": found.loss, "val_perplexity": found.perplexity}

        return evaluate

    def default_warmup(self, steps: int) -> int:
        return max(1, min(200, steps // 10))

    # --- What the model computes ---

    def source_inputs(self, features: Features) -> Tensors:
        # Columns beyond the limit can only be padding.
        return {"token_ids": features["token_ids"][:, : self.model.max_sequence_length]}

    def further_inferences(self, generate: Any) -> dict[str, Inference]:
        special, limit = self.special_tokens, self.model.max_sequence_length

        def prepare(features: Features) -> Tensors:
            # Columns beyond the limit can only be padding.
            tokens = features["token_ids"][:, : None if limit is None else limit + 1]
            inputs, labels = next_token_inputs(tokens, special)
            return {**inputs, "labels": labels}

        def compute(inputs: Tensors) -> Tensors:
            inputs = dict(inputs)
            labels = inputs.pop("labels")
            found = token_scores(self.model(inputs)["logits"], labels, inputs["padding_mask"])
            # Nothing predicts the first token.
            return {"log_probabilities": ops.pad(found["log_probabilities"], ((0, 0), (1, 0)))}

        shape = (BATCH, LENGTH)
        features = {"token_ids": TensorSpec(shape, "int32", special.pad)}
        return {SCORE: Inference(features, prepare, compute, {"log_probabilities": shape})}

    def check_room(self, tokens: int, new_tokens: int) -> None:
        limit = self.model.max_sequence_length
        if limit is not None and tokens + new_tokens - 1 > limit:
            raise UserError(
                f"a prompt of {tokens} tokens and {new_tokens} new ones exceed the {limit} tokens "
                "that the model can read: give a shorter prompt, or generate fewer"
            )

    # --- Use ---

    def evaluate(self, data: Any, stateful: bool = True, **options: Any) -> dict[str, float]:
        """Next-token loss, perplexity and bits per byte.

        The text is read in windows of `max_length`, each without what came before it.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
            stateful: Whether the states of a model with a `stateful_batch_size` continue from
                window to window, as in training; exported files begin every window anew.

        Returns:
            `loss` in nats a token, `perplexity`, and `bits_per_byte`, which compares tokenizers.

        Raises:
            UserError: If an option is given: nothing is generated.
        """
        for option in options:
            raise UserError(f"evaluate of {self.name} has no option {option!r}")
        run: Run = self.runner()
        if stateful and self._stateful:
            run = StatefulScorer(self.model, self.special_tokens)
        self.metrics = self._scores(data, run)
        return self.metrics

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        windows = self._windows(examples, 1 if self._stateful else 16)
        record(windows.statistics)
        found = self._likelihood(windows, run)
        size = sum(len(text.encode()) + 1 for text in examples.texts)
        return {
            "loss": found.loss,
            "perplexity": found.perplexity,
            "bits_per_byte": found.loss / float(np.log(2)) * found.tokens / size,
        }

    def _likelihood(self, windows: TokenWindows, run: Run) -> Likelihood:
        found = Likelihood()
        for columns in windows.columns(shuffle=False):
            log_p = run(SCORE, columns)["log_probabilities"][:, 1:]
            labels = columns["token_ids"][:, 1:]
            found.add(log_p, labels, labels, labels != windows.pad)
        return found

    def stream(
        self, text: str, max_new_tokens: int | None = None, **generation: Any
    ) -> Iterator[str]:
        """Continues a prompt, piece by piece as tokens are generated.

        Args:
            text: The prompt.
            max_new_tokens: Maximum number of tokens.
            **generation: Other `zoo.decoding.options.GenerationOptions`, except those of beam
                search.
        """
        how = GenerationOptions.of({**generation, "max_new_tokens": max_new_tokens}, "stream")
        length = how.max_new_tokens or self.max_new_tokens
        if how.beams > 1:
            raise UserError("stream has no option 'beams': it generates one token after another")
        preprocessor = self.preprocessor_with(max_new_tokens=length)
        with collecting("prompt"):
            prompt = preprocessor.read(self.raw_inputs([text]))["token_ids"][0]
        prompt = prompt[prompt != self.special_tokens.pad]
        self.check_room(len(prompt), length)
        rules = LogitsProcessors(
            how.no_repeat_ngram, how.min_new_tokens, self._as_ids(how.bad_words)
        )
        sampling = {name: getattr(how, name) for name in STREAMED}
        tokens = self._streamer(prompt, length, **sampling, logits_processors=rules)
        return pieces(tokens, lambda ids: preprocessor.detokenize(tf.constant([ids])).numpy()[0])

    def probes(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().probes(**options)
        longer = [
            {"token_ids": np.pad(x["token_ids"], ((0, 0), (0, 1)), "edge")} for x in found["tokens"]
        ]
        return {**found, SCORE: longer}


def half_lines(texts: list[str], count: int) -> list[str]:
    """The first halves of the first lines with text.

    Example:
        >>> half_lines(["to be", "or not"], 2)
        ['to ', 'or n']
    """
    lines = (line for text in texts for line in text.splitlines() if line.strip())
    return [line[: len(line) // 2 + 1] for line in islice(lines, count)]
