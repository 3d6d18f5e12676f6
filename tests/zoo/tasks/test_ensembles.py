"""An ensemble generates by the mean of the probabilities of its runs."""

import json

import numpy as np
import pytest
from keras import ops
from typer.testing import CliRunner

import zoo
from tests.zoo.tasks.small_task import fit, make_pairs, make_task
from zoo.cli.app import app
from zoo.errors import UserError

PAIRS = make_pairs()
SOURCES = [source for source, _ in PAIRS[:5]]


@pytest.fixture(scope="module")
def tasks():
    made = []
    for seed, sizes in ((0, {}), (1, {"num_layers": 2}), (2, {"hidden_dim": 22})):
        task = make_task(seed=seed, **sizes)
        task.adapt(PAIRS)
        fit(task, 3, repeats=2)
        made.append(task)
    return made


@pytest.fixture(scope="module")
def together(tasks):
    return zoo.ensemble(*tasks)


def command(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def ids_of(task, texts):
    return task.preprocessor(text=np.array(texts, object))["token_ids"].numpy()


def mean_probabilities(tasks, source, target):
    """Of the token after each of the target (T,): float64 (T + 1, V), without padding and start."""
    special = tasks[0].special_tokens
    read = np.array([[special.first_read, *target]], "int32")
    inputs = {
        "source_ids": source[None],
        "source_mask": source[None] != special.pad,
        "target_ids": read,
        "target_mask": np.ones(read.shape, bool),
    }
    total = 0.0
    for task in tasks:
        tensors = {name: ops.convert_to_tensor(x) for name, x in inputs.items()}
        logits = ops.convert_to_numpy(task.model(tensors)["logits"])[0].astype("float64")
        each = np.exp(logits - logits.max(axis=-1, keepdims=True))
        total = total + each / each.sum(axis=-1, keepdims=True) / len(tasks)
    total[:, list(special.suppressed)] = 0
    return total / total.sum(axis=-1, keepdims=True)


def test_greedy_tokens_are_the_most_probable_on_average(tasks, together):
    ids = ids_of(together, SOURCES)
    actual = together.generate_ids(ids)
    end, pad = together.special_tokens.end, together.special_tokens.pad
    for source, row in zip(ids, actual, strict=True):
        expected = []
        while len(expected) < 5 and (not expected or expected[-1] != end):
            expected.append(int(mean_probabilities(tasks, source, expected)[-1].argmax()))
        assert row.tolist() == expected + [pad] * (5 - len(expected))
    alone = [task.generate_ids(ids) for task in tasks]
    assert any((each != actual).any() for each in alone)


@pytest.mark.thorough
def test_scores_of_beams_are_those_of_the_mean(tasks, together):
    ids = ids_of(together, SOURCES)
    every = together.candidates(SOURCES, beams=4, length_penalty=0.0)
    for source, beams in zip(ids, every, strict=True):
        assert len(beams) == 4
        for text, score in beams:
            written = [i for i in ids_of(together, [text])[0] if i != 0][:5]
            p = mean_probabilities(tasks, source, written)
            expected = np.log([p[place, number] for place, number in enumerate(written)]).sum()
            assert abs(score - expected) < 1e-4 * max(1, abs(expected)), text
    greedy = together.candidates(SOURCES, beams=1)
    best = [beams[0].score for beams in every]
    assert all(b >= g[0].score - 1e-4 for b, g in zip(best, greedy, strict=True))


def test_one_run_twice_is_that_run(tasks):
    twice = zoo.ensemble(tasks[1], tasks[1])
    for options in ({}, {"beams": 3}, {"temperature": 0.7, "seed": 5}):
        assert twice.predict(SOURCES, **options) == tasks[1].predict(SOURCES, **options)
    one, other = (each.evaluate(PAIRS) for each in (tasks[1], twice))
    assert one == pytest.approx(other, rel=1e-5)


@pytest.mark.thorough
def test_perplexity_is_that_of_the_mean(tasks, together):
    total = count = 0
    for source, target in PAIRS[:7]:
        written = [i for i in ids_of(together, [target])[0] if i != 0][:5]
        special = tasks[0].special_tokens
        ids = ids_of(together, [source])[0]
        raw = mean_without_suppression(tasks, ids, written, special)
        total -= sum(np.log(raw[place, number]) for place, number in enumerate(written))
        count += len(written)
    actual = together.evaluate(PAIRS[:7], metrics=["perplexity"])["perplexity"]
    assert actual == pytest.approx(np.exp(total / count), rel=1e-4)


def mean_without_suppression(tasks, source, target, special):
    read = np.array([[special.first_read, *target]], "int32")
    inputs = {
        "source_ids": ops.convert_to_tensor(source[None]),
        "source_mask": ops.convert_to_tensor(source[None] != special.pad),
        "target_ids": ops.convert_to_tensor(read),
        "target_mask": ops.ones(read.shape, "bool"),
    }
    every = [ops.convert_to_numpy(ops.softmax(task.model(inputs)["logits"])) for task in tasks]
    return np.mean(np.array(every, "float64"), axis=0)[0]


@pytest.mark.thorough
def test_a_language_model_continues_together():
    texts = ["a red hat on a mat"] * 60
    made = []
    for seed in (0, 1):
        task = zoo.CausalLM(
            "gpt", "tiny", seed=seed, num_layers=1, hidden_dim=16, num_heads=2, max_length=16
        )
        task.adapt(texts)
        task.fit(texts, epochs=1, xla=False, verbose=False)
        made.append(task)
    twice = zoo.ensemble(made[0], made[0])
    assert twice.predict(["a re", "on"]) == made[0].predict(["a re", "on"])
    both = zoo.ensemble(*made)
    assert len(both.predict(["a re"], beams=2)) == 1
    assert "".join(both.stream("a re")) == both.predict(["a re"])[0]


def test_what_does_not_go_together_is_refused(tasks, together, tmp_path):
    other = make_task(vocabulary_size=40)
    other.adapt(PAIRS)
    with pytest.raises(UserError, match="must have the same vocabulary"):
        zoo.ensemble(tasks[0], other)
    classifier = zoo.TextClassifier()
    classifier.adapt([("a", "x"), ("b", "y")] * 3)
    with pytest.raises(UserError, match="text-classifier does not"):
        zoo.ensemble(tasks[0], classifier)
    for call, what in (
        (lambda: together.save(tmp_path / "run"), "saved"),
        (lambda: fit(together, 1), "trained"),
        (lambda: together.export_parts("strings"), "exported"),
    ):
        with pytest.raises(UserError, match=f"an ensemble cannot be {what}"):
            call()
    assert tasks[0].predict(SOURCES[:2]) and not (tmp_path / "run").exists()


def test_the_commands(tasks, together, tmp_path):
    folders = [tmp_path / str(number) for number in range(3)]
    for task, folder in zip(tasks, folders, strict=True):
        task.save(folder)
    (tmp_path / "test.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS))
    more = [word for folder in folders[1:] for word in ("--ensemble", folder)]
    shown = command("predict", folders[0], *more, "--beams", 3, *SOURCES[:3])
    assert shown.splitlines() == together.predict(SOURCES[:3], beams=3)
    data = ["--data", tmp_path / "test.tsv", "--json"]
    scores = json.loads(command("evaluate", folders[0], *more, *data))
    assert scores["bleu"] == pytest.approx(together.evaluate(PAIRS)["bleu"])
    assert "ensemble" not in (folders[0] / "config.json").read_text()
    assert not (folders[0] / "metrics.json").exists()
