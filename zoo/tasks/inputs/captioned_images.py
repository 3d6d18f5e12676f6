"""Images as the input of a captioner, with the tokenizer of what it writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.images.captions import CaptionedImages
from zoo.data.images.header import Shape
from zoo.data.readers.input_columns import InputColumns
from zoo.heads.head import Reader
from zoo.models.attending import CROSS
from zoo.models.backbones import load_backbone
from zoo.preprocessing.base import BATCH, Features, TensorSpec
from zoo.preprocessing.captions import CaptionPreprocessor
from zoo.preprocessing.images import IMAGE, size_of
from zoo.preprocessing.model_inputs import target_inputs
from zoo.preprocessing.text import TextPreprocessor, TokenPreprocessor
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.attending import labeled_maps
from zoo.tasks.calls import Calls
from zoo.tasks.inputs.images import ENCODED, ImageInput, encoded_signature
from zoo.tasks.inputs.sources import Axes, target_preprocessor
from zoo.tasks.inputs.vocabulary import Vocabulary, vocabulary_files
from zoo.tasks.options.image_captioner import Settings
from zoo.tasks.parts import Fitted, Input, Learned, Start
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer

FittedCaptions = Fitted[Settings, CaptionPreprocessor]
GRID = "grid"  # in the description of an artifact: rows and columns of the cells of an image
IMAGES: ImageInput[Settings, CaptionedImages] = ImageInput()


@dataclass(frozen=True)
class CaptionedImageInput(Input[Settings, CaptionPreprocessor, CaptionedImages]):
    """Images, and the captions that belong to them; a `SourceInput`.

    Args:
        task: Name of the task.
    """

    task: str
    attention_purpose = (
        "Describes images, and shows where the model looked for each token."  # also answers
    )

    def check(self, settings: Settings) -> None:
        Vocabulary(self.task).check(settings)
        IMAGES.check(settings)

    def learn(
        self, examples: CaptionedImages, settings: Settings, start: Start
    ) -> Learned[Settings, CaptionPreprocessor]:
        words = Vocabulary(self.task).learn(examples, settings, start)
        settings = IMAGES.learn(examples, settings, start).settings
        preprocessor = CaptionPreprocessor.of(_shape(settings), examples.images)
        preprocessor = preprocessor.writing(words.tokenizer)
        path = settings.backbone_weights
        if path is None:
            return Learned(settings, preprocessor)

        def load(model: keras.Model) -> None:
            load_backbone(model.backbone, path)

        return Learned(settings, preprocessor, {}, load, [f"backbone: the weights of {path}"])

    def load(self, folder: Path, settings: Settings) -> CaptionPreprocessor:
        tokenizer = load_tokenizer(folder / TokenPreprocessor.subfolder)
        images = CaptionPreprocessor.load(folder / CaptionPreprocessor.subfolder)
        return images.writing(tokenizer)

    def with_tokenizer(self, tokenizer: Tokenizer, settings: Settings) -> CaptionPreprocessor:
        shape = _shape(settings)
        return CaptionPreprocessor(shape, np.zeros((0, *shape), np.uint8)).writing(tokenizer)

    def writer(self, preprocessor: CaptionPreprocessor) -> CaptionPreprocessor:
        return preprocessor

    def sizes(self, settings: Settings, preprocessor: CaptionPreprocessor) -> dict[str, Any]:
        size = preprocessor.tokenizer.vocabulary_size
        return {"vocabulary_size": size, **IMAGES.sizes(settings, preprocessor)}

    def table_columns(self, settings: Settings) -> InputColumns | None:
        return IMAGES.table_columns(settings)

    def raw(
        self, data: Any, settings: Settings, preprocessor: CaptionPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return IMAGES.raw(data, settings, preprocessor)

    # --- What the model reads ---

    def max_new_tokens(self, settings: Settings) -> int:
        return settings.max_length

    def reader(self, fitted: FittedCaptions) -> Reader:
        preprocessor = fitted.preprocessor
        return Reader(preprocessor.feature_signature, preprocessor.features, lambda each: each)

    def features_of(self, fitted: FittedCaptions, source: Any) -> Features:
        raw = self.raw(source, fitted.settings, fitted.preprocessor)
        return {**fitted.preprocessor.read(raw)}

    def check_length(self, fitted: FittedCaptions, tokens: int, new_tokens: int) -> None:
        """Nothing to check: an image has one length."""

    def targets(self, settings: Settings, preprocessor: CaptionPreprocessor) -> TextPreprocessor:
        return target_preprocessor(preprocessor.tokenizer, settings.max_length)

    def teacher_forced(self, fitted: FittedCaptions, columns: Features) -> Tensors:
        special = fitted.preprocessor.tokenizer.special_tokens
        return {IMAGE: columns[IMAGE], **target_inputs(columns["target_ids"], special)}

    def scored_sources(self, fitted: FittedCaptions) -> dict[str, TensorSpec]:
        return fitted.preprocessor.features

    def length(self, fitted: FittedCaptions, features: Mapping[str, Any]) -> int:
        return self.longest(fitted, {})

    def longest(self, fitted: FittedCaptions, options: Mapping[str, Any]) -> int:
        height, width = fitted.model.grid
        return height * width

    def signatures(
        self,
        signatures: dict[str, Signature],
        preprocessor: CaptionPreprocessor,
        text: str | None,
        litert: bool,
    ) -> dict[str, Signature]:
        if not text or litert:  # LiteRT cannot decode images
            return signatures
        return {**signatures, ENCODED: encoded_signature(signatures, preprocessor)}

    def calls(self, preprocessor: CaptionPreprocessor, raw: list[dict[str, Any]]) -> Calls:
        encoded = preprocessor.encoded_probes()
        return {SERVING_DEFAULT: raw, preprocessor.feature_signature: raw, ENCODED: encoded}

    def score_calls(
        self, fitted: FittedCaptions, calls: Mapping[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        vocabulary_size = fitted.preprocessor.tokenizer.vocabulary_size
        ids = np.arange(4, 4 + 5, dtype=np.int32) % vocabulary_size
        return [
            {**call, "target_ids": np.tile(ids, (len(call[IMAGE]), 1))}
            for call in calls[fitted.preprocessor.feature_signature]
        ]

    # --- What it shows ---

    def map_axes(self, fitted: FittedCaptions) -> dict[str, Axes]:
        return {CROSS: (BATCH, 1, None, self.longest(fitted, {}))}

    def meanings(self, fitted: FittedCaptions) -> dict[str, str]:
        height, width = fitted.model.grid
        cells = f"the {height * width} cells of the image, {height} rows of {width}"
        return {"cross_0": f"the attention weights of each generated id over {cells}"}

    def attention_maps_of(
        self, fitted: FittedCaptions, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        height, width = fitted.model.grid
        cells = [f"{row},{column}" for row in range(height) for column in range(width)]
        tokens = fitted.preprocessor.pieces(outputs["token_ids"][0])
        return labeled_maps(outputs, {CROSS: (tokens, cells)})

    def assets(self, preprocessor: CaptionPreprocessor) -> dict[str, str]:
        return vocabulary_files(preprocessor.tokenizer)

    def config(self, preprocessor: CaptionPreprocessor) -> dict[str, Any]:
        return {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}


def grid_of(fitted: FittedCaptions) -> dict[str, Any]:
    """The cells of an image that the model looks at, for the manifest of an artifact."""
    return {GRID: list(fitted.model.grid)}


def _shape(settings: Settings) -> Shape:
    return Shape(*size_of(str(settings.image_size)), int(settings.channels or 1))
