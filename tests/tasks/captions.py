"""Predictions of a caption for each image, handled as texts are in tests/tasks/outputs.py."""

import numpy as np
from sacrebleu.metrics import BLEU

from tests.tasks.outputs import Output
from zoo.data.images.captions import read_captions


class Captions(Output):
    """A caption of each image."""

    def inputs(self, texts):
        return {"image": np.stack(texts).astype("float32")}

    def features(self, task, texts):
        return self.inputs(texts)

    def learned(self, task):
        return super().learned(task), task.preprocessor.facts(), task.preprocessor.sample.tolist()

    def by_hand(self, task, path, scores):
        data = read_captions(path)
        references = list(zip(*data.captions, strict=True))
        actual = BLEU(max_ngram_order=2).corpus_score(task.predict(data.images), references)
        return {"bleu_2": actual.score}

    def shown(self, task, path):
        data = read_captions(path)
        return ["Predictions", "Where it looks", *task.predict(data.images[:5])]
