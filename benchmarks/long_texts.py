"""Language models of bytes on long texts, with four kinds of attention.

    python -m benchmarks.long_texts --data input.txt --out runs/long

Each kind is trained and measured in a process of its own, one after the other: `gpt` with the
preset `tiny` on windows of 2,048 bytes of the first nine tenths of the text; the last tenth is the
validation data. A run that was interrupted is resumed, and one that is complete is only read.

The loss is the lowest one of the validation data, in nats for each byte. The seconds of a step are
the median of steps on one batch, after some that are not counted; the memory is that of the process
at its largest, beyond what it had before the model was built. The LiteRT file, verified, writes
the given number of bytes after the longest prompt for which there is room, one at a time.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ATTENTIONS: dict[str, dict[str, Any]] = {
    "full": {},
    "local": {"window": 256},
    "linear": {"attention_dropout": 0.0},
    "random_feature": {"attention_dropout": 0.0},
}
RESULT = "measured.json"
WARM, STEPS = 3, 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ATTENTIONS))
    parser.add_argument("--data", required=True, type=Path, help="a text file")
    parser.add_argument("--out", required=True, type=Path, help="folder of the runs")
    parser.add_argument("--length", type=int, default=2048, help="bytes of a window")
    parser.add_argument("--batch-size", type=int, default=2, help="windows of a step")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--written", type=int, default=256, help="bytes that the file writes")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.names or list(ATTENTIONS)
    if unknown := sorted({*names} - {*ATTENTIONS}):
        parser.error(f"unknown {', '.join(unknown)}; choose from {', '.join(ATTENTIONS)}")
    if options.measure:
        measure(names[0], options)
        return
    split(options.data, options.out)
    for name in names:
        if not (options.out / name / RESULT).exists():
            command = [sys.executable, "-m", "benchmarks.long_texts", name, "--measure"]
            given = [
                (f"--{key.replace('_', '-')}", str(value))
                for key, value in vars(options).items()
                if key not in ("names", "measure")
            ]
            subprocess.run([*command, *(each for pair in given for each in pair)], check=True)
        print(table(options.out, names), flush=True)


def split(data: Path, out: Path) -> None:
    """Writes the first nine tenths of a text, and the last, as files."""
    out.mkdir(parents=True, exist_ok=True)
    text = data.read_bytes()
    end = text.rindex(b"\n", 0, 9 * len(text) // 10) + 1
    (out / "train.txt").write_bytes(text[:end])
    (out / "validation.txt").write_bytes(text[end:])


def measure(name: str, options: argparse.Namespace) -> None:
    """Trains and measures a model, and writes what was measured into its folder."""
    import export
    import zoo
    from zoo.tasks.config import is_run, to_resume

    run = options.out / name
    own = {"attention": name, "max_length": options.length, **ATTENTIONS[name]}
    begun, before = is_run(run), memory()
    task = (
        zoo.load(to_resume(run))
        if begun
        else zoo.CausalLM("gpt", "tiny", max_new_tokens=options.written, **own)
    )
    history = task.fit(
        options.out / "train.txt",
        options.out / "validation.txt",
        adapt=not begun,
        folder=run,
        resume=True,
        epochs=options.epochs,
        batch_size=options.batch_size,
    )
    task.save(run)
    seconds = step_seconds(task, options.out / "train.txt", options.batch_size)
    result = {
        "parameters": task.model.count_params(),
        "loss": min(history.history["val_loss"]),
        "step": seconds,
        "gigabytes": memory() - before,
    }
    file = run / "model.tflite"
    export.litert(task, file, text="bytes")
    text = (options.out / "validation.txt").read_text("utf-8")
    prompt = text[: options.length - options.written - 1]
    predict = export.Predictor(file)
    predict([prompt])
    begin = time.perf_counter()
    predict([prompt])
    result["written"] = options.written / (time.perf_counter() - begin)
    (run / RESULT).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def step_seconds(task: Any, data: Path, batch_size: int) -> float:
    """The median seconds of a training step of a task, as `fit` compiled it."""
    batches = task.batches(task.read(data), task.Training(batch_size=batch_size))
    (inputs, labels, *weights), *_ = batches.dataset().take(1)
    seconds = []
    for _ in range(WARM + STEPS):
        begin = time.perf_counter()
        task.model.train_on_batch(inputs, labels, *weights)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[WARM:])


def memory() -> float:
    """The largest memory of this process so far, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def table(out: Path, names: Iterable[str]) -> str:
    """A Markdown table of what was measured so far."""
    lines = [
        "| attention | parameters | validation loss | s a step | GB | bytes/s in LiteRT |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in names:
        if (file := out / name / RESULT).exists():
            each = json.loads(file.read_text(encoding="utf-8"))
            lines.append(
                f"| {name} | {each['parameters']:,} | {each['loss']:.3f} | {each['step']:.3f} | "
                f"{each['gigabytes']:.2f} | {each['written']:.0f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
