"""Language models: trained on plain text, they continue a prompt."""

from collections.abc import Callable
from typing import Any, ClassVar

import keras
import numpy as np

from zoo.data.batching.columns import Scalars
from zoo.data.batching.tokenized import Tokenized
from zoo.data.batching.windows import ShardWindows, TokenWindows, token_stream
from zoo.data.readers.documents import Documents
from zoo.data.shards.manifest import SCALARS, Shards
from zoo.data_statistics import Statistics, counted, record
from zoo.errors import UserError
from zoo.models.attending import DECODER
from zoo.option_names import option_name
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.model_inputs import encoder_inputs, next_token_inputs
from zoo.preprocessing.text import PromptPreprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.attending import Tokens, self_attention
from zoo.tasks.likelihood import SCORE, token_objective
from zoo.tasks.next_token import StatefulScorer, next_token_inference, score_windows
from zoo.tasks.options import causal_lm as options
from zoo.tasks.plain_text import PlainTextTask
from zoo.tasks.streaming import StreamingTask
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer
from zoo.training.objective import Objective

NEW_TOKENS = 64  # default maximum number of generated tokens, if max_length allows it


class CausalLM(PlainTextTask, StreamingTask):
    """Trains a language model on plain text, and continues prompts with it.

    The default warm-up is 200 steps, or a tenth of all steps if that is less.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny", units=16, max_length=8, max_new_tokens=4)
        >>> task.adapt(["to be or not to be"])
        >>> history = task.fit(["to be or not to be"], epochs=1, xla=False, verbose=False)
        >>> len(task.predict(["to ", "be"], max_new_tokens=3))
        2
    """

    name = "causal-lm"
    column_kinds: ClassVar = {"token_ids": SCALARS}
    sorted_by = ()
    Settings = options.Settings
    Training = options.Training
    preview_explanation: ClassVar = "The first halves of lines, as the model continues them."
    purposes: ClassVar = {
        "tokens": "Continues each prompt.",
        SCORE: "Scores each token of a text, given those before it.",
    }

    def check_settings(self) -> None:
        super().check_settings()
        self._max_prompt_length(self.max_new_tokens)

    def _max_prompt_length(self, max_new_tokens: int) -> int:
        length = self.settings.max_length
        if max_new_tokens >= length:
            name, limit = option_name("max_new_tokens"), option_name("max_length")
            raise UserError(f"{name} must be below {limit}, {length}; got {max_new_tokens}")
        return length - max_new_tokens

    @property
    def max_new_tokens(self) -> int:
        given: int | None = self.settings.max_new_tokens
        return min(NEW_TOKENS, self.settings.max_length // 2) if given is None else given

    def sample_inputs(self, examples: Documents, count: int) -> dict[str, list[str]]:
        if isinstance(examples, Shards):
            return super().sample_inputs(examples, count)
        return {"text": examples.half_lines(count)}

    def preprocessor_for(self, tokenizer: Tokenizer) -> PromptPreprocessor:
        return PromptPreprocessor(tokenizer, self._max_prompt_length(self.max_new_tokens))

    def preprocessor_with(self, max_new_tokens: int | None = None, **_: Any) -> PromptPreprocessor:
        if self.model.max_sequence_length is None or max_new_tokens is None:
            return self.preprocessor  # the prompt's limit does not depend on it
        return PromptPreprocessor(self.tokenizer, self._max_prompt_length(max_new_tokens))

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.positions(self.settings.max_length)}

    @property
    def _stateful(self) -> int:
        """Batch size of stateful training, in which states continue in the next batch, or 0."""
        return getattr(self.model, "stateful_batch_size", 0)

    # --- Training ---

    def batches(self, examples: Documents, training: Any, held_out: bool = False) -> TokenWindows:
        stateful = self._stateful
        size = training.batch_size or stateful or 32
        if stateful and size != stateful:
            name, other = option_name("batch_size"), "stateful_batch_size"
            raise UserError(f"{name} must be {other}, {stateful}; got {size}")
        if held_out:
            return self._windows(examples, 1 if stateful else size)
        return self._windows(examples, size, bool(stateful), training.seed)

    def _windows(
        self, examples: Documents, size: int, stateful: bool = False, seed: int = 0
    ) -> TokenWindows:
        special, length = self.special_tokens, self.settings.max_length

        def prepare(columns: Features) -> Any:
            return next_token_inputs(columns["token_ids"], special)

        tokens = self.tokens(examples)
        stream: Any = tokens.columns["token_ids"]
        is_stored = isinstance(examples, Shards)
        kind, ids = (ShardWindows, stream) if is_stored else (TokenWindows, stream.values)
        counts = tokens.statistics
        return kind(ids, length, size, prepare, stateful, seed, special.pad, counts)

    def tokenized(self, examples: Documents, number: int = 0) -> Tokenized:
        begins, goes_on = number == 0, examples.goes_on
        ids = token_stream(examples.texts, self.tokenizer, begins, goes_on)
        unknown = count_unknown(ids, self.special_tokens)
        column = Scalars(ids, self.special_tokens.pad)
        return Tokenized({"token_ids": column}, Statistics({"unknown tokens": unknown}))

    def objective(self, training: Any) -> Objective:
        return token_objective(self.special_tokens.pad)

    def validation(self, batches: Any) -> Callable[[keras.Model], dict[str, float]] | None:
        if not self._stateful:
            return None

        def evaluate(_: keras.Model) -> dict[str, float]:
            found = score_windows(batches, StatefulScorer(self.model, self.special_tokens))
            return {"val_loss": found.loss, "val_perplexity": found.perplexity}

        return evaluate

    def default_warmup(self, steps: int) -> int:
        return max(1, min(200, steps // 10))

    # --- What the model computes ---

    def source_inputs(self, features: Features) -> Tensors:
        # Columns beyond the limit can only be padding.
        return {"token_ids": features["token_ids"][:, : self.model.max_sequence_length]}

    def further_inferences(self, generate: Any) -> dict[str, Inference]:
        def prepare(features: Features) -> Tensors:
            limit = self.model.max_sequence_length
            return encoder_inputs(features["token_ids"], self.special_tokens, limit, segments=False)

        score = next_token_inference(
            self.model, self.special_tokens, (0, self.tokenizer.vocabulary_size - 1)
        )
        return {**self_attention(self.model, self.preprocessor.features, prepare), SCORE: score}

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        pieces = self.preprocessor.pieces(features["token_ids"][0])
        return {DECODER: (pieces, pieces)}

    def check_room(self, tokens: int, new_tokens: int) -> None:
        limit = self.model.max_sequence_length
        if limit is not None and tokens + new_tokens - 1 > limit:
            raise UserError(
                f"a prompt of {counted(tokens, 'tokens')} and {counted(new_tokens, 'new tokens')} "
                f"exceed the maximum of {limit} tokens of the model: use a shorter prompt, "
                "or generate fewer tokens"
            )

    # --- Use ---

    def evaluate(self, data: Any, stateful: bool = True, **options: Any) -> dict[str, float]:
        """Computes next-token loss, perplexity and bits per byte.

        The text is split into windows of `max_length` tokens, which are evaluated independently.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
            stateful: Whether the states of a model with a `stateful_batch_size` continue from
                window to window, as in training. Exported files reset the states in every window.

        Returns:
            `loss` in nats per token, `perplexity`, and `bits_per_byte`, which can be compared
            across tokenizers.

        Raises:
            UserError: If a generation option is given, since nothing is generated.
        """
        for option in options:
            raise UserError(f"evaluate of {self.name} has no option {option!r}")
        run: Run = self.runner()
        if stateful and self._stateful:
            run = StatefulScorer(self.model, self.special_tokens)
        examples = self.read_to_evaluate(data)
        self.say_what_is_evaluated(data, examples)
        return self.keep_metrics(data, self._scores(examples, run))

    def score(self, examples: Documents, run: Run) -> dict[str, float]:
        windows = self._windows(examples, 1 if self._stateful else 16)
        record(windows.statistics)
        found = score_windows(windows, run)
        size = sum(len(text.encode()) + 1 for text in examples.texts)
        return {
            "loss": found.loss,
            "perplexity": found.perplexity,
            "bits_per_byte": found.loss / float(np.log(2)) * found.tokens / size,
        }

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        found = super().calls(preprocessor, raw)
        longer = [
            {"token_ids": np.pad(x["token_ids"], ((0, 0), (0, 1)), "edge")} for x in found["tokens"]
        ]
        return {**found, SCORE: longer}
