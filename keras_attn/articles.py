"""The indefinite article of a name, for messages."""

VOWELS, AS_VOWELS = frozenset("aeioAEIO"), frozenset("FHLMNRSX")


def with_article(name: str) -> str:
    """A name with "a" or "an" before it, as it is said.

    Names that begin with two capitals are said by their letters, and so have "an" before an M.

    Example:
        >>> [with_article(name) for name in ("int", "list", "MPNet", "ELECTRA", "BERT", "unigram")]
        ['an int', 'a list', 'an MPNet', 'an ELECTRA', 'a BERT', 'a unigram']
    """
    spelled = name[:2].isupper() and name[:1] in AS_VOWELS
    return f"{'an' if name[:1] in VOWELS or spelled else 'a'} {name}"
