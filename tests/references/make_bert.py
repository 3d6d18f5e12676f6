"""Writes bert.npz: what Hugging Face's BERT gives for the checkpoints of `tiny_bert`.

Run with transformers and PyTorch installed: python -m tests.references.make_bert
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.zoo.pretrained import tiny_bert

IDS = np.array([[3, 6, 7, 8, 9, 4, 10, 16, 4], [3, 11, 5, 4, 0, 0, 0, 0, 0]])
SEGMENTS = np.array([[0, 0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0]])


def outputs(architecture: str, **config: str) -> dict[str, np.ndarray]:
    """Every output of an architecture, by its own names."""
    with tempfile.TemporaryDirectory() as folder:
        tiny_bert.write(Path(folder), architecture, **config)
        model = getattr(transformers, architecture).from_pretrained(folder).eval()
    ids, segments = torch.tensor(IDS), torch.tensor(SEGMENTS)
    with torch.no_grad():
        actual = model(input_ids=ids, token_type_ids=segments, attention_mask=(ids != 0).long())
    key = "/".join([architecture, *config.values()])
    return {f"{key}/{name}": value.numpy() for name, value in actual.items()}


if __name__ == "__main__":
    arrays = {}
    for architecture in tiny_bert.ARCHITECTURES:
        arrays |= outputs(architecture)
    for activation in ("relu", "gelu_new"):  # which are those of the head over masks too
        arrays |= outputs("BertForMaskedLM", hidden_act=activation)
    np.savez_compressed(
        Path(__file__).with_name("bert.npz"),
        version=np.array(transformers.__version__),
        ids=IDS,
        segments=SEGMENTS,
        **arrays,
    )
