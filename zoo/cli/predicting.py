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
    given,
    load,
    refuse_alone,
    refuse_unknown,
    show_json,
    show_table,
)
from zoo.cli.tasks import Head, files, one_task
from zoo.data_statistics import collecting
from zoo.errors import DataError, UserError
from zoo.tasks.folder import METRICS, write_json

Beams = Annotated[int | None, Option(min=1, help="Beams of the search; 1 is greedy.")]
LengthPenalty = Annotated[
    float | None, Option(help="Beams: 0 prefers short outputs, 1 compares means.")
]
MaxNewTokens = Annotated[int | None, Option(min=1, help="Tokens to write at most.")]
MinNewTokens = Annotated[int | None, Option(min=0, help="Tokens to write before an end.")]
NoRepeat = Annotated[
    int | None,
    Option("--no-repeat-ngram", min=0, help="No run of so many tokens comes twice; 0 lets them."),
]
BadWords = Annotated[
    list[str] | None, Option("--bad-word", help="What is never written; repeatable.")
]

STDIN = "standard input"
CHUNK = 256  # texts predicted at a time, so that results appear while a long file is read


def evaluate(
    run: RunFolder,
    data: Annotated[
        list[str],
        Option(help="What to score it on, as `train` takes it; multi-task: NAME=FILE, repeatable."),
    ],
    beams: Beams = None,
    length_penalty: LengthPenalty = None,
    json: Json = False,
) -> None:
    """Score a run on a file that it has not seen, and note the scores in its metrics.json.

    [bold]Examples[/bold]

    \b
      keras-attn evaluate runs/en-de --data test.tsv
      keras-attn evaluate runs/en-de --data test.tsv --beams 4 --json
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
    """
    task = load("zoo").load(run)
    options = given(beams=beams, length_penalty=length_penalty)
    refuse_unknown(task.name, task.evaluate, options)
    refuse_alone(options, {"length_penalty": "beams"})
    with arguments():
        scores = task.evaluate(files(task.name, data), **options)
    if json:
        show_json(scores)
    else:
        show_table(("metric", "value"), scores.items())
    with suppress(OSError):  # a run may lie where nothing can be written
        write_json(run / METRICS, {**scores, "data": " ".join(data)})


def predict(
    run: RunFolder,
    texts: Annotated[list[str] | None, typer.Argument(help="Texts; none: one a line.")] = None,
    file: Annotated[Path | None, Option(help="Read texts from here, one a line.")] = None,
    beams: Beams = None,
    length_penalty: LengthPenalty = None,
    candidates: Annotated[
        bool, Option("--candidates", help="Every beam's output, best first, behind its score.")
    ] = False,
    max_new_tokens: MaxNewTokens = None,
    temperature: Annotated[
        float | None, Option(min=0, help="Draw tokens; above 1 more evenly. 0 takes the best.")
    ] = None,
    top_k: Annotated[int | None, Option(min=0, help="Draw from so many; 0 from all.")] = None,
    top_p: Annotated[float | None, Option(help="Draw from the fewest with this share.")] = None,
    seed: Annotated[int | None, Option(help="Makes what is drawn repeatable.")] = None,
    min_new_tokens: MinNewTokens = None,
    no_repeat_ngram: NoRepeat = None,
    bad_words: BadWords = None,
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
    sampling = given(
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=seed,
        min_new_tokens=min_new_tokens,
        no_repeat_ngram=no_repeat_ngram,
        bad_words=bad_words,
    )
    generation = given(beams=beams, length_penalty=length_penalty) | sampling
    refuse_unknown(task.name, getattr(task, "generate_ids", task.predict), generation)
    refuse_alone(generation, {"top_k": "temperature", "top_p": "temperature"})
    if not candidates:
        refuse_alone(generation, {"length_penalty": "beams"})
    if (
        texts
        and len(texts) == 1
        and hasattr(type(task), "stream")
        and not (json or beams or candidates)
    ):
        _show_stream(task, texts[0], sampling)
        return
    if candidates and not hasattr(type(task), "candidates"):
        raise UserError(f"{task.name} has no option --candidates")
    write = task.candidates if candidates else task.predict
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


def _seed(seed: int, number: int) -> int:
    """A seed for each chunk: equal texts in several of them would get equal outputs by one."""
    return seed if number == 0 else random.Random(f"{seed} {number}").getrandbits(32)


def _pairs(task: Any, lines: list[str]) -> Any:
    """The lines, of a task for pairs as pairs."""
    if not task.settings.get("pairs"):
        for line in lines if "pairs" in task.settings else []:
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
