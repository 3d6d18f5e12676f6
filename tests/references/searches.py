"""The beam searches of `make_gpt2`: width, length penalty, whether the first to end are taken."""

NEW = 11
SEARCHES = {
    "one": (4, 1.0, False),
    "short": (4, 0.3, False),
    "long": (3, 2.0, False),
    "negative": (4, -0.5, False),
    "early": (4, 1.0, True),
}
