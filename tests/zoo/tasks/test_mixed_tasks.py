"""Tasks of different kinds with one encoder: labels, values, tags and several labels."""

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.stand_in import scramble
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import encoder_inputs
from zoo.tasks.kinds.texts import KINDS
from zoo.tasks.options import multi_task as options

FILMS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("dull", "bad")] * 3
ALIKE = [("a red hat", "a red hat", 4.5), ("a red hat", "a dull tree", 0.25)] * 5
NAMES = [(["Ann", "has", "a", "red", "hat"], ["B", "O", "O", "O", "O"]), (["fine"], ["O"])] * 4
TOPICS = [("a red hat", ["red", "hat"]), ("a dull tree", []), ("a hat", ["hat"])] * 4
DATA = {"films": FILMS, "alike": ALIKE, "names": NAMES, "topics": TOPICS}
KIND = {"films": "label", "alike": "values", "names": "tags", "topics": "labels"}
SIZES = {
    "hidden_dim": 12,
    "num_heads": 2,
    "intermediate_dim": 16,
    "num_layers": 1,
    "max_length": 13,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
FIT = {"batch_tokens": 40, "xla": False, "verbose": False}
INPUTS = {
    "films": ["a fine hat", "dull"],
    "alike": [("a red hat", "a tree"), ("fine", "a hat")],
    "names": ["Ann has a red hat", "fine"],
    "topics": ["a dull red hat", "tree"],
}


@pytest.fixture(scope="module")
def task():
    task = zoo.MultiTask("bert", "tiny", **SIZES)
    task.adapt(DATA)
    scramble(task.model)
    return task


def test_kinds_are_those_of_the_options():
    assert tuple(KINDS.by_name) == options.KINDS


def test_the_kind_of_each_task_is_recognized_in_memory(task):
    assert task.settings.kinds == KIND
    assert {name: task.kind(name) for name in DATA} == KIND
    assert task.model.output["alike"].shape == (None, 1)
    assert task.model.output["names"].shape == (None, None, 2)
    assert task.model.output["topics"].shape == (None, 2)


@pytest.mark.parametrize("name", DATA)
def test_a_single_task_answers_alike(task, name):
    """It is a task of its own, with the metrics that the head has beside the others."""
    single = task.single_task(name)
    actual, expected = task.predict({name: INPUTS[name]})[name], single.predict(INPUTS[name])
    if KIND[name] == "values":
        np.testing.assert_allclose(actual, expected, rtol=1e-5)
    else:
        assert actual == expected
    scores = task.compare({name: DATA[name]}).model
    for metric, value in single.compare(DATA[name]).model.items():
        assert scores[f"{name}_{metric}"] == pytest.approx(value, abs=1e-5)


def test_labels_of_other_tasks_are_padding(task):
    batches = task.batches(task.read(DATA), task.Training(batch_tokens=40))
    seen = set()
    for inputs, labels in batches.dataset():
        known = {name: np.asarray(own) for name, own in labels.items()}
        known = {
            name: own == own if own.dtype.kind == "f" else own >= 0 for name, own in known.items()
        }
        (name,) = [name for name, own in known.items() if own.any()]
        seen.add(name)
        assert labels["names"].shape == inputs["token_ids"].shape
        assert labels["alike"].shape == (len(labels["films"]), 1)
    assert seen == set(DATA)


def test_the_loss_is_the_sum_of_those_of_the_kinds(task):
    """NumPy: cross-entropy, squared error of standardized values, and binary cross-entropy."""
    batches = task.batches(task.read(DATA), task.Training(batch_tokens=40, seed=0))
    total, count = dict.fromkeys(DATA, 0.0), 0
    for inputs, labels in batches.dataset():
        logits = {name: np.asarray(x, np.float64) for name, x in task.model(inputs).items()}
        wanted = {name: np.asarray(x) for name, x in labels.items()}
        rows = len(wanted["films"])
        for name in ("films", "names"):
            known = wanted[name] >= 0
            own, numbers = logits[name][known], wanted[name][known]
            if len(own):
                log_p = own - np.log(np.exp(own).sum(-1, keepdims=True))
                total[name] -= log_p[np.arange(len(own)), numbers].mean() * rows
        known = ~np.isnan(wanted["alike"][:, 0])
        if known.any():
            total["alike"] += ((logits["alike"] - wanted["alike"])[known] ** 2).mean() * rows
        known = wanted["topics"][:, 0] >= 0
        if known.any():
            z, y = logits["topics"][known], wanted["topics"][known]
            total["topics"] += (np.log1p(np.exp(z)) - y * z).sum(-1).mean() * rows
        count += rows
    before = task.model.get_weights()
    weights = {"films": 0.25, "alike": 2.0}
    history = task.fit(DATA, weights=weights, epochs=1, learning_rate=1e-12, seed=0, **FIT)
    task.model.set_weights(before)
    expected = sum(weights.get(name, 1.0) * value for name, value in total.items()) / count
    np.testing.assert_allclose(history.history["loss"], [expected], rtol=1e-5)


@pytest.mark.thorough
def test_all_kinds_are_learned_together_and_kept(tmp_path):
    task = zoo.MultiTask("bert", "tiny", **SIZES)
    history = task.fit(
        DATA, DATA, epochs=25, learning_rate=0.01, sampling=0.0, folder=tmp_path / "run", **FIT
    )
    assert history.monitor == "val_mean_score" and history.best_value > 0.9
    scores = task.compare(DATA)
    assert scores.model["mean_score"] == pytest.approx(history.best_value, abs=0.05)
    parts = [scores.model[f"{name}_{KINDS.by_name[kind].metric}"] for name, kind in KIND.items()]
    assert scores.model["mean_score"] == pytest.approx(np.mean(parts))
    # Baselines are those of the single tasks.
    for name, rows in DATA.items():
        single = task.single_task(name)
        examples = single.read(rows)
        own = single.parts.recipe.baselines
        learned = own.fit(examples, single.fitted)
        metric = KINDS.by_name[KIND[name]].metric
        for key, value in own.scores(learned, examples, single.fitted).items():
            if key.endswith(f"_{metric}"):
                baseline = key.removesuffix(f"_{metric}")
                assert scores.baselines[f"{baseline}_{name}_{metric}"] == pytest.approx(value)
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    assert again.settings.kinds == KIND and again.scaling == task.scaling
    assert again.scaling.thresholds.keys() == {"topics"}
    assert again.scaling.temperatures.keys() >= {"films"}
    assert again.compare(DATA).metrics == pytest.approx(scores.metrics, abs=1e-6)


def test_files_are_recognized_and_may_be_told(tmp_path):
    content = {
        "films.tsv": "".join("\t".join(row) + "\n" for row in FILMS),
        "stars.csv": "text,stars\n" + "".join(f"film {i},{i % 5 + 1}\n" for i in range(30)),
        "price.csv": "text,price\n" + "".join(f"film {i},{i / 7:.3f}\n" for i in range(30)),
        "names.conll": "".join(
            "".join(f"{a}\t{b}\n" for a, b in zip(*row, strict=True)) + "\n" for row in NAMES
        ),
        "flags.csv": "text,red,hat\n"
        + "".join(f"film {i},{i % 2},{i % 3 and 1}\n" for i in range(30)),
    }
    data = {}
    for name, text in content.items():
        (tmp_path / name).write_text(text)
        data[name.partition(".")[0]] = tmp_path / name
    task = zoo.MultiTask("bert", "tiny", **SIZES)
    task.adapt(data)
    assert task.settings.kinds == {
        "films": "label", "stars": "label", "price": "values", "names": "tags", "flags": "labels",
    }  # fmt: skip
    assert task.settings.labels["flags"] == ["hat", "red"]
    told = zoo.MultiTask("bert", "tiny", kinds={"stars": "values"}, **SIZES)
    told.adapt({"stars": data["stars"]})
    assert told.kind("stars") == "values" and told.single_task("stars").value_names == ["stars"]
    options = {"stars": {"value_means": [3.0], "value_scales": [2.0]}}
    named = zoo.MultiTask("bert", "tiny", kinds={"stars": "values"}, task_options=options, **SIZES)
    named.adapt({"stars": data["stars"]})
    assert named.single_task("stars").head.means == [3.0]


def test_mistakes_are_named(task):
    def new(**settings):
        return zoo.MultiTask("bert", "tiny", **{**SIZES, **settings})

    with pytest.raises(
        UserError, match="the kind of 'a' must be one of label, labels, values, tags"
    ):
        new(kinds={"a": "number"})
    with pytest.raises(UserError, match="kinds: there is no task 'x'; choose from films"):
        new(kinds={"x": "values"}).adapt({"films": FILMS})
    with pytest.raises(UserError, match=r"films \(label\) has no option 'value_column'"):
        new(task_options={"films": {"value_column": "a"}}).adapt({"films": FILMS})
    weighted = {"films": {"weight_column": "weight"}}
    rows = {"text": ["a", "b"], "label": ["x", "y"], "weight": [1.0, 2.0]}
    with pytest.raises(UserError, match="multi-task has no weights of rows"):
        new(task_options=weighted).fit({"films": rows}, **FIT)
    with pytest.raises(UserError, match="options of 'films' must be a JSON object, got 3"):
        new(task_options={"films": 3})
    with pytest.raises(UserError, match="all values of value are 2.5; a regressor learns from"):
        new().adapt({"alike": [("a", 2.5), ("b", 2.5)]})
    with pytest.raises(UserError, match="expected pairs, found single texts"):
        task.evaluate({"alike": [("a", 2.5)]})
    with pytest.raises(UserError, match="has the tag 'X'; expected one of B, O"):
        task.evaluate({"names": [(["a"], ["X"])]})
    with pytest.raises(UserError, match="has the label 'tree'; expected one of hat, red"):
        task.evaluate({"topics": [("a", ["tree"])]})


def test_the_attention_of_words(task):
    (maps,) = task.attention(("names", ["Ann", "has"]))
    ids = task.single_task("names").preprocessor(text=["Ann has"])["token_ids"]
    assert maps.weights.shape[-1] == encoder_inputs(ids)["token_ids"].shape[1]
