"""Generation by Hugging Face's library, told by our names."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.references.searches import NEW, SEARCHES

NAMES = {"no_repeat_ngram": "no_repeat_ngram_size", "bad_words": "bad_words_ids"}


def rules_of(rules: dict[str, Any]) -> dict[str, Any]:
    actual = {NAMES.get(key, key): value for key, value in rules.items()}
    if "bad_words_ids" in actual:
        actual["bad_words_ids"] = [list(word) for word in actual["bad_words_ids"]]
    return actual


def searched(
    model: Any, how: dict[str, Any], written: Callable[[Any], np.ndarray]
) -> Iterator[tuple[str, np.ndarray]]:
    """Every beam of each search, and its score."""
    for name, (beams, penalty, early) in SEARCHES.items():
        actual = model.generate(
            **how,
            num_beams=beams,
            num_return_sequences=beams,
            length_penalty=penalty,
            early_stopping=early,
            return_dict_in_generate=True,
            output_scores=True,
        )
        yield f"{name}/ids", written(actual.sequences).reshape(-1, beams, NEW)
        yield f"{name}/scores", actual.sequences_scores.numpy().reshape(-1, beams)
