"""`evaluate` and `predict`."""

import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import (
    Json,
    RunFolder,
    arguments,
    load,
    refuse_alone,
    show_json,
    show_table,
    spelled,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.tasks import Head, files, one_task
from zoo.data_statistics import collecting
from zoo.decoding.options import GenerationOptions
from zoo.errors import DataError, UserError
from zoo.tasks.folder import METRICS, write_json

STDIN = "standard input"
CHUNK = 256  # texts predicted at a time, so that results appear while a long file is read
SEARCH = ("beams", "length_penalty", "early_stopping")
NEEDS = {"top_k": "temperature", "top_p": "temperature"}


@takes("generation", *parameters(GenerationOptions, SEARCH))
def evaluate(
    run: RunFolder,
    data: Annotated[
        list[str],
        Option(help="Data in the form that `train` takes; multi-task: NAME=FILE, repeatable."),
    ],
    generation: dict[str, Any],
    json: Json = False,
) -> None:
    """Score a run on data that it has not been trained on, and write its metrics.json.

    [bold]Examples[/bold]

    \b
      keras-attn evaluate runs/en-de --data test.tsv
      keras-attn evaluate runs/en-de --data test.tsv --beams 4 --json
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
    """
    task = load("zoo").load(run)
    generation = parsed(GenerationOptions, generation)
    check_generation(task, generation)
    with arguments():
        scores = task.evaluate(files(task.name, data), **generation)
    if json:
        show_json(scores)
    else:
        show_table(("metric", "value"), scores.items())
    with suppress(OSError):  # a run may lie where nothing can be written
        write_json(run / METRICS, {**scores, "data": " ".join(data)})


@takes("generation", *parameters(GenerationOptions))
def predict(
    run: RunFolder,
    generation: dict[str, Any],
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts; default: one a line of --file or input.")
    ] = None,
    file: Annotated[Path | None, Option(help="Read texts from this file, one a line.")] = None,
    candidates: Annotated[
        bool,
        Option("--candidates", help="Print the output of every beam, best first, with its score."),
    ] = False,
    head: Head = None,
    json: Json = False,
) -> None:
    """Predict from texts, from a file, or from standard input; one line in, one line out.

    A language model shows what it writes on to a single text while it writes. The two texts of a
    pair have a tab between them.

    [bold]Examples[/bold]

    \b
      keras-attn predict runs/en-de "a man in a red hat" "two dogs"
      keras-attn predict runs/en-de --file source.txt --beams 4 > target.txt
      keras-attn predict runs/en-de "two dogs" --beams 4 --candidates
      cat source.txt | keras-attn predict runs/en-de --json
      keras-attn predict runs/plays "ROMEO:" --temperature 0.8 --max-new-tokens 200
      keras-attn predict runs/glue --head mrpc --file pairs.tsv
    """
    if texts and file:
        raise UserError("give texts or --file, not both")
    if not texts and file is None and sys.stdin.isatty():
        raise UserError("no text to predict from: give texts, --file, or lines on standard input")
    inputs = iter(texts) if texts else _lines(file)
    task = one_task(load("zoo"), run, head)
    generation = parsed(GenerationOptions, generation)
    check_generation(task, generation, candidates)
    single = texts and len(texts) == 1 and not (json or candidates or "beams" in generation)
    if texts and single and hasattr(type(task), "stream"):
        _show_stream(task, texts[0], generation)
        return
    if candidates and not hasattr(type(task), "candidates"):
        raise UserError(f"{task.name} has no option --candidates")
    write = task.candidates if candidates else task.predict
    seed = generation.get("seed")
    found = []
    with collecting("texts" if texts else str(file or STDIN)):
        for number, chunk in enumerate(iter(lambda: list(islice(inputs, CHUNK)), [])):
            if seed is not None:
                generation["seed"] = _seed(seed, number)
            with arguments():
                predictions = write(_pairs(task, chunk), **generation)
            for text, prediction in zip(chunk, predictions, strict=True):
                if json and candidates:
                    found.append({"text": text, "candidates": [p._asdict() for p in prediction]})
                elif json:
                    found.append({"text": text, "prediction": _plain(prediction)})
                elif candidates:
                    for each in prediction:
                        print(f"{each.score:.4f}\t{_one_line(each.text)}")
                else:
                    print(_one_line(_plain(prediction)))
            sys.stdout.flush()
    if json:
        show_json(found)


def check_generation(task: Any, generation: dict[str, Any], candidates: bool = False) -> None:
    """Refuses options of generation where nothing is generated, or that have no effect alone."""
    if generation and not hasattr(task, "generate_ids"):
        raise UserError(f"{task.name} has no option {spelled(next(iter(generation)))}")
    refuse_alone(generation, NEEDS if candidates else NEEDS | {"length_penalty": "beams"})


def _seed(seed: int, number: int) -> int:
    """A seed for each chunk: equal texts in several of them would get equal outputs by one."""
    return seed if number == 0 else random.Random(f"{seed} {number}").getrandbits(32)


def _pairs(task: Any, lines: list[str]) -> Any:
    """The lines, of a task for pairs as pairs."""
    pairs = getattr(task.settings, "pairs", None)
    if not pairs:
        for line in lines if pairs is not None else []:
            if "\t" in line:
                raise UserError(f"this {task.name} is for single texts, and a tab is in {line!r}")
        return lines
    found = [tuple(line.split("\t")) for line in lines]
    for line, pair in zip(lines, found, strict=True):
        if len(pair) != 2:
            raise UserError(f"expected two texts with a tab between them, got {line!r}")
    return found


def _plain(prediction: Any) -> Any:
    """A text as it is; a vector as a list of numbers; words with tags as `word/tag`."""
    if isinstance(prediction, list):
        return " ".join("/".join(pair) for pair in prediction)
    return prediction if isinstance(prediction, str) else prediction.tolist()


def _one_line(prediction: Any) -> str:
    return " ".join(str(prediction).splitlines())


def _show_stream(task: Any, text: str, sampling: dict[str, Any]) -> None:
    """The text and what is written on to it, as it comes."""
    with arguments():
        pieces = task.stream(text, **sampling)
        print(text, end="", flush=True)
        for piece in pieces:
            print(piece, end="", flush=True)
    print()


def _lines(path: Path | None) -> Iterator[str]:
    """The lines of a file, or of standard input, as UTF-8."""
    if path is None:
        yield from _decoded(sys.stdin.buffer, STDIN)
    else:
        with open(path, "rb") as file:
            yield from _decoded(file, str(path))


def _decoded(lines: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise DataError(name, number, "not UTF-8") from None
