"""The speed of writing texts, in each format: a small language model and a small translator."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.bench.timing import Result, compare, take_turns
from zoo.cli.console import load

if TYPE_CHECKING:
    from zoo.tasks.task import Task

KERAS, SAVED, FLOAT, INT8 = "Keras", "SavedModel", "LiteRT", "LiteRT, int8"
LENGTH = 64  # maximum number of tokens of a text that is read


def decoding(rows: int, tokens: int, turns: int) -> Iterator[Result]:
    """The time to write texts of the same length, greedily, by models that were not trained.

    Args:
        rows: Rows of the larger of two batches, of which the other has one row.
        tokens: Tokens of each text.
        turns: Turns.
    """
    zoo = load("zoo")
    texts = [" ".join(f"word{(7 * n + k) % 97}" for k in range(9)) for n in range(64)]
    language = zoo.CausalLM(
        "gpt", "tiny", max_length=LENGTH + tokens, tokenizer="wordpiece", max_new_tokens=tokens
    )
    language.adapt(texts)
    translator = zoo.TextToText(
        "transformer", "tiny", max_source_length=LENGTH, max_target_length=tokens
    )
    translator.adapt([*zip(texts, texts[::-1], strict=True)])
    for name, task in (("gpt", language), ("transformer", translator)):
        yield from _in_each_format(name, task, texts[:rows], tokens, turns)


def _in_each_format(
    name: str, task: "Task", texts: list[str], tokens: int, turns: int
) -> Iterator[Result]:
    export, length = load("export"), {"min_new_tokens": tokens - 1, "max_new_tokens": tokens}
    with tempfile.TemporaryDirectory(prefix="keras-attn-bench-") as folder:
        paths = {
            SAVED: Path(folder, "saved"),
            FLOAT: Path(folder, "float32.tflite"),
            INT8: Path(folder, "int8.tflite"),
        }
        export.saved_model(task, paths[SAVED], **length)
        export.litert(task, paths[FLOAT], text="bytes", **length)
        export.litert(task, paths[INT8], text="bytes", quantize="int8", **length)
        called = {who: export.Predictor(path) for who, path in paths.items()}
        for some in sorted({1, len(texts)}):
            given = texts[:some]
            runs: dict[str, Callable[[], Any]] = {KERAS: partial(task.predict, given, **length)}
            runs |= {who: partial(predict, given) for who, predict in called.items()}
            seconds = take_turns(runs, turns)
            ratios = compare(seconds, {f"{KERAS} / {who}": (KERAS, who) for who in paths})
            title = f"{name} tiny, texts of {tokens} tokens, batch of {some}"
            yield Result(title, seconds, ratios, some * tokens, "tokens")
