import errno
import json
import subprocess
import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from zoo.cli import (
    evaluating,
    exporting,
    opened_predictions,
    predicting,
    texts,
    train_run,
    training,
    verifying,
)
from zoo.cli.app import app
from zoo.cli.commands import COMMANDS, load_command
from zoo.cli.derived import name_and_value, parsed
from zoo.data_statistics import LOGGER, Statistics, collecting, record
from zoo.decoding.options import GenerationOptions
from zoo.errors import UserError
from zoo.options import NoOptions
from zoo.preprocessing.base import TensorSpec
from zoo.registry import PREPARED, TASKS
from zoo.registry_rows import resolve
from zoo.tasks.comparison import Comparison
from zoo.tasks.generating import Candidate
from zoo.tasks.measured_on import MeasuredOn
from zoo.tasks.options.text_to_text import Settings
from zoo.training.options import SessionOptions

OF_TASKS = {"train": TASKS, "prepare": PREPARED}
HELP = [name for name in COMMANDS if name not in OF_TASKS]
HELP += [f"{name} {task}" for name, tasks in OF_TASKS.items() for task in tasks]


def run(*arguments, input=None):
    return CliRunner().invoke(app, [str(each) for each in arguments], input=input)


def parse(arguments):
    """Parses a command line without running it; fails on unknown options and values."""
    command, names = load_command(arguments[0]), list(arguments[1:])
    if arguments[0] == "train" and arguments[1].endswith(".toml"):
        arguments = ["train", "text-classifier"]  # whose recipe the pages show
        names[0] = "text-classifier"
        names += ["--out", "runs/reviews"]
    while hasattr(command, "commands"):
        command = command.commands[names.pop(0)]
    context = command.make_context(arguments[0], names)
    assert not context.args
    if arguments[0] == "train":
        row, given = TASKS[arguments[1]], context.params
        model = dict(name_and_value("--set", each) for each in given.pop("option") or [])
        given = {name: value for name, value in given.items() if value not in (None, (), [])}
        kind, options = resolve(row.path), import_module(row.options)
        kind(**parsed(options.Settings, given), **model)
        parsed(options.Training, given), parsed(SessionOptions, given)


def refused(*arguments):
    """The one line with which a command ends that a user called wrongly."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    line = result.stderr.removesuffix("\n")
    assert "\n" not in line
    assert line.startswith("keras-attn: ")
    return line.removeprefix("keras-attn: ")


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A working folder with some empty files of data."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.tsv", "b.tsv", "test.tsv"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.fixture
def task(monkeypatch):
    """A task that upper-cases, behind every command; it records what it is called with."""

    class Task:
        name = "text-to-text"
        evaluated_on = "test.tsv"
        Settings = Settings

        def __init__(self):
            self.calls = []
            self.settings, self.model_options, self.training = Settings(), {}, {}
            self.parts = SimpleNamespace(
                answer=SimpleNamespace(options=GenerationOptions, forecasts=False),
                input=SimpleNamespace(table_columns=lambda settings: None, is_continued=False),
            )
            text = TensorSpec(("batch",), "string")
            self.preprocessor = SimpleNamespace(inputs={"text": text})
            self.metrics, self.evaluated_on = {"bleu": 1.0}, MeasuredOn("test.tsv")
            self.history = SimpleNamespace(
                advice=(),
                epoch=[1, 2],
                best_epoch=2,
                monitor="val_loss",
                best_value=0.5,
                stopped="finished",
            )
            self.history.seconds = 7.0
            self.history.how_far = "2"

        def __getattr__(self, name):
            def called(*args, **options):
                self.calls.append((name, args, options))
                return self

            return called

        def fit(self, *args, **options):
            self.calls.append(("fit", args, options))
            return self.history

        def compare(self, *args, **options):
            self.calls.append(("compare", args, options))
            self.metrics = {"bleu": 31.41592, "chrf": 60.0}
            return Comparison({"bleu": 31.41592, "chrf": 60.0})

        def ends_at_once(self):
            return nullcontext()

        def predict(self, texts, **options):
            self.calls.append(("predict", (list(texts),), options))
            return [text.upper() for text in texts]

        def predict_scored(self, texts, **options):
            return [{"prediction": text} for text in self.predict(texts, **options)]

    made = Task()
    for module in (train_run, evaluating, opened_predictions, exporting):
        monkeypatch.setattr(module, "load", lambda name: made)
    # `train` takes the class of the task from the registry.
    monkeypatch.setattr(train_run, "resolve", lambda path: getattr(made, path.split(":")[1]))
    return made


class TestHelp:
    @pytest.mark.parametrize("command", HELP)
    def test_shows_examples(self, command):
        result = run(*command.split(), "--help")
        assert result.exit_code == 0
        assert "Examples" in result.stdout
        assert f"keras-attn {command}" in result.stdout

    @pytest.mark.parametrize("task", TASKS)
    def test_the_examples_of_train_can_be_parsed(self, task):
        assert TASKS[task].examples
        for example in TASKS[task].examples:
            parse(["train", task, *example.split()])

    def test_commands_are_listed_in_the_order_of_their_use(self):
        lines = run("--help").stdout.splitlines()
        places = [i for name in COMMANDS for i, x in enumerate(lines) if x.startswith(f"│ {name} ")]
        assert len(places) == len(COMMANDS) and places == sorted(places)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_list_has_the_first_line_of_the_help_of_each_command(self, name):
        assert " ".join(load_command(name).help.split("\n\n")[0].split()) == COMMANDS[name][0]

    @pytest.mark.parametrize("task", TASKS)
    def test_panels_and_their_first_options(self, task):
        lines = run("train", task, "--help").stdout.splitlines()
        panels = [line.split()[1] for line in lines if line.startswith("╭")]
        order = ["Options", "Model", "Text", "Forecast", "Data", "Duration", "Optimization"]
        order += ["Augmentation", "Fine-tuning"]
        assert panels == [name for name in [*order, "Run"] if name in panels]
        assert {*panels} >= {"Options", "Model", "Duration", "Optimization", "Run"}
        without = ("node-classifier", "image-classifier", "series-forecaster")
        without += ("series-classifier", "series-regressor", "image-regressor")
        assert ("Text" in panels) is (task not in without)
        words = [line.replace("*", " ").split() for line in lines]
        options = [each[1] for each in words if len(each) > 1 and each[1].startswith("--")]
        assert options[:5] == ["--data", "--out", "--validation", "--json", "--help"]
        assert options[5:7] == ["--model", "--preset"]
        assert options[options.index("--epochs") :][:3] == [
            "--epochs",
            "--patience",
            "--max-minutes",
        ]
        assert options.index("--freeze") == options.index("--pretrained") + 1

    def test_train_lists_the_tasks(self):
        result = run("train")
        assert all(f"│ {task} " in result.output for task in TASKS)

    def test_long_examples_are_wrapped_before_options(self):
        shown = training._wrapped("keras-attn train x --data " + "d" * 43 + " --out o --resume")
        first, second = shown.splitlines()
        assert first == "  keras-attn train x --data " + "d" * 43 + " \\"
        assert second == "      --out o --resume"

    @pytest.mark.quick(2)
    @pytest.mark.parametrize("command", ["--help", "models", *(f"{name} --help" for name in HELP)])
    def test_imports_no_keras(self, command):
        code = (
            "import sys\n"
            "from zoo.cli.app import app\n"
            "try:\n"
            f"    app({command.split()})\n"
            "except SystemExit as end:\n"
            "    assert not end.code\n"
            "assert not {'keras', 'tensorflow', 'numpy'} & set(sys.modules)\n"
            "of_train = 'zoo.cli.train_run' in sys.modules\n"
            f"assert of_train is {command.split()[0] in OF_TASKS}"
        )
        root = Path(__file__).parents[2]
        subprocess.run(
            [sys.executable, "-c", code], check=True, cwd=root, stdout=subprocess.DEVNULL
        )

    @pytest.mark.parametrize("table", ["text\tlabel\n", "date\tvalue\n"])
    def test_inspect_of_a_table_imports_no_tensorflow(self, table, tmp_path):
        cells = {"text": ("fine film", "good"), "date": ("2024-01-{:02}", "1.5")}[table[:4].strip()]
        rows = ["\t".join(cells).format(day) for day in range(1, 29)]
        path = tmp_path / "rows.tsv"
        path.write_text(table + "\n".join(rows) + "\n", "utf-8")
        code = (
            "import sys\n"
            "from zoo.cli.app import app\n"
            "try:\n"
            f"    app(['inspect', {str(path)!r}])\n"
            "finally:\n"
            "    print({'keras', 'tensorflow'} & set(sys.modules))"
        )
        command = [sys.executable, "-c", code]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert shown.splitlines()[-1] == "set()"
        assert "28" in shown

    def test_version(self):
        assert run("--version").stdout.startswith("keras-attn")


class TestRefusals:
    def test_unknown_option_names_the_nearest(self):
        line = refused("train", "text-to-text", "--epoch", "3")
        assert line == "train text-to-text has no option --epoch; did you mean --epochs?"

    def test_unknown_option_names_the_help(self):
        line = refused("evaluate", "runs/x", "--frobnicate")
        assert line == "evaluate has no option --frobnicate; see keras-attn evaluate --help"
        line = refused("--frobnicate")
        assert line == "keras-attn has no option --frobnicate; see keras-attn --help"

    def test_unknown_command_names_the_nearest(self):
        assert refused("trian") == "unknown command 'trian'; did you mean train?"

    def test_unknown_command_lists_the_choices(self):
        line = refused("frobnicate")
        assert line == f"unknown command 'frobnicate'; choose from {', '.join(COMMANDS)}"

    def test_unknown_task_names_the_nearest(self):
        line = refused("train", "text-to-speech", "--data", "x", "--out", "y")
        assert line == "unknown task 'text-to-speech'; did you mean text-to-text?"

    def test_unknown_task_lists_the_choices(self):
        line = refused("train", "chess", "--data", "x", "--out", "y")
        assert line == f"unknown task 'chess'; choose from {', '.join(TASKS)}"

    def test_unknown_format_lists_the_choices(self):
        line = refused("export", "runs/x", "--format", "tfjs", "--out", "y")
        choices = "'saved_model', 'litert', 'litertlm', 'onnx', 'web', 'mediapipe', 'hugging_face'"
        assert line.endswith(f"'tfjs' is not one of {choices}.")

    def test_missing_option(self):
        line = refused("evaluate", "runs/x")
        assert line == "Missing option '--data'. See keras-attn evaluate --help"
        line = refused("train", "causal-lm", "--data", "x")
        assert line == "Missing option '--out'. See keras-attn train causal-lm --help"

    @pytest.mark.parametrize(
        ("option", "value", "message"),
        [
            ("--epochs", "two", "--epochs must be an integer, got 'two'"),
            ("--epochs", "2.5", "--epochs must be an integer, got '2.5'"),
            ("--epochs", "", "--epochs must be an integer, got ''"),
            ("--dropout", "a tenth", "--dropout must be a number, got 'a tenth'"),
        ],
    )
    def test_a_word_for_a_number(self, option, value, message):
        assert refused("train", "causal-lm", "--out", "o", option, value) == message

    @pytest.mark.parametrize("value", ["0", "-3"])
    def test_a_size_that_is_too_small(self, value):
        line = refused("export", "r", "--format", "litert", "--out", "o", f"--batch={value}")
        assert line == f"--batch must be at least 1, got '{value}'"

    @pytest.mark.parametrize("command", ["predict", "export"])
    def test_number_out_of_range(self, task, command):
        options = ["--format", "litert", "--out", "o"] if command == "export" else ["text"]
        line = refused(command, "runs/x", *options, "--beams", "0")
        assert line == "--beams must be an integer of at least 1, got 0"
        assert not task.calls

    @pytest.mark.parametrize(
        ("form", "options", "named"),
        [
            ("saved_model", ["--quantize", "int8", "--length", "9"], "--quantize, --length"),
            ("saved_model", ["--data", "x.tsv", "--max-drop", "0"], "--data, --max-drop"),
            ("saved_model", ["--batch", "1", "--length", "8"], "--batch, --length"),
            ("litert", ["--version", "2", "--xla"], "--version, --xla"),
            ("onnx", ["--serving"], "--serving"),
            ("hugging_face", ["--text", "bytes", "--bad-words", "x"], "--text, --bad-words"),
            ("web", ["--batch", "1", "--text", "bytes"], "--text, --batch"),
            ("web", ["--data", "x.tsv", "--xla"], "--xla, --data"),
            ("mediapipe", ["--text", "bytes", "--beams", "2"], "--text, --beams"),
            ("litertlm", ["--text", "bytes", "--beams", "2"], "--text, --beams"),
            (
                "litert",
                ["--max-length", "9", "--chat-template", "x"],
                "--max-length, --chat-template",
            ),
        ],
    )
    def test_export_options_of_the_other_format(self, form, options, named):
        line = refused("export", "runs/x", "--format", form, "--out", "y", *options)
        assert line == f"--format {form} does not take {named}"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ([], "Missing option '--format'. See keras-attn export --help"),
            (["--sweep", "--format", "onnx"], "--sweep writes LiteRT files, and not --format onnx"),
            (["--sweep", "--quantize", "int8"], "--sweep does not take --quantize"),
            (["--format", "web", "--precision", "int8"], "--format web does not take --precision"),
        ],
    )
    def test_what_a_sweep_takes(self, options, message):
        assert refused("export", "runs/x", "--out", "y", *options) == message

    def test_a_sweep_needs_data(self, task):
        line = refused("export", "runs/x", "--sweep", "--out", "y")
        assert line == "--sweep requires --data, a file to evaluate on"

    def test_texts_and_file(self):
        assert (
            refused("predict", "r", "text", "--file", "x")
            == "give either texts or --file, not both"
        )

    def test_missing_file_of_texts(self, task):
        assert refused("predict", "r", "--file", "no/texts") == "no/texts does not exist"


class TestErrors:
    """What a command may raise, and how the program ends."""

    @pytest.fixture
    def raising(self, monkeypatch):
        def arrange(error):
            def load(name):
                raise error

            monkeypatch.setattr(opened_predictions, "load", load)
            return ["predict", "runs/x", "text"]

        return arrange

    def test_user_error_is_one_line(self, raising):
        assert refused(*raising(UserError("train.tsv:3:\nno tab"))) == "train.tsv:3: no tab"

    @pytest.mark.parametrize(
        "error",
        [
            OSError(errno.ENOSPC, "No space left on device", "runs/x/log.txt"),
            OSError("Can't write data (errno = 28, error message = 'No space left on device')"),
            RuntimeError("variables.data: No space left on device [Op:SaveV2]"),
            OSError("Can't write data (errno = 122, error message = 'Disk quota exceeded')"),
        ],
    )
    def test_full_disk(self, raising, error):
        assert refused(*raising(error)).startswith("no space left on the disk")

    @pytest.mark.parametrize(
        "error",
        [
            OSError(errno.EFBIG, "File too large", "runs/x/log.txt"),
            OSError("Can't write data (errno = 27, error message = 'File too large')"),
            type("OutOfRangeError", (Exception,), {})("x.data; File too large [Op:SaveV2]"),
        ],
    )
    def test_a_file_beyond_the_limit(self, raising, error):
        assert refused(*raising(error)).startswith("a file may not be that large")

    def test_permission(self, raising):
        error = PermissionError(errno.EACCES, "Permission denied", "/served")
        assert refused(*raising(error)) == "/served: permission denied"

    def test_a_broken_disk(self, raising):
        error = OSError(errno.EIO, "Input/output error", "runs/x/config.json")
        assert refused(*raising(error)) == "runs/x/config.json: Input/output error"

    def test_too_little_memory(self, raising):
        for kind in (MemoryError, type("ResourceExhaustedError", (Exception,), {})):
            line = refused(*raising(kind("OOM when allocating tensor with shape[56,1000000000]")))
            assert line.startswith("not enough memory: choose a smaller model")

    def test_interrupted(self, raising):
        result = run(*raising(KeyboardInterrupt()))
        assert result.exit_code == 130
        assert result.stdout == ""

    def test_a_fault_of_ours_keeps_its_traceback(self, raising):
        error = ZeroDivisionError("a bug")
        assert run(*raising(error)).exception is error

    def test_bad_argument_of_the_python_api(self, task):
        task.predict = lambda texts, **options: _bad_argument()
        assert refused("predict", "r", "text") == "`beams` must be 1 or more"

    def test_value_error_of_another_library_is_a_fault_of_ours(self, task):
        task.predict = lambda texts, **options: np.zeros((2, 3)) + np.zeros(5)
        result = run("predict", "r", "text")
        assert type(result.exception) is ValueError


def _bad_argument():
    """Raises as a function of zoo does."""
    code = compile("raise ValueError('`beams` must be 1 or more')", "zoo/some.py", "exec")
    exec(code, {"__name__": "zoo.some"})


class TestTrain:
    ARGUMENTS = ["train", "text-to-text", "--data", "a.tsv", "--out", "run"]

    def call(self, task, name):
        ((args, options),) = [call[1:] for call in task.calls if call[0] == name]
        return args, options

    def test_defaults_are_left_to_the_python_api(self, task):
        result = run(*self.ARGUMENTS)
        assert result.exit_code == 0, result.output
        assert self.call(task, "TextToText") == ((), {})
        args, options = self.call(task, "fit")
        assert (args, options) == ((Path("a.tsv"), None), {"adapt": True, "folder": Path("run")})

    def test_options_reach_the_python_api(self, task):
        result = run(
            *self.ARGUMENTS, "--validation", "b.tsv", "--model", "transformer", "--preset", "tiny",
            "--vocabulary-size", 97, "--dropout", 0.3, "--epochs", 3, "--learning-rate", 0.01,
            "--no-xla", "--seed", 7, "--dtype", "mixed_bfloat16", "--json",
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        assert self.call(task, "TextToText")[1] == {
            "model": "transformer", "preset": "tiny", "vocabulary_size": 97, "dropout": 0.3,
            "dtype": "mixed_bfloat16", "seed": 7,
        }  # fmt: skip
        args, options = self.call(task, "fit")
        assert args == (Path("a.tsv"), Path("b.tsv"))
        assert (options["epochs"], options["learning_rate"], options["seed"]) == (3, 0.01, 7)
        assert options["xla"] is False
        assert "label_smoothing" not in options
        outcome = json.loads(result.stdout)
        assert (outcome["best_epoch"], outcome["val_loss"]) == (2, 0.5)

    def test_options_of_the_model(self, task):
        sets = ("hidden_dim=13", "dropout=0.5", "score=dot", "share_embeddings=true")
        run(*self.ARGUMENTS, *(part for each in sets for part in ("--set", each)))
        assert self.call(task, "TextToText")[1] == {
            "hidden_dim": 13, "dropout": 0.5, "score": "dot", "share_embeddings": True
        }  # fmt: skip

    def test_an_option_without_a_value(self, task):
        assert (
            refused(*self.ARGUMENTS, "--set", "hidden_dim")
            == "--set expects NAME=VALUE, got 'hidden_dim'"
        )

    @pytest.mark.parametrize("best_epoch", [None, 2])
    def test_interrupted_training_is_saved_if_there_is_something(self, task, best_epoch):
        task.history.stopped, task.history.best_epoch = "interrupted", best_epoch
        assert run(*self.ARGUMENTS).exit_code == 130
        assert ("save" in [call[0] for call in task.calls]) == (best_epoch is not None)

    def test_interrupted_before_a_new_checkpoint_the_weights_of_before_stay(self, task, folder):
        (folder / "run").mkdir()
        for name in ("config.json", "weights.weights.h5"):
            (folder / "run" / name).write_text("{}")
        task.history.stopped, task.history.best_epoch = "interrupted", 2
        assert run(*self.ARGUMENTS, "--resume").exit_code == 130
        assert "save" not in [call[0] for call in task.calls]

    def test_a_run_is_not_overwritten(self, task, folder):
        (folder / "run").mkdir()
        (folder / "run" / "config.json").write_text("{}")
        assert refused(*self.ARGUMENTS).startswith(
            "run already contains a run: continue it with --resume"
        )
        assert task.calls == []

    def test_resume(self, task, folder):
        (folder / "run").mkdir()
        (folder / "run" / "config.json").write_text("{}")
        task.settings = Settings(vocabulary_size=83)
        options = ["--resume", "--model", "transformer", "--vocabulary-size", "97", "--epochs", "5"]
        assert run(*self.ARGUMENTS, *options).exit_code == 0
        calls = [call[0] for call in task.calls]
        assert [name for name in calls if name in ("load", "fit", "save")] == [
            "load",
            "fit",
            "save",
        ]
        assert calls.index("check_session") < calls.index("load")
        # Options that are not given are those of the run: `fit` reads them.
        folder = Path("run")
        given = {"adapt": False, "epochs": 5, "resume": True, "folder": folder}
        assert self.call(task, "fit")[1] == given

    def test_resume_as_something_else(self, task, folder):
        (folder / "run").mkdir()
        (folder / "run" / "config.json").write_text("{}")
        line = refused(*self.ARGUMENTS, "--resume", "--model", "attention_seq2seq")
        assert line == "the run in run has model transformer, not attention_seq2seq"


class TestPredict:
    def test_texts(self, task):
        result = run("predict", "r", "ein Mann", "straße", "--beams", "3")
        assert result.stdout == "EIN MANN\nSTRASSE\n"
        assert task.calls[-1] == ("predict", (["ein Mann", "straße"],), {"beams": 3})

    def test_rules(self, task):
        rules = [
            "--no-repeat-ngram",
            "2",
            "--min-new-tokens",
            "3",
            "--bad-words=a",
            "--bad-words=b",
        ]
        run("predict", "r", "text", *rules)
        expected = {"no_repeat_ngram": 2, "min_new_tokens": 3, "bad_words": ["a", "b"]}
        assert task.calls[-1][-1] == expected

    def test_candidates_stand_behind_their_scores(self, task, monkeypatch):
        def candidates(task, texts, **options):
            task.calls.append(("candidates", (list(texts),), options))
            return [[Candidate(text.upper(), -0.5), Candidate("two\nlines", -1)] for text in texts]

        monkeypatch.setattr("zoo.tasks.generating.candidates", candidates)
        options = ["--beams", "2", "--length-penalty", "0.6", "--candidates"]
        result = run("predict", "r", "a", "b", *options)
        assert result.stdout == "-0.5000\tA\n-1.0000\ttwo lines\n-0.5000\tB\n-1.0000\ttwo lines\n"
        expected = {"beams": 2, "length_penalty": 0.6}
        assert task.calls[-1] == ("candidates", (["a", "b"],), expected)
        result = run("predict", "r", "a", "--candidates", "--json")
        candidates = [{"text": "A", "score": -0.5}, {"text": "two\nlines", "score": -1}]
        assert json.loads(result.stdout) == [{"text": "a", "candidates": candidates}]
        task.parts.answer.options = NoOptions
        line = refused("predict", "r", "a", "--candidates")
        assert line == "text-to-text has no option --candidates"

    def test_what_is_written_on_shows_piece_by_piece(self, task, monkeypatch):
        shown = []

        def stream(task, text, **options):
            for piece in ("be", " or", " not"):
                shown.append(sys.stdout.buffer.getvalue().decode())
                yield piece

        monkeypatch.setattr("zoo.tasks.generating.stream", stream)
        task.parts.input.is_continued = True
        result = run("predict", "r", "To ")
        assert shown == ["To ", "To be", "To be or"]
        assert result.stdout == "To be or not\n"

    def test_standard_input_line_by_line(self, task):
        result = run("predict", "r", input="ein Mann\n\nzwei\r\nohne Ende")
        assert result.stdout == "EIN MANN\n\nZWEI\nOHNE ENDE\n"

    def test_file_in_chunks(self, task, tmp_path):
        texts = [f"text {number}" for number in range(2 * predicting.CHUNK + 3)]
        path = tmp_path / "texts.txt"
        path.write_text("\n".join(texts))
        result = run("predict", "r", "--file", path, "--json")
        actual = json.loads(result.stdout)
        assert [each["text"] for each in actual] == texts
        assert actual[-1]["prediction"] == texts[-1].upper()
        assert [len(args[0]) for name, args, _ in task.calls if name == "predict"] == [256, 256, 3]

    def test_each_chunk_has_a_seed_of_its_own(self, task, tmp_path):
        path, seeds = tmp_path / "texts.txt", []
        path.write_text("text\n" * (2 * predicting.CHUNK + 3))
        for seed in (7, 7, 8):
            task.calls.clear()
            assert run("predict", "r", "--file", path, "--seed", seed).exit_code == 0
            seeds.append([options["seed"] for _, _, options in task.calls if "seed" in options])
        assert seeds[0] == seeds[1] and seeds[0][0] == 7
        assert len({*seeds[0], *seeds[2]}) == 6

    def test_not_utf8(self, task, tmp_path):
        path = tmp_path / "texts.txt"
        path.write_bytes("gut\nschön\n".encode("latin-1"))
        assert refused("predict", "r", "--file", path) == (
            f"{path}:2: byte 0xf6 at column 4 is not UTF-8; the file seems to be cp1252: give "
            "--encoding cp1252"
        )
        assert run("predict", "r", "--file", path, "--encoding", "cp1252").stdout == "GUT\nSCHÖN\n"
        assert refused("predict", "r", "a", "--encoding", "cp1252") == (
            "--encoding has no effect on texts of the command line"
        )
        assert "the encoding 'x' is unknown" in refused(
            "predict", "r", "--file", path, "--encoding", "x"
        )

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_byte_order_marks(self, task, tmp_path, encoding):
        (tmp_path / "texts.txt").write_bytes("gut\r\nschön\r\n".encode(encoding))
        assert run("predict", "r", "--file", "texts.txt").stdout == "GUT\nSCHÖN\n"
        content = (tmp_path / "texts.txt").read_bytes()
        assert run("predict", "r", input=content).stdout == "GUT\nSCHÖN\n"

    def test_files_are_no_texts(self, task, tmp_path):
        table = " is a table: give --file {} to predict for each of its rows"
        (tmp_path / "a.txt").write_text("gut")
        (tmp_path / "good").write_text("the name of this file is a word")
        for arguments, message in (
            (["test.tsv"], f"test.tsv{table.format('test.tsv')}"),
            (["gut", "a.tsv"], f"a.tsv{table.format('a.tsv')}"),
            (["a.txt"], "a.txt is a file: give --file a.txt to predict for each of its lines"),
            (["./"], "./ is a folder: give texts, or a file with a text on each line with --file"),
            (["--file", "."], "--file . is a folder: give a file with a text on each line"),
        ):
            assert refused("predict", "r", *arguments) == message
        (tmp_path / "photos").mkdir()
        for name in ("photos/a.webp", "graph.npz", "photos/b"):
            (tmp_path / name).write_bytes(b"x")
            refusal = f"{name} is a file, and this task reads texts: give a text, or --file"
            assert refused("predict", "r", "gut", name) == refusal
        assert "./photos is a folder: give texts" in refused("predict", "r", "./photos")
        assert run("predict", "r", "good", "no.csv").stdout == "GOOD\nNO.CSV\n"

    def test_a_word_that_is_the_name_of_a_folder_as_well(self, task, tmp_path):
        (tmp_path / "tab").mkdir()
        (tmp_path / "good").write_text("the name of this file is a word")
        done = run("predict", "r", "tab", "good", "fine")
        assert done.stdout == "TAB\nGOOD\nFINE\n"
        assert "note: tab is the name of a folder, too: it is read as a text" in done.stderr
        assert "note: good is the name of a file, too" in done.stderr and "fine" not in done.stderr

    def test_tasks_that_take_paths(self, task, tmp_path):
        task.preprocessor.inputs["text"] = TensorSpec(("batch", 3), "float32")
        assert run("predict", "r", "a.tsv").stdout == "A.TSV\n"

    def test_a_tab_is_a_space(self, task):
        task.settings = SimpleNamespace(pairs=False)
        assert run("predict", "r", "a\tb").stdout == "A\tB\n"

    def test_an_argument_that_is_not_utf8(self, task):
        assert refused("predict", "r", "caf\udce9") == "the argument 'caf\\udce9' is not UTF-8"
        assert refused("predict", "caf\udce9", "a") == "the argument 'caf\\udce9' is not UTF-8"

    def test_closed_input(self, task, monkeypatch):
        monkeypatch.setattr("zoo.cli.predicting.standard_input", texts.standard_input)
        monkeypatch.setattr(texts, "sys", SimpleNamespace(stdin=None))
        assert refused("predict", "r") == (
            "standard input is closed: give texts, or a file with --file"
        )

    def test_a_prediction_stays_on_its_line(self, task):
        task.predict = lambda texts, **options: ["two\nlines"]
        assert run("predict", "r", "x").stdout == "two lines\n"


class TestNotes:
    """Data statistics go to standard error, never between the results."""

    @pytest.fixture
    def losing(self, task):
        def compare(data, **options):
            record(Statistics({"blank lines skipped": 3}))
            return Comparison({"bleu": 1.0})

        def predict(texts):
            with collecting("predict"):
                record(Statistics({"unknown tokens": 1}))
            return texts

        task.compare, task.predict = compare, predict
        return task

    def test_one_line_however_many_chunks_there_are(self, losing, tmp_path):
        path = tmp_path / "texts.txt"
        path.write_text("text\n" * (2 * predicting.CHUNK + 3))
        for arguments, options, source in (
            (["--file", path], {}, path),
            (["--json"], {"input": "a\n" * (2 * predicting.CHUNK + 3)}, "standard input"),
        ):
            result = run("predict", "r", *arguments, **options)
            assert result.stderr == f"note: {source}: 3 unknown tokens\n"
            assert "note" not in result.stdout and result.exit_code == 0
        assert run("predict", "r", "a", "b").stderr == "note: texts: 1 unknown token\n"

    def test_scores_are_alone_on_standard_output(self, losing):
        result = run("evaluate", "r", "--data", "test.tsv", "--json")
        assert json.loads(result.stdout) == {"bleu": 1.0}
        assert result.stderr == "note: 3 blank lines skipped\n"

    def test_a_handler_of_the_root_logger_does_not_repeat_them(self, losing, caplog):
        assert run("predict", "r", "a").stderr == "note: texts: 1 unknown token\n"
        assert not caplog.records

    def test_the_logger_is_left_as_it_was(self, losing):
        run("predict", "r", "a")
        assert LOGGER.handlers == [] and LOGGER.propagate


class TestEvaluate:
    def test_table(self, task):
        lines = run("evaluate", "r", "--data", "test.tsv").stdout.split("\n")
        assert [line.split() for line in lines[1:3]] == [["bleu", "31.42"], ["chrf", "60"]]

    def test_baselines_have_columns(self, task):
        comparison = Comparison({"bleu": 31.41592, "chrf": 60.0}, {"copy_bleu": 2.5})
        task.compare = lambda *args, **options: comparison
        lines = run("evaluate", "r", "--data", "test.tsv").stdout.split("\n")
        assert [line.split() for line in lines[:3]] == [
            ["metric", "model", "copy"], ["bleu", "31.42", "2.5"], ["chrf", "60"]
        ]  # fmt: skip
        scores = json.loads(run("evaluate", "r", "--data", "test.tsv", "--json").stdout)
        assert scores == {"bleu": 31.41592, "chrf": 60.0, "copy_bleu": 2.5}

    def test_digests_of_a_huge_run_need_not_be_checked(self, task):
        for options, checked in (([], True), (["--no-check-digests"], False)):
            assert run("evaluate", "r", "--data", "test.tsv", *options).exit_code == 0
            assert run("predict", "r", "a", *options).exit_code == 0
            assert [each for each in task.calls if each[0] == "load"] == [
                ("load", (Path("r"), checked), {})
            ] * 2
            task.calls.clear()

    def test_json(self, task):
        result = run("evaluate", "r", "--data", "test.tsv", "--json")
        assert json.loads(result.stdout) == {"bleu": 31.41592, "chrf": 60.0}

    def test_scores_are_noted_in_the_run(self, task, folder):
        run("evaluate", "r", "--data", "test.tsv")
        noted = json.loads((folder / "r" / "metrics.json").read_text())
        assert noted == {"bleu": 31.41592, "chrf": 60.0, "data": "test.tsv"}


class TestArtifacts:
    """Over a stand-in for `export` whose reports pass or fail."""

    @pytest.fixture
    def exporter(self, monkeypatch):
        class VerificationError(Exception):
            pass

        class Report:
            passed = True

            def __str__(self):
                return "the checks"

            def to_json(self):
                return {"passed": self.passed}

        made = SimpleNamespace(VerificationError=VerificationError, report=Report(), calls=[])

        def write(*args, **options):
            made.calls.append((args, options))
            if not made.report.passed:
                error = VerificationError()
                error.report = made.report
                raise error
            return made.report

        class Task(type(Path())):
            """Equal to the folder it was loaded from; it generates."""

            name = "text-to-text"
            parts = SimpleNamespace(answer=SimpleNamespace(options=GenerationOptions))
            generate_ids = None
            examples = {"text": ["two dogs", "a cat"]}

        made.load = lambda folder, check_digests: Task(folder)
        made.saved_model = made.litert = made.web = write
        made.verify = lambda *args: made.calls.append((args, {})) or made.report
        for module in (exporting, verifying):
            monkeypatch.setattr(module, "load", lambda name: made)
        return made

    def test_saved_model(self, exporter):
        result = run(
            "export", "r", "--format", "saved_model", "--out", "o", "--xla", "--serving",
            "--beams", "3"
        )  # fmt: skip
        assert (result.exit_code, result.stdout) == (0, "the checks\n")
        assert exporter.calls[0][1] == {"xla": True, "serving": True, "beams": 3}

    def test_an_option_that_the_task_does_not_have(self, exporter):
        exporter.load = lambda folder, check_digests: SimpleNamespace(
            name="text-classifier",
            parts=SimpleNamespace(answer=SimpleNamespace(options=NoOptions, export_options=())),
        )
        line = refused("export", "r", "--format", "saved_model", "--out", "o", "--beams", "2")
        assert line == "text-classifier has no option --beams" and not exporter.calls

    def test_litert(self, exporter):
        result = run(
            "export", "r", "--format", "litert", "--out", "o.tflite", "--quantize", "int8",
            "--text", "bytes", "--data", "d.tsv", "--max-drop", "0.5", "--json",
        )  # fmt: skip
        assert json.loads(result.stdout) == {"passed": True}
        options = exporter.calls[0][1]
        assert (options["quantize"], options["text"], options["max_drop"]) == ("int8", "bytes", 0.5)
        assert type(options["quantize"]) is str

    def test_a_file_of_one_shape(self, exporter):
        result = run(
            "export",
            "r",
            "--format",
            "litert",
            "--out",
            "o.tflite",
            "--batch",
            "1",
            "--length",
            "64",
        )
        assert result.exit_code == 0
        assert exporter.calls[0][1] == {"batch": 1, "length": 64}

    def test_a_page_with_the_next_steps(self, exporter):
        sizes = ["--length", "64", "--text-size", "256", "--beams", "4"]
        result = run("export", "r", "--format", "web", "--out", "site", *sizes)
        assert result.exit_code == 0
        assert exporter.calls[0][1] == {"length": 64, "text_size": 256, "beams": 4}
        assert result.stdout.splitlines()[-3:] == [
            "Run `npm install` in site once, and serve it: python -m http.server -d site",
            "`npm run one-file` in site writes one-file.html, which opens without a server.",
            "Its examples to click, 2 of them, are texts of the training data.",
        ]

    @pytest.mark.parametrize("value", ["0", "-3", "2.5"])
    @pytest.mark.parametrize("option", ["--batch", "--length"])
    def test_sizes_that_are_none(self, exporter, option, value):
        line = refused("export", "r", "--format", "litert", "--out", "o.tflite", option, value)
        assert line.startswith(f"{option} must be ") and not exporter.calls

    def test_refused_artifact(self, exporter):
        exporter.report.passed = False
        result = run("export", "r", "--format", "litert", "--out", "o.tflite")
        assert (result.exit_code, result.stdout) == (1, "the checks\n")

    def test_verify(self, exporter):
        assert run("verify", "o.tflite").exit_code == 0
        exporter.report.passed = False
        assert run("verify", "o.tflite", "--json").exit_code == 1

    def test_verify_with_a_key(self, exporter):
        assert run("verify", "o.tflite", "--public-key", "k.pub").exit_code == 0
        assert exporter.calls[-1][0] == (Path("o.tflite"), None, None, None, Path("k.pub"), 1800.0)

    def test_verify_with_a_run(self, exporter):
        assert (
            run("verify", "o.tflite", "--run", "r", "--data", "d", "--max-drop", 1).exit_code == 0
        )
        assert exporter.calls[-1][0][2:] == (Path("d"), 1.0, None, 1800.0)
        for options in (("--data", "d"), ("--head", "a")):
            line = refused("verify", "o.tflite", *options)
            assert line == "--data and --head require --run, the run folder of the artifact"
        line = refused("verify", "o.tflite", "--run", "r", "--max-drop", 1)
        assert line.startswith("--max-drop")


class TestRealTask:
    """The mistakes that users make most, all the way down to the task."""

    PAIRS = "one red hat\tein roter Hut\ntwo red hats\tzwei rote Hüte\n"

    def train(self, folder, content=PAIRS, **options):
        path = folder / "train.tsv"
        if content is not None:
            path.write_text(content)
        extra = [text for key, value in options.items() for text in (f"--{key}", value)]
        return ["train", "text-to-text", "--data", path, "--out", folder / "run", *extra]

    def test_missing_file(self, folder):
        assert refused(*self.train(folder, None)) == f"{folder}/train.tsv does not exist"

    def test_empty_file(self, folder):
        assert refused(*self.train(folder, "")) == f"{folder}/train.tsv contains no pairs"

    def test_one_column_row(self, folder):
        line = refused(*self.train(folder, self.PAIRS + "three hats\n"))
        assert line == (
            f"{folder}/train.tsv:3: expected 2 columns, found 1; use --skip-bad-rows to skip such "
            "rows"
        )

    def test_unknown_model_lists_the_choices(self, folder):
        line = refused(*self.train(folder, model="transfomer"))
        assert line == (
            "unknown model 'transfomer' for text-to-text; did you mean transformer? Choose from "
            "rnn_seq2seq, attention_seq2seq, conv_s2s, transformer, bart, t5, prefix_gpt"
        )

    def test_unknown_preset_lists_the_choices(self, folder):
        line = refused(*self.train(folder, preset="huge"))
        assert line == "unknown preset 'huge' of transformer; choose from tiny, base, big"

    @pytest.mark.parametrize(
        ("option", "wanted"),
        [
            ("num_layers=two", "num_layers must be an integer of at least 1, got 'two'"),
            ("hidden_dim=0", "hidden_dim must be an integer of at least 1, got 0"),
            ("hidden_dim=10000000000", "hidden_dim must be below 2,147,483,648, got 10000000000"),
            ("dropout=much", "dropout must be a number of at least 0 and below 1, got 'much'"),
            ("dropout=1.5", "dropout must be a number of at least 0 and below 1, got 1.5"),
            ("pre_norm=1", "pre_norm must be true or false, got 1"),
            ("activation=7", "activation must be a string, got 7"),
        ],
    )
    def test_options_of_the_wrong_type(self, folder, option, wanted):
        assert refused(*self.train(folder, set=option)) == wanted

    def test_an_unknown_option_lists_the_choices(self, folder):
        line = refused(*self.train(folder, set="depth=7"))
        assert line.startswith("transformer has no option 'depth'; choose from ")
        assert "num_layers" in line

    def test_unknown_tokenizer_lists_the_choices(self, folder):
        line = refused(*self.train(folder, tokenizer="words"))
        assert all(kind in line for kind in ("wordpiece", "sentencepiece", "characters"))

    @pytest.mark.parametrize("command", [["evaluate", "--data", "x.tsv"], ["predict"], ["report"]])
    def test_no_run(self, folder, command):
        name, *options = command
        line = refused(name, folder, *options, *(["text"] if name == "predict" else []))
        assert line == f"{folder} contains no config.json: is it a run folder?"

    def test_no_artifact(self, folder):
        assert refused("verify", folder / "x.tflite").startswith("There is no artifact at")

    def test_models(self):
        actual = json.loads(run("models", "--json").stdout)
        assert {"attention_seq2seq", "transformer"} <= {each["name"] for each in actual}
        assert "tiny" in run("models").stdout

    def test_the_options_of_a_model(self):
        rows = {each["name"]: each for each in json.loads(run("models", "gpt", "--json").stdout)}
        assert rows["window"]["default"] is None and rows["position"]["default"] == "learned"
        assert "max_distance" in run("models", "gpt").stdout
        assert refused("models", "bird").startswith("unknown model 'bird'")


@pytest.mark.parametrize("name", [*HELP, *OF_TASKS])
def test_piped_help_has_80_columns_and_no_colors(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(*name.split(), "--help").stdout
    assert "Usage:" in shown and "\x1b" not in shown
    assert max(map(len, shown.split("\n"))) <= 80
