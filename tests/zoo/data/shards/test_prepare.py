"""Prepared data is what is in memory, in whatever way it was prepared."""

import json
import os
import shutil

import numpy as np
import pyarrow as pa
import pytest

import zoo
from zoo.data.readers import documents, read_columns, tables
from zoo.data.shards import prepare, worker
from zoo.data.shards.arrays import map_array
from zoo.data.shards.manifest import is_shards
from zoo.errors import UserError
from zoo.locking import locked

WORDS = ("fine", "film", "dull", "tree", "odd", "hat", "red")
ROWS = [
    (" ".join(WORDS[(i * j + j) % 7] for j in range(1 + i * i % 11)), ("bad", "good", "so")[i % 3])
    for i in range(101)
]


def classifier(**options):
    return zoo.TextClassifier("rnn_classifier", embedding_dim=5, units=3, max_length=7, **options)


@pytest.fixture
def pieces(monkeypatch):
    monkeypatch.setattr(read_columns, "PIECE_ROWS", 23)
    monkeypatch.setattr(tables, "BATCH_ROWS", 23)
    monkeypatch.setattr(documents, "PIECE_CHARACTERS", 100)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "rows.tsv"
    path.write_text("".join(f"{text}\t{label}\n" for text, label in ROWS))
    return path


@pytest.fixture
def shards(table, pieces, tmp_path):
    classifier().prepare(table, tmp_path / "shards", processes=1)
    return tmp_path / "shards"


def content(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def rows_of(batches, **options):
    """The rows of an epoch without padding, sorted; and the shapes of its batches."""
    actual, shapes = [], []
    for x in batches.columns(**options):
        first, second = x.values()
        shapes.append(first.shape)
        for ids, other in zip(first, second, strict=True):
            if (ids != 0).any():
                actual.append((*ids[ids != 0].tolist(), -9, *np.atleast_1d(other[other != 0])))
    return sorted(tuple(map(int, row)) for row in actual), sorted(shapes)


def test_the_same_rows_and_shapes_as_in_memory(table, shards):
    assert len(list(shards.glob("shard-*"))) == 5
    stored, memory = classifier(), classifier()
    stored.adapt(shards)
    memory.adapt(table)
    assert stored.labels == memory.labels == ["bad", "good", "so"]
    assert stored.examples == memory.examples
    training = stored.Training(batch_tokens=40)
    for held_out in (False, True):
        each = [
            t.batches(t.read(d), training, held_out) for t, d in ((stored, shards), (memory, table))
        ]
        assert rows_of(each[0]) == rows_of(each[1]) == rows_of(each[0], epoch=3)
        assert rows_of(each[0], shuffle=False) == rows_of(each[1], shuffle=False)
        assert each[0].steps_per_epoch == each[1].steps_per_epoch
        assert each[0].padding == each[1].padding
    first, other = (next(each[0].columns(epoch))["token_ids"].tolist() for epoch in (0, 1))
    assert first != other


def test_any_batch_is_the_same_on_its_own_and_processes_share_them(shards):
    task = classifier()
    task.adapt(shards)
    batches = task.batches(task.read(shards), task.Training(batch_tokens=30))
    whole = [x["token_ids"].tolist() for x in batches.columns(epoch=2)]
    assert len(whole) == batches.steps_per_epoch > 9
    late = [x["token_ids"].tolist() for x in batches.part(2, True, slice(7, None))]
    assert late == whole[7:]
    parts = [
        [x["token_ids"].tolist() for x in batches.part(2, True, slice(r, None, 3))]
        for r in range(3)
    ]
    assert [parts[i % 3][i // 3] for i in range(len(whole))] == whole


def test_a_stream_equals_that_in_memory_whatever_the_pieces(pieces, tmp_path):
    texts = [
        "\n".join(" ".join(WORDS[(i * j) % 7] for j in range(9)) for i in range(40)),
        "",
        "a b",
    ]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
    with pa.CompressedOutputStream(str(tmp_path / "3.txt.zst"), "zstd") as file:
        file.write(b"an odd hat\n\n  red")
    for tokenizer in ("wordpiece", "sentencepiece", "characters", "bytes"):
        options = {"tokenizer": tokenizer, "vocabulary_size": 40, "units": 3, "max_length": 8}
        options |= {"max_new_tokens": 2}
        stored, memory = (zoo.CausalLM("rnn_lm", **options) for _ in range(2))
        folder = tmp_path / f"shards-{tokenizer}"
        data = sorted([*tmp_path.glob("*.txt"), tmp_path / "3.txt.zst"])
        memory.adapt(data)
        memory.prepare(data, folder, processes=1)
        stored.adapt(folder)
        a, b = (t.batches(t.read(d), t.Training()) for t, d in ((stored, folder), (memory, data)))
        assert len(list(folder.glob("shard-*"))) > 3
        assert a.ids[np.arange(len(a.ids))].tolist() == b.ids.tolist(), tokenizer


def test_prepared_twice_is_the_same_and_continues_where_it_stopped(
    table, shards, pieces, tmp_path, monkeypatch
):
    again, whole = tmp_path / "again", content(shards)
    written = []

    def stops(task, folder, number, *rest):
        if number == 3 and len(written) == 3:
            raise KeyboardInterrupt
        written.append(number)
        return write(task, folder, number, *rest)

    write = worker.write
    monkeypatch.setattr(worker, "write", stops)
    with pytest.raises(KeyboardInterrupt):
        classifier().prepare(table, again, processes=1)
    with pytest.raises(UserError, match="was begun with other data or settings"):
        classifier(vocabulary_size=77).prepare(table, again, processes=1)
    kept = len(list(again.glob("shard-*")))
    written.append(None)
    classifier().prepare(table, again, processes=1)
    assert written[4:] == list(range(kept, 5)) and content(again) == whole
    with pytest.raises(UserError, match="already contains prepared data"):
        classifier().prepare(table, again, processes=1)


@pytest.mark.thorough
def test_several_processes_write_the_same(table, shards, tmp_path):
    classifier().prepare(table, tmp_path / "others", processes=2)
    assert content(tmp_path / "others") == content(shards)


@pytest.mark.thorough
def test_another_process_is_told_to_wait(table, tmp_path):
    with locked(tmp_path / "s"):
        import subprocess
        import sys

        code = (
            "import sys, pathlib; from zoo.data.shards.prepare import prepare\n"
            "try: prepare(None, None, pathlib.Path(sys.argv[1]), 1)\n"
            "except ValueError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "s"], capture_output=True, text=True
        )
    assert "another process is writing to" in done.stdout


def damage(folder, change):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


HOSTILE = {
    "path": lambda m: m["columns"].update({"../labels": "scalars"}),
    "size": lambda m: m["shards"][0]["values"].update(token_ids=10**12),
    "rows": lambda m: m["shards"][0].update(rows=10**12),
    "negative": lambda m: m["shards"][0].update(rows=-1),
    "kind": lambda m: m["columns"].update(labels="pickle"),
    "scale": lambda m: m["scale"].update(token_ids=float("nan")),
    "no scale": lambda m: m["scale"].clear(),
    "none": lambda m: m.update(shards=[]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_manifest_is_refused(shards, name):
    damage(shards, HOSTILE[name])
    task = classifier()
    with pytest.raises(UserError, match="is damaged"):
        task.adapt(shards)
        task.batches(task.read(shards), task.Training())


def array(values, dtype):
    return np.array(values, dtype)


@pytest.mark.parametrize(
    ("file", "made"),
    {
        "negative": ("token_ids.offsets.npy", lambda a: np.where(np.arange(len(a)) == 2, -5, a)),
        "beyond": ("token_ids.offsets.npy", lambda a: a * 2),
        "unsorted": ("token_ids.offsets.npy", lambda a: np.r_[0, a[-1] - a[::-1][1:]]),
        "dtype": ("token_ids.npy", lambda a: a.astype("float32")),
        "objects": ("labels.npy", lambda a: a.astype(object)),
        "shape": ("labels.npy", lambda a: a[:, None]),
        "short": ("labels.npy", lambda a: a[1:]),
        "ids": ("token_ids.npy", lambda a: a + 60000),
        "labels": ("labels.npy", lambda a: a - 2),
    }.values(),
)
def test_hostile_arrays_are_refused(shards, file, made):
    path = shards / "shard-000001" / file
    np.save(path, made(np.load(path)), allow_pickle=True)
    task = classifier()
    task.adapt(shards)
    with pytest.raises(UserError, match="shard-000001.* is damaged"):
        list(task.batches(task.read(shards), task.Training()).columns())


def test_damage_that_is_met_in_training_is_told_in_one_sentence(shards):
    """TensorFlow reads the batches, and makes an error of its own of it, with a traceback."""
    task = classifier()
    task.adapt(shards)
    path = shards / "shard-000001" / "labels.npy"
    labels = np.load(path)
    labels[:] = 77
    np.save(path, labels)
    with pytest.raises(UserError) as told:
        task.fit(shards, epochs=1, xla=False, verbose=False)
    assert str(told.value).startswith(f"{path} is damaged (it has values that are not below")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("header", [b"\0", b"(" * 300, b"-" * 900 + b"1"])
def test_a_damaged_header_is_refused(tmp_path, header):
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(UserError, match="a.npy is damaged"):
        map_array(tmp_path / "a.npy", ("int32",), 3)


def test_a_link_is_not_followed(shards, tmp_path):
    path = shards / "shard-000001" / "labels.npy"
    shutil.move(path, tmp_path / "elsewhere.npy")
    path.symlink_to(tmp_path / "elsewhere.npy")
    task = classifier()
    task.adapt(shards)
    with pytest.raises(UserError, match="not a regular file"):
        list(task.batches(task.read(shards), task.Training()).columns())


def test_what_prepared_data_cannot_be_used_for(shards):
    task = classifier()
    task.adapt(shards)
    with pytest.raises(UserError, match="no part can be held out"):
        task.fit(shards, 0.1)
    with pytest.raises(UserError, match="has no texts"):
        task.evaluate(shards)
    with pytest.raises(UserError, match="prepared data must be given as one folder"):
        task.fit([shards, shards])
    other = classifier()
    other.adapt(ROWS)
    with pytest.raises(UserError, match="reads its data into memory"):
        zoo.TokenTagger().adapt(shards)
    with pytest.raises(UserError, match="prepared for text-classifier"):
        zoo.CausalLM().adapt(shards)
    longer = zoo.TextClassifier("rnn_classifier", max_length=9)
    longer.adapt(ROWS)
    with pytest.raises(UserError, match="is prepared with max_length 7, and the task has 9"):
        longer.fit(shards)


def test_pairs_have_the_same_rows(pieces, tmp_path):
    pairs = [(f"{a} {a} {b}", f"{a} {b} {i}") for i, (a, b) in enumerate(ROWS)]
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    for kind, options in (
        (zoo.TextToText, {"num_layers": 1, "intermediate_dim": 5}),
        (zoo.TextEmbedder, {"intermediate_dim": 5}),
    ):
        memory, stored = (kind(hidden_dim=8, vocabulary_size=60, **options) for _ in range(2))
        memory.adapt(path)
        folder = tmp_path / kind.name
        kind(hidden_dim=8, vocabulary_size=60, **options).prepare(path, folder, processes=1)
        stored.adapt(folder)
        each = [
            rows_of(t.batches(t.read(d), t.Training(batch_tokens=60)))[0]
            for t, d in ((stored, folder), (memory, path))
        ]
        assert each[0] == each[1] and len(each[0]) == len(ROWS)


def test_prepare_of_nothing(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        classifier().prepare(tmp_path / "none.tsv", tmp_path / "s", processes=1)
    (tmp_path / "empty.tsv").write_text("")
    with pytest.raises(UserError, match="no rows"):
        classifier().prepare(tmp_path / "empty.tsv", tmp_path / "s", processes=1)
    assert prepare.PLAN not in content(tmp_path)


@pytest.mark.parametrize("data", [["shards"], ["a hat " * 1000], "a hat " * 1000, "a\0b", []])
def test_texts_and_odd_paths_are_no_prepared_data(data, shards, monkeypatch):
    monkeypatch.chdir(shards.parent)
    assert not is_shards(data)
    assert is_shards("shards") and is_shards([shards])


TEXTS = [
    "\n".join(" ".join(WORDS[(i * j + k) % 7] for j in range(3 + k)) + "." for i in range(13))
    for k in range(4)
]


PLAIN = {"denoising": zoo.Denoising, "masked-lm": zoo.MaskedLM}


def plain(name):
    sizes = {"num_layers": 1, "hidden_dim": 8, "intermediate_dim": 8, "max_length": 19}
    return PLAIN[name](vocabulary_size=60, **sizes)


@pytest.mark.thorough(1)
@pytest.mark.parametrize("name", PLAIN)
def test_plain_text_is_prepared_once_and_corrupted_anew_in_each_epoch(name, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "PIECE_CHARACTERS", 300)
    data, folder = tmp_path / "texts", tmp_path / "shards"
    data.mkdir()
    for number, text in enumerate(TEXTS):
        (data / f"{number}.txt").write_text(text)
    stored, memory = plain(name), plain(name)
    memory.adapt(data)
    memory.prepare(data, folder, processes=1)
    assert len(list(folder.glob("shard-*"))) > 1
    stored.adapt(folder)
    batches = stored.batches(stored.read(folder), stored.Training(batch_size=3))
    epochs = [list(batches.columns(epoch)) for epoch in (0, 1, 1)]
    for x, same in zip(epochs[1], epochs[2], strict=True):
        assert all((x[each] == same[each]).all() for each in x)

    def originals(epoch):
        if name == "denoising":
            return sorted(tuple(row) for x in epoch for row in x["target_ids"].tolist())
        whole = [np.where(x["labels"] < 0, x["token_ids"], x["labels"]) for x in epoch]
        return sorted(tuple(row) for rows in whole for row in rows.tolist())

    corrupted = {"denoising": "source_ids", "masked-lm": "token_ids"}[name]
    assert (epochs[0][0][corrupted] != epochs[1][0][corrupted]).any()
    in_order = list(batches.columns(shuffle=False))
    assert set(originals(epochs[0])) | set(originals(epochs[1])) <= set(originals(in_order))
    words = [list(map(stored.tokenizer.vocabulary.__getitem__, row)) for row in originals(in_order)]
    assert sum(word in WORDS for row in words for word in row) > 200
    if name == "denoising":  # passages do not depend on chance
        everything = memory.batches(memory.read(data), memory.Training(batch_size=3))
        # A document that is in two pieces has one passage more.
        assert 0 <= len(in_order) - len(list(everything.columns(shuffle=False))) <= 2
    history = stored.fit(folder, folder, epochs=2, xla=False, verbose=False, batch_size=3)
    assert history.history["loss"][1] < history.history["loss"][0]
    assert 0 < stored.evaluate(data)["loss"] < np.log(60)
    with pytest.raises(UserError, match="is prepared data, which has no texts"):
        stored.evaluate(folder)


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_the_number_of_processes_is_known_on_each_system(monkeypatch, system):
    monkeypatch.setattr("sys.platform", system)
    if system != "linux":
        monkeypatch.delattr("os.sched_getaffinity")
    assert 1 <= prepare.usable_cores() <= os.cpu_count()
