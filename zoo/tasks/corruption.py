"""Corrupted passages, which denoising autoencoders are trained on and scored with."""

from dataclasses import dataclass

from zoo.data.batching.corrupted import CorruptedPassages
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.corruption import Corruption
from zoo.data.pretraining.passages import make_passages
from zoo.data.readers.documents import Documents
from zoo.preprocessing.base import Features
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.options.denoising import Settings, Training
from zoo.tasks.parts import Fitted

PassageFormat = PreparableFormat[Settings, TextPreprocessor, Documents]
FittedPassages = Fitted[Settings, TextPreprocessor]


def check_corruptions(settings: Settings) -> None:
    """Raises a `UserError` if there is no such corruption."""
    Corruption(tuple(settings.corruptions))


def passages_of(
    examples: Documents, number: int, settings: Settings, preprocessor: TextPreprocessor
) -> Tokenized:
    """The ids of passages, each of as many whole sentences as fit, in the column `token_ids`."""
    return make_passages(examples.texts, preprocessor.tokenizer, settings.max_length - 1)


@dataclass(frozen=True)
class CorruptionBatches:
    """Makes batches of corrupted passages and their originals.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: PassageFormat
    input: TextSourceInput[Settings, DocumentExamples]

    def __call__(
        self, examples: DocumentExamples, fitted: FittedPassages, training: Training
    ) -> CorruptedPassages:
        settings, preprocessor = fitted.settings, fitted.preprocessor

        def teacher_forced(columns: Features) -> tuple[Tensors, Tensors]:
            return self.input.teacher_forced(fitted, columns), columns["target_ids"]

        return CorruptedPassages(
            examples.tokenized(self.format.tokenization(settings, preprocessor)),
            preprocessor.tokenizer,
            Corruption(tuple(settings.corruptions)),
            settings.max_length,
            training.batch_size,
            teacher_forced,
            training.seed,
        )
