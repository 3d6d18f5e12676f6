"""Base class of the tasks that are not divided into parts yet: they override methods of `Task`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import keras

from zoo.attention_map import AttentionMap
from zoo.data.batching.batches import Batches
from zoo.data.shards.manifest import is_shards, refuse_shards
from zoo.errors import UserError
from zoo.heads.head import Head
from zoo.model_card import FILE, model_card
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.serving.signatures import Signature
from zoo.tasks.attending import labeled_maps
from zoo.tasks.calls import Calls, calls_of
from zoo.tasks.parts import EPOCHS
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

    def files_of(self, data: Any, examples: Any) -> list[Path]:
        return []

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

    @property
    def head(self) -> Head:
        raise NotImplementedError

    @property
    def attention_meanings(self) -> dict[str, str]:
        return {}

    def assets(self) -> dict[str, str]:
        return {FILE: model_card(self), **self.head.files}

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

    def own_signatures(
        self, signatures: dict[str, Signature], text: str | None, litert: bool
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
