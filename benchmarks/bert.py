"""BERT from the exported artifacts: latency, and the time until the first answer.

    python -m benchmarks.bert --out bert.json

The encoder of BERT-base (110 million parameters) reads one text of 128 tokens, on two threads. The
ONNX file runs in ONNX Runtime. The peer, where it is installed, is a model of the same size in
transformers on PyTorch. A cold start is a whole process that imports the runtime, loads the
artifact, and answers once.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.artifacts import load, write_artifacts
from benchmarks.command import main
from zoo.bench.timing import Contender, Result, compare, take_turns
from zoo.models.create import create_model

THREADS = 2
LENGTH = 128
VOCABULARY = 30522
INPUTS = {
    "token_ids": np.random.default_rng(0).integers(4, VOCABULARY, (1, LENGTH), "int32"),
    "padding_mask": np.ones((1, LENGTH), "bool"),
    "segment_ids": np.zeros((1, LENGTH), "int32"),
}

FIRST_ANSWER = """
import sys
from pathlib import Path
import numpy as np
inputs = dict(token_ids=np.full((1, 128), 7, "int32"), padding_mask=np.ones((1, 128), "bool"))
inputs["segment_ids"] = np.zeros((1, 128), "int32")
path = Path(sys.argv[1])
"""
RUNTIMES = {
    "saved_model": """
import tensorflow as tf
call = tf.saved_model.load(str(path / "1")).signatures["serving_default"]
print(call(**{name: tf.constant(value) for name, value in inputs.items()})["pooled"].numpy())
""",
    "litert": """
from ai_edge_litert.interpreter import Interpreter
loaded = Interpreter(str(path), num_threads=2)
print(loaded.get_signature_runner("serving_default")(**inputs)["pooled"])
""",
    "onnx": """
import onnxruntime
session = onnxruntime.InferenceSession(path / "serving_default.onnx")
print(session.run(["pooled"], inputs))
""",
}


def artifact(path: Path) -> Contender:
    """Reads the text."""
    run = load(path, THREADS)
    return lambda: run(**INPUTS)


def transformers_contender(sizes: dict[str, Any]) -> dict[str, Contender]:
    """None where it is not installed."""
    if not all(find_spec(name) for name in ("torch", "transformers")):
        return {}
    import torch
    import transformers

    names = {
        "vocabulary_size": "vocab_size",
        "num_layers": "num_hidden_layers",
        "hidden_dim": "hidden_size",
        "num_heads": "num_attention_heads",
        "intermediate_dim": "intermediate_size",
    }
    config = transformers.BertConfig(**{names[name]: sizes[name] for name in names})
    model = transformers.BertModel(config).eval()
    torch.set_num_threads(THREADS)
    given = {"input_ids": torch.tensor(INPUTS["token_ids"]).long()}
    given["attention_mask"] = torch.tensor(INPUTS["padding_mask"]).long()

    def run() -> Any:
        with torch.inference_mode():
            return model(**given).pooler_output.numpy()

    return {"transformers": run}


def cold_start(kind: str, path: Path) -> Contender:
    """A process that answers once."""
    words = [sys.executable, "-c", FIRST_ANSWER + RUNTIMES[kind.split()[0]], str(path)]
    return lambda: subprocess.run(words, check=True, capture_output=True)


def run(quick: bool = False) -> Iterator[Result]:
    preset, turns = ("tiny", 3) if quick else ("base", 15)
    model = create_model("bert", preset, vocabulary_size=VOCABULARY)
    with TemporaryDirectory() as folder:
        paths = write_artifacts(model, Path(folder))
        contenders = {name: artifact(path) for name, path in paths.items()}
        contenders |= transformers_contender(model.get_config())
        seconds = take_turns(contenders, turns)
        versus = {
            f"{peer} / {ours}": (peer, ours)
            for peer in ("onnx", "transformers")
            for ours in ("saved_model", "saved_model xla", "litert", "litert int8")
        }
        name = f"bert {preset} reads a text of {LENGTH} tokens"
        yield Result(name, seconds, compare(seconds, versus))
        contenders = {name: cold_start(name, path) for name, path in paths.items()}
        yield Result(f"bert {preset} cold start", take_turns(contenders, 1 if quick else 3), {})


if __name__ == "__main__":
    main({"bert": run}, __doc__.splitlines()[0])
