"""What is recognized in recordings, handled as texts are in tests/tasks/outputs.py."""

import jiwer

from tests.tasks.outputs import Output, rows_of
from zoo.preprocessing.audio import padded


class Speech(Output):
    """A text of each recording."""

    def numbers(self, task, texts):
        predictor = task.predictor()
        rows = predictor.rows(predictor.raw(texts))
        return [[float(row["confidence"])] for row in rows]

    def learned(self, task):
        facts = task.preprocessor.facts()
        assert facts["characters"] == ["a", "b", "c"]
        return facts, [row.tolist() for row in task.preprocessor.sample]

    def inputs(self, texts):
        return padded(texts)

    def features(self, task, texts):
        return padded(texts)

    def from_ids(self, task, texts, ids, outputs):
        return [text.decode() for text in task.preprocessor.spell(outputs["token_ids"]).numpy()]

    def _rows(self, path):
        return [(str(path.with_name(name)), text) for name, text in rows_of(path)[1:]]

    def by_hand(self, task, path, scores):
        files, texts = zip(*self._rows(path), strict=True)
        actual = task.predict(list(files))
        return {
            "word_error_rate": jiwer.wer(list(texts), actual),
            "character_error_rate": jiwer.cer(list(texts), actual),
        }

    def shown(self, task, path):
        files, _ = zip(*self._rows(path)[:5], strict=True)
        return ["Predictions", "What it hears", "0.wav", *task.predict(list(files))]
