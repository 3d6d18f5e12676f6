import keras
import numpy as np

from zoo.training.token_count import TokenCount


def test_counts_labels_that_are_not_padding_until_it_is_reset():
    count = TokenCount()
    count.update_state(np.array([[5, 7, 0], [3, 0, 0]], "int32"), None)
    count.update_state(np.array([[1, 1, 1]], "int32"), None)
    assert float(count.result()) == 6
    count.reset_state()
    count.update_state(np.array([[0, 2]], "int32"), None)
    assert float(count.result()) == 1


def test_padding_id_survives_serialization():
    count = TokenCount(padding_id=7)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(count))
    again.update_state(np.array([[5, 7, 0], [3, 7, 7]], "int32"), None)
    assert float(again.result()) == 3
    assert again.name == "tokens"
