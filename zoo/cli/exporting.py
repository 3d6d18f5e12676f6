"""The command `export`."""

import os
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from zoo.cli.artifact_formats import SWEEP, ArtifactFormat, TextInputs, options_of
from zoo.cli.console import (
    CheckDigests,
    Json,
    RunFolder,
    arguments,
    given,
    load,
    show_json,
)
from zoo.cli.derived import parameters, parsed, takes
from zoo.cli.generation_options import check_generation
from zoo.cli.stopping import ending_on_sigterm
from zoo.cli.sweeping import (
    PANEL,
    Calibration,
    Precisions,
    Quantize,
    QuantizeScope,
    SweepFlag,
    sweep_precisions,
)
from zoo.cli.tasks import Head, one_task
from zoo.cli.verifying import show_report
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError

LITERT, LITERTLM, SAVED_MODEL = PANEL, "LiteRT-LM", "SavedModel"  # panels of `--help`


@takes("generation", *parameters(GenerationOptions, skip=("temperature", "top_k", "top_p", "seed")))
def export(
    run: RunFolder,
    out: Annotated[
        Path,
        Option(
            metavar="PATH",
            help="Path to write: a .tflite file for litert and mediapipe, a .litertlm file for "
            "litertlm, else a folder.",
        ),
    ],
    generation: dict[str, Any],
    format: Annotated[
        ArtifactFormat | None, Option(help="Format of the artifact. Required, except with --sweep.")
    ] = None,
    quantize: Quantize = None,
    quantize_scope: QuantizeScope = None,
    calibration: Calibration = None,
    sweep: SweepFlag = False,
    precision: Precisions = None,
    text: Annotated[
        TextInputs | None,
        Option(
            help="Include the tokenizer, so that the file takes and returns text: bytes in UTF-8, "
            "which every runtime has, or strings, which need the operators of tensorflow-text "
            "and are not for ONNX. Default: strings in a SavedModel, else token ids.",
        ),
    ] = None,
    stream: Annotated[
        bool,
        Option(
            "--stream",
            help="Also write the signatures stream_start and stream_step, which generate text "
            "token by token.",
        ),
    ] = False,
    data: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Evaluate the exported file on this test file.",
            rich_help_panel=LITERT,
        ),
    ] = None,
    max_drop: Annotated[
        float | None,
        Option(
            help="Fail if quantization worsens the first metric that `evaluate` prints by more "
            "than this; requires --data, and --quantize or --sweep.",
            rich_help_panel=LITERT,
        ),
    ] = None,
    batch: Annotated[
        int | None,
        Option(
            min=1,
            help="The only batch size, for GPUs, NPUs and browsers. Default: any, with --length 1.",
            rich_help_panel=LITERT,
        ),
    ] = None,
    length: Annotated[
        int | None,
        Option(
            min=1,
            help="The only length in tokens; shorter inputs must be padded. Default: any; for web "
            "and mediapipe that of the task.",
            rich_help_panel=LITERT,
        ),
    ] = None,
    text_size: Annotated[
        int | None,
        Option(
            min=1,
            help="The only number of bytes of a text, for web and for --text bytes with --length; "
            "for mediapipe of characters. Default: 8 for each token.",
            rich_help_panel=LITERT,
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        Option(
            min=2,
            help="Maximum number of tokens of a prompt with its answer. Default: that of the task, "
            "at most 2048.",
            rich_help_panel=LITERTLM,
        ),
    ] = None,
    chat_template: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Jinja template of conversations. Default: that of the checkpoint, or none.",
            rich_help_panel=LITERTLM,
        ),
    ] = None,
    version: Annotated[
        int | None,
        Option(
            min=1,
            help="Version of the model, for TF Serving: the name of the subfolder. Default: 1.",
            rich_help_panel=SAVED_MODEL,
        ),
    ] = None,
    xla: Annotated[
        bool, Option("--xla", help="Compile the model with XLA.", rich_help_panel=SAVED_MODEL)
    ] = False,
    serving: Annotated[
        bool,
        Option(
            "--serving",
            help="Also write what TensorFlow Serving takes: a warm-up, configurations, a "
            "Dockerfile and example requests. It requires the extra `serving`.",
            rich_help_panel=SAVED_MODEL,
        ),
    ] = False,
    license: Annotated[
        str | None,
        Option(metavar="NAME", help="License of the model for its model card, such as apache-2.0."),
    ] = None,
    head: Head = None,
    check_digests: CheckDigests = True,
    json: Json = False,
) -> None:
    """Export a run to a SavedModel, LiteRT or LiteRT-LM, ONNX, a page or a Hugging Face checkpoint.

    All but the last run without this library. They are verified in a separate process; if a check
    fails, only a report is written, and the exit status is 1. A Hugging Face checkpoint is not
    verified. The format web is a folder for any web server, with a page that runs the model in
    the browser; mediapipe is a LiteRT file with the metadata that MediaPipe Tasks need; litertlm is
    a language model with its tokenizer for LiteRT-LM, which requires the extra `litertlm`.

    [bold]Examples[/bold]

    \b
      keras-attn export runs/en-de --format saved_model --out served/en-de
      keras-attn export runs/en-de --format saved_model --out served/en-de --serving
      keras-attn export runs/en-de --format litert --out en-de.tflite --beams 4
      keras-attn export runs/en-de --format litert --out en-de.tflite --text bytes \\
          --quantize int8 --data test.tsv --max-drop 0.5
      keras-attn export runs/en-de --sweep --data test.tsv --max-drop 0.5 --out sweep
      keras-attn export runs/en-de --format onnx --out onnx/en-de --text bytes
      keras-attn export runs/topics --format litert --out gpu.tflite --batch 1 --length 64
      keras-attn export runs/reviews --format web --out site
      keras-attn export runs/reviews --format mediapipe --out reviews.tflite
      keras-attn export runs/smollm2 --format litertlm --out smollm2.litertlm \\
          --max-length 640
      keras-attn export runs/plays --format hugging_face --out plays
    """
    generation = parsed(GenerationOptions, generation)
    tokens = given(text=text and str(text), stream=stream or None)
    if sweep and format not in (None, ArtifactFormat.LITERT):
        raise UserError(f"--sweep writes LiteRT files, and not --format {format}")
    target = SWEEP if sweep else format
    if target is None:
        raise UserError("Missing option '--format'. See keras-attn export --help")
    stored = given(
        quantize=quantize and str(quantize), quantize_scope=quantize_scope and str(quantize_scope)
    )
    one_shape = given(quantize=quantize and str(quantize), length=length, text_size=text_size)
    only: dict[str | None, dict[str, Any]] = {
        ArtifactFormat.SAVED_MODEL: given(
            version=version, xla=xla or None, serving=serving or None, **tokens
        ),
        ArtifactFormat.LITERT: {
            **stored,
            **tokens,
            **given(calibration=calibration, data=data, max_drop=max_drop, batch=batch),
            **one_shape,
        },
        ArtifactFormat.LITERTLM: stored | given(max_length=max_length, chat_template=chat_template),
        ArtifactFormat.ONNX: tokens,
        ArtifactFormat.WEB: one_shape,
        ArtifactFormat.MEDIAPIPE: one_shape,
        ArtifactFormat.HUGGING_FACE: {},
        SWEEP: given(
            text=text and str(text),
            data=data,
            max_drop=max_drop,
            precision=precision or None,
            calibration=calibration,
        ),
    }
    if license and format is ArtifactFormat.HUGGING_FACE:
        raise UserError("--format hugging_face does not take --license: it has no model card")
    options = options_of(target, only, generation)
    os.environ["KERAS_BACKEND"] = "tensorflow"  # which exports; the run may be of any other
    zoo = load("zoo")
    task = one_task(zoo, run, head, check_digests)
    task.license = license
    if format is ArtifactFormat.HUGGING_FACE:
        written = str(zoo.to_pretrained(task, out))
        if json:
            show_json({"path": written})
        else:
            print(f"{written}: Hugging Face checkpoint ({task.name})")
        return
    check_generation(task, generation)
    if stream and "stream" not in task.parts.answer.export_options:
        raise UserError(f"{task.name} generates no text: leave out --stream")
    exporter = load("export")
    if sweep:
        sweep_precisions(exporter, task, out, options, json)
        return
    try:
        with arguments(), ending_on_sigterm():
            report = getattr(exporter, target)(task, out, **options)
    except exporter.VerificationError as error:
        report = error.report
    show_report(report, json)
    if format is ArtifactFormat.WEB and not json:
        print(
            f"\nRun `npm install` in {out} once, and serve it: python -m http.server -d {out}\n"
            f"`npm run one-file` in {out} writes one-file.html, which opens without a server."
        )
        from zoo.serving.about import ROWS, about

        if shown := about({}, "", task.examples).get(ROWS):
            print(f"Its examples to click, {len(shown)} of them, are texts of the training data.")
