"""The scaling of scores to probabilities: the temperature and the prior of a trained classifier."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from zoo.errors import damage
from zoo.json_file import read_json, write_json

CALIBRATION = "calibration.json"


@dataclass(frozen=True)
class ScoreScaling:
    """How answers follow from the logits of a trained model.

    See `zoo.heads.label.LabelHead` and, for the threshold, `zoo.heads.labels.LabelsHead`.

    Args:
        temperature: What logits are divided by.
        prior: The share of each label in the training data, where a model may know nothing of an
            input; otherwise empty.
        threshold: The probability from which a label is predicted, where there may be several;
            None if it was not tuned.
        temperatures: The temperature of each task, by name, where a model has several.
        thresholds: The threshold of each task, by name, where a model has several.
    """

    temperature: float = 1.0
    prior: tuple[float, ...] = ()
    threshold: float | None = None
    temperatures: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def of_task(self, name: str) -> "ScoreScaling":
        """That of one of several tasks."""
        return ScoreScaling(self.temperatures.get(name, 1.0), threshold=self.thresholds.get(name))

    def save(self, folder: Path) -> None:
        """Writes it to a run folder, unless it changes nothing."""
        if self != ScoreScaling():
            write_json(folder / CALIBRATION, asdict(self))

    @classmethod
    def load(cls, folder: Path, labels: int) -> "ScoreScaling":
        """Loads what `save` wrote to a run folder.

        Args:
            folder: The folder.
            labels: The number of labels.

        Raises:
            UserError: If the file is damaged.
        """
        path = folder / CALIBRATION
        if not path.exists():
            return cls()
        with damage(path):
            content = read_json(path, dict)
            temperature, prior = float(content["temperature"]), tuple(map(float, content["prior"]))
            of_tasks, thresholds = (
                {str(name): float(each) for name, each in content.get(key, {}).items()}
                for key in ("temperatures", "thresholds")
            )
            if not all(0 < each < math.inf for each in (temperature, *of_tasks.values())):
                raise ValueError("the temperature is not a positive number")
            if len(prior) not in (0, labels) or not all(0 <= share <= 1 for share in prior):
                raise ValueError("the prior is not a probability for each label")
            threshold = content.get("threshold")
            given = [] if threshold is None else [float(threshold)]
            if not all(0 < each < 1 for each in (*given, *thresholds.values())):
                raise ValueError("the threshold is not a probability")
        return cls(temperature, prior, threshold, of_tasks, thresholds)
