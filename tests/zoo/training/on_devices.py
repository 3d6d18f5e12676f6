"""Trainings on several virtual devices, which JAX makes of a processor when it starts.

`python -m tests.zoo.training.on_devices PART FOLDER` prints what
tests/zoo/training/test_distribution.py checks, as lines of JSON; PART is "few", "many" or
"networks". It needs KERAS_BACKEND=jax and XLA_FLAGS=--xla_force_host_platform_device_count=8.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import keras
import numpy as np

import zoo
from zoo.errors import UserError
from zoo.tasks.config import to_resume
from zoo.training.compiling import compile_model
from zoo.training.distribution import distributed
from zoo.training.optimizer import adam
from zoo.training.watch_batches import WatchBatches

ROWS, LENGTH = 87, 9  # of a batch, which neither 2 nor 4 nor 8 devices divide
NAMES = keras.distribution.list_devices()
SIZES = {"hidden_dim": 32, "intermediate_dim": 48, "num_layers": 1, "dropout": 0.2}
NETWORKS = ("bert", "transformer", "prefix_gpt")  # besides that of the language model
FIT = {"epochs": 4, "schedule": "noam", "warmup": 5, "learning_rate": 0.01, "verbose": False}


def text() -> list[str]:
    """A text of words in a fixed order with gaps, long enough for six batches."""
    random = np.random.default_rng(3)
    return ["".join(random.choice(list("abcdefg"), 6 * ROWS * LENGTH).tolist())]


def labeled() -> list[tuple[str, str]]:
    """Texts of 1 to 11 words, and whether the first one is a color."""
    random, words = np.random.default_rng(5), "red green blue cat dog runs sleeps".split()
    texts = [" ".join(random.choice(words, size)) for size in random.integers(1, 12, 290)]
    return [(text, "yes" if text.split()[0] in words[:3] else "no") for text in texts]


def language_model(heads: int = 8) -> Any:
    task = zoo.CausalLM(model="gpt", num_heads=heads, max_length=LENGTH, **SIZES)
    task.adapt(text())
    return task


def classifier() -> Any:
    """Of texts in batches of 49x3, 63x5, 50x7, 50x9 and 41x12 tokens."""
    sizes = {"embedding_dim": 16, "units": 24, "num_layers": 1, "dropout": 0.2}
    task = zoo.TextClassifier(model="rnn_classifier", vocabulary_size=64, max_length=20, **sizes)
    task.adapt(labeled())
    return task


def of_network(model: str) -> Any:
    """A task with blocks of Transformers: a classifier, or one that writes texts backwards."""
    if model == "bert":
        task: Any = zoo.TextClassifier(model=model, num_heads=4, vocabulary_size=64, **SIZES)
    else:
        task = zoo.TextToText(model=model, num_heads=4, vocabulary_size=64, **SIZES)
    task.adapt(data_of(task))
    return task


def data_of(task: Any) -> list[Any]:
    if task.name == "causal-lm":
        return text()
    if task.name == "text-to-text":
        return [(each, " ".join(each.split()[::-1])) for each, _ in labeled()]
    return labeled()


def fit(task: Any, **options: Any) -> dict[str, Any]:
    """The history of a training, and the sum of the squares of each weight after it."""
    rows = {"batch_size": ROWS} if task.name == "causal-lm" else {"batch_tokens": 500}
    data = data_of(task)
    held_out = None if task.name == "text-to-text" else data  # which would be translated
    history = task.fit(data, held_out, **{**FIT, **rows, **options})
    names = ("loss", "val_loss") if held_out else ("loss",)
    actual = {name: history.history[name] for name in names}
    norms = [float(np.square(np.asarray(each.value)).sum()) for each in task.model.weights]
    return {**actual, "norms": norms}


def devices(count: int) -> Any:
    """Hides the other devices."""
    return mock.patch.object(keras.distribution, "list_devices", lambda: NAMES[:count])


def shapes(task: Any) -> dict[str, Any]:
    """The shapes of each split weight, of its part on a device, and of that of Adam's mean."""
    optimizer = adam(0.01)
    actual = {}
    with distributed(task.model, "model", optimizer) as notes:
        task.model.compile(optimizer)
        optimizer.build(task.model.trainable_variables)
        means = {id(w): m for w, m in zip(task.model.weights, optimizer._momentums, strict=True)}
        for weight in task.model.weights:
            whole, part, mean = weight.shape, _part(weight), _part(means[id(weight)])
            assert part == mean, weight.path
            if part != list(whole):
                actual[weight.path.replace("feed_forward_1", "feed_forward")] = [list(whole), part]
    parts = {len(weight.value.sharding.device_set) for weight in task.model.weights}
    return {"notes": notes, "shapes": actual, "devices afterwards": sorted(parts)}


def _part(variable: Any) -> list[int]:
    return list(variable.value.addressable_shards[0].data.shape)


def rows_on_a_device() -> list[int]:
    """How many of the 87 rows the compiled training step computes on each of 8 devices."""
    task, optimizer = language_model(), adam(0.01)
    training = task.Training(batch_size=ROWS)
    batches = task.batches(task.read(text()), training)
    objective = task.parts.recipe.objective(task.head, training)
    (batch,) = batches.dataset().take(1).as_numpy_iterator()
    with distributed(task.model, "data", optimizer):
        compile_model(task.model, optimizer, objective.loss)
        task.model.test_on_batch(*batch)
        parts = ("trainable", "non_trainable", "optimizer", "metrics")
        state = task.model._get_jax_state(**{f"{part}_variables": True for part in parts})
        program = jax.jit(task.model.train_step).lower(state, batch).compile().as_text()
    return sorted({int(rows) for rows in re.findall(rf"f32\[(\d+),{LENGTH},", program)})


def interrupted(folder: Path) -> dict[str, Any]:
    """Stops in the middle of the third epoch and of an update, and goes on from the disk."""
    begin = WatchBatches.on_train_batch_begin

    def stop(self: Any, batch: int, logs: Any = None) -> None:
        begin(self, batch, logs)
        if (self._epoch, batch) == (3, 3):
            raise InterruptedError("as if killed")

    with mock.patch.object(WatchBatches, "on_train_batch_begin", stop):
        try:
            fit(language_model(), folder=folder, save_every=2, accumulate=3, distribute="model")
        except InterruptedError:
            state = json.loads((folder / "checkpoints" / "state.json").read_text())
    task = zoo.load(to_resume(folder))
    actual = fit(task, folder=folder, resume=True, distribute="model")
    return {**actual, "place": [state["epoch"], state["step"]]}


def refusals() -> list[str]:
    """What is said when training cannot be distributed."""
    actual = []

    def refused(task: Any, **options: Any) -> None:
        try:
            fit(task, **options)
        except UserError as error:
            actual.append(str(error))

    with devices(1):
        refused(language_model(), distribute="data")
    refused(language_model(), distribute="data", xla=False)
    with devices(7):
        refused(classifier(), distribute="model")
    return actual


def main(part: str, folder: Path) -> None:
    if part == "few":  # first, since Keras numbers layers
        show("split", shapes(language_model()))
        show("partly split", shapes(language_model(heads=2)))
    if part == "networks":
        for model in NETWORKS:
            options = {"learning_rate": 0.001} if model == "bert" else {}
            show(model, fit(of_network(model), **options))
            for count in (2, 4):
                with devices(count):
                    actual = fit(of_network(model), distribute="model", **options)
                    show(f"{model} {count}", actual)
        return
    show("one", fit(language_model()))
    few = (("data", 8), ("model", 4))
    many = (("data", 4), ("data", 2), ("model", 8), ("model", 2))
    for how, count in few if part == "few" else many:
        with devices(count):
            show(f"{how} {count}", fit(language_model(), distribute=how))
    if part == "few":
        show("rows", rows_on_a_device())
        show("refused", refusals())
        return
    show("accumulated", fit(language_model(), accumulate=3))
    show("interrupted", interrupted(folder))
    show("classifier", fit(classifier()))
    with devices(4):
        show("classifier data 4", fit(classifier(), distribute="data"))


def show(name: str, value: Any) -> None:
    print(json.dumps({name: value}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
