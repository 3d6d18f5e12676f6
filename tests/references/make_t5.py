"""Writes t5.npz: what Hugging Face's T5 gives for the checkpoints of `tiny_t5`.

Run with transformers and PyTorch installed: python -m tests.references.make_t5
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.searches import NEW
from tests.references.theirs import searched
from tests.zoo.pretrained import tiny_t5
from tests.zoo.pretrained.tiny_t5 import END, PAD, ROWS, VARIANTS

LENGTHS = [19, 1, 4, 2, 7, 5, 3]


def sources() -> np.ndarray:
    """Sources of different lengths before their end, padded."""
    width = max(LENGTHS)
    ids = np.random.default_rng(5).integers(3, ROWS, (len(LENGTHS), width))
    ids = np.pad(ids, [(0, 0), (0, 1)])
    places, ends = np.arange(width + 1), np.array(LENGTHS)[:, None]
    return np.where(places < ends, ids, np.where(places == ends, END, PAD))


def written(sequences: torch.Tensor) -> np.ndarray:
    """What stands behind the start, padded to the same number of tokens."""
    new = sequences.numpy()[:, 1:]
    # What stands behind an end is another end, where the id of padding is 0.
    ended = np.cumsum(new == END, axis=1) - (new == END)
    new = np.where(ended > 0, PAD, new)
    return np.pad(new, [(0, 0), (0, NEW - new.shape[1])], constant_values=PAD)


def outputs(variant: str, ids: np.ndarray) -> dict[str, np.ndarray]:
    """The outputs and searches of a variant."""
    with tempfile.TemporaryDirectory() as folder:
        tiny_t5.write(Path(folder), variant)
        model = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    if variant == "flan":
        head = tiny_t5.tensors(variant)["lm_head.weight"]
        np.testing.assert_array_equal(model.lm_head.weight.detach().numpy(), head)
    assert model.config.scale_decoder_outputs == (variant == "t5")
    # In float32 its own rounding comes to 1e-4 where attention is sharp, another on each processor.
    model = model.double()
    how = {
        "input_ids": torch.tensor(ids),
        "attention_mask": torch.tensor((ids != PAD).astype(int)),
    }
    targets = np.random.default_rng(7).integers(3, ROWS, (len(LENGTHS), 14))
    targets = np.pad(targets, [(0, 0), (1, 0)], constant_values=PAD)
    arrays = {"targets": targets}
    with torch.no_grad():
        actual = model(**how, decoder_input_ids=torch.tensor(targets))
        arrays["logits"] = actual.logits.float().numpy()[:2]
        arrays["sequence"] = actual.encoder_last_hidden_state.float().numpy()[:2]
        how |= {"max_new_tokens": NEW, "do_sample": False, "bad_words_ids": [[PAD]]}
        how["renormalize_logits"] = True  # without padding, which is no token
        arrays["greedy"] = written(model.generate(**how))
        if variant == "flan":
            arrays |= searched(model, how, written)
    return {f"{variant}/{name}": array for name, array in arrays.items()}


if __name__ == "__main__":
    ids = sources()
    arrays = {}
    for variant in VARIANTS:
        arrays |= outputs(variant, ids)
    for name, array in arrays.items():
        if array.dtype.kind == "i":
            print(name, (array != PAD).sum(axis=-1).tolist())
    np.savez_compressed(
        Path(__file__).with_name("t5.npz"),
        version=np.array(transformers.__version__),
        ids=ids,
        **arrays,
    )
