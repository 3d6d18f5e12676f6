"""`models` and `train`."""

from enum import StrEnum
from json import loads as parse_json
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from typer import Option

from zoo.cli.console import Json, arguments, given, load, refuse_unknown, show_json, show_table
from zoo.cli.tasks import files, task_weights
from zoo.errors import UserError
from zoo.tasks.folder import CONFIG, WEIGHTS


class Task(StrEnum):
    """What can be trained from the command line."""

    TEXT_TO_TEXT = "text-to-text"
    CAUSAL_LM = "causal-lm"
    MASKED_LM = "masked-lm"
    DENOISING = "denoising"
    TEXT_CLASSIFIER = "text-classifier"
    TOKEN_TAGGER = "token-tagger"
    TEXT_EMBEDDER = "text-embedder"
    MULTI_TASK = "multi-task"


class Schedule(StrEnum):
    """How the learning rate falls."""

    NOAM = "noam"
    COSINE = "cosine"
    LINEAR = "linear"


class Precision(StrEnum):
    """The formats to compute in; weights stay float32."""

    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"


def models(json: Json = False) -> None:
    """List the models of the zoo, with their presets.

    [bold]Examples[/bold]

    \b
      keras-attn models
      keras-attn models --json
    """
    found = load("zoo").list_models()
    if json:
        show_json([vars(entry) for entry in found])
    else:
        rows = (
            [each.name, ", ".join(each.presets), ", ".join(each.tasks), each.paper]
            for each in found
        )
        show_table(("model", "presets", "task", "paper"), rows)


def train(
    task: Annotated[Task, typer.Argument(help="What to train.")],
    data: Annotated[
        list[str],
        Option(
            help="What to learn from. text-to-text, text-embedder: pairs, as TSV, CSV or JSONL. "
            "causal-lm, masked-lm, denoising: a text file, a folder of .txt files, or JSONL. "
            "text-classifier: texts or pairs with their labels, as TSV, CSV or JSONL. "
            "multi-task: the same as NAME=FILE, repeatable. token-tagger: words with their tags, "
            "in CoNLL's form."
        ),
    ],
    out: Annotated[Path, Option(help="The run folder to write.")],
    validation: Annotated[
        list[str] | None, Option(help="More of it, to choose the best epoch by.")
    ] = None,
    pretrained: Annotated[
        str | None,
        Option(
            help="Begin with what another model has learned: a run folder, such as of denoising "
            "for text-to-text; or a checkpoint, a Hugging Face folder or a name on the hub: of "
            "BERT, of GPT-2 for causal-lm or text-to-text, of BART for text-to-text."
        ),
    ] = None,
    model: Annotated[str | None, Option(help="A model of `keras-attn models`.")] = None,
    preset: Annotated[str | None, Option(help="One of the model's presets.")] = None,
    tokenizer: Annotated[
        str | None, Option(help="wordpiece, sentencepiece, characters or bytes.")
    ] = None,
    vocabulary_size: Annotated[int | None, Option(help="Tokens to learn at most.")] = None,
    max_source_length: Annotated[
        int | None, Option(min=2, help="text-to-text: source tokens; what is longer is cut.")
    ] = None,
    max_target_length: Annotated[
        int | None, Option(min=2, help="text-to-text: target tokens; what is longer is cut.")
    ] = None,
    max_length: Annotated[
        int | None, Option(min=2, help="Tokens of a window, a pair or a text; not of text-to-text.")
    ] = None,
    dropout: Annotated[float | None, Option(help="Dropout rate, in [0, 1).")] = None,
    option: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Another option of the model; repeatable."),
    ] = None,
    epochs: Annotated[int | None, Option(min=1, help="Epochs in all.")] = None,
    batch_tokens: Annotated[
        int | None, Option(min=1, help="Tokens in a batch, of tasks that have it.")
    ] = None,
    batch_size: Annotated[
        int | None, Option(min=1, help="Windows, pairs or passages in a batch, of the others.")
    ] = None,
    max_minutes: Annotated[float | None, Option(help="Stop after this time.")] = None,
    learning_rate: Annotated[float | None, Option(help="The highest learning rate.")] = None,
    warmup: Annotated[int | None, Option(min=1, help="Steps in which the rate rises.")] = None,
    schedule: Annotated[
        Schedule | None,
        Option(
            help="How it falls: as the inverse root of the steps (noam), along a cosine to a tenth "
            "at the last step, or in a line to 0. Default noam for text-to-text, else cosine."
        ),
    ] = None,
    weight_decay: Annotated[
        float | None, Option(min=0, help="Share, times the rate, that weights lose in each step.")
    ] = None,
    freeze: Annotated[
        int | None,
        Option(min=0, help="Stages that stay as they are: the embeddings, then a block each."),
    ] = None,
    layer_decay: Annotated[
        float | None, Option(help="Factor by which each stage learns more slowly than the next.")
    ] = None,
    label_smoothing: Annotated[
        float | None,
        Option(help="Label smoothing, in [0, 1), of text-to-text and what tells labels."),
    ] = None,
    sampling: Annotated[
        float | None,
        Option(help="multi-task: 1 takes tasks as often as they have batches, 0 all alike."),
    ] = None,
    weights: Annotated[
        list[str] | None,
        Option(metavar="NAME=NUMBER", help="multi-task: factor of a task's loss; repeatable."),
    ] = None,
    patience: Annotated[
        int | None, Option(min=1, help="Stop after this many epochs without a better one.")
    ] = None,
    average: Annotated[
        int | None, Option(min=1, help="Try the mean weights of this many best epochs.")
    ] = None,
    mixed_precision: Annotated[
        Precision | None, Option(help="Compute in this format; weights stay float32.")
    ] = None,
    xla: Annotated[bool | None, Option("--xla/--no-xla", help="Compile with XLA.")] = None,
    tensorboard: Annotated[bool, Option("--tensorboard", help="Write TensorBoard logs.")] = False,
    seed: Annotated[int | None, Option(help="Makes the run repeatable.")] = None,
    resume: Annotated[bool, Option("--resume", help="Go on with the run in --out.")] = False,
    json: Json = False,
) -> None:
    """Train a model on files of your own.

    Ctrl-C keeps the best epoch so far. With --resume the run in --out goes on from the last
    complete epoch, also after a crash; an option that is not given stays as it was.

    [bold]Examples[/bold]

    \b
      keras-attn train text-to-text --data train.tsv --out runs/en-de
      keras-attn train text-to-text --data train.tsv --out runs/en-de --resume
      keras-attn train text-to-text --model transformer --preset base \\
          --data train.tsv --validation val.tsv --out runs/en-de \\
          --vocabulary-size 16000 --epochs 20 --patience 3 --average 5
      keras-attn train text-to-text --model attention_seq2seq --set score=dot \\
          --set order=luong --set num_layers=2 --data train.tsv --out runs/en-de
      keras-attn train causal-lm --model gpt --data plays.txt --out runs/plays --epochs 20
      keras-attn train masked-lm --data news.jsonl --out runs/news --set whole_words=true
      keras-attn train denoising --data news.jsonl --out runs/news-bart
      keras-attn train text-to-text --pretrained runs/news-bart --data pairs.tsv --out runs/pairs
      keras-attn train text-classifier --data reviews.tsv --validation val.tsv --out runs/reviews
      keras-attn train text-classifier --pretrained all-MiniLM-L6-v2/ --learning-rate 1e-4 \\
          --schedule linear --layer-decay 0.9 --epochs 4 --data reviews.tsv --out runs/reviews
      keras-attn train multi-task --pretrained all-MiniLM-L6-v2/ --data mrpc=mrpc.tsv \\
          --data rte=rte.tsv --sampling 0.5 --weights rte=2 --out runs/glue
    """
    there = (out / CONFIG).exists()
    if there and not resume:
        raise UserError(f"{out} holds a run: go on with it by --resume, or choose another --out")
    settings = given(
        model=model,
        preset=preset,
        tokenizer=tokenizer,
        vocabulary_size=vocabulary_size,
        max_source_length=max_source_length,
        max_target_length=max_target_length,
        max_length=max_length,
        dropout=dropout,
        dtype=mixed_precision and f"mixed_{mixed_precision}",
        seed=seed,
    )
    settings |= _model_options(option or [])
    zoo = load("zoo")
    with arguments():
        if there:
            learner = zoo.load(out)
            before = {"task": learner.name, **learner.settings}
            _check_settings(out, before, {"task": str(task), **settings})
        else:
            learner = _new(zoo, task, settings, pretrained)
            learner.adapt(files(task, data))
        options = given(
            epochs=epochs,
            batch_tokens=batch_tokens,
            batch_size=batch_size,
            max_minutes=max_minutes,
            learning_rate=learning_rate,
            warmup=warmup,
            schedule=schedule and str(schedule),
            weight_decay=weight_decay,
            freeze=freeze,
            layer_decay=layer_decay,
            label_smoothing=label_smoothing,
            sampling=sampling,
            weights=task_weights(weights) if weights else None,
            patience=patience,
            average=average,
            xla=xla,
            seed=seed,
        )
        refuse_unknown(task, learner.fit, options)
        history = learner.fit(
            files(task, data),
            validation_data=validation and files(task, validation),
            folder=out,
            resume=resume,
            tensorboard=tensorboard,
            **{**learner.training, **options},
        )
    interrupted = history.stopped == "interrupted"
    # The weights of before go with the first new checkpoint: as long as they are there, they hold.
    if history.best_epoch and not (interrupted and (out / WEIGHTS).exists()):
        learner.save(out)
    if interrupted:
        raise typer.Exit(130)
    outcome = {
        "run": str(out),
        "epochs": len(history.epoch),
        "best_epoch": history.best_epoch,
        **({history.monitor: history.best_value} if history.monitor else {}),
        "stopped": history.stopped,
        "seconds": history.seconds,
    }
    if json:
        show_json(outcome)
    else:
        show_table(("", ""), outcome.items())


def _new(zoo: ModuleType, task: Task, settings: dict[str, Any], pretrained: str | None) -> Any:
    """A task that has learned nothing yet, or what a checkpoint has."""
    if pretrained is not None:
        fixed = sorted({"model", "preset", "tokenizer", "vocabulary_size"} & set(settings))
        if fixed:
            raise UserError(f"--pretrained fixes the {fixed[0].replace('_', ' ')}: leave it out")
        return zoo.from_pretrained(pretrained, str(task), **settings)
    kinds = {
        Task.TEXT_TO_TEXT: zoo.TextToText,
        Task.CAUSAL_LM: zoo.CausalLM,
        Task.MASKED_LM: zoo.MaskedLM,
        Task.DENOISING: zoo.Denoising,
        Task.TEXT_CLASSIFIER: zoo.TextClassifier,
        Task.TOKEN_TAGGER: zoo.TokenTagger,
        Task.TEXT_EMBEDDER: zoo.TextEmbedder,
        Task.MULTI_TASK: zoo.MultiTask,
    }
    return kinds[task](**settings)


def _model_options(texts: list[str]) -> dict[str, Any]:
    """`hidden_dim=256` or `score=dot`, as numbers, true, false or text."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UserError(f"--set wants name=value, got {text!r}")
        try:
            found[name] = parse_json(value)
        except ValueError:
            found[name] = value
    return found


def _check_settings(out: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuses to resume a run as something that it is not."""
    for name, value in now.items():
        # A tokenizer may have learned fewer pieces than were asked for.
        if name != "vocabulary_size" and before.get(name) != value:
            raise UserError(f"the run in {out} has {name} {before.get(name)}, not {value}")
