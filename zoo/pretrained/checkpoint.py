"""A Hugging Face checkpoint: configuration, vocabulary and tensors, and never a pickle."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from zoo.errors import UserError

CONFIG, TENSORS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
FILES = ["*.json", "*.safetensors", "*.txt"]  # what is asked of a hub


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
        self._files = self._files_of_tensors()

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

    def lines(self, name: str) -> list[str]:
        """The lines of a text file of the folder.

        Raises:
            UserError: If it is missing.
        """
        try:
            return (self.folder / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
        except FileNotFoundError:
            raise UserError(f"{self.folder} has no {name}") from None

    def with_spare_rows(self, vocabulary: list[str]) -> list[str]:
        """The vocabulary, as long as the embedding, which may have rows to spare.

        Raises:
            UserError: If it is longer.
        """
        rows = self.config["vocab_size"]
        if len(vocabulary) > rows:
            raise UserError(
                f"{self.folder}: the vocabulary has {len(vocabulary)} pieces, the embedding only "
                f"{rows} rows"
            )
        return vocabulary + [f"[unused-row-{number}]" for number in range(len(vocabulary), rows)]

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def tensor(self, name: str) -> np.ndarray:
        """A tensor by its name.

        Raises:
            UserError: If the checkpoint lacks it.
        """
        if name not in self._files:
            raise UserError(f"{self.folder} lacks the tensor {name}")
        with _opened(self._files[name]) as file:
            return file.get_tensor(name).astype("float32")

    def _files_of_tensors(self) -> dict[str, Path]:
        """The file of each tensor."""
        if (self.folder / INDEX).exists():
            shards = self.json(INDEX)["weight_map"]
            missing = [
                shard for shard in set(shards.values()) if not (self.folder / shard).exists()
            ]
            if missing:
                raise UserError(f"{self.folder} lacks {min(missing)}, which {INDEX} names")
            return {name: self.folder / shard for name, shard in shards.items()}
        path = self.folder / TENSORS
        if not path.exists():
            raise UserError(
                f"{self.folder} has no {TENSORS}; pickled weights (.bin) are never loaded: save "
                "them as safetensors first"
            )
        with _opened(path) as file:
            return dict.fromkeys(file.keys(), path)


def _opened(path: Path) -> Any:
    import safetensors

    try:
        return safetensors.safe_open(path, "numpy")
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
