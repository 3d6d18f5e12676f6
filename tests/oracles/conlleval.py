"""Spans as the program conlleval counts them, from its two tables of transitions."""

# Pairs of prefixes between which a span ends or starts; and EB, since E is in no shared task.
ENDS = {"BB", "BO", "IB", "IO", "EE", "EI", "EO", "EB"}
STARTS = {"BB", "IB", "OB", "OI", "EE", "EI", "OE", "EB"}


def spans(tags):
    """Every span as (label, start, end): between a start and the next end."""
    pairs = [("O", "")] + [tuple([*tag.split("-", 1), ""][:2]) for tag in tags] + [("O", "")]
    actual, start = [], None
    for i, ((before, old), (now, new)) in enumerate(zip(pairs, pairs[1:], strict=False)):
        ends = before + now in ENDS or (before != "O" and old != new)
        starts = before + now in STARTS or (now != "O" and old != new)
        if ends and start is not None:
            actual.append((old, start, i))
            start = None
        if starts:
            start = i
    return actual
