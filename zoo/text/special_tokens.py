"""The pieces of a vocabulary that stand for no text."""

from dataclasses import dataclass

PAD, UNKNOWN, START, END = range(4)

SPECIALS = ("[PAD]", "[UNK]", "[START]", "[END]")
"""What opens every vocabulary that is learned here."""

MASK = "[MASK]"
"""The piece behind them where masks are to be filled."""


@dataclass(frozen=True)
class SpecialTokens:
    """The ids of a vocabulary that stand for no text; others' vocabularies have them elsewhere.

    What a vocabulary lacks is -1. As padding that is as good as a token: it is no token of any
    text, so a checkpoint's embedding needs no row more, its logits stay its own, and no lengths go
    with the ids. A model that may meet it looks up any row instead, which its masks hide.

    Args:
        pad: Id behind the end of a text.
        unknown: Id of what has no piece.
        start: Id before a text.
        end: Id behind each text.
        mask: Id in the place of what is to be guessed.
        decoder_start: Id that a decoder reads first where sources and targets begin with `start`
            themselves, as BART's do; without it they do not, and a decoder reads `start` first.
        forced_first: Id that every output begins with.
        forced_last: Id in the last place of an output that has not ended before.

    Example:
        >>> SpecialTokens(pad=0, unknown=100, start=101, end=102, mask=103).invisible
        (0, 100, 101, 102)
        >>> SpecialTokens(pad=-1, unknown=-1, start=7, end=7).never
        ()
        >>> SpecialTokens(pad=1, unknown=3, start=0, end=2, decoder_start=2).first_read
        2
    """

    pad: int = PAD
    unknown: int = UNKNOWN
    start: int = START
    end: int = END
    mask: int = -1
    decoder_start: int = -1
    forced_first: int = -1
    forced_last: int = -1

    @property
    def starts(self) -> bool:
        """Whether sources and targets begin with the start."""
        return self.decoder_start >= 0

    @property
    def first_read(self) -> int:
        """What a decoder reads before it writes its first token."""
        return self.decoder_start if self.starts else self.start

    @property
    def invisible(self) -> tuple[int, ...]:
        """Those that leave no trace in a text."""
        each = (self.pad, self.unknown, self.start, self.end, self.decoder_start)
        return tuple(i for i in dict.fromkeys(each) if i >= 0)

    @property
    def never(self) -> tuple[int, ...]:
        """Those that no output holds: padding, and what is read first unless it is the end too."""
        each = (self.pad, self.first_read)
        return tuple(i for i in each if i >= 0 and i != self.end)

    @property
    def ids(self) -> tuple[int, ...]:
        """All of them."""
        return self.invisible if self.mask < 0 else (*self.invisible, self.mask)


OURS = SpecialTokens()
