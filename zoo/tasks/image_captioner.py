"""Image captioning: from an image to a sentence about it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.data.batching.augment import Augmentation
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.captions import CaptionBatches
from zoo.data.batching.columns import Sequences, token_column
from zoo.data.batching.images import ImageSource
from zoo.data.images.captions import CaptionedImages, read_captions
from zoo.data.images.header import Shape
from zoo.heads.generated_text import GeneratedTextHead
from zoo.heads.scores import score_captions
from zoo.models.attending import CROSS
from zoo.models.backbones import load_backbone
from zoo.preprocessing.base import BATCH, Features, Preprocessor, TensorSpec
from zoo.preprocessing.captions import CaptionPreprocessor
from zoo.preprocessing.images import IMAGE, size_of
from zoo.preprocessing.model_inputs import target_inputs
from zoo.serving.inference import Run, Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.attending import ATTENTION, Tokens
from zoo.tasks.encoder_decoder import Axes, EncoderDecoderTask
from zoo.tasks.folder import TOKENIZER
from zoo.tasks.images import (
    ENCODED,
    FOLDER,
    ImageTask,
    encoded_signature,
    learn_shape,
)
from zoo.tasks.likelihood import SCORE
from zoo.tasks.options import image_captioner as options
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer
from zoo.training.attention_penalty import AttentionPenalty
from zoo.training.objective import Objective

GRID = "grid"  # in the description of an artifact: rows and columns of the cells of an image


class Look(NamedTuple):
    """A token of a caption, and the attention weights over the grid (rows, columns) for it."""

    token: str
    weights: np.ndarray


class ImageCaptioner(ImageTask, EncoderDecoderTask):
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

    name = "image-captioner"
    Settings = options.Settings
    Training = options.Training
    purposes: ClassVar = {
        **EncoderDecoderTask.purposes,
        "pixels": "Describes images.",
        ATTENTION: "Describes images, and shows where the model looked for each token.",
        SCORE: "Scores each token of a caption, given its image and the tokens before it.",
    }
    preview_explanation: ClassVar[str] = "Images with the captions of the model and a reference."
    one_answer: ClassVar[bool] = False

    @property
    def head(self) -> GeneratedTextHead:
        return GeneratedTextHead(self.preprocessor, score_captions)

    @property
    def max_new_tokens(self) -> int:
        return self.settings.max_length

    # --- Data ---

    def read(self, data: Any) -> CaptionedImages:
        return read_captions(data, self.settings)

    def learn(self, examples: CaptionedImages) -> CaptionPreprocessor:
        tokenizer = self.train_tokenizer(examples.all_captions)
        shape = learn_shape(self.settings, examples)
        return CaptionPreprocessor.of(shape, examples.images).writing(tokenizer)

    def save_preprocessor(self, folder: Path) -> None:
        super().save_preprocessor(folder)
        self.preprocessor.save(folder / FOLDER)

    def load_preprocessor(self, folder: Path) -> CaptionPreprocessor:
        tokenizer = load_tokenizer(folder / TOKENIZER)
        return CaptionPreprocessor.load(folder / FOLDER).writing(tokenizer)

    def same_preprocessor(self, folder: Path) -> bool:
        found = self.load_preprocessor(folder)
        same_images = found.facts() == self.preprocessor.facts()
        return same_images and super().same_preprocessor(folder)

    def preprocessor_for(self, tokenizer: Tokenizer) -> CaptionPreprocessor:
        shape = Shape(*size_of(self.settings.image_size), self.settings.channels)
        return CaptionPreprocessor(shape, np.zeros((0, *shape), np.uint8)).writing(tokenizer)

    def model_sizes(self) -> dict[str, Any]:
        return {**super().model_sizes(), **self.image_sizes}

    def adapt_model(self, examples: CaptionedImages) -> None:
        if (path := self.settings.backbone_weights) is not None:
            load_backbone(self.model.backbone, path)
            self.origin = [f"backbone: the weights of {path}"]

    def default_freeze(self) -> int:
        return int(self.settings.backbone_weights is not None)

    def references(self, examples: CaptionedImages) -> list[str]:
        return [captions[0] for captions in examples.captions]

    # --- Training ---

    def batches(
        self, examples: CaptionedImages, training: Any, held_out: bool = False
    ) -> CaptionBatches:
        captions, statistics = token_column(
            self.target_preprocessor(), {"text": examples.all_captions}
        )
        assert isinstance(captions, Sequences)
        counts = [len(each) for each in examples.captions]
        changes = Augmentation(training.shift, training.rotation, training.flip)
        return CaptionBatches(
            ImageSource(examples.images, self.preprocessor),
            np.repeat(np.arange(len(counts)), counts),
            captions,
            lambda batch: (
                self.teacher_forced(batch),
                dict.fromkeys(("logits", "attention"), batch["target_ids"]),
            ),
            training.batch_size,
            max_buckets(held_out),
            training.seed,
            Augmentation() if held_out else changes,
            statistics,
        )

    def teacher_forced(self, columns: Features) -> Tensors:
        targets = target_inputs(columns["target_ids"], self.special_tokens)
        return {IMAGE: columns[IMAGE], **targets}

    def objective(self, training: Any) -> Objective:
        pad = self.special_tokens.pad
        return Objective(
            loss={
                "logits": MaskedCrossentropy(training.label_smoothing, ignore_id=pad),
                "attention": AttentionPenalty(pad),
            },
            metrics={"logits": [Perplexity(pad), MaskedAccuracy(pad, name="accuracy")]},
            loss_weights={"logits": 1.0, "attention": training.attention_penalty},
            monitor="val_logits_perplexity",
        )

    # --- Inference ---

    def source_inputs(self, features: Features) -> Tensors:
        return features

    def input_length(self, features: Mapping[str, Any]) -> int:
        return self.longest_input()

    def longest_input(self, **generation: Any) -> int:
        height, width = self.model.grid
        return height * width

    @property
    def scored_sources(self) -> dict[str, TensorSpec]:
        return self.preprocessor.features

    @property
    def map_axes(self) -> dict[str, Axes]:
        height, width = self.model.grid
        return {CROSS: (BATCH, 1, None, height * width)}

    def attention_tokens(self, features: Features, outputs: Tensors) -> Tokens:
        height, width = self.model.grid
        cells = [f"{row},{column}" for row in range(height) for column in range(width)]
        return {CROSS: (self.preprocessor.pieces(outputs["token_ids"][0]), cells)}

    def looks(self, image: Any) -> list[Look]:
        """Where in an image the model looks for each token of its caption.

        Args:
            image: An image, as in the list that `predict` takes.
        """
        (found,) = self.attention(image)
        weights = found.mean().reshape(-1, *self.model.grid)
        return [Look(*each) for each in zip(found.target_tokens, weights, strict=True)]

    @property
    def meanings(self) -> dict[str, str]:
        height, width = self.model.grid
        cells = f"the {height * width} cells of the image, {height} rows of {width}"
        weights = f"the attention weights of each generated id over {cells}"
        return {**super().meanings, "cross_0": weights}

    def signatures(
        self, text: str | None, litert: bool = False, **options: Any
    ) -> dict[str, Signature]:
        found = super().signatures(text, litert, **options)
        if not text or litert:  # LiteRT cannot decode images
            return found
        return found | encoded_signature(found, self.preprocessor, "Describes images in files.")

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        ids = np.arange(4, 4 + 5, dtype=np.int32) % self.tokenizer.vocabulary_size
        scored = [{**x, "target_ids": np.tile(ids, (len(x[IMAGE]), 1))} for x in raw]
        encoded = self.preprocessor.encoded_probes()
        return {SERVING_DEFAULT: raw, "pixels": raw, ENCODED: encoded, SCORE: scored}

    @property
    def export_config(self) -> dict[str, Any]:
        return {**super().export_config, GRID: list(self.model.grid)}

    def generate_ids(  # type: ignore[override]
        self, images: Any, max_new_tokens: int | None = None, **generation: Any
    ) -> np.ndarray:
        """Generates the ids (B, L) of the best caption of each image.

        Args:
            images: Images, as `predict` takes them.
            max_new_tokens: Maximum number of tokens L; defaults to that of the task.
            **generation: See `zoo.decoding.options.GenerationOptions`.
        """
        run = self.runner(max_new_tokens=max_new_tokens, **generation)
        features = self.preprocessor.read(self.raw_inputs(images))
        return run(self.preprocessor.feature_signature, features)["token_ids"]

    def score(self, examples: CaptionedImages, run: Run) -> dict[str, float]:
        """BLEU-1 to BLEU-4 and CIDEr of the generated captions, with all captions of each image."""
        rows = self.predict_rows(examples.inputs, run, batch_size=32)
        return self.head.score(examples.captions, [self.result(row) for row in rows])
