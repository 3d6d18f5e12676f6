"""Token tagging, such as named entity recognition: from the words of a text to their tags."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import tensorflow as tf
from keras import ops

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.tagged import tagged_columns
from zoo.data.readers.tags import TaggedTexts, read_tagged
from zoo.data_statistics import collecting, record
from zoo.heads.label import LabelHead, class_numbers, class_scores, label_objective, labels_of
from zoo.lines import LABELS, to_lines
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TEXT
from zoo.preprocessing.words import BEGINS_WORD, WordPreprocessor
from zoo.serving.inference import Inference, Run
from zoo.tasks.definition import adapted
from zoo.tasks.encoder import EncoderTask
from zoo.tasks.options import token_tagger as options
from zoo.tasks.tag_scores import score_tags
from zoo.tasks.text import listed
from zoo.tasks.views import PreviewRow
from zoo.text.form import TEXT_BYTES, TEXT_LENGTHS, TextForm
from zoo.text.programs.ragged import axis_size
from zoo.text.programs.spelling import Spelling
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
    purposes: ClassVar = {"tokens": "Tags each word; a word's first token stands for it."}

    @property
    def labels(self) -> list[str]:
        """The tags in class order."""
        return adapted(self.settings.labels)

    def read(self, data: Any) -> TaggedTexts:
        return read_tagged(data)

    def texts(self, examples: TaggedTexts) -> Iterable[str]:
        return examples.inputs["text"]

    def learn(self, examples: TaggedTexts) -> Preprocessor:
        tags = (tag for tags in examples.tags for tag in tags)
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
            scores = ops.softmax(self.model(inputs)["logits"], axis=-1)
            here = ops.expand_dims(inputs["padding_mask"], -1)
            return class_scores(ops.where(here, scores, 0.0))

        shape = ("batch", "length")
        outputs = {"scores": (*shape, len(self.labels)), "class_id": shape}
        return self.inference(compute, outputs)

    def postprocess(
        self, outputs: Tensors, features: Features, form: TextForm = TextForm.STRINGS
    ) -> Tensors:
        if form is TextForm.BYTES:
            begins, spelling = features[BEGINS_WORD], [f" {tag}".encode() for tag in self.labels]
            classes = outputs["class_id"][:, : axis_size(begins, 1)]
            spelled = Spelling(spelling, [True] * len(spelling))
            text_bytes, lengths = spelled(tf.where(begins > 0, classes, -1))
            return {TEXT_BYTES: text_bytes, TEXT_LENGTHS: lengths}
        names = tf.constant([tag.encode() for tag in self.labels])
        tags = tf.gather(names, outputs["class_id"])
        of_words = tf.gather(tags, features["word_starts"], batch_dims=1)
        return {"text": tf.strings.reduce_join(of_words, axis=1, separator=" ")}

    @property
    def meanings(self) -> dict[str, str]:
        return {
            "scores": f"the probability of each tag for each token, in the order of {LABELS}",
            "class_id": f"the most probable tag of each token: its line in {LABELS}, from 0",
            "text": "the tags of the words, with spaces between them",
        }

    def assets(self) -> dict[str, str]:
        return {**super().assets(), LABELS: to_lines(self.labels)}

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
        return score_tags(examples.tags, found)

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

    def result_text(self, result: list[tuple[str, str]]) -> str:
        return " ".join("/".join(pair) for pair in result)
