"""What columns of a table are for, and the names that they usually have."""

from dataclasses import dataclass

# First and second texts of a pair, as in well-known data sets.
FIRSTS = ("sentence1", "text1", "text_a", "question1", "premise", "sentence_a", "first")
SECONDS = ("second", "sentence2", "text2", "text_b", "question2", "hypothesis", "sentence_b")


@dataclass(frozen=True)
class Role:
    """What a column is for.

    Args:
        name: Its name, which is also the usual name of the column.
        kind: "text", "label" or "number".
        known: Other usual names, in lower case.
        required: Whether there must be such a column.
    """

    name: str
    kind: str = "text"
    known: tuple[str, ...] = ()
    required: bool = True

    @property
    def option(self) -> str:
        """The option that names the column."""
        return f"{self.name}_column"

    @property
    def names(self) -> tuple[str, ...]:
        """All usual names of the column."""
        return (self.name, *self.known)


TEXT = Role(
    "text",
    known=(
        *("sentence", "review", "content", "body", "document", "comment", "message", "tweet"),
        *("utterance", "description", "question", "query", "post", "article", "headline"),
        *FIRSTS,
    ),
)
SECOND = Role("second", known=SECONDS[1:], required=False)
LABEL = Role(
    "label",
    "label",
    (
        *("labels", "class", "category", "sentiment", "target", "tag", "topic", "intent", "stars"),
        *("rating", "polarity", "emotion", "is_duplicate", "gold_label", "answer", "spam"),
    ),
)
SOURCE = Role(
    "source",
    known=(
        *("src", "input", "source_text", "input_text", "question", "prompt", "article"),
        *("document", "text", *FIRSTS),
    ),
)
TARGET = Role(
    "target",
    known=(
        *("tgt", "trg", "output", "target_text", "output_text", "answer", "response", "completion"),
        *("summary", "highlights", "translation", "reference", *SECONDS),
    ),
)
FIRST_TEXT = Role("text", known=(*FIRSTS, "source"))
SECOND_TEXT = Role("second", known=(*SECONDS[1:], "target"), required=False)
SIMILARITY = Role("label", "number", ("score", "similarity", "similarity_score", "relatedness"))

LABELED = (TEXT, SECOND, LABEL)
PAIR = (SOURCE, TARGET)
DOCUMENT = (TEXT,)
SCORED_PAIR = (FIRST_TEXT, SECOND_TEXT, SIMILARITY)

# Columns of translations have such names, and the first is the source.
LANGUAGES = frozenset(
    "ar cs da de el en es fi fr he hi hu it ja ko nl no pl pt ro ru sv tr uk vi zh english german "
    "french spanish italian dutch portuguese russian chinese japanese arabic".split()
)
OTHERS = frozenset({"id", "idx", "index", "title", "date", "url", "author"})
KNOWN = LANGUAGES | OTHERS
KNOWN |= frozenset(name for role in (*LABELED, *PAIR, *SCORED_PAIR) for name in role.names)
