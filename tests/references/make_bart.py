"""Writes bart.npz: what Hugging Face's BART gives for the checkpoint of `tiny_bart`.

Run with transformers and PyTorch installed: python -m tests.references.make_bart
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.searches import NEW, RULED
from tests.references.theirs import rules_of, searched
from tests.zoo.pretrained import tiny_bart
from tests.zoo.pretrained.tiny_bart import END, PAD, START, VOCABULARY

LENGTHS = [7, 1, 4, 2, 7, 5, 3]


def sources() -> np.ndarray:
    """Sources of different lengths between their marks, padded."""
    width = max(LENGTHS)
    ids = np.random.default_rng(5).integers(4, len(VOCABULARY), (len(LENGTHS), width))
    ids = np.pad(ids, [(0, 0), (1, 1)], constant_values=START)
    places, ends = np.arange(width + 2), np.array(LENGTHS)[:, None] + 1
    return np.where(places < ends, ids, np.where(places == ends, END, PAD))


def written(sequences: torch.Tensor) -> np.ndarray:
    """What stands behind the start, padded to the same number of tokens."""
    new = sequences.numpy()[:, 1:]
    return np.pad(new, [(0, 0), (0, NEW - new.shape[1])], constant_values=PAD)


if __name__ == "__main__":
    ids = sources()
    with tempfile.TemporaryDirectory() as folder:
        tiny_bart.write(Path(folder))
        model = transformers.BartForConditionalGeneration.from_pretrained(folder).eval()
    # In float32 its own rounding comes to 1e-4 where attention is sharp, another on each processor.
    model = model.double()
    how = {
        "input_ids": torch.tensor(ids),
        "attention_mask": torch.tensor((ids != PAD).astype(int)),
    }
    targets = np.random.default_rng(7).integers(4, len(VOCABULARY), (len(LENGTHS), 5))
    targets = np.pad(targets, [(0, 0), (2, 0)], constant_values=START)
    targets[:, 0] = END
    arrays = {"targets": targets}
    with torch.no_grad():
        actual = model(**how, decoder_input_ids=torch.tensor(targets))
        arrays["logits"] = actual.logits.float().numpy()[:3]
        arrays["sequence"] = actual.encoder_last_hidden_state.float().numpy()[:3]
        how |= {"max_new_tokens": NEW, "do_sample": False}
        arrays["greedy"] = written(model.generate(**how))
        arrays |= searched(model, how, written)
        for name, (beams, rules) in RULED.items():
            arrays[name] = written(model.generate(**how, num_beams=beams, **rules_of(rules)))
    for name, array in arrays.items():
        if array.dtype.kind == "i":
            print(name, (array != PAD).sum(axis=-1).tolist())
    np.savez_compressed(
        Path(__file__).with_name("bart.npz"),
        version=np.array(transformers.__version__),
        ids=ids,
        **arrays,
    )
