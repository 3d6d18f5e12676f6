"""Tagged sentences as columns of token ids and labels."""

from collections.abc import Mapping

import numpy as np

from zoo.data.batching.padded_columns import NO_LABEL, Column, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.tags import TaggedTexts
from zoo.preprocessing.words import WordPreprocessor


def tagged_columns(
    preprocessor: WordPreprocessor, examples: TaggedTexts, classes: Mapping[str, int]
) -> Tokenized:
    """The columns `token_ids` and `labels`, and counts of truncated and unknown data.

    The label of a word's first token is the class of the word's tag; other tokens have no label. A
    sentence that is too long for the model becomes several rows.

    Args:
        preprocessor: Converts words to features.
        examples: The sentences.
        classes: The class of each tag.
    """
    parts, statistics = preprocessor.parts(examples.words)
    features = preprocessor.read_parts(parts)
    pad = preprocessor.tokenizer.special_tokens.pad
    ids, labels = [], []
    for padded, starts, part in zip(
        features["token_ids"].numpy(), features["word_starts"], parts, strict=True
    ):
        row = padded[padded != pad]
        label = np.full(len(row), NO_LABEL, np.int32)
        tags = examples.tags[part.sentence][part.begin : part.begin + len(starts)]
        label[starts.numpy()] = [classes[tag] for tag in tags]
        ids.append(row)
        labels.append(label)
    columns: dict[str, Column] = {
        "token_ids": Sequences.of(ids, pad),
        "labels": Sequences.of(labels, NO_LABEL),
    }
    return Tokenized(columns, statistics)
