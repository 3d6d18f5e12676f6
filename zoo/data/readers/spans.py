"""Spans of tags: the schemes IOB1, IOB2, BIOES and BILOU, and brackets."""

import re
from collections.abc import Iterable, Sequence

Span = tuple[str, int, int]
OUTSIDE = "O"
BEGINS, INSIDE = "B", "I"
# Names of the same thing: the last word of a span, and a span of a single word.
PREFIXES = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S", "W": "S"}
OWN = {"BILOU": {"L", "U"}, "BMES": {"M", "W"}, "BIOES": {"E", "S"}}
BRACKETS = re.compile(r"(?:\(([^\s()*]+))?\*?(\))?")


def spans_of(tags: Iterable[str]) -> list[Span]:
    """The spans of tags, each as (label, index of the first word, index after the last word).

    Source: Tjong Kim Sang & Buchholz 2000, the program conlleval, which reads IOB1 and IOB2 alike:
        a span starts at B-, and also at I- unless it continues a span with the same label. With
        the prefixes of BIOES (BILOU), a span ends after E- (L-), and S- (U-) is one by itself.

    Example:
        >>> spans_of(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
        [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    spans: list[Span] = []
    is_open = False
    for i, tag in enumerate(tags):
        prefix, label = _parsed(tag)
        continues = is_open and prefix in (INSIDE, "E") and spans[-1][0] == label
        if continues:
            spans[-1] = (label, spans[-1][1], i + 1)
        elif prefix:
            spans.append((label, i, i + 1))
        is_open = prefix in (BEGINS, INSIDE)
    return spans


def has_spans(tags: Iterable[str]) -> bool:
    """Whether all of these tags are of one of the schemes.

    Example:
        >>> has_spans(["O", "U-PER"]), has_spans(["NN", "O"]), has_spans(["B", "I", "O"])
        (True, False, True)
    """
    inside = set(tags) - {OUTSIDE}
    named = all("-" in tag for tag in inside)
    return all(_parsed(tag)[0] for tag in inside) and (named or bool(inside & {BEGINS, INSIDE}))


def scheme_of(sentences: Iterable[Sequence[str]]) -> str | None:
    """The scheme of the tags of sentences: IOB1, IOB2, BIOES, BILOU or BMES.

    Source: Ratinov & Roth 2009, section 3, on BIO and BILOU; in IOB1, B- only separates adjacent
        spans with equal labels, in IOB2 every span begins with B-.

    Returns:
        The name; "IOB" if spans begin in both ways; None if the tags are of no scheme, or all O.

    Example:
        >>> scheme_of([["I-PER", "I-PER", "O"]]), scheme_of([["B-PER", "I-PER", "O"]])
        ('IOB1', 'IOB2')
    """
    sentences = list(sentences)
    every = {tag for tags in sentences for tag in tags}
    if not has_spans(every) or every <= {OUTSIDE}:
        return None
    prefixes = {tag.partition("-")[0] for tag in every}
    for name, own in OWN.items():
        if prefixes & own:
            return name
    begins = {_begins(tags, i) for tags in sentences for i in range(len(tags))}
    if "new I" not in begins:  # all spans begin with B
        return "IOB2"
    return "IOB" if "new B" in begins else "IOB1"


def _begins(tags: Sequence[str], index: int) -> str:
    """How a span begins here: with B or I, after something else than a word of the same label."""
    prefix, label = _parsed(tags[index])
    before = _parsed(tags[index - 1]) if index else ("", "")
    adjacent = bool(before[0]) and before[1] == label
    return f"new {prefix}" if prefix and not adjacent else ""


def _parsed(tag: str) -> tuple[str, str]:
    """The prefix in the names of BIOES, and the label; an empty prefix outside of spans."""
    prefix, hyphen, label = tag.partition("-")
    return (PREFIXES.get(prefix, ""), label) if bool(hyphen) == bool(label) else ("", "")


def without_brackets(sentences: Sequence[Sequence[str]]) -> list[list[str]] | None:
    """IOB2 tags instead of brackets, as in CoNLL-2005 and 2012: `(PER*`, `*`, `*)`, `(PER)`.

    Returns:
        The tags of each sentence; None if these are not brackets, or some are nested.

    Example:
        >>> without_brackets([["(PER*", "*)", "*", "(LOC)"]])
        [['B-PER', 'I-PER', 'O', 'B-LOC']]
    """
    plain = []
    for tags in sentences:
        row, label = [], None
        for tag in tags:
            match = BRACKETS.fullmatch(tag)
            if match is None or not tag or (match[1] and label):
                return None
            prefix = BEGINS if match[1] else INSIDE
            label = match[1] or label
            if match[2] and not label:
                return None
            row.append(f"{prefix}-{label}" if label else OUTSIDE)
            label = None if match[2] else label
        plain.append(row)
    return plain
