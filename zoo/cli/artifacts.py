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
    show_json,
    spelled,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.predicting import check_generation
from zoo.cli.tasks import Head, one_task
from zoo.decoding.options import GenerationOptions
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


@takes("generation", *parameters(GenerationOptions, skip=("temperature", "top_k", "top_p", "seed")))
def export(
    run: RunFolder,
    format: Annotated[Format, Option(help="Format of the artifact.")],
    out: Annotated[Path, Option(help="A .tflite file for litert, a folder for the others.")],
    generation: dict[str, Any],
    quantize: Annotated[
        Quantization | None, Option(help="litert: quantization of the weights.")
    ] = None,
    strings: Annotated[
        bool, Option("--strings", help="litert: text in, text out, with the tokenizer inside.")
    ] = False,
    data: Annotated[
        Path | None, Option(help="litert: evaluate the file on this data, with the task's metrics.")
    ] = None,
    max_drop: Annotated[
        float | None,
        Option(help="litert: refuse a quantized file whose first metric is worse by more."),
    ] = None,
    version: Annotated[int | None, Option(min=1, help="saved_model: version number.")] = None,
    xla: Annotated[bool, Option("--xla", help="saved_model: compile the model with XLA.")] = False,
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
    generation = parsed(GenerationOptions, generation)
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
    check_generation(task, generation)
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
