"""What a quantized file is judged by, on values worked out by hand."""

import numpy as np
import pytest

from export.worker.axes import Spec
from export.worker.probes import Probe
from export.worker.quantization_agreement import agreement

IDS = {"token_ids": Spec(("batch", "length"), 0, "int32")}
WRITTEN = {
    "token_ids": Spec(("batch", None), 0),
    "lengths": Spec(("batch",)),
    "scores": Spec(("batch",)),
}


def alike(name, expected, actual, outputs, inputs=()):
    probe = Probe({"token_ids": np.array([[4, 5], [6, 0]])}, expected)
    return agreement(name, [probe], [actual], dict(inputs), outputs)


def test_steps_are_counted_up_to_the_first_that_differs():
    """Two of three steps; then one of one, as nothing is said of what follows; two of two."""
    expected = {"token_ids": np.array([[4, 5, 6, 7, 3], [8, 3, 0, 0, 0], [5, 3, 0, 0, 0]])}
    actual = {"token_ids": np.array([[4, 5, 9, 7, 3, 8], [9, 9, 9, 9, 9, 9], [5, 3, 0, 0, 0, 0]])}

    measured = alike("token_ids", expected, actual, WRITTEN)

    assert (measured.same, measured.decisions) == (2 + 0 + 2, 3 + 1 + 2)


def test_a_text_that_goes_on_or_stops_too_early_differs_in_one_step():
    one, other = {"token_ids": np.array([[4, 5, 0]])}, {"token_ids": np.array([[4, 5, 6]])}

    for expected, actual in ((one, other), (other, one)):
        assert alike("token_ids", expected, actual, WRITTEN).agreement == pytest.approx(2 / 3)


def test_what_belongs_to_another_text_is_left_out():
    expected = {
        "token_ids": np.array([[4, 5], [6, 7]]),
        "lengths": np.array([2, 2]),
        "scores": np.array([-3.0, -2.0]),
    }
    actual = {
        "token_ids": np.array([[4, 5, 0], [6, 8, 9]]),
        "lengths": np.array([2, 3]),
        "scores": np.array([-3.3, -9.0]),
    }

    assert alike("scores", expected, actual, WRITTEN).error == pytest.approx(0.1)
    assert alike("lengths", expected, actual, WRITTEN).agreement == 1


def test_classes_are_counted_where_there_are_tokens():
    outputs = {"class_id": Spec(("batch", "length")), "scores": Spec(("batch", "length"))}
    expected = {"class_id": np.array([[1, 2], [1, 0]]), "scores": np.array([[3.0, 4], [0, 0]])}
    actual = {"class_id": np.array([[1, 0], [1, 0]]), "scores": np.array([[3.0, 4], [0, 1]])}

    measured = alike("class_id", expected, actual, outputs, IDS)

    assert (measured.same, measured.decisions) == (2, 3)
    assert alike("class_id", expected, actual, outputs).decisions == 4
    assert alike("scores", expected, actual, outputs).error == pytest.approx(0.2)


def test_candidates_are_counted_where_there_are_tokens():
    outputs = {"token_ids": Spec(("batch", "length", 3))}
    expected = {"token_ids": np.array([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [0, 0, 0]]])}
    actual = {"token_ids": np.array([[[1, 2, 3], [4, 6, 5]], [[7, 8, 9], [1, 1, 1]]])}

    measured = alike("token_ids", expected, actual, outputs, IDS)

    assert (measured.same, measured.decisions) == (3 + 1 + 3, 9)


def test_texts_are_counted_word_by_word():
    expected = {"text": np.array([b"a red hat", b"", b"good"])}
    actual = {"text": np.array([b"a green hat", b"", b"good"])}

    measured = alike("text", expected, actual, {})

    assert (measured.same, measured.decisions) == (2, 3)


def test_numbers_that_are_none_and_other_shapes_differ():
    logits = {"logits": np.array([[1.0, 2.0]])}

    assert alike("logits", logits, {"logits": np.array([[1.0, np.nan]])}, {}).error == np.inf
    assert alike("logits", logits, {"logits": np.array([1.0])}, {}).error == np.inf
    classes = {"class_id": np.array([1, 2])}
    assert alike("class_id", classes, {"class_id": np.array([[1, 2]])}, {}).agreement == 0


FORECAST = {"forecast": Spec(("batch", 2, 1), unit="values")}
LEVELS = np.array([[[999.0], [np.nan], [1001.0]], [[-3.0], [-3.0], [-3.0]]])


def test_forecasts_are_compared_in_deviations_of_the_values_before():
    """Far from zero, a relative error of 0.0005 is half a deviation; of constant values, size."""
    expected = {"forecast": np.array([[[1000.0], [1002.0]], [[-3.0], [-3.0]]])}
    actual = {"forecast": np.array([[[1000.5], [1002.0]], [[-3.0], [-2.7]]])}
    probe = Probe({"values": LEVELS}, expected)

    measured = agreement("forecast", [probe], [actual], {}, FORECAST).error

    assert measured == pytest.approx(np.sqrt((0.499**2 + 0.1**2) / 4), rel=1e-4)
    relative = agreement("forecast", [probe], [actual], {}, {}).error
    assert relative < 5e-4


def test_what_the_rounding_of_float32_explains_is_no_error():
    expected = {"forecast": np.array([[[1000.0], [1002.0]], [[np.nan], [0.0]]])}
    actual = {"forecast": np.array([[[1000.0009], [1002.0]], [[np.nan], [0.0]]])}
    for places, error in (([0], 0.0), ([1], np.inf)):
        probe = Probe({"values": LEVELS[places]}, {"forecast": expected["forecast"][places]})
        result = {"forecast": actual["forecast"][places]}
        assert agreement("forecast", [probe], [result], {}, FORECAST).error == error
