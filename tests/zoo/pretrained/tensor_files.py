"""The tensors of a checkpoint in one file, or in several with an index."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file


def save(tensors: dict[str, np.ndarray], folder: Path, shards: int = 1) -> None:
    if shards == 1:
        save_file(tensors, folder / "model.safetensors")
        return
    places = {}
    for i in range(shards):
        name = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = dict(list(tensors.items())[i::shards])
        save_file(part, folder / name)
        places |= dict.fromkeys(part, name)
    index = {"metadata": {}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
