"""Sentences with a tag for each word, as users have them."""

from typing import Any

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.tags import TaggedTexts, read_tagged
from zoo.preprocessing.words import WordPreprocessor
from zoo.tasks.options.token_tagger import Settings
from zoo.tasks.parts import Format


class TaggedTextFormat(Format[Settings, WordPreprocessor, TaggedTexts]):
    """Files in CoNLL format, or records with a list of words and a list of tags."""

    def read(self, data: Any, settings: Settings, learned: WordPreprocessor | None) -> TaggedTexts:
        return read_tagged(data, ReadOptions.of(settings.values()))
