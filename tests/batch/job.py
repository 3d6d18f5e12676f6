"""An example of the page on batch jobs as a job of its own: 100,000 lines, and a killed worker."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import cycle, islice, product
from pathlib import Path

from tests.batch.java import spark_environment
from tests.batch.mortal import FATAL
from tests.pages import blocks

ROOT = Path(__file__).parents[2]
EXAMPLES = dict(
    zip(
        ("call", "processes", "ray", "spark", "beam"),
        blocks(ROOT / "docs" / "how-to" / "export" / "batch.md", "python"),
        strict=True,
    )
)
MORTAL = "from tests.batch.mortal import Mortal\n"
LINES = 100_000
# Texts of four words in an order that looks random, which no two blocks of lines share.
WORDS = ("a", "fine", "film", "so", "dull")
TEXTS = [text for text in map(" ".join, product(WORDS, repeat=4)) if text != FATAL]
SHUFFLED = [TEXTS[i * 389 % len(TEXTS)] for i in range(len(TEXTS))]


class Job:
    """A folder with an artifact and a file of lines, as the examples expect them.

    Args:
        folder: Where.
        artifact: The folder of the SavedModel.
        task: What it was exported from.
    """

    def __init__(self, folder, artifact, task):
        self.folder, self.served = folder, folder / "served"
        shutil.copytree(artifact, self.served / "reviews")
        self.lines = list(islice(cycle(SHUFFLED), LINES))
        self.lines[LINES // 10] = FATAL
        (folder / "lines.txt").write_text("\n".join(self.lines) + "\n")
        texts = [*TEXTS, FATAL]
        self.labels = dict(zip(texts, task.predict(texts), strict=True))
        self.scores = dict(zip(texts, task.predict_proba(texts), strict=True))

    def run(self, name, mortal=True):
        """Runs an example, with a predictor that dies once."""
        code = EXAMPLES[name]
        if mortal:
            code = MORTAL + code.replace("export.Predictor(", "Mortal(")
            assert code.count("Mortal(") == 1
        (self.folder / "job.py").write_text(code)
        return subprocess.run(
            [sys.executable, "job.py"],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **spark_environment(self.folder)},
            capture_output=True,
            text=True,
            timeout=900,
        )

    def killed(self):
        """Whether one of several processes was killed."""
        dead = (self.served / "killed").read_text()
        processes = {path.name for path in (self.served / "processes").iterdir()}
        return dead in processes and len(processes) > 1

    def answers(self):
        """How often each line is there with its label."""
        return Counter((line, self.labels[line]) for line in self.lines)
