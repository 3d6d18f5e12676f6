"""Denoising autoencoders: trained on plain text, they restore corrupted text."""

from typing import ClassVar

from zoo.data.shards.manifest import SEQUENCES
from zoo.tasks import generating
from zoo.tasks.answers.encoder_decoder import EncoderDecoderInferences
from zoo.tasks.answers.generated_text import GeneratedText
from zoo.tasks.answers.restored_text import RestorationScores
from zoo.tasks.corruption import CorruptionBatches, PassageFormat, check_corruptions, passages_of
from zoo.tasks.formats.documents import document_format
from zoo.tasks.inputs.raw_texts import MaskedTexts
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.options import denoising as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.denoising import DenoisingRecipe
from zoo.tasks.task import Task


def length(settings: options.Settings) -> int:
    """Maximum number of tokens of a source, and of a target."""
    return settings.max_length


NAME = "denoising"
KINDS = {"token_ids": SEQUENCES}
FORMAT: PassageFormat = document_format(NAME, passages_of, KINDS, ("max_length",))
INPUT = TextSourceInput(NAME, length, length, MaskedTexts(check_corruptions), positions=length)
FURTHER = EncoderDecoderInferences(NAME, INPUT)
BATCHES = CorruptionBatches(FORMAT, INPUT)


class Denoising(Task):
    """Trains a model on plain text to restore masked, deleted and reordered parts.

    In `predict`, each `[MASK]` of a text may become any number of words. A trained model can
    initialize another task: `zoo.from_pretrained(folder, task="text-to-text")`.

    Source: Lewis et al. 2020, section 2.

    Example:
        >>> import zoo
        >>> task = zoo.Denoising(num_layers=1, hidden_dim=8, intermediate_dim=8, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> history.epoch
        [1]
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=GeneratedText(NAME, INPUT, FURTHER, RestorationScores(BATCHES)),
        recipe=DenoisingRecipe(BATCHES),
        purpose="Writes a text for each input.",
    )
    candidates = generating.candidates
    generate_ids = generating.generate_ids
    stream = generating.stream
    max_new_tokens = generating.max_new_tokens
