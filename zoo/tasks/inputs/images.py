"""Images as the input of a model: arrays, or paths of files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from zoo.data.images.content import SUFFIXES
from zoo.data.images.header import Shape
from zoo.data.images.image_list import ImageExamples
from zoo.data.images.tables import image_at
from zoo.data.readers.input_columns import InputColumns
from zoo.data.readers.roles import IMAGE as IMAGE_COLUMN
from zoo.errors import UserError
from zoo.heads.head import LogitsHead
from zoo.preprocessing.images import IMAGE, ImagePreprocessor, size_of
from zoo.serving.called import CalledModel
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature, from_raw
from zoo.tasks.attending import ATTENTION
from zoo.tasks.calls import Calls
from zoo.tasks.inputs.media import paths_or_arrays, without_features
from zoo.tasks.options.images import ImageSettings
from zoo.tasks.parts import Fitted, Input, Learned, Start
from zoo.tasks.transformer_samples import named_samples, sample_axes, sample_meanings

ENCODED = "bytes"  # signature that takes files

S = TypeVar("S", bound=ImageSettings)
E = TypeVar("E", bound=ImageExamples)


class ImageInput(Input[S, ImagePreprocessor, E]):
    """Images, resized to those of the model, which may show what it samples of them."""

    attention_purpose = "Shows what each spatial transformer looks at in images."

    def check(self, settings: S) -> None:
        if settings.channels not in (None, 1, 3):
            raise UserError(f"channels must be 1 or 3, got {settings.channels}")
        if settings.image_size is not None:
            size_of(settings.image_size)

    def learn(self, examples: E, settings: S, start: Start) -> Learned[S, ImagePreprocessor]:
        settings = replace(
            settings,
            channels=settings.channels or examples.channels(),
            image_size=settings.image_size or examples.most_common_size,
        )
        shape = Shape(*size_of(str(settings.image_size)), int(settings.channels or 1))
        return Learned(settings, ImagePreprocessor.of(shape, examples.images))

    def load(self, folder: Path, settings: S) -> ImagePreprocessor:
        return ImagePreprocessor.load(folder / ImagePreprocessor.subfolder)

    def restored(self, settings: S, artifact: CalledModel) -> ImagePreprocessor:
        shape = Shape(*size_of(str(settings.image_size)), int(settings.channels or 1))
        return ImagePreprocessor(shape, np.zeros((0, *shape), np.uint8))

    def sizes(self, settings: S, preprocessor: ImagePreprocessor) -> dict[str, Any]:
        height, width, channels = preprocessor.shape
        return {"image_size": [height, width], "channels": channels}

    def table_columns(self, settings: S) -> InputColumns:
        return InputColumns((IMAGE_COLUMN,), image_at, SUFFIXES)

    def raw(
        self, data: Any, settings: S, preprocessor: ImagePreprocessor
    ) -> dict[str, Sequence[Any]]:
        return {IMAGE: paths_or_arrays(data, "image")}

    def signatures(
        self,
        signatures: dict[str, Signature],
        preprocessor: ImagePreprocessor,
        text: str | None,
        litert: bool,
    ) -> dict[str, Signature]:
        if not text:
            return signatures
        others = without_features(signatures, preprocessor)
        if litert:  # which cannot decode images
            return others
        return {**others, ENCODED: encoded_signature(signatures, preprocessor)}

    def calls(self, preprocessor: ImagePreprocessor, raw: list[dict[str, Any]]) -> Calls:
        return {SERVING_DEFAULT: raw, ENCODED: preprocessor.encoded_probes()}

    def attention(
        self, fitted: Fitted[S, ImagePreprocessor], head: LogitsHead
    ) -> dict[str, Inference]:
        model = fitted.model
        if not model.all_transformers:
            return {}

        def attend(inputs: Tensors) -> Tensors:
            logits, samples = model.read(inputs, with_samples=True)
            return {**head.outputs(logits), **named_samples(samples)}

        axes = {**head.axes, **sample_axes(model)}
        return {ATTENTION: Inference(fitted.preprocessor.features, dict, attend, axes)}

    def meanings(self, fitted: Fitted[S, ImagePreprocessor]) -> dict[str, str]:
        return sample_meanings(fitted.model)


def encoded_signature(
    signatures: Mapping[str, Signature], preprocessor: ImagePreprocessor
) -> Signature:
    """The signature that takes images in files, and returns what the main one does."""
    main = signatures[SERVING_DEFAULT]
    encoded = from_raw(main, preprocessor, preprocessor.encoded, preprocessor.decode)
    return replace(encoded, purpose=f"{main.purpose.removesuffix('.')} in files.")
