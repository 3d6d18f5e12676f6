"""An encoder-decoder of transformers on PyTorch, as large as the Transformer of the zoo."""

from typing import Any

import numpy as np

from benchmarks.endless import LENGTHS, VOCABULARY, source_ids
from zoo.bench.timing import Contender
from zoo.text.special_tokens import PAD, START


def create_model(config: dict[str, Any]) -> Any:
    """A Marian model, which is the Transformer of 2017, with random weights.

    Args:
        config: That of the `Transformer`.

    Raises:
        ImportError: If transformers or PyTorch is not installed.
    """
    import transformers

    both = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in (
            ("layers", config["num_layers"]),
            ("attention_heads", config["num_heads"]),
            ("ffn_dim", config["intermediate_dim"]),
        )
    }
    sizes = transformers.MarianConfig(
        vocab_size=VOCABULARY,
        d_model=config["hidden_dim"],
        activation_function=config["activation"],
        scale_embedding=True,
        pad_token_id=PAD,
        decoder_start_token_id=START,
        eos_token_id=None,  # so that every call is equal work
        forced_eos_token_id=None,
        **both,
    )
    return transformers.MarianMTModel(sizes).eval()


def contender(model: Any, rows: int, threads: int) -> Contender:
    """Generates as many tokens as the artifacts do, greedily and with caches."""
    import torch

    torch.set_num_threads(threads)
    given = torch.tensor(source_ids(rows)).long()
    mask, length = torch.ones_like(given), LENGTHS["target"]

    def generate() -> np.ndarray:
        with torch.inference_mode():
            found = model.generate(
                given, attention_mask=mask, max_new_tokens=length, num_beams=1, do_sample=False
            )
        written: np.ndarray = found.numpy()[:, 1:]
        assert written.shape == (rows, length), f"{written.shape}"
        return written

    return generate
