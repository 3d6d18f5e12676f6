"""Text-to-text generation: translation, summarization, rewriting."""

from collections.abc import Sequence
from typing import ClassVar

from zoo.decoding.options import TranslationOptions
from zoo.tasks import generating
from zoo.tasks.answers.copied_words import CopiedWords
from zoo.tasks.answers.encoder_decoder import EncoderDecoderInferences
from zoo.tasks.answers.generated_text import AgainstReferences, GeneratedText
from zoo.tasks.formats.pairs import PairExamples, pair_format
from zoo.tasks.inputs.raw_texts import Sources
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.options import text_to_text as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.text_to_text import TextToTextRecipe
from zoo.tasks.task import Task

NAME = "text-to-text"


def source_length(settings: options.Settings) -> int:
    """Maximum number of tokens of a source."""
    return settings.max_source_length


def target_length(settings: options.Settings) -> int:
    """Maximum number of tokens of a target."""
    return settings.max_target_length


def targets(examples: PairExamples) -> Sequence[str]:
    """The correct texts."""
    return examples.targets


INPUT: TextSourceInput[options.Settings, PairExamples] = TextSourceInput(
    NAME, source_length, target_length, Sources()
)
WRITE = CopiedWords(INPUT)
FURTHER = EncoderDecoderInferences(NAME, INPUT)
FORMAT = pair_format(NAME, INPUT)


class TextToText(Task):
    """Generates a target text for a source text; trained on pairs.

    The default peak learning rate is that of Vaswani et al. 2017, `(4000 D) ** -0.5` for a model of
    width D. The default warm-up is 4000 steps, or a fifth of all steps if that is less.

    Example:
        >>> import zoo
        >>> task = zoo.TextToText("transformer", "tiny", hidden_dim=16, num_layers=1)
        >>> task.adapt([("one two", "eins zwei"), ("two", "zwei")])
        >>> pairs = [("one two", "eins zwei"), ("two", "zwei")]
        >>> history = task.fit(pairs, xla=False, verbose=False)
        >>> len(task.predict(["two", "one"]))
        2
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=GeneratedText(
            *(NAME, INPUT, FURTHER, AgainstReferences(INPUT, targets, write=WRITE)),
            write=WRITE,
            options=TranslationOptions,
        ),
        recipe=TextToTextRecipe(FORMAT, INPUT),
        purpose="Writes a text for each input.",
    )
    candidates = generating.candidates
    generate_ids = generating.generate_ids
    stream = generating.stream
    max_new_tokens = generating.max_new_tokens
