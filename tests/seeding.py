"""The same random numbers, without the time that seeding TensorFlow takes."""

import random
from unittest import mock


def reseed(seed: int = 1729) -> None:
    """As `keras.utils.set_random_seed`, but TensorFlow keeps the kernels that it has prepared.

    It would drop them all, so that those that draw numbers begin anew, and to prepare them again
    takes half the time of a small test. What Keras and the library draw does not depend on them.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        keras.utils.set_random_seed(seed)
        return
    import tensorflow as tf
    from tensorflow.python.eager import context

    eager = context.context()
    if eager._seed != seed:  # the first time, and after a test that set another
        keras.utils.set_random_seed(seed)
        return
    with mock.patch.object(tf.random, "set_seed"):
        keras.utils.set_random_seed(seed)
    eager._rng = random.Random(seed)  # the rest of what `tf.random.set_seed` does
