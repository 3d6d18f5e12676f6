"""Recognition of tagged words in files whose names do not say that they have some."""

import itertools
import pathlib

from zoo.data.readers.files import format_of, read_lines
from zoo.data.readers.tag_columns import choose_columns
from zoo.data.readers.tag_lines import read_tagged_lines
from zoo.data.readers.tag_records import has_records
from zoo.data.readers.tag_tables import has_tag_table
from zoo.errors import UserError

SUFFIXES = (".tsv", ".tab")
LINES = 500  # that have to have a blank line
WORDS = 3  # least number of words for each tag, on average


def has_tags(path: pathlib.Path, encoding: str | None = None) -> bool:
    """Whether a file of records or a table has words with a tag for each."""
    return (
        has_records(path) or has_tagged_sentences(path, encoding) or has_tag_table(path, encoding)
    )


def has_tagged_sentences(path: pathlib.Path, encoding: str | None = None) -> bool:
    """Whether a file has a word and its tag on each line, and blank lines between sentences.

    Example:
        >>> file = getfixture("tmp_path") / "a.tsv"
        >>> _ = file.write_text("Ann\\tB-PER\\nsings\\tO\\n\\nrain\\tO\\nfalls\\tO\\n" * 2)
        >>> has_tagged_sentences(file)
        True
    """
    if format_of(path) not in SUFFIXES or not path.is_file():
        return False
    try:
        first = [line.strip() for line in itertools.islice(read_lines(path, encoding), LINES)]
        if "" not in "\n".join(first).strip().split("\n"):
            return False
        lines, columns = choose_columns(read_tagged_lines(path, encoding))
    except UserError:
        return False
    words = [line.cells[columns.word] for line in lines]
    tags = {line.cells[columns.tag] for line in lines}
    single = not any(char.isspace() for word in words for char in word)
    return len(lines.sentences) > 1 and single and len(words) >= WORDS * len(tags)
