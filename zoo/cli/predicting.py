"""The command `predict`."""

from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.column_options import INPUT_COLUMNS
from zoo.cli.console import CheckDigests, Json, show_json
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.forecast_tables import write_forecasts
from zoo.cli.given_files import files_in, stored, what_of
from zoo.cli.opened_predictions import Asked, open_predictions
from zoo.cli.predict_keys import key_of
from zoo.cli.predicted_tables import seeded
from zoo.cli.printed_predictions import show_predictions
from zoo.cli.prompting import answer_each_line
from zoo.cli.ranking import NO_SCORE, pairs_with, ranked, show_ranked
from zoo.cli.table_writing import TableFile, predict_lines, predict_table
from zoo.cli.tasks import Ensemble, Head
from zoo.cli.texts import (
    STANDARD,
    STDIN,
    check_texts,
    decoded,
    is_table,
    lines_of,
    standard_input,
)
from zoo.data_statistics import collecting
from zoo.decoding.options import TranslationOptions
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.tasks.answers.ranked_labels import TOP_K
from zoo.tasks.options.series_forecaster import ForecastOptions

CHUNK = 256  # number of texts that are predicted, and printed, at a time


@takes("columns", *INPUT_COLUMNS)
@takes("generation", *parameters(TranslationOptions))
@takes("forecast", *parameters(ForecastOptions, ["steps"]))
def predict(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_ARTIFACT",
            help="A run folder; an artifact that `export` wrote; or the address of a model that "
            "`serve` has, such as http://localhost:8501/v1/models/NAME.",
        ),
    ],
    context: typer.Context,
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
            "JSON, Parquet or Excel; - is a table on standard input.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Write a table of the inputs and their predictions, or of forecasts, to this "
            "file: .csv, .tsv, .jsonl, .parquet or .xlsx. Default: print the predictions.",
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
    exact: Annotated[
        bool,
        Option(
            "--exact",
            help="Answer with the original weights. Default: with the LiteRT file in the folder "
            "of the run, which the first predict makes in the background, where there is one.",
        ),
    ] = False,
    ensemble: Ensemble = None,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Predict outputs for texts from the command line, a file or standard input.

    Prints one line per text. For a single prompt, a language model prints its output while it
    generates it. The two texts of a pair, or a question and its passage, are separated by a tab. Of
    an answer in a passage, the line also has its score and the numbers of characters before it and
    up to its end, with tabs between them. A node classifier takes the paths of graphs, and prints a
    line for each node: its id, a tab, and its label. An image classifier and a captioner take the
    paths of images, of folders of them, or patterns. A forecaster takes the paths of tables, and
    prints a line for each next step of each series: the name of the series, the time, and the
    quantiles, with tabs between them; with --out, it writes a table with named columns. With
    --query, the texts are passages, which a model of pairs ranks. The rows of a table get their
    predictions in further columns. An artifact has its generation options in it; only --seed and
    --top-k can be given. With --out, a command that was interrupted continues where it stopped.

    [bold]Examples[/bold]

    \b
      keras-attn predict runs/en-de "a man in a red hat" "two dogs"
      keras-attn predict runs/en-de --file source.txt --beams 4 > target.txt
      keras-attn predict runs/en-de --ensemble runs/en-de-2 --beams 4 "two dogs"
      keras-attn predict runs/reviews --file new.csv --out predictions.csv
      keras-attn predict runs/en-de "two dogs" --beams 4 --candidates
      cat source.txt | keras-attn predict runs/en-de --json
      keras-attn predict runs/smollm2 --chat "Name three colours." --max-new-tokens 40
      keras-attn predict runs/plays "ROMEO:" --temperature 0.8 --max-new-tokens 200
      keras-attn predict runs/glue --head mrpc --file pairs.tsv
      keras-attn predict runs/squad --file questions.txt --json
      keras-attn predict runs/reranker --query "red hats" --file passages.txt
      keras-attn predict runs/cora cora/ > labels.tsv
      keras-attn predict runs/signs photos/ --out signs.csv
      keras-attn predict runs/reviews "a fine film" --top-k 3 --json
      keras-attn predict runs/sales sales.csv --out forecasts.csv
      keras-attn predict reviews.tflite "a fine film"
      keras-attn predict sales.tflite sales.csv
      keras-attn predict http://localhost:8501/v1/models/reviews "a fine film"
    """
    if texts and file:
        raise UserError("give either texts or --file, not both")
    if texts and encoding:
        raise UserError("--encoding has no effect on texts of the command line")
    texts = decoded(texts or [])
    generation = parsed(TranslationOptions, generation) | parsed(ForecastOptions, forecast)
    from_table = file is not None and (file == STANDARD or is_table(file))
    if columns and not from_table:
        raise UserError(f"{spelled(next(iter(columns)))} has no effect without a table as --file")
    if (out is not None or from_table) and (candidates or json or chat or query is not None):
        printed = "--candidates, --chat, --json and --query"
        raise UserError(f"{printed} print their results, and write no table")
    if out is not None:
        from zoo.data.table_writer import check_format  # which takes a moment to import

        check_format(out)  # before the model is loaded
    ranks = query is not None
    asked = Asked(source, generation, ensemble, head, candidates, chat, ranks, exact, check_digests)
    model = open_predictions(asked, context.call_on_close)
    if query is not None:
        if not model.takes_pairs:
            raise UserError(NO_SCORE)
        (query,) = decoded([query])
    if model.takes_texts:
        check_texts(texts)
    stream = None if json else model.stream(generation)
    ranked_labels = TOP_K in generation and stream is None
    show = show_json if json else partial(show_predictions, ranked=ranked_labels)
    typed = not texts and file is None and query is None and out is None
    if typed and standard_input().isatty():
        answer_each_line(stream or (lambda line: show(model([line], generation))))
        return
    if texts and len(texts) == 1 and stream and out is None:
        stream(texts[0])
        return
    given = what_of(texts, model) if texts else STDIN if file in (None, STANDARD) else str(file)
    chosen = {**generation, **columns, "encoding": encoding}
    if ensemble:
        chosen["ensemble"] = [key_of(each, [], {}, None) for each in ensemble]
    answers = None
    if from_table or (out is not None and not model.targets):
        answers = model.table_answers(columns, encoding, generation)
        chosen["rows at a time"] = answers.rows
    if answers is not None and from_table and file is not None:
        with collecting(given), stored(file) as table:
            key = "" if file == STANDARD else key_of(source, file, chosen, head)
            predict_table(table, TableFile(out, key), answers, STDIN if file == STANDARD else "")
        return
    inputs = texts or lines_of(file, encoding)
    files = None if model.takes_texts else files_in(inputs, model.suffixes)
    if out is not None and model.targets:
        with collecting(given):
            write_forecasts(list(inputs), model, generation, out)
        return
    if answers is not None and out is not None:
        known = file or (files and files.names) or texts
        key = key_of(source, known, chosen, head) if known else ""
        with collecting(given):
            predict_lines(files.names if files else inputs, given, TableFile(out, key), answers)
        return
    rows = []
    lines = iter(files.names if files else inputs)
    with collecting(given):
        for number, chunk in enumerate(iter(lambda: list(islice(lines, CHUNK)), [])):
            options = seeded(generation, number)
            if query is not None:
                rows += model(pairs_with(query, chunk), options)
            elif json:
                rows += model(chunk, options)
            else:
                show_predictions(
                    model(chunk, options), ranked_labels, files is not None and files.several
                )
    if query is not None:
        rows = ranked(rows)
        (show_json if json else show_ranked)(rows)
    elif json:
        show_json(rows)
