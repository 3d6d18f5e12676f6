"""The files of a Hugging Face checkpoint. Pickled weights are never loaded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from zoo.data.readers.files import read_lines
from zoo.errors import UserError, reason_of
from zoo.json_file import read_json
from zoo.lines import from_lines
from zoo.untrusted import check_regular

CONFIG, TENSORS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
FILES = ["*.json", "*.safetensors", "*.txt"]  # files to download from the hub
# Names of tensors in old checkpoints of BERT, such as bert-base-uncased.
OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


class Checkpoint:
    """The files of a checkpoint.

    Args:
        path_or_hub_id: A folder, or the name of a model on the Hugging Face hub, which is
            downloaded to the cache of Hugging Face's library.

    Raises:
        UserError: If there is no such folder or model, it has no safetensors, or its weights are
            quantized.
    """

    def __init__(self, path_or_hub_id: str | Path) -> None:
        self.folder = _folder(path_or_hub_id)
        self.config = self.json(CONFIG)
        if self.config.get("quantization_config"):
            raise UserError(f"{self.folder}: quantized weights are not supported")
        self._tensors: dict[str, Any] = {
            _renamed(name): location for name, location in self._locations().items()
        }

    def require(self, *names: str) -> None:
        """Checks that at least one of several files exists.

        Raises:
            UserError: If none exists.
        """
        if not any((self.folder / name).exists() for name in names):
            raise UserError(f"{self.folder} has neither {' nor '.join(names)}")

    def json(self, name: str, default: Any = None) -> Any:
        """The contents of a JSON file, or the default if there is no such file.

        It is an object, or a list if the default is one.

        Raises:
            UserError: If the file is not JSON, or is missing and there is no default.
        """
        path = self.file(name)
        if not path.exists() and default is not None:
            return default
        try:
            return read_json(path, type(default) if default is not None else dict)
        except FileNotFoundError:
            raise UserError(f"{self.folder} has no {name}: it is not a checkpoint") from None
        except (OSError, ValueError) as error:
            raise UserError(f"{path} is not JSON: {error}") from None

    def file(self, name: Any) -> Path:
        """The path of a file that another file of the checkpoint may name.

        Raises:
            UserError: If it leads out of the folder.
        """
        parts = PurePath(name).parts if isinstance(name, str) else ()
        if not parts or PurePath(name).is_absolute() or ".." in parts:
            raise UserError(f"{self.folder}: {name!r:.80} is not the name of a file in it")
        return self.folder / name

    def special_token(self, name: str, default: int | None = None) -> int | None:
        """The id of a special token.

        Args:
            name: The key of the id in `generation_config.json`, or else in `config.json`.
            default: The id if both files lack the key.

        Outputs: The id, or None if there is no such token.

        Raises:
            UserError: If there are several ids, or it is not an integer.
        """
        for config in (self.json("generation_config.json", default={}), self.config):
            token = config.get(name)
            if name in config and token is default is None:
                return None  # an explicit null, and the default is None, too
            if isinstance(token, list):
                if len(token) != 1:
                    raise UserError(
                        f"{self.folder}: {name} = {token} is not supported; expected a single id"
                    )
                token = token[0]
            if token is not None:
                if type(token) is not int:
                    raise UserError(f"{self.folder}: {name} must be an integer, got {token!r:.40}")
                return token
        return default

    def lines(self, name: str) -> list[str]:
        """The lines of a text file.

        Raises:
            UserError: If there is no such file, or it is not text.
        """
        path = self.folder / name
        if not path.exists():
            raise UserError(f"{self.folder} has no {name}")
        return from_lines("".join(read_lines(path)).rstrip("\r\n"))

    @property
    def architecture(self) -> str:
        """The name of the model's class in Hugging Face's library.

        Raises:
            UserError: If `architectures` is not a list of names.
        """
        names = self.config.get("architectures") or ["none"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UserError(f"{self.folder / CONFIG}: architectures must be a list of names")
        return names[0]

    def settings(self) -> dict[str, Any]:
        """Settings and options that the checkpoint has for its own task, such as lengths."""
        return {}

    def chat_template(self) -> str | None:
        """The Jinja template of chats, or None.

        Raises:
            UserError: If it is not a text.
        """
        path = self.folder / "chat_template.jinja"
        if path.exists():
            return "".join(read_lines(path))
        template = self.json("tokenizer_config.json", default={}).get("chat_template")
        if isinstance(template, list):  # several, by name
            named = {each.get("name"): each.get("template") for each in template}
            template = named.get("default")
        if template is not None and not isinstance(template, str):
            raise UserError(f"{self.folder}: chat_template must be a text")
        return template

    def weights_files(self) -> list[Path]:
        """The files that contain its tensors."""
        return sorted({path for path, _ in self._tensors.values()})

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def has_any(self, beginnings: tuple[str, ...]) -> bool:
        """Whether the name of any tensor starts with one of the given strings."""
        return any(name.startswith(beginnings) for name in self._tensors)

    def layers(self, beginning: str) -> set[str]:
        """The numbers of the layers that have tensors, whose names start with the given string."""
        names = (
            name.removeprefix(beginning) for name in self._tensors if name.startswith(beginning)
        )
        return {name.partition(".")[0] for name in names}

    def tensor(self, name: str) -> np.ndarray:
        """The tensor with a name, as float32.

        Raises:
            UserError: If there is no such tensor, it has an integer dtype, or values that are NaN
                or infinite.
        """
        path, name_there = self._location(name)
        with _opened(path) as file:
            array = file.get_tensor(name_there)
        if array.dtype.kind in "biuc":
            raise UserError(
                f"{path}: the tensor {name} has the dtype {array.dtype}; expected floats"
            )
        return finite(array, path, name)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor, which is not read.

        Raises:
            UserError: If there is no such tensor.
        """
        path, name_there = self._location(name)
        with _opened(path) as file:
            return tuple(file.get_slice(name_there).get_shape())

    def _location(self, name: str) -> tuple[Path, str]:
        if name not in self._tensors:
            raise UserError(f"{self.folder} lacks the tensor {name}")
        return self._tensors[name]

    def _locations(self) -> dict[str, tuple[Path, str]]:
        """Dictionary from the name of each tensor to its file and its name in that file."""
        if (self.folder / INDEX).exists():
            shards = self.json(INDEX).get("weight_map")
            if not isinstance(shards, dict):
                raise UserError(f"{self.folder / INDEX} has no weight_map")
            locations = {name: (self.file(shard), name) for name, shard in shards.items()}
            missing = [path.name for path, _ in locations.values() if not path.is_file()]
            if missing:
                raise UserError(f"{self.folder} lacks {min(missing)}, which {INDEX} refers to")
            return locations
        path = self.folder / TENSORS
        if not path.exists():
            raise UserError(
                f"{self.folder} has no {TENSORS}. Pickled weights (.bin) are never loaded: convert "
                "them to safetensors first"
            )
        with _opened(path) as file:
            return {name: (path, name) for name in file.keys()}


def finite(tensor: np.ndarray, path: Path, name: str) -> np.ndarray:
    """A tensor as float32.

    Raises:
        UserError: If it has values that are NaN or infinite; the message names the file.
    """
    with np.errstate(over="ignore"):
        floats = tensor.astype("float32")
    if not np.isfinite(floats).all():
        raise UserError(
            f"{path}: the tensor {name} has values that are NaN or infinite: download it again"
        )
    return floats


def _renamed(name: str) -> str:
    for old, new in OLD_NAMES.items():
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import safetensors

    try:
        check_regular(path)
    except (OSError, ValueError):
        raise UserError(f"{path} is not a regular file") from None
    try:
        with safetensors.safe_open(path, "numpy") as file:
            yield file
    except (safetensors.SafetensorError, OSError) as error:
        raise UserError(f"{path} is damaged: {error}") from None


def _folder(path_or_hub_id: str | Path) -> Path:
    path = Path(path_or_hub_id)
    if path.is_dir():
        return path
    if path.exists() or path.is_absolute() or str(path_or_hub_id).startswith("."):
        raise UserError(f"{path} is not a checkpoint folder")
    import huggingface_hub

    try:
        folder = huggingface_hub.snapshot_download(str(path_or_hub_id), allow_patterns=FILES)
    except Exception as error:  # any error of the network, the hub or the name
        raise UserError(
            f"{path_or_hub_id} is neither a folder nor a model on the hub ({reason_of(error)})"
        ) from None
    return Path(folder)
