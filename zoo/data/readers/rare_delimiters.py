"""Delimiters of several signs or of rare ones, such as the double colons of MovieLens."""

# Others, which a row has as often as all others; after two signs alone quotes are text.
RARE = {
    "::": "double colons",
    "|||": "three bars",
    "###": "three number signs",
    "¦": "broken bars",
    "^": "carets",
    "~": "tildes",
    "\x01": "control characters",
    "\x1f": "control characters",
}
FEWEST = 3  # lines that show a delimiter


def rare_delimiter(sample: str, whole: bool = True) -> str | None:
    r"""One of `RARE` that all lines have equally often; None without one.

    Args:
        sample: The beginning of the file.
        whole: Whether this is the whole file; otherwise its last line may be incomplete.

    Example:
        >>> rare_delimiter("1::Toy Story (1995)::Animation\n" * 3)
        '::'
    """
    lines = [line for line in sample.split("\n")[: None if whole else -1] if line.strip()]
    if len(lines) < FEWEST:
        return None
    counts = {each: {line.count(each) for line in lines} for each in RARE}
    return next((each for each, own in counts.items() if len(own) == 1 and own != {0}), None)
