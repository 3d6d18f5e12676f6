import keras
import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from keras_attn.losses import MaskedCrossentropy
from zoo.heads.label import LabelHead
from zoo.training.class_loss import BalancedAccuracy, ClassCrossentropy, balanced_weights

LABELS = np.array([0, 2, 1, -1, 2])
WEIGHTS = (0.5, 2.0, 1.25)


def some_logits(seed=0):
    return np.random.default_rng(seed).normal(size=(5, 3)) * 2


def by_hand(labels, logits, smoothing=0.0, gamma=0.0, weights=(1.0, 1.0, 1.0)):
    total = whole = 0.0
    for label, row in zip(labels, np.asarray(logits, np.float64), strict=True):
        if label < 0:
            continue
        log_p = row - np.log(np.exp(row).sum())
        target = np.eye(3)[label] * (1 - smoothing) + smoothing / 3
        loss = (1 - np.exp(log_p[label])) ** gamma * -(target * log_p).sum()
        total, whole = total + weights[label] * loss, whole + weights[label]
    return total / whole


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [(), WEIGHTS])
def test_equals_its_formula(gamma, smoothing, weights):
    loss = ClassCrossentropy(smoothing, gamma, weights)(LABELS, some_logits().astype("float32"))
    want = by_hand(LABELS, some_logits(), smoothing, gamma, weights or (1.0, 1.0, 1.0))
    assert float(loss) == pytest.approx(want, rel=1e-5)


def test_without_options_it_is_cross_entropy():
    logits = some_logits().astype("float32")
    assert float(ClassCrossentropy(0.1)(LABELS, logits)) == float(
        MaskedCrossentropy(0.1, ignore_id=-1)(LABELS, logits)
    )


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="uses a gradient tape")
@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_gradients_equal_finite_differences(gamma):
    import tensorflow as tf

    logits = tf.Variable(some_logits(), dtype="float32")
    loss = ClassCrossentropy(gamma=gamma, class_weights=WEIGHTS)
    with tf.GradientTape() as tape:
        value = loss(LABELS, logits)
    gradient = tape.gradient(value, logits).numpy()
    for place in np.ndindex(5, 3):
        step = np.zeros((5, 3))
        step[place] = 1e-5
        up, down = (
            by_hand(LABELS, some_logits() + sign * step, 0.0, gamma, WEIGHTS) for sign in (1, -1)
        )
        assert gradient[place] == pytest.approx((up - down) / 2e-5, abs=1e-5)
    assert not gradient[3].any()  # a row without a label


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="uses a gradient tape")
def test_a_row_that_is_certain_has_a_finite_gradient():
    import tensorflow as tf

    logits = tf.Variable([[200.0, 0.0, 0.0]])
    with tf.GradientTape() as tape:
        value = ClassCrossentropy(gamma=0.5)(np.array([0]), logits)
    assert np.isfinite(tape.gradient(value, logits).numpy()).all()


def test_weights_are_those_of_scikit_learn():
    classes = np.repeat([0, 1, 2], [50, 7, 3])
    want = compute_class_weight("balanced", classes=np.arange(3), y=classes)
    assert balanced_weights(np.bincount(classes)) == pytest.approx([*want])


def test_weighted_accuracy_is_the_mean_recall():
    labels = np.array([0, 0, 0, 0, 1, 1, 2, -1])
    logits = np.eye(3)[[0, 0, 0, 1, 1, 0, 2, 0]]
    metric = BalancedAccuracy(balanced_weights(np.array([4, 2, 1])))
    metric.update_state(labels[:5], logits[:5])
    metric.update_state(labels[5:], logits[5:])
    assert float(metric.result()) == pytest.approx((3 / 4 + 1 / 2 + 1) / 3)


def test_weights_choose_the_epoch_by_the_mean_recall():
    plain = LabelHead(["a", "b"]).objective()
    weighted = LabelHead(["a", "b"], class_weights=(1.0, 3.0)).objective()
    assert (plain.monitor, weighted.monitor) == ("val_accuracy", "val_balanced_accuracy")
    assert [each.name for each in weighted.metrics["logits"]] == ["accuracy", "balanced_accuracy"]


def test_the_loss_is_what_its_configuration_makes():
    loss = ClassCrossentropy(0.1, 2.0, WEIGHTS)
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    logits = some_logits().astype("float32")
    assert float(again(LABELS, logits)) == float(loss(LABELS, logits))
