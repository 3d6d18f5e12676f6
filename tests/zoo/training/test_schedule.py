import keras
import numpy as np
import pytest

from zoo.errors import UserError
from zoo.training.optimizer import adam
from zoo.training.schedule import NoamSchedule, cosine_schedule, learning_rates


@pytest.mark.parametrize("update", [1, 2, 37, 4000, 4001, 100_000])
def test_rate_is_equation_3_of_the_paper(update):
    schedule = NoamSchedule(d_model=512, warmup_steps=4000, scale=2.0)
    expected = 2.0 * 512**-0.5 * min(update**-0.5, update * 4000**-1.5)
    np.testing.assert_allclose(float(schedule(update - 1)), expected, rtol=1e-6)


def test_peak_is_at_the_end_of_the_warm_up():
    schedule = NoamSchedule(d_model=7, warmup_steps=53)
    rates = [float(schedule(step)) for step in range(120)]
    assert int(np.argmax(rates)) == 52
    np.testing.assert_allclose(rates[52], (7 * 53) ** -0.5, rtol=1e-6)


def test_the_optimizer_takes_its_rate_from_the_schedule_before_the_first_update():
    optimizer = adam(NoamSchedule(7, 53))
    np.testing.assert_allclose(float(optimizer.learning_rate), 7**-0.5 * 53**-1.5, rtol=1e-6)


def test_an_optimizer_with_the_schedule_survives_serialization():
    schedule = NoamSchedule(d_model=7, warmup_steps=53, scale=3.0)
    config = keras.saving.serialize_keras_object(adam(schedule, clipnorm=0.5))
    again = keras.saving.deserialize_keras_object(config)
    assert isinstance(again._learning_rate, NoamSchedule)
    assert again._learning_rate.get_config() == {"d_model": 7, "warmup_steps": 53, "scale": 3.0}
    assert again.global_clipnorm == 0.5
    np.testing.assert_allclose(float(again._learning_rate(10)), float(schedule(10)), rtol=0)


@pytest.mark.parametrize("name", ["d_model", "warmup_steps", "scale"])
def test_bad_argument_is_named(name):
    arguments = {"d_model": 7, "warmup_steps": 53, "scale": 1.0, name: 0}
    with pytest.raises(ValueError, match=f"`{name}` must be above 0, got 0"):
        NoamSchedule(**arguments)


def test_schedules_have_names():
    """Both rise to the same peak; then one knows when the run ends."""
    noam, cosine = (learning_rates(name, 0.003, 20, 220) for name in ("noam", "cosine"))
    paper = NoamSchedule(d_model=7, warmup_steps=20, scale=0.003 * (7 * 20) ** 0.5)
    for step in (0, 3, 19, 80, 219):
        np.testing.assert_allclose(float(noam(step)), float(paper(step)), rtol=1e-5)
        same = float(cosine_schedule(0.003, 20, 220)(step))
        np.testing.assert_allclose(float(cosine(step)), same, rtol=1e-6)
    np.testing.assert_allclose([float(noam(19)), float(cosine(20))], 0.003, rtol=1e-5)
    np.testing.assert_allclose([float(noam(79)), float(cosine(220))], [0.0015, 0.0003], rtol=1e-5)
    constant = learning_rates("constant", 0.003, 20, 220)
    np.testing.assert_allclose([float(constant(x)) for x in (0, 19, 219)], [0.00015, 0.003, 0.003])
    with pytest.raises(UserError, match="must be noam, cosine, linear or constant, got 'step'"):
        learning_rates("step", 0.003, 20, 220)
