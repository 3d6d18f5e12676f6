"""Predictions that are labels, tags or vectors, handled as texts are in tests/tasks/outputs.py."""

import numpy as np
import tensorflow as tf

from tests.tasks.outputs import Output, rows_of
from zoo.text.form import TextForm


class Label(Output):
    """A label of each text, or pair of texts."""

    def numbers(self, task, texts):
        return task.predict_proba(texts).tolist()

    def inputs(self, texts):
        columns = zip(*((t,) if isinstance(t, str) else t for t in texts), strict=True)
        encoded = [np.array([text.encode() for text in column], object) for column in columns]
        return dict(zip(("text", "second"), encoded, strict=False))

    def ids(self, task, texts):
        columns = zip(*((t,) if isinstance(t, str) else t for t in texts), strict=True)
        given = dict(zip(("text", "second"), map(list, columns), strict=False))
        return task.preprocessor.read(given)["token_ids"]

    def from_ids(self, task, texts, ids, outputs):
        np.testing.assert_allclose(outputs["scores"].sum(axis=-1), 1, rtol=1e-4)
        return [task.labels[number] for number in outputs["class_id"]]

    def _texts(self, path):
        return [row[0] if len(row) == 2 else tuple(row[:-1]) for row in rows_of(path)]

    def by_hand(self, task, path, scores):
        actual = task.predict(self._texts(path))
        right = [a == row[-1] for a, row in zip(actual, rows_of(path), strict=True)]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        texts = self._texts(path)[:5]
        words = [part for text in texts for part in ([text] if isinstance(text, str) else text)]
        return ["Predictions", *words, *task.predict(texts)]


class LabelSets(Label):
    """Any number of labels of each text."""

    def expected(self, predictions):
        return ["|".join(labels) for labels in predictions]

    def from_ids(self, task, texts, ids, outputs):
        rows = outputs["labels"].astype(bool)
        return [[task.labels[c] for c in np.flatnonzero(row)] for row in rows]

    def near(self, actual, expected):
        return sum(a == b for a, b in zip(actual, expected, strict=True)) > len(actual) / 2

    def by_hand(self, task, path, scores):
        rows = rows_of(path)[1:]
        actual = task.predict([text for text, _ in rows])
        expected = [sorted(labels.split("|")) if labels else [] for _, labels in rows]
        right = [sorted(a) == b for a, b in zip(actual, expected, strict=True)]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        texts = [text for text, _ in rows_of(path)[1:6]]
        return ["Predictions", *texts, *map("|".join, task.predict(texts))]


class Values(Label):
    """A value of each text, or of each pair of texts, or several with names."""

    def __init__(self, **ranges):
        self.names, self.ranges = list(ranges), list(ranges.values())

    def _rows(self, actual):
        several = len(self.names) > 1
        return [[each[name] for name in self.names] if several else [each] for each in actual]

    def same(self, actual, expected, tolerance=1e-5):
        rows = (np.array(self._rows(each)) for each in (actual, expected))
        np.testing.assert_allclose(*(each / self.ranges for each in rows), atol=tolerance)

    def numbers(self, task, texts):
        return self._rows(task.predict(texts))

    def near(self, actual, expected):
        rows = (np.array(self._rows(each)) for each in (actual, expected))
        return np.abs(np.subtract(*rows) / self.ranges).max() < 0.2

    def from_text(self, outputs):
        several = len(self.names) > 1
        rows = outputs["values"].tolist()
        return [dict(zip(self.names, row, strict=True)) if several else row[0] for row in rows]

    def from_ids(self, task, texts, ids, outputs):
        return self.from_text(outputs)

    def _cells(self, path):
        count = len(self.names)
        rows = rows_of(path)[1:]
        texts = [row[0] if len(row) == count + 1 else tuple(row[:-count]) for row in rows]
        return texts, [[float(cell) for cell in row[-count:]] for row in rows]

    def by_hand(self, task, path, scores):
        texts, values = self._cells(path)
        sizes = np.abs(np.subtract(self._rows(task.predict(texts)), values)).mean(axis=0)
        named = zip(self.names, sizes, strict=True)
        return {f"{name}_mae" if len(sizes) > 1 else "mae": size for name, size in named}

    def shown(self, task, path):
        texts = self._cells(path)[0][:5]
        words = [part for text in texts for part in ([text] if isinstance(text, str) else text)]
        return ["Predictions", *words, *map(task.head.text, task.predict(texts))]


class Tags(Output):
    """A tag of each word."""

    def numbers(self, task, texts):
        features = task.preprocessor(text=tf.constant(texts))
        scores = task.program("tokens")(features)["scores"]
        starts = features["word_starts"].to_list()
        return [scores[row][places].ravel().tolist() for row, places in enumerate(starts)]

    def expected(self, predictions):
        return [" ".join(tag for _, tag in words) for words in predictions]

    def ids(self, task, texts):
        return np.asarray(task.preprocessor(text=tf.constant(texts))["token_ids"])

    def from_ids(self, task, texts, ids, outputs):
        firsts = task.preprocessor(text=tf.constant(texts))["word_starts"]
        tags = [
            [task.labels[outputs["class_id"][row, place]] for place in places]
            for row, places in enumerate(firsts.to_list())
        ]
        return [list(zip(t.split(), row, strict=True)) for t, row in zip(texts, tags, strict=True)]

    def _sentences(self, path):
        blocks = path.read_text("utf-8").strip().split("\n\n")
        return [[tuple(line.split("\t")) for line in block.splitlines()] for block in blocks]

    def by_hand(self, task, path, scores):
        sentences = self._sentences(path)
        actual = task.predict([[word for word, _ in words] for words in sentences])
        right = [
            a == b
            for x, y in zip(actual, sentences, strict=True)
            for a, b in zip(x, y, strict=True)
        ]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        words = [word for words in self._sentences(path)[:3] for word, _ in words]
        return ["Predictions", *words]


class Answers(Output):
    """An answer in a passage, with its score and its place."""

    def same(self, actual, expected, tolerance=1e-5):
        for one, other in zip(actual, expected, strict=True):
            assert {**one, "score": None} == {**other, "score": None}
            assert abs(one["score"] - other["score"]) < max(tolerance, 1e-4)

    def numbers(self, task, texts):
        return [[found["score"], float(found["start"])] for found in task.predict(texts)]

    def inputs(self, texts):
        columns = zip(*texts, strict=True)
        encoded = [np.array([text.encode() for text in column], object) for column in columns]
        return dict(zip(("question", "passage"), encoded, strict=True))

    def from_text(self, outputs):
        rows = zip(*(outputs[name] for name in ("text", "score", "start", "end")), strict=True)
        return [
            {"text": text.decode(), "score": float(score), "start": int(start), "end": int(end)}
            for text, score, start, end in rows
        ]

    def _read(self, task, texts):
        questions, passages = map(list, zip(*texts, strict=True))
        return task.preprocessor.read({"question": questions, "passage": passages})

    def ids(self, task, texts):
        return self._read(task, texts)["token_ids"]

    def from_ids(self, task, texts, ids, outputs):
        tensors = {name: tf.constant(each) for name, each in outputs.items()}
        done = task.head.postprocess(tensors, self._read(task, texts), TextForm.STRINGS)
        return self.from_text({name: np.asarray(each) for name, each in done.items()})

    def near(self, actual, expected):
        same = [a["text"] == b["text"] for a, b in zip(actual, expected, strict=True)]
        return sum(same) > len(same) / 2

    def by_hand(self, task, path, scores):
        rows = rows_of(path)[1:]
        found = task.predict([tuple(row[:2]) for row in rows])
        right = [each["text"] == row[2] for each, row in zip(found, rows, strict=True)]
        return {"exact_match": sum(right) / len(right)}

    def shown(self, task, path):
        rows = rows_of(path)[1:6]
        found = task.predict([tuple(row[:2]) for row in rows])
        return ["Answers in their passages", rows[0][0], *(each["text"] for each in found)]


class Vector(Output):
    """A vector of each text."""

    def same(self, actual, expected, tolerance=1e-5):
        np.testing.assert_allclose(actual, expected, atol=tolerance)

    def numbers(self, task, texts):
        return task.embed(texts).tolist()

    def near(self, actual, expected):
        return (actual * expected).sum(axis=-1).min() > 0.9

    def from_text(self, outputs):
        return outputs["embedding"]

    def from_ids(self, task, texts, ids, outputs):
        return outputs["embedding"]

    def by_hand(self, task, path, scores):
        rows = rows_of(path)
        a, b = (task.embed([row[side] for row in rows]) for side in (0, 1))
        cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        return {"pearson": float(np.corrcoef(cosines, [float(row[2]) for row in rows])[0, 1])}

    def shown(self, task, path):
        return ["Predictions", *(row[0] for row in rows_of(path)[:5])]
