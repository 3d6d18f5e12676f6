"""A task as a folder that runs it in the browser: its signatures, and the files of the page."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from zoo.attention_map import visible
from zoo.lines import LABELS, from_lines
from zoo.models.attending import PARTS
from zoo.page import template
from zoo.page.lead import examples, sentence, text_columns
from zoo.page.series import series_facts
from zoo.page.web_files import page_files
from zoo.preprocessing.audio import WAVEFORM
from zoo.preprocessing.base import BATCH, TensorSpec
from zoo.preprocessing.images import IMAGE
from zoo.preprocessing.text import TEXT, TokenPreprocessor
from zoo.serving.export_parts import ExportParts
from zoo.serving.inference import Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.serving.streamed import START, STEP
from zoo.tasks.attending import ATTENTION, map_names
from zoo.tasks.parts import Pictures

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SECONDS = 10  # of a recording
IDS, COUNTS = "source_ids", "source_lengths"
SOURCES = {
    IDS: "the ids of the text, then 0; an id is a line of vocabulary.txt, from 0",
    COUNTS: "the number of ids of the text",
}


class WebPage:
    """A task in the form that `export.web` takes.

    Its file has one shape, and the signatures that the page calls: `serving_default` and, of models
    that show where they look, `attention`, which take the same; and of language models those that
    generate token by token.

    Args:
        task: The task.
    """

    def __init__(self, task: "Task") -> None:
        self._task = task
        self.model, self.evaluate_artifact = task.model, task.evaluate_artifact

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **options: Any
    ) -> ExportParts:
        """The signatures that the page calls, and the rest of the task; see `Task.export_parts`."""
        parts = self._task.export_parts(text, litert, samples, **self._streamed(options))
        strings = None if parts.strings is None else self._called(parts.strings)
        return replace(
            parts,
            signatures=self._called(parts.signatures),
            live=self._called(parts.live),
            strings=strings,
        )

    def _called(self, signatures: Mapping[str, Signature]) -> dict[str, Signature]:
        """Those of the signatures that the page calls."""
        main = signatures[SERVING_DEFAULT]
        if _of_one_shape(main.features):
            main = replace(main, inputs=main.features, preprocess=None)
        called = {SERVING_DEFAULT: main}
        if self._shown is not None:
            called[ATTENTION] = _of_raw(signatures[ATTENTION], main)
        return called | {name: signatures[name] for name in (START, STEP) if name in signatures}

    def _streams(self, generation: Mapping[str, Any]) -> bool:
        """Whether the page shows the text while it is generated."""
        return self._task.name == template.CONTINUES and generation.get("beams", 1) == 1

    def _streamed(self, options: dict[str, Any]) -> dict[str, Any]:
        return {**options, "stream": True} if self._streams(options) else options

    def length(self, **generation: Any) -> int | None:
        """The default length of inputs: tokens of a text, samples of a recording.

        Args:
            **generation: How to generate.
        """
        task = self._task
        preprocessor = task.parts.input.preprocessor_with(task.fitted, generation)
        if isinstance(preprocessor, TokenPreprocessor):
            return preprocessor.max_length
        return SECONDS * preprocessor.sample_rate if WAVEFORM in preprocessor.inputs else None

    def files(
        self, parts: ExportParts, title: str, length: int | None, **generation: Any
    ) -> dict[str, str]:
        """The files of the page, by name.

        Args:
            parts: The parts of its file, with texts in bytes.
            title: Title of the page, if the task was not loaded from a folder.
            length: The length of inputs.
            **generation: How to generate.
        """
        folder = self._task.folder
        name = title if folder is None else folder.resolve().name
        assert parts.strings is not None  # of texts in bytes
        main = parts.strings[SERVING_DEFAULT]
        files = page_files(
            self._facts(main, parts.config, length) | {"stream": self._streams(generation)},
            title=name.replace("_", " "),
            lead=sentence(main.purpose, self._labels, parts.config),
        )
        if self._shown:
            tokens = [visible(token) for token in self._task.tokenizer.vocabulary]
            files["tokens.json"] = json.dumps(tokens, ensure_ascii=False) + "\n"
        return files

    @property
    def _labels(self) -> list[str]:
        return [*from_lines(self._task.head.files.get(LABELS, ""))]

    @property
    def _shown(self) -> str | None:
        """The input whose attention the page shows, or None."""
        task = self._task
        if task.parts.pictures is Pictures.CAPTIONS:
            return IMAGE
        parts = set(map_names(task.model).values())
        of_text = set(task.preprocessor.inputs) == {TEXT}
        return TEXT if of_text and parts and parts <= set(PARTS) else None

    def _facts(
        self, main: Signature, config: Mapping[str, Any], length: int | None
    ) -> dict[str, Any]:
        task = self._task
        columns = config.get("columns", {})
        facts: dict[str, Any] = {
            "task": task.name,
            "inputs": [
                template.tensor(
                    name, spec.dtype, _sizes(spec, length), spec.meaning, columns.get(name, ())
                )
                for name, spec in main.inputs.items()
            ],
            "outputs": dict(main.meanings),
            "rows": True,
            "labels": self._labels,
            "continues": task.name == template.CONTINUES,
            "masked": task.name in template.MASKED,
            "attention": self._shown,
            "series": series_facts(config),
            "examples": examples(config, [*main.inputs]),
            "columns": text_columns(config, [*main.inputs]),
        }
        if not self._shown:
            return facts
        special = task.special_tokens
        return facts | {
            "maps": map_names(task.model),
            "pad": special.pad,
            "first": special.first_read,
            "grid": list(task.model.grid) if self._shown == IMAGE else None,
        }


def _of_one_shape(features: Mapping[str, TensorSpec]) -> bool:
    return all(isinstance(size, int) for spec in features.values() for size in spec.shape[1:])


def _sizes(spec: TensorSpec, length: int | None) -> list[int | str | None]:
    """The axes of a tensor with the sizes that the file has."""
    return [axis if isinstance(axis, int) or axis == BATCH else length for axis in spec.shape]


def _of_raw(attention: Signature, main: Signature) -> Signature:
    """The signature `attention` with the inputs of the main one.

    It also returns the ids of a text, which name the rows and columns of its maps.
    """
    more = [name for name in main.features if name not in attention.features]  # seeds
    pad: Any = attention.features["token_ids"].padding if "token_ids" in attention.features else 0
    read = main.preprocess

    def preprocess(**given: Any) -> Tensors:
        assert read is not None
        return read(**given, **dict.fromkeys(more))

    def finish(outputs: Tensors, features: Tensors) -> Tensors:
        if "token_ids" not in attention.features:
            return outputs
        ids = features["token_ids"]
        written = tf.not_equal(ids, pad)
        counts = tf.reduce_sum(tf.cast(written, tf.int32), axis=1)
        return {**outputs, IDS: tf.where(written, ids, 0), COUNTS: counts}

    return replace(
        attention,
        inputs={name: spec for name, spec in main.inputs.items() if name not in more},
        preprocess=preprocess if read else None,
        postprocess=finish,
        results={**attention.outputs, IDS: (BATCH, None), COUNTS: (BATCH,)},
        meanings={**attention.meanings, **SOURCES},
    )
