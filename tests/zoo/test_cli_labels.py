"""Several tasks, tags and vectors from the command line."""

import json

import pytest

from tests.zoo.test_cli import run

pytestmark = pytest.mark.thorough

SIZES = ["hidden_dim=8", "num_heads=2", "intermediate_dim=8", "num_layers=1"]
HOW = ["--epochs", 1, "--no-xla", "--max-length", 13, *(f"--set={size}" for size in SIZES)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "films.tsv").write_text("a fine film\tgood\na dull one\tbad\n" * 2)
    (folder / "same.tsv").write_text("a film\ta movie\tyes\na film\ta tree\tno\n" * 2)
    (folder / "pairs.tsv").write_text("a red hat\tthe hat is red\ntwo dogs\tdogs\n" * 2)
    (folder / "likeness.tsv").write_text("a hat\tthe hat\t5\na hat\tdogs\t1\n")
    (folder / "tags.conll").write_text("Ann B-PER\nsings O\n\nrain O\n")
    return folder


def call(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.long
def test_several_tasks(folder):
    out = folder / "glue"
    data = [f"--data=films={folder / 'films.tsv'}", f"--data=same={folder / 'same.tsv'}"]
    call("train", "multi-task", *data, "--sampling", 0.5, "--weights", "same=2", "--out", out, *HOW)
    scores = json.loads(call("evaluate", out, *data, "--json"))
    assert {"films_accuracy", "same_macro_f1", "mean_accuracy"} <= set(scores)
    metrics = (out / "metrics.json").read_text()
    films = ("evaluate", out, "--head", "films", "--data", folder / "films.tsv")
    own = json.loads(call(*films, "--metrics", "accuracy,f1_per_label,matthews", "--json"))
    assert own["accuracy"] == scores["films_accuracy"] and {"good_f1", "matthews"} <= set(own)
    assert "tfidf_accuracy" in own and (out / "metrics.json").read_text() == metrics
    training = json.loads((out / "config.json").read_text())["training"]
    assert training["sampling"] == 0.5 and training["weights"] == {"same": 2.0}
    assert call("predict", out, "--head", "films", "a fine one").strip() in ("good", "bad")
    pairs = folder / "only_pairs.tsv"
    pairs.write_text("a film\ta tree\na tree\ta tree\n")
    rows = [
        line.split("\t")
        for line in call("predict", out, "--head", "same", "--file", pairs).splitlines()
    ]
    assert [row[:2] for row in rows] == [["a film", "a tree"], ["a tree", "a tree"]]
    assert {row[2] for row in rows} <= {"yes", "no"}

    new = ("train", "multi-task", *data, "--out", folder / "new", *HOW)
    for arguments, message in [
        (("predict", out, "a"), "has several tasks: choose one with --head (films, same)"),
        (("predict", out, "--head", "x", "a"), "there is no task 'x'; choose from films, same"),
        (("predict", out, "--head", "same", "a"), "expected 2 texts separated by tabs, got"),
        (("evaluate", out, "--data", "films.tsv"), "multi-task expects NAME=FILE, got 'films.tsv'"),
        (
            new + ("--weights", "same=-1"),
            "the weight of 'same' must be a number of at least 0, got",
        ),
        (new + ("--weights", "same=much"), "must be a number of at least 0, got 'much'"),
        (new + ("--weights", "other=1"), "there is no task 'other'; choose from films, same"),
        (new + ("--pairs", "same=7"), "pairs of 'same' must be true or false, got 7"),
        (new + ("--labels", "same=yes"), "labels of 'same' must be a list, got 'yes'"),
        (new + ("--weights", "same"), "--weights expects NAME=VALUE, got 'same'"),
    ]:
        failed = run(*arguments)
        assert failed.exit_code == 2
        assert message in " ".join(failed.output.split())


@pytest.mark.long
def test_tags(folder):
    data, out = folder / "tags.conll", folder / "tagger"
    call("train", "token-tagger", "--data", data, "--out", out, *HOW)
    assert "f1" in call("evaluate", out, "--data", data)
    words = call("predict", out, "Ann sings").split()
    assert [word.split("/")[0] for word in words] == ["Ann", "sings"]
    failed = run("predict", out, "--head", "x", "Ann")
    assert failed.exit_code == 2 and "token-tagger has no option --head" in failed.output


def test_vectors(folder):
    data, out = folder / "pairs.tsv", folder / "embedder"
    call("train", "text-embedder", "--data", data, "--out", out, *HOW)
    scored = call("evaluate", out, "--data", folder / "likeness.tsv", "--score-column", "3")
    assert "spearman" in scored and "recall_at_1" in call("evaluate", out, "--data", data)


def test_ranks_passages_for_a_query(folder):
    rows = ["query\tpassage\tscore", "hat\ta red hat\t1", "hat\ttea\t0", "tea\tcold tea\t1"]
    (folder / "passages.tsv").write_text("\n".join(rows * 1) + "\n")
    (folder / "texts.txt").write_text("a red hat\ncold tea\none\ttwo\n")
    out = folder / "reranker"
    call("train", "text-pair-scorer", "--data", folder / "passages.tsv", "--out", out, *HOW)
    ask = ("predict", out, "--query", "hat")
    lines = call(*ask, "--file", folder / "texts.txt").splitlines()
    scores, texts = zip(*(line.split("\t") for line in lines), strict=True)
    assert sorted(texts) == ["a red hat", "cold tea", "one two"]
    assert [float(score) for score in scores] == sorted(map(float, scores), reverse=True)
    found = json.loads(call(*ask, *texts, "--json"))
    assert [each["text"] for each in found] == list(texts) and found[0]["query"] == "hat"
    call(
        "export", out, "--format", "litert", "--text", "bytes", "--out", folder / "reranker.tflite"
    )
    of_file = json.loads(
        call("predict", folder / "reranker.tflite", "--query", "hat", *texts, "--json")
    )
    assert [each["score"] for each in of_file] == pytest.approx(
        [each["score"] for each in found], abs=1e-4
    )
    vectors = folder / "films"
    call(
        "train",
        "text-classifier",
        "--data",
        folder / "films.tsv",
        "--out",
        vectors,
        "--epochs",
        1,
        "--no-xla",
    )
    done = run("predict", vectors, "--query", "a", "b")
    assert done.exit_code == 2 and "--query ranks passages by their score" in done.stderr
