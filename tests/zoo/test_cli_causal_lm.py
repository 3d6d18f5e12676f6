"""A language model on the command line: training, metrics, continuations, export."""

import json

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

import zoo
from tests.zoo.test_cli import refused, run

RANDOM = np.random.default_rng(0)
ANIMALS, PLACES = (RANDOM.choice(names, 160) for names in (["cat", "horse"], ["mat", "log", "hay"]))
TEXT = "".join(f"the {a} sat on the {b}.\n" for a, b in zip(ANIMALS, PLACES, strict=True))
TRAIN = "--max-length 29 --max-new-tokens 9 --epochs 2 --batch-size 8".split()
RATE = "--no-xla --learning-rate 0.01".split()
SMALL = "--set num_layers=1 --set hidden_dim=16 --set intermediate_dim=16".split()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text.txt").write_text(TEXT)
    data = ["--data", folder / "text.txt", "--validation", folder / "text.txt"]
    result = run("train", "causal-lm", *data, "--out", folder / "run", *TRAIN, *RATE, *SMALL)
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.long
def test_scores(trained):
    result = run("evaluate", trained / "run", "--data", trained / "text.txt", "--json")
    scores = json.loads(result.stdout)
    names = {"loss", "perplexity", "bits_per_byte", "ngram_loss", "ngram_perplexity"}
    assert set(scores) == {*names, "intervals"} and scores["loss"] < 4
    line = refused("evaluate", trained / "run", "--data", trained / "text.txt", "--beams", "2")
    assert line == "evaluate of causal-lm has no option 'beams'"


@pytest.mark.thorough
def test_one_prompt_is_continued_and_several_are_listed(trained):
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
        (["--top-k", 3], "--top-k has no effect without --temperature"),
        (["--temperature", 0, "--top-p", 0.5], "--top-p has no effect without --temperature"),
        (["--length-penalty", 2], "--length-penalty has no effect without --beams"),
        (
            ["--temperature", 1, "--top-p", 5],
            "--top-p must be above 0 and at most 1; received 5.0.",
        ),
        (
            ["--min-new-tokens", 100, "--max-new-tokens", 5],
            "--min-new-tokens must be below --max-new-tokens, 5; received 100.",
        ),
    ],
)
def test_options_without_effect_are_refused(options, message, trained):
    assert refused("predict", trained / "run", "the cat", *options) == message


@pytest.mark.thorough
def test_an_artifact_generates_as_many_tokens_as_it_was_exported_with(trained):
    """More than the default of the run."""
    out = trained / "long.tflite"
    how = ["--format", "litert", "--out", out, "--max-new-tokens", 23, "--json"]
    done = run("export", trained / "run", *how)
    assert done.exit_code == 0, done.output
    runner = Interpreter(str(out)).get_signature_runner("serving_default")
    ids = zoo.load(trained / "run").tokenizer.tokenize(["cat s"]).to_tensor().numpy()
    assert runner(token_ids=ids)["token_ids"].shape == (1, 23)


def test_a_run_is_resumed_with_its_own_task(trained):
    data = ["--data", trained / "text.txt", "--out", trained / "run"]
    line = refused("train", "text-to-text", *data, "--resume")
    assert line == f"the run in {trained / 'run'} has task causal-lm, not text-to-text"
    line = refused(
        "train", "causal-lm", "--data", trained / "text.txt", "--out", "x", "--model", "rnn"
    )
    assert (
        line
        == "unknown model 'rnn' for causal-lm; did you mean rnn_lm? Choose from rnn_lm, gpt, llama"
    )


@pytest.mark.thorough
def test_adapters_and_chats(tmp_path):
    from tests.zoo.pretrained.tiny_llama import write

    checkpoint, tuned = write(tmp_path / "checkpoint"), tmp_path / "tuned"
    chats = tmp_path / "chats.jsonl"
    chats.write_text('{"prompt": "of the women", "completion": "in the way"}\n' * 30, "utf-8")
    options = ["--lora-rank", "2", "--lora-layers", "q_proj", "--lora-layers", "up_proj"]
    options += ["--max-length", "24", "--max-new-tokens", "4", "--epochs", "1", "--no-xla"]
    result = run(
        "train", "causal-lm", "--data", chats, "--out", tuned, "--pretrained", checkpoint, *options
    )
    assert result.exit_code == 0, result.output
    config = json.loads((tuned / "adapter" / "adapter_config.json").read_text())
    assert config["target_modules"] == ["q_proj", "up_proj"]

    other = tmp_path / "other"
    result = run("import", checkpoint, "--adapter", tuned / "adapter", "--out", other)
    assert result.exit_code == 0, result.output
    line = '[{"role": "user", "content": "of the"}]'
    shown = [
        run("predict", folder, "--chat", text, "--max-new-tokens", "4", "--json")
        for folder in (tuned, other)
        for text in (line, "of the")
    ]
    assert all(each.exit_code == 0 for each in shown), shown
    assert len({json.loads(each.stdout)[0]["prediction"] for each in shown}) == 1

    assert refused("predict", tuned, "--chat", '[{"role": "system", "content": "Hi"}]') == (
        "chat 1 has no turn of a user"
    )
