"""Base class of the tasks that are not divided into parts yet: they override methods of `Task`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import keras
import numpy as np
import tensorflow as tf

from zoo.attention_map import AttentionMap
from zoo.data.batching.batches import Batches
from zoo.data.shards.manifest import is_shards, refuse_shards
from zoo.data_statistics import collecting
from zoo.errors import UserError
from zoo.heads.head import Head
from zoo.model_card import FILE, model_card
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.serving.signatures import Signature
from zoo.tasks.attending import ATTENTION, check_no_options, labeled_maps
from zoo.tasks.calls import Calls, calls_of
from zoo.tasks.parts import EPOCHS, Format
from zoo.tasks.task import Task
from zoo.tasks.views import PreviewRow
from zoo.training.objective import Objective


class UndividedTask(Task):
    """A task that overrides the methods of `Task` which others leave to their `parts`."""

    min_steps: ClassVar[int] = 0  # minimum number of training steps by default

    def check_settings(self) -> None:
        pass

    def check_readable(self, data: Any) -> None:
        if is_shards(data):
            raise UserError(f"{data} is prepared data; {self.name} reads its data into memory")

    def read(self, data: Any) -> Any:
        raise NotImplementedError

    def read_to_learn(self, data: Any) -> Any:
        return self.read(data)

    def read_to_evaluate(self, data: Any, **options: Any) -> Any:
        return self.read(data)

    def own_validation(self, examples: Any) -> Any:
        return None

    def note_on(self, examples: Any, same: int, files: int) -> str | None:
        default: Format[Any, Any, Any] = Format()
        return default.note_on(examples, same, files)

    def set_augmentation(self, training: Any) -> None:
        pass

    def check_browser(self) -> None:
        pass

    def files_of(self, data: Any, examples: Any) -> list[Path]:
        return []

    def size(self, examples: Any) -> int:
        return len(next(iter(examples.inputs.values())))

    def learn(self, examples: Any) -> Preprocessor:
        raise NotImplementedError

    def load_preprocessor(self, folder: Path) -> Preprocessor:
        raise NotImplementedError

    def save_parts(self, folder: Path) -> None:
        self.save_preprocessor(folder)

    def load_parts(self, folder: Path) -> None:
        pass

    def model_sizes(self) -> dict[str, Any]:
        raise NotImplementedError

    def batches(self, examples: Any, training: Any, held_out: bool = False) -> Batches:
        raise NotImplementedError

    def objective(self, training: Any) -> Objective:
        raise NotImplementedError

    def inferences(self, **options: Any) -> dict[str, Inference]:
        raise NotImplementedError

    def check_exportable(self) -> None:
        pass

    @property
    def head(self) -> Head:
        raise NotImplementedError

    @property
    def meanings(self) -> dict[str, str]:
        return {**self.head.meanings, **self.attention_meanings}

    @property
    def attention_meanings(self) -> dict[str, str]:
        return {}

    def assets(self) -> dict[str, str]:
        return {FILE: model_card(self), **self.head.files}

    def preprocessor_with(self, **options: Any) -> Any:
        return self.preprocessor

    def run_attention(self, features: Features, **options: Any) -> Tensors:
        check_no_options(self.name, options)
        return self.program(ATTENTION)(features)

    def own_calls(self, calls: Calls, options: Mapping[str, Any]) -> Calls:
        return calls

    def sample_inputs(self, examples: Any, count: int) -> dict[str, list[Any]]:
        return {name: list(rows[:count]) for name, rows in examples.inputs.items()}

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        raise NotImplementedError

    def adapt_model(self, examples: Any) -> None:
        pass

    def fit_baselines(self, examples: Any) -> None:
        pass

    def baseline_scores(self, examples: Any) -> dict[str, float]:
        return {}

    def rate_factors(self, training: Any) -> dict[str, float]:
        return {}

    def default_epochs(self, steps_per_epoch: int) -> int:
        return max(EPOCHS, -(-self.min_steps // steps_per_epoch))

    def predict(self, data: Any, batch_size: int = 64, **options: Any) -> list[Any]:
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
        for option in options:
            raise UserError(f"{self.name} has no option {option!r}: it does not generate text")
        return lambda name, features: self.program(name)(features)

    def rows(self, outputs: Mapping[str, Any], features: Features) -> list[dict[str, Any]]:
        """The outputs for each raw input of a batch.

        Args:
            outputs: Arrays by name, from `postprocess`.
            features: The features, with the number of each raw input in `row`.
        """
        numbers = range(len(features["row"]))
        return [{name: array[i] for name, array in outputs.items()} for i in numbers]

    def default_xla(self) -> bool | str:
        return "auto"

    def default_freeze(self) -> int:
        return 0

    def default_patience(self) -> int | None:
        return None

    def default_learning_rate(self) -> float:
        return 1e-3

    def default_warmup(self, steps: int) -> int:
        return max(1, steps // 10)

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        raise NotImplementedError

    def validation(self, batches: Any) -> Callable[[keras.Model], dict[str, float]] | None:
        return None

    def label_attention(
        self, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        return labeled_maps(outputs, self.attention_tokens(features, outputs))

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
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

    def check_model(self) -> None:
        pass

    def check_export(self, options: Mapping[str, Any]) -> None:
        pass

    def own_signatures(
        self,
        signatures: dict[str, Signature],
        text: str | None,
        litert: bool,
        length: int | None,
        options: Mapping[str, Any],
    ) -> dict[str, Signature]:
        return signatures

    def calls(self, preprocessor: Preprocessor, raw: list[dict[str, Any]]) -> Calls:
        return calls_of(preprocessor, raw)

    @property
    def config(self) -> dict[str, Any]:
        return self.base_config

    @property
    def export_config(self) -> dict[str, Any]:
        return {**self.config, "data": self.data}
