"""Predictions for images, handled as texts are in tests/tasks/outputs.py."""

import numpy as np

from tests.tasks.outputs import Output
from tests.tasks.readings import LabelSets, Values
from zoo.data.images.read import read_images


class Images(Output):
    """A label of each image."""

    def numbers(self, task, texts):
        return task.predict_proba(texts).tolist()

    def learned(self, task):
        return task.preprocessor.facts(), task.preprocessor.sample.tolist()

    def inputs(self, texts):
        return {"image": np.stack(texts)[..., None].astype("float32")}

    def features(self, task, texts):
        return self.inputs(texts)

    def from_ids(self, task, texts, ids, outputs):
        np.testing.assert_allclose(outputs["scores"].sum(axis=-1), 1, rtol=1e-4)
        return [task.labels[number] for number in outputs["class_id"]]

    def by_hand(self, task, path, scores):
        data = read_images(path)
        actual = task.predict(data.images)
        right = [a == b for a, b in zip(actual, data.labels, strict=True)]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        data = read_images(path)
        return ["Predictions", "Where it looks", "image 1", *task.predict(data.images[:5])]


class ImageLabelSets(LabelSets):
    """Any number of labels of each image."""

    learned, inputs, features = Images.learned, Images.inputs, Images.features

    def by_hand(self, task, path, scores):
        data = task.read(path)
        pairs = zip(task.predict(data.images), data.label_sets, strict=True)
        return {"accuracy": float(np.mean([{*a} == {*b} for a, b in pairs]))}

    def shown(self, task, path):
        actual = task.predict(task.read(path).images[:5])
        return ["Predictions", "Where it looks", "0.png", *map("|".join, actual)]


class ImageValues(Values):
    """Values of each image."""

    learned, inputs, features = Images.learned, Images.inputs, Images.features

    def by_hand(self, task, path, scores):
        data = task.read(path)
        sizes = np.abs(np.subtract(self._rows(task.predict(data.images)), data.values)).mean(axis=0)
        named = zip(self.names, sizes, strict=True)
        return {f"{name}_mae" if len(sizes) > 1 else "mae": size for name, size in named}

    def shown(self, task, path):
        actual = task.predict(task.read(path).images[:5])
        return ["Predictions", "Where it looks", "0.png", *map(task.head.text, actual)]
