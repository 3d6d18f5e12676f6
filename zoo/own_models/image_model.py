"""A Keras model of images of one's own, in the form that `export` takes."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.lines import LABELS, to_lines
from zoo.own_models.labels import MEANING, SCORES, check_labels, check_scores, scores_of
from zoo.own_models.outputs import named
from zoo.own_models.page import OwnModelPage
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.preprocessing.images import IMAGE
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature


class ExportableImageModel:
    """A Keras model of images of one size, with its labels: `export.web` makes a page of it.

    Args:
        model: The model, of pixels (B, H, W, C) from 0 to 255, gray or in red, green and blue.
        images: Images to verify the file with, (N, H, W, C).
        labels: The names of the classes, in the order of the output: softmax or sigmoid scores
            (B, C), or (B, 1) of two labels. Without them, the page shows the outputs.

    Raises:
        UserError: If the model takes something else, or an argument does not fit.

    Example:
        >>> import export, keras, zoo
        >>> pixels = keras.Input((8, 8, 1), name="pixels")
        >>> x = keras.layers.Flatten()(keras.layers.Rescaling(1 / 255)(pixels))
        >>> model = keras.Model(pixels, keras.layers.Dense(2, activation="softmax")(x))
        >>> images = np.zeros((3, 8, 8, 1))
        >>> own = zoo.ExportableImageModel(model, images, labels=["cat", "dog"])
        >>> export.web(own, "site").passed     # doctest: +SKIP
        True
    """

    def __init__(self, model: keras.Model, images: np.ndarray, labels: Sequence[str] = ()) -> None:
        shapes = [tuple(each.shape) for each in model.inputs]
        if len(shapes) != 1 or len(shapes[0]) != 4 or None in shapes[0][1:]:
            raise UserError(
                f"a model of images takes pixels (None, H, W, C) of one size; it takes {shapes}"
            )
        (shape,) = shapes
        if shape[-1] not in (1, 3):
            raise UserError(
                f"images have 1 channel or 3; the model takes {shape[-1]}, in the shape {shape}"
            )
        pixels = np.asarray(images, "float32")
        if pixels.shape[1:] != shape[1:] or not len(pixels):
            raise UserError(
                f"images must be at least one array of the shape {shape[1:]}; "
                f"received the shape {pixels.shape}"
            )
        self.model, self.labels = model, check_labels(labels, model.output)
        what = "a gray image" if shape[-1] == 1 else "a color image, red, green and blue"
        meaning = f"{what}, from 0 to 255"
        self.form = {IMAGE: TensorSpec((BATCH, *shape[1:]), "float32", meaning=meaning)}
        self._images = pixels
        if labels:
            check_scores(self._infer(pixels)[SCORES])

    def _infer(self, image: Any) -> Tensors:
        pixels = tf.cast(tf.convert_to_tensor(image), self.model.inputs[0].dtype)
        structure = self.model.input
        given = {next(iter(structure)): pixels} if isinstance(structure, dict) else pixels
        outputs = named(self.model(given, training=False))
        return scores_of(outputs, len(self.labels)) if self.labels else outputs

    def export_parts(
        self,
        text: str | None = None,
        litert: bool = False,
        samples: bool = False,
        *,
        length: int | None = None,
    ) -> ExportParts:
        """All that an artifact is made from; it is the same for all options."""
        outputs = {name: x.shape[1:] for name, x in self._infer(self._images[:1]).items()}
        signature = Signature(
            self.form,
            self.form,
            self._infer,
            {name: (BATCH, *shape) for name, shape in outputs.items()},
            invariances=("batch",),
            purpose="Scores the labels of an image." if self.labels else "Calls the model.",
            meanings={SCORES: MEANING} if self.labels else dict.fromkeys(outputs, ""),
        )
        calls = [{IMAGE: each[None]} for each in self._images[:8]] + [{IMAGE: self._images}]
        probes = {SERVING_DEFAULT: calls}
        return ExportParts(
            {SERVING_DEFAULT: signature},
            live={SERVING_DEFAULT: signature},
            probes=probes,
            samples=probes if samples else {},
            config={"model": type(self.model).__name__},
            assets={LABELS: to_lines(self.labels)} if self.labels else {},
        )

    def web_page(self) -> OwnModelPage:
        """The model as `export.web` takes it, with the files of its page."""
        return OwnModelPage(self)

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        """Raises a `UserError`: the metric of the model is not known."""
        raise UserError("a model of one's own has no metric here: leave out data")
