"""Token tagging, such as named entity recognition: from the words of a text to their tags."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.tagged import tagged_columns
from zoo.data.readers.tags import TaggedTexts, read_tagged
from zoo.data_statistics import collecting, record
from zoo.errors import UserError
from zoo.heads.label import LabelHead, class_numbers, label_objective, labels_of
from zoo.heads.tags import TagsHead
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TEXT
from zoo.preprocessing.words import WordPreprocessor
from zoo.serving.inference import Inference, Run
from zoo.tasks.definition import adapted
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.options import token_tagger as options
from zoo.tasks.text import listed
from zoo.tasks.views import PreviewRow
from zoo.text.tokenizer import Tokenizer
from zoo.training.objective import Objective


class TokenTagger(EncoderTask):
    """Tags each word of a text; trained on tagged words.

    Source: Devlin et al. 2019, section 5.3: the first token of a word represents the word.

    Example:
        >>> import zoo
        >>> rows = [(["Ann", "sings"], ["B-PER", "O"]), (["rain", "falls"], ["O", "O"])]
        >>> task = zoo.TokenTagger(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> [word for word, tag in task.predict(["Ann sings"])[0]]
        ['Ann', 'sings']
    """

    name = "token-tagger"
    Settings = options.Settings
    Training = options.Training
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {"tokens": "Tags each word; a word's first token stands for it."}

    @property
    def labels(self) -> list[str]:
        """The tags in class order."""
        return adapted(self.settings.labels)

    @property
    def head(self) -> TagsHead:
        return TagsHead(self.labels)

    def read(self, data: Any) -> TaggedTexts:
        chosen = self.settings
        return read_tagged(data, chosen.word_column, chosen.tag_column, chosen.encoding)

    def texts(self, examples: TaggedTexts) -> Iterable[str]:
        return examples.inputs["text"]

    def learn(self, examples: TaggedTexts) -> Preprocessor:
        tags = {tag for tags in examples.tags for tag in tags}
        if len(tags) == 1 and self.settings.labels is None:
            raise UserError(
                f"{examples.path} has only one tag, {tags.pop()!r}; classification needs at least "
                "two. If another column has the tags, name it with --tag-column"
            )
        self.settings.labels = labels_of(tags, self.settings.labels, "tag", examples.path)
        return super().learn(examples)

    def preprocessor_for(self, tokenizer: Tokenizer) -> WordPreprocessor:
        return WordPreprocessor(tokenizer, self.settings.max_length)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), "num_classes": len(self.labels)}

    def batches(
        self, examples: TaggedTexts, training: Any, held_out: bool = False
    ) -> BucketedBatches:
        columns, statistics = tagged_columns(self.preprocessor, examples, self._numbers(examples))
        many = max_buckets(held_out)
        return self.labeled_batches(columns, training, many, "sentences", statistics)

    def _numbers(self, examples: TaggedTexts) -> dict[str, int]:
        tags = (tag for tags in examples.tags for tag in tags)
        return class_numbers(self.labels, tags, "tag", examples.path)

    def objective(self, training: Any) -> Objective:
        return label_objective({"logits": LabelHead(self.labels)}, training.label_smoothing)

    def inferences(self, **_: Any) -> dict[str, Inference]:
        def compute(inputs: Tensors) -> Tensors:
            return self.head.outputs(self.model(inputs)["logits"], inputs["padding_mask"])

        return self.inference(compute, self.head.axes)

    def raw_inputs(self, data: Sequence[Any]) -> dict[str, Sequence[str]]:
        return {TEXT: [x if isinstance(x, str) else " ".join(x) for x in listed(data)]}

    def predict(
        self, data: Sequence[Any], batch_size: int = 64, **options: Any
    ) -> list[list[tuple[str, str]]]:
        """The words of each text, with their tags.

        Args:
            data: Texts, which are split at whitespace, or lists of words.
            batch_size: Batch size. Sentences of similar length are batched together.
        """
        split = self.preprocessor.words
        sentences = [split([x])[0] if isinstance(x, str) else list(x) for x in listed(data)]
        return self.tag(sentences, self.runner(), batch_size)

    def tag(
        self, sentences: list[list[str]], run: Run, batch_size: int = 64
    ) -> list[list[tuple[str, str]]]:
        """The words of each sentence with their tags. Long sentences are split into parts."""
        with collecting("predict"):
            parts, statistics = self.preprocessor.parts(sentences)
            record(statistics)
        tags: list[list[str]] = [[""] * len(words) for words in sentences]
        parts.sort(key=lambda part: len(part.words))
        for start in range(0, len(parts), batch_size):
            chosen = parts[start : start + batch_size]
            features = self.preprocessor.read_parts(chosen)
            found = run("tokens", {"token_ids": features["token_ids"].numpy()})["class_id"]
            for classes, starts, part in zip(found, features["word_starts"], chosen, strict=True):
                for word, place in enumerate(starts.numpy(), part.begin):
                    tags[part.sentence][word] = self.labels[classes[place]]
        return [list(zip(*pair, strict=True)) for pair in zip(sentences, tags, strict=True)]

    def score(self, examples: TaggedTexts, run: Run) -> dict[str, float]:
        self._numbers(examples)  # raises for an unknown tag
        found = [[tag for _, tag in sentence] for sentence in self.tag(examples.words, run)]
        return self.head.score(examples.tags, found)

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        examples = self.read(data)
        words, tags = examples.words[:count], examples.tags[:count]
        right = [list(zip(*pair, strict=True)) for pair in zip(words, tags, strict=True)]
        return [
            PreviewRow(
                " ".join(sentence), self.result_text(found), self.result_text(reference), sentence
            )
            for sentence, found, reference in zip(
                words, self.tag(words, self.runner()), right, strict=True
            )
        ]
