"""The generation of texts by a task: its options, and the outputs of its model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import keras
import numpy as np
from keras import ops

from zoo.decoding.generate import check_options, generate
from zoo.decoding.logits_processors import LogitsProcessors, Words
from zoo.decoding.options import SAMPLING_OPTIONS, GenerationOptions, changed
from zoo.decoding.protocol import Decoder
from zoo.decoding.sampling import choice
from zoo.decoding.token_by_token import TokenByToken
from zoo.errors import UserError
from zoo.options import options_of
from zoo.serving.inference import Tensors
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer

BadWords = Sequence[str] | Sequence[Sequence[int]]
STREAM = "stream"  # option of an export


class Candidate(NamedTuple):
    """One of the outputs of a beam search.

    `score` is the sum of the log-probabilities of the tokens, in nats. Beam search divides it by
    the length penalty.
    """

    text: str
    score: float


@dataclass(frozen=True)
class Generation:
    """How texts are generated.

    Args:
        length: Maximum number of new tokens.
        options: The options that differ from their defaults, by name.
    """

    length: int
    options: Mapping[str, Any]

    @classmethod
    def of(cls, given: Mapping[str, Any], task: str, length: int, tokenizer: Tokenizer) -> Self:
        """Validates options.

        Args:
            given: Some of `GenerationOptions`, by name.
            task: Name of the task, for messages.
            length: Default maximum number of new tokens.
            tokenizer: The tokenizer, for words that must not be generated.

        Raises:
            UserError: If an option is unknown or a value is not allowed.
        """
        options = changed(options_of(GenerationOptions, given, task))
        length = options.pop("max_new_tokens", length)
        if "bad_words" in options:
            options["bad_words"] = ids_of_words(options["bad_words"], tokenizer)
        return cls(length, options)

    @property
    def beams(self) -> int:
        """The number of beams."""
        beams: int = self.options.get("beams", 1)
        return beams

    @property
    def samples(self) -> bool:
        """Whether tokens are sampled."""
        return bool(self.options.get("temperature"))

    @property
    def sampling(self) -> dict[str, Any]:
        """The options of sampling."""
        return {name: x for name, x in self.options.items() if name in SAMPLING_OPTIONS}

    @property
    def searching(self) -> dict[str, Any]:
        """All other options."""
        return {name: x for name, x in self.options.items() if name not in SAMPLING_OPTIONS}


def ids_of_words(words: BadWords, tokenizer: Tokenizer) -> Words:
    """Converts words to ids, both at the beginning of a text and after a space."""
    ids: dict[tuple[int, ...], None] = {}
    for word in words:
        if not isinstance(word, str):
            ids[tuple(map(int, word))] = None
            continue
        pieces = tokenizer.tokenize([word, " " + word]).to_list()
        if not pieces[0]:
            raise UserError(f"bad_words contains {word!r}, which has no tokens")
        ids |= dict.fromkeys(map(tuple, pieces))
    return tuple(ids)


def generated(
    model: keras.Model,
    inputs: Tensors,
    length: int,
    special_tokens: SpecialTokens,
    options: Mapping[str, Any],
) -> Tensors:
    """The ids of the best output, its length and its score; and those of all beams.

    Args:
        model: A `Decoder`.
        inputs: What the model encodes.
        length: Maximum number of new tokens.
        special_tokens: The special tokens of the vocabulary.
        options: Further options of `generate`.
    """
    output = generate(model, inputs, length, special_tokens=special_tokens, **options)
    best = {
        # Joining tokens in LiteRT requires a static length.
        "token_ids": ops.reshape(output.token_ids[:, 0], (-1, length)),
        "lengths": output.lengths[:, 0],
        "scores": output.scores[:, 0],
    }
    if options.get("beams", 1) == 1:
        return best
    return {**best, "beam_ids": output.token_ids, "beam_scores": output.scores}


def token_by_token(
    how: GenerationOptions, length: int, model: Decoder, tokenizer: Tokenizer
) -> TokenByToken:
    """Greedy decoding or sampling, a token at a time.

    Args:
        how: The options.
        length: Maximum number of new tokens.
        model: The model, or a traced step of it.
        tokenizer: The tokenizer.
    """
    check_options(length, how.temperature, how.top_k, how.top_p, how.min_new_tokens)
    special = tokenizer.special_tokens
    words = ids_of_words(how.bad_words, tokenizer)
    rules = LogitsProcessors.of(special, length, how.no_repeat_ngram, how.min_new_tokens, words)
    choose = choice(how.temperature, how.top_k, how.top_p)
    return TokenByToken(model, length, choose, special, rules)


def with_every_beam(outputs: Tensors) -> Tensors:
    """Outputs that have all beams, also of greedy decoding."""
    ids = outputs.get("beam_ids", outputs["token_ids"][:, None])
    scores = outputs.get("beam_scores", outputs["scores"][:, None])
    return {**outputs, "beam_ids": ids, "beam_scores": scores}


def row_numbers(features: Mapping[str, Any]) -> np.ndarray:
    """The number of each row in the data, on which samples depend."""
    rows = len(next(iter(features.values())))
    return np.asarray(features.get("row", np.arange(rows)))
