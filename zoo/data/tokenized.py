"""Texts as ids, held flat."""

from collections.abc import Sequence

import numpy as np

from zoo.text.codec import joined
from zoo.text.lost import count_lost
from zoo.text.tokenizer import Tokenizer

_CHUNK = 1 << 16  # texts tokenized at a time


class TokenizedTexts:
    """Texts as ids, cut to a length and ended.

    Args:
        texts: the texts.
        tokenizer: what makes ids of them.
        max_length: the most ids of a text, [START] and [END] included.
        seconds: a second text for each, which follows behind an [END] of its own.
        starts: whether texts also begin with [START].
        what: what the texts are, for messages.

    `lengths` (texts,) counts the ids of each text, those two included; `lost` what is cut, empty
    or unknown.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> texts = TokenizedTexts(["b", "ab"], train_tokenizer("characters", ["ab"], 10), 9)
        >>> texts.padded(np.array([1, 0])).tolist()
        [[4, 5, 6, 3], [4, 6, 3, 0]]
    """

    def __init__(
        self,
        texts: Sequence[str],
        tokenizer: Tokenizer,
        max_length: int,
        seconds: Sequence[str] | None = None,
        starts: bool = False,
        what: str = "texts",
    ):
        chunks = []
        for i in range(0, len(texts), _CHUNK):
            tokens = tokenizer.tokenize(list(texts[i : i + _CHUNK]))
            if seconds is not None:
                others = tokenizer.tokenize(list(seconds[i : i + _CHUNK]))
                tokens = joined(tokens, others, tokenizer.special_tokens)
            chunks.append(tokens)
        self._ids = np.concatenate([chunk.flat_values.numpy() for chunk in chunks])
        sizes = np.concatenate([chunk.row_lengths().numpy() for chunk in chunks])
        self._begins = sizes.cumsum() - sizes
        marked = sizes + 1 + starts
        self._starts, self.special_tokens = starts, tokenizer.special_tokens
        self.lengths = np.minimum(marked, max_length)
        cut, room = f"{what} cut to {max_length} tokens", max_length - 1 - starts
        self.lost = count_lost(self._ids, sizes, room, cut, self.special_tokens)

    def padded(self, rows: np.ndarray) -> np.ndarray:
        """Ids, [END] and padding of these texts, behind [START] where they begin with it."""
        last = self.lengths[rows, None] - 1 - self._starts
        position = np.arange(last.max() + 1)
        places = np.where(position < last, self._begins[rows, None] + position, 0)
        pad, end = self.special_tokens.pad, self.special_tokens.end
        ids = np.append(self._ids, pad)[places]  # one more, for texts without any ids
        ids = np.where(position < last, ids, np.where(position == last, end, pad))
        begin = ((0, 0), (self._starts, 0))
        return np.pad(ids.astype(np.int32), begin, constant_values=self.special_tokens.start)
