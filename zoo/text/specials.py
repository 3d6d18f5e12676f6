"""The pieces of a vocabulary that stand for no text."""

from dataclasses import dataclass

PAD, UNKNOWN, START, END = range(4)

SPECIALS = ("[PAD]", "[UNK]", "[START]", "[END]")
"""What opens every vocabulary that is learned here."""

MASK = "[MASK]"
"""The piece behind them where masks are to be filled."""


@dataclass(frozen=True)
class Specials:
    """The ids of a vocabulary that stand for no text; others' vocabularies have them elsewhere.

    Args:
        pad: Id behind the end of a text.
        unknown: Id of what has no piece.
        start: Id before a text.
        end: Id behind each text.
        mask: Id in the place of what is to be guessed; -1 if there is none.

    Example:
        >>> Specials(pad=0, unknown=100, start=101, end=102, mask=103).silent
        (0, 100, 101, 102)
    """

    pad: int = PAD
    unknown: int = UNKNOWN
    start: int = START
    end: int = END
    mask: int = -1

    @property
    def silent(self) -> tuple[int, ...]:
        """Those that leave no trace in a text."""
        return self.pad, self.unknown, self.start, self.end

    @property
    def marks(self) -> tuple[int, ...]:
        """All of them."""
        return self.silent if self.mask < 0 else (*self.silent, self.mask)


OURS = Specials()
