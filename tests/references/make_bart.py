"""Writes bart.npz: a tiny BART of Hugging Face's library, its inputs and what it gives.

Run with transformers and PyTorch installed: python -m tests.references.make_bart
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file

PAD = 1
SOURCES = np.array([[0, 6, 7, 8, 9, 30, 10, 16, 2], [0, 11, 5, 4, 2, PAD, PAD, PAD, PAD]])
TARGETS = np.array([[2, 0, 6, 7, 22, 9], [2, 0, 11, 5, 29, 17]])


def model() -> transformers.BartForConditionalGeneration:
    """With weights drawn so that none is zero or one, in encoder and decoder of unequal depth."""
    config = transformers.BartConfig(
        vocab_size=31,
        d_model=12,
        encoder_layers=2,
        decoder_layers=1,
        encoder_attention_heads=3,
        decoder_attention_heads=3,
        encoder_ffn_dim=19,
        decoder_ffn_dim=19,
        max_position_embeddings=23,
    )
    made = transformers.BartForConditionalGeneration(config).eval()
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, tensor in [*made.named_parameters(), *made.named_buffers()]:
            norm = "norm" in name and name.endswith("weight")
            tensor.copy_(0.4 * torch.randn(tensor.shape, generator=draw) + float(norm))
    return made


if __name__ == "__main__":
    bart = model()
    with tempfile.TemporaryDirectory() as folder:
        bart.save_pretrained(folder)
        tensors = load_file(Path(folder) / "model.safetensors")
        config = json.loads((Path(folder) / "config.json").read_text())
    with torch.no_grad():
        found = bart(
            input_ids=torch.tensor(SOURCES),
            attention_mask=torch.tensor(SOURCES != PAD).long(),
            decoder_input_ids=torch.tensor(TARGETS),
        )
    np.savez_compressed(
        Path(__file__).with_name("bart.npz"),
        version=np.array(transformers.__version__),
        config=np.array(json.dumps(config)),
        sources=SOURCES,
        targets=TARGETS,
        logits=found.logits.numpy(),
        sequence=found.encoder_last_hidden_state.numpy(),
        **{f"tensor/{name}": value for name, value in tensors.items()},
    )
