"""Masked language models: trained on plain text, they predict masked tokens."""

from typing import ClassVar

from zoo.tasks.answers.filled_masks import FilledMasks
from zoo.tasks.fill_mask import TOP, Filling, fill_mask
from zoo.tasks.formats.documents import masked_text_format
from zoo.tasks.inputs.raw_texts import MaskedTexts
from zoo.tasks.inputs.texts import EncoderInput, whole_texts
from zoo.tasks.options import masked_lm as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.masked_texts import MaskedTextInput, MaskedTextRecipe
from zoo.tasks.task import Task
from zoo.text.special_tokens import MASK

NAME = "masked-lm"
FORMAT = masked_text_format(NAME)
INPUT: MaskedTextInput = EncoderInput(NAME, whole_texts, MaskedTexts())


class MaskedLM(Task):
    """Trains a model on plain text to predict masked tokens and whether one text follows another.

    Source: Devlin et al. 2019, section 3.1.

    Example:
        >>> import zoo
        >>> task = zoo.MaskedLM(hidden_dim=16, intermediate_dim=16, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> [len(choices) for choices in task.fill_mask("to [MASK] or not to [MASK]", top=3)]
        [3, 3]
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=FilledMasks(),
        recipe=MaskedTextRecipe(FORMAT, INPUT),
        purpose=f"Predicts the token behind each {MASK}.",
    )

    def fill_mask(self, text: str, top: int = TOP) -> list[list[Filling]]:
        """The most probable tokens for each mask of a text, best first.

        A mask is `[MASK]`, or what that of the checkpoint is called, such as `<mask>`.

        If there are several masks, each is filled independently, and the others remain.

        Args:
            text: A text with masks.
            top: Number of tokens for each mask.

        Raises:
            UserError: If there is no mask within the maximum length.
        """
        program = self.program(self.preprocessor.feature_signature)
        raw = self.parts.input.raw([text], self.settings, self.preprocessor)
        return fill_mask(self.preprocessor, program, raw, top)
