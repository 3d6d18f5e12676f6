"""GGUF files: whether ids, logits and greedy tokens are those of Hugging Face's library.

    python -m benchmarks.gguf_agreement FILE.gguf --theirs theirs.npz --write
    python -m benchmarks.gguf_agreement FILE.gguf --theirs theirs.npz

The first command needs transformers, PyTorch and accelerate; the second one runs here.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = (
    "In 2024, the capital of France is",
    "The quick brown fox jumps over 13 lazy dogs;\n\n it's",
    "def add(a, b):\n    return",
)
NEW = 24  # generated tokens


def theirs(path: Path) -> dict[str, Any]:
    """What transformers gives for the file."""
    import torch
    import transformers

    where = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    model = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    arrays: dict[str, Any] = {"version": transformers.__version__}
    with torch.no_grad():
        for number, text in enumerate(TEXTS):
            ids = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
            how = {"max_new_tokens": NEW, "do_sample": False, "pad_token_id": 0}
            arrays[f"{number}/ids"] = ids.numpy()
            arrays[f"{number}/logits"] = model(ids).logits.numpy()
            arrays[f"{number}/greedy"] = model.generate(ids, **how).numpy()[:, ids.shape[1] :]
    return arrays


def compare(path: Path, reference: Any) -> None:
    """Prints how ours agree."""
    from keras import ops

    import zoo

    task: Any = zoo.from_pretrained(path, max_length=128, max_new_tokens=NEW)
    print(
        f"{path.name}, {task.model.count_params():,} parameters; transformers", reference["version"]
    )
    for number, text in enumerate(TEXTS):
        ids = reference[f"{number}/ids"].astype("int32")
        inputs = {
            "token_ids": ops.convert_to_tensor(ids),
            "padding_mask": ops.ones(ids.shape, bool),
        }
        logits = ops.convert_to_numpy(task.model(inputs)["logits"])
        greedy, expected = task.generate_ids(ids, NEW)[0], reference[f"{number}/greedy"][0]
        same = int(np.argmin(np.append(greedy[: len(expected)] == expected, False)))
        error = np.abs(logits - reference[f"{number}/logits"]).max()
        equal = task.tokenizer.tokenize([text]).to_list() == ids.tolist()
        tokens = f"{same} of {len(expected)} greedy tokens"
        print(f"ids equal: {equal}; logits within {error:.1e}; {tokens}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--theirs", type=Path, required=True, help="Their numbers, an .npz file.")
    parser.add_argument("--write", action="store_true", help="Write their numbers.")
    given = parser.parse_args()
    if given.write:
        np.savez_compressed(given.theirs, **theirs(given.file))
    else:
        with np.load(given.theirs) as numbers:
            compare(given.file, dict(numbers))
