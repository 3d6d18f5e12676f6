"""The command `predict`."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from zoo.cli.artifact_predictions import is_artifact, predictions_of
from zoo.cli.column_options import INPUT_COLUMNS
from zoo.cli.console import (
    CheckDigests,
    Json,
    arguments,
    load,
    show_json,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.generation_options import check_generation
from zoo.cli.predicted_tables import (
    TableAnswers,
    answers_of,
    parts_of,
    predict_lines,
    predict_table,
    seeded,
)
from zoo.cli.printed_predictions import plain, show_predictions, show_stream
from zoo.cli.prompting import answer_each_line
from zoo.cli.ranking import NO_SCORE, pairs_with, ranked, show_ranked
from zoo.cli.tasks import Head, one_task, takes_pairs, takes_texts
from zoo.cli.texts import STDIN, check_texts, decoded, is_table, lines_of, standard_input
from zoo.data_statistics import collecting
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.tasks.options.series_forecaster import ForecastOptions

if TYPE_CHECKING:
    from zoo.tasks.task import Task

CHUNK = 256  # number of texts that are predicted, and printed, at a time
PredictRows = Callable[[list[str], dict[str, Any]], list[dict[str, Any]]]  # lines to JSON


@takes("columns", *INPUT_COLUMNS)
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
    columns: dict[str, Any],
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT",
            help="Texts to predict for. Default: the lines of --file or of standard input; on a "
            "terminal, what you type.",
        ),
    ] = None,
    file: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Read texts from this file, one per line, or the rows of this table: CSV, TSV, "
            "JSON or Parquet.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Write a table of the inputs and their predictions to this file: .csv, .tsv, "
            ".jsonl or .parquet. Default: print the predictions.",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        Option(
            metavar="TEXT",
            help="Encoding of --file or of standard input, if it has no byte order mark. Default: "
            "utf-8.",
        ),
    ] = None,
    query: Annotated[
        str | None,
        Option(
            metavar="TEXT",
            help="Rank the texts as passages for this query: print each after its score, best "
            "first.",
        ),
    ] = None,
    candidates: Annotated[
        bool,
        Option(
            "--candidates", help="Print the outputs of all beams with their scores, best first."
        ),
    ] = False,
    chat: Annotated[
        bool,
        Option(
            "--chat",
            help="Answer chats: each text is what a user says, or a JSON list of messages with "
            "role and content. The model's chat template makes the prompt.",
        ),
    ] = False,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Predict outputs for texts from the command line, a file or standard input.

    Prints one line per text. For a single prompt, a language model prints its output while it
    generates it. The two texts of a pair, or a question and its passage, are separated by a tab. Of
    an answer in a passage, the line also has its score and the numbers of characters before it and
    up to its end, with tabs between them. A node classifier takes the paths
    of graphs, and prints a line for each node: its id, a tab, and its label. An image classifier
    and a captioner take the paths of images. A forecaster takes the paths of tables, and prints a
    line for each next step of each series: the name of the series, the time, and the quantiles,
    with tabs between them. With --query, the texts are passages, which a model of pairs
    ranks. The rows of a table get their predictions in further columns. An artifact has its
    generation options in it; only --seed can be given.

    [bold]Examples[/bold]

    \b
      keras-attn predict runs/en-de "a man in a red hat" "two dogs"
      keras-attn predict runs/en-de --file source.txt --beams 4 > target.txt
      keras-attn predict runs/reviews --file new.csv --out predictions.csv
      keras-attn predict runs/en-de "two dogs" --beams 4 --candidates
      cat source.txt | keras-attn predict runs/en-de --json
      keras-attn predict runs/smollm2 --chat "Name three colours." --max-new-tokens 40
      keras-attn predict runs/plays "ROMEO:" --temperature 0.8 --max-new-tokens 200
      keras-attn predict runs/glue --head mrpc --file pairs.tsv
      keras-attn predict runs/squad --file questions.txt --json
      keras-attn predict runs/reranker --query "red hats" --file passages.txt
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
    answers: Callable[[], TableAnswers]
    stream: Callable[[str], None] | None = None  # prints the output while it is generated
    predict_rows: PredictRows
    tabular = out is not None or (file is not None and is_table(file))
    if columns and not (file is not None and is_table(file)):
        raise UserError(f"{spelled(next(iter(columns)))} has no effect without a table as --file")
    if tabular and (candidates or json or chat or query is not None):
        printed = "--candidates, --chat, --json and --query"
        raise UserError(f"{printed} print their results, and write no table")
    if is_artifact(source):
        if head or candidates or chat or generation.keys() - {"seed"}:
            raise UserError("an artifact has its head and its generation options in it")
        predictions = predictions_of(source)
        predict_rows, of_texts = predictions, predictions.takes_texts
        of_pairs = predictions.takes_pairs
        answers = partial(predictions.table_answers, columns, encoding, generation)
    else:
        task = one_task(load("zoo"), source, head, check_digests)
        of_texts, of_pairs = takes_texts(task), takes_pairs(task)
        check_generation(task, generation, candidates)
        answers = partial(answers_of, task, columns, encoding, generation)
        if candidates and not issubclass(task.parts.answer.options, GenerationOptions):
            raise UserError(f"{task.name} has no option --candidates")
        predict = task.candidates if candidates else task.predict_named
        if chat:
            from zoo.cli.chatting import reply_to  # imports TensorFlow

            if candidates:
                raise UserError("--chat does not take --candidates")
            predict = partial(reply_to, task)
        predict_rows = partial(_predict_rows, task, predict, candidates)
        # The text of other tasks does not go on from that of the input.
        if task.name == "causal-lm" and not (json or candidates or chat or "beams" in generation):
            stream = partial(show_stream, task, sampling=generation)
    show = show_json if json else show_predictions
    if query is not None:
        if not of_pairs:
            raise UserError(NO_SCORE)
        (query,) = decoded([query])
    if of_texts:
        check_texts(texts)
    typed = not texts and file is None and query is None and out is None
    if typed and standard_input().isatty():
        answer_each_line(stream or (lambda line: show(predict_rows([line], generation))))
        return
    if texts and len(texts) == 1 and stream and out is None:
        stream(texts[0])
        return
    given = "texts" if texts else str(file or STDIN)
    if file is not None and is_table(file):
        with collecting(given):
            predict_table(file, out, answers())
        return
    rows = []
    inputs = iter(texts) if texts else lines_of(file, encoding)
    if out is not None:
        with collecting(given):
            predict_lines(inputs, given, out, answers())
        return
    with collecting(given):
        for number, chunk in enumerate(iter(lambda: list(islice(inputs, CHUNK)), [])):
            options = seeded(generation, number)
            if query is not None:
                rows += predict_rows(pairs_with(query, chunk), options)
            elif json:
                rows += predict_rows(chunk, options)
            else:
                show(predict_rows(chunk, options))
    if query is not None:
        rows = ranked(rows)
        (show_json if json else show_ranked)(rows)
    elif json:
        show_json(rows)


def _predict_rows(
    task: "Task",
    predict: Callable[..., list[Any]],
    candidates: bool,
    chunk: list[str],
    generation: dict[str, Any],
) -> list[dict[str, Any]]:
    """The predictions for some lines, as JSON types."""
    with arguments():
        predictions = predict(_pairs(task, chunk), **generation)
    pairs = zip(chunk, predictions, strict=True)
    if candidates:
        return [{"text": text, "candidates": [p._asdict() for p in beams]} for text, beams in pairs]
    return [{"text": text, "prediction": plain(prediction)} for text, prediction in pairs]


def _pairs(task: "Task", lines: list[str]) -> Any:
    """The inputs of `predict`: the lines, or pairs if the task takes two texts."""
    texts = [spec for spec in task.preprocessor.inputs.values() if spec.dtype == "string"]
    if len(texts) < 2:  # a tab is a space like others
        return lines
    return [parts_of(line, 2) for line in lines]
