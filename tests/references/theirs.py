"""Options of generation under the names that Hugging Face's library has for them."""

from typing import Any

NAMES = {"no_repeat_ngram": "no_repeat_ngram_size", "bad_words": "bad_words_ids"}


def rules_of(rules: dict[str, Any]) -> dict[str, Any]:
    found = {NAMES.get(key, key): value for key, value in rules.items()}
    if "bad_words_ids" in found:
        found["bad_words_ids"] = [list(word) for word in found["bad_words_ids"]]
    return found
