"""Every argument of a Keras layer is one of the layer that replaces it, or has a reason."""

import keras
import pytest

from tests.contract.keras_signatures import REASONS, REPLACES, Difference, differences


@pytest.mark.parametrize(("ours", "theirs"), REPLACES.items(), ids=lambda layer: layer.__name__)
def test_the_arguments_are_those_of_keras(ours, theirs):
    actual = list(differences(ours, theirs))
    unexplained = [d for d in actual if d[:3] not in REASONS]
    assert not unexplained, "\n".join(map(str, unexplained))
    by_position = [d for d in actual if d.kind == "extra" and d.ours is not None]
    by_position = [d for d in by_position if d.method == "__init__" or d[:3] not in REASONS]
    assert not by_position, f"not keyword-only: {by_position}"


def test_every_reason_is_about_a_difference():
    actual = {d[:3] for both in REPLACES.items() for d in differences(*both)}
    assert set(REASONS) <= actual


def test_each_kind_of_difference_is_found():
    class Theirs(keras.layers.Layer):
        def __init__(self, a, b=1, c=2, d=3, **kwargs): ...

        def call(self, x, training=False): ...

    class Ours(keras.layers.Layer):
        def __init__(self, a, c=2, b=5, *, e=0, **kwargs): ...

        def call(self, x, training=None): ...

    assert list(differences(Ours, Theirs)) == [
        Difference("Ours", "__init__", "b", "other position", 2, 1),
        Difference("Ours", "__init__", "b", "other default", 5, 1),
        Difference("Ours", "__init__", "c", "other position", 1, 2),
        Difference("Ours", "__init__", "d", "missing", theirs=3),
        Difference("Ours", "__init__", "e", "extra"),
    ]
