"""GPT-2 beside KerasHub's and, where it is installed, that of transformers on PyTorch.

    python -m benchmarks.gpt --out gpt.json

The train step (124 million parameters, batch of 2, 128 tokens, Adam as each library has it, dropout
0.1), and 64 tokens written greedily with caches behind prompts of 32, one and 16 at once. The Keras
models as a graph and compiled by XLA, and ours from each exported artifact.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import keras
import keras_hub
import numpy as np
import tensorflow as tf

from benchmarks.artifacts import load, write_artifacts
from benchmarks.command import main
from benchmarks.endless import NO_END, EndlessWriter
from keras_attn.losses import MaskedCrossentropy
from zoo.bench.timing import Contender, Result, best, compare, take_turns
from zoo.cli.memory import keep_freed_memory
from zoo.decoding.generate import generate
from zoo.models.create import create_model
from zoo.training.optimizer import adam

SMALL = {"vocabulary_size": 50257, "num_layers": 12, "hidden_dim": 768, "num_heads": 12}
QUICK = {"vocabulary_size": 503, "num_layers": 2, "hidden_dim": 32, "num_heads": 2}
BATCH, LENGTH = 2, 128
PROMPT, NEW = 32, 64
ROWS = (1, 16)
THREADS = 2
PEERS = ("keras_hub", "keras_hub xla", "transformers")
ARTIFACTS = ("saved_model", "saved_model xla", "litert", "litert int8", "onnx")


def tokens(rows: int, length: int, sizes: dict[str, int]) -> np.ndarray:
    return np.random.default_rng(rows).integers(
        0, sizes["vocabulary_size"], (rows, length), "int32"
    )


def ours(sizes: dict[str, int]) -> keras.Model:
    return create_model("gpt", intermediate_dim=4 * sizes["hidden_dim"], **sizes)


def keras_hub_model(sizes: dict[str, int]) -> Any:
    backbone = keras_hub.models.GPT2Backbone(
        vocabulary_size=sizes["vocabulary_size"],
        num_layers=sizes["num_layers"],
        num_heads=sizes["num_heads"],
        hidden_dim=sizes["hidden_dim"],
        intermediate_dim=4 * sizes["hidden_dim"],
    )
    return keras_hub.models.GPT2CausalLM(backbone)


def transformers_model(sizes: dict[str, int]) -> Any:
    """None where it is not installed."""
    if not all(find_spec(name) for name in ("torch", "transformers")):
        return None
    import transformers

    config = transformers.GPT2Config(
        vocab_size=sizes["vocabulary_size"],
        n_layer=sizes["num_layers"],
        n_embd=sizes["hidden_dim"],
        n_head=sizes["num_heads"],
        bos_token_id=None,
        eos_token_id=None,
    )
    return transformers.GPT2LMHeadModel(config)


# --- Train step ---


def keras_step(
    model: keras.Model,
    output: str | None,
    optimizer: keras.Optimizer,
    xla: bool,
    ids: np.ndarray,
) -> Contender:
    # Every token counts, the first kind too.
    loss = MaskedCrossentropy(ignore_id=-1)
    model.compile(
        optimizer=optimizer,
        loss={output: loss} if output else loss,
        jit_compile=xla,
    )
    inputs, labels = tf.constant(ids[:, :-1]), tf.constant(ids[:, 1:])
    x = {"token_ids": inputs, "padding_mask": tf.ones_like(inputs, "bool")}
    y = {output: labels} if output else labels
    return lambda: model.train_on_batch(x, y)


def torch_step(model: Any, ids: np.ndarray) -> Contender:
    import torch

    model.train()
    optimizer, given = torch.optim.Adam(model.parameters(), 1e-4), torch.tensor(ids).long()

    def step() -> float:
        optimizer.zero_grad()
        loss = model(input_ids=given, labels=given).loss  # which shifts them itself
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def train_steps(sizes: dict[str, int], length: int) -> dict[str, Contender]:
    ids = tokens(BATCH, length + 1, sizes)
    found: dict[str, Contender] = {}
    for xla in (False, True):
        end = " xla" if xla else ""
        own, theirs = adam(1e-4, beta_2=0.999), keras.optimizers.Adam(1e-4)
        found[f"ours{end}"] = keras_step(ours(sizes), "logits", own, xla, ids)
        found[f"keras_hub{end}"] = keras_step(keras_hub_model(sizes), None, theirs, xla, ids)
    peer = transformers_model(sizes)
    if peer is not None:
        found["transformers"] = torch_step(peer, ids)
    return found


# --- Generation ---


def our_generation(model: keras.Model, xla: bool, prompts: np.ndarray, new: int) -> Contender:
    write = partial(generate, model, max_new_tokens=new, special_tokens=NO_END)
    graph = tf.function(
        lambda ids: write({"token_ids": ids}).token_ids, jit_compile=xla, autograph=False
    )
    return _checked(lambda: graph(tf.constant(prompts)).numpy()[:, 0], new)


def artifact_generation(path: Path, prompts: np.ndarray, new: int) -> Contender:
    run = load(path, THREADS)

    def written() -> np.ndarray:
        found = run(token_ids=prompts)
        token_ids: np.ndarray = found.get("output_token_ids", found.get("token_ids"))  # of ONNX
        return token_ids

    return _checked(written, new)


def keras_hub_generation(model: Any, xla: bool, prompts: np.ndarray, new: int) -> Contender:
    model.compile(sampler="greedy", jit_compile=xla)
    model.generate_function = None  # compiled anew
    room = ((0, 0), (0, new))
    inputs = {
        "token_ids": np.pad(prompts, room),
        "padding_mask": np.pad(np.ones_like(prompts), room),
    }
    run = model.make_generate_function()
    inputs = {name: tf.constant(value) for name, value in inputs.items()}
    width = prompts.shape[1]
    return _checked(lambda: run(inputs, None)["token_ids"].numpy()[:, width:], new)


def torch_generation(model: Any, prompts: np.ndarray, new: int) -> Contender:
    import torch

    model.eval()
    given = torch.tensor(prompts).long()
    how = {"max_new_tokens": new, "min_new_tokens": new, "do_sample": False, "pad_token_id": 0}
    mask, width = torch.ones_like(given), prompts.shape[1]

    def run() -> np.ndarray:
        with torch.no_grad():
            return model.generate(given, attention_mask=mask, **how).numpy()[:, width:]

    return _checked(run, new)


def _checked(run: Callable[[], np.ndarray], new: int) -> Contender:
    def checked() -> None:
        written = run()
        assert written.shape[1] == new, f"{written.shape[1]} tokens, expected {new}"

    return checked


def generations(
    sizes: dict[str, int], model: keras.Model, artifacts: dict[str, Path], rows: int, new: int
) -> dict[str, Contender]:
    prompts = tokens(rows, PROMPT, sizes)
    hub, peer = keras_hub_model, transformers_model(sizes)
    found: dict[str, Contender] = {}
    for xla in (False, True):
        end = " xla" if xla else ""
        found[f"ours{end}"] = our_generation(model, xla, prompts, new)
        found[f"keras_hub{end}"] = keras_hub_generation(hub(sizes), xla, prompts, new)
    if peer is not None:
        found["transformers"] = torch_generation(peer, prompts, new)
    for name, path in artifacts.items():
        found[name] = artifact_generation(path, prompts, new)
    return found


def versus(seconds: dict[str, list[float]]) -> dict[str, tuple[str, str]]:
    ours_best = best(seconds, "ours", "ours xla")
    return {
        "keras_hub / ours": ("keras_hub", "ours"),
        "keras_hub xla / ours xla": ("keras_hub xla", "ours xla"),
        "transformers / best ours": ("transformers", ours_best),
        "best keras_hub / best ours": (best(seconds, "keras_hub", "keras_hub xla"), ours_best),
        **{f"best peer / {name}": (best(seconds, *PEERS), name) for name in ARTIFACTS},
    }


def run(quick: bool = False) -> Iterator[Result]:
    keep_freed_memory()  # as the command line
    sizes, length, new, turns = (QUICK, 16, 8, 3) if quick else (SMALL, LENGTH, NEW, 7)
    seconds = take_turns(train_steps(sizes, length), turns)
    name = f"gpt train step, {sizes['hidden_dim']} wide, {BATCH} x {length} tokens"
    yield Result(name, seconds, compare(seconds, versus(seconds)), BATCH * length, "tokens")
    model = ours(sizes)
    with TemporaryDirectory() as folder:
        task = EndlessWriter(model, sizes["vocabulary_size"], ROWS, new)
        artifacts = write_artifacts(task, Path(folder))
        for rows in ROWS:
            seconds = take_turns(generations(sizes, model, artifacts, rows, new), turns)
            name = f"gpt writes {new} tokens behind {PROMPT}, {sizes['hidden_dim']} wide"
            name += f", batch {rows}"
            yield Result(name, seconds, compare(seconds, versus(seconds)), rows * new, "tokens")


if __name__ == "__main__":
    main({"gpt": run}, __doc__.splitlines()[0])
