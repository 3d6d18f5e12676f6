"""`evaluate` and `predict`."""

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer import Option

from zoo.cli.artifact_predictions import is_artifact, predictions_of
from zoo.cli.columns import COLUMNS, name_columns
from zoo.cli.console import (
    CheckDigests,
    Json,
    RunFolder,
    arguments,
    load,
    refuse_alone,
    show_json,
    show_table,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.prompting import answer_each_line
from zoo.cli.tasks import FILE, FILES, Head, files, one_task, takes_texts
from zoo.cli.texts import STDIN, check_texts, decoded, lines_of, standard_input
from zoo.data_statistics import collecting
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.lines import to_lines
from zoo.option_names import spelled
from zoo.tasks.folder import write_metrics
from zoo.tasks.options.series_forecaster import ForecastOptions
from zoo.tasks.provenance import names_of

if TYPE_CHECKING:
    from zoo.tasks.generating import GeneratingTask
    from zoo.tasks.task import Task

CHUNK = 256  # number of texts that are predicted, and printed, at a time
SEARCH = ("beams", "length_penalty", "early_stopping")
Found = Callable[[list[str], dict[str, Any]], list[dict[str, Any]]]  # lines to rows of JSON
NEEDS = {"top_k": "temperature", "top_p": "temperature"}


@takes("columns", *COLUMNS)
@takes("generation", *parameters(GenerationOptions, SEARCH))
@takes("forecast", *parameters(ForecastOptions, ["steps"]))
def evaluate(
    run: RunFolder,
    data: Annotated[
        list[str],
        Option(metavar=FILE, help=f"Test data, in the same format as training data. {FILES}"),
    ],
    generation: dict[str, Any],
    columns: dict[str, Any],
    forecast: dict[str, Any],
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Compute the metrics of a run on a test file.

    The metrics are also saved to metrics.json in the run folder, which `report` reads. Columns are
    those of the training data, unless an option names others.

    [bold]Examples[/bold]

    \b
      keras-attn evaluate runs/en-de --data test.tsv
      keras-attn evaluate runs/en-de --data test.tsv --beams 4 --json
      keras-attn evaluate runs/glue --data mrpc=mrpc.test.tsv --data rte=rte.test.tsv
    """
    generation = parsed(GenerationOptions, generation) | parsed(ForecastOptions, forecast)
    task = load("zoo").load(run, check_digests)
    check_generation(task, generation)
    name_columns(task, columns)
    with arguments():
        test = files(task.name, data)
        scores = task.evaluate(test, **generation)
    if json:
        show_json(scores)
    else:
        show_table(("metric", "value"), scores.items())
    with suppress(OSError):  # the run folder may be read-only
        write_metrics(run, scores, names_of(test))


@takes("generation", *parameters(GenerationOptions))
@takes("forecast", *parameters(ForecastOptions, ["steps"]))
def predict(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_ARTIFACT",
            help="A run folder; or an artifact that `export` wrote and that takes texts or series.",
        ),
    ],
    generation: dict[str, Any],
    forecast: dict[str, Any],
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT",
            help="Texts to predict for. Default: the lines of --file or of standard input; on a "
            "terminal, what you type.",
        ),
    ] = None,
    file: Annotated[
        Path | None, Option(metavar="FILE", help="Read texts from this file, one per line.")
    ] = None,
    encoding: Annotated[
        str | None,
        Option(
            metavar="TEXT",
            help="Encoding of --file or of standard input, if it has no byte order mark. Default: "
            "utf-8.",
        ),
    ] = None,
    candidates: Annotated[
        bool,
        Option(
            "--candidates", help="Print the outputs of all beams with their scores, best first."
        ),
    ] = False,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Predict outputs for texts from the command line, a file or standard input.

    Prints one line per text. For a single prompt, a language model prints its output while it
    generates it. The two texts of a pair are separated by a tab. A node classifier takes the paths
    of graphs, and prints a line for each node: its id, a tab, and its label. An image classifier
    and a captioner take the paths of images. A forecaster takes the paths of tables, and prints a
    line for each next step of each series: the name of the series, the time, and the quantiles,
    with tabs between them. An artifact has its generation options in it; only --seed can be given.

    [bold]Examples[/bold]

    \b
      keras-attn predict runs/en-de "a man in a red hat" "two dogs"
      keras-attn predict runs/en-de --file source.txt --beams 4 > target.txt
      keras-attn predict runs/en-de "two dogs" --beams 4 --candidates
      cat source.txt | keras-attn predict runs/en-de --json
      keras-attn predict runs/plays "ROMEO:" --temperature 0.8 --max-new-tokens 200
      keras-attn predict runs/glue --head mrpc --file pairs.tsv
      keras-attn predict runs/cora cora/ > labels.tsv
      keras-attn predict runs/signs a.png b.jpg
      keras-attn predict runs/sales sales.csv > forecasts.tsv
      keras-attn predict reviews.tflite "a fine film"
      keras-attn predict sales.tflite sales.csv
    """
    if texts and file:
        raise UserError("give either texts or --file, not both")
    if texts and encoding:
        raise UserError("--encoding has no effect on texts of the command line")
    texts = decoded(texts or [])
    generation = parsed(GenerationOptions, generation) | parsed(ForecastOptions, forecast)
    stream: Callable[[str], None] | None = None  # prints the output while it is generated
    found: Found
    if is_artifact(source):
        if head or candidates or generation.keys() - {"seed"}:
            raise UserError("an artifact has its head and its generation options in it")
        predictions = predictions_of(source)
        found, of_texts = predictions, predictions.takes_texts
    else:
        task = one_task(load("zoo"), source, head, check_digests)
        of_texts = takes_texts(task)
        check_generation(task, generation, candidates)
        if candidates and not issubclass(task.parts.answer.options, GenerationOptions):
            raise UserError(f"{task.name} has no option --candidates")
        found = partial(_found, task, candidates)
        # The text of other tasks does not go on from that of the input.
        if task.name == "causal-lm" and not (json or candidates or "beams" in generation):
            stream = partial(_show_stream, task, sampling=generation)
    show = show_json if json else _show
    if of_texts:
        check_texts(texts)
    if not texts and file is None and standard_input().isatty():
        answer_each_line(stream or (lambda line: show(found([line], generation))))
        return
    if texts and len(texts) == 1 and stream:
        stream(texts[0])
        return
    seed = generation.get("seed")
    rows = []
    inputs = iter(texts) if texts else lines_of(file, encoding, of_texts)
    with collecting("texts" if texts else str(file or STDIN)):
        for number, chunk in enumerate(iter(lambda: list(islice(inputs, CHUNK)), [])):
            if seed is not None:
                generation["seed"] = _seed(seed, number)
            if json:
                rows += found(chunk, generation)
            else:
                show(found(chunk, generation))
    if json:
        show_json(rows)


def _found(
    task: "Task", candidates: bool, chunk: list[str], generation: dict[str, Any]
) -> list[dict[str, Any]]:
    """The predictions for some lines, as JSON types."""
    with arguments():
        if candidates:
            predictions = cast("GeneratingTask", task).candidates(_pairs(task, chunk), **generation)
        else:
            predictions = task.predict_named(_pairs(task, chunk), **generation)
    pairs = zip(chunk, predictions, strict=True)
    if candidates:
        return [{"text": text, "candidates": [p._asdict() for p in found]} for text, found in pairs]
    return [{"text": text, "prediction": _plain(found)} for text, found in pairs]


def _show(found: list[dict[str, Any]]) -> None:
    """Prints the predictions for some lines."""
    for row in found:
        for each in row.get("candidates", ()):
            print(f"{each['score']:.4f}\t{_one_line(each['text'])}")
        for line in _lines_of(row["prediction"]) if "prediction" in row else ():
            print(line)
    sys.stdout.flush()


def check_generation(task: "Task", generation: dict[str, Any], candidates: bool = False) -> None:
    """Refuses generation options for tasks that do not generate, and options without effect."""
    known = task.parts.answer.options.names()
    for name in generation:
        if name not in known:
            raise UserError(f"{task.name} has no option {spelled(name)}")
    refuse_alone(generation, NEEDS if candidates else NEEDS | {"length_penalty": "beams"})


def _seed(seed: int, number: int) -> int:
    """A seed for each chunk, so that equal texts in different chunks get different samples."""
    return seed if number == 0 else random.Random(f"{seed} {number}").getrandbits(32)


def _pairs(task: "Task", lines: list[str]) -> Any:
    """The inputs of `predict`: the lines, or pairs if the task takes pairs."""
    from zoo.preprocessing.text import SECOND  # which imports TensorFlow

    if SECOND not in task.preprocessor.inputs:  # a tab is a space like others
        return lines
    found = [tuple(line.split("\t")) for line in lines]
    for line, pair in zip(lines, found, strict=True):
        if len(pair) != 2:
            raise UserError(f"expected two texts separated by a tab, got {line!r}")
    return found


def _plain(prediction: Any) -> Any:
    """A prediction as text or, for a vector, as a list of numbers; tagged words as `word/tag`."""
    if isinstance(prediction, list):
        return " ".join("/".join(pair) for pair in prediction)
    return prediction if isinstance(prediction, str | dict) else prediction.tolist()


def _lines_of(prediction: Any) -> list[str]:
    """The lines of a prediction.

    Of a graph, a line for each node: its id and its label. Of series, a line for each step: the
    name of the series, the time and the quantiles.
    """
    if not isinstance(prediction, dict):
        return [_one_line(prediction)]
    if prediction and all(isinstance(each, float) for each in prediction.values()):
        return ["\t".join(f"{each:g}" for each in prediction.values())]
    return [
        f"{_one_line(name)}\t{line}"
        for name, part in prediction.items()
        for line in _lines_of("|".join(part) if _is_labels(part) else part)
    ]


def _is_labels(part: Any) -> bool:
    return isinstance(part, list) and all(isinstance(each, str) for each in part)


def _one_line(prediction: Any) -> str:
    return to_lines([str(prediction)]).removesuffix("\n")


def _show_stream(task: "GeneratingTask", text: str, sampling: dict[str, Any]) -> None:
    """Prints a prompt and its continuation while it is generated."""
    with arguments():
        pieces = task.stream(text, **sampling)
        print(text, end="", flush=True)
        for piece in pieces:
            print(piece, end="", flush=True)
    print()
