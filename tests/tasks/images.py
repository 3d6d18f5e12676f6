"""Predictions of a label for each image, handled as texts are in tests/tasks/outputs.py."""

import numpy as np

from tests.tasks.outputs import Output
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
        found = task.predict(data.images)
        right = [a == b for a, b in zip(found, data.labels, strict=True)]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        data = read_images(path)
        return ["Predictions", "Where it looks", "image 1", *task.predict(data.images[:5])]
