"""The protocol of language models that can be exported for LiteRT-LM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import keras

from export.protocol import ServingSignature


@runtime_checkable
class LiteRTLMModel(Protocol):
    """A language model in the form that LiteRT-LM runs.

    Attributes:
        model: The model, whose weights the bundle holds.
        signatures: `decode` and `prefill_*`, as LiteRT-LM calls them.
        tokenizer: The content of Hugging Face's `tokenizer.json`.
        max_length: The number of tokens of the caches, which a prompt and its answer share.
        start_token: The id that is put before each prompt; None if there is none.
        stop_tokens: The ids at which an answer ends.
        pad_token: The id of padding.
        suppressed_tokens: The ids that are never generated.
        chat_template: The Jinja template of conversations, whose messages have lists of parts;
            empty if there is none.
        config: Plain data that the manifest keeps.
        passage: The ids of a passage of ordinary text, at least two and at most `max_length`.
        assets: The files that belong beside the bundle: their content by name.
    """

    @property
    def model(self) -> keras.Model: ...
    @property
    def signatures(self) -> Mapping[str, ServingSignature]: ...
    @property
    def tokenizer(self) -> str: ...
    @property
    def max_length(self) -> int: ...
    @property
    def start_token(self) -> int | None: ...
    @property
    def stop_tokens(self) -> Sequence[int]: ...
    @property
    def pad_token(self) -> int: ...
    @property
    def suppressed_tokens(self) -> Sequence[int]: ...
    @property
    def chat_template(self) -> str: ...
    @property
    def config(self) -> Mapping[str, Any]: ...
    @property
    def passage(self) -> Sequence[int]: ...
    @property
    def assets(self) -> Mapping[str, str]: ...

    def prompts(self, samples: bool = False) -> Sequence[tuple[str, Sequence[int]]]:
        """Texts to verify the bundle with, and their ids.

        Args:
            samples: Whether to add many ordinary ones, by which a quantized bundle is judged.
        """

    def rendered(self, conversations: Sequence[Sequence[Mapping[str, Any]]]) -> Sequence[str]:
        """The prompts that the chat template makes of conversations.

        Args:
            conversations: Messages with "role" and "content", which is a list of parts.

        Raises:
            ValueError: If the template is invalid, raises an error, or does not end.
        """

    def encode(self, text: str) -> Sequence[int]:
        """The ids of a text that the chat template made, with its special tokens and the start."""

    def answers(self, prompts: Iterable[Sequence[int]], count: int) -> Sequence[Sequence[int]]:
        """At most `count` tokens that the model itself continues each prompt of ids with."""

    def likelihood(self, ids: Sequence[int]) -> tuple[Sequence[float], Sequence[int]]:
        """For each id but the first, its log probability, and the most probable id in its place."""


@runtime_checkable
class TaskForLiteRTLM(Protocol):
    """A task that LiteRT-LM can run.

    Attributes:
        for_litertlm: Makes the form of it that LiteRT-LM runs.
    """

    def for_litertlm(
        self, max_length: int | None = None, chat_template: str | None = None
    ) -> LiteRTLMModel: ...
