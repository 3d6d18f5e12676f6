"""Writes gpt2.npz: what Hugging Face's GPT-2 gives for the checkpoint of `tiny_gpt2`.

Run with transformers and PyTorch installed: python -m tests.references.make_gpt2
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.searches import NEW, RULED
from tests.references.theirs import rules_of, searched
from tests.zoo.pretrained import tiny_gpt2
from tests.zoo.pretrained.tiny_gpt2 import END

LENGTHS = [7, 1, 4, 2, 7, 5, 3]


def prompts() -> np.ndarray:
    """Prompts of different lengths, -1 behind."""
    ids = np.random.default_rng(5).integers(0, END, (len(LENGTHS), max(LENGTHS)))
    ids[1, 0] = END  # an empty text
    return np.where(np.arange(max(LENGTHS)) < np.array(LENGTHS)[:, None], ids, -1)


def written(sequences: torch.Tensor) -> np.ndarray:
    """New tokens up to the end token, -1 behind it."""
    new = sequences.numpy()[:, max(LENGTHS) :]
    new = np.pad(new, [(0, 0), (0, NEW - new.shape[1])], constant_values=END)
    ends = (new == END).cumsum(axis=1)
    return np.where(ends - (new == END) > 0, -1, new)


if __name__ == "__main__":
    ids = prompts()
    with tempfile.TemporaryDirectory() as folder:
        tiny_gpt2.write(Path(folder))
        model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    # Their padding stands in front.
    turned = np.full_like(ids, END)
    for row, length in enumerate(LENGTHS):
        turned[row, len(turned[row]) - length :] = ids[row, :length]
    mask = (np.arange(max(LENGTHS)) >= max(LENGTHS) - np.array(LENGTHS)[:, None]).astype(int)
    how = {
        "input_ids": torch.tensor(turned),
        "attention_mask": torch.tensor(mask),
        "max_new_tokens": NEW,
        "pad_token_id": END,
        "do_sample": False,
    }
    arrays = {}
    with torch.no_grad():
        full = np.where(ids < 0, END, ids)
        given = {
            "input_ids": torch.tensor(full),
            "attention_mask": torch.tensor((ids >= 0).astype(int)),
        }
        arrays["logits"] = model(**given).logits.numpy()[:3]
        arrays["greedy"] = written(model.generate(**how))
        arrays |= searched(model, how, written)
        # Their rules look at padding too: only prompts without any compare.
        whole = np.flatnonzero(np.array(LENGTHS) == max(LENGTHS))
        for name, (beams, rules) in RULED.items():
            theirs = rules_of(rules)
            of_whole = {**how, "input_ids": torch.tensor(turned[whole])}
            of_whole["attention_mask"] = torch.tensor(mask[whole])
            actual = model.generate(**of_whole, num_beams=beams, **theirs)
            arrays[name] = written(actual)
    for name, array in arrays.items():
        if array.dtype.kind == "i":
            print(name, (array >= 0).sum(axis=-1).tolist())
    np.savez_compressed(
        Path(__file__).with_name("gpt2.npz"),
        version=np.array(transformers.__version__),
        ids=ids,
        **arrays,
    )
