"""Token tagging, such as named entity recognition: from the words of a text to their tags."""

from collections.abc import Sequence
from typing import Any, ClassVar

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.tags import TaggedTexts, read_tagged
from zoo.heads.tags import Tagged
from zoo.options import values_of
from zoo.preprocessing.words import WordPreprocessor
from zoo.serving.inference import Run
from zoo.tasks.answers.tags import Tags, tagged
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.raw_texts import Words
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.options import token_tagger as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.tagged_texts import TaggedTextInput, TaggedTextRecipe
from zoo.tasks.task import Task
from zoo.text.tokenizer import Tokenizer

NAME = "token-tagger"


def words_of(tokenizer: Tokenizer, settings: options.Settings) -> WordPreprocessor:
    """The preprocessor of the words of texts."""
    return WordPreprocessor(tokenizer, settings.max_length)


INPUT: TaggedTextInput = EncoderInput(NAME, words_of, Words())


def read(data: Any, settings: options.Settings, learned: Any) -> TaggedTexts:
    """Files in CoNLL format, or records with a list of words and a list of tags."""
    return read_tagged(data, ReadOptions.of(values_of(settings)))


class TokenTagger(Task):
    """Tags each word of a text; trained on tagged words.

    `predict` takes texts, which are split at whitespace, or lists of words. It returns the words
    of each text with their tags.

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

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=INPUT,
        answer=Tags(),
        recipe=TaggedTextRecipe(INPUT),
        purpose="Tags each word; a word's first token stands for it.",
    )

    @property
    def labels(self) -> list[str]:
        """The tags in class order."""
        return list(self.head.labels)

    def tag(
        self, sentences: Sequence[Sequence[str]], run: Run, batch_size: int = 64
    ) -> list[Tagged]:
        """The words of each sentence with their tags. Long sentences are read in parts.

        Args:
            sentences: The words of each sentence.
            run: Function that runs an inference by name, in Python or in an artifact.
            batch_size: Batch size. Parts of similar length are batched together.
        """
        return tagged(self.predictor(run), sentences, batch_size)
