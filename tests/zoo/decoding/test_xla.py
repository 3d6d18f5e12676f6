"""The whole loop of every family is one XLA program, and writes what the graph writes."""

import keras
import numpy as np
import pytest

from tests.zoo.models import families, language_models
from zoo.decoding.generate import generate

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="compiles with TensorFlow"),
]

SEARCHES = {
    "greedy": {"no_repeat_ngram": 1, "min_new_tokens": 4},
    "beams": {"beams": 3, "no_repeat_ngram": 2, "min_new_tokens": 2, "bad_words": [[5], [6, 7]]},
    "drawn": {"temperature": 1.3, "top_k": 11, "top_p": 0.95, "seed": 3, "min_new_tokens": 4},
}
FAMILIES = [
    *((families, name) for name in families.TINY),
    *((language_models, n) for n in language_models.TINY),
]


@pytest.mark.thorough(2)
@pytest.mark.parametrize("how", SEARCHES)
@pytest.mark.parametrize(
    ("module", "name"), FAMILIES, ids=lambda each: getattr(each, "__name__", each)
)
def test_xla_writes_what_the_graph_writes(module, name, how):
    import tensorflow as tf

    model, batch = module.shared(name), module.batch()
    inputs = {name: tf.constant(array) for name, array in batch.items()}

    def program(inputs):
        return generate(model, inputs, 6, **SEARCHES[how])._asdict()

    compiled = tf.function(program, autograph=False, jit_compile=True)(inputs)
    plain = tf.function(program, autograph=False, jit_compile=False)(inputs)
    assert len(np.unique(plain["token_ids"])) > 2
    np.testing.assert_array_equal(compiled["token_ids"], plain["token_ids"])
    np.testing.assert_array_equal(compiled["lengths"], plain["lengths"])
    np.testing.assert_allclose(compiled["scores"], plain["scores"], rtol=1e-4, atol=1e-4)
