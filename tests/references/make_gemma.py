"""Writes gemma.npz: what Hugging Face's models give for the checkpoints of `tiny_gemma`.

Run with transformers and PyTorch installed: python -m tests.references.make_gemma
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.searches import NEW
from tests.zoo.pretrained import tiny_gemma
from tests.zoo.pretrained.tiny_gemma import PAD, SPECIAL, VOCABULARY

LENGTHS = [13, 1, 7, 2, 11, 5, 3]  # mostly longer than the window


def prompts() -> np.ndarray:
    """Prompts of different lengths, -1 behind."""
    ids = np.random.default_rng(5).integers(
        len(SPECIAL), len(VOCABULARY), (len(LENGTHS), max(LENGTHS))
    )
    return np.where(np.arange(max(LENGTHS)) < np.array(LENGTHS)[:, None], ids, -1)


def continued(model: transformers.PreTrainedModel, prompt: np.ndarray) -> np.ndarray:
    """The greedy tokens behind a prompt up to the end token, -1 behind it."""
    given = torch.tensor(prompt[prompt >= 0][None])
    new = model.generate(given, max_new_tokens=NEW, do_sample=False, pad_token_id=PAD)
    new = new.numpy()[0, given.shape[1] :]
    return np.pad(new, (0, NEW - len(new)), constant_values=-1)


if __name__ == "__main__":
    ids = prompts()
    full = torch.tensor(np.where(ids < 0, PAD, ids))
    mask = torch.tensor((ids >= 0).astype(int))
    arrays = {}
    for kind in tiny_gemma.KINDS:
        with tempfile.TemporaryDirectory() as folder:
            tiny_gemma.write(Path(folder), kind)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                folder, attn_implementation="eager"
            ).eval()
            print(kind, model.config.layer_types, model.config.rope_parameters)
        with torch.no_grad():
            logits = model(full, attention_mask=mask).logits.numpy()
            arrays[f"{kind}/logits"] = logits[[0, 1, 2]]
            arrays[f"{kind}/greedy"] = np.stack([continued(model, row) for row in ids])
        print((arrays[f"{kind}/greedy"] >= 0).sum(axis=-1).tolist(), np.abs(logits).max())
    np.savez_compressed(
        Path(__file__).with_name("gemma.npz"),
        version=np.array(transformers.__version__),
        ids=ids,
        **arrays,
    )
