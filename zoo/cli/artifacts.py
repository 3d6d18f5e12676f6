"""`export` and `verify`."""

from enum import StrEnum
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
    spelled,
)
from zoo.cli.predicting import (
    BadWords,
    Beams,
    LengthPenalty,
    MaxNewTokens,
    MinNewTokens,
    NoRepeat,
)
from zoo.cli.tasks import Head, one_task
from zoo.errors import UserError

REFUSED = 1  # exit status: the command ran, and the artifact failed


class Format(StrEnum):
    """The kinds of artifact."""

    SAVED_MODEL = "saved_model"
    LITERT = "litert"
    HUGGING_FACE = "hugging_face"


class Quantization(StrEnum):
    """How a LiteRT file stores its weights, where not as float32."""

    FLOAT16 = "float16"
    INT8 = "int8"


def export(
    run: RunFolder,
    format: Annotated[Format, Option(help="The kind of artifact.")],
    out: Annotated[Path, Option(help="A .tflite file for litert, a folder for the others.")],
    quantize: Annotated[
        Quantization | None, Option(help="litert: how to store the weights.")
    ] = None,
    strings: Annotated[
        bool, Option("--strings", help="litert: text in, text out, the tokenizer inside.")
    ] = False,
    data: Annotated[Path | None, Option(help="litert: score the file on these pairs.")] = None,
    max_drop: Annotated[
        float | None, Option(help="litert: refuse a quantized file that loses more of the metric.")
    ] = None,
    version: Annotated[
        int | None, Option(min=1, help="saved_model: the number of the version.")
    ] = None,
    xla: Annotated[bool, Option("--xla", help="saved_model: compile generation.")] = False,
    beams: Beams = None,
    length_penalty: LengthPenalty = None,
    max_new_tokens: MaxNewTokens = None,
    min_new_tokens: MinNewTokens = None,
    no_repeat_ngram: NoRepeat = None,
    bad_words: BadWords = None,
    head: Head = None,
    json: Json = False,
) -> None:
    """Write an artifact that runs without this library, and check it in a fresh process.

    Status 1 says that a check failed; the artifact is then not there, and a report says why.
    hugging_face is a checkpoint for that library, which need not be here: it is not checked.

    [bold]Examples[/bold]

    \b
      keras-attn export runs/en-de --format saved_model --out served/en-de
      keras-attn export runs/en-de --format litert --out en-de.tflite --beams 4
      keras-attn export runs/en-de --format litert --out en-de.tflite --strings \\
          --quantize int8 --data test.tsv --max-drop 0.5
      keras-attn export runs/plays --format hugging_face --out plays
    """
    generation = given(
        beams=beams,
        length_penalty=length_penalty,
        max_new_tokens=max_new_tokens,
        min_new_tokens=min_new_tokens,
        no_repeat_ngram=no_repeat_ngram,
        bad_words=bad_words,
    )
    only: dict[Format, dict[str, Any]] = {
        Format.SAVED_MODEL: given(version=version, xla=xla or None),
        Format.LITERT: given(
            quantize=quantize and str(quantize),
            strings=strings or None,
            data=data,
            max_drop=max_drop,
        ),
        Format.HUGGING_FACE: {},
    }
    options = only[format] | ({} if format is Format.HUGGING_FACE else generation)
    of_others = [name for each in (*only.values(), generation) for name in each]
    of_others = [name for name in of_others if name not in options]
    if of_others:
        names = ", ".join(map(spelled, of_others))
        raise UserError(f"--format {format} does not take {names}")
    zoo = load("zoo")
    task = one_task(zoo, run, head)
    if format is Format.HUGGING_FACE:
        written = str(zoo.to_pretrained(task, out))
        if json:
            show_json({"path": written})
        else:
            print(f"{written}: {task.name}, for Hugging Face")
        return
    refuse_unknown(task.name, task.signatures, generation)
    refuse_alone(generation, {"length_penalty": "beams"})
    if max_new_tokens is not None and task.model.max_sequence_length is not None:
        task.max_new_tokens = max_new_tokens  # prompts leave room for as many
    exporter = load("export")
    try:
        with arguments():
            write = exporter.saved_model if format is Format.SAVED_MODEL else exporter.litert
            report = write(task, out, **options)
    except exporter.VerificationError as error:
        report = error.report
    _show(report, json)


def verify(
    artifact: Annotated[Path, typer.Argument(help="A SavedModel folder or a .tflite file.")],
    json: Json = False,
) -> None:
    """Check an artifact against its manifest, in a fresh process. Status 1: it failed.

    [bold]Examples[/bold]

    \b
      keras-attn verify served/en-de
      keras-attn verify en-de.tflite --json
    """
    exporter = load("export")
    with arguments():
        report = exporter.verify(artifact)
    _show(report, json)


def _show(report: Any, json: bool) -> None:
    if json:
        show_json(report.to_json())
    else:
        print(report)
    if not report.passed:
        raise typer.Exit(REFUSED)
