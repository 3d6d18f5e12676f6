"""Special tokens: padding, unknown, start, end, mask."""

from dataclasses import dataclass

PAD, UNKNOWN, START, END = range(4)

SPECIALS = ("[PAD]", "[UNK]", "[START]", "[END]")
"""The first tokens of every vocabulary that is trained here."""

MASK = "[MASK]"
"""The mask token, which follows `SPECIALS` in vocabularies of masked language models."""


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the special tokens of a vocabulary; -1 for those that it does not contain.

    The defaults are those of vocabularies trained here. Padding may be -1, as in GPT-2, whose
    vocabulary has no padding token; then the embedding and the logits need no additional row. A
    model that accepts such padding looks up an arbitrary row for it, whose result is masked.

    Args:
        pad: Id of the padding after a text.
        unknown: Id of text that is not in the vocabulary.
        start: Id before each text.
        end: Id after each text.
        mask: Id that replaces masked tokens.
        decoder_start: Id of the first decoder input of models whose sources and targets start with
            `start`, such as BART. If it is -1, sources and targets do not start with `start`, which
            is the first decoder input instead.
        forced_first: Id that is forced as the first generated token.
        forced_last: Id that is forced as the last token if `max_new_tokens` is reached.
        second_start: Id before the second text of a pair, after the end of the first one, such as
            the second `</s>` of RoBERTa's pairs.

    Example:
        >>> SpecialTokens(pad=0, unknown=100, start=101, end=102, mask=103).invisible
        (0, 100, 101, 102)
        >>> SpecialTokens(pad=-1, unknown=-1, start=7, end=7).suppressed
        ()
        >>> SpecialTokens(pad=1, unknown=3, start=0, end=2, decoder_start=2).first_read
        2
        >>> SpecialTokens(pad=1, unknown=3, start=0, end=2, second_start=2).between
        (2, 2)
    """

    pad: int = PAD
    unknown: int = UNKNOWN
    start: int = START
    end: int = END
    mask: int = -1
    decoder_start: int = -1
    forced_first: int = -1
    forced_last: int = -1
    second_start: int = -1

    @property
    def between(self) -> tuple[int, ...]:
        """Ids between the two texts of a pair."""
        return (self.end,) if self.second_start < 0 else (self.end, self.second_start)

    @property
    def starts(self) -> bool:
        """Whether sources and targets start with `start`."""
        return self.decoder_start >= 0

    @property
    def first_read(self) -> int:
        """Id of the first decoder input."""
        return self.decoder_start if self.starts else self.start

    @property
    def invisible(self) -> tuple[int, ...]:
        """Ids that are skipped when ids are decoded to text."""
        each = (self.pad, self.unknown, self.start, self.end, self.decoder_start)
        return tuple(i for i in dict.fromkeys(each) if i >= 0)

    @property
    def suppressed(self) -> tuple[int, ...]:
        """Ids that are never generated: padding, and the first decoder input unless it is `end`."""
        each = (self.pad, self.first_read)
        return tuple(i for i in each if i >= 0 and i != self.end)

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of all special tokens."""
        return self.invisible if self.mask < 0 else (*self.invisible, self.mask)


DEFAULT_SPECIAL_TOKENS = SpecialTokens()
