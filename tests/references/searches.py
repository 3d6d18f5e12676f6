"""The searches of `make_gpt2`, and the rules that some of them keep."""

NEW = 11
# Beams, length penalty, early stopping.
SEARCHES = {
    "one": (4, 1.0, False),
    "short": (4, 0.3, False),
    "long": (3, 2.0, False),
    "negative": (4, -0.5, False),
    "early": (4, 1.0, True),
    "never": (3, 2.0, "never"),
}

# Beams, and rules by our names.
RULED = {
    "ruled_greedy": (1, {"no_repeat_ngram": 2, "bad_words": ((191,), (187, 8))}),
    "ruled_beams": (4, {"no_repeat_ngram": 1, "min_new_tokens": 5}),
}
