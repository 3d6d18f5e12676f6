"""The command `verify`, and how the report of an export or a verification is shown."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.address import AddressedModel
from zoo.cli.console import (
    CheckDigests,
    Json,
    arguments,
    given,
    load,
    refuse_alone,
    show_json,
)
from zoo.cli.stopping import ending_on_sigterm
from zoo.cli.tasks import Head, one_task
from zoo.errors import UserError

FAILED = 1  # exit status: the command ran, and a check of the artifact failed


def verify(
    artifact: Annotated[
        Path,
        typer.Argument(
            metavar="ARTIFACT",
            help="A SavedModel folder, a .tflite or .litertlm file, a folder of ONNX files or of a "
            "page.",
        ),
    ],
    run: Annotated[
        Path | None,
        Option(metavar="RUN", help="The run folder that it was exported from, to compare with."),
    ] = None,
    data: Annotated[
        Path | None,
        Option(metavar="FILE", help="Evaluate the run and the artifact on this file."),
    ] = None,
    max_drop: Annotated[
        float | None,
        Option(help="Fail if the first metric of the artifact is worse by more than this."),
    ] = None,
    public_key: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Fail unless its manifest was signed with this key; requires the extra `sign`.",
        ),
    ] = None,
    url: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Verify what a server answers instead: send the stored inputs to this address, "
            "such as http://localhost:8501/v1/models/NAME.",
        ),
    ] = None,
    timeout: Annotated[
        float, Option(min=0.001, help="Fail if the process takes longer, in seconds.")
    ] = 1800.0,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Verify an exported artifact again, in a separate process.

    The expected outputs lie next to the artifact. They show that its files are whole and agree,
    not who made them: that takes a signature and --public-key. With --run, its weights must be
    those of the run. With --url, the artifact is not loaded: a server that has it is sent the
    stored inputs, and must answer as the model did. The exit status is 1 if a check fails.

    [bold]Examples[/bold]

    \b
      keras-attn verify served/en-de
      keras-attn verify en-de.tflite --json
      keras-attn verify en-de.tflite --run runs/en-de --data my.tsv --max-drop 0.5
      keras-attn verify en-de.tflite --public-key signing.pub
      keras-attn verify served/en-de --url http://localhost:8501/v1/models/en-de
    """
    refuse_alone(given(data=data, max_drop=max_drop), {"max_drop": "data"})
    if run is None and (data is not None or head is not None):
        raise UserError("--data and --head require --run, the run folder of the artifact")
    if url is not None:
        if run is not None:
            raise UserError("--url and --run exclude each other: the artifact is not loaded")
        show_report(_served(artifact, url, public_key, timeout), json)
        return
    os.environ["KERAS_BACKEND"] = "tensorflow"
    task = None if run is None else one_task(load("zoo"), run, head, check_digests)
    exporter = load("export")
    with arguments(), ending_on_sigterm():
        report = exporter.verify(artifact, task, data, max_drop, public_key, timeout)
    show_report(report, json)


def _served(artifact: Path, url: str, public_key: Path | None, seconds: float) -> Any:
    """The report of a model at an address."""
    with arguments():
        from export import verify_served

        return verify_served(artifact, AddressedModel(url, seconds), public_key)


def show_report(report: Any, json: bool) -> None:
    """Prints a report of an artifact, and ends the command with status 1 if a check failed."""
    if json:
        show_json(report.to_json())
    else:
        print(report)
    if not report.passed:
        raise typer.Exit(FAILED)
