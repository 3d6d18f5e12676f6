"""Texts whose spans have labels, by their places, as words with a tag for each."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from zoo.data.readers.annotations import rows_of
from zoo.data.readers.roles import TEXT
from zoo.data.readers.spans import BEGINS, INSIDE, OUTSIDE

Record = Mapping[str, Any]
Placed = tuple[int, int, str, str]  # first character, the one after the last, label, own text
STARTS, ENDS = ("start", "start_offset", "begin", "start_char"), ("end", "end_offset", "end_char")
LABELS = ("label", "labels", "type", "tag", "entity", "entity_type")
WORDS, TAGS = "words", "tags"  # names of the lists that come of a record
WORD = re.compile(r"\S+")  # as a trained tagger finds them in a text


def tagged_of(first: Iterable[Any]) -> Callable[[Record], dict[str, list[str]] | None] | None:
    """How records with spans become words and tags; None for other records.

    Such are those of Label Studio, Prodigy and doccano. A word is what is between spaces, as in
    the texts that a tagger predicts; it has the tag of the first span that it is a part of. A
    record that nobody labeled or accepted becomes None.

    Args:
        first: The first records.

    Example:
        >>> record = {"text": "Ann Lee sings.", "label": [[0, 7, "PER"]]}
        >>> tagged_of([record])(record)
        {'words': ['Ann', 'Lee', 'sings.'], 'tags': ['B-PER', 'I-PER', 'O']}
    """
    records = [each for each in first if isinstance(each, dict)]
    convert = rows_of(records) or dict
    rows = [row for record in records if (row := convert(record)) is not None]
    names = [name for row in rows for name, value in row.items() if value and _spans(value)]
    text = next((x for row in rows if (x := _text_of(row, names[:1])) is not None), None)
    if not names or text is None:
        return None
    return partial(_tagged, convert=convert, text=text, place=names[0])


def _text_of(row: Record, names: list[str]) -> str | None:
    """The key of the text: one of a usual name, or else the longest of a row."""
    texts = {key: value for key, value in row.items() if isinstance(value, str)}
    usual = next((key for name in TEXT.names for key in texts if key.lower() == name), None)
    return usual or max(texts, key=lambda key: len(texts[key]), default=None)


def _tagged(
    record: Record, convert: Callable[[Record], dict[str, Any] | None], text: str, place: str
) -> dict[str, list[str]] | None:
    """The words and tags of a record, the keys of whose text and spans are given.

    Raises:
        ValueError: If it lacks the text, or a span is none, or elsewhere.
    """
    row = convert(record)
    if row is None:
        return None
    given, spans = row.get(text), _spans(row.get(place) or [])
    if not isinstance(given, str) or spans is None:
        raise ValueError(f'expected a text in "{text}" and a list of spans in "{place}"')
    spans = sorted(_in_characters(given, span) for span in spans)
    words = [(match.start(), match.end()) for match in WORD.finditer(given)]
    tags, before = [], None
    for start, end in words:
        own = next((each for each in spans if each[0] < end and each[1] > start), None)
        inside = own is not None and own == before
        tags.append(OUTSIDE if own is None else f"{INSIDE if inside else BEGINS}-{own[2]}")
        before = own
    return {WORDS: [given[start:end] for start, end in words], TAGS: tags}


def _spans(value: Any) -> list[Placed] | None:
    """The spans of a list; None for another value."""
    spans = [_span(each) for each in value] if isinstance(value, list) else [None]
    return [each for each in spans if each is not None] if None not in spans else None


def _span(value: Any) -> Placed | None:
    if isinstance(value, list) and len(value) > 2:
        start, end, label = value[:3]
        own = None
    elif isinstance(value, dict):
        start, end = (next((value[x] for x in keys if x in value), None) for keys in (STARTS, ENDS))
        label = next((value[x] for x in LABELS if x in value), None)
        label = label[0] if isinstance(label, list) and label else label
        own = value.get("text")
    else:
        return None
    fits = type(start) is int and type(end) is int and isinstance(label, str) and label
    text = own if isinstance(own, str) else ""
    return (start, end, label, text) if fits and 0 <= start < end else None


def _in_characters(text: str, span: Placed) -> Placed:
    """A span whose places may count UTF-16 code units, as programs in browsers do.

    Raises:
        ValueError: If it is behind the text, or its own text is elsewhere.
    """
    start, end, label, own = span
    if end <= len(text) and own in ("", text[start:end]):
        return span
    units = text.encode("utf-16-le", "surrogatepass")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    if own and inside == own.encode("utf-16-le", "surrogatepass"):
        first = len(before.decode("utf-16-le", "ignore"))
        return first, first + len(own), label, own
    there = f"{text[start:end]!r:.40}" if end <= len(text) else f"behind {len(text)} characters"
    raise ValueError(f"the span from {start} to {end} is {there}{own and f', not {own!r:.40}'}")
