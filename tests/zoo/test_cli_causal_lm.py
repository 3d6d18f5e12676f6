"""A language model from the command line: trained, scored, written on with, exported."""

import json

import pytest
from ai_edge_litert.interpreter import Interpreter

import zoo
from tests.zoo.tasks.test_causal_lm import TEXT
from tests.zoo.test_cli import refused, run

TRAIN = "--max-length 29 --epochs 2 --batch-size 8 --no-xla --learning-rate 0.01".split()
SMALL = (
    "--set num_layers=1 --set hidden_dim=16 --set intermediate_dim=16 --set max_new_tokens=9"
).split()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text.txt").write_text(TEXT)
    data = ["--data", folder / "text.txt", "--validation", folder / "text.txt"]
    result = run("train", "causal-lm", *data, "--out", folder / "run", *TRAIN, *SMALL)
    assert result.exit_code == 0, result.output
    return folder


def test_scores(trained):
    result = run("evaluate", trained / "run", "--data", trained / "text.txt", "--json")
    scores = json.loads(result.stdout)
    assert set(scores) == {"loss", "perplexity", "bits_per_byte"} and scores["loss"] < 4
    line = refused("evaluate", trained / "run", "--data", trained / "text.txt", "--beams", "2")
    assert line == "causal-lm has no option --beams"


def test_a_single_text_is_written_on_and_several_are_answered(trained):
    options = ["--temperature", "1.0", "--seed", "3"]
    one = run("predict", trained / "run", "the ", *options)
    again = run("predict", trained / "run", "the ", *options)
    assert one.exit_code == 0 and one.stdout == again.stdout
    assert one.stdout.startswith("the ") and len(one.stdout) > 5
    two = json.loads(run("predict", trained / "run", "the ", "cat", "--json").stdout)
    assert [each["text"] for each in two] == ["the ", "cat"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--top-k", 3], "--top-k says nothing without --temperature"),
        (["--temperature", 0, "--top-p", 0.5], "--top-p says nothing without --temperature"),
        (["--length-penalty", 2], "--length-penalty says nothing without --beams"),
        (["--temperature", 1, "--top-p", 5], "top_p must be above 0 and at most 1; received 5.0."),
        (
            ["--min-new-tokens", 100, "--max-new-tokens", 5],
            "min_new_tokens must be below max_new_tokens, 5; received 100.",
        ),
    ],
)
def test_options_that_say_nothing_are_refused(options, message, trained):
    assert refused("predict", trained / "run", "the cat", *options) == message


@pytest.mark.thorough
def test_an_artifact_writes_as_much_as_it_is_asked_for(trained):
    """Its prompts leave room for more new tokens than the run's own default."""
    out = trained / "long.tflite"
    how = ["--format", "litert", "--out", out, "--max-new-tokens", 23, "--json"]
    done = run("export", trained / "run", *how)
    assert done.exit_code == 0, done.output
    runner = Interpreter(str(out)).get_signature_runner("serving_default")
    ids = zoo.load(trained / "run").codec.encode(["cat s"]).numpy()[:, :5]
    assert runner(token_ids=ids)["token_ids"].shape == (1, 23)


def test_a_run_goes_on_as_what_it_is(trained):
    data = ["--data", trained / "text.txt", "--out", trained / "run"]
    line = refused("train", "text-to-text", *data, "--resume")
    assert line == f"the run in {trained / 'run'} has task causal-lm, not text-to-text"
    line = refused("train", "causal-lm", *data, "--resume", "--batch-tokens", "100")
    assert line == "causal-lm has no option --batch-tokens"
    line = refused(
        "train", "causal-lm", "--data", trained / "text.txt", "--out", "x", "--model", "rnn"
    )
    assert line == "unknown model for causal-lm 'rnn'; choose from rnn_lm, gpt"
