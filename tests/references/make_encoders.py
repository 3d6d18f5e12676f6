"""Writes encoders.json and encoders.npz: the checkpoints that `tiny_encoders` draws, and what
Hugging Face's models give for them.

Run with transformers and PyTorch installed: python -m tests.references.make_encoders
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file

from tests.zoo.pretrained import tiny_encoders
from tests.zoo.pretrained.tiny_encoders import ENDS, LABELS, REFERENCES, TINY, Tiny

LAYER_NAMES = ("last_hidden_state", "logits", "start_logits", "end_logits")
UNKNOWN = ("transformers_version", "dtype")  # keys that say nothing of the model


def written(tiny: Tiny, task: str) -> dict:
    """The configuration of an architecture, and the shapes of its tensors."""
    model_class = getattr(transformers, tiny.stem + ENDS[task])
    labels = {} if task in ("masked-lm", "text-embedder", "question-answering") else LABELS
    ids = {int(number): label for number, label in labels.items()}
    named = {"id2label": ids, "label2id": {ids[i]: i for i in ids}} if labels else {}
    model = model_class(model_class.config_class(**tiny.config, **named))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        config = json.loads((Path(folder) / "config.json").read_text("utf-8"))
        tensors = load_file(Path(folder) / "model.safetensors")
    return {
        "config": {key: value for key, value in config.items() if key not in UNKNOWN},
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
    }


def outputs(family: str, task: str, activation: str = "gelu") -> dict[str, np.ndarray]:
    """The outputs of an architecture, with an activation of the blocks."""
    tiny = TINY[family]
    key = f"{family}/{task}" + ("" if activation == "gelu" else f"/{activation}")
    with tempfile.TemporaryDirectory() as folder:
        tiny_encoders.write(Path(folder), family, task, **{tiny.activation: activation})
        model = getattr(transformers, tiny.stem + ENDS[task]).from_pretrained(folder).eval()
    pad, ids = tiny.special[2], torch.tensor(tiny.ids)
    segments = {"token_type_ids": torch.tensor(tiny.segment_ids)} if tiny.segments else {}
    with torch.no_grad():
        actual = model(input_ids=ids, attention_mask=(ids != pad).long(), **segments)
    return {f"{key}/{name}": actual[name].numpy() for name in LAYER_NAMES if name in actual}


if __name__ == "__main__":
    architectures = {
        tiny.stem + ENDS[task]: written(tiny, task) for tiny in TINY.values() for task in ENDS
    }
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in architectures.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (REFERENCES / "encoders.json").write_text(text, "utf-8")
    arrays = {}
    for family in TINY:
        for task in ENDS:
            arrays |= outputs(family, task)
        if family != "modernbert":  # which has no relu
            arrays |= outputs(family, "masked-lm", "relu")  # whose head may have another one
    version = np.array(transformers.__version__)
    np.savez_compressed(REFERENCES / "encoders.npz", version=version, **arrays)
