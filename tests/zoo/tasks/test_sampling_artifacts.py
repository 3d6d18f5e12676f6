"""Artifacts that sample: with a seed for each row, they write what the task writes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import export
from export.task_serving import open_task
from export.worker import artifact
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject
from tests.zoo.server.serving import serving
from zoo.errors import UserError
from zoo.server.opening import servable_of

SAMPLING = {"temperature": 1.3, "top_p": 0.9}
SEEDS = [7, -5, 7, 2**31 - 1, 0]


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    return Subject(CASES["causal_lm"], tmp_path_factory.mktemp("sampling") / "causal_lm")


def test_the_seed_is_an_input_of_what_samples(subject):
    signatures = subject.served.export_parts(None, **SAMPLING).signatures
    takes = {name: "seed" in each.inputs for name, each in signatures.items()}
    assert takes == {"serving_default": True, "attention": False, "score": False}
    assert "seed" not in subject.served.export_parts(None).signatures["serving_default"].inputs
    with pytest.raises(UserError, match="seed must not be given"):
        subject.served.export_parts(None, **SAMPLING, seed=3)


@pytest.mark.thorough
def test_each_row_has_its_own_seed(subject):
    task, texts = subject.served, subject.case.texts
    path = subject.folder / "sampling.tflite"
    assert export.litert(task, path, **SAMPLING).passed
    features = subject.case.output.features(task, texts)
    file = artifact.load(path)
    written = file.run("serving_default", {**features, "seed": np.array(SEEDS, "int32")})
    expected = [
        task.predict([text], **SAMPLING, seed=seed)[0]
        for text, seed in zip(texts, SEEDS, strict=True)
    ]
    ids = task.preprocessor.detokenize(written["token_ids"]).numpy()
    assert [text.decode(errors="replace") for text in ids] == expected
    assert len(set(expected)) == len(texts)
    scores = task.evaluate_artifact(file, subject.data)
    assert set(scores) == set(task.compare(subject.data).model)


@pytest.mark.long
def test_a_server_takes_the_seed_beside_the_text(subject):
    task, texts = subject.served, subject.case.texts
    opened = open_task(task, **SAMPLING)
    with serving(servable_of("model", opened, task, SAMPLING)) as client:
        rows = [{"text": text, "seed": n} for text, n in zip(texts, SEEDS, strict=True)]
        status, answer = client.ask("/v1/models/model:predict", {"instances": rows})
        assert status == 200
        assert [row["text"] for row in answer["predictions"]] == [
            task.predict([row["text"]], **SAMPLING, seed=row["seed"])[0] for row in rows
        ]
        expected = [row["text"] for row in answer["predictions"]]

        def alone(row):
            status, answer = client.ask("/v1/models/model:predict", {"instances": [row]})
            return answer["predictions"][0]["text"]

        with ThreadPoolExecutor(len(rows)) as callers:  # whose rows are joined
            assert [*callers.map(alone, rows * 4)] == expected * 4
        for seed in (2**31, -(2**31) - 1, 2**70, 1.5, "7", None, [7], True):
            row = {"text": texts[0], "seed": seed}
            status, answer = client.ask("/v1/models/model:predict", {"instances": [row]})
            assert status == 400 and "seed" in answer["error"], seed
        status, answer = client.ask("/v1/models/model:predict", {"instances": texts[:1]})
        assert (status, answer["error"]) == (400, "instance 0: expected an object with seed, text")
