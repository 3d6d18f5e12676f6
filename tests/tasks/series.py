"""Forecasts, labels and values of series, handled as texts are in tests/tasks/outputs.py."""

import csv

import numpy as np

from tests.tasks.outputs import Output
from tests.tasks.readings import LabelSets, Values


def padded(series):
    """Series as the rows of one array, with missing steps before the shorter ones."""
    rows = [np.asarray(x, "float32").reshape(len(x), -1) for x in series]
    longest = max(map(len, rows))
    whole = [np.pad(x, [(longest - len(x), 0), (0, 0)], constant_values=np.nan) for x in rows]
    return {"values": np.stack(whole)}


def what_was_learned(task):
    """What a run has to know of its data besides weights."""
    sample = {name: np.nan_to_num(x).tolist() for name, x in task.preprocessor.sample.items()}
    return task.preprocessor.facts(), sample


class SeriesLabels(Output):
    """A label of each series."""

    def numbers(self, task, texts):
        return task.predict_proba(texts).tolist()

    def learned(self, task):
        return what_was_learned(task), task.labels

    def inputs(self, texts):
        return padded(texts)

    def features(self, task, texts):
        return task.read_inputs(texts)

    def from_ids(self, task, texts, ids, outputs):
        np.testing.assert_allclose(outputs["scores"].sum(axis=-1), 1, rtol=1e-4)
        return [task.labels[number] for number in outputs["class_id"]]

    def by_hand(self, task, path, scores):
        data = task.read(path)
        actual = task.predict(data.series)
        right = [a == b for a, b in zip(actual, data.labels, strict=True)]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        data = task.read(path)
        captions = zip(data.series, task.predict(data.series[:5]), strict=False)
        return ["Predictions", *(f"{series.name}: {label} " for series, label in captions)]


class SeriesLabelSets(LabelSets):
    """Any number of labels of each series."""

    learned, inputs, features = SeriesLabels.learned, SeriesLabels.inputs, SeriesLabels.features

    def by_hand(self, task, path, scores):
        data = task.read(path)
        pairs = zip(task.predict(data.series), data.label_sets, strict=True)
        return {"accuracy": float(np.mean([{*a} == {*b} for a, b in pairs]))}

    def shown(self, task, path):
        series = task.read(path).series[:5]
        captions = zip(series, task.predict(series), strict=True)
        return ["Predictions", *(f"{each.name}: {'|'.join(own)}" for each, own in captions)]


class SeriesValues(Values):
    """A value of each series, or several."""

    def learned(self, task):
        return what_was_learned(task), task.value_names

    inputs, features = SeriesLabels.inputs, SeriesLabels.features

    def by_hand(self, task, path, scores):
        data = task.read(path)
        sizes = np.abs(np.subtract(self._rows(task.predict(data.series)), data.values)).mean(axis=0)
        named = zip(self.names, sizes, strict=True)
        return {f"{name}_mae" if len(sizes) > 1 else "mae": size for name, size in named}

    def shown(self, task, path):
        series = task.read(path).series[:5]
        captions = zip(series, map(task.head.text, task.predict(series)), strict=True)
        return ["Predictions", *(f"{each.name}: {value}, in" for each, value in captions)]


class Forecasts(Output):
    """The quantiles of the next values of each series."""

    def same(self, actual, expected, tolerance=1e-5):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)

    def numbers(self, task, texts):
        return [each.ravel().tolist() for each in task.predict(texts)]

    def learned(self, task):
        return what_was_learned(task)

    def inputs(self, texts):
        return padded(texts)

    def features(self, task, texts):
        read = task.read_inputs(texts)
        return {"values": read["values"]}

    def from_text(self, outputs):
        return [*outputs["forecast"][:, :, 0]]

    def from_ids(self, task, texts, ids, outputs):
        return self.from_text(outputs)

    def near(self, actual, expected):
        """Whether a quantized file gives about the same, relative to the size of the values."""
        return np.abs(np.array(actual) - expected).max() < 0.1 * np.abs(expected).max()

    def _values(self, path):
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {
            name: np.array([float(x["sales"] or "nan") for x in rows if x["shop"] == name])
            for name in sorted({row["shop"] for row in rows})
        }

    def by_hand(self, task, path, scores):
        series, horizon = [*self._values(path).values()], task.settings.horizon
        actual = task.predict([each[:-horizon] for each in series])
        middle = task.settings.quantiles.index(0.5)
        errors = [np.abs(x[-horizon:] - f[:, middle]) for x, f in zip(series, actual, strict=True)]
        return {"mae": float(np.nanmean(np.concatenate(errors)))}

    def shown(self, task, path):
        return ["Predictions", "Forecasts", *self._values(path)]
