"""Base class of the tasks: adapt, fit, evaluate, predict, save, load, export."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import keras
import numpy as np
import tensorflow as tf

from zoo.attention_map import AttentionMap
from zoo.data.shards.manifest import refuse_shards
from zoo.data_statistics import LOGGER, collecting, discarding, record
from zoo.errors import UserError
from zoo.locking import locked
from zoo.models.attending import attention_layers
from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.byte_texts import as_bytes
from zoo.preprocessing.text import TokenPreprocessor
from zoo.registry import MODELS
from zoo.serving.inference import Program, Run, Tensors
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT, Signature, build_signatures
from zoo.tasks import folder as run_folder
from zoo.tasks.attending import (
    ATTENTION,
    MEANINGS,
    PURPOSE,
    check_no_options,
    choose_part,
    labeled_maps,
    map_names,
)
from zoo.tasks.config import (
    check_config,
    check_files,
    damage,
    read_config,
    refuse_checkpoints,
    weights_file,
)
from zoo.tasks.definition import TaskDefinition
from zoo.tasks.fitting import fit
from zoo.tasks.provenance import names_of
from zoo.tasks.saving import replacing_run
from zoo.text.form import TEXT, TEXT_BYTES, TEXT_LENGTHS, TextForm, text_form
from zoo.training.history import History
from zoo.training.weights import load_weights, save_weights

PROBES = 8  # number of training examples used for verification


@dataclass(frozen=True)
class Pretrained:
    """A pretrained tokenizer and initial weights for a task.

    Args:
        tokenizer: The tokenizer.
        load: Function that loads the initial weights into the task's model.
    """

    tokenizer: Any
    load: Callable[[keras.Model], None]


class PreviewRow(NamedTuple):
    """A row of a report: an input, the prediction, and the correct output, if it is known.

    `input` is the input as `attention` takes it.
    """

    source: str
    prediction: str
    reference: str | None
    input: Any


class Task(TaskDefinition):
    """A model with its data reader and preprocessing, which you train, save and export.

    This class is independent of the modality. Subclasses override the methods of `TaskDefinition`.

    Args:
        model: Name of the model.
        preset: Name of a preset of the model.
        **options: Fields of the task's `Settings`. All others are options of the model, such as
            `dropout`, which override the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.
    """

    def __init__(self, model: str | None = None, preset: str | None = None, **options: Any) -> None:
        named = {"model": model, "preset": preset}
        options |= {name: value for name, value in named.items() if value is not None}
        own = {name: options.pop(name) for name in self.Settings.names() if name in options}
        model = own.get("model", self.Settings.defaults()["model"])
        of_model = MODELS[model].settings if model in MODELS else {}
        self.settings: Any = self.Settings.of({**of_model, **own}, self.name)
        self.model_options = options
        self.check_settings()
        check_options(self.settings.model, self.settings.preset, options, self.name)
        self.folder: Path | None = None
        self.metrics: dict[str, float] = {}
        self.evaluated_on = ""  # names of the data of the metrics
        self.license: str | None = None  # of the model, for the model card, such as "apache-2.0"
        self.training: dict[str, Any] = {}  # options of the last `fit`
        self.files: dict[str, Any] = {}  # files that the last `fit` read, to resume it
        self.data: dict[str, str] = {}  # sha256 of the files that its weights come from
        self.examples: dict[str, list[Any]] = {}  # some raw inputs of the training data
        self.pretrained: Pretrained | None = None
        self.origin: list[str] = []  # log lines about where the initial weights come from
        self._programs: dict[str, Program] = {}

    def adapt(self, data: Any) -> None:
        """Fits the preprocessor, such as the tokenizer and the labels, and builds the model.

        A task created from a checkpoint keeps the vocabulary and the weights of the checkpoint.

        Args:
            data: The training data, in the form that `fit` takes.
        """
        self.check_readable(data)
        examples = self.read(data)
        self.examples = self.sample_inputs(examples, PROBES)
        self.build(self.learn(examples))
        if self.pretrained is not None:
            self.pretrained.load(self.model)
        else:
            self.adapt_model(examples)

    def build(self, preprocessor: Preprocessor) -> None:
        """Sets the preprocessor, and builds the model with random weights."""
        self._preprocessor, self._programs = preprocessor, {}
        keras.utils.set_random_seed(self.settings.seed)
        model, preset = self.settings.model, self.settings.preset
        options = {"dtype": self.settings.dtype, **self.model_sizes(), **self.model_options}
        self._model = create_model(model, preset, self.name, **options)

    def fit(self, data: Any = None, validation_data: Any = None, **options: Any) -> History:
        """Trains the model, and leaves it with the weights of the best epoch.

        Args:
            data: The training data: a file, a list of `pathlib.Path`, or a list of examples. When
                resuming, it defaults to the files of the run.
            validation_data: Data in the same form to select the best epoch, or the fraction of the
                training data to hold out as such, for example 0.1. When resuming, it defaults to
                that of the run.
            **options: Training options of the task, and `zoo.training.options.SessionOptions`.

        Returns:
            The `History` of the run.
        """
        return fit(self, data, validation_data, options)

    def predict(self, data: Any, batch_size: int = 64, **options: Any) -> list[Any]:
        """Predicts an output for each row.

        Args:
            data: A list of raw inputs.
            batch_size: Batch size. Rows of similar length are batched together.
            **options: Generation options, for tasks that generate text.
        """
        columns, run = self.raw_inputs(data), self.runner(**options)
        preprocessor = self.preprocessor_with(**options)
        rows = self.predict_rows(columns, run, batch_size, preprocessor=preprocessor)
        return [self.result(row) for row in rows]

    def predict_rows(
        self,
        columns: Mapping[str, Sequence[Any]],
        run: Run,
        batch_size: int = 64,
        finish: Callable[[Tensors, Features], Tensors] | None = None,
        preprocessor: Preprocessor | None = None,
    ) -> list[dict[str, Any]]:
        """Computes the outputs for raw inputs: a dictionary for each row, in order.

        Args:
            columns: Raw inputs by name.
            run: Function that runs an inference by name, in Python or in an artifact.
            batch_size: Batch size.
            finish: Function to use instead of `postprocess`.
            preprocessor: Preprocessor to use instead of that of the task.
        """
        finish, preprocessor = finish or self.postprocess, preprocessor or self.preprocessor
        count = len(next(iter(columns.values())))
        found: list[dict[str, Any]] = [{} for _ in range(count)]
        order = sorted(range(count), key=lambda i: sum(len(rows[i]) for rows in columns.values()))
        with collecting("predict"):
            for start in range(0, count, batch_size):
                places = order[start : start + batch_size]
                raw = {name: [rows[i] for i in places] for name, rows in columns.items()}
                features = {**preprocessor.read(raw), "row": np.array(places, "int32")}
                outputs = run(preprocessor.feature_signature, features)
                done = finish({k: tf.constant(x) for k, x in outputs.items()}, features)
                arrays = {name: np.asarray(x) for name, x in done.items()}
                for row, parts in zip(places, self.rows(arrays, features), strict=True):
                    found[row] = parts
        return found

    def runner(self, **options: Any) -> Run:
        """A function that runs the inferences of the model, for `score` and `predict_rows`.

        Raises:
            UserError: If there are options, which only tasks that generate text have.
        """
        for option in options:
            raise UserError(f"{self.name} has no option {option!r}: it does not generate text")
        return lambda name, features: self.program(name)(features)

    def program(self, name: str) -> Program:
        """The compiled inference of a signature."""
        if name not in self._programs:
            self._programs[name] = Program(self.inferences()[name])
        return self._programs[name]

    def evaluate(self, data: Any, **options: Any) -> dict[str, float]:
        """Computes the metrics on data that the model was not trained on.

        Args:
            data: A file or a list, in the form that `fit` takes.
            **options: Generation options, for tasks that generate text.
        """
        examples = self.read_to_evaluate(data)
        scores = self._scores(examples, self.runner(**options))
        return self.keep_metrics(data, scores | self.baseline_scores(examples))

    def keep_metrics(self, data: Any, metrics: dict[str, float]) -> dict[str, float]:
        """Stores metrics and the names of their data, for the run folder and the model card."""
        self.metrics, self.evaluated_on = metrics, names_of(data)
        return metrics

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        """Computes the same metrics for an exported artifact.

        Args:
            artifact: A loaded artifact, which has `signatures` and `run(signature, inputs)`. If it
                samples, each row of a batch has another seed.
            data: A file or a list, in the form that `fit` takes.
        """
        return self._scores(self.read_to_evaluate(data), self._artifact_runner(artifact))

    def scores_in_parts(
        self, artifact: Any, data: Any, count: int
    ) -> list[tuple[int, dict[str, float]]]:
        """The size and the metrics of each of some random parts of the data.

        Args:
            artifact: A loaded artifact; see `evaluate_artifact`.
            data: A file or a list, in the form that `fit` takes.
            count: The number of parts. The list is empty if the data cannot be cut into so many.
        """
        examples, run = self.read_to_evaluate(data), self._artifact_runner(artifact)
        with discarding():
            return [
                (self.size(part), self.score(part, run)) for part in self.parts(examples, count)
            ]

    def _artifact_runner(self, artifact: Any) -> Run:
        inferences = self.inferences()

        def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            taken = {key: np.asarray(features[key]) for key in inferences[name].features}
            signature = name if name in artifact.signatures else SERVING_DEFAULT
            if SEED in artifact.signatures[signature]["inputs"]:
                taken[SEED] = seeds_of(len(next(iter(taken.values()))))
            return artifact.run(signature, taken)

        return run

    def _scores(self, examples: Any, run: Run) -> dict[str, float]:
        refuse_shards(examples)
        LOGGER.info("%s", examples)
        with collecting(examples.path):
            record(examples.statistics)
            return self.score(examples, run)

    def attention(
        self, data: Any, *, part: str | None = None, **options: Any
    ) -> list[AttentionMap]:
        """The attention maps of one input, one for each layer; empty if the model shows none.

        A model of documents has one for each sentence over its words, and one over the sentences.

        Args:
            data: A raw input, as in the list that `predict` takes; of a multi-task, a pair of the
                name of a task and an input of it.
            part: "encoder" and "decoder" show their self-attention, "cross" shows the attention of
                the decoder to the encoder; of a model of documents, "words" or "sentences".
                Defaults to "cross" or "sentences", if the model has it.
            **options: `max_new_tokens`, for encoder-decoders. They generate greedily.

        Raises:
            UserError: If there is another option, or the model does not have the part; the message
                lists its parts.
        """
        if not attention_layers(self.model):
            return []
        part = choose_part(self.model, part)
        return self.attention_parts(data, **options)[part]

    def attention_parts(self, data: Any, **options: Any) -> dict[str, list[AttentionMap]]:
        """The attention maps of one input in every part of the model; see `attention`."""
        if not attention_layers(self.model):
            return {}
        with collecting(ATTENTION):
            features = self.preprocessor_with(**options).read(self.raw_inputs([data]))
        return self.label_attention(features, self.run_attention(features, **options))

    def label_attention(
        self, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """The outputs of the signature `attention` for one input, with its tokens."""
        return labeled_maps(self.model, outputs, self.attention_tokens(features, outputs))

    def run_attention(self, features: Features, **options: Any) -> Tensors:
        """Computes the attention maps of features."""
        check_no_options(self.name, options)
        return self.program(ATTENTION)(features)

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        """The first rows with their predictions and references, as text, for a report.

        Args:
            data: A file or a list, in the form that `fit` takes.
            count: Maximum number of rows.
        """
        examples = self.read(data)
        refuse_shards(examples)
        columns = self.sample_inputs(examples, count)
        rows = self.predict_rows(columns, self.runner())
        references: Any = self.references(examples) or [None] * len(rows)
        return [
            PreviewRow(
                " | ".join(map(str, inputs)),
                self.result_text(self.result(row)),
                reference,
                inputs[0] if len(inputs) == 1 else inputs,
            )
            for inputs, row, reference in zip(
                zip(*columns.values(), strict=True), rows, references, strict=False
            )
        ]

    def signatures(
        self,
        text: str | None,
        litert: bool = False,
        *,
        length: int | None = None,
        **options: Any,
    ) -> dict[str, Signature]:
        """The signatures of an artifact, by name.

        Args:
            text: How the artifact takes and returns text: as "strings", or as "bytes" in UTF-8,
                with built-in operators of LiteRT only. None if it takes features.
            litert: Whether the artifact is a LiteRT file.
            length: Maximum number of tokens of a text in bytes. Defaults to that of the task.
            **options: Generation options, for tasks that generate text.

        Raises:
            UserError: If LiteRT lacks operators of the preprocessor, or it does not take bytes, or
                the task has no such option.
        """
        for name in options:
            if name not in self.export_options:
                raise UserError(f"an export of {self.name} has no option {name!r}")
        form = text_form(text, litert)
        preprocessor = self.preprocessor_with(**options)
        if form is TextForm.BYTES:
            preprocessor = preprocessor.in_bytes(length)
        elif form is TextForm.LITERT_STRINGS:
            preprocessor.check_litert()

        def finish(outputs: Tensors, features: Features) -> Tensors:
            reported = {name: features[name] for name in preprocessor.reported}
            return self.postprocess(outputs, features, form) | reported

        purposes = {ATTENTION: PURPOSE, **self.purposes}
        meanings = {name: MEANINGS[part] for name, part in map_names(self.model).items()}
        meanings |= {**self.meanings, **preprocessor.reported}
        if form is TextForm.BYTES and TEXT in meanings:
            meanings |= {
                TEXT_BYTES: f"{meanings[TEXT]}, UTF-8",
                TEXT_LENGTHS: "its number of bytes",
            }
        inferences = self.inferences(**options)
        return build_signatures(
            preprocessor, inferences, finish, text is not None, purposes, meanings
        )

    def probes(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with, by name of the signature.

        Args:
            **options: Generation options; see `signatures`.
        """
        preprocessor = self.preprocessor_with(**options)
        return self.calls(preprocessor, preprocessor.probes(self.examples))

    def samples(self, **options: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        """Many ordinary inputs, by name of the signature: what a quantized file is judged by.

        Args:
            **options: Options of generation, as for `signatures`.
        """
        preprocessor = self.preprocessor_with(**options)
        return self.calls(preprocessor, preprocessor.samples(self.examples))

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        """Raw inputs as calls of each signature."""
        features = []
        for batch in raw:
            with discarding():  # they are not the user's data
                found = preprocessor.read({name: list(x) for name, x in batch.items()})
            features.append({name: found[name] for name in preprocessor.features})
        calls = {SERVING_DEFAULT: raw, preprocessor.feature_signature: features}
        if isinstance(preprocessor, TokenPreprocessor):  # for `text="bytes"`
            calls["in bytes"] = [as_bytes(batch) for batch in raw]
        return calls

    def web_page(self) -> Any:
        """The task as `export.web` takes it, with the files of a page that runs it in a browser."""
        from zoo.page.web import WebPage

        return WebPage(self)

    def for_mediapipe(self, length: int | None = None) -> Any:
        """The task as `export.mediapipe` takes it.

        Args:
            length: Maximum number of tokens of a text. Defaults to that of the task.

        Raises:
            UserError: If MediaPipe has no such task, or reads its inputs differently.
        """
        from zoo.mediapipe.tasks import for_mediapipe

        return for_mediapipe(self, length)

    @property
    def export_config(self) -> dict[str, Any]:
        """The description of the task in the manifest of an artifact."""
        return {**self.config, "data": self.data}

    # --- Run folders ---

    @property
    def config(self) -> dict[str, Any]:
        """The arguments that recreate the task, as JSON types."""
        return {
            "task": self.name,
            "settings": self.settings.values(),
            "model_options": self.model_options,
        }

    def save(self, folder: str | Path) -> None:
        """Writes a folder that `zoo.load` loads: config, preprocessor, weights, metrics.

        A run in the folder is replaced in one step.

        Raises:
            UserError: If the folder contains checkpoints of another run, another process is writing
                to it, or the disk is full.
        """
        folder = Path(folder)
        with locked(folder):
            if self.folder is None or self.folder.resolve() != folder.resolve():
                refuse_checkpoints(folder)
            self.save_files(folder)
            if self.metrics:
                run_folder.write_metrics(folder, self.metrics, self.evaluated_on)

    def save_files(self, folder: Path, weights: bool = True) -> None:
        """Saves everything except the metrics, in one step.

        Args:
            folder: The folder.
            weights: Whether to save the weights, too. Otherwise, they are those of the checkpoints.
        """
        facts = {"training": self.training, "files": self.files}
        facts |= {"data": self.data, "examples": self.examples}
        with replacing_run(folder, {**self.config, **facts}) as new:
            self.save_parts(new)
            if weights:
                save_weights(self.model, new / run_folder.WEIGHTS)
        self.folder = folder

    @classmethod
    def load(cls, folder: str | Path, check_digests: bool = True) -> Self:
        """Loads the task of a run folder, with the saved weights or else the best checkpoint.

        Args:
            folder: The folder.
            check_digests: See `zoo.load`.

        Raises:
            UserError: If the folder is damaged, or is not a run folder.
        """
        folder = Path(folder)
        config = read_config(folder)
        if check_digests:
            check_files(folder, config)
        with damage(folder / run_folder.CONFIG):
            task = cls(**config["settings"], **config["model_options"])
            task.examples, task.data = dict(config["examples"]), dict(config["data"])
            task.files = dict(config["files"])
            if config["training"]:  # empty if the task was never trained
                task.training = task.Training.of(config["training"], cls.name).values()
            task.folder = folder
            task.metrics, task.evaluated_on = run_folder.read_metrics(folder)
        if check_digests:  # after the values, whose errors say more
            check_config(folder, config)
        preprocessor = task.load_preprocessor(folder)
        with damage(folder / run_folder.CONFIG):
            task.build(preprocessor)
        weights = weights_file(folder, config)
        is_checked = weights.name in config.get(run_folder.DIGESTS, {})
        load_weights(task.model, weights, check_digest=check_digests and not is_checked)
        task.load_parts(folder)
        return task
