"""Writes llama.npz: what Hugging Face's models give for the checkpoints of `tiny_llama`.

Run with transformers and PyTorch installed: python -m tests.references.make_llama
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.searches import NEW
from tests.zoo.pretrained import tiny_llama
from tests.zoo.pretrained.tiny_llama import END, SPECIAL, VOCABULARY

LENGTHS = [7, 1, 4, 2, 7, 5, 3]


def prompts() -> np.ndarray:
    """Prompts of different lengths, -1 behind."""
    ids = np.random.default_rng(5).integers(
        len(SPECIAL), len(VOCABULARY), (len(LENGTHS), max(LENGTHS))
    )
    return np.where(np.arange(max(LENGTHS)) < np.array(LENGTHS)[:, None], ids, -1)


def continued(model: transformers.PreTrainedModel, prompt: np.ndarray) -> np.ndarray:
    """The greedy tokens behind a prompt up to the end token, -1 behind it."""
    given = torch.tensor(prompt[prompt >= 0][None])
    new = model.generate(given, max_new_tokens=NEW, do_sample=False, pad_token_id=END)
    new = new.numpy()[0, given.shape[1] :]
    return np.pad(new, (0, NEW - len(new)), constant_values=-1)


if __name__ == "__main__":
    ids = prompts()
    arrays = {}
    for name, tied in (("tied", True), ("untied", False)):
        with tempfile.TemporaryDirectory() as folder:
            tiny_llama.write(Path(folder), tied)
            model = transformers.LlamaForCausalLM.from_pretrained(folder).eval()
        with torch.no_grad():
            full = torch.tensor(np.where(ids < 0, END, ids))
            mask = torch.tensor((ids >= 0).astype(int))
            arrays[f"{name}/logits"] = model(full, attention_mask=mask).logits.numpy()[:3]
            arrays[f"{name}/greedy"] = np.stack([continued(model, row) for row in ids])
        print(name, (arrays[f"{name}/greedy"] >= 0).sum(axis=-1).tolist())
    for kind, scaling in tiny_llama.SCALINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            tiny_llama.write(Path(folder), rope_scaling=scaling)
            model = transformers.LlamaForCausalLM.from_pretrained(folder).eval()
        with torch.no_grad():
            arrays[f"{kind}/logits"] = model(full, attention_mask=mask).logits.numpy()[:3]
    for kind in (*tiny_llama.QWEN, *tiny_llama.OTHERS):
        with tempfile.TemporaryDirectory() as folder:
            tiny_llama.write(Path(folder), kind=kind)
            model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
        with torch.no_grad():
            arrays[f"{kind}/logits"] = model(full, attention_mask=mask).logits.numpy()[:3]
            arrays[f"{kind}/greedy"] = np.stack([continued(model, row) for row in ids])
        print(kind, (arrays[f"{kind}/greedy"] >= 0).sum(axis=-1).tolist())
    np.savez_compressed(
        Path(__file__).with_name("llama.npz"),
        version=np.array(transformers.__version__),
        ids=ids,
        **arrays,
    )
