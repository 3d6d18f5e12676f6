"""Tags of words as the answer of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zoo.data.readers.tags import TaggedTexts
from zoo.data_statistics import collecting, record
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.label import labels_of
from zoo.heads.tags import Tagged, TagsHead
from zoo.metrics.tags import TagRows
from zoo.preprocessing.words import WordPreprocessor
from zoo.registry.metrics import TAGS
from zoo.serving.inference import Inference
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.inputs.raw_texts import listed
from zoo.tasks.measuring import Judged
from zoo.tasks.options.token_tagger import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor
from zoo.text.separators import words_of

TagPredictor = Predictor[Fitted[Settings, WordPreprocessor], TagsHead]


class Tags(Answer[Settings, WordPreprocessor, TaggedTexts, TagsHead]):
    """One tag for each word: one of the settings, or else of the training data."""

    needs_tokenizer = True

    def learn(self, examples: TaggedTexts, settings: Settings) -> Settings:
        tags = set(examples.every_tag())
        if len(tags) == 1 and settings.labels is None:
            raise UserError(
                f"{examples.path} has only one tag, {tags.pop()!r}; classification needs at least "
                "two. If another column has the tags, name it with --tag-column"
            )
        labels = labels_of(tags, settings.labels, "tag", examples.path)
        spaced = next((tag for tag in labels if words_of(tag) != [tag]), None)
        if spaced is not None:
            raise UserError(
                f"{examples.path}: the tag {spaced!r:.80} has a space, which artifacts write "
                "between tags: replace it"
            )
        return replace(settings, labels=labels)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: Settings, preprocessor: WordPreprocessor) -> TagsHead:
        return TagsHead(known_labels(settings))

    def inferences(
        self,
        fitted: Fitted[Settings, WordPreprocessor],
        head: TagsHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def predict(
        self, predictor: TagPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Tagged]:
        split = predictor.fitted.preprocessor.words
        words = [split([each])[0] if isinstance(each, str) else list(each) for each in listed(data)]
        return tagged(predictor, words, batch_size)

    def judged(self, predictor: TagPredictor, examples: TaggedTexts) -> Judged:
        predictor.head.numbers(examples.every_tag(), examples.path)  # raises for an unknown tag

        def rows() -> TagRows:
            results = tagged(predictor, examples.words)
            return TagRows(examples.tags, [[tag for _, tag in each] for each in results])

        return {TAGS: rows}


def tagged(
    predictor: TagPredictor, sentences: Sequence[Sequence[str]], batch_size: int = 64
) -> list[Tagged]:
    """The words of each sentence with their tags. Long sentences are read in parts.

    Args:
        predictor: Computes the classes of tokens.
        sentences: The words of each sentence.
        batch_size: Batch size. Parts of similar length are batched together.
    """
    preprocessor, labels = predictor.fitted.preprocessor, predictor.head.labels
    with collecting("predict"):
        parts, statistics = preprocessor.parts(sentences)
        record(statistics)
    tags = [[""] * len(words) for words in sentences]
    parts.sort(key=lambda part: len(part.words))
    for start in range(0, len(parts), batch_size):
        batch = parts[start : start + batch_size]
        features = preprocessor.read_parts(batch)
        ids = {"token_ids": features["token_ids"].numpy()}
        class_ids = predictor.run(preprocessor.feature_signature, ids)["class_id"]
        for classes, starts, part in zip(class_ids, features["word_starts"], batch, strict=True):
            for word, token in enumerate(starts.numpy(), part.begin):
                tags[part.sentence][word] = labels[classes[token]]
    return [list(zip(*pair, strict=True)) for pair in zip(sentences, tags, strict=True)]
