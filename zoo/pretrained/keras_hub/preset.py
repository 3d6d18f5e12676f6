"""A preset of KerasHub, read as a Hugging Face checkpoint."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from zoo.errors import UserError, reason_of
from zoo.json_file import read_json
from zoo.pretrained.checkpoint import CONFIG, Checkpoint, finite
from zoo.pretrained.keras_hub.bart import BART
from zoo.pretrained.keras_hub.bert import BERT
from zoo.pretrained.keras_hub.family import Family
from zoo.pretrained.keras_hub.gpt2 import GPT2
from zoo.pretrained.keras_hub.stored import MODEL, TASK, Stored, numbered
from zoo.pretrained.keras_hub.tokenizers import ASSETS, tokenizer_settings
from zoo.training.hdf5 import check_plain, member, open_hdf5

FAMILIES: dict[str, Family] = {"BertBackbone": BERT, "GPT2Backbone": GPT2, "BartBackbone": BART}
TASK_JSON, TOKENIZER, PREPROCESSOR = "task.json", "tokenizer.json", "preprocessor.json"


def is_preset(folder: Any) -> bool:
    """Whether a path is that of a folder with a preset of KerasHub."""
    try:
        return "class_name" in read_json(Path(folder) / CONFIG, dict)
    except (OSError, ValueError, TypeError):
        return False


class KerasHubPreset(Checkpoint):
    """The files of a preset, under the names that they would have in a Hugging Face checkpoint.

    Nothing is deserialized by the classes that the files name: these are looked up in `FAMILIES`.

    Args:
        folder: The folder, as `save_to_preset` writes it.

    Raises:
        UserError: If its model, task or tokenizer is not supported, a file is damaged or elsewhere,
            or a size is not that of the weights.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        backbone, sizes = self._object(CONFIG)
        self._family = _choose("model", backbone, FAMILIES)
        task, options = (None, {}) if not self._has(TASK_JSON) else self._object(TASK_JSON)
        architecture = _choose("task", task, self._family.architectures)
        self._head = self._family.heads.get(task, {})
        tokenizer, settings = self._object(TOKENIZER)
        _choose("tokenizer", tokenizer, {self._family.tokenizer: None})
        self._tokenizer = tokenizer_settings(settings)
        self._files = {name: self._opened(name) for name in (MODEL, TASK) if self._has(name)}
        self._tensors = self._stored(sizes)
        self.config = {
            "architectures": [architecture],
            **{
                name: sizes.get(ours)
                for ours, names in self._family.sizes.items()
                for name in names
            },
            **self._family.config,
            **_labels(options),
        }
        if self._family.special_tokens:
            ids = self.json("vocab.json")
            self.config |= {
                key: _id(ids, token) for key, token in self._family.special_tokens.items()
            }

    def settings(self) -> dict[str, Any]:
        """The maximum lengths of the preprocessor, and the options of the head of the task."""
        config = self._object(PREPROCESSOR)[1] if self._has(PREPROCESSOR) else {}
        lengths = {ours: config.get(theirs) for theirs, ours in self._family.lengths.items()}
        known = {ours: length for ours, length in lengths.items() if length is not None}
        return {**known, **self._head}

    def weights_files(self) -> list[Path]:
        return [self.folder / name for name in self._files]

    def require(self, *names: str) -> None:
        if not any(self._has(ASSETS[name]) for name in names if name in ASSETS):
            wanted = [ASSETS[name] for name in names if name in ASSETS]
            raise UserError(f"{self.folder} has no {' or '.join(wanted)}")

    def json(self, name: str, default: Any = None) -> Any:
        if name == "tokenizer_config.json":
            return self._tokenizer
        if name in ASSETS:
            return super().json(ASSETS[name])
        if default is None:
            raise UserError(f"{self.folder} has no {name}")
        return default

    def lines(self, name: str) -> list[str]:
        return super().lines(ASSETS[name])

    def file(self, name: Any) -> Path:
        path = super().file(name)
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise UserError(f"{path} is a link out of the folder")
        return path

    def tensor(self, name: str) -> np.ndarray:
        stored = self._where(name)
        parts = [self._data_set(stored.file, path)[()] for path in stored.paths]
        array = np.concatenate([part.reshape(_flat(part.shape, stored)) for part in parts], axis=-1)
        if stored.unused_rows:
            array = np.pad(array, ((stored.unused_rows, 0), (0, 0)))
        array = array.T if stored.outputs_first else array
        return finite(array, self.folder / stored.file, name)

    def shape(self, name: str) -> tuple[int, ...]:
        stored = self._where(name)
        shapes = [_flat(self._data_set(stored.file, p).shape, stored) for p in stored.paths]
        joined = (*shapes[0][:-1], sum(shape[-1] for shape in shapes))
        if stored.unused_rows:
            joined = (joined[0] + stored.unused_rows, *joined[1:])
        return joined[::-1] if stored.outputs_first else joined

    # --- Files ---

    def _has(self, name: str) -> bool:
        return self.file(name).exists()

    def _object(self, name: str) -> tuple[str, dict[str, Any]]:
        """The name of the class, and the configuration, of an object in a JSON file."""
        content = super().json(name)
        kind, config = content.get("class_name"), content.get("config")
        if not isinstance(kind, str) or not isinstance(config, dict):
            raise UserError(f"{self.folder / name} lacks class_name or config")
        return kind, config

    def _opened(self, name: str) -> h5py.File:
        path = self.file(name)
        try:
            check_plain(path)
            return open_hdf5(path)
        except (OSError, RuntimeError, KeyError, ValueError) as error:
            raise UserError(f"{path} is damaged: {reason_of(error)}") from None

    def _data_set(self, name: str, location: str) -> h5py.Dataset:
        *groups, last = location.split("/")
        path = self.folder / name
        if name not in self._files:
            raise UserError(f"{self.folder} has no {name}")
        item: h5py.Group = self._files[name]
        try:
            for group in groups:
                item = member(item, group, h5py.Group)
            data = member(item, last, h5py.Dataset)
        except (OSError, RuntimeError, KeyError, ValueError) as error:
            raise UserError(f"{path} lacks {location}: {error}") from None
        if data.dtype.kind != "f":
            raise UserError(f"{path}: {location} has the dtype {data.dtype}; expected floats")
        return data

    # --- Tensors ---

    def _where(self, name: str) -> Stored:
        if name not in self._tensors:
            raise UserError(f"{self.folder} lacks the tensor {name}")
        return self._tensors[name]

    def _stored(self, sizes: dict[str, Any]) -> dict[str, Stored]:
        """Where each tensor is, once the numbers of layers and heads are those of the weights."""
        count, heads = sizes.get("num_layers"), sizes.get("num_heads")
        for layer in self._family.layers:
            there = self._count(layer)
            if type(count) is not int or count != there:
                raise UserError(
                    f"{self.folder / CONFIG}: num_layers = {count!r:.40}, but {MODEL} has {there}"
                )
            path = f"layers/{layer}/_self_attention_layer/query_dense/vars/0"
            shape = self._data_set(MODEL, path).shape
            if len(shape) != 3 or shape[1] != heads:
                raise UserError(
                    f"{self.folder / CONFIG}: num_heads = {heads!r:.40}, but {MODEL} has weights "
                    f"of the shape {shape} for them"
                )
        return {
            name: stored
            for name, stored in self._family.tensors(there)
            if stored.file in self._files
        }

    def _count(self, layer: str) -> int:
        """The number of layers of a class in the weights file."""
        if MODEL not in self._files:
            raise UserError(f"{self.folder} has no {MODEL}; shards are not supported")
        count = 0
        while numbered(layer, count) in self._files[MODEL]:
            count += 1
        return count


def _choose(what: str, name: Any, known: Any) -> Any:
    if name not in known:
        expected = ", ".join(each for each in known if each)
        raise UserError(f"KerasHub's {what} {name!r:.60} is not supported; expected {expected}")
    return known[name]


def _flat(shape: tuple[int, ...], stored: Stored) -> tuple[int, ...]:
    """The shape with a single axis for inputs and a single axis for outputs."""
    outputs = int(np.prod(shape[stored.inputs :]))
    return (int(np.prod(shape[: stored.inputs])), outputs) if stored.inputs else (outputs,)


def _labels(options: dict[str, Any]) -> dict[str, Any]:
    """The labels of a classifier, which KerasHub numbers."""
    count = options.get("num_classes")
    if count is None:
        return {}
    if type(count) is not int or not 1 <= count <= 100_000:
        raise UserError(f"num_classes must be a positive integer, got {count!r:.40}")
    if options.get("activation") not in (None, "linear", "softmax"):
        raise UserError(
            f"the classifier's activation {options['activation']!r:.40} is not supported; expected "
            "linear or softmax"
        )
    return {"id2label": {str(number): f"LABEL_{number}" for number in range(count)}}


def _id(ids: dict[str, Any], token: str) -> int:
    if type(ids.get(token)) is not int:
        raise UserError(f"the vocabulary must contain the token {token}")
    return ids[token]
