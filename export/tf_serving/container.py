"""The files that all versions of a model have in common: a server's models, and its image."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from export.sidecar_files import EXTRA
from export.tf_serving.warmup import EXAMPLES
from export.worker import digest

MODELS, DOCKERFILE, COMPOSE = "models.config", "Dockerfile", "compose.yaml"
NAMES = (MODELS, DOCKERFILE, COMPOSE)
DEFAULT = "serving_default"

IMAGE = """\
# TensorFlow Serving with the model {name}. It listens on port 8500 for gRPC and on 8501 for REST.
ARG VERSION={version}
FROM tensorflow/serving:${{VERSION}}
COPY . {folder}
CMD [{arguments}]
"""
SERVICE = """\
# docker compose up --build
# curl -d @{request} http://127.0.0.1:8501/v1/models/{name}:predict
#
# TensorFlow Serving has no users and no encryption: it is reached from this computer only. Write
# changes to compose.override.yaml, which is read, too: this file belongs to the export.
services:
  serving:
    build: .
    ports:
      - "127.0.0.1:8500:8500"
      - "127.0.0.1:8501:8501"
"""


def model_name(path: Path) -> str:
    """The name of a model in addresses: that of its folder, of letters, digits, "_", "." and "-".

    Example:
        >>> model_name(Path("served/en de:2"))
        'en-de-2'
    """
    return re.sub(r"[^A-Za-z0-9_.-]", "-", path.name)


def write_container(
    folder: Path, name: str, entries: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Writes the files.

    Args:
        folder: The folder of the model.
        name: Its name.
        entries: The entries of all its versions in the manifest.

    Returns:
        The sha256 of each file by its name.
    """
    from google.protobuf import text_format
    from tensorflow_serving.config.model_server_config_pb2 import ModelServerConfig

    mounted = f"/models/{name}"
    config = ModelServerConfig()
    config.model_config_list.config.add(name=name, base_path=mounted, model_platform="tensorflow")
    arguments = [
        f"--model_config_file={mounted}/{MODELS}",
        "--enable_batching",
        "--enable_per_model_batching_parameters",  # of versions with a configuration of it
    ]
    if any(entry.get("xla") for entry in entries.values()):
        arguments.append("--xla_cpu_compilation_enabled")
    image = IMAGE.format(
        name=name,
        version=metadata.version("tensorflow-serving-api"),
        folder=mounted,
        arguments=", ".join(f'"{each}"' for each in arguments),
    )
    newest = max(entries, key=int)
    signatures = entries[newest]["signatures"]
    example = DEFAULT if DEFAULT in signatures else next(iter(signatures))
    request = f"{newest}/{EXTRA}/{EXAMPLES}/{example}.json"
    texts = {
        MODELS: text_format.MessageToString(config),
        DOCKERFILE: image,
        COMPOSE: SERVICE.format(name=name, request=request),
    }
    for file, text in texts.items():
        (folder / file).write_text(text)
    return {file: digest.sha256(folder / file) for file in texts}
