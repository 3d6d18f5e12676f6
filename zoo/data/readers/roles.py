"""The roles of table columns, such as text or label, and the usual names of such columns."""

from dataclasses import dataclass

# First and second texts of a pair, as in well-known data sets.
FIRSTS = ("sentence1", "text1", "text_a", "question1", "premise", "sentence_a", "first")
SECONDS = ("second", "sentence2", "text2", "text_b", "question2", "hypothesis", "sentence_b")


@dataclass(frozen=True)
class Role:
    """The role of a column.

    Args:
        name: Name of the role, which is also a usual name of the column.
        kind: "text", "label", "labels", "answers", "number", "weight", "flag" or "path".
        known: Other usual names of the column, in lower case.
        required: Whether there must be such a column.
        several: Whether a cell may be a list of texts, in JSON.
        listed_in: Name of the role whose option names the column, if it names several.
    """

    name: str
    kind: str = "text"
    known: tuple[str, ...] = ()
    required: bool = True
    several: bool = False
    listed_in: str = ""

    @property
    def option(self) -> str:
        """The name of the option that names the column."""
        return f"{self.listed_in or self.name}_column"

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
        "verdict",
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
SCORE = Role(
    "score",
    "number",
    ("similarity", "similarity_score", "relatedness", "label", "labels"),
    required=False,
)
VALUE = Role(
    "value",
    "number",
    (
        *("values", "score", "rating", "stars", "similarity", "similarity_score", "relatedness"),
        *("price", "target", "number", "label", "y"),
    ),
)
QUERY = Role("query", known=("question", "anchor", *FIRSTS))
RANKED = Role(
    "passage", known=("positive", "document", "answer", "context", "text", "response", *SECONDS)
)
NEGATIVE = Role("negative", known=("hard_negative", "negative_passage"), required=False)
QUERY_ID = Role("query_id", known=("qid",), required=False)
RELEVANCE = Role(
    "score",
    "number",
    ("relevance", "value", "rating", "is_duplicate", *SCORE.known),
    required=False,
)
WEIGHT = Role("weight", "weight")
LABELS = Role("label", "labels", LABEL.known, several=True)
IMAGE = Role(
    "image", "path", ("images", "file", "filename", "file_name", "path", "image_path", "image_file")
)
QUESTION = Role("question", known=("query", "questions"))
PASSAGE = Role(
    "passage",
    known=("context", "paragraph", "passages", "text", "document", "article", "body", "content"),
)
ANSWER = Role("answer", "answers", ("answers", "answer_text", "answer_texts", "span"), several=True)
ANSWER_START = Role(
    "answer_start", "number", ("start", "start_char", "answer_offset"), required=False
)
CAPTION = Role("caption", known=("captions", *TEXT.known, "text", "sentences"), several=True)

LABELED = (TEXT, SECOND, LABEL)
VALUED = (TEXT, SECOND, VALUE)
PAIR = (SOURCE, TARGET)
DOCUMENT = (TEXT,)
CAPTIONED = (IMAGE, CAPTION)
SCORED_PAIR = (SOURCE, TARGET, SCORE)
INPUTS = {  # from which tasks predict
    role.name: role for role in (TEXT, SECOND, SOURCE, QUERY, QUESTION, PASSAGE, RANKED)
}
ANSWERED = (QUESTION, PASSAGE, ANSWER, ANSWER_START)
PASSAGES = (QUERY, RANKED, QUERY_ID, NEGATIVE, RELEVANCE)

# Usual names of the columns of translations, the first of which is the source.
LANGUAGES = frozenset(
    "ar cs da de el en es fi fr he hi hu it ja ko nl no pl pt ro ru sv tr uk vi zh english german "
    "french spanish italian dutch portuguese russian chinese japanese arabic".split()
)
OTHERS = frozenset({"id", "idx", "index", "title", "date", "url", "author"})
TIMES = frozenset({"date", "time", "datetime", "timestamp", "year", "month", "day", "hour"})
KNOWN = LANGUAGES | OTHERS
KNOWN |= frozenset(
    name
    for role in (*LABELED, *PAIR, *SCORED_PAIR, *CAPTIONED, *ANSWERED, *PASSAGES)
    for name in role.names
)
