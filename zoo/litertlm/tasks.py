"""Language models of tasks, in the form that `export.litertlm` takes."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import keras

from keras_attn.articles import with_article
from zoo.errors import UserError
from zoo.litertlm.chat_template import with_joined_parts
from zoo.litertlm.greedy import Greedy
from zoo.litertlm.likelihood import likelihood
from zoo.litertlm.prompts import PASSAGE, edge_lengths, prompts, sample_lengths
from zoo.litertlm.signatures import key_value_model, signatures
from zoo.litertlm.tokenizer import runtime_tokenizer
from zoo.model_card import FILE, model_card
from zoo.serving.signatures import Signature
from zoo.text.chats import named_tokens, rendered

if TYPE_CHECKING:
    from zoo.tasks.task import Task

TASK = "causal-lm"
DEFAULT_LENGTH = 2048  # tokens of the caches, if the model takes as many


@dataclass(frozen=True)
class RuntimeLanguageModel:
    """A language model as `export.litertlm` takes it.

    Args:
        task: The task, a causal-lm.
        max_length: Number of tokens of the caches, which a prompt and its answer share.
        chat_template: Jinja template of conversations; empty if there is none.
    """

    task: "Task"
    max_length: int
    chat_template: str = ""

    @property
    def model(self) -> keras.Model:
        """The Keras model."""
        return self.task.model

    @functools.cached_property
    def signatures(self) -> Mapping[str, Signature]:
        """`decode`, and `prefill` for several numbers of tokens."""
        model = key_value_model(self.model, self.task.settings.model)
        return signatures(model, self._rows, self.max_length)

    @property
    def _rows(self) -> int:
        return int(self.model.output["logits"].shape[-1])

    @functools.cached_property
    def tokenizer(self) -> str:
        """The content of `tokenizer.json`."""
        return runtime_tokenizer(self.task.preprocessor.tokenizer, self._rows)

    @property
    def start_token(self) -> int | None:
        """Id that is put before each prompt; None if there is none."""
        return self._start[0] if self._start else None

    @property
    def _start(self) -> list[int]:
        tokenizer = self.task.tokenizer
        return [tokenizer.special_tokens.start] if tokenizer.adds_start else []

    @property
    def stop_tokens(self) -> Sequence[int]:
        """Ids at which an answer ends."""
        return [self.task.special_tokens.end]

    @property
    def pad_token(self) -> int:
        """Id of padding; the end token, if the vocabulary has none."""
        special = self.task.special_tokens
        return special.pad if special.pad >= 0 else special.end

    @property
    def suppressed_tokens(self) -> Sequence[int]:
        """Ids that are never generated."""
        return self.task.special_tokens.suppressed

    @property
    def config(self) -> Mapping[str, Any]:
        """Plain data that the manifest keeps."""
        return {**self.task.config, "data": self.task.data, "max_length": self.max_length}

    @property
    def passage(self) -> Sequence[int]:
        """The ids of a passage of ordinary text."""
        ids: list[int] = self.task.tokenizer.tokenize([PASSAGE]).to_list()[0]
        return [*self._start, *ids][: self.max_length]

    @property
    def assets(self) -> Mapping[str, str]:
        """Files that belong beside the bundle."""
        return {FILE: model_card(self.task)}

    def prompts(self, samples: bool = False) -> Sequence[tuple[str, Sequence[int]]]:
        """Texts with their ids, as many tokens as are hard for the runtime.

        Args:
            samples: Whether to add many ordinary prompts.
        """
        tokenizer, more = self.task.tokenizer, len(self._start)
        edges = [each - more for each in edge_lengths(self.max_length) if each > more]
        chosen = prompts(tokenizer, edges)
        if samples:
            chosen += prompts(tokenizer, sample_lengths(self.max_length), step=5)
        return [(text, [*self._start, *ids]) for text, ids in chosen]

    def rendered(self, conversations: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
        """The prompts that the chat template makes of conversations, whose messages have parts.

        Where texts begin with the start token, the runtime puts it before them, and `bos_token` is
        empty.

        Raises:
            UserError: If the template writes the start token, too.
        """
        chats = [[dict(message) for message in messages] for messages in conversations]
        texts = [text for ((text, _),) in rendered(self.chat_template, chats, {}, prompt=True)]
        for start in self._start:
            name = self.task.tokenizer.vocabulary[start]
            if any(text.startswith(name) for text in texts):
                raise UserError(
                    f"the chat template writes {name}, which LiteRT-LM puts before each prompt, "
                    "too: write {{ bos_token }} in its place"
                )
        return texts

    def encode(self, text: str) -> list[int]:
        """The ids of a prompt, with special tokens where it spells them."""
        import tokenizers

        ids = tokenizers.Tokenizer.from_str(self.tokenizer).encode(text).ids
        return [*self._start, *ids]

    def answers(self, prompts: Iterable[Sequence[int]], count: int) -> list[list[int]]:
        """The tokens that the model itself continues each prompt with, up to the end token.

        Args:
            prompts: Ids of prompts.
            count: Maximum number of tokens; fewer, where the caches are full before.
        """
        greedy = Greedy(self.task.model, self.task.special_tokens, self.max_length)
        return [greedy(ids, count) for ids in prompts]

    def likelihood(self, ids: Sequence[int]) -> tuple[Sequence[float], Sequence[int]]:
        """For each id but the first, its log probability, and the most probable id in its place."""
        return likelihood(self.task.model, ids)


def for_litertlm(
    task: "Task", max_length: int | None = None, chat_template: str | None = None
) -> RuntimeLanguageModel:
    """A task in the form that `export.litertlm` takes.

    Args:
        task: A causal-lm whose model has caches of keys and values.
        max_length: Number of tokens of a prompt with its answer. Defaults to that of the task, but
            at most 2,048.
        chat_template: Jinja template of conversations. Defaults to that of the task.

    Raises:
        UserError: If LiteRT-LM cannot run the task.
    """
    if task.name != TASK:
        raise UserError(f"LiteRT-LM runs {TASK} tasks, and this is {with_article(task.name)}")
    limit = task.settings.max_length
    length = min(limit, DEFAULT_LENGTH) if max_length is None else max_length
    if not 2 <= length <= limit:
        raise UserError(f"max_length must be from 2 to {limit:,}, that of the task; got {length}")
    given = task.settings.chat_template if chat_template is None else chat_template
    tokens = named_tokens(task.tokenizer)
    if task.tokenizer.adds_start:  # the runtime puts it before each prompt
        tokens["bos_token"] = ""
    template = with_joined_parts(given, tokens) if given else ""
    bundle = RuntimeLanguageModel(task, length, template)
    key_value_model(task.model, task.settings.model)
    bundle.tokenizer  # noqa: B018  refuses a tokenizer before the work
    return bundle
