"""A real MPNet gives the tokens and the vectors that Hugging Face's library gives."""

from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.references.minilm import TEXTS
from tests.references.mpnet import LENGTH, PACKAGE, extracted, parts
from tests.zoo.pretrained.features import ids_of

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "mpnet.npz")


@pytest.mark.thorough
@pytest.mark.skipif(
    parts() is None,
    reason=f"needs the packages {PACKAGE.format(1)} to {PACKAGE.format(5)}",
)
def test_a_real_encoder_gives_theirs(tmp_path):
    task = zoo.from_pretrained(extracted(tmp_path))
    assert (task.settings.max_length, task.settings.pooling) == (LENGTH, "mean")
    np.testing.assert_array_equal(ids_of(task, TEXTS), REFERENCE["ids"])
    vectors = task.embed(TEXTS)
    np.testing.assert_allclose(vectors, REFERENCE["vectors"], atol=1e-5)
    near, far = task.similarity(TEXTS[:1], TEXTS[1:3])[0]
    assert near > 0.45 and far < 0.1
