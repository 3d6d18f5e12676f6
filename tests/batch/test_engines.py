"""The examples of the page on batch jobs answer each line once, though a worker is killed."""

from collections import Counter

import numpy as np
import pyarrow.parquet
import pytest

import export
import zoo
from tests.batch.job import Job

pytestmark = pytest.mark.clients
ROWS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")] * 5


@pytest.fixture(scope="module")
def trained():
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    task.adapt(ROWS)
    task.fit(ROWS, epochs=2, xla=False, verbose=False)
    return task


@pytest.fixture(scope="module")
def artifact(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("batch") / "reviews"
    export.saved_model(trained, path)
    return path


@pytest.fixture
def job(trained, artifact, tmp_path):
    return Job(tmp_path, artifact, trained)


def test_a_call(job):
    done = job.run("call", mortal=False)
    assert done.returncode == 0, done.stderr
    labels, dtypes = done.stdout.splitlines()
    assert labels == str(np.array([job.labels["a fine film so"], "bad"], object))
    known = {"scores": "float32", "class_id": "int32", "unknown": "int32", "text": "string"}
    assert dtypes == str(known)


def test_processes(job):
    failed = job.run("processes")
    assert "BrokenProcessPool" in failed.stderr and job.killed()
    assert not (job.folder / "labels.txt").exists()
    done = job.run("processes")
    assert done.returncode == 0, done.stderr
    actual = (job.folder / "labels.txt").read_text().splitlines()
    assert actual == [job.labels[line] for line in job.lines]


def test_ray(job):
    done = job.run("ray")
    assert done.returncode == 0 and job.killed(), done.stderr
    table = pyarrow.parquet.read_table(job.folder / "labels-ray")
    assert table.column_names == ["text", "label"]
    assert Counter(zip(*table.to_pydict().values(), strict=True)) == job.answers()


def test_spark(job):
    done = job.run("spark")
    assert done.returncode == 0 and job.killed(), done.stderr
    actual = pyarrow.parquet.read_table(job.folder / "labels-spark").to_pydict()
    assert Counter(zip(actual["value"], actual["text"], strict=True)) == job.answers()
    expected = [job.scores[line] for line in actual["value"]]
    np.testing.assert_allclose(actual["scores"], expected, atol=1e-5)


def test_beam(job):
    failed = job.run("beam")
    assert failed.returncode != 0 and job.killed(), failed.stderr
    assert not [*job.folder.glob("labels-beam/part*")]
    done = job.run("beam")
    assert done.returncode == 0, done.stderr
    parts = [path.read_text() for path in job.folder.glob("labels-beam/part-*")]
    actual = Counter(tuple(line.split("\t")) for part in parts for line in part.splitlines())
    assert actual == job.answers()
