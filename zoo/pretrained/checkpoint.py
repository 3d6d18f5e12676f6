"""A Hugging Face checkpoint: configuration, vocabulary and tensors, and never a pickle."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from zoo.errors import UserError

CONFIG, TENSORS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
FILES = ["*.json", "*.safetensors", "*.txt"]  # what is asked of a hub
# What the first checkpoints of BERT call the weights of a norm, bert-base-uncased's to this day.
OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


class Checkpoint:
    """The files of a checkpoint's folder.

    Args:
        path_or_hub_id: A folder, or the name of a model on the Hugging Face hub, which is
            downloaded once and kept where its own library keeps it.

    Raises:
        UserError: If there is no such folder or model, or it has no safetensors.
    """

    def __init__(self, path_or_hub_id: str | Path) -> None:
        self.folder = _folder(path_or_hub_id)
        self.config = self.json(CONFIG)
        if self.config.get("quantization_config"):
            raise UserError(f"{self.folder}: quantized weights are not supported")
        self._tensors = {_renamed(name): place for name, place in self._places().items()}

    def require(self, *names: str) -> None:
        """Looks whether there is any of some files.

        Raises:
            UserError: If there is none.
        """
        if not any((self.folder / name).exists() for name in names):
            raise UserError(f"{self.folder} has neither {' nor '.join(names)}")

    def json(self, name: str, default: Any = None) -> Any:
        """A JSON file of the folder, or the default where there is none.

        Raises:
            UserError: If it is not JSON, or missing without a default.
        """
        path = self.folder / name
        if not path.exists() and default is not None:
            return default
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(f"{self.folder} has no {name}: it is no checkpoint") from None
        except ValueError as error:
            raise UserError(f"{path} is not JSON: {error}") from None

    def mark(self, name: str, default: int | None = None) -> int | None:
        """The id of a mark: what generation is told of it, or else the model.

        Args:
            name: Its name in `generation_config.json` and `config.json`.
            default: What it is where neither says it.

        Raises:
            UserError: If there are several.
        """
        for config in (self.json("generation_config.json", default={}), self.config):
            found = config.get(name)
            if name in config and found is default is None:
                return None  # there is none, and that is said
            if isinstance(found, list):
                if len(found) != 1:
                    raise UserError(f"{self.folder}: {name} = {found} is not supported; only one")
                found = found[0]
            if found is not None:
                return int(found)
        return default

    def refuse_added(self, base: Iterable[str], marks: Iterable[int]) -> None:
        """Looks for tokens that were added to the vocabulary, which would be found amid words.

        Marks may be among them: those are told by their ids alone.

        Args:
            base: The vocabulary without them.
            marks: The ids of the marks.

        Raises:
            UserError: If there is one.
        """
        base, marks = set(base), set(marks)
        added = [
            each["content"]
            for each in self.json("tokenizer.json", default={}).get("added_tokens", [])
            if not each["special"] and each["id"] not in marks
        ]
        settings = self.json("tokenizer_config.json", default={})
        named = {**self.json("special_tokens_map.json", default={}), **settings}
        special = {_content(each) for key, each in named.items() if key.endswith("_token")}
        special |= {_content(each) for each in named.get("additional_special_tokens") or []}
        for number, each in settings.get("added_tokens_decoder", {}).items():
            if each.get("special"):
                special.add(each["content"])
            elif int(number) not in marks:
                added.append(each["content"])
        # This file does not say which of them are special.
        for content, number in self.json("added_tokens.json", default={}).items():
            if content not in base | special and number not in marks:
                added.append(content)
        if added:
            raise UserError(f"{self.folder}: the added token {added[0]!r} is no mark")

    def lines(self, name: str) -> list[str]:
        """The lines of a text file of the folder.

        Raises:
            UserError: If it is missing.
        """
        try:
            return (self.folder / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
        except FileNotFoundError:
            raise UserError(f"{self.folder} has no {name}") from None

    def pieces(self, ids: dict[str, int]) -> list[str]:
        """The pieces of a vocabulary by their ids, as many as the embedding has rows.

        Raises:
            UserError: If there is a gap between ids, two are the same, or there are more than rows.
        """
        found = sorted(ids, key=ids.__getitem__)
        if [ids[piece] for piece in found] != list(range(len(ids))):
            raise UserError(f"{self.folder}: the ids of the vocabulary are not 0, 1, 2, ...")
        return self.with_spare_rows(found)

    def with_spare_rows(self, vocabulary: list[str]) -> list[str]:
        """The vocabulary, as long as the embedding, which may have rows to spare.

        Raises:
            UserError: If it is longer.
        """
        if "vocab_size" not in self.config:
            raise UserError(f"{self.folder / CONFIG} lacks 'vocab_size'")
        rows = self.config["vocab_size"]
        if len(vocabulary) > rows:
            raise UserError(
                f"{self.folder}: the vocabulary has {len(vocabulary)} pieces, the embedding only "
                f"{rows} rows"
            )
        return vocabulary + [f"[unused-row-{number}]" for number in range(len(vocabulary), rows)]

    @property
    def architecture(self) -> str:
        """What model it is of, as Hugging Face's library names it."""
        return (self.config.get("architectures") or ["none"])[0]

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def has_any(self, beginnings: tuple[str, ...]) -> bool:
        """Whether the name of any tensor begins so."""
        return any(name.startswith(beginnings) for name in self._tensors)

    def tensor(self, name: str) -> np.ndarray:
        """A tensor by its name.

        Raises:
            UserError: If the checkpoint lacks it, or it is of integers.
        """
        if name not in self._tensors:
            raise UserError(f"{self.folder} lacks the tensor {name}")
        path, name_there = self._tensors[name]
        with _opened(path) as file:
            found = file.get_tensor(name_there)
        if found.dtype.kind in "biu":
            raise UserError(f"{path}: the tensor {name} has {found.dtype}; expected floats")
        return found.astype("float32")

    def _places(self) -> dict[str, tuple[Path, str]]:
        """The file of each tensor, and its name there."""
        if (self.folder / INDEX).exists():
            shards = self.json(INDEX)["weight_map"]
            missing = [
                shard for shard in set(shards.values()) if not (self.folder / shard).exists()
            ]
            if missing:
                raise UserError(f"{self.folder} lacks {min(missing)}, which {INDEX} names")
            return {name: (self.folder / shard, name) for name, shard in shards.items()}
        path = self.folder / TENSORS
        if not path.exists():
            raise UserError(
                f"{self.folder} has no {TENSORS}; pickled weights (.bin) are never loaded: save "
                "them as safetensors first"
            )
        with _opened(path) as file:
            return {name: (path, name) for name in file.keys()}


def _content(token: Any) -> Any:
    """The text of a token, which may have facts beside it."""
    return token.get("content") if isinstance(token, dict) else token


def _renamed(name: str) -> str:
    for old, new in OLD_NAMES.items():
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import safetensors

    try:
        with safetensors.safe_open(path, "numpy") as file:
            yield file
    except safetensors.SafetensorError as error:
        raise UserError(f"{path} is damaged: {error}") from None


def _folder(path_or_hub_id: str | Path) -> Path:
    path = Path(path_or_hub_id)
    if path.is_dir():
        return path
    if path.exists() or path.is_absolute() or str(path_or_hub_id).startswith("."):
        raise UserError(f"{path} is no folder with a checkpoint")
    import huggingface_hub

    try:
        found = huggingface_hub.snapshot_download(str(path_or_hub_id), allow_patterns=FILES)
    except Exception as error:  # of the network, of the hub, of the name: all end here
        reason = (str(error).splitlines() or [repr(error)])[0]
        raise UserError(
            f"{path_or_hub_id} is neither a folder nor a model that the hub gives ({reason})"
        ) from None
    return Path(found)
