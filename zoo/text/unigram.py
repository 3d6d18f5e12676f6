"""Unigram tokenizers of pretrained checkpoints, with SentencePiece's normalization."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import tensorflow as tf

from zoo.errors import UserError
from zoo.text.charsmap import Charsmap, charsmap_of
from zoo.text.limits import check_tokens
from zoo.text.programs.charsmap_symbols import CharsmapSymbols
from zoo.text.programs.masks import WithMasks
from zoo.text.programs.program import Encode, encoded
from zoo.text.programs.separate_words import SeparateWords, separated_at
from zoo.text.programs.unigram import Unigram
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer
from zoo.text.whitespace import WHITE

SPACE = "▁"
_LARGEST_SCORE = 1e6
_NONE = dict.fromkeys(("pad", "unknown", "start", "end"), -1)


class UnigramTokenizer(Tokenizer):
    """Unigram tokenizer of XLM-R and T5, which returns the same ids as Hugging Face's.

    Splits each word into the most probable sequence of tokens, after characters were replaced as
    SentencePiece does, such as by NFKC. There is one difference from the original: special tokens
    in a text, such as "</s>", are ordinary text, except masks.

    Source: Kudo 2018 (unigram language model); Kudo & Richardson 2018 (SentencePiece), as
        implemented by Hugging Face's `tokenizers`.
    Formula: `argmax sum_i score(p_i)` over all splits of a word into tokens p_1 ... p_n

    Args:
        vocabulary: The tokens in the order of their ids. "▁" stands for the space before a word.
        scores: The log-probability of each token; None of those that are in no text.
        special_tokens: Ids of the special tokens by field of `SpecialTokens`, with the unknown one.
        charsmap: SentencePiece's precompiled map of characters, in base64; nothing without one.
        only_spaces: Whether spaces alone separate words, and whitespace behind the last word is a
            word "▁", instead of whitespace of any kind.
        mask_strips: Whether whitespace before a mask is part of it.

    Raises:
        UserError: If a token is there twice or is too long, or the scores or the map are invalid.

    Example:
        >>> pieces, scores = ["<unk>", "</s>", "▁", "a", "▁a"], [0, 0, -3, -3, -2]
        >>> tokenizer = UnigramTokenizer(pieces, scores, {"unknown": 0, "end": 1})
        >>> ids = tokenizer.tokenize(["a aa é"])
        >>> ids.to_list(), tokenizer.detokenize(ids).numpy().tolist()
        ([[4, 4, 3, 2, 0]], [b'a aa '])
    """

    kind = "unigram"

    def __init__(
        self,
        vocabulary: Sequence[str],
        scores: Sequence[float | None],
        special_tokens: Mapping[str, int],
        charsmap: str = "",
        only_spaces: bool = False,
        mask_strips: bool = True,
    ) -> None:
        check_tokens(vocabulary)
        special = SpecialTokens(**{**_NONE, **special_tokens})
        _check_scores(scores, len(vocabulary))
        if any(not -1 <= each < len(vocabulary) for each in asdict(special).values()):
            raise UserError("the ids of special tokens must be ids of the vocabulary")
        if special.unknown < 0:
            raise UserError("a unigram vocabulary must have an unknown token")
        self.scores = [None if each is None else float(each) for each in scores]
        self.charsmap = charsmap
        self.only_spaces, self.mask_strips = only_spaces, mask_strips
        self._replaced: Charsmap = charsmap_of(charsmap)
        spellings = [piece.replace(SPACE, " ") for piece in vocabulary]
        super().__init__(vocabulary, spellings, tf.identity, special)
        # Compiled, since its many small operators would be slow in eager mode.
        signature = [tf.TensorSpec([None], tf.string)]
        self._ids = tf.function(
            lambda texts: encoded(self.program, texts), input_signature=signature, autograph=False
        )

    def tokenize(self, texts) -> tf.RaggedTensor:
        """Converts texts (B,) to ragged int32 ids (B, T), with no special tokens except masks."""
        return self._ids(tf.convert_to_tensor(texts, tf.string))

    @property
    def _separators(self) -> tuple[str, ...]:
        return (" ",) if self.only_spaces else WHITE

    def _encoder(self) -> Encode:
        special = self.special_tokens
        scores = [0.0 if each is None else each for each in self.scores]
        tokens = {
            piece: i
            for i, (piece, score) in enumerate(zip(self.vocabulary, self.scores, strict=True))
            if score is not None and i not in special.ids
        }
        encode: Encode = Unigram(
            CharsmapSymbols(
                "".join(tokens), self._replaced, self._separators, SPACE, self.only_spaces
            ),
            tokens,
            scores,
            SPACE,
            special.unknown,
            special.pad,
            self.vocabulary_size,
            least=min(scores),
            exact=True,
            marked=True,
        )
        if special.mask < 0:
            return encode
        boundary, pad = self.vocabulary_size, special.pad
        return WithMasks(encode, self.mask_name, special.mask, self.mask_strips, boundary, pad)

    def separate_words(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> SeparateWords:
        """The words between whitespace, with their punctuation marks."""
        return separated_at(self._white, text_bytes, lengths)

    @functools.cached_property
    def _white(self) -> frozenset[str]:
        """The characters that separate words, as they are in texts."""
        replaced = self._replaced.characters
        spaces = {each for each, text in replaced.items() if text and not text.strip(" ")}
        kept = {each for each in (*self._separators, SPACE) if each not in replaced}
        return frozenset(spaces | kept)

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into bytes, which this tokenizer needs: export without "
            "strings, and tokenize outside the model"
        )

    def facts(self) -> dict[str, Any]:
        special = {name: i for name, i in asdict(self.special_tokens).items() if i >= 0}
        facts = {**super().facts(), "scores": self.scores, "special_tokens": special}
        if self.charsmap:
            facts["charsmap"] = self.charsmap
        if self.only_spaces:
            facts["only_spaces"] = True
        if not self.mask_strips:
            facts["mask_strips"] = False
        return facts


def _check_scores(scores: Sequence[float | None], tokens: int) -> None:
    """Refuses scores that are no finite numbers, or not as many as there are tokens."""
    if len(scores) != tokens:
        raise UserError(f"expected a score for each of {tokens} tokens, got {len(scores)}")
    for number, score in enumerate(scores):
        if score is None:
            continue
        valid = isinstance(score, int | float) and not isinstance(score, bool)
        if not (valid and math.isfinite(score) and abs(score) <= _LARGEST_SCORE):
            raise UserError(
                f"the score of token {number} must be a number of at most 1e6, got {score!r:.40}"
            )
