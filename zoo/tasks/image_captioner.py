"""Image captioning: from an image to a sentence about it."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from zoo.data.images.captions import CaptionedImages, read_captions
from zoo.data.readers.column_names import ReadOptions
from zoo.options import values_of
from zoo.registry.metrics import CAPTIONS
from zoo.tasks import generating
from zoo.tasks.answers.encoder_decoder import EncoderDecoderInferences
from zoo.tasks.answers.generated_text import AgainstReferences, GeneratedText
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.captioned_images import CaptionedImageInput, grid_of
from zoo.tasks.options import image_captioner as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.captions import CaptionRecipe
from zoo.tasks.task import Task

NAME = "image-captioner"
INPUT = CaptionedImageInput(NAME)
SCORES = "Scores each token of a caption, given its image and the tokens before it."
FURTHER = EncoderDecoderInferences(NAME, INPUT, SCORES)


def read(data: Any, settings: options.Settings, learned: Any) -> CaptionedImages:
    """A table of the paths of images and of captions."""
    return read_captions(data, ReadOptions.of(values_of(settings)), settings.images)


def captions(examples: CaptionedImages) -> Sequence[Sequence[str]]:
    """All captions of each image."""
    return examples.captions


SCORED = AgainstReferences(INPUT, captions, CAPTIONS)


class TokenAttention(NamedTuple):
    """A token of a caption, and the attention weights over the grid (rows, columns) for it."""

    token: str
    weights: np.ndarray


class ImageCaptioner(Task):
    """Describes images; trained on images with captions.

    `predict` takes a list of arrays (H, W), (H, W, 1) or (H, W, 3) with numbers from 0 to 255, or
    of paths of PNG and JPEG files. Images of other sizes than that of the model are resized.

    Source: Xu et al. 2015.

    Example:
        >>> import numpy as np, zoo
        >>> colors = {"red": (255, 0, 0), "blue": (0, 0, 255)}
        >>> rows = [(np.full((8, 8, 3), rgb), f"a {name} square") for name, rgb in colors.items()]
        >>> small = {"filters": [5, 7], "embedding_dim": 16, "units": 16, "dropout": 0.0}
        >>> task = zoo.ImageCaptioner(**small, tokenizer="wordpiece", vocabulary_size=40)
        >>> task.adapt(rows * 4)
        >>> history = task.fit(rows * 4, epochs=20, learning_rate=0.02, verbose=False)
        >>> task.predict([rows[0][0], rows[1][0]], beams=2)
        ['a red square', 'a blue square']
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=INPUT,
        answer=GeneratedText(NAME, INPUT, FURTHER, SCORED, one_answer=False, describe=grid_of),
        recipe=CaptionRecipe(INPUT),
        purpose="Describes images.",
        preview="Images with the captions of the model and a reference.",
        pictures=Pictures.CAPTIONS,
    )
    candidates = generating.candidates
    generate_ids = generating.generate_ids
    stream = generating.stream
    max_new_tokens = generating.max_new_tokens

    def attention_by_token(self, image: Any) -> list[TokenAttention]:
        """Where in an image the model looks for each token of its caption.

        Args:
            image: An image, as in the list that `predict` takes.
        """
        (attention,) = self.attention(image)
        weights = attention.mean().reshape(-1, *self.model.grid)
        return [
            TokenAttention(*each) for each in zip(attention.target_tokens, weights, strict=True)
        ]
